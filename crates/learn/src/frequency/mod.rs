//! How often worst paths make each open decision (named as future work by the SPF-WCA paper).
//!
//! A policy may leave a site undecided although the worst paths of every size choose one side
//! there, say, exactly n − 1 times. Once a path has made those n − 1 choices it can make no more
//! and stay on the pattern: the other side is resolved.

mod counter;
mod formula;
mod polynomial;
mod relation;

pub use counter::FrequencyCounter;
pub use formula::Formula;
pub use polynomial::Polynomial;
pub use relation::{FrequencyInvariants, Relation};
