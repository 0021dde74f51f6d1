//! Numeric instructions on concrete bits, and the term operations they correspond to.

use crate::stop::Trap;
use pessimum_term::{Op, Width};

/// Two-operand integer instructions that cannot trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub(crate) enum BinOp {
    Add32, Sub32, Mul32, And32, Or32, Xor32, Shl32, ShrS32, ShrU32, Rotl32, Rotr32,
    Eq32, Ne32, LtS32, LtU32, GtS32, GtU32, LeS32, LeU32, GeS32, GeU32,
    Add64, Sub64, Mul64, And64, Or64, Xor64, Shl64, ShrS64, ShrU64, Rotl64, Rotr64,
    Eq64, Ne64, LtS64, LtU64, GtS64, GtU64, LeS64, LeU64, GeS64, GeU64,
}

impl BinOp {
    #[inline(always)]
    pub(crate) fn apply(self, a: u64, b: u64) -> u64 {
        use BinOp::*;
        let (x, y) = (a as u32, b as u32);
        let (p, q) = (x as i32, y as i32);
        let (s, t) = (a as i64, b as i64);
        let narrow = |v: u32| u64::from(v);
        match self {
            Add32 => narrow(x.wrapping_add(y)),
            Sub32 => narrow(x.wrapping_sub(y)),
            Mul32 => narrow(x.wrapping_mul(y)),
            And32 => narrow(x & y),
            Or32 => narrow(x | y),
            Xor32 => narrow(x ^ y),
            Shl32 => narrow(x.wrapping_shl(y)),
            ShrS32 => narrow(p.wrapping_shr(y) as u32),
            ShrU32 => narrow(x.wrapping_shr(y)),
            Rotl32 => narrow(x.rotate_left(y & 31)),
            Rotr32 => narrow(x.rotate_right(y & 31)),
            Eq32 => u64::from(x == y),
            Ne32 => u64::from(x != y),
            LtS32 => u64::from(p < q),
            LtU32 => u64::from(x < y),
            GtS32 => u64::from(p > q),
            GtU32 => u64::from(x > y),
            LeS32 => u64::from(p <= q),
            LeU32 => u64::from(x <= y),
            GeS32 => u64::from(p >= q),
            GeU32 => u64::from(x >= y),
            Add64 => a.wrapping_add(b),
            Sub64 => a.wrapping_sub(b),
            Mul64 => a.wrapping_mul(b),
            And64 => a & b,
            Or64 => a | b,
            Xor64 => a ^ b,
            Shl64 => a.wrapping_shl(y),
            ShrS64 => s.wrapping_shr(y) as u64,
            ShrU64 => a.wrapping_shr(y),
            Rotl64 => a.rotate_left(y & 63),
            Rotr64 => a.rotate_right(y & 63),
            Eq64 => u64::from(a == b),
            Ne64 => u64::from(a != b),
            LtS64 => u64::from(s < t),
            LtU64 => u64::from(a < b),
            GtS64 => u64::from(s > t),
            GtU64 => u64::from(a > b),
            LeS64 => u64::from(s <= t),
            LeU64 => u64::from(a <= b),
            GeS64 => u64::from(s >= t),
            GeU64 => u64::from(a >= b),
        }
    }

    pub(crate) fn is_comparison(self) -> bool {
        use BinOp::*;
        (Eq32 as u8..=GeU32 as u8).contains(&(self as u8)) || self as u8 >= Eq64 as u8
    }

    /// The comparison that holds just when this one does not.
    pub(crate) fn inverted(self) -> Option<BinOp> {
        use BinOp::*;
        Some(match self {
            Eq32 => Ne32,
            Ne32 => Eq32,
            LtS32 => GeS32,
            LtU32 => GeU32,
            GtS32 => LeS32,
            GtU32 => LeU32,
            LeS32 => GtS32,
            LeU32 => GtU32,
            GeS32 => LtS32,
            GeU32 => LtU32,
            Eq64 => Ne64,
            Ne64 => Eq64,
            LtS64 => GeS64,
            LtU64 => GeU64,
            GtS64 => LeS64,
            GtU64 => LeU64,
            LeS64 => GtS64,
            LeU64 => GtU64,
            GeS64 => LtS64,
            GeU64 => LtU64,
            _ => return None,
        })
    }

    /// Width of the operands.
    #[inline]
    pub(crate) fn width(self) -> Width {
        if (self as u8) < BinOp::Add64 as u8 { Width::W32 } else { Width::W64 }
    }

    /// The term operation, whether its arguments are swapped, and whether its result is negated.
    pub(crate) fn term(self) -> (Op, bool, bool) {
        use BinOp::*;
        match self {
            Add32 | Add64 => (Op::Add, false, false),
            Sub32 | Sub64 => (Op::Sub, false, false),
            Mul32 | Mul64 => (Op::Mul, false, false),
            And32 | And64 => (Op::And, false, false),
            Or32 | Or64 => (Op::Or, false, false),
            Xor32 | Xor64 => (Op::Xor, false, false),
            Shl32 | Shl64 => (Op::Shl, false, false),
            ShrS32 | ShrS64 => (Op::AShr, false, false),
            ShrU32 | ShrU64 => (Op::LShr, false, false),
            Rotl32 | Rotl64 => (Op::Rotl, false, false),
            Rotr32 | Rotr64 => (Op::Rotr, false, false),
            Eq32 | Eq64 => (Op::Eq, false, false),
            Ne32 | Ne64 => (Op::Eq, false, true),
            LtS32 | LtS64 => (Op::Slt, false, false),
            LtU32 | LtU64 => (Op::Ult, false, false),
            GtS32 | GtS64 => (Op::Slt, true, false),
            GtU32 | GtU64 => (Op::Ult, true, false),
            LeS32 | LeS64 => (Op::Sle, false, false),
            LeU32 | LeU64 => (Op::Ule, false, false),
            GeS32 | GeS64 => (Op::Sle, true, false),
            GeU32 | GeU64 => (Op::Ule, true, false),
        }
    }
}

/// Integer instructions with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub(crate) enum UnOp {
    Eqz32, Eqz64, Clz32, Ctz32, Popcnt32, Clz64, Ctz64, Popcnt64,
    Wrap, ExtendS, ExtendU,
    Extend8S32, Extend16S32, Extend8S64, Extend16S64, Extend32S64,
}

impl UnOp {
    #[inline]
    pub(crate) fn apply(self, a: u64) -> u64 {
        use UnOp::*;
        let x = a as u32;
        match self {
            Eqz32 => u64::from(x == 0),
            Eqz64 => u64::from(a == 0),
            Clz32 => u64::from(x.leading_zeros()),
            Ctz32 => u64::from(x.trailing_zeros()),
            Popcnt32 => u64::from(x.count_ones()),
            Clz64 => u64::from(a.leading_zeros()),
            Ctz64 => u64::from(a.trailing_zeros()),
            Popcnt64 => u64::from(a.count_ones()),
            Wrap | ExtendU => u64::from(x),
            ExtendS | Extend32S64 => x as i32 as i64 as u64,
            Extend8S32 => u64::from(x as i8 as i32 as u32),
            Extend16S32 => u64::from(x as i16 as i32 as u32),
            Extend8S64 => a as i8 as i64 as u64,
            Extend16S64 => a as i16 as i64 as u64,
        }
    }
}

/// Division and remainder: the integer instructions that can trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub(crate) enum DivOp {
    DivS32, DivU32, RemS32, RemU32, DivS64, DivU64, RemS64, RemU64,
}

impl DivOp {
    pub(crate) fn width(self) -> Width {
        use DivOp::*;
        if matches!(self, DivS32 | DivU32 | RemS32 | RemU32) { Width::W32 } else { Width::W64 }
    }

    pub(crate) fn is_signed_div(self) -> bool {
        matches!(self, DivOp::DivS32 | DivOp::DivS64)
    }

    /// The result on numbers.
    #[inline]
    pub(crate) fn apply(self, a: u64, b: u64) -> Result<u64, Trap> {
        use DivOp::*;
        if b == 0 {
            return Err(Trap::DivisionByZero);
        }
        let (x, y) = (a as u32, b as u32);
        let (p, q) = (x as i32, y as i32);
        let (s, t) = (a as i64, b as i64);
        let overflow = Trap::IntegerOverflow;
        Ok(match self {
            DivS32 => u64::from(p.checked_div(q).ok_or(overflow)? as u32),
            DivU32 => u64::from(x / y),
            RemS32 => u64::from(p.wrapping_rem(q) as u32),
            RemU32 => u64::from(x % y),
            DivS64 => s.checked_div(t).ok_or(overflow)? as u64,
            DivU64 => a / b,
            RemS64 => s.wrapping_rem(t) as u64,
            RemU64 => a % b,
        })
    }

    pub(crate) fn term(self) -> Op {
        use DivOp::*;
        match self {
            DivS32 | DivS64 => Op::SDiv,
            DivU32 | DivU64 => Op::UDiv,
            RemS32 | RemS64 => Op::SRem,
            RemU32 | RemU64 => Op::URem,
        }
    }
}

/// Float instructions on one or two floats; the second slot of a unary one repeats the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub(crate) enum FloatOp {
    Add32, Sub32, Mul32, Div32, Min32, Max32, Copysign32, Eq32, Ne32, Lt32, Gt32, Le32, Ge32,
    Abs32, Neg32, Ceil32, Floor32, Trunc32, Nearest32, Sqrt32,
    Add64, Sub64, Mul64, Div64, Min64, Max64, Copysign64, Eq64, Ne64, Lt64, Gt64, Le64, Ge64,
    Abs64, Neg64, Ceil64, Floor64, Trunc64, Nearest64, Sqrt64,
}

impl FloatOp {
    pub(crate) fn apply(self, a: u64, b: u64) -> u64 {
        use FloatOp::*;
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let (p, q) = (f64::from_bits(a), f64::from_bits(b));
        // Of the NaNs that Wasm allows we give the canonical one, as terms do.
        let narrow = |v: f32| if v.is_nan() { 0x7fc0_0000 } else { u64::from(v.to_bits()) };
        let wide = |v: f64| if v.is_nan() { 0x7ff8_0000_0000_0000 } else { v.to_bits() };
        match self {
            Add32 => narrow(x + y),
            Sub32 => narrow(x - y),
            Mul32 => narrow(x * y),
            Div32 => narrow(x / y),
            Min32 => narrow(min32(x, y)),
            Max32 => narrow(max32(x, y)),
            Copysign32 => (a & 0x7fff_ffff) | (b & 0x8000_0000),
            Eq32 => u64::from(x == y),
            Ne32 => u64::from(x != y),
            Lt32 => u64::from(x < y),
            Gt32 => u64::from(x > y),
            Le32 => u64::from(x <= y),
            Ge32 => u64::from(x >= y),
            Abs32 => a & 0x7fff_ffff,
            Neg32 => a ^ 0x8000_0000,
            Ceil32 => narrow(x.ceil()),
            Floor32 => narrow(x.floor()),
            Trunc32 => narrow(x.trunc()),
            Nearest32 => narrow(x.round_ties_even()),
            Sqrt32 => narrow(x.sqrt()),
            Add64 => wide(p + q),
            Sub64 => wide(p - q),
            Mul64 => wide(p * q),
            Div64 => wide(p / q),
            Min64 => wide(min64(p, q)),
            Max64 => wide(max64(p, q)),
            Copysign64 => (a & !(1 << 63)) | (b & 1 << 63),
            Eq64 => u64::from(p == q),
            Ne64 => u64::from(p != q),
            Lt64 => u64::from(p < q),
            Gt64 => u64::from(p > q),
            Le64 => u64::from(p <= q),
            Ge64 => u64::from(p >= q),
            Abs64 => a & !(1 << 63),
            Neg64 => a ^ 1 << 63,
            Ceil64 => wide(p.ceil()),
            Floor64 => wide(p.floor()),
            Trunc64 => wide(p.trunc()),
            Nearest64 => wide(p.round_ties_even()),
            Sqrt64 => wide(p.sqrt()),
        }
    }

    pub(crate) fn width(self) -> Width {
        if (self as u8) < FloatOp::Add64 as u8 { Width::W32 } else { Width::W64 }
    }

    /// What the operation is on terms: a float operation, or plain bits for the sign games.
    pub(crate) fn term(self) -> FloatTerm {
        use FloatOp::*;
        match self {
            Add32 | Add64 => FloatTerm::Binary(Op::FAdd),
            Sub32 | Sub64 => FloatTerm::Binary(Op::FSub),
            Mul32 | Mul64 => FloatTerm::Binary(Op::FMul),
            Div32 | Div64 => FloatTerm::Binary(Op::FDiv),
            Min32 | Min64 => FloatTerm::Binary(Op::FMin),
            Max32 | Max64 => FloatTerm::Binary(Op::FMax),
            Eq32 | Eq64 => FloatTerm::Compare(Op::FEq, false, false),
            Ne32 | Ne64 => FloatTerm::Compare(Op::FEq, false, true),
            Lt32 | Lt64 => FloatTerm::Compare(Op::FLt, false, false),
            Gt32 | Gt64 => FloatTerm::Compare(Op::FLt, true, false),
            Le32 | Le64 => FloatTerm::Compare(Op::FLe, false, false),
            Ge32 | Ge64 => FloatTerm::Compare(Op::FLe, true, false),
            Copysign32 | Copysign64 => FloatTerm::CopySign,
            Abs32 | Abs64 => FloatTerm::Abs,
            Neg32 | Neg64 => FloatTerm::Neg,
            Ceil32 | Ceil64 => FloatTerm::Unary(Op::FCeil),
            Floor32 | Floor64 => FloatTerm::Unary(Op::FFloor),
            Trunc32 | Trunc64 => FloatTerm::Unary(Op::FTrunc),
            Nearest32 | Nearest64 => FloatTerm::Unary(Op::FNearest),
            Sqrt32 | Sqrt64 => FloatTerm::Unary(Op::FSqrt),
        }
    }
}

/// The shape of a float operation over terms.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FloatTerm {
    Binary(Op),
    /// Operation, whether its arguments are swapped, whether the result is negated.
    Compare(Op, bool, bool),
    Unary(Op),
    CopySign,
    Abs,
    Neg,
}

/// Conversions between numbers of different kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ConvOp {
    pub(crate) kind: ConvKind,
    /// Width of the operand is 64.
    pub(crate) from64: bool,
    /// Width of the result is 64.
    pub(crate) to64: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConvKind {
    FromS,
    FromU,
    /// Float to integer, trapping when it does not fit.
    TruncS,
    TruncU,
    TruncSatS,
    TruncSatU,
    Demote,
    Promote,
}

impl ConvOp {
    pub(crate) fn from(self) -> Width {
        if self.from64 { Width::W64 } else { Width::W32 }
    }

    pub(crate) fn to(self) -> Width {
        if self.to64 { Width::W64 } else { Width::W32 }
    }

    pub(crate) fn term(self) -> Op {
        match self.kind {
            ConvKind::FromS => Op::FFromS,
            ConvKind::FromU => Op::FFromU,
            ConvKind::TruncS | ConvKind::TruncSatS => Op::FToS,
            ConvKind::TruncU | ConvKind::TruncSatU => Op::FToU,
            ConvKind::Demote => Op::FDemote,
            ConvKind::Promote => Op::FPromote,
        }
    }

    /// The result on a number.
    pub(crate) fn apply(self, a: u64) -> Result<u64, Trap> {
        match self.traps(a) {
            Some(trap) => Err(trap),
            None => Ok(pessimum_term::fold_unary(self.term(), self.from(), self.to(), 0, a)),
        }
    }

    /// Whether the value makes a trapping conversion trap, and how.
    fn traps(self, a: u64) -> Option<Trap> {
        let signed = match self.kind {
            ConvKind::TruncS => true,
            ConvKind::TruncU => false,
            _ => return None,
        };
        let x = if self.from64 { f64::from_bits(a) } else { f64::from(f32::from_bits(a as u32)) };
        if x.is_nan() {
            return Some(Trap::InvalidConversion);
        }
        let x = x.trunc();
        let fits = match (signed, self.to64) {
            (true, false) => (-2147483648.0..=2147483647.0).contains(&x),
            (false, false) => (0.0..=4294967295.0).contains(&x),
            (true, true) => (-9223372036854775808.0..9223372036854775808.0).contains(&x),
            (false, true) => (0.0..18446744073709551616.0).contains(&x),
        };
        (!fits).then_some(Trap::IntegerOverflow)
    }
}

fn min32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        f32::from_bits(x.to_bits() | y.to_bits())
    } else if x < y {
        x
    } else {
        y
    }
}

fn max32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        f32::from_bits(x.to_bits() & y.to_bits())
    } else if x > y {
        x
    } else {
        y
    }
}

fn min64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        f64::from_bits(x.to_bits() | y.to_bits())
    } else if x < y {
        x
    } else {
        y
    }
}

fn max64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        f64::from_bits(x.to_bits() & y.to_bits())
    } else if x > y {
        x
    } else {
        y
    }
}
