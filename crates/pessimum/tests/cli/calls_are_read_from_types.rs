//! Without `--call`, the call is read from the types in the debug information. The modules are those of
//! `tests/fake/texts.c`.

use super::world::run;
use std::path::Path;

fn module(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
    folder.join(name).display().to_string()
}

#[test]
fn text_is_bytes_and_integers_are_integers() {
    for (name, call) in [("parse.wasm", "parse(&u8[n], n)"), ("sort.wasm", "sort(&i32[n], n)")] {
        let job = ["analyze", &module(name), "--train", "1..=3", "--sizes", "4", "--json", "-"];
        let document = run(&job).exits(0).json();
        assert_eq!(document["program"]["entry"], call);
        let finding = &document["findings"][0];
        assert_eq!(finding["kind"], "assumed_call", "{document:#}");
        let message = finding["message"].as_str().unwrap_or_default();
        assert!(message.contains("read from the types"), "{message}");
    }
}

#[test]
fn several_functions_are_a_menu_of_command_lines() {
    let module = module("texts.wasm");
    let ran = run(&["analyze", &module, "--sizes", "4 , 5"]).exits(2);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines[0], "error: 6 exported functions take input: name one");
    let calls = [
        "parse(&u8[n], n)",
        "count(&cstr[n])",
        "copy(&mut u8[n], &u8[n], n)",
        "sum(n, &f64[n])",
        "seen(&bool[n], i32, bool, i32)",
        "width(0, n)",
    ];
    let expected: Vec<String> = calls
        .iter()
        .map(|call| format!("  pessimum analyze {module} --sizes '4 , 5' --call '{call}'"))
        .collect();
    assert_eq!(lines[1..], expected);
    // Those whose loops have an end are explored as they stand.
    for call in &calls[..4] {
        run(&["explore", &module, "--size", "2", "--call", call]).exits(0);
    }
}
