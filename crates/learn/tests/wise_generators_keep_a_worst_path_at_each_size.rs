//! Summaries lose nothing that the search for a generator needs, and the search finds the best.

use crate::common;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use common::{Tree, explore, paths, trees};
use pessimum_learn::{
    Branch, BranchPolicy, Cost, Decision, GeneratorOptions, Guide, Level, SiteId, WiseCollector,
    WiseGuide, WiseSummary, WiseTracker, find_good_generator, find_good_generator_with,
    least_policy,
};
use proptest::prelude::*;

fn summary_of<'a>(paths: impl IntoIterator<Item = &'a (Vec<Decision>, Cost)>) -> WiseSummary {
    let mut collector = WiseCollector::new();
    let mut tracker = WiseTracker::new();
    let root = tracker.mark();
    for (path, cost) in paths {
        path.iter().for_each(|decision| tracker.push(decision));
        collector.leaf_with_effort(&tracker, *cost, effort(path));
        tracker.undo_to(root);
    }
    collector.summary()
}

fn summaries(trees: &[Tree]) -> Vec<WiseSummary> {
    trees.iter().map(|tree| summary_of(&paths(tree))).collect()
}

fn worst(paths: &[(Vec<Decision>, Cost)]) -> impl Iterator<Item = &Vec<Decision>> {
    let max = paths.iter().map(|(_, cost)| *cost).max();
    paths.iter().filter(move |(_, cost)| Some(*cost) == max).map(|(path, _)| path)
}

/// Whether an explorer that follows every forced branch meets the path.
fn follows(policy: &BranchPolicy, path: &[Decision]) -> bool {
    let open = path.iter().copied().filter(|d| d.openness.is_open());
    policy.admits(&open.collect::<Vec<_>>())
}

/// Some effort that differs between paths with the same least policy.
fn effort(path: &[Decision]) -> u64 {
    let weigh = |(i, d): (u64, &Decision)| (i + 1) * u64::from(d.choice);
    (0..).zip(path).map(weigh).sum::<u64>() % 3
}

/// What is tallied, from the paths themselves: count, greatest cost, least effort at that cost.
fn tallies(paths: &[(Vec<Decision>, Cost)]) -> BTreeMap<BranchPolicy, (u64, Cost, u64)> {
    let mut groups = BTreeMap::<_, Vec<(Reverse<Cost>, u64)>>::new();
    for (path, cost) in paths {
        let group = groups.entry(least_policy(path)).or_default();
        group.push((Reverse(*cost), effort(path)));
    }
    let tally = |group: Vec<(Reverse<Cost>, u64)>| {
        let (cost, effort) = *group.iter().min().unwrap();
        (group.len() as u64, cost.0, effort)
    };
    groups.into_iter().map(|(policy, group)| (policy, tally(group))).collect()
}

/// Every join of one worst path's least policy per size, by brute force, with the least effort
/// that leads to it.
fn all_joins(trees: &[Tree]) -> BTreeMap<BranchPolicy, u64> {
    let mut joins = BTreeMap::from([(BranchPolicy::bottom(), 0)]);
    for tree in trees {
        let tallies = tallies(&paths(tree));
        let max = tallies.values().map(|&(_, cost, _)| cost).max();
        let mut next = BTreeMap::new();
        for (join, before) in &joins {
            for (policy, &(_, cost, effort)) in &tallies {
                if Some(cost) == max {
                    let least = next.entry(join.join(policy)).or_insert(u64::MAX);
                    *least = (before + effort).min(*least);
                }
            }
        }
        joins = next;
    }
    joins
}

/// The last tie: branch by branch, what is allowed at all, then what is allowed always.
fn lexicographic(policy: &BranchPolicy) -> [Vec<bool>; 2] {
    let branches =
        (0..4).flat_map(|site| (0..3).map(move |choice| Branch { site: SiteId(site), choice }));
    [Level::IfForced, Level::Always]
        .map(|level| branches.clone().map(|branch| policy.level(branch) >= level).collect())
}

proptest! {
    #[test]
    fn merging_in_any_order_gives_the_same(
        tree in trees(),
        parts in prop::collection::vec(0usize..3, 64),
        order in Just(vec![0usize, 1, 2]).prop_shuffle(),
    ) {
        let all = paths(&tree);
        let part = |k: usize| {
            let chosen = all.iter().zip(parts.iter().cycle()).filter(move |(_, p)| **p == k);
            summary_of(chosen.map(|(path, _)| path))
        };
        let mut merged = WiseSummary::new();
        for k in order {
            merged.merge(&part(k));
        }
        let whole = summary_of(&all);
        prop_assert_eq!(&merged, &whole);
        prop_assert_eq!(whole.leaves() as usize, all.len());
        let tallied = whole.tallies().map(|(policy, t)| (policy.clone(), (t.count, t.cost, t.effort)));
        prop_assert_eq!(tallied.collect::<BTreeMap<_, _>>(), tallies(&all));
        let text = serde_json::to_string(&whole).unwrap();
        prop_assert_eq!(&text, &serde_json::to_string(&merged).unwrap());
        prop_assert_eq!(serde_json::from_str::<WiseSummary>(&text).unwrap(), whole);
    }

    #[test]
    fn greedy_and_exact_admit_a_worst_path_at_each_size(sizes in prop::collection::vec(trees(), 1..4)) {
        let summaries = summaries(&sizes);
        let best = find_good_generator(&summaries).unwrap();
        for (tree, summary) in sizes.iter().zip(&summaries) {
            let paths = paths(tree);
            for policy in [&best.policy, &best.greedy] {
                prop_assert!(worst(&paths).any(|path| policy.admits(path)));
                prop_assert!(summary.worst_is_within(policy));
                let admitted = paths.iter().filter(|(path, _)| policy.admits(path)).count();
                prop_assert_eq!(summary.paths_within(policy) as usize, admitted);
            }
        }
    }

    #[test]
    fn the_exact_search_finds_the_minimum(sizes in prop::collection::vec(trees(), 1..4)) {
        let summaries = summaries(&sizes);
        let best = find_good_generator(&summaries).unwrap();
        prop_assert!(best.minimal);
        let largest = summaries.last().unwrap();
        let all = paths(sizes.last().unwrap());
        let followed = |policy: &BranchPolicy| all.iter().filter(|(path, _)| follows(policy, path)).count() as u64;
        let joins = all_joins(&sizes);
        let key = |policy: &BranchPolicy| {
            let counts = (largest.paths_within(policy), followed(policy));
            (counts, joins[policy], policy.raised(), lexicographic(policy))
        };
        let least = joins.keys().min_by_key(|policy| key(policy));
        prop_assert_eq!(Some(&best.policy), least);
        prop_assert_eq!((best.paths, best.paths_followed), key(&best.policy).0);
        let alone = GeneratorOptions { comparisons: 0, ..GeneratorOptions::default() };
        let greedy = find_good_generator_with(&summaries, &alone).unwrap();
        prop_assert_eq!(&greedy.policy, &best.greedy);
        prop_assert!(best.paths <= greedy.paths);
    }

    /// The explorer follows forced branches whatever the policy says; apart from that it meets
    /// the conforming paths and no others.
    #[test]
    fn guided_exploration_meets_the_conforming_paths(sizes in prop::collection::vec(trees(), 1..4)) {
        let summaries = summaries(&sizes);
        let best = find_good_generator(&summaries).unwrap();
        let guide = WiseGuide::from(&best);
        for tree in &sizes {
            let mut met = Vec::new();
            explore(tree, &guide, &mut |path, cost| met.push((path.to_vec(), cost)));
            let expected: Vec<_> = paths(tree).into_iter().filter(|(path, _)| follows(&best.policy, path)).collect();
            prop_assert_eq!(&met, &expected);
        }
        for site in (0..6).map(SiteId) {
            let seen = summaries.iter().any(|s| s.sites().contains(&site));
            prop_assert_eq!(guide.knows_site(site), seen);
            let unseen = guide.advise(site, 2, &[], 0) == pessimum_learn::Advice::Unseen;
            prop_assert_eq!(unseen, !seen);
        }
        let mut followed = 0;
        explore(sizes.last().unwrap(), &guide, &mut |_, _| followed += 1);
        prop_assert_eq!(best.paths_followed, followed);
    }
}

#[test]
fn no_paths_teach_nothing() {
    assert_eq!(find_good_generator(&[]), None);
    assert_eq!(find_good_generator(&[WiseSummary::new()]), None);
}

#[test]
fn among_equals_the_worst_path_of_less_effort_wins() {
    let step = |choice| Decision {
        site: SiteId(0),
        choice,
        arms: 2,
        openness: pessimum_learn::Openness::Open,
        prev: 0,
    };
    let mut tracker = WiseTracker::new();
    let mut collector = WiseCollector::new();
    let root = tracker.mark();
    for (choice, effort) in [(0, 9), (1, 1)] {
        tracker.push(&step(choice));
        collector.leaf_with_effort(&tracker, Cost(5), effort);
        tracker.undo_to(root);
    }
    let best = find_good_generator(&[collector.summary()]).unwrap();
    assert_eq!(best.policy, least_policy(&[step(1)]));
    assert!(collector.summary().cost_is_independent_of_input());
}
