//! Which variables a term is made of.

use crate::{Arena, TermId, VarId};
use std::collections::BinaryHeap;

impl Arena {
    /// The variables of a term, in increasing order.
    pub fn variables(&self, t: TermId) -> Vec<VarId> {
        self.variables_within(t, usize::MAX).unwrap_or_default()
    }

    /// The variables of a term, in increasing order; `None` if it has more terms in it than that.
    pub fn variables_within(&self, t: TermId, most: usize) -> Option<Vec<VarId>> {
        // What a term is made of is older than it: from the youngest down, equal ones come one behind the other.
        let mut open = BinaryHeap::from([t]);
        let (mut last, mut seen, mut found) = (None, 0, Vec::new());
        while let Some(t) = open.pop() {
            if last.replace(t) == Some(t) {
                continue;
            }
            seen += 1;
            if seen > most {
                return None;
            }
            let node = self.node(t);
            match node.as_var() {
                Some(v) => found.push(v),
                None => open.extend(node.args()),
            }
        }
        found.sort_unstable();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Domain, Op, TermId, VarId, Width};

    #[test]
    fn each_variable_once_however_often_it_is_used() {
        let mut arena = Arena::new();
        let vars: Vec<TermId> =
            (0..3).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
        // Two times as many uses with each step, and two terms more.
        let mut sum = arena.binary(Op::Mul, vars[2], vars[0]);
        for _ in 0..40 {
            let square = arena.binary(Op::Mul, sum, sum);
            sum = arena.binary(Op::Xor, square, vars[0]);
        }
        assert_eq!(arena.variables(sum), [VarId(0), VarId(2)]);
        assert_eq!(arena.variables_within(sum, 83), Some(vec![VarId(0), VarId(2)]));
        assert_eq!(arena.variables_within(sum, 82), None);
        assert_eq!(arena.variables(vars[1]), [VarId(1)]);
        let constant = arena.constant(Width::W32, 7);
        assert_eq!(arena.variables(constant), []);
    }
}
