//! What a person sees of one sort written in five languages, and of three libraries that nobody here wrote.
//!
//! Snapshots of the answer below the table: growth, policy and worst input. `one_sort/build.sh` makes the modules.

use pessimum::{Analysis, Drawing, Program, illustrate};
use pessimum_report::{TerminalStyle, render_analysis};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SORT: &str = "sort(&i32[n], n)";

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

fn one_sort(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/one_sort").join(name)
}

/// The sections that do not depend on the clock, with the source where it lies beside the module.
fn answer(module: &Path, call: &str, sizes: &[u64]) -> String {
    let bytes = std::fs::read(module).unwrap_or_else(|e| panic!("{}: {e}", module.display()));
    let name = module.file_name().and_then(|name| name.to_str()).expect("a name");
    let program = Program::new(name, bytes).and_then(|p| p.call(call)).expect("it can be called");
    let analysis = Analysis::of(program.clone()).sizes(sizes.iter().copied());
    // Work, and not the clock, ends it.
    let analysis = analysis.effort(Duration::from_secs(2)).time(Duration::from_secs(600));
    let mut result = analysis.run().expect("it can be analysed");
    let beside = |file: &str| {
        let file = Path::new(file).file_name()?;
        std::fs::read_to_string(module.with_file_name(file)).ok()
    };
    illustrate(&mut result, &program, Drawing::default(), beside)
        .expect("the worst inputs can be followed");
    let style = TerminalStyle { width: 100, color: false, unicode: true };
    let text = render_analysis(&result.document, &style);
    let begins = |name: &str| text.find(&format!("\n{name} ")).map(|at| at + 1);
    let end = ["Findings", "Next"].iter().filter_map(|name| begins(name)).min();
    let text = &text[begins("Growth").expect("it says how it grows")..end.unwrap_or(text.len())];
    // How many runs a search makes is its own affair.
    let without_runs = |line: &str| match line.trim_start().starts_with("A search of ") {
        true => "          A search tried to refute it and found nothing worse.\n".to_owned(),
        false => format!("{line}\n"),
    };
    text.lines().map(without_runs).collect()
}

/// Whichever the language, the worst input stays in the inner loop: what stands there is larger than what is put in.
#[track_caller]
fn stays_in_the_loop(text: &str) {
    assert!(text.contains("O(n^2)"), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("stay in the loop"), "{text}");
    let names = ["a", "argument_1"].map(|name| format!("first where {name}[0] > {name}[1]"));
    assert!(names.iter().any(|met| words.contains(met)), "{text}");
    assert!(!text.contains("take true") && !text.contains("take false"), "{text}");
}

#[test]
fn in_c() {
    let text = answer(&one_sort("c.wasm"), SORT, &[8, 16]);
    stays_in_the_loop(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn in_cpp() {
    let text = answer(&one_sort("cpp.wasm"), SORT, &[8, 16]);
    stays_in_the_loop(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn in_rust() {
    let text = answer(&corpus("rust_insertion_sort/rust_insertion_sort.wasm"), SORT, &[8, 16]);
    stays_in_the_loop(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn in_zig() {
    let text = answer(&one_sort("zig.wasm"), SORT, &[8, 16]);
    stays_in_the_loop(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn in_assemblyscript() {
    let text = answer(&one_sort("assemblyscript.wasm"), SORT, &[8, 16]);
    stays_in_the_loop(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn of_klibc() {
    let module = corpus("real/klibc/klibc.wasm");
    insta::assert_snapshot!(answer(&module, "sort_ints(&i32[n], n)", &[6, 12]));
}

#[test]
fn of_jsmn() {
    let module = corpus("real/jsmn/jsmn.wasm");
    insta::assert_snapshot!(answer(&module, "tokens(&u8[n] in 32..=127, n)", &[6, 12]));
}

#[test]
fn of_lua() {
    let module = corpus("real/lua/lua.wasm");
    insta::assert_snapshot!(answer(&module, "two_stars(&u8[n] in 32..=127, n)", &[6, 12]));
}
