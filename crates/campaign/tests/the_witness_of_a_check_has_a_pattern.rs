//! Of the inputs that show an excess, `check` points at one that a person can make sense of.

use pessimum_campaign::{Analysis, AnalysisResult, Program, Requirement, check};
use pessimum_entry::InputValues;
use pessimum_fit::Class;
use pessimum_report::document::Verdict;

/// Insertion sort, at its worst on values that fall.
fn sorted() -> AnalysisResult {
    let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
    let program = Program::new("insertion_sort", module.as_slice()).expect("it is a module");
    let program = program.call("sort(&i32[n], n)").expect("it has a sort");
    Analysis::of(program).sizes([8, 12, 16, 20]).run().expect("it can be analysed")
}

/// As a search might have found it: in no order.
fn shuffle(result: &mut AnalysisResult, n: u64) {
    let (input, _) = result.inputs.get_mut(&n).expect("the size was run");
    let mut shuffled = InputValues::new();
    // Squares of a prime field, in which neighbours have nothing in common.
    for (i, (slot, _)) in input.iter().enumerate() {
        shuffled.push(*slot, ((i + 1) * (i + 1) * 7919 % 1009) as u64);
    }
    *input = shuffled;
}

#[test]
fn a_smaller_size_with_a_pattern_goes_before_the_largest_without_one() {
    let mut result = sorted();
    let class = Requirement { at_most: Some(Class::Linear), ..Requirement::default() };
    let found = check(&result, &class, None);
    assert_eq!(found.verdict, Verdict::Worse);
    let largest = found.sizes.last().map(|size| size.n).expect("sizes were run");
    assert_eq!(found.witness, Some(largest));
    shuffle(&mut result, largest);
    let found = check(&result, &class, None);
    let witness = found.witness.expect("other sizes show it");
    assert!(witness < largest && witness > 3, "n = {witness}");
    let worse = found.sizes.iter().filter(|size| size.verdict == Some(Verdict::Worse));
    assert_eq!(worse.map(|size| size.n).collect::<Vec<_>>(), [witness], "it alone is marked");
}

#[test]
fn of_sizes_that_are_dearer_than_allowed_as_well() {
    let mut result = sorted();
    let max_cost = vec![(12, 1), (20, 1), (16, 1_000_000)];
    let sizes = Requirement { max_cost, ..Requirement::default() };
    assert_eq!(check(&result, &sizes, None).witness, Some(20));
    shuffle(&mut result, 20);
    let found = check(&result, &sizes, None);
    assert_eq!(found.witness, Some(12));
    assert_eq!(found.shown().map(|size| size.n), Some(12));
}
