//! Worst costs as they were found in programs that nobody here wrote.

use crate::shown;

use pessimum_fit::{Class, Point, at_least, fit};
use shown::shown;

#[track_caller]
fn has_class(costs: &[(u64, u64)], class: Class) {
    let points: Vec<Point> = costs.iter().map(|&(n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert_eq!(fit.class, Some(class), "{}", shown(&fit));
}

/// Costs that do not tell the class of the program from its neighbours leave it, and claim none.
#[track_caller]
fn leaves_class(costs: &[(u64, u64)], class: Class) {
    let points: Vec<Point> = costs.iter().map(|&(n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert!(fit.class.is_none_or(|c| c == class), "{}", shown(&fit));
    assert!(fit.left.is_empty() || fit.left.contains(&class), "{}", shown(&fit));
    // As a lower bound the least of them is true.
    let least = at_least(&points).at_least();
    assert!(least.is_none_or(|c| c <= class), "{least:?}");
}

/// A search for a word: short words have code of their own, which hides the line behind them.
#[test]
fn a_line_after_a_steep_start_is_no_logarithm() {
    let costs = [31, 40, 42, 48, 50, 52, 54, 56, 58];
    let points: Vec<(u64, u64)> = (1..).zip(costs).collect();
    leaves_class(&points, Class::Linear);
}

/// A checksum that takes sixteen bytes at a time: a sawtooth on a gentle slope.
#[test]
fn a_sawtooth_is_seen_through_from_afar() {
    let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 70, 100, 150, 200, 300];
    let beyond = [500, 700, 1000, 1500, 2000, 3000];
    let cost = |n: u64| n / 16 + n % 16 + 7;
    let points: Vec<(u64, u64)> = sizes.into_iter().chain(beyond).map(|n| (n, cost(n))).collect();
    has_class(&points, Class::Linear);
}

/// Four stars that are tried at every place; copying the text adds a branch now and then, which
/// keeps an exact formula from being met.
#[test]
fn nearly_a_polynomial_is_one_of_its_degree() {
    let dense = [45, 91, 183, 361, 682, 1220, 2066, 3328, 5131, 7617];
    let sparse = [(12, 15291), (15, 36452), (20, 113_439), (25, 275_449), (30, 569_984)];
    let far = [(40, 1_799_755), (50, 4_395_250)];
    let points: Vec<(u64, u64)> = (1..).zip(dense).chain(sparse).chain(far).collect();
    has_class(&points, Class::Power(4.0));
}

/// A word sought naively in a text twice its length.
#[test]
fn half_of_a_square_is_a_square() {
    let dense = [1, 7, 9, 13, 15, 24, 29, 39, 46, 58, 67, 81];
    let points: Vec<(u64, u64)> =
        (1..).zip(dense).chain([(15, 121), (20, 213), (25, 326)]).collect();
    has_class(&points, Class::Quadratic);
}

/// Digits read one by one, and from the eighth on another loop: at these sizes a bend looks like
/// n log n, and none of the two is claimed.
#[test]
fn a_bend_at_a_small_size_is_no_logarithm() {
    let dense = (1..=7).map(|n| (n, 29 + 3 * n));
    let points: Vec<Point> =
        dense.chain([(8, 53), (10, 61), (12, 69)]).map(|(n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert!(fit.class.is_none_or(|c| c == Class::Linear), "{}", shown(&fit));
}

/// A number read from text, where exponents begin to matter at the third size that was found.
#[test]
fn a_step_is_no_square() {
    let costs = [(1, 43), (2, 125), (8, 11001), (10, 16031), (12, 16031), (15, 16397), (20, 16905)];
    let points: Vec<Point> = costs.iter().map(|&(n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert!(fit.class.is_none_or(|c| c <= Class::Linear), "{}", shown(&fit));
}

/// A token that is read again with every byte: a square, of which six sizes show too little.
#[test]
fn a_square_with_a_start_of_its_own_is_no_cube() {
    let costs = [(1, 136), (2, 198), (8, 514), (10, 654), (12, 812), (15, 1078)];
    let points: Vec<Point> = costs.iter().map(|&(n, c)| Point::exact(n, c)).collect();
    let fit = fit(&points);
    assert!(fit.class.is_none_or(|c| c <= Class::Quadratic), "{}", shown(&fit));
}

#[test]
fn a_square_is_seen_with_a_few_sizes_more() {
    let costs = [
        (1, 136),
        (2, 198),
        (8, 514),
        (10, 654),
        (12, 812),
        (15, 1078),
        (20, 1600),
        (25, 2220),
        (30, 2940),
    ];
    leaves_class(&costs, Class::Quadratic);
}

/// A token that is read again with every byte; the costliest inputs of small sizes are others, on
/// which the cost per byte is high and does not grow.
#[test]
fn a_square_that_begins_beyond_the_small_sizes_is_a_square() {
    let costs = [
        (1, 136),
        (2, 198),
        (3, 393),
        (4, 453),
        (5, 512),
        (8, 787),
        (10, 984),
        (12, 1121),
        (15, 1385),
        (20, 1854),
        (25, 2261),
        (30, 2944),
        (40, 4690),
        (50, 6834),
        (70, 12324),
        (100, 23560),
        (150, 50284),
        (200, 87010),
        (300, 190_460),
    ];
    has_class(&costs, Class::Quadratic);
}

/// A compressor with much to set up, whose costly inputs a search finds from some 200 bytes on.
#[test]
fn a_line_that_is_found_late_is_a_line() {
    let small = [3229, 3290, 3310, 3323, 3368, 3424].into_iter();
    let ladder = [
        (8, 3502),
        (10, 3607),
        (12, 3687),
        (15, 3781),
        (20, 3944),
        (25, 4135),
        (30, 4310),
        (40, 4687),
        (50, 5095),
        (70, 6279),
        (100, 8468),
        (150, 11884),
        (200, 21706),
        (300, 40530),
        (400, 56666),
        (500, 69959),
        (700, 99722),
        (1000, 139_954),
        (1500, 213_326),
        (2000, 289_177),
        (3000, 431_124),
        (5000, 714_307),
        (7000, 1_005_974),
        (10_000, 1_448_069),
    ];
    let points: Vec<(u64, u64)> = (1..).zip(small).chain(ladder).collect();
    leaves_class(&points, Class::Linear);
}

/// A balanced tree, whose worst inputs are found less and less well.
#[test]
fn a_logarithm_on_top_of_a_line_is_told() {
    let small = [15, 36, 66, 94, 126, 163, 198, 232].into_iter();
    let ladder = [
        (10, 315),
        (12, 391),
        (15, 514),
        (20, 717),
        (25, 930),
        (30, 1143),
        (40, 1596),
        (50, 2031),
        (70, 2961),
        (100, 4362),
        (150, 6802),
        (200, 9229),
        (300, 14304),
    ];
    let points: Vec<(u64, u64)> = (1..).zip(small).chain(ladder).collect();
    leaves_class(&points, Class::NLogN);
}

/// A tree of wide nodes, searched somewhat better at the last size than at those before.
#[test]
fn a_jump_at_the_end_is_no_square() {
    let small = [39, 76, 119, 170, 223, 278].into_iter();
    let ladder = [
        (8, 394),
        (10, 518),
        (12, 701),
        (15, 883),
        (20, 1238),
        (25, 1593),
        (30, 1943),
        (40, 2708),
        (50, 3397),
        (70, 4990),
        (100, 7472),
        (150, 11671),
        (200, 16501),
        (300, 27781),
    ];
    let points: Vec<(u64, u64)> = (1..).zip(small).chain(ladder).collect();
    leaves_class(&points, Class::NLogN);
}

/// A merge sort with an insertion sort below seven, exact: two halves and a line, less one where both
/// halves are odd.
#[test]
fn a_recurrence_with_a_cutoff_is_one() {
    let dense = [
        5, 9, 16, 24, 35, 47, 70, 82, 97, 111, 128, 144, 171, 197, 214, 230, 249, 267, 286, 304,
        325, 345, 366, 386, 417, 447, 478, 508, 529, 549, 570, 590, 613,
    ];
    let sparse = [(40, 770), (47, 942), (48, 966), (50, 1035)];
    let points: Vec<(u64, u64)> = (1..).zip(dense).chain(sparse).collect();
    has_class(&points, Class::NLogN);
    // As a ladder has them.
    let ladder: Vec<(u64, u64)> = points
        .into_iter()
        .filter(|(n, _)| *n <= 17 || [20, 23, 24, 25, 30, 31].contains(n) || *n > 31)
        .collect();
    has_class(&ladder, Class::NLogN);
}

/// A compressor: tables that dominate, blocks of another kind from 50 bytes on, and chains of matches that are as long
/// as they get from some 500 on. Two changes, and a line at the end.
#[test]
fn a_line_after_two_changes_is_left() {
    let costs = [
        (20, 43485),
        (23, 43589),
        (25, 43646),
        (30, 43769),
        (31, 43803),
        (32, 43838),
        (33, 43858),
        (40, 44032),
        (47, 44179),
        (50, 50136),
        (63, 50516),
        (64, 50602),
        (65, 50667),
        (70, 50827),
        (89, 51538),
        (100, 52879),
        (120, 55086),
        (127, 55450),
        (128, 55719),
        (129, 55769),
        (150, 56560),
        (191, 57525),
        (200, 58869),
        (250, 59991),
        (255, 62228),
        (256, 62520),
        (257, 63008),
        (300, 64077),
        (400, 66422),
        (500, 74469),
        (512, 77267),
        (700, 93608),
        (1000, 127_625),
        (1024, 130_632),
        (1200, 146_277),
        (1500, 181_608),
        (2000, 237_015),
        (2048, 242_098),
        (2500, 293_535),
        (3000, 347_653),
        (4000, 459_724),
        (4096, 470_182),
        (5000, 572_641),
        (7000, 797_961),
        (8192, 931_203),
        (10000, 1_136_607),
    ];
    leaves_class(&costs, Class::Linear);
}

/// cJSON's parser: inputs cut from the costliest one of n = 10,000 cost less than it does, and sizes lie so far apart
/// there that an exponential is nothing at all of them but the last.
#[test]
fn a_jump_at_the_largest_size_is_no_exponential() {
    let line =
        [8, 9, 10, 11, 12, 15, 20, 23, 30, 31, 40, 47, 250, 255, 256, 257, 300, 400, 500, 512];
    let line = line.map(|n| (n, 75 * n - 54));
    let bent = [(700, 43_102), (1000, 43_702), (1024, 43_750), (1200, 44_102), (1500, 44_775)];
    let flat = [2048, 2500, 3000, 4000, 4096, 5000, 7000, 8192].map(|n| (n, 2 * n + 44_476));
    let costs = [(2, 114)].into_iter().chain(line).chain(bent).chain([(2000, 45_775)]).chain(flat);
    let costs = costs.chain([(10_000, 80_171)]);
    let fit = fit(&costs.map(|(n, cost)| Point::reached(n, cost)).collect::<Vec<_>>());
    assert!(fit.at_least().is_none_or(|class| class <= Class::Linear), "{}", shown(&fit));
}
