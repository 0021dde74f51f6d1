//! Conditions on computed floats: sat exactly when some pair of inputs makes it so, however many circuits are there.

use super::against_brute_force::is_model;
use crate::blast::Blaster;
use crate::{Answer, Reason, Work};
use pessimum_term::{Arena, Domain, Evaluator, Op, TermId, VarId, Width};
use proptest::prelude::*;

/// Where the bits of an input stand in the float: in its upper part, or apart, so that fractions are long.
fn widened(arena: &mut Arena, x: TermId, spread: bool, width: Width) -> TermId {
    let bits = arena.width(x).bits();
    let rest = width.bits() - bits;
    if !spread {
        let zeros = arena.constant(Width::new(rest), 0);
        return arena.concat(x, zeros);
    }
    // The sign and the exponent of a number near one, then the input at both ends of the fraction.
    let high = if width == Width::W32 { (9, 0x7f) } else { (12, 0x3ff) };
    let head = arena.constant(Width::new(high.0), high.1);
    let middle = arena.constant(Width::new(width.bits() - high.0 - 2 * bits), 0);
    let upper = arena.concat(head, x);
    let upper = arena.concat(upper, middle);
    arena.concat(upper, x)
}

const BINARY: [Op; 6] = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMin, Op::FMax];
const UNARY: [Op; 5] = [Op::FSqrt, Op::FCeil, Op::FFloor, Op::FTrunc, Op::FNearest];

#[derive(Clone, Debug)]
struct Question {
    wide: bool,
    spread: [bool; 2],
    integers: [bool; 2],
    steps: Vec<(u8, u8, u8)>,
    /// Comparisons: which, of what, with what, and whether it is to hold.
    asked: Vec<(u8, u8, u8, bool)>,
    constant: [u8; 2],
}

fn questions() -> impl Strategy<Value = Question> {
    (
        any::<bool>(),
        any::<[bool; 2]>(),
        any::<[bool; 2]>(),
        prop::collection::vec(any::<(u8, u8, u8)>(), 1..4),
        prop::collection::vec(any::<(u8, u8, u8, bool)>(), 1..4),
        any::<[u8; 2]>(),
    )
        .prop_map(|(wide, spread, integers, steps, asked, constant)| Question {
            wide,
            spread,
            integers,
            steps,
            asked,
            constant,
        })
}

/// Two inputs of five bits each.
const BITS: u32 = 5;

fn build(arena: &mut Arena, q: &Question) -> Vec<TermId> {
    let narrow = Width::new(BITS);
    let width = if q.wide { Width::W64 } else { Width::W32 };
    let mut pool: Vec<TermId> = Vec::new();
    for i in 0..2 {
        let x = arena.variable(narrow, Domain::full(narrow));
        pool.push(if q.integers[i] {
            let x = arena.sign_extend(Width::W32, x);
            arena.unary(Op::FFromS, width, x)
        } else {
            widened(arena, x, q.spread[i], width)
        });
    }
    // A constant that some of the pairs give, so that equations have solutions.
    let mut eval = Evaluator::new();
    let pick = |pool: &[TermId], i: u8| pool[usize::from(i) % pool.len()];
    for &(op, a, b) in &q.steps {
        let (a, b) = (pick(&pool, a), pick(&pool, b));
        let op = usize::from(op) % (2 * BINARY.len() + UNARY.len());
        let t = match op.checked_sub(2 * BINARY.len()) {
            Some(op) => arena.unary(UNARY[op], width, a),
            None => arena.binary(BINARY[op / 2], a, b),
        };
        pool.push(t);
    }
    let last = pool[pool.len() - 1];
    let mask = narrow.mask();
    let value = eval.value(arena, last, |v| u64::from(q.constant[v.0 as usize]) & mask);
    pool.push(arena.constant(width, value));
    let mut ask = |&(op, a, b, holds): &(u8, u8, u8, bool)| {
        let pick = |i: u8| pool[pool.len() - 1 - usize::from(i) % pool.len()];
        let (a, b) = (pick(a % 3), pick(b));
        let op = [Op::FEq, Op::FLt, Op::FLe, Op::Eq][usize::from(op) % 4];
        let c = arena.binary(op, a, b);
        if holds { c } else { arena.not(c) }
    };
    q.asked.iter().map(&mut ask).collect()
}

fn brute_force(arena: &Arena, constraints: &[TermId]) -> bool {
    let mut eval = Evaluator::new();
    (0..1u64 << (2 * BITS)).any(|code| {
        eval.forget();
        let value = |v: VarId| code >> (v.0 * BITS) & ((1 << BITS) - 1);
        constraints.iter().all(|t| eval.value(arena, *t, value) == 1)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// With the circuits that are small built at once, and with none.
    #[test]
    fn answers_equal_brute_force(q in questions()) {
        let mut arena = Arena::new();
        let constraints = build(&mut arena, &q);
        let expected = if brute_force(&arena, &constraints) { Answer::Sat } else { Answer::Unsat };
        for few in [super::super::lazy::FEW, 0] {
            let mut blaster = Blaster::new();
            blaster.encoder.few = few;
            let answer = blaster.solve(&arena, &constraints, &mut Work::unlimited());
            prop_assert_eq!(answer, expected);
            if answer == Answer::Sat {
                prop_assert!(is_model(&arena, &constraints, &blaster));
            } else {
                let core: Vec<TermId> = blaster.core().iter().map(|at| constraints[*at]).collect();
                prop_assert!(!brute_force(&arena, &core), "a core has no model either");
            }
        }
    }

    /// One blaster for one question after the other, with the arena undone in between.
    #[test]
    fn circuits_stay_true(asked in prop::collection::vec(questions(), 2..6)) {
        let mut arena = Arena::new();
        let mut blaster = Blaster::new();
        blaster.encoder.few = 0;
        let mark = arena.mark();
        for q in asked {
            let constraints = build(&mut arena, &q);
            let expected = brute_force(&arena, &constraints);
            let answer = blaster.solve(&arena, &constraints, &mut Work::unlimited());
            prop_assert_eq!(answer, if expected { Answer::Sat } else { Answer::Unsat });
            arena.undo_to(mark);
            blaster.undo_to(arena.len());
        }
    }
}

fn double(arena: &mut Arena) -> TermId {
    arena.variable(Width::W64, Domain::full(Width::W64))
}

/// Keys that are computed contradict themselves in their order alone.
#[test]
fn an_order_of_results_needs_no_circuit() {
    let mut arena = Arena::new();
    let keys: Vec<TermId> = (0..3)
        .map(|_| {
            let [a, b, c] = [(); 3].map(|()| double(&mut arena));
            let product = arena.binary(Op::FMul, a, b);
            arena.binary(Op::FAdd, product, c)
        })
        .collect();
    let less = |arena: &mut Arena, i: usize, j: usize| arena.binary(Op::FLt, keys[i], keys[j]);
    let cycle: Vec<TermId> = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| less(&mut arena, i, j)).to_vec();
    let mut blaster = Blaster::new();
    let mut work = Work::unlimited();
    assert_eq!(blaster.solve(&arena, &cycle, &mut work), Answer::Unsat);
    assert_eq!(blaster.core(), [0, 1, 2]);
    let small = blaster.encoder.gates.sat.clauses();
    assert!(small < 20_000, "{small} clauses");
    assert_eq!(blaster.solve(&arena, &cycle[..2], &mut work), Answer::Sat);
    assert!(is_model(&arena, &cycle[..2], &blaster));
    assert!(blaster.encoder.gates.sat.clauses() > 2 * small, "the circuits of two keys at least");
}

/// A square is not negative, and a root is not: the signs say so.
#[test]
fn signs_are_known_without_a_circuit() {
    let mut arena = Arena::new();
    let x = double(&mut arena);
    let zero = arena.constant(Width::W64, 0);
    let (square, root) = (arena.binary(Op::FMul, x, x), arena.unary(Op::FSqrt, Width::W64, x));
    for t in [square, root] {
        let negative = arena.binary(Op::FLt, t, zero);
        let mut blaster = Blaster::new();
        let answer = blaster.solve(&arena, &[negative], &mut Work::new(1_000_000_000));
        assert_eq!(answer, Answer::Unsat);
    }
}

#[test]
fn a_limit_is_an_unknown_and_the_same_every_time() {
    let mut arena = Arena::new();
    let [x, y] = [(); 2].map(|()| double(&mut arena));
    // No two doubles above 2 make this prime, which takes long to find out.
    let product = arena.binary(Op::FMul, x, y);
    let prime = arena.constant(Width::W64, 2_305_843_009_213_693_951f64.to_bits() - 1);
    let two = arena.constant(Width::W64, 2f64.to_bits());
    let same = arena.binary(Op::FEq, product, prime);
    let [above, below] = [x, y].map(|t| arena.binary(Op::FLt, two, t));
    let spend = |units: u64| {
        let mut work = Work::new(units);
        let answer = Blaster::new().solve(&arena, &[same, above, below], &mut work);
        assert!(matches!(answer, Answer::Unknown(Reason::Work) | Answer::Sat));
        (answer, work.spent())
    };
    for units in [10, 100_000, 10_000_000] {
        assert_eq!(spend(units), spend(units));
    }
}
