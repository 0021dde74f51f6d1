//! Terms over one small variable, evaluated for all of its values at once.
//!
//! A parser compares the same byte with one constant after the other, often through a look-up table,
//! which is an if-then-else of as many arms as the table has entries. What such a term is for each
//! of the 256 values is computed once and kept: the next condition on it costs one more step.

use crate::arena::{Arena, Only};
use crate::eval::apply;
use crate::fold::{fold_binary, fold_unary};
use crate::node::{Node, Op, TermId};
use std::collections::BTreeMap;

/// Values of a variable of eight bits.
pub const LANES: usize = 256;

/// What a term is for each value of its variable.
pub type Table = [u64; LANES];

/// Tables that are kept, two kilobytes each.
const KEPT: usize = 4096;

/// The tables of terms that were asked for, and of their parts.
///
/// ```
/// use pessimum_term::{Arena, Domain, Op, Tables, Width};
///
/// let mut arena = Arena::new();
/// let x = arena.variable(Width::W8, Domain::full(Width::W8));
/// let seven = arena.constant(Width::W8, 7);
/// let low = arena.binary(Op::And, x, seven);
/// let mut tables = Tables::default();
/// assert_eq!(tables.of(&arena, low).map(|t| t[29]), Some(5));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tables {
    by_term: BTreeMap<TermId, Box<Table>>,
    computed: u64,
}

impl Tables {
    /// The table of `t`. `None` unless it mentions one variable alone, of at most eight bits, or
    /// when it has more parts than are worth keeping.
    pub fn of(&mut self, arena: &Arena, t: TermId) -> Option<&Table> {
        let Only::Var(v) = arena.info(t).only else { return None };
        if arena.width(arena.var_term(v)).bits() > 8 {
            return None;
        }
        if self.by_term.len() > KEPT {
            self.by_term.clear();
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.by_term.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let node = arena.node(top);
            stack.extend(node.args().filter(|arg| {
                !matches!(arena.node(*arg).op, Op::Const | Op::Var)
                    && !self.by_term.contains_key(arg)
            }));
            if stack.len() > before {
                continue;
            }
            if self.by_term.len() > 2 * KEPT {
                return None;
            }
            let mut table = Box::new([0u64; LANES]);
            if node.op == Op::Var {
                self.fill(arena, top, &mut table);
            } else {
                let mut arguments = [[0u64; LANES]; 3];
                for (lanes, arg) in arguments.iter_mut().zip(node.args()) {
                    self.fill(arena, arg, lanes);
                }
                compute(arena, node, &arguments, &mut table);
            }
            self.computed += 1;
            self.by_term.insert(top, table);
            stack.pop();
        }
        self.by_term.get(&t).map(|table| &**table)
    }

    /// Forgets the terms with ids at or above `terms`: the arena was undone and will give their ids
    /// to others.
    #[inline]
    pub fn undo_to(&mut self, terms: u32) {
        while let Some(last) = self.by_term.last_entry()
            && last.key().index() >= terms
        {
            last.remove();
        }
    }

    /// How many tables were computed.
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// Counts them from another number on.
    pub fn set_computed(&mut self, computed: u64) {
        self.computed = computed;
    }

    fn fill(&self, arena: &Arena, t: TermId, lanes: &mut Table) {
        let node = arena.node(t);
        match node.op {
            Op::Const => lanes.fill(node.const_value()),
            Op::Var => {
                for (value, lane) in lanes.iter_mut().enumerate() {
                    *lane = value as u64 & node.width.mask();
                }
            }
            _ => {
                if let Some(table) = self.by_term.get(&t) {
                    lanes.copy_from_slice(&**table);
                }
            }
        }
    }
}

/// What a node is, value by value. The usual operations have loops of their own, in which the choice between them is
/// made once and not for every value.
fn compute(arena: &Arena, node: &Node, [a, b, c]: &[Table; 3], table: &mut Table) {
    let from = arena.width(node.arg(0));
    macro_rules! loops {
        (binary: $($binary:ident)*; unary: $($unary:ident)*;) => {
            match node.op {
                $(Op::$binary => {
                    for (i, lane) in table.iter_mut().enumerate() {
                        *lane = fold_binary(Op::$binary, from, a[i], b[i]);
                    }
                })*
                $(Op::$unary => {
                    let (to, low) = (node.width, node.low_bit());
                    for (i, lane) in table.iter_mut().enumerate() {
                        *lane = fold_unary(Op::$unary, from, to, low, a[i]);
                    }
                })*
                Op::Ite => {
                    for (i, lane) in table.iter_mut().enumerate() {
                        *lane = if a[i] != 0 { b[i] } else { c[i] };
                    }
                }
                _ => {
                    for (i, lane) in table.iter_mut().enumerate() {
                        *lane = apply(arena, node, [a[i], b[i], c[i]]);
                    }
                }
            }
        };
    }
    loops! {
        binary: Eq Ult Ule Slt Sle Add Sub Mul And Or Xor Shl LShr;
        unary: Not ZeroExt SignExt Extract;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Evaluator, Width};

    #[test]
    fn a_table_is_what_the_evaluator_says_value_by_value() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W8, Domain::full(Width::W8));
        let wide = arena.zero_extend(Width::W32, x);
        let mut looked_up = arena.constant(Width::W32, 99);
        for k in (0..200u64).step_by(3) {
            let key = arena.constant(Width::W32, k);
            let here = arena.binary(Op::Eq, wide, key);
            let entry = arena.constant(Width::W32, k * k % 31);
            looked_up = arena.ite(here, entry, looked_up);
        }
        let shifted = arena.binary(Op::Shl, wide, looked_up);
        let least = arena.binary(Op::Slt, shifted, looked_up);
        let mut tables = Tables::default();
        for t in [wide, looked_up, shifted, least] {
            let table = *tables.of(&arena, t).expect("one byte is in it");
            for (value, lane) in table.iter().enumerate() {
                let told = Evaluator::new().value(&arena, t, |_| value as u64);
                assert_eq!(*lane, told, "{t:?} of {value}");
            }
        }
        let once = tables.computed();
        tables.of(&arena, least);
        assert_eq!(tables.computed(), once, "what is known is not computed again");
    }

    #[test]
    fn ids_that_were_given_away_stand_for_other_terms() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W8, Domain::full(Width::W8));
        let mut tables = Tables::default();
        let mark = arena.mark();
        let terms = arena.len() as u32;
        let of = |arena: &mut Arena, tables: &mut Tables, op, k| {
            let k = arena.constant(Width::W8, k);
            let t = arena.binary(op, x, k);
            (t, tables.of(arena, t).map(|table| table[3]))
        };
        let (first, seen) = of(&mut arena, &mut tables, Op::Add, 5);
        assert_eq!(seen, Some(8));
        arena.undo_to(mark);
        tables.undo_to(terms);
        let (second, seen) = of(&mut arena, &mut tables, Op::Mul, 7);
        assert_eq!((first, seen), (second, Some(21)));
    }

    #[test]
    fn two_variables_have_no_table() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W8, Domain::full(Width::W8)));
        let sum = arena.binary(Op::Add, x, y);
        assert!(Tables::default().of(&arena, sum).is_none());
    }
}
