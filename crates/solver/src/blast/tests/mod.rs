//! The blaster against the evaluator and against brute force.

mod against_brute_force;
mod every_operation;
mod floats;
mod incremental;
pub(crate) mod random;
