//! Policies that look back, in the manner of SPF-WCA (Luckow, Kersten, Păsăreanu: ICST 2017,
//! section III).
//!
//! What a site does on a worst path may depend on what the same activation did before: compare
//! equal characters until the last, take the halves of a merge in turn. A [`HistoryPolicy`] keeps,
//! for each site, a [`Trie`] of the histories that worst paths came with and what they chose then.

mod candidates;
mod policy;
mod rank;
mod trie;

pub use candidates::{CandidatePolicy, candidate_policies, unified_policy};
pub use policy::{HistoryLimit, HistoryOptions, HistoryPolicy, SiteHistory, UnifyError};
pub use rank::{PathRanker, Rank};
pub use trie::Trie;
