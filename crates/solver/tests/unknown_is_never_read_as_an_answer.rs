//! What nobody can decide stays undecided, for as long as it stands and no longer.
#![cfg(not(feature = "z3"))]

use pessimum_solver::{Answer, Config, Reason, Solver};
use pessimum_term::{Arena, Domain, Op, TermId, Width};

struct World {
    arena: Arena,
    x: TermId,
    /// x · x = 4 in floats: too much for a solver that may not work, and no guess satisfies it.
    float: TermId,
}

fn world() -> World {
    let mut arena = Arena::new();
    let x = arena.variable(Width::W32, Domain::full(Width::W32));
    let square = arena.binary(Op::FMul, x, x);
    let four = arena.constant(Width::W32, u64::from(4f32.to_bits()));
    let float = arena.binary(Op::FEq, square, four);
    World { arena, x, float }
}

/// A solver that has no work for bits.
fn idle() -> Solver {
    Solver::with_config(Config { blast_work: 0, ..Config::default() })
}

#[test]
fn a_float_that_the_model_misses_is_unknown() {
    let World { mut arena, float, .. } = world();
    let mut solver = idle();
    assert_eq!(solver.check(&mut arena, float), Answer::Unknown(Reason::Float));
    let not = arena.not(float);
    assert_eq!(solver.check(&mut arena, not), Answer::Sat, "the model satisfies it");
}

#[test]
fn a_path_condition_without_a_model_answers_no_sat() {
    let World { mut arena, x, float } = world();
    let y = arena.variable(Width::W32, Domain::full(Width::W32));
    let mut solver = idle();
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
    let World { mut arena, x, float } = world();
    let mut solver = idle();
    assert_eq!(solver.assert(&mut arena, float), Answer::Unknown(Reason::Float));
    // x = 2.0 is a matter of bits and settles it.
    let two = arena.constant(Width::W32, u64::from(2f32.to_bits()));
    let is_two = arena.binary(Op::Eq, x, two);
    assert_eq!(solver.check(&mut arena, is_two), Answer::Sat);
    assert_eq!(solver.assert(&mut arena, is_two), Answer::Sat);
    assert!(solver.holds_in_model(&arena, float));
}

/// With work to spend the same questions have answers.
#[test]
fn computed_floats_are_decided() {
    let World { mut arena, x, float } = world();
    let mut solver = Solver::new();
    assert_eq!(solver.assert(&mut arena, float), Answer::Sat);
    let zero = arena.constant(Width::W32, 0);
    let negative = arena.binary(Op::FLt, x, zero);
    assert_eq!(solver.assert(&mut arena, negative), Answer::Sat);
    assert_eq!(solver.var_value(pessimum_term::VarId(0)), u64::from((-2f32).to_bits()));
    let three = arena.constant(Width::W32, u64::from(3f32.to_bits()));
    let sum = arena.binary(Op::FAdd, x, three);
    let above = arena.binary(Op::FLt, zero, sum);
    let not = arena.not(above);
    assert_eq!(solver.check(&mut arena, not), Answer::Unsat);
    assert!(solver.explain(&mut arena, not).is_some_and(|reasons| reasons.contains(&0)));
}
