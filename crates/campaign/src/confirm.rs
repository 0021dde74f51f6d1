//! Every reported input is run again by an engine that is not ours.

use crate::error::Error;
use crate::evidence::{Mismatch, Replayed};
use crate::program::Program;
use pessimum_entry::{CostModel, InputValues, TraceDigest};
use pessimum_explore::{PathTest, run_concrete};
use pessimum_machine::{Module, Trap};
use pessimum_replay::{End, Input, Instrumented, Limits, Replayer, RunOutcome};
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

    /// Runs one input.
    pub fn run(&self, at: &AtSize, input: &InputValues) -> Result<RunOutcome, Error> {
        self.replayer
            .run(&at.setup.invocation, &at.setup.sizes, Input::Values(input))
            .map_err(|e| Error::Replay(e.to_string()))
    }

    /// Whether the engine counts the cost of a test on a run that ends normally; else what it found
    /// instead. Runs beyond the limit of a path are not made.
    pub fn confirm(
        &self,
        at: &AtSize,
        input: &InputValues,
        test: &PathTest,
    ) -> Result<Result<Replayed, Mismatch>, Error> {
        let cost = test.cost;
        if test.instructions > at.setup.limits.instructions {
            return Ok(Ok(Replayed::TooLong));
        }
        let outcome = self.run(at, input)?;
        Ok(match (&outcome.end, outcome.cost, outcome.trace) {
            (End::Normal | End::Exit(_), Some(theirs), _) if theirs == cost => Ok(Replayed::Cost),
            (End::Normal | End::Exit(_), Some(theirs), _) => {
                Err(Mismatch::Cost { ours: cost, theirs })
            }
            (End::Normal | End::Exit(_), None, Some(trace)) => {
                debug_assert_eq!(*at.module.cost_model(), CostModel::Decisions);
                if own_trace(at, input)? == trace {
                    Ok(Replayed::Trace)
                } else {
                    Err(Mismatch::Trace)
                }
            }
            (end, ..) => Err(Mismatch::End { theirs: format!("{end:?}") }),
        })
    }

    /// Whether the engine traps on the input too; else how it ended instead.
    pub fn confirm_trap(
        &self,
        at: &AtSize,
        input: &InputValues,
        trap: Trap,
    ) -> Result<Result<(), Mismatch>, Error> {
        // A stack in linear memory may leave its region unnoticed by an engine.
        if trap == Trap::ShadowStack {
            return Ok(Ok(()));
        }
        Ok(match self.run(at, input)?.end {
            End::Trap(_) => Ok(()),
            end => Err(Mismatch::End { theirs: format!("{end:?}") }),
        })
    }
}

/// The branches our own machine takes on an input.
fn own_trace(at: &AtSize, input: &InputValues) -> Result<TraceDigest, Error> {
    let (_, machine) = run_concrete(&at.module, &at.setup, input.clone(), |m| m.keep_trace())?;
    Ok(machine.trace())
}
