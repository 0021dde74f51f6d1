//! Prints terms as SMT-LIB 2, with `let` for shared subterms, for bug reports and for solvers that
//! speak it.

use crate::arena::Arena;
use crate::node::{Op, TermId};
use crate::range::Range;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// A whole query: declares the variables, asserts each term and asks `(check-sat)`.
#[derive(Clone, Copy, Debug)]
pub struct SmtLib<'a> {
    arena: &'a Arena,
    assertions: &'a [TermId],
}

impl<'a> SmtLib<'a> {
    /// The query whether all `assertions` can hold at once.
    pub fn new(arena: &'a Arena, assertions: &'a [TermId]) -> Self {
        SmtLib { arena, assertions }
    }
}

impl fmt::Display for SmtLib<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut needed = BTreeSet::new();
        let mut stack = self.assertions.to_vec();
        while let Some(t) = stack.pop() {
            if needed.insert(t) {
                stack.extend(self.arena.node(t).args());
            }
        }
        let float = needed.iter().any(|t| self.arena.node(*t).op.is_float());
        writeln!(f, "(set-logic {})", if float { "QF_BVFP" } else { "QF_BV" })?;
        // Ids grow with age, so arguments are always printed before their users.
        for &t in &needed {
            let node = self.arena.node(t);
            let bits = node.width.bits();
            if let Some(v) = node.as_var() {
                writeln!(f, "(declare-const x{} (_ BitVec {bits}))", v.0)?;
                let domain = self.arena.domain(v);
                if !domain.is_full(node.width) {
                    // Counted from the least value, so that signed and unsigned read alike.
                    let mask = node.width.mask();
                    writeln!(
                        f,
                        "(assert (bvule (bvsub x{} (_ bv{} {bits})) (_ bv{} {bits})))",
                        v.0,
                        domain.lo as u64 & mask,
                        (domain.hi - domain.lo) as u64 & mask
                    )?;
                } else if self.arena.range(t) != Range::full(node.width) {
                    // A float of either sign: the greatest in each reading.
                    let Range { umax, smax, .. } = self.arena.range(t);
                    let smax = smax as u64 & node.width.mask();
                    writeln!(f, "(assert (bvule x{} (_ bv{umax} {bits})))", v.0)?;
                    writeln!(f, "(assert (bvsle x{} (_ bv{smax} {bits})))", v.0)?;
                }
            } else if let Some(float) = self.float_result(t) {
                // SMT-LIB has no way back from a float to its bits but a constant that becomes the
                // float. It has one NaN only; ours is the canonical one.
                let (e, s) = format_of(bits);
                let nan = canonical_nan(bits);
                writeln!(f, "(declare-const {t:?} (_ BitVec {bits}))")?;
                writeln!(
                    f,
                    "(assert (let ((f {float})) (ite (fp.isNaN f) (= {t:?} {nan}) \
                     (= ((_ to_fp {e} {s}) {t:?}) f))))"
                )?;
            } else if node.op != Op::Const {
                writeln!(f, "(define-fun {t:?} () (_ BitVec {bits}) {})", self.body(t)?)?;
            }
        }
        for &t in self.assertions {
            writeln!(f, "(assert (= {} #b1))", self.name(t))?;
        }
        writeln!(f, "(check-sat)")
    }
}

impl SmtLib<'_> {
    fn name(&self, t: TermId) -> String {
        let node = self.arena.node(t);
        match (node.as_const(), node.as_var()) {
            (Some(k), _) => format!("(_ bv{k} {})", node.width.bits()),
            (_, Some(v)) => format!("x{}", v.0),
            _ => format!("{t:?}"),
        }
    }

    /// The float an operation makes from floats or integers, for the operations that make one.
    fn float_result(&self, t: TermId) -> Option<String> {
        let node = self.arena.node(t);
        if !node.op.is_float() {
            return None;
        }
        let (e, s) = format_of(node.width.bits());
        let bits = |i: usize| self.name(node.arg(i));
        let fp = |i: usize| {
            let (e, s) = format_of(self.arena.width(node.arg(i)).bits());
            format!("((_ to_fp {e} {s}) {})", bits(i))
        };
        let text = match node.op {
            Op::FAdd => format!("(fp.add RNE {} {})", fp(0), fp(1)),
            Op::FSub => format!("(fp.sub RNE {} {})", fp(0), fp(1)),
            Op::FMul => format!("(fp.mul RNE {} {})", fp(0), fp(1)),
            Op::FDiv => format!("(fp.div RNE {} {})", fp(0), fp(1)),
            Op::FSqrt => format!("(fp.sqrt RNE {})", fp(0)),
            Op::FCeil => format!("(fp.roundToIntegral RTP {})", fp(0)),
            Op::FFloor => format!("(fp.roundToIntegral RTN {})", fp(0)),
            Op::FTrunc => format!("(fp.roundToIntegral RTZ {})", fp(0)),
            Op::FNearest => format!("(fp.roundToIntegral RNE {})", fp(0)),
            Op::FPromote | Op::FDemote => format!("((_ to_fp {e} {s}) RNE {})", fp(0)),
            Op::FFromS => format!("((_ to_fp {e} {s}) RNE {})", bits(0)),
            Op::FFromU => format!("((_ to_fp_unsigned {e} {s}) RNE {})", bits(0)),
            _ => return None,
        };
        Some(text)
    }

    fn body(&self, t: TermId) -> Result<String, fmt::Error> {
        let node = *self.arena.node(t);
        let args: Vec<String> = node.args().map(|a| self.name(a)).collect();
        let from = node.args().next().map_or(0, |a| self.arena.width(a).bits());
        let bits = node.width.bits();
        let simple = |name: &str| format!("({name} {})", args.join(" "));
        let as_bit = |inner: String| format!("(ite {inner} #b1 #b0)");
        let shift =
            |name: &str| format!("({name} {} (bvurem {} (_ bv{bits} {bits})))", args[0], args[1]);
        let guarded = |name: &str| {
            format!(
                "(ite (= {1} (_ bv0 {bits})) (_ bv0 {bits}) ({name} {0} {1}))",
                args[0], args[1]
            )
        };
        let fp = |i: usize, width: u32| {
            let (e, s) = format_of(width);
            format!("((_ to_fp {e} {s}) {})", args[i])
        };
        let mut out = String::new();
        let text = match node.op {
            Op::Const | Op::Var => return Err(fmt::Error),
            Op::Add => simple("bvadd"),
            Op::Sub => simple("bvsub"),
            Op::Mul => simple("bvmul"),
            Op::UDiv => guarded("bvudiv"),
            Op::SDiv => guarded("bvsdiv"),
            Op::URem => guarded("bvurem"),
            Op::SRem => guarded("bvsrem"),
            Op::And => simple("bvand"),
            Op::Or => simple("bvor"),
            Op::Xor => simple("bvxor"),
            Op::Shl => shift("bvshl"),
            Op::LShr => shift("bvlshr"),
            Op::AShr => shift("bvashr"),
            Op::Rotl | Op::Rotr => {
                // (x << k) | (x >> (bits − k)) with k taken modulo the width; k = 0 is x itself,
                // because a shift by the whole width gives zero.
                let (one, two) =
                    if node.op == Op::Rotl { ("bvshl", "bvlshr") } else { ("bvlshr", "bvshl") };
                let k = format!("(bvurem {} (_ bv{bits} {bits}))", args[1]);
                format!(
                    "(bvor ({one} {0} {k}) ({two} {0} (bvsub (_ bv{bits} {bits}) {k})))",
                    args[0]
                )
            }
            Op::Eq => as_bit(simple("=")),
            Op::Ult => as_bit(simple("bvult")),
            Op::Ule => as_bit(simple("bvule")),
            Op::Slt => as_bit(simple("bvslt")),
            Op::Sle => as_bit(simple("bvsle")),
            Op::Not => simple("bvnot"),
            Op::ZeroExt => simple(&format!("(_ zero_extend {})", bits - from)),
            Op::SignExt => simple(&format!("(_ sign_extend {})", bits - from)),
            Op::Extract => {
                simple(&format!("(_ extract {} {})", node.low_bit() + bits - 1, node.low_bit()))
            }
            Op::Concat => simple("concat"),
            Op::Ite => format!("(ite (= {} #b1) {} {})", args[0], args[1], args[2]),
            Op::Clz | Op::Ctz => {
                for i in 0..bits {
                    let bit = if node.op == Op::Clz { bits - 1 - i } else { i };
                    write!(
                        out,
                        "(ite (= ((_ extract {bit} {bit}) {}) #b1) (_ bv{i} {bits}) ",
                        args[0]
                    )?;
                }
                write!(out, "(_ bv{bits} {bits})")?;
                for _ in 0..bits {
                    out.push(')');
                }
                out
            }
            Op::Popcnt => {
                out.push_str("(bvadd");
                for i in 0..bits {
                    write!(
                        out,
                        " ((_ zero_extend {}) ((_ extract {i} {i}) {}))",
                        bits - 1,
                        args[0]
                    )?;
                }
                out.push(')');
                out
            }
            Op::FEq => as_bit(format!("(fp.eq {} {})", fp(0, from), fp(1, from))),
            Op::FLt => as_bit(format!("(fp.lt {} {})", fp(0, from), fp(1, from))),
            Op::FLe => as_bit(format!("(fp.leq {} {})", fp(0, from), fp(1, from))),
            Op::FMin | Op::FMax => {
                // Equal floats have equal bits but for the zeros, of which the minimum is the
                // negative one if there is one, and the maximum the positive one.
                let (first, tie) =
                    if node.op == Op::FMin { ("fp.lt", "bvor") } else { ("fp.gt", "bvand") };
                let (x, y) = (fp(0, from), fp(1, from));
                let (a, b, nan) = (&args[0], &args[1], canonical_nan(bits));
                format!(
                    "(let ((x {x}) (y {y})) (ite (or (fp.isNaN x) (fp.isNaN y)) {nan} \
                     (ite ({first} x y) {a} (ite ({first} y x) {b} ({tie} {a} {b})))))"
                )
            }
            Op::FToS | Op::FToU => {
                let signed = node.op == Op::FToS;
                let places = if signed { bits - 1 } else { bits };
                let top = float(from, f64::from(places).exp2());
                let mask = node.width.mask();
                let (below, least, most, convert) = if signed {
                    let sign = node.width.sign_bit();
                    (format!("(fp.neg {top})"), sign, mask >> 1, "fp.to_sbv")
                } else {
                    (float(from, 0.0), 0, mask, "fp.to_ubv")
                };
                format!(
                    "(let ((x {})) (ite (fp.isNaN x) (_ bv0 {bits}) \
                     (ite (fp.geq x {top}) (_ bv{most} {bits}) \
                     (ite (fp.leq x {below}) (_ bv{least} {bits}) ((_ {convert} {bits}) RTZ x)))))",
                    fp(0, from)
                )
            }
            // Declared instead of defined: see `float_result`.
            _ => return Err(fmt::Error),
        };
        Ok(text)
    }
}

/// Bits of exponent and significand, the hidden one included.
fn format_of(bits: u32) -> (u32, u32) {
    if bits == 32 { (8, 24) } else { (11, 53) }
}

/// The one NaN that operations give.
fn canonical_nan(bits: u32) -> &'static str {
    if bits == 32 { "#x7fc00000" } else { "#x7ff8000000000000" }
}

/// A number that both formats hold exactly, as a float of `bits` bits.
fn float(bits: u32, value: f64) -> String {
    let (e, s) = format_of(bits);
    let pattern = if bits == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
    format!("((_ to_fp {e} {s}) (_ bv{pattern} {bits}))")
}
