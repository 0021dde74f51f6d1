//! One regression model: a class's function, perhaps a lower-order one, perhaps a constant.

use super::nnls::{nnls, residual};
use crate::class::Class;
use crate::points::Sample;

/// A column of a regression: growth functions with fixed factors, the fastest first.
///
/// Mostly one function alone. n² − n is one too, since coefficients must not be negative and
/// loops that skip their own index cost n(n − 1).
pub(super) type Column = &'static [(f64, Class)];

/// A combination of growth functions, the class's own first.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// (coefficient of the scaled function, the function, ln of its scale): scaled to 1 at the
    /// greatest size, which keeps n! within a float.
    parts: Vec<(f64, Class, f64)>,
    /// How many numbers were fitted.
    pub(super) parameters: usize,
    /// Does the class's own function carry a real part of the growth at the greatest size? If
    /// not the model is one of the lower class in disguise.
    pub(super) leads: bool,
    /// The part of the value at the greatest size that is not constant.
    pub(super) growth: f64,
}

/// The least factor in front of a function beyond the cubic; costs are whole numbers.
const GHOST: f64 = 1e-6;

/// The data of a regression and how much each point counts.
#[derive(Debug, Clone)]
pub(super) struct Data {
    pub n: Vec<f64>,
    pub cost: Vec<f64>,
    /// Of the squared *relative* error, so that all models are compared in the same space.
    weight: Vec<f64>,
    last: f64,
}

/// A cost of zero has no relative error, so one is added to all.
pub(super) fn relative(value: f64, cost: f64) -> f64 {
    (value - cost) / (cost + 1.0)
}

impl Data {
    /// Each point stands for the octaves around it (eight sizes between 1 and 8 say no more
    /// than 16, 32, 64), the later octaves for somewhat more: a class is about large sizes.
    pub(super) fn new(samples: &[Sample]) -> Data {
        let n: Vec<f64> = samples.iter().map(|s| s.n as f64).collect();
        let cost: Vec<f64> = samples.iter().map(|s| s.cost as f64).collect();
        let lg: Vec<f64> = n.iter().map(|n| n.max(1.0).log2()).collect();
        let (low, high) = (lg.first().copied().unwrap_or(0.0), lg.last().copied().unwrap_or(0.0));
        let span = (high - low).max(1e-9);
        let weight: Vec<f64> = (0..n.len())
            .map(|i| {
                let left = if i > 0 { lg[i] - lg[i - 1] } else { 0.0 };
                let right = lg.get(i + 1).map_or(0.0, |next| next - lg[i]);
                let octaves =
                    (left + right) / 2.0 + if i + 1 == n.len() { left / 2.0 } else { 0.0 };
                octaves.max(0.02) * (0.25 + (lg[i] - low) / span)
            })
            .collect();
        let total: f64 = weight.iter().sum();
        Data {
            last: n.last().copied().unwrap_or(1.0),
            weight: weight.into_iter().map(|w| w / total).collect(),
            n,
            cost,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.n.len()
    }

    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weight[i]
    }

    /// Only the points that `keep` names.
    pub(super) fn only(&self, keep: impl Fn(usize) -> bool) -> Data {
        let pick = |xs: &[f64]| (0..xs.len()).filter(|&i| keep(i)).map(|i| xs[i]).collect();
        Data {
            n: pick(&self.n),
            cost: pick(&self.cost),
            weight: pick(&self.weight),
            last: self.last,
        }
    }
}

/// The part of the growth at the greatest size that a class must carry to be more than a way to
/// bend another: a fifth, and half from the cubic on, since those bend anything.
fn carried(class: Class) -> f64 {
    if class > Class::Quadratic { 0.5 } else { 0.2 }
}

impl Model {
    /// The best non-negative combination of `own` and the columns; also the weighted squared
    /// relative error that is left.
    pub(super) fn fit(own: &[(f64, Class)], lower: &[Column], data: &Data) -> Option<(Model, f64)> {
        let all: Vec<&[(f64, Class)]> = [own].into_iter().chain(lower.iter().copied()).collect();
        let scale = |f: Class| f.ln_growth(data.last);
        if all.iter().any(|c| !scale(c[0].1).is_finite()) {
            return None;
        }
        let columns: Vec<Vec<f64>> = all
            .iter()
            .map(|c| {
                let s = scale(c[0].1);
                let value = |n: f64| c.iter().map(|&(x, f)| x * (f.ln_growth(n) - s).exp()).sum();
                data.n.iter().map(|&n| value(n)).collect()
            })
            .collect();
        let weights: Vec<f64> =
            (0..data.len()).map(|i| data.weight[i] / (data.cost[i] + 1.0).powi(2)).collect();
        let x = nnls(&columns, &data.cost, &weights)?;
        let rss = residual(&columns, &data.cost, &weights, &x);
        let mut parts: Vec<(f64, Class, f64)> = Vec::new();
        for (&x, column) in x.iter().zip(&all) {
            let lead = scale(column[0].1);
            for &(factor, f) in *column {
                let s = scale(f);
                let scaled = x * factor * (s - lead).exp();
                match parts.iter_mut().find(|p| p.1 == f) {
                    Some(part) => part.0 += scaled,
                    None => parts.push((scaled, f, s)),
                }
            }
        }
        let growing: f64 =
            x.iter().zip(&all).filter(|(_, c)| c[0].1 != Class::Constant).map(|(x, _)| x).sum();
        // 1e-60·2^n is no exponential: it is the last point, met by brute force.
        let ghost = own[0].1 > Class::Cubic && (x[0].ln() - scale(own[0].1)) < GHOST.ln();
        let free = usize::from(own[0].1.is_free());
        let total: f64 = x.iter().sum();
        let model = Model {
            growth: growing / total.max(f64::MIN_POSITIVE),
            parts,
            parameters: x.iter().filter(|x| **x > 0.0).count().max(1) + free,
            leads: !ghost
                && (lower.is_empty() || (x[0] > 0.0 && x[0] >= carried(own[0].1) * growing)),
        };
        Some((model, rss))
    }

    pub(crate) fn at(&self, n: f64) -> f64 {
        self.parts
            .iter()
            .filter(|p| p.0 != 0.0)
            .map(|&(x, f, s)| x * (f.ln_growth(n) - s).exp())
            .sum()
    }

    /// `3.1*n*log2(n) + 12`.
    pub(crate) fn formula(&self) -> String {
        let mut out = String::new();
        for &(x, f, s) in &self.parts {
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
            let function = f.to_string().replace("log(n)", "log2(n)");
            match (f, coefficient.as_str()) {
                (Class::Constant, _) => out.push_str(&coefficient),
                (_, "1") => out.push_str(&function),
                _ => out.push_str(&format!("{coefficient}*{function}")),
            }
        }
        if out.is_empty() { "0".into() } else { out }
    }
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
