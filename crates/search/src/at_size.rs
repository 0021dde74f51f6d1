//! A program at one size.

use crate::mutate::INSTRUCTIONS_PER_SECOND;
use pessimum_entry::InputValues;
use pessimum_explore::{Budget, run_concrete};
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

    /// The same program, whose runs are stopped after so many instructions, or when they would last beyond the
    /// deadline by the speed that is reckoned with.
    pub(crate) fn limited(&self, instructions: u64, budget: &Budget) -> AtSize {
        let mut at = self.clone();
        let by_time = budget.deadline.left().map_or(u64::MAX, |left| {
            (left.as_millis() as u64).max(1).saturating_mul(INSTRUCTIONS_PER_SECOND / 1000)
        });
        let limit = &mut at.setup.limits.instructions;
        *limit = (*limit).min(instructions).min(by_time);
        at
    }

    /// The same, and counts how often each block runs.
    pub(crate) fn run_profiled(&self, input: InputValues) -> Result<(End, Machine), LoadError> {
        run_concrete(&self.module, &self.setup, input, Machine::profile_blocks)
    }
}
