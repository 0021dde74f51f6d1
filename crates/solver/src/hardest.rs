//! What made a question too hard: the operation that nobody in the chain could undo.

use crate::solver::Solver;
use pessimum_term::{Arena, Op, TermId};
use rustc_hash::FxHashSet;

/// Terms that are looked at: a loop makes terms as deep as it is long, and the first ones tell as much as the last.
const LOOKED_AT: usize = 1 << 14;

/// From here on an operation takes two values that both depend on the input.
const OF_TWO: u32 = 7;

impl Solver {
    /// The operation that a question about `c` is hardest for: of `c` itself, or of what shares inputs with it where `c` has
    /// none that computes from two of its values. `None` where nothing but sums and single bits are asked about.
    ///
    /// ```
    /// use pessimum_solver::Solver;
    /// use pessimum_term::{Arena, Domain, Op, Width};
    ///
    /// let mut arena = Arena::new();
    /// let [x, y] = [(); 2].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
    /// let product = arena.binary(Op::Mul, x, y);
    /// let sum = arena.binary(Op::Add, product, y);
    /// let less = arena.binary(Op::Ult, sum, x);
    /// assert_eq!(Solver::new().hardest(&arena, less), Some(product));
    /// ```
    pub fn hardest(&mut self, arena: &Arena, c: TermId) -> Option<TermId> {
        self.sync(arena);
        let own = hardest_of(arena, [c]);
        if own.is_some_and(|(rank, _)| rank >= OF_TWO) {
            return own.map(|(_, t)| t);
        }
        let related = self.component(arena, c).assertions;
        let others = hardest_of(arena, related.iter().map(|&i| self.assertions[i as usize]));
        let harder = |(rank, _): &(u32, TermId)| own.is_none_or(|(least, _)| *rank > least);
        others.filter(harder).or(own).map(|(_, t)| t)
    }
}

/// The operation of the highest rank inside `conditions`; of equals the oldest.
fn hardest_of(
    arena: &Arena,
    conditions: impl IntoIterator<Item = TermId>,
) -> Option<(u32, TermId)> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut open: Vec<TermId> = conditions.into_iter().collect();
    let mut hardest: Option<(u32, TermId)> = None;
    while let Some(t) = open.pop() {
        if seen.len() == LOOKED_AT || !seen.insert(t) {
            continue;
        }
        let rank = rank(arena, t);
        let harder = |&(most, oldest): &(u32, TermId)| rank > most || rank == most && t < oldest;
        if rank > 0 && hardest.as_ref().is_none_or(harder) {
            hardest = Some((rank, t));
        }
        open.extend(arena.node(t).args());
    }
    hardest
}

/// How hard an operation is to undo.
fn rank(arena: &Arena, t: TermId) -> u32 {
    use Op::*;
    let node = arena.node(t);
    let of_two = node.op.arity() == 2 && node.args().all(|arg| arena.as_const(arg).is_none());
    match node.op {
        FDiv if of_two => 11,
        FSqrt => 10,
        FMul if of_two => 9,
        UDiv | SDiv | URem | SRem if of_two => 8,
        Mul if of_two => OF_TWO,
        FDiv => 6,
        op if op.is_float() && !op.is_comparison() => 5,
        UDiv | SDiv | URem | SRem => 4,
        Shl | LShr | AShr | Rotl | Rotr if of_two => 3,
        Mul => 2,
        Rotl | Rotr | Clz | Ctz | Popcnt => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{Domain, Width};

    /// A comparison of two inputs is hard only for what was asserted of them before.
    #[test]
    fn what_shares_inputs_counts_where_the_condition_is_plain() {
        let mut arena = Arena::new();
        let v = [(); 4].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
        let mut solver = Solver::new();
        let rest = arena.binary(Op::URem, v[0], v[1]);
        let shifted = arena.binary(Op::Shl, v[2], v[3]);
        for (t, k) in [(rest, 3), (shifted, 8)] {
            let k = arena.constant(Width::W32, k);
            let equal = arena.binary(Op::Eq, t, k);
            solver.assert(&mut arena, equal);
        }
        let less = arena.binary(Op::Ult, v[1], v[0]);
        assert_eq!(solver.hardest(&arena, less), Some(rest));
        let less = arena.binary(Op::Ult, v[2], v[3]);
        assert_eq!(solver.hardest(&arena, less), Some(shifted));
        assert_eq!(Solver::new().hardest(&arena, less), None);
    }
}
