//! The costs as given and as used.

/// The worst cost found at one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The size.
    pub n: u64,
    /// The worst cost found there.
    pub cost: u64,
    /// Was every path of that size explored?
    pub exact: bool,
}

impl Point {
    /// A point whose cost is proven to be the worst.
    pub fn exact(n: u64, cost: u64) -> Point {
        Point { n, cost, exact: true }
    }

    /// A point whose cost is at least reached.
    pub fn reached(n: u64, cost: u64) -> Point {
        Point { n, cost, exact: false }
    }
}

/// One size and its cost, each size once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    pub n: u64,
    pub cost: u64,
}

/// The points in order of size; of several at one size the worst, since that is what is asked.
pub(crate) fn samples(points: &[Point]) -> Vec<Sample> {
    let mut out: Vec<Sample> = points.iter().map(|p| Sample { n: p.n, cost: p.cost }).collect();
    out.sort_by_key(|s| (s.n, std::cmp::Reverse(s.cost)));
    out.dedup_by_key(|s| s.n);
    out
}
