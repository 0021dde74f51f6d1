//! From terms to linear constraints over the integers.
//!
//! A bit-vector sum is an integer sum where it does not wrap. The ranges of the inputs, tightened by the
//! bounds asserted on this path, prove that for most programs. Where they do not, the constraint that it
//! does not wrap is added on the side: a model then still is a model, but the lack of one proves nothing.
//!
//! The linear solver is filled lazily, with the assertions that some question needed, and emptied on undo.

use crate::difference::{Graph, NodeId, View};
use crate::linear::{self, Lin, Linear, Var, Work};
use pessimum_term::{Arena, Op, TermId, VarId, Width};
use std::sync::Arc;

/// How many nodes of a term are visited before it is called too large.
const VISITS: u32 = 4096;

/// How deep sums that might wrap may lie within each other.
const NESTING: u32 = 100;

/// A node as a sum: each part with its reading and its factor.
type Parts = [Option<(TermId, View, i64)>; 2];

/// How one side is related to zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Le,
    Eq,
    Ne,
}

/// What was put into the linear solver, and what for.
#[derive(Clone, Copy, Debug)]
struct Entry {
    mark: linear::Mark,
    /// Which assertion.
    assertion: u32,
    /// How many assertions have to stand for this entry to be right.
    needs: u32,
    /// Whether constraints were added on the side.
    guarded: bool,
}

/// Whether an assertion is in the linear solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Absent,
    Present,
    NotLinear,
}

/// The linear solver along the path.
#[derive(Debug, Default)]
pub(crate) struct LinearStage {
    linear: Linear,
    entries: Vec<Entry>,
    /// By assertion.
    states: Vec<State>,
    /// The node that each linear variable stands for; none for the bit between two readings.
    owners: Vec<Option<NodeId>>,
    /// The linear variable of each node, if `owners` agrees.
    vars: Vec<u32>,
    guarded: u32,
    /// Conditions that were read last, the newest at the end.
    read: Vec<Memo>,
    /// Room for sums that are being read.
    open: Vec<(TermId, View, i64)>,
}

/// How many conditions are remembered: a question is asked of both sides of a branch, and is read several times.
const MEMOS: usize = 6;

/// A condition that was read, for as long as its term and its variables live. Only one that owes nothing to the bounds of
/// a path is remembered: those are taken back before the term is.
#[derive(Debug)]
struct Memo {
    condition: TermId,
    rows: Arc<Rows>,
    /// How many variables there were.
    variables: usize,
}

/// A condition as linear constraints.
#[derive(Debug)]
struct Rows {
    rows: Vec<(Lin, Relation)>,
    /// A proof used bounds that were asserted on this path.
    used_path: bool,
    /// Constraints `lin ≤ 0` that keep a sum from wrapping.
    guards: Vec<Lin>,
}

/// What a linearisation under way has met.
struct Reader<'a> {
    arena: &'a Arena,
    graph: &'a Graph,
    stage: &'a mut LinearStage,
    visits: u32,
    /// How much deeper sums may lie within sums that might wrap.
    nesting: u32,
    /// A proof used bounds that were asserted on this path.
    used_path: bool,
    /// Constraints `lin ≤ 0` that keep a sum from wrapping.
    guards: Vec<Lin>,
}

impl LinearStage {
    /// Forgets what depends on assertions from number `keep` on.
    pub(crate) fn undo_to(&mut self, keep: u32) {
        if let Some(first) = self.entries.iter().position(|e| e.needs > keep) {
            self.linear.undo_to(self.entries[first].mark);
            for entry in self.entries.drain(first..) {
                self.states[entry.assertion as usize] = State::Absent;
                self.guarded -= u32::from(entry.guarded);
            }
            self.forget_variables();
        }
        self.states.truncate(keep as usize);
    }

    /// Forgets what was read of terms with ids from `terms` on.
    pub(crate) fn forget_terms(&mut self, terms: u32) {
        self.read.retain(|memo| memo.condition.index() < terms);
    }

    /// Follows an undo of the linear solver.
    fn forget_variables(&mut self) {
        let left = self.linear.var_count();
        self.owners.truncate(left);
        self.read.retain(|memo| memo.variables <= left);
    }

    /// Puts an assertion in, unless it is there or cannot be put. Whether there is more in than before.
    pub(crate) fn add(
        &mut self,
        arena: &Arena,
        graph: &Graph,
        assertions: &[TermId],
        index: u32,
    ) -> bool {
        if self.states.len() <= index as usize {
            self.states.resize(index as usize + 1, State::Absent);
        }
        if self.states[index as usize] != State::Absent {
            return false;
        }
        let mark = self.linear.mark();
        let state = match self.push(arena, graph, assertions[index as usize]) {
            Some((used_path, guarded)) => {
                let needs = if used_path { assertions.len() as u32 } else { index + 1 };
                self.entries.push(Entry { mark, assertion: index, needs, guarded });
                self.guarded += u32::from(guarded);
                State::Present
            }
            None => {
                self.linear.undo_to(mark);
                self.forget_variables();
                State::NotLinear
            }
        };
        self.states[index as usize] = state;
        state == State::Present
    }

    /// Whether what was added has a model together with `c`; none when `c` is not linear. After
    /// [`linear::Answer::Sat`], `take` is given the values of the inputs that occur.
    pub(crate) fn check(
        &mut self,
        arena: &Arena,
        graph: &Graph,
        c: TermId,
        work: &mut Work,
        mut take: impl FnMut(VarId, u64),
    ) -> Option<linear::Answer> {
        let mark = self.linear.mark();
        let pushed = self.push(arena, graph, c);
        let answer = pushed.map(|(_, guarded)| {
            let answer = self.linear.check(work);
            match answer {
                linear::Answer::Sat => {
                    for (i, owner) in self.owners.iter().enumerate() {
                        if let Some(n) = owner {
                            let value = self.linear.value(Var(i as u32));
                            take(n.var(), value as u64 & graph.width(n.var()).mask());
                        }
                    }
                    answer
                }
                linear::Answer::Unsat if guarded || self.guarded > 0 => {
                    linear::Answer::Unknown("a sum might wrap")
                }
                other => other,
            }
        });
        self.linear.undo_to(mark);
        self.forget_variables();
        answer
    }

    /// Whether an assertion that somebody tried to add is more than linear.
    pub(crate) fn is_beyond(&self, index: u32) -> bool {
        self.states.get(index as usize) == Some(&State::NotLinear)
    }

    /// Whether a contradiction that was met before shows that what was added has no model together with `c`; none
    /// when `c` is not linear.
    pub(crate) fn knows_unsat(&mut self, arena: &Arena, graph: &Graph, c: TermId) -> Option<bool> {
        let mark = self.linear.mark();
        let read = self.read(arena, graph, c);
        let unsat = read.map(|read| match read.rows.as_slice() {
            [(lin, relation)] if read.guards.is_empty() && self.guarded == 0 => match relation {
                Relation::Le => self.linear.refutes_le(lin),
                Relation::Eq => self.linear.refutes_eq(lin),
                Relation::Ne => false,
            },
            _ => false,
        });
        if self.linear.mark() != mark {
            // Inputs that nobody had met.
            self.linear.undo_to(mark);
            self.forget_variables();
        }
        unsat
    }

    /// Which of the numbered conditions have no model together with `c`, because a sum of them is contradictory.
    /// `graph` must know no more than the domains. None where there is a model, where sums of `c` might wrap, and
    /// where it takes a case distinction. Conditions that are not linear, or might wrap, are left out.
    pub(crate) fn conflict(
        arena: &Arena,
        graph: &Graph,
        conditions: impl Iterator<Item = (u32, TermId)>,
        c: TermId,
        work: &mut Work,
    ) -> Option<Vec<u32>> {
        let mut stage = LinearStage::default();
        // By constraint: the condition it comes from. None for `c` and for how two readings of an input relate.
        let mut origins: Vec<Option<u32>> = Vec::new();
        let asked = stage.read(arena, graph, c).filter(|rows| rows.guards.is_empty())?;
        stage.assert(&asked.rows);
        origins.resize(stage.linear.constraint_count(), None);
        for (number, condition) in conditions {
            let Some(read) = stage.read(arena, graph, condition) else { continue };
            origins.resize(stage.linear.constraint_count(), None);
            if read.guards.is_empty() {
                stage.assert(&read.rows);
                origins.resize(stage.linear.constraint_count(), Some(number));
            }
        }
        let conflict = stage.linear.into_conflict(work)?;
        Some(conflict.into_iter().filter_map(|at| *origins.get(at)?).collect())
    }

    /// The rows of a condition, whether bounds of this path were used, and what keeps its sums from wrapping. Inputs that
    /// were not met before are made, also where the answer is none.
    fn read(&mut self, arena: &Arena, graph: &Graph, c: TermId) -> Option<Arc<Rows>> {
        if let Some(memo) = self.read.iter().rev().find(|memo| memo.condition == c) {
            return Some(memo.rows.clone());
        }
        let variables = self.linear.var_count();
        let rows = Arc::new(self.read_anew(arena, graph, c)?);
        let is_of_the_path = rows.used_path || !rows.guards.is_empty();
        if !is_of_the_path && self.linear.var_count() == variables {
            if self.read.len() == MEMOS {
                self.read.remove(0);
            }
            self.read.push(Memo { condition: c, rows: rows.clone(), variables });
        }
        Some(rows)
    }

    fn read_anew(&mut self, arena: &Arena, graph: &Graph, c: TermId) -> Option<Rows> {
        let mut reader = Reader {
            arena,
            graph,
            stage: self,
            visits: VISITS,
            nesting: NESTING,
            used_path: false,
            guards: Vec::new(),
        };
        let mut rows = Vec::new();
        reader.condition(c, &mut rows)?;
        let Reader { used_path, guards, .. } = reader;
        Some(Rows { rows, used_path, guards })
    }

    /// Asserts a condition; says whether bounds of this path and side constraints were used.
    fn push(&mut self, arena: &Arena, graph: &Graph, c: TermId) -> Option<(bool, bool)> {
        let read = self.read(arena, graph, c)?;
        for guard in &read.guards {
            self.linear.assert_le(guard);
        }
        self.assert(&read.rows);
        Some((read.used_path, !read.guards.is_empty()))
    }

    fn assert(&mut self, rows: &[(Lin, Relation)]) {
        for (lin, relation) in rows {
            match relation {
                Relation::Le => self.linear.assert_le(lin),
                Relation::Eq => self.linear.assert_eq(lin),
                Relation::Ne => self.linear.assert_ne(lin),
            }
        }
    }

    fn known(&self, n: NodeId) -> Option<Var> {
        let var = *self.vars.get(n.index())?;
        (self.owners.get(var as usize) == Some(&Some(n))).then_some(Var(var))
    }

    /// The linear variable of a node. Its bounds are those of the whole domain, so that it outlives the
    /// bounds of this path.
    fn var_of(&mut self, arena: &Arena, graph: &Graph, v: VarId, view: View) -> Option<Var> {
        let n = graph.node(v, view);
        if let Some(var) = self.known(n) {
            return Some(var);
        }
        let term = arena.var_term(v);
        let range = arena.range(term);
        let signed = graph.is_signed(n);
        let (lo, hi) = if signed {
            (i128::from(range.smin), i128::from(range.smax))
        } else {
            (i128::from(range.umin), i128::from(range.umax))
        };
        let var = self.linear.new_named(lo, hi, n.index() as u32);
        self.owners.push(Some(n));
        if self.vars.len() <= n.index() {
            self.vars.resize(n.index() + 1, u32::MAX);
        }
        self.vars[n.index()] = var.0;
        let twin = graph.twin(n);
        if let Some(other) = twin.and_then(|twin| self.known(twin)) {
            // unsigned = signed + 2^width · (sign bit)
            let modulus = 1i64.checked_shl(arena.width(term).bits()).filter(|m| *m > 0)?;
            let sign = self.linear.new_var(0, 1);
            self.owners.push(None);
            let (s, u) = if signed { (var, other) } else { (other, var) };
            let mut lin = Lin::var(u);
            lin.add_term(s, -1)?;
            lin.add_term(sign, -modulus)?;
            self.linear.assert_eq(&lin);
        }
        Some(var)
    }
}

impl Reader<'_> {
    /// The rows of a condition; a conjunction has one for each part.
    fn condition(&mut self, c: TermId, rows: &mut Vec<(Lin, Relation)>) -> Option<()> {
        if self.arena.node(c).op != Op::And {
            return self.part(c, rows);
        }
        // A conjunction of many is as deep as it is long.
        let mut parts = vec![c];
        while let Some(part) = parts.pop() {
            let node = self.arena.node(part);
            if node.op == Op::And {
                self.visit()?;
                parts.extend([node.arg(1), node.arg(0)]);
            } else {
                self.part(part, rows)?;
            }
        }
        Some(())
    }

    /// The row of a condition that is no conjunction.
    fn part(&mut self, c: TermId, rows: &mut Vec<(Lin, Relation)>) -> Option<()> {
        self.visit()?;
        let node = self.arena.node(c);
        let (relation, view, strict) = match node.op {
            Op::Slt => (Relation::Le, View::Signed, 1),
            Op::Sle => (Relation::Le, View::Signed, 0),
            Op::Ult => (Relation::Le, View::Unsigned, 1),
            Op::Ule => (Relation::Le, View::Unsigned, 0),
            Op::Eq => (Relation::Eq, View::Signed, 0),
            Op::Not => {
                let inner = self.arena.node(node.arg(0));
                if inner.op != Op::Eq {
                    return None;
                }
                let row = self.equation(inner.arg(0), inner.arg(1))?;
                rows.push((row, Relation::Ne));
                return Some(());
            }
            _ => return None,
        };
        let row = if relation == Relation::Eq {
            self.equation(node.arg(0), node.arg(1))?
        } else {
            let mut lin = Lin::constant(strict);
            self.sum(node.arg(0), view, 1, &mut lin)?;
            self.sum(node.arg(1), view, -1, &mut lin)?;
            lin
        };
        rows.push((row, relation));
        Some(())
    }

    /// Left minus right, both read alike; equal bits are equal numbers in either reading.
    fn equation(&mut self, a: TermId, b: TermId) -> Option<Lin> {
        let guards = self.guards.len();
        let mut best: Option<(Lin, Vec<Lin>)> = None;
        for view in [View::Signed, View::Unsigned] {
            let mut lin = Lin::constant(0);
            let read =
                self.sum(a, view, 1, &mut lin).and_then(|()| self.sum(b, view, -1, &mut lin));
            let added: Vec<Lin> = self.guards.drain(guards..).collect();
            if read.is_some() && best.as_ref().is_none_or(|(_, old)| added.len() < old.len()) {
                let done = added.is_empty();
                best = Some((lin, added));
                if done {
                    break;
                }
            }
        }
        let (lin, added) = best?;
        self.guards.extend(added);
        Some(lin)
    }

    /// Adds `factor · t` to `out`, `t` read as `view` says.
    fn sum(&mut self, t: TermId, view: View, factor: i64, out: &mut Lin) -> Option<()> {
        let mut stack = std::mem::take(&mut self.stage.open);
        stack.clear();
        stack.push((t, view, factor));
        let read = self.sum_of(&mut stack, out);
        self.stage.open = stack;
        read
    }

    fn sum_of(&mut self, stack: &mut Vec<(TermId, View, i64)>, out: &mut Lin) -> Option<()> {
        while let Some((t, view, factor)) = stack.pop() {
            self.visit()?;
            let node = *self.arena.node(t);
            match node.op {
                Op::Const => {
                    let value = number(view, node.width, node.as_const()?);
                    out.add_constant(value.checked_mul(i128::from(factor))?)?;
                }
                Op::Var => {
                    let var = self.stage.var_of(self.arena, self.graph, node.as_var()?, view)?;
                    out.add_term(var, factor)?;
                }
                Op::ZeroExt if self.arena.width(node.arg(0)) != Width::BOOL => {
                    stack.push((node.arg(0), View::Unsigned, factor));
                }
                Op::SignExt if view == View::Signed => {
                    stack.push((node.arg(0), View::Signed, factor))
                }
                Op::Add | Op::Sub | Op::Mul | Op::Shl => match self.proven_parts(t, view) {
                    Some(parts) => {
                        for (part, view, times) in parts.into_iter().flatten() {
                            stack.push((part, view, factor.checked_mul(times)?));
                        }
                    }
                    None => *out = out.plus(&self.guarded(t, view)?, factor)?,
                },
                _ => return None,
            }
        }
        Some(())
    }

    /// What an arithmetic node is the sum of, if the static ranges show that it does not wrap.
    fn proven_parts(&self, t: TermId, view: View) -> Option<Parts> {
        let other = if view == View::Signed { View::Unsigned } else { View::Signed };
        // A number without a sign is the same either way: the reading that suits the arguments will do.
        let either = self.arena.range(t).smin >= 0;
        [Some(view), either.then_some(other)].into_iter().flatten().find_map(|view| {
            let parts = self.split(t, view)?;
            self.fits(&parts, view, self.arena.width(t)).then_some(parts)
        })
    }

    fn split(&self, t: TermId, view: View) -> Option<Parts> {
        let node = self.arena.node(t);
        let (a, b) = (node.arg(0), node.arg(1));
        // A large unsigned constant is how a small negative one is written.
        let of_b = match self.arena.as_const(b) {
            Some(k) if node.width.signed(k) < 0 => View::Signed,
            _ => view,
        };
        match node.op {
            Op::Add => Some([Some((a, view, 1)), Some((b, of_b, 1))]),
            Op::Sub => Some([Some((a, view, 1)), Some((b, of_b, -1))]),
            Op::Mul => {
                let k = node.width.signed(self.arena.as_const(b)?);
                Some([Some((a, view, k)), None])
            }
            Op::Shl => {
                let k = self.arena.as_const(b)? % u64::from(node.width.bits());
                let times = 1i64.checked_shl(k as u32).filter(|times| *times > 0)?;
                Some([Some((a, view, times)), None])
            }
            _ => None,
        }
    }

    /// Whether the static ranges of the parts keep their sum within the width.
    fn fits(&self, parts: &Parts, view: View, width: Width) -> bool {
        let (mut lo, mut hi) = (0i128, 0i128);
        for &(part, view, times) in parts.iter().flatten() {
            let range = self.arena.range(part);
            let (l, h) = match view {
                View::Signed => (i128::from(range.smin), i128::from(range.smax)),
                View::Unsigned => (i128::from(range.umin), i128::from(range.umax)),
            };
            let times = i128::from(times);
            lo += (l * times).min(h * times);
            hi += (l * times).max(h * times);
        }
        let (min, max) = limits(view, width);
        lo >= min && hi <= max
    }

    /// A node as a sum of which the bounds of this path show that it does not wrap, or which a side
    /// constraint keeps from it.
    fn guarded(&mut self, t: TermId, view: View) -> Option<Lin> {
        self.nesting = self.nesting.checked_sub(1)?;
        let mut lin = Lin::constant(0);
        for (part, view, times) in self.split(t, view)?.into_iter().flatten() {
            self.sum(part, view, times, &mut lin)?;
        }
        self.nesting += 1;
        let width = self.arena.width(t);
        let (min, max) = limits(view, width);
        let (mut lo, mut hi) = (lin.offset(), lin.offset());
        for &(var, times) in lin.terms() {
            let (l, h) = match self.stage.owners[var.0 as usize] {
                Some(n) => self.graph.bounds_of(n),
                None => (0, 1),
            };
            let times = i128::from(times);
            lo = lo.checked_add((l * times).min(h * times))?;
            hi = hi.checked_add((l * times).max(h * times))?;
        }
        if lo >= min && hi <= max {
            self.used_path = true;
            return Some(lin);
        }
        if hi > max {
            let mut over = lin.clone();
            over.add_constant(-max)?;
            self.guards.push(over);
        }
        if lo < min {
            let under = Lin::constant(min).plus(&lin, -1)?;
            self.guards.push(under);
        }
        Some(lin)
    }

    fn visit(&mut self) -> Option<()> {
        self.visits = self.visits.checked_sub(1)?;
        Some(())
    }
}

fn number(view: View, width: Width, bits: u64) -> i128 {
    match view {
        View::Signed => i128::from(width.signed(bits)),
        View::Unsigned => i128::from(bits),
    }
}

fn limits(view: View, width: Width) -> (i128, i128) {
    match view {
        View::Signed => (i128::from(width.min_signed()), i128::from(width.max_signed())),
        View::Unsigned => (0, i128::from(width.mask())),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answer, Solver};
    use pessimum_term::{Arena, Domain, Op, Width};

    /// A sum that cannot wrap for what is asserted may wrap once that is taken back, though the condition is the same term.
    #[test]
    fn a_reading_is_forgotten_with_the_bounds_it_leans_on() {
        let mut arena = Arena::new();
        let mut solver = Solver::new();
        let v = [(); 3].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
        let small = arena.constant(Width::W32, 1 << 20);
        let zero = arena.constant(Width::W32, 0);
        let bounds: Vec<_> = v
            .iter()
            .flat_map(|x| [arena.binary(Op::Sle, zero, *x), arena.binary(Op::Sle, *x, small)])
            .collect();
        let two = arena.binary(Op::Add, v[0], v[1]);
        let sum = arena.binary(Op::Add, two, v[2]);
        // Less than each of its parts that are not negative: only by wrapping.
        let less = arena.binary(Op::Slt, sum, v[0]);
        let positive = arena.binary(Op::Slt, zero, v[2]);
        for round in 0..3 {
            let mark = solver.mark();
            for bound in &bounds {
                assert_eq!(solver.assert(&mut arena, *bound), Answer::Sat);
            }
            assert_eq!(solver.check(&mut arena, less), Answer::Unsat, "round {round}");
            solver.undo_to(mark);
            let mark = solver.mark();
            for t in [bounds[0], bounds[2], positive] {
                assert_eq!(solver.assert(&mut arena, t), Answer::Sat);
            }
            assert_eq!(solver.check(&mut arena, less), Answer::Sat, "round {round}");
            solver.undo_to(mark);
        }
    }
}
