//! Which policies the worst paths of several sizes suggest, the most promising first.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use super::policy::{HistoryOptions, HistoryPolicy};
use super::rank::Rank;
use crate::worst::{WorstPath, WorstPaths};

/// A policy worth trying.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CandidatePolicy {
    /// The policy.
    pub policy: HistoryPolicy,
    /// The sizes it was learned from: L..=H of the paper.
    pub sizes: RangeInclusive<u64>,
}

/// The policies to try, in order: fewest undecided histories first, then the shortest look back,
/// then the most sizes, then the largest.
///
/// `sizes` are the worst paths per size, ascending. For each way to learn there is the unified policy of
/// the sizes from each L to the largest, and the policy of each size alone: sizes may contradict
/// each other (merge sort's 7 and 8 do), and then one of them is right about larger ones where
/// their union is right about none. A policy that comes up twice is listed once.
pub fn candidate_policies(
    sizes: &[(u64, &WorstPaths)],
    ways: &[HistoryOptions],
) -> Vec<CandidatePolicy> {
    let high = sizes.last().map_or(0, |&(n, _)| n);
    let mut found: Vec<CandidatePolicy> = Vec::new();
    for &options in ways {
        let empty = HistoryPolicy::empty(options.limit, options.all);
        let mut from_here = empty.clone();
        for &(n, worst) in sizes.iter().rev() {
            from_here = with_size(from_here, worst, options);
            let alone = with_size(empty.clone(), worst, options);
            for (policy, sizes) in [(from_here.clone(), n..=high), (alone, n..=n)] {
                if policy.sites().next().is_some() {
                    found.push(CandidatePolicy { policy, sizes });
                }
            }
        }
    }
    found.sort_by_key(|c| {
        let undecided = c.policy.rank().undecided.0;
        let height = c.policy.sites().map(|(_, site)| site.height()).max();
        let width = c.sizes.end().saturating_sub(*c.sizes.start());
        (undecided, height, Reverse(width), Reverse(*c.sizes.end()))
    });
    let mut distinct: Vec<CandidatePolicy> = Vec::new();
    for candidate in found {
        let same = |c: &CandidatePolicy| advises_the_same(&c.policy, &candidate.policy);
        if !distinct.iter().any(same) {
            distinct.push(candidate);
        }
    }
    distinct
}

/// One policy for several sizes (ascending), from one worst path of each.
///
/// The paper takes the path of the best rank at each size and unifies what results. Paths that
/// tie at one size may differ in how well they go with the others, so this starts from the best
/// path of the largest size and adds, from the largest down, the path whose unification with what
/// is there has the best rank.
pub fn unified_policy<'a>(
    sizes: impl IntoIterator<Item = &'a WorstPaths, IntoIter: DoubleEndedIterator>,
    options: HistoryOptions,
) -> HistoryPolicy {
    let empty = HistoryPolicy::empty(options.limit, options.all);
    let sizes = sizes.into_iter().rev();
    sizes.fold(empty, |unified, worst| with_size(unified, worst, options))
}

/// The policy unified with that of the worst path that goes with it best; unchanged when there is
/// no path.
fn with_size(unified: HistoryPolicy, worst: &WorstPaths, options: HistoryOptions) -> HistoryPolicy {
    let joined = |path: &WorstPath| -> Option<(Rank, HistoryPolicy)> {
        let policy = HistoryPolicy::learn([path.decisions()], options);
        // Both are learned with the same options, so they can always be unified.
        let policy = policy.unify(&unified).ok()?;
        Some((goodness(&policy), policy))
    };
    let mut best: Option<(Rank, HistoryPolicy)> = None;
    for candidate in worst.paths().iter().filter_map(joined) {
        // The first of equals stays: paths come in the order of their own rank.
        if best.as_ref().is_none_or(|(rank, _)| candidate.0 > *rank) {
            best = Some(candidate);
        }
    }
    best.map_or(unified, |(_, policy)| policy)
}

/// The rank of a policy that has several paths behind it: here a path that visits more sites
/// must not win by that alone, so undecided histories count first.
fn goodness(policy: &HistoryPolicy) -> Rank {
    Rank { resolved: 0, ..policy.rank() }
}

fn advises_the_same(a: &HistoryPolicy, b: &HistoryPolicy) -> bool {
    a.history_all() == b.history_all()
        && a.sites()
            .map(|(site, known)| (site, known.height(), known.trie()))
            .eq(b.sites().map(|(site, known)| (site, known.height(), known.trie())))
}
