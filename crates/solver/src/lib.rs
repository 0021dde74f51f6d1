//! Is this path condition satisfiable, and by what? A chain of ever stronger solvers.

mod answer;
mod atom;
pub mod blast;
mod difference;
pub mod linear;
mod solver;

pub use answer::{Answer, Reason};
pub use linear::Work;
pub use solver::{Config, Mark, Solver, Stats};
