//! The library behind the `pessimum` command: the same jobs for Rust programs and tests.
//!
//! ```no_run
//! use pessimum::{Analysis, Program};
//!
//! let bytes = std::fs::read("sort.wasm")?;
//! let program = Program::new("sort.wasm", bytes)?.call("sort(&i32[n], n)")?;
//! let result = Analysis::of(program).sizes([10, 30, 100]).run()?;
//! assert_eq!(result.class().map(|c| c.to_string()).as_deref(), Some("n^2"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
mod candidates;
mod check;
mod climb;
mod confirm;
mod error;
mod exploration;
mod findings;
mod graph;
mod kept;
mod orders;
mod over;
mod page;
mod policy;
mod profile;
mod program;
mod sample;
mod search;
mod sites;
mod source_text;
mod stretch;
mod train;

pub use analysis::{Analysis, AnalysisResult, PolicyChoice, Stage};
pub use check::{Requirement, check};
pub use confirm::Confirmer;
pub use error::Error;
pub use exploration::{Exploration, explore_size};
pub use graph::{Visits, policy_graphs};
pub use kept::write_whole;
pub use page::illustrate;
pub use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Let, Sizes};
pub use pessimum_explore::{Budget, Progress};
pub use pessimum_fit::Class;
pub use pessimum_learn::HistoryLimit;
pub use pessimum_report::document;
pub use policy::LearnedPolicy;
pub use profile::hotspot;
pub use program::Program;
pub use sites::Sites;
pub use source_text::SourceText;
