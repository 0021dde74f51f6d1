//! What a fit says, and how sure it is.

use std::fmt;

use crate::growth::{Growth, Shape, at_least, growth};
use crate::points::Point;
use pessimum_law::Class;

/// How sure the class is, given the costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// A formula meets the costs and predicted some of them, of every kind it could fail at.
    Exact,
    /// One class is left.
    Clear,
    /// Several classes are left.
    Unsure,
    /// The sizes are too few, or too wild, to tell any class from none.
    TooFewSizes,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::Exact => "exact",
            Confidence::Clear => "clear",
            Confidence::Unsure => "unsure",
            Confidence::TooFewSizes => "too few sizes",
        })
    }
}

/// By how much a candidate misses the cost at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The size.
    pub n: u64,
    /// Predicted less actual cost.
    pub value: f64,
}

/// The shortest description of the costs in one class.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The class.
    pub class: Class,
    /// Its formula.
    pub formula: String,
    /// Its length in bits: the class, the formula and what it misses.
    pub bits: f64,
    /// The first size of the formula, if smaller ones do not follow it.
    pub holds_from: Option<u64>,
    /// Coefficient of determination over the sizes of the formula.
    pub r2: f64,
    /// The misses, size by size.
    pub residuals: Vec<Residual>,
    shape: Shape,
}

impl Candidate {
    /// The cost this candidate predicts; `None` where an exact law has no value that fits.
    pub fn predict(&self, n: u64) -> Option<f64> {
        self.shape.at(n)
    }
}

/// The formula and class of a set of costs.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The class; `None` when the costs do not tell it from others.
    pub class: Option<Class>,
    /// The formula, exact or approximate (see `confidence`).
    pub formula: Option<String>,
    /// Does the formula meet every point, those it was not made from included?
    pub interpolates: bool,
    /// Coefficient of determination of the formula.
    pub r2: Option<f64>,
    /// How sure the class is.
    pub confidence: Confidence,
    /// The sizes an exact formula was not made from and yet meets.
    pub checked_at: Vec<u64>,
    /// The first size the formula holds for, if smaller ones do not follow it.
    pub holds_from: Option<u64>,
    /// The classes that the costs leave, in order of growth.
    pub left: Vec<Class>,
    /// By how many bits the next class, or none at all, describes the costs worse.
    pub bits: f64,
    /// Every class that was tried, the shortest description first.
    pub candidates: Vec<Candidate>,
}

impl Fit {
    /// The least class that the costs leave: all that may be said of costs that were merely reached.
    pub fn at_least(&self) -> Option<Class> {
        self.left.first().copied()
    }

    /// Leaves a class as well, for a reason that the costs do not show: then none is claimed.
    pub fn leave(&mut self, class: Class) {
        self.left.push(class);
        self.left.sort();
        self.left.dedup();
        (self.class, self.formula, self.r2, self.holds_from) = (None, None, None, None);
        self.interpolates = false;
        self.checked_at.clear();
        self.confidence = Confidence::Unsure;
    }

    /// The cost predicted at a size.
    pub fn predict(&self, n: u64) -> Option<f64> {
        self.formula.as_ref()?;
        self.candidates.first()?.predict(n)
    }

    /// The same growth by a formula that is known to miss a cost: no exact rule.
    pub fn miss(&mut self) {
        self.interpolates = false;
        if self.is_exact() {
            self.confidence = Confidence::Clear;
        }
    }

    /// Is the formula an exact rule?
    pub fn is_exact(&self) -> bool {
        self.confidence == Confidence::Exact
    }
}

/// Finds the formula and the class of the costs.
///
/// Of several points at one size the worst counts. See the crate's page for an example.
pub fn fit(points: &[Point]) -> Fit {
    told(points, growth(points))
}

/// The same of the costs of one family of inputs, none of which falls short of what it is ([`at_least`]).
pub fn fit_family(costs: &[Point]) -> Fit {
    told(costs, at_least(costs))
}

fn told(points: &[Point], growth: Growth) -> Fit {
    let candidates: Vec<Candidate> = growth.texts.iter().map(|t| candidate(t, points)).collect();
    let class = match growth.left.as_slice() {
        [class] => Some(*class),
        _ => None,
    };
    Fit {
        class,
        formula: growth.formula.clone(),
        interpolates: growth.interpolates,
        r2: growth.class.and(candidates.first()).map(|c| c.r2),
        confidence: confidence(&growth),
        checked_at: growth.checked_at,
        holds_from: growth.holds_from,
        left: growth.left,
        bits: growth.bits,
        candidates,
    }
}

fn confidence(growth: &Growth) -> Confidence {
    match (growth.class, growth.left.is_empty()) {
        (Some(_), _) if growth.exact => Confidence::Exact,
        (Some(_), _) => Confidence::Clear,
        (None, false) => Confidence::Unsure,
        (None, true) => Confidence::TooFewSizes,
    }
}

fn candidate(text: &crate::growth::Text, points: &[Point]) -> Candidate {
    let ours: Vec<&Point> = points.iter().filter(|p| text.from.is_none_or(|f| p.n >= f)).collect();
    let residual = |p: &&Point| {
        let value = text.shape.at(p.n)? - p.cost as f64;
        Some(Residual { n: p.n, value })
    };
    let residuals: Vec<Residual> = ours.iter().filter_map(residual).collect();
    Candidate {
        class: text.class,
        formula: text.shape.formula(),
        bits: text.bits,
        holds_from: text.from,
        r2: r2(&residuals, &ours),
        residuals,
        shape: text.shape.clone(),
    }
}

/// 1 − S/T as usual; costs that do not vary are either met or not.
fn r2(residuals: &[Residual], points: &[&Point]) -> f64 {
    let mean = points.iter().map(|p| p.cost as f64).sum::<f64>() / points.len() as f64;
    let total: f64 = points.iter().map(|p| (p.cost as f64 - mean).powi(2)).sum();
    let left: f64 = residuals.iter().map(|r| r.value.powi(2)).sum();
    if total > 0.0 {
        1.0 - left / total
    } else if left < 1e-9 {
        1.0
    } else {
        0.0
    }
}
