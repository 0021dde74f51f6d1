//! Costs that grow as no class does: nothing above or below them is claimed, and what is left is around them.

use pessimum_fit::{Class, Point, fit};

/// The sizes of a ladder up to its end.
fn sizes(largest: u64) -> Vec<u64> {
    let first = (1..=17).chain([20, 23, 25, 30, 31, 32, 33, 40, 47, 50, 63, 64, 65, 70, 89, 100]);
    let octaves = (7..=20).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1, 3 << (k - 1)]);
    let mut sizes: Vec<u64> = first.chain(octaves).filter(|n| *n <= largest).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn lg(n: u64) -> f64 {
    (n as f64).log2()
}

/// Steps of Eratosthenes' sieve.
fn sieve(n: u64) -> u64 {
    let mut composite = vec![false; n as usize + 1];
    let mut steps = n;
    for i in (2..).take_while(|i| i * i <= n) {
        steps += 1;
        if !composite[i as usize] {
            for j in (i * i..=n).step_by(i as usize) {
                composite[j as usize] = true;
                steps += 1;
            }
        }
    }
    steps
}

/// What is said of costs: a class, and the least and the greatest that are left.
fn said(largest: u64, cost: impl Fn(u64) -> u64, exact: bool) -> (Option<Class>, Vec<Class>) {
    let point = if exact { Point::exact } else { Point::reached };
    let points: Vec<Point> = sizes(largest).into_iter().map(|n| point(n, cost(n))).collect();
    let fit = fit(&points);
    (fit.class, fit.left)
}

#[test]
fn nothing_is_claimed_that_is_not_so() {
    type Cost = fn(u64) -> u64;
    let costs: [(&str, Class, Class, Cost); 13] = [
        ("log log n", Class::Constant, Class::Log, |n| (100.0 * lg(n.max(2)).log2()) as u64 + 5),
        ("log^2 n", Class::Log, Class::Sqrt, |n| (10.0 * lg(n).powi(2)) as u64 + 5),
        ("lg lg, rounded", Class::Log, Class::Sqrt, |n| u64::from(n.ilog2()).pow(2) * 3 + 1),
        ("sqrt(n) log n", Class::Sqrt, Class::Linear, |n| ((n as f64).sqrt() * lg(n)) as u64 * 9),
        ("a sieve", Class::Linear, Class::NLogN, sieve),
        ("n log log n", Class::Linear, Class::NLogN, |n| {
            (10.0 * n as f64 * lg(n.max(2)).log2()) as u64 + 3 * n
        }),
        ("n log^2 n", Class::NLogN, Class::Power(1.5), |n| (n as f64 * lg(n).powi(2)) as u64 + n),
        ("n lg^2 n", Class::NLogN, Class::Power(1.5), |n| n * u64::from(n.ilog2()).pow(2) + n),
        ("n^1.5 log n", Class::Power(1.5), Class::Quadratic, |n| {
            ((n as f64).powf(1.5) * lg(n)) as u64
        }),
        ("n / log n", Class::Sqrt, Class::Linear, |n| (90.0 * n as f64 / lg(n.max(2))) as u64),
        ("n^2 / log n", Class::Power(1.5), Class::Quadratic, |n| {
            (9.0 * (n * n) as f64 / lg(n.max(2))) as u64
        }),
        ("n^2 / lg n", Class::Power(1.5), Class::Quadratic, |n| {
            n * n * 7 / u64::from(n.max(2).ilog2())
        }),
        ("n^2 log log n", Class::Quadratic, Class::N2LogN, |n| {
            ((n * n) as f64 * lg(n.max(2)).log2()) as u64
        }),
    ];
    for (name, below, above, cost) in costs {
        for (largest, exact) in [(300, true), (10_000, true), (10_000, false), (100_000, true)] {
            let (class, left) = said(largest, cost, exact);
            assert_eq!(class, None, "{name} up to {largest}: left {left:?}");
            let least = left.first().copied();
            assert!(least <= Some(below), "{name} up to {largest} is at least {least:?}");
            assert!(left.is_empty() || left.last() >= Some(&above), "{name}: at most {left:?}");
        }
    }
}

#[test]
fn what_has_a_class_keeps_it() {
    let harmonic = |n: u64| (1..=n).map(|i| n / i).sum();
    assert_eq!(said(10_000, harmonic, true).0, Some(Class::NLogN));
    assert_eq!(said(10_000, |n| 3 * n + (n as f64).sqrt() as u64, true).0, Some(Class::Linear));
    assert_eq!(said(10_000, |n| n * (n as f64).sqrt() as u64, true).0, Some(Class::Power(1.5)));
    let wasted = |n: u64| 5 * n * u64::from(n.ilog2()) + 4 * n + 7 * u64::from(n.ilog2());
    assert_eq!(said(10_000, wasted, true).0, Some(Class::NLogN));
}

/// n^power · log(n)^logs · log(log(n))^loglogs, in order of growth.
type Key = (f64, i32, i32);

const FACTORS: [(i32, i32); 6] = [(-1, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0)];

/// What a class is among the products.
fn key(class: Class) -> Key {
    match class {
        Class::Constant => (0.0, 0, 0),
        Class::Log => (0.0, 1, 0),
        Class::Sqrt => (0.5, 0, 0),
        Class::Linear => (1.0, 0, 0),
        Class::NLogN => (1.0, 1, 0),
        Class::Quadratic => (2.0, 0, 0),
        Class::N2LogN => (2.0, 1, 0),
        Class::Cubic => (3.0, 0, 0),
        Class::Power(k) => (k, 0, 0),
        _ => (f64::INFINITY, 0, 0),
    }
}

/// Random products, beside lower powers and constants, with logarithms as they are and rounded, in exact costs and found ones.
#[test]
fn no_mixture_with_a_product_is_claimed() {
    let mut state = 7u64;
    let mut chance = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (state >> 33) % below
    };
    let mut judged = 0;
    while judged < 120 {
        let power = chance(7) as f64 / 2.0;
        let (logs, loglogs) = FACTORS[chance(6) as usize];
        let truth = (power, logs, loglogs);
        let [own, lower, constant] = [1 + chance(40), chance(20), chance(50)].map(|c| c as f64);
        let rounded = chance(3) == 0;
        let largest = [60, 300, 2000, 20_000][chance(4) as usize];
        let exact = chance(2) == 0;
        if [(0.0, 1, 0), (1.0, 1, 0), (2.0, 1, 0), (0.0, -1, 0)].contains(&truth) {
            continue;
        }
        judged += 1;
        let cost = |n: u64| {
            let lg = if rounded { f64::from(n.ilog2()) } else { lg(n) };
            let lg = if logs < 0 { lg.max(1.0) } else { lg };
            let product = (n as f64).powf(power) * lg.powi(logs) * lg.max(1.0).log2().powi(loglogs);
            (own * product + lower * (n as f64).powf((power - 1.0).max(0.0)) + constant) as u64
        };
        let (class, left) = said(largest, cost, exact);
        let at = format!("{own} {truth:?} + {lower} + {constant}, {rounded}, to {largest}");
        assert!(class.is_none() || !exact, "{at} is called {class:?}");
        assert!(left.first().is_none_or(|c| key(*c) < truth), "{at} is at least {:?}", left[0]);
    }
}
