//! Random terms, each kept twice.

use super::{Plain, Term, World, apply};
use pessimum_term::{Op, TermId, VarId, Width};

impl World<'_, '_> {
    pub(super) fn keep(&mut self, plain: Plain, width: Width, id: TermId) -> Term {
        assert_eq!(self.arena.width(id), width);
        if self.columns.is_some() {
            let column: Vec<u64> =
                (0..self.assignments).map(|i| self.meaning(plain, width, i)).collect();
            if let Some(columns) = &mut self.columns {
                columns.push(column);
            }
        }
        self.plain.push((plain, width));
        Term { id, plain: self.plain.len() - 1, width }
    }

    /// The value of an expression under assignment number `i`, its parts being known.
    pub(super) fn meaning(&self, plain: Plain, width: Width, i: usize) -> u64 {
        let known = |at: usize| self.columns.as_ref().map_or(0, |columns| columns[at][i]);
        let var = |at: usize| {
            let mut rest = i;
            for &(_, domain) in &self.vars[..at] {
                rest /= (domain.hi - domain.lo + 1) as usize;
            }
            let (width, domain) = self.vars[at];
            let count = (domain.hi - domain.lo + 1) as usize;
            (domain.lo + (rest % count) as i128) as u64 & width.mask()
        };
        apply(plain, width, &self.plain, known, var)
    }

    /// The value of an expression when the inputs are `values`.
    pub(super) fn value(&self, t: Term, values: &[u64]) -> u64 {
        let mut all: Vec<u64> = Vec::with_capacity(t.plain + 1);
        for &(plain, width) in &self.plain[..=t.plain] {
            let value = apply(plain, width, &self.plain, |at| all[at], |at| values[at]);
            all.push(value);
        }
        all[t.plain]
    }

    pub(super) fn constant(&mut self, width: Width, value: u64) -> Term {
        let value = value & width.mask();
        let id = self.arena.constant(width, value);
        self.keep(Plain::Const(value), width, id)
    }

    pub(super) fn unary(&mut self, op: Op, to: Width, a: Term) -> Term {
        let id = self.arena.unary(op, to, a.id);
        self.keep(Plain::Unary(op, 0, a.plain), to, id)
    }

    pub(super) fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = if op.is_comparison() { Width::BOOL } else { a.width };
        let id = self.arena.binary(op, a.id, b.id);
        self.keep(Plain::Binary(op, a.plain, b.plain), width, id)
    }

    pub(super) fn extract(&mut self, a: Term, low: u32, to: Width) -> Term {
        let id = self.arena.extract(a.id, low, to);
        self.keep(Plain::Unary(Op::Extract, low, a.plain), to, id)
    }

    pub(super) fn concat(&mut self, a: Term, b: Term) -> Term {
        let width = Width::new(a.width.bits() + b.width.bits());
        let id = self.arena.concat(a.id, b.id);
        self.keep(Plain::Concat(a.plain, b.plain), width, id)
    }

    pub(super) fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let id = self.arena.ite(c.id, a.id, b.id);
        self.keep(Plain::Ite(c.plain, a.plain, b.plain), a.width, id)
    }

    pub(super) fn not(&mut self, c: Term) -> Term {
        let id = self.arena.not(c.id);
        self.keep(Plain::Unary(Op::Not, 0, c.plain), Width::BOOL, id)
    }

    /// `t` with another width.
    pub(super) fn fit(&mut self, t: Term, width: Width) -> Term {
        if t.width == width {
            t
        } else if t.width < width {
            let op = self.source.pick(&[Op::ZeroExt, Op::SignExt]);
            self.unary(op, width, t)
        } else {
            let spare = t.width.bits() - width.bits();
            let low = if self.source.one_in(3) {
                self.source.below(spare as usize + 1) as u32
            } else {
                0
            };
            self.extract(t, low, width)
        }
    }

    /// A number near something that matters.
    pub(super) fn any_constant(&mut self, width: Width) -> Term {
        let anchors = [
            0,
            0,
            1,
            width.sign_bit(),
            width.mask(),
            width.mask() >> 1,
            0x80,
            0xff,
            1 << 31,
            1 << 16,
        ];
        let anchor = if self.source.one_in(2) {
            let (of, domain) = self.source.pick(&self.vars);
            let ends = [domain.lo, domain.hi];
            self.source.pick(&ends) as u64 & of.mask()
        } else {
            self.source.pick(&anchors)
        };
        let offset = self.source.below(7) as u64;
        let value = match self.source.below(4) {
            0 => anchor.wrapping_sub(offset),
            1 => 1 << self.source.below(width.bits() as usize),
            2 => (1u64 << self.source.below(width.bits() as usize)).wrapping_sub(1),
            _ => anchor.wrapping_add(offset),
        };
        self.constant(width, value)
    }

    pub(super) fn any_number(&mut self) -> Term {
        let at = self.source.below(self.numbers.len());
        self.numbers[at]
    }

    pub(super) fn any_condition(&mut self) -> Term {
        let at = self.source.below(self.conditions.len());
        self.conditions[at]
    }

    pub(super) fn grow(&mut self, count: usize) {
        for _ in 0..count {
            let t = self.any_term();
            self.numbers.push(t);
            if self.source.one_in(3) {
                let c = self.any_question();
                self.conditions.push(c);
            }
        }
    }

    pub(super) fn any_term(&mut self) -> Term {
        let a = self.any_number();
        match self.source.below(18) {
            16 | 17 => self.any_float(a),
            0 => {
                let to = self.source.pick(&[Width::W8, Width::W16, Width::W32, Width::W64]);
                self.fit(a, to)
            }
            1 if a.width <= Width::W32 => {
                let b = self.any_number();
                let b = self.fit(b, a.width);
                self.concat(a, b)
            }
            2 if !self.conditions.is_empty() => {
                let (c, b) = (self.any_condition(), self.any_number());
                let b = self.fit(b, a.width);
                self.ite(c, a, b)
            }
            3 => self.look_up(a),
            4 if !self.conditions.is_empty() => {
                let c = self.any_condition();
                self.unary(Op::ZeroExt, Width::W32, c)
            }
            5 => {
                let op = self.source.pick(&[Op::Clz, Op::Ctz, Op::Popcnt]);
                self.unary(op, a.width, a)
            }
            // By a constant, as programs mask, shift, scale and divide.
            6..=9 => {
                let op = self.source.pick(&Op::ON_TWO_INTEGERS[..15]);
                let k = self.any_constant(a.width);
                self.binary(op, a, k)
            }
            _ => {
                let cheap = [
                    Op::Add,
                    Op::Sub,
                    Op::Add,
                    Op::Sub,
                    Op::And,
                    Op::Or,
                    Op::Xor,
                    Op::Shl,
                    Op::LShr,
                    Op::AShr,
                    Op::Rotl,
                    Op::Rotr,
                ];
                // Products and quotients of two wide inputs take a SAT solver for ever.
                let any = a.width <= Width::W16 || self.columns.is_some() && a.width <= Width::W32;
                let op = if any && self.source.one_in(4) {
                    self.source.pick(&[Op::Mul, Op::UDiv, Op::SDiv, Op::URem, Op::SRem])
                } else {
                    self.source.pick(&cheap)
                };
                let b = self.any_number();
                let b = self.fit(b, a.width);
                self.binary(op, a, b)
            }
        }
    }

    /// A float that is computed, or an integer made of one.
    fn any_float(&mut self, a: Term) -> Term {
        let width = self.source.pick(&[Width::W32, Width::W64]);
        let x = self.float_of(a, width);
        match self.source.below(8) {
            0 => {
                let op = self.source.pick(&[Op::FToS, Op::FToU]);
                let to = self.source.pick(&[Width::W32, Width::W64]);
                self.unary(op, to, x)
            }
            1 => {
                let ops = [Op::FCeil, Op::FFloor, Op::FTrunc, Op::FNearest, Op::FSqrt];
                // A root of anything takes a SAT solver for ever.
                let all = if self.columns.is_some() { 5 } else { 4 };
                let op = self.source.pick(&ops[..all]);
                self.unary(op, width, x)
            }
            2 if width == Width::W32 => self.unary(Op::FPromote, Width::W64, x),
            2 => self.unary(Op::FDemote, Width::W32, x),
            _ => {
                let ops = [Op::FAdd, Op::FSub, Op::FMin, Op::FMax, Op::FMul, Op::FDiv];
                let all = if self.columns.is_some() { 6 } else { 4 };
                let op = self.source.pick(&ops[..all]);
                let y = if self.source.one_in(2) {
                    let number = self.source.pick(&[0.5, 1.0, 2.0, 3.0, -1.5, 0.1, 1e10, -0.0]);
                    let bits = match width {
                        Width::W32 => u64::from((number as f32).to_bits()),
                        _ => f64::to_bits(number),
                    };
                    self.constant(width, bits)
                } else {
                    let b = self.any_number();
                    self.float_of(b, width)
                };
                if self.source.one_in(2) { self.binary(op, x, y) } else { self.binary(op, y, x) }
            }
        }
    }

    /// A number as a float: mostly its value, else its bits.
    fn float_of(&mut self, a: Term, width: Width) -> Term {
        if self.source.one_in(4) {
            return self.fit(a, width);
        }
        let a = self.fit(a, if a.width > Width::W32 { Width::W64 } else { Width::W32 });
        let op = self.source.pick(&[Op::FFromS, Op::FFromS, Op::FFromU]);
        self.unary(op, width, a)
    }

    /// An entry of a table, by its index.
    pub(super) fn look_up(&mut self, index: Term) -> Term {
        let mut read = self.any_constant(Width::W32);
        for _ in 0..1 + self.source.below(6) {
            let key = self.any_constant(index.width);
            let here = self.binary(Op::Eq, index, key);
            let entry = self.any_constant(Width::W32);
            read = self.ite(here, entry, read);
        }
        read
    }

    pub(super) fn any_question(&mut self) -> Term {
        let orders = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
        let op = self.source.pick(&orders);
        let a = self.any_number();
        match self.source.below(12) {
            0 | 1 if !self.conditions.is_empty() => {
                let (c, d) = (self.any_condition(), self.any_condition());
                let op = self.source.pick(&[Op::And, Op::Or, Op::Xor, Op::And, Op::Or]);
                self.binary(op, c, d)
            }
            2 if !self.conditions.is_empty() => {
                let c = self.any_condition();
                self.not(c)
            }
            // A difference against one of its parts, or a number.
            3 | 4 => {
                let b = self.any_number();
                let b = self.fit(b, a.width);
                let sum = self.source.pick(&[Op::Sub, Op::Add, Op::Sub]);
                let left = self.binary(sum, a, b);
                let right = match self.source.below(4) {
                    0 => a,
                    1 => b,
                    2 => {
                        let k = self.any_constant(a.width);
                        self.binary(Op::Add, a, k)
                    }
                    _ => self.any_constant(a.width),
                };
                self.binary(op, left, right)
            }
            // A mask.
            5 => {
                let (mask, k) = (self.any_constant(a.width), self.any_constant(a.width));
                let part = self.binary(Op::And, a, mask);
                self.binary(op, part, k)
            }
            6 | 7 => {
                let k = self.any_constant(a.width);
                if self.source.one_in(2) { self.binary(op, a, k) } else { self.binary(op, k, a) }
            }
            // Two inputs as they are.
            8 | 9 => {
                let (i, j) =
                    (self.source.below(self.vars.len()), self.source.below(self.vars.len()));
                let (x, y) = (self.input(i), self.input(j));
                let y = self.fit(y, x.width);
                self.binary(op, x, y)
            }
            // Floats that are only compared are a matter of bits.
            10 if a.width >= Width::W32 && self.source.one_in(2) => {
                let a = self.fit(a, if a.width < Width::W64 { Width::W32 } else { Width::W64 });
                let b = self.any_number();
                let b = self.fit(b, a.width);
                let op = self.source.pick(&[Op::FEq, Op::FLt, Op::FLe]);
                self.binary(op, a, b)
            }
            _ => {
                let b = self.any_number();
                let b = self.fit(b, a.width);
                self.binary(op, a, b)
            }
        }
    }

    pub(super) fn input(&mut self, i: usize) -> Term {
        let id = self.arena.var_term(VarId(i as u32));
        self.keep(Plain::Var(i), self.vars[i].0, id)
    }

    // --- the walk ---------------------------------------------------------------------------
}
