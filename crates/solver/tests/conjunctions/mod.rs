//! Random conjunctions, asked as an exploration asks them, against the slow obvious answer.
//!
//! A session makes some inputs, grows terms over them and walks a tree of decisions: it asks both sides of
//! each, goes down one, comes back to the mark and goes down the other, with guards, switches and values
//! in between. Every term is kept twice: in the arena, and as a plain expression that no simplifier has
//! seen. Over small domains all assignments are tried; over large ones a new bit-blaster (and Z3, where it
//! is built) is the judge. Every model is evaluated on the plain expressions.

mod judge;
mod terms;

use pessimum_solver::{Answer, Config, Mark, Solver};
use pessimum_term::{Arena, Domain, Op, TermId, Width, fold_binary, fold_unary};

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
    match source.below(7) {
        0 => Domain::full(width),
        1 => Domain { lo: 0, hi: 2 * half - 1 },
        2 => Domain { lo: 0, hi: (half + 492).min(2 * half - 1) },
        3 => Domain { lo: -half, hi: 10 },
        4 => Domain { lo: half - 5, hi: 2 * half - 1 },
        // The bits of floats between two numbers of one sign are between theirs.
        5 if matches!(width, Width::W32 | Width::W64) => {
            let least = source.pick(&[0.0, 0.5, 1.0, 16_777_216.0]);
            let most = least + source.pick(&[0.0, 0.25, 1.0, 100.0, 1e9]);
            let bits = |number: f64| match width {
                Width::W32 => i128::from((number as f32).to_bits()),
                _ => i128::from(number.to_bits()),
            };
            Domain { lo: bits(least), hi: bits(most) }
        }
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
        let mut count = source.pick(&[1, 2, 2, 3, 3, 4, 4, 6]);
        // Where nobody counts assignments there may be enough to differ from each other in many pairs.
        if !small && source.one_in(3) {
            count = 12;
        }
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
