//! A guess at a model: what would one input have to be for the condition to hold?
//!
//! Many questions that no theory of the chain reads have an answer that can be written down: which
//! number has these low bits, which last byte gives this hash. The operations between the input and
//! the result are undone one by one, everything else stays as the present model has it. The guess
//! is evaluated on the original terms like any other model, so that a wrong one costs a little time
//! and nothing else; bit-blasting is asked when there is none.

use crate::difference::Graph;
use pessimum_term::{Arena, Evaluator, Node, Op, TermId, VarId, Width, fold_binary, fold_unary};

/// How deep a term is followed.
const DEPTH: u32 = 64;

/// Ways to guess that are tried for one question.
pub(crate) const WAYS: u32 = 4;

/// Values for some of the inputs that may make `c` true; `way` chooses between operands.
pub(crate) fn guess(
    arena: &Arena,
    graph: &Graph,
    eval: &mut Evaluator,
    c: TermId,
    way: u32,
) -> Option<Vec<(VarId, u64)>> {
    let mut inverter = Inverter { arena, graph, eval, way, model: Vec::new() };
    inverter.make(c, 1, DEPTH)?;
    let mut model = inverter.model;
    model.sort_unstable();
    // Two demands on one input: one of them at most can be met.
    (!model.is_empty() && model.windows(2).all(|w| w[0].0 != w[1].0)).then_some(model)
}

struct Inverter<'a> {
    arena: &'a Arena,
    graph: &'a Graph,
    eval: &'a mut Evaluator,
    way: u32,
    model: Vec<(VarId, u64)>,
}

impl Inverter<'_> {
    /// The value of a term in the present model.
    fn now(&mut self, t: TermId) -> u64 {
        let graph = self.graph;
        self.eval.value(self.arena, t, |v| graph.bits(v))
    }

    /// Asks of the inputs that `t` be `want`.
    fn make(&mut self, t: TermId, want: u64, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        if self.now(t) == want {
            return Some(());
        }
        let node = *self.arena.node(t);
        if let Some(v) = node.as_var() {
            self.model.push((v, want));
            return Some(());
        }
        match node.op {
            Op::Const => None,
            Op::Not => self.make(node.arg(0), want ^ 1, depth),
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.compare(&node, want, depth),
            Op::FEq | Op::FLt | Op::FLe => self.compare_floats(&node, want, depth),
            op if op.is_float() => self.float(&node, want, depth),
            Op::And | Op::Or if node.width == Width::BOOL => {
                // One part decides, or both are needed.
                let one_is_enough = (node.op == Op::And) == (want == 0);
                if one_is_enough {
                    self.make(node.arg(self.way as usize & 1), want, depth)
                } else {
                    self.make(node.arg(0), want, depth)?;
                    self.make(node.arg(1), want, depth)
                }
            }
            Op::Ite => {
                let chosen = if self.now(node.arg(0)) != 0 { 1 } else { 2 };
                self.make(node.arg(chosen), want, depth)
            }
            Op::Concat => {
                let low = self.arena.width(node.arg(1));
                self.make(node.arg(0), want >> low.bits(), depth)?;
                self.make(node.arg(1), want & low.mask(), depth)
            }
            Op::ZeroExt | Op::SignExt => {
                let narrow = self.arena.width(node.arg(0));
                self.make(node.arg(0), want & narrow.mask(), depth)
            }
            Op::Extract => {
                let old = self.now(node.arg(0));
                let hole = node.width.mask() << node.low_bit();
                self.make(node.arg(0), old & !hole | want << node.low_bit(), depth)
            }
            Op::Add
            | Op::Sub
            | Op::Xor
            | Op::And
            | Op::Or
            | Op::Mul
            | Op::Shl
            | Op::LShr
            | Op::AShr
            | Op::Rotl
            | Op::Rotr
            | Op::URem
            | Op::UDiv => {
                let moves = self.moving_operand(&node);
                let old = self.now(node.arg(moves));
                let other = self.now(node.arg(1 - moves));
                let new = operand(node.op, node.width, moves, old, other, want)?;
                self.make(node.arg(moves), new & node.width.mask(), depth)
            }
            _ => None,
        }
    }

    /// The operand that moves; a constant cannot.
    fn moving_operand(&self, node: &Node) -> usize {
        let constant = |i: usize| self.arena.as_const(node.arg(i)).is_some();
        if constant(1) {
            0
        } else if constant(0) {
            1
        } else {
            self.way as usize >> 1 & 1
        }
    }

    /// The opposite operation, which is right but for rounding.
    fn float(&mut self, node: &Node, want: u64, depth: u32) -> Option<()> {
        let from = self.arena.width(node.arg(0));
        let back = |op: Op| fold_unary(op, node.width, from, 0, want);
        if node.op.arity() == 1 {
            let new = match node.op {
                Op::FPromote => back(Op::FDemote),
                Op::FDemote => back(Op::FPromote),
                Op::FFromS => back(Op::FToS),
                Op::FFromU => back(Op::FToU),
                Op::FToS => back(Op::FFromS),
                Op::FToU => back(Op::FFromU),
                Op::FSqrt => fold_binary(Op::FMul, from, want, want),
                _ => want,
            };
            return self.make(node.arg(0), new, depth);
        }
        let moves = self.moving_operand(node);
        let other = self.now(node.arg(1 - moves));
        let new = match (node.op, moves) {
            (Op::FAdd, _) => fold_binary(Op::FSub, from, want, other),
            (Op::FSub, 0) => fold_binary(Op::FAdd, from, want, other),
            (Op::FSub, _) => fold_binary(Op::FSub, from, other, want),
            (Op::FMul, _) => fold_binary(Op::FDiv, from, want, other),
            (Op::FDiv, 0) => fold_binary(Op::FMul, from, want, other),
            (Op::FDiv, _) => fold_binary(Op::FDiv, from, other, want),
            _ => want,
        };
        self.make(node.arg(moves), new, depth)
    }

    /// The side of a comparison that moves; a constant cannot.
    fn moving_side(&self, node: &Node) -> usize {
        let constant = |i: usize| self.arena.as_const(node.arg(i)).is_some();
        if constant(1) {
            0
        } else if constant(0) {
            1
        } else {
            self.way as usize & 1
        }
    }

    /// The same for floats: beside a float is the number that differs by one, or else the next float.
    fn compare_floats(&mut self, node: &Node, want: u64, depth: u32) -> Option<()> {
        let moves = self.moving_side(node);
        let other = self.now(node.arg(1 - moves));
        let upwards = match (node.op, want != 0) {
            (Op::FEq, true) | (Op::FLe, true) | (Op::FLt, false) => {
                return self.make(node.arg(moves), other, depth);
            }
            (Op::FEq, false) => self.way >> 1 & 1 == 0,
            (Op::FLt, true) => moves == 1,
            _ => moves == 0,
        };
        let new = match self.arena.width(node.arg(moves)) {
            Width::W32 => {
                let other = f32::from_bits(other as u32);
                let step = if upwards { other + 1.0 } else { other - 1.0 };
                let next = if upwards { other.next_up() } else { other.next_down() };
                u64::from(if step == other { next } else { step }.to_bits())
            }
            _ => {
                let other = f64::from_bits(other);
                let step = if upwards { other + 1.0 } else { other - 1.0 };
                let next = if upwards { other.next_up() } else { other.next_down() };
                if step == other { next } else { step }.to_bits()
            }
        };
        self.make(node.arg(moves), new, depth)
    }

    /// A comparison is made true or false by moving one side to where the other is, or beside it.
    fn compare(&mut self, node: &Node, want: u64, depth: u32) -> Option<()> {
        let moves = self.moving_side(node);
        let other = self.now(node.arg(1 - moves));
        let below = other.wrapping_sub(1);
        let above = other.wrapping_add(1);
        let new = match (node.op, want != 0) {
            (Op::Eq, true) | (Op::Ule | Op::Sle, true) | (Op::Ult | Op::Slt, false) => other,
            (Op::Eq, false) if self.way >> 1 & 1 == 0 => above,
            (Op::Eq, false) => below,
            (Op::Ult | Op::Slt, true) => [below, above][moves],
            _ => [above, below][moves],
        };
        let mask = self.arena.width(node.arg(moves)).mask();
        self.make(node.arg(moves), new & mask, depth)
    }
}

/// What operand number `moves`, now `old`, has to be for the operation to give `want`, as near to
/// what it was as it can be; the other operand is `other`.
fn operand(op: Op, width: Width, moves: usize, old: u64, other: u64, want: u64) -> Option<u64> {
    let bits = u64::from(width.bits());
    let by = other % bits;
    Some(match (op, moves) {
        (Op::Add, _) => want.wrapping_sub(other),
        (Op::Sub, 0) => want.wrapping_add(other),
        (Op::Sub, _) => other.wrapping_sub(want),
        (Op::Xor, _) => want ^ other,
        (Op::And, _) if want & !other == 0 => old & !other | want,
        (Op::Or, _) if other & !want == 0 => old & other | want & !other,
        (Op::Mul, _) if other != 0 => {
            let twos = other.trailing_zeros();
            if want.trailing_zeros() < twos {
                return None;
            }
            (want >> twos).wrapping_mul(inverse(other >> twos))
        }
        (Op::Shl, 0) if want & ((1 << by) - 1) == 0 => {
            let lost = !(width.mask() >> by);
            old & lost | want >> by
        }
        (Op::LShr | Op::AShr, 0) => want << by | old & ((1 << by) - 1),
        (Op::Rotl | Op::Rotr, 0) if by == 0 => want,
        (Op::Rotl, 0) => want >> by | want << (bits - by),
        (Op::Rotr, 0) => want << by | want >> (bits - by),
        (Op::URem, 0) if want < other => {
            let near = (old - old % other).saturating_add(want);
            if near <= width.mask() { near } else { want }
        }
        (Op::UDiv, 0) if other != 0 => want.checked_mul(other)?,
        _ => return None,
    })
}

/// The number whose product with an odd one is 1, modulo 2^64.
fn inverse(odd: u64) -> u64 {
    // Each step doubles the number of right bits; five are right at the start.
    let mut x = odd.wrapping_mul(3) ^ 2;
    for _ in 0..4 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_number_has_an_inverse() {
        for odd in (1..2000).step_by(2).chain([u64::MAX, 0x9e37_79b9_7f4a_7c15]) {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1, "{odd}");
        }
    }

    /// Whatever the operand is made, the operation then gives what was asked for.
    #[test]
    fn operands_give_what_was_asked_for() {
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Xor,
            Op::And,
            Op::Or,
            Op::Mul,
            Op::Shl,
            Op::LShr,
            Op::Rotl,
            Op::Rotr,
            Op::URem,
            Op::UDiv,
        ];
        let (mut state, mut solved) = (1u64, 0);
        for round in 0..20_000 {
            let mut random = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1442695040888963407);
                state >> 32
            };
            let width = [Width::W8, Width::W32][round % 2];
            let op = ops[round % ops.len()];
            let (old, other) = (random() & width.mask(), random() & width.mask() & 0xff);
            if other == 0 && matches!(op, Op::URem | Op::UDiv) {
                continue;
            }
            let fold = |a, b| pessimum_term::fold_binary(op, width, a, b);
            let want = fold(random() & width.mask(), other);
            if fold(old, other) == want {
                // Nothing has to move.
                continue;
            }
            let Some(new) = operand(op, width, 0, old, other, want) else {
                panic!("{op:?} of {other} gives {want}, and no operand was found");
            };
            assert_eq!(fold(new & width.mask(), other), want, "{op:?} {other}");
            solved += 1;
        }
        assert!(solved > 15_000);
    }
}
