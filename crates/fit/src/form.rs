//! The forms of curves that are tried for each class.
//!
//! A form is a list of columns: the function of the class, perhaps a lower function beside it,
//! perhaps a constant.

use std::sync::LazyLock;

use pessimum_law::{Class, NAMED, bits};

use crate::outside::Product;

/// Powers without a name that algorithms have: halves from square roots, logarithms from the
/// master theorem, and more nested loops than three.
const POWERS: [f64; 7] = [1.5, 1.584_962_500_721_156, 2.5, 2.807_354_922_057_604, 4.0, 5.0, 6.0];

/// Bases without a name of their own: branching by a whole number, Fibonacci's, and doubling
/// with every other size.
const BASES: [f64; 5] = [3.0, 4.0, 1.618_033_988_749_895, std::f64::consts::SQRT_2, 1.5];

/// A column of a regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Regressor {
    /// The function of a class.
    Pure(Class),
    /// n^k·c^n, of the class of c^n.
    Shifted(Class),
    /// The function of a class at 2^⌈lg n⌉: tables that double.
    Doubling(Class),
    /// The first function with its least share of the growth, the second with the rest.
    Mixed(Class, Class),
    /// What the function of a class has grown by since a size; nothing before it.
    Bent(Class, f64),
    /// A function that lies above this class and below the next.
    Outside(Product, Class),
}

impl Regressor {
    pub(crate) fn class(self) -> Class {
        match self {
            Regressor::Pure(c)
            | Regressor::Shifted(c)
            | Regressor::Mixed(c, _)
            | Regressor::Bent(c, _)
            | Regressor::Doubling(c)
            | Regressor::Outside(_, c) => c,
        }
    }
}

/// What is fitted for a class.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub class: Class,
    pub parts: Vec<Regressor>,
    /// Bits to name it.
    pub bits: f64,
}

/// Every form of every class with a name or a place among [`POWERS`] and [`BASES`].
pub(crate) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let powers = POWERS.map(Class::power);
    let bases = BASES.map(Class::exponential);
    let classes: Vec<Class> = NAMED.into_iter().chain(powers).chain(bases).collect();
    let name = bits::choice(classes.len());
    classes.iter().flat_map(|&class| forms(class, name)).collect()
});

/// The forms of a class whose own name takes `name` bits.
pub(crate) fn forms(class: Class, name: f64) -> Vec<Form> {
    use Regressor::{Mixed, Pure, Shifted};
    let one = Pure(Class::Constant);
    let own = Pure(class);
    let mut all = vec![vec![own]];
    if class != Class::Constant {
        all.push(vec![own, one]);
    }
    let lower: &[Class] = match class {
        Class::NLogN | Class::Power(_) => &[Class::Linear],
        Class::Quadratic => &[Class::Linear, Class::NLogN],
        Class::N2LogN => &[Class::Linear, Class::Quadratic],
        Class::Cubic => &[Class::Linear, Class::Quadratic],
        Class::Exp2 | Class::Exp(_) => &[Class::Linear, Class::Quadratic],
        Class::Factorial => &[Class::Linear, Class::Exp2],
        _ => &[],
    };
    for &l in lower.iter().filter(|&&l| l < class) {
        all.push(vec![own, Pure(l), one]);
        all.push(vec![Mixed(class, l), one]);
    }
    if class > Class::Log {
        all.push(vec![own, Pure(Class::Log), one]);
    }
    // A table that doubles beside it, or alone.
    if class >= Class::Linear {
        all.push(vec![own, Regressor::Doubling(Class::Linear), one]);
        if !matches!(class, Class::Exp2 | Class::Exp(_) | Class::Factorial) {
            all.push(vec![Regressor::Doubling(class), one]);
        }
    }
    match class {
        Class::Cubic => all.push(vec![own, Pure(Class::Quadratic), Pure(Class::Linear), one]),
        Class::Exp2 | Class::Exp(_) => {
            all.push(vec![Shifted(class), one]);
            all.push(vec![Shifted(class), own, one]);
        }
        Class::Power(k) if k >= 3.5 => all.push(vec![
            own,
            Pure(Class::power(k - 1.0)),
            Pure(Class::power(k - 2.0)),
            Pure(Class::Linear),
            one,
        ]),
        _ => {}
    }
    let bits = name + bits::choice(all.len());
    all.into_iter().map(|parts| Form { class, parts, bits }).collect()
}

impl Form {
    /// A plain form with another slope from a size on. Naming it takes a bit more; the size is not told here.
    pub(crate) fn bent(&self, at: f64) -> Form {
        let mut parts = self.parts.clone();
        parts.insert(1, Regressor::Bent(self.class, at));
        Form { class: self.class, parts, bits: self.bits + 1.0 }
    }

    /// A function and a constant, or one of them.
    pub(crate) fn is_plain(&self) -> bool {
        let own = matches!(self.parts[0], Regressor::Pure(_));
        own && matches!(self.parts[1..], [] | [Regressor::Pure(Class::Constant)])
    }
}
