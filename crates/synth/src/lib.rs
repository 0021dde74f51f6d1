//! The path condition of a size that was never executed.
//!
//! This is XSTRESSOR's idea (Saumya, Koo, Kulkarni, Bagchi: ICST 2019). The worst paths of small sizes
//! are walked again ([`Trace`]) and every constraint is cut into its form and its numbers, bracketed by
//! the loops around it. How the numbers run through the loops is inferred as an expression of a small
//! grammar ([`SequenceGenerator`], [`infer`]) whose own numbers are functions of n ([`Param`]). A
//! [`Model`] then writes the constraints of any size down as a stream, solves them once, and says what
//! the input should cost. *Architecture invariant*: a model predicts; whoever reports its inputs has run
//! them.
//!
//! - [`train_and_model`] does the whole job for a program.
//! - [`Model::learn`] starts from worst paths that someone else has found.

mod compile;
mod describe;
mod family;
mod generator;
mod infer;
mod inputs;
mod model;
mod param;
mod path;
mod solve;
mod synthesis;
mod template;
mod trace;
mod train;

pub use generator::{Run, SequenceGenerator, Stream};
pub use infer::{Nest, infer};
pub use model::{Model, SizePaths, WhyNot};
pub use param::Param;
pub use synthesis::SynthesisError;
pub use trace::{Cause, Trace, TraceError};
pub use train::{TrainOptions, train_and_model, worst_paths};
