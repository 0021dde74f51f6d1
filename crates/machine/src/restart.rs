//! Many runs of one program: what all of them begin with is made once.
//!
//! Before a program is entered its memory is filled, its start function runs, and the initialiser of a reactor. None of
//! that depends on the input, so it is done once; a run gets a copy, and of the memory of an earlier run only the pages
//! that it wrote are put back.
//!
//! *Cost of a start*: the arguments, one copy of globals and tables, and 4 KiB for each page that the run before wrote.

use crate::error::LoadError;
use crate::machine::{Inputs, Machine, Slots};
use crate::memory::Memory;
use crate::module::Module;
use crate::setup::Setup;
use pessimum_entry::InputValues;
use pessimum_term::Arena;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of the largest memory that is kept for the next run.
const LARGEST: u64 = 64 << 20;

/// What runs of a program at a size begin with.
#[derive(Debug)]
pub struct Restart {
    /// A machine that did what the module does by itself, but for its memory.
    ready: Machine,
    memory: Memory,
    /// Memories and registers of runs that are over.
    spare: Mutex<Vec<(Memory, Slots)>>,
}

impl Restart {
    /// Does once what every run begins with; `None` where that depends on the input, does not come to an end, or takes
    /// too much memory to be kept.
    pub fn new(module: &Arc<Module>, setup: &Setup) -> Option<Restart> {
        let inputs = Inputs::Concrete(InputValues::new());
        let mut ready = Machine::ready(module, setup, inputs, &mut Arena::new()).ok()?;
        if !ready.inputs.is_empty() || ready.memory.size() > LARGEST {
            return None;
        }
        let memory = std::mem::take(&mut ready.memory).image();
        Some(Restart { ready, memory, spare: Mutex::default() })
    }

    /// The machine that [`Machine::start`] gives for this input. The program and the size are those it was made for; limits may
    /// be others.
    pub fn start(
        &self,
        setup: &Setup,
        input: InputValues,
        arena: &mut Arena,
    ) -> Result<Machine, LoadError> {
        let inputs = Inputs::Concrete(input);
        if self.ready.counters.executed() > setup.limits.instructions {
            return Machine::start(&self.ready.module, setup, inputs, arena);
        }
        let mut machine = self.ready.clone();
        (machine.memory, machine.slots) = self.fresh();
        machine.limits = setup.limits.clone();
        machine.source = inputs;
        machine.look_from_the_start();
        machine.enter(setup, arena)
    }

    fn fresh(&self) -> (Memory, Slots) {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some((mut memory, slots)) = spare else {
            return (self.memory.clone(), Slots::default());
        };
        let restored = memory.restore(&self.memory);
        (if restored { memory } else { self.memory.clone() }, slots)
    }

    /// Takes the memory of a run that it started and that is over, for one that comes.
    pub fn give_back(&self, machine: Machine) {
        if machine.memory.size() <= LARGEST {
            let spare = (machine.memory, machine.slots);
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(spare);
        }
    }
}
