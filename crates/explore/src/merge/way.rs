//! What the worst path below a state asks of the path condition.
//!
//! Where the paths need not be counted, a state is known to cost what another one does if its path
//! condition implies the needs, so that nothing else is feasible below, and allows the worst path that
//! was found there. Of that path the conditions are kept, as differences of the inputs of the state:
//! an input that is made further down is eliminated, every pair of what is below it and what is above
//! it becoming a difference of its own. So other path conditions are asked for no more than the path
//! needs, however the models of the two states differ.

use super::needs::{Asserted, Needs};
use super::renamed;
use pessimum_solver::{Difference, Number, Simple};
use pessimum_term::{Arena, VarId, Width};

/// Conditions beyond which a way is not kept.
const MOST: usize = 1024;

/// The conditions of a path, and the domains of the numbers in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    conditions: Needs,
    /// Numbers that have to differ, by the side on which a model had them: `x < y + k` for `x ≠ y + k`.
    apart: Vec<Difference>,
    /// Sorted by the numbers.
    domains: Vec<Domain>,
}

/// The least and the greatest value that an input may have, in one reading.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Domain {
    number: Number,
    least: i64,
    greatest: i64,
}

impl Domain {
    /// `None` where the values do not fit.
    pub(super) fn of(arena: &Arena, number: Number) -> Option<Domain> {
        let term = arena.var_term(number.input()?);
        if arena.width(term) == Width::W64 {
            return None;
        }
        let range = arena.range(term);
        let (least, greatest) = match is_signed(number) {
            true => (range.smin, range.smax),
            false => (range.umin as i64, range.umax as i64),
        };
        Some(Domain { number, least, greatest })
    }
}

fn is_signed(number: Number) -> bool {
    number.input().is_some_and(|v| Number::readings(v)[0] == number)
}

/// `x > y + k` for `x < y + k`.
fn other_side(side: Difference) -> Option<Difference> {
    let k = side.k.checked_add(2)?.checked_neg()?;
    Some(Difference { x: side.y, y: side.x, k })
}

impl Way {
    /// The way from the beginning of a stretch, where there were `inputs` inputs, that goes on with
    /// this one at its end. `None` where its conditions are not differences of those inputs.
    pub(super) fn after(&self, stretch: &Asserted, inputs: u32) -> Option<Way> {
        if stretch.is_beyond() {
            return None;
        }
        let mut way = self.clone();
        for edge in &stretch.edges {
            way.conditions.difference(*edge);
        }
        way.apart.extend(&stretch.apart);
        way.apart.sort_unstable();
        way.apart.dedup();
        let conditions = &way.conditions;
        way.apart.retain(|side| {
            !conditions.has(*side) && !other_side(*side).is_some_and(|d| conditions.has(d))
        });
        for (v, set) in &stretch.members {
            way.conditions.member(*v, *set);
        }
        way.domains.extend(&stretch.numbers);
        way.domains.sort_unstable();
        way.domains.dedup();
        let mut made: Vec<VarId> = way.mentioned().filter(|v| v.0 >= inputs).collect();
        made.sort_unstable();
        made.dedup();
        for v in made {
            way.eliminate(v)?;
        }
        (way.conditions.differences.len() <= MOST).then_some(way)
    }

    fn mentioned(&self) -> impl Iterator<Item = VarId> + '_ {
        let Needs { differences, members, .. } = &self.conditions;
        let numbers = differences.iter().chain(&self.apart).flat_map(|d| [d.x, d.y]);
        numbers.filter_map(Number::input).chain(members.iter().map(|m| m.0))
    }

    /// Drops an input that may have any value of its domain.
    fn eliminate(&mut self, v: VarId) -> Option<()> {
        self.take_sides(v);
        let Needs { differences, members, .. } = &mut self.conditions;
        let of = |n: Number| n.input() == Some(v);
        let (mine, mut rest): (Vec<Difference>, Vec<Difference>) =
            differences.drain(..).partition(|d| of(d.x) || of(d.y));
        std::mem::swap(differences, &mut rest);
        let set = members.iter().position(|m| m.0 == v).map(|at| members.remove(at).1);
        let domain = self.domains.iter().filter(|d| of(d.number)).copied().collect::<Vec<_>>();
        self.domains.retain(|d| !of(d.number));
        if mine.is_empty() {
            return set.is_none_or(|set| set != [0; 4]).then_some(());
        }
        // Two readings of one input, or a set with a hole, are more than differences can say.
        let ([domain], None) = (domain.as_slice(), set) else { return None };
        let n = domain.number;
        if mine.iter().any(|d| (of(d.x) && d.x != n) || (of(d.y) && d.y != n)) {
            return None;
        }
        let zero = Number::ZERO;
        let above = mine.iter().filter(|d| d.x == n).map(|d| (d.y, d.k));
        let above: Vec<(Number, i64)> = above.chain([(zero, domain.greatest)]).collect();
        let below = mine.iter().filter(|d| d.y == n).map(|d| (d.x, d.k));
        let below: Vec<(Number, i64)> =
            below.chain([(zero, domain.least.checked_neg()?)]).collect();
        for &(x, low) in &below {
            for &(y, high) in &above {
                let k = low.checked_add(high)?;
                if x != y {
                    self.conditions.difference(Difference { x, y, k });
                } else if k < 0 {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Decides on which side of other numbers an input is that has to differ from them.
    fn take_sides(&mut self, v: VarId) {
        let of = |d: &Difference| d.x.input() == Some(v) || d.y.input() == Some(v);
        let (mine, rest): (Vec<Difference>, Vec<Difference>) = self.apart.drain(..).partition(of);
        self.apart = rest;
        if mine.is_empty() {
            return;
        }
        let numbers = self.numbers();
        let mut matrix = Matrix::of(&numbers, &self.conditions.differences);
        for side in mine {
            let other = other_side(side).filter(|other| !matrix.add(side) && matrix.add(*other));
            self.conditions.difference(other.unwrap_or(side));
        }
    }

    /// The numbers in the conditions, and zero, in order.
    fn numbers(&self) -> Vec<Number> {
        let differences = self.conditions.differences.iter().chain(&self.apart);
        let mut numbers: Vec<Number> = differences.flat_map(|d| [d.x, d.y]).collect();
        numbers.push(Number::ZERO);
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The way of a state with inputs numbered by their places in a list.
    pub(super) fn renamed(&self, order: &[VarId]) -> Option<Way> {
        let conditions = renamed(&self.conditions, order)?;
        let number = |n: Number| {
            let place = order.iter().position(|v| Some(*v) == n.input())?;
            Some(n.of(VarId(place as u32)))
        };
        let placed = |n: Number| if n == Number::ZERO { Some(n) } else { number(n) };
        // An input that no condition is left for needs no domain.
        let known =
            self.domains.iter().filter_map(|d| Some(Domain { number: number(d.number)?, ..*d }));
        let mut domains: Vec<Domain> = known.collect();
        domains.sort_unstable();
        let apart = self
            .apart
            .iter()
            .map(|d| Some(Difference { x: placed(d.x)?, y: placed(d.y)?, k: d.k }));
        let apart = apart.collect::<Option<Vec<Difference>>>()?;
        Some(Way { conditions, apart, domains })
    }

    /// The same of the inputs in the list.
    pub(super) fn at(&self, order: &[VarId]) -> Way {
        let number = |n: Number| n.input().map_or(n, |c| n.of(order[c.0 as usize]));
        let mut way = Way::default();
        for d in &self.conditions.differences {
            way.conditions.difference(Difference { x: number(d.x), y: number(d.y), k: d.k });
        }
        for (c, set) in &self.conditions.members {
            way.conditions.member(order[c.0 as usize], *set);
        }
        let apart =
            self.apart.iter().map(|d| Difference { x: number(d.x), y: number(d.y), k: d.k });
        way.apart = apart.collect();
        let domains = self.domains.iter().map(|d| Domain { number: number(d.number), ..*d });
        way.domains = domains.collect();
        way.domains.sort_unstable();
        way
    }

    /// What it asks of a path condition; inputs are numbered by their places in the list.
    pub(super) fn conditions_at(&self, order: &[VarId]) -> Vec<Simple> {
        let number = |n: Number| n.input().map_or(n, |c| n.of(order[c.0 as usize]));
        let of = |d: &Difference| Difference { x: number(d.x), y: number(d.y), k: d.k };
        let Needs { differences, members, .. } = &self.conditions;
        let members = members.iter().map(|(c, set)| Simple::Member(order[c.0 as usize], *set));
        let differences = differences.iter().map(|d| Simple::Difference(of(d)));
        let apart = self.apart.iter().map(|side| {
            let side = of(side);
            Simple::Apart(Difference { k: side.k.saturating_add(1), ..side })
        });
        members.chain(differences).chain(apart).collect()
    }

    pub(super) fn heap(&self) -> usize {
        self.conditions.heap()
            + self.apart.len() * 16
            + self.domains.len() * std::mem::size_of::<Domain>()
    }
}

/// The closure of differences among a few numbers, to which others are added.
struct Matrix<'a> {
    numbers: &'a [Number],
    bounds: Vec<i64>,
}

impl<'a> Matrix<'a> {
    /// Of these differences alone.
    fn of(numbers: &'a [Number], differences: &[Difference]) -> Matrix<'a> {
        let m = numbers.len();
        let mut bounds = vec![i64::MAX; m * m];
        (0..m).for_each(|i| bounds[i * m + i] = 0);
        let mut matrix = Matrix { numbers, bounds };
        for d in differences {
            matrix.add(*d);
        }
        matrix
    }

    /// Adds a difference if all have a solution with it; whether they do.
    fn add(&mut self, d: Difference) -> bool {
        let m = self.numbers.len();
        let at = |n: Number| self.numbers.binary_search(&n).ok();
        let (Some(x), Some(y)) = (at(d.x), at(d.y)) else { return false };
        if self.bounds[y * m + x].saturating_add(d.k) < 0 {
            return false;
        }
        if self.bounds[x * m + y] <= d.k {
            return true;
        }
        for i in 0..m {
            let to = self.bounds[i * m + x].saturating_add(d.k);
            for j in 0..m {
                let by = to.saturating_add(self.bounds[y * m + j]);
                let known = &mut self.bounds[i * m + j];
                *known = (*known).min(by);
            }
        }
        true
    }
}
