//! The whole job on programs whose growth and worst inputs are known in closed form.

use pessimum::document::{self, Basis, Bound, Independence, Method};
use pessimum::{Analysis, AnalysisResult, CostModel, HistoryLimit, Merge, PolicyChoice, Program};
use std::path::Path;
use std::time::Duration;

fn program(name: &str, call: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let bytes = std::fs::read(root.join(name).join(format!("{name}.wasm"))).expect("it is there");
    Program::new(name, bytes).and_then(|p| p.call(call)).expect("the corpus can be called")
}

/// Trains up to `train` and generates 10 to 60; the hard stop is far away, so that no clock is in play.
fn analyze(name: &str, call: &str, train: u64) -> AnalysisResult {
    Analysis::of(program(name, call))
        .train(1..=train)
        .sizes([10, 16, 20, 31, 40, 60])
        .effort(Duration::from_secs(10))
        .time(Duration::from_secs(600))
        .run()
        .expect("the analysis ends")
}

/// Class and formula are these, hold at every size, and rest on a validated policy.
fn grows(result: &AnalysisResult, class: &str, formula: &str) {
    let fit = &result.document.fit;
    let found = (fit.class.as_deref(), fit.formula.as_deref());
    assert_eq!(found, (Some(class), Some(formula)), "{}", fit.summary);
    assert!(fit.interpolates);
    assert_eq!(fit.bound, Bound::Exact, "{:?}", fit.basis);
}

/// The values of each size that was generated.
fn inputs(result: &AnalysisResult) -> impl Iterator<Item = (&document::Size, Vec<i64>)> {
    assert_eq!(result.document.sizes.len(), 6, "every size asked for is there");
    result.document.sizes.iter().map(|size| {
        let input = size.input.as_ref().expect("a worst input");
        let values = input.values.as_array().expect("a list of values");
        let values = values.iter().map(|v| v.as_i64().expect("a whole number")).collect();
        assert!(size.replayed.is_some(), "n = {} was run again", size.n);
        (size, values)
    })
}

fn falling(values: &[i64]) -> bool {
    values.windows(2).all(|w| w[0] > w[1])
}

fn rising(values: &[i64]) -> bool {
    values.windows(2).all(|w| w[0] < w[1])
}

#[test]
fn insertion_sort_is_quadratic_on_falling_values() {
    let result = analyze("insertion_sort", "sort(&i32[n], n)", 5);
    grows(&result, "n^2", "n^2");
    for (size, values) in inputs(&result) {
        assert_eq!(values.len() as u64, size.n);
        assert!(falling(&values), "n = {}: {values:?}", size.n);
        assert_eq!(size.worst_cost, Some(size.n * size.n));
    }
}

#[test]
fn insertion_sort_counted_by_its_shifts() {
    let shifts = CostModel::parse("visits:insertion_sort.c:10", |_| Err(String::new()));
    let result = Analysis::of(program("insertion_sort", "sort(&i32[n], n)"))
        .cost(shifts.expect("a cost model"))
        .effort(Duration::from_secs(10))
        .train(1..=5)
        .sizes([10, 16, 20, 31, 40, 60])
        .time(Duration::from_secs(600))
        .run()
        .expect("the analysis ends");
    grows(&result, "n^2", "1/2*n^2 - 1/2*n");
}

#[test]
fn the_last_insert_into_a_sorted_list_is_linear() {
    let result = analyze("sorted_list", "run()", 5);
    grows(&result, "n", "n");
    for (size, values) in inputs(&result) {
        // The last insert passes every other value; in which order those came does not matter.
        let (last, others) = values.split_last().expect("n values");
        assert!(others.iter().all(|v| v < last), "n = {}: {values:?}", size.n);
    }
}

#[test]
fn the_last_insert_into_a_heap_is_logarithmic() {
    let result = analyze("heap_insert", "run()", 8);
    grows(&result, "log(n)", "3*floor(log2(n)) + 1");
    for (size, values) in inputs(&result) {
        let (last, others) = values.split_last().expect("n values");
        assert_eq!(size.worst_cost, Some(3 * u64::from(size.n.ilog2()) + 1), "n = {}", size.n);
        // It rises to the root, so it is smaller than the root, the least of the others.
        assert!(others.iter().all(|v| v > last), "n = {}: {values:?}", size.n);
    }
}

#[test]
fn a_search_tree_degenerates_to_a_list() {
    let result = analyze("bst", "run()", 5);
    grows(&result, "n", "3*n - 2");
    for (size, values) in inputs(&result) {
        let tree = &values[..values.len() - 1];
        assert!(falling(tree) || rising(tree), "n = {}: {values:?}", size.n);
    }
}

#[test]
fn linear_search_finds_nothing_or_the_last() {
    let result = analyze("linear_search", "find(&i32[n], n, i32)", 5);
    grows(&result, "n", "2*n + 1");
    for (size, values) in inputs(&result) {
        let (key, array) = values.split_last().expect("an array and a key");
        assert_eq!(array.len() as u64, size.n);
        assert!(!array.contains(key), "n = {}: {values:?}", size.n);
    }
}

#[test]
fn a_cost_that_no_input_changes_is_said_to_be_so() {
    let result = analyze("sum_array", "sum(&i32[n], n)", 4);
    grows(&result, "n", "n + 1");
    assert_eq!(result.document.cost_independent_of_input, Independence::Proven);
    assert!(result.document.policy.is_none(), "there is nothing to learn");
}

#[test]
fn quicksort_needs_its_larger_training_sizes() {
    let result = analyze("quicksort", "sort(&i32[n], n)", 8);
    assert_eq!(result.class().map(|c| c.to_string()).as_deref(), Some("n^2"));
    for (size, _) in inputs(&result) {
        let random = size.random_cost.as_ref().expect("random inputs were run");
        let worst = size.worst_cost.expect("a cost") as f64;
        assert!(worst > random.mean, "n = {}: {worst} against {}", size.n, random.mean);
    }
}

fn from_text(text: &str, call: &str) -> Program {
    let bytes = wat::parse_str(text).expect("it is a module");
    Program::new("text", bytes).and_then(|p| p.call(call)).expect("it can be called")
}

/// Pairs each positive value with each other one. The sign is found in a call of its own, which
/// remembers nothing of the values before: histories cannot tell one call from the next.
const PAIRS: &str = r#"(module
  (memory (export "memory") 1)
  (func $is_positive (param $x i32) (result i32)
    (if (i32.gt_s (local.get $x) (i32.const 0)) (then (return (i32.const 1))))
    (i32.const 0))
  (func (export "pairs") (param $a i32) (param $n i32)
    (local $i i32) (local $positive i32) (local $j i32)
    (loop $each
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (local.set $positive (i32.add (local.get $positive)
            (call $is_positive (i32.load
              (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $each))))
    (loop $rows
      (if (local.get $positive)
        (then
          (local.set $positive (i32.sub (local.get $positive) (i32.const 1)))
          (local.set $i (i32.sub (local.get $i) (i32.const 1)))
          (local.set $j (local.get $i))
          (loop $columns
            (if (i32.gt_u (local.get $j) (local.get $positive))
              (then
                (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                (br $columns))))
          (br $rows))))))"#;

#[test]
fn where_both_sides_belong_to_worst_paths_their_counts_decide() {
    let result = Analysis::of(from_text(PAIRS, "pairs(&i32[n], n)"))
        .policy(PolicyChoice::Memoryless)
        .train(1..=12)
        .sizes([15, 40, 41, 100])
        .time(Duration::from_secs(600))
        .run()
        .expect("the analysis ends");
    let policy = result.policy.as_ref().expect("a policy");
    assert_eq!(policy.kind(), "memoryless with counts");
    assert!(policy.validated);
    for size in &result.document.sizes {
        // With p positive values: n + 1 looks at the signs of n, p + 1 at the rows, n - p + 1 at the
        // columns of each.
        let cost = |p: u64| size.n + (size.n + 1) + (p + 1) + p * (size.n - p + 1);
        assert_eq!(size.worst_cost, (0..=size.n).map(cost).max(), "n = {}", size.n);
        assert_eq!(size.paths, Some(1), "n = {}", size.n);
    }
}

/// Works more where a value differs in sign from the one before, and where its partner does not
/// differ from it; whether a value is positive is decided once and known when the partner is looked
/// at, in a call of its own.
const PARTNERS: &str = r#"(module
  (memory (export "memory") 1)
  (func $work
    (local $k i32)
    (loop $again
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $k) (i32.const 5)))))
  (func $alike (param $x i32) (param $y i32) (result i32)
    (local $positive i32)
    (if (i32.gt_s (local.get $x) (i32.const 0)) (then (local.set $positive (i32.const 1))))
    (if (i32.gt_s (local.get $y) (i32.const 0)) (then (return (local.get $positive))))
    (i32.eqz (local.get $positive)))
  (func (export "partners") (param $a i32) (param $b i32) (param $n i32)
    (local $i i32) (local $last i32) (local $now i32)
    (loop $each
      (if (i32.lt_u (local.get $i) (i32.shl (local.get $n) (i32.const 2)))
        (then
          (local.set $now (i32.const 0))
          (if (i32.gt_s (i32.load (i32.add (local.get $a) (local.get $i))) (i32.const 0))
            (then (local.set $now (i32.const 1))))
          (if (i32.ne (local.get $now) (local.get $last)) (then (call $work)))
          (local.set $last (local.get $now))
          (if (call $alike (i32.load (i32.add (local.get $a) (local.get $i)))
                           (i32.load (i32.add (local.get $b) (local.get $i))))
            (then (call $work)))
          (local.set $i (i32.add (local.get $i) (i32.const 4)))
          (br $each))))))"#;

#[test]
fn histories_of_all_decisions_know_what_was_forced() {
    let run = |all: bool| {
        Analysis::of(from_text(PARTNERS, "partners(&i32[n], &i32[n], n)"))
            .policy(PolicyChoice::History(HistoryLimit::Fixed(1)))
            .history_all(all)
            .train(1..=4)
            .sizes([12, 30])
            .time(Duration::from_secs(600))
            .max_paths(100)
            .run()
            .expect("the analysis ends")
    };
    let (all, open) = (run(true), run(false));
    assert_eq!(all.policy.as_ref().map(|p| p.kind()).as_deref(), Some("history=1"));
    for size in &all.document.sizes {
        assert_eq!(
            (size.paths, size.worst_cost),
            (Some(1), Some(16 * size.n + 1)),
            "n = {}",
            size.n
        );
    }
    let many = open.document.sizes.iter().all(|size| size.paths > Some(1));
    assert!(many, "what was forced in the same call is not in a history of choices");
}

#[test]
fn a_size_that_takes_long_to_execute_is_written_down_instead() {
    let result = Analysis::of(program("insertion_sort", "sort(&i32[n], n)"))
        .train(1..=6)
        .sizes([100, 2000])
        .merge(Merge::Off)
        .time(Duration::from_secs(600))
        .run()
        .expect("the analysis ends");
    let methods: Vec<_> =
        result.document.sizes.iter().map(|s| (s.n, s.method, s.worst_cost)).collect();
    let expected = [(100, Method::Wise, Some(10_000)), (2000, Method::Synth, Some(4_000_000))];
    assert_eq!(methods, expected);
    grows(&result, "n^2", "n^2");
}

#[test]
fn a_cost_that_is_the_same_on_all_of_a_few_paths_is_proven() {
    let result = analyze("constant_cost", "ends(&i32[n], n)", 4);
    assert_eq!(result.document.cost_independent_of_input, Independence::Proven);
    assert_eq!(result.document.fit.basis, Basis::Proven);
    assert!(result.document.sizes.iter().all(|size| size.exact && size.paths == Some(2)));
}

#[test]
fn both_engines_draw_from_the_seed_that_was_asked_for() {
    const DRAWS: &str = r#"(module
      (import "wasi_snapshot_preview1" "random_get" (func $get (param i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "f") (param $a i32) (param $n i32) (local $i i32)
        (drop (call $get (i32.const 0) (i32.const 64)))
        (loop $each
          (if (i32.lt_u (local.get $i) (local.get $n))
            (then
              (if (i32.gt_u (i32.load8_u (i32.and (local.get $i) (i32.const 63)))
                            (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                (then (if (i32.const 0) (then))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br $each))))))"#;
    let program = from_text(DRAWS, "f(&u8[n], n)").seed(5);
    let result = Analysis::of(program).train(1..=6).sizes([8]).run().expect("an analysis");
    let document = &result.document;
    let mismatch = document.findings.iter().find(|f| f.kind == "replay_mismatch");
    assert!(mismatch.is_none(), "{mismatch:?}");
    let sizes = document.sizes.iter().chain(&document.training);
    assert!(sizes.clone().count() > 0);
    for size in sizes {
        assert_eq!(size.replayed, Some(document::Replayed::Cost), "n = {}", size.n);
    }
}
