//! Loads and stores with terms in them.

use crate::code::{LoadKind, StoreKind};
use crate::machine::Machine;
use crate::region::{self, Places, Stored};
use crate::stop::{End, Purpose, Stop, Trap};
use crate::symbolic;
use crate::value::Value;
use pessimum_term::{Arena, Op, TermId, Width};
use std::collections::BTreeMap;

/// Most places that a load with an address out of hand is followed to; a memory of two MiB has as
/// many words. Each is looked at once, so this costs milliseconds.
const MANY_PLACES: u64 = 1 << 19;
/// Most different contents of many places that become one term.
const MANY_CONTENTS: usize = 64;
/// Most changes of content from one place to the next, for the same reason.
const STRETCHES: usize = 256;

impl Machine {
    #[cold]
    pub(super) fn load(
        &mut self,
        arena: &mut Arena,
        kind: LoadKind,
        at: Value,
        offset: u32,
    ) -> Result<Value, Stop> {
        let len = kind.bytes();
        let Some(t) = at.as_term() else {
            let address = at.bits + u64::from(offset);
            self.watch_load(address, len)?;
            if !self.memory.in_bounds(address, u64::from(len)) {
                return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
            }
            let shadow = if len == 1 { self.memory.term_at(address) } else { 0 };
            if shadow != 0
                && let Some(settled) = &self.settled
                && let Some(value) = settled.loaded(kind, shadow)
            {
                return Ok(value);
            }
            let raw = self.memory.load(arena, address, len);
            let value = symbolic::extend_loaded(arena, kind, raw);
            if shadow != 0
                && let Some(settled) = &mut self.settled
            {
                settled.load(kind, shadow, value);
            }
            return Ok(value);
        };
        let places = self.resolve_address(arena, t, offset, len, Purpose::Load)?;
        match self.read_places(arena, &places, t, offset, len) {
            Some(raw) => Ok(symbolic::extend_loaded(arena, kind, raw)),
            None => Err(self.stop_choose(t, Purpose::Load)),
        }
    }

    #[cold]
    pub(super) fn store(
        &mut self,
        arena: &mut Arena,
        kind: StoreKind,
        at: Value,
        value: Value,
        offset: u32,
    ) -> Result<(), Stop> {
        let len = kind.bytes();
        let log = self.logging();
        let Some(t) = at.as_term() else {
            let address = at.bits + u64::from(offset);
            self.watch_store(address, len)?;
            if !self.memory.in_bounds(address, u64::from(len)) {
                return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
            }
            self.memory.store(arena, address, len, value, log);
            return Ok(());
        };
        let places = self.resolve_address(arena, t, offset, len, Purpose::Store)?;
        self.spoil_calls();
        let addresses = places.addresses();
        // Every place keeps what it had, or gets what is stored: it is read, and then overwritten.
        for address in &addresses {
            self.note_bytes_read(address + u64::from(offset), u64::from(len));
        }
        for address in &addresses {
            self.note_bytes_written(address + u64::from(offset), u64::from(len));
        }
        let width = Width::new(8 * len);
        let new = match value.as_term() {
            Some(v) if arena.width(v) != width => arena.extract(v, 0, width),
            Some(v) => v,
            None => arena.constant(width, value.bits),
        };
        if addresses.windows(2).any(|w| w[1] - w[0] < u64::from(len)) {
            self.store_bytes(arena, t, &addresses, offset, len, new);
            return Ok(());
        }
        let olds: Vec<Value> =
            addresses.iter().map(|a| self.memory.load(arena, a + u64::from(offset), len)).collect();
        let mut conditions = Vec::with_capacity(addresses.len());
        for (address, old) in addresses.iter().zip(olds) {
            let k = arena.constant(Width::W32, *address);
            let here = arena.binary(Op::Eq, t, k);
            conditions.push((*address, here));
            let old = old.to_term(arena, width);
            let merged = arena.ite(here, new, old);
            let merged = Value::of_term(arena, merged);
            self.memory.store(arena, address + u64::from(offset), len, merged, log);
        }
        self.stored_at.push(Stored { at: (t, offset), here: conditions.into() });
        Ok(())
    }

    /// What is at one of several places; `None` when too many different things are.
    pub(super) fn read_places(
        &mut self,
        arena: &mut Arena,
        places: &Places,
        t: TermId,
        offset: u32,
        len: u32,
    ) -> Option<Value> {
        let width = Width::new(8 * len);
        // A few places may all be different; of many, most have to be alike.
        let limit = if places.at.len() as u64 <= self.limits.region {
            self.limits.region as usize
        } else {
            MANY_CONTENTS
        };
        let mut contents: Vec<TermId> = Vec::with_capacity(places.at.len());
        let mut changes = 0;
        for &(_, address) in &places.at {
            self.note_bytes_read(address + u64::from(offset), u64::from(len));
            let raw = self.memory.load(arena, address + u64::from(offset), len);
            let raw = raw.to_term(arena, width);
            changes += usize::from(contents.last().is_some_and(|last| *last != raw));
            if changes > STRETCHES {
                return None;
            }
            contents.push(raw);
        }
        let mut layers = Vec::new();
        let mut looked_at = 0;
        if places.at.len() as u64 <= self.limits.region {
            for stored in self.stored_at.iter().rev() {
                // A store left a choice in every cell that it may have gone to.
                if contents.iter().all(|content| arena.node(*content).op != Op::Ite) {
                    break;
                }
                looked_at += places.at.len() as u64;
                layers.extend(region::peel(arena, places, &mut contents, (t, offset), stored));
            }
        }
        self.note_places(looked_at);
        let mut result = region::merged(arena, places, &contents, limit)?;
        for (same, value) in layers.into_iter().rev() {
            result = arena.ite(same, value, result);
        }
        Some(Value::of_term(arena, result))
    }

    /// A store to one of several places that overlap: every byte becomes what the place that
    /// covers it would make of it.
    pub(super) fn store_bytes(
        &mut self,
        arena: &mut Arena,
        t: TermId,
        addresses: &[u64],
        offset: u32,
        len: u32,
        new: TermId,
    ) {
        let log = self.logging();
        let pieces: Vec<TermId> = (0..len).map(|i| arena.extract(new, 8 * i, Width::W8)).collect();
        let mut merged: BTreeMap<u64, TermId> = BTreeMap::new();
        for address in addresses {
            let k = arena.constant(Width::W32, *address);
            let here = arena.binary(Op::Eq, t, k);
            for (i, piece) in pieces.iter().enumerate() {
                let at = address + u64::from(offset) + i as u64;
                let old = match merged.get(&at) {
                    Some(old) => *old,
                    None => self.memory.byte(arena, at).to_term(arena, Width::W8),
                };
                merged.insert(at, arena.ite(here, *piece, old));
            }
        }
        for (at, byte) in merged {
            let byte = Value::of_term(arena, byte);
            self.memory.store(arena, at, 1, byte, log);
        }
    }

    /// The addresses a term can be: split on what is inside, rule out the trap, then list them if
    /// they are few, else ask.
    pub(super) fn resolve_address(
        &mut self,
        arena: &mut Arena,
        t: TermId,
        offset: u32,
        len: u32,
        purpose: Purpose,
    ) -> Result<Places, Stop> {
        self.split_first(arena, t)?;
        if self.watch.is_some() || self.limits.region == 0 {
            return Err(self.stop_choose(t, purpose));
        }
        let Some(last) = self.memory.size().checked_sub(u64::from(offset) + u64::from(len)) else {
            return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
        };
        if arena.range(t).umax > last {
            let limit = arena.constant(Width::W32, last);
            let outside = arena.binary(Op::Ult, limit, t);
            self.guard(arena, outside, Trap::MemoryOutOfBounds)?;
        }
        if !self.region.is_empty() {
            return Ok(Places::listed(t, &std::mem::take(&mut self.region)));
        }
        let limit = match purpose {
            Purpose::Load => self.limits.region.max(MANY_PLACES),
            _ => self.limits.region,
        };
        match region::places(arena, t, limit, last) {
            Some(places) => {
                self.note_places(places.at.len() as u64);
                self.note_slow(places.steps);
                Ok(places)
            }
            None => Err(self.stop_choose(t, purpose)),
        }
    }
}
