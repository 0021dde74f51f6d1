//! The whole job for one size: set up, walk, on as many threads as asked.

use crate::explorer::{Explorer, Options};
use crate::observer::Observer;
use crate::outcome::Outcome;
use pessimum_entry::InputValues;
use pessimum_learn::Guide;
use pessimum_machine::{End, Inputs, LoadError, Machine, Module, Setup, Stop};
use pessimum_term::Arena;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Deep terms are handled by recursion; threads get room for it.
const STACK: usize = 512 << 20;

/// What to explore.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program.
    pub module: Arc<Module>,
    /// How it is entered.
    pub setup: Setup,
    /// How to walk.
    pub options: Options,
    /// Threads.
    pub workers: usize,
}

/// Explores one size. Each part of the tree gets an observer from `observer`; they come back in
/// the order of the tree. The result does not depend on the number of workers.
pub fn explore<G, O>(
    plan: &Plan,
    guide: &G,
    observer: impl Fn() -> O + Sync,
) -> Result<(Outcome, Vec<O>), LoadError>
where
    G: Guide + Sync,
    O: Observer + Send,
{
    let explorer = |options: Options| -> Result<Explorer<'_, G, O>, LoadError> {
        let mut arena = Arena::new();
        let machine = Machine::start(&plan.module, &plan.setup, Inputs::Symbolic, &mut arena)?;
        Ok(Explorer::new(machine, arena, guide, observer(), options))
    };
    on_big_stack(|| {
        if plan.workers <= 1 || plan.options.budget.paths.is_some() {
            let (outcome, observer) = explorer(plan.options.clone())?.run();
            return Ok((outcome, vec![observer]));
        }
        // A shallow walk leaves its subtrees as jobs.
        let shallow = Options { split_depth: Some(SPLIT_DEPTH), ..plan.options.clone() };
        let (jobs, last, first) = explorer(shallow)?.run_parts();
        let mut observers = vec![first];
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<Option<Part<O>>>> = Mutex::new(jobs.iter().map(|_| None).collect());
        std::thread::scope(|scope| {
            for _ in 0..plan.workers.min(jobs.len()) {
                let builder = std::thread::Builder::new().stack_size(STACK);
                let spawned = builder.spawn_scoped(scope, || {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(i) else { break };
                        let options =
                            Options { prefix: job.prefix.clone(), ..plan.options.clone() };
                        let result = explorer(options).map(Explorer::run);
                        done.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(result);
                    }
                });
                // Without a thread the others do its share.
                let _ = spawned;
            }
        });
        // Merged in the order of the tree, whoever was done first.
        let results = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut outcome = Outcome::new();
        for (job, result) in jobs.into_iter().zip(results) {
            outcome.merge(job.before, plan.options.max_tests);
            match result {
                Some(result) => {
                    let (part, observer) = result?;
                    outcome.merge(part, plan.options.max_tests);
                    observers.push(observer);
                }
                // No thread could be had for it.
                None => outcome.complete = false,
            }
        }
        outcome.merge(last, plan.options.max_tests);
        Ok((outcome, observers))
    })
}

/// What a worker found in a subtree.
type Part<O> = Result<(Outcome, O), LoadError>;

/// Open decisions above which one thread walks alone.
const SPLIT_DEPTH: u32 = 7;

/// Runs the program on one concrete input.
pub fn run_concrete(
    module: &Arc<Module>,
    setup: &Setup,
    input: InputValues,
    prepare: impl FnOnce(&mut Machine),
) -> Result<(End, Machine), LoadError> {
    let mut arena = Arena::new();
    let mut machine = Machine::start(module, setup, Inputs::Concrete(input), &mut arena)?;
    prepare(&mut machine);
    match machine.run(&mut arena) {
        Stop::End(end) => Ok((end, machine)),
        other => Err(LoadError::Unsupported { what: format!("{other:?} on a concrete input") }),
    }
}

fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, work) {
            Ok(handle) => match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(_) => unreachable!("a thread can be made at the start of a job"),
        }
    })
}
