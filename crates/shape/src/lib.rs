//! Structures from recursive predicates.
//!
//! A predicate is an exported function that takes a pointer to a structure, says whether it is
//! valid, and calls itself on the parts of it. From that alone every valid structure of a size is
//! generated, bottom-up, from the valid structures of smaller sizes (Nokhbeh Zaeem and Khurshid,
//! FSE 2012): DP, LazyDP and SymboLazyDP.
//!
//! How it goes together:
//! * the layout of the structure comes from debug information (`dwarf`, `layout`, `domain`);
//! * structures are arrays of integers (`store`); the machine never has them in its memory, it asks
//!   for each field it loads (`predicate_run`);
//! * what a predicate asked, and what followed from each answer, is kept as a tree (`trie`), so
//!   that most candidates are judged by looking up a few integers (`walk`) and the machine runs
//!   only where no candidate has been before;
//! * fields may stay symbolic: a path then leaves rules between them (`rule`), which a solver for
//!   small finite domains decides, counts and enumerates (`finite`, `instance`).
//!
//! *Architecture invariant*: `plain`, the DP of the paper, shares nothing with the rest but the
//! layout: it executes the predicate on every candidate in memory, and the tests compare.

mod domain;
mod dwarf;
mod engine;
mod error;
mod finite;
mod generate;
mod generator;
mod image;
mod instance;
mod layout;
mod path;
mod plain;
mod plan;
mod predicate_run;
mod probe;
mod random;
mod record;
mod render;
mod rule;
mod signatures;
mod store;
mod structure;
mod symbolic;
mod target_inputs;
mod trie;
mod walk;

pub use domain::DomainSpec;
pub use error::ShapeError;
pub use generator::{Algorithm, Drawn, Generated, Generator};
pub use image::Image;
pub use layout::{Field, FieldType, Kind, KindId, Layout, Link};
pub use record::record;
pub use signatures::signatures;
pub use structure::{Node, Structure};
pub use symbolic::{OpenField, SymbolicStructure, ValidStructures};

/// The names of an exported function's parameters, from debug information; none without.
pub fn parameter_names(module: &[u8], function: &str) -> Vec<String> {
    dwarf::DebugInfo::read(module).parameter_names(function)
}

/// The types of a function's parameters as C writes them, from debug information: `int`, `const char *`. `None` for one
/// that is neither a number nor a pointer to some; nothing at all where it does not know the function.
pub fn c_types(module: &[u8], function: &str) -> Vec<Option<String>> {
    dwarf::DebugInfo::read(module).c_types(function)
}
