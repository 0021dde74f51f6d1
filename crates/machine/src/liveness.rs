//! Which slots of an activation are still to be read, at every instruction.
//!
//! A slot that is dead holds whatever an earlier computation left there, terms that are gone
//! included: two states that differ in dead slots alone are the same state. The sets are found
//! backwards over the code of one function, once, when somebody asks for the function.

use crate::code::{Code, Slot};
use crate::module::Module;
use std::collections::BTreeMap;

/// Live slots of the functions that were asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// By the entry of the function.
    functions: BTreeMap<u32, Function>,
}

#[derive(Clone, Debug)]
struct Function {
    entry: u32,
    /// Words of a set.
    words: usize,
    /// Sets before each instruction, one after the other.
    live: Vec<u64>,
}

impl Function {
    fn at(&self, pc: u32) -> &[u64] {
        let from = (pc - self.entry) as usize * self.words;
        &self.live[from..from + self.words]
    }
}

impl Liveness {
    /// Visits the slots that are live before the instructions at `points`, in increasing order;
    /// all of them in one function.
    pub(crate) fn at(
        &mut self,
        module: &Module,
        function: u32,
        points: &[u32],
        mut visit: impl FnMut(Slot),
    ) {
        let entry = module.functions[function as usize].entry;
        let of = self.functions.entry(entry).or_insert_with(|| analyse(module, function));
        for word in 0..of.words {
            let mut bits = points.iter().fold(0, |bits, &pc| bits | of.at(pc)[word]);
            while bits != 0 {
                visit((word as u32 * 64 + bits.trailing_zeros()) as Slot);
                bits &= bits - 1;
            }
        }
    }
}

fn analyse(module: &Module, function: u32) -> Function {
    let info = &module.functions[function as usize];
    let entry = info.entry;
    // Functions lie one after the other.
    let entries = module.functions.iter().filter(|f| f.host.is_none()).map(|f| f.entry);
    let end = entries.filter(|e| *e > entry).min().unwrap_or(module.code.len() as u32);
    let words = (info.slots as usize).div_ceil(64).max(1);
    let count = (end - entry) as usize;
    let mut live = vec![0u64; count * words];
    let mut set = vec![0u64; words];
    // Loops make several rounds: until nothing changes.
    loop {
        let mut changed = false;
        for i in (0..count).rev() {
            let code = module.code[entry as usize + i];
            set.fill(0);
            let mut join = |to: u32| {
                let from = (to - entry) as usize * words;
                set.iter_mut().zip(&live[from..from + words]).for_each(|(a, b)| *a |= b);
            };
            let next = entry + i as u32 + 1;
            match code {
                Code::Switch { table, .. } => {
                    module.jump_tables[table as usize].targets.iter().for_each(|to| join(*to));
                }
                Code::Return { .. } | Code::Unreachable => {}
                _ => match code.target() {
                    Some((to, true)) => {
                        join(to);
                        join(next);
                    }
                    Some((to, false)) => join(to),
                    None if next < end => join(next),
                    None => {}
                },
            }
            accesses(module, code, |slot, access| {
                let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
                match access {
                    Access::Write => set[word] &= !bit,
                    Access::Read => set[word] |= bit,
                }
            });
            let at = i * words;
            if live[at..at + words] != set[..] {
                live[at..at + words].copy_from_slice(&set);
                changed = true;
            }
        }
        if !changed {
            return Function { entry, words, live };
        }
    }
}

pub(crate) enum Access {
    Write,
    Read,
}

/// Visits the slots of an instruction: those it writes, then those it reads.
pub(crate) fn accesses(module: &Module, code: Code, mut visit: impl FnMut(Slot, Access)) {
    use Code::*;
    let mut range = |from: Slot, count: u16, write: bool| {
        for slot in from..from + count {
            visit(slot, if write { Access::Write } else { Access::Read });
        }
    };
    match code {
        Block { .. } | Jump { .. } | Unreachable | DataDrop { .. } | ElemDrop { .. } => {}
        Const { d, .. } | GlobalGet { d, .. } | MemorySize { d } | TableSize { d, .. } => {
            range(d, 1, true);
        }
        Copy { d, a }
        | I32AddK { d, a, .. }
        | BinK { d, a, .. }
        | I32MulK { d, a, .. }
        | I32AndK { d, a, .. }
        | I32ShlK { d, a, .. }
        | I32ShrSK { d, a, .. }
        | I32ShrUK { d, a, .. }
        | Un { d, a, .. }
        | Conv { d, a, .. }
        | Load { d, a, .. }
        | MemoryGrow { d, a }
        | TableGet { d, a, .. } => {
            range(d, 1, true);
            range(a, 1, false);
        }
        I32Add { d, a, b }
        | Bin { d, a, b, .. }
        | I32Sub { d, a, b }
        | I32Mul { d, a, b }
        | I32And { d, a, b }
        | I32Shl { d, a, b }
        | I32ShrU { d, a, b }
        | Div { d, a, b, .. }
        | Float { d, a, b, .. } => {
            range(d, 1, true);
            range(a, 1, false);
            range(b, 1, false);
        }
        Select { d, c, a, b, .. } => {
            range(d, 1, true);
            range(c, 1, false);
            range(a, 1, false);
            range(b, 1, false);
        }
        Store { a, v, .. } | TableSet { a, v, .. } => {
            range(a, 1, false);
            range(v, 1, false);
        }
        GlobalSet { a, .. } => range(a, 1, false),
        JumpIf { c, .. } | JumpUnless { c, .. } => range(c, 1, false),
        JumpCmp { a, b, .. }
        | JumpEq { a, b, .. }
        | JumpNe { a, b, .. }
        | JumpLtS { a, b, .. }
        | JumpLtU { a, b, .. }
        | JumpLeS { a, b, .. }
        | JumpLeU { a, b, .. } => {
            range(a, 1, false);
            range(b, 1, false);
        }
        JumpCmpK { a, .. }
        | JumpEqK { a, .. }
        | JumpNeK { a, .. }
        | JumpLtSK { a, .. }
        | JumpLtUK { a, .. }
        | JumpGtSK { a, .. }
        | JumpGtUK { a, .. }
        | JumpLeSK { a, .. }
        | JumpLeUK { a, .. }
        | JumpGeSK { a, .. }
        | JumpGeUK { a, .. } => range(a, 1, false),
        Switch { index, .. } => range(index, 1, false),
        Call { func, base } | CallHost { func, base } => {
            let info = &module.functions[func as usize];
            range(base, info.results, true);
            range(base, info.params, false);
        }
        CallIndirect { ty, index, base, .. } => {
            let ty = &module.types[ty as usize];
            range(base, ty.results.len() as u16, true);
            range(base, ty.params.len() as u16, false);
            range(index, 1, false);
        }
        Return { from, count } => range(from, count, false),
        MemoryCopy { base }
        | MemoryFill { base }
        | MemoryInit { base, .. }
        | TableFill { base, .. }
        | TableCopy { base, .. }
        | TableInit { base, .. } => range(base, 3, false),
        TableGrow { d, .. } => {
            range(d, 1, true);
            range(d, 2, false);
        }
    }
}

/// The slots that a call leaves its results in: the slots that it overwrites, whatever was there.
pub(crate) fn results_of_call(module: &Module, pc: u32) -> std::ops::Range<Slot> {
    match module.code.get(pc as usize) {
        Some(Code::Call { func, base }) => *base..*base + module.functions[*func as usize].results,
        Some(Code::CallIndirect { ty, base, .. }) => {
            *base..*base + module.types[*ty as usize].results.len() as u16
        }
        _ => 0..0,
    }
}
