//! From exact costs to a formula and a complexity class.
//!
//! [`fit`] takes the worst cost per size. It first looks for an exact rule (polynomials and
//! quasi-polynomials, formulas with ⌊lg n⌋, divide-and-conquer and step-by-step recurrences,
//! exponentials, factorials) and believes one only if it also predicts sizes it was not made
//! from. Otherwise it estimates a class by regression, and says by how much the next best
//! class is worse. [`compare_to_bound`] answers whether the costs grow faster than they may.
//!
//! ```
//! use pessimum_fit::{fit, Class, Point};
//! let points: Vec<Point> = [1, 2, 3, 4, 5, 10, 20]
//!     .map(|n| Point::exact(n, n * (n - 1) / 2))
//!     .to_vec();
//! let fit = fit(&points);
//! assert_eq!(fit.class, Some(Class::Quadratic));
//! assert_eq!(
//!     fit.summary(),
//!     "1/2*n^2 - 1/2*n   O(n^2)   exact, checked at n = 4, 5, 10, 20"
//! );
//! ```

mod class;
mod exact;
mod outcome;
mod points;
mod rational;
mod regress;
mod summary;
mod verdict;

pub use class::{Class, UnknownClass};
pub use outcome::{Basis, Candidate, Confidence, Fit, Residual, fit};
pub use points::Point;
pub use rational::Rational;
pub use verdict::{Verdict, compare_to_bound};
