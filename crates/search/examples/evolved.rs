//! What patterns a search evolves at small sizes, and what they cost at a larger one.
//!
//!     evolved MODULE.wasm 'f(&u8[n], n)' INSTRUCTIONS N [SEED-FILE…]

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use pessimum_clock::Deadline;
use pessimum_entry::{CallSpec, CostModel, Entry, Sizes};
use pessimum_explore::Budget;
use pessimum_machine::{Limits, Module, Setup};
use pessimum_search::{Aim, AtSize, Effort, Ends, Mutator};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, call, instructions, n, seeds @ ..] = args.as_slice() else {
        return Err("usage: evolved MODULE.wasm CALL INSTRUCTIONS N [SEED-FILE…]".into());
    };
    let module = Arc::new(Module::load(&std::fs::read(path)?, &CostModel::Conditionals)?);
    let call = CallSpec::parse(call)?;
    let at = |n: u64| -> Result<Arc<AtSize>, Box<dyn Error>> {
        let sizes = Sizes::at(n, &[])?;
        let invocation = Entry::Call(call.clone()).at(&sizes)?;
        let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
        let at = AtSize::new(n, Arc::clone(&module), setup, Deadline::NEVER);
        Ok(Arc::new(at.for_many()))
    };
    let mut mutator = Mutator::default();
    for seed in seeds {
        mutator.give(&std::fs::read(seed)?, 1 << 16, at)?;
    }
    let mut pairs = Vec::new();
    for [small, large] in [[16, 33], [64, 129], [256, 513]] {
        pairs.push([(*at(small)?).clone(), (*at(large)?).clone()]);
    }
    let budget = Budget::default();
    let evolved = mutator.evolve(&pairs, instructions.parse()?, 1, &budget)?;
    println!("{} runs, {} instructions", evolved.runs, evolved.instructions);
    for pattern in mutator.patterns() {
        println!("{pattern:?}");
    }
    let (aim, ends) = (Aim::Worst, Ends::WithWork);
    let effort = Effort { instructions: 0, vary: false, round: 0, aim, ends };
    let found = mutator.search(&*at(n.parse()?)?, effort, 1, &budget)?;
    println!("n = {n}: {:?}", found.best.map(|best| best.cost));
    Ok(())
}
