//! Logic gates as clauses, each made once.
//!
//! A gate whose inputs are constant, equal or opposite is no gate. The others are kept in a table
//! under a normal form, so that encoding the same term again, after the arena was undone and has
//! grown back, adds nothing to the SAT solver.

mod simulate;

use super::ieee::Unpacked;
use super::sat::{Lit, Sat};
use rustc_hash::FxHashMap;
pub(super) use simulate::Simulation;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum GateKind {
    And,
    Xor,
    Xor3,
    Majority,
    Mux,
}

/// The SAT solver with the gates built in it.
pub(super) struct Gates {
    pub(super) sat: Sat,
    known: FxHashMap<(GateKind, [u32; 3]), Lit>,
    wide: FxHashMap<Box<[u32]>, Lit>,
    /// Floats that were computed, as they were before they were packed.
    pub(super) unpacked: FxHashMap<Box<[u32]>, Unpacked>,
}

impl Gates {
    pub(super) fn new() -> Self {
        Gates {
            sat: Sat::new(),
            known: FxHashMap::default(),
            wide: FxHashMap::default(),
            unpacked: FxHashMap::default(),
        }
    }

    #[inline]
    pub(super) fn truth(&self) -> Lit {
        self.sat.truth()
    }

    #[inline]
    pub(super) fn bit(&self, value: bool) -> Lit {
        self.truth().apply_sign(value)
    }

    /// The value of a literal that is constant.
    #[inline]
    pub(super) fn constant(&self, a: Lit) -> Option<bool> {
        (a.var() == self.truth().var()).then(|| a == self.truth())
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.constant(a), self.constant(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) | (_, Some(false)) => return self.bit(false),
            _ => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.bit(false);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.gate(GateKind::And, [a, b, a], |sat, o| {
            sat.add(&[!o, a]);
            sat.add(&[!o, b]);
            sat.add(&[o, !a, !b]);
        })
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.constant(a) {
            return b.apply_sign(!value);
        }
        if let Some(value) = self.constant(b) {
            return a.apply_sign(!value);
        }
        if a.var() == b.var() {
            return self.bit(a != b);
        }
        // Signs move to the output.
        let even = a.sign() == b.sign();
        let (a, b) = (a.apply_sign(a.sign()), b.apply_sign(b.sign()));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let out = self.gate(GateKind::Xor, [a, b, a], |sat, o| {
            sat.add(&[!o, a, b]);
            sat.add(&[!o, !a, !b]);
            sat.add(&[o, !a, b]);
            sat.add(&[o, a, !b]);
        });
        out.apply_sign(even)
    }

    /// The sum bit of a full adder.
    pub(super) fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let fixed = [a, b, c].iter().any(|x| self.constant(*x).is_some());
        if fixed || a.var() == b.var() || b.var() == c.var() || a.var() == c.var() {
            // Two of the three make a constant or nothing at all: take them first.
            let (a, b, c) = if a.var() == c.var() || self.constant(b).is_some() {
                (a, c, b)
            } else if b.var() == c.var() || self.constant(a).is_some() {
                (b, c, a)
            } else {
                (a, b, c)
            };
            let ab = self.xor(a, b);
            return self.xor(ab, c);
        }
        let odd = !a.sign() ^ !b.sign() ^ !c.sign();
        let mut inputs = [a, b, c].map(|x| x.apply_sign(x.sign()));
        inputs.sort_unstable();
        let out = self.gate(GateKind::Xor3, inputs, |sat, o| {
            let [a, b, c] = inputs;
            for pattern in 0..8u32 {
                let flip = |x: Lit, i: u32| x.apply_sign(pattern >> i & 1 == 0);
                let sum = pattern.count_ones() & 1 == 1;
                sat.add(&[flip(a, 0), flip(b, 1), flip(c, 2), o.apply_sign(sum)]);
            }
        });
        out.apply_sign(!odd)
    }

    /// Whether two of the three hold: the carry of a full adder.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        for (x, y, z) in [(a, b, c), (b, c, a), (a, c, b)] {
            if x == y {
                return x;
            }
            if x == !y {
                return z;
            }
            match self.constant(x) {
                Some(true) => return self.or(y, z),
                Some(false) => return self.and(y, z),
                None => {}
            }
        }
        if let Some(value) = self.constant(c) {
            return if value { self.or(a, b) } else { self.and(a, b) };
        }
        // Majority of the opposites is the opposite: the first input is made positive.
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let positive = inputs[0].sign();
        let inputs = inputs.map(|x| x.apply_sign(positive));
        let out = self.gate(GateKind::Majority, inputs, |sat, o| {
            let [a, b, c] = inputs;
            for (x, y) in [(a, b), (b, c), (a, c)] {
                sat.add(&[o, !x, !y]);
                sat.add(&[!o, x, y]);
            }
        });
        out.apply_sign(positive)
    }

    /// `c ? a : b`
    pub(super) fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.constant(c) {
            return if value { a } else { b };
        }
        if a == b {
            return a;
        }
        if a == !b {
            return !self.xor(c, a);
        }
        let (c, a, b) = if c.sign() { (c, a, b) } else { (!c, b, a) };
        // An arm that repeats the condition is constant there.
        let a = if a.var() == c.var() { self.bit(a == c) } else { a };
        let b = if b.var() == c.var() { self.bit(b != c) } else { b };
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) if x == y => return a,
            (Some(x), Some(_)) => return c.apply_sign(x),
            (Some(true), None) => return self.or(c, b),
            (Some(false), None) => return self.and(!c, b),
            (None, Some(true)) => return self.or(!c, a),
            (None, Some(false)) => return self.and(c, a),
            (None, None) => {}
        }
        let positive = a.sign();
        let (a, b) = (a.apply_sign(positive), b.apply_sign(positive));
        let out = self.gate(GateKind::Mux, [c, a, b], |sat, o| {
            sat.add(&[!c, !a, o]);
            sat.add(&[!c, a, !o]);
            sat.add(&[c, !b, o]);
            sat.add(&[c, b, !o]);
            // Implied, but unit propagation does not see it without.
            sat.add(&[!a, !b, o]);
            sat.add(&[a, b, !o]);
        });
        out.apply_sign(positive)
    }

    /// Whether all of `inputs` hold.
    pub(super) fn all(&mut self, inputs: impl IntoIterator<Item = Lit>) -> Lit {
        let truth = self.truth();
        let mut inputs: Vec<Lit> = inputs.into_iter().filter(|x| *x != truth).collect();
        inputs.sort_unstable();
        inputs.dedup();
        // Opposite literals are neighbours in the order.
        if inputs.windows(2).any(|w| w[0] == !w[1]) || inputs.contains(&!truth) {
            return !truth;
        }
        match inputs[..] {
            [] => return truth,
            [a] => return a,
            [a, b] => return self.and(a, b),
            _ => {}
        }
        let key: Box<[u32]> = inputs.iter().map(Lit::idx).collect();
        if let Some(&known) = self.wide.get(&key) {
            return known;
        }
        let out = self.sat.fresh();
        for &input in &inputs {
            self.sat.add(&[!out, input]);
        }
        for input in &mut inputs {
            *input = !*input;
        }
        inputs.push(out);
        self.sat.add(&inputs);
        self.wide.insert(key, out);
        out
    }

    fn gate(
        &mut self,
        kind: GateKind,
        inputs: [Lit; 3],
        define: impl FnOnce(&mut Sat, Lit),
    ) -> Lit {
        let key = (kind, inputs.map(|x| x.idx()));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let out = self.sat.fresh();
        define(&mut self.sat, out);
        self.known.insert(key, out);
        out
    }
}
