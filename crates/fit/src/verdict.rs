//! Do the costs grow faster than they may?

use serde::Serialize;

use crate::class::Class;
use crate::outcome::fit;
use crate::points::{Point, samples};
use crate::regress;

/// The answer of [`compare_to_bound`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The costs grow no faster than the bound.
    Within {
        /// The class they have.
        class: Class,
        /// Does that rest on an exact formula?
        exact: bool,
    },
    /// They grow faster.
    Worse {
        /// The class they have.
        class: Class,
        /// Does that rest on an exact formula?
        exact: bool,
        /// Error of that class at sizes left out.
        error: f64,
        /// Error of the best class within the bound; `None` if exactness settled it.
        bound_error: Option<f64>,
    },
    /// The costs do not say.
    CannotTell {
        /// Why.
        reason: String,
    },
}

/// A fit is better only if it is better by more than this many times its own error.
const MARGIN: f64 = 2.0;

/// Compares the growth of the costs with a bound.
///
/// *Worse* needs a best class above the bound that fits better than anything within the bound
/// by more than twice its leave-out error. *Within* is as strict the other way round: a class
/// above the bound that fits nearly as well makes the answer [`Verdict::CannotTell`].
///
/// ```
/// use pessimum_fit::{compare_to_bound, Class, Point, Verdict};
/// let points: Vec<Point> = (1..=8).map(|n| Point::exact(n, 3 * n * n)).collect();
/// assert!(matches!(compare_to_bound(&points, &Class::NLogN), Verdict::Worse { exact: true, .. }));
/// assert!(matches!(compare_to_bound(&points, &Class::Cubic), Verdict::Within { exact: true, .. }));
/// assert!(matches!(compare_to_bound(&points[..3], &Class::Cubic), Verdict::CannotTell { .. }));
/// ```
pub fn compare_to_bound(points: &[Point], bound: &Class) -> Verdict {
    let fit = fit(points);
    let (Some(class), Some(best)) = (fit.class, fit.candidates.first()) else {
        let reason = fit.summary();
        return Verdict::CannotTell { reason };
    };
    if fit.is_exact() {
        return if class > *bound {
            Verdict::Worse { class, exact: true, error: 0.0, bound_error: None }
        } else {
            Verdict::Within { class, exact: true }
        };
    }
    if best.error > 0.25 {
        let reason =
            format!("no class fits: the best, {class}, is off by {:.0} %", 100.0 * best.error);
        return Verdict::CannotTell { reason };
    }
    // Whatever lies within the bound speaks for it, the bound itself included.
    let mut fitted = samples(points);
    fitted.retain(|s| fit.holds_from.is_none_or(|from| s.n >= from));
    let own = regress::of_class(*bound, &fitted).map(|f| f.error);
    let least = |above: bool| {
        fit.candidates
            .iter()
            .filter(|c| (c.class > *bound) == above)
            .map(|c| c.error)
            .min_by(f64::total_cmp)
    };
    let within = [least(false), own].into_iter().flatten().min_by(f64::total_cmp);
    let decisive = |other: Option<f64>| other.is_none_or(|e| e - best.error > MARGIN * best.error);
    match class > *bound {
        true if decisive(within) => {
            Verdict::Worse { class, exact: false, error: best.error, bound_error: within }
        }
        false if decisive(least(true)) => Verdict::Within { class, exact: false },
        above => Verdict::CannotTell {
            reason: format!(
                "{class} fits best, but a class {} {bound} fits nearly as well",
                if above { "within" } else { "above" }
            ),
        },
    }
}
