//! Which policies several sizes suggest, and in which order they are tried.

use pessimum_learn::{
    ChoiceSet, Cost, Decision, HistoryLimit, HistoryOptions, HistoryPolicy, Openness, SiteId,
    WorstPaths, candidate_policies, unified_policy,
};

fn path(choices: &[u32]) -> Vec<Decision> {
    (0..)
        .zip(choices)
        .map(|(i, &choice)| Decision {
            site: SiteId(0),
            choice,
            arms: 2,
            openness: Openness::Open,
            prev: i,
        })
        .collect()
}

fn worst(paths: &[&[u32]]) -> WorstPaths {
    let mut worst = WorstPaths::default();
    paths.iter().for_each(|choices| worst.leaf(Cost(1), &path(choices)));
    worst
}

fn choices(policy: &HistoryPolicy) -> Option<ChoiceSet> {
    policy.choices(SiteId(0), []).cloned()
}

const MEMORYLESS: HistoryLimit = HistoryLimit::Fixed(0);

#[test]
fn among_ties_the_path_that_agrees_with_other_sizes_is_taken() {
    // At the smaller size both constant paths tie; only one of them goes with the larger.
    let (small, large) = (worst(&[&[0, 0], &[1, 1]]), worst(&[&[1, 1, 1]]));
    assert_eq!(small.best(), Some(&path(&[0, 0])[..]));
    let policy = unified_policy([&small, &large], HistoryOptions::new(MEMORYLESS));
    assert_eq!(choices(&policy), Some(ChoiceSet::only(1)));
}

#[test]
fn a_path_does_not_win_by_visiting_more_sites() {
    let (mut small, large) = (WorstPaths::default(), worst(&[&[1, 1, 1]]));
    let mut roundabout = path(&[0, 0, 1, 1]);
    roundabout[2].site = SiteId(1);
    roundabout[3].site = SiteId(2);
    small.leaf(Cost(1), &roundabout);
    small.leaf(Cost(1), &path(&[1, 1]));
    assert_eq!(small.best(), Some(&roundabout[..]));
    let policy = unified_policy([&small, &large], HistoryOptions::new(MEMORYLESS));
    assert_eq!(choices(&policy), Some(ChoiceSet::only(1)));
}

#[test]
fn sizes_that_contradict_each_other_are_tried_alone_first() {
    let (small, large) = (worst(&[&[0, 0]]), worst(&[&[1, 1, 1]]));
    let candidates =
        candidate_policies(&[(7, &small), (8, &large)], &[HistoryOptions::new(MEMORYLESS)]);
    let tried: Vec<_> = candidates.iter().map(|c| (choices(&c.policy), c.sizes.clone())).collect();
    let expected = [
        (Some(ChoiceSet::only(1)), 8..=8),
        (Some(ChoiceSet::only(0)), 7..=7),
        (Some(ChoiceSet::all(2)), 7..=8),
    ];
    assert_eq!(tried, expected);
}

#[test]
fn a_history_that_resolves_comes_before_no_history_that_does_not() {
    let (small, large) = (worst(&[&[0, 1, 0]]), worst(&[&[0, 1, 0, 1]]));
    let limits =
        [MEMORYLESS, HistoryLimit::Fixed(1), HistoryLimit::Adaptive, HistoryLimit::Unlimited];
    let candidates =
        candidate_policies(&[(3, &small), (4, &large)], &limits.map(HistoryOptions::new));
    assert!(candidates[0].policy.is_deterministic());
    assert_eq!(candidates[0].policy.limit(), HistoryLimit::Fixed(1));
    assert_eq!(candidates[0].sizes, 3..=4);
    let last = candidates.last().unwrap();
    assert_eq!(choices(&last.policy), Some(ChoiceSet::all(2)));
    // Adaptive finds the same as a history of one: it is not tried again.
    assert!(candidates.iter().all(|c| c.policy.limit() != HistoryLimit::Adaptive));
}

#[test]
fn without_open_decisions_there_is_nothing_to_try() {
    let nothing = worst(&[&[]]);
    let ways = [HistoryOptions::new(MEMORYLESS)];
    assert_eq!(candidate_policies(&[(1, &nothing)], &ways), []);
    assert_eq!(candidate_policies(&[], &ways), []);
}
