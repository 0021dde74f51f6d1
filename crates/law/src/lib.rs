//! Exact laws of sequences, and the bits it takes to state them.
//!
//! A sequence is a list of [`Sample`]s: a size and an integer there, sizes ascending. [`search`]
//! finds the laws that some stretch of it obeys without a miss: polynomials, quasi-polynomials
//! and floors, formulas with ⌊lg n⌋ and ⌊√n⌋, exponentials, factorials, recurrences that halve
//! and recurrences that step by one. Any k numbers lie on a law with k unknowns, so to meet them
//! is no evidence. Each law comes with its length in bits ([`bits`]); a law is worth what it
//! explains beyond that, and the caller weighs the two. Where there are five or six numbers and no
//! question of growth, [`short`] has the simplest formula that some of them confirm.
//!
//! ```
//! use pessimum_law::{search, Class, Sample};
//! let samples: Vec<Sample> = (1..=12).map(|n| Sample { n, value: n as i128 * (n as i128 - 1) / 2 }).collect();
//! let best = search(&samples).into_iter().find(|d| d.until == samples.len()).unwrap();
//! assert_eq!(best.law.to_string(), "1/2*n^2 - 1/2*n");
//! assert_eq!(best.law.class(), Class::Quadratic);
//! assert_eq!(best.law.at(1000), Some(499_500));
//! ```

pub mod bits;
mod class;
mod closed;
mod field;
mod halving;
mod linear;
mod rational;
mod search;
pub mod short;
mod term;

pub use class::{Class, NAMED, UnknownClass};
pub use rational::Rational;
pub use search::{Description, Law, search};
pub use term::Combination;

/// One size and the integer there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The size.
    pub n: u64,
    /// The integer.
    pub value: i128,
}
