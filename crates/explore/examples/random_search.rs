//! The costliest of as many random inputs as a time allows: what a worst case is held against.
//! `random_search MODULE CALL N SECONDS [NAME=EXPR...]` prints the greatest number of
//! conditionals and the number of inputs.
#![allow(clippy::print_stdout)]

use pessimum_entry::host::Seeded;
use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Let, Sizes, Slot};
use pessimum_explore::run_concrete;
use pessimum_machine::{End, Inputs, Limits, Machine, Module, Setup};
use pessimum_term::Arena;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, call, n, seconds, rest @ ..] = args.as_slice() else {
        return Err("usage: random_search MODULE CALL N SECONDS [NAME=EXPR...]".into());
    };
    let lets: Vec<Let> = rest.iter().map(|l| Let::parse(l)).collect::<Result<_, _>>()?;
    let bytes = std::fs::read(file)?;
    let module = Arc::new(Module::load(&bytes, &CostModel::Conditionals)?);
    let spec = CallSpec::parse(call)?;
    let entry = if spec.args.is_empty() {
        Entry::Program { export: spec.function.clone() }
    } else {
        Entry::Call(spec)
    };
    let sizes = Sizes::at(n.parse()?, &lets)?;
    let setup = Setup { invocation: entry.at(&sizes)?, sizes, seed: 0, limits: Limits::default() };
    let machine = Machine::start(&module, &setup, Inputs::Symbolic, &mut Arena::new())?;
    let slots: Vec<Slot> = machine.inputs().iter().map(|input| input.slot).collect();
    let end = Instant::now() + Duration::from_secs_f64(seconds.parse()?);
    let mut random = Seeded::new(1);
    let (mut worst, mut tried) = (0, 0u64);
    while Instant::now() < end {
        let mut input = InputValues::new();
        for slot in &slots {
            input.push(*slot, random_value(&mut random, *slot));
        }
        let (ended, machine) = run_concrete(&module, &setup, input, |_| ())?;
        tried += 1;
        if matches!(ended, End::Return | End::Exit(_)) {
            worst = worst.max(machine.counters().cost);
        }
    }
    println!("{worst} {tried}");
    Ok(())
}

/// A value of the slot's domain, each as likely as the others.
fn random_value(random: &mut Seeded, slot: Slot) -> u64 {
    match slot.ends() {
        Some((low, high)) => {
            let span = (high - low) as u128 + 1;
            let value = low + (u128::from(random.next_u64()) % span) as i128;
            slot.ty.bits_of_rank(value).unwrap_or(0)
        }
        None => random.next_u64() & slot.ty.mask(),
    }
}
