//! The circuit of one operation, run on numbers: what tests hold against the processor.

use crate::blast::gates::{Gates, Simulation};
use crate::blast::sat::Lit;
use pessimum_term::{Op, Width};

/// What a circuit knows of an input.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Nothing: any bits.
    Any(Width),
    /// Its value.
    Constant(Width, u64),
    /// That it is an integer of so many bits, extended by its sign.
    Small(Width, usize),
}

/// A float operation, the width of its arguments and of its result, and its arguments by number: the inputs come first, then
/// what was computed before.
pub type Step = (Op, Width, Width, [usize; 2]);

/// The circuit of float operations, run on 64 lists of arguments at once.
pub struct FloatCircuit {
    inputs: Vec<Vec<Lit>>,
    output: Vec<Lit>,
    truth: Lit,
    simulation: Simulation,
    clauses: u64,
}

impl std::fmt::Debug for FloatCircuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FloatCircuit").field("clauses", &self.clauses).finish_non_exhaustive()
    }
}

impl FloatCircuit {
    /// The circuit of one operation; `from` is the width of its arguments, `to` that of its result. Where `fixed` has a
    /// value, the argument is that constant.
    pub fn new(op: Op, from: Width, to: Width, fixed: [Option<u64>; 2]) -> FloatCircuit {
        let input = |fixed: &Option<u64>| match fixed {
            Some(value) => Input::Constant(from, *value),
            None => Input::Any(from),
        };
        let inputs: Vec<Input> = fixed[..op.arity()].iter().map(input).collect();
        FloatCircuit::chain(&inputs, &[(op, from, to, [0, 1])])
    }

    /// The circuit of several operations, one on the other; the last one is the result.
    pub fn chain(inputs: &[Input], steps: &[Step]) -> FloatCircuit {
        FloatCircuit::build(inputs, |gates, inputs| {
            let mut all: Vec<Vec<Lit>> = inputs.to_vec();
            for &(op, from, to, args) in steps {
                let args: Vec<&[Lit]> =
                    args[..op.arity()].iter().map(|at| all[*at].as_slice()).collect();
                let result = gates.compute(op, from, to, &args);
                all.push(result);
            }
            all.pop().unwrap_or_default()
        })
    }

    pub(super) fn build(
        inputs: &[Input],
        make: impl FnOnce(&mut Gates, &[Vec<Lit>]) -> Vec<Lit>,
    ) -> FloatCircuit {
        let mut gates = Gates::new();
        let mut bits = |input: &Input| match *input {
            Input::Any(width) => (0..width.bits()).map(|_| gates.sat.fresh()).collect(),
            Input::Constant(width, value) => gates.number(width.bits() as usize, value),
            Input::Small(width, used) => {
                let mut bits: Vec<Lit> = (0..used).map(|_| gates.sat.fresh()).collect();
                bits.resize(width.bits() as usize, bits[used - 1]);
                bits
            }
        };
        let inputs: Vec<Vec<Lit>> = inputs.iter().map(&mut bits).collect();
        let output = make(&mut gates, &inputs);
        let simulation = Simulation::new(&gates);
        let (truth, clauses) = (gates.truth(), gates.sat.clauses());
        FloatCircuit { inputs, output, truth, simulation, clauses }
    }

    /// How many clauses it has.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// The results of 64 runs; `argument` says the value of an input in a run. A constant is not asked for.
    pub fn run(&mut self, argument: impl Fn(usize, usize) -> u64) -> [u64; 64] {
        for (input, bits) in self.inputs.iter().enumerate() {
            if bits.iter().all(|bit| bit.var() == self.truth.var()) {
                continue;
            }
            let values: [u64; 64] = std::array::from_fn(|run| argument(run, input));
            for (bit, &literal) in bits.iter().enumerate() {
                let word =
                    values.iter().enumerate().fold(0, |w, (run, v)| w | (v >> bit & 1) << run);
                self.simulation.set(literal, word);
            }
        }
        self.simulation.run();
        let mut results = [0; 64];
        for (bit, &literal) in self.output.iter().enumerate() {
            let word = self.simulation.value(literal);
            for (run, result) in results.iter_mut().enumerate() {
                *result |= (word >> run & 1) << bit;
            }
        }
        results
    }
}
