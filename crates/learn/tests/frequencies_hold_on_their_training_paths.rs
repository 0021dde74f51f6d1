//! Frequency invariants: true of what they were learned from, and able to refute other paths.

mod common;

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
            let mut counter = invariants.counter(n);
            for decision in path {
                prop_assert!(!decision.openness.is_open() || counter.may_take(decision.branch()));
                counter.push(decision);
                prop_assert!(counter.can_still_hold());
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
    let mut counter = invariants.counter(10);
    let taken = path(&[(0, 1, 9)]);
    taken.iter().for_each(|decision| counter.push(decision));
    assert!(counter.can_still_hold() && !counter.holds());
    assert!(!counter.may_take(taken[0].branch()));
    assert!(counter.may_take(Branch { choice: 0, ..taken[0].branch() }));
    counter.push(&taken[0]);
    assert!(!counter.can_still_hold());
    counter.pop(&taken[0]);
    assert!(counter.can_still_hold());
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
    assert!(invariants.counter(2).can_still_hold() && !invariants.counter(2).holds());
}

#[test]
fn forced_decisions_do_not_count() {
    let invariants = learn(1..=4, |n| path(&[(0, 1, n)]));
    let mut counter = invariants.counter(1);
    let forced = Decision { openness: Openness::Forced, ..path(&[(0, 1, 1)])[0] };
    (0..5).for_each(|_| counter.push(&forced));
    assert!(counter.can_still_hold());
}
