//! `check --github`: what a library spends counts for the line that calls it, where that is in a file of the user's.

use super::world::{Ran, command, scratch};
use std::path::Path;

/// `tests/fake/borders.c`, compiled with `common.c` of a library, in a folder with these sources. All of the quadratic cost
/// is spent in the library.
fn annotated(name: &str, sources: &[&str]) -> String {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    for file in sources.iter().chain(&["borders.wasm"]) {
        std::fs::copy(made.join(file), folder.join(file)).expect("it can be copied");
    }
    let call = ["check", "borders.wasm", "--call", "borders(&u8[n], n)", "--sizes", "10,20,40"];
    let args = [&call[..], &["--at-most", "n", "--github", "--quiet"]].concat();
    let output = command(&args).current_dir(&folder).output().expect("the command was built");
    let shown = Ran::of(output, "check").exits(1).stdout;
    let line = shown.lines().find_map(|line| line.strip_prefix("::error "));
    line.and_then(|line| line.split(",title").next()).expect("an annotation").to_owned()
}

#[test]
fn the_call_of_a_library_is_where_its_cost_belongs() {
    assert_eq!(annotated("own_lines", &["borders.c"]), "file=borders.c,line=8");
}

#[test]
fn where_everything_is_ones_own_the_line_is_that_of_the_loop() {
    assert_eq!(annotated("all_lines", &["borders.c", "common.c"]), "file=common.c,line=5");
}

#[test]
fn without_a_line_of_ones_own_it_is_that_of_the_library() {
    assert_eq!(annotated("no_lines", &[]), "file=common.c,line=5");
}
