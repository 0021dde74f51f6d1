//! Random inputs: the baseline a worst case is compared with.

use crate::error::Error;
use crate::program::Program;
use pessimum_entry::host::Seeded;
use pessimum_entry::{CostModel, InputValues, Slot};
use pessimum_explore::run_concrete;
use pessimum_machine::{End, Module};
use std::sync::Arc;

/// Costs of random inputs of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Mean and greatest cost; `None` for a model that a concrete run cannot count.
    pub(crate) cost: Option<(f64, u64)>,
    pub(crate) instructions: f64,
    pub(crate) samples: u64,
}

/// Runs random inputs with these slots until `most` ran or `instructions` were executed.
pub(crate) fn sample(
    program: &Program,
    module: &Arc<Module>,
    n: u64,
    slots: &[Slot],
    seed: u64,
    most: u64,
    instructions: u64,
) -> Result<Option<Sample>, Error> {
    let mut random = Seeded::new(seed ^ n.wrapping_mul(0xa076_1d64_78bd_642f));
    let setup = program.setup(n)?;
    // Values at random are hardly ever a valid structure: those are drawn as a whole.
    let (structures, slots) = match program.over()? {
        None => (vec![Vec::new()], slots),
        Some(over) => (over.draw(n, most, seed), &slots[over.length(slots)..]),
    };
    let countable = *module.cost_model() != CostModel::Decisions;
    let (mut sum, mut max, mut executed, mut spent, mut samples) = (0f64, 0u64, 0f64, 0u64, 0u64);
    let mut tries = 0;
    while samples < most && spent < instructions && tries < 4 * most && !structures.is_empty() {
        let structure = structures[tries as usize % structures.len()].iter().copied();
        let mut input: InputValues = structure.collect();
        tries += 1;
        for slot in slots {
            input.push(*slot, random_value(&mut random, *slot));
        }
        let (end, machine) = run_concrete(module, &setup, input, |_| ())?;
        let counters = machine.counters();
        spent += counters.all_instructions.max(1000);
        if !matches!(end, End::Return | End::Exit(_)) {
            continue;
        }
        samples += 1;
        sum += counters.cost as f64;
        max = max.max(counters.cost);
        executed += counters.instructions as f64;
    }
    if samples == 0 {
        return Ok(None);
    }
    let mean = |total: f64| total / samples as f64;
    Ok(Some(Sample {
        cost: countable.then(|| (mean(sum), max)),
        instructions: mean(executed),
        samples,
    }))
}

/// A value of the slot's domain, each as likely as the others.
pub(crate) fn random_value(random: &mut Seeded, slot: Slot) -> u64 {
    match slot.domain.or(slot.ty.range()) {
        Some((low, high)) => {
            let span = (high - low) as u128 + 1;
            let wide = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
            let value = low + (wide % span) as i128;
            slot.ty.bits_of_integer(value).unwrap_or(0)
        }
        None => random.next_u64() & slot.ty.mask(),
    }
}
