//! WISE's longest paths, in its own count of conditionals, and merge sort's W(n).

use crate::shown;

use pessimum_fit::{Class, Confidence, Fit, Point, fit};
use shown::shown;

const SIZES: [u64; 9] = [1, 2, 3, 4, 5, 10, 15, 20, 30];

fn of(costs: &[u64]) -> Fit {
    let points: Vec<Point> = SIZES.iter().zip(costs).map(|(&n, &c)| Point::exact(n, c)).collect();
    fit(&points)
}

#[track_caller]
fn exactly(fit: &Fit, class: Class, formula: &str) {
    assert_eq!(fit.class, Some(class), "{}", shown(fit));
    assert_eq!(fit.formula.as_deref(), Some(formula));
    assert!(fit.interpolates && fit.is_exact());
}

#[test]
fn sorted_list() {
    exactly(&of(&[2, 3, 4, 5, 6, 11, 16, 21, 31]), Class::Linear, "n + 1");
}

/// Nine sizes without a law do not tell a logarithm from a root: nothing is claimed.
#[test]
fn red_black_tree() {
    let fit = of(&[4, 7, 7, 10, 10, 16, 19, 19, 25]);
    assert_eq!(fit.class, None, "{}", shown(&fit));
}

/// A square up to 5 and something else beyond, of which four sizes say too little.
#[test]
fn quicksort() {
    let fit = of(&[5, 10, 17, 26, 37, 144, 309, 484, 974]);
    assert_eq!(fit.class, None, "{}", shown(&fit));
}

#[test]
fn binary_search_tree() {
    exactly(&of(&[1, 4, 7, 10, 13, 28, 43, 58, 88]), Class::Linear, "3*n - 2");
}

/// Seven sizes, five of them below the switch from insertion sort: what is left cannot tell
/// n log n from its neighbours, and must say so.
#[test]
fn merge_sort_at_seven_sizes_is_not_claimed() {
    let fit = of(&[4, 8, 14, 22, 32, 106, 206]);
    assert!(!fit.is_exact(), "{}", shown(&fit));
    assert_eq!((fit.class, fit.confidence), (None, Confidence::TooFewSizes));
}

#[test]
fn bellman_ford() {
    let costs = [55, 147, 315, 583, 4263, 14043, 32923, 109_983];
    let points: Vec<Point> =
        SIZES[1..].iter().zip(costs).map(|(&n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert_eq!(fit.class, Some(Class::Cubic), "{}", shown(&fit));
    assert_eq!(fit.formula.as_deref(), Some("4*n^3 + 2*n^2 + 6*n + 3"));
    // It meets every size, but was not tried where tables double.
    assert!(fit.interpolates && !fit.is_exact());
}

#[test]
fn dijkstra() {
    let fit = of(&[12, 32, 62, 102, 152, 552, 1202, 2102, 4652]);
    exactly(&fit, Class::Quadratic, "5*n^2 + 5*n + 2");
}

#[test]
fn travelling_salesman() {
    let fit = of(&[4, 12, 35, 127, 587]);
    assert!(fit.class.is_none() && fit.left.contains(&Class::Factorial), "{}", shown(&fit));
}

/// Every order of n values: the cost over n! no longer changes from n = 6 on.
#[test]
fn permutations() {
    let costs = [4, 12, 41, 170, 857, 5150, 36_059, 288_482, 2_596_349];
    let points: Vec<Point> = (1..).zip(costs).map(|(n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert_eq!(fit.class, Some(Class::Factorial), "{}", shown(&fit));
    // A program that does something else below 6, and has no law that tells it.
    let early = [5, 9, 31, 150, 801];
    let late = (6..=9u64).map(|n| 7 * (1..=n).product::<u64>());
    let points: Vec<Point> =
        (1..).zip(early.into_iter().chain(late)).map(|(n, c)| Point::exact(n, c)).collect();
    let fit = pessimum_fit::fit(&points);
    assert_eq!(fit.class, Some(Class::Factorial), "{}", shown(&fit));
}

fn merge_sort_comparisons(n: u64) -> u64 {
    if n < 7 {
        return n * n.saturating_sub(1) / 2;
    }
    merge_sort_comparisons(n / 2) + merge_sort_comparisons(n.div_ceil(2)) + n
}

#[test]
fn merge_sort_is_recognised_by_its_recurrence() {
    for (n, w) in [(7, 16), (8, 20), (30, 132), (100, 644), (250, 1866)] {
        assert_eq!(merge_sort_comparisons(n), w);
    }
    let points: Vec<Point> = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 20, 30, 50, 100]
        .map(|n| Point::exact(n, merge_sort_comparisons(n)))
        .to_vec();
    let fit = fit(&points);
    exactly(&fit, Class::NLogN, "W(n) = W(floor(n/2)) + W(ceil(n/2)) + n for n >= 7");
    assert_eq!(fit.predict(250), Some(1866.0));
}
