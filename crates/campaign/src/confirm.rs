//! Every reported input is run again by an engine that is not ours.

use crate::error::Error;
use crate::evidence::{Mismatch, Replayed};
use crate::program::Program;
use pessimum_clock::Deadline;
use pessimum_entry::{CostModel, InputValues, TraceDigest};
use pessimum_explore::{PathTest, run_concrete};
use pessimum_machine::{self as machine, Module, Trap};
use pessimum_replay::{End, Input, Instrumented, Limits, ReplayError, Replayer, RunOutcome};
use pessimum_search::AtSize;

/// Runs inputs in the independent engine with counters injected.
pub struct Confirmer {
    replayer: Replayer,
}

impl Confirmer {
    /// For a program and what is counted; `module` is the one priced for it.
    pub fn new(program: &Program, module: &Module) -> Result<Confirmer, Error> {
        let cost = module.cost_model();
        let copy = Instrumented::new(program.bytes(), cost, module.line_points())
            .map_err(|e| Error::Replay(e.to_string()))?;
        // Both engines answer the program's own random source alike.
        let limits = Limits { seed: program.random_seed(), ..Limits::default() };
        let replayer = Replayer::new(&copy, limits).map_err(|e| Error::Replay(e.to_string()))?;
        Ok(Confirmer { replayer })
    }

    /// Runs one input; nothing where the time is over first.
    fn run(
        &self,
        at: &AtSize,
        input: &InputValues,
        until: &Deadline,
    ) -> Result<Option<RunOutcome>, Error> {
        let setup = &at.setup;
        let ran =
            self.replayer.run_until(&setup.invocation, &setup.sizes, Input::Values(input), until);
        match ran {
            Ok(RunOutcome { end: End::OutOfTime, .. }) | Err(ReplayError::OutOfTime { .. }) => {
                Ok(None)
            }
            Ok(outcome) => Ok(Some(outcome)),
            Err(error) => Err(Error::Replay(error.to_string())),
        }
    }

    /// Whether the engine counts the cost of a test on a run that ends normally; else what it found
    /// instead. Runs beyond the limit of a path are not made.
    pub fn confirm(
        &self,
        at: &AtSize,
        input: &InputValues,
        test: &PathTest,
        until: &Deadline,
    ) -> Result<Result<Replayed, Mismatch>, Error> {
        let cost = test.cost;
        if test.instructions > at.setup.limits.instructions {
            return Ok(Ok(Replayed::TooLong));
        }
        let Some(outcome) = self.run(at, input, until)? else {
            return Ok(Ok(Replayed::OutOfTime));
        };
        Ok(match (&outcome.end, outcome.cost, outcome.trace) {
            (End::Normal | End::Exit(_), Some(theirs), _) if theirs == cost => Ok(Replayed::Cost),
            (End::Normal | End::Exit(_), Some(theirs), _) => {
                Err(Mismatch::Cost { ours: cost, theirs })
            }
            (End::Normal | End::Exit(_), None, Some(trace)) => {
                debug_assert_eq!(*at.module.cost_model(), CostModel::Decisions);
                match own_trace(at, input, until)? {
                    None => Ok(Replayed::OutOfTime),
                    Some(own) if own == trace => Ok(Replayed::Trace),
                    Some(_) => Err(Mismatch::Trace),
                }
            }
            (end, ..) => Err(Mismatch::End { theirs: format!("{end:?}") }),
        })
    }

    /// Whether the engine traps on the input too, before the time is over; else how it ended instead.
    pub fn confirm_trap(
        &self,
        at: &AtSize,
        input: &InputValues,
        trap: Trap,
        until: &Deadline,
    ) -> Result<Result<bool, Mismatch>, Error> {
        // A stack in linear memory may leave its region unnoticed by an engine.
        if trap == Trap::ShadowStack {
            return Ok(Ok(true));
        }
        Ok(match self.run(at, input, until)?.map(|outcome| outcome.end) {
            Some(End::Trap(_)) => Ok(true),
            Some(end) => Err(Mismatch::End { theirs: format!("{end:?}") }),
            None => Ok(false),
        })
    }
}

/// The branches our own machine takes on an input; nothing where the time is over first.
fn own_trace(
    at: &AtSize,
    input: &InputValues,
    until: &Deadline,
) -> Result<Option<TraceDigest>, Error> {
    let (end, machine) = run_concrete(&at.module, &at.setup, input.clone(), |machine| {
        machine.limit_time(until);
        machine.keep_trace();
    })?;
    Ok((end != machine::End::OutOfTime).then(|| machine.trace()))
}
