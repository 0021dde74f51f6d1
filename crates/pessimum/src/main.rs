//! The `pessimum` command.
fn main() {}
