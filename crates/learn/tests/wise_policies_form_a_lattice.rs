//! The partial order, the join and the least policy are what the paper says they are.

use crate::common;

use common::{paths, trees};
use pessimum_learn::{Branch, BranchPolicy, Level, Openness, SiteId, WiseTracker, least_policy};
use proptest::prelude::*;

fn policies() -> impl Strategy<Value = BranchPolicy> {
    let level = prop::sample::select(vec![Level::Never, Level::IfForced, Level::Always]);
    let entry = (0u32..4, 0u32..3, level).prop_map(|(site, choice, level)| {
        let site = SiteId(site);
        (Branch { site, choice }, level)
    });
    prop::collection::vec(entry, 0..8).prop_map(|levels| levels.into_iter().collect())
}

fn is_within_plainly(a: &BranchPolicy, b: &BranchPolicy) -> bool {
    let branches = (0..4).flat_map(|site| (0..3).map(move |choice| (SiteId(site), choice)));
    branches
        .map(|(site, choice)| Branch { site, choice })
        .all(|branch| a.level(branch) <= b.level(branch))
}

proptest! {
    #[test]
    fn join_is_the_least_upper_bound(a in policies(), b in policies(), c in policies()) {
        let join = a.join(&b);
        prop_assert!(a.is_within(&join) && b.is_within(&join));
        prop_assert_eq!(&join, &b.join(&a));
        let upper = c.join(&join);
        prop_assert!(join.is_within(&upper));
        if a.is_within(&c) && b.is_within(&c) {
            prop_assert!(join.is_within(&c));
        }
        prop_assert_eq!(a.is_within(&c), is_within_plainly(&a, &c));
        prop_assert_eq!(a.is_within(&c), a.join(&c) == c);
    }

    #[test]
    fn the_least_policy_of_a_path_admits_it_and_nothing_less_does(tree in trees()) {
        for (path, _) in paths(&tree) {
            let least = least_policy(&path);
            prop_assert!(least.admits(&path));
            for (branch, level) in least.levels() {
                let lower = if level == Level::Always { Level::IfForced } else { Level::Never };
                let rest = least.levels().filter(|&(b, _)| b != branch);
                let less: BranchPolicy = rest.chain([(branch, lower)]).collect();
                prop_assert!(less.is_within(&least) && !less.admits(&path));
            }
        }
    }

    #[test]
    fn a_policy_admits_a_path_exactly_when_its_least_policy_is_within(
        tree in trees(),
        policy in policies(),
    ) {
        for (path, _) in paths(&tree) {
            prop_assert_eq!(policy.admits(&path), least_policy(&path).is_within(&policy));
        }
    }

    /// Jumps between paths of a tree in any order, as a walk that backtracks does.
    #[test]
    fn the_tracker_agrees_with_the_plain_least_policy(
        tree in trees(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
    ) {
        let all = paths(&tree);
        let mut tracker = WiseTracker::new();
        let mut marks = Vec::new();
        let mut here = Vec::new();
        let mut hashes = std::collections::HashMap::new();
        for (path, _) in order.iter().map(|i| i.get(&all)) {
            let shared = here.iter().zip(path).take_while(|(a, b)| a == b).count();
            if shared < marks.len() {
                tracker.undo_to(marks[shared]);
                marks.truncate(shared);
            }
            for decision in &path[shared..] {
                marks.push(tracker.mark());
                tracker.push(decision);
            }
            here = path.clone();
            let least = least_policy(path);
            prop_assert_eq!(tracker.policy(), least.clone());
            prop_assert_eq!(hashes.entry(tracker.hash()).or_insert(least.clone()), &least);
        }
        let distinct: std::collections::HashSet<_> = hashes.values().collect();
        prop_assert_eq!(distinct.len(), hashes.len());
    }

    #[test]
    fn saving_keeps_a_policy(policy in policies()) {
        let text = serde_json::to_string(&policy).unwrap();
        prop_assert_eq!(serde_json::from_str::<BranchPolicy>(&text).unwrap(), policy);
    }
}

#[test]
fn an_unknown_sibling_counts_as_feasible() {
    let site = SiteId(0);
    let path = [pessimum_learn::Decision {
        site,
        choice: 1,
        arms: 2,
        openness: Openness::Unknown,
        prev: 0,
    }];
    let level = least_policy(&path).level(Branch { site, choice: 1 });
    assert_eq!(level, Level::Always);
}

#[test]
fn a_site_that_grows_more_arms_keeps_its_levels() {
    let step = |choice, arms| pessimum_learn::Decision {
        site: SiteId(3),
        choice,
        arms,
        openness: Openness::Open,
        prev: 0,
    };
    let mut tracker = WiseTracker::new();
    let root = tracker.mark();
    tracker.push(&step(1, 2));
    tracker.push(&step(5, 2));
    tracker.push(&step(9, 12));
    let path = [step(1, 2), step(5, 2), step(9, 12)];
    assert_eq!(tracker.policy(), least_policy(&path));
    tracker.undo_to(root);
    assert_eq!(tracker.policy(), BranchPolicy::bottom());
    assert_eq!(tracker.hash(), 0);
}
