//! The state of a run as seen from outside: memory and globals, concrete or terms.

use crate::machine::Machine;
use crate::value::Value;
use pessimum_term::Arena;
use wasmparser::ExternalKind;

impl Machine {
    /// The bytes of the memory. A byte that is part of a term has an arbitrary value here:
    /// [`Machine::read`] tells them apart.
    pub fn memory_bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// One, two, four or eight bytes at an address as one little-endian value; `None` outside of
    /// the memory.
    pub fn read(&self, arena: &mut Arena, address: u64, len: u32) -> Option<Value> {
        let readable = matches!(len, 1 | 2 | 4 | 8) && self.memory.in_bounds(address, len.into());
        readable.then(|| self.memory.load(arena, address, len))
    }

    /// Every global, imported ones first.
    pub fn globals(&self) -> &[Value] {
        &self.globals
    }

    /// The global of an export.
    pub fn exported_global(&self, name: &str) -> Option<Value> {
        let exports = &self.module().exports;
        let export = exports.iter().find(|e| e.0 == name && e.1 == ExternalKind::Global)?;
        self.globals.get(export.2 as usize).copied()
    }
}
