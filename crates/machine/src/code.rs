//! The machine's own instructions: Wasm with its operand stack turned into numbered slots.
//!
//! A frame holds the locals first and one slot per operand-stack position after them. Every
//! instruction names its slots, so `local.get` and most constants cost nothing at run time. An
//! instruction takes 16 bytes; a basic block begins with [`Code::Block`], which carries what the
//! block costs, so nothing is counted per instruction.

use crate::memory::Memory;
use crate::numeric::{BinOp, ConvOp, DivOp, FloatOp, UnOp};

/// A slot of the current frame.
pub(crate) type Slot = u16;

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Code {
    /// A basic block begins: its number of Wasm instructions and its price in the cost model.
    Block {
        instructions: u32,
        cost: u32,
        block: u32,
    },
    Const {
        d: Slot,
        value: u64,
    },
    Copy {
        d: Slot,
        a: Slot,
    },
    I32Add {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    I32AddK {
        d: Slot,
        a: Slot,
        k: i32,
    },
    Bin {
        op: BinOp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    BinK {
        op: BinOp,
        d: Slot,
        a: Slot,
        k: i32,
    },
    // Frequent arithmetic of 32 bits, likewise.
    I32Sub {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    I32Mul {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    I32And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    I32Shl {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    I32ShrU {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    I32MulK {
        d: Slot,
        a: Slot,
        k: i32,
    },
    I32AndK {
        d: Slot,
        a: Slot,
        k: i32,
    },
    I32ShlK {
        d: Slot,
        a: Slot,
        k: i32,
    },
    I32ShrSK {
        d: Slot,
        a: Slot,
        k: i32,
    },
    I32ShrUK {
        d: Slot,
        a: Slot,
        k: i32,
    },
    Un {
        op: UnOp,
        d: Slot,
        a: Slot,
    },
    Div {
        op: DivOp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Float {
        op: FloatOp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Conv {
        op: ConvOp,
        d: Slot,
        a: Slot,
    },
    Load {
        kind: LoadKind,
        d: Slot,
        a: Slot,
        offset: u32,
    },
    Store {
        kind: StoreKind,
        a: Slot,
        v: Slot,
        offset: u32,
    },
    GlobalGet {
        d: Slot,
        global: u32,
    },
    GlobalSet {
        a: Slot,
        global: u32,
    },
    /// `d = c ? a : b`; the width is that of the operands.
    Select {
        d: Slot,
        c: Slot,
        a: Slot,
        b: Slot,
        wide: bool,
    },
    Jump {
        to: u32,
    },
    /// Jumps when the slot is not zero.
    JumpIf {
        c: Slot,
        to: u32,
    },
    /// Jumps when the slot is zero.
    JumpUnless {
        c: Slot,
        to: u32,
    },
    /// Jumps when the comparison holds.
    JumpCmp {
        op: BinOp,
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpCmpK {
        op: BinOp,
        a: Slot,
        k: i32,
        to: u32,
    },
    // The comparisons of 32 bits that programs branch on, without a second dispatch.
    JumpEq {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpNe {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpLtS {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpLtU {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpLeS {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpLeU {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpEqK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpNeK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpLtSK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpLtUK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpGtSK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpGtUK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpLeSK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpLeUK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpGeSK {
        a: Slot,
        k: i32,
        to: u32,
    },
    JumpGeUK {
        a: Slot,
        k: i32,
        to: u32,
    },
    /// Jumps by the table with this index.
    Switch {
        index: Slot,
        table: u32,
    },
    Call {
        func: u32,
        base: Slot,
    },
    CallHost {
        func: u32,
        base: Slot,
    },
    CallIndirect {
        ty: u32,
        table: u16,
        index: Slot,
        base: Slot,
    },
    /// Results are in the slots from `from` on.
    Return {
        from: Slot,
        count: u16,
    },
    Unreachable,
    MemorySize {
        d: Slot,
    },
    MemoryGrow {
        d: Slot,
        a: Slot,
    },
    /// Operands in three slots from `base` on.
    MemoryCopy {
        base: Slot,
    },
    MemoryFill {
        base: Slot,
    },
    MemoryInit {
        base: Slot,
        segment: u32,
    },
    DataDrop {
        segment: u32,
    },
    TableGet {
        d: Slot,
        a: Slot,
        table: u32,
    },
    TableSet {
        a: Slot,
        v: Slot,
        table: u32,
    },
    TableSize {
        d: Slot,
        table: u32,
    },
    /// `d` also holds the fill value before; the count is in the next slot.
    TableGrow {
        d: Slot,
        table: u32,
    },
    TableFill {
        base: Slot,
        table: u32,
    },
    TableCopy {
        base: Slot,
        to: u16,
        from: u16,
    },
    TableInit {
        base: Slot,
        table: u16,
        segment: u32,
    },
    ElemDrop {
        segment: u32,
    },
}

impl Code {
    /// Where it may jump to, and whether it goes on behind itself where it does not.
    pub(crate) fn target(self) -> Option<(u32, bool)> {
        use Code::*;
        match self {
            Jump { to } => Some((to, false)),
            JumpIf { to, .. }
            | JumpUnless { to, .. }
            | JumpCmp { to, .. }
            | JumpCmpK { to, .. }
            | JumpEq { to, .. }
            | JumpNe { to, .. }
            | JumpLtS { to, .. }
            | JumpLtU { to, .. }
            | JumpLeS { to, .. }
            | JumpLeU { to, .. }
            | JumpEqK { to, .. }
            | JumpNeK { to, .. }
            | JumpLtSK { to, .. }
            | JumpLtUK { to, .. }
            | JumpGtSK { to, .. }
            | JumpGtUK { to, .. }
            | JumpLeSK { to, .. }
            | JumpLeUK { to, .. }
            | JumpGeSK { to, .. }
            | JumpGeUK { to, .. } => Some((to, true)),
            _ => None,
        }
    }

    /// The instruction as the interpreter runs it: frequent operations get arms of their own.
    pub(crate) fn specialized(self) -> Code {
        match self {
            Code::Bin { op, d, a, b } => match op {
                BinOp::Sub32 => Code::I32Sub { d, a, b },
                BinOp::Mul32 => Code::I32Mul { d, a, b },
                BinOp::And32 => Code::I32And { d, a, b },
                BinOp::Shl32 => Code::I32Shl { d, a, b },
                BinOp::ShrU32 => Code::I32ShrU { d, a, b },
                _ => self,
            },
            Code::BinK { op, d, a, k } => match op {
                BinOp::Mul32 => Code::I32MulK { d, a, k },
                BinOp::And32 => Code::I32AndK { d, a, k },
                BinOp::Shl32 => Code::I32ShlK { d, a, k },
                BinOp::ShrS32 => Code::I32ShrSK { d, a, k },
                BinOp::ShrU32 => Code::I32ShrUK { d, a, k },
                _ => self,
            },
            Code::JumpCmp { op, a, b, to } => match op {
                BinOp::Eq32 => Code::JumpEq { a, b, to },
                BinOp::Ne32 => Code::JumpNe { a, b, to },
                BinOp::LtS32 => Code::JumpLtS { a, b, to },
                BinOp::LtU32 => Code::JumpLtU { a, b, to },
                BinOp::LeS32 => Code::JumpLeS { a, b, to },
                BinOp::LeU32 => Code::JumpLeU { a, b, to },
                BinOp::GtS32 => Code::JumpLtS { a: b, b: a, to },
                BinOp::GtU32 => Code::JumpLtU { a: b, b: a, to },
                BinOp::GeS32 => Code::JumpLeS { a: b, b: a, to },
                BinOp::GeU32 => Code::JumpLeU { a: b, b: a, to },
                _ => self,
            },
            Code::JumpCmpK { op, a, k, to } => match op {
                BinOp::Eq32 => Code::JumpEqK { a, k, to },
                BinOp::Ne32 => Code::JumpNeK { a, k, to },
                BinOp::LtS32 => Code::JumpLtSK { a, k, to },
                BinOp::LtU32 => Code::JumpLtUK { a, k, to },
                BinOp::GtS32 => Code::JumpGtSK { a, k, to },
                BinOp::GtU32 => Code::JumpGtUK { a, k, to },
                BinOp::LeS32 => Code::JumpLeSK { a, k, to },
                BinOp::LeU32 => Code::JumpLeUK { a, k, to },
                BinOp::GeS32 => Code::JumpGeSK { a, k, to },
                BinOp::GeU32 => Code::JumpGeUK { a, k, to },
                _ => self,
            },
            _ => self,
        }
    }
}

/// How a load reads memory: the bytes, how they are extended, and to what width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoadKind {
    I32,
    I64,
    I32S8,
    I32U8,
    I32S16,
    I32U16,
    I64S8,
    I64U8,
    I64S16,
    I64U16,
    I64S32,
    I64U32,
}

impl LoadKind {
    pub(crate) fn bytes(self) -> u32 {
        use LoadKind::*;
        match self {
            I32S8 | I32U8 | I64S8 | I64U8 => 1,
            I32S16 | I32U16 | I64S16 | I64U16 => 2,
            I32 | I64S32 | I64U32 => 4,
            I64 => 8,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        use LoadKind::*;
        matches!(self, I32S8 | I32S16 | I64S8 | I64S16 | I64S32)
    }

    pub(crate) fn is_64(self) -> bool {
        use LoadKind::*;
        matches!(self, I64 | I64S8 | I64U8 | I64S16 | I64U16 | I64S32 | I64U32)
    }

    /// The value at an address in a memory without terms, if there is one.
    #[inline(always)]
    pub(crate) fn plain(self, memory: &Memory, address: u64) -> Option<u64> {
        use LoadKind::*;
        let byte = || memory.plain(address).map(|b| u64::from(u8::from_le_bytes(b)));
        let half = || memory.plain(address).map(|b| u64::from(u16::from_le_bytes(b)));
        let word = || memory.plain(address).map(|b| u64::from(u32::from_le_bytes(b)));
        match self {
            I32 | I64U32 => word(),
            I64 => memory.plain(address).map(u64::from_le_bytes),
            I32U8 | I64U8 => byte(),
            I32U16 | I64U16 => half(),
            I32S8 | I64S8 => byte().map(|raw| self.extend(raw)),
            I32S16 | I64S16 => half().map(|raw| self.extend(raw)),
            I64S32 => word().map(|raw| self.extend(raw)),
        }
    }

    /// The raw little-endian bits as the loaded value.
    #[inline]
    pub(crate) fn extend(self, raw: u64) -> u64 {
        use LoadKind::*;
        match self {
            I32 | I64 | I32U8 | I32U16 | I64U8 | I64U16 | I64U32 => raw,
            I32S8 => u64::from(raw as u8 as i8 as i32 as u32),
            I32S16 => u64::from(raw as u16 as i16 as i32 as u32),
            I64S8 => raw as u8 as i8 as i64 as u64,
            I64S16 => raw as u16 as i16 as i64 as u64,
            I64S32 => raw as u32 as i32 as i64 as u64,
        }
    }
}

/// How many bytes a store writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StoreKind {
    B1,
    B2,
    B4,
    B8,
}

impl StoreKind {
    /// Stores in a memory without terms; whether it could.
    #[inline(always)]
    pub(crate) fn store_plain(self, memory: &mut Memory, address: u64, bits: u64) -> bool {
        match self {
            StoreKind::B1 => put(memory.plain_mut(address), (bits as u8).to_le_bytes()),
            StoreKind::B2 => put(memory.plain_mut(address), (bits as u16).to_le_bytes()),
            StoreKind::B4 => put(memory.plain_mut(address), (bits as u32).to_le_bytes()),
            StoreKind::B8 => put(memory.plain_mut(address), bits.to_le_bytes()),
        }
    }

    #[inline]
    pub(crate) fn bytes(self) -> u32 {
        match self {
            StoreKind::B1 => 1,
            StoreKind::B2 => 2,
            StoreKind::B4 => 4,
            StoreKind::B8 => 8,
        }
    }
}

#[inline(always)]
fn put<const N: usize>(place: Option<&mut [u8; N]>, bytes: [u8; N]) -> bool {
    match place {
        Some(place) => {
            *place = bytes;
            true
        }
        None => false,
    }
}

/// Where a `br_table` goes: arms are the distinct labels, in the order of their first index.
#[derive(Clone, Debug)]
pub(crate) struct JumpTable {
    /// Arm of each index; the last entry is the default's.
    pub(crate) arm_of_index: Vec<u32>,
    /// Target of each arm.
    pub(crate) targets: Vec<u32>,
}

impl JumpTable {
    /// The first index that takes an arm.
    pub(crate) fn first_index_of(&self, arm: u32) -> u32 {
        self.arm_of_index.iter().position(|a| *a == arm).unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_instruction_takes_sixteen_bytes() {
        assert_eq!(std::mem::size_of::<super::Code>(), 16);
    }
}
