//! Simple conditions as people write them: `a[3] > a[5]`.

use crate::arena::Arena;
use crate::node::{Op, TermId, VarId};

impl Arena {
    /// A comparison of inputs, or of one with a number, as a person writes it, where it is one: `a[3] > a[5]`,
    /// `x != 97`, `y <= x + 1`. `name` says what each input is called. `None` for everything else.
    ///
    /// ```
    /// use pessimum_term::{Arena, Domain, Op, VarId, Width};
    ///
    /// let mut arena = Arena::new();
    /// let [x, y] = [0, 1].map(|_| arena.variable(Width::W32, Domain::full(Width::W32)));
    /// let less = arena.binary(Op::Slt, y, x);
    /// let called = |input: VarId| format!("a[{}]", input.0);
    /// assert_eq!(arena.in_words(less, &called).as_deref(), Some("a[0] > a[1]"));
    /// let not = arena.not(less);
    /// assert_eq!(arena.in_words(not, &called).as_deref(), Some("a[0] <= a[1]"));
    /// ```
    pub fn in_words(&self, condition: TermId, name: &dyn Fn(VarId) -> String) -> Option<String> {
        let mut node = self.node(condition);
        let mut holds = true;
        while node.op == Op::Not {
            holds = !holds;
            node = self.node(node.arg(0));
        }
        if node.op == Op::Var && node.width.bits() == 1 {
            let input = name(node.as_var()?);
            return Some(format!("{input} {} 0", if holds { "!=" } else { "==" }));
        }
        let (a, b) = match node.op {
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => (node.arg(0), node.arg(1)),
            _ => return None,
        };
        let unsigned = matches!(node.op, Op::Ult | Op::Ule);
        let signed = match node.op {
            Op::Eq => self.width(a).bits() >= 32,
            op => matches!(op, Op::Slt | Op::Sle),
        };
        let (left, right) = (self.side(a, signed, name)?, self.side(b, signed, name)?);
        let sign = match (node.op, holds) {
            (Op::Eq, true) => "==",
            (Op::Eq, false) => "!=",
            (Op::Ult | Op::Slt, true) => "<",
            (Op::Ult | Op::Slt, false) => ">=",
            (_, true) => "<=",
            (_, false) => ">",
        };
        // The input that came first stands first, a number last.
        let (left, sign, right) = match (left.input, right.input) {
            (None, None) => return None,
            (None, Some(_)) => (right, turned(sign), left),
            (Some(first), Some(second)) if second < first => (right, turned(sign), left),
            _ => (left, sign, right),
        };
        // Where a sign could matter, it is said that none is seen. Bytes are thought of without one.
        let could =
            |t| self.width(t).bits() >= 32 && self.range(t).umax > self.width(t).mask() >> 1;
        let note = if unsigned && (could(a) || could(b)) { " (unsigned)" } else { "" };
        Some(format!("{} {sign} {}{note}", left.text, right.text))
    }

    /// An input alone, extended or not. Nothing else is looked into: a sum may be deeper than a stack.
    fn lone(&self, term: TermId, signed: bool, name: &dyn Fn(VarId) -> String) -> Option<Side> {
        let node = self.node(term);
        let alone = matches!(node.op, Op::Var | Op::ZeroExt | Op::SignExt);
        alone.then(|| self.side(term, signed, name))?.filter(|side| side.alone)
    }

    /// One side of a comparison: an input, a number, or an input and a number.
    fn side(&self, term: TermId, signed: bool, name: &dyn Fn(VarId) -> String) -> Option<Side> {
        let node = self.node(term);
        let number = |value: u64| match signed {
            true => node.width.signed(value).to_string(),
            false => value.to_string(),
        };
        if let Some(value) = node.as_const() {
            return Some(Side { input: None, alone: false, text: number(value) });
        }
        match node.op {
            Op::Var => {
                let var = node.as_var()?;
                Some(Side { input: Some(var), alone: true, text: name(var) })
            }
            Op::ZeroExt | Op::SignExt => self.lone(node.arg(0), signed, name),
            Op::Add | Op::Sub => {
                let (a, b) = (node.arg(0), node.arg(1));
                let (plus, minus) = if node.op == Op::Add { ("+", "-") } else { ("-", "+") };
                let (input, other) = if self.as_const(a).is_some() { (b, a) } else { (a, b) };
                if node.op == Op::Sub && input == b {
                    return None;
                }
                let left = self.lone(input, signed, name)?;
                if let Some(value) = self.as_const(other) {
                    // What is added may be what is taken away, seen without its sign.
                    let value = node.width.signed(value);
                    let sign = if value < 0 { minus } else { plus };
                    let text = format!("{} {sign} {}", left.text, value.unsigned_abs());
                    return Some(Side { input: left.input, alone: false, text });
                }
                let right = self.lone(other, signed, name)?;
                let text = format!("{} {plus} {}", left.text, right.text);
                Some(Side { input: left.input, alone: false, text })
            }
            _ => None,
        }
    }
}

/// One side of a comparison, with its first input.
struct Side {
    input: Option<VarId>,
    /// Whether it is that input and nothing else.
    alone: bool,
    text: String,
}

/// The comparison read from the other end.
fn turned(sign: &'static str) -> &'static str {
    match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Domain;
    use crate::node::Width;

    #[test]
    fn comparisons_are_written_as_people_write_them() {
        let mut arena = Arena::new();
        let x: Vec<TermId> =
            (0..3).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
        let byte = arena.variable(Width::W8, Domain::full(Width::W8));
        let wide = arena.zero_extend(Width::W32, byte);
        let number =
            |arena: &mut Arena, value: i32| arena.constant(Width::W32, value as u32 as u64);
        let (minus_four, a) = (number(&mut arena, -4), number(&mut arena, 97));
        let below_a = number(&mut arena, -97);
        let shifted = arena.binary(Op::Add, x[0], below_a);
        let product = arena.binary(Op::Mul, x[0], x[1]);
        let letters = number(&mut arena, 26);
        let mut said = |op, left, right, holds: bool| {
            let mut condition = arena.binary(op, left, right);
            if !holds {
                condition = arena.not(condition);
            }
            arena.in_words(condition, &|input| format!("x{}", input.0)).unwrap_or_default()
        };
        assert_eq!(said(Op::Slt, x[2], x[0], true), "x0 > x2");
        assert_eq!(said(Op::Sle, x[1], x[2], false), "x1 > x2");
        assert_eq!(said(Op::Slt, x[1], minus_four, true), "x1 < -4");
        assert_eq!(said(Op::Eq, wide, a, false), "x3 != 97");
        assert_eq!(said(Op::Ult, wide, a, true), "x3 < 97", "a byte has no sign to lose");
        assert_eq!(said(Op::Ult, shifted, letters, true), "x0 - 97 < 26 (unsigned)");
        assert_eq!(said(Op::Slt, product, x[2], true), "", "no simple condition");
    }
}
