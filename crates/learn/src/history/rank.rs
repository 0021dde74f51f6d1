//! The ranking κ (procedure 4 of the SPF-WCA paper): how much a policy resolves.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::policy::history;
use crate::decision::Decision;

/// How promising a policy is; the greater, the better.
///
/// For a memoryless policy `resolved` is the paper's κ. With histories a site counts only when
/// every history resolves it, lest a policy gain rank by telling apart what need not be; among
/// equals fewer undecided histories are better, then fewer histories.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rank {
    /// The sites at which every history seen leads to one choice.
    pub resolved: u32,
    /// The histories that lead to several choices.
    pub undecided: Reverse<u32>,
    /// All histories.
    pub histories: Reverse<u32>,
}

impl Rank {
    pub(super) fn plus_site(self, histories: usize, undecided: usize) -> Self {
        Self {
            resolved: self.resolved + u32::from(undecided == 0),
            undecided: Reverse(self.undecided.0 + undecided as u32),
            histories: Reverse(self.histories.0 + histories as u32),
        }
    }
}

/// Ranks the policies of single paths without building them: when thousands of worst paths tie,
/// each must be ranked but few are kept.
#[derive(Clone, Debug, Default)]
pub struct PathRanker {
    /// By site and hash of the history.
    first_choice: FxHashMap<(u32, u64), FirstChoice>,
    /// By site: histories, and undecided ones.
    sites: FxHashMap<u32, (usize, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct FirstChoice {
    choice: u32,
    undecided: bool,
}

impl PathRanker {
    /// A ranker; keep it for many paths, as it keeps its memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// The rank of the policy that a path gives with histories of at most `h` decisions.
    pub fn rank(&mut self, path: &[Decision], h: u32) -> Rank {
        self.first_choice.clear();
        self.sites.clear();
        for decision in path.iter().filter(|d| d.openness.is_open()) {
            let recent = history(path, decision.prev).take(h as usize);
            let hash = recent.fold(0u64, |hash, branch| {
                let word = u64::from(branch.site.0) << 32 | u64::from(branch.choice);
                scramble(hash.wrapping_add(word).wrapping_add(1))
            });
            let site = self.sites.entry(decision.site.0).or_default();
            let known = self.first_choice.entry((decision.site.0, hash)).or_insert_with(|| {
                site.0 += 1;
                FirstChoice { choice: decision.choice, undecided: false }
            });
            if known.choice != decision.choice && !known.undecided {
                known.undecided = true;
                site.1 += 1;
            }
        }
        self.sites.values().fold(Rank::default(), |rank, &(histories, undecided)| {
            rank.plus_site(histories, undecided)
        })
    }
}

fn scramble(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let word = (word ^ word >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ word >> 32
}
