//! Do the costs grow faster than they may?

use serde::Serialize;

use crate::growth::{DECISIVE, as_exact, judged};
use crate::outcome::either;
use crate::points::Point;
use pessimum_law::Class;

/// The answer of [`compare_to_bound`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The costs grow no faster than the bound.
    Within {
        /// The greatest class that is left.
        class: Class,
        /// Does that rest on an exact formula?
        exact: bool,
    },
    /// They grow faster.
    Worse {
        /// The least class that is left.
        class: Class,
        /// Does that rest on an exact formula?
        exact: bool,
        /// The bits that it saves over everything within the bound.
        bits: f64,
    },
    /// The costs do not say.
    CannotTell {
        /// Why.
        reason: String,
    },
}

/// Compares the growth of the costs with a bound, by the bits of [`growth`](crate::growth()).
///
/// *Worse* needs a class above the bound that describes the costs shorter than anything within it, the
/// bound itself included, by [`DECISIVE`] bits. *Within* needs that no class above the bound is left.
///
/// ```
/// use pessimum_fit::{compare_to_bound, Class, Point, Verdict};
/// let points: Vec<Point> = (1..=12).map(|n| Point::exact(n, 3 * n * n)).collect();
/// assert!(matches!(compare_to_bound(&points, &Class::NLogN), Verdict::Worse { exact: true, .. }));
/// assert!(matches!(compare_to_bound(&points, &Class::Cubic), Verdict::Within { exact: true, .. }));
/// assert!(matches!(compare_to_bound(&points[..3], &Class::Cubic), Verdict::CannotTell { .. }));
/// ```
pub fn compare_to_bound(points: &[Point], bound: &Class) -> Verdict {
    // A witnessed excess is one however the shortfalls of a search are read.
    let all_exact = points.iter().all(|p| p.exact);
    let plain = verdict(&as_exact(points), bound);
    match (all_exact, &plain) {
        (false, Verdict::Within { .. } | Verdict::Worse { .. }) => {
            let excused = verdict(points, bound);
            match std::mem::discriminant(&plain) == std::mem::discriminant(&excused) {
                true => plain,
                false => Verdict::CannotTell { reason: EXCUSED.to_owned() },
            }
        }
        _ => plain,
    }
}

/// Where the two readings of a search differ.
const EXCUSED: &str = "what was reached falls short at some sizes, and the answer depends on them";

fn verdict(points: &[Point], bound: &Class) -> Verdict {
    let (growth, own) = judged(points, Some(*bound));
    let (Some(&least), Some(&greatest)) = (growth.left.first(), growth.left.last()) else {
        let reason = format!("{} sizes do not tell one class from another", growth.sizes);
        return Verdict::CannotTell { reason };
    };
    let exact = growth.exact;
    if greatest <= *bound {
        return Verdict::Within { class: greatest, exact };
    }
    let bits = growth.excess(bound, own);
    if least > *bound && bits >= DECISIVE {
        return Verdict::Worse { class: least, exact, bits };
    }
    let reason = match least > *bound {
        true => format!("they grow as {}, but {bound} is not ruled out", either(&growth.left)),
        false => format!("they grow as {}", either(&growth.left)),
    };
    Verdict::CannotTell { reason }
}
