//! Random conditions, from a list of numbers that proptest can shrink.

use pessimum_term::{Arena, Domain, Op, TermId, Width};
use proptest::prelude::*;

/// A step makes a term from earlier ones; its numbers are reduced modulo what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    what: u8,
    a: u8,
    b: u8,
    c: u8,
    k: u64,
}

/// Variables (width index, domain choice), then steps.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) inputs: Vec<(u8, u8)>,
    pub(crate) steps: Vec<Step>,
    /// Which terms become the constraints.
    pub(crate) constraints: Vec<(u8, bool)>,
}

pub(crate) fn steps(max: usize) -> impl Strategy<Value = Vec<Step>> {
    let number = prop_oneof![
        3 => 0u64..12,
        1 => (0u32..64).prop_map(|bit| 1 << bit),
        1 => (1u64..12).prop_map(u64::wrapping_neg),
        1 => any::<u64>(),
    ];
    let step = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), number)
        .prop_map(|(what, a, b, c, k)| Step { what, a, b, c, k });
    prop::collection::vec(step, 1..max)
}

pub(crate) fn queries(max_inputs: usize, max_steps: usize) -> impl Strategy<Value = Query> {
    (
        prop::collection::vec(any::<(u8, u8)>(), 1..=max_inputs),
        steps(max_steps),
        prop::collection::vec(any::<(u8, bool)>(), 1..4),
    )
        .prop_map(|(inputs, steps, constraints)| Query { inputs, steps, constraints })
}

impl Query {
    /// Makes the variables, of the given widths.
    pub(crate) fn variables(&self, arena: &mut Arena, widths: &[Width]) -> Vec<TermId> {
        let make = |(width, domain): &(u8, u8)| {
            let width = widths[usize::from(*width) % widths.len()];
            let (max, mask) = (i128::from(width.max_signed()), i128::from(width.mask()));
            let domain = match domain % 6 {
                0 => Domain { lo: (-3).max(i128::from(width.min_signed())), hi: 4.min(max) },
                1 => Domain { lo: mask / 3, hi: mask - mask / 5 },
                2 => Domain { lo: 0, hi: 9.min(mask) },
                _ => Domain::full(width),
            };
            arena.variable(width, domain)
        };
        self.inputs.iter().map(make).collect()
    }

    /// The constraints: conditions made from the last terms.
    pub(crate) fn build(&self, arena: &mut Arena, variables: Vec<TermId>) -> Vec<TermId> {
        let pool = run(arena, variables, &self.steps);
        let constraint = |(index, truth): &(u8, bool)| {
            let t = pool[pool.len() - 1 - usize::from(*index) % pool.len()];
            let holds = arena.is_nonzero(t);
            if *truth { holds } else { arena.not(holds) }
        };
        self.constraints.iter().map(constraint).collect()
    }
}

/// Runs the steps; the pool grows by one term each.
pub(crate) fn run(arena: &mut Arena, mut pool: Vec<TermId>, steps: &[Step]) -> Vec<TermId> {
    for step in steps {
        let t = make(arena, &pool, *step);
        pool.push(t);
    }
    pool
}

fn make(arena: &mut Arena, pool: &[TermId], step: Step) -> TermId {
    let pick = |i: u8| pool[pool.len() - 1 - usize::from(i) % pool.len()];
    let a = pick(step.a);
    let width = arena.width(a);
    match step.what {
        0..170 => {
            let op = Op::ON_TWO_INTEGERS[usize::from(step.c) % Op::ON_TWO_INTEGERS.len()];
            let b = if step.b.is_multiple_of(3) {
                arena.constant(width, step.k)
            } else {
                coerced(arena, pick(step.b), width, step.k & 1 == 1)
            };
            if step.k % 5 == 2 { arena.binary(op, b, a) } else { arena.binary(op, a, b) }
        }
        170..195 => {
            let condition = arena.is_nonzero(pick(step.b));
            let other = coerced(arena, pick(step.c), width, true);
            arena.ite(condition, a, other)
        }
        195..210 => {
            let low = u32::from(step.b) % width.bits();
            let to = Width::new(1 + u32::from(step.c) % (width.bits() - low));
            arena.extract(a, low, to)
        }
        210..220 => {
            let b = pick(step.b);
            if width.bits() + arena.width(b).bits() > 64 {
                return a;
            }
            arena.concat(a, b)
        }
        220..240 => {
            let op = [Op::Clz, Op::Ctz, Op::Popcnt][usize::from(step.b) % 3];
            arena.unary(op, width, a)
        }
        _ => {
            let to = Width::new(width.bits() + u32::from(step.b) % (65 - width.bits()));
            let op = [Op::ZeroExt, Op::SignExt][usize::from(step.c) % 2];
            arena.unary(op, to, a)
        }
    }
}

fn coerced(arena: &mut Arena, t: TermId, to: Width, signed: bool) -> TermId {
    if arena.width(t) > to {
        arena.extract(t, 0, to)
    } else if signed {
        arena.sign_extend(to, t)
    } else {
        arena.zero_extend(to, t)
    }
}
