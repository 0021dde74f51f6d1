//! Every reported input is run again by an engine that is not ours.

use crate::error::Error;
use crate::program::Program;
use pessimum_entry::{CostModel, InputValues, TraceDigest};
use pessimum_explore::run_concrete;
use pessimum_machine::{Module, Trap};
use pessimum_replay::{End, Input, Instrumented, Limits, Outcome, Replayer};

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
        let limits = Limits { seed: program.random_seed(), ..Limits::default() };
        let replayer = Replayer::new(&copy, limits).map_err(|e| Error::Replay(e.to_string()))?;
        Ok(Confirmer { replayer })
    }

    /// Runs one input.
    pub fn run(&self, program: &Program, n: u64, input: &InputValues) -> Result<Outcome, Error> {
        let setup = program.setup(n)?;
        self.replayer
            .run(&setup.invocation, &setup.sizes, Input::Values(input))
            .map_err(|e| Error::Replay(e.to_string()))
    }

    /// Whether the engine counts the same cost on a run that ends normally: `cost` when it does,
    /// else what it found instead.
    pub fn confirm(
        &self,
        program: &Program,
        module: &Module,
        n: u64,
        input: &InputValues,
        cost: u64,
    ) -> Result<Result<&'static str, String>, Error> {
        let outcome = self.run(program, n, input)?;
        Ok(match (&outcome.end, outcome.cost, outcome.trace) {
            (End::Normal | End::Exit(_), Some(counted), _) if counted == cost => Ok("cost"),
            (End::Normal | End::Exit(_), Some(counted), _) => {
                Err(format!("the independent engine counted {counted}, not {cost}"))
            }
            (End::Normal | End::Exit(_), None, Some(trace)) => {
                debug_assert_eq!(*module.cost_model(), CostModel::Decisions);
                let own = own_trace(program, module, n, input)?;
                if own == trace {
                    Ok("trace")
                } else {
                    Err("the independent engine took other branches".to_owned())
                }
            }
            (end, ..) => Err(format!("the independent engine ended with {end:?}")),
        })
    }

    /// Whether the engine traps on the input too; else how it ended instead.
    pub fn confirm_trap(
        &self,
        program: &Program,
        n: u64,
        input: &InputValues,
        trap: Trap,
    ) -> Result<Result<(), String>, Error> {
        // A stack in linear memory may leave its region unnoticed by an engine.
        if trap == Trap::ShadowStack {
            return Ok(Ok(()));
        }
        Ok(match self.run(program, n, input)?.end {
            End::Trap(_) => Ok(()),
            end => Err(format!("the independent engine ended with {end:?}")),
        })
    }
}

/// The branches our own machine takes on an input.
fn own_trace(
    program: &Program,
    module: &Module,
    n: u64,
    input: &InputValues,
) -> Result<TraceDigest, Error> {
    let priced = program.module(module.cost_model())?;
    let setup = program.setup(n)?;
    let (_, machine) = run_concrete(&priced, &setup, input.clone(), |m| m.keep_trace())?;
    Ok(machine.trace())
}
