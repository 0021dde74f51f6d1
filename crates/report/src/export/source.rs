//! An input as source code.

use super::Label;
use super::elements::Elements;
use crate::escape::visible;

/// Columns of generated code.
const WIDTH: usize = 96;

/// A C header that defines the array and its length.
pub(super) fn c_array(label: &Label<'_>, elements: &Elements) -> String {
    let name = identifier(label);
    let (ty, count) = (elements.ty.c(), elements.values.len());
    let literals: Vec<String> = elements.values.iter().map(|v| c_literal(v)).collect();
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
    let name = identifier(label);
    let constant = name.to_uppercase();
    let ty = elements.ty.rust();
    let body = match elements.values.as_slice() {
        [] => String::new(),
        values => format!("\n{}\n", lines(values)),
    };
    format!(
        "// {}\n//\n\
         // include! this file in a test module that has `fn under_test(input: &[{ty}])`: what is\n\
         // to be called, and whatever must hold of the answer or of the time it took.\n\n\
         #[rustfmt::skip]\nconst {constant}: &[{ty}] = &[{body}];\n\n\
         #[test]\nfn {name}() {{\n    under_test({constant});\n}}\n",
        about(label),
    )
}

/// A number as C reads it without a warning: beyond 2^63 it needs a suffix, and the least `int64_t`
/// has no literal of its own.
fn c_literal(value: &str) -> String {
    match value.parse::<i128>() {
        Ok(v) if v > i128::from(i64::MAX) => format!("{value}ull"),
        Ok(v) if v == i128::from(i64::MIN) => "INT64_MIN".into(),
        _ => value.to_owned(),
    }
}

/// What the file holds, in one line without line breaks.
fn about(label: &Label<'_>) -> String {
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
fn identifier(label: &Label<'_>) -> String {
    let name = label.stem().replace('-', "_").to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn lines(values: &[String]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_reads_the_greatest_and_the_least_numbers() {
        let shown = ["18446744073709551615", "-9223372036854775808", "-1"].map(c_literal);
        assert_eq!(shown.join(" "), "18446744073709551615ull INT64_MIN -1");
    }
}
