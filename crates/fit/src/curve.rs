//! Smooth curves of a class, and the bits it takes to describe costs by one.
//!
//! A curve is the weighted least-squares fit of a [`Form`]; its description has four parts:
//!
//! * which class and which form (a choice among all of them),
//! * the coefficients, each to the precision at which a change would show in the costs: one bit
//!   for every doubling of its signal over the noise, its binary exponent, and its sign,
//! * the noise: a power of two of the cost, whether misses at neighbouring sizes are independent or drift, and
//!   whether they keep their part of the cost, settle, as what is a sum of many parts does, or are factors, as of what is
//!   mostly a matter of luck,
//! * the misses themselves by the normal density with that noise. The density never exceeds 1,
//!   since costs are whole numbers.
//!
//! A reached cost may also be described as a shortfall: a flag and the number it falls short by. An
//! excess may not. That is all that distinguishes what a search reached from what is exact.

use std::f64::consts::{LOG2_E, TAU};

use pessimum_law::{Class, bits};

use crate::form::{Form, Regressor};

/// The part of the growth that the function of a class must carry to give the costs its name. A
/// lower share is not told from none at all by any number of sizes worth running: at a quarter,
/// n² beside n lies within 5 % of a line over an octave. It defines what the name of a class means, and
/// is used for every class alike.
const SHARE: f64 = 0.25;

/// Sizes beyond the first at which the function of a class must show: by a whole unit of cost, or by a part of what it
/// is at the last that the first fit could tell from noise. One of them sets its coefficient and one where it begins; the
/// third tells it from others. Between sizes that lie far apart an exponential is nothing and then everything: its
/// column names the last size, and explains any cost there.
const SHOWN: usize = 3;

/// The costs as floats.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub n: Vec<f64>,
    pub cost: Vec<f64>,
    /// Is the cost one that a search reached, and so perhaps too small?
    pub reached: Vec<bool>,
    /// ln of the greatest size's function would leave a float: columns are scaled to 1 there.
    last: f64,
}

/// A curve through a stretch of the costs.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub class: Class,
    /// (coefficient of the scaled function, the function, its factor n^1, ln of its scale).
    terms: Vec<(f64, Regressor, f64)>,
    /// Noise relative to the cost; where it settles, to the last cost.
    noise: f64,
    walk: bool,
    spread: Spread,
    /// All four parts of its description.
    pub bits: f64,
    /// Does the function of the class carry its share of the growth?
    pub named: bool,
}

/// The kinds of [`Spread`].
const SPREADS: usize = 3;

/// How large misses are at smaller sizes.
#[derive(Debug, Clone, Copy)]
enum Spread {
    /// A part of the cost, everywhere the same.
    Even,
    /// As of a sum of independent parts: its square grows as the cost does. The last cost is what the noise is a part of.
    Settling { last: f64 },
    /// A factor, everywhere the same: what costs twice as much is as likely as what costs half.
    Factor,
}

impl Spread {
    /// The square of what noise is a part of, where the cost is this.
    fn square(self, cost: f64) -> f64 {
        match self {
            Spread::Even | Spread::Factor => cost * cost,
            Spread::Settling { last } => (cost * last).abs(),
        }
    }
}

/// The noise that the first fit assumes where no other stretch has shown it; the next ones assume what
/// the one before has found. It only decides where the optimum is looked for: the bits are those of the
/// noise that is found.
pub(crate) const FIRST_NOISE: f64 = 1.0 / 1024.0;

/// How often a fit is made again with the noise, and without the shortfalls, that it has found.
const ROUNDS: usize = 3;

/// The finest noise that is named, 2^-40 of the cost, beyond which floats do not tell.
const FINEST: i32 = 40;

/// The coarsest noise that is named where it is a factor, e^8.
const COARSEST: i32 = -3;

/// The noise from which on a factor is told from a part.
const FACTORS: f64 = 1.0 / 16.0;

/// The least variance of a miss: with it the density is 1.
const ROUNDING: f64 = 1.0 / TAU;

impl Data {
    pub(crate) fn new(points: impl IntoIterator<Item = (u64, u64, bool)>) -> Data {
        let (mut n, mut cost, mut reached) = (Vec::new(), Vec::new(), Vec::new());
        for (size, c, r) in points {
            n.push(size as f64);
            cost.push(c as f64);
            reached.push(r);
        }
        let last = n.last().copied().unwrap_or(1.0);
        Data { n, cost, reached, last }
    }

    pub(crate) fn len(&self) -> usize {
        self.n.len()
    }

    fn scale(&self, part: Regressor) -> f64 {
        match part {
            Regressor::Pure(c)
            | Regressor::Mixed(c, _)
            | Regressor::Bent(c, _)
            | Regressor::Doubling(c) => c.ln_growth(self.last),
            Regressor::Shifted(c) => c.ln_growth(self.last) + self.last.ln(),
            Regressor::Outside(product, _) => product.ln_growth(self.last),
        }
    }

    /// The columns of a form at every size; `None` where a function is out of range.
    pub(crate) fn columns(&self, form: &Form) -> Option<Vec<Vec<f64>>> {
        let column = |&part: &Regressor| {
            let scale = self.scale(part);
            let values: Vec<f64> = self.n.iter().map(|&n| value(part, scale, n)).collect();
            (scale.is_finite() && values.iter().all(|v| v.is_finite())).then_some(values)
        };
        form.parts.iter().map(column).collect()
    }

    /// The shortest curve of a form through the costs `from..until`, all of whose functions stand in
    /// `columns`. `None` where the class's own function carries nothing, or where the curve
    /// falls. `noise` is where the search for the noise begins, and what it found.
    pub(crate) fn fit(
        &self,
        form: &Form,
        columns: &[Vec<f64>],
        stretch: std::ops::Range<usize>,
        noise: &mut f64,
    ) -> Option<Curve> {
        let (from, until) = (stretch.start, stretch.end);
        let mixed;
        let columns: Vec<&[f64]> = match form.parts[0] {
            Regressor::Mixed(own, lower) => {
                mixed = self.mixed(own, lower, from, until)?;
                std::iter::once(mixed.as_slice())
                    .chain(columns[1..].iter().map(|c| &c[from..until]))
                    .collect()
            }
            _ => columns.iter().map(|c| &c[from..until]).collect(),
        };
        if until - from < columns.len() {
            return None;
        }
        let settling = Spread::Settling { last: self.cost[until - 1] };
        let curves = [Spread::Even, settling]
            .map(|spread| self.weighted(form, &columns, stretch.clone(), *noise, spread));
        let curve = curves.into_iter().flatten().min_by(|a, b| a.bits.total_cmp(&b.bits))?;
        *noise = curve.noise;
        Some(curve)
    }

    /// The column of two functions with fixed shares of the growth over the stretch.
    fn mixed(&self, own: Class, lower: Class, from: usize, until: usize) -> Option<Vec<f64>> {
        let stretch = &self.n[from..until];
        let scaled = |c: Class| {
            let s = c.ln_growth(self.last);
            let values: Vec<f64> = stretch.iter().map(|&n| (c.ln_growth(n) - s).exp()).collect();
            let growth = values.last()? - values.first()?;
            (growth > 0.0).then_some((values, growth))
        };
        let ((own, g), (lower, h)) = (scaled(own)?, scaled(lower)?);
        let mix = |(o, l): (&f64, &f64)| SHARE * o / g + (1.0 - SHARE) * l / h;
        Some(own.iter().zip(&lower).map(mix).collect())
    }

    fn weighted(
        &self,
        form: &Form,
        columns: &[&[f64]],
        stretch: std::ops::Range<usize>,
        mut noise: f64,
        spread: Spread,
    ) -> Option<Curve> {
        let (from, until) = (stretch.start, stretch.end);
        let cost = &self.cost[from..until];
        let mut best: Option<Curve> = None;
        let mut short = vec![false; cost.len()];
        for _ in 0..ROUNDS {
            let weight = |i: usize| match short[i] {
                true => 0.0,
                false => 1.0 / (noise * noise * spread.square(cost[i]) + ROUNDING),
            };
            let weights: Vec<f64> = (0..cost.len()).map(weight).collect();
            let Some(x) = least_squares(columns, cost, &weights) else { break };
            // The share of a function shows at the greatest size that the curve is to meet.
            let met = short.iter().rposition(|s| !s).unwrap_or(0);
            let curve = self.described(form, columns, &x, stretch.clone(), met, spread);
            let Some(mut curve) = curve else { break };
            // What falls short is explained by the search: the curve is that of the others.
            let mut settled = (curve.noise / noise).log2().abs() < 1.5;
            noise = curve.noise;
            for i in 0..cost.len() {
                let f: f64 = columns.iter().zip(&x).map(|(c, x)| c[i] * x).sum();
                let deviation = (noise * noise * spread.square(f) + ROUNDING).sqrt();
                let is_short = f - cost[i] > 3.0 * deviation;
                if self.reached[from + i] && is_short && !short[i] {
                    short[i] = true;
                    settled = false;
                }
            }
            if matches!(spread, Spread::Even) && noise >= FACTORS {
                let factor = self.by_factors(form, columns, &x, stretch.clone(), met);
                curve = factor.filter(|factor| factor.bits < curve.bits).unwrap_or(curve);
            }
            let better = best.as_ref().is_none_or(|b| curve.bits < b.bits);
            if better {
                best = Some(curve);
            }
            if settled || !better {
                break;
            }
        }
        best
    }

    /// The description of a stretch by factors of a curve, through the middle of them.
    fn by_factors(
        &self,
        form: &Form,
        columns: &[&[f64]],
        x: &[f64],
        stretch: std::ops::Range<usize>,
        met: usize,
    ) -> Option<Curve> {
        let cost = &self.cost[stretch.clone()];
        let mut logarithms = 0.0;
        for (i, cost) in cost.iter().enumerate() {
            let f: f64 = columns.iter().zip(x).map(|(c, x)| c[i] * x).sum();
            if f < 0.5 || *cost < 0.5 {
                return None;
            }
            logarithms += (cost / f).ln();
        }
        let middle = (logarithms / cost.len() as f64).exp();
        let x: Vec<f64> = x.iter().map(|x| x * middle).collect();
        self.described(form, columns, &x, stretch, met, Spread::Factor)
    }

    /// The description of a stretch by a curve with given coefficients.
    fn described(
        &self,
        form: &Form,
        columns: &[&[f64]],
        x: &[f64],
        stretch: std::ops::Range<usize>,
        met: usize,
        spread: Spread,
    ) -> Option<Curve> {
        let (from, until) = (stretch.start, stretch.end);
        let at = |i: usize| -> f64 { columns.iter().zip(x).map(|(c, x)| c[i] * x).sum() };
        let count = until - from;
        let f: Vec<f64> = (0..count).map(at).collect();
        let grows = f.windows(2).all(|p| p[1] >= p[0] - 1e-9 * p[0].abs());
        // A quotient falls where its divisor takes a step.
        let falls = matches!(form.parts[0], Regressor::Outside(..));
        if !grows && !falls || f[0] < -0.5 || !f[count - 1].is_finite() {
            return None;
        }
        let mut named = true;
        if form.class != Class::Constant {
            // A cost is a whole number: growth by one of them may round to no step at all, so the
            // least that shows is two, of the curve or of the costs themselves.
            let growth = f[met] - f[0];
            let shown = growth.max(self.cost[from + met] - self.cost[from]);
            let own: f64 = columns
                .iter()
                .zip(x)
                .zip(&form.parts)
                .filter(|(_, p)| p.class() == form.class)
                .map(|((c, x), _)| x * (c[met] - c[0]))
                .sum();
            let share = if matches!(form.parts[0], Regressor::Mixed(..)) { 0.0 } else { SHARE };
            if x[0] <= 0.0 || shown < 2.0 || !self.shows(form, columns, x, from) {
                return None;
            }
            named = own >= share * shown;
        }
        let short = self.shortfalls(&f, from);
        let mut best: Option<(f64, f64, bool)> = None;
        for walk in [false, true] {
            let misses = self.misses(&f, from, walk, spread);
            let mean: f64 =
                misses.iter().map(|miss| (miss.square / miss.value.max(1.0)).min(1.0)).sum::<f64>()
                    / count as f64;
            let coarsest = if matches!(spread, Spread::Factor) { COARSEST } else { 0 };
            let near = (-mean.sqrt().log2()).round().clamp(0.0, f64::from(FINEST)) as i32;
            // Downhill from the root of the mean square, in both directions.
            let kept_up = self.kept_up(from..until);
            let bits_of = |j: i32| kept_up + miss_bits(&misses, &short, f64::from(-j).exp2());
            let (mut at, mut bits) = (near, bits_of(near));
            for step in [1, -1] {
                while (coarsest..=FINEST).contains(&(at + step)) {
                    let next = bits_of(at + step);
                    if next >= bits {
                        break;
                    }
                    (at, bits) = (at + step, next);
                }
            }
            if best.is_none_or(|b| bits < b.0) {
                best = Some((bits, f64::from(-at).exp2(), walk));
            }
        }
        let (misses, noise, walk) = best?;
        // To halve the step of a coefficient takes one bit.
        let precision = |(c, x): (&&[f64], &f64)| {
            let signal: f64 = (0..count)
                .map(|i| (c[i] * x).powi(2) / (noise * noise * spread.square(f[i]) + ROUNDING))
                .sum();
            0.5 * (1.0 + signal).log2()
        };
        let terms: Vec<(f64, Regressor, f64)> =
            x.iter().zip(&form.parts).map(|(&x, &p)| (x, p, self.scale(p))).collect();
        let exponents: f64 = terms
            .iter()
            .filter(|t| t.0 != 0.0)
            .map(|t| bits::integer(((t.0.abs().ln() - t.2) * LOG2_E).round() as i128))
            .sum();
        // Costs are not negative: the sign of one coefficient follows from those of the others.
        let signs = terms.iter().filter(|t| t.0 != 0.0).count().saturating_sub(1) as f64;
        let coefficients = columns.iter().zip(x).map(precision).sum::<f64>() + exponents + signs;
        let noise_bits = noise_bits();
        let mut curve = Curve {
            class: form.class,
            terms,
            noise,
            walk,
            spread,
            bits: form.bits + coefficients + noise_bits + misses,
            named,
        };
        curve.unmix(self, from, until);
        curve.unbend();
        Some(curve)
    }

    /// Whether the function of the class shows at enough sizes of a stretch, the curve of which has these coefficients.
    fn shows(&self, form: &Form, columns: &[&[f64]], x: &[f64], from: usize) -> bool {
        let count = columns[0].len();
        let own = |i: usize| match form.parts[0] {
            Regressor::Mixed(own, _) => {
                let at = |i: usize| {
                    value(Regressor::Pure(own), self.scale(Regressor::Pure(own)), self.n[from + i])
                };
                x[0] * SHARE * (at(i) - at(0)) / (at(count - 1) - at(0))
            }
            _ => {
                let parts = columns.iter().zip(x).zip(&form.parts);
                let own = parts.filter(|(_, part)| part.class() == form.class);
                own.map(|((c, x), _)| x * (c[i] - c[0])).sum()
            }
        };
        let least = (own(count - 1) * FIRST_NOISE).min(1.0);
        (1..count).filter(|&i| own(i) >= least).count() >= SHOWN
    }

    /// By how much a curve misses each cost of a stretch.
    fn misses(&self, f: &[f64], from: usize, walk: bool, spread: Spread) -> Vec<Miss> {
        let walks = |i: usize| walk && i > 0 && f[i - 1] > 0.0;
        let part = |i: usize| {
            let here = self.cost[from + i] - f[i];
            if !walks(i) {
                return (here, 1.0);
            }
            let drift = (self.cost[from + i - 1] - f[i - 1]) * f[i] / f[i - 1];
            (here - drift, 1.0 + (f[i] / f[i - 1]).powi(2))
        };
        let factor = |i: usize| {
            let here = |i: usize| (self.cost[from + i].max(1.0) / f[i].max(0.5)).ln();
            let drift = if walks(i) { here(i - 1) } else { 0.0 };
            (self.cost[from + i] * (here(i) - drift), 1.0)
        };
        let miss = |i: usize| {
            let ((miss, steps), value) = match spread {
                Spread::Factor => (factor(i), self.cost[from + i]),
                Spread::Even | Spread::Settling { .. } => (part(i), f[i]),
            };
            Miss { square: miss * miss, value: spread.square(value), rounding: ROUNDING * steps }
        };
        (0..f.len()).map(miss).collect()
    }

    /// One bit for each cost of a search says whether it kept up.
    fn kept_up(&self, stretch: std::ops::Range<usize>) -> f64 {
        self.reached[stretch].iter().filter(|r| **r).count() as f64
    }

    /// Bits to state by how much each reached cost of a stretch falls short; infinite where that is
    /// no explanation.
    fn shortfalls(&self, f: &[f64], from: usize) -> Vec<f64> {
        let short = |i: usize| match (self.reached[from + i], f[i] - self.cost[from + i]) {
            (true, short) if short > 0.0 => bits::natural(short as u128),
            _ => f64::INFINITY,
        };
        (0..f.len()).map(short).collect()
    }

    /// Bits of the costs `from..` by a curve that was made from others.
    pub(crate) fn continued(&self, curve: &Curve, from: usize) -> f64 {
        let start = from.saturating_sub(1);
        let f: Vec<f64> = self.n[start..].iter().map(|&n| curve.at(n)).collect();
        if f.iter().any(|v| !v.is_finite()) {
            return f64::INFINITY;
        }
        let short = self.shortfalls(&f, start);
        let misses = self.misses(&f, start, curve.walk, curve.spread);
        let first = from - start;
        self.kept_up(from..self.len()) + miss_bits(&misses[first..], &short[first..], curve.noise)
    }
}

impl Curve {
    /// Bits of a cost that the curve was not made from, beside one that obeys it.
    pub(crate) fn bits_beside(&self, obeys: (u64, i128), at: (u64, i128)) -> f64 {
        let (variance, surprise) = self.miss_beside(obeys, at);
        surprise + 0.5 * (TAU * variance).log2()
    }

    /// Bits by which a cost above the curve is less likely than one on it, beside one that obeys it.
    pub(crate) fn surprise_beside(&self, obeys: (u64, i128), at: (u64, i128)) -> f64 {
        let is_above = at.1 as f64 > self.at(at.0 as f64);
        if is_above { self.miss_beside(obeys, at).1 } else { 0.0 }
    }

    /// The variance of a miss, and how surprising it is.
    fn miss_beside(&self, obeys: (u64, i128), at: (u64, i128)) -> (f64, f64) {
        let data = Data::new([obeys, at].map(|(n, cost)| (n, cost as u64, false)));
        let f: Vec<f64> = data.n.iter().map(|&n| self.at(n)).collect();
        let miss = &data.misses(&f, 0, self.walk, self.spread)[1];
        (miss.variance(self.noise), miss.surprise(self.noise))
    }
}

/// A cost beside the value of a curve.
struct Miss {
    /// The square of the difference.
    square: f64,
    /// The square of the value.
    value: f64,
    /// The variance of rounding.
    rounding: f64,
}

impl Miss {
    fn variance(&self, noise: f64) -> f64 {
        noise * noise * self.value + self.rounding
    }

    /// Bits by which it is less likely than none.
    fn surprise(&self, noise: f64) -> f64 {
        0.5 * LOG2_E * self.square / self.variance(noise)
    }
}

/// Bits to state misses with a noise, each of them or, where that is shorter, the shortfall.
fn miss_bits(misses: &[Miss], short: &[f64], noise: f64) -> f64 {
    let mut bits = 0.0;
    // One logarithm for many densities: it is what takes the time.
    let mut density = 1.0f64;
    for (miss, short) in misses.iter().zip(short) {
        let variance = miss.variance(noise);
        let square = miss.surprise(noise);
        if square > *short {
            bits += short;
            continue;
        }
        bits += square;
        density *= TAU * variance;
        if density > 1e200 {
            bits += 0.5 * density.log2();
            density = 1.0;
        }
    }
    bits + 0.5 * density.log2()
}

/// Bits to name the noise, whether it drifts, and how it spreads.
fn noise_bits() -> f64 {
    bits::choice((FINEST - COARSEST) as usize + 1) + 1.0 + bits::choice(SPREADS)
}

/// No curve of a form takes fewer bits: its name, its noise, an exponent for each column.
pub(crate) fn least_bits(form: &Form) -> f64 {
    form.bits + noise_bits() + form.parts.len() as f64 * bits::integer(0)
}

fn value(part: Regressor, scale: f64, n: f64) -> f64 {
    match part {
        Regressor::Pure(c) | Regressor::Mixed(c, _) => (c.ln_growth(n) - scale).exp(),
        Regressor::Shifted(c) => (c.ln_growth(n) + n.max(1.0).ln() - scale).exp(),
        Regressor::Bent(c, at) => {
            let pure = |n: f64| value(Regressor::Pure(c), scale, n);
            (pure(n) - pure(at)).max(0.0)
        }
        Regressor::Outside(product, _) => (product.ln_growth(n) - scale).exp(),
        Regressor::Doubling(c) => {
            let doubled = (n as u64).checked_next_power_of_two().map_or(n, |p| p as f64);
            (c.ln_growth(doubled) - scale).exp()
        }
    }
}

impl Curve {
    /// Writes a mixed column as the two functions it is made of.
    fn unmix(&mut self, data: &Data, from: usize, until: usize) {
        let (x, Regressor::Mixed(own, lower), _) = self.terms[0] else { return };
        let (a, b) = (data.n[from], data.n[until - 1]);
        let term = |c: Class, share: f64| {
            let s = c.ln_growth(data.last);
            let growth = (c.ln_growth(b) - s).exp() - (c.ln_growth(a) - s).exp();
            (x * share / growth, Regressor::Pure(c), s)
        };
        self.terms.splice(0..1, [term(own, SHARE), term(lower, 1.0 - SHARE)]);
    }

    /// Writes a curve that bends as what holds from the bend on.
    fn unbend(&mut self) {
        let [own, (bent, part @ Regressor::Bent(class, at), scale), ref mut rest @ ..] =
            self.terms[..]
        else {
            return;
        };
        if let Some(constant) = rest.first_mut() {
            constant.0 -= bent * value(Regressor::Pure(class), scale, at);
        }
        self.terms[0] = (own.0 + bent, own.1, own.2);
        self.terms.retain(|t| t.1 != part);
    }

    /// The value at a size.
    pub(crate) fn at(&self, n: f64) -> f64 {
        self.terms.iter().filter(|t| t.0 != 0.0).map(|&(x, p, s)| x * value(p, s, n)).sum()
    }

    /// `3.1*n*log2(n) + 12`.
    pub(crate) fn formula(&self) -> String {
        let mut out = String::new();
        for &(x, part, s) in &self.terms {
            let coefficient = three_digits((x.abs().ln() - s).exp());
            if coefficient == "0" {
                continue;
            }
            out.push_str(match (out.is_empty(), x < 0.0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            let name = |c: Class| c.to_string().replace("log(n)", "log2(n)");
            let function = match part {
                Regressor::Pure(c) | Regressor::Mixed(c, _) | Regressor::Bent(c, _) => name(c),
                Regressor::Shifted(c) => format!("n*{}", name(c)),
                Regressor::Doubling(c) => doubled(c),
                // It is no class, and its formula is not told.
                Regressor::Outside(_, c) => name(c),
            };
            match (part, coefficient.as_str()) {
                (Regressor::Pure(Class::Constant), _) => out.push_str(&coefficient),
                (_, "1") => out.push_str(&function),
                _ => out.push_str(&format!("{coefficient}*{function}")),
            }
        }
        if out.is_empty() { "0".into() } else { out }
    }
}

/// The function of a class at 2^⌈lg n⌉.
fn doubled(class: Class) -> String {
    let lg = "ceil(log2(n))";
    match class {
        Class::Linear => format!("2^{lg}"),
        Class::NLogN => format!("2^{lg}*{lg}"),
        Class::Quadratic => format!("4^{lg}"),
        Class::N2LogN => format!("4^{lg}*{lg}"),
        Class::Cubic => format!("8^{lg}"),
        other => other.to_string().replace('n', &format!("(2^{lg})")),
    }
}

/// The most columns of a form.
const MOST: usize = 5;

/// Weighted least squares by modified Gram-Schmidt, which keeps the digits that normal equations
/// lose. `None` where the columns are as good as dependent.
fn least_squares(columns: &[&[f64]], target: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
    let (count, size) = (target.len(), columns.len());
    debug_assert!(size <= MOST);
    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let mut q: Vec<Vec<f64>> = Vec::with_capacity(size);
    let mut r = [[0.0; MOST]; MOST];
    let mut rest: Vec<f64> = target.iter().zip(&roots).map(|(t, w)| t * w).collect();
    let mut z = [0.0; MOST];
    for (j, column) in columns.iter().enumerate() {
        let mut v: Vec<f64> = column.iter().zip(&roots).map(|(c, w)| c * w).collect();
        let length = dot(&v, &v).sqrt();
        // Twice is enough (Kahan, Parlett).
        for _ in 0..2 {
            for (k, u) in q.iter().enumerate() {
                let part = dot(u, &v);
                r[k][j] += part;
                for i in 0..count {
                    v[i] -= part * u[i];
                }
            }
        }
        let norm = dot(&v, &v).sqrt();
        if norm <= 1e-11 * length || length == 0.0 || !length.is_finite() {
            return None;
        }
        v.iter_mut().for_each(|x| *x /= norm);
        r[j][j] = norm;
        z[j] = dot(&v, &rest);
        for i in 0..count {
            rest[i] -= z[j] * v[i];
        }
        q.push(v);
    }
    let mut x = vec![0.0; size];
    for j in (0..size).rev() {
        let known: f64 = (j + 1..size).map(|k| r[j][k] * x[k]).sum();
        x[j] = (z[j] - known) / r[j][j];
    }
    Some(x)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Three significant digits: `3.1`, `0.00412`, `4120`, `1.2e-9`.
fn three_digits(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let magnitude = x.abs().log10().floor() as i32;
    if !(-4..7).contains(&magnitude) {
        let text = format!("{x:.2e}");
        return match text.split_once('e') {
            Some((digits, exponent)) => {
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits}e{exponent}")
            }
            None => text,
        };
    }
    let places = usize::try_from(2 - magnitude).unwrap_or(0);
    let text = format!("{x:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits() {
        for (x, text) in [
            (3.1, "3.1"),
            (2.7519, "2.75"),
            (0.004123, "0.00412"),
            (4123.4, "4123"),
            (1.0, "1"),
            (100.0, "100"),
            (1.2e-9, "1.2e-9"),
            (2e12, "2e12"),
            (0.9999, "1"),
        ] {
            assert_eq!(three_digits(x), text);
        }
    }
}
