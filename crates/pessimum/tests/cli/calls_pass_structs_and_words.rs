//! Arrays of structs from debug information, values with gaps between them, and the words that start a WASI program.
//! The module is that of `tests/fake/points.c`.

use super::world::{module, run};
use std::path::Path;

fn points() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
    folder.join("points.wasm").display().to_string()
}

#[test]
fn the_fields_of_structs_are_inputs() {
    let points = points();
    let call = ["explore", &points, "--call", "sort(&point[n], n)", "--size", "3", "--json", "-"];
    let found = run(&call).exits(0).json();
    assert_eq!((&found["paths"], &found["complete"]), (&6.into(), &true.into()));
    // x, y, three weights and a colour each.
    let values = found["tests"][0]["input"]["values"].as_array().map(Vec::len);
    assert_eq!(values, Some(3 * 6), "{found:#}");
}

#[test]
fn an_enumeration_has_the_values_of_its_names() {
    let points = points();
    let call = ["--call", "reds(&point[n], n)", "--size", "3", "--json", "-"];
    let found = run(&[&["explore", &points], &call[..]].concat()).exits(0).json();
    assert_eq!((&found["paths"], &found["trapped"]), (&8.into(), &0.into()), "{found:#}");
    // Held to one colour, nothing is left to decide.
    let held = [&["explore", &points], &call[..], &["--domain", "color=2..=3"]].concat();
    assert_eq!(run(&held).exits(0).json()["paths"], 1);
}

#[test]
fn what_no_number_stands_for_is_refused_with_the_mend() {
    let points = points();
    for (call, more, mend) in [
        ("sort(&pint[n], n)", &[][..], "compile with -g"),
        ("length(&node[n])", &[], "`next` is a pointer"),
        ("sort(&point[n], n)", &["--domain", "z=0..=9"], "at.x, at.y"),
        ("sort(&point[n], n)", &["--domain", "color=0..=70000000000"], "inside the type"),
        ("negative(&i32[n] step 3, n)", &[], "at least its own"),
    ] {
        let line = [&["explore", &points, "--size", "3", "--call", call], more].concat();
        let ran = run(&line).exits(2);
        assert!(ran.stderr.contains(mend), "{call}: {}", ran.stderr);
    }
}

#[test]
fn values_with_gaps_have_zeros_between_them() {
    let points = points();
    let call = "negative(&i32[n] step 12, n)";
    let found = run(&["explore", &points, "--call", call, "--size", "4", "--json", "-"]);
    let found = found.exits(0).json();
    assert_eq!((&found["paths"], &found["trapped"]), (&5.into(), &0.into()), "{found:#}");
    // The other engine lays them out alike: costs are confirmed.
    let job = ["analyze", &points, "--call", call, "--train", "1..=3", "--sizes", "5,9"];
    let found = run(&[&job[..], &["--json", "-", "--quiet"]].concat()).exits(0).json();
    for size in found["sizes"].as_array().expect("there are sizes") {
        assert_eq!(size["replayed"], "cost", "{size}");
    }
}

/// Branches on every byte of standard input if its second argument is `-n`, which lies behind the first, `sort`.
const SORT: &str = r#"(module
    (import "wasi_snapshot_preview1" "args_get" (func $get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func (export "_start") (local $i i32)
        (drop (call $sizes (i32.const 0) (i32.const 4)))
        (if (i32.ne (i32.load (i32.const 0)) (i32.const 2)) (then (return)))
        (drop (call $get (i32.const 8) (i32.const 100)))
        (if (i32.ne (i32.load8_u offset=1 (i32.load (i32.const 12))) (i32.const 110)) (then (return)))
        (i32.store (i32.const 20) (i32.const 200))
        (i32.store (i32.const 24) (i32.const 64))
        (drop (call $read (i32.const 0) (i32.const 20) (i32.const 1) (i32.const 28)))
        (loop $next
            (if (i32.lt_u (local.get $i) (i32.load (i32.const 28)))
                (then
                    (if (i32.load8_u offset=200 (local.get $i)) (then (nop)))
                    (local.set $i (i32.add (local.get $i) (i32.const 1)))
                    (br $next))))))"#;

#[test]
fn known_words_start_a_program_that_reads_standard_input() {
    let sort = module("words-sort.wasm", SORT);
    let paths = |flags: &[&str]| {
        let line = [&["explore", &sort, "--size", "3", "--json", "-"], flags].concat();
        run(&line).exits(0).json()["paths"].clone()
    };
    assert_eq!(paths(&["--stdin", "--argv=sort -n"]), 8);
    assert_eq!(paths(&["--stdin", "--argv", "sort -n"]), 8);
    assert_eq!(paths(&["--stdin", "--argv=sort -r"]), 1);
    assert_eq!(paths(&["--stdin"]), 1);
    let job = ["analyze", &sort, "--stdin", "--argv=sort -n", "--train", "1..=3", "--sizes", "6"];
    let found = run(&[&job[..], &["--json", "-", "--quiet"]].concat()).exits(0).json();
    assert_eq!(found["program"]["entry"], "_start with n bytes of standard input, as sort -n");
    assert_eq!(found["sizes"][0]["replayed"], "cost", "{found:#}");
    let ran = run(&["explore", &sort, "--size", "3", "--stdin", "--argv"]).exits(2);
    assert!(ran.stderr.contains("--argv='sort -n'"), "{}", ran.stderr);
    let ran = run(&["explore", &sort, "--size", "3", "--argv=grep 'a"]).exits(2);
    assert!(ran.stderr.contains("not closed"), "{}", ran.stderr);
}

/// Branches on the first byte of standard input if the last byte of its environment's first variable, `DEEP=y`, is `y`.
const DEEP: &str = r#"(module
    (import "wasi_snapshot_preview1" "environ_get" (func $get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func (export "_start")
        (drop (call $sizes (i32.const 0) (i32.const 4)))
        (if (i32.eqz (i32.load (i32.const 0))) (then (return)))
        (drop (call $get (i32.const 8) (i32.const 100)))
        (if (i32.ne (i32.load8_u offset=5 (i32.load (i32.const 8))) (i32.const 121)) (then (return)))
        (i32.store (i32.const 20) (i32.const 200))
        (i32.store (i32.const 24) (i32.const 64))
        (drop (call $read (i32.const 0) (i32.const 20) (i32.const 1) (i32.const 28)))
        (if (i32.load8_u (i32.const 200)) (then (nop)))))"#;

#[test]
fn variables_of_the_environment_go_before_the_name() {
    let deep = module("words-deep.wasm", DEEP);
    for (words, paths) in [("DEEP=y tool", 2), ("DEEP=n tool", 1), ("tool DEEP=y", 1)] {
        let words = format!("--argv={words}");
        let line = [
            "analyze", &deep, "--stdin", &words, "--train", "1..=2", "--sizes", "2", "--json", "-",
        ];
        let found = run(&line).exits(0).json();
        let size = &found["sizes"][0];
        assert_eq!(
            (&size["paths"], &size["replayed"]),
            (&paths.into(), &"cost".into()),
            "{size:#}"
        );
    }
    let ran = run(&["explore", &deep, "--size", "3", "--stdin", "--argv=DEEP=y"]).exits(2);
    assert!(ran.stderr.contains("no word names the program"), "{}", ran.stderr);
}
