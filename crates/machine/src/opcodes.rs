//! Which of the machine's operations each Wasm operator is.

use crate::code::{LoadKind, StoreKind};
use crate::numeric::{BinOp, ConvKind, ConvOp, DivOp, FloatOp, FloatTerm, UnOp};
use wasmparser::{self as wp, Operator};

/// The constant as an immediate, if it fits.
pub(crate) fn immediate(op: BinOp, k: u64) -> Option<i32> {
    if op.width() == pessimum_term::Width::W32 {
        Some(k as u32 as i32)
    } else {
        i32::try_from(k as i64).ok()
    }
}

/// The operation with its operands exchanged.
pub(crate) fn swapped(op: BinOp) -> Option<BinOp> {
    use BinOp::*;
    Some(match op {
        Add32 | Mul32 | And32 | Or32 | Xor32 | Eq32 | Ne32 | Add64 | Mul64 | And64 | Or64
        | Xor64 | Eq64 | Ne64 => op,
        LtS32 => GtS32,
        LtU32 => GtU32,
        GtS32 => LtS32,
        GtU32 => LtU32,
        LeS32 => GeS32,
        LeU32 => GeU32,
        GeS32 => LeS32,
        GeU32 => LeU32,
        LtS64 => GtS64,
        LtU64 => GtU64,
        GtS64 => LtS64,
        GtU64 => LtU64,
        LeS64 => GeS64,
        LeU64 => GeU64,
        GeS64 => LeS64,
        GeU64 => LeU64,
        _ => return None,
    })
}

#[rustfmt::skip]
pub(crate) fn binary(op: &Operator<'_>) -> Option<BinOp> {
    use BinOp::*;
    use Operator::*;
    Some(match op {
        I32Add => Add32, I32Sub => Sub32, I32Mul => Mul32, I32And => And32, I32Or => Or32,
        I32Xor => Xor32, I32Shl => Shl32, I32ShrS => ShrS32, I32ShrU => ShrU32,
        I32Rotl => Rotl32, I32Rotr => Rotr32, I32Eq => Eq32, I32Ne => Ne32, I32LtS => LtS32,
        I32LtU => LtU32, I32GtS => GtS32, I32GtU => GtU32, I32LeS => LeS32, I32LeU => LeU32,
        I32GeS => GeS32, I32GeU => GeU32,
        I64Add => Add64, I64Sub => Sub64, I64Mul => Mul64, I64And => And64, I64Or => Or64,
        I64Xor => Xor64, I64Shl => Shl64, I64ShrS => ShrS64, I64ShrU => ShrU64,
        I64Rotl => Rotl64, I64Rotr => Rotr64, I64Eq => Eq64, I64Ne => Ne64, I64LtS => LtS64,
        I64LtU => LtU64, I64GtS => GtS64, I64GtU => GtU64, I64LeS => LeS64, I64LeU => LeU64,
        I64GeS => GeS64, I64GeU => GeU64,
        _ => return None,
    })
}

#[rustfmt::skip]
pub(crate) fn unary(op: &Operator<'_>) -> Option<UnOp> {
    use Operator::*;
    use UnOp::*;
    Some(match op {
        I32Eqz => Eqz32, I64Eqz => Eqz64, I32Clz => Clz32, I32Ctz => Ctz32,
        I32Popcnt => Popcnt32, I64Clz => Clz64, I64Ctz => Ctz64, I64Popcnt => Popcnt64,
        I32WrapI64 => Wrap, I64ExtendI32S => ExtendS, I64ExtendI32U => ExtendU,
        I32Extend8S => Extend8S32, I32Extend16S => Extend16S32, I64Extend8S => Extend8S64,
        I64Extend16S => Extend16S64, I64Extend32S => Extend32S64,
        _ => return None,
    })
}

#[rustfmt::skip]
pub(crate) fn division(op: &Operator<'_>) -> Option<DivOp> {
    use DivOp::*;
    use Operator::*;
    Some(match op {
        I32DivS => DivS32, I32DivU => DivU32, I32RemS => RemS32, I32RemU => RemU32,
        I64DivS => DivS64, I64DivU => DivU64, I64RemS => RemS64, I64RemU => RemU64,
        _ => return None,
    })
}

#[rustfmt::skip]
pub(crate) fn float(op: &Operator<'_>) -> Option<(FloatOp, u32)> {
    use FloatOp::*;
    use Operator::*;
    Some(match op {
        F32Add => (Add32, 2), F32Sub => (Sub32, 2), F32Mul => (Mul32, 2), F32Div => (Div32, 2),
        F32Min => (Min32, 2), F32Max => (Max32, 2), F32Copysign => (Copysign32, 2),
        F32Eq => (Eq32, 2), F32Ne => (Ne32, 2), F32Lt => (Lt32, 2), F32Gt => (Gt32, 2),
        F32Le => (Le32, 2), F32Ge => (Ge32, 2), F32Abs => (Abs32, 1), F32Neg => (Neg32, 1),
        F32Ceil => (Ceil32, 1), F32Floor => (Floor32, 1), F32Trunc => (Trunc32, 1),
        F32Nearest => (Nearest32, 1), F32Sqrt => (Sqrt32, 1),
        F64Add => (Add64, 2), F64Sub => (Sub64, 2), F64Mul => (Mul64, 2), F64Div => (Div64, 2),
        F64Min => (Min64, 2), F64Max => (Max64, 2), F64Copysign => (Copysign64, 2),
        F64Eq => (Eq64, 2), F64Ne => (Ne64, 2), F64Lt => (Lt64, 2), F64Gt => (Gt64, 2),
        F64Le => (Le64, 2), F64Ge => (Ge64, 2), F64Abs => (Abs64, 1), F64Neg => (Neg64, 1),
        F64Ceil => (Ceil64, 1), F64Floor => (Floor64, 1), F64Trunc => (Trunc64, 1),
        F64Nearest => (Nearest64, 1), F64Sqrt => (Sqrt64, 1),
        _ => return None,
    })
}

#[rustfmt::skip]
pub(crate) fn conversion(op: &Operator<'_>) -> Option<ConvOp> {
    use ConvKind::*;
    use Operator::*;
    let (kind, from64, to64) = match op {
        I32TruncF32S => (TruncS, false, false), I32TruncF32U => (TruncU, false, false),
        I32TruncF64S => (TruncS, true, false), I32TruncF64U => (TruncU, true, false),
        I64TruncF32S => (TruncS, false, true), I64TruncF32U => (TruncU, false, true),
        I64TruncF64S => (TruncS, true, true), I64TruncF64U => (TruncU, true, true),
        I32TruncSatF32S => (TruncSatS, false, false), I32TruncSatF32U => (TruncSatU, false, false),
        I32TruncSatF64S => (TruncSatS, true, false), I32TruncSatF64U => (TruncSatU, true, false),
        I64TruncSatF32S => (TruncSatS, false, true), I64TruncSatF32U => (TruncSatU, false, true),
        I64TruncSatF64S => (TruncSatS, true, true), I64TruncSatF64U => (TruncSatU, true, true),
        F32ConvertI32S => (FromS, false, false), F32ConvertI32U => (FromU, false, false),
        F32ConvertI64S => (FromS, true, false), F32ConvertI64U => (FromU, true, false),
        F64ConvertI32S => (FromS, false, true), F64ConvertI32U => (FromU, false, true),
        F64ConvertI64S => (FromS, true, true), F64ConvertI64U => (FromU, true, true),
        F32DemoteF64 => (Demote, true, false), F64PromoteF32 => (Promote, false, true),
        _ => return None,
    };
    Some(ConvOp { kind, from64, to64 })
}

#[rustfmt::skip]
pub(crate) fn load(op: &Operator<'_>) -> Option<(LoadKind, wp::MemArg)> {
    use LoadKind::*;
    use Operator::*;
    Some(match *op {
        I32Load { memarg } | F32Load { memarg } => (I32, memarg),
        I64Load { memarg } | F64Load { memarg } => (I64, memarg),
        I32Load8S { memarg } => (I32S8, memarg), I32Load8U { memarg } => (I32U8, memarg),
        I32Load16S { memarg } => (I32S16, memarg), I32Load16U { memarg } => (I32U16, memarg),
        I64Load8S { memarg } => (I64S8, memarg), I64Load8U { memarg } => (I64U8, memarg),
        I64Load16S { memarg } => (I64S16, memarg), I64Load16U { memarg } => (I64U16, memarg),
        I64Load32S { memarg } => (I64S32, memarg), I64Load32U { memarg } => (I64U32, memarg),
        _ => return None,
    })
}

#[rustfmt::skip]
pub(crate) fn store(op: &Operator<'_>) -> Option<(StoreKind, wp::MemArg)> {
    use Operator::*;
    use StoreKind::*;
    Some(match *op {
        I32Store8 { memarg } | I64Store8 { memarg } => (B1, memarg),
        I32Store16 { memarg } | I64Store16 { memarg } => (B2, memarg),
        I32Store { memarg } | F32Store { memarg } | I64Store32 { memarg } => (B4, memarg),
        I64Store { memarg } | F64Store { memarg } => (B8, memarg),
        _ => return None,
    })
}

impl FloatOp {
    pub(crate) fn is_comparison(self) -> bool {
        matches!(self.term(), FloatTerm::Compare(..))
    }
}
