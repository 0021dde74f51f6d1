//! An exploration against all inputs run one by one in the independent engine.
#![allow(dead_code, reason = "each test file uses its own part")]

use pessimum_entry::{CallSpec, CostModel, Entry, Sizes};
use pessimum_explore::{Nobody, Options, Outcome, Plan, explore};
use pessimum_learn::Unguided;
use pessimum_machine::{Limits, Module, Setup};
use pessimum_replay::{End, Input, Instrumented, Replayer};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The seed of the program's random numbers.
const SEED: u64 = 7;

/// A call by its description.
pub(crate) fn call(spec: &str) -> Entry {
    Entry::Call(CallSpec::parse(spec).expect(spec))
}

/// What an exploration finds.
pub(crate) fn explored(bytes: &[u8], cost: &CostModel, entry: &Entry, n: u64) -> Outcome {
    let sizes = Sizes::of(n);
    let invocation = entry.at(&sizes).expect("an invocation");
    let plan = Plan {
        module: Arc::new(Module::load(bytes, cost).expect("it loads")),
        setup: Setup { invocation, sizes, seed: SEED, limits: Limits::default() },
        over: None,
        options: Options { max_tests: 1_000_000, ..Options::default() },
        workers: 1,
    };
    explore(&plan, &Unguided, || Nobody).expect("it explores").0
}

/// How a run ended and what it cost; traps cost what they cost.
type Seen = BTreeSet<(bool, u64)>;

/// Explores the program, runs all inputs of the domain, and compares; `domain` has the values of
/// each byte of the input. Answers how many inputs are inputs of the program.
pub(crate) fn agrees(
    bytes: &[u8],
    cost: &CostModel,
    entry: &Entry,
    n: u64,
    domain: &[Range<u32>],
) -> (Outcome, usize) {
    let outcome = explored(bytes, cost, entry, n);
    assert!(outcome.is_exact(), "{:?}", outcome.findings);
    let sizes = Sizes::of(n);
    let invocation = entry.at(&sizes).expect("an invocation");
    let copy = Instrumented::new(bytes, cost, &[]).expect("a copy");
    let limits = pessimum_replay::Limits { seed: SEED, ..Default::default() };
    let replayer = Replayer::new(&copy, limits).expect("a replayer");
    let run = |input: Input<'_>| match replayer.run(&invocation, &sizes, input) {
        // A value outside of the domain that the program asked for.
        Err(_) => None,
        Ok(run) => match run.end {
            End::AssumeFailed => None,
            End::Normal | End::Exit(_) => Some((false, run.cost.expect("a cost"))),
            End::Trap(_) => Some((true, 0)),
            other => panic!("{other:?}"),
        },
    };
    // Every path that was found is one.
    let mut explored = Seen::new();
    for test in &outcome.tests {
        let input = test.input.as_ref().expect("an input");
        let own = (test.trap.is_some(), if test.trap.is_some() { 0 } else { test.cost });
        assert_eq!(run(Input::Values(input)), Some(own), "{}", input.elided(20));
        explored.insert(own);
    }
    // And no input does what no path does.
    let mut all = Seen::new();
    let mut inputs = 0;
    let mut input: Vec<u32> = domain.iter().map(|values| values.start).collect();
    loop {
        let raw: Vec<u8> = input.iter().map(|b| *b as u8).collect();
        if let Some(seen) = run(Input::Raw(&raw)) {
            inputs += 1;
            assert!(explored.contains(&seen), "no path does what {raw:?} does: {seen:?}");
            all.insert(seen);
        }
        let Some(place) = (0..input.len()).rev().find(|i| input[*i] + 1 < domain[*i].end) else {
            break;
        };
        input[place] += 1;
        for later in place + 1..input.len() {
            input[later] = domain[later].start;
        }
    }
    assert_eq!(explored, all);
    let worst = all.iter().filter(|(trap, _)| !trap).map(|(_, cost)| *cost).max();
    assert_eq!(outcome.worst_cost(), worst);
    (outcome, inputs)
}
