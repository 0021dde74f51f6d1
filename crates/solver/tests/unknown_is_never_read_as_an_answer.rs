//! What nobody can decide stays undecided, for as long as it stands and no longer.
#![cfg(not(feature = "z3"))]

use pessimum_solver::{Answer, Reason, Solver};
use pessimum_term::{Arena, Domain, Op, TermId, Width};

struct World {
    arena: Arena,
    x: TermId,
    /// x · x = 2 in floats: only the evaluator reads it, and no start satisfies it.
    float: TermId,
}

fn world() -> World {
    let mut arena = Arena::new();
    let x = arena.variable(Width::W32, Domain::full(Width::W32));
    let square = arena.binary(Op::FMul, x, x);
    let two = arena.constant(Width::W32, u64::from(2f32.to_bits()));
    let float = arena.binary(Op::FEq, square, two);
    World { arena, x, float }
}

#[test]
fn a_float_that_the_model_misses_is_unknown() {
    let World { mut arena, float, .. } = world();
    let mut solver = Solver::new();
    assert_eq!(solver.check(&mut arena, float), Answer::Unknown(Reason::Float));
    let not = arena.not(float);
    assert_eq!(solver.check(&mut arena, not), Answer::Sat, "the model satisfies it");
}

#[test]
fn a_path_condition_without_a_model_answers_no_sat() {
    let World { mut arena, x, float } = world();
    let y = arena.variable(Width::W32, Domain::full(Width::W32));
    let mut solver = Solver::new();
    let mark = solver.mark();
    assert_eq!(solver.assert(&mut arena, float), Answer::Unknown(Reason::Float));
    let zero = arena.constant(Width::W32, 0);
    let unrelated = arena.binary(Op::Slt, zero, y);
    assert!(matches!(solver.check(&mut arena, unrelated), Answer::Unknown(_)));
    let not = arena.not(float);
    assert_eq!(solver.check(&mut arena, not), Answer::Unsat);
    let (low, high) = (arena.binary(Op::Slt, x, zero), arena.binary(Op::Slt, zero, x));
    assert!(matches!(solver.assert(&mut arena, low), Answer::Unknown(_)));
    assert_eq!(solver.check(&mut arena, high), Answer::Unsat, "whatever the float says");
    solver.undo_to(mark);
    assert_eq!(solver.check(&mut arena, unrelated), Answer::Sat);
    assert_eq!(solver.check(&mut arena, high), Answer::Sat);
}

#[test]
fn a_witness_of_the_floats_mends_the_path_condition() {
    let World { mut arena, x, .. } = world();
    let mut solver = Solver::new();
    // x + x > 2 in floats, undecided; then x = 5.0, which is bits and settles it.
    let sum = arena.binary(Op::FAdd, x, x);
    let two = arena.constant(Width::W32, u64::from(2f32.to_bits()));
    let more = arena.binary(Op::FLt, two, sum);
    assert_eq!(solver.assert(&mut arena, more), Answer::Unknown(Reason::Float));
    let five = arena.constant(Width::W32, u64::from(5f32.to_bits()));
    let is_five = arena.binary(Op::Eq, x, five);
    assert_eq!(solver.check(&mut arena, is_five), Answer::Sat);
    assert_eq!(solver.assert(&mut arena, is_five), Answer::Sat);
    assert!(solver.holds_in_model(&arena, more));
}
