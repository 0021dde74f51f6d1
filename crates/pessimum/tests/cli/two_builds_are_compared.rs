//! `diff`: what became of the class and of each size, where, and an exit code for a gate.

use super::world::{Ran, SORT, corpus, run, scratch};

/// A program of the corpus, or a build of one: `sort.O0`.
fn build(name: &str) -> String {
    let program = name.split('.').next().unwrap_or(name);
    corpus(program).replace(&format!("{program}.wasm"), &format!("{name}.wasm"))
}

fn diff(old: &str, new: &str, more: &[&str]) -> Ran {
    let (old, new) = (build(old), build(new));
    let usual = ["--call", SORT, "--time", "200s", "--effort", "8s"];
    let sizes = if more.contains(&"--sizes") { &[][..] } else { &["--sizes", "5,10,20,30"] };
    run(&[&["diff", &old, &new], &usual[..], sizes, more].concat())
}

#[test]
fn a_change_of_class_is_the_first_sentence() {
    let comment = scratch("comment.md").display().to_string();
    let ran = diff("merge_sort", "insertion_sort", &["--markdown", &comment]).exits(1);
    let change = ran.stdout.lines().find(|line| line.starts_with("Change")).expect("it is said");
    assert!(change.contains(" → O(n^2); at n = 30 "), "{change}");
    assert!(ran.stdout.trim_end().ends_with("diff: worse"), "{}", ran.stdout);
    let comment = std::fs::read_to_string(comment).expect("it was written");
    assert!(comment.starts_with("### pessimum: **worse**\n"), "{comment}");
    assert!(comment.contains("| 30 | ") && comment.contains("| worse |"), "{comment}");
    // The other way round it is a gain, but for the smallest sizes.
    let document = diff("insertion_sort", "merge_sort", &["--json", "-"]).exits(1).json();
    let summary = document["summary"].as_str().expect("a sentence");
    assert!(summary.starts_with("O(n^2) → O(n log n); at n = 30 900 → 549"), "{summary}");
    let sizes = document["sizes"].as_array().expect("sizes");
    let at = |n: u64| sizes.iter().find(|s| s["n"] == n).map(|s| s["verdict"].clone());
    assert_eq!((at(1), at(30)), (Some("worse".into()), Some("ok".into())), "{sizes:?}");
}

#[test]
fn a_build_is_no_worse_than_itself_and_a_little_worse_can_be_tolerated() {
    let document = diff("insertion_sort", "insertion_sort", &["--json", "-"]).exits(0).json();
    assert_eq!(document["verdict"], "ok");
    assert_eq!(document["places"].as_array().map(Vec::len), Some(0));
    let sizes = document["sizes"].as_array().expect("sizes");
    assert!(sizes.iter().all(|s| s["old"] == s["new"] && s["verdict"] == "ok"), "{sizes:?}");
    // Without optimisation every value is loaded and stored.
    let dearer = ["--cost", "instructions", "--sizes", "6"];
    let ran = diff("insertion_sort.O2", "insertion_sort.O0", &dearer);
    let ran = ran.exits(1);
    assert!(ran.stdout.contains("Where"), "{}", ran.stdout);
    let patient = [&dearer[..], &["--tolerance", "1000%"]].concat();
    diff("insertion_sort.O2", "insertion_sort.O0", &patient).exits(0);
}

/// Each has one export, and they are not the same.
#[test]
fn modules_that_are_entered_differently_are_refused() {
    let module = |name: &str, export: &str| {
        let text = format!(
            "(module (memory (export \"memory\") 1) (func (export \"{export}\") (param i32 i32)))"
        );
        super::world::module(name, &text)
    };
    let (old, new) = (module("entered_old.wasm", "find"), module("entered_new.wasm", "sort"));
    let ran = run(&["diff", &old, &new]).exits(2);
    assert!(ran.stderr.contains("entered differently, find("), "{}", ran.stderr);
    assert!(ran.stderr.contains("name what both have with --call"), "{}", ran.stderr);
    // Before anything is run.
    let ran = run(&["diff", &old, &new, "--call", "find(&i32[n], n)"]).exits(2);
    assert!(ran.stderr.contains("entered_new.wasm exports no function find"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("before:"), "{}", ran.stderr);
}

#[test]
fn what_is_no_tolerance_is_refused() {
    let ran = diff("insertion_sort", "insertion_sort", &["--tolerance", "ten"]).exits(2);
    assert!(ran.stderr.contains("is not a tolerance: write 10%"), "{}", ran.stderr);
}
