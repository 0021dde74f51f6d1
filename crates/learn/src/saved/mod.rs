//! Policies outside the process: files that people read and policies that come back from them.
//!
//! In memory a site is a number that means nothing tomorrow. In a file it is a hash of its
//! function's body and an instruction offset, with names for the reader; a [`SiteTable`] of the
//! module translates. A policy belongs to one build of one module, and the file says which.

mod document;
mod graphviz;
mod show;
mod table;

pub use document::{Document, LoadError, SaveError, load, save};
pub use graphviz::graphviz;
pub use show::{cases, diff, show};
pub use table::{SiteInfo, SiteKey, SiteList, SiteTable};

use std::collections::BTreeSet;

use crate::decision::SiteId;
use crate::guide::{Guide, WiseGuide};
use crate::history::{HistoryLimit, HistoryPolicy, UnifyError};
use crate::wise::{BranchPolicy, Generator};

/// A policy of any kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SavedPolicy {
    /// A branch policy, with all sites that were met in training.
    Wise {
        /// The policy.
        policy: BranchPolicy,
        /// The sites met in training, worst paths or not.
        seen: BTreeSet<SiteId>,
    },
    /// A policy with histories, or a memoryless one.
    History(HistoryPolicy),
}

impl SavedPolicy {
    /// `wise`, `memoryless` or `history`, as files and the command line call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Wise { .. } => "wise",
            Self::History(policy) if policy.limit() == HistoryLimit::Fixed(0) => "memoryless",
            Self::History(_) => "history",
        }
    }

    /// What the explorer asks.
    pub fn guide(&self) -> Box<dyn Guide + Send + Sync> {
        match self {
            Self::Wise { policy, seen } => Box::new(WiseGuide::new(policy, seen)),
            Self::History(policy) => Box::new(policy.clone()),
        }
    }

    /// A policy that allows what either allows: the join of branch policies, the union of
    /// histories.
    pub fn unify(&self, other: &Self) -> Result<Self, UnifyError> {
        match (self, other) {
            (Self::Wise { policy, seen }, Self::Wise { policy: theirs, seen: also }) => {
                Ok(Self::Wise { policy: policy.join(theirs), seen: seen | also })
            }
            (Self::History(ours), Self::History(theirs)) => ours.unify(theirs).map(Self::History),
            _ => Err(UnifyError::DifferentKinds),
        }
    }

    /// Every site the policy speaks about, those in histories included.
    pub fn sites(&self) -> BTreeSet<SiteId> {
        match self {
            Self::Wise { policy, seen } => seen | &policy.sites(),
            Self::History(policy) => policy
                .evidence()
                .flat_map(|(site, trie)| {
                    let histories = trie.histories().into_iter();
                    let earlier = histories.flat_map(|(history, _)| history);
                    earlier.map(|branch| branch.site).chain([site])
                })
                .chain(policy.counts().branches().map(|branch| branch.site))
                .chain(policy.seen())
                .collect(),
        }
    }
}

impl From<Generator> for SavedPolicy {
    fn from(generator: Generator) -> Self {
        Self::Wise { policy: generator.policy, seen: generator.seen }
    }
}

impl From<HistoryPolicy> for SavedPolicy {
    fn from(policy: HistoryPolicy) -> Self {
        Self::History(policy)
    }
}
