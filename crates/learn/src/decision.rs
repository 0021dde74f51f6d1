//! A path as this crate sees it: a string of decisions and a cost.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A branching instruction of the program, as a dense index.
///
/// Names, source lines and lasting keys of sites live in the caller's
/// [`SiteTable`](crate::saved::SiteTable); learning needs none of them.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SiteId(pub u32);

impl SiteId {
    /// The index for use in a `Vec` with one element per site.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for SiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Whether another side of the branch was feasible too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Openness {
    /// No other side was feasible; a concrete condition is forced as well.
    Forced,
    /// At least one other side was feasible.
    Open,
    /// The solver could not tell whether another side was feasible.
    Unknown,
}

impl Openness {
    /// True unless the decision was certainly forced.
    ///
    /// An unknown sibling may be feasible, so learning must treat the decision as a choice that
    /// was made: a policy that called it forced would prune the very path it was learned from.
    #[inline]
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Forced)
    }
}

/// One outcome of one branch on a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// Where the branch stands.
    pub site: SiteId,
    /// The side taken: 0 (false) or 1 (true) for a binary branch, the arm of a `br_table`.
    pub choice: u32,
    /// The number of sides the branch has.
    pub arms: u32,
    /// Whether another side could have been taken.
    pub openness: Openness,
    /// One more than the index, in the path, of the previous open decision of the same
    /// activation; 0 when there is none. Following these links reads a history, most recent
    /// decision first, with no state kept per activation. (With histories over all decisions the
    /// links run over the forced ones too: the explorer decides what it links.)
    pub prev: u32,
}

impl Decision {
    /// The branch taken: its site and side.
    #[inline]
    pub fn branch(&self) -> Branch {
        Branch { site: self.site, choice: self.choice }
    }
}

/// One side of one site: what policies speak about.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Branch {
    /// Where the branch stands.
    pub site: SiteId,
    /// The side, numbered as in [`Decision::choice`].
    pub choice: u32,
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.site, self.choice)
    }
}

/// What a path costs under the cost model of the run.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
