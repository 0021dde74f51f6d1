//! What the worst paths have in common: branch policies and histories of decisions.
//!
//! This crate knows no terms and no Wasm. The explorer walks the computation tree depth-first
//! and shows it [`Decision`]s; from those it learns what tells worst paths from others, and as a
//! [`Guide`] it tells the explorer which open decisions are worth following at sizes where not all
//! can be.
//!
//! - Exhaustive exploration of a size feeds a [`WiseCollector`] and a [`WorstPaths`].
//! - [`find_good_generator`] and [`candidate_policies`] turn what
//!   several sizes have taught into policies.
//! - [`WiseGuide`] and [`HistoryPolicy`] guide; a
//!   [`FrequencyCounter`] prunes where they leave both sides open.
//! - [`saved`] writes policies to files and reads them back.

mod choice_set;
pub mod decision;
pub mod frequency;
pub mod guide;
pub mod history;
pub mod saved;
pub mod wise;
pub mod worst;

pub use choice_set::ChoiceSet;
pub use decision::{Branch, Cost, Decision, Openness, SiteId};
pub use frequency::{Formula, FrequencyCounter, FrequencyInvariants, Polynomial, Relation};
pub use guide::{Advice, Guide, Reads, Unguided, WiseGuide};
pub use history::{
    CandidatePolicy, HistoryLimit, HistoryOptions, HistoryPolicy, PathRanker, Rank, SiteHistory,
    Trie, UnifyError, candidate_policies, unified_policy,
};
pub use saved::{SavedPolicy, SiteInfo, SiteKey, SiteList, SiteTable};
pub use wise::{
    BranchPolicy, Generator, GeneratorOptions, Level, Mark, Tally, WiseCollector, WiseSummary,
    WiseTracker, find_good_generator, find_good_generator_with, least_policy, tied_generators,
};
pub use worst::{WorstPath, WorstPaths};
