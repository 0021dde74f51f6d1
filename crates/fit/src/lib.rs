//! From costs to a formula and a complexity class.
//!
//! [`growth()`] scores every class by the bits it takes to describe the costs with it: by an exact law
//! (`pessimum-law`) or by a curve and what it misses. A class is claimed when its description is shorter
//! than every other by one stated bound ([`DECISIVE`]), else the classes that are left are named.
//! [`at_least`] does the same for the costs of one family of inputs. [`fit`] puts it into the document of
//! the contract.
//!
//! ```
//! use pessimum_fit::{fit, Class, Point};
//! let points: Vec<Point> = [1, 2, 3, 4, 5, 8, 9, 10, 20]
//!     .map(|n| Point::exact(n, n * (n - 1) / 2))
//!     .to_vec();
//! let fit = fit(&points);
//! assert_eq!(fit.class, Some(Class::Quadratic));
//! assert_eq!(fit.formula.as_deref(), Some("1/2*n^2 - 1/2*n"));
//! assert!(fit.is_exact());
//! assert_eq!(fit.checked_at, [3, 4, 5, 8, 9, 10, 20]);
//! ```

mod curve;
mod form;
mod growth;
mod lasting;
mod outcome;
mod outside;
mod points;

pub use growth::{DECISIVE, Growth, at_least, growth, has_law, has_law_with, is_near};
pub use lasting::lasts;
pub use outcome::{Candidate, Confidence, Fit, Residual, fit, fit_family};
pub use pessimum_law::{Class, Law, Rational, UnknownClass};
pub use points::Point;
