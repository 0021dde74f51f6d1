//! The state of a run for whoever compares states: what decides what comes next.
//!
//! Two runs go on alike if their *control* is the same ([`Machine::control`]: where they stand, in
//! which activations, with which numbers in live slots, and what the host remembers), and if what
//! is read below is the same ([`Machine::cells`]), up to the names of the inputs.

use super::{Machine, Pending};
use crate::footprint::{Accesses, Footprint, Recorder};
use crate::liveness::{Liveness, results_of_call};
use crate::pools::Pools;
use crate::value::Value;
use pessimum_term::TermId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A state, or a part of one, written down: numbers as they are, terms in the order they occur.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Numbers, and for each place whether a number or a term is there, in an order that can be
    /// read back: equal words and equal terms are equal states.
    pub words: Vec<u64>,
    /// The terms, in the order of their places.
    pub terms: Vec<TermId>,
    /// The addresses of nodes, in the order of their places.
    pub pointers: Vec<u64>,
    /// The names of the nodes that are at these addresses, if nodes are named.
    pub names: Vec<u64>,
    /// How many of the addresses have a name.
    named: usize,
}

impl Written {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.terms.clear();
        self.pointers.clear();
        self.names.clear();
        self.named = 0;
    }

    /// Where names go.
    pub(crate) fn names(&mut self) -> &mut Vec<u64> {
        &mut self.names
    }

    /// The addresses that have no name yet, and where names go.
    pub(crate) fn unnamed(&mut self) -> (Vec<u64>, &mut Vec<u64>) {
        let pointers = self.pointers[self.named..].to_vec();
        self.named = self.pointers.len();
        (pointers, &mut self.names)
    }

    /// Notes what is in a place with a number of its own.
    fn value(&mut self, place: u64, value: Value, pools: Option<&Pools>) {
        match value.as_term() {
            Some(t) => {
                self.words.push(place << 1 | 1);
                self.terms.push(t);
            }
            None if pools.is_some_and(|pools| pools.node(value.bits).is_some()) => {
                self.words.extend([place << 1, u64::MAX, u64::MAX]);
                self.pointers.push(value.bits);
            }
            None => self.words.extend([place << 1, value.bits]),
        }
    }
}

/// Keeps the words that are hashed.
struct Words<'a>(&'a mut Vec<u64>);

impl Hasher for Words<'_> {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0.push(u64::from_le_bytes(word));
        }
    }
}

/// What [`Machine::control`] finds out once.
#[derive(Clone, Debug, Default)]
pub struct LiveSlots(Liveness);

impl Machine {
    /// Records what is read and written from now on, or no more. Calls are made as often as they are.
    pub fn record_accesses(&mut self, on: bool) {
        let recorder = || {
            let pools = Arc::new(Pools::of(&self.module));
            Box::new(Recorder::watching(pools))
        };
        self.recorder = on.then(recorder);
        // One recorder at a time.
        (self.summaries, self.settled) = (None, None);
    }

    /// What was read and written since the last call; nothing, and opaque, where it was not recorded.
    pub fn take_accesses(&mut self) -> Accesses {
        match &mut self.recorder {
            Some(recorder) => recorder.take(),
            None => Accesses { opaque: true, ..Accesses::default() },
        }
    }

    /// Whether what is not written down is the same in all states of a walk: tables and dropped
    /// segments have not changed since the first mark, and no one watches.
    pub fn is_comparable(&self) -> bool {
        self.rare_log.is_empty()
            && self.watch.is_none()
            && self.assumptions.is_empty()
            && !self.assuming
            && self.profile.is_none()
            && self.trace.is_none()
    }

    /// Writes down where the run stands: the decision it waits for, activations, live slots, the
    /// size of the memory and what the host remembers. Terms in slots come after the terms of the
    /// decision.
    pub fn control(&self, live: &mut LiveSlots, asked: &[TermId], out: &mut Written) {
        out.clear();
        let (module, pools) = (&self.module, self.pools());
        out.words.push(u64::from(self.pc));
        let mut points = [0; 2];
        let mut after: &[u32] = match self.pending {
            Pending::Branch { taken, other, .. } => {
                points = [taken, other];
                &points
            }
            Pending::Switch { table, .. } => &module.jump_tables[table as usize].targets,
            _ => {
                points[0] = self.pc;
                &points[..1]
            }
        };
        out.words.push(asked.len() as u64);
        out.terms.extend_from_slice(asked);
        let counters = &self.counters;
        out.words.extend([
            u64::from(self.memory.pages()),
            self.inputs.len() as u64,
            counters.active,
            u64::from(self.guards_passed) << 1 | u64::from(counters.in_allocator),
            self.frames.len() as u64,
        ]);
        self.wasi.hash(&mut Words(&mut out.words));
        let mut returns;
        let mut results = 0..0;
        for frame in self.frames[self.floor as usize..].iter().rev() {
            out.words.push(u64::from(frame.function) << 32 | u64::from(frame.return_pc));
            live.0.at(module, frame.function, after, |slot| {
                if results.contains(&slot) {
                    return;
                }
                let value = self.regs[frame.base as usize + slot as usize];
                out.value(u64::from(slot), value, pools);
            });
            returns = [frame.return_pc];
            after = &returns;
            results = results_of_call(module, frame.return_pc.wrapping_sub(1));
            if out.words.len() > MOST_WORDS {
                // Deep recursion: comparing such states costs more than it can save.
                break;
            }
        }
    }

    /// Whether [`Machine::control`] wrote everything down.
    pub fn fits(out: &Written) -> bool {
        out.words.len() <= MOST_WORDS
    }

    /// Writes down what is at the locations of a footprint.
    pub fn cells(&self, footprint: &Footprint, out: &mut Written) {
        out.clear();
        let pools = self.pools();
        let mut globals = footprint.globals;
        while globals != 0 {
            let global = globals.trailing_zeros();
            globals &= globals - 1;
            if let Some(value) = self.globals.get(global as usize) {
                out.value(u64::from(global), *value, pools);
            }
        }
        for &input in &footprint.inputs {
            if let Some(made) = self.inputs.get(input as usize) {
                out.value(u64::from(input), made.value, pools);
            }
        }
        for &(line, mask) in footprint.memory.lines() {
            let base = u64::from(line) * 64;
            let pointers = self.pointers_in(base, mask, out);
            self.memory.write_down(base, mask & !pointers, out);
        }
    }
}

impl Written {
    /// Notes a number.
    pub(crate) fn number(&mut self, bits: u64) {
        self.words.push(bits);
    }

    /// Notes a byte of a term.
    pub(crate) fn byte_of(&mut self, t: TermId, byte: u32) {
        self.words.push(u64::from(byte));
        self.terms.push(t);
    }
}

/// Words beyond which states are not compared.
const MOST_WORDS: usize = 1 << 14;
