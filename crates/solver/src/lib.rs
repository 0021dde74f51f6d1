//! Is this path condition satisfiable, and by what? A chain of ever stronger solvers.
//!
//! A [`Solver`] holds a path condition and a model of it. A question goes down the chain until someone
//! can answer:
//!
//! 1. what is literally asserted, or was refuted on this path;
//! 2. the present model, which satisfies the path condition and often the question as well;
//! 3. order and difference logic with finite domains, on an incremental graph whose potentials are that
//!    model; a question with *and* and *or* in it is asked part by part (`compound.rs`);
//! 4. guesses, by inverting the operations of the question (`invert.rs`);
//! 5. linear integers, for the constraints that share variables with the question;
//! 6. all values of the inputs, where floats are computed from few (`trial.rs`);
//! 7. bit-blasting, for the same constraints; then Z3 with the feature `z3`.
//!
//! Two rules keep it sound. *Sat* needs a model evaluated on the original terms, whoever found it: only the
//! room that evaluates (`evaluated.rs`) can make that answer. *Unsat* needs constraints that the theory encodes in full; where a sum
//! might wrap, linear integers only look for models. Everything else is passed on, and what comes out at
//! the end undecided is [`Answer::Unknown`].

mod allow;
mod answer;
mod atom;
pub mod blast;
mod canonical_model;
mod component;
mod compound;
mod difference;
mod escalate;
mod evaluated;
mod explain;
mod facts;
mod fold;
mod hardest;
mod invert;
pub mod linear;
mod linearize;
mod project;
mod solver;
mod trial;
mod vary;
#[cfg(feature = "z3")]
pub mod z3;

pub use answer::{Answer, Reason};
pub use canonical_model::{canonical_model, canonical_model_until, canonical_model_within};
pub use linear::Work;
pub use project::{Closed, Difference, Members, Number, Projection, Simple};
pub use solver::{Config, Mark, Solver, Stats};
