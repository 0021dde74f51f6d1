//! What was made by a rule is recognised as that rule, from a few sizes, at every other size.

use crate::shown;

use pessimum_fit::{Class, Fit, Point, fit};
use proptest::prelude::*;
use shown::shown;

/// With powers of two and their neighbours, as a rule that is called exact needs them.
const LADDER: [u64; 22] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 25, 31, 32, 33, 50, 100, 200];

fn at(sizes: impl IntoIterator<Item = u64>, f: impl Fn(u64) -> u64) -> Fit {
    let points: Vec<Point> = sizes.into_iter().map(|n| Point::exact(n, f(n))).collect();
    fit(&points)
}

#[track_caller]
fn exactly(fit: &Fit, class: Class, formula: &str) {
    assert_eq!(fit.formula.as_deref(), Some(formula), "{}", shown(fit));
    assert_eq!(fit.class, Some(class));
    assert!(fit.is_exact() && fit.interpolates && fit.checked_at.len() >= 2);
    assert_eq!(fit.r2, Some(1.0));
}

fn lg(n: u64) -> u64 {
    n.ilog2().into()
}

#[test]
fn constants_and_zero() {
    exactly(&at(1..=20, |_| 7), Class::Constant, "7");
    exactly(&at(LADDER, |_| 0), Class::Constant, "0");
    exactly(&at(0..=20, |_| 3), Class::Constant, "3");
    exactly(&at(1..=20, |_| u64::MAX), Class::Constant, "18446744073709551615");
}

#[test]
fn seven_sizes_show_a_line() {
    for (slope, constant) in [(2, 1), (3, 2), (4, 7), (5, 23), (12, 3), (30, 100)] {
        let fit = at(1..=7, |n| slope * n + constant);
        assert_eq!(fit.class, Some(Class::Linear), "{slope}*n + {constant}: {}", shown(&fit));
    }
    // Smaller costs say less, and so do costs at fewer sizes.
    for slope in [1, 3] {
        assert_eq!(at(1..=9, |n| slope * n).class, Some(Class::Linear));
        assert_eq!(at(1..=4, |n| slope * n).class, None);
    }
}

#[test]
fn one_step_is_a_change_and_no_growth() {
    // 3*n + 4 from 32 on: with n*floor(n/32) it is a law that holds from 8, and quadratic.
    const SIZES: [u64; 23] =
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 25, 30, 31, 32, 33, 40, 50, 63];
    let caught_up = at(SIZES, |n| match n {
        0..8 => n + 1,
        8..32 => n + 2,
        _ => 3 * n + 4,
    });
    assert!(caught_up.class.is_none_or(|c| c == Class::Linear), "{}", shown(&caught_up));
    let once = at(1..=63, |n| if n < 32 { 5 } else { 9 });
    assert_ne!(once.class, Some(Class::Linear), "{}", shown(&once));
}

#[test]
fn slow_growth_is_not_called_constant() {
    let slow = at(1..=48, |n| match n {
        0..18 => 13 * n + 21,
        _ => ((n as f64).log2() + 21.0).round() as u64,
    });
    assert_ne!(slow.class, Some(Class::Constant), "{}", shown(&slow));
}

#[test]
fn a_heap_is_logarithmic() {
    exactly(&at(LADDER, |n| lg(n) + 1), Class::Log, "floor(log2(n)) + 1");
    exactly(&at(1..=33, |n| lg(n) + 1), Class::Log, "floor(log2(n)) + 1");
    // Eight sizes show three steps, which is too little.
    assert_eq!(at(1..=8, |n| lg(n) + 1).class, None);
    // The empty heap has no logarithm, but a recurrence with it as a base case.
    let fit = at(0..=33, |n| if n == 0 { 0 } else { lg(n) + 1 });
    assert_eq!((fit.class, fit.predict(1000)), (Some(Class::Log), Some(10.0)), "{}", shown(&fit));
}

#[test]
fn formulas_with_floor_of_log() {
    exactly(&at(LADDER, |n| n * lg(n) + 2 * n + 1), Class::NLogN, "n*floor(log2(n)) + 2*n + 1");
    // Σ ⌊lg k⌋ for k up to n.
    let sum = |n: u64| (1..=n).map(lg).sum();
    let fit = at(LADDER, sum);
    assert!(fit.is_exact() && fit.class == Some(Class::NLogN), "{}", shown(&fit));
    assert_eq!(fit.predict(300), Some(sum(300) as f64));
}

#[test]
fn steps_and_remainders() {
    exactly(&at(1..=16, |n| n * n / 4), Class::Quadratic, "1/4*n^2 - 1/4*(n mod 2)");
    let words = at(LADDER, |n| 3 * (n / 8) + 2 * (n % 8) + 5);
    assert_eq!(words.class, Some(Class::Linear), "{}", shown(&words));
    assert_eq!(words.predict(77), Some(42.0));
    let swing = at(1..=16, |n| 4 + n % 2);
    assert_eq!(swing.class, Some(Class::Constant), "{}", shown(&swing));
}

#[test]
fn exponentials() {
    exactly(&at(1..=8, |n| 1 << n), Class::Exp2, "2^n");
    exactly(&at(1..=10, |n| 3u64.pow(n as u32) * 2 - 1), Class::Exp(3.0), "2*3^n - 1");
    exactly(
        &at(1..=9, |n| (32u64.pow(n as u32 + 1) - 1) / 31),
        Class::Exp(32.0),
        "W(n) = 32*W(n-1) + 1 with W(1) = 33",
    );
    exactly(&at(1..=62, |n| 1 << n), Class::Exp2, "2^n");
}

#[test]
fn fibonacci() {
    let fib = |n: u64| (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    let fit = at(1..=12, fib);
    exactly(
        &fit,
        Class::Exp(1.618_033_988_749_895),
        "W(n) = W(n-1) + W(n-2) with W(1) = 1, W(2) = 1",
    );
    assert_eq!(fit.class.map(|c| c.to_string()).as_deref(), Some("1.62^n"));
    assert_eq!(fit.predict(40), Some(fib(40) as f64));
    // The calls of the naive program.
    let calls = at(1..=12, |n| 2 * fib(n + 1) - 1);
    assert_eq!(calls.class.map(|c| c.to_string()).as_deref(), Some("1.62^n"));
    // On every other size only.
    let doubling = at(1..=14, |n| 1 << (n / 2));
    assert_eq!(doubling.class.map(|c| c.to_string()).as_deref(), Some("1.41^n"));
}

#[test]
fn factorials_up_to_the_end_of_u64() {
    let factorial = |n: u64| (1..=n).product::<u64>();
    exactly(&at(1..=20, factorial), Class::Factorial, "n!");
    exactly(&at(1..=7, |n| factorial(n - 1)), Class::Factorial, "(n-1)!");
    let nodes = |n: u64| (1..n).fold(1, |f, i| f * i + 1);
    exactly(&at(1..=8, nodes), Class::Factorial, "sum((n-1)!/j!, j=0..n-1)");
    let tours = at(1..=9, |n| 3 * n * nodes(n) + 2 * nodes(n) + 5 * factorial(n - 1) + 1);
    assert_eq!(tours.class, Some(Class::Factorial), "{}", shown(&tours));
    assert!(tours.is_exact());
}

#[test]
fn a_switch_at_a_threshold_leaves_the_tail() {
    let sort = |n: u64| if n < 7 { 40 + n } else { n * n + 3 * n };
    let fit = at(LADDER, sort);
    assert_eq!(fit.formula.as_deref(), Some("n^2 + 3*n"), "{}", shown(&fit));
    assert_eq!(fit.holds_from, Some(7));
    assert!(!fit.interpolates);
    // A small n of its own kind.
    let fit = at(0..=17, |n| if n == 0 { 9 } else { 4 * n - 1 });
    assert_eq!((fit.formula.as_deref(), fit.holds_from), (Some("4*n - 1"), Some(1)));
}

#[test]
fn too_few_sizes_say_nothing() {
    for count in 0..4 {
        let fit = at(1..=count, |n| n);
        assert_eq!((fit.class, fit.formula.is_some(), fit.interpolates), (None, false, false));
    }
    // The same size four times is one size.
    assert_eq!(at([5, 5, 5, 5], |n| n).class, None);
    // Four that no rule meets are too few for a regression.
    assert_eq!(
        fit(&[(1, 3), (2, 9), (3, 11), (4, 30)].map(|(n, c)| Point::exact(n, c))).class,
        None
    );
}

/// 17 at 15, then 443 at 20, where the sizes end: a floor that meets one jump explains less than it
/// takes to state.
#[test]
fn one_jump_is_no_law() {
    let cost = |n: u64| if n < 16 { n + 2 } else { n * n + 2 * n + 3 };
    let fit = at((1..=15).chain([20]), cost);
    assert_eq!((fit.class, fit.is_exact()), (None, false), "{}", shown(&fit));
    // With the sizes beyond it, the square is what there is.
    let fit = at((1..=17).chain([20, 25, 31, 32, 33, 40, 50, 64, 65, 100]), cost);
    assert_eq!((fit.class, fit.holds_from), (Some(Class::Quadratic), Some(16)), "{}", shown(&fit));
}

/// A constant that steps once, late: a floor would meet it.
#[test]
fn one_step_is_no_line() {
    let fit = at(1..=48, |n| 17 + n / 32);
    assert_eq!((fit.class, fit.is_exact()), (None, false), "{}", shown(&fit));
}

/// A table that doubles is not seen at sizes that miss the doublings: then the rule is not exact.
#[test]
fn a_rule_is_exact_only_if_it_was_tried_where_tables_double() {
    let cost = |n: u64| 2 * n + 2;
    let fit = at([1, 2, 3, 5, 6, 7, 10, 12, 15, 20, 25, 30, 40, 50], cost);
    assert_eq!((fit.class, fit.is_exact()), (Some(Class::Linear), false), "{}", shown(&fit));
    let fit = at((1..=17).chain([20, 31, 32, 33]), |n| cost(n) + 8 * n.next_power_of_two());
    assert!(fit.is_exact() && fit.class == Some(Class::Linear), "{}", shown(&fit));
    assert_eq!(fit.predict(65), Some((cost(65) + 8 * 128) as f64));
}

/// A heap in a vector: pushes that rise to the top, and a vector that doubles at a price which is the same each time.
#[test]
fn pushes_into_a_heap_are_recognised() {
    let sizes = (1..=17).chain([20, 23, 25, 30, 31, 32, 33, 40, 47, 63, 64, 65, 100]);
    for (rise, push, grow) in [(2, 3, 16), (1, 1, 9), (5, 2, 40)] {
        let cost = |n: u64| {
            let pushes: u64 = (1..=n).map(|i| rise * lg(i) + push).sum();
            pushes + grow * u64::from(n.next_power_of_two().ilog2())
        };
        let fit = at(sizes.clone(), cost);
        assert_eq!(fit.class, Some(Class::NLogN), "{}", shown(&fit));
        assert_eq!(fit.predict(1000), Some(cost(1000) as f64), "{}", shown(&fit));
    }
}

#[test]
fn a_plateau_is_not_a_constant() {
    assert_eq!(at(4..=7, lg).class, None);
    assert!(!at(16..=31, lg).is_exact());
}

#[test]
fn of_several_costs_at_a_size_the_worst_counts() {
    let mut points: Vec<Point> = (1..=17).map(|n| Point::exact(n, 2 * n)).collect();
    points.insert(0, Point::reached(3, 1));
    let fit = fit(&points);
    assert_eq!(fit.formula.as_deref(), Some("2*n"));
    assert!(fit.interpolates);
}

#[test]
fn extremes_do_not_panic() {
    let wild =
        [(0, u64::MAX), (1, 0), (u64::MAX, 1), (u64::MAX - 1, u64::MAX), (7, 3), (1 << 40, 5)];
    for len in 0..=wild.len() {
        let points: Vec<Point> = wild[..len].iter().map(|&(n, c)| Point::exact(n, c)).collect();
        let fit = fit(&points);
        let _ = (fit.predict(0), fit.predict(u64::MAX));
    }
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |c, i| c * n.saturating_sub(i) / (i + 1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Integer-valued polynomials are the whole combinations of binomials.
    #[test]
    fn polynomials(coefficients in prop::collection::vec(0u64..40, 1..=5), sparse in any::<bool>()) {
        let cost = |n: u64| coefficients.iter().enumerate().map(|(k, c)| c * choose(n, k as u64)).sum();
        let sizes: Vec<u64> = if sparse { vec![2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 21, 25, 30, 31, 32, 33, 47, 63, 64, 65, 100, 127, 128, 129] } else { LADDER.to_vec() };
        let fit = at(sizes, cost);
        let degree = coefficients.iter().rposition(|c| *c > 0).unwrap_or(0);
        prop_assert!(fit.interpolates, "{}", shown(&fit));
        prop_assert_eq!(fit.class, Some(Class::power(degree as f64)), "{}", shown(&fit));
        for n in 1..70 {
            prop_assert_eq!(fit.predict(n), Some(cost(n) as f64), "{} at {}", shown(&fit), n);
        }
    }

    #[test]
    fn quasi_polynomials(
        swing in prop::collection::vec(0u64..20, 2..=4),
        slope in 1u64..20,
        square in 0u64..5,
    ) {
        let cost = |n: u64| square * n * n + slope * n + swing[n as usize % swing.len()];
        let fit = at((1..=16).chain([20, 30, 50, 101]), cost);
        prop_assert!(fit.interpolates, "{}", shown(&fit));
        for n in 1..120 {
            prop_assert_eq!(fit.predict(n), Some(cost(n) as f64), "{} at {}", shown(&fit), n);
        }
    }

    #[test]
    fn floors_of_logarithms(a in 0u64..9, b in 0u64..9, c in 0u64..9, d in 0u64..9, e in 0u64..9) {
        let cost = |n: u64| a * n * lg(n) + b * lg(n) + c * (1 << lg(n)) + d * n + e;
        let fit = at((1..=8).chain([10, 15, 20, 31, 32, 50, 100, 200]), cost);
        prop_assert!(fit.interpolates, "{}", shown(&fit));
        for n in (1..300).step_by(7) {
            prop_assert_eq!(fit.predict(n), Some(cost(n) as f64), "{} at {}", shown(&fit), n);
        }
    }

    #[test]
    fn divide_and_conquer(from in 2u64..9, base in 1u64..6, a in 1u64..9, b in 0u64..9) {
        fn w(n: u64, from: u64, base: u64, a: u64, b: u64) -> u64 {
            if n < from {
                return base * n * n + 3;
            }
            w(n / 2, from, base, a, b) + w(n.div_ceil(2), from, base, a, b) + a * n + b
        }
        let cost = |n: u64| w(n, from, base, a, b);
        let fit = at((1..=17).chain([20, 30, 32, 33, 50, 100, 200]), cost);
        prop_assert!(fit.is_exact(), "{}", shown(&fit));
        prop_assert_eq!(fit.class, Some(Class::NLogN), "{}", shown(&fit));
        for n in [17, 33, 77, 250, 1000, 100_000] {
            prop_assert_eq!(fit.predict(n), Some(cost(n) as f64), "{} at {}", shown(&fit), n);
        }
    }

    #[test]
    fn linear_recurrences(a in 1u64..4, b in 1u64..4, c in 0u64..5, first in 1u64..9, step in 0u64..9) {
        let cost = |n: u64| (1..n).fold((first, first + step), |(x, y), _| (y, a * y + b * x + c)).0;
        let fit = at(1..=14, cost);
        prop_assert!(fit.is_exact(), "{}", shown(&fit));
        prop_assert_eq!(fit.predict(20), Some(cost(20) as f64), "{}", shown(&fit));
        let root = (a as f64 + ((a * a + 4 * b) as f64).sqrt()) / 2.0;
        prop_assert_eq!(fit.class.map(|c| c.to_string()), Some(Class::exponential((root * 1e9).round() / 1e9).to_string()));
    }

    /// What follows no rule is not said to follow one.
    #[test]
    fn noise_is_not_a_rule(steps in prop::collection::vec(0u64..30, 15)) {
        let mut cost = 10;
        let points: Vec<Point> = LADDER.iter().zip(&steps).map(|(&n, s)| {
            cost += s;
            Point::exact(n, cost)
        }).collect();
        let fit = fit(&points);
        prop_assert!(!fit.is_exact(), "{}", shown(&fit));
    }
}

/// The sizes of a ladder, and all of the smallest.
fn ladder() -> Vec<u64> {
    let larger = [
        20, 23, 25, 30, 31, 32, 33, 40, 47, 50, 63, 64, 65, 70, 89, 100, 120, 127, 128, 129, 150,
        191, 200, 250, 255, 256, 257, 300, 400, 500, 512, 700, 1000, 1024, 1200, 1500, 2000, 2048,
        2500, 3000, 4000, 4096, 5000,
    ];
    (1..=17).chain(larger).collect()
}

/// Where a program is slow at some remainders of the size alone, the sizes that were run last do not tell how it grows.
#[test]
fn sizes_that_miss_a_rule_are_no_beginning() {
    for modulus in [3, 4, 7, 8, 13] {
        for remainder in 0..modulus {
            let is_told = |fit: &Fit| matches!(fit.class, Some(class) if class < Class::Quadratic);
            let at_some = |slow: fn(u64) -> u64, usual: fn(u64) -> u64| {
                let fit =
                    at(ladder(), |n| if n % modulus == remainder { slow(n) } else { usual(n) });
                assert!(!is_told(&fit), "{modulus} {remainder}: {}", shown(&fit));
            };
            at_some(|n| n * n + 3, |n| 2 * n + 5);
            at_some(|n| n * n + 40 * n, |n| 20 * n + n * n % 3);
        }
    }
}
