//! A blaster that lives through undo and regrowth answers as a new one does.

use super::against_brute_force::is_model;
use super::random::{queries, run, steps};
use crate::blast::{Blaster, SMALL};
use crate::{Answer, Reason, Work};
use pessimum_term::{Arena, Domain, Op, VarId, Width};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn undo_and_regrowth_change_no_answer(
        query in queries(2, 6),
        walks in prop::collection::vec((steps(5), any::<bool>()), 1..12),
    ) {
        let mut arena = Arena::new();
        let variables = query.variables(&mut arena, &[Width::new(5), Width::W8, Width::W16]);
        let mut blaster = Blaster::new();
        let mut path = Vec::new();
        for (walk, back) in walks {
            if back && let Some((mark, _)) = path.pop() {
                arena.undo_to(mark);
                blaster.undo_to(arena.len());
            }
            let mark = arena.mark();
            let pool = run(&mut arena, variables.clone(), &walk);
            let condition = arena.is_nonzero(pool[pool.len() - 1]);
            path.push((mark, condition));
            let constraints: Vec<_> = path.iter().map(|(_, c)| *c).collect();
            let answer = blaster.solve(&arena, &constraints, &mut Work::new(50_000_000));
            let fresh = Blaster::new().solve(&arena, &constraints, &mut Work::new(50_000_000));
            let open = |a| matches!(a, Answer::Unknown(_));
            prop_assert!(answer == fresh || open(answer) || open(fresh));
            if answer == Answer::Sat {
                prop_assert!(is_model(&arena, &constraints, &blaster));
            }
        }
    }
}

#[test]
fn a_variable_made_anew_has_its_new_domain() {
    let mut arena = Arena::new();
    let mut blaster = Blaster::new();
    let mark = arena.mark();
    for (lo, hi) in [(0, 5), (7, 9), (0, 5)] {
        let x = arena.variable(Width::W8, Domain { lo, hi });
        let four = arena.constant(Width::W8, 4);
        let bit = arena.binary(Op::And, x, four);
        let bit = arena.is_nonzero(bit);
        let answer = blaster.solve(&arena, &[bit], &mut Work::unlimited());
        assert_eq!(answer, Answer::Sat);
        let value = i128::from(blaster.value(VarId(0)).unwrap());
        assert!(lo <= value && value <= hi && value & 4 == 4);
        arena.undo_to(mark);
        blaster.undo_to(arena.len());
    }
}

#[test]
fn the_instance_does_not_grow_without_end() {
    let mut arena = Arena::new();
    let x = arena.variable(Width::W32, Domain::full(Width::W32));
    let y = arena.variable(Width::W32, Domain::full(Width::W32));
    let mut blaster = Blaster::new();
    let mut largest = 0;
    for k in 0..200 {
        let mark = arena.mark();
        let k = arena.constant(Width::W32, k * 977 + 3);
        let sum = arena.binary(Op::Add, x, k);
        let product = arena.binary(Op::Mul, sum, sum);
        let less = arena.binary(Op::Ult, product, y);
        assert_eq!(blaster.solve(&arena, &[less], &mut Work::unlimited()), Answer::Sat);
        largest = largest.max(blaster.encoder.gates.sat.size());
        arena.undo_to(mark);
        blaster.undo_to(arena.len());
    }
    assert!(largest < 2 * SMALL, "{largest} variables");
}

#[test]
fn a_limit_is_an_unknown_and_the_same_every_time() {
    let mut arena = Arena::new();
    let x = arena.variable(Width::W64, Domain { lo: 2, hi: 1 << 31 });
    let y = arena.variable(Width::W64, Domain { lo: 2, hi: 1 << 31 });
    let product = arena.binary(Op::Mul, x, y);
    // A Mersenne prime is no such product, which takes long to find out.
    let k = arena.constant(Width::W64, (1 << 61) - 1);
    let equal = arena.binary(Op::Eq, product, k);
    let spend = |units: u64| {
        let mut work = Work::new(units);
        let answer = Blaster::new().solve(&arena, &[equal], &mut work);
        assert_eq!(answer, Answer::Unknown(Reason::Work));
        work.spent()
    };
    for units in [10, 100_000, 10_000_000] {
        assert_eq!(spend(units), spend(units));
    }
}

/// A loop makes terms as deep as it has iterations.
#[test]
fn deep_terms_need_no_call_stack() {
    let mut arena = Arena::new();
    let x = arena.variable(Width::BOOL, Domain::full(Width::BOOL));
    let y = arena.variable(Width::BOOL, Domain::full(Width::BOOL));
    let mut t = x;
    for _ in 0..100_000 {
        t = arena.binary(Op::Xor, t, y);
        t = arena.binary(Op::And, t, x);
    }
    let answer = Blaster::new().solve(&arena, &[t], &mut Work::unlimited());
    assert!(matches!(answer, Answer::Sat | Answer::Unsat));
}
