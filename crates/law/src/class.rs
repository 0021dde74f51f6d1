//! Complexity classes: their names, their order, how they are written.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// How a cost grows, up to a constant factor.
///
/// Classes are ordered by growth, and two spellings of the same growth are equal
/// (`Class::Power(2.0) == Class::Quadratic`).
///
/// ```
/// use pessimum_law::Class;
/// let bound: Class = "n log n".parse().unwrap();
/// assert_eq!(bound.to_string(), "n*log(n)");
/// assert_eq!(bound.big_o(), "O(n log n)");
/// assert!(Class::Quadratic > bound && Class::Power(1.2) > bound);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Class {
    /// Does not grow.
    Constant,
    /// log n, to any base.
    Log,
    /// √n.
    Sqrt,
    /// n.
    Linear,
    /// n log n.
    NLogN,
    /// n².
    Quadratic,
    /// n² log n.
    N2LogN,
    /// n³.
    Cubic,
    /// n^k for any other k > 0.
    Power(f64),
    /// 2^n.
    Exp2,
    /// c^n for any other c > 1.
    Exp(f64),
    /// n!.
    Factorial,
}

/// The named classes in order of growth: those without a free number.
pub const NAMED: [Class; 10] = [
    Class::Constant,
    Class::Log,
    Class::Sqrt,
    Class::Linear,
    Class::NLogN,
    Class::Quadratic,
    Class::N2LogN,
    Class::Cubic,
    Class::Exp2,
    Class::Factorial,
];

impl Class {
    /// n^k under its own name where it has one.
    pub fn power(k: f64) -> Class {
        NAMED.into_iter().find(|c| *c == Class::Power(k)).unwrap_or(Class::Power(k))
    }

    /// c^n under its own name where it has one.
    pub fn exponential(c: f64) -> Class {
        if c == 2.0 { Class::Exp2 } else { Class::Exp(c) }
    }

    /// The class as people write it: `O(n^2)`, `O(n log n)`.
    pub fn big_o(&self) -> String {
        self.written("O")
    }

    /// The class as a lower bound: `Ω(n^2)`, `Ω(n log n)`.
    pub fn omega(&self) -> String {
        self.written("Ω")
    }

    fn written(&self, bound: &str) -> String {
        match self {
            Class::Log => format!("{bound}(log n)"),
            Class::NLogN => format!("{bound}(n log n)"),
            Class::N2LogN => format!("{bound}(n^2 log n)"),
            other => format!("{bound}({other})"),
        }
    }

    /// Natural logarithm of the class's function at `n`; the log keeps n! and 2^n within a
    /// float at every size. `-inf` where the function is zero (log 1).
    pub fn ln_growth(&self, n: f64) -> f64 {
        let ln = n.max(1.0).ln();
        match *self {
            Class::Constant => 0.0,
            Class::Log => n.max(1.0).log2().ln(),
            Class::Sqrt => 0.5 * ln,
            Class::Linear => ln,
            Class::NLogN => ln + n.max(1.0).log2().ln(),
            Class::Quadratic => 2.0 * ln,
            Class::N2LogN => 2.0 * ln + n.max(1.0).log2().ln(),
            Class::Cubic => 3.0 * ln,
            Class::Power(k) => k * ln,
            Class::Exp2 => n * std::f64::consts::LN_2,
            Class::Exp(c) => n * c.ln(),
            Class::Factorial => ln_factorial(n),
        }
    }

    /// Has the class a number that was itself fitted?
    pub fn is_free(&self) -> bool {
        matches!(self, Class::Power(_) | Class::Exp(_))
    }

    /// (polynomial, exponential or factorial; exponent or base; power of the logarithm).
    fn key(&self) -> (u8, f64, u8) {
        match *self {
            Class::Constant => (0, 0.0, 0),
            Class::Log => (0, 0.0, 1),
            Class::Sqrt => (0, 0.5, 0),
            Class::Linear => (0, 1.0, 0),
            Class::NLogN => (0, 1.0, 1),
            Class::Quadratic => (0, 2.0, 0),
            Class::N2LogN => (0, 2.0, 1),
            Class::Cubic => (0, 3.0, 0),
            Class::Power(k) => (0, k, 0),
            Class::Exp2 => (1, 2.0, 0),
            Class::Exp(c) => (1, c, 0),
            Class::Factorial => (2, 0.0, 0),
        }
    }
}

/// ln n! by Stirling's series, which is within 1e-9 from 10 on; the product below.
fn ln_factorial(n: f64) -> f64 {
    if n < 10.0 {
        return (2..=n.max(0.0) as u32).map(|k| f64::from(k).ln()).sum();
    }
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n)
        - 1.0 / (360.0 * n.powi(3))
        + 1.0 / (1260.0 * n.powi(5))
}

impl PartialEq for Class {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Class {}

impl PartialOrd for Class {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Class {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.key(), other.key());
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Constant => f.write_str("1"),
            Class::Log => f.write_str("log(n)"),
            Class::Sqrt => f.write_str("sqrt(n)"),
            Class::Linear => f.write_str("n"),
            Class::NLogN => f.write_str("n*log(n)"),
            Class::Quadratic => f.write_str("n^2"),
            Class::N2LogN => f.write_str("n^2*log(n)"),
            Class::Cubic => f.write_str("n^3"),
            Class::Power(k) => write!(f, "n^{}", two_places(*k)),
            Class::Exp2 => f.write_str("2^n"),
            Class::Exp(c) => write!(f, "{}^n", two_places(*c)),
            Class::Factorial => f.write_str("n!"),
        }
    }
}

/// Two decimals, without trailing zeros: more would claim more than a fit can know.
fn two_places(x: f64) -> String {
    let s = format!("{x:.2}");
    s.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A class name that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownClass(String);

impl fmt::Display for UnknownClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a complexity class; write one of 1, log(n), sqrt(n), n, n*log(n), n^2, \
             n^2*log(n), n^3, n^1.5, 2^n, 1.62^n, n!",
            self.0
        )
    }
}

impl std::error::Error for UnknownClass {}

impl FromStr for Class {
    type Err = UnknownClass;

    /// Reads the contract's names and the usual ways of writing them: `n log n`,
    /// `n*log2(n)`, `O(n^1.5)`, `n²`.
    fn from_str(text: &str) -> Result<Self, UnknownClass> {
        let unknown = || UnknownClass(text.trim().to_owned());
        let lower = text.trim().to_lowercase();
        let inner = lower
            .strip_prefix("o(")
            .or_else(|| lower.strip_prefix("θ("))
            .or_else(|| lower.strip_prefix("ω("))
            .and_then(|s| s.strip_suffix(')'))
            .unwrap_or(&lower);
        let compact: String = inner
            .replace('²', "^2")
            .replace('³', "^3")
            .replace("**", "^")
            .replace("log2", "log")
            .replace("lg", "log")
            .replace("ln", "log")
            .replace('√', "sqrt")
            .chars()
            .filter(|c| !c.is_whitespace() && !matches!(c, '*' | '·' | '(' | ')'))
            .collect();
        let number = |s: &str| s.parse::<f64>().ok().filter(|x| x.is_finite());
        Ok(match compact.as_str() {
            "1" => Class::Constant,
            "logn" => Class::Log,
            "sqrtn" => Class::Sqrt,
            "n" => Class::Linear,
            "nlogn" => Class::NLogN,
            "n^2logn" => Class::N2LogN,
            "n!" => Class::Factorial,
            other => {
                if let Some(k) = other.strip_prefix("n^").and_then(number) {
                    if k < 0.0 {
                        return Err(unknown());
                    }
                    Class::power(k)
                } else if let Some(c) = other.strip_suffix("^n").and_then(number) {
                    if c <= 1.0 {
                        return Err(unknown());
                    }
                    Class::exponential(c)
                } else {
                    return Err(unknown());
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for class in NAMED.into_iter().chain([Class::Power(1.58), Class::Exp(1.62)]) {
            assert_eq!(class.to_string().parse(), Ok(class));
            assert_eq!(class.big_o().parse(), Ok(class));
            assert_eq!(class.omega().parse(), Ok(class));
        }
    }

    #[test]
    fn usual_spellings_are_read() {
        for (text, class) in [
            ("n log n", Class::NLogN),
            ("n*log2(n)", Class::NLogN),
            ("O(n lg n)", Class::NLogN),
            ("n^1.5", Class::Power(1.5)),
            ("n²", Class::Quadratic),
            ("n ^ 2", Class::Quadratic),
            ("n^2.0", Class::Quadratic),
            ("√n", Class::Sqrt),
            ("n^0", Class::Constant),
            ("2.0^n", Class::Exp2),
            ("n^2 log n", Class::N2LogN),
        ] {
            assert_eq!(text.parse(), Ok(class), "{text}");
        }
        for text in ["", "m", "n^", "n^-1", "0.5^n", "n^inf", "nan^n", "n!!", "n^k"] {
            assert!(text.parse::<Class>().is_err(), "{text}");
        }
    }

    #[test]
    fn order_is_growth() {
        let mut all = NAMED.to_vec();
        all.extend([Class::Power(1.2), Class::Power(4.0), Class::Exp(1.62), Class::Exp(3.0)]);
        all.sort();
        let names: Vec<String> = all.iter().map(Class::to_string).collect();
        assert_eq!(
            names.join(" "),
            "1 log(n) sqrt(n) n n*log(n) n^1.2 n^2 n^2*log(n) n^3 n^4 1.62^n 2^n 3^n n!"
        );
        // Far enough out, a greater class is a greater number.
        for pair in all.windows(2) {
            assert!(pair[0].ln_growth(1e9) < pair[1].ln_growth(1e9), "{pair:?}");
        }
    }

    #[test]
    fn stirling_meets_the_product() {
        let product: f64 = (2..=10).map(|k| f64::from(k).ln()).sum();
        assert!((ln_factorial(10.0) - product).abs() < 1e-9);
    }
}
