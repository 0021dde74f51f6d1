//! Bit-vector terms: a hash-consed arena, a simplifier, an evaluator and an SMT-LIB printer.
//!
//! A [`TermId`] names a node of an [`Arena`]. Equal terms have equal ids, so comparing two terms
//! is comparing two integers. The arena is a stack: [`Arena::mark`] and [`Arena::undo_to`] drop
//! everything built since a choice point, which keeps memory proportional to the depth of a path.
//!
//! ```
//! use pessimum_term::{Arena, Domain, Op, Width};
//!
//! let mut arena = Arena::new();
//! let x = arena.variable(Width::W32, Domain::full(Width::W32));
//! let one = arena.constant(Width::W32, 1);
//! let up = arena.binary(Op::Add, x, one);
//! let down = arena.binary(Op::Sub, up, one);
//! assert_eq!(down, x, "x + 1 - 1 is x");
//! ```

mod arena;
mod build;
mod eval;
mod fixed;
mod float;
mod fold;
mod inputs;
mod node;
mod range;
mod smtlib;
mod substitute;
mod table;
mod words;

pub use arena::{Arena, Domain, Info, Mark, Only};
pub use eval::Evaluator;
pub use fold::{fold_binary, fold_unary};
pub use node::{Node, Op, TermId, VarId, Width};
pub use range::Range;
pub use smtlib::SmtLib;
pub use table::{LANES, Table, Tables};
