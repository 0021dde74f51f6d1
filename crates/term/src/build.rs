//! Smart constructors: every term is brought to a normal form as it is built.
//!
//! Rules are local (they look at most two nodes deep), never grow a term, and hold for every
//! assignment of the variables within their domains; `tests/simplifier_keeps_meaning.rs` checks
//! them against the evaluator.
//!
//! The file is long because the rules of all operations together define the normal form: a rule may
//! rely on what another one has done to its arguments.

use crate::arena::{Arena, Info, Only};
use crate::fold::{fold_binary, fold_unary};
use crate::node::{Node, Op, TermId, Width};
use crate::range;

impl Arena {
    /// `a op b` for an operation with two arguments of equal width.
    pub fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let (na, nb) = (*self.node(a), *self.node(b));
        let width = na.width;
        debug_assert_eq!(width, nb.width, "{op:?} needs arguments of one width");
        let out = if op.is_comparison() { Width::BOOL } else { width };
        if let (Some(x), Some(y)) = (na.as_const(), nb.as_const()) {
            return self.constant(out, fold_binary(op, width, x, y));
        }
        // Constants stand on the right; otherwise the older term comes first.
        let (mut a, mut b, mut na, mut nb) = (a, b, na, nb);
        if op.is_commutative() && (na.op == Op::Const || (nb.op != Op::Const && b < a)) {
            (a, b, na, nb) = (b, a, nb, na);
        }
        if op.is_float() {
            return self.float_binary(op, out, a, b);
        }
        let simpler = if op.is_comparison() {
            self.simplify_comparison(op, width, a, b, na, nb)
        } else {
            self.simplify_arithmetic(op, width, a, b, na, nb)
        };
        match simpler {
            Some(t) => t,
            None => self.raw_binary(op, out, a, b),
        }
    }

    /// `op a` for the operations with one argument that keep or fix the width:
    /// `Not`, `Clz`, `Ctz`, `Popcnt` and the float operations; `to` is the result's width.
    pub fn unary(&mut self, op: Op, to: Width, a: TermId) -> TermId {
        let na = *self.node(a);
        match op {
            Op::Not => return self.not(a),
            Op::ZeroExt => return self.zero_extend(to, a),
            Op::SignExt => return self.sign_extend(to, a),
            Op::Extract => return self.extract(a, 0, to),
            _ => {}
        }
        if let Some(x) = na.as_const() {
            return self.constant(to, fold_unary(op, na.width, to, 0, x));
        }
        if matches!(op, Op::FToS | Op::FToU)
            && let Some(cut) = self.cut_fixed(op, to, a)
        {
            return cut;
        }
        let terms = self.len();
        let t = self.raw_unary(op, to, 0, a);
        if op.is_float() && self.len() > terms {
            self.fix(t);
        }
        t
    }

    /// An operation on two floats. Comparisons are of integers where no number was rounded, and known where ranges tell.
    fn float_binary(&mut self, op: Op, out: Width, a: TermId, b: TermId) -> TermId {
        if op.is_comparison() {
            let width = self.width(a);
            if let Some(known) = range::decide_floats(op, width, self.range(a), self.range(b)) {
                return self.bool(known);
            }
            if let Some(t) = self.compare_fixed(op, a, b) {
                return t;
            }
            let plain = match op {
                Op::FLt => Op::Slt,
                Op::FLe => Op::Sle,
                _ => Op::Eq,
            };
            return match range::sign_of_floats(width, self.range(a), self.range(b)) {
                // Bits of one sign are in the order of the numbers, or in the opposite one.
                Some(false) => self.binary(plain, a, b),
                Some(true) => self.binary(plain, b, a),
                None => self.raw_binary(op, out, a, b),
            };
        }
        let terms = self.len();
        let t = self.raw_binary(op, out, a, b);
        if self.len() > terms {
            self.fix(t);
        }
        t
    }

    /// The negation of a condition.
    pub fn not(&mut self, a: TermId) -> TermId {
        let na = *self.node(a);
        debug_assert_eq!(na.width, Width::BOOL);
        match na.op {
            Op::Const => self.bool(na.const_value() == 0),
            Op::Not => na.arg(0),
            Op::Ult => self.raw_binary(Op::Ule, Width::BOOL, na.arg(1), na.arg(0)),
            Op::Ule => self.raw_binary(Op::Ult, Width::BOOL, na.arg(1), na.arg(0)),
            Op::Slt => self.raw_binary(Op::Sle, Width::BOOL, na.arg(1), na.arg(0)),
            Op::Sle => self.raw_binary(Op::Slt, Width::BOOL, na.arg(1), na.arg(0)),
            _ => self.raw_unary(Op::Not, Width::BOOL, 0, a),
        }
    }

    /// The negation of a condition, if that term is in the arena; nothing is added.
    pub fn find_negation(&self, a: TermId) -> Option<TermId> {
        let na = self.node(a);
        let swapped = |op| Node { op, width: Width::BOOL, a: na.b, b: na.a, c: 0 };
        let node = match na.op {
            Op::Not => return Some(na.arg(0)),
            Op::Ult => swapped(Op::Ule),
            Op::Ule => swapped(Op::Ult),
            Op::Slt => swapped(Op::Sle),
            Op::Sle => swapped(Op::Slt),
            _ => Node { op: Op::Not, width: Width::BOOL, a: a.index(), b: 0, c: 0 },
        };
        self.find(&node)
    }

    /// Whether `a` is zero.
    pub fn is_zero(&mut self, a: TermId) -> TermId {
        let zero = self.constant(self.width(a), 0);
        self.binary(Op::Eq, a, zero)
    }

    /// Whether `a` is not zero: what a branch asks of a number.
    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let na = self.node(a);
        if na.op == Op::ZeroExt && self.width(na.arg(0)) == Width::BOOL {
            return na.arg(0);
        }
        let zero = self.is_zero(a);
        self.not(zero)
    }

    /// Zeros above `a`.
    pub fn zero_extend(&mut self, to: Width, a: TermId) -> TermId {
        let na = *self.node(a);
        match na.op {
            _ if na.width == to => a,
            Op::Const => self.constant(to, na.const_value()),
            Op::ZeroExt => self.zero_extend(to, na.arg(0)),
            _ => self.raw_unary(Op::ZeroExt, to, 0, a),
        }
    }

    /// Copies of the sign bit above `a`.
    pub fn sign_extend(&mut self, to: Width, a: TermId) -> TermId {
        let na = *self.node(a);
        match na.op {
            _ if na.width == to => a,
            Op::Const => self.constant(to, na.width.signed(na.const_value()) as u64),
            Op::SignExt => self.sign_extend(to, na.arg(0)),
            _ if self.range(a).is_non_negative() => self.zero_extend(to, a),
            _ => self.raw_unary(Op::SignExt, to, 0, a),
        }
    }

    /// Bits `low .. low + to` of `a`.
    pub fn extract(&mut self, a: TermId, low: u32, to: Width) -> TermId {
        let na = *self.node(a);
        debug_assert!(low + to.bits() <= na.width.bits());
        if na.width == to {
            return a;
        }
        let high = low + to.bits();
        match na.op {
            Op::Const => {
                return self.constant(to, na.const_value() >> low);
            }
            Op::Extract => return self.extract(na.arg(0), na.low_bit() + low, to),
            Op::ZeroExt | Op::SignExt => {
                let inner = na.arg(0);
                let bits = self.width(inner).bits();
                if high <= bits {
                    return self.extract(inner, low, to);
                }
                if low == 0 {
                    return self.unary(na.op, to, inner);
                }
                if na.op == Op::ZeroExt && low >= bits {
                    return self.constant(to, 0);
                }
            }
            Op::Concat => {
                let (upper, lower) = (na.arg(0), na.arg(1));
                let split = self.width(lower).bits();
                if high <= split {
                    return self.extract(lower, low, to);
                }
                if low >= split {
                    return self.extract(upper, low - split, to);
                }
            }
            // The low bits of these depend on the low bits of the arguments alone.
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor
                if low == 0 && self.narrows(na.arg(0), to) && self.narrows(na.arg(1), to) =>
            {
                let x = self.extract(na.arg(0), 0, to);
                let y = self.extract(na.arg(1), 0, to);
                return self.binary(na.op, x, y);
            }
            Op::Shl if low == 0 => {
                if let Some(k) = self.as_const(na.arg(1))
                    && k < u64::from(to.bits())
                    && self.narrows(na.arg(0), to)
                {
                    let x = self.extract(na.arg(0), 0, to);
                    let k = self.constant(to, k);
                    return self.binary(Op::Shl, x, k);
                }
            }
            Op::LShr => {
                if let Some(k) = self.as_const(na.arg(1)) {
                    let k = (k % u64::from(na.width.bits())) as u32;
                    if high + k <= na.width.bits() {
                        return self.extract(na.arg(0), low + k, to);
                    }
                }
            }
            Op::Ite => {
                let (x, y) = (na.arg(1), na.arg(2));
                if self.narrows(x, to) && self.narrows(y, to) {
                    let x = self.extract(x, low, to);
                    let y = self.extract(y, low, to);
                    return self.ite(na.arg(0), x, y);
                }
            }
            _ => {}
        }
        self.raw_unary(Op::Extract, to, low, a)
    }

    /// `a` above `b`; the widths add up to at most 64.
    pub fn concat(&mut self, a: TermId, b: TermId) -> TermId {
        let (na, nb) = (*self.node(a), *self.node(b));
        let width = Width::new(na.width.bits() + nb.width.bits());
        match (na.op, nb.op) {
            (Op::Const, Op::Const) => {
                return self
                    .constant(width, na.const_value() << nb.width.bits() | nb.const_value());
            }
            (Op::Const, _) if na.const_value() == 0 => return self.zero_extend(width, b),
            (Op::Extract, Op::Extract)
                if na.arg(0) == nb.arg(0) && na.low_bit() == nb.low_bit() + nb.width.bits() =>
            {
                return self.extract(nb.arg(0), nb.low_bit(), width);
            }
            _ => {}
        }
        let node = Node { op: Op::Concat, width, a: a.index(), b: b.index(), c: 0 };
        self.intern(node, |arena| {
            let (ia, ib) = (arena.info(a), arena.info(b));
            let range = range::concat(width, nb.width.bits(), ia.range, ib.range);
            let all = join(ia, ib);
            Info {
                range,
                has_ite: all.has_ite || na.width == Width::BOOL || nb.width == Width::BOOL,
                ..all
            }
        })
    }

    /// `condition ? a : b`.
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        if a == b {
            return a;
        }
        let nc = *self.node(condition);
        match nc.op {
            Op::Const => return if nc.const_value() != 0 { a } else { b },
            Op::Not => return self.ite(nc.arg(0), b, a),
            _ => {}
        }
        let width = self.width(a);
        match (self.as_const(a), self.as_const(b)) {
            (Some(1), Some(0)) => return self.zero_extend(width, condition),
            (Some(0), Some(1)) => {
                let flipped = self.not(condition);
                return self.zero_extend(width, flipped);
            }
            _ => {}
        }
        if width == Width::BOOL {
            match (self.as_const(a), self.as_const(b)) {
                (Some(0), None) => {
                    let flipped = self.not(condition);
                    return self.binary(Op::And, flipped, b);
                }
                (Some(1), None) => return self.binary(Op::Or, condition, b),
                (None, Some(0)) => return self.binary(Op::And, condition, a),
                (None, Some(1)) => {
                    let flipped = self.not(condition);
                    return self.binary(Op::Or, flipped, a);
                }
                _ => {}
            }
        }
        let node = Node { op: Op::Ite, width, a: condition.index(), b: a.index(), c: b.index() };
        self.intern(node, |arena| {
            let (ia, ib) = (arena.info(a), arena.info(b));
            let all = join(join(ia, ib), arena.info(condition));
            Info { range: ia.range.union(ib.range), has_ite: true, ..all }
        })
    }

    fn simplify_arithmetic(
        &mut self,
        op: Op,
        width: Width,
        a: TermId,
        b: TermId,
        na: Node,
        nb: Node,
    ) -> Option<TermId> {
        let mask = width.mask();
        if let Some(k) = nb.as_const() {
            match op {
                Op::Add | Op::Sub | Op::Or | Op::Xor if k == 0 => return Some(a),
                Op::Shl | Op::LShr | Op::AShr | Op::Rotl | Op::Rotr
                    if k % u64::from(width.bits()) == 0 =>
                {
                    return Some(a);
                }
                Op::Mul | Op::And if k == 0 => return Some(b),
                Op::Mul | Op::UDiv | Op::SDiv if k == 1 => return Some(a),
                Op::And if k == mask => return Some(a),
                Op::Or if k == mask => return Some(b),
                Op::URem if k == 1 => return Some(self.constant(width, 0)),
                Op::Sub => {
                    let negated = self.constant(width, k.wrapping_neg());
                    return Some(self.binary(Op::Add, a, negated));
                }
                Op::And if (k + 1).is_power_of_two() && self.range(a).umax <= k => return Some(a),
                Op::And if (k + 1).is_power_of_two() && width != Width::BOOL => {
                    let low = Width::new((k + 1).trailing_zeros());
                    if self.narrows(a, low) {
                        let cut = self.extract(a, 0, low);
                        return Some(self.zero_extend(width, cut));
                    }
                }
                Op::UDiv if k.is_power_of_two() => {
                    let by = self.constant(width, u64::from(k.trailing_zeros()));
                    return Some(self.binary(Op::LShr, a, by));
                }
                Op::URem if k.is_power_of_two() => {
                    let low = self.constant(width, k - 1);
                    return Some(self.binary(Op::And, a, low));
                }
                Op::Mul if k.is_power_of_two() => {
                    let by = self.constant(width, u64::from(k.trailing_zeros()));
                    return Some(self.binary(Op::Shl, a, by));
                }
                Op::Xor if width == Width::BOOL => return Some(self.not(a)),
                _ => {}
            }
            // (x op c) op k  →  x op (c op k)
            if na.op == op
                && matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor)
                && let Some(c) = self.as_const(na.arg(1))
            {
                let folded = self.constant(width, fold_binary(op, width, c, k));
                return Some(self.binary(op, na.arg(0), folded));
            }
            if op == Op::Shl || op == Op::LShr || op == Op::AShr {
                return self.simplify_shift(op, width, a, na, k);
            }
            // By whole bytes only: a part of one bit would be taken for a condition.
            if (op == Op::Rotl || op == Op::Rotr) && na.op == Op::Concat && k % 8 == 0 {
                return Some(self.rotate_parts(op, width, a, k));
            }
            return None;
        }
        if a == b {
            match op {
                Op::Sub | Op::Xor => return Some(self.constant(width, 0)),
                Op::And | Op::Or => return Some(a),
                _ => {}
            }
        }
        match op {
            // (x + c) + y  →  (x + y) + c: constants float to the outside.
            Op::Add => {
                for (sum, other, nsum) in [(a, b, na), (b, a, nb)] {
                    if nsum.op == Op::Add
                        && sum != other
                        && let Some(c) = self.as_const(nsum.arg(1))
                    {
                        let inner = self.binary(Op::Add, nsum.arg(0), other);
                        let c = self.constant(width, c);
                        return Some(self.binary(Op::Add, inner, c));
                    }
                }
                // (x - y) + y → x
                if na.op == Op::Sub && na.arg(1) == b {
                    return Some(na.arg(0));
                }
                if nb.op == Op::Sub && nb.arg(1) == a {
                    return Some(nb.arg(0));
                }
            }
            Op::Sub => {
                if na.op == Op::Add
                    && let Some(c) = self.as_const(na.arg(1))
                {
                    let inner = self.binary(Op::Sub, na.arg(0), b);
                    let c = self.constant(width, c);
                    return Some(self.binary(Op::Add, inner, c));
                }
                if nb.op == Op::Add
                    && let Some(c) = self.as_const(nb.arg(1))
                {
                    let inner = self.binary(Op::Sub, a, nb.arg(0));
                    let c = self.constant(width, c.wrapping_neg());
                    return Some(self.binary(Op::Add, inner, c));
                }
                if na.op == Op::Add {
                    if na.arg(0) == b {
                        return Some(na.arg(1));
                    }
                    if na.arg(1) == b {
                        return Some(na.arg(0));
                    }
                }
            }
            Op::And | Op::Or | Op::Xor
                if na.op == Op::ZeroExt
                    && nb.op == Op::ZeroExt
                    && self.width(na.arg(0)) == self.width(nb.arg(0)) =>
            {
                let inner = self.binary(op, na.arg(0), nb.arg(0));
                return Some(self.zero_extend(width, inner));
            }
            _ => {}
        }
        None
    }

    fn simplify_shift(
        &mut self,
        op: Op,
        width: Width,
        a: TermId,
        na: Node,
        k: u64,
    ) -> Option<TermId> {
        let bits = u64::from(width.bits());
        let k = k % bits;
        let keep = Width::new((bits - k) as u32);
        if na.op == Op::Shl && op != Op::Shl && self.as_const(na.arg(1)) == Some(k) {
            // x << k >> k keeps the low bits: the compiler's way of narrowing.
            let low = self.extract(na.arg(0), 0, keep);
            return Some(if op == Op::LShr {
                self.zero_extend(width, low)
            } else {
                self.sign_extend(width, low)
            });
        }
        if op == Op::AShr && self.range(a).is_non_negative() {
            let by = self.constant(width, k);
            return Some(self.binary(Op::LShr, a, by));
        }
        if na.op == op
            && let Some(c) = self.as_const(na.arg(1))
        {
            let total = c % bits + k;
            return Some(if total < bits {
                let by = self.constant(width, total);
                self.binary(op, na.arg(0), by)
            } else if op == Op::AShr {
                let by = self.constant(width, bits - 1);
                self.binary(op, na.arg(0), by)
            } else {
                self.constant(width, 0)
            });
        }
        if op == Op::LShr && self.range(a).umax >> k == 0 {
            return Some(self.constant(width, 0));
        }
        if op == Op::LShr
            && na.op == Op::Concat
            && k.is_multiple_of(8)
            && self.width(na.arg(1)).bits() <= k as u32
        {
            // The lower part is gone: what is left is in the upper one.
            let high = self.extract(a, k as u32, keep);
            return Some(self.zero_extend(width, high));
        }
        None
    }

    /// A rotation of two values side by side: compilers swap neighbours in memory this way, and
    /// what comes out has to be those two values again.
    fn rotate_parts(&mut self, op: Op, width: Width, a: TermId, k: u64) -> TermId {
        let bits = width.bits();
        let k = (k % u64::from(bits)) as u32;
        // The bits that go below: the upper ones of a rotation to the left.
        let below = if op == Op::Rotl { k } else { bits - k };
        let upper = self.extract(a, 0, Width::new(bits - below));
        let lower = self.extract(a, bits - below, Width::new(below));
        self.concat(upper, lower)
    }

    fn simplify_comparison(
        &mut self,
        op: Op,
        width: Width,
        a: TermId,
        b: TermId,
        na: Node,
        nb: Node,
    ) -> Option<TermId> {
        if a == b {
            return Some(self.bool(matches!(op, Op::Eq | Op::Ule | Op::Sle)));
        }
        if let Some(answer) = range::decide(op, self.range(a), self.range(b)) {
            return Some(self.bool(answer));
        }
        if width == Width::BOOL
            && op == Op::Eq
            && let Some(k) = nb.as_const()
        {
            return Some(if k == 1 { a } else { self.not(a) });
        }
        // Both sides widened alike: compare the narrow ones.
        if na.op == nb.op
            && (na.op == Op::ZeroExt || na.op == Op::SignExt)
            && self.width(na.arg(0)) == self.width(nb.arg(0))
        {
            let narrow = match (na.op, op) {
                (_, Op::Eq) => Some(Op::Eq),
                (Op::ZeroExt, Op::Ult | Op::Slt) => Some(Op::Ult),
                (Op::ZeroExt, Op::Ule | Op::Sle) => Some(Op::Ule),
                // Sign extension keeps both orders.
                (Op::SignExt, _) => Some(op),
                _ => None,
            };
            if let Some(op) = narrow {
                return Some(self.binary(op, na.arg(0), nb.arg(0)));
            }
        }
        if let Some(k) = nb.as_const() {
            if let Some(t) = self.compare_to_constant(op, width, na, k, true) {
                return Some(t);
            }
        } else if let Some(k) = na.as_const()
            && let Some(t) = self.compare_to_constant(op, width, nb, k, false)
        {
            return Some(t);
        }
        if op == Op::Eq {
            // x << k = y << k  →  x = y, where no bit is lost: the places of two elements.
            if na.op == Op::Shl
                && nb.op == Op::Shl
                && na.arg(1) == nb.arg(1)
                && let Some(k) = self.as_const(na.arg(1))
            {
                let k = k % u64::from(width.bits());
                let (x, y) = (na.arg(0), nb.arg(0));
                if self.range(x).umax.max(self.range(y).umax) <= width.mask() >> k {
                    return Some(self.binary(Op::Eq, x, y));
                }
            }
            // x + c = y + d  →  x + (c − d) = y
            if na.op == Op::Add
                && nb.op == Op::Add
                && let (Some(c), Some(d)) = (self.as_const(na.arg(1)), self.as_const(nb.arg(1)))
            {
                let c = self.constant(width, c.wrapping_sub(d));
                let left = self.binary(Op::Add, na.arg(0), c);
                return Some(self.binary(Op::Eq, left, nb.arg(0)));
            }
        }
        None
    }

    /// `x op k` (or `k op x` when `x_first` is false) with a constant.
    fn compare_to_constant(
        &mut self,
        op: Op,
        width: Width,
        x: Node,
        k: u64,
        x_first: bool,
    ) -> Option<TermId> {
        match (op, x.op) {
            (Op::Eq, Op::Add) => {
                let c = self.as_const(x.arg(1))?;
                let k = self.constant(width, k.wrapping_sub(c));
                Some(self.binary(Op::Eq, x.arg(0), k))
            }
            (Op::Eq, Op::Shl) => {
                let by = self.as_const(x.arg(1))? % u64::from(width.bits());
                // Without a bit lost it is an equation of what was shifted.
                if self.range(x.arg(0)).umax > width.mask() >> by {
                    return None;
                }
                if k.trailing_zeros() < by as u32 {
                    return Some(self.bool(false));
                }
                let k = self.constant(width, k >> by);
                Some(self.binary(Op::Eq, x.arg(0), k))
            }
            (Op::Eq, Op::Sub) if k == 0 => Some(self.binary(Op::Eq, x.arg(0), x.arg(1))),
            (Op::Eq, Op::Xor) => match self.as_const(x.arg(1)) {
                Some(c) => {
                    let k = self.constant(width, k ^ c);
                    Some(self.binary(Op::Eq, x.arg(0), k))
                }
                None if k == 0 => Some(self.binary(Op::Eq, x.arg(0), x.arg(1))),
                None => None,
            },
            (Op::Eq, Op::Ite) => {
                let (p, q) = (self.as_const(x.arg(1))?, self.as_const(x.arg(2))?);
                Some(match (p == k, q == k) {
                    (true, false) => x.arg(0),
                    (false, true) => self.not(x.arg(0)),
                    // Equal arms would have been folded.
                    _ => self.bool(p == k),
                })
            }
            (_, Op::ZeroExt) => {
                let inner = x.arg(0);
                let narrow = self.width(inner);
                // Both sides are below the narrow modulus (else the ranges decided), and then a
                // signed comparison of the wide ones is an unsigned comparison of the narrow ones.
                if k > narrow.mask() {
                    return None;
                }
                let op = match op {
                    Op::Slt => Op::Ult,
                    Op::Sle => Op::Ule,
                    other => other,
                };
                let k = self.constant(narrow, k);
                Some(if x_first { self.binary(op, inner, k) } else { self.binary(op, k, inner) })
            }
            (Op::Eq | Op::Slt | Op::Sle, Op::SignExt) => {
                let inner = x.arg(0);
                let narrow = self.width(inner);
                let s = width.signed(k);
                if s < narrow.min_signed() || s > narrow.max_signed() {
                    return None;
                }
                let k = self.constant(narrow, s as u64);
                Some(if x_first { self.binary(op, inner, k) } else { self.binary(op, k, inner) })
            }
            _ => {
                // x < 1 is x = 0; x ≤ 0 is x = 0.
                let zero_test =
                    (op == Op::Ult && x_first && k == 1) || (op == Op::Ule && x_first && k == 0);
                if zero_test {
                    let t = self.reintern(x);
                    return Some(self.is_zero(t));
                }
                let nonzero_test =
                    (op == Op::Ult && !x_first && k == 0) || (op == Op::Ule && !x_first && k == 1);
                if nonzero_test {
                    let t = self.reintern(x);
                    return Some(self.is_nonzero(t));
                }
                None
            }
        }
    }

    /// The id of a node that is in the arena.
    fn reintern(&mut self, node: Node) -> TermId {
        self.intern(node, |_| unreachable!("the node came from the arena"))
    }

    /// Whether taking the low bits of `t` makes it simpler rather than wrapping it in an extract.
    fn narrows(&self, t: TermId, to: Width) -> bool {
        let node = self.node(t);
        match node.op {
            Op::Const => true,
            Op::ZeroExt | Op::SignExt => self.width(node.arg(0)) <= to,
            Op::Concat => self.width(node.arg(1)) == to,
            _ => false,
        }
    }

    fn raw_binary(&mut self, op: Op, out: Width, a: TermId, b: TermId) -> TermId {
        let node = Node { op, width: out, a: a.index(), b: b.index(), c: 0 };
        self.intern(node, |arena| {
            let (ia, ib) = (arena.info(a), arena.info(b));
            let range = if op.is_comparison() {
                range::Range::full(Width::BOOL)
            } else {
                range::binary(op, out, ia.range, ib.range)
            };
            let mut info = Info { range, ..join(ia, ib) };
            info.has_float |= op.is_float() && !op.is_comparison();
            // Conditions combined as data: a branch on them splits on each.
            info.has_ite |= !op.is_float() && arena.width(a) == Width::BOOL;
            info
        })
    }

    fn raw_unary(&mut self, op: Op, to: Width, low: u32, a: TermId) -> TermId {
        let c = if op == Op::Extract { low } else { 0 };
        let node = Node { op, width: to, a: a.index(), b: 0, c };
        self.intern(node, |arena| {
            let ia = arena.info(a);
            let from = arena.width(a);
            Info {
                range: range::unary(op, to, from, low, ia.range),
                only: ia.only,
                has_ite: ia.has_ite
                    || (matches!(op, Op::ZeroExt | Op::SignExt) && from == Width::BOOL),
                has_float: ia.has_float || op.is_float(),
                tag: 0,
            }
        })
    }
}

fn join(a: Info, b: Info) -> Info {
    let only = match (a.only, b.only) {
        (Only::Nothing, other) | (other, Only::Nothing) => other,
        (x, y) if x == y => x,
        _ => Only::Several,
    };
    Info {
        range: a.range,
        only,
        has_ite: a.has_ite | b.has_ite,
        has_float: a.has_float | b.has_float,
        tag: 0,
    }
}
