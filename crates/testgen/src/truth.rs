//! What a program does, by running it on every input in the independent engine.

use crate::generator::Program;
use pessimum_entry::{CostModel, InputValues, Invocation, Sizes, TraceDigest};
use pessimum_replay::{End, Input, Instrumented, Limits, Replayer};
use std::collections::BTreeSet;

/// One run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its input.
    pub input: InputValues,
    /// Why it trapped, if it did.
    pub trap: Option<String>,
    /// Its cost in each of [`Truth::MODELS`]; of no meaning where it trapped.
    pub costs: [u64; 2],
    /// The branches it took.
    pub trace: TraceDigest,
}

/// Every run of a program.
#[derive(Clone, Debug)]
pub struct Truth {
    /// One for each input, in the order of [`Program::inputs`].
    pub runs: Vec<Run>,
}

impl Truth {
    /// What is counted.
    pub const MODELS: [CostModel; 2] = [CostModel::Conditionals, CostModel::Instructions];

    /// Runs a program on every input.
    pub fn of(program: &Program) -> Result<Truth, String> {
        let replayer = |model: &CostModel| {
            let copy = Instrumented::new(&program.wasm, model, &[]).map_err(|e| e.to_string())?;
            Replayer::new(&copy, Limits::default()).map_err(|e| e.to_string())
        };
        let counted = [replayer(&Truth::MODELS[0])?, replayer(&Truth::MODELS[1])?.in_pieces_of(1)];
        // Stopped and resumed all the time: what the engine lost in between would be a disagreement.
        let traced = replayer(&CostModel::Decisions)?.in_pieces_of(1);
        let invocation = Invocation::Call(program.call.clone());
        let sizes = Sizes::of(0);
        let mut runs = Vec::new();
        for input in program.inputs() {
            let run = |replayer: &Replayer| {
                replayer
                    .run(&invocation, &sizes, Input::Values(&input))
                    .map_err(|e| format!("{e}: {input:?}"))
            };
            let (first, second, third) = (run(&counted[0])?, run(&counted[1])?, run(&traced)?);
            if first.end != second.end || first.end != third.end {
                return Err(format!("one engine, several ends: {first:?} {second:?} {third:?}"));
            }
            let trap = match first.end {
                End::Normal => None,
                End::Trap(why) => Some(why),
                other => return Err(format!("an end that no program here has: {other:?}")),
            };
            let costs = [first.cost.unwrap_or(0), second.cost.unwrap_or(0)];
            let trace = third.trace.unwrap_or_default();
            runs.push(Run { input, trap, costs, trace });
        }
        Ok(Truth { runs })
    }

    /// The runs that ended normally.
    pub fn normal(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.trap.is_none())
    }

    /// The least and the greatest cost of a normal run in a model.
    pub fn extremes(&self, model: usize) -> Option<(u64, u64)> {
        let costs = || self.normal().map(|run| run.costs[model]);
        costs().min().zip(costs().max())
    }

    /// How many different traces the normal runs have.
    pub fn traces(&self) -> u64 {
        self.normal().map(|run| run.trace.value()).collect::<BTreeSet<u64>>().len() as u64
    }

    /// How many different traces the runs that trap have.
    pub fn trapped_traces(&self) -> u64 {
        let trapped = self.runs.iter().filter(|run| run.trap.is_some());
        trapped.map(|run| run.trace.value()).collect::<BTreeSet<u64>>().len() as u64
    }
}
