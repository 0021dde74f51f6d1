//! The verdict of a check in the forms continuous integration reads.

mod annotations;
mod junit;
mod sarif;

pub use annotations::github_annotations;
pub use junit::junit;
pub use sarif::{sarif, sarif_of_check};

use crate::document::{Check, CheckRule, Verdict};
use crate::terminal;

/// The rules that did not pass, those that speak of a size each told by the largest.
fn findings(check: &Check) -> Vec<CheckRule> {
    let mut rules = check.rules_in_short();
    rules.retain(|rule| rule.verdict != Verdict::Ok);
    rules
}

/// The input that shows a broken rule, in words: `Witness, n = 300: "\"", 299 × ","`.
fn witness(check: &Check, rule: &CheckRule) -> Option<String> {
    let (n, input) =
        terminal::witness(check, WITNESS).filter(|_| rule.verdict == Verdict::Worse)?;
    Some(format!("Witness, n = {n}: {input}"))
}

/// Columns of a witness in a message.
const WITNESS: usize = 120;

/// What an inconclusive answer means to the build (`--inconclusive`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// It is shown, and passes.
    Pass,
    /// It fails the build.
    Fail,
}
