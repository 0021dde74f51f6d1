//! Frequency invariants: true of what they were learned from, and able to refute other paths.

use crate::common;

use common::{paths, trees};
use pessimum_learn::{Branch, Decision, FrequencyInvariants, Openness, SiteId};
use proptest::prelude::*;

fn path(counts: &[(u32, u32, u64)]) -> Vec<Decision> {
    let decision = |&(site, choice, count): &(u32, u32, u64)| {
        let decision =
            Decision { site: SiteId(site), choice, arms: 2, openness: Openness::Open, prev: 0 };
        std::iter::repeat_n(decision, count as usize)
    };
    counts.iter().flat_map(decision).collect()
}

fn learn(
    sizes: std::ops::RangeInclusive<u64>,
    worst: impl Fn(u64) -> Vec<Decision>,
) -> FrequencyInvariants {
    let worst: Vec<_> = sizes.map(|n| (n, worst(n))).collect();
    FrequencyInvariants::learn(worst.iter().map(|(n, path)| (*n, &path[..])))
}

fn shown(invariants: &FrequencyInvariants) -> Vec<String> {
    invariants.relations().iter().map(ToString::to_string).collect()
}

proptest! {
    #[test]
    fn they_hold_on_every_training_path(sizes in prop::collection::vec(trees(), 1..7)) {
        let worst: Vec<Vec<Decision>> = sizes.iter().map(|tree| paths(tree)[0].0.clone()).collect();
        let numbered = (1..).zip(&worst).map(|(n, path)| (n, &path[..]));
        let invariants = FrequencyInvariants::learn(numbered.clone());
        for (n, path) in numbered {
            let Some(mut counter) = invariants.counter(n) else { continue };
            for decision in path {
                prop_assert!(!decision.openness.is_open() || counter.may_take(decision.branch()));
                counter.push(decision);
            }
            prop_assert!(counter.holds());
            path.iter().rev().for_each(|decision| counter.pop(decision));
            let fresh = path.iter().all(|d| counter.may_take(d.branch()) || !d.openness.is_open());
            prop_assert!(fresh);
        }
    }
}

#[test]
fn a_count_that_follows_the_size_limits_larger_sizes() {
    let invariants = learn(1..=4, |n| path(&[(0, 1, n - 1), (0, 0, n * (n - 1) / 2)]));
    assert_eq!(shown(&invariants), ["count(#0/0) = 1/2*n^2 - 1/2*n", "count(#0/1) = n - 1"]);
    let mut counter = invariants.counter(10).unwrap();
    let taken = path(&[(0, 1, 9)]);
    taken.iter().for_each(|decision| counter.push(decision));
    assert!(!counter.holds());
    assert!(!counter.may_take(taken[0].branch()));
    assert!(counter.may_take(Branch { choice: 0, ..taken[0].branch() }));
    counter.push(&taken[0]);
    counter.pop(&taken[0]);
    counter.pop(&taken[0]);
    assert!(counter.may_take(taken[0].branch()));
}

#[test]
fn sides_that_only_together_follow_a_formula_are_summed() {
    let odd = |n: u64| n % 3 * 2 % 3;
    let invariants = learn(1..=6, |n| path(&[(0, 0, odd(n)), (0, 1, 2 * n - odd(n))]));
    assert_eq!(shown(&invariants), ["count(#0/0) + count(#0/1) = 2*n"]);
}

#[test]
fn counts_that_grow_alike_differ_by_a_constant() {
    let powers = |n: u32| 1u64 << n;
    let invariants =
        learn(1..=6, |n| path(&[(0, 0, powers(n as u32)), (1, 1, powers(n as u32) + 3)]));
    assert_eq!(shown(&invariants), ["count(#1/1) = count(#0/0) + 3"]);
    let counter = invariants.counter(2).unwrap();
    assert!(!counter.holds());
}

#[test]
fn forced_decisions_do_not_count() {
    let invariants = learn(1..=4, |n| path(&[(0, 1, n)]));
    let mut counter = invariants.counter(1).unwrap();
    let forced = Decision { openness: Openness::Forced, ..path(&[(0, 1, 1)])[0] };
    (0..5).for_each(|_| counter.push(&forced));
    assert!(counter.may_take(forced.branch()));
}

#[test]
fn sizes_too_small_to_show_it_are_left_out() {
    // The first sizes have one side only, as where half of the values is all of them.
    let half = |n: u64| if n <= 2 { n } else { n / 2 };
    let invariants = learn(1..=10, |n| path(&[(0, 0, n - half(n)), (0, 1, half(n))]));
    let expected = "count(#0/1) = 1/2*n for even n, 1/2*n - 1/2 for odd n";
    assert!(shown(&invariants).contains(&expected.to_owned()), "{:?}", shown(&invariants));
    assert!(invariants.counter(2).is_none(), "nothing is said of the sizes left out");
    let mut counter = invariants.counter(20).unwrap();
    path(&[(0, 1, 10), (0, 0, 10)]).iter().for_each(|decision| counter.push(decision));
    assert!(counter.holds());
}
