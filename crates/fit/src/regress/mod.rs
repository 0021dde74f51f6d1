//! Regression to a complexity class.
//!
//! Every class is fitted by non-negative least squares on the *relative* error and judged by
//! its error at sizes left out of the fit: one at a time, and the greatest quarter all at once,
//! since what a class claims is what happens beyond the sizes seen. More terms must earn their
//! place, and so must a fitted exponent: n^1.07 is a poor name for n log n.

mod model;
mod nnls;

use crate::class::{Class, NAMED};
use crate::points::Sample;
pub(crate) use model::Model;
use model::{Column, Data, relative};

/// The least number of sizes from which a class is estimated (SPF-WCA, section IV, has the same).
pub(crate) const LEAST_SIZES: usize = 5;

/// More points than this are thinned, evenly over the octaves.
const MOST_POINTS: usize = 48;

/// One class as fitted.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub class: Class,
    pub model: Model,
    /// Root mean square relative error at sizes left out.
    pub error: f64,
    /// Akaike's criterion with the correction for few points, on the relative errors.
    pub aicc: f64,
    /// What candidates are ordered by: the logarithm of the error, and a price for what it took.
    score: f64,
}

/// Every class that can be fitted, the best first. Empty when there are too few sizes.
pub(crate) fn candidates(samples: &[Sample]) -> Vec<Fitted> {
    let Some(data) = data(samples) else {
        return Vec::new();
    };
    let mut out: Vec<Fitted> = NAMED.iter().filter_map(|&c| best_variant(c, &data)).collect();
    out.extend(HIGH_POWERS.iter().filter_map(|&c| best_variant(c, &data)));
    out.extend(free_power(&data));
    out.extend(free_base(&data));
    let bend = bend(samples);
    if ends_on_a_line(samples) || bend.is_some_and(|b| b > 1.0 + BENT) {
        out.retain(|f| f.class >= Class::Linear);
    }
    if bend.is_some_and(|b| b < 1.0 - BENT) {
        out.retain(|f| f.class <= Class::Linear);
    }
    out.sort_by(|a, b| a.score.total_cmp(&b.score));
    out
}

/// From this much on a bend is one, and not the noise of a search.
const BENT: f64 = 0.2;

/// How much steeper the costs rise over the greater half of the sizes than over the smaller: above
/// one for whatever outgrows a line, below one for whatever a line outgrows. A step between the
/// smallest sizes and the rest makes any class fit somehow; it does not make the rest bend.
fn bend(samples: &[Sample]) -> Option<f64> {
    let (first, last) = (samples.first()?, samples.last()?);
    let at = samples.partition_point(|s| s.n < last.n.div_ceil(2));
    let middle = samples.get(at).filter(|m| first.n < m.n && m.n < last.n)?;
    let slope = |a: &Sample, b: &Sample| (b.cost as f64 - a.cost as f64) / (b.n - a.n) as f64;
    let (before, after) = (slope(first, middle), slope(middle, last));
    (before > 0.0).then(|| after / before)
}

/// Do the greater half of the sizes lie on a line that rises? Small sizes that rise more steeply
/// make it look like a root or a logarithm, which it is not: those bend all the way.
fn ends_on_a_line(samples: &[Sample]) -> bool {
    let Some(last) = samples.last() else { return false };
    let half = &samples[samples.partition_point(|s| s.n < last.n.div_ceil(2))..];
    let [first, second, ..] = half else { return false };
    let rise = |s: &Sample| i128::from(s.cost) - i128::from(first.cost);
    let run = |s: &Sample| i128::from(s.n - first.n);
    let on_line = |s: &Sample| {
        let (here, there) = (rise(s).checked_mul(run(second)), rise(second).checked_mul(run(s)));
        here.is_some() && here == there
    };
    half.len() >= LEAST_SIZES && rise(second) > 0 && half.iter().all(on_line)
}

/// The fit of one given class: of a bound, say.
pub(crate) fn of_class(class: Class, samples: &[Sample]) -> Option<Fitted> {
    best_variant(class, &data(samples)?)
}

/// Logarithms are about sizes from one on, and too many points only take time.
fn data(samples: &[Sample]) -> Option<Data> {
    let positive: Vec<Sample> = samples.iter().copied().filter(|s| s.n >= 1).collect();
    if positive.len() < LEAST_SIZES {
        return None;
    }
    Some(Data::new(&thin(positive)))
}

fn thin(samples: Vec<Sample>) -> Vec<Sample> {
    if samples.len() <= MOST_POINTS {
        return samples;
    }
    let (first, last) = (samples[0].n as f64, samples[samples.len() - 1].n as f64);
    let mut out: Vec<Sample> = (0..MOST_POINTS)
        .map(|i| {
            let t = i as f64 / (MOST_POINTS - 1) as f64;
            let wanted = first * (last / first).powf(t);
            let at = samples.partition_point(|s| (s.n as f64) < wanted - 0.5);
            samples[at.min(samples.len() - 1)]
        })
        .collect();
    out.dedup();
    out
}

const ONE: Column = &[(1.0, Class::Constant)];
const LOG: Column = &[(1.0, Class::Log)];
const N: Column = &[(1.0, Class::Linear)];
const N2: Column = &[(1.0, Class::Quadratic)];
const N_LESS_ONE: Column = &[(1.0, Class::Linear), (-1.0, Class::Constant)];
const N2_LESS_N: Column = &[(1.0, Class::Quadratic), (-1.0, Class::Linear)];
/// n over 2, 3, 4, 5, but for a factor: what loops cost whose indices follow each other.
const OVER_2: Column = N2_LESS_N;
const OVER_3: Column = &[(1.0, Class::Cubic), (-3.0, Class::Quadratic), (2.0, Class::Linear)];
const OVER_4: Column = &[
    (1.0, Class::Power(4.0)),
    (-6.0, Class::Cubic),
    (11.0, Class::Quadratic),
    (-6.0, Class::Linear),
];
const OVER_5: Column = &[
    (1.0, Class::Power(5.0)),
    (-10.0, Class::Power(4.0)),
    (35.0, Class::Cubic),
    (-50.0, Class::Quadratic),
    (24.0, Class::Linear),
];

/// Powers without a name of their own that programs have nevertheless.
const HIGH_POWERS: [Class; 2] = [Class::Power(4.0), Class::Power(5.0)];

const N3_LESS_N2: Column = &[(1.0, Class::Cubic), (-1.0, Class::Quadratic)];

/// What stands for a class, and the lower-order columns beside it.
type Variant = (Vec<(f64, Class)>, Vec<Column>);

fn variants(class: Class) -> Vec<Variant> {
    let own = || vec![(1.0, class)];
    let mut out = vec![(own(), vec![])];
    if class != Class::Constant {
        out.push((own(), vec![ONE]));
    }
    match class {
        Class::Linear => {
            out.push((own(), vec![LOG, ONE]));
            out.push((N_LESS_ONE.to_vec(), vec![ONE]));
        }
        Class::Quadratic => {
            out.push((own(), vec![N, ONE]));
            out.push((N2_LESS_N.to_vec(), vec![N, ONE]));
        }
        Class::NLogN | Class::Exp2 | Class::Factorial => out.push((own(), vec![N, ONE])),
        Class::N2LogN => {
            out.push((own(), vec![N, ONE]));
            out.push((own(), vec![N2, ONE]));
        }
        Class::Cubic => {
            out.push((own(), vec![N, ONE]));
            out.push((own(), vec![N2, ONE]));
            out.push((N3_LESS_N2.to_vec(), vec![N, ONE]));
            out.push((OVER_3.to_vec(), vec![OVER_2, N, ONE]));
        }
        Class::Power(4.0) => out.push((OVER_4.to_vec(), vec![OVER_3, OVER_2, N, ONE])),
        Class::Power(5.0) => out.push((OVER_5.to_vec(), vec![OVER_4, OVER_3, OVER_2, ONE])),
        _ => {}
    }
    out
}

/// How much rarer than the rest a class is among programs, as a factor its error must make up
/// for. A fitted number can imitate its neighbours; √n and n² log n are between two classes
/// that are everywhere, and over a few octaves look like both; three nested loops are rarer than
/// two.
fn rarity(class: Class) -> f64 {
    match class {
        Class::Power(_) | Class::Exp(_) => 2.0,
        Class::Sqrt => 2.2,
        Class::N2LogN | Class::Cubic => 1.5,
        _ => 1.0,
    }
}

fn best_variant(class: Class, data: &Data) -> Option<Fitted> {
    variants(class)
        .into_iter()
        .filter_map(|(own, lower)| fitted(class, data, |d| Model::fit(&own, &lower, d)))
        .min_by(|a, b| a.score.total_cmp(&b.score))
}

/// n^k with the best k, unless that is as good as a power with a name.
fn free_power(data: &Data) -> Option<Fitted> {
    let at = |k: f64, d: &Data| Model::fit(&[(1.0, Class::Power(k))], &[ONE], d);
    let (low, high) = valley(0.05, 7.0, |k| at(k, data));
    let k = sensible(minimise(low, high, |k| at(k, data))?.0);
    let named = [0.0, 0.5, 1.0, 2.0, 3.0];
    if named.iter().any(|x| (k - x).abs() < 0.06) || k > 6.9 {
        return None;
    }
    fitted(Class::Power(k), data, |d| {
        if d.len() == data.len() {
            at(k, d)
        } else {
            // What is left out moves the exponent, but not out of its valley's neighbourhood.
            Some(minimise((k - 1.0).max(0.01), k + 1.0, |k| at(k, d))?.1)
        }
    })
}

/// c^n with the best c, unless that is as good as 2.
fn free_base(data: &Data) -> Option<Fitted> {
    let at = |ln: f64, d: &Data| Model::fit(&[(1.0, Class::Exp(ln.exp()))], &[ONE], d);
    // A base that does not even double over the range is no exponential.
    let least = std::f64::consts::LN_2 / data.n.last()?;
    let (low, high) = valley(least, 64f64.ln(), |ln| at(ln, data));
    let c = sensible(minimise(low, high, |ln| at(ln, data))?.0.exp());
    if (c - 2.0).abs() < 0.06 || c <= 1.0 || c > 63.0 {
        return None;
    }
    fitted(Class::Exp(c), data, |d| {
        if d.len() == data.len() {
            at(c.ln(), d)
        } else {
            let (low, high) = ((c.ln() - 0.5).max(least), c.ln() + 0.5);
            Some(minimise(low, high, |ln| at(ln, d))?.1)
        }
    })
}

/// Two decimals, which is what is shown; within a hundredth of a whole number, that number.
fn sensible(x: f64) -> f64 {
    if x >= 2.5 && (x - x.round()).abs() < 0.01 * x {
        x.round()
    } else {
        (x * 100.0).round() / 100.0
    }
}

/// The neighbourhood, in `low..high`, of the argument with the least error on a grid.
fn valley(low: f64, high: f64, fit: impl Fn(f64) -> Option<(Model, f64)>) -> (f64, f64) {
    const STEPS: usize = 28;
    let step = (high - low) / STEPS as f64;
    let (mut least, mut best) = (f64::INFINITY, low);
    for i in 0..=STEPS {
        let x = low + step * i as f64;
        let error = fit(x).map_or(f64::INFINITY, |f| f.1);
        if error < least {
            (least, best) = (error, x);
        }
    }
    ((best - step).max(low), (best + step).min(high))
}

/// The argument in `low..high` with the least error, by golden section.
fn minimise(
    low: f64,
    high: f64,
    fit: impl Fn(f64) -> Option<(Model, f64)>,
) -> Option<(f64, (Model, f64))> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let error = |x: f64| fit(x).map_or(f64::INFINITY, |f| f.1);
    let (mut a, mut b) = (low, high);
    let (mut x, mut y) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
    let (mut at_x, mut at_y) = (error(x), error(y));
    while b - a > 1e-3 {
        if at_x <= at_y {
            (b, y, at_y) = (y, x, at_x);
            x = b - GOLDEN * (b - a);
            at_x = error(x);
        } else {
            (a, x, at_x) = (x, y, at_y);
            y = a + GOLDEN * (b - a);
            at_y = error(y);
        }
    }
    let middle = f64::midpoint(a, b);
    Some((middle, fit(middle)?))
}

/// Fits on all, then on what is left when sizes are left out.
fn fitted(
    class: Class,
    data: &Data,
    fit: impl Fn(&Data) -> Option<(Model, f64)>,
) -> Option<Fitted> {
    let (model, rss) = fit(data)?;
    if !model.leads {
        return None;
    }
    // Beyond 1000 % a miss is a miss; unbounded, one exponential would be all that is seen.
    let miss =
        |m: &Model, i: usize| relative(m.at(data.n[i]), data.cost[i]).abs().min(10.0).powi(2);
    let count = data.len();
    let mut single = 0.0;
    for out in 0..count {
        let rest = fit(&data.only(|i| i != out))?.0;
        single += data.weight(out) * miss(&rest, out);
    }
    let cut = count - (count / 4).max(1);
    let rest = fit(&data.only(|i| i < cut))?.0;
    let beyond: f64 = (cut..count).map(|i| miss(&rest, i)).sum::<f64>() / (count - cut) as f64;
    let error = ((single + beyond) / 2.0).sqrt();
    // A slight growth over a large constant must stand out of the noise to be called growth.
    if class != Class::Constant && model.growth < 0.3 && model.growth < 4.0 * error {
        return None;
    }
    let parameters = model.parameters;
    Some(Fitted {
        class,
        error,
        aicc: aicc(rss, count, parameters),
        score: (error + 1e-6).ln() + 0.12 * parameters as f64 + rarity(class).ln(),
        model,
    })
}

fn aicc(weighted_mean_square: f64, count: usize, parameters: usize) -> f64 {
    // The variance is a parameter too.
    let (n, k) = (count as f64, parameters as f64 + 1.0);
    let correction = 2.0 * k * (k + 1.0) / (n - k - 1.0).max(0.5);
    n * (weighted_mean_square + 1e-12).ln() + 2.0 * k + correction
}
