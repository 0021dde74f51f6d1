//! States and path conditions as numbers that do not depend on the names of the inputs.
//!
//! Terms are written down as graphs: each once, in the order of a depth-first visit, inputs
//! numbered by their first occurrence. Two lists of terms that are written alike are equal up to a
//! renaming of their inputs, and the renaming is the order in which the inputs occur. What is
//! written is kept as a hash of 128 bits, by two multiplications a word.
//!
//! The tag of a choice or of a condition is written as well: the machine splits on what carries one.

use pessimum_solver::{Closed, Number, Projection};
use pessimum_term::{Arena, Op, TermId, VarId, Width};

/// A hash of words, with 128 bits: no two states of a walk have the same by chance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Hash128(u64, u64);

impl Hash128 {
    #[inline]
    pub(super) fn word(&mut self, word: u64) {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        self.0 = fold(self.0 ^ word ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9).rotate_left(23);
        self.1 = fold(self.1 ^ word.rotate_left(32) ^ 0x4b33_a62e_d433_d4a3, 0x4d5a_2da5_1de1_aa47)
            .wrapping_add(self.0);
    }

    pub(super) fn words(&mut self, words: &[u64]) {
        self.word(words.len() as u64);
        words.iter().for_each(|word| self.word(*word));
    }
}

/// Numbers terms and inputs by their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Writer {
    /// By term: the round in which it was met, and its number in that round.
    terms: Vec<(u32, u32)>,
    vars: Vec<(u32, u32)>,
    round: u32,
    next: u32,
    order: Vec<VarId>,
    /// Numbers in terms that may be addresses.
    numbers: Vec<u64>,
    /// Parts of the term that is being written, the next one last.
    left: Vec<TermId>,
    hash: Hash128,
    work: u64,
}

impl Writer {
    /// Begins anew, after what has been hashed already.
    pub(super) fn begin(&mut self, arena: &Arena, hash: Hash128) {
        if self.round == u32::MAX {
            self.terms.clear();
            self.vars.clear();
            self.round = 0;
        }
        self.round += 1;
        self.next = 0;
        self.order.clear();
        self.numbers.clear();
        self.hash = hash;
        if self.terms.len() < arena.len() {
            self.terms.resize(arena.len() * 2, (0, 0));
        }
        let vars = arena.var_count() as usize;
        if self.vars.len() < vars {
            self.vars.resize(vars * 2, (0, 0));
        }
    }

    /// The numbers in the terms, each at least once.
    pub(super) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The inputs in the order of their numbers.
    pub(super) fn order(&self) -> &[VarId] {
        &self.order
    }

    /// Words and terms written so far, over all rounds.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    pub(super) fn hash(&self) -> Hash128 {
        self.hash
    }

    pub(super) fn words(&mut self, words: &[u64]) {
        self.work += words.len() as u64 / 4 + 1;
        self.hash.words(words);
    }

    /// The number of an input.
    pub(super) fn var(&mut self, v: VarId) -> u32 {
        let slot = &mut self.vars[v.0 as usize];
        if slot.0 != self.round {
            *slot = (self.round, self.order.len() as u32);
            self.order.push(v);
        }
        slot.1
    }

    /// Writes a term and what is in it. Terms can be deeper than a stack: what is left to write is on one of our own.
    pub(super) fn term(&mut self, arena: &Arena, t: TermId) {
        let mut next = Some(t);
        while let Some(t) = next {
            next = self.head(arena, t).or_else(|| self.left.pop());
        }
    }

    /// Writes a term without what is in it. Answers what comes next, and leaves what comes after that.
    #[inline]
    fn head(&mut self, arena: &Arena, t: TermId) -> Option<TermId> {
        let slot = &mut self.terms[t.index() as usize];
        if slot.0 == self.round {
            self.hash.word(u64::from(slot.1) << 8 | 0xff);
            return None;
        }
        *slot = (self.round, self.next);
        self.next += 1;
        self.work += 1;
        let node = arena.node(t);
        let head = node.op as u64 | u64::from(node.width.bits()) << 8;
        match node.op {
            Op::Const => {
                self.hash.word(head);
                let number = node.as_const().unwrap_or(0);
                self.hash.word(number);
                self.numbers.push(number);
            }
            Op::Var => {
                let number = node.as_var().map_or(u32::MAX, |v| self.var(v));
                self.hash.word(head | u64::from(number) << 16);
            }
            _ => {
                let tag = if node.op == Op::Ite || node.width == Width::BOOL {
                    u64::from(arena.info(t).tag)
                } else {
                    0
                };
                self.hash.word(head | tag << 32);
                if node.op == Op::Extract {
                    self.hash.word(u64::from(node.low_bit()));
                }
                for arg in (1..node.op.arity()).rev() {
                    self.left.push(node.arg(arg));
                }
                return (node.op.arity() > 0).then(|| node.arg(0));
            }
        }
        None
    }

    /// Writes the domains of the inputs that have occurred from number `from` on.
    pub(super) fn domains(&mut self, arena: &Arena, from: usize) {
        for &v in &self.order[from..] {
            let (width, domain) = (arena.width(arena.var_term(v)), arena.domain(v));
            self.hash.word(u64::from(width.bits()));
            for bound in [domain.lo, domain.hi] {
                self.hash.word(bound as u64);
                self.hash.word((bound >> 64) as u64);
            }
            // Where the domain says nothing, the range does.
            let range = arena.range(arena.var_term(v));
            self.hash.word(range.umax);
            self.hash.word(range.smax as u64);
        }
    }

    /// Writes everything that the path condition says of the inputs that have occurred; those that
    /// are kept beside them occur here.
    pub(super) fn context(&mut self, arena: &Arena, projection: &Projection, closed: Closed<'_>) {
        let from = self.order.len();
        self.hash.word(projection.others.len() as u64);
        for other in &projection.others {
            self.term(arena, *other);
        }
        for v in &projection.kept {
            self.var(*v);
        }
        self.domains(arena, from);
        let order = std::mem::take(&mut self.order);
        let mut active: Vec<Number> = Vec::new();
        for &v in &order {
            for n in Number::readings(v) {
                let (lo, hi) = closed.bounds(n);
                self.hash.word(lo as u64);
                self.hash.word(hi as u64);
                self.hash.word(u64::from(closed.is_active(n)));
                if closed.is_active(n) {
                    active.push(n);
                }
            }
            closed.members(v).iter().flatten().for_each(|word| self.hash.word(*word));
        }
        for &x in &active {
            self.hash.word(closed.at(x, Number::ZERO) as u64);
            self.hash.word(closed.at(Number::ZERO, x) as u64);
            for &y in &active {
                self.hash.word(closed.at(x, y) as u64);
            }
        }
        self.order = order;
        let canonical = |n: Number| match n.input() {
            Some(v) => {
                u64::from(self.vars[v.0 as usize].1) << 1 | u64::from(n != Number::readings(v)[0])
            }
            None => u64::MAX,
        };
        let mut disequalities: Vec<[u64; 3]> = projection
            .disequalities
            .iter()
            .map(|d| [canonical(d.x), canonical(d.y), d.k as u64])
            .collect();
        disequalities.sort_unstable();
        self.hash.word(disequalities.len() as u64);
        disequalities.iter().flatten().for_each(|word| self.hash.word(*word));
        self.work += (active.len() * active.len()) as u64 / 4 + order_len(&self.order);
    }
}

fn order_len(order: &[VarId]) -> u64 {
    order.len() as u64
}
