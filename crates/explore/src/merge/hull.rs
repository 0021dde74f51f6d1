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

impl Hull {
    /// The hull of the present model, for the first `inputs` inputs and `positions` numbers.
    pub(super) fn point(closed: Closed<'_>, inputs: u32, positions: usize) -> Hull {
        let numbers: Vec<Number> = closed.active().take(positions - 1).collect();
        let values: Vec<i64> =
            [0].into_iter().chain(numbers.iter().map(|n| closed.value(*n))).collect();
        let mut entries = vec![0; values.len() * values.len()];
        for (t, &value) in values.iter().enumerate() {
            let shell = &mut entries[t * t..(t + 1) * (t + 1)];
            for (j, &other) in values[..=t].iter().enumerate() {
                shell[j] = value - other;
            }
            for (i, &other) in values[..t].iter().enumerate() {
                shell[t + 1 + i] = other - value;
            }
        }
        let mut windows = Vec::with_capacity(2 * inputs as usize);
        let mut members = Vec::with_capacity(inputs as usize);
        for v in (0..inputs).map(VarId) {
            windows.extend(Number::readings(v).map(|n| (closed.value(n), closed.value(n))));
            let small = closed.members(v).is_some();
            members.push(if small { one_member(closed.bits(v)) } else { [0; 4] });
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

    /// The greatest difference of two readings; `None` stands for zero.
    fn difference(&self, x: (Option<u32>, Option<usize>), y: (Option<u32>, Option<usize>)) -> i64 {
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

    /// A hull of models of the whole path condition, one for each model in this hull: what the path
    /// condition and the hull say together of all inputs. The hull fits.
    pub(super) fn extended(&self, order: &[VarId], closed: Closed<'_>) -> Hull {
        let numbers: Vec<Number> = closed.active().collect();
        let all: Vec<Number> = [Number::ZERO].into_iter().chain(numbers.iter().copied()).collect();
        let m = all.len();
        let inputs = closed.inputs();
        let mut place: Vec<Option<u32>> = vec![None; inputs as usize];
        for (c, v) in order.iter().enumerate() {
            place[v.0 as usize] = Some(c as u32);
        }
        let number = |n: Number| {
            let v = n.input()?;
            let c = place[v.0 as usize]?;
            Some(c << 1 | u32::from(n != Number::readings(v)[0]))
        };
        // Rows of the hull at the positions of the path condition; dead inputs have none.
        type Row = (Option<u32>, Option<usize>);
        let rows: Vec<Option<Row>> = all
            .iter()
            .map(|&n| match n {
                Number::ZERO => Some((None, Some(0))),
                n => number(n).map(|c| (Some(c), self.row(c))),
            })
            .collect();
        let live: Vec<usize> = (0..m).filter(|i| rows[*i].is_some()).collect();
        let dead: Vec<usize> = (0..m).filter(|i| rows[*i].is_none()).collect();
        let mut d = vec![0i64; m * m];
        for i in 0..m {
            for j in 0..m {
                d[i * m + j] = match (rows[i], rows[j]) {
                    (Some(x), Some(y)) if i != j => self.difference(x, y),
                    _ => closed.at(all[i], all[j]),
                };
            }
        }
        // From and to a dead number by way of a live one.
        for &a in &dead {
            for &p in &live {
                let (mut to, mut from) = (d[a * m + p], d[p * m + a]);
                for &q in &live {
                    to = to.min(closed.at(all[a], all[q]).saturating_add(d[q * m + p]));
                    from = from.min(d[p * m + q].saturating_add(closed.at(all[q], all[a])));
                }
                (d[a * m + p], d[p * m + a]) = (to, from);
            }
        }
        for &a in &dead {
            for &b in &dead {
                if a != b {
                    let by = |p: &usize| d[a * m + p].saturating_add(closed.at(all[*p], all[b]));
                    let least = live.iter().map(by).min().unwrap_or(i64::MAX);
                    d[a * m + b] = d[a * m + b].min(least);
                }
            }
        }
        let mut entries = vec![0; m * m];
        for i in 0..m {
            for j in 0..m {
                entries[entry_of(i, j)] = d[i * m + j];
            }
        }
        let mut windows = Vec::with_capacity(2 * inputs as usize);
        let mut members = Vec::with_capacity(inputs as usize);
        for v in (0..inputs).map(VarId) {
            let mut reached = false;
            for n in Number::readings(v) {
                let position = numbers.iter().position(|m| *m == n).map(|i| i + 1);
                reached |= position.is_some();
                windows.push(match (number(n), position) {
                    (Some(c), _) => self.windows[c as usize],
                    (None, Some(i)) => (-d[i], d[i * m]),
                    (None, None) => (closed.value(n), closed.value(n)),
                });
            }
            members.push(match (place[v.0 as usize], closed.members(v)) {
                (Some(c), _) => self.members[c as usize],
                (None, Some(allowed)) if reached => allowed,
                (None, Some(_)) => one_member(closed.bits(v)),
                (None, None) => [0; 4],
            });
        }
        // A reading that no edge reaches follows the one that an edge does.
        for v in 0..inputs as usize {
            let dead = place[v].is_none();
            let reached = |n: usize| numbers.contains(&Number::readings(VarId(v as u32))[n]);
            if dead && reached(0) != reached(1) {
                let other = usize::from(reached(0));
                windows[2 * v + other] = closed.bounds(Number::readings(VarId(v as u32))[other]);
            }
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
        let hull = Hull::point(world.closed(), 3, 3);
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
    fn an_input_that_is_gone_is_where_the_path_condition_puts_it() {
        // 0 < 1 < 2 where the hull knows of 0 and 2 alone: 1 is between them.
        let mut world = World::new(3);
        world.less(0, 1);
        world.less(1, 2);
        let point = Hull::point(world.closed(), 3, 4);
        let order = [VarId(0), VarId(2)];
        let hull = point.renamed(&order).extended(&order, world.closed());
        let value = |world: &mut World, v: u32| world.solver.var_value(VarId(v)) as i64;
        let (low, high) = (value(&mut world, 0), value(&mut world, 2));
        assert_eq!(hull.windows[2], (low + 1, high - 1));
        assert_eq!(hull.windows[0], (low, low));
    }
}
