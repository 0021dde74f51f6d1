//! Another value for one input: far from the present one, and then undone back into what constrains it.
//!
//! A key that must differ from three hundred others and still fall into their bucket has no model next to the present
//! one, and no theory of the chain reads its hash. But its hash can be undone: whatever the key is moved to, a few of its bits
//! can be chosen so that the masked hash is right again ([`guess`], which keeps what it need not change). So the input is moved
//! to a place of its own, and its constraints that are no part of the graph are made true one after the other, the
//! question last. An input that is hashed alike may simply have the other's value.
//!
//! What comes of it is a candidate: it is evaluated on the original terms like any other model.
//!
//! *Cost*: at most [`SEEDS`] starts for each of at most [`INPUTS`] inputs, each with as many inversions as the input has
//! constraints of that kind, of which no more than [`CONSTRAINTS`] are looked at.

use crate::evaluated::{Evaluated, in_domain};
use crate::invert::{WAYS, guess};
use crate::solver::{NONE, Solver};
use pessimum_term::{Arena, TermId, VarId};

const SEEDS: u64 = 6;
const INPUTS: usize = 4;
const CONSTRAINTS: usize = 8;

/// 2^64 over the golden ratio, and another odd number without a pattern.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const MIXER: u64 = 0xd6e8_feb8_6659_fd93;

impl Solver {
    /// Looks for a model of the path condition and of `c` that differs from the present one, which satisfies the
    /// path condition, in one input. What is `linear` throughout is left to those who decide it.
    pub(crate) fn vary(&mut self, arena: &Arena, c: TermId, linear: bool) -> Option<Evaluated> {
        if !self.broken.is_empty() {
            return None;
        }
        let mut inputs = arena.variables(c);
        if inputs.len() > INPUTS {
            return None;
        }
        inputs.retain(|v| !linear || self.constraints_of(*v).1);
        // Whoever moves is held against all that it differs from: the one with the fewest first.
        inputs.sort_by_key(|v| self.graph.rivals_of(*v));
        for &v in &inputs {
            let others = inputs.iter().filter(|w| **w != v);
            for bits in others.map(|w| self.graph.bits(*w)).collect::<Vec<u64>>() {
                if let Some(evaluated) = self.try_value(arena, c, v, bits) {
                    return Some(evaluated);
                }
            }
        }
        for &v in &inputs {
            let (own, _) = self.constraints_of(v);
            if own.is_empty() || own.len() > CONSTRAINTS {
                continue;
            }
            for seed in 0..SEEDS {
                let Some(bits) = self.moved(arena, c, v, &own, seed) else { continue };
                if let Some(evaluated) = self.try_value(arena, c, v, bits) {
                    return Some(evaluated);
                }
            }
        }
        None
    }

    fn try_value(&mut self, arena: &Arena, c: TermId, v: VarId, bits: u64) -> Option<Evaluated> {
        if bits == self.graph.bits(v) {
            return None;
        }
        let evaluated = self.adopt(arena, None, c, &[(v, bits & self.graph.width(v).mask())])?;
        self.stats.by_guess += 1;
        Some(evaluated)
    }

    /// The assertions on `v` that the graph does not encode, newest first; one more than are looked at, if there are.
    /// And whether one of them is beyond linear integers as well.
    fn constraints_of(&self, v: VarId) -> (Vec<TermId>, bool) {
        let (mut found, mut beyond) = (Vec::new(), false);
        let mut at = self.touched[v.0 as usize].head;
        while at != NONE && found.len() <= CONSTRAINTS {
            let touch = self.touches[at as usize];
            if !touch.is_exact() {
                found.push(self.assertions[touch.assertion as usize]);
                beyond |= self.linear.is_beyond(touch.assertion);
            }
            at = touch.next;
        }
        (found, beyond)
    }

    /// The value of `v` that comes of putting it somewhere else and making `own` and `c` true from there. The model
    /// stays as it is.
    fn moved(
        &mut self,
        arena: &Arena,
        c: TermId,
        v: VarId,
        own: &[TermId],
        seed: u64,
    ) -> Option<u64> {
        let old = self.graph.bits(v);
        let domain = arena.domain(v);
        let span = u128::try_from(domain.hi - domain.lo).ok()? + 1;
        let number = (u64::from(v.0) + 1).wrapping_mul(GOLDEN) ^ seed.wrapping_mul(MIXER);
        let mut along = ((u128::from(number) * span.min(1 << 64)) >> 64) as i128;
        // Small numbers, but further apart than a table has buckets.
        let near = i128::from(u64::from(self.graph.rivals_of(v)) + seed) << 16;
        if self.config.tight && u128::try_from(near).is_ok_and(|near| near < span / 2) {
            along = if domain.lo <= 0 && near <= domain.hi { near - domain.lo } else { near };
        }
        self.graph.set_bits(v, (domain.lo + along) as u64 & self.graph.width(v).mask());
        self.eval.forget();
        let made = own.iter().rev().chain([&c]).all(|t| self.make_true(arena, v, *t));
        let bits = self.graph.bits(v);
        self.graph.set_bits(v, old);
        self.eval.forget();
        (made && in_domain(arena, v, bits)).then_some(bits)
    }

    /// Makes `t` true by changing `v` alone, if it is not.
    fn make_true(&mut self, arena: &Arena, v: VarId, t: TermId) -> bool {
        for way in 0..=WAYS {
            if self.evaluate(arena, t) != 0 {
                return true;
            }
            let before = self.graph.bits(v);
            if let Some([(of, bits)]) = guess(arena, &self.graph, &mut self.eval, t, way).as_deref()
                && *of == v
            {
                self.graph.set_bits(v, *bits & self.graph.width(v).mask());
                self.eval.forget();
                if self.evaluate(arena, t) != 0 {
                    return true;
                }
                self.graph.set_bits(v, before);
                self.eval.forget();
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;
    use pessimum_term::{Domain, Op, Width};

    type Hash = fn(&mut Arena, TermId) -> TermId;

    /// Times an odd number, and a bit of it.
    fn affine(arena: &mut Arena, key: TermId) -> TermId {
        let times = arena.constant(Width::W32, 0x9e37_79b1);
        let more = arena.constant(Width::W32, 12345);
        let product = arena.binary(Op::Mul, key, times);
        arena.binary(Op::Add, product, more)
    }

    /// Times 33 and add, byte by byte.
    fn bernstein(arena: &mut Arena, key: TermId) -> TermId {
        let mut hash = arena.constant(Width::W32, 5381);
        for low in [0, 8, 16, 24] {
            let byte = arena.extract(key, low, Width::W8);
            let byte = arena.zero_extend(Width::W32, byte);
            let times = arena.constant(Width::W32, 33);
            let product = arena.binary(Op::Mul, hash, times);
            hash = arena.binary(Op::Add, product, byte);
        }
        hash
    }

    /// Exclusive or, and times a prime, byte by byte.
    fn fnv(arena: &mut Arena, key: TermId) -> TermId {
        let mut hash = arena.constant(Width::W32, 0x811c_9dc5);
        for low in [0, 8, 16, 24] {
            let byte = arena.extract(key, low, Width::W8);
            let byte = arena.zero_extend(Width::W32, byte);
            let times = arena.constant(Width::W32, 0x0100_0193);
            let mixed = arena.binary(Op::Xor, hash, byte);
            hash = arena.binary(Op::Mul, mixed, times);
        }
        hash
    }

    /// Keys of one bucket, all different: found without bits, each model evaluated by the chain.
    #[test]
    fn many_keys_of_one_bucket_are_solved() {
        let hashes: [(Hash, bool); 4] =
            [(affine, true), (affine, false), (bernstein, true), (fnv, true)];
        for (which, (hash, mask)) in hashes.into_iter().enumerate() {
            let (mut arena, mut solver) = (Arena::new(), Solver::new());
            let full = Domain::full(Width::W32);
            let mut keys = Vec::new();
            let bucket = arena.constant(Width::W32, 5);
            for i in 0..40 {
                let key = arena.variable(Width::W32, full);
                let hash = hash(&mut arena, key);
                let low = if mask {
                    let mask = arena.constant(Width::W32, 63);
                    arena.binary(Op::And, hash, mask)
                } else {
                    let prime = arena.constant(Width::W32, 61);
                    arena.binary(Op::URem, hash, prime)
                };
                let here = arena.binary(Op::Eq, low, bucket);
                assert_eq!(solver.assert(&mut arena, here), Answer::Sat, "{which} {i}");
                for &other in &keys {
                    let same = arena.binary(Op::Eq, key, other);
                    assert_eq!(solver.check(&mut arena, same), Answer::Sat, "{which} {i}");
                    let apart = arena.not(same);
                    assert_eq!(solver.assert(&mut arena, apart), Answer::Sat, "{which} {i}");
                }
                keys.push(key);
            }
            let stats = solver.stats();
            assert_eq!((stats.by_blast, stats.unknown), (0, 0), "{which}: {stats:?}");
            let path = solver.assertions().to_vec();
            let value = |v| solver.var_value(v);
            assert!(Evaluated::all(&arena, &path, value).is_some());
        }
    }
}
