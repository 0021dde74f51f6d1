//! A question that is answered *sat* leaves a model behind, and that model satisfies the question and every
//! assertion: whoever answered, and whatever ties the inputs together.

use pessimum_solver::{Answer, Solver};
use pessimum_term::{Arena, Domain, Evaluator, Op, TermId, VarId, Width};

/// Two bytes in 0..=7, widened as a compiler without optimisation does it.
fn two_bytes() -> (Arena, [TermId; 2]) {
    let mut arena = Arena::new();
    let bytes = [(); 2].map(|()| {
        let byte = arena.variable(Width::W8, Domain { lo: 0, hi: 7 });
        arena.zero_extend(Width::W32, byte)
    });
    (arena, bytes)
}

fn asserted(arena: &mut Arena, solver: &mut Solver, c: TermId) {
    assert_eq!(solver.assert(arena, c), Answer::Sat);
    let mut eval = Evaluator::new();
    for &c in solver.assertions() {
        let value = eval.value(arena, c, |v: VarId| solver.var_value(v));
        assert_eq!(value, 1, "an assertion does not hold in the model");
    }
}

/// `b - a == b` mentions two bytes and bounds one: the table of a condition on that byte alone must not
/// forget the bound.
#[test]
fn a_byte_that_an_equation_pins_stays_pinned() {
    for low_bits in 0..4 {
        let (mut arena, [a, b]) = two_bytes();
        let mut solver = Solver::new();
        let difference = arena.binary(Op::Sub, b, a);
        let tie = arena.binary(Op::Eq, difference, b);
        asserted(&mut arena, &mut solver, tie);
        let three = arena.constant(Width::W32, 3);
        let low = arena.binary(Op::And, a, three);
        let k = arena.constant(Width::W32, low_bits);
        let question = arena.binary(Op::Eq, low, k);
        let truth = if low_bits == 0 { Answer::Sat } else { Answer::Unsat };
        assert_eq!(solver.check(&mut arena, question), truth, "a & 3 == {low_bits}");
        if truth == Answer::Sat {
            asserted(&mut arena, &mut solver, question);
        }
    }
}

/// The same by an order: `b - a <= b - 3` is a ≥ 3.
#[test]
fn a_byte_that_an_order_bounds_stays_bounded() {
    let (mut arena, [a, b]) = two_bytes();
    let mut solver = Solver::new();
    let three = arena.constant(Width::W32, 3);
    let (left, right) = (arena.binary(Op::Sub, b, a), arena.binary(Op::Sub, b, three));
    let tie = arena.binary(Op::Sle, left, right);
    asserted(&mut arena, &mut solver, tie);
    let four = arena.constant(Width::W32, 4);
    let bit = arena.binary(Op::And, a, four);
    let zero = arena.is_zero(bit);
    // Of 3..=7 only 3 has the third bit clear.
    asserted(&mut arena, &mut solver, zero);
    assert_eq!(solver.var_value(VarId(0)), 3);
    let odd = arena.extract(a, 0, Width::BOOL);
    let even = arena.not(odd);
    assert_eq!(solver.check(&mut arena, even), Answer::Unsat);
}

/// A least solution over domains with holes starts at the least *member*, also where a bound came from
/// elsewhere than the set.
#[test]
fn a_bound_between_two_members_is_no_member() {
    let (mut arena, [a, b]) = two_bytes();
    let mut solver = Solver::new();
    let one = arena.constant(Width::W32, 1);
    let (left, right) = (arena.binary(Op::Sub, b, a), arena.binary(Op::Sub, b, one));
    // a ≥ 1, then a even, then a < b.
    let bound = arena.binary(Op::Sle, left, right);
    asserted(&mut arena, &mut solver, bound);
    let odd = arena.extract(a, 0, Width::BOOL);
    let even = arena.not(odd);
    asserted(&mut arena, &mut solver, even);
    let less = arena.binary(Op::Slt, a, b);
    asserted(&mut arena, &mut solver, less);
    let three = arena.constant(Width::W32, 3);
    let small = arena.binary(Op::Slt, b, three);
    assert_eq!(solver.check(&mut arena, small), Answer::Unsat, "2 ≤ a < b < 3");
}
