//! Where an input sends the accesses whose address depends on it, and what held on the way: enough to look for
//! other values that go to a place of one's choice.

use crate::budget::Budget;
use crate::follow::{Meeting, follow_with};
use pessimum_entry::{InputValues, Slot};
use pessimum_machine::{Limits, LoadError, Module, Setup};
use pessimum_term::{Arena, TermId};
use std::collections::HashSet;
use std::sync::Arc;

/// One load or store whose address depended on the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Which instruction of the module made it.
    pub instruction: u32,
    /// The address, as a term over the inputs.
    pub address: TermId,
    /// Where it went.
    pub place: u64,
}

/// The accesses of one run, each once.
#[derive(Debug)]
pub struct Accesses {
    /// Holds the terms.
    pub arena: Arena,
    /// Inputs of the program in the order in which it makes them: number k is variable k of the terms.
    pub inputs: Vec<(Slot, u64)>,
    /// Accesses, in order.
    pub all: Vec<Access>,
    /// Conditions that held on the path, in order; those of switches are missing.
    pub conditions: Vec<TermId>,
    /// What following the input took.
    pub work: u64,
}

/// Follows an input and notes where its accesses go; `None` where it does not end normally within the budget.
pub fn accesses(
    module: &Arc<Module>,
    setup: &Setup,
    input: &InputValues,
    budget: &Budget,
) -> Result<Option<Accesses>, LoadError> {
    let (mut all, mut conditions) = (Vec::new(), Vec::new());
    let (mut met, mut held, mut work) = (HashSet::new(), HashSet::new(), 0);
    // Every address is asked for: none becomes an if-then-else over the places it may name.
    let limits = Limits { region: 0, ..setup.limits.clone() };
    let setup = Setup { limits, ..setup.clone() };
    let mut arena = Arena::new();
    let show = |at: Meeting<'_>| match at {
        Meeting::Decision(at) => {
            work = at.work;
            conditions.extend(at.holds.filter(|condition| held.insert(*condition)));
        }
        Meeting::Access(access, so_far) => {
            work = so_far;
            if met.insert(access) {
                all.push(access);
            }
        }
    };
    let found = follow_with(module, &setup, &mut arena, (&input.to_raw(), 0), budget, show)?;
    let inputs = found.and_then(|witness| witness.test.input);
    Ok(inputs.map(|inputs| {
        let inputs = inputs.iter().copied().collect();
        Accesses { arena, inputs, all, conditions, work }
    }))
}
