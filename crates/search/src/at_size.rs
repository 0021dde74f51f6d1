//! A program at one size.

use pessimum_clock::Deadline;
use pessimum_entry::InputValues;
use pessimum_explore::{Budget, run_again, run_concrete};
use pessimum_machine::{End, LoadError, Machine, Module, Restart, Setup};
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
    /// What runs begin with, where there are many.
    restart: Option<Arc<Restart>>,
}

impl AtSize {
    /// A program at a size.
    pub fn new(n: u64, module: Arc<Module>, setup: Setup, until: Deadline) -> AtSize {
        AtSize { n, module, setup, until, restart: None }
    }

    /// The same program, made ready for many runs.
    pub fn for_many(&self) -> AtSize {
        let restart = Restart::new(&self.module, &self.setup).map(Arc::new);
        AtSize { restart, ..self.clone() }
    }

    /// Says that nobody needs a machine any more.
    pub fn give_back(&self, machine: Machine) {
        if let Some(restart) = &self.restart {
            restart.give_back(machine);
        }
    }

    /// Runs one input in our own machine.
    pub fn run(&self, input: InputValues) -> Result<(End, Machine), LoadError> {
        self.run_prepared(input, |_| ())
    }

    /// The same program, made ready for many runs, which are stopped after so many instructions, or when the time is over.
    pub(crate) fn limited(&self, instructions: u64, budget: &Budget) -> AtSize {
        let mut at = if self.restart.is_some() { self.clone() } else { self.for_many() };
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
        let prepare = |machine: &mut Machine| {
            machine.limit_time(&self.until);
            prepare(machine);
        };
        match &self.restart {
            Some(restart) => run_again(restart, &self.setup, input, prepare),
            None => run_concrete(&self.module, &self.setup, input, prepare),
        }
    }
}
