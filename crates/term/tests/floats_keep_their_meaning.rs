//! Whatever is known of floats when a term is built (ranges, whole numbers that are never rounded), the term means what
//! was asked for.

use pessimum_term::{Arena, Domain, Evaluator, Op, TermId, VarId, Width, fold_binary, fold_unary};
use proptest::prelude::*;

const SAMPLES: usize = 8;

#[derive(Clone, Debug)]
struct Made {
    term: TermId,
    width: Width,
    values: [u64; SAMPLES],
}

/// Numbers, reduced modulo what there is to choose from.
#[derive(Clone, Copy, Debug)]
struct Step {
    what: u8,
    a: u8,
    b: u8,
    k: u8,
}

const CONSTANTS: [f64; 12] =
    [0.0, -0.0, 1.0, -1.0, 0.25, 4.0, 3.0, -2.5, 0.1, 16_777_217.0, f64::INFINITY, 1e-310];

fn bits(width: Width, x: f64) -> u64 {
    if width == Width::W32 { u64::from((x as f32).to_bits()) } else { x.to_bits() }
}

/// Inputs: bytes, words of few or many values, and floats between two numbers.
fn input(arena: &mut Arena, kind: u8, mut seed: u64) -> Made {
    let mut next = move || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (seed ^ seed >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let width = if kind & 1 == 0 { Width::W32 } else { Width::W64 };
    let (width, lo, hi) = match kind / 2 % 6 {
        0 => (Width::W8, -128, 127),
        1 => (width, -5, 9),
        2 => (width, 0, 1 << 20),
        3 => (width, width.min_signed().into(), width.max_signed().into()),
        other => {
            let ends = [[-1.5, 2.0], [0.0, 100.0], [-7.0, -0.5], [-0.0, 1.0]];
            let [low, high] = ends[(usize::from(other) + next() as usize) % 4];
            let term = arena.float_variable(width, bits(width, low), bits(width, high));
            let v = VarId(arena.var_count() - 1);
            let values = std::array::from_fn(|_| {
                let part = (next() >> 11) as f64 / (1u64 << 53) as f64;
                let some = [low, high, 0.0, -0.0, low + (high - low) * part];
                let value = bits(width, some[(next() % 5) as usize]);
                if arena.admits(v, value) { value } else { bits(width, low) }
            });
            return Made { term, width, values };
        }
    };
    let term = arena.variable(width, Domain { lo, hi });
    let span = (hi - lo + 1) as u128;
    let values =
        std::array::from_fn(|_| (lo + (u128::from(next()) % span) as i128) as u64 & width.mask());
    Made { term, width, values }
}

fn run(inputs: &[(u8, u64)], steps: &[Step]) -> (Arena, Vec<Made>, usize) {
    let mut arena = Arena::new();
    let mut pool: Vec<Made> =
        inputs.iter().map(|(kind, seed)| input(&mut arena, *kind, *seed)).collect();
    let inputs = pool.len();
    for step in steps {
        let pick = |at: u8| pool[pool.len() - 1 - usize::from(at) % pool.len()].clone();
        let mut x = pick(step.a);
        let float = |made: &Made| made.width == Width::W32 || made.width == Width::W64;
        let to = if step.k & 1 == 0 { Width::W32 } else { Width::W64 };
        if step.what < 60 || !float(&x) {
            // A number of an integer.
            if x.width == Width::W8 || x.width == Width::BOOL {
                let wide = arena.sign_extend(Width::W32, x.term);
                let values = x.values.map(|v| fold_unary(Op::SignExt, x.width, Width::W32, 0, v));
                x = Made { term: wide, width: Width::W32, values };
            }
            let op = if step.k & 2 == 0 { Op::FFromS } else { Op::FFromU };
            let term = arena.unary(op, to, x.term);
            let values = x.values.map(|v| fold_unary(op, x.width, to, 0, v));
            pool.push(Made { term, width: to, values });
            continue;
        }
        if step.what < 100 {
            let unary =
                [Op::FSqrt, Op::FCeil, Op::FFloor, Op::FTrunc, Op::FNearest, Op::FToS, Op::FToU];
            let (op, to) = match (usize::from(step.k) % 8, x.width) {
                (7, Width::W32) => (Op::FPromote, Width::W64),
                (7, _) => (Op::FDemote, Width::W32),
                (at @ (5 | 6), _) => (unary[at], to),
                (at, _) => (unary[at], x.width),
            };
            let term = arena.unary(op, to, x.term);
            let values = x.values.map(|v| fold_unary(op, x.width, to, 0, v));
            pool.push(Made { term, width: to, values });
            continue;
        }
        let mut y = pick(step.b);
        if y.width != x.width || step.b & 1 == 0 {
            let k = bits(x.width, CONSTANTS[usize::from(step.k) % CONSTANTS.len()]);
            y = Made { term: arena.constant(x.width, k), width: x.width, values: [k; SAMPLES] };
        }
        let ops = [
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FMin,
            Op::FMax,
            Op::FLt,
            Op::FLe,
            Op::FEq,
            Op::Xor,
        ];
        let op = ops[usize::from(step.what) % ops.len()];
        if op == Op::Xor {
            // As the machine negates.
            let sign = x.width.sign_bit();
            y = Made {
                term: arena.constant(x.width, sign),
                width: x.width,
                values: [sign; SAMPLES],
            };
        }
        let (x, y) = if step.a & 8 == 0 { (x, y) } else { (y, x) };
        let term = arena.binary(op, x.term, y.term);
        let width = if op.is_comparison() { Width::BOOL } else { x.width };
        let values = std::array::from_fn(|i| fold_binary(op, x.width, x.values[i], y.values[i]));
        pool.push(Made { term, width, values });
    }
    (arena, pool, inputs)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, ..ProptestConfig::default() })]

    #[test]
    fn floats_are_what_was_asked_for(
        inputs in prop::collection::vec((any::<u8>(), any::<u64>()), 1..4),
        steps in prop::collection::vec(
            (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(what, a, b, k)| Step { what, a, b, k }),
            1..20,
        ),
    ) {
        let (arena, pool, inputs) = run(&inputs, &steps);
        for made in &pool {
            let range = arena.range(made.term);
            for i in 0..SAMPLES {
                let mut eval = Evaluator::new();
                let value = eval.value(&arena, made.term, |v: VarId| pool[v.0 as usize].values[i]);
                prop_assert_eq!(value, made.values[i], "{:?} {:?}", made.term, arena.node(made.term));
                let in_range = range.contains(made.width, value);
                prop_assert!(in_range, "{value:#x} outside {range:?}: {:?}", arena.node(made.term));
            }
        }
        for (v, made) in pool[..inputs].iter().enumerate() {
            prop_assert!(made.values.iter().all(|bits| arena.admits(VarId(v as u32), *bits)));
        }
    }
}
