//! Costly inputs found by running, where policies cannot be learned or fall short.
//!
//! - [`Mutator`] keeps the costliest inputs of every size. It stretches those of smaller sizes, puts
//!   arrays into plain orders, fills them with values of its [`Dictionary`], and mutates the best.
//!   Keys that a program hashes are sent to one place (`collide.rs`).
//! - [`Pattern`]s are inputs for every size, evolved at small ones and judged by how their cost grows.
//! - [`Family`]: the costs of one recipe at all sizes, from which growth is read.
//! - [`search`] follows one path at a time with terms, by a [`SidePreference`] at every site.
//! - [`nearby`] follows the paths that differ from a known one at a branch or two.
//! - [`sample`] runs random inputs: the baseline that a worst case is compared with.
//!
//! *Architecture invariant*: what is found here is a lower bound. Nothing in this crate says *exact*.

mod ahead;
mod at_size;
mod collide;
mod dictionary;
mod evolve;
mod family;
mod groups;
mod mutate;
mod nearby;
mod orders;
mod pattern;
mod preference;
mod sample;
mod search;
mod stretch;

pub use at_size::AtSize;
pub use dictionary::{BadLine, Dictionary, parse_dictionary};
pub use evolve::Evolved;
pub use family::{Beyond, Explaining, Families, Family, FamilyRecipe, Remainder};
pub use mutate::{Aim, Effort, Ends, INSTRUCTIONS_PER_SECOND, Mutator, START, Searched};
pub use nearby::{Nearby, nearby};
pub use orders::Order;
pub use pattern::Pattern;
pub use preference::{SidePreference, SidePreferences};
pub use sample::{Sample, Sampling, sample};
pub use search::{SearchPlan, search};
pub use stretch::Recipe;
