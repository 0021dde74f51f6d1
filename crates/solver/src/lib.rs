//! Is this path condition satisfiable, and by what? A chain of ever stronger solvers.

mod afresh;
mod answer;
mod atom;
pub mod blast;
mod compound;
mod difference;
pub mod linear;
mod linearize;
mod solver;
mod strong;
#[cfg(feature = "z3")]
pub mod z3;

pub use afresh::solve_afresh;
pub use answer::{Answer, Reason};
pub use linear::Work;
pub use solver::{Config, Mark, Solver, Stats};
