//! How many inputs of a size the search runs in a second.
//!
//!     runs_per_second MODULE.wasm 'f(&u8[n], n)' 16 [SEED-FILE]
//!
//! The same input over and over, as a search does it: from the start, with the blocks that ran counted.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use pessimum_clock::Deadline;
use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Sizes};
use pessimum_machine::{Limits, Module, Setup};
use pessimum_search::AtSize;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, call, n, rest @ ..] = args.as_slice() else {
        return Err("usage: runs_per_second MODULE.wasm CALL N [FILE]".into());
    };
    let n: u64 = n.parse()?;
    let module = Module::load(&std::fs::read(path)?, &CostModel::Conditionals)?;
    let sizes = Sizes::at(n, &[])?;
    let invocation = Entry::Call(CallSpec::parse(call)?).at(&sizes)?;
    let mut input = InputValues::new();
    let bytes = rest.first().map(std::fs::read).transpose()?.unwrap_or_default();
    for (i, slot) in invocation.slots().into_iter().enumerate() {
        input.push(slot, u64::from(bytes.get(i).copied().unwrap_or(0)));
    }
    let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
    let at = AtSize::new(n, Arc::new(module), setup, Deadline::NEVER).for_many();
    let (end, machine) = at.run(input.clone())?;
    let instructions = machine.counters().all_instructions;
    let begun = Instant::now();
    let mut runs = 0u64;
    while begun.elapsed() < Duration::from_secs(2) {
        let (_, machine) = at.run(input.clone())?;
        at.give_back(machine);
        runs += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "n = {n}: {end:?}, {instructions} instructions, {:.0} runs a second, {:.1} µs each",
        runs as f64 / seconds,
        1e6 * seconds / runs as f64
    );
    Ok(())
}
