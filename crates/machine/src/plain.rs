//! Code for runs without terms: the machine's code again, with an operation of its own for everything that is frequent.
//!
//! A search runs an input thousands of times a second, and none of its values is ever a term. The loop for such runs
//! ([`Machine::run_plain`](crate::machine::Machine::run_plain)) has registers of eight bytes, asks nothing about terms, and finds the
//! operands of an operation without a second dispatch. The operations here are put together, and then each gets the function that carries it
//! out ([`crate::threaded`]).
//!
//! An operation stands where the machine's instruction stands that it was made of, so that places (of jumps, of traps, of blocks) are the same in
//! both. Two neighbours that often come together are one operation in the place of the first; the second stays where it is, and is gone past. A jump that may not be
//! taken is put together with what comes before it only where a block begins behind it. It is made once for a module, when the first run asks for it.

use crate::code::{Code, LoadKind, Slot, StoreKind};
use crate::module::Module;
use crate::numeric::{BinOp, DivOp, FloatOp, UnOp};
use crate::threaded::Threaded;

/// Calls a macro with the families of operations: `binary` with the names for two slots and for a slot and a constant; `compare`
/// with the names of the jumps for the same; `joined` with those of a jump behind a copy, and of one on what was just loaded or added up.
macro_rules! families {
    ($with:ident) => {
        $with! {
            binary: {
                Add32 Add32K, Sub32 Sub32K, Mul32 Mul32K, And32 And32K, Or32 Or32K, Xor32 Xor32K,
                Shl32 Shl32K, ShrS32 ShrS32K, ShrU32 ShrU32K, Rotl32 Rotl32K, Rotr32 Rotr32K,
                Eq32 Eq32K, Ne32 Ne32K, LtS32 LtS32K, LtU32 LtU32K, GtS32 GtS32K, GtU32 GtU32K,
                LeS32 LeS32K, LeU32 LeU32K, GeS32 GeS32K, GeU32 GeU32K,
                Add64 Add64K, Sub64 Sub64K, Mul64 Mul64K, And64 And64K, Or64 Or64K, Xor64 Xor64K,
                Shl64 Shl64K, ShrS64 ShrS64K, ShrU64 ShrU64K, Rotl64 Rotl64K, Rotr64 Rotr64K,
                Eq64 Eq64K, Ne64 Ne64K, LtS64 LtS64K, LtU64 LtU64K, GtS64 GtS64K, GtU64 GtU64K,
                LeS64 LeS64K, LeU64 LeU64K, GeS64 GeS64K, GeU64 GeU64K
            }
            compare: {
                Eq32 JumpEq32 JumpEq32K, Ne32 JumpNe32 JumpNe32K,
                LtS32 JumpLtS32 JumpLtS32K, LtU32 JumpLtU32 JumpLtU32K,
                GtS32 JumpGtS32 JumpGtS32K, GtU32 JumpGtU32 JumpGtU32K,
                LeS32 JumpLeS32 JumpLeS32K, LeU32 JumpLeU32 JumpLeU32K,
                GeS32 JumpGeS32 JumpGeS32K, GeU32 JumpGeU32 JumpGeU32K,
                Eq64 JumpEq64 JumpEq64K, Ne64 JumpNe64 JumpNe64K,
                LtS64 JumpLtS64 JumpLtS64K, LtU64 JumpLtU64 JumpLtU64K,
                GtS64 JumpGtS64 JumpGtS64K, GtU64 JumpGtU64 JumpGtU64K,
                LeS64 JumpLeS64 JumpLeS64K, LeU64 JumpLeU64 JumpLeU64K,
                GeS64 JumpGeS64 JumpGeS64K, GeU64 JumpGeU64 JumpGeU64K
            }
            joined: {
                Eq32 JumpEq32 JumpEq32K CopyJumpEq32 CopyJumpEq32K LoadJumpEq32 ByteJumpEq32K AddJumpEq32,
                Ne32 JumpNe32 JumpNe32K CopyJumpNe32 CopyJumpNe32K LoadJumpNe32 ByteJumpNe32K AddJumpNe32,
                LtS32 JumpLtS32 JumpLtS32K CopyJumpLtS32 CopyJumpLtS32K LoadJumpLtS32 ByteJumpLtS32K AddJumpLtS32,
                LtU32 JumpLtU32 JumpLtU32K CopyJumpLtU32 CopyJumpLtU32K LoadJumpLtU32 ByteJumpLtU32K AddJumpLtU32,
                GtS32 JumpGtS32 JumpGtS32K CopyJumpGtS32 CopyJumpGtS32K LoadJumpGtS32 ByteJumpGtS32K AddJumpGtS32,
                GtU32 JumpGtU32 JumpGtU32K CopyJumpGtU32 CopyJumpGtU32K LoadJumpGtU32 ByteJumpGtU32K AddJumpGtU32,
                LeS32 JumpLeS32 JumpLeS32K CopyJumpLeS32 CopyJumpLeS32K LoadJumpLeS32 ByteJumpLeS32K AddJumpLeS32,
                LeU32 JumpLeU32 JumpLeU32K CopyJumpLeU32 CopyJumpLeU32K LoadJumpLeU32 ByteJumpLeU32K AddJumpLeU32,
                GeS32 JumpGeS32 JumpGeS32K CopyJumpGeS32 CopyJumpGeS32K LoadJumpGeS32 ByteJumpGeS32K AddJumpGeS32,
                GeU32 JumpGeU32 JumpGeU32K CopyJumpGeU32 CopyJumpGeU32K LoadJumpGeU32 ByteJumpGeU32K AddJumpGeU32
            }
            load: {
                LoadU8 I32U8 1, LoadU16 I32U16 2, LoadU32 I32 4, Load64 I64 8,
                LoadS8 I32S8 1, LoadS16 I32S16 2,
                LoadLongS8 I64S8 1, LoadLongS16 I64S16 2, LoadLongS32 I64S32 4
            }
            store: { Store8 u8, Store16 u16, Store32 u32, Store64 u64 }
        }
    };
}
pub(crate) use families;

macro_rules! define {
    (
        binary: { $($op:ident $op_k:ident),* }
        compare: { $($cmp:ident $jump:ident $jump_k:ident),* }
        joined: { $($with:ident $with_jump:ident $with_jump_k:ident $copy_jump:ident $copy_jump_k:ident $load_jump:ident $byte_jump:ident $add_jump:ident),* }
        load: { $($load:ident $kind:ident $bytes:literal),* }
        store: { $($store:ident $ty:ident),* }
    ) => {
        /// An operation on numbers.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum PlainOp {
            Block { instructions: u32, cost: u32, block: u32 },
            Const { d: Slot, value: u64 },
            Copy { d: Slot, a: Slot },
            // What often comes together, one after the other.
            Copies { d: Slot, a: Slot, e: Slot, b: Slot },
            ThreeCopies { d: Slot, a: Slot, e: Slot, b: Slot, f: Slot, c: Slot },
            AddCopy { d: Slot, a: Slot, k: i32, e: Slot, b: Slot },
            TwoAdds { d: Slot, a: Slot, k: i16, e: Slot, b: Slot, l: i16 },
            ShlAdd { d: Slot, a: Slot, k: i16, e: Slot, b: Slot, c: Slot },
            AddStore32 { d: Slot, a: Slot, k: i16, at: Slot, v: Slot, offset: u16 },
            Store32Add { at: Slot, v: Slot, offset: u16, d: Slot, a: Slot, k: i16 },
            // At the address that was just found.
            AddLoadU8 { d: Slot, a: Slot, b: Slot, e: Slot, offset: u32 },
            AddLoadU32 { d: Slot, a: Slot, b: Slot, e: Slot, offset: u32 },
            AddKLoadU8 { d: Slot, a: Slot, k: i32, e: Slot, offset: u32 },
            AddKLoadU32 { d: Slot, a: Slot, k: i32, e: Slot, offset: u32 },
            // On what was just found.
            AndJumpIf { d: Slot, a: Slot, k: i32, to: u32 },
            AndJumpUnless { d: Slot, a: Slot, k: i32, to: u32 },
            LoadU8JumpIf { d: Slot, a: Slot, offset: u32, to: u32 },
            LoadU8JumpUnless { d: Slot, a: Slot, offset: u32, to: u32 },
            LoadU32JumpIf { d: Slot, a: Slot, offset: u32, to: u32 },
            LoadU32JumpUnless { d: Slot, a: Slot, offset: u32, to: u32 },
            CopyJumpIf { d: Slot, a: Slot, c: Slot, to: u32 },
            CopyJumpUnless { d: Slot, a: Slot, c: Slot, to: u32 },
            CopyJump { d: Slot, a: Slot, to: u32 },
            AddJumpIf { d: Slot, a: Slot, k: i32, to: u32 },
            AddJumpUnless { d: Slot, a: Slot, k: i32, to: u32 },
            AddJump { d: Slot, a: Slot, k: i32, to: u32 },
            SumJump { d: Slot, a: Slot, b: Slot, to: u32 },
            $(
                $copy_jump { d: Slot, e: Slot, a: Slot, b: Slot, to: u32 },
                $copy_jump_k { d: Slot, e: Slot, a: Slot, k: i32, to: u32 },
                $load_jump { d: Slot, a: Slot, offset: u16, b: Slot, to: u32 },
                $byte_jump { d: Slot, a: Slot, offset: u16, k: i32, to: u32 },
                $add_jump { d: Slot, a: Slot, k: i16, b: Slot, to: u32 },
            )*
            $($op { d: Slot, a: Slot, b: Slot }, $op_k { d: Slot, a: Slot, k: i32 },)*
            Un { op: UnOp, d: Slot, a: Slot },
            Div { op: DivOp, d: Slot, a: Slot, b: Slot },
            Float { op: FloatOp, d: Slot, a: Slot, b: Slot },
            Conv { d: Slot, a: Slot },
            $($load { d: Slot, a: Slot, offset: u32 },)*
            $($store { a: Slot, v: Slot, offset: u32 },)*
            GlobalGet { d: Slot, global: u32 },
            GlobalSet { a: Slot, global: u32 },
            Select { d: Slot, c: Slot, a: Slot, b: Slot },
            Jump { to: u32 },
            JumpIf { c: Slot, to: u32 },
            JumpUnless { c: Slot, to: u32 },
            $($jump { a: Slot, b: Slot, to: u32 }, $jump_k { a: Slot, k: i32, to: u32 },)*
            Switch { index: Slot, table: u32 },
            Call { func: u32, base: Slot },
            CallIndirect { ty: u32, table: u16, index: Slot, base: Slot },
            Return { from: Slot, count: u16 },
            Unreachable,
            /// Whatever else the machine's code has in this place.
            Other,
        }

        fn binary(op: BinOp, d: Slot, a: Slot, b: Slot) -> PlainOp {
            match op { $(BinOp::$op => PlainOp::$op { d, a, b },)* }
        }

        fn binary_k(op: BinOp, d: Slot, a: Slot, k: i32) -> PlainOp {
            match op { $(BinOp::$op => PlainOp::$op_k { d, a, k },)* }
        }

        fn jump(op: BinOp, a: Slot, b: Slot, to: u32) -> PlainOp {
            match op {
                $(BinOp::$cmp => PlainOp::$jump { a, b, to },)*
                _ => PlainOp::Other,
            }
        }

        fn jump_k(op: BinOp, a: Slot, k: i32, to: u32) -> PlainOp {
            match op {
                $(BinOp::$cmp => PlainOp::$jump_k { a, k, to },)*
                _ => PlainOp::Other,
            }
        }

        /// A jump on a comparison together with what stands before it.
        fn joined_jump(first: PlainOp, jump: PlainOp) -> Option<PlainOp> {
            use PlainOp::*;
            let short = |offset: u32| u16::try_from(offset).ok();
            Some(match (first, jump) {
                $(
                    (Copy { d, a: e }, $with_jump { a, b, to }) => $copy_jump { d, e, a, b, to },
                    (Copy { d, a: e }, $with_jump_k { a, k, to }) => $copy_jump_k { d, e, a, k, to },
                    (LoadU32 { d, a, offset }, $with_jump { a: found, b, to }) if found == d => {
                        $load_jump { d, a, offset: short(offset)?, b, to }
                    }
                    (LoadU8 { d, a, offset }, $with_jump_k { a: found, k, to }) if found == d => {
                        $byte_jump { d, a, offset: short(offset)?, k, to }
                    }
                    (Add32K { d, a, k }, $with_jump { a: found, b, to }) if found == d => {
                        $add_jump { d, a, k: i16::try_from(k).ok()?, b, to }
                    }
                )*
                _ => return None,
            })
        }
    };
}
families!(define);

/// What a call has to know of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callee {
    pub(crate) entry: u32,
    pub(crate) params: u16,
    pub(crate) locals: u16,
    pub(crate) slots: u16,
    pub(crate) ty: u32,
    /// Whether the loop opens its activations: functions of the host, and what the cost model counts the entries of.
    pub(crate) special: bool,
    /// Whether the cost model counts that it is entered.
    pub(crate) counted: bool,
}

/// The code of a module for runs without terms.
#[derive(Clone, Debug)]
pub(crate) struct PlainCode {
    pub(crate) callees: Vec<Callee>,
    pub(crate) threaded: Threaded,
}

impl PlainCode {
    pub(crate) fn of(module: &Module) -> PlainCode {
        let ops = module.code.iter().map(|code| plain(*code)).collect();
        let all = module.cost_model() == &pessimum_entry::CostModel::Stack;
        let callees = module.functions.iter().map(|f| Callee {
            entry: f.entry,
            params: f.params,
            locals: f.locals,
            slots: f.slots,
            ty: f.ty,
            special: all || f.allocates.is_some() || f.host.is_some(),
            counted: all || f.allocates.is_some(),
        });
        debug_assert!(blocks_begin(module), "a block begins where code is entered");
        PlainCode { callees: callees.collect(), threaded: Threaded::of(&join(ops, module), module) }
    }
}

/// Puts neighbours together that often follow each other. What is entered from elsewhere begins anew.
fn join(mut ops: Vec<PlainOp>, module: &Module) -> Vec<PlainOp> {
    let entered = entered(module);
    let inner = |at: usize| entered.get(at) == Some(&false);
    let code = &module.code;
    let may_jump = |at: usize| matches!(code[at].target(), Some((_, true)));
    let begins_block = |at: usize| matches!(code.get(at), Some(Code::Block { .. }));
    let mut at = 0;
    while at + 1 < ops.len() {
        let mut gone = 1;
        if inner(at + 1) {
            let third = if inner(at + 2) { ops.get(at + 2).copied() } else { None };
            if let Some((op, count)) = joined(ops[at], ops[at + 1], third)
                && (!may_jump(at + count - 1) || begins_block(at + count))
            {
                ops[at] = op;
                gone = count;
            }
        }
        at += gone;
    }
    ops
}

/// One operation for the first two or three, and for how many.
fn joined(first: PlainOp, second: PlainOp, third: Option<PlainOp>) -> Option<(PlainOp, usize)> {
    use PlainOp::*;
    let few = |k: i32| i16::try_from(k).ok();
    let short = |offset: u32| u16::try_from(offset).ok();
    let two = match (first, second) {
        (Copy { d, a }, Copy { d: e, a: b }) => match third {
            Some(Copy { d: f, a: c }) => return Some((ThreeCopies { d, a, e, b, f, c }, 3)),
            _ => Copies { d, a, e, b },
        },
        (Add32K { d, a, k }, Copy { d: e, a: b }) => AddCopy { d, a, k, e, b },
        (Add32K { d, a, k }, Add32K { d: e, a: b, k: l }) => {
            TwoAdds { d, a, k: few(k)?, e, b, l: few(l)? }
        }
        (Shl32K { d, a, k }, Add32 { d: e, a: b, b: c }) => ShlAdd { d, a, k: few(k)?, e, b, c },
        (Add32K { d, a, k }, Store32 { a: at, v, offset }) => {
            AddStore32 { d, a, k: few(k)?, at, v, offset: short(offset)? }
        }
        (Store32 { a: at, v, offset }, Add32K { d, a, k }) => {
            Store32Add { at, v, offset: short(offset)?, d, a, k: few(k)? }
        }
        (Add32 { d, a, b }, LoadU8 { d: e, a: at, offset }) if at == d => {
            AddLoadU8 { d, a, b, e, offset }
        }
        (Add32 { d, a, b }, LoadU32 { d: e, a: at, offset }) if at == d => {
            AddLoadU32 { d, a, b, e, offset }
        }
        (Add32K { d, a, k }, LoadU8 { d: e, a: at, offset }) if at == d => {
            AddKLoadU8 { d, a, k, e, offset }
        }
        (Add32K { d, a, k }, LoadU32 { d: e, a: at, offset }) if at == d => {
            AddKLoadU32 { d, a, k, e, offset }
        }
        (And32K { d, a, k }, JumpIf { c, to }) if c == d => AndJumpIf { d, a, k, to },
        (And32K { d, a, k }, JumpUnless { c, to }) if c == d => AndJumpUnless { d, a, k, to },
        (LoadU8 { d, a, offset }, JumpIf { c, to }) if c == d => LoadU8JumpIf { d, a, offset, to },
        (LoadU8 { d, a, offset }, JumpUnless { c, to }) if c == d => {
            LoadU8JumpUnless { d, a, offset, to }
        }
        (LoadU32 { d, a, offset }, JumpIf { c, to }) if c == d => {
            LoadU32JumpIf { d, a, offset, to }
        }
        (LoadU32 { d, a, offset }, JumpUnless { c, to }) if c == d => {
            LoadU32JumpUnless { d, a, offset, to }
        }
        (Copy { d, a }, JumpIf { c, to }) => CopyJumpIf { d, a, c, to },
        (Copy { d, a }, JumpUnless { c, to }) => CopyJumpUnless { d, a, c, to },
        (Copy { d, a }, Jump { to }) => CopyJump { d, a, to },
        (Add32K { d, a, k }, JumpIf { c, to }) if c == d => AddJumpIf { d, a, k, to },
        (Add32K { d, a, k }, JumpUnless { c, to }) if c == d => AddJumpUnless { d, a, k, to },
        (Add32K { d, a, k }, Jump { to }) => AddJump { d, a, k, to },
        (Add32 { d, a, b }, Jump { to }) => SumJump { d, a, b, to },
        _ => joined_jump(first, second)?,
    };
    Some((two, 2))
}

/// Whether blocks begin wherever the code takes that for granted: where jumps go to, behind calls, and in the beginning of a function.
fn blocks_begin(module: &Module) -> bool {
    let begins = |at: u32| matches!(module.code.get(at as usize), Some(Code::Block { .. }));
    let mut own = module.functions.iter().filter(|f| f.host.is_none());
    own.all(|f| begins(f.entry))
        && (0..).zip(&module.code).all(|(at, code)| match code {
            Code::Call { .. } | Code::CallIndirect { .. } => begins(at + 1),
            _ => code.target().is_none_or(|(to, _)| begins(to)),
        })
}

/// Where the code is entered from elsewhere than from just before.
fn entered(module: &Module) -> Vec<bool> {
    let mut entered = vec![false; module.code.len()];
    let mut enter = |at: u32| {
        if let Some(entered) = entered.get_mut(at as usize) {
            *entered = true;
        }
    };
    for (at, code) in (0..).zip(&module.code) {
        match code {
            Code::Call { .. } | Code::CallHost { .. } | Code::CallIndirect { .. } => enter(at + 1),
            _ => {}
        }
        if let Some((to, _)) = code.target() {
            enter(to);
        }
    }
    module.functions.iter().filter(|f| f.host.is_none()).for_each(|f| enter(f.entry));
    module.jump_tables.iter().flat_map(|table| &table.targets).for_each(|to| enter(*to));
    entered
}

fn plain(code: Code) -> PlainOp {
    use BinOp::*;
    match code {
        Code::Block { instructions, cost, block } => PlainOp::Block { instructions, cost, block },
        Code::Const { d, value } => PlainOp::Const { d, value },
        Code::Copy { d, a } => PlainOp::Copy { d, a },
        Code::I32Add { d, a, b } => binary(Add32, d, a, b),
        Code::I32AddK { d, a, k } => binary_k(Add32, d, a, k),
        Code::Bin { op, d, a, b } => binary(op, d, a, b),
        Code::BinK { op, d, a, k } => binary_k(op, d, a, k),
        Code::I32Sub { d, a, b } => binary(Sub32, d, a, b),
        Code::I32Mul { d, a, b } => binary(Mul32, d, a, b),
        Code::I32And { d, a, b } => binary(And32, d, a, b),
        Code::I32Shl { d, a, b } => binary(Shl32, d, a, b),
        Code::I32ShrU { d, a, b } => binary(ShrU32, d, a, b),
        Code::I32MulK { d, a, k } => binary_k(Mul32, d, a, k),
        Code::I32AndK { d, a, k } => binary_k(And32, d, a, k),
        Code::I32ShlK { d, a, k } => binary_k(Shl32, d, a, k),
        Code::I32ShrSK { d, a, k } => binary_k(ShrS32, d, a, k),
        Code::I32ShrUK { d, a, k } => binary_k(ShrU32, d, a, k),
        Code::Un { op, d, a } => PlainOp::Un { op, d, a },
        Code::Div { op, d, a, b } => PlainOp::Div { op, d, a, b },
        Code::Float { op, d, a, b } => PlainOp::Float { op, d, a, b },
        Code::Conv { d, a, .. } => PlainOp::Conv { d, a },
        Code::Load { kind, d, a, offset } => load(kind, d, a, offset),
        Code::Store { kind, a, v, offset } => match kind {
            StoreKind::B1 => PlainOp::Store8 { a, v, offset },
            StoreKind::B2 => PlainOp::Store16 { a, v, offset },
            StoreKind::B4 => PlainOp::Store32 { a, v, offset },
            StoreKind::B8 => PlainOp::Store64 { a, v, offset },
        },
        Code::GlobalGet { d, global } => PlainOp::GlobalGet { d, global },
        Code::GlobalSet { a, global } => PlainOp::GlobalSet { a, global },
        Code::Select { d, c, a, b, .. } => PlainOp::Select { d, c, a, b },
        Code::Jump { to } => PlainOp::Jump { to },
        Code::JumpIf { c, to } => PlainOp::JumpIf { c, to },
        Code::JumpUnless { c, to } => PlainOp::JumpUnless { c, to },
        Code::JumpCmp { op, a, b, to } => jump(op, a, b, to),
        Code::JumpCmpK { op, a, k, to } => jump_k(op, a, k, to),
        Code::JumpEq { a, b, to } => jump(Eq32, a, b, to),
        Code::JumpNe { a, b, to } => jump(Ne32, a, b, to),
        Code::JumpLtS { a, b, to } => jump(LtS32, a, b, to),
        Code::JumpLtU { a, b, to } => jump(LtU32, a, b, to),
        Code::JumpLeS { a, b, to } => jump(LeS32, a, b, to),
        Code::JumpLeU { a, b, to } => jump(LeU32, a, b, to),
        Code::JumpEqK { a, k, to } => jump_k(Eq32, a, k, to),
        Code::JumpNeK { a, k, to } => jump_k(Ne32, a, k, to),
        Code::JumpLtSK { a, k, to } => jump_k(LtS32, a, k, to),
        Code::JumpLtUK { a, k, to } => jump_k(LtU32, a, k, to),
        Code::JumpGtSK { a, k, to } => jump_k(GtS32, a, k, to),
        Code::JumpGtUK { a, k, to } => jump_k(GtU32, a, k, to),
        Code::JumpLeSK { a, k, to } => jump_k(LeS32, a, k, to),
        Code::JumpLeUK { a, k, to } => jump_k(LeU32, a, k, to),
        Code::JumpGeSK { a, k, to } => jump_k(GeS32, a, k, to),
        Code::JumpGeUK { a, k, to } => jump_k(GeU32, a, k, to),
        Code::Switch { index, table } => PlainOp::Switch { index, table },
        Code::Call { func, base } => PlainOp::Call { func, base },
        Code::CallIndirect { ty, table, index, base } => {
            PlainOp::CallIndirect { ty, table, index, base }
        }
        Code::Return { from, count } => PlainOp::Return { from, count },
        Code::Unreachable => PlainOp::Unreachable,
        Code::CallHost { .. }
        | Code::MemoryCopy { .. }
        | Code::MemoryFill { .. }
        | Code::MemorySize { .. }
        | Code::MemoryGrow { .. }
        | Code::MemoryInit { .. }
        | Code::DataDrop { .. }
        | Code::TableGet { .. }
        | Code::TableSet { .. }
        | Code::TableSize { .. }
        | Code::TableGrow { .. }
        | Code::TableFill { .. }
        | Code::TableCopy { .. }
        | Code::TableInit { .. }
        | Code::ElemDrop { .. } => PlainOp::Other,
    }
}

/// Values of 32 bits are kept with zeros above, so that a load of few bytes is the same for both widths unless it extends a sign.
fn load(kind: LoadKind, d: Slot, a: Slot, offset: u32) -> PlainOp {
    use LoadKind::*;
    match kind {
        I32U8 | I64U8 => PlainOp::LoadU8 { d, a, offset },
        I32U16 | I64U16 => PlainOp::LoadU16 { d, a, offset },
        I32 | I64U32 => PlainOp::LoadU32 { d, a, offset },
        I64 => PlainOp::Load64 { d, a, offset },
        I32S8 => PlainOp::LoadS8 { d, a, offset },
        I32S16 => PlainOp::LoadS16 { d, a, offset },
        I64S8 => PlainOp::LoadLongS8 { d, a, offset },
        I64S16 => PlainOp::LoadLongS16 { d, a, offset },
        I64S32 => PlainOp::LoadLongS32 { d, a, offset },
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_operation_takes_sixteen_bytes() {
        assert_eq!(std::mem::size_of::<super::PlainOp>(), 16);
    }
}
