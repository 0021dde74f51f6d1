//! Growth that has no class of its own: products of powers and logarithms between two classes.
//!
//! The class is one of a list, and programs need not keep to it: a sieve takes n·log log n, a sorting network n·log² n, a
//! product of bits n^2 / log n. Logarithms are tried as they are and rounded, as numbers of steps are.
//! Such costs look like a class at every size that can be run, and are of none. So the functions between the classes are
//! tried, too; where one of them describes the costs in fewer bits than every class, no class is claimed, and the two that
//! it lies between are left. Powers without a name are no more frequent than these functions, so where costs were only reached such a power
//! has to be better by what is decisive.

use std::sync::LazyLock;

use pessimum_law::{Class, bits};

use crate::form::{Form, Regressor};

/// How a logarithm becomes a number of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Logarithm {
    Smooth,
    Down,
    Up,
}

impl Logarithm {
    const ALL: [Logarithm; 3] = [Logarithm::Smooth, Logarithm::Down, Logarithm::Up];

    /// To the base of two.
    fn of(self, n: f64) -> f64 {
        match self {
            Logarithm::Smooth => n.log2(),
            Logarithm::Down => n.log2().floor(),
            Logarithm::Up => n.log2().ceil(),
        }
    }
}

/// n^power · log(n)^logs · log(log(n))^loglogs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Product {
    pub power: f64,
    pub logs: f64,
    pub loglogs: f64,
    pub logarithm: Logarithm,
}

impl Product {
    /// The natural logarithm of the function; `-inf` where it is zero.
    pub(crate) fn ln_growth(self, n: f64) -> f64 {
        // A quotient begins where its divisor is one.
        let lg = self.logarithm.of(n.max(if self.logs < 0.0 { 2.0 } else { 1.0 }));
        let factor = |value: f64, times: f64| if times == 0.0 { 0.0 } else { times * value.ln() };
        self.power * n.max(1.0).ln()
            + factor(lg, self.logs)
            + factor(lg.max(1.0).log2(), self.loglogs)
    }
}

/// A form of a product, and the classes that it lies between.
#[derive(Debug)]
pub(crate) struct Outside {
    pub form: Form,
    pub between: [Class; 2],
}

/// Powers that are multiplied, and up to which.
const HALF_POWERS: std::ops::RangeInclusive<u8> = 0..=6;

/// What they are multiplied with: (logs, loglogs).
const FACTORS: [(f64, f64); 6] =
    [(-1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0)];

/// The classes around the products, in order, and each as (power, logs, loglogs).
#[rustfmt::skip]
const CLASSES: [(Class, [f64; 3]); 11] = [
    (Class::Constant, [0.0, 0.0, 0.0]),
    (Class::Log, [0.0, 1.0, 0.0]),
    (Class::Sqrt, [0.5, 0.0, 0.0]),
    (Class::Linear, [1.0, 0.0, 0.0]),
    (Class::NLogN, [1.0, 1.0, 0.0]),
    (Class::Power(1.5), [1.5, 0.0, 0.0]),
    (Class::Quadratic, [2.0, 0.0, 0.0]),
    (Class::N2LogN, [2.0, 1.0, 0.0]),
    (Class::Power(2.5), [2.5, 0.0, 0.0]),
    (Class::Cubic, [3.0, 0.0, 0.0]),
    (Class::Power(4.0), [4.0, 0.0, 0.0]),
];

/// The products that no class has, each with the class below and the one above.
fn products() -> impl Iterator<Item = (Product, [Class; 2])> {
    let all = HALF_POWERS.flat_map(|half| {
        let power = f64::from(half) / 2.0;
        FACTORS.into_iter().flat_map(move |(logs, loglogs)| {
            Logarithm::ALL.map(|logarithm| Product { power, logs, loglogs, logarithm })
        })
    });
    all.filter_map(|product| {
        let own = [product.power, product.logs, product.loglogs];
        let above = CLASSES.iter().position(|(_, class)| *class >= own)?;
        let between = [CLASSES.get(above.checked_sub(1)?)?.0, CLASSES[above].0];
        (CLASSES[above].1 != own).then_some((product, between))
    })
}

/// Every form of every product.
pub(crate) static OUTSIDE: LazyLock<Vec<Outside>> = LazyLock::new(|| {
    let name = bits::choice(products().count());
    let forms = |(product, between): (Product, [Class; 2])| {
        let below = between[0];
        let own = Regressor::Outside(product, below);
        let one = Regressor::Pure(Class::Constant);
        let beside = |class: Class| vec![own, Regressor::Pure(class), one];
        let mut all = vec![vec![own], vec![own, one]];
        if below >= Class::Linear {
            all.push(beside(Class::Linear));
        }
        if below > Class::Constant {
            all.push(beside(below));
        }
        all.dedup();
        let bits = name + bits::choice(all.len());
        let form = move |parts| Form { class: below, parts, bits };
        all.into_iter().map(move |parts| Outside { form: form(parts), between })
    };
    products().flat_map(forms).collect()
});
