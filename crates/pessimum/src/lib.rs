//! The library behind the `pessimum` command: the same jobs for Rust programs and tests.
//!
//! A test that depends on it needs neither the command line nor the page, and builds 30 crates less:
//!
//! ```toml
//! [dev-dependencies]
//! pessimum = { version = "0.1", default-features = false }
//! ```
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
//!
//! A complexity assertion holds on a proven or validated answer. It fails on a lower bound: inputs that
//! were found rule out no worse ones.
//!
//! ```
//! use pessimum::{Analysis, Class, Merge, Program, Standing};
//!
//! let module = include_bytes!("../examples/insertion_sort.wasm");
//! let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
//! let proven = Analysis::of(program.clone()).sizes([8, 12, 16, 20]).run()?;
//! assert_eq!(proven.at_most(Class::Quadratic), Standing::Within);
//! assert_eq!(proven.at_most(Class::NLogN), Standing::Worse);
//!
//! // Without proofs, and by a policy that two sizes cannot validate, the same assertion would fail.
//! let reached = Analysis::of(program).merge(Merge::Off).train(1..=2).sizes([8, 12, 16, 20]).run()?;
//! assert!(matches!(reached.at_most(Class::Quadratic), Standing::Open(_)));
//! # Ok::<(), pessimum::Error>(())
//! ```

#[cfg(feature = "page")]
mod examples;

#[cfg(feature = "page")]
pub use examples::{EXAMPLES, Example};
pub use pessimum_campaign::{
    Analysis, AnalysisResult, BadLine, Baseline, Claim, Confirmer, Cut, Doubt, Elsewhere, Error,
    Evidence, Exploration, JobId, JobRan, Jobs, JobsTally, JobsWanted, Judgement, LearnedPolicy,
    Method, Mismatch, PartFound, Parts, PartsWanted, Passing, PolicyChoice, Program, Requirement,
    Sites, SizeClaim, SizeElsewhere, Stage, Standing, Target, check, comparable, diff,
    explore_size, judge, parse_dictionary, structure_passed, write_whole,
};
pub use pessimum_clock::Deadline;
pub use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Let, Sizes};
pub use pessimum_explore::{Budget, Merge, Progress};
pub use pessimum_fit::Class;
#[cfg(feature = "page")]
pub use pessimum_illustrate::{
    BlockPlaces, Drawing, SourceText, Visits, changed_places, hotspot, illustrate, policy_graphs,
};
pub use pessimum_learn::HistoryLimit;
pub use pessimum_report::document;
