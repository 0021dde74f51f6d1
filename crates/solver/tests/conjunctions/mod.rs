//! Random conjunctions, asked as an exploration asks them, against the slow obvious answer.
//!
//! A session makes some inputs, grows terms over them and walks a tree of decisions: it asks both sides of
//! each, goes down one, comes back to the mark and goes down the other, with guards, switches and values
//! in between. Every term is kept twice: in the arena, and as a plain expression that no simplifier has
//! seen. Over small domains all assignments are tried; over large ones a new bit-blaster (and Z3, where it
//! is built) is the judge. Every model is evaluated on the plain expressions.

use pessimum_solver::blast::Blaster;
use pessimum_solver::{Answer, Config, Mark, Solver, Work, canonical_model};
use pessimum_term::{Arena, Domain, Evaluator, Op, TermId, VarId, Width, fold_binary, fold_unary};
use std::fmt::Write as _;

/// Where choices come from: a seed, or the bytes of a fuzzer.
pub(crate) enum Source<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl Source<'_> {
    fn next(&mut self) -> u64 {
        match self {
            Source::Seed(state) => {
                // splitmix64
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ z >> 31
            }
            Source::Bytes(bytes) => {
                let mut word = 0;
                for _ in 0..2 {
                    let (first, rest) = bytes.split_first().map_or((0, &[][..]), |(f, r)| (*f, r));
                    word = word << 8 | u64::from(first);
                    *bytes = rest;
                }
                word
            }
        }
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What was asked, and how it was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) sessions: u64,
    pub(crate) conjunctions: u64,
    pub(crate) sat: u64,
    pub(crate) unsat: u64,
    /// Left open by the chain; neither right nor wrong.
    pub(crate) unknown: u64,
    /// Decided by trying all assignments.
    pub(crate) by_brute_force: u64,
    /// Decided by bit-blasting alone.
    pub(crate) by_bits: u64,
    /// Decided by Z3.
    pub(crate) by_z3: u64,
    /// Explanations of *unsat* that were checked.
    pub(crate) explained: u64,
    /// Models evaluated on the plain expressions.
    pub(crate) models: u64,
}

/// An expression as it was asked for.
#[derive(Clone, Copy, Debug)]
enum Plain {
    Const(u64),
    Var(usize),
    Unary(Op, u32, usize),
    Binary(Op, usize, usize),
    Concat(usize, usize),
    Ite(usize, usize, usize),
}

/// A term of the arena and the expression it stands for.
#[derive(Clone, Copy, Debug)]
struct Term {
    id: TermId,
    plain: usize,
    width: Width,
}

/// A point to come back to.
struct Point {
    solver: Mark,
    arena: pessimum_term::Mark,
    plain: usize,
    numbers: usize,
    conditions: usize,
    asserted: usize,
}

struct World<'a, 'b> {
    source: &'a mut Source<'b>,
    tally: &'a mut Tally,
    arena: Arena,
    solver: Solver,
    vars: Vec<(Width, Domain)>,
    plain: Vec<(Plain, Width)>,
    /// The value of each expression under each assignment; none over large domains.
    columns: Option<Vec<Vec<u64>>>,
    assignments: usize,
    numbers: Vec<Term>,
    conditions: Vec<Term>,
    asserted: Vec<Term>,
    /// The assignments that satisfy what is asserted, for each length of the list.
    alive: Vec<Vec<u32>>,
}

/// Assignments that are tried at most.
const ASSIGNMENTS: usize = 600;

/// Decisions on top of each other.
const DEPTH: usize = 7;

/// Questions of a session.
const QUESTIONS: u64 = 40;

/// One session. The error says what disagreed.
pub(crate) fn session(source: &mut Source<'_>, tally: &mut Tally) -> Result<(), String> {
    tally.sessions += 1;
    let small = !source.one_in(4);
    let mut world = World::new(source, tally, small);
    let first = world.source.pick(&[0, 0, 2, 6]);
    world.grow(first);
    let until = world.tally.conjunctions + QUESTIONS;
    world.walk(DEPTH, until)?;
    world.whole_path()?;
    let refused = world.solver.stats().refused;
    if refused > 0 {
        return Err(world.tell(None, &format!("{refused} models were refused")));
    }
    Ok(())
}

/// An interval somewhere near zero, the middle or an end of the type; with a span above `most` it is cut.
fn domain(source: &mut Source<'_>, width: Width, most: usize) -> Domain {
    let half = i128::from(width.sign_bit());
    let full = 2 * half;
    let span = source.below(most) as i128;
    let shift = source.below(span as usize + 1) as i128;
    let signed = source.one_in(2);
    let (least, greatest) = if signed { (-half, half - 1) } else { (0, full - 1) };
    let anchors = [least, greatest, 0, half / 2, if signed { -1 } else { half }];
    let lo = (source.pick(&anchors) - shift).clamp(least, greatest);
    Domain { lo, hi: (lo + span).min(greatest) }
}

/// As [`domain`], but with a span of any size.
fn large_domain(source: &mut Source<'_>, width: Width) -> Domain {
    let half = i128::from(width.sign_bit());
    match source.below(6) {
        0 => Domain::full(width),
        1 => Domain { lo: 0, hi: 2 * half - 1 },
        2 => Domain { lo: 0, hi: (half + 492).min(2 * half - 1) },
        3 => Domain { lo: -half, hi: 10 },
        4 => Domain { lo: half - 5, hi: 2 * half - 1 },
        _ => domain(source, width, 1000.min(half as usize)),
    }
}

impl<'a, 'b> World<'a, 'b> {
    fn new(source: &'a mut Source<'b>, tally: &'a mut Tally, small: bool) -> Self {
        let widths = [Width::W8, Width::W8, Width::W16, Width::W32, Width::W32, Width::W64];
        let mut vars: Vec<(Width, Domain)> = Vec::new();
        let mut assignments = 1usize;
        // Inputs of one width meet each other more often than those of several.
        let main = source.pick(&widths);
        // Three values each are enough for orders and pigeonholes of more of them.
        let count = source.pick(&[1, 2, 2, 3, 3, 4, 4, 6]);
        for _ in 0..count {
            let width = if source.one_in(4) { source.pick(&widths) } else { main };
            let most = match source.below(8) {
                // A whole byte leaves little for the others.
                0 if vars.is_empty() => 256,
                _ if count > 4 => 3,
                _ => (ASSIGNMENTS / assignments).clamp(1, 9),
            };
            let domain =
                if small { domain(source, width, most) } else { large_domain(source, width) };
            if small {
                assignments *= (domain.hi - domain.lo + 1) as usize;
            }
            vars.push((width, domain));
        }
        let config = match source.below(8) {
            // Little enough that some questions stay open.
            0 => Config { linear_work: 50, blast_work: 50, ..Config::default() },
            1 => Config { linear_work: 0, ..Config::default() },
            2 => Config { tight: true, ..Config::default() },
            _ => Config::default(),
        };
        let blast_work = config.blast_work.min(if small { 4_000_000 } else { 200_000 });
        let solver = Solver::with_config(Config { blast_work, ..config });
        let mut world = World {
            source,
            tally,
            arena: Arena::new(),
            solver,
            vars: vars.clone(),
            plain: Vec::new(),
            columns: small.then(Vec::new),
            assignments: if small { assignments } else { 0 },
            numbers: Vec::new(),
            conditions: Vec::new(),
            asserted: Vec::new(),
            alive: vec![(0..if small { assignments as u32 } else { 0 }).collect()],
        };
        for (i, (width, domain)) in vars.into_iter().enumerate() {
            let id = world.arena.variable(width, domain);
            let x = world.keep(Plain::Var(i), width, id);
            world.numbers.push(x);
            // Inputs are mostly met as a load widens them.
            if width < Width::W32 {
                let op = world.source.pick(&[Op::ZeroExt, Op::SignExt]);
                let wide = world.unary(op, Width::W32, x);
                world.numbers.push(wide);
            }
        }
        world
    }

    // --- terms ------------------------------------------------------------------------------

    fn keep(&mut self, plain: Plain, width: Width, id: TermId) -> Term {
        assert_eq!(self.arena.width(id), width);
        if self.columns.is_some() {
            let column: Vec<u64> =
                (0..self.assignments).map(|i| self.meaning(plain, width, i)).collect();
            if let Some(columns) = &mut self.columns {
                columns.push(column);
            }
        }
        self.plain.push((plain, width));
        Term { id, plain: self.plain.len() - 1, width }
    }

    /// The value of an expression under assignment number `i`, its parts being known.
    fn meaning(&self, plain: Plain, width: Width, i: usize) -> u64 {
        let known = |at: usize| self.columns.as_ref().map_or(0, |columns| columns[at][i]);
        let var = |at: usize| {
            let mut rest = i;
            for &(_, domain) in &self.vars[..at] {
                rest /= (domain.hi - domain.lo + 1) as usize;
            }
            let (width, domain) = self.vars[at];
            let count = (domain.hi - domain.lo + 1) as usize;
            (domain.lo + (rest % count) as i128) as u64 & width.mask()
        };
        apply(plain, width, &self.plain, known, var)
    }

    /// The value of an expression when the inputs are `values`.
    fn value(&self, t: Term, values: &[u64]) -> u64 {
        let mut all: Vec<u64> = Vec::with_capacity(t.plain + 1);
        for &(plain, width) in &self.plain[..=t.plain] {
            let value = apply(plain, width, &self.plain, |at| all[at], |at| values[at]);
            all.push(value);
        }
        all[t.plain]
    }

    fn constant(&mut self, width: Width, value: u64) -> Term {
        let value = value & width.mask();
        let id = self.arena.constant(width, value);
        self.keep(Plain::Const(value), width, id)
    }

    fn unary(&mut self, op: Op, to: Width, a: Term) -> Term {
        let id = self.arena.unary(op, to, a.id);
        self.keep(Plain::Unary(op, 0, a.plain), to, id)
    }

    fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = if op.is_comparison() { Width::BOOL } else { a.width };
        let id = self.arena.binary(op, a.id, b.id);
        self.keep(Plain::Binary(op, a.plain, b.plain), width, id)
    }

    fn extract(&mut self, a: Term, low: u32, to: Width) -> Term {
        let id = self.arena.extract(a.id, low, to);
        self.keep(Plain::Unary(Op::Extract, low, a.plain), to, id)
    }

    fn concat(&mut self, a: Term, b: Term) -> Term {
        let width = Width::new(a.width.bits() + b.width.bits());
        let id = self.arena.concat(a.id, b.id);
        self.keep(Plain::Concat(a.plain, b.plain), width, id)
    }

    fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let id = self.arena.ite(c.id, a.id, b.id);
        self.keep(Plain::Ite(c.plain, a.plain, b.plain), a.width, id)
    }

    fn not(&mut self, c: Term) -> Term {
        let id = self.arena.not(c.id);
        self.keep(Plain::Unary(Op::Not, 0, c.plain), Width::BOOL, id)
    }

    /// `t` with another width.
    fn fit(&mut self, t: Term, width: Width) -> Term {
        if t.width == width {
            t
        } else if t.width < width {
            let op = self.source.pick(&[Op::ZeroExt, Op::SignExt]);
            self.unary(op, width, t)
        } else {
            let spare = t.width.bits() - width.bits();
            let low = if self.source.one_in(3) {
                self.source.below(spare as usize + 1) as u32
            } else {
                0
            };
            self.extract(t, low, width)
        }
    }

    /// A number near something that matters.
    fn any_constant(&mut self, width: Width) -> Term {
        let anchors = [
            0,
            0,
            1,
            width.sign_bit(),
            width.mask(),
            width.mask() >> 1,
            0x80,
            0xff,
            1 << 31,
            1 << 16,
        ];
        let anchor = if self.source.one_in(2) {
            let (of, domain) = self.source.pick(&self.vars);
            let ends = [domain.lo, domain.hi];
            self.source.pick(&ends) as u64 & of.mask()
        } else {
            self.source.pick(&anchors)
        };
        let offset = self.source.below(7) as u64;
        let value = match self.source.below(4) {
            0 => anchor.wrapping_sub(offset),
            1 => 1 << self.source.below(width.bits() as usize),
            2 => (1u64 << self.source.below(width.bits() as usize)).wrapping_sub(1),
            _ => anchor.wrapping_add(offset),
        };
        self.constant(width, value)
    }

    fn any_number(&mut self) -> Term {
        let at = self.source.below(self.numbers.len());
        self.numbers[at]
    }

    fn any_condition(&mut self) -> Term {
        let at = self.source.below(self.conditions.len());
        self.conditions[at]
    }

    fn grow(&mut self, count: usize) {
        for _ in 0..count {
            let t = self.any_term();
            self.numbers.push(t);
            if self.source.one_in(3) {
                let c = self.any_question();
                self.conditions.push(c);
            }
        }
    }

    fn any_term(&mut self) -> Term {
        let a = self.any_number();
        match self.source.below(16) {
            0 => {
                let to = self.source.pick(&[Width::W8, Width::W16, Width::W32, Width::W64]);
                self.fit(a, to)
            }
            1 if a.width <= Width::W32 => {
                let b = self.any_number();
                let b = self.fit(b, a.width);
                self.concat(a, b)
            }
            2 if !self.conditions.is_empty() => {
                let (c, b) = (self.any_condition(), self.any_number());
                let b = self.fit(b, a.width);
                self.ite(c, a, b)
            }
            3 => self.look_up(a),
            4 if !self.conditions.is_empty() => {
                let c = self.any_condition();
                self.unary(Op::ZeroExt, Width::W32, c)
            }
            5 => {
                let op = self.source.pick(&[Op::Clz, Op::Ctz, Op::Popcnt]);
                self.unary(op, a.width, a)
            }
            // By a constant, as programs mask, shift, scale and divide.
            6..=9 => {
                let op = self.source.pick(&Op::ON_TWO_INTEGERS[..15]);
                let k = self.any_constant(a.width);
                self.binary(op, a, k)
            }
            _ => {
                let cheap = [
                    Op::Add,
                    Op::Sub,
                    Op::Add,
                    Op::Sub,
                    Op::And,
                    Op::Or,
                    Op::Xor,
                    Op::Shl,
                    Op::LShr,
                    Op::AShr,
                    Op::Rotl,
                    Op::Rotr,
                ];
                // Products and quotients of two wide inputs take a SAT solver for ever.
                let any = a.width <= Width::W16 || self.columns.is_some() && a.width <= Width::W32;
                let op = if any && self.source.one_in(4) {
                    self.source.pick(&[Op::Mul, Op::UDiv, Op::SDiv, Op::URem, Op::SRem])
                } else {
                    self.source.pick(&cheap)
                };
                let b = self.any_number();
                let b = self.fit(b, a.width);
                self.binary(op, a, b)
            }
        }
    }

    /// An entry of a table, by its index.
    fn look_up(&mut self, index: Term) -> Term {
        let mut read = self.any_constant(Width::W32);
        for _ in 0..1 + self.source.below(6) {
            let key = self.any_constant(index.width);
            let here = self.binary(Op::Eq, index, key);
            let entry = self.any_constant(Width::W32);
            read = self.ite(here, entry, read);
        }
        read
    }

    fn any_question(&mut self) -> Term {
        let orders = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
        let op = self.source.pick(&orders);
        let a = self.any_number();
        match self.source.below(12) {
            0 | 1 if !self.conditions.is_empty() => {
                let (c, d) = (self.any_condition(), self.any_condition());
                let op = self.source.pick(&[Op::And, Op::Or, Op::Xor, Op::And, Op::Or]);
                self.binary(op, c, d)
            }
            2 if !self.conditions.is_empty() => {
                let c = self.any_condition();
                self.not(c)
            }
            // A difference against one of its parts, or a number.
            3 | 4 => {
                let b = self.any_number();
                let b = self.fit(b, a.width);
                let sum = self.source.pick(&[Op::Sub, Op::Add, Op::Sub]);
                let left = self.binary(sum, a, b);
                let right = match self.source.below(4) {
                    0 => a,
                    1 => b,
                    2 => {
                        let k = self.any_constant(a.width);
                        self.binary(Op::Add, a, k)
                    }
                    _ => self.any_constant(a.width),
                };
                self.binary(op, left, right)
            }
            // A mask.
            5 => {
                let (mask, k) = (self.any_constant(a.width), self.any_constant(a.width));
                let part = self.binary(Op::And, a, mask);
                self.binary(op, part, k)
            }
            6 | 7 => {
                let k = self.any_constant(a.width);
                if self.source.one_in(2) { self.binary(op, a, k) } else { self.binary(op, k, a) }
            }
            // Two inputs as they are.
            8 | 9 => {
                let (i, j) =
                    (self.source.below(self.vars.len()), self.source.below(self.vars.len()));
                let (x, y) = (self.input(i), self.input(j));
                let y = self.fit(y, x.width);
                self.binary(op, x, y)
            }
            // Floats that are only compared are a matter of bits.
            10 if a.width >= Width::W32 && self.source.one_in(3) => {
                let a = self.fit(a, if a.width < Width::W64 { Width::W32 } else { Width::W64 });
                let b = self.any_number();
                let b = self.fit(b, a.width);
                let op = self.source.pick(&[Op::FEq, Op::FLt, Op::FLe]);
                self.binary(op, a, b)
            }
            _ => {
                let b = self.any_number();
                let b = self.fit(b, a.width);
                self.binary(op, a, b)
            }
        }
    }

    fn input(&mut self, i: usize) -> Term {
        let id = self.arena.var_term(VarId(i as u32));
        self.keep(Plain::Var(i), self.vars[i].0, id)
    }

    // --- the walk ---------------------------------------------------------------------------

    /// A decision and what is below both of its sides, as far as questions are left.
    fn walk(&mut self, depth: usize, until: u64) -> Result<(), String> {
        if depth == 0 || self.tally.conjunctions >= until {
            return Ok(());
        }
        let few = self.source.pick(&[0, 0, 0, 1, 2]);
        self.grow(few);
        match self.source.below(10) {
            0 => self.guard()?,
            1 => self.choose()?,
            2 => self.switch()?,
            3 => return self.assume_unasked(depth, until),
            _ => {}
        }
        let c = self.any_question();
        self.conditions.push(c);
        if self.solver.fact(c.id).is_some() {
            return self.walk(depth - 1, until);
        }
        let no = self.not(c);
        let (yes_answer, no_answer) = (self.check(c)?, self.check(no)?);
        match (yes_answer, no_answer) {
            (Answer::Unsat, Answer::Unsat) => Ok(()),
            // A forced side is not asserted.
            (_, Answer::Unsat) | (Answer::Unsat, _) => self.walk(depth - 1, until),
            _ => {
                let here = self.point();
                self.assert(no)?;
                self.walk(depth - 1, until)?;
                self.back_to(&here, false);
                self.assert(c)?;
                self.walk(depth - 1, until)?;
                self.back_to(&here, false);
                Ok(())
            }
        }
    }

    /// Asserts without having asked, which may leave no model.
    fn assume_unasked(&mut self, depth: usize, until: u64) -> Result<(), String> {
        let here = self.point();
        let c = self.any_question();
        self.conditions.push(c);
        self.assert(c)?;
        self.walk(depth - 1, until)?;
        let arena_first = self.source.one_in(2);
        self.back_to(&here, arena_first);
        Ok(())
    }

    /// A trap that is possible or not, and the path that goes on without it.
    fn guard(&mut self) -> Result<(), String> {
        let c = self.any_question();
        let traps = self.check(c)?;
        if !traps.is_unsat() {
            let here = self.point();
            self.assert(c)?;
            self.whole_path()?;
            self.back_to(&here, false);
        }
        let no = self.not(c);
        if !self.check(no)?.is_unsat() && !traps.is_unsat() {
            self.assert(no)?;
        }
        Ok(())
    }

    /// All values of a term, as for an address.
    fn choose(&mut self) -> Result<(), String> {
        let t = self.any_number();
        let here = self.point();
        for _ in 0..5 {
            let value = self.solver.value(&self.arena, t.id);
            let k = self.constant(t.width, value);
            let same = self.binary(Op::Eq, t, k);
            let other = self.not(same);
            if !self.check(other)?.is_sat() {
                break;
            }
            self.assert(other)?;
        }
        self.back_to(&here, false);
        Ok(())
    }

    /// Several arms, one of which is followed.
    fn switch(&mut self) -> Result<(), String> {
        let t = self.any_number();
        let mut arms = Vec::new();
        for _ in 0..4 {
            let k = self.any_constant(t.width);
            let arm = self.binary(Op::Eq, t, k);
            if self.check(arm)?.is_sat() {
                arms.push(arm);
            }
        }
        match arms.as_slice() {
            [] => Ok(()),
            some => {
                let arm = some[self.source.below(some.len())];
                self.assert(arm)
            }
        }
    }

    fn point(&self) -> Point {
        Point {
            solver: self.solver.mark(),
            arena: self.arena.mark(),
            plain: self.plain.len(),
            numbers: self.numbers.len(),
            conditions: self.conditions.len(),
            asserted: self.asserted.len(),
        }
    }

    fn back_to(&mut self, point: &Point, arena_first: bool) {
        if arena_first {
            self.arena.undo_to(point.arena);
            self.solver.undo_to(point.solver);
        } else {
            self.solver.undo_to(point.solver);
            self.arena.undo_to(point.arena);
        }
        self.plain.truncate(point.plain);
        if let Some(columns) = &mut self.columns {
            columns.truncate(point.plain);
        }
        self.numbers.truncate(point.numbers);
        self.conditions.truncate(point.conditions);
        self.asserted.truncate(point.asserted);
        self.alive.truncate(point.asserted + 1);
    }

    // --- the judges -------------------------------------------------------------------------

    fn check(&mut self, c: Term) -> Result<Answer, String> {
        self.same_meaning(c)?;
        let answer = self.solver.check(&mut self.arena, c.id);
        self.judge(c, answer, "check")?;
        if answer.is_unsat() && self.source.one_in(2) {
            self.explained(c)?;
        }
        Ok(answer)
    }

    /// The reasons for *unsat* have no model together with the question.
    fn explained(&mut self, c: Term) -> Result<(), String> {
        let Some(reasons) = self.solver.explain(&mut self.arena, c.id) else {
            return Err(self.tell(Some(c), "nobody explains"));
        };
        self.tally.explained += 1;
        let ids: Vec<TermId> =
            reasons.iter().map(|i| self.solver.assertions()[*i as usize]).collect();
        let terms: Vec<Term> =
            self.asserted.iter().filter(|t| ids.contains(&t.id)).copied().collect();
        let possible = match &self.columns {
            Some(columns) => {
                let all = || terms.iter().chain([&c]);
                (0..self.assignments).any(|i| all().all(|t| columns[t.plain][i] == 1))
            }
            None => {
                let all: Vec<TermId> = ids.iter().copied().chain([c.id]).collect();
                Blaster::new().solve(&self.arena, &all, &mut Work::new(3_000_000)) == Answer::Sat
            }
        };
        if possible {
            return Err(self.tell(Some(c), &format!("{reasons:?} do not explain it")));
        }
        Ok(())
    }

    fn assert(&mut self, c: Term) -> Result<(), String> {
        let answer = self.solver.assert(&mut self.arena, c.id);
        self.judge(c, answer, "assert")?;
        self.asserted.push(c);
        if let Some(columns) = &self.columns {
            let before = &self.alive[self.alive.len() - 1];
            let column = &columns[c.plain];
            let left = before.iter().copied().filter(|i| column[*i as usize] == 1).collect();
            self.alive.push(left);
        }
        if answer.is_sat() {
            let values: Vec<u64> =
                (0..self.vars.len()).map(|v| self.solver.var_value(VarId(v as u32))).collect();
            self.is_model(&values, "the model at hand")?;
        }
        Ok(())
    }

    /// Evaluates all that is asserted, on the plain expressions.
    fn is_model(&mut self, values: &[u64], whose: &str) -> Result<(), String> {
        self.tally.models += 1;
        for (i, &(width, domain)) in self.vars.iter().enumerate() {
            if !domain.contains(width, values[i]) {
                return Err(self.tell(None, &format!("{whose} leaves a domain: {values:?}")));
            }
        }
        for i in 0..self.asserted.len() {
            if self.value(self.asserted[i], values) != 1 {
                let text = format!("{whose} does not satisfy assertion {i}: {values:?}");
                return Err(self.tell(None, &text));
            }
        }
        Ok(())
    }

    /// The arena's term and the expression have one value, on a few assignments.
    fn same_meaning(&mut self, c: Term) -> Result<(), String> {
        for _ in 0..3 {
            let values: Vec<u64> = (0..self.vars.len())
                .map(|i| {
                    let (width, domain) = self.vars[i];
                    let span = domain.hi - domain.lo + 1;
                    let (word, at_end) = (self.source.next(), self.source.below(4));
                    let offset = match at_end {
                        0 => i128::from(word % 3) % span,
                        1 => span - 1 - i128::from(word % 3) % span,
                        _ => i128::from(word) % span,
                    };
                    (domain.lo + offset) as u64 & width.mask()
                })
                .collect();
            let mut eval = Evaluator::new();
            let simplified = eval.value(&self.arena, c.id, |v| values[v.0 as usize]);
            if simplified != self.value(c, &values) {
                return Err(self.tell(Some(c), &format!("the simplifier is wrong at {values:?}")));
            }
        }
        Ok(())
    }

    fn judge(&mut self, c: Term, answer: Answer, call: &str) -> Result<(), String> {
        self.tally.conjunctions += 1;
        match answer {
            Answer::Sat => self.tally.sat += 1,
            Answer::Unsat => self.tally.unsat += 1,
            Answer::Unknown(_) => {
                self.tally.unknown += 1;
                return Ok(());
            }
        }
        let truth = match &self.columns {
            Some(columns) => {
                self.tally.by_brute_force += 1;
                let alive = &self.alive[self.alive.len() - 1];
                let column = &columns[c.plain];
                if alive.iter().any(|i| column[*i as usize] == 1) {
                    Answer::Sat
                } else {
                    Answer::Unsat
                }
            }
            None => self.by_bits(c),
        };
        let contradiction =
            matches!((answer, truth), (Answer::Sat, Answer::Unsat) | (Answer::Unsat, Answer::Sat));
        if contradiction {
            return Err(
                self.tell(Some(c), &format!("{call} says {answer:?}, the truth is {truth:?}"))
            );
        }
        Ok(())
    }

    fn by_bits(&mut self, c: Term) -> Answer {
        let all: Vec<TermId> = self.asserted.iter().chain([&c]).map(|t| t.id).collect();
        #[cfg(feature = "z3")]
        if self.source.one_in(4) {
            let (answer, _) =
                pessimum_solver::z3::Z3Solver::with_limit(2_000_000).solve(&self.arena, &all);
            self.tally.by_z3 += u64::from(!matches!(answer, Answer::Unknown(_)));
            return answer;
        }
        let answer = Blaster::new().solve(&self.arena, &all, &mut Work::new(3_000_000));
        self.tally.by_bits += u64::from(!matches!(answer, Answer::Unknown(_)));
        answer
    }

    /// The path condition solved afresh, as for a reported input.
    fn whole_path(&mut self) -> Result<(), String> {
        if self.asserted.is_empty() {
            return Ok(());
        }
        let mark = self.arena.mark();
        let terms: Vec<TermId> = self.asserted.iter().map(|t| t.id).collect();
        let (answer, values) = canonical_model(&mut self.arena, &terms);
        self.arena.undo_to(mark);
        self.tally.conjunctions += 1;
        match answer {
            Answer::Sat => {
                self.tally.sat += 1;
                self.is_model(&values, "the model found afresh")
            }
            Answer::Unsat if self.solver.has_model() => {
                Err(self.tell(None, "afresh there is no model, and one is at hand"))
            }
            Answer::Unsat => {
                self.tally.unsat += 1;
                let some = self.columns.is_some() && !self.alive[self.alive.len() - 1].is_empty();
                if some {
                    Err(self.tell(None, "afresh there is no model, and there is one"))
                } else {
                    Ok(())
                }
            }
            Answer::Unknown(_) => {
                self.tally.unknown += 1;
                Ok(())
            }
        }
    }

    fn tell(&self, c: Option<Term>, what: &str) -> String {
        let mut text = format!("{what}\n");
        for (i, (width, domain)) in self.vars.iter().enumerate() {
            let _ = writeln!(text, "  x{i}: {width:?} in {}..={}", domain.lo, domain.hi);
        }
        for t in &self.asserted {
            let _ = writeln!(text, "  assert {}", self.show(t.plain));
        }
        if let Some(c) = c {
            let _ = writeln!(text, "  ask    {}", self.show(c.plain));
        }
        text
    }

    fn show(&self, at: usize) -> String {
        let (plain, width) = self.plain[at];
        match plain {
            Plain::Const(k) => format!("{k:#x}"),
            Plain::Var(i) => format!("x{i}"),
            Plain::Unary(Op::Extract, low, a) => format!("{}[{low}+{width:?}]", self.show(a)),
            Plain::Unary(op, _, a) => format!("{op:?}{}({})", width.bits(), self.show(a)),
            Plain::Binary(op, a, b) => format!("({} {op:?} {})", self.show(a), self.show(b)),
            Plain::Concat(a, b) => format!("({} ++ {})", self.show(a), self.show(b)),
            Plain::Ite(c, a, b) => {
                format!("({} ? {} : {})", self.show(c), self.show(a), self.show(b))
            }
        }
    }
}

/// The value of an expression, its parts being known.
fn apply(
    plain: Plain,
    width: Width,
    all: &[(Plain, Width)],
    known: impl Fn(usize) -> u64,
    var: impl Fn(usize) -> u64,
) -> u64 {
    match plain {
        Plain::Const(k) => k,
        Plain::Var(i) => var(i),
        Plain::Unary(op, low, a) => fold_unary(op, all[a].1, width, low, known(a)),
        Plain::Binary(op, a, b) => fold_binary(op, all[a].1, known(a), known(b)),
        Plain::Concat(a, b) => known(a) << all[b].1.bits() | known(b),
        Plain::Ite(c, a, b) => known(if known(c) != 0 { a } else { b }),
    }
}
