//! 1, 2 and 5 workers write the same document, but for times: on programs where policies are followed, where inputs are
//! searched for, where keys meet, where sizes are proven, and where structures are explored.

use pessimum::{Analysis, Merge, Program};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

fn program(module: &str, call: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let bytes = std::fs::read(root.join(module)).expect("it is there");
    Program::new(module, bytes).and_then(|p| p.call(call)).expect("the corpus can be called")
}

/// What an analysis writes, without what the contract exempts.
fn written(analysis: Analysis) -> String {
    let result = analysis.time(Duration::from_secs(3600)).run().expect("it ends");
    let document = result.document;
    assert_eq!(document.cut_by, None, "work ends it, not the clock");
    let mut document = serde_json::to_value(document).expect("a document can be written");
    for sizes in ["sizes", "training"] {
        for size in document[sizes].as_array_mut().expect("a list of sizes") {
            size["effort"] = Value::Null;
        }
    }
    document.to_string()
}

/// Holds what several workers write against what one does. The work is measured out, so that no clock is in play.
fn is_the_same(module: &str, call: &str, with: impl Fn(Analysis) -> Analysis) {
    let by = |workers: usize| {
        let analysis = Analysis::of(program(module, call)).effort(Duration::from_millis(400));
        written(with(analysis.workers(workers)))
    };
    let one = by(1);
    assert!(one.contains("worst_cost"), "{one}");
    for workers in [2, 5] {
        assert!(by(workers) == one, "{module} with {workers} workers is not what it is with one");
    }
}

#[test]
fn where_a_policy_is_followed() {
    is_the_same("quicksort/quicksort.wasm", "sort(&i32[n], n)", |a| a);
    is_the_same("merge_sort/merge_sort.wasm", "sort(&i32[n], n)", |a| a);
}

/// The trees of training are shared out, and several ways to learn are validated at a time.
#[test]
fn where_every_path_is_followed() {
    is_the_same("quicksort/quicksort.wasm", "sort(&i32[n], n)", |a| {
        a.train(1..=7).merge(Merge::Off).sizes([8, 12])
    });
}

/// Beyond some size another algorithm is met, which is learned there.
#[test]
fn where_something_new_is_met() {
    is_the_same("hybrid_sort/hybrid_sort.wasm", "sort(&i32[n], n)", |a| a);
}

#[test]
fn where_sizes_are_proven() {
    is_the_same("insertion_sort/insertion_sort.wasm", "sort(&i32[n], n)", |a| a);
    is_the_same("bst/bst.wasm", "run()", |a| a.sizes([10, 20, 40]));
}

#[test]
fn where_inputs_are_searched_for() {
    is_the_same("regex_backtrack/regex_backtrack.wasm", "match(&u8[n], n)", |a| a);
    is_the_same("real/cjson/cjson.wasm", "parse(&u8[n], n)", |a| {
        a.seeds(vec![b"[1,[2,{\"a\":3}]]".to_vec()]).sizes([20, 60])
    });
}

#[test]
fn where_keys_meet() {
    is_the_same("real/uthash/uthash.wasm", "distinct(&i32[n], n)", |a| a.sizes([16, 40]));
}

#[test]
fn where_structures_are_explored() {
    let call = "search(&tree where rep_ok, i32)";
    is_the_same("structures/search_tree/search_tree.wasm", call, |a| a);
}
