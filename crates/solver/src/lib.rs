//! Is this path condition satisfiable, and by what? A chain of ever stronger solvers.

pub mod linear;
