//! The whole job on programs whose growth and worst inputs are known in closed form.

use pessimum::{Analysis, AnalysisResult, CostModel, Program, document};
use std::path::Path;
use std::time::Duration;

fn program(name: &str, call: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let bytes = std::fs::read(root.join(name).join(format!("{name}.wasm"))).expect("it is there");
    Program::new(name, bytes).and_then(|p| p.call(call)).expect("the corpus can be called")
}

/// Trains up to `train` and generates 10 to 60; budgets are wide, so that no clock is in play.
fn analyze(name: &str, call: &str, train: u64) -> AnalysisResult {
    Analysis::of(program(name, call))
        .train(1..=train)
        .sizes([10, 16, 20, 31, 40, 60])
        .time(Duration::from_secs(600))
        .run()
        .expect("the analysis ends")
}

/// Class and formula are these, hold at every size, and rest on a validated policy.
fn grows(result: &AnalysisResult, class: &str, formula: &str) {
    let fit = &result.document.fit;
    assert_eq!((&fit["class"], &fit["formula"]), (&class.into(), &formula.into()), "{fit:#}");
    assert_eq!(fit["interpolates"], true);
    let basis = fit["basis"].as_str().unwrap_or_default();
    assert!(matches!(basis, "validated" | "proven"), "{basis}");
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
    assert!(result.document.cost_independent_of_input);
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
