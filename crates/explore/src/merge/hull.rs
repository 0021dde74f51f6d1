//! Values of inputs that are known to lead to every leaf below a state.
//!
//! Each leaf was reached with a model. A path condition that allows all these models has all these
//! leaves. The models are not kept: their *hull* is, the least differences, bounds and sets that
//! hold of all of them. A path condition that the hull fits into allows them all.
//!
//! *Layout*: differences lie in shells, as in the solver's closure: numbers have positions in the
//! order in which edges reached them on the path, so the hull of a node is a prefix of the hull of
//! a node below it, and joining two is a maximum over two lists.

use pessimum_solver::{Closed, Members, Number};
use pessimum_term::VarId;

/// Where entry (i, j) is: shell max(i, j).
#[inline]
fn entry_of(i: usize, j: usize) -> usize {
    if i >= j { i * i + j } else { j * j + j + 1 + i }
}

/// The hull of some models, over all inputs of a point of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hull {
    /// Numbers that have a position, from position 1 on; position 0 is zero.
    numbers: Vec<Number>,
    /// The greatest difference of any two of them.
    entries: Vec<i64>,
    /// Least and greatest value of each reading of each input.
    windows: Vec<(i64, i64)>,
    /// Values of small inputs.
    members: Vec<Members>,
}

fn one_member(bits: u64) -> Members {
    let mut members = [0; 4];
    members[(bits >> 6) as usize & 3] = 1 << (bits & 63);
    members
}

/// A model of the differences whose values are apart where they may be, in the order of the present
/// ones: values that touch fit into fewer path conditions.
fn apart(closed: Closed<'_>, values: &[i64]) -> Option<Vec<i64>> {
    let all: Vec<Number> = [Number::ZERO].into_iter().chain(closed.active()).collect();
    let m = all.len();
    let d: Vec<i64> = all.iter().flat_map(|x| all.iter().map(move |y| closed.at(*x, *y))).collect();
    let equal = |i: usize, j: usize| d[i * m + j].saturating_add(d[j * m + i]) == 0;
    // From below: each as low as those before it allow, and a gap above them.
    let before = |i: usize| (1..m).filter(|j| d[j * m + i] <= 0).count();
    let mut order: Vec<(i64, usize, usize)> = (1..m).map(|i| (values[i], before(i), i)).collect();
    order.sort_unstable();
    [1 << 16, 1 << 8, 1].into_iter().find_map(|gap: i64| {
        let mut found = vec![0i64; m];
        let start = -(m as i64) * gap / 2;
        for (at, &(_, _, i)) in order.iter().enumerate() {
            let mut value = start.max(d[i].checked_neg()?);
            for &(_, _, j) in &order[..at] {
                let room = if d[j * m + i] <= 0 && !equal(i, j) { gap } else { 0 };
                value = value.max(found[j].checked_sub(d[j * m + i])?.checked_add(room)?);
            }
            found[i] = value;
        }
        let holds = |i: usize| (0..m).all(|j| found[i] - found[j] <= d[i * m + j]);
        (0..m).all(holds).then_some(found)
    })
}

impl Hull {
    /// The hull of one model, for the first `inputs` inputs and `positions` numbers: the present one,
    /// or, where the path condition is `plain`, one whose values are apart from each other.
    pub(super) fn point(closed: Closed<'_>, plain: bool, inputs: u32, positions: usize) -> Hull {
        let mut values: Vec<i64> =
            [0].into_iter().chain(closed.active().map(|n| closed.value(n))).collect();
        let mut moved = false;
        if plain && let Some(apart) = apart(closed, &values) {
            (values, moved) = (apart, true);
        }
        values.truncate(positions);
        let numbers: Vec<Number> = closed.active().take(positions - 1).collect();
        let mut entries = vec![0; values.len() * values.len()];
        for (t, &value) in values.iter().enumerate() {
            let shell = &mut entries[t * t..(t + 1) * (t + 1)];
            for (j, &other) in values[..=t].iter().enumerate() {
                shell[j] = value.saturating_sub(other);
            }
            for (i, &other) in values[..t].iter().enumerate() {
                shell[t + 1 + i] = other.saturating_sub(value);
            }
        }
        let mut windows = Vec::with_capacity(2 * inputs as usize);
        let mut members = Vec::with_capacity(inputs as usize);
        for v in (0..inputs).map(VarId) {
            windows.extend(Number::readings(v).map(|n| (closed.value(n), closed.value(n))));
            let small = closed.members(v).is_some();
            members.push(if small { one_member(closed.bits(v)) } else { [0; 4] });
        }
        for (n, &value) in numbers.iter().zip(&values[1..]).filter(|_| moved) {
            let Some(v) = n.input().filter(|v| v.0 < inputs) else { continue };
            let at = v.0 as usize;
            let view = usize::from(*n != Number::readings(v)[0]);
            let other = closed.across(*n, value);
            windows[2 * at + view] = (value, value);
            windows[2 * at + 1 - view] = (other, other);
            if closed.members(v).is_some() {
                members[at] = one_member(value as u64 & 0xff);
            }
        }
        Hull { numbers, entries, windows, members }
    }

    /// Keeps the first `inputs` inputs and `positions` numbers.
    pub(super) fn restrict(&mut self, inputs: u32, positions: usize) {
        self.numbers.truncate(positions - 1);
        self.entries.truncate(positions * positions);
        self.windows.truncate(2 * inputs as usize);
        self.members.truncate(inputs as usize);
    }

    /// Makes it the hull of both; the other one has as many inputs and numbers.
    pub(super) fn join(&mut self, other: &Hull) {
        debug_assert_eq!(self.numbers, other.numbers);
        for (mine, theirs) in self.entries.iter_mut().zip(&other.entries) {
            *mine = (*mine).max(*theirs);
        }
        for (mine, theirs) in self.windows.iter_mut().zip(&other.windows) {
            *mine = (mine.0.min(theirs.0), mine.1.max(theirs.1));
        }
        for (mine, theirs) in self.members.iter_mut().zip(&other.members) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a |= b);
        }
    }

    /// The part that speaks of some inputs, which get the numbers of their places in the list.
    pub(super) fn renamed(&self, order: &[VarId]) -> Renamed {
        let mut at: Vec<usize> = Vec::new();
        let mut numbers: Vec<u32> = Vec::new();
        for (c, &v) in order.iter().enumerate() {
            for (view, n) in Number::readings(v).into_iter().enumerate() {
                if let Some(position) = self.numbers.iter().position(|m| *m == n) {
                    at.push(position + 1);
                    numbers.push((c as u32) << 1 | view as u32);
                }
            }
        }
        let all: Vec<usize> = [0].into_iter().chain(at).collect();
        let entries = all.iter().flat_map(|&i| all.iter().map(move |&j| (i, j)));
        Renamed {
            entries: entries.map(|(i, j)| self.entries[entry_of(i, j)]).collect(),
            numbers,
            windows: order
                .iter()
                .flat_map(|v| [v.0 << 1, v.0 << 1 | 1].map(|n| self.windows[n as usize]))
                .collect(),
            members: order.iter().map(|v| self.members[v.0 as usize]).collect(),
        }
    }
}

/// How far from the values of a hull those of other inputs are put: room for their differences.
const NEARBY: i64 = 1 << 22;

/// A reading, or none for zero, and its row, if it has one.
type Row = (Option<u32>, Option<usize>);

/// Closes differences of which those among the numbers that are not listed are closed.
fn close(d: &mut [i64], m: usize, listed: &[usize]) {
    let listed_only: Vec<bool> = (0..m).map(|i| listed.contains(&i)).collect();
    // By way of numbers that are not listed first: to and from those that are.
    for via in (0..m).filter(|i| !listed_only[*i]).chain(listed.iter().copied()) {
        for i in 0..m {
            let to = d[i * m + via];
            if !listed_only[via] && !listed_only[i] {
                // Only what is listed can come closer.
                for &j in listed {
                    let by = to.saturating_add(d[via * m + j]);
                    d[i * m + j] = d[i * m + j].min(by);
                }
            } else {
                for j in 0..m {
                    let by = to.saturating_add(d[via * m + j]);
                    d[i * m + j] = d[i * m + j].min(by);
                }
            }
        }
    }
}

/// A hull over inputs that are numbered by their occurrence.
#[derive(Clone, Debug, Default)]
pub(super) struct Renamed {
    /// Readings (input · 2 + view) that have a row, in increasing order; row 0 is zero.
    numbers: Vec<u32>,
    /// Row by row.
    entries: Vec<i64>,
    windows: Vec<(i64, i64)>,
    members: Vec<Members>,
}

impl Renamed {
    /// Row of a reading.
    fn row(&self, number: u32) -> Option<usize> {
        self.numbers.binary_search(&number).ok().map(|row| row + 1)
    }

    /// The greatest difference of two readings.
    fn difference(&self, x: Row, y: Row) -> i64 {
        if let (Some(i), Some(j)) = (x.1, y.1) {
            return self.entries[i * (self.numbers.len() + 1) + j];
        }
        let high = x.0.map_or(0, |n| self.windows[n as usize].1);
        let low = y.0.map_or(0, |n| self.windows[n as usize].0);
        high.saturating_sub(low)
    }

    /// Whether the path condition allows everything in the hull: its differences and domains, which
    /// must be all that it says of these inputs.
    pub(super) fn fits(&self, order: &[VarId], closed: Closed<'_>) -> bool {
        let mut active: Vec<(Number, Option<u32>, Option<usize>)> =
            vec![(Number::ZERO, None, Some(0))];
        for (c, &v) in order.iter().enumerate() {
            for (view, n) in Number::readings(v).into_iter().enumerate() {
                let number = (c as u32) << 1 | view as u32;
                let (lo, hi) = closed.bounds(n);
                let window = self.windows[number as usize];
                if window.0 < lo || window.1 > hi {
                    return false;
                }
                if closed.is_active(n) {
                    active.push((n, Some(number), self.row(number)));
                }
            }
            if let Some(allowed) = closed.members(v)
                && self.members[c].iter().zip(&allowed).any(|(mine, allowed)| mine & !allowed != 0)
            {
                return false;
            }
        }
        active.iter().all(|x| {
            active.iter().all(|y| {
                x.0 == y.0 || self.difference((x.1, x.2), (y.1, y.2)) <= closed.at(x.0, y.0)
            })
        })
    }

    /// A hull of models of the whole path condition, one for each model in this hull, for the first
    /// `inputs` inputs and `positions` numbers. The hull fits.
    ///
    /// Inputs of the state are as the hull says. Where the others are is free, as long as every
    /// model of the hull has a place for them: near the values of the hull and apart from each other
    /// if that is possible, else wherever the path condition allows.
    pub(super) fn extended(
        &self,
        order: &[VarId],
        closed: Closed<'_>,
        inputs: u32,
        positions: usize,
    ) -> Hull {
        let numbers: Vec<Number> = closed.active().take(positions - 1).collect();
        let all: Vec<Number> = [Number::ZERO].into_iter().chain(numbers.iter().copied()).collect();
        let m = all.len();
        let mut place: Vec<Option<u32>> = vec![None; closed.inputs() as usize];
        for (c, v) in order.iter().enumerate() {
            place[v.0 as usize] = Some(c as u32);
        }
        let number = |n: Number| {
            let v = n.input()?;
            let c = place[v.0 as usize]?;
            Some(c << 1 | u32::from(n != Number::readings(v)[0]))
        };
        // Rows of the hull at the positions of the path condition; inputs that are gone have none.
        let rows: Vec<Option<Row>> = all
            .iter()
            .map(|&n| match n {
                Number::ZERO => Some((None, Some(0))),
                n => number(n).map(|c| (Some(c), self.row(c))),
            })
            .collect();
        let gone: Vec<usize> = (0..m).filter(|i| rows[*i].is_none()).collect();
        let mut loose = vec![0i64; m * m];
        for i in 0..m {
            for j in 0..m {
                loose[i * m + j] = match (rows[i], rows[j]) {
                    (Some(x), Some(y)) if i != j => self.difference(x, y),
                    _ => closed.at(all[i], all[j]),
                };
            }
        }
        let d = if gone.is_empty() {
            loose
        } else {
            let here = |i: &usize| rows[*i].is_some();
            [(true, 4096), (true, 256), (true, 16), (true, 1), (true, 0), (false, 0)]
                .into_iter()
                .find_map(|(near, apart)| {
                    let mut d = loose.clone();
                    if near {
                        // The room that differences of the others can take.
                        let reach = |i: &usize| loose[*i * m].max(loose[*i]);
                        let far = (1..m).filter(here).map(|i| reach(&i)).max().unwrap_or(0);
                        let far = far.saturating_add(NEARBY);
                        for &i in &gone {
                            d[i * m] = d[i * m].min(far);
                            d[i] = d[i].min(far);
                        }
                    }
                    for &i in &gone {
                        for j in 1..m {
                            let (to, from) = (loose[i * m + j], loose[j * m + i]);
                            // Orders, but not equations.
                            if i != j && to.saturating_add(from) > 2 * apart {
                                let there = here(&j);
                                d[i * m + j] = if to <= 0 { to - apart } else { to };
                                if there && from <= 0 {
                                    d[j * m + i] = from - apart;
                                }
                            }
                        }
                    }
                    close(&mut d, m, &gone);
                    // Everything in the hull must still have its place.
                    let kept =
                        |i: usize| (0..m).filter(here).all(|j| d[i * m + j] >= loose[i * m + j]);
                    let feasible = (0..m).all(|i| d[i * m + i] >= 0);
                    (feasible && (0..m).filter(here).all(kept)).then_some(d)
                })
                .unwrap_or_else(|| {
                    let mut d = loose.clone();
                    close(&mut d, m, &gone);
                    d
                })
        };
        let mut entries = vec![0; m * m];
        for i in 0..m {
            for j in 0..m {
                entries[entry_of(i, j)] = if i == j { 0 } else { d[i * m + j] };
            }
        }
        let mut windows = Vec::with_capacity(2 * inputs as usize);
        let mut members = Vec::with_capacity(inputs as usize);
        let mut position: Vec<usize> = vec![0; 2 * inputs as usize];
        for (i, n) in numbers.iter().enumerate() {
            if let Some(v) = n.input().filter(|v| v.0 < inputs) {
                let view = usize::from(*n != Number::readings(v)[0]);
                position[2 * v.0 as usize + view] = i + 1;
            }
        }
        for v in (0..inputs).map(VarId) {
            let at = [2 * v.0 as usize, 2 * v.0 as usize + 1].map(|n| position[n]);
            // An input that is gone and that no edge reaches may keep the value it has.
            let free = Number::readings(v).iter().all(|n| !closed.is_active(*n));
            for (n, at) in Number::readings(v).into_iter().zip(at) {
                windows.push(match number(n) {
                    Some(c) => self.windows[c as usize],
                    None if at != 0 => (-d[at], d[at * m]),
                    None if free => (closed.value(n), closed.value(n)),
                    None => closed.bounds(n),
                });
            }
            members.push(match (place[v.0 as usize], closed.members(v)) {
                (Some(c), _) => self.members[c as usize],
                (None, Some(_)) if free => one_member(closed.bits(v)),
                (None, Some(allowed)) => allowed,
                (None, None) => [0; 4],
            });
        }
        Hull { numbers, entries, windows, members }
    }

    pub(super) fn heap(&self) -> usize {
        self.entries.len() * 8 + self.windows.len() * 16 + self.members.len() * 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_solver::Solver;
    use pessimum_term::{Arena, Domain, Op, TermId, Width};

    struct World {
        arena: Arena,
        solver: Solver,
        vars: Vec<TermId>,
    }

    impl World {
        fn new(count: usize) -> World {
            let mut arena = Arena::new();
            let vars = (0..count).map(|_| arena.variable(Width::W32, Domain { lo: 0, hi: 1000 }));
            let vars = vars.collect();
            World { arena, solver: Solver::new(), vars }
        }

        fn less(&mut self, x: usize, y: usize) {
            let c = self.arena.binary(Op::Slt, self.vars[x], self.vars[y]);
            assert!(self.solver.assert(&mut self.arena, c).is_sat());
        }

        fn closed(&mut self) -> Closed<'_> {
            self.solver.close(&self.arena)
        }
    }

    #[test]
    fn a_model_fits_where_it_is_one() {
        let mut world = World::new(3);
        world.less(0, 1);
        let hull = Hull::point(world.closed(), false, 3, 3);
        let order = [VarId(0), VarId(1)];
        let renamed = hull.renamed(&order);
        assert!(renamed.fits(&order, world.closed()));
        let mut other = World::new(3);
        other.less(2, 1);
        assert!(renamed.fits(&[VarId(2), VarId(1)], other.closed()), "with other names");
        assert!(!renamed.fits(&[VarId(1), VarId(2)], other.closed()), "the other way round");
        assert!(renamed.fits(&[VarId(0), VarId(1)], other.closed()), "nothing is said of 0");
    }

    #[test]
    fn values_are_moved_apart_where_they_may_be() {
        let mut world = World::new(4);
        for (x, y) in [(0, 1), (1, 2)] {
            let c = world.arena.binary(Op::Sle, world.vars[x], world.vars[y]);
            assert!(world.solver.assert(&mut world.arena, c).is_sat());
        }
        let mut strict = World::new(4);
        strict.less(0, 1);
        strict.less(1, 2);
        let order = [VarId(0), VarId(1), VarId(2)];
        let tight = Hull::point(world.closed(), false, 4, 4).renamed(&order);
        assert!(!tight.fits(&order, strict.closed()), "all are equal in the model at hand");
        let apart = Hull::point(world.closed(), true, 4, 4).renamed(&order);
        assert!(apart.fits(&order, world.closed()) && apart.fits(&order, strict.closed()));
    }

    #[test]
    fn an_input_that_is_gone_is_where_the_path_condition_puts_it() {
        // 0 < 1 < 2 where the hull knows of 0 and 2 alone: 1 is between them.
        let mut world = World::new(3);
        world.less(0, 1);
        world.less(1, 2);
        let point = Hull::point(world.closed(), false, 3, 4);
        let order = [VarId(0), VarId(2)];
        let hull = point.renamed(&order).extended(&order, world.closed(), 3, 4);
        let value = |world: &mut World, v: u32| world.solver.var_value(VarId(v)) as i64;
        let (low, high) = (value(&mut world, 0), value(&mut world, 2));
        let between = hull.windows[2];
        assert!(low < between.0 && between.1 < high, "{between:?} in {low}..{high}");
        assert_eq!(hull.windows[0], (low, low));
    }
}
