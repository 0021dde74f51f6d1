//! Random inputs: the baseline a worst case is compared with.

use crate::ahead::Ahead;
use crate::at_size::AtSize;
use crate::groups::mended;
use pessimum_entry::host::Seeded;
use pessimum_entry::{CostModel, InputValues, Slot};
use pessimum_explore::PathTest;
use pessimum_machine::{End, LoadError};

/// Costs of random inputs of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Mean and greatest cost; `None` for a model that a concrete run cannot count.
    pub cost: Option<(f64, u64)>,
    /// Mean instructions.
    pub instructions: f64,
    /// How many ended normally.
    pub samples: u64,
    /// The costliest of them, where a concrete run can count its cost.
    pub costliest: Option<PathTest>,
}

/// Which random inputs to run, and how many.
#[derive(Clone, Copy, Debug)]
pub struct Sampling<'a> {
    /// What inputs begin with, in turn: valid structures, which values at random hardly ever are;
    /// one that is empty for plain inputs.
    pub beginnings: &'a [Vec<(Slot, u64)>],
    /// The values after that.
    pub slots: &'a [Slot],
    /// Seed of the values.
    pub seed: u64,
    /// Most runs.
    pub most: u64,
    /// Most instructions of all runs together.
    pub instructions: u64,
    /// Threads they are run on; what is found does not depend on how many there are.
    pub workers: usize,
}

/// Runs random inputs; `None` where none ended normally.
pub fn sample(at: &AtSize, how: Sampling<'_>) -> Result<Option<Sample>, LoadError> {
    let Sampling { beginnings, slots, seed, most, instructions, workers } = how;
    let mut random = Seeded::new(seed ^ at.n.wrapping_mul(0xa076_1d64_78bd_642f));
    let countable = *at.module.cost_model() != CostModel::Decisions;
    let (mut sum, mut max, mut executed, mut spent, mut samples) = (0f64, 0u64, 0f64, 0u64, 0u64);
    let mut costliest: Option<PathTest> = None;
    let (mut made, mut tries) = (0, 0);
    let is_over = |samples: u64, spent: u64, tries: u64| {
        samples >= most || spent >= instructions || tries >= 4 * most || beginnings.is_empty()
    };
    let at = &at.for_many();
    let mut ahead = Ahead::new(workers);
    while !is_over(samples, spent, tries) {
        let mut inputs = Vec::new();
        // As if each of them ended.
        let wanted = usize::try_from(most - samples).unwrap_or(usize::MAX);
        for _ in 0..ahead.room(instructions - spent, spent, tries).min(wanted) {
            let beginning = beginnings[made % beginnings.len()].iter().copied();
            let mut input: InputValues = beginning.collect();
            made += 1;
            for slot in slots {
                input.push(*slot, random_value(&mut random, *slot));
            }
            inputs.push(mended(at, input)?);
        }
        let ran = ahead.each(inputs.len(), |i| {
            let (end, machine) = at.run(inputs[i].clone())?;
            let ran = (end, machine.counters(), machine.taken());
            at.give_back(machine);
            Ok(ran)
        });
        for ran in ran {
            if is_over(samples, spent, tries) {
                break;
            }
            let (end, counters, taken) = ran?;
            tries += 1;
            spent += counters.all_instructions.max(1000);
            if !matches!(end, End::Return | End::Exit(_)) {
                continue;
            }
            samples += 1;
            sum += counters.cost as f64;
            if countable && costliest.as_ref().is_none_or(|test| counters.cost > test.cost) {
                costliest = taken.map(|taken| PathTest::of_run(taken, counters));
            }
            max = max.max(counters.cost);
            executed += counters.instructions as f64;
        }
        ahead.learn(inputs.len(), inputs.len());
    }
    if samples == 0 {
        return Ok(None);
    }
    let mean = |total: f64| total / samples as f64;
    Ok(Some(Sample {
        cost: countable.then(|| (mean(sum), max)),
        instructions: mean(executed),
        samples,
        costliest,
    }))
}

/// A value of the slot's domain, each as likely as the others. Floats of a domain are spread as numbers are, between its ends.
pub(crate) fn random_value(random: &mut Seeded, slot: Slot) -> u64 {
    match slot.ends() {
        Some(ends) if slot.ty.is_float() => {
            let end = |rank| slot.ty.bits_of_rank(rank).map_or(0.0, |bits| slot.ty.float(bits));
            let (low, high) = (end(ends.0), end(ends.1));
            // 53 bits, which a float between 0 and 1 has.
            let part = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            let value = low * (1.0 - part) + high * part;
            slot.nearest(if value.is_nan() { 0 } else { slot.ty.bits_of_float(value) })
        }
        Some((low, high)) => {
            let span = (high - low) as u128 + 1;
            let wide = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
            let value = low + (wide % span) as i128;
            slot.ty.bits_of_integer(value).unwrap_or(0)
        }
        None => random.next_u64() & slot.ty.mask(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::Type;

    /// Floats of a domain are inside, and as many of them in the upper half as in the lower.
    #[test]
    fn random_floats_obey_their_domain() {
        let mut random = Seeded::new(3);
        for ty in [Type::F32, Type::F64] {
            for (low, high) in [(-1.0, 1.0), (0.0, 100.0), (-9.0, -8.5), (0.1, 0.1)] {
                let rank = |x| ty.rank(ty.bits_of_float(x));
                let slot = Slot::within(ty, rank(low), rank(high));
                let values: Vec<u64> = (0..400).map(|_| random_value(&mut random, slot)).collect();
                assert!(values.iter().all(|bits| slot.admits(*bits)), "{slot}");
                let middle = (low + high) / 2.0;
                let upper = values.iter().filter(|bits| ty.float(**bits) > middle).count();
                assert!(low == high || (150..250).contains(&upper), "{slot}: {upper}");
            }
            let all = Slot::within(
                ty,
                ty.rank(ty.bits_of_float(f64::NEG_INFINITY)),
                ty.rank(ty.bits_of_float(f64::INFINITY)),
            );
            assert!((0..100).all(|_| all.admits(random_value(&mut random, all))));
        }
    }
}
