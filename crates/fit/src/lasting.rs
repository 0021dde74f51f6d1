//! Whether growth lasts to the last size.

use crate::points::Point;
use pessimum_law::Class;

/// Whether costs that are said to grow as a class still do so in their last octave: at half the pace at least that they ought
/// to have there, going by all of them. What fills a table or a window grows like anything until it is full.
///
/// The pace is that of the cost per unit of size (up to a line, of the cost itself) with the logarithm of the size.
///
/// ```
/// use pessimum_fit::{Class, Point, lasts};
/// let costs = |cost: fn(u64) -> u64| -> Vec<Point> {
///     (0..=16).map(|k| 1000 << (k / 4) | 250 * (k % 4)).map(|n| Point::reached(n, cost(n))).collect()
/// };
/// assert!(lasts(&costs(|n| n * n + 100 * n), Class::Quadratic));
/// assert!(lasts(&costs(|n| n * u64::from(n.ilog2())), Class::NLogN));
/// // A window that is full at n = 4,000.
/// assert!(!lasts(&costs(|n| n * n.min(4000)), Class::Quadratic));
/// ```
pub fn lasts(points: &[Point], class: Class) -> bool {
    let Some(largest) = points.iter().map(|p| p.n).max() else { return false };
    let ln_unit = |n: f64| if class > Class::Linear { n.ln() } else { 0.0 };
    // Of the greatest value, so that no class is beyond numbers.
    let expected = |n: f64| {
        let ln = |n: f64| class.ln_growth(n) - ln_unit(n);
        (ln(n) - ln(largest as f64)).exp()
    };
    let pace = |from: u64, value: &dyn Fn(&Point) -> f64| {
        let part = points.iter().filter(|p| p.n >= from.max(1));
        slope(part.map(|p| ((p.n as f64).log2(), value(p))))
    };
    let found = |p: &Point| p.cost as f64 / ln_unit(p.n as f64).exp();
    let expected = |p: &Point| expected(p.n as f64);
    let paces = |value: &dyn Fn(&Point) -> f64| Some((pace(0, value)?, pace(largest / 2, value)?));
    let (Some((all, last)), Some((all_expected, last_expected))) =
        (paces(&found), paces(&expected))
    else {
        return false;
    };
    class == Class::Constant || all > 0.0 && 2.0 * last * all_expected >= last_expected * all
}

/// The slope of the line that is nearest to the values; `None` of fewer than three.
fn slope(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let values: Vec<(f64, f64)> = values.collect();
    if values.len() < 3 {
        return None;
    }
    let mean =
        |part: fn(&(f64, f64)) -> f64| values.iter().map(part).sum::<f64>() / values.len() as f64;
    let (x, y) = (mean(|v| v.0), mean(|v| v.1));
    let (mut up, mut along) = (0.0, 0.0);
    for value in &values {
        up += (value.0 - x) * (value.1 - y);
        along += (value.0 - x).powi(2);
    }
    Some(up / along)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(cost: impl Fn(f64) -> f64) -> Vec<Point> {
        let size = |k: u32| (512.0 * 2f64.powf(f64::from(k) / 4.0)) as u64 | 1;
        (0..=16).map(size).map(|n| Point::reached(n, cost(n as f64) as u64)).collect()
    }

    #[test]
    fn what_goes_on_lasts_whatever_is_beside_it() {
        for beside in [0.0, 30.0, 300.0] {
            let of = |main: fn(f64) -> f64| costs(|n| main(n) + beside * n + beside);
            assert!(lasts(&of(|n| n * n.log2()), Class::NLogN), "n log n beside {beside} n");
            assert!(lasts(&of(|n| n.powf(1.5)), Class::Power(1.5)), "n^1.5 beside {beside} n");
            assert!(lasts(&of(|n| n * n / 3.0), Class::Quadratic), "n^2 beside {beside} n");
            assert!(lasts(&of(|n| n.powi(3)), Class::Cubic), "n^3 beside {beside} n");
            assert!(lasts(&of(|n| 7.0 * n), Class::Linear), "n beside {beside} n");
        }
        assert!(lasts(&costs(|n| n.log2() * 1e6), Class::Log));
        assert!(lasts(&costs(|_| 5.0), Class::Constant));
    }

    #[test]
    fn what_ends_an_octave_before_does_not_last() {
        let full = 4096.0;
        assert!(!lasts(&costs(|n| 40.0 * n + n * n.min(full).log2()), Class::NLogN));
        assert!(!lasts(&costs(|n| 40.0 * n + n * n.min(full)), Class::Quadratic));
        assert!(!lasts(&costs(|n| 40.0 * n.min(full)), Class::Linear));
        assert!(!lasts(&costs(|n| 1e6 - n), Class::Linear), "costs that fall");
    }

    #[test]
    fn a_few_sizes_show_nothing() {
        let few = [Point::reached(10, 100), Point::reached(1000, 1_000_000)];
        assert!(!lasts(&few, Class::Quadratic));
        assert!(!lasts(&[], Class::Constant));
    }
}
