//! An exported Rust test is compiled and run here, as its user would: included in a module that
//! says what is under test.

use pessimum_report::document::Analysis;
use pessimum_report::export::analysis_inputs;

fn under_test(input: &[i32]) {
    assert_eq!(input, [2, 1, 0]);
}

include!("golden/insertion_sort-n3-cost9.rs");

#[test]
fn the_included_file_is_what_is_exported() {
    let fixture = include_str!("../fixtures/insertion_sort.json");
    let analysis: Analysis = serde_json::from_str(fixture).expect("is an analysis");
    let files = analysis_inputs(&analysis, |_| true, &|_, _| None);
    let file = files.iter().find(|f| f.name == "rust/insertion_sort-n3-cost9.rs");
    let file = file.expect("is exported");
    let text = String::from_utf8(file.bytes.clone()).expect("is text");
    assert_eq!(text, include_str!("golden/insertion_sort-n3-cost9.rs"));
}
