//! `check`: a gate for continuous integration, never falsely green.

use crate::analysis::AnalysisResult;
use pessimum_fit::{Class, Point, Verdict as FitVerdict, compare_to_bound};
use pessimum_report::document::{self, CheckRule, CheckSize, Verdict};

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

/// Holds a result against a requirement.
pub fn check(result: &AnalysisResult, requirement: &Requirement) -> document::Check {
    let document = &result.document;
    let all: Vec<&document::Size> = document.training.iter().chain(&document.sizes).collect();
    let doubt = doubt(result);
    let mut rules = Vec::new();
    if let Some(bound) = &requirement.at_most {
        let (verdict, reason) = at_most(&all, bound, doubt.as_deref());
        rules.push(CheckRule { rule: format!("at most {bound}"), verdict, reason });
    }
    for &(n, limit) in &requirement.max_cost {
        let size = all.iter().find(|s| s.n == n && s.replayed.is_some());
        let doubt = doubt.as_deref().filter(|_| size.is_none_or(|s| !s.exact));
        let (verdict, reason) = compare(size.and_then(|s| s.worst_cost), limit, doubt);
        rules.push(CheckRule { rule: format!("n={n}: at most {limit}"), verdict, reason });
    }
    for &(n, before) in &requirement.baseline {
        let size = all.iter().find(|s| s.n == n && s.replayed.is_some());
        let (verdict, reason) = compare(size.and_then(|s| s.worst_cost), before, None);
        rules.push(CheckRule { rule: format!("n={n}: no worse than {before}"), verdict, reason });
    }
    let verdict = Verdict::gravest(rules.iter().map(|r| r.verdict));
    let sizes = all
        .iter()
        .map(|s| CheckSize {
            n: s.n,
            worst_cost: s.worst_cost,
            limit: limit_at(requirement, s.n),
            verdict: size_verdict(s, requirement),
            exact: s.exact,
            method: s.method.clone(),
            replayed: s.replayed.clone(),
            input: s.input.clone(),
            reason: String::new(),
            seconds: s.seconds,
        })
        .collect();
    document::Check {
        schema: document::SCHEMA,
        program: document.program.clone(),
        cost_model: document.cost_model.clone(),
        verdict,
        rules,
        sizes,
        summary: result.fit.summary(),
        at: None,
        findings: document.findings.clone(),
    }
}

fn at_most(all: &[&document::Size], bound: &Class, doubt: Option<&str>) -> (Verdict, String) {
    let points: Vec<Point> = all
        .iter()
        .filter(|s| s.replayed.is_some())
        .filter_map(|s| {
            let cost = s.worst_cost?;
            Some(if s.exact { Point::exact(s.n, cost) } else { Point::reached(s.n, cost) })
        })
        .collect();
    match compare_to_bound(&points, bound) {
        FitVerdict::Worse { class, .. } => {
            (Verdict::Worse, format!("it grows as {}, above {}", class.big_o(), bound.big_o()))
        }
        FitVerdict::Within { class, .. } => match doubt {
            None => {
                (Verdict::Ok, format!("it grows as {}, within {}", class.big_o(), bound.big_o()))
            }
            Some(why) => (
                Verdict::Inconclusive,
                format!("nothing above {} was found, but {why}", bound.big_o()),
            ),
        },
        FitVerdict::CannotTell { reason } => (Verdict::Inconclusive, reason),
    }
}

fn compare(cost: Option<u64>, limit: u64, doubt: Option<&str>) -> (Verdict, String) {
    match (cost, doubt) {
        (None, _) => (Verdict::Inconclusive, "the size was not reached".to_owned()),
        (Some(cost), _) if cost > limit => {
            (Verdict::Worse, format!("cost {cost} is more than {limit}"))
        }
        (Some(cost), Some(why)) => {
            (Verdict::Inconclusive, format!("cost {cost} is within {limit}, but {why}"))
        }
        (Some(cost), None) => (Verdict::Ok, format!("cost {cost} is at most {limit}")),
    }
}

fn limit_at(requirement: &Requirement, n: u64) -> Option<u64> {
    let limits = requirement.max_cost.iter().chain(&requirement.baseline);
    limits.filter(|l| l.0 == n).map(|l| l.1).min()
}

fn size_verdict(size: &document::Size, requirement: &Requirement) -> Verdict {
    match (size.worst_cost, limit_at(requirement, size.n)) {
        (Some(cost), Some(limit)) if cost > limit => Verdict::Worse,
        (None, _) => Verdict::Inconclusive,
        _ => Verdict::Ok,
    }
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
