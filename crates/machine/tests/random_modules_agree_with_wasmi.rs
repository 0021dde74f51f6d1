//! Random modules run on concrete values here and in wasmi.

#![allow(clippy::print_stdout)]

use crate::support;

use support::differential::{Effort, compare};
use support::random_module::{FUEL, from_seed};

#[test]
fn random_modules_do_the_same_in_both_engines() {
    all_agree(false);
}

#[test]
fn random_modules_do_the_same_where_all_values_are_numbers() {
    all_agree(true);
}

fn all_agree(numbers: bool) {
    let mut total = Effort::default();
    for seed in 0..400 {
        let Some(bytes) = from_seed(seed, FUEL) else { continue };
        match compare(&bytes, seed, numbers) {
            Ok(effort) => total.add(effort),
            Err(e) => panic!("seed {seed}: {e}"),
        }
    }
    println!("{total:?}");
    assert!(total.calls >= 1_000, "{total:?}");
    assert!(total.calls - total.traps >= 250, "{total:?}");
    assert!(total.gave_up <= 4, "{total:?}");
    assert!(total.instructions >= 10_000_000, "{total:?}");
}
