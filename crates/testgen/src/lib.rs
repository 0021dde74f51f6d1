//! Random whole programs with small domains, and the truth about them by brute force.
//!
//! [`random_program`] makes a module from a seed, with inputs of mixed widths whose domains are so
//! small that every input can be run. [`Truth::of`] runs them all in the independent engine.
//! [`compare`] explores the program and holds what was found against that. It is what a walk of the
//! tree must agree with, whichever way it walks: the tests and the soak use the same three
//! functions.
//!
//! ```
//! let program = pessimum_testgen::random_program(7);
//! let truth = pessimum_testgen::Truth::of(&program).expect("it can be run");
//! assert_eq!(truth.runs.len(), program.inputs().len());
//! pessimum_testgen::compare(&program, &truth).expect("no disagreement");
//! ```

mod compare;
mod generator;
mod merged;
mod rng;
mod truth;

pub use compare::{Compared, compare, compare_outcome, plan};
pub use generator::{Program, random_program};
pub use merged::compare_merged;
pub use truth::{Run, Truth};
