//! Whole runs that used to claim more than they had shown.

use pessimum_campaign::{Analysis, AnalysisResult, Claim, Cut, Program};
use pessimum_machine::Limits;
use pessimum_report::document::{Basis, Bound, Independence};
use std::time::Duration;

fn program(text: &str, call: &str) -> Program {
    let bytes = wat::parse_str(text).expect("the text is a module");
    Program::new("test.wasm", bytes).and_then(|p| p.call(call)).expect("it can be called")
}

fn analysis(text: &str, call: &str) -> Analysis {
    Analysis::of(program(text, call)).effort(Duration::from_secs(1)).time(Duration::from_secs(600))
}

fn claims(result: &AnalysisResult) -> Vec<(u64, Option<u64>, Claim)> {
    result.evidence.sizes.iter().map(|s| (s.n, s.cost, s.claim)).collect()
}

/// Whether each value is positive is decided; then it traps.
const ALWAYS_TRAPS: &str = r#"(module
  (memory (export "memory") 1)
  (func (export "f") (param $a i32) (param $n i32)
    (if (i32.gt_s (i32.load (local.get $a)) (i32.const 0)) (then (nop)))
    unreachable))"#;

#[test]
fn nothing_is_proven_from_nothing() {
    let result = analysis(ALWAYS_TRAPS, "f(&i32[n], n)").sizes(1..=6).run().expect("it ends");
    assert!(result.evidence.sizes.iter().all(|s| s.cost.is_none()), "{:?}", claims(&result));
    let fit = &result.document.fit;
    assert_eq!((fit.basis, fit.bound, &fit.class), (Basis::LowerBound, Bound::AtLeast, &None));
}

/// Counts positive values; from three values on it traps in the end.
const TRAPS_FROM_THREE: &str = r#"(module
  (memory (export "memory") 1)
  (func (export "f") (param $a i32) (param $n i32)
    (local $i i32) (local $k i32)
    (loop $each
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (if (i32.gt_s
                (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2))))
                (i32.const 0))
            (then
              (local.set $k (i32.const 0))
              (loop $work
                (local.set $k (i32.add (local.get $k) (i32.const 1)))
                (br_if $work (i32.lt_u (local.get $k) (i32.const 3))))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $each))))
    (if (i32.gt_u (local.get $n) (i32.const 2)) (then unreachable))))"#;

#[test]
fn a_size_without_a_cost_is_not_reached() {
    let run = analysis(TRAPS_FROM_THREE, "f(&i32[n], n)").train(1..=5).sizes([6]).run();
    let result = run.expect("it ends");
    let policy = result.policy.as_ref().expect("two sizes teach a policy");
    assert!(policy.validated_on.iter().all(|n| *n <= 2), "{:?}", policy.validated_on);
    assert!(!policy.validated);
}

/// One value makes it run for ever.
const HANGS_ON_42: &str = r#"(module
  (memory (export "memory") 1)
  (func (export "f") (param $a i32) (param $n i32)
    (local $i i32)
    (if (i32.eq (i32.load (local.get $a)) (i32.const 42))
      (then (loop $ever (local.set $i (i32.add (local.get $i) (i32.const 1))) (br $ever))))))"#;

#[test]
fn a_run_that_was_cut_off_agrees_with_nothing() {
    let limits = Limits { instructions: 100_000, ..Limits::default() };
    let program = program(HANGS_ON_42, "f(&i32[n], n)").limits(limits);
    let run = Analysis::of(program).effort(Duration::from_secs(1)).train(1..=3).sizes([4, 5]).run();
    let result = run.expect("it ends");
    assert_eq!(result.document.cost_independent_of_input, Independence::No);
    assert!(result.evidence.sizes.iter().all(|s| !s.claim.is_exact()), "{:?}", claims(&result));
    assert_eq!(result.document.fit.bound, Bound::AtLeast);
}

/// As many looks as there are values, whatever they are; a longer way from 17 equal values on.
const SLOW_FROM_17_EQUAL: &str = r#"(module
  (memory (export "memory") 1)
  (func (export "f") (param $a i32) (param $n i32)
    (local $i i32) (local $run i32) (local $k i32)
    (loop $each
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (local.set $run
            (select
              (i32.add (local.get $run) (i32.const 1))
              (i32.const 0)
              (i32.eq
                (i32.load8_u (local.get $a))
                (i32.load8_u (i32.add (local.get $a) (local.get $i))))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $each))))
    (if (i32.gt_u (local.get $run) (i32.const 16))
      (then
        (loop $work
          (local.set $k (i32.add (local.get $k) (i32.const 1)))
          (br_if $work
            (i32.lt_u (local.get $k) (i32.mul (local.get $n) (local.get $n)))))))))"#;

#[test]
fn a_cost_that_depends_on_the_input_beyond_training_is_searched_for() {
    let run = analysis(SLOW_FROM_17_EQUAL, "f(&u8[n], n)").train(1..=4).sizes([20, 40, 80]).run();
    let result = run.expect("it ends");
    let largest = result.document.sizes.last().and_then(|s| s.worst_cost);
    assert!(largest.is_some_and(|cost| cost > 80 * 80), "{:?}", claims(&result));
    assert_eq!(result.document.cost_independent_of_input, Independence::No);
    assert_eq!(result.document.fit.bound, Bound::AtLeast);
}

/// No worst cost is below that of an input which was run.
#[test]
fn no_random_run_costs_more_than_the_worst() {
    let run = analysis(TRAPS_FROM_THREE, "f(&i32[n], n)").train(1..=2).sizes([1, 2]).run();
    let result = run.expect("it ends");
    for size in result.document.sizes.iter().chain(&result.document.training) {
        let random = size.random_cost.map(|r| r.max);
        assert!(random <= size.worst_cost, "n = {}", size.n);
    }
}

#[test]
fn a_run_without_time_says_what_cut_it() {
    let stopped = analysis(HANGS_ON_42, "f(&i32[n], n)").time(Duration::ZERO).run();
    match stopped {
        Ok(result) => assert_eq!(result.document.cut_by, Some(Cut::Time)),
        Err(error) => assert!(error.to_string().contains("time"), "{error}"),
    }
}

/// The loops of a sieve and of a sorting network: n·log log n and n·log² n, of which n·log n is neither.
#[test]
fn growth_without_a_class_is_given_none() {
    let sieve = r#"
        (local.set $i (i32.const 2))
        (block $done (loop $next
            (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
            (if (i32.eqz (i32.load8_u (local.get $i))) (then
                (local.set $j (i32.shl (local.get $i) (i32.const 1)))
                (block $crossed (loop $cross
                    (br_if $crossed (i32.ge_s (local.get $j) (local.get $n)))
                    (i32.store8 (local.get $j) (i32.const 1))
                    (local.set $j (i32.add (local.get $j) (local.get $i)))
                    (br $cross)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $next)))"#;
    let network = r#"
        (local.set $k (i32.const 2))
        (block $sorted (loop $merge
            (br_if $sorted (i32.gt_s (local.get $k) (local.get $n)))
            (local.set $j (local.get $k))
            (loop $halve
                (local.set $j (i32.shr_u (local.get $j) (i32.const 1)))
                (local.set $i (local.get $n))
                (loop $each
                    (local.set $i (i32.sub (local.get $i) (i32.const 1)))
                    (br_if $each (i32.gt_s (local.get $i) (i32.const 0))))
                (br_if $halve (i32.gt_u (local.get $j) (i32.const 1))))
            (local.set $k (i32.shl (local.get $k) (i32.const 1)))
            (br $merge)))"#;
    for (name, body) in [("sieve", sieve), ("network", network)] {
        let text = format!(
            r#"(module (memory (export "memory") 2)
                (func (export "f") (param $n i32) (local $i i32) (local $j i32) (local $k i32) {body}))"#
        );
        let analysis = analysis(&text, "f(n)").effort(Duration::from_secs(3));
        let result = analysis.run().expect("it ends");
        assert_eq!(result.class(), None, "{name}: {}", result.document.fit.summary);
        assert!(!result.document.fit.left.is_empty(), "{name}: the classes around it are named");
    }
}
