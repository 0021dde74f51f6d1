//! Random programs of a few float operations, each on what those before it gave.

use super::operands::{CASES, Operands};
use super::{Input, Step};
use pessimum_term::{Op, Width, fold_binary, fold_unary};

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) inputs: Vec<Input>,
    pub(crate) steps: Vec<Step>,
    seed: u64,
}

impl Program {
    /// Two to five operations on two to four inputs. Integers are made floats before anything else.
    pub(crate) fn random(seed: u64) -> Program {
        let mut state = seed;
        let mut below = |n: u64| {
            // splitmix64
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ z >> 31) % n
        };
        let width = if below(2) == 0 { Width::W32 } else { Width::W64 };
        let (mut inputs, mut steps): (Vec<Input>, Vec<Step>) = (Vec::new(), Vec::new());
        let mut integers = Vec::new();
        for at in 0..2 + below(3) as usize {
            inputs.push(match below(5) {
                0 => Input::Any(width),
                1 => {
                    let [value, _] = Operands::new(Op::FAdd, width, below(1000)).next();
                    Input::Constant(width, value)
                }
                _ => {
                    integers.push(at);
                    Input::Small(width, 1 + below(12) as usize)
                }
            });
        }
        // What can be computed with, and its width.
        let mut floats: Vec<(usize, Width)> =
            (0..inputs.len()).filter(|at| !integers.contains(at)).map(|at| (at, width)).collect();
        let mut next = inputs.len();
        for at in integers {
            let op = if below(3) == 0 { Op::FFromU } else { Op::FFromS };
            steps.push((op, width, width, [at, at]));
            floats.push((next, width));
            next += 1;
        }
        for _ in 0..1 + below(4) {
            let (op, from, to) = CASES[below(CASES.len() as u64 - 16) as usize];
            let fits: Vec<usize> =
                floats.iter().filter(|float| float.1 == from).map(|float| float.0).collect();
            if fits.is_empty() {
                continue;
            }
            let mut pick = || fits[below(fits.len() as u64) as usize];
            steps.push((op, from, to, [pick(), pick()]));
            floats.push((next, to));
            next += 1;
        }
        if let (&(last, from), 0) = (&floats[floats.len() - 1], below(4)) {
            let op = if below(2) == 0 { Op::FToS } else { Op::FToU };
            steps.push((op, from, width, [last, last]));
        }
        if steps.is_empty() {
            steps.push((Op::FAdd, width, width, [0, 1]));
        }
        Program { inputs, steps, seed }
    }

    /// 64 lists of arguments.
    pub(crate) fn arguments(&self, batch: u64) -> Vec<Vec<u64>> {
        let mut source = Operands::new(Op::FAdd, Width::W64, self.seed ^ batch << 32);
        let mut singles = Operands::new(Op::FAdd, Width::W32, self.seed ^ batch << 32);
        let mut argument = |input: &Input| match *input {
            Input::Any(Width::W32) => singles.next()[0],
            Input::Any(_) => source.next()[0],
            Input::Constant(_, value) => value,
            Input::Small(width, bits) => {
                let [random, _] = source.next();
                let value =
                    Width::new(bits as u32).signed(random.rotate_left(13) & ((1 << bits) - 1));
                value as u64 & width.mask()
            }
        };
        (0..64).map(|_| self.inputs.iter().map(&mut argument).collect()).collect()
    }

    /// What the evaluator says.
    pub(crate) fn value(&self, arguments: &[u64]) -> u64 {
        let mut all = arguments.to_vec();
        for &(op, from, to, args) in &self.steps {
            all.push(match op.arity() {
                1 => fold_unary(op, from, to, 0, all[args[0]]),
                _ => fold_binary(op, from, all[args[0]], all[args[1]]),
            });
        }
        all[all.len() - 1]
    }
}
