//! A program whose constraints follow no generator gets a reason and no input.

use crate::common;

use common::Program;
use pessimum_synth::WhyNot;

#[test]
fn the_travelling_salesman_is_not_modelled() {
    let bytes = std::fs::read(common::corpus("tsp/tsp.wasm")).expect("a module");
    let program = Program::new(&bytes, "tour(&i32[n*n] in 0..=1000, n)", "conditionals");
    let why = program.model().expect_err("no generator makes (n - 1)! tours");
    assert!(matches!(why, WhyNot::NoGenerator(..) | WhyNot::NoCommonPoints), "{why:?}");
}

/// Compares a[0] with a[1] n times over, in rounds of 1, 2, 4, …: the number of constraints is 2^n.
#[test]
fn exponential_counts_are_refused_and_not_fitted_by_a_polynomial() {
    let program = Program::of_text(
        r#"(module (memory (export "memory") 1)
          (func (export "f") (param $a i32) (param $n i32) (result i32)
            (local $left i32) (local $hits i32)
            (local.set $left (i32.shl (i32.const 1) (local.get $n)))
            (loop $again
              (if (i32.lt_s (i32.load (local.get $a)) (i32.load offset=4 (local.get $a)))
                (then (local.set $hits (i32.add (local.get $hits) (i32.const 1)))))
              (local.set $left (i32.sub (local.get $left) (i32.const 1)))
              (br_if $again (local.get $left)))
            (local.get $hits)))"#,
        "f(&i32[2], n)",
        "conditionals",
    );
    let why = program.model().expect_err("2^n is no polynomial");
    assert!(matches!(why, WhyNot::NoGenerator(..)), "{why:?}");
}

/// A policy that is fine at one size and poor at the next must not teach what the worst case is: a
/// checker of n stored words of 32 bytes is linear in n, or it is not modelled.
#[test]
fn paths_that_are_not_the_worst_are_not_learned_from() {
    let bytes = std::fs::read(common::corpus("password/password.wasm")).expect("a module");
    let program = Program::new(&bytes, "check(&u8[32*n], n, &u8[32])", "conditionals");
    if let Ok(model) = program.model() {
        let cost = |n| model.predict_cost(n).expect("a prediction");
        assert_eq!(cost(40) - cost(39), cost(20) - cost(19));
        assert!(cost(40) > cost(39), "{}", model.cost());
    }
}

#[test]
fn no_size_is_too_few() {
    assert_eq!(pessimum_synth::Model::learn(&[]).unwrap_err(), WhyNot::TooFewSizes);
}
