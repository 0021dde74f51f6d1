//! From an operation with a name to one with a function.

use super::handlers as f;
use super::{Op, Run};
use crate::code::Slot;
use crate::plain::{PlainOp, families};

/// Returns to the loop.
pub(super) fn rest() -> Run {
    f::Rest
}

fn op(run: Run, slots: [Slot; 4], words: [u32; 2]) -> Op {
    Op { run, slots, words }
}

/// The operation at a place, with the one behind it. What a block adds to the account is written later.
pub(super) fn lower(plain: PlainOp, at: usize, next: Option<PlainOp>) -> Op {
    use PlainOp as P;
    // The way from here in bytes: of one function, so that it fits.
    let way = |to: u32| ((i64::from(to) - at as i64) * size_of::<Op>() as i64) as i32 as u32;
    let both = |low: Slot, high: Slot| u32::from(low) | u32::from(high) << 16;
    let is_before_block = matches!(next, Some(P::Block { .. }));
    let wide = |k: i16| i32::from(k) as u32;
    macro_rules! with_families {
        (
            binary: { $($op:ident $op_k:ident),* }
            compare: { $($cmp:ident $jump:ident $jump_k:ident),* }
            joined: {
                $($with:ident $with_jump:ident $with_jump_k:ident $copy_jump:ident $copy_jump_k:ident $load_jump:ident $byte_jump:ident $add_jump:ident),*
            }
            load: { $($load:ident $kind:ident $bytes:literal),* }
            store: { $($store:ident $ty:ident),* }
        ) => {
            match plain {
                P::Block { block, .. } => op(f::Block, [block as Slot, (block >> 16) as Slot, 0, 0], [0, 0]),
                P::Const { d, value } => op(f::Const, [d, 0, 0, 0], [value as u32, (value >> 32) as u32]),
                P::Copy { d, a } => op(f::Copy, [d, a, 0, 0], [0, 0]),
                P::Copies { d, a, e, b } => op(f::Copies, [d, a, e, b], [0, 0]),
                P::ThreeCopies { d, a, e, b, f: g, c } => op(f::ThreeCopies, [d, a, e, b], [both(g, c), 0]),
                P::AddCopy { d, a, k, e, b } => op(f::AddCopy, [d, a, e, b], [k as u32, 0]),
                P::TwoAdds { d, a, k, e, b, l } => op(f::TwoAdds, [d, a, e, b], [wide(k), wide(l)]),
                P::ShlAdd { d, a, k, e, b, c } => op(f::ShlAdd, [d, a, e, b], [wide(k), u32::from(c)]),
                P::AddStore32 { d, a, k, at, v, offset } => {
                    op(f::AddStore32, [d, a, at, v], [wide(k), u32::from(offset)])
                }
                P::Store32Add { at, v, offset, d, a, k } => {
                    op(f::Store32Add, [d, a, at, v], [wide(k), u32::from(offset)])
                }
                P::AddLoadU8 { d, a, b, e, offset } => op(f::AddLoadU8, [d, a, b, e], [offset, 0]),
                P::AddLoadU32 { d, a, b, e, offset } => op(f::AddLoadU32, [d, a, b, e], [offset, 0]),
                P::AddKLoadU8 { d, a, k, e, offset } => op(f::AddKLoadU8, [d, a, 0, e], [k as u32, offset]),
                P::AddKLoadU32 { d, a, k, e, offset } => op(f::AddKLoadU32, [d, a, 0, e], [k as u32, offset]),
                P::AndJumpIf { d, a, k, to } => op(f::AndJumpIf, [d, a, 0, 0], [k as u32, way(to)]),
                P::AndJumpUnless { d, a, k, to } => op(f::AndJumpUnless, [d, a, 0, 0], [k as u32, way(to)]),
                P::LoadU8JumpIf { d, a, offset, to } => op(f::LoadU8JumpIf, [d, a, 0, 0], [offset, way(to)]),
                P::LoadU8JumpUnless { d, a, offset, to } => {
                    op(f::LoadU8JumpUnless, [d, a, 0, 0], [offset, way(to)])
                }
                P::LoadU32JumpIf { d, a, offset, to } => op(f::LoadU32JumpIf, [d, a, 0, 0], [offset, way(to)]),
                P::LoadU32JumpUnless { d, a, offset, to } => {
                    op(f::LoadU32JumpUnless, [d, a, 0, 0], [offset, way(to)])
                }
                P::CopyJumpIf { d, a, c, to } => op(f::CopyJumpIf, [d, a, c, 0], [0, way(to)]),
                P::CopyJumpUnless { d, a, c, to } => op(f::CopyJumpUnless, [d, a, c, 0], [0, way(to)]),
                P::CopyJump { d, a, to } => op(f::CopyJump, [d, a, 0, 0], [0, way(to)]),
                P::AddJumpIf { d, a, k, to } => op(f::AddJumpIf, [d, a, 0, 0], [k as u32, way(to)]),
                P::AddJumpUnless { d, a, k, to } => op(f::AddJumpUnless, [d, a, 0, 0], [k as u32, way(to)]),
                P::AddJump { d, a, k, to } => op(f::AddJump, [d, a, 0, 0], [k as u32, way(to)]),
                P::SumJump { d, a, b, to } => op(f::SumJump, [d, a, b, 0], [0, way(to)]),
                $(
                    P::$copy_jump { d, e, a, b, to } => op(f::$copy_jump, [d, e, a, b], [0, way(to)]),
                    P::$copy_jump_k { d, e, a, k, to } => {
                        op(f::$copy_jump_k, [d, e, a, 0], [k as u32, way(to)])
                    }
                    P::$load_jump { d, a, offset, b, to } => {
                        op(f::$load_jump, [d, a, b, 0], [u32::from(offset), way(to)])
                    }
                    P::$byte_jump { d, a, offset, k, to } => {
                        op(f::$byte_jump, [d, a, offset, 0], [k as u32, way(to)])
                    }
                    P::$add_jump { d, a, k, b, to } => op(f::$add_jump, [d, a, b, 0], [wide(k), way(to)]),
                )*
                $(
                    P::$op { d, a, b } => op(f::$op, [d, a, b, 0], [0, 0]),
                    P::$op_k { d, a, k } => op(f::$op_k, [d, a, 0, 0], [k as u32, 0]),
                )*
                P::Un { op: un, d, a } => op(f::un::of(un), [d, a, 0, 0], [0, 0]),
                P::Div { op: div, d, a, b } => op(f::div::of(div), [d, a, b, 0], [0, 0]),
                P::Float { op: float, d, a, b } => op(f::float::of(float), [d, a, b, 0], [0, 0]),
                P::Conv { d, a } => op(f::Conv, [d, a, 0, 0], [0, 0]),
                $(P::$load { d, a, offset } => op(f::$load, [d, a, 0, 0], [offset, 0]),)*
                $(P::$store { a, v, offset } => op(f::$store, [0, a, v, 0], [offset, 0]),)*
                P::GlobalGet { d, global } => op(f::GlobalGet, [d, 0, 0, 0], [global, 0]),
                P::GlobalSet { a, global } => op(f::GlobalSet, [0, a, 0, 0], [global, 0]),
                P::Select { d, c, a, b } => op(f::Select, [d, c, a, b], [0, 0]),
                P::Jump { to } => op(f::Jump, [0; 4], [0, way(to)]),
                P::JumpIf { c, to } => {
                    let run = if is_before_block { f::JumpIf } else { f::JumpIfOrNext };
                    op(run, [0, c, 0, 0], [0, way(to)])
                }
                P::JumpUnless { c, to } => {
                    let run = if is_before_block { f::JumpUnless } else { f::JumpUnlessOrNext };
                    op(run, [0, c, 0, 0], [0, way(to)])
                }
                $(
                    P::$jump { a, b, to } => {
                        let run = if is_before_block { f::$jump } else { f::or_next::$jump };
                        op(run, [0, a, b, 0], [0, way(to)])
                    }
                    P::$jump_k { a, k, to } => {
                        let run = if is_before_block { f::$jump_k } else { f::or_next::$jump_k };
                        op(run, [0, a, 0, 0], [k as u32, way(to)])
                    }
                )*
                P::Switch { index, table } => op(f::Switch, [0, index, 0, 0], [table, 0]),
                P::Call { func, base } => op(f::Call, [base, 0, 0, 0], [func, at as u32 + 1]),
                P::CallIndirect { ty, table, index, base } => {
                    op(f::CallIndirect, [base, index, table, 0], [ty, at as u32 + 1])
                }
                P::Return { from, count } => {
                    let run = match count { 0 => f::Return, 1 => f::ReturnOne, _ => f::ReturnMany };
                    op(run, [from, count, 0, 0], [0, 0])
                }
                P::Unreachable => op(f::Unreachable, [0; 4], [0, 0]),
                P::Other => op(f::Outside, [0; 4], [0, 0]),
            }
        };
    }
    families!(with_families)
}
