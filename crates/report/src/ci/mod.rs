//! The verdict of a check in the forms continuous integration reads.

mod annotations;
mod junit;
mod sarif;

pub use annotations::github_annotations;
pub use junit::junit;
pub use sarif::{sarif, sarif_of_check};

use crate::document::{Check, CheckRule, Verdict};

/// The rules that did not pass. Those of one verdict that speak of a size each are one finding: the largest size tells it.
fn findings(check: &Check) -> Vec<CheckRule> {
    let broken = || check.rules.iter().filter(|rule| rule.verdict != Verdict::Ok);
    let mut told: Vec<CheckRule> = Vec::new();
    for rule in broken() {
        let alike = |other: &&CheckRule| other.n.is_some() && other.verdict == rule.verdict;
        let largest = broken().filter(alike).max_by_key(|other| other.n);
        let others = broken().filter(alike).count().saturating_sub(1);
        match largest.filter(|_| rule.n.is_some() && others > 0) {
            None => told.push(rule.clone()),
            Some(largest) if largest.n == rule.n && largest.rule == rule.rule => {
                let more = if others == 1 { "one more size" } else { "more sizes" };
                let count = if others == 1 { String::new() } else { format!("{others} ") };
                let reason = format!("{}; {count}{more} as well", rule.reason);
                told.push(CheckRule { reason, ..rule.clone() });
            }
            Some(_) => {}
        }
    }
    told
}

/// What an inconclusive answer means to the build (`--inconclusive`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// It is shown, and passes.
    Pass,
    /// It fails the build.
    Fail,
}
