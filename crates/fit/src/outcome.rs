//! What a fit says, and how sure it is.

use std::fmt;

use serde::Serialize;

use crate::class::Class;
use crate::exact::{self, Rule};
use crate::points::{Point, Sample, samples};
use crate::regress::{self, Model};

/// Fewer sizes than this and nothing is said.
const LEAST_SIZES: usize = 4;

/// The size from which n log n is told from n: four octaves.
const TELLS_A_LOG: u64 = 16;

/// With this leave-out error even the best class says nothing.
const NO_CLASS: f64 = 1.0;

/// What the costs themselves are worth (`fit.basis` of the contract).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// All points are exact.
    Proven,
    /// Some come from a policy that was validated.
    Validated,
    /// Some are merely the worst that was found.
    LowerBound,
}

/// How sure the class is, given the costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A formula meets the costs and predicted some of them.
    Exact,
    /// The next best class has at least three times the error at sizes left out.
    Clear,
    /// At least one and a half times.
    Likely,
    /// Another class fits about as well, or none fits.
    Unsure,
    /// There are too few sizes to say anything.
    TooFewSizes,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::Exact => "exact",
            Confidence::Clear => "clear",
            Confidence::Likely => "likely",
            Confidence::Unsure => "unsure",
            Confidence::TooFewSizes => "too few sizes",
        })
    }
}

/// By how much a candidate misses the cost at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Residual {
    /// The size.
    pub n: u64,
    /// Predicted less actual cost.
    pub value: f64,
}

/// One class that was tried.
#[derive(Debug, Clone, Serialize)]
pub struct Candidate {
    /// The class.
    pub class: Class,
    /// The best formula of that class.
    pub formula: String,
    /// Root mean square relative error at sizes left out of the fit; 0 for an exact rule.
    pub error: f64,
    /// Akaike's criterion with the correction for few points; none for an exact rule.
    pub aicc: Option<f64>,
    /// Coefficient of determination over all sizes.
    pub r2: f64,
    /// The misses, size by size.
    pub residuals: Vec<Residual>,
    #[serde(skip)]
    curve: Curve,
}

impl Candidate {
    /// The cost this candidate predicts; `None` where an exact rule has no value that fits.
    pub fn predict(&self, n: u64) -> Option<f64> {
        self.curve.at(n)
    }
}

#[derive(Debug, Clone)]
enum Curve {
    Exact(Rule),
    Regression(Model),
}

impl Curve {
    fn at(&self, n: u64) -> Option<f64> {
        match self {
            Curve::Exact(rule) => rule.at(n).map(|c| c as f64),
            Curve::Regression(model) => Some(model.at(n as f64)).filter(|c| c.is_finite()),
        }
    }
}

/// The formula and class of a set of costs. Serializes to the `fit` object of the contract.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// The class; `None` when there are too few sizes to say, or none comes near the costs.
    pub class: Option<Class>,
    /// The formula, exact or approximate (see `confidence`).
    pub formula: Option<String>,
    /// Does the formula meet every point, those it was not made from included?
    pub interpolates: bool,
    /// What the points are worth.
    pub basis: Basis,
    /// Coefficient of determination of the formula.
    pub r2: Option<f64>,
    /// How sure the class is.
    pub confidence: Confidence,
    /// The sizes an exact formula was not made from and yet meets.
    pub checked_at: Vec<u64>,
    /// The first size the formula holds for, if smaller ones do not follow it.
    pub holds_from: Option<u64>,
    /// The class that came second in the regression; a fitted exponent that merely imitates the
    /// best class is none of its own.
    pub runner_up: Option<Class>,
    /// All that was tried, the best first.
    pub candidates: Vec<Candidate>,
    /// How many different sizes there were.
    #[serde(skip)]
    pub(crate) sizes: usize,
}

impl Fit {
    /// Says what the points are worth when the caller knows better than their `exact` flags: a
    /// validated policy. A fit whose points are all exact stays proven.
    pub fn with_basis(mut self, basis: Basis) -> Fit {
        if self.basis != Basis::Proven {
            self.basis = basis;
        }
        self
    }

    /// Takes the class back, when the caller knows that the points do not carry it; the candidates
    /// remain.
    pub fn without_class(mut self) -> Fit {
        (self.class, self.formula, self.r2) = (None, None, None);
        self.interpolates = false;
        self.confidence = Confidence::Unsure;
        self
    }

    /// For a fitted exponent the class with a name that it is another spelling of, if that comes
    /// next: for callers whose points are too rough for an exponent of their own.
    pub fn with_named_class(mut self) -> Fit {
        match (self.class, self.candidates.get(1)) {
            (Some(best), Some(next)) if imitates(best, next.class) => self.candidates.swap(0, 1),
            _ => return self,
        }
        self.runner_up = self.rival().map(|c| c.class);
        self.confidence = confidence(&self);
        self.claim_best();
        self
    }

    /// Says what the first candidate says.
    fn claim_best(&mut self) {
        if let Some(best) = self.candidates.first() {
            self.class = Some(best.class);
            self.formula = Some(best.formula.clone());
            self.r2 = Some(best.r2);
        }
    }

    /// The cost predicted at a size.
    pub fn predict(&self, n: u64) -> Option<f64> {
        self.class?;
        self.candidates.first()?.predict(n)
    }

    /// Is the formula an exact rule?
    pub fn is_exact(&self) -> bool {
        self.confidence == Confidence::Exact
    }

    /// Whether n log n is claimed where it might as well be n: at sizes where a constant, or a bend
    /// at one of them, makes the one look like the other.
    fn may_be_linear(&self, last: u64) -> bool {
        let sure = matches!(self.confidence, Confidence::Exact | Confidence::Clear);
        let best: Vec<Class> = self.candidates.iter().take(2).map(|c| c.class).collect();
        last < TELLS_A_LOG && !sure && best == [Class::NLogN, Class::Linear]
    }

    /// How many times the error of the best class the next best one has.
    pub fn error_ratio(&self) -> Option<f64> {
        let (best, next) = (self.candidates.first()?, self.rival()?);
        Some((next.error + 1e-9) / (best.error + 1e-9))
    }

    /// The best candidate that says something else than the first.
    fn rival(&self) -> Option<&Candidate> {
        let (best, others) = self.candidates.split_first()?;
        others.iter().find(|c| !imitates(c.class, best.class))
    }
}

/// Finds the formula and the class of the costs.
///
/// Of several points at one size the worst counts. See the crate's page for an example.
pub fn fit(points: &[Point]) -> Fit {
    let samples = samples(points);
    let all_exact = points.iter().all(|p| p.exact) && !points.is_empty();
    let mut fit = Fit {
        class: None,
        formula: None,
        interpolates: false,
        basis: if all_exact { Basis::Proven } else { Basis::LowerBound },
        r2: None,
        confidence: Confidence::TooFewSizes,
        checked_at: Vec::new(),
        holds_from: None,
        runner_up: None,
        candidates: Vec::new(),
        sizes: samples.len(),
    };
    if samples.len() < LEAST_SIZES {
        return fit;
    }
    fit.candidates = regressions(&samples);
    if let Some(found) = exact::search(&samples) {
        let (class, formula) = (found.rule.class(), found.rule.formula());
        let met = candidate(class, formula, 0.0, None, Curve::Exact(found.rule), &samples);
        fit.candidates.insert(0, met);
        fit.holds_from = (found.holds_from > samples[0].n).then_some(found.holds_from);
        fit.interpolates = fit.holds_from.is_none();
        fit.checked_at = found.checked_at;
        fit.confidence = Confidence::Exact;
    } else {
        fit.confidence = confidence(&fit);
        fit.runner_up = fit.rival().map(|c| c.class);
        if let Some(tail) = tail(&samples, &fit) {
            fit = tail;
        }
    }
    let last = samples.last().map_or(0, |s| s.n);
    // A class that is off by as much as the cost itself is no answer; the candidates remain.
    if fit.candidates.first().is_some_and(|c| c.error < NO_CLASS) && !fit.may_be_linear(last) {
        fit.claim_best();
    }
    fit
}

fn regressions(samples: &[Sample]) -> Vec<Candidate> {
    let all = regress::candidates(samples).into_iter().map(|f| {
        let formula = f.model.formula();
        candidate(f.class, formula, f.error, Some(f.aicc), Curve::Regression(f.model), samples)
    });
    all.collect()
}

/// Sizes that a fit without the smaller ones needs: so many, over three octaves.
const TAIL_SIZES: usize = 7;
const TAIL_SPAN: u64 = 8;

/// With less error than this at all sizes none are left out.
const SETTLED: f64 = 0.03;

/// How many times less the error must be without the smaller sizes.
const TAIL_GAIN: f64 = 4.0;

/// The fit of the greater sizes alone, where the smaller ones follow another rule: the costliest
/// inputs of small sizes are of another kind, or the program has an algorithm of its own for them.
/// A class is about large sizes, but a few of them meet anything: only a clear answer counts, and
/// none that raises the class, since any last jump looks like the start of something steeper.
fn tail(samples: &[Sample], whole: &Fit) -> Option<Fit> {
    let Candidate { class, error, .. } = *whole.candidates.first()?;
    let last = samples.last()?.n;
    if error < SETTLED {
        return None;
    }
    (1..samples.len().saturating_sub(TAIL_SIZES - 1))
        .take_while(|&start| samples[start].n.saturating_mul(TAIL_SPAN) <= last)
        .find_map(|start| {
            let tail = &samples[start..];
            let mut fit = Fit { candidates: regressions(tail), ..whole.clone() };
            fit.runner_up = fit.rival().map(|c| c.class);
            fit.confidence = confidence(&fit);
            fit.holds_from = Some(tail[0].n);
            let best = fit.candidates.first()?;
            let better = best.error * TAIL_GAIN <= error && best.class <= class;
            (better && fit.confidence == Confidence::Clear).then_some(fit)
        })
}

/// Whether a fitted exponent is another spelling of a class with a name: over a few octaves n^1.15
/// and n log n are the same, and programs have the latter.
fn imitates(class: Class, named: Class) -> bool {
    let Class::Power(k) = class else { return false };
    match named {
        Class::Linear => (0.8..1.15).contains(&k),
        Class::NLogN => (1.0..1.35).contains(&k),
        Class::Quadratic => (k - 2.0).abs() < 0.15,
        Class::N2LogN => (2.0..2.35).contains(&k),
        Class::Cubic => (k - 3.0).abs() < 0.15,
        _ => false,
    }
}

/// Of a regression: how well does the best class do, and how much better than the next?
fn confidence(fit: &Fit) -> Confidence {
    let Some(best) = fit.candidates.first() else {
        return Confidence::TooFewSizes;
    };
    match fit.error_ratio() {
        _ if best.error > 0.25 => Confidence::Unsure,
        Some(ratio) if ratio < 1.5 => Confidence::Unsure,
        Some(ratio) if ratio < 3.0 => Confidence::Likely,
        _ => Confidence::Clear,
    }
}

fn candidate(
    class: Class,
    formula: String,
    error: f64,
    aicc: Option<f64>,
    curve: Curve,
    samples: &[Sample],
) -> Candidate {
    let residuals: Vec<Residual> = samples
        .iter()
        .filter_map(|s| {
            let value = curve.at(s.n)? - s.cost as f64;
            Some(Residual { n: s.n, value })
        })
        .collect();
    Candidate { class, formula, error, aicc, r2: r2(&residuals, samples), residuals, curve }
}

/// 1 − S/T as usual; costs that do not vary are either met or not.
fn r2(residuals: &[Residual], samples: &[Sample]) -> f64 {
    let mean = samples.iter().map(|s| s.cost as f64).sum::<f64>() / samples.len() as f64;
    let total: f64 = samples.iter().map(|s| (s.cost as f64 - mean).powi(2)).sum();
    let left: f64 = residuals.iter().map(|r| r.value.powi(2)).sum();
    if total > 0.0 {
        1.0 - left / total
    } else if left < 1e-9 {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bent_line_is_a_line_by_name() {
        // What a search found in an XML parser, less and less of what there is.
        let small = [(1, 130), (2, 161), (3, 283), (4, 296), (5, 309), (8, 433), (10, 541)];
        let middle = [(12, 583), (15, 705), (20, 919), (25, 1079), (30, 1225), (40, 1600)];
        let great = [(50, 1919), (70, 2539), (100, 3340), (150, 4698), (200, 6141), (300, 8745)];
        let costs = small.into_iter().chain(middle).chain(great);
        let points: Vec<Point> = costs.map(|(n, c)| Point::reached(n, c)).collect();
        let bent = fit(&points);
        assert!(matches!(bent.class, Some(Class::Power(k)) if k < 1.0), "{}", bent.summary());
        let named = bent.with_named_class();
        assert_eq!(named.class, Some(Class::Linear));
        assert_eq!(named.predict(100), named.candidates[0].predict(100));
    }

    #[test]
    fn an_exponent_far_from_every_name_stays() {
        let sizes = [1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300];
        let points = sizes.map(|n| Point::reached(n, (10.0 * (n as f64).powf(1.58)) as u64));
        let named = fit(&points).with_named_class();
        assert!(matches!(named.class, Some(Class::Power(k)) if (k - 1.58).abs() < 0.02));
    }
}
