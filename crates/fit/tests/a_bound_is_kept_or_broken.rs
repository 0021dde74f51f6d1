//! `check --at-most`: worse only when it surely is, within only when nothing above is as good.

use pessimum_fit::{Class, Point, Verdict, compare_to_bound};

const LADDER: [u64; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50, 100, 200];

/// A deterministic ripple of up to 2 % that no rule meets.
fn rippled(f: impl Fn(f64) -> f64) -> Vec<Point> {
    LADDER
        .iter()
        .map(|&n| {
            let ripple = ((n * n * 7919 + n * 104_729) % 41) as f64 / 1000.0 - 0.02;
            Point::exact(n, (f(n as f64) * (1.0 + ripple)).round() as u64)
        })
        .collect()
}

fn verdict(points: &[Point], bound: &str) -> &'static str {
    match compare_to_bound(points, &bound.parse().expect("a class")) {
        Verdict::Within { .. } => "within",
        Verdict::Worse { .. } => "worse",
        Verdict::CannotTell { .. } => "cannot tell",
    }
}

#[test]
fn an_exact_formula_settles_it() {
    let points: Vec<Point> = LADDER.map(|n| Point::exact(n, n * (n - 1) / 2)).to_vec();
    assert_eq!(verdict(&points, "n log n"), "worse");
    assert_eq!(verdict(&points, "n^1.99"), "worse");
    assert_eq!(verdict(&points, "n^2"), "within");
    assert_eq!(verdict(&points, "2^n"), "within");
}

#[test]
fn a_clear_regression_settles_it() {
    let quadratic = rippled(|n| 40.0 * n * n + 30.0 * n + 100.0);
    assert_eq!(verdict(&quadratic, "n*log(n)"), "worse");
    assert_eq!(verdict(&quadratic, "n^3"), "within");
    let n_log_n = rippled(|n| 50.0 * n * n.log2() + 80.0);
    assert_eq!(verdict(&n_log_n, "n*log(n)"), "within");
    assert_eq!(verdict(&n_log_n, "log(n)"), "worse");
    let linear = rippled(|n| 70.0 * n + 30.0);
    assert_eq!(verdict(&linear, "n"), "within");
    assert_eq!(verdict(&linear, "n^2"), "within");
    assert_eq!(verdict(&linear, "1"), "worse");
}

#[test]
fn what_is_close_or_too_little_is_inconclusive() {
    assert_eq!(verdict(&[], "n"), "cannot tell");
    let red_black =
        [(1, 4), (2, 7), (3, 7), (4, 10), (5, 10), (10, 16), (15, 19), (20, 19), (30, 25)];
    let points = red_black.map(|(n, c)| Point::exact(n, c));
    assert_eq!(verdict(&points, "log(n)"), "cannot tell");
    assert_eq!(verdict(&points, "n"), "cannot tell");
    // No class at all fits this one.
    let wild = [(1, 5), (2, 900), (3, 2), (4, 700), (8, 1), (16, 800), (32, 3)];
    let points = wild.map(|(n, c)| Point::exact(n, c));
    assert_eq!(verdict(&points, "n"), "cannot tell");
}

#[test]
fn a_verdict_says_on_what_it_rests() {
    let points = rippled(|n| 40.0 * n * n + 30.0 * n + 100.0);
    let Verdict::Worse { class, exact, bits } = compare_to_bound(&points, &Class::Linear) else {
        panic!("quadratic is worse than linear");
    };
    assert_eq!((class, exact), (Class::Quadratic, false));
    assert!(bits >= pessimum_fit::DECISIVE);
}
