//! History policies: what they record, how they unify, what they advise.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Tree, explore, paths, trees};
use pessimum_learn::{
    Branch, ChoiceSet, Decision, HistoryLimit, HistoryOptions, HistoryPolicy, Openness, PathRanker,
    SiteId,
};
use proptest::prelude::*;

fn limits() -> impl Strategy<Value = HistoryLimit> {
    prop_oneof![
        (0u32..4).prop_map(HistoryLimit::Fixed),
        Just(HistoryLimit::Adaptive),
        Just(HistoryLimit::Unlimited),
    ]
}

/// Policies of some paths of a tree, all under their own limit.
fn policies() -> impl Strategy<Value = HistoryPolicy> {
    (trees(), limits(), 1usize..4).prop_map(|(tree, limit, some)| learn(&tree, limit, some))
}

fn learn(tree: &Tree, limit: HistoryLimit, some: usize) -> HistoryPolicy {
    let paths = paths(tree);
    let chosen = paths.iter().step_by(some).map(|(path, _)| &path[..]);
    HistoryPolicy::learn(chosen, HistoryOptions::new(limit))
}

/// The definition, with the activation's histories spelled out.
fn plainly(path: &[Decision], h: usize) -> BTreeMap<(SiteId, Vec<Branch>), BTreeSet<u32>> {
    let mut policy = BTreeMap::<_, BTreeSet<u32>>::new();
    for decision in path.iter().filter(|d| d.openness == Openness::Open) {
        let mut history = Vec::new();
        let mut at = decision.prev as usize;
        while at > 0 && history.len() < h {
            history.push(path[at - 1].branch());
            at = path[at - 1].prev as usize;
        }
        let key = (decision.site, history);
        policy.entry(key).or_default().insert(decision.choice);
    }
    policy
}

fn spelled_out(policy: &HistoryPolicy) -> BTreeMap<(SiteId, Vec<Branch>), BTreeSet<u32>> {
    let contexts = policy.sites().flat_map(|(site, known)| {
        let histories = known.trie().histories().into_iter();
        histories.map(move |(history, choices)| ((site, history), choices.iter().collect()))
    });
    contexts.collect()
}

proptest! {
    #[test]
    fn unify_is_commutative_associative_and_idempotent(
        a in policies(), b in policies(), c in policies(),
    ) {
        let ab = a.unify(&b).unwrap();
        prop_assert_eq!(&ab, &b.unify(&a).unwrap());
        prop_assert_eq!(ab.unify(&c).unwrap(), a.unify(&b.unify(&c).unwrap()).unwrap());
        prop_assert_eq!(&a.unify(&a).unwrap(), &a);
        prop_assert_eq!(&ab.unify(&a).unwrap(), &ab);
    }

    #[test]
    fn learning_from_two_paths_is_unifying_what_each_teaches(tree in trees(), limit in limits()) {
        let paths = paths(&tree);
        let options = HistoryOptions::new(limit);
        let together = HistoryPolicy::learn(paths.iter().map(|(path, _)| &path[..]), options);
        let mut apart = HistoryPolicy::empty(limit, false);
        for (path, _) in &paths {
            apart = apart.unify(&HistoryPolicy::learn([&path[..]], options)).unwrap();
        }
        prop_assert_eq!(together, apart);
    }

    #[test]
    fn a_fixed_history_records_what_the_definition_says(tree in trees(), h in 0u32..5) {
        for (path, _) in paths(&tree) {
            let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(HistoryLimit::Fixed(h)));
            prop_assert_eq!(spelled_out(&policy), plainly(&path, h as usize));
            let full = HistoryPolicy::learn([&path[..]], HistoryOptions::new(HistoryLimit::Unlimited));
            prop_assert_eq!(spelled_out(&full), plainly(&path, usize::MAX));
            prop_assert_eq!(full.with_limit(HistoryLimit::Fixed(h)), policy);
        }
    }

    #[test]
    fn no_history_is_the_memoryless_policy(tree in trees()) {
        let policy = learn(&tree, HistoryLimit::Fixed(0), 1);
        let mut memoryless = BTreeMap::<SiteId, ChoiceSet>::new();
        for (path, _) in paths(&tree) {
            for decision in path.iter().filter(|d| d.openness.is_open()) {
                memoryless.entry(decision.site).or_default().insert(decision.choice);
            }
        }
        for (path, _) in paths(&tree) {
            for decision in &path {
                let advised = policy.choices(decision.site, [Branch::default(); 3]);
                prop_assert_eq!(advised, memoryless.get(&decision.site));
            }
        }
    }

    #[test]
    fn adaptive_looks_back_no_further_than_helps(tree in trees()) {
        let adaptive = learn(&tree, HistoryLimit::Adaptive, 1);
        let full = learn(&tree, HistoryLimit::Unlimited, 1);
        for (site, known) in adaptive.sites() {
            let histories = full.site(site).unwrap().trie().histories();
            // How many of the histories seen are undecided when cut to length h.
            let undecided = |h: usize| {
                let cut = |history: &[Branch]| history[..history.len().min(h)].to_vec();
                let mut choices = BTreeMap::<Vec<Branch>, ChoiceSet>::new();
                for (history, set) in &histories {
                    choices.entry(cut(history)).or_default().union_with(set);
                }
                histories.iter().filter(|(history, _)| choices[&cut(history)].len() > 1).count()
            };
            let height = full.site(site).unwrap().height() as usize;
            let least = (0..=height).min_by_key(|&h| (undecided(h), h)).unwrap();
            prop_assert_eq!(known.height() as usize, least);
            prop_assert_eq!(known.is_deterministic(), undecided(least) == 0);
        }
    }

    #[test]
    fn a_policy_leads_back_to_the_paths_it_was_learned_from(tree in trees(), limit in limits()) {
        for (path, cost) in paths(&tree) {
            let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(limit));
            let mut found = false;
            explore(&tree, &policy, &mut |met, met_cost| {
                found |= met == path && met_cost == cost;
            });
            prop_assert!(found);
        }
    }

    #[test]
    fn guided_by_nothing_is_exhaustive(tree in trees(), limit in limits()) {
        let mut met = Vec::new();
        explore(&tree, &HistoryPolicy::empty(limit, false), &mut |path, cost| met.push((path.to_vec(), cost)));
        prop_assert_eq!(met, paths(&tree));
    }

    #[test]
    fn a_path_is_ranked_as_its_policy_is(tree in trees(), h in 0u32..4) {
        let mut ranker = PathRanker::new();
        for (path, _) in paths(&tree) {
            let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(HistoryLimit::Fixed(h)));
            prop_assert_eq!(ranker.rank(&path, h), policy.rank());
        }
    }
}

/// The comparison of keys in section II of the paper: equal characters until the last.
#[test]
fn a_comparison_that_ends_at_a_fixed_length_is_resolved_by_its_history() {
    const K: u32 = 15;
    let mut path = Vec::new();
    for _call in 0..3 {
        for i in 0..K {
            path.push(Decision {
                site: SiteId(23),
                choice: u32::from(i == K - 1),
                arms: 2,
                openness: Openness::Open,
                prev: if i == 0 { 0 } else { path.len() as u32 },
            });
        }
    }
    let memoryless = HistoryPolicy::learn([&path[..]], HistoryOptions::new(HistoryLimit::Fixed(0)));
    assert_eq!(memoryless.choices(SiteId(23), []), Some(&ChoiceSet::all(2)));
    for limit in [HistoryLimit::Adaptive, HistoryLimit::Unlimited] {
        let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(limit));
        assert!(policy.is_deterministic());
        assert_eq!(policy.site(SiteId(23)).map(|s| s.height()), Some(K - 1));
        let site = SiteId(23);
        let equal = Branch { site, choice: 0 };
        let after =
            |n| policy.choices(site, std::iter::repeat_n(equal, n)).and_then(ChoiceSet::single);
        assert_eq!(
            (0..15).map(after).collect::<Vec<_>>(),
            [vec![Some(0); 14], vec![Some(1)]].concat()
        );
    }
}

#[test]
fn histories_of_open_and_of_all_decisions_do_not_mix() {
    let open = HistoryPolicy::empty(HistoryLimit::Adaptive, false);
    let all = HistoryPolicy::empty(HistoryLimit::Adaptive, true);
    assert!(open.unify(&all).is_err());
}

/// With links over all decisions a forced one can tell two situations apart that look the same
/// to a history of open ones.
#[test]
fn histories_of_all_decisions_see_the_forced_ones() {
    let decision = |site, choice, openness, prev| Decision {
        site: SiteId(site),
        choice,
        arms: 2,
        openness,
        prev,
    };
    // Two activations: a forced branch goes one way or the other, and the open one follows it.
    let path = |link: u32| {
        [0, 1].into_iter().flat_map(move |side| {
            let after = if link == 0 { 0 } else { 1 + 2 * side };
            [decision(0, side, Openness::Forced, 0), decision(1, side, Openness::Open, after)]
        })
    };
    let (open, all): (Vec<_>, Vec<_>) = (path(0).collect(), path(1).collect());
    let options = HistoryOptions::new(HistoryLimit::Adaptive);
    assert!(!HistoryPolicy::learn([&open[..]], options).is_deterministic());
    let policy = HistoryPolicy::learn([&all[..]], HistoryOptions { all: true, ..options });
    assert!(policy.is_deterministic() && policy.site(SiteId(0)).is_none());
    assert_eq!(pessimum_learn::Guide::reads(&policy), pessimum_learn::Reads::AllDecisions);
    let after = |choice| policy.choices(SiteId(1), [Branch { site: SiteId(0), choice }]);
    assert_eq!(after(0).and_then(ChoiceSet::single), Some(0));
    assert_eq!(after(1).and_then(ChoiceSet::single), Some(1));
    assert_eq!(after(2), None);
}

#[test]
fn links_that_run_forward_do_not_loop() {
    let path =
        [Decision { site: SiteId(0), choice: 0, arms: 2, openness: Openness::Open, prev: 1 }];
    let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(HistoryLimit::Unlimited));
    assert_eq!(policy.site(SiteId(0)).map(|s| s.height()), Some(1));
}

/// 5000 open decisions in one activation: what staged training at larger sizes may show.
#[test]
fn long_activations_stay_within_bounds() {
    let path: Vec<Decision> = (0..5000)
        .map(|i: u32| Decision {
            site: SiteId(i % 7),
            choice: i * i % 11 % 2,
            arms: 2,
            openness: Openness::Open,
            prev: i,
        })
        .collect();
    let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(HistoryLimit::Unlimited));
    assert!(policy.sites().all(|(_, site)| site.height() == 256));
}
