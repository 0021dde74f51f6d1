//! A program at one size.

use pessimum_clock::Deadline;
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
    /// When a run ends in any case.
    pub until: Deadline,
}

impl AtSize {
    /// Runs one input in our own machine.
    pub fn run(&self, input: InputValues) -> Result<(End, Machine), LoadError> {
        self.run_prepared(input, |_| ())
    }

    /// The same program, whose runs are stopped after so many instructions, or when the time is over.
    pub(crate) fn limited(&self, instructions: u64, budget: &Budget) -> AtSize {
        let mut at = self.clone();
        at.until.clone_from(&budget.deadline);
        let limit = &mut at.setup.limits.instructions;
        *limit = (*limit).min(instructions);
        at
    }

    /// The same, and counts how often each block runs.
    pub(crate) fn run_profiled(&self, input: InputValues) -> Result<(End, Machine), LoadError> {
        self.run_prepared(input, Machine::profile_blocks)
    }

    fn run_prepared(
        &self,
        input: InputValues,
        prepare: impl FnOnce(&mut Machine),
    ) -> Result<(End, Machine), LoadError> {
        run_concrete(&self.module, &self.setup, input, |machine| {
            machine.limit_time(&self.until);
            prepare(machine);
        })
    }
}
