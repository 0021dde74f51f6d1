//! Branch policies in the manner of WISE (Burnim, Juvekar, Sen: ICSE 2009, sections 4 to 6).
//!
//! Exploration of a small size is summarised on the fly: a [`WiseTracker`] follows the
//! depth-first walk, a [`WiseCollector`] takes one note per leaf, and the [`WiseSummary`] that
//! results is all that [`find_good_generator`] needs. No path is ever stored.

mod generator;
mod policy;
mod summary;
mod tracker;

pub use generator::{
    Generator, GeneratorOptions, find_good_generator, find_good_generator_with, tied_generators,
};
pub use policy::{BranchPolicy, Level, least_policy};
pub use summary::{Tally, WiseCollector, WiseSummary};
pub use tracker::{Mark, WiseTracker};
