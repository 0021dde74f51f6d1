//! The path condition of a size that was never executed.
