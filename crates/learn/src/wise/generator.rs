//! Finding a policy with a worst path at every size and few paths at the largest
//! (section 5.3 and algorithm 4 of the WISE paper).

use std::collections::BTreeSet;

use pessimum_clock::Deadline;
use rustc_hash::FxHashMap;

use super::policy::{BranchPolicy, Level};
use super::summary::WiseSummary;
use crate::decision::{Branch, SiteId};

/// A policy that admits a worst path of every size it was learned from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    /// The policy.
    pub policy: BranchPolicy,
    /// Every site met by any path of the sizes, worst or not. A guide needs it to tell a site
    /// that worst paths avoid from a site nobody has seen.
    pub seen: BTreeSet<SiteId>,
    /// How many paths of the largest size the policy admits in the paper's sense.
    pub paths: u64,
    /// How many paths of the largest size an explorer meets that also follows forced branches
    /// at level 0; never fewer than `paths`.
    pub paths_followed: u64,
    /// What the greedy search alone returns.
    pub greedy: BranchPolicy,
    /// True when no choice of worst paths gives a better policy: the search was completed.
    pub minimal: bool,
}

/// Bounds on the search for the minimum.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// How many comparisons of two policies the search may spend beyond the greedy one before it
    /// settles for the best policy found. A count, not a time: results do not depend on the
    /// machine. 0 asks for the greedy result alone.
    pub comparisons: u64,
    /// When to stop in any case: many worst paths are compared with many. What is known then is
    /// answered, and nothing where not even the greedy search came to its end.
    pub deadline: Deadline,
}

impl Default for GeneratorOptions {
    /// About a second's worth.
    fn default() -> Self {
        Self { comparisons: 100_000_000, deadline: Deadline::NEVER }
    }
}

/// [`find_good_generator_with`] the default bounds.
pub fn find_good_generator(sizes: &[WiseSummary]) -> Option<Generator> {
    find_good_generator_with(sizes, &GeneratorOptions::default())
}

/// A policy with a worst path at each of the sizes (given in ascending order; those without
/// paths are passed over), and as few paths as can be at the largest. `None` when there is no
/// path at all, or no time.
///
/// Algorithm 4 goes from the largest size to the smallest and adds, at each, the worst path that
/// costs the fewest paths at the largest. That gives the first bound; a depth-first search over
/// all combinations then looks for better, as far as the options allow. Ties go to the policy
/// with fewer paths under lenient following, then to the worst paths of least effort, then to the
/// fewest levels raised, then to the lexicographically least: the result does not depend on the
/// order in which anything was found.
pub fn find_good_generator_with(
    sizes: &[WiseSummary],
    options: &GeneratorOptions,
) -> Option<Generator> {
    let sizes: Vec<&WiseSummary> = sizes.iter().filter(|s| s.leaves() > 0).collect();
    let largest = *sizes.last()?;
    let packing = Packing::of(&sizes);
    let mut search = Search::new(&packing, &sizes, largest, &options.deadline)?;
    let bottom = Packed(vec![0; 2 * packing.words].into());
    let greedy = search.greedy_from(0, &bottom, 0)?;
    search.best = Some(greedy.clone());
    search.comparisons = options.comparisons;
    let minimal = search.descend(0, &bottom, 0);
    let best = search.best.unwrap_or_else(|| greedy.clone());
    Some(Generator {
        policy: packing.unpack(&best.policy),
        seen: sizes.iter().flat_map(|s| s.sites()).copied().collect(),
        paths: best.paths,
        paths_followed: best.paths_followed,
        greedy: packing.unpack(&greedy.policy),
        minimal,
    })
}

/// Other policies with a worst path at each of the sizes and as few paths at the largest as
/// [`find_good_generator`]'s, at most `limit` of them, those of least effort first. Each begins with
/// another worst path of the largest size; smaller sizes are added by algorithm 4.
///
/// Small sizes cannot always tell policies apart. Going left all the time is as bad for a search tree
/// as going right. Some policies hold at small sizes only: they need more different numbers than a
/// larger size has. So callers should try several of them at larger sizes.
pub fn tied_generators(
    sizes: &[WiseSummary],
    limit: usize,
    options: &GeneratorOptions,
) -> Vec<Generator> {
    let Some(best) = find_good_generator_with(sizes, options) else { return Vec::new() };
    let sizes: Vec<&WiseSummary> = sizes.iter().filter(|s| s.leaves() > 0).collect();
    let Some(largest) = sizes.last() else { return Vec::new() };
    let packing = Packing::of(&sizes);
    let Some(mut search) = Search::new(&packing, &sizes, largest, &options.deadline) else {
        return Vec::new();
    };
    search.comparisons = options.comparisons;
    let mut starts = search.candidates.first().cloned().unwrap_or_default();
    starts.sort_by(|a, b| (a.effort, &a.policy).cmp(&(b.effort, &b.policy)));
    let mut found: Vec<Judged> = Vec::new();
    for start in starts {
        if found.len() > limit || search.comparisons == 0 {
            break;
        }
        let Some(judged) = search.greedy_from(1, &start.policy, start.effort) else { break };
        let known = found.iter().any(|other| other.policy == judged.policy);
        if judged.paths == best.paths && !known {
            found.push(judged);
        }
    }
    let chosen = packing.pack(&best.policy);
    found.retain(|judged| judged.policy != chosen);
    found.truncate(limit);
    found
        .into_iter()
        .map(|judged| Generator {
            policy: packing.unpack(&judged.policy),
            paths: judged.paths,
            paths_followed: judged.paths_followed,
            minimal: false,
            ..best.clone()
        })
        .collect()
}

/// A policy as bits: for each branch one bit "at least 1/2" in the first half of the words and
/// one bit "1" in the second. Join is `or`, the partial order is the subset relation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Packed(Box<[u64]>);

impl Packed {
    fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    fn raised(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

/// Which bit belongs to which branch.
struct Packing {
    branches: Vec<Branch>,
    words: usize,
}

impl Packing {
    fn of(sizes: &[&WiseSummary]) -> Self {
        let branches: BTreeSet<Branch> = sizes
            .iter()
            .flat_map(|s| s.tallies())
            .flat_map(|(policy, _)| policy.levels().map(|(branch, _)| branch))
            .collect();
        Self { words: branches.len().div_ceil(64), branches: branches.into_iter().collect() }
    }

    fn pack(&self, policy: &BranchPolicy) -> Packed {
        let mut words = vec![0; 2 * self.words];
        for (branch, level) in policy.levels() {
            if let Ok(at) = self.branches.binary_search(&branch) {
                let (word, bit) = place(at);
                words[word] |= bit;
                if level == Level::Always {
                    words[self.words + word] |= bit;
                }
            }
        }
        Packed(words.into())
    }

    fn unpack(&self, packed: &Packed) -> BranchPolicy {
        let level = |at| match place(at) {
            (word, bit) if packed.0[self.words + word] & bit != 0 => Level::Always,
            (word, bit) if packed.0[word] & bit != 0 => Level::IfForced,
            _ => Level::Never,
        };
        self.branches.iter().enumerate().map(|(at, &branch)| (branch, level(at))).collect()
    }

    /// The worst paths' policies of a size, without those that another one makes useless: one
    /// that is within them and asks no more effort. `None` when the time is over.
    fn candidates(&self, size: &WiseSummary, deadline: &Deadline) -> Option<Vec<Candidate>> {
        /// Beyond this many the comparison costs more than it saves.
        const COMPARED: usize = 4096;
        let mut all: Vec<Candidate> = size
            .worst_policies()
            .map(|(policy, tally)| {
                let policy = self.pack(policy);
                Candidate { raised: policy.raised(), policy, effort: tally.effort }
            })
            .collect();
        // A policy within another has fewer levels raised, so it comes before it. No two are equal.
        all.sort_by_key(|candidate| candidate.raised);
        let mut useful: Vec<Candidate> = Vec::new();
        for candidate in all {
            if deadline.is_over() {
                return None;
            }
            let beats = |other: &Candidate| {
                other.effort <= candidate.effort && other.policy.is_within(&candidate.policy)
            };
            let fewer = useful.iter().take_while(|other| other.raised < candidate.raised);
            if !fewer.take(COMPARED).any(beats) {
                useful.push(candidate);
            }
        }
        Some(useful)
    }
}

/// The first branch has the highest bit of the first word, so that comparing words compares
/// policies lexicographically.
fn place(at: usize) -> (usize, u64) {
    (at / 64, 1 << (63 - at % 64))
}

#[derive(Clone, Debug)]
struct Candidate {
    policy: Packed,
    raised: u32,
    effort: u64,
}

/// A policy with all that decides between policies, in order of weight. Every field but the
/// last can only grow when more is joined in, which is what makes the search's bound sound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Judged {
    paths: u64,
    paths_followed: u64,
    effort: u64,
    raised: u32,
    policy: Packed,
}

impl Judged {
    fn bound(&self) -> (u64, u64, u64, u32) {
        (self.paths, self.paths_followed, self.effort, self.raised)
    }
}

struct Search<'a> {
    deadline: &'a Deadline,
    /// `count_N`.
    counts: Vec<(Packed, u64)>,
    /// `max_i`, the largest size first.
    candidates: Vec<Vec<Candidate>>,
    /// Where the bits for level 1 begin.
    half: usize,
    counted: FxHashMap<Packed, (u64, u64)>,
    /// The least effort with which the search came to a policy at a size.
    entered: FxHashMap<(usize, Packed), u64>,
    comparisons: u64,
    best: Option<Judged>,
}

impl<'a> Search<'a> {
    fn new(
        packing: &Packing,
        sizes: &[&WiseSummary],
        largest: &WiseSummary,
        deadline: &'a Deadline,
    ) -> Option<Search<'a>> {
        let candidates = sizes.iter().rev().map(|s| packing.candidates(s, deadline));
        Some(Search {
            deadline,
            counts: largest
                .tallies()
                .map(|(policy, tally)| (packing.pack(policy), tally.count))
                .collect(),
            candidates: candidates.collect::<Option<_>>()?,
            half: packing.words,
            counted: FxHashMap::default(),
            entered: FxHashMap::default(),
            comparisons: u64::MAX,
            best: None,
        })
    }

    fn judge(&mut self, policy: Packed, effort: u64) -> Judged {
        /// What a step costs besides counting, in comparisons; it bounds the memory as well.
        const STEP: u64 = 100;
        self.comparisons = self.comparisons.saturating_sub(STEP);
        let known = self.counted.get(&policy).copied();
        let (paths, paths_followed) = known.unwrap_or_else(|| {
            self.comparisons = self.comparisons.saturating_sub(self.counts.len() as u64);
            let counts = self.count(&policy);
            self.counted.insert(policy.clone(), counts);
            counts
        });
        Judged { paths, paths_followed, effort, raised: policy.raised(), policy }
    }

    /// The paths at the largest size: conforming, and met when forced branches are followed.
    fn count(&self, policy: &Packed) -> (u64, u64) {
        let mut sums = (0u64, 0u64);
        let always = &policy.0[self.half..];
        for (least, count) in &self.counts {
            let theirs = &least.0[self.half..];
            if theirs.iter().zip(always).all(|(a, b)| a & !b == 0) {
                sums.1 = sums.1.saturating_add(*count);
                if least.is_within(policy) {
                    sums.0 = sums.0.saturating_add(*count);
                }
            }
        }
        sums
    }

    /// Algorithm 4, from the size at this place on. `None` when the time is over.
    fn greedy_from(&mut self, first: usize, policy: &Packed, effort: u64) -> Option<Judged> {
        let mut best = self.judge(policy.clone(), effort);
        for at in first..self.candidates.len() {
            let joined: Vec<(Packed, u64)> = self.candidates[at]
                .iter()
                .map(|c| (best.policy.join(&c.policy), best.effort.saturating_add(c.effort)))
                .collect();
            let mut least: Option<Judged> = None;
            for (policy, effort) in joined {
                if self.deadline.is_over() {
                    return None;
                }
                let judged = self.judge(policy, effort);
                if least.as_ref().is_none_or(|least| judged < *least) {
                    least = Some(judged);
                }
            }
            // A size that has paths has worst paths, so there is always a least one.
            best = least.unwrap_or(best);
        }
        Some(best)
    }

    /// Tries every candidate of the sizes from `at` on, joined to `policy`. False when the
    /// comparisons or the time ran out.
    fn descend(&mut self, at: usize, policy: &Packed, effort: u64) -> bool {
        let Some(candidates) = self.candidates.get(at) else {
            let judged = self.judge(policy.clone(), effort);
            if self.best.as_ref().is_none_or(|best| judged < *best) {
                self.best = Some(judged);
            }
            return true;
        };
        let joined: Vec<(Packed, u64)> = candidates
            .iter()
            .map(|c| (policy.join(&c.policy), effort.saturating_add(c.effort)))
            .collect();
        let mut next = Vec::with_capacity(joined.len());
        for (policy, effort) in joined {
            if self.comparisons == 0 || self.deadline.is_over() {
                return false;
            }
            next.push(self.judge(policy, effort));
        }
        next.sort_unstable();
        next.dedup();
        for judged in next {
            // Sorted, and nothing below has a lesser bound: the first that cannot win ends it.
            if self.best.as_ref().is_some_and(|best| judged.bound() > best.bound()) {
                break;
            }
            let place = (at, judged.policy.clone());
            if self.entered.get(&place).is_some_and(|&e| e <= judged.effort) {
                continue;
            }
            self.entered.insert(place, judged.effort);
            if !self.descend(at + 1, &judged.policy, judged.effort) {
                return false;
            }
        }
        true
    }
}
