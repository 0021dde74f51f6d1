//! When the costs of inputs that were found do not carry the class that fits them best.
//!
//! These rules stand in for a fit that knows reached costs to be lower bounds.

use pessimum_fit::{Class, Confidence, Fit, Point, fit};
use std::cmp::Ordering;

/// Whether the class of `found` is not to be claimed; `searched` if a search had the last word at the
/// largest size.
pub(super) fn is_withheld(points: &[Point], found: &Fit, searched: bool) -> bool {
    let (unsure, clear) = match found.confidence {
        Confidence::Exact | Confidence::Clear => (false, true),
        Confidence::Likely => (false, false),
        Confidence::Unsure | Confidence::TooFewSizes => (true, false),
    };
    // A bend in what is still little beside a constant is no growth.
    let doubled = match points {
        [first, .., last] => last.cost >= first.cost.saturating_mul(2),
        _ => false,
    };
    let error = found.candidates.first().map_or(0.0, |best| best.error);
    let falls_back = falls_back(points);
    let late = |c: Class| c > Class::NLogN && is_late(points, found);
    // A search that finds nothing worse any more does not show that there is nothing; and what
    // may be a step as well as growth is no reason for an alarm, least of all n log n for n.
    let doubtful = |c: Class| match c.cmp(&Class::Linear) {
        Ordering::Less => searched,
        // A rough line is what is left of any growth when a search does not keep up with it.
        Ordering::Equal => error > if searched { ROUGH_LINE } else { ROUGH },
        Ordering::Greater => {
            let broken = matches!(c, Class::Power(k) if k.fract() != 0.0);
            let slight = c == Class::NLogN && searched && !clear;
            let flattens = c < Class::Exp(1.0) && flattens(points, found);
            unsure || !doubled || falls_back || late(c) || slight || broken || flattens
        }
    };
    match found.is_exact() {
        true => searched && rises_to_its_rule(points, found),
        false => found.class.is_some_and(doubtful),
    }
}

/// A line that a search has followed is missed by less than this, any other by less than that.
const ROUGH_LINE: f64 = 0.15;
const ROUGH: f64 = 0.4;

/// How much the cost of each value may fall from one size to a greater one and still be noise.
const NOISE: f64 = 0.9;

/// Whether the costs of a search fall behind those of smaller sizes: what grows faster than a line
/// costs more for each value, the more there are.
fn falls_back(points: &[Point]) -> bool {
    let last = points.last().map_or(0, |p| p.n);
    let mut most = 0.0;
    // Among small sizes a switch of algorithm may do the same.
    points.iter().filter(|p| !p.exact && p.n > 0 && p.n.saturating_mul(8) >= last).any(|p| {
        let each = p.cost as f64 / p.n as f64;
        let behind = each < NOISE * most;
        most = each.max(most);
        behind
    })
}

/// How much a curve may gain on the costs while the size grows threefold.
const GAIN: f64 = 1.06;

/// Whether the costs flatten out where the curve does not. A search that keeps up with a square for a
/// while, and then only draws out what it has, is met by n log n as if it were that.
fn flattens(points: &[Point], found: &Fit) -> bool {
    let over = |p: &Point| found.predict(p.n).map(|curve| curve / p.cost.max(1) as f64);
    let Some(last) = points.last() else { return false };
    let before = points.iter().rev().find(|p| p.n > 0 && p.n.saturating_mul(3) <= last.n);
    match (before.and_then(over), over(last)) {
        (Some(before), Some(now)) => now > GAIN * before,
        _ => false,
    }
}

/// Whether the costs rose more steeply before an exact rule holds than the rule does: a search that
/// draws out one input over and over makes a rule of it, and says nothing of the program.
fn rises_to_its_rule(points: &[Point], found: &Fit) -> bool {
    let Some(from) = found.holds_from else { return false };
    let before = points.iter().rev().find(|p| p.n < from);
    before.is_some_and(|p| found.predict(p.n).is_some_and(|rule| (p.cost as f64) < NOISE * rule))
}

/// What a curve that is met misses sizes by.
const CLOSE: f64 = 0.05;

/// Whether no class above n log n shows before the last octave: a jump there is as likely to be the
/// first size at which something else was found as the start of a steeper growth. A curve that is
/// met well before it as well shows there too, however small its share still is.
fn is_late(points: &[Point], found: &Fit) -> bool {
    let last = points.last().map_or(0, |p| p.n);
    let met = found.candidates.first().is_some_and(|best| best.error < CLOSE);
    if met && found.holds_from.unwrap_or(0).saturating_mul(4) <= last {
        return false;
    }
    let before: Vec<Point> =
        points.iter().copied().filter(|p| p.n.saturating_mul(2) <= last).collect();
    let best = fit(&before).candidates.first().map(|c| c.class);
    best.is_some_and(|class| class <= Class::NLogN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_late(costs: &[(u64, u64)]) -> bool {
        let points: Vec<Point> = costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect();
        super::is_late(&points, &fit(&points))
    }

    fn flattens(costs: &[(u64, u64)]) -> bool {
        let points: Vec<Point> = costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect();
        super::flattens(&points, &fit(&points))
    }

    #[test]
    fn a_search_that_stops_keeping_up_shows() {
        // Words that collide in a hash table, up to some fifty of them, and then the same again.
        let mut costs = vec![(1, 25), (2, 42), (8, 253), (10, 367), (12, 476), (15, 656)];
        costs.extend([(20, 981), (25, 1387), (30, 1774), (40, 2545), (50, 3295), (70, 4921)]);
        costs.extend([(100, 7544), (150, 11_944), (200, 16_344), (300, 25_144)]);
        assert!(flattens(&costs));
    }

    #[test]
    fn an_input_drawn_out_is_no_rule_of_the_program() {
        // Ten keys that collide, then the same ten again and again.
        let mut costs = vec![(1, 64), (2, 85), (3, 112), (8, 260)];
        costs.extend([10, 12, 15, 20, 30, 40, 50, 70, 100, 150].map(|n| (n, 36 * n + 134)));
        let points: Vec<Point> = costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect();
        let found = fit(&points);
        assert!(found.is_exact(), "{}", found.summary());
        assert!(rises_to_its_rule(&points, &found));
    }

    #[test]
    fn n_log_n_does_not_flatten() {
        let sizes = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300];
        let cost = |n: u64| 18 * n * u64::from(n.ilog2()) + 40 * n + n % 7;
        assert!(!flattens(&sizes.map(|n| (n, cost(n)))));
    }

    #[test]
    fn a_jump_in_the_last_octave_is_no_growth() {
        // Insertion up to 20, n log n up to 300, and what a search happened to find beyond.
        let mut costs: Vec<(u64, u64)> = (1..=20).map(|n| (n, n * n + 1)).collect();
        costs.extend([(25, 582), (30, 758), (40, 1239), (50, 1582), (70, 2052), (100, 3161)]);
        costs.extend([(150, 4330), (200, 6279), (300, 9197)]);
        costs.extend([(400, 20_488), (500, 27_235), (700, 40_964)]);
        assert!(is_late(&costs));
    }

    #[test]
    fn a_square_behind_a_line_shows_as_soon_as_it_is_met() {
        let sizes = [8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300];
        let costs = sizes.map(|n| (n, 60 * n + 6 * n * n / 5 + n % 7));
        assert!(!is_late(&costs));
    }
}
