//! `check`: a gate for continuous integration, never falsely green.

use crate::analysis::AnalysisResult;
use pessimum_fit::{Class, Point, Verdict as FitVerdict, compare_to_bound};

/// What a program is held to.
#[derive(Clone, Debug, Default)]
pub struct Requirement {
    /// `--at-most 'n*log(n)'`.
    pub at_most: Option<Class>,
    /// `--max-cost 'n=100:5000'`.
    pub max_cost: Vec<(u64, u64)>,
    /// Worst costs of an earlier run, by size.
    pub baseline: Vec<(u64, u64)>,
}

/// How it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing worse was found, and the result can be trusted.
    Pass,
    /// Worse, with a replayed witness.
    Worse,
    /// It cannot be told.
    Inconclusive,
}

/// The verdict, and one line per thing that was looked at.
#[derive(Clone, Debug)]
pub struct Check {
    /// All in all.
    pub verdict: Verdict,
    /// Line by line.
    pub lines: Vec<(Verdict, String)>,
}

/// Holds a result against a requirement.
pub fn check(result: &AnalysisResult, requirement: &Requirement) -> Check {
    let mut lines = Vec::new();
    let all = || result.document.sizes.iter().chain(&result.document.training);
    let confirmed: Vec<(u64, u64)> = all()
        .filter(|s| s.replayed.is_some())
        .filter_map(|s| Some((s.n, s.worst_cost?)))
        .collect();
    let doubt = doubt(result);
    if let Some(bound) = &requirement.at_most {
        let points: Vec<Point> = all()
            .filter(|s| s.replayed.is_some())
            .filter_map(|s| {
                let cost = s.worst_cost?;
                Some(if s.exact { Point::exact(s.n, cost) } else { Point::reached(s.n, cost) })
            })
            .collect();
        lines.push(match compare_to_bound(&points, bound) {
            FitVerdict::Worse { class, .. } => {
                (Verdict::Worse, format!("grows as {}, above {}", class.big_o(), bound.big_o()))
            }
            FitVerdict::Within { class, .. } => match &doubt {
                None => (Verdict::Pass, format!("grows as {}, within {}", class.big_o(), bound.big_o())),
                Some(why) => (
                    Verdict::Inconclusive,
                    format!("nothing above {} was found, but {why}", bound.big_o()),
                ),
            },
            FitVerdict::CannotTell { reason } => (Verdict::Inconclusive, reason),
        });
    }
    for (n, limit) in &requirement.max_cost {
        lines.push(match confirmed.iter().find(|s| s.0 == *n) {
            Some((_, cost)) if cost > limit => {
                (Verdict::Worse, format!("n = {n}: cost {cost}, more than {limit}"))
            }
            Some((_, cost)) => {
                let exact = all().any(|s| s.n == *n && s.exact);
                match &doubt {
                    Some(why) if !exact => (
                        Verdict::Inconclusive,
                        format!("n = {n}: {cost} is within {limit}, but {why}"),
                    ),
                    _ => (Verdict::Pass, format!("n = {n}: cost {cost}, at most {limit}")),
                }
            }
            None => (Verdict::Inconclusive, format!("n = {n} was not reached")),
        });
    }
    for (n, before) in &requirement.baseline {
        lines.push(match confirmed.iter().find(|s| s.0 == *n) {
            Some((_, now)) if now > before => {
                (Verdict::Worse, format!("n = {n}: cost {now}, was {before}"))
            }
            Some((_, now)) => (Verdict::Pass, format!("n = {n}: cost {now}, was {before}")),
            None => (Verdict::Inconclusive, format!("n = {n} was not reached")),
        });
    }
    let verdict = if lines.iter().any(|l| l.0 == Verdict::Worse) {
        Verdict::Worse
    } else if lines.iter().any(|l| l.0 == Verdict::Inconclusive) || lines.is_empty() {
        Verdict::Inconclusive
    } else {
        Verdict::Pass
    };
    Check { verdict, lines }
}

/// Why a result that shows nothing bad does not prove anything good.
fn doubt(result: &AnalysisResult) -> Option<String> {
    let document = &result.document;
    if let Some(cut) = &document.cut_by {
        return Some(format!("the run was cut by {cut}"));
    }
    let sizes = || document.sizes.iter().chain(&document.training);
    if sizes().all(|s| s.exact) || document.cost_independent_of_input {
        return None;
    }
    match &document.policy {
        Some(policy) if !policy.validated => Some("the policy is not validated".to_owned()),
        None => Some("no policy was learned".to_owned()),
        Some(_) if sizes().any(|s| s.cut_by.is_some()) => {
            Some("a size was cut before all conforming paths were followed".to_owned())
        }
        Some(_) => None,
    }
}
