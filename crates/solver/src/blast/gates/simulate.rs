//! Circuits run on numbers, without a search: 64 assignments at once, one for each bit of a word.

use super::{GateKind, Gates};
use crate::blast::sat::Lit;

/// The gates of a circuit in the order they were made, which is the order of their literals.
pub(in crate::blast) struct Simulation {
    /// The variable of each gate, and what it computes.
    steps: Vec<(usize, Step)>,
    /// By variable.
    values: Vec<u64>,
}

/// Literals are given by their index: twice the variable, and one more for the negation.
enum Step {
    Gate(GateKind, [u32; 3]),
    All(Box<[u32]>),
}

impl Simulation {
    pub(in crate::blast) fn new(gates: &Gates) -> Simulation {
        let of = |out: &Lit| out.var().idx() as usize;
        let small = gates.known.iter().map(|((kind, x), out)| (of(out), Step::Gate(*kind, *x)));
        let wide = gates.wide.iter().map(|(x, out)| (of(out), Step::All(x.clone())));
        let mut steps: Vec<(usize, Step)> = small.chain(wide).collect();
        steps.sort_unstable_by_key(|step| step.0);
        let mut values = vec![0; gates.sat.size() + 1];
        let truth = gates.truth();
        values[truth.var().idx() as usize] = if truth.sign() { u64::MAX } else { 0 };
        Simulation { steps, values }
    }

    /// Gives an input its value in each assignment.
    pub(in crate::blast) fn set(&mut self, input: Lit, value: u64) {
        self.values[input.var().idx() as usize] = value;
    }

    /// The value of a literal in each assignment.
    pub(in crate::blast) fn value(&self, literal: Lit) -> u64 {
        self.at(literal.idx())
    }

    fn at(&self, index: u32) -> u64 {
        let value = self.values[(index >> 1) as usize];
        if index & 1 == 0 { value } else { !value }
    }

    /// Computes every gate.
    pub(in crate::blast) fn run(&mut self) {
        for at in 0..self.steps.len() {
            let (out, step) = &self.steps[at];
            let value = match step {
                Step::Gate(kind, inputs) => {
                    let [a, b, c] = inputs.map(|x| self.at(x));
                    match kind {
                        GateKind::And => a & b,
                        GateKind::Xor => a ^ b,
                        GateKind::Xor3 => a ^ b ^ c,
                        GateKind::Majority => a & b | b & c | a & c,
                        // The condition comes first.
                        GateKind::Mux => a & b | !a & c,
                    }
                }
                Step::All(inputs) => inputs.iter().fold(u64::MAX, |all, x| all & self.at(*x)),
            };
            self.values[*out] = value;
        }
    }
}
