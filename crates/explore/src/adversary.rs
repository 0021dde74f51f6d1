//! An input that is made up while the program runs, against it: McIlroy's adversary ("A killer adversary for quicksort",
//! 1999) for every program that compares its inputs.
//!
//! A value that was not decided on yet is greater than all that were. Where two of them are compared, one has to be decided on:
//! it becomes the next greater one, and it is the one that was last found to be greater than a value, which is how a
//! program treats its pivot. So a pivot always has next to nothing below it, however it was chosen. No answer is ever
//! taken back, so that the values that come out lead the program the same way once more.

use crate::budget::Budget;
use crate::follow::work_of;
use pessimum_entry::{InputValues, Slot};
use pessimum_machine::{End, Inputs, Limits, LoadError, Machine, Module, Setup, Stop};
use pessimum_term::{Arena, Evaluator, TermId, VarId};
use std::sync::Arc;

/// An input that was made up, and what that took.
#[derive(Clone, PartialEq, Debug)]
pub struct MadeUp {
    /// The input.
    pub input: InputValues,
    /// What following it took.
    pub work: u64,
}

/// Terms of a condition beyond which it is no comparison of two values.
const TERMS: usize = 32;

/// Makes up an input against the program; `None` where the program does not end normally within the budget, or where
/// there are not enough values for all inputs to differ.
pub fn adversary(
    module: &Arc<Module>,
    setup: &Setup,
    budget: &Budget,
) -> Result<Option<MadeUp>, LoadError> {
    // An address is a number, not one of several.
    let limits = Limits { region: 0, ..setup.limits.clone() };
    let setup = Setup { limits, ..setup.clone() };
    let mut arena = Arena::new();
    let mut machine = Machine::start(module, &setup, Inputs::Symbolic, &mut arena)?;
    machine.limit(budget.work.unwrap_or(u64::MAX), &budget.deadline);
    let mut values = Values::default();
    let end = machine.drive(&mut arena, |machine, arena, stop| -> Result<u64, GivenUp> {
        if budget.work.is_some_and(|limit| work_of(machine) > limit) || budget.is_over() {
            return Err(GivenUp);
        }
        let made = machine.inputs()[values.slots.len()..].iter();
        values.take(made.map(|input| input.slot));
        match stop {
            Stop::Branch { condition: term, .. }
            | Stop::Split { condition: term, .. }
            | Stop::Guard { condition: term, .. }
            | Stop::Assume { condition: term }
            | Stop::Choose { term, .. } => values.answer(arena, term),
            Stop::Switch { arms, .. } => {
                for arm in 0..arms {
                    let condition = machine.arm_condition(arena, arm);
                    if values.answer(arena, condition)? != 0 {
                        return Ok(arm.into());
                    }
                }
                Err(GivenUp)
            }
            Stop::End(_) => Ok(0),
        }
    });
    let Ok(End::Return | End::Exit(_)) = end else { return Ok(None) };
    values.take(machine.inputs()[values.slots.len()..].iter().map(|input| input.slot));
    let work = work_of(&machine);
    Ok(values.into_input().map(|input| MadeUp { input, work }))
}

/// There is no answer, or the budget is used up.
struct GivenUp;

/// The values of the inputs made so far.
#[derive(Default)]
struct Values {
    slots: Vec<Slot>,
    bits: Vec<u64>,
    /// Which of them were decided on.
    decided: Vec<bool>,
    /// How many those are.
    count: u64,
    /// The one that was last found to be greater than another.
    candidate: Option<VarId>,
    evaluator: Evaluator,
}

impl Values {
    /// Takes inputs in, of which nothing is decided.
    fn take(&mut self, slots: impl Iterator<Item = Slot>) {
        for slot in slots {
            self.bits.push(greatest(slot));
            self.slots.push(slot);
            self.decided.push(false);
            self.evaluator.forget();
        }
    }

    fn is_open(&self, v: VarId) -> bool {
        self.decided.get(v.0 as usize) == Some(&false)
    }

    /// The value of a term; where it compares two inputs that are open, one is decided on first.
    fn answer(&mut self, arena: &Arena, term: TermId) -> Result<u64, GivenUp> {
        if let Some(&[a, b]) = arena.variables_within(term, TERMS).as_deref() {
            match (self.is_open(a), self.is_open(b)) {
                (true, true) if self.candidate == Some(a) => self.decide(a)?,
                (true, true) => self.decide(b)?,
                _ => {}
            }
            let open = [a, b].into_iter().find(|v| self.is_open(*v));
            self.candidate = open.or(self.candidate);
        }
        let bits = &self.bits;
        let value = |v: VarId| bits.get(v.0 as usize).copied().unwrap_or(0);
        Ok(self.evaluator.value(arena, term, value))
    }

    /// Gives an input the next greater value.
    fn decide(&mut self, v: VarId) -> Result<(), GivenUp> {
        let at = v.0 as usize;
        self.bits[at] = nth(self.slots[at], self.count).ok_or(GivenUp)?;
        self.decided[at] = true;
        self.count += 1;
        self.evaluator.forget();
        Ok(())
    }

    /// The input, what is still open decided on in order.
    fn into_input(mut self) -> Option<InputValues> {
        for at in 0..self.slots.len() {
            let v = VarId(at as u32);
            if self.is_open(v) {
                self.decide(v).ok()?;
            }
        }
        Some(self.slots.into_iter().zip(self.bits).collect())
    }
}

/// The least and the greatest number that the adversary uses of an input; of a float with a domain, their ranks.
fn ends(slot: Slot) -> (i128, i128) {
    match (slot.domain, slot.ty.range()) {
        (Some(domain), _) => domain,
        // Numbers that people write.
        (None, Some((_, greatest))) => (0, greatest),
        // What a float counts without a gap.
        (None, None) => (0, 1 << 24),
    }
}

fn bits_of(slot: Slot, number: i128) -> Option<u64> {
    match slot.domain {
        None if slot.ty.is_float() => Some(slot.ty.bits_of_float(number as f64)),
        _ => slot.ty.bits_of_rank(number),
    }
}

/// The value of an input that is open: no other is as great.
fn greatest(slot: Slot) -> u64 {
    bits_of(slot, ends(slot).1).unwrap_or(0)
}

/// The value of the n-th input that is decided on.
fn nth(slot: Slot, n: u64) -> Option<u64> {
    let (least, greatest) = ends(slot);
    let number = least.checked_add(n.into()).filter(|number| *number < greatest)?;
    bits_of(slot, number)
}
