//! An input in a few words: `[100, 99, 98, … 2, 1]` or `"aaaa…"`.

use serde_json::Value;

use super::style::TerminalStyle;
use crate::document::Input;

/// The input within so many columns, the middle left out: both ends say more than a long start.
pub(crate) fn short(input: &Input, columns: usize, style: &TerminalStyle) -> String {
    if let Some(arguments) = input.arguments() {
        let room = (columns / arguments.len().max(1)).saturating_sub(2);
        let one = |(name, values, is_text)| argument(name, values, is_text, room, style);
        return style.fit(&arguments.into_iter().map(one).collect::<Vec<_>>().join("; "), columns);
    }
    if let Some(structure) = &input.structure {
        return style.fit(&nested(structure), columns);
    }
    if let Some(bytes) = text(input) {
        return as_text(&bytes, columns, style);
    }
    let Some(values) = input.values.as_array() else {
        return style.fit(&input.values.to_string(), columns);
    };
    list(values, columns, style)
}

/// The input on as many lines as it has arguments, each within so many columns.
pub(crate) fn lines(input: &Input, columns: usize, style: &TerminalStyle) -> Vec<String> {
    let Some(arguments) = input.arguments() else { return vec![short(input, columns, style)] };
    let one = |(name, values, is_text)| argument(name, values, is_text, columns, style);
    arguments.into_iter().map(one).collect()
}

/// `pattern = "*a"`: what is passed for one argument.
fn argument(
    name: &str,
    values: &[Value],
    is_text: bool,
    columns: usize,
    style: &TerminalStyle,
) -> String {
    let name = style.chars(&format!("{name} = "));
    let room = columns.saturating_sub(name.chars().count()).max(8);
    let byte = |value: &Value| value.as_i64().and_then(|v| u8::try_from(v & 0xff).ok());
    let bytes: Option<Vec<u8>> = values.iter().map(byte).collect();
    let shown = match bytes.filter(|_| is_text) {
        Some(bytes) => as_text(&bytes, room, style),
        None => match values {
            [one] => style.fit(&word(one), room),
            _ => list(values, room, style),
        },
    };
    name + &shown
}

/// A text in quotes, by its runs where that is what fits.
fn as_text(bytes: &[u8], columns: usize, style: &TerminalStyle) -> String {
    let whole = quoted(bytes);
    let runs = in_runs(bytes);
    let fits = |text: &str| text.chars().count() <= columns;
    style.fit(if !fits(&whole) && fits(&runs) { &runs } else { &whole }, columns)
}

/// Values, the middle left out where they are too many.
fn list(values: &[Value], columns: usize, style: &TerminalStyle) -> String {
    let words: Vec<String> = values.iter().map(word).collect();
    let whole = format!("[{}]", words.join(", "));
    if whole.len() <= columns {
        return style.chars(&whole);
    }
    let elided = |head: usize, tail: usize| {
        format!(
            "[{}, {} {}]",
            words[..head].join(", "),
            style.ellipsis(),
            words[words.len() - tail..].join(", ")
        )
    };
    // Takes from both ends in turn while it fits.
    let (mut head, mut tail) = (1, 1);
    while head + tail < words.len() {
        let next = if head <= tail { (head + 1, tail) } else { (head, tail + 1) };
        if elided(next.0, next.1).len() > columns {
            break;
        }
        (head, tail) = next;
    }
    style.fit(&elided(head, tail), columns)
}

/// A structure without the links that lead nowhere: `{left: {key: 0}, key: 1}`.
fn nested(structure: &Value) -> String {
    match structure {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            let shown: Vec<String> = kept.map(|(k, v)| format!("{k}: {}", nested(v))).collect();
            format!("{{{}}}", shown.join(", "))
        }
        other => word(other),
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

/// A text by its runs, `"a", 120 × "b"`, where that is shorter than the run itself.
fn in_runs(bytes: &[u8]) -> String {
    let (mut parts, mut plain) = (Vec::new(), Vec::new());
    for run in bytes.chunk_by(|a, b| a == b) {
        let short = format!("{} × {}", run.len(), quoted(&run[..1]));
        if short.chars().count() >= quoted(run).len() {
            plain.extend_from_slice(run);
            continue;
        }
        if !plain.is_empty() {
            parts.push(quoted(&std::mem::take(&mut plain)));
        }
        parts.push(short);
    }
    if !plain.is_empty() {
        parts.push(quoted(&plain));
    }
    parts.join(", ")
}

/// The bytes of the input, when it is bytes and most of them are text.
fn text(input: &Input) -> Option<Vec<u8>> {
    let bytes = input.raw()?;
    let values = input.values.as_array()?;
    let printable = bytes.iter().filter(|b| (0x20..0x7f).contains(*b)).count();
    let is_text =
        bytes.len() == values.len() && bytes.len() >= 2 && printable * 4 >= bytes.len() * 3;
    is_text.then_some(bytes)
}

fn word(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{NamedArgument, Text};
    use base64::Engine;
    use serde_json::json;

    fn shown(values: Value, bytes: &[u8], columns: usize) -> String {
        let bytes = base64::engine::general_purpose::STANDARD.encode(bytes);
        short(&Input { values, bytes, structure: None }, columns, &TerminalStyle::default())
    }

    #[test]
    fn both_ends_of_a_long_array_are_shown() {
        let values: Vec<u32> = (1..=100).rev().collect();
        assert_eq!(shown(json!(values), &[], 40), "[100, 99, 98, 97, 96, … 5, 4, 3, 2, 1]");
        assert_eq!(shown(json!([3, -1]), &[], 40), "[3, -1]");
        assert_eq!(shown(json!([]), &[], 40), "[]");
    }

    #[test]
    fn a_structure_is_shown_instead_of_its_values() {
        let structure = json!({"left": {"left": null, "key": 0}, "right": null, "key": 1});
        let input =
            Input { values: json!([1, 1]), bytes: String::new(), structure: Some(structure) };
        let style = TerminalStyle::default();
        assert_eq!(short(&input, 40, &style), "{key: 1, left: {key: 0}}");
        assert_eq!(short(&input, 12, &style), "{key: 1, le…");
    }

    /// A pattern and a name are two texts, not one list of bytes.
    #[test]
    fn arguments_are_told_apart_by_name() {
        let values = [&b"*"[..], &[0; 40], b"ab", &[7]].concat();
        let told = |name: &str, count, text| NamedArgument { name: name.to_owned(), count, text };
        let mut input = Input { values: json!(values), bytes: String::new(), structure: None };
        input.name_arguments(&[
            told("pattern", 41, Text::Yes),
            told("name", 2, Text::IfPrintable),
            told("k", 1, Text::No),
        ]);
        let style = TerminalStyle::default();
        let shown = lines(&input, 40, &style);
        assert_eq!(shown, [r#"pattern = "*", 40 × "\x00""#, r#"name = "ab""#, "k = 7"]);
        assert_eq!(short(&input, 90, &style), r#"pattern = "*", 40 × "\x00"; name = "ab"; k = 7"#);
        // One that does not fit its values is no help.
        let wrong = Input { values: json!([1, 2]), ..input };
        assert_eq!(wrong.arguments(), None);
    }

    #[test]
    fn bytes_that_are_text_are_quoted() {
        assert_eq!(shown(json!([97, 97, 34]), b"aa\"", 40), "\"aa\\\"\"");
        assert_eq!(shown(json!([0, 255, 7]), &[0, 255, 7], 40), "[0, 255, 7]");
        // One that is too long is told by its runs, where they are few.
        let long = [&b"x"[..], &[b'"'; 120], b"end"].concat();
        assert_eq!(shown(json!(long), &long, 40), "\"x\", 120 × \"\\\"\", \"end\"");
        let mixed: Vec<u8> = b"ab".repeat(60);
        assert!(shown(json!(mixed), &mixed, 40).starts_with("\"abab"));
        // Three 32-bit numbers are no text, whatever their bytes.
        assert_eq!(shown(json!([97]), b"a\0\0\0", 40), "[97]");
    }
}
