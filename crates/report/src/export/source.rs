//! An input as an array in source code, for programs that are not called with it.

use super::Label;
use super::elements::Elements;
use crate::escape::visible;

/// Columns of generated code.
const WIDTH: usize = 96;

/// A C header that defines the array and its length.
pub(super) fn c_array(label: &Label<'_>, elements: &Elements) -> String {
    let name = test_name(label);
    let (ty, count) = (elements.ty.scalar().c(), elements.values.len());
    let literals: Vec<String> =
        elements.values.iter().map(|v| elements.ty.scalar().c_literal(v)).collect();
    // C has no empty initialiser and no empty array.
    let body = if count == 0 { "    0".to_owned() } else { lines(&literals) };
    format!(
        "/* {} */\n#include <stddef.h>\n#include <stdint.h>\n\n\
         static const size_t {name}_length = {count};\n\
         static const {ty} {name}[{}] = {{\n{body}\n}};\n",
        about(label).replace("*/", "* /"),
        count.max(1),
    )
}

/// A Rust test that hands the array to a function of the user's.
pub(super) fn rust_test(label: &Label<'_>, elements: &Elements) -> String {
    let name = test_name(label);
    let constant = name.to_uppercase();
    let ty = elements.ty.scalar().rust();
    let body = match elements.values.as_slice() {
        [] => String::new(),
        values => format!("\n{}\n", lines(values)),
    };
    format!(
        "// {}\n//\n\
         // include! this file in a test module that has `fn under_test(input: &[{ty}])`: what is\n\
         // to be called, and whatever must hold of the answer or of the time it took.\n\n\
         #[rustfmt::skip]\nconst {constant}: &[{ty}] = &[{body}];\n\n\
         #[test]\nfn {name}() {{\n{RUST_STARTED}    under_test({constant});\n{}}}\n",
        about(label),
        rust_told("under_test", label.n),
    )
}

/// The clock of a test in Rust is started.
pub(super) const RUST_STARTED: &str = "    let started = std::time::Instant::now();\n";

/// Where a test in Rust writes to.
const STANDARD_ERROR: &str = "std::io::stderr";

/// A test in Rust says what was called, and how long it took. It writes past what a test runner keeps from a test
/// that passes.
pub(super) fn rust_told(called: &str, n: u64) -> String {
    format!(
        "    let took = started.elapsed().as_secs_f64();\n\
         \x20   let told = format!(\"{called}: n = {n}, {{took:.6}} s\\n\");\n\
         \x20   let _ = std::io::Write::write_all(&mut {STANDARD_ERROR}(), told.as_bytes());\n"
    )
}

/// What the file holds, in one line without line breaks.
pub(super) fn about(label: &Label<'_>) -> String {
    let cost = match label.cost {
        Some(cost) => format!(", cost {cost} ({})", label.cost_model),
        None => String::new(),
    };
    let text = format!(
        "Made by pessimum: input of {} {}, n = {}{cost}",
        label.program.module, label.program.entry, label.n
    );
    visible(&text).into_owned()
}

/// A name both languages take.
pub(super) fn test_name(label: &Label<'_>) -> String {
    let name = label.stem().replace('-', "_").to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

pub(super) fn lines(values: &[String]) -> String {
    let mut out = String::from("   ");
    let mut column = 3;
    for value in values {
        if column + value.len() + 2 > WIDTH {
            out.push_str("\n   ");
            column = 3;
        }
        out.push_str(&format!(" {value},"));
        column += value.len() + 2;
    }
    out
}
