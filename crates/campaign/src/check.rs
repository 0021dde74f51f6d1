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

/// Holds a result against a requirement; `at` is where the worst path spends its cost, see
/// [`hotspot`](crate::hotspot).
pub fn check(
    result: &AnalysisResult,
    requirement: &Requirement,
    at: Option<document::Place>,
) -> document::Check {
    let document = &result.document;
    let all: Vec<&document::Size> = document.training.iter().chain(&document.sizes).collect();
    let doubt = doubt(result);
    // Each rule with the size it speaks of; a class speaks of all of them together.
    let mut rules: Vec<(Option<u64>, CheckRule)> = Vec::new();
    if let Some(bound) = &requirement.at_most {
        let (verdict, reason) = at_most(&all, bound, doubt.as_deref());
        rules.push((None, CheckRule { rule: format!("at most {bound}"), verdict, reason }));
    }
    for &(n, limit) in &requirement.max_cost {
        let size = all.iter().find(|s| s.n == n && s.replayed.is_some());
        let doubt = doubt.as_deref().filter(|_| size.is_none_or(|s| !s.exact));
        let (verdict, reason) = compare(size.and_then(|s| s.worst_cost), limit, doubt);
        rules.push((
            Some(n),
            CheckRule { rule: format!("n={n}: at most {limit}"), verdict, reason },
        ));
    }
    for &(n, before) in &requirement.baseline {
        let size = all.iter().find(|s| s.n == n && s.replayed.is_some());
        let (verdict, reason) = compare(size.and_then(|s| s.worst_cost), before, None);
        let rule = format!("n={n}: no worse than {before}");
        rules.push((Some(n), CheckRule { rule, verdict, reason }));
    }
    let sizes = all.iter().map(|s| check_size(s, requirement, &rules, witness(&all, &rules)));
    document::Check {
        schema: document::SCHEMA,
        program: document.program.clone(),
        cost_model: document.cost_model.clone(),
        verdict: Verdict::gravest(rules.iter().map(|(_, rule)| rule.verdict)),
        sizes: sizes.collect(),
        rules: rules.into_iter().map(|(_, rule)| rule).collect(),
        summary: result.fit.summary(),
        at,
        findings: document.findings.clone(),
    }
}

/// The size that shows a broken class best: the largest that was run again.
fn witness(all: &[&document::Size], rules: &[(Option<u64>, CheckRule)]) -> Option<u64> {
    let broken = rules.iter().any(|(n, rule)| n.is_none() && rule.verdict == Verdict::Worse);
    all.iter().filter(|s| broken && s.replayed.is_some()).map(|s| s.n).max()
}

fn check_size(
    size: &document::Size,
    requirement: &Requirement,
    rules: &[(Option<u64>, CheckRule)],
    witness: Option<u64>,
) -> CheckSize {
    let own = rules.iter().filter(|(n, _)| *n == Some(size.n)).map(|(_, rule)| rule.verdict);
    let shows = Some(Verdict::Worse).filter(|_| witness == Some(size.n));
    let reason = match shows {
        Some(_) => "witness of the growth".to_owned(),
        None => String::new(),
    };
    CheckSize {
        n: size.n,
        worst_cost: size.worst_cost,
        limit: limit_at(requirement, size.n),
        verdict: own.chain(shows).max(),
        exact: size.exact,
        method: size.method.clone(),
        replayed: size.replayed.clone(),
        input: size.input.clone(),
        reason,
        seconds: size.seconds,
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
