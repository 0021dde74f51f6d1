//! The costs as given.

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
