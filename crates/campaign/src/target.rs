//! A program compiled for one cost model, with its set-up for each size, which is kept.

use crate::error::Error;
use crate::program::Program;
use pessimum_clock::Deadline;
use pessimum_entry::CostModel;
use pessimum_explore::{Options, Plan, side_by_side};
use pessimum_machine::{Module, Structures};
use pessimum_search::AtSize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A program and its module, priced for a cost model. What a run of a size starts from is made once.
#[derive(Debug)]
pub struct Target {
    program: Program,
    module: Arc<Module>,
    sizes: Mutex<BTreeMap<u64, Arc<AtSize>>>,
    until: Deadline,
    workers: usize,
}

impl Target {
    /// A program for which `cost` is counted.
    pub fn new(program: Program, cost: &CostModel) -> Result<Target, Error> {
        let module = program.module(cost)?;
        let (sizes, until) = (Mutex::default(), Deadline::NEVER);
        Ok(Target { program, module, sizes, until, workers: 1 })
    }

    /// The same; what does not depend on each other is done on so many threads.
    #[must_use]
    pub fn on(self, workers: usize) -> Target {
        Target { workers: workers.max(1), ..self }
    }

    /// The same; no run of a single input goes on beyond that.
    #[must_use]
    pub fn until(self, until: Deadline) -> Target {
        Target { until, ..self }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Does jobs that do not depend on each other on as many threads as there are; what each gave, in order.
    pub(crate) fn each<T: Send>(&self, jobs: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
        side_by_side(self.workers, jobs, job)
    }

    /// Threads there are.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// The program at size `n`.
    pub fn at(&self, n: u64) -> Result<Arc<AtSize>, Error> {
        let known = || self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known().get(&n) {
            return Ok(Arc::clone(at));
        }
        let setup = self.program.setup(n)?;
        let (module, until) = (Arc::clone(&self.module), self.until.clone());
        let at = Arc::new(AtSize::new(n, module, setup, until));
        known().insert(n, Arc::clone(&at));
        Ok(at)
    }

    /// What an exploration of size `n` walks through; the budget of `options` bounds the search for
    /// structures, too.
    pub fn plan(&self, n: u64, options: Options, workers: usize) -> Result<Plan, Error> {
        let AtSize { module, mut setup, .. } = (*self.at(n)?).clone();
        setup.limits.deadline.clone_from(&options.budget.deadline);
        let over = match self.program.structures()? {
            None => None,
            Some(source) => Some(source.structures(n, &options.budget)? as Arc<dyn Structures>),
        };
        Ok(Plan { module, setup, over, options, workers })
    }
}
