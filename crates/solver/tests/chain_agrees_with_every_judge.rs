//! Some seconds of random conjunctions; `examples/conjunctions_soak.rs` runs as many as one likes.

use crate::conjunctions;

use conjunctions::{Source, Tally, session};

fn run(seeds: std::ops::Range<u64>) {
    let mut tally = Tally::default();
    for seed in seeds {
        if let Err(what) = session(&mut Source::Seed(seed), &mut tally) {
            panic!("seed {seed}: {what}");
        }
    }
    // A generator that asks nothing, or that all goes one way, shows nothing.
    assert!(
        tally.sat * 20 > tally.conjunctions && tally.unsat * 20 > tally.conjunctions,
        "{tally:?}"
    );
    assert!(tally.by_brute_force > tally.by_bits && tally.by_bits > 0, "{tally:?}");
    assert!(tally.unknown > 0 && tally.unknown * 5 < tally.conjunctions, "{tally:?}");
}

#[test]
fn random_conjunctions_are_answered_as_they_are() {
    run(0..400);
}

#[test]
fn a_fuzzer_may_choose_as_well() {
    let mut tally = Tally::default();
    let bytes: Vec<u8> =
        (0..2000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(session(&mut Source::Bytes(&bytes), &mut tally), Ok(()));
    assert_eq!(session(&mut Source::Bytes(&[]), &mut tally), Ok(()));
}
