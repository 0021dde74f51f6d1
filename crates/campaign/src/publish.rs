//! Evidence and judgements as documents.

use crate::error::Error;
use crate::evidence::{Replayed, SizeEvidence};
use crate::findings::input_document;
use crate::judge::{Evidence, Judgement, bound};
use crate::policy::LearnedPolicy;
use crate::program::Program;
use pessimum_fit as fit;
use pessimum_machine::Module;
use pessimum_report::document::{self, Bound};
use pessimum_search::{Family, Sample};

/// The module and how it is entered.
pub(crate) fn program(program: &Program) -> Result<document::Program, Error> {
    Ok(document::Program {
        module: program.name().to_owned(),
        entry: program.entry()?.to_string(),
        fingerprint: program.fingerprint()?,
    })
}

/// One size.
pub(crate) fn size(
    n: u64,
    size: &SizeEvidence,
    replayed: Option<Replayed>,
    random: Option<&Sample>,
) -> document::Size {
    let test = size.worst();
    let paths = size.paths();
    document::Size {
        n,
        worst_cost: size.worst_cost(),
        random_cost: random.and_then(|r| {
            let (mean, max) = r.cost?;
            Some(document::RandomCost { mean, max, samples: r.samples })
        }),
        instructions: test.filter(|test| test.input.is_some()).map(|test| document::Instructions {
            worst: test.instructions,
            random_mean: random.map(|r| r.instructions),
        }),
        exact: size.claim().is_exact(),
        // One too large for a word is too large for a number of JSON.
        paths: paths.as_ref().and_then(|count| document::count(count.saturating())),
        paths_exact: paths.map(|count| count.to_string()),
        effort: size.effort(),
        method: size.method(),
        input: test.and_then(|test| test.input.as_ref()).map(input_document),
        replayed,
        cut_by: size.cut(),
    }
}

/// A policy with what it rests on.
pub(crate) fn policy(policy: &LearnedPolicy, module: &Module) -> document::Policy {
    document::Policy {
        kind: policy.policy.kind().to_owned(),
        validated: policy.validated,
        validated_on: policy.validated_on.clone(),
        trained_on: policy.trained_on.clone(),
        sites: policy.describe(module),
        why: policy.why.clone(),
    }
}

/// How the cost grows, with where the answer itself has other costs than the formula.
pub(crate) fn growth(evidence: &Evidence, judgement: &Judgement) -> document::Fit {
    let (fit, found) = (fit(judgement), &judgement.fit);
    let from = found.holds_from.unwrap_or(0);
    let missed = evidence.sizes.iter().filter(|size| {
        let said = found.predict(size.n).filter(|_| size.n >= from);
        said.zip(size.cost).is_some_and(|(said, cost)| said != cost as f64)
    });
    let missed_at = match fit.checked_at.is_empty() {
        // A curve through the costs promises none of them.
        true => Vec::new(),
        false => missed.map(|size| size.n).collect(),
    };
    document::Fit { missed_at, family: family(evidence), ..fit }.summed_up()
}

/// How the cost grows.
pub(crate) fn fit(judgement: &Judgement) -> document::Fit {
    let found = &judgement.fit;
    let candidate = |c: &fit::Candidate| document::Candidate {
        class: c.class.to_string(),
        formula: c.formula.clone(),
        bits: c.bits,
        error: miss(c),
        r2: c.r2,
        residuals: c
            .residuals
            .iter()
            .map(|r| document::Residual { n: r.n, value: r.value })
            .collect(),
    };
    document::Fit {
        class: judgement.class().map(|c| c.to_string()),
        formula: found.formula.clone(),
        interpolates: found.interpolates,
        basis: judgement.basis,
        bound: judgement.bound,
        r2: found.r2,
        confidence: match found.confidence {
            fit::Confidence::Exact => document::Confidence::Exact,
            fit::Confidence::Clear => document::Confidence::Clear,
            fit::Confidence::Unsure => document::Confidence::Unsure,
            fit::Confidence::TooFewSizes => document::Confidence::TooFewSizes,
        },
        checked_at: found.checked_at.clone(),
        holds_from: found.holds_from,
        left: found.left.iter().map(ToString::to_string).collect(),
        bits: found.bits,
        candidates: found.candidates.iter().map(candidate).collect(),
        missed_at: Vec::new(),
        family: Vec::new(),
        summary: String::new(),
    }
    .summed_up()
}

/// The family that growth is read from, if it is read from one.
fn family(evidence: &Evidence) -> Vec<document::FamilyCost> {
    let read = evidence.family.as_ref().filter(|_| bound(evidence) == Bound::AtLeast);
    let costs = read.map(Family::telling).unwrap_or_default();
    costs.iter().map(|&(n, cost)| document::FamilyCost { n, cost }).collect()
}

/// By how much a formula misses the cost of a size on average, as a part of that cost.
fn miss(candidate: &fit::Candidate) -> f64 {
    let parts = candidate.residuals.iter().filter_map(|residual| {
        let cost = candidate.predict(residual.n)? - residual.value;
        Some(residual.value.abs() / cost.max(1.0))
    });
    let parts: Vec<f64> = parts.collect();
    parts.iter().sum::<f64>() / parts.len().max(1) as f64
}
