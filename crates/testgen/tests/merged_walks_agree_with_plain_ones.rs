//! Random programs walked with states merged: no number differs from that of a plain walk, and no
//! reuse is wrong. `merged-walks-soak` does the same for as many as one likes.

use pessimum_testgen::{compare_merged, random_program};

#[test]
fn two_hundred_programs() {
    let mut reused = 0;
    for seed in 0..200 {
        match compare_merged(&random_program(seed)) {
            Ok(reuses) => reused += reuses,
            Err(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(reused > 50, "{reused} reuses");
}
