//! What the tests share: programs, their models, and what an independent engine says of an input.
#![allow(dead_code, reason = "each test file uses its own part")]

use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Sizes};
use pessimum_machine::Module;
use pessimum_replay::{Input, Instrumented, Limits, Replayer};
use pessimum_synth::{Model, TrainOptions, WhyNot, train_and_model};
use std::path::PathBuf;
use std::sync::Arc;

/// A program with a way to enter it and a cost.
pub(crate) struct Program {
    pub(crate) module: Arc<Module>,
    pub(crate) entry: Entry,
    replayer: Replayer,
}

impl Program {
    pub(crate) fn new(bytes: &[u8], call: &str, cost: &str) -> Program {
        let cost = CostModel::parse(cost, |_| Err("no price table".to_owned())).expect("a cost");
        let module = Arc::new(Module::load(bytes, &cost).expect("a module"));
        let spec = CallSpec::parse(call).expect("a call");
        let entry = if spec.args.is_empty() {
            Entry::Program { export: spec.function.clone() }
        } else {
            Entry::Call(spec)
        };
        let copy = Instrumented::new(bytes, &cost, module.line_points()).expect("a copy");
        let replayer = Replayer::new(&copy, Limits::default()).expect("a replayer");
        Program { module, entry, replayer }
    }

    pub(crate) fn of_text(wat: &str, call: &str, cost: &str) -> Program {
        Program::new(&wat::parse_str(wat).expect("a module in the text format"), call, cost)
    }

    pub(crate) fn model(&self) -> Result<Model, WhyNot> {
        train_and_model(&self.module, &self.entry, &[], &TrainOptions::default())
    }

    /// The cost of an input, counted by an engine that is not ours.
    pub(crate) fn replay(&self, n: u64, input: &InputValues) -> u64 {
        let sizes = Sizes::of(n);
        let invocation = self.entry.at(&sizes).expect("an entry");
        let outcome =
            self.replayer.run(&invocation, &sizes, Input::Values(input)).expect("it runs");
        assert!(outcome.end.is_normal(), "n = {n}: {:?}", outcome.end);
        outcome.cost.expect("a cost")
    }
}

pub(crate) fn corpus(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file)
}

/// What `facts.toml` says of a program.
pub(crate) fn facts(name: &str) -> toml::Table {
    let text = std::fs::read_to_string(corpus(&format!("{name}/facts.toml"))).expect("facts");
    text.parse().expect("facts are TOML")
}

/// A program of the corpus under its target cost, and the points [n, cost] that are known.
pub(crate) fn target(name: &str) -> (Program, Vec<(u64, u64)>) {
    let facts = facts(name);
    let cost = facts["target"].as_str().expect("a target");
    let call = facts["call"].as_str().expect("a call");
    let bytes = std::fs::read(corpus(&format!("{name}/{name}.wasm"))).expect("a module");
    let number = |v: &toml::Value| u64::try_from(v.as_integer().expect("a number")).expect("≥ 0");
    let table = facts["cost"].as_array().expect("costs");
    let known =
        table.iter().find(|c| c["model"].as_str() == Some(cost)).expect("the target's cost");
    let points = known["points"].as_array().expect("points");
    let pair = |p: &toml::Value| (number(&p[0]), number(&p[1]));
    (Program::new(&bytes, call, cost), points.iter().map(pair).collect())
}
