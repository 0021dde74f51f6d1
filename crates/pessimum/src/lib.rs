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

mod graph;
mod page;
mod profile;
mod source_text;

pub use graph::{Visits, policy_graphs};
pub use page::illustrate;
pub use pessimum_campaign::{
    Analysis, AnalysisResult, Confirmer, Error, Exploration, LearnedPolicy, PolicyChoice, Program,
    Requirement, Sites, Stage, check, explore_size, write_whole,
};
pub use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Let, Sizes};
pub use pessimum_explore::{Budget, Merge, Progress};
pub use pessimum_fit::Class;
pub use pessimum_learn::HistoryLimit;
pub use pessimum_report::document;
pub use profile::hotspot;
pub use source_text::SourceText;
