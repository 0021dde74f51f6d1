//! The vocabulary: ids, widths, operations and nodes.

use std::fmt;
use std::num::NonZeroU32;

/// A term of an [`Arena`](crate::Arena). Never zero, so `Option<TermId>` takes four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(NonZeroU32);

impl TermId {
    /// The id as a plain index; the inverse of [`TermId::from_index`].
    #[inline]
    pub fn index(self) -> u32 {
        self.0.get()
    }

    /// The term with this index, `None` for zero.
    #[inline]
    pub fn from_index(index: u32) -> Option<Self> {
        NonZeroU32::new(index).map(Self)
    }
}

impl fmt::Debug for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// A symbolic input, numbered in the order the inputs were made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// How many bits a term has: 1 to 64. Conditions have one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Width(u8);

impl Width {
    /// A condition.
    pub const BOOL: Width = Width(1);
    /// A byte.
    pub const W8: Width = Width(8);
    /// Two bytes.
    pub const W16: Width = Width(16);
    /// Four bytes.
    pub const W32: Width = Width(32);
    /// Eight bytes.
    pub const W64: Width = Width(64);

    /// A width of `bits` bits.
    ///
    /// # Panics
    /// If `bits` is not in 1..=64: widths come from instructions, never from a user.
    #[inline]
    pub const fn new(bits: u32) -> Self {
        assert!(bits >= 1 && bits <= 64);
        Width(bits as u8)
    }

    /// The number of bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// All ones: the greatest unsigned value.
    #[inline]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.0 as u32)
    }

    /// The sign bit alone.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        1 << (self.0 - 1)
    }

    /// The value read as a signed number.
    #[inline]
    pub const fn signed(self, value: u64) -> i64 {
        let shift = 64 - self.0 as u32;
        ((value << shift) as i64) >> shift
    }

    /// The least signed value.
    #[inline]
    pub const fn min_signed(self) -> i64 {
        self.signed(self.sign_bit())
    }

    /// The greatest signed value.
    #[inline]
    pub const fn max_signed(self) -> i64 {
        (self.mask() >> 1) as i64
    }
}

impl fmt::Debug for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "w{}", self.0)
    }
}

/// What a node does with its arguments.
///
/// Conventions: shifts and rotations take their amount modulo the width, as Wasm does; division
/// and remainder by zero evaluate to zero (the machine traps before it builds such a term, so
/// every path that holds the term also holds a constraint that the divisor is not zero);
/// comparisons have width 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // each is the SMT-LIB or Wasm operation of the same name
pub enum Op {
    Const,
    Var,
    // integers, two arguments of the result's width
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    Rotl,
    Rotr,
    // comparisons, width 1
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    // one argument
    Not,
    Clz,
    Ctz,
    Popcnt,
    ZeroExt,
    SignExt,
    /// Bits `c .. c + width` of the argument.
    Extract,
    /// `a` above `b`.
    Concat,
    /// `a ? b : c`
    Ite,
    // floats: bit patterns in, bit patterns out
    FAdd,
    FSub,
    FMul,
    FDiv,
    FMin,
    FMax,
    FEq,
    FLt,
    FLe,
    FSqrt,
    FCeil,
    FFloor,
    FTrunc,
    FNearest,
    /// f32 to f64.
    FPromote,
    /// f64 to f32.
    FDemote,
    /// Integer to float; the argument's width is the integer's.
    FFromS,
    FFromU,
    /// Float to integer, saturating; the result's width is the integer's.
    FToS,
    FToU,
}

impl Op {
    /// Every operation on two integers, comparisons among them.
    pub const ON_TWO_INTEGERS: [Op; 20] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::UDiv,
        Op::SDiv,
        Op::URem,
        Op::SRem,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Shl,
        Op::LShr,
        Op::AShr,
        Op::Rotl,
        Op::Rotr,
        Op::Eq,
        Op::Ult,
        Op::Ule,
        Op::Slt,
        Op::Sle,
    ];

    /// Number of term arguments.
    #[inline]
    pub fn arity(self) -> usize {
        use Op::*;
        match self {
            Const | Var => 0,
            Not | Clz | Ctz | Popcnt | ZeroExt | SignExt | Extract | FSqrt | FCeil | FFloor
            | FTrunc | FNearest | FPromote | FDemote | FFromS | FFromU | FToS | FToU => 1,
            Ite => 3,
            _ => 2,
        }
    }

    /// Whether the result is a condition whatever the width of the arguments.
    pub fn is_comparison(self) -> bool {
        use Op::*;
        matches!(self, Eq | Ult | Ule | Slt | Sle | FEq | FLt | FLe)
    }

    /// Whether `a op b` equals `b op a`.
    pub fn is_commutative(self) -> bool {
        use Op::*;
        matches!(self, Add | Mul | And | Or | Xor | Eq | FEq)
    }

    /// Whether it computes with floats, or compares them.
    pub fn is_float(self) -> bool {
        self as u8 >= Op::FAdd as u8
    }
}

/// One node. Constants keep their value in `(a, b)`, variables their number in `a`, `Extract`
/// its lowest bit in `c`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Width of the result.
    pub width: Width,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

impl Node {
    /// The value of a constant.
    #[inline]
    pub fn as_const(&self) -> Option<u64> {
        (self.op == Op::Const).then(|| self.const_value())
    }

    #[inline]
    pub(crate) fn const_value(&self) -> u64 {
        u64::from(self.a) | u64::from(self.b) << 32
    }

    /// The number of a variable.
    #[inline]
    pub fn as_var(&self) -> Option<VarId> {
        (self.op == Op::Var).then_some(VarId(self.a))
    }

    /// The lowest bit an `Extract` takes.
    #[inline]
    pub fn low_bit(&self) -> u32 {
        self.c
    }

    /// The term arguments, in order.
    #[inline]
    pub fn args(&self) -> impl Iterator<Item = TermId> + use<> {
        let arity = self.op.arity();
        [self.a, self.b, self.c].into_iter().take(arity).filter_map(TermId::from_index)
    }

    /// Argument `i`.
    ///
    /// # Panics
    /// If the operation has no such argument.
    #[inline]
    pub fn arg(&self, i: usize) -> TermId {
        debug_assert!(i < self.op.arity());
        TermId::from_index([self.a, self.b, self.c][i]).expect("argument of a node")
    }
}
