//! Prints terms as SMT-LIB 2, with `let` for shared subterms, for bug reports and for solvers that
//! speak it.

use crate::arena::Arena;
use crate::node::{Op, TermId};
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
                }
            } else if node.op != Op::Const {
                writeln!(
                    f,
                    "(define-fun {t:?} () (_ BitVec {bits}) {})",
                    self.body(t)?
                )?;
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

    fn body(&self, t: TermId) -> Result<String, fmt::Error> {
        let node = *self.arena.node(t);
        let args: Vec<String> = node.args().map(|a| self.name(a)).collect();
        let from = node.args().next().map_or(0, |a| self.arena.width(a).bits());
        let bits = node.width.bits();
        let simple = |name: &str| format!("({name} {})", args.join(" "));
        let as_bit = |inner: String| format!("(ite {inner} #b1 #b0)");
        let shift = |name: &str| {
            format!(
                "({name} {} (bvurem {} (_ bv{bits} {bits})))",
                args[0], args[1]
            )
        };
        let guarded = |name: &str| {
            format!(
                "(ite (= {1} (_ bv0 {bits})) (_ bv0 {bits}) ({name} {0} {1}))",
                args[0], args[1]
            )
        };
        let fp = |i: usize, width: u32| {
            let (e, s) = if width == 32 { (8, 24) } else { (11, 53) };
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
                let (one, two) = if node.op == Op::Rotl {
                    ("bvshl", "bvlshr")
                } else {
                    ("bvlshr", "bvshl")
                };
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
            Op::Extract => simple(&format!(
                "(_ extract {} {})",
                node.low_bit() + bits - 1,
                node.low_bit()
            )),
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
            // Results of float arithmetic are floats, which SMT-LIB cannot turn back into bits
            // without a fresh constant; the Z3 back end builds these itself.
            _ => return Err(fmt::Error),
        };
        Ok(text)
    }
}
