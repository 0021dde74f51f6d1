//! An attacker of claims.
//!
//! A result promises that no input of some size costs more than a number: an exact size, a size of a
//! validated policy, a formula between the sizes that were run. Each such claim falls by one input.
//! The attacker looks for it with nothing of the search that made the result: inputs of its own, its
//! own mutations, costs counted by the independent engine.

pub(crate) mod targets;

use pessimum::{AnalysisResult, InputValues, Program};
use pessimum_entry::host::Seeded;
use pessimum_entry::{Slot, Type};
use pessimum_replay::{End, Input, Instrumented, Limits, Replayer};
use pessimum_report::document::Basis;
use std::error::Error;
use std::fmt;

/// No input of size `n` costs more than `at_most`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) n: u64,
    pub(crate) at_most: u64,
    /// What was promised, in the words of the result.
    pub(crate) promise: &'static str,
}

/// A claim and the input that refutes it.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) claim: Claim,
    /// `None` where the run did not end at all.
    pub(crate) cost: Option<u64>,
    pub(crate) input: InputValues,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Claim { n, at_most, promise } = &self.claim;
        write!(f, "n = {n}: {promise} {at_most}, but ")?;
        match self.cost {
            Some(cost) => write!(f, "{cost} at {}", self.input),
            None => write!(f, "no end at {}", self.input),
        }
    }
}

/// Everything that a result promises and one run can refute.
pub(crate) fn claims(result: &AnalysisResult) -> Vec<Claim> {
    let document = &result.document;
    let rests = result.judgement.basis != Basis::LowerBound;
    let mut claims = Vec::new();
    let mut largest = 0;
    for size in document.training.iter().chain(&document.sizes) {
        let Some(at_most) = size.worst_cost else { continue };
        largest = largest.max(size.n);
        if size.exact {
            claims.push(Claim { n: size.n, at_most, promise: "exact" });
        } else if rests {
            claims.push(Claim { n: size.n, at_most, promise: "proven or validated" });
        }
    }
    if rests && result.judgement.fit.is_exact() {
        let from = result.judgement.fit.holds_from.unwrap_or(1);
        let known: Vec<u64> = claims.iter().map(|c| c.n).collect();
        for n in between(from, largest).into_iter().filter(|n| !known.contains(n)) {
            if let Some(cost) = result.judgement.fit.predict(n).filter(|c| *c >= 0.0) {
                let promise = "an exact formula says";
                claims.push(Claim { n, at_most: cost.round() as u64, promise });
            }
        }
    }
    claims.sort_by_key(|c| c.n);
    claims
}

/// Sizes that a ladder likes to leave out: powers of two and their neighbours, odd and prime ones.
fn between(from: u64, largest: u64) -> Vec<u64> {
    let powers = (1..20).flat_map(|k| [(1u64 << k) - 1, 1 << k, (1 << k) + 1]);
    let others = [11, 13, 19, 23, 29, 37, 41, 47, 59, 71, 85, 97, 113, 149, 181, 211, 293];
    let mut sizes: Vec<u64> = powers.chain(others).collect();
    sizes.retain(|n| (from..=largest).contains(n));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Numbers that look random and are the same on every machine.
struct Random(Seeded);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// A value of the slot's domain: anywhere, at an end, or small.
    fn value(&mut self, slot: Slot) -> u64 {
        let Some((low, high)) = slot.domain.or(slot.ty.range()) else {
            return self.float(slot.ty);
        };
        let span = (high - low) as u128 + 1;
        let anywhere = low + (u128::from(self.next()) % span) as i128;
        let small = self.below(8) as i128 - 2;
        let picked = match self.below(6) {
            0 => low,
            1 => high,
            2 => small.clamp(low, high),
            _ => anywhere,
        };
        slot.ty.bits_of_integer(picked).unwrap_or(0)
    }

    fn float(&mut self, ty: Type) -> u64 {
        let number = self.below(2001) as f64 - 1000.0;
        match ty {
            Type::F32 => u64::from((number as f32).to_bits()),
            _ => number.to_bits(),
        }
    }
}

/// Inputs of one size that belong together.
type Values = Vec<u64>;

/// Tries to refute what a result claims.
pub(crate) struct Attacker<'a> {
    program: &'a Program,
    result: &'a AnalysisResult,
    replayer: Replayer,
    random: Random,
    /// Runs made so far.
    pub(crate) runs: u64,
}

/// Costly inputs that are kept to be changed.
const POOL: usize = 8;

impl<'a> Attacker<'a> {
    pub(crate) fn new(
        program: &'a Program,
        result: &'a AnalysisResult,
        seed: u64,
    ) -> Result<Attacker<'a>, Box<dyn Error>> {
        let module = &result.module;
        let copy = Instrumented::new(program.bytes(), module.cost_model(), module.line_points())?;
        let limits = Limits { fuel: Some(fuel(result)), ..Limits::default() };
        let replayer = Replayer::new(&copy, limits)?;
        Ok(Attacker { program, result, replayer, random: Random(Seeded::new(seed)), runs: 0 })
    }

    /// Runs so many inputs of the claim's size, and says which one refutes it.
    pub(crate) fn attack(
        &mut self,
        claim: &Claim,
        runs: u64,
    ) -> Result<Option<Broken>, Box<dyn Error>> {
        let slots = self.slots(claim.n)?;
        if slots.is_empty() {
            return Ok(None);
        }
        let mut pool: Vec<(u64, Values)> = Vec::new();
        for k in 0..runs {
            let fresh = k < runs / 3 || pool.is_empty();
            let values = match fresh {
                true => self.fresh(&slots),
                false => {
                    let among = 1 + self.random.below(pool.len());
                    let (_, parent) = &pool[self.random.below(among)];
                    let parent = parent.clone();
                    self.changed(parent, &slots)
                }
            };
            let input: InputValues = slots.iter().copied().zip(values.iter().copied()).collect();
            let setup = self.program.setup(claim.n)?;
            let run = self.replayer.run(&setup.invocation, &setup.sizes, Input::Values(&input));
            self.runs += 1;
            // Values that the program never asked for, or too few of them, are no run.
            let Ok(outcome) = run else { continue };
            let cost = match outcome.end {
                End::Normal | End::Exit(_) => outcome.cost,
                End::OutOfFuel if claim.promise == "exact" => {
                    return Ok(Some(Broken { claim: claim.clone(), cost: None, input }));
                }
                _ => continue,
            };
            let Some(cost) = cost else { return Ok(None) };
            if cost > claim.at_most {
                return Ok(Some(Broken { claim: claim.clone(), cost: Some(cost), input }));
            }
            let place = pool.partition_point(|(other, _)| *other > cost);
            if place < POOL {
                pool.insert(place, (cost, values));
                pool.truncate(POOL);
            }
        }
        Ok(None)
    }

    /// The inputs of a size: those of the call, or those that the worst run of this or the next larger
    /// size asked for.
    fn slots(&self, n: u64) -> Result<Vec<Slot>, Box<dyn Error>> {
        if self.program.structure()?.is_some() {
            return Ok(Vec::new());
        }
        let slots = self.program.setup(n)?.invocation.slots();
        if !slots.is_empty() {
            return Ok(slots);
        }
        let asked = self.result.inputs.range(n..).next();
        Ok(asked.map_or(Vec::new(), |(_, (input, _))| input.iter().map(|v| v.0).collect()))
    }

    /// An input of its own: at random, of few values, in order, or of a repeated piece.
    fn fresh(&mut self, slots: &[Slot]) -> Values {
        let len = slots.len();
        let kind = self.random.below(8);
        let alphabet: Vec<u64> =
            (0..1 + self.random.below(3)).map(|_| self.random.next()).collect();
        let period = 1 + self.random.below(6);
        let piece: Vec<u64> = (0..period).map(|_| self.random.next()).collect();
        let cut = self.random.below(len);
        let mut values = Vec::with_capacity(len);
        for (i, slot) in slots.iter().enumerate() {
            // The same seed gives the same value, so that equal seeds stay equal in the domain.
            let of = |seed: u64| Random(Seeded::new(seed)).value(*slot);
            values.push(match kind {
                0 | 1 => self.random.value(*slot),
                2 => of(alphabet[self.random.below(alphabet.len())]),
                3 => of(piece[i % period]),
                4 => of(if i < cut { piece[0] } else { piece[period - 1] }),
                5 => ranked(*slot, i as i128),
                6 => ranked(*slot, (len - 1 - i) as i128),
                _ => ranked(*slot, i.min(len - 1 - i) as i128),
            });
        }
        values
    }

    fn changed(&mut self, mut values: Values, slots: &[Slot]) -> Values {
        let len = values.len();
        for _ in 0..1 + self.random.below(3) {
            let (at, other) = (self.random.below(len), self.random.below(len));
            let end = at + 1 + self.random.below(len - at);
            match self.random.below(6) {
                0 | 1 => values[at] = self.random.value(slots[at]),
                2 if slots[at] == slots[other] => values[at] = values[other],
                3 if slots[at] == slots[other] => values.swap(at, other),
                4 if slots[at..end].windows(2).all(|w| w[0] == w[1]) => {
                    let value = self.random.value(slots[at]);
                    values[at..end].fill(value);
                }
                5 if slots[at..end].windows(2).all(|w| w[0] == w[1]) => values[at..end].reverse(),
                _ => {}
            }
        }
        values
    }
}

/// The value of this rank in the slot's domain, counted from zero or from its low end.
fn ranked(slot: Slot, rank: i128) -> u64 {
    match slot.domain.or(slot.ty.range()) {
        Some((low, high)) => {
            let start = if low <= 0 && high > 0 { 0 } else { low };
            let value = start + rank.rem_euclid(high - start + 1);
            slot.ty.bits_of_integer(value).unwrap_or(0)
        }
        None if slot.ty == Type::F32 => u64::from((rank as f32).to_bits()),
        None => (rank as f64).to_bits(),
    }
}

/// Many times what the longest run of the result took: who needs more does not end.
fn fuel(result: &AnalysisResult) -> u64 {
    let document = &result.document;
    let sizes = document.training.iter().chain(&document.sizes);
    let longest = sizes.filter_map(|s| s.instructions.as_ref()).map(|i| i.worst).max();
    longest.unwrap_or(0).saturating_mul(50).saturating_add(20_000_000)
}
