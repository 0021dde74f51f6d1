//! The path that one known input takes through the tree: no solver is asked, every condition has a
//! value.

use crate::accesses::Access;
use crate::budget::Budget;
use crate::explorer::{PLACE_WEIGHT, REWRITE_WEIGHT};
use crate::outcome::{PathTest, Witness};
use pessimum_entry::InputValues;
use pessimum_learn::{Decision, Openness, SiteId};
use pessimum_machine::{End, Inputs, LoadError, Machine, Module, Purpose, Setup, Stop};
use pessimum_term::{Arena, Evaluator, TermId, VarId};
use std::sync::Arc;

/// Follows the path of an input given as raw bytes: values one after the other, little-endian. Bytes
/// that are missing are zeros, those left over are not looked at, and a value outside of its domain
/// becomes the nearest inside, so that inputs of other sizes can be followed as well. `None` when the
/// program does not end normally on it, or not within the budget.
///
/// Whether a decision was open is not found out; it is called open.
pub fn follow(
    module: &Arc<Module>,
    setup: &Setup,
    raw: &[u8],
    budget: &Budget,
) -> Result<Option<Witness>, LoadError> {
    follow_with(module, setup, &mut Arena::new(), (raw, 0), budget, |_| {})
}

/// A decision, and the condition that an input meets there, where it is a simple one.
pub type Met = (Decision, Option<String>);

/// The decisions on the path of an input, as [`follow`] has them, each with the condition that the input meets
/// there, where it is one that people would write: `a[3] > a[5]`, with the names of the function's `parameters`. Inputs
/// that have no name are called by their numbers, `x3`. `None` when the program does not end normally, or not within the
/// budget.
pub fn conditions(
    module: &Arc<Module>,
    setup: &Setup,
    parameters: &[String],
    input: &InputValues,
    budget: &Budget,
) -> Result<Option<Vec<Met>>, LoadError> {
    let name = |var: VarId| {
        let name = setup.invocation.input_name(parameters, var.0 as usize);
        name.unwrap_or_else(|| format!("x{}", var.0))
    };
    let mut said = Vec::new();
    let met = |at: Meeting<'_>| {
        if let Meeting::Decision(at) = at {
            said.push(at.holds.and_then(|condition| at.arena.in_words(condition, &name)));
        }
    };
    let mut arena = Arena::new();
    let found = follow_with(module, setup, &mut arena, (&input.to_raw(), 0), budget, met)?;
    Ok(found.map(|witness| witness.path.into_iter().zip(said).collect()))
}

/// What an input meets on its path.
pub(crate) enum Meeting<'a> {
    Decision(DecisionMet<'a>),
    /// A load or store whose address depends on the input; and what following it has taken so far.
    Access(Access, u64),
}

/// What an input meets at a decision.
#[derive(Clone, Copy)]
pub(crate) struct DecisionMet<'a> {
    pub(crate) arena: &'a Arena,
    /// The condition that holds; none at a switch.
    pub(crate) holds: Option<TermId>,
    /// The conditions of the first arms of a switch, but for the one that holds.
    pub(crate) others: &'a [TermId],
    /// The values of the inputs made so far, in their order.
    pub(crate) bits: &'a [u64],
    /// What following it has taken so far.
    pub(crate) work: u64,
}

/// Follows the path of an input, and shows what it meets at each decision, of a switch so many arms, and at each access.
pub(crate) fn follow_with(
    module: &Arc<Module>,
    setup: &Setup,
    arena: &mut Arena,
    (raw, shown_arms): (&[u8], u32),
    budget: &Budget,
    mut met: impl FnMut(Meeting<'_>),
) -> Result<Option<Witness>, LoadError> {
    let mut machine = Machine::start(module, setup, Inputs::Symbolic, arena)?;
    machine.limit(budget.work.unwrap_or(u64::MAX), &budget.deadline);
    let mut seed = Seed { rest: raw, bits: Vec::new(), evaluator: Evaluator::new() };
    let mut path: Vec<Decision> = Vec::new();
    let end = machine.drive(arena, |machine, arena, stop| -> Result<u64, GivenUp> {
        let work = work_of(machine);
        let is_spent = budget.work.is_some_and(|limit| work > limit);
        if is_spent || budget.is_over() {
            return Err(GivenUp);
        }
        seed.read(machine);
        let (site, arms, answer) = match stop {
            Stop::Branch { site, condition } | Stop::Split { site, condition } => {
                let value = seed.value(arena, condition);
                let holds = if value != 0 { condition } else { arena.not(condition) };
                let (holds, bits) = (Some(holds), &seed.bits);
                met(Meeting::Decision(DecisionMet { arena, holds, others: &[], bits, work }));
                (site, 2, value)
            }
            Stop::Switch { site, arms } => {
                let mut holds = |arm: &u32| {
                    let condition = machine.arm_condition(arena, *arm);
                    seed.value(arena, condition) != 0
                };
                let arm = (0..arms).find(&mut holds).ok_or(GivenUp)?;
                let shown = (0..arms.min(shown_arms)).filter(|other| *other != arm);
                let others: Vec<TermId> =
                    shown.map(|other| machine.arm_condition(arena, other)).collect();
                let (others, bits) = (&others, &seed.bits);
                met(Meeting::Decision(DecisionMet { arena, holds: None, others, bits, work }));
                (site, arms, arm.into())
            }
            Stop::Choose { term, purpose: Purpose::Load | Purpose::Store } => {
                let (instruction, place) = (machine.position(), seed.value(arena, term));
                met(Meeting::Access(Access { instruction, address: term, place }, work));
                return Ok(place);
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

/// What following one path has taken so far.
pub(crate) fn work_of(machine: &Machine) -> u64 {
    machine.counters().all_instructions
        + machine.rewritten() * REWRITE_WEIGHT
        + machine.looked_at() * PLACE_WEIGHT
}

/// The index of a switch has no arm, or the budget is used up.
struct GivenUp;

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
            self.bits.push(input.slot.nearest(bits));
            self.evaluator.forget();
        }
    }

    fn value(&mut self, arena: &Arena, term: TermId) -> u64 {
        let bits = &self.bits;
        self.evaluator.value(arena, term, |v: VarId| bits.get(v.0 as usize).copied().unwrap_or(0))
    }
}
