//! What the worst paths of small sizes say about every size.

use crate::family::{Family, Search, Stuck};
use crate::generator::SequenceGenerator;
use crate::inputs::InputModel;
use crate::param::Param;
use crate::path::{CutPath, Point};
use crate::template::{Naming, Sums, Template};
use crate::trace::{Cause, Trace};
use pessimum_entry::Slot;
use std::ops::RangeInclusive;

/// The worst paths of one size.
#[derive(Clone, Debug)]
pub struct SizePaths {
    /// The size.
    pub n: u64,
    /// The worst cost.
    pub cost: u64,
    /// Paths of that cost, the most promising first.
    pub paths: Vec<Trace>,
}

/// Why there is no model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WhyNot {
    /// Not even two sizes in a row have a worst path.
    #[error("fewer than two consecutive sizes have a worst path to learn from")]
    TooFewSizes,
    /// No worst path of a size goes on like one of the next.
    #[error("the worst paths of consecutive sizes do not consist of the same constraints")]
    NoCommonPoints,
    /// A sequence is none of the grammar's, or its numbers are none of the known functions of n.
    #[error("the numbers in the constraints of one place follow no generator over {1} sizes")]
    NoGenerator(Cause, usize),
    /// The number of inputs is no known function of n.
    #[error("the number of inputs is no known function of the size")]
    Inputs,
    /// The cost is no known function of n, so no prediction could be checked.
    #[error("the worst cost is no known function of the size, so no prediction could be checked")]
    Cost,
    /// The program could not be explored at small sizes.
    #[error("{0}")]
    Training(String),
}

/// A constraint generator point with the generators of its leaves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PointModel {
    pub(crate) cause: Cause,
    pub(crate) template: Template,
    pub(crate) leaves: Vec<SequenceGenerator>,
}

/// The worst path condition as a function of the size.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) sums: Sums,
    pub(crate) points: Vec<PointModel>,
    pub(crate) inputs: InputModel,
    cost: Param,
    family: Vec<usize>,
}

/// Ways to write sums, the plainest first.
const WAYS: [Sums; 5] = [
    Sums::Whole,
    Sums::Cells(Naming::Later),
    Sums::Cells(Naming::Earlier),
    Sums::Versions(Naming::Later),
    Sums::Versions(Naming::Earlier),
];

impl Model {
    /// Learns from the worst paths of consecutive sizes, in ascending order; of sizes with a gap
    /// only those above it are used.
    pub fn learn(sizes: &[SizePaths]) -> Result<Model, WhyNot> {
        let sizes = consecutive(sizes);
        let [first, _, ..] = sizes else { return Err(WhyNot::TooFewSizes) };
        let mut stuck: Option<Stuck> = None;
        for sums in WAYS {
            if sums != Sums::Whole && !sizes.iter().any(|s| s.paths.iter().any(Trace::has_sums)) {
                break;
            }
            let cut: Vec<Vec<Option<CutPath>>> = sizes
                .iter()
                .map(|s| s.paths.iter().map(|t| CutPath::new(t, sums).ok()).collect())
                .collect();
            match Search::new(first.n, &cut).run() {
                Ok(family) => return Self::of_family(sizes, sums, family),
                Err(here) => {
                    if stuck.as_ref().is_none_or(|s| here.sizes > s.sizes) {
                        stuck = Some(here);
                    }
                }
            }
        }
        Err(match stuck {
            Some(Stuck { sizes, point: Some(point) }) => WhyNot::NoGenerator(point.cause, sizes),
            _ => WhyNot::NoCommonPoints,
        })
    }

    fn of_family(sizes: &[SizePaths], sums: Sums, family: Family) -> Result<Model, WhyNot> {
        let Family { first, chosen, points } = family;
        let used = &sizes[sizes.len() - chosen.len()..];
        let slots: Vec<&[Slot]> =
            used.iter().zip(&chosen).map(|(s, &c)| s.paths[c].inputs.as_slice()).collect();
        let inputs = InputModel::fit(first, &slots).ok_or(WhyNot::Inputs)?;
        let costs: Option<Vec<i64>> = used.iter().map(|s| i64::try_from(s.cost).ok()).collect();
        let cost = costs.and_then(|costs| Param::fit(first, &costs)).ok_or(WhyNot::Cost)?;
        let point = |(point, leaves): (Point, Vec<SequenceGenerator>)| PointModel {
            cause: point.cause,
            template: point.template,
            leaves,
        };
        let points = points.into_iter().map(point).collect();
        let last = first + chosen.len() as u64 - 1;
        Ok(Model { first, last, sums, points, inputs, cost, family: chosen })
    }

    /// The cost that the input of a size should have; `None` where the formula gives no number.
    pub fn predict_cost(&self, n: u64) -> Option<u64> {
        if n < self.first {
            return None;
        }
        self.cost.at(n).and_then(|c| u64::try_from(c).ok())
    }

    /// The worst cost as a function of n.
    pub fn cost(&self) -> &Param {
        &self.cost
    }

    /// The sizes whose worst paths form the family that was modelled.
    pub fn trained_on(&self) -> RangeInclusive<u64> {
        self.first..=self.last
    }

    /// Which of the worst paths of each of those sizes belongs to the family, counted from 0 in the
    /// order they were given.
    pub fn family(&self) -> &[usize] {
        &self.family
    }
}

/// The sizes at the end that follow each other without a gap, each with a path.
fn consecutive(sizes: &[SizePaths]) -> &[SizePaths] {
    let end = sizes.iter().rposition(|s| !s.paths.is_empty()).map_or(0, |last| last + 1);
    let sizes = &sizes[..end];
    let mut from = sizes.len();
    while from > 0
        && !sizes[from - 1].paths.is_empty()
        && (from == sizes.len() || sizes[from - 1].n + 1 == sizes[from].n)
    {
        from -= 1;
    }
    &sizes[from..]
}
