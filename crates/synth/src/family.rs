//! One worst path of each size, so that they form one family.
//!
//! Several worst paths may tie at a small size; any of them is as bad as the others there, but only
//! some go on at the next size as they began. From the largest size down, the candidates are tried in
//! the order of their rank, and a choice is given up as soon as no generator can have made both it and
//! what was chosen before.

use crate::generator::SequenceGenerator;
use crate::infer::{Nest, Trust, infer_with};
use crate::path::{CutPath, Point};

/// Numbers that the inference may look at before a search is given up.
const PATIENCE: usize = 3_000_000;

/// The generators of one point's leaves.
pub(crate) type Leaves = (Point, Vec<SequenceGenerator>);

/// Which path of each size, and what generates them.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    /// The smallest size.
    pub(crate) first: u64,
    /// Which candidate of each size, from the smallest up.
    pub(crate) chosen: Vec<usize>,
    pub(crate) points: Vec<Leaves>,
}

/// How far a search came.
#[derive(Clone, Debug)]
pub(crate) struct Stuck {
    /// How many sizes went together.
    pub(crate) sizes: usize,
    /// What had no generator there; `None` when no two sizes have paths with the same points.
    pub(crate) point: Option<Point>,
}

/// The candidates of consecutive sizes, best first.
pub(crate) struct Search<'a> {
    first: u64,
    sizes: &'a [Vec<Option<CutPath>>],
    /// Chosen so far, from the largest size down.
    chosen: Vec<usize>,
    trust: Trust,
    patience: usize,
    stuck: Stuck,
}

impl<'a> Search<'a> {
    pub(crate) fn new(first: u64, sizes: &'a [Vec<Option<CutPath>>]) -> Self {
        let stuck = Stuck { sizes: 0, point: None };
        Search {
            first,
            sizes,
            chosen: Vec::new(),
            trust: Trust::Confirmed,
            patience: PATIENCE,
            stuck,
        }
    }

    /// The best family, or where the search was stuck. Straight families are looked for first:
    /// nearly everything is linear in n, and what is not should not have to be waded through.
    pub(crate) fn run(mut self) -> Result<Family, Stuck> {
        for trust in [Trust::Straight, Trust::Possible] {
            self.trust = trust;
            self.patience = PATIENCE;
            if let Some(family) = self.extend() {
                return Ok(family);
            }
        }
        Err(self.stuck)
    }

    /// Goes on with the next smaller size; when that adds nothing, takes what there is.
    fn extend(&mut self) -> Option<Family> {
        let next = self.sizes.len().checked_sub(self.chosen.len() + 1);
        if let Some(size) = next {
            for candidate in 0..self.sizes[size].len() {
                if !self.is_like_the_last(size, candidate) {
                    continue;
                }
                self.chosen.push(candidate);
                if (self.chosen.len() < 3 || self.infer(self.trust).is_some())
                    && let Some(family) = self.extend()
                {
                    return Some(family);
                }
                self.chosen.pop();
                if self.patience == 0 {
                    break;
                }
            }
        }
        let points = self.infer(Trust::Confirmed)?;
        // A model that leaves out sizes with the same constraints is refuted by them: ⌊lg n⌋ is a
        // constant on many a stretch. One or two at the beginning may be degenerate.
        if self.unexplained() > self.chosen.len() / 3 {
            return None;
        }
        let mut chosen = self.chosen.clone();
        chosen.reverse();
        let first = self.first + (self.sizes.len() - chosen.len()) as u64;
        Some(Family { first, chosen, points })
    }

    /// How many sizes right below those chosen have a path with the same points.
    fn unexplained(&self) -> usize {
        let below = self.sizes.len() - self.chosen.len();
        let path = |size: usize, at: usize| self.sizes[size][at].as_ref();
        let Some(last) = self.chosen.last().and_then(|&last| path(below, last)) else { return 0 };
        let has_one = |size: &usize| self.sizes[*size].iter().flatten().any(|p| p.is_like(last));
        (0..below).rev().take_while(has_one).count()
    }

    fn is_like_the_last(&self, size: usize, candidate: usize) -> bool {
        let Some(path) = &self.sizes[size][candidate] else { return false };
        match self.chosen.last() {
            None => true,
            Some(&last) => self.sizes[size + 1][last].as_ref().is_some_and(|l| l.is_like(path)),
        }
    }

    /// Generators for everything that was chosen.
    fn infer(&mut self, trust: Trust) -> Option<Vec<Leaves>> {
        if self.chosen.len() < 2 || self.patience == 0 {
            return None;
        }
        let low = self.sizes.len() - self.chosen.len();
        let paths: Vec<&CutPath> = (low..self.sizes.len())
            .zip(self.chosen.iter().rev())
            .filter_map(|(size, &candidate)| self.sizes[size][candidate].as_ref())
            .collect();
        let first = self.first + low as u64;
        let mut points = Vec::new();
        for (at, sequences) in paths[0].sequences.iter().enumerate() {
            let mut leaves = Vec::new();
            self.patience =
                self.patience.saturating_sub(sequences.leaves.len() * sequences.len * paths.len());
            for leaf in 0..sequences.leaves.len() {
                let nests: Vec<&Nest> =
                    paths.iter().map(|p| &p.sequences[at].leaves[leaf]).collect();
                match infer_with(first, &nests, trust) {
                    Some(generator) => leaves.push(generator),
                    None => {
                        if paths.len() > self.stuck.sizes {
                            let point = Some(sequences.point.clone());
                            self.stuck = Stuck { sizes: paths.len(), point };
                        }
                        return None;
                    }
                }
            }
            points.push((sequences.point.clone(), leaves));
        }
        Some(points)
    }
}
