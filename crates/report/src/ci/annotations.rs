//! GitHub's workflow commands, which appear beside the code of a pull request.

use super::{Inconclusive, findings, witness};
use crate::document::{Check, Verdict};
use crate::escape::visible;

/// One line per finding, and one that sums up. What is undecided is a warning, as in SARIF; where the build fails by
/// it alone, the last line says so.
pub fn github_annotations(check: &Check, inconclusive: Inconclusive) -> String {
    let mut out = String::new();
    for rule in findings(check) {
        let title = format!("pessimum: {}: {}", rule.rule, rule.verdict.word());
        let mut message = visible(&rule.reason).into_owned();
        if let Some(witness) = witness(check, &rule) {
            message.push_str(&format!("\n{}", visible(&witness)));
        }
        if !check.summary.is_empty() {
            message.push_str(&format!("\n{}", visible(&check.summary)));
        }
        out.push_str(&command(check, level(rule.verdict), &title, &message));
    }
    let title = format!("pessimum: {}", check.verdict.word());
    let mut message =
        format!("{} {}: {}", check.program.module, check.program.entry, check.summary);
    if (check.verdict, inconclusive) == (Verdict::Inconclusive, Inconclusive::Fail) {
        message.push_str(" (undecided, which fails the build without --inconclusive pass)");
    }
    out.push_str(&format!("::notice title={}::{}\n", property(&title), data(&visible(&message))));
    out
}

fn level(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "notice",
        Verdict::Inconclusive => "warning",
        Verdict::Worse => "error",
    }
}

fn command(check: &Check, level: &str, title: &str, message: &str) -> String {
    let place = match &check.at {
        Some(at) => format!("file={},line={},", property(&at.file), at.line),
        None => String::new(),
    };
    format!("::{level} {place}title={}::{}\n", property(title), data(message))
}

/// A message, escaped as the runner undoes it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, in which separators must be escaped too.
fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_command_early() {
        assert_eq!(data("100 %\nnext"), "100 %25%0Anext");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
        assert_eq!(property("a\n::error::b"), "a\\n%3A%3Aerror%3A%3Ab");
    }
}
