//! Growth that has no class of its own: products of powers and logarithms between two classes.
//!
//! The class is one of a list, and programs need not keep to it: a sieve takes n·log log n, a sorting network n·log² n.
//! Such costs look like a class at every size that can be run, and are of none. So the functions between the classes are
//! tried, too; where one of them describes exact costs in fewer bits than every class, no class is claimed, and the two that
//! it lies between are left. Of inputs that were found the first sizes are left out, which have their own ways, and it has to be
//! shorter by what is decisive: a program may always be one of the few, but most sorts are sorts.

use std::sync::LazyLock;

use pessimum_law::{Class, bits};

use crate::form::{Form, Regressor};

/// n^power · log(n)^logs · log(log(n))^loglogs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Product {
    pub power: f64,
    pub logs: f64,
    pub loglogs: f64,
}

impl Product {
    /// The natural logarithm of the function; `-inf` where it is zero.
    pub(crate) fn ln_growth(self, n: f64) -> f64 {
        let lg = n.max(1.0).log2();
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

/// (power, logs, loglogs), and the classes below and above.
#[rustfmt::skip]
const PRODUCTS: [(f64, f64, f64, Class, Class); 12] = [
    (0.0, 0.0, 1.0, Class::Constant, Class::Log),
    (0.0, 2.0, 0.0, Class::Log, Class::Sqrt),
    (0.0, 3.0, 0.0, Class::Log, Class::Sqrt),
    (0.5, 1.0, 0.0, Class::Sqrt, Class::Linear),
    (1.0, 0.0, 1.0, Class::Linear, Class::NLogN),
    (1.0, 1.0, 1.0, Class::NLogN, Class::Power(1.5)),
    (1.0, 2.0, 0.0, Class::NLogN, Class::Power(1.5)),
    (1.0, 3.0, 0.0, Class::NLogN, Class::Power(1.5)),
    (1.5, 1.0, 0.0, Class::Power(1.5), Class::Quadratic),
    (2.0, 0.0, 1.0, Class::Quadratic, Class::N2LogN),
    (2.0, 2.0, 0.0, Class::N2LogN, Class::Cubic),
    (3.0, 1.0, 0.0, Class::Cubic, Class::Power(4.0)),
];

/// Every form of every product.
pub(crate) static OUTSIDE: LazyLock<Vec<Outside>> = LazyLock::new(|| {
    let name = bits::choice(PRODUCTS.len());
    let forms = |(power, logs, loglogs, below, above)| {
        let own = Regressor::Outside(Product { power, logs, loglogs }, below);
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
        all.into_iter().map(move |parts| Outside { form: form(parts), between: [below, above] })
    };
    PRODUCTS.into_iter().flat_map(forms).collect()
});
