//! Names come from modules, files and documents, and a name can be anything. Here they are made text
//! that is shown and does nothing: no byte of them moves a cursor, starts a line, turns the reading
//! direction, or is a command to the system that reads the log.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something to the text around it instead of being seen: control
/// characters (C0, DEL, C1), marks and overrides of the reading direction, separators of lines,
/// characters without a width, tags.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The text in one line, with every character that acts written by its number: `\n`, `\u{1b}`. A tab
/// is a space.
///
/// ```
/// use pessimum_report::escape::visible;
/// assert_eq!(visible("sort.c"), "sort.c");
/// assert_eq!(visible("a\n\u{1b}[31m\u{202e}b"), r"a\n\u{1b}[31m\u{202e}b");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            // Writing to a string cannot fail.
            c if acts(c) => drop(write!(out, "{}", c.escape_unicode())),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text in one line of at most `most` characters; of a longer one the beginning, and how much
/// is missing.
///
/// ```
/// use pessimum_report::escape::bounded;
/// assert_eq!(bounded("abcdef", 6), "abcdef");
/// assert_eq!(bounded("abcdef", 2), "ab… (4 more characters)");
/// ```
pub fn bounded(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => visible(text),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            Cow::Owned(format!("{}… ({more} more characters)", visible(&text[..end])))
        }
    }
}

/// The text without characters beyond ASCII: ours have stand-ins, and of others, which programs may quote, each
/// is a `?`.
///
/// ```
/// use pessimum_report::escape::ascii;
/// assert_eq!(ascii("≈ 3·n², Ω(n) → …"), "~ 3*n^2, Omega(n) -> ...");
/// assert_eq!(ascii("文"), "?");
/// ```
pub fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '…' => out.push_str("..."),
            '·' => out.push('*'),
            '×' => out.push('x'),
            '≈' => out.push('~'),
            '≤' => out.push_str("<="),
            '≥' => out.push_str(">="),
            'Ω' => out.push_str("Omega"),
            '→' => out.push_str("->"),
            '✓' => out.push('+'),
            '²' => out.push_str("^2"),
            '³' => out.push_str("^3"),
            '–' | '−' => out.push('-'),
            '\u{a0}' => out.push(' '),
            c if c.is_ascii() => out.push(c),
            _ => out.push('?'),
        }
    }
    out
}

/// Several lines that are ours, as they may stand in a log: a line that would begin a workflow
/// command of GitHub (`::error`) or hold one of the older form or of Azure (`##[`, `##vso[`) has its
/// mark written by number. Names get there by what wraps and aligns them, so this is done last.
///
/// ```
/// use pessimum_report::escape::log;
/// assert_eq!(log("std::sort\n  ::error::x\n"), "std::sort\n  \\u{3a}:error::x\n");
/// assert_eq!(log("a ##[x] b"), r"a #\u{23}[x] b");
/// ```
pub fn log(text: &str) -> Cow<'_, str> {
    let begins = |line: &str| line.trim_start().starts_with("::");
    if !text.lines().any(begins) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let line = match bare.strip_prefix("::") {
            Some(rest) => format!("{}\\u{{3a}}:{rest}", &line[..line.len() - bare.len()]),
            None => line.to_owned(),
        };
        out.push_str(&line.replace("##[", "#\\u{23}[").replace("##vso[", "#\\u{23}vso["));
    }
    Cow::Owned(out)
}

/// JSON with every character that acts written by its number: the same document for whoever reads
/// JSON, and text that does nothing for whoever prints it. Such characters occur in strings alone.
///
/// ```
/// use pessimum_report::escape::json;
/// assert_eq!(json("[\"a\u{202e}\"]\n"), "[\"a\\u202e\"]\n");
/// ```
pub fn json(text: &str) -> Cow<'_, str> {
    // The document's own white space; serde_json escapes both in strings.
    let acts = |c: char| acts(c) && c != '\n' && c != '\r' && c != '\t';
    if !text.chars().any(acts) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out.replace("##[", "#\\u0023[").replace("##vso[", "#\\u0023vso["))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Text with more than a fair share of characters that act.
    fn hostile() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("\u{1b}[2J"),
            Just("\n"),
            Just("\r"),
            Just("\u{7f}"),
            Just("\u{9b}31m"),
            Just("\u{202e}"),
            Just("\u{2066}"),
            Just("::error::"),
            Just("##["),
            Just("##vso["),
            Just("\""),
            Just("\\"),
            Just("a"),
            Just(" "),
            Just("文"),
            Just("\u{e0041}"),
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn nothing_acts_in_what_is_visible(text in hostile()) {
            prop_assert!(!visible(&text).chars().any(acts));
            prop_assert!(!bounded(&text, 5).chars().any(acts));
        }

        #[test]
        fn no_line_of_a_log_is_a_command(text in hostile()) {
            let log = log(&text);
            prop_assert!(!log.lines().any(|l| l.trim_start().starts_with("::")), "{log:?}");
            prop_assert!(!log.contains("##[") && !log.contains("##vso["));
        }

        #[test]
        fn escaped_json_is_the_same_document(text in hostile()) {
            let plain = serde_json::to_string(&text).expect("a string is JSON");
            let escaped = json(&plain);
            prop_assert!(!escaped.chars().any(acts));
            prop_assert!(!escaped.contains("##["));
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).expect("still JSON"), text);
        }
    }
}
