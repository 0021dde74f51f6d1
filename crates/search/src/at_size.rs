//! A program at one size.

use pessimum_entry::InputValues;
use pessimum_explore::run_concrete;
use pessimum_machine::{End, LoadError, Machine, Module, Setup};
use std::sync::Arc;

/// A program at one size: what every run of it starts from. It is made once per size.
#[derive(Clone, Debug)]
pub struct AtSize {
    /// The size; where another size than `n` grows, that one.
    pub n: u64,
    /// The module, priced for a cost model.
    pub module: Arc<Module>,
    /// How it is entered at this size.
    pub setup: Setup,
}

impl AtSize {
    /// Runs one input in our own machine.
    pub fn run(&self, input: InputValues) -> Result<(End, Machine), LoadError> {
        run_concrete(&self.module, &self.setup, input, |_| ())
    }
}
