//! The path that one known input takes through the tree: no solver is asked, every condition has a
//! value.

use crate::outcome::{PathTest, Witness};
use pessimum_entry::{InputValues, Slot};
use pessimum_learn::{Decision, Openness, SiteId};
use pessimum_machine::{End, Inputs, LoadError, Machine, Module, Setup, Stop};
use pessimum_term::{Arena, Evaluator, TermId, VarId};
use std::sync::Arc;

/// Follows the path of an input given as raw bytes: values one after the other, little-endian. Bytes
/// that are missing are zeros, those left over are not looked at, and a value outside of its domain
/// becomes the nearest inside, so that inputs of other sizes can be followed as well. `None` when the
/// program does not end normally on it.
///
/// Whether a decision was open is not found out; it is called open.
pub fn follow(
    module: &Arc<Module>,
    setup: &Setup,
    raw: &[u8],
) -> Result<Option<Witness>, LoadError> {
    follow_with(module, setup, raw, |_, _| {})
}

/// A decision, and the condition that an input meets there, where it is a simple one.
pub type Met = (Decision, Option<String>);

/// The decisions on the path of an input, as [`follow`] has them, each with the condition that the input meets
/// there, where it is one that people would write: `x3 > x5`. `None` when the program does not end normally.
pub fn conditions(
    module: &Arc<Module>,
    setup: &Setup,
    input: &InputValues,
) -> Result<Option<Vec<Met>>, LoadError> {
    let mut said = Vec::new();
    let met = |arena: &Arena, condition: Option<TermId>| {
        said.push(condition.and_then(|condition| arena.in_words(condition)));
    };
    let found = follow_with(module, setup, &input.to_raw(), met)?;
    Ok(found.map(|witness| witness.path.into_iter().zip(said).collect()))
}

/// Follows the path of an input, and shows the condition that it meets at each decision; none at a switch.
fn follow_with(
    module: &Arc<Module>,
    setup: &Setup,
    raw: &[u8],
    mut met: impl FnMut(&Arena, Option<TermId>),
) -> Result<Option<Witness>, LoadError> {
    let mut arena = Arena::new();
    let mut machine = Machine::start(module, setup, Inputs::Symbolic, &mut arena)?;
    let mut seed = Seed { rest: raw, bits: Vec::new(), evaluator: Evaluator::new() };
    let mut path: Vec<Decision> = Vec::new();
    let end = machine.drive(&mut arena, |machine, arena, stop| -> Result<u64, NoArm> {
        seed.read(machine);
        let (site, arms, answer) = match stop {
            Stop::Branch { site, condition } | Stop::Split { site, condition } => {
                let value = seed.value(arena, condition);
                let holds = if value != 0 { condition } else { arena.not(condition) };
                met(arena, Some(holds));
                (site, 2, value)
            }
            Stop::Switch { site, arms } => {
                let mut holds = |arm: &u32| {
                    let condition = machine.arm_condition(arena, *arm);
                    seed.value(arena, condition) != 0
                };
                let arm = (0..arms).find(&mut holds).ok_or(NoArm)?;
                met(arena, None);
                (site, arms, arm.into())
            }
            Stop::Guard { condition: term, .. }
            | Stop::Assume { condition: term }
            | Stop::Choose { term, .. } => return Ok(seed.value(arena, term)),
            Stop::End(_) => return Ok(0),
        };
        let (site, choice) = (SiteId(site.0), answer as u32);
        path.push(Decision {
            site,
            choice,
            arms,
            openness: Openness::Open,
            prev: machine.cookie(),
        });
        machine.set_cookie(path.len() as u32);
        Ok(answer)
    });
    let Ok(End::Return | End::Exit(_)) = end else { return Ok(None) };
    seed.read(&machine);
    let mut input = InputValues::new();
    for (made, bits) in machine.inputs().iter().zip(&seed.bits) {
        input.push(made.slot, *bits);
    }
    let counters = machine.counters();
    let test = PathTest::of_run(input, counters);
    Ok(Some(Witness { test, path }))
}

/// The index of a switch has no arm.
struct NoArm;

/// The values of the inputs made so far.
struct Seed<'a> {
    rest: &'a [u8],
    bits: Vec<u64>,
    evaluator: Evaluator,
}

impl Seed<'_> {
    /// Gives every new input of the machine its value.
    fn read(&mut self, machine: &Machine) {
        for input in &machine.inputs()[self.bits.len()..] {
            let bytes = input.slot.ty.bytes() as usize;
            let (head, rest) = self.rest.split_at(bytes.min(self.rest.len()));
            self.rest = rest;
            let bits = head.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            self.bits.push(nearest(input.slot, bits));
            self.evaluator.forget();
        }
    }

    fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        let bits = &self.bits;
        self.evaluator.value(arena, term, |v: VarId| bits.get(v.0 as usize).copied().unwrap_or(0))
    }
}

fn nearest(slot: Slot, bits: u64) -> u64 {
    match (slot.domain, slot.ty.integer(bits)) {
        (Some((low, high)), Some(value)) => value.clamp(low, high) as u64 & slot.ty.mask(),
        _ => bits,
    }
}
