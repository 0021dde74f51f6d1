//! Is this path condition satisfiable, and by what? A chain of ever stronger solvers.

mod answer;
pub mod blast;
pub mod linear;

pub use answer::{Answer, Reason};
pub use linear::Work;
