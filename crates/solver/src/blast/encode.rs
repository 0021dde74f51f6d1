//! From terms to literals.
//!
//! Ranges are used twice: bits that a range fixes are constants, and operations whose low bits
//! depend on low bits alone are built only as wide as their range needs. Both are right because a
//! range holds for every assignment within the domains, and the domains are clauses.

use super::gates::Gates;
use super::lazy::{Computed, FEW, Operation};
use super::sat::Lit;
use super::shift::Shift;
use pessimum_term::{Arena, Domain, Node, Op, Range, TermId, VarId, Width};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The bits of a term, the least first.
pub(super) type Bits = Arc<[Lit]>;

/// The literals of the terms encoded so far.
pub(super) struct Encoder {
    pub(super) gates: Gates,
    /// By term index. An arena gives the ids of undone terms to new ones: see `undo_to`.
    terms: Vec<Option<Bits>>,
    /// By variable number, with the index of the variable's term.
    vars: Vec<Option<(u32, Bits)>>,
    /// Inputs outlive their terms: the same input met again gets the same literals.
    inputs: FxHashMap<(VarId, Width, i128, i128, u64, i64), Bits>,
    /// Float operations by what they compute with. Like gates they outlive their terms.
    pub(super) floats: FxHashMap<Operation, Computed>,
    /// How large the circuit of a float operation may be to be built at once.
    pub(super) few: usize,
    stack: Vec<TermId>,
}

impl Encoder {
    pub(super) fn new() -> Self {
        Encoder {
            gates: Gates::new(),
            terms: Vec::new(),
            vars: Vec::new(),
            inputs: FxHashMap::default(),
            floats: FxHashMap::default(),
            few: FEW,
            stack: Vec::new(),
        }
    }

    /// Forgets the terms with ids at or above `terms`.
    pub(super) fn undo_to(&mut self, terms: usize) {
        self.terms.truncate(terms);
        while let Some(last) = self.vars.last() {
            match last {
                Some((term, _)) if (*term as usize) < terms => break,
                _ => self.vars.pop(),
            };
        }
    }

    /// The bits of a variable that some encoded term mentions.
    pub(super) fn variable(&self, v: VarId) -> Option<&Bits> {
        self.vars.get(v.0 as usize)?.as_ref().map(|(_, bits)| bits)
    }

    /// The literal of a condition. Stops with `None` once the clauses ever added exceed `limit`.
    pub(super) fn condition(&mut self, arena: &Arena, t: TermId, limit: u64) -> Option<Lit> {
        debug_assert_eq!(arena.width(t), Width::BOOL);
        if self.terms.len() < arena.len() {
            self.terms.resize(arena.len(), None);
        }
        self.stack.clear();
        self.stack.push(t);
        while let Some(&top) = self.stack.last() {
            if self.known(top).is_some() {
                self.stack.pop();
                continue;
            }
            let node = arena.node(top);
            let depth = self.stack.len();
            for arg in node.args() {
                if self.known(arg).is_none() {
                    self.stack.push(arg);
                }
            }
            if self.stack.len() > depth {
                continue;
            }
            if self.gates.sat.clauses() > limit {
                return None;
            }
            let bits = match node.as_var() {
                Some(v) => self.input(arena, top, v),
                None if node.op.is_float() && !node.op.is_comparison() => self.float(arena, node),
                None => self.encode(arena, top, node),
            };
            self.terms[top.index() as usize] = Some(bits);
            self.stack.pop();
        }
        self.known(t).map(|bits| bits[0])
    }

    pub(super) fn known(&self, t: TermId) -> Option<&Bits> {
        self.terms[t.index() as usize].as_ref()
    }

    fn input(&mut self, arena: &Arena, t: TermId, v: VarId) -> Bits {
        let width = arena.width(t);
        let (domain, range) = (arena.domain(v), arena.range(t));
        let key = (v, width, domain.lo, domain.hi, range.umax, range.smax);
        let bits = match self.inputs.get(&key) {
            Some(bits) => bits.clone(),
            None => {
                let bits: Bits = self.fresh_input(width, domain, range).into();
                self.inputs.insert(key, bits.clone());
                bits
            }
        };
        let index = v.0 as usize;
        if self.vars.len() <= index {
            self.vars.resize(index + 1, None);
        }
        self.vars[index] = Some((t.index(), bits.clone()));
        bits
    }

    fn fresh_input(&mut self, width: Width, domain: Domain, range: Range) -> Vec<Lit> {
        let gates = &mut self.gates;
        let n = width.bits() as usize;
        let bits: Vec<Lit> = (0..n).map(|_| gates.sat.fresh()).collect();
        let bits = pinned(gates, bits, width, range);
        if domain.is_full(width) {
            if range != Range::full(width) {
                // A float of either sign: the greatest in each reading.
                let [low, high] = [range.umax, range.smax as u64].map(|end| gates.number(n, end));
                let truth = gates.truth();
                let within =
                    [gates.less(&bits, &low, truth), gates.less_signed(&bits, &high, truth)];
                within.iter().for_each(|condition| gates.sat.add(&[*condition]));
            }
            return bits;
        }
        let lo = gates.number(n, domain.lo as u64);
        let hi = gates.number(n, domain.hi as u64);
        let truth = gates.truth();
        let full = Range::full(width);
        let within = if domain.lo >= 0 && domain.hi <= i128::from(full.umax) {
            [gates.less(&lo, &bits, truth), gates.less(&bits, &hi, truth)]
        } else if domain.lo >= i128::from(full.smin) && domain.hi <= i128::from(full.smax) {
            [gates.less_signed(&lo, &bits, truth), gates.less_signed(&bits, &hi, truth)]
        } else {
            // Neither reading holds it all: count from the least value.
            let above = gates.subtract(&bits, &lo);
            let span = gates.number(n, (domain.hi - domain.lo) as u64);
            [gates.less(&above, &span, truth), truth]
        };
        for condition in within {
            gates.sat.add(&[condition]);
        }
        bits
    }

    fn encode(&mut self, arena: &Arena, t: TermId, node: &Node) -> Bits {
        let width = node.width;
        let n = width.bits() as usize;
        let range = arena.range(t);
        let arg = |i: usize| {
            let index = node.arg(i).index() as usize;
            self.terms[index].as_deref().unwrap_or(&[])
        };
        let gates = &mut self.gates;
        let (truth, falsity) = (gates.truth(), gates.bit(false));
        // How many low bits say it all.
        let m = reach(width, range);
        let low = |i: usize| &arg(i)[..m];
        let bits = match node.op {
            Op::Const => gates.number(n, node.as_const().unwrap_or(0)),
            Op::Add => gates.add(low(0), low(1), falsity),
            Op::Sub => gates.subtract(low(0), low(1)),
            Op::Mul => gates.multiply(low(0), low(1)),
            Op::And => zip(low(0), low(1), |a, b| gates.and(a, b)),
            Op::Or => zip(low(0), low(1), |a, b| gates.or(a, b)),
            Op::Xor => zip(low(0), low(1), |a, b| gates.xor(a, b)),
            Op::Ite => gates.choose(arg(0)[0], low(1), low(2)),
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                let ranges = [arena.range(node.arg(0)), arena.range(node.arg(1))];
                divided(gates, node.op, width, ranges, arg(0), arg(1))
            }
            Op::Shl => gates.shift(Shift::Left, arg(0), arg(1)),
            Op::LShr => gates.shift(Shift::Right, arg(0), arg(1)),
            Op::AShr => gates.shift(Shift::RightSigned, arg(0), arg(1)),
            Op::Rotl => gates.shift(Shift::RotateLeft, arg(0), arg(1)),
            Op::Rotr => gates.shift(Shift::RotateRight, arg(0), arg(1)),
            Op::Eq => vec![gates.equal(arg(0), arg(1))],
            Op::Ult => vec![gates.less(arg(0), arg(1), falsity)],
            Op::Ule => vec![gates.less(arg(0), arg(1), truth)],
            Op::Slt => vec![gates.less_signed(arg(0), arg(1), falsity)],
            Op::Sle => vec![gates.less_signed(arg(0), arg(1), truth)],
            Op::FEq | Op::FLt | Op::FLe => vec![gates.compare_floats(node.op, arg(0), arg(1))],
            Op::Not => vec![!arg(0)[0]],
            Op::Clz => {
                let down: Vec<Lit> = arg(0).iter().rev().copied().collect();
                gates.zeros_before_one(&down, n)
            }
            Op::Ctz => gates.zeros_before_one(arg(0), n),
            Op::Popcnt => gates.count(arg(0)),
            Op::ZeroExt => arg(0).to_vec(),
            Op::SignExt => {
                let sign = arg(0).last().copied().unwrap_or(falsity);
                let mut bits = arg(0).to_vec();
                bits.resize(n, sign);
                bits
            }
            Op::Extract => arg(0)[node.low_bit() as usize..][..n].to_vec(),
            Op::Concat => [arg(1), arg(0)].concat(),
            op => unreachable!("{op:?} is an input or a float operation"),
        };
        pinned(gates, bits, width, range).into()
    }
}

/// Quotient or remainder, built only as wide as the ranges of the arguments need.
fn divided(
    gates: &mut Gates,
    op: Op,
    width: Width,
    ranges: [Range; 2],
    a: &[Lit],
    b: &[Lit],
) -> Vec<Lit> {
    let quotient = matches!(op, Op::UDiv | Op::SDiv);
    let signs = !ranges.iter().all(|r| r.is_non_negative());
    if matches!(op, Op::UDiv | Op::URem) || !signs {
        let need = ranges.map(|r| (64 - r.umax.leading_zeros()) as usize);
        let m = need[0].max(need[1]);
        let (q, r) = gates.divide(&a[..m], &b[..m]);
        return if quotient { q } else { r };
    }
    // One bit more, because the least number by minus one does not fit.
    let need = ranges.map(signed_bits);
    let m = (need[0].max(need[1]) + 1).min(width.bits() as usize);
    let (q, r) = gates.divide_signed(&a[..m], &b[..m]);
    let mut bits = if quotient { q } else { r };
    let sign = bits[m - 1];
    bits.resize(width.bits() as usize, sign);
    bits
}

/// `bits`, of which the upper ones may be missing, with those a range fixes made constant.
fn pinned(gates: &Gates, mut bits: Vec<Lit>, width: Width, range: Range) -> Vec<Lit> {
    let n = width.bits() as usize;
    let signed = signed_bits(range);
    let free = (64 - (range.umin ^ range.umax).leading_zeros()) as usize;
    bits.resize(n, gates.bit(false));
    if signed < n {
        let sign = bits[signed - 1];
        bits[signed..].fill(sign);
    }
    for (i, bit) in bits.iter_mut().enumerate().skip(free) {
        *bit = gates.bit(range.umin >> i & 1 == 1);
    }
    bits
}

/// How many low bits of a value in `range` determine the rest.
fn reach(width: Width, range: Range) -> usize {
    let unsigned = 64 - (range.umin ^ range.umax).leading_zeros();
    (unsigned as usize).min(signed_bits(range)).min(width.bits() as usize)
}

/// How many bits two's complement needs for every value of `range`.
fn signed_bits(range: Range) -> usize {
    let need = |x: i64| 65 - (x ^ (x >> 63)).leading_zeros() as usize;
    need(range.smin).max(need(range.smax))
}

fn zip(a: &[Lit], b: &[Lit], mut f: impl FnMut(Lit, Lit) -> Lit) -> Vec<Lit> {
    a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect()
}
