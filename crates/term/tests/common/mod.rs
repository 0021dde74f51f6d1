//! Random terms built twice: through the smart constructors, and directly as values.
//!
//! A [`Recipe`] is a list of steps; each step makes one term from earlier ones. Running it keeps,
//! beside each term, the value it must have under a handful of assignments, computed by the fold
//! functions alone. The simplifier never sees that side, so any difference is its mistake.

#![allow(dead_code)] // each test uses a part of it

use pessimum_term::{Arena, Domain, Op, TermId, Width, fold_binary, fold_unary};
use proptest::prelude::*;

/// Assignments each term is evaluated under.
pub(crate) const SAMPLES: usize = 6;

/// One step; the numbers are reduced modulo whatever there is to choose from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) what: u8,
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) k: u64,
}

/// A variable: its width, the index of its domain, a seed for its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub(crate) width: u8,
    pub(crate) domain: u8,
    pub(crate) seed: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) inputs: Vec<Input>,
    pub(crate) steps: Vec<Step>,
}

pub(crate) fn recipes(max_steps: usize) -> impl Strategy<Value = Recipe> {
    let input = (any::<u8>(), any::<u8>(), any::<u64>()).prop_map(|(width, domain, seed)| Input {
        width,
        domain,
        seed,
    });
    let step = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), numbers())
        .prop_map(|(what, a, b, c, k)| Step { what, a, b, c, k });
    (prop::collection::vec(input, 1..4), prop::collection::vec(step, 1..max_steps))
        .prop_map(|(inputs, steps)| Recipe { inputs, steps })
}

/// Numbers near the edges rules look at, and some anywhere.
fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => 0u64..20,
        2 => (0u32..64, 0u64..3).prop_map(|(bit, near)| (1u64 << bit).wrapping_add(near).wrapping_sub(1)),
        1 => (1u64..20).prop_map(u64::wrapping_neg),
        1 => any::<u64>(),
    ]
}

/// A term with the values it must have.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) term: TermId,
    pub(crate) width: Width,
    pub(crate) values: [u64; SAMPLES],
}

/// A recipe being run in an arena.
pub(crate) struct Kitchen {
    pub(crate) arena: Arena,
    pub(crate) pool: Vec<Made>,
    pub(crate) inputs: usize,
}

const WIDTHS: [Width; 5] = [Width::BOOL, Width::W8, Width::W16, Width::W32, Width::W64];

impl Kitchen {
    pub(crate) fn new(recipe: &Recipe) -> Self {
        let mut kitchen =
            Kitchen { arena: Arena::new(), pool: Vec::new(), inputs: recipe.inputs.len() };
        for input in &recipe.inputs {
            let width = WIDTHS[usize::from(input.width) % WIDTHS.len()];
            let domain = domain(width, input.domain);
            let mut seed = input.seed;
            let values = std::array::from_fn(|_| {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let span = (domain.hi - domain.lo + 1) as u128;
                let mixed = (seed ^ seed >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                // Half of the samples stay near the least value, so that inputs coincide.
                let span = if mixed & 1 == 0 { span } else { span.min(4) };
                let offset = u128::from(mixed.rotate_right(7)) % span;
                (domain.lo + offset as i128) as u64 & width.mask()
            });
            let term = kitchen.arena.variable(width, domain);
            kitchen.pool.push(Made { term, width, values });
        }
        kitchen
    }

    /// Every step in order.
    pub(crate) fn run(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(*step);
        }
    }

    /// The pool entry `index` names, counted from the newest.
    pub(crate) fn pick(&self, index: u8) -> &Made {
        &self.pool[self.pool.len() - 1 - usize::from(index) % self.pool.len()]
    }

    /// A term of `width` made from entry `index`: itself, cut or extended.
    fn coerced(&mut self, index: u8, width: Width, signed: bool) -> Made {
        // An entry that fits already is preferred: coercions hide the rules.
        let fits = self.pool.iter().filter(|m| m.width == width).count();
        if fits > 0 && index < 200 {
            let nth = usize::from(index) % fits;
            let fit = self.pool.iter().rev().filter(|m| m.width == width).nth(nth);
            return fit.expect("counted").clone();
        }
        let from = self.pick(index).clone();
        let op = match (from.width.cmp(&width), signed) {
            (std::cmp::Ordering::Greater, _) => Op::Extract,
            (_, true) => Op::SignExt,
            (_, false) => Op::ZeroExt,
        };
        let term = self.arena.unary(op, width, from.term);
        self.keep(term, width, from.values.map(|v| fold_unary(op, from.width, width, 0, v)))
    }

    fn keep(&mut self, term: TermId, width: Width, values: [u64; SAMPLES]) -> Made {
        let made = Made { term, width, values };
        self.pool.push(made.clone());
        made
    }

    fn constant(&mut self, width: Width, k: u64) -> Made {
        let value = k & width.mask();
        Made { term: self.arena.constant(width, k), width, values: [value; SAMPLES] }
    }

    fn step(&mut self, step: Step) {
        let first = self.pick(step.a).clone();
        match step.what {
            // Most steps are binary, half of them with a constant, a few with it on the left.
            0..160 => {
                let op = Op::ON_TWO_INTEGERS[usize::from(step.c) % Op::ON_TWO_INTEGERS.len()];
                let second = match step.b % 4 {
                    0 | 1 => self.constant(first.width, step.k),
                    2 => self.coerced(step.b, first.width, step.k & 1 == 1),
                    _ => self.coerced(step.b / 2, first.width, step.k & 1 == 1),
                };
                let (x, y) = if step.k % 7 == 3 { (second, first) } else { (first, second) };
                let term = self.arena.binary(op, x.term, y.term);
                let width = if op.is_comparison() { Width::BOOL } else { x.width };
                let values =
                    std::array::from_fn(|i| fold_binary(op, x.width, x.values[i], y.values[i]));
                self.keep(term, width, values);
            }
            160..180 => {
                let condition = self.coerced(step.b, Width::BOOL, false);
                let (x, y) = match step.k % 4 {
                    0 => (
                        self.constant(first.width, step.k >> 2),
                        self.constant(first.width, u64::from(step.c)),
                    ),
                    1 => (first.clone(), self.constant(first.width, step.k >> 2)),
                    _ => (first.clone(), self.coerced(step.c, first.width, true)),
                };
                let term = self.arena.ite(condition.term, x.term, y.term);
                let values = std::array::from_fn(|i| {
                    if condition.values[i] != 0 { x.values[i] } else { y.values[i] }
                });
                self.keep(term, x.width, values);
            }
            180..205 => {
                let bits = first.width.bits();
                let low = u32::from(step.b) % bits;
                let to = Width::new(1 + u32::from(step.c) % (bits - low));
                let term = self.arena.extract(first.term, low, to);
                let values = first.values.map(|v| fold_unary(Op::Extract, first.width, to, low, v));
                self.keep(term, to, values);
            }
            205..220 => {
                let second = if step.k.is_multiple_of(5) {
                    self.constant(WIDTHS[usize::from(step.c) % 4], step.k / 5)
                } else {
                    self.pick(step.b).clone()
                };
                let bits = first.width.bits() + second.width.bits();
                if bits > 64 {
                    return;
                }
                let (x, y) = if step.k & 1 == 0 { (first, second) } else { (second, first) };
                let term = self.arena.concat(x.term, y.term);
                let shift = y.width.bits();
                let values = std::array::from_fn(|i| x.values[i] << shift | y.values[i]);
                self.keep(term, Width::new(bits), values);
            }
            220..240 => {
                let op = if step.k & 1 == 0 { Op::ZeroExt } else { Op::SignExt };
                let bits = first.width.bits();
                let to = match step.b % 3 {
                    0 => Width::new(bits + u32::from(step.c) % (65 - bits)),
                    _ => WIDTHS.into_iter().find(|w| *w > first.width).unwrap_or(Width::W64),
                };
                let term = self.arena.unary(op, to, first.term);
                let values = first.values.map(|v| fold_unary(op, first.width, to, 0, v));
                self.keep(term, to, values);
            }
            240..250 => {
                let op = [Op::Clz, Op::Ctz, Op::Popcnt][usize::from(step.b) % 3];
                let term = self.arena.unary(op, first.width, first.term);
                let values = first.values.map(|v| fold_unary(op, first.width, first.width, 0, v));
                self.keep(term, first.width, values);
            }
            _ => {
                let condition = self.coerced(step.b, Width::BOOL, false);
                let term = self.arena.not(condition.term);
                self.keep(term, Width::BOOL, condition.values.map(|v| v ^ 1));
            }
        }
    }
}

/// A few shapes of domain: everything, one value, around zero, unsigned beyond the sign bit.
fn domain(width: Width, choice: u8) -> Domain {
    let (min, max) = (i128::from(width.min_signed()), i128::from(width.max_signed()));
    let mask = i128::from(width.mask());
    match choice % 8 {
        0..3 => Domain::full(width),
        3 => Domain { lo: min, hi: -1 },
        4 => Domain { lo: (-3).max(min), hi: 6.min(max) },
        5 => Domain { lo: 0, hi: (i128::from(choice) / 3).min(mask) },
        6 => Domain { lo: mask / 4, hi: mask - mask / 5 },
        _ => Domain { lo: 1, hi: 1 },
    }
}
