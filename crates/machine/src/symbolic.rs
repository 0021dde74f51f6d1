//! Instructions on terms: the slow side of the machine.

use crate::code::LoadKind;
use crate::module::INVERTED;
use crate::numeric::{BinOp, ConvOp, DivOp, FloatOp, FloatTerm, UnOp};
use crate::value::Value;
use pessimum_term::{Arena, Op, TermId, Width};

/// What is known of an instruction: its offset in the file with [`INVERTED`], and 1 + its site or 0.
pub(crate) type Meta = (u32, u32);

/// A two-operand integer instruction. Its site is left on a comparison (see `Arena::set_tag`), its place on what it computes.
pub(crate) fn binary(arena: &mut Arena, op: BinOp, a: Value, b: Value, at: Meta) -> Value {
    if op.is_comparison() {
        let condition = compare(arena, op, a, b);
        return from_condition(arena, condition, at.1);
    }
    let width = op.width();
    let (x, y) = (a.to_term(arena, width), b.to_term(arena, width));
    let (op, ..) = op.term();
    let t = arena.binary(op, x, y);
    note_place(arena, t, at.0);
    Value::of_term(arena, t)
}

/// Leaves the place of an instruction on what it computes, if that is something to ask a solver of bits about.
pub(crate) fn note_place(arena: &mut Arena, t: TermId, place: u32) {
    use Op::*;
    let node = arena.node(t);
    let hard = match node.op {
        Mul | UDiv | SDiv | URem | SRem | Rotl | Rotr | Clz | Ctz | Popcnt => true,
        // By a constant they move bits.
        Shl | LShr | AShr => arena.as_const(node.arg(1)).is_none(),
        op => op.is_float() && !op.is_comparison(),
    };
    if hard {
        arena.note_origin(t, place & !INVERTED);
    }
}

/// A comparison as a condition.
pub(crate) fn compare(arena: &mut Arena, op: BinOp, a: Value, b: Value) -> TermId {
    let width = op.width();
    let (x, y) = (a.to_term(arena, width), b.to_term(arena, width));
    let (op, swapped, negated) = op.term();
    let t = if swapped { arena.binary(op, y, x) } else { arena.binary(op, x, y) };
    if negated { arena.not(t) } else { t }
}

fn from_condition(arena: &mut Arena, condition: TermId, site: u32) -> Value {
    arena.set_tag(condition, site);
    let node = *arena.node(condition);
    if node.op == Op::Not {
        arena.set_tag(node.arg(0), site);
    }
    let t = arena.zero_extend(Width::W32, condition);
    Value::of_term(arena, t)
}

pub(crate) fn unary(arena: &mut Arena, op: UnOp, a: Value, site: u32) -> Value {
    use UnOp::*;
    let from = match op {
        Eqz64 | Clz64 | Ctz64 | Popcnt64 | Wrap | Extend8S64 | Extend16S64 | Extend32S64 => {
            Width::W64
        }
        _ => Width::W32,
    };
    let x = a.to_term(arena, from);
    let cut = |arena: &mut Arena, bits: Width, to: Width| {
        let low = arena.extract(x, 0, bits);
        arena.sign_extend(to, low)
    };
    let t = match op {
        Eqz32 | Eqz64 => {
            let condition = arena.is_zero(x);
            return from_condition(arena, condition, site);
        }
        Clz32 | Clz64 => arena.unary(Op::Clz, from, x),
        Ctz32 | Ctz64 => arena.unary(Op::Ctz, from, x),
        Popcnt32 | Popcnt64 => arena.unary(Op::Popcnt, from, x),
        Wrap => arena.extract(x, 0, Width::W32),
        ExtendS => arena.sign_extend(Width::W64, x),
        ExtendU => arena.zero_extend(Width::W64, x),
        Extend8S32 => cut(arena, Width::W8, Width::W32),
        Extend16S32 => cut(arena, Width::W16, Width::W32),
        Extend8S64 => cut(arena, Width::W8, Width::W64),
        Extend16S64 => cut(arena, Width::W16, Width::W64),
        Extend32S64 => cut(arena, Width::W32, Width::W64),
    };
    Value::of_term(arena, t)
}

/// A division whose traps have been ruled out.
pub(crate) fn divide(arena: &mut Arena, op: DivOp, a: Value, b: Value, place: u32) -> Value {
    let width = op.width();
    let (x, y) = (a.to_term(arena, width), b.to_term(arena, width));
    let t = arena.binary(op.term(), x, y);
    note_place(arena, t, place);
    Value::of_term(arena, t)
}

pub(crate) fn float(arena: &mut Arena, op: FloatOp, a: Value, b: Value, at: Meta) -> Value {
    let width = op.width();
    let (x, y) = (a.to_term(arena, width), b.to_term(arena, width));
    let sign = arena.constant(width, width.sign_bit());
    let magnitude = arena.constant(width, !width.sign_bit());
    let t = match op.term() {
        FloatTerm::Binary(op) => arena.binary(op, x, y),
        FloatTerm::Compare(op, swapped, negated) => {
            let t = if swapped { arena.binary(op, y, x) } else { arena.binary(op, x, y) };
            let t = if negated { arena.not(t) } else { t };
            return from_condition(arena, t, at.1);
        }
        FloatTerm::Unary(op) => arena.unary(op, width, x),
        FloatTerm::Abs => arena.binary(Op::And, x, magnitude),
        FloatTerm::Neg => arena.binary(Op::Xor, x, sign),
        FloatTerm::CopySign => {
            let x = arena.binary(Op::And, x, magnitude);
            let y = arena.binary(Op::And, y, sign);
            arena.binary(Op::Or, x, y)
        }
    };
    note_place(arena, t, at.0);
    Value::of_term(arena, t)
}

/// A conversion whose traps have been ruled out.
pub(crate) fn convert(arena: &mut Arena, op: ConvOp, a: Value, place: u32) -> Value {
    let x = a.to_term(arena, op.from());
    let t = arena.unary(op.term(), op.to(), x);
    note_place(arena, t, place);
    Value::of_term(arena, t)
}

/// The conditions under which a conversion traps: not a number, and out of range.
pub(crate) fn conversion_traps(arena: &mut Arena, op: ConvOp, a: Value) -> (TermId, TermId) {
    let from = op.from();
    let x = a.to_term(arena, from);
    let number = arena.binary(Op::FEq, x, x);
    let nan = arena.not(number);
    // The open interval of floats that truncate into range, ends as floats of the operand's type.
    let signed = op.term() == Op::FToS;
    let bits = i32::try_from(op.to().bits()).unwrap_or(64);
    let high = 2f64.powi(if signed { bits - 1 } else { bits });
    let low = if signed { -high } else { 0.0 };
    let constant = |arena: &mut Arena, v: f64| {
        let raw = if from == Width::W64 { v.to_bits() } else { u64::from((v as f32).to_bits()) };
        arena.constant(from, raw)
    };
    let top = constant(arena, high);
    let below = arena.binary(Op::FLt, x, top);
    // low − 1 is a float of its own only where the operand is finer than the result.
    let exact = low - 1.0;
    let representable = from == Width::W64 && bits == 32 || low == 0.0;
    let above = if representable {
        let bottom = constant(arena, exact);
        arena.binary(Op::FLt, bottom, x)
    } else {
        let bottom = constant(arena, low);
        arena.binary(Op::FLe, bottom, x)
    };
    let fits = arena.binary(Op::And, below, above);
    let outside = arena.not(fits);
    (nan, outside)
}

pub(crate) fn select(
    arena: &mut Arena,
    condition: TermId,
    a: Value,
    b: Value,
    width: Width,
    site: u32,
) -> Value {
    if a == b {
        return a;
    }
    let (x, y) = (a.to_term(arena, width), b.to_term(arena, width));
    let t = arena.ite(condition, x, y);
    arena.set_tag(t, site);
    Value::of_term(arena, t)
}

/// What a load makes of the raw bytes.
pub(crate) fn extend_loaded(arena: &mut Arena, kind: LoadKind, raw: Value) -> Value {
    let Some(t) = raw.as_term() else {
        return Value::concrete(kind.extend(raw.bits));
    };
    let to = if kind.is_64() { Width::W64 } else { Width::W32 };
    let t = if kind.is_signed() { arena.sign_extend(to, t) } else { arena.zero_extend(to, t) };
    Value::of_term(arena, t)
}
