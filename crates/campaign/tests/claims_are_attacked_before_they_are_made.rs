//! What small sizes show is attacked at large ones before it is claimed: by fills and a climb, by random
//! inputs, and by what the user gives.

use crate::programs::over_bytes;
use pessimum_campaign::{Analysis, AnalysisResult, PolicyChoice, Program, Stage};
use pessimum_explore::Merge;
use pessimum_report::document::{Basis, Bound};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The same work on any machine; the hard stop is far away.
fn analysis(program: Program) -> Analysis {
    Analysis::of(program).effort(Duration::from_secs(3)).time(Duration::from_secs(600))
}

fn class(result: &AnalysisResult) -> Option<String> {
    result.class().map(|class| class.to_string())
}

/// The cost at a size, and how it was found.
fn row(result: &AnalysisResult, n: u64) -> (u64, String) {
    let document = &result.document;
    let size = document.sizes.iter().chain(&document.training).find(|s| s.n == n);
    let size = size.unwrap_or_else(|| panic!("n = {n} was run"));
    (size.worst_cost.expect("it has a cost"), size.method.to_string())
}

/// Forty-two rounds for a one; as many rounds as there were twos for a two.
const OVERTAKEN: &str = r#"
    (if (i32.eq (local.get $x) (i32.const 1)) (then (call $work (i32.const 42))))
    (if (i32.eq (local.get $x) (i32.const 2))
      (then
        (local.set $r (i32.add (local.get $r) (i32.const 1)))
        (call $work (local.get $r))))"#;

#[test]
fn another_pattern_that_overtakes_beyond_training_is_found() {
    let result = analysis(over_bytes(OVERTAKEN)).run().expect("the analysis ends");
    assert_eq!(class(&result).as_deref(), Some("n^2"), "{}", result.document.fit.summary);
    let policy = result.policy.as_ref().expect("a policy was learned");
    assert!(!policy.validated, "it was surpassed");
    let (cost, method) = row(&result, 300);
    assert!(cost > 45_000, "{cost}");
    assert_eq!(method, "search");
    let family = result.family.expect("growth is read from one family");
    assert!(family.costs.len() >= 10 && family.costs.contains(&(300, cost)), "{family:?}");
}

#[test]
fn a_claim_that_stands_was_attacked_with_as_much_work_as_was_done() {
    let each = "(if (i32.gt_u (local.get $x) (i32.const 7)) (then (call $work (i32.const 3))))";
    let result = analysis(over_bytes(each)).run().expect("the analysis ends");
    assert_eq!(class(&result).as_deref(), Some("n"), "{}", result.document.fit.summary);
    assert!(result.policy.as_ref().is_some_and(|p| p.validated));
    let refuting = result.document.refuting.expect("the claim was attacked");
    assert!(refuting.runs > 100 && refuting.work > 1_000_000, "{refuting:?}");
}

/// Slow once a run of equal bytes is longer than sixteen; up to there every input costs the same.
const LATE_DEPENDENCE: &str = r#"
    (if (i32.and
          (i32.gt_u (local.get $i) (i32.const 0))
          (i32.eq (local.get $x)
            (i32.load8_u (i32.sub (i32.add (local.get $a) (local.get $i)) (i32.const 1)))))
      (then (local.set $r (i32.add (local.get $r) (i32.const 1))))
      (else (local.set $r (i32.const 1))))
    (if (i32.gt_u (local.get $r) (i32.const 16)) (then (call $work (local.get $n))))"#;

#[test]
fn a_dependence_that_begins_late_is_searched_for() {
    let result = analysis(over_bytes(LATE_DEPENDENCE)).run().expect("the analysis ends");
    assert_eq!(class(&result).as_deref(), Some("n^2"), "{}", result.document.fit.summary);
    let said = serde_json::to_value(result.document.cost_independent_of_input);
    assert_eq!(said.expect("it is JSON"), false);
    assert!(row(&result, 300).0 > 80_000);
}

#[test]
fn a_hang_that_was_cut_agrees_with_nothing() {
    let text = r#"(module (func (export "f") (param $x i32) (result i32)
      (if (i32.eq (local.get $x) (i32.const 42)) (then (loop $for_ever (br $for_ever))))
      (local.get $x)))"#;
    let bytes = wat::parse_str(text).expect("the text is a module");
    let program = Program::new("f.wasm", bytes).and_then(|p| p.call("f(i32)"));
    let result = analysis(program.expect("it can be called")).sizes([1, 2]).run();
    let result = result.expect("the analysis ends");
    let said = serde_json::to_value(result.document.cost_independent_of_input);
    assert_eq!(said.expect("it is JSON"), false);
}

/// An algorithm that begins beyond the usual ladder's last power of two.
#[test]
fn the_ladder_does_not_end_behind_a_jump() {
    let each =
        r#"(if (i32.gt_u (local.get $n) (i32.const 260)) (then (call $work (local.get $n))))"#;
    let result = analysis(over_bytes(each)).run().expect("the analysis ends");
    let last = result.document.sizes.iter().map(|s| s.n).max();
    assert!(last > Some(300), "{last:?}");
    assert_ne!(class(&result).as_deref(), Some("n"), "{}", result.document.fit.summary);
}

#[test]
fn no_size_costs_less_than_its_random_inputs() {
    // Zeros win at small sizes; at large ones almost any input does better.
    let each = r#"
        (if (i32.eqz (local.get $x))
          (then (call $work (i32.const 42)))
          (else
            (local.set $r (i32.add (local.get $r) (i32.const 1)))
            (call $work (local.get $r))))"#;
    let result = analysis(over_bytes(each)).policy(PolicyChoice::Wise).sizes([10, 300]).run();
    let result = result.expect("the analysis ends");
    for size in result.document.sizes.iter().chain(&result.document.training) {
        let random = size.random_cost.as_ref().map_or(0, |random| random.max);
        assert!(size.worst_cost >= Some(random), "n = {}: {:?}, {random}", size.n, size.worst_cost);
    }
    assert_eq!(row(&result, 300).1, "search");
}

/// Slow once seventeen bytes in a row are what no search guesses, unless the last byte is one of three: more branches than
/// are turned together where paths are followed.
const SECRET: &str = r#"
    (if (i32.eq (local.get $x)
          (i32.and (i32.mul (i32.add (local.get $i) (i32.const 11)) (i32.const 37)) (i32.const 255)))
      (then (local.set $r (i32.add (local.get $r) (i32.const 1))))
      (else (local.set $r (i32.const 0))))
    (if (i32.gt_u (local.get $r) (i32.const 16)) (then
      (local.set $last (i32.load8_u
        (i32.sub (i32.add (local.get $a) (local.get $n)) (i32.const 1))))
      (if (i32.ne (local.get $last) (i32.const 3)) (then
        (if (i32.ne (local.get $last) (i32.const 7)) (then
          (if (i32.ne (local.get $last) (i32.const 9)) (then
            (call $work (local.get $n))))))))))
    (if (i32.gt_u (local.get $x) (i32.const 200)) (then (call $work (i32.const 2))))"#;

#[test]
fn a_seed_is_run_at_its_own_size_and_at_all_others() {
    let seed: Vec<u8> = (0..40u32).map(|i| ((i + 11) * 37) as u8).collect();
    // A proof knows the secret without being told.
    let analysis = || analysis(over_bytes(SECRET)).merge(Merge::Off);
    let without = analysis().sizes([30, 40, 60]).run().expect("it ends");
    let with = analysis().sizes([30, 60]).seeds(vec![seed]);
    let with = with.run().expect("it ends");
    for n in [30, 40, 60] {
        let (plain, (cost, method)) = (row(&without, n).0, row(&with, n));
        assert!(cost > plain, "n = {n}: {cost}, without the seed {plain}");
        assert_eq!(method, "search", "n = {n}");
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_workers() {
    let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
    let run = |workers: usize| {
        let program = Program::new("insertion_sort", module.as_slice());
        let program = program.and_then(|p| p.call("sort(&i32[n], n)")).expect("it can be called");
        let result = analysis(program).workers(workers).sizes([10, 20]).run().expect("it ends");
        let sizes = result.document.sizes.iter().chain(&result.document.training);
        let sizes: Vec<_> = sizes
            .map(|s| format!("{} {:?} {} {:?}", s.n, s.worst_cost, s.method, s.input))
            .collect();
        (sizes, result.document.fit.summary.clone(), result.document.refuting)
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

/// Ctrl-C after the proofs and before the attack: what is known is printed, as a lower bound.
#[test]
fn a_run_that_ends_before_the_attack_claims_nothing() {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    let rounds = "(call $work (i32.const 3))";
    let linear = over_bytes(&format!("(if (i32.eq (local.get $x) (i32.const 7)) (then {rounds}))"));
    let watched = analysis(linear).cancel(stop).watch(move |stage| {
        if matches!(stage, Stage::Learned { .. }) {
            seen.store(true, Ordering::Relaxed);
        }
    });
    let document = watched.run().expect("it ends").document;
    assert_eq!((document.fit.basis, document.fit.bound), (Basis::LowerBound, Bound::AtLeast));
    assert!(document.refuting.is_none() && document.cut_by.is_some());
    assert!(document.training.iter().chain(&document.sizes).any(|size| size.exact));
}
