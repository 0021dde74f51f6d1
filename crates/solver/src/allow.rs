//! Whether a path condition would allow some more conditions, without taking them in.

use crate::difference::{Atom, ByteSet, Graph, GraphAnswer, NodeId, View};
use crate::project::{Closed, Difference, Number, Simple};
use crate::solver::Solver;
use pessimum_term::{Arena, VarId};

impl Solver {
    /// Whether the whole path condition consists of differences, bounds and sets of small inputs.
    pub fn is_all_differences(&self) -> bool {
        self.broken.is_empty() && self.others == 0
    }

    /// Whether the path condition and all of these have a model together, as far as the graph of the
    /// differences can tell. Path condition and model stay as they are. Nobody may take this for a model: the
    /// values are not evaluated.
    pub fn allows(&mut self, arena: &Arena, asked: &[Simple]) -> bool {
        self.sync(arena);
        if !self.is_all_differences() {
            return false;
        }
        let mark = self.graph.mark();
        let mut before: Vec<(VarId, u64)> = Vec::new();
        let allowed = asked.iter().all(|simple| match atom_of(&self.graph, simple) {
            Some(atom) => admit(&mut self.graph, &atom, &mut before),
            None => false,
        });
        self.graph.undo_to(mark);
        for (v, bits) in before.into_iter().rev() {
            self.graph.set_bits(v, bits);
        }
        allowed
    }
}

/// Moves the values so that a constraint holds, and adds it; whether that was possible.
fn admit(graph: &mut Graph, atom: &Atom, before: &mut Vec<(VarId, u64)>) -> bool {
    if !graph.holds(atom) {
        if graph.find(atom) != GraphAnswer::Sat {
            return false;
        }
        let delta = graph.delta().to_vec();
        let moved = delta.iter().map(|(n, _)| VarId(n >> 1));
        before.extend(moved.map(|v| (v, graph.bits(v))));
        graph.apply(&delta);
    }
    graph.add(atom, 0);
    graph.holds(atom)
}

fn atom_of(graph: &Graph, simple: &Simple) -> Option<Atom> {
    let node = |n: Number| {
        let v = n.input()?;
        let view = if n == Number::readings(v)[0] { View::Signed } else { View::Unsigned };
        Some(graph.node(v, view))
    };
    match *simple {
        Simple::Member(v, words) => {
            graph.set_of(v)?;
            let has = |bits: u64| words[(bits >> 6) as usize & 3] >> (bits & 63) & 1 == 1;
            Some(Atom::In { v, set: ByteSet::filter(graph.width(v), has) })
        }
        Simple::Difference(Difference { x, y, k }) => match (node(x), node(y)) {
            (Some(x), Some(y)) => Some(Atom::Le { x, y, k }),
            (Some(x), None) => bound(graph, x, |value| value <= k, (i64::MIN, k)),
            (None, Some(y)) => {
                let least = k.checked_neg()?;
                bound(graph, y, |value| value >= least, (least, i64::MAX))
            }
            (None, None) => None,
        },
        Simple::Apart(Difference { x, y, k }) => match (node(x), node(y)) {
            (Some(x), Some(y)) => Some(Atom::Ne { x, y, k }),
            (Some(x), None) if graph.set_of(x.var()).is_none() => Some(Atom::Not { x, k }),
            (Some(x), None) => bound(graph, x, |value| value != k, (0, 0)),
            (None, Some(y)) if graph.set_of(y.var()).is_none() => {
                Some(Atom::Not { x: y, k: k.checked_neg()? })
            }
            (None, Some(y)) => {
                let k = k.checked_neg()?;
                bound(graph, y, |value| value != k, (0, 0))
            }
            (None, None) => None,
        },
    }
}

/// A bound of a number: of a small input, the set of the values that satisfy it.
fn bound(
    graph: &Graph,
    x: NodeId,
    holds: impl Fn(i64) -> bool,
    (least, greatest): (i64, i64),
) -> Option<Atom> {
    if graph.set_of(x.var()).is_some() {
        let set = ByteSet::filter(graph.width(x.var()), |bits| holds(graph.value_of(x, bits)));
        return (!set.is_empty()).then_some(Atom::In { v: x.var(), set });
    }
    let (lo, hi) = graph.limits(x);
    let (lo, hi) = (lo.max(least), hi.min(greatest));
    (lo <= hi).then_some(Atom::Within { x, lo, hi })
}

impl Closed<'_> {
    /// Why two numbers that the differences leave a common value for differ nevertheless: numbers that were
    /// asserted to differ, and the differences that make these two equal to them, up to constants.
    pub fn why_apart(&self, of: Difference) -> Option<(Difference, Vec<Difference>)> {
        let Difference { x, y, k } = of;
        self.disequalities().find_map(|known| {
            let Difference { x: a, y: b, k: c } = known;
            // x = a + p and y = b + q: x ≠ y + k exactly if a ≠ b + (q + k − p).
            let straight = || {
                let (p, q) = (self.distance(x, a)?, self.distance(y, b)?);
                (q.checked_add(k)?.checked_sub(p)? == c).then(|| vec![(x, a, p), (y, b, q)])
            };
            // x = b + p and y = a + q: x ≠ y + k exactly if a ≠ b + (p − q − k).
            let crossed = || {
                let (p, q) = (self.distance(x, b)?, self.distance(y, a)?);
                (p.checked_sub(q)?.checked_sub(k)? == c).then(|| vec![(x, b, p), (y, a, q)])
            };
            let equal = straight().or_else(crossed)?;
            let mut links = Vec::new();
            for (x, a, p) in equal.into_iter().filter(|(x, a, _)| x != a) {
                links.push(Difference { x, y: a, k: p });
                links.push(Difference { x: a, y: x, k: p.checked_neg()? });
            }
            Some((known, links))
        })
    }

    /// The p with `x = y + p`, if that is known.
    fn distance(&self, x: Number, y: Number) -> Option<i64> {
        let (to, from) = (self.at(x, y), self.at(y, x));
        (to != i64::MAX && from.checked_neg() == Some(to)).then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{Domain, Op, TermId, Width};

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % end
        }
    }

    const INPUTS: usize = 4;
    const VALUES: i64 = 5;

    fn holds(asked: &Simple, values: &[i64; INPUTS]) -> bool {
        let value = |n: Number| n.input().map_or(0, |v| values[v.0 as usize]);
        match asked {
            Simple::Difference(d) => value(d.x) <= value(d.y) + d.k,
            Simple::Apart(d) => value(d.x) != value(d.y) + d.k,
            Simple::Member(v, set) => set[0] >> values[v.0 as usize] & 1 == 1,
        }
    }

    fn all_values() -> impl Iterator<Item = [i64; INPUTS]> {
        (0..VALUES.pow(INPUTS as u32)).map(|mut code| {
            std::array::from_fn(|_| {
                let value = code % VALUES;
                code /= VALUES;
                value
            })
        })
    }

    /// A random condition as a term, and as it is.
    fn condition(
        random: &mut Random,
        arena: &mut Arena,
        vars: &[TermId],
    ) -> (TermId, Op, [usize; 2]) {
        let (x, y) = (random.below(INPUTS as u64) as usize, random.below(INPUTS as u64) as usize);
        let op = [Op::Slt, Op::Sle, Op::Eq][random.below(3) as usize];
        let term = arena.binary(op, vars[x], vars[y]);
        let apart = op == Op::Eq && random.below(2) == 0;
        (if apart { arena.not(term) } else { term }, if apart { Op::Xor } else { op }, [x, y])
    }

    fn asked(random: &mut Random, small: bool) -> Simple {
        let number = |random: &mut Random| match random.below(INPUTS as u64 + 1) as u32 {
            v if v < INPUTS as u32 => Number::readings(VarId(v))[0],
            _ => Number::ZERO,
        };
        let (x, y) = (number(random), number(random));
        let k = random.below(9) as i64 - 4;
        match random.below(if small { 4 } else { 3 }) {
            0 => Simple::Apart(Difference { x, y, k }),
            3 => Simple::Member(
                VarId(random.below(INPUTS as u64) as u32),
                [random.below(32), 0, 0, 0],
            ),
            _ => Simple::Difference(Difference { x, y, k }),
        }
    }

    #[test]
    fn what_is_allowed_has_a_solution() {
        let (mut allowed, mut possible) = (0, 0);
        for seed in 1..=3000u64 {
            let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
            let small = seed % 2 == 0;
            let width = if small { Width::W8 } else { Width::W32 };
            let (mut arena, mut solver) = (Arena::new(), Solver::new());
            let domain = Domain { lo: 0, hi: i128::from(VALUES) - 1 };
            let vars: Vec<TermId> = (0..INPUTS).map(|_| arena.variable(width, domain)).collect();
            let mut path = Vec::new();
            for _ in 0..random.below(4) {
                let (c, op, of) = condition(&mut random, &mut arena, &vars);
                if arena.as_const(c).is_none() && solver.check(&mut arena, c).is_sat() {
                    solver.assert(&mut arena, c);
                    path.push((op, of));
                }
            }
            let wanted: Vec<Simple> =
                (0..=random.below(4)).map(|_| asked(&mut random, small)).collect();
            let sound = wanted.iter().all(|s| match s {
                Simple::Difference(d) | Simple::Apart(d) => d.x != d.y,
                Simple::Member(..) => true,
            });
            if !sound || !solver.is_all_differences() {
                continue;
            }
            solver.close(&arena);
            let before: Vec<u64> = (0..INPUTS as u32).map(|v| solver.var_value(VarId(v))).collect();
            let is_model = |values: &[i64; INPUTS]| {
                path.iter().all(|(op, [x, y])| match op {
                    Op::Slt => values[*x] < values[*y],
                    Op::Sle => values[*x] <= values[*y],
                    Op::Eq => values[*x] == values[*y],
                    _ => values[*x] != values[*y],
                }) && wanted.iter().all(|s| holds(s, values))
            };
            let exists = all_values().any(|values| is_model(&values));
            let answer = solver.allows(&arena, &wanted);
            assert!(exists || !answer, "seed {seed}: {path:?} and {wanted:?}");
            allowed += u32::from(answer);
            possible += u32::from(exists);
            let after: Vec<u64> = (0..INPUTS as u32).map(|v| solver.var_value(VarId(v))).collect();
            assert_eq!(before, after, "seed {seed}: the model stays");
        }
        assert!(possible > 500 && 10 * allowed >= 9 * possible, "{allowed} of {possible}");
    }
}
