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
    let walk = |options: Options| -> Result<(Outcome, O), LoadError> {
        let mut arena = Arena::new();
        let machine = Machine::start(&plan.module, &plan.setup, Inputs::Symbolic, &mut arena)?;
        Ok(Explorer::new(machine, arena, guide, observer(), options).run())
    };
    on_big_stack(|| {
        if plan.workers <= 1 || plan.options.budget.paths.is_some() {
            let (outcome, observer) = walk(plan.options.clone())?;
            return Ok((outcome, vec![observer]));
        }
        // A shallow walk leaves its subtrees as jobs; the order of the tree is the order of the
        // prefixes, with what the shallow walk finished itself in between.
        let shallow = Options { split_depth: Some(SPLIT_DEPTH), ..plan.options.clone() };
        let (mut outcome, first) = walk(shallow)?;
        let jobs = std::mem::take(&mut outcome.jobs);
        let mut observers = vec![first];
        if jobs.is_empty() {
            return Ok((outcome, observers));
        }
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<Option<Result<(Outcome, O), LoadError>>>> =
            Mutex::new(jobs.iter().map(|_| None).collect());
        std::thread::scope(|scope| {
            for _ in 0..plan.workers.min(jobs.len()) {
                let builder = std::thread::Builder::new().stack_size(STACK);
                let spawned = builder.spawn_scoped(scope, || {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(prefix) = jobs.get(i) else { break };
                        let options = Options { prefix: prefix.clone(), ..plan.options.clone() };
                        let result = walk(options);
                        done.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(result);
                    }
                });
                // Without a thread the others do its share.
                let _ = spawned;
            }
        });
        let results = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        for result in results.into_iter().flatten() {
            let (part, observer) = result?;
            outcome.merge(part, plan.options.max_tests);
            observers.push(observer);
        }
        Ok((outcome, observers))
    })
}

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
