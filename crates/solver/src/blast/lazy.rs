//! Large float operations, taken for unknown until that leads astray.
//!
//! The result of such an operation is at first a float of which little more than the sign is known. What has no model then has
//! none at all. A model is evaluated; where a condition does not hold, the operations below it whose result is not what the
//! evaluator computes from their arguments get their circuit, for good, and the search goes on. Most questions never need most
//! circuits: an order of computed keys contradicts itself whatever the keys are.
//!
//! Circuits define their results, so nothing else depends on when they are added: what was learnt stays true, and so do the
//! reasons of *unsat*.

use super::encode::{Bits, Encoder};
use super::gates::Gates;
use super::ieee::Format;
use super::sat::Lit;
use crate::linear::Work;
use pessimum_term::{Arena, Node, Op, TermId, Width, fold_binary, fold_unary};
use rustc_hash::FxHashSet;

/// A float operation: the same one on the same literals has the same result.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    op: Op,
    from: Width,
    to: Width,
    args: Vec<Bits>,
}

/// Its result.
pub(super) struct Computed {
    out: Bits,
    /// Whether its circuit is there.
    has_circuit: bool,
}

/// What a circuit may have to be built without asking, in products of bits.
pub(super) const FEW: usize = 512;

impl Operation {
    /// Whether the circuit is worth building at once: most of its bits are known, or nothing is aligned or multiplied.
    fn is_small(&self, gates: &Gates, few: usize) -> bool {
        let format = Format::of(self.from);
        let free = |at: usize| {
            let bits = self.args[at].iter().take(format.fraction);
            bits.filter(|bit| gates.constant(**bit).is_none()).count()
        };
        match self.op {
            // Each bit of a sum is moved by several layers.
            Op::FAdd | Op::FSub => free(0).max(free(1)) * 16 <= few,
            Op::FMul => free(0) * free(1) <= few,
            // A row for each bit of the result.
            Op::FDiv => free(0).max(free(1)) * format.fraction <= few,
            Op::FSqrt => false,
            _ => true,
        }
    }

    fn value(&self, args: [u64; 2]) -> u64 {
        match self.op.arity() {
            1 => fold_unary(self.op, self.from, self.to, 0, args[0]),
            _ => fold_binary(self.op, self.from, args[0], args[1]),
        }
    }

    fn circuit(&self, gates: &mut Gates) -> Vec<Lit> {
        let args: Vec<&[Lit]> = self.args.iter().map(|bits| &bits[..]).collect();
        gates.compute(self.op, self.from, self.to, &args)
    }
}

impl Encoder {
    /// The result of a float operation that computes something.
    pub(super) fn float(&mut self, arena: &Arena, node: &Node) -> Bits {
        let operation = self.operation(arena, node);
        if let Some(known) = self.floats.get(&operation) {
            return known.out.clone();
        }
        let has_circuit = operation.is_small(&self.gates, self.few);
        let out: Bits = if has_circuit {
            operation.circuit(&mut self.gates).into()
        } else {
            let out: Bits = (0..node.width.bits()).map(|_| self.gates.sat.fresh()).collect();
            self.gates.state_signs(&operation, &out);
            out
        };
        self.floats.insert(operation, Computed { out: out.clone(), has_circuit });
        out
    }

    fn operation(&self, arena: &Arena, node: &Node) -> Operation {
        let bits = |arg: TermId| self.known(arg).cloned().unwrap_or_else(|| Bits::from([]));
        let args = node.args().map(bits).collect();
        Operation { op: node.op, from: arena.width(node.arg(0)), to: node.width, args }
    }

    /// Adds the circuits of the operations below `conditions` that the model does not compute as they are. How many there
    /// were; `None` when the work is used up.
    pub(super) fn refine(
        &mut self,
        arena: &Arena,
        conditions: Vec<TermId>,
        work: &mut Work,
    ) -> Option<usize> {
        let astray = self.astray(arena, conditions, work)?;
        for operation in &astray {
            let before = self.gates.sat.clauses();
            let result = operation.circuit(&mut self.gates);
            if let Some(computed) = self.floats.get_mut(operation) {
                computed.has_circuit = true;
                for (&a, &b) in computed.out.iter().zip(&result) {
                    self.gates.sat.add(&[a, !b]);
                    self.gates.sat.add(&[!a, b]);
                }
            }
            let added = self.gates.sat.clauses() - before;
            if !work.spend(added * super::CLAUSE) {
                return None;
            }
        }
        Some(astray.len())
    }

    /// The operations below `conditions` whose result in the model is not that of their arguments in the model.
    fn astray(
        &self,
        arena: &Arena,
        conditions: Vec<TermId>,
        work: &mut Work,
    ) -> Option<Vec<Operation>> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<TermId> = conditions.iter().copied().collect();
        let mut stack = conditions;
        while let Some(t) = stack.pop() {
            if !work.spend(1) {
                return None;
            }
            let node = arena.node(t);
            stack.extend(node.args().filter(|arg| arena.info(*arg).has_float && seen.insert(*arg)));
            if !node.op.is_float() || node.op.is_comparison() {
                continue;
            }
            let operation = self.operation(arena, node);
            let Some(computed) = self.floats.get(&operation) else { continue };
            if computed.has_circuit {
                continue;
            }
            let mut args = [0; 2];
            for (value, bits) in args.iter_mut().zip(&operation.args) {
                *value = self.gates.sat.number(bits);
            }
            let result = self.gates.sat.number(&computed.out);
            if operation.value(args) != result && !found.contains(&operation) {
                found.push(operation);
            }
        }
        Some(found)
    }
}

impl Gates {
    /// What is known of the sign of a result without computing it. A NaN has none.
    fn state_signs(&mut self, operation: &Operation, out: &[Lit]) {
        let sign = |bits: &[Lit]| bits[bits.len() - 1];
        let args: Vec<Lit> = operation.args.iter().map(|bits| sign(bits)).collect();
        let (number, result) = (self.is_number(out), sign(out));
        let (a, b) = match (operation.op, args.as_slice()) {
            (Op::FMul | Op::FDiv, &[a, b]) => {
                let signs = self.xor(a, b);
                self.sat.add(&[!number, !signs, result]);
                self.sat.add(&[!number, signs, !result]);
                return;
            }
            // Negative is only the root of the negative zero.
            (Op::FSqrt, &[a]) => return self.sat.add(&[a, !result]),
            (Op::FAdd, &[a, b]) => (a, b),
            (Op::FSub, &[a, b]) => (a, !b),
            _ => return,
        };
        self.sat.add(&[!number, !a, !b, result]);
        self.sat.add(&[!number, a, b, !result]);
    }
}
