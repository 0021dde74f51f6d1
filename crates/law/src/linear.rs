//! Recurrences that step by one: W(n) from W(n−1), W(n−2), …
//!
//! With constant coefficients these are the C-finite sequences (Fibonacci's and its kin, sums of
//! exponentials); with n as a factor, what backtracking over permutations costs.

use std::fmt;

use crate::Sample;
use crate::bits;
use crate::class::Class;
use crate::field;
use crate::rational::Rational;
use crate::search::{Description, Law, family_bits, is_whole};

/// n^degree · W(n − back), or n^degree alone for `back = 0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summand {
    degree: u32,
    back: usize,
}

const fn w(back: usize) -> Summand {
    Summand { degree: 0, back }
}

const fn nw(back: usize) -> Summand {
    Summand { degree: 1, back }
}

const ONE: Summand = Summand { degree: 0, back: 0 };
const N: Summand = Summand { degree: 1, back: 0 };

/// The right sides tried, simplest first.
const SHAPES: [&[Summand]; 19] = [
    &[w(1)],
    &[w(1), ONE],
    &[w(1), w(2)],
    &[w(2)],
    &[nw(1)],
    &[nw(1), ONE],
    &[nw(1), w(1)],
    &[w(2), ONE],
    &[w(1), w(2), ONE],
    &[w(1), N, ONE],
    &[nw(1), w(1), ONE],
    &[nw(1), N, ONE],
    &[w(1), w(2), N, ONE],
    &[w(1), w(2), w(3)],
    &[nw(1), w(1), N, ONE],
    &[nw(1), w(1), w(2)],
    &[w(1), w(2), w(3), ONE],
    &[nw(1), w(1), nw(2), w(2)],
    &[w(1), w(2), w(3), w(4)],
];

/// A recurrence with the costs it starts from.
#[derive(Debug, Clone)]
pub struct LinearRecurrence {
    parts: Vec<(Rational, Summand)>,
    first: u64,
    start: Vec<i128>,
}

impl LinearRecurrence {
    /// The exact value; `None` before the start, or where it leaves `i128` on the way.
    pub(crate) fn at(&self, n: u64) -> Option<i128> {
        // Exponential growth leaves `i128` long before this many steps.
        let index = usize::try_from(n.checked_sub(self.first)?).ok().filter(|i| *i < 100_000)?;
        let mut window = self.start.clone();
        if let Some(&given) = window.get(index) {
            return Some(given);
        }
        for i in window.len()..=index {
            let size = i128::from(self.first).checked_add(i128::try_from(i).ok()?)?;
            let mut sum = Rational::ZERO;
            for &(c, part) in &self.parts {
                let previous = match part.back {
                    0 => 1,
                    back => window[window.len() - back],
                };
                let value = size.checked_pow(part.degree)?.checked_mul(previous)?;
                sum = sum.checked_add(c.checked_mul(Rational::whole(value))?)?;
            }
            window.remove(0);
            window.push(sum.to_integer()?);
        }
        window.last().copied()
    }

    pub(crate) fn class(&self) -> Class {
        if self.parts.iter().any(|(_, p)| p.degree > 0 && p.back > 0) {
            return Class::Factorial;
        }
        let c = self.dominant_root();
        Class::exponential(if (c - c.round()).abs() < 1e-4 { c.round() } else { c })
    }

    /// The largest real root of the characteristic polynomial. Costs are not negative, so the
    /// root that governs their growth is real and positive (Pringsheim); to the right of it the
    /// polynomial is convex, so Newton's steps from beyond all roots walk down to it.
    fn dominant_root(&self) -> f64 {
        let order = self.start.len();
        let mut coefficients = vec![0.0; order + 1];
        coefficients[order] = 1.0;
        let mut bound: f64 = 1.0;
        for &(c, part) in self.parts.iter().filter(|(_, p)| p.back > 0) {
            coefficients[order - part.back] -= c.to_f64();
            bound += c.to_f64().abs();
        }
        let mut x = bound;
        for _ in 0..500 {
            let (mut value, mut slope) = (0.0, 0.0);
            for &c in coefficients.iter().rev() {
                slope = slope * x + value;
                value = value * x + c;
            }
            if slope == 0.0 {
                break;
            }
            x -= value / slope;
        }
        x
    }
}

impl fmt::Display for LinearRecurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("W(n) =")?;
        for (i, &(c, part)) in self.parts.iter().enumerate() {
            let negative = c.numerator() < 0;
            let magnitude = Rational::new(c.numerator().abs(), c.denominator()).unwrap_or(c);
            match (i, negative) {
                (0, true) => f.write_str(" -")?,
                (0, false) => f.write_str(" ")?,
                (_, true) => f.write_str(" - ")?,
                (_, false) => f.write_str(" + ")?,
            }
            let mut factors = Vec::new();
            if magnitude != Rational::whole(1) || part == ONE {
                factors.push(magnitude.to_string());
            }
            if part.degree > 0 {
                factors.push("n".into());
            }
            if part.back > 0 {
                factors.push(format!("W(n-{})", part.back));
            }
            f.write_str(&factors.join("*"))?;
        }
        for (i, value) in self.start.iter().enumerate() {
            let n = self.first.saturating_add(i as u64);
            write!(f, "{} W({n}) = {value}", if i == 0 { " with" } else { "," })?;
        }
        Ok(())
    }
}

/// The recurrences that the samples without a gap obey, and any sparse ones after them.
pub(crate) fn search(samples: &[Sample]) -> Vec<Description> {
    let mut out = Vec::new();
    for start in 0..3.min(samples.len()) {
        let tail = &samples[start..];
        let run = tail.windows(2).take_while(|p| p[1].n - p[0].n == 1).count() + 1;
        out.extend(SHAPES.iter().filter_map(|shape| attempt(tail, start, run, shape)));
    }
    out
}

fn attempt(tail: &[Sample], start: usize, run: usize, shape: &[Summand]) -> Option<Description> {
    let order = shape.iter().map(|p| p.back).max()?;
    if run < order + shape.len() {
        return None;
    }
    let cost = |i: usize| tail[i].value;
    let equations = (order..run).map(|i| {
        let size = i128::from(tail[i].n);
        let row = shape.iter().map(|p| {
            let previous = if p.back == 0 { 1 } else { cost(i - p.back) };
            size.checked_pow(p.degree)?.checked_mul(previous)
        });
        Some((row.collect::<Option<Vec<_>>>()?, cost(i)))
    });
    let solution = field::solve(shape.len(), equations)?;
    // Sizes beyond the run took no part.
    let is_check = |i: usize| i >= run || (i >= order && !solution.used[i - order]);
    if solution.coefficients.iter().any(|c| c.is_zero()) {
        return None;
    }
    let recurrence = LinearRecurrence {
        parts: solution.coefficients.iter().copied().zip(shape.iter().copied()).collect(),
        first: tail[0].n,
        start: (0..order).map(cost).collect(),
    };
    // What grows no faster than a polynomial has a closed form or none worth showing.
    if recurrence.class() <= Class::exponential(1.001) {
        return None;
    }
    let numbers = bits::fractions(&solution.coefficients);
    let stated: f64 = bits::raw(recurrence.start.iter().copied()).iter().sum();
    let law = Law::Linear(recurrence);
    let met = tail.iter().all(|s| law.at(s.n) == Some(s.value));
    (met && is_whole(&law, tail)).then(|| Description {
        checked_at: (0..tail.len()).filter(|&i| is_check(i)).map(|i| tail[i].n).collect(),
        from: start,
        until: start + tail.len(),
        bits: family_bits() + bits::choice(SHAPES.len()) + numbers + stated,
        law,
    })
}
