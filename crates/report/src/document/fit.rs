//! How the cost grows, as the documents carry it.

use super::evidence::{Basis, Bound, Confidence};
use crate::growth;
use serde::{Deserialize, Serialize};

/// The class and formula of the costs, and what they are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "AnyFit")]
pub struct Fit {
    /// `n^2`; `None` when the costs do not tell.
    pub class: Option<String>,
    /// `1/2*n^2 - 1/2*n`.
    pub formula: Option<String>,
    /// Whether the formula meets every size, those it was not made from included.
    pub interpolates: bool,
    /// What the costs rest on.
    pub basis: Basis,
    /// Whether the class is that of the worst case, or of inputs that were found.
    pub bound: Bound,
    /// Coefficient of determination of the formula.
    pub r2: Option<f64>,
    /// How clearly the costs tell this class from others.
    pub confidence: Confidence,
    /// Sizes that the formula was not made from and yet meets.
    pub checked_at: Vec<u64>,
    /// Sizes at which the worst cost found is another one than the formula's: it is that of a family of inputs, and others
    /// cost more there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed_at: Vec<u64>,
    /// The first size the formula holds for, if smaller ones do not follow it.
    pub holds_from: Option<u64>,
    /// The classes that the costs leave, in order of growth.
    #[serde(default)]
    pub left: Vec<String>,
    /// By how many bits the next class, or none at all, describes the costs worse.
    #[serde(default)]
    pub bits: f64,
    /// All that was tried, the best first.
    pub candidates: Vec<Candidate>,
    /// The family of inputs that growth is read from, where costs were only reached: one recipe at these sizes, some of
    /// which may be larger than any that is reported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub family: Vec<FamilyCost>,
    /// All of it in one line.
    pub summary: String,
}

/// What the input of a recipe costs at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FamilyCost {
    /// The size.
    pub n: u64,
    /// The cost, counted by us alone.
    pub cost: u64,
}

/// One class that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The class.
    pub class: String,
    /// The best formula of that class.
    pub formula: String,
    /// What it takes to describe the costs by this class, in bits.
    #[serde(default)]
    pub bits: f64,
    /// By how much it misses the cost of a size on average, as a part of that cost.
    #[serde(default)]
    pub error: f64,
    /// Coefficient of determination over all sizes.
    #[serde(default)]
    pub r2: f64,
    /// The misses, size by size.
    #[serde(default)]
    pub residuals: Vec<Residual>,
}

/// By how much a formula misses the cost at one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// The size.
    pub n: u64,
    /// Predicted less actual cost.
    pub value: f64,
}

impl Fit {
    /// Nothing was said.
    pub fn nothing() -> Fit {
        Fit::from(AnyFit::default())
    }

    /// Writes the line that sums it up.
    #[must_use]
    pub fn summed_up(mut self) -> Fit {
        self.summary = growth::summary(&self);
        self
    }

    /// `O(n^2)` or `Ω(n^2)`; `None` without a class.
    pub fn notation(&self) -> Option<String> {
        self.class.as_deref().map(|class| growth::notation(class, self.bound))
    }
}

/// A fit of either schema: the first had no bound.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AnyFit {
    class: Option<String>,
    formula: Option<String>,
    interpolates: bool,
    basis: Option<Basis>,
    bound: Option<Bound>,
    r2: Option<f64>,
    confidence: Option<Confidence>,
    checked_at: Vec<u64>,
    missed_at: Vec<u64>,
    holds_from: Option<u64>,
    left: Vec<String>,
    bits: f64,
    candidates: Vec<Candidate>,
    family: Vec<FamilyCost>,
    summary: Option<String>,
}

impl From<AnyFit> for Fit {
    fn from(any: AnyFit) -> Fit {
        let basis = any.basis.unwrap_or(Basis::LowerBound);
        let fit = Fit {
            class: any.class,
            formula: any.formula,
            interpolates: any.interpolates,
            basis,
            bound: any.bound.unwrap_or(basis.bound()),
            r2: any.r2,
            confidence: any.confidence.unwrap_or(Confidence::TooFewSizes),
            checked_at: any.checked_at,
            missed_at: any.missed_at,
            holds_from: any.holds_from,
            left: any.left,
            bits: any.bits,
            candidates: any.candidates,
            family: any.family,
            summary: String::new(),
        };
        // A schema without bounds called everything O(…): its line is written anew.
        match (any.bound, any.summary) {
            (Some(_), Some(summary)) => Fit { summary, ..fit },
            _ => fit.summed_up(),
        }
    }
}
