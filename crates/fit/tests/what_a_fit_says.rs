//! Snapshots of what a fit says.

use crate::shown;

use pessimum_fit::{Class, Point, fit};
use shown::shown;

const LADDER: [u64; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 20, 40, 80, 160];

fn exact(sizes: &[u64], f: impl Fn(u64) -> u64) -> Vec<Point> {
    sizes.iter().map(|&n| Point::exact(n, f(n))).collect()
}

fn rippled(f: impl Fn(f64) -> f64) -> Vec<Point> {
    exact(&LADDER, |n| {
        let ripple = ((n * n * 7919 + n * 104_729) % 41) as f64 / 1000.0 - 0.02;
        (f(n as f64) * (1.0 + ripple)).round() as u64
    })
}

#[test]
fn formula_class_and_confidence() {
    let merge = |n: u64| {
        fn w(n: u64) -> u64 {
            if n < 2 { 0 } else { w(n / 2) + w(n - n / 2) + 3 * n + 4 * (n % 2) + 1 }
        }
        w(n)
    };
    let lines = [
        exact(&[1, 2, 3, 12, 16, 24], |n| n * (n - 1) / 2),
        exact(&LADDER, |_| 17),
        exact(&LADDER, |n| u64::from(n.ilog2()) + 1),
        exact(&LADDER, |n| if n < 3 { 9 } else { 5 * n + 2 }),
        exact(&LADDER, merge),
        exact(&LADDER, |n| n / 2 + 3 * n),
        exact(&[1, 2, 3, 4, 5, 6, 7, 8], |n| 2u64.pow(n as u32 + 1) - 1),
        rippled(|n| 31.0 * n * n.log2()),
        rippled(|n| 50.0 * n + 700.0),
        rippled(|n| 20.0 * n * n + 6.0 * n),
        rippled(|n| 40.0 * n.powf(1.58)),
        exact(&[1, 2, 3, 4, 5, 10, 15], |n| {
            [4, 8, 14, 22, 32, 106, 206][(n.min(5) + n / 10 + n / 15 - 1) as usize]
        }),
        [(1, 5), (2, 900), (3, 2), (4, 700), (8, 1), (16, 800)]
            .map(|(n, c)| Point::exact(n, c))
            .to_vec(),
        exact(&[1, 2, 3], |n| n),
        vec![],
    ]
    .map(|points| shown(&fit(&points)))
    .join("\n");
    insta::assert_snapshot!(lines);
}

#[test]
fn of_several_classes_the_least_may_be_said() {
    let told = fit(&exact(&LADDER, |n| 2 * n));
    assert_eq!((told.class, told.at_least()), (Some(Class::Linear), Some(Class::Linear)));
    let open = fit(&rippled(|n| 3.0 * n + n * n.log2()));
    assert!(open.left.len() > 1 && open.class.is_none(), "{}", shown(&open));
    assert_eq!(open.at_least(), Some(open.left[0]));
    assert!(open.left.is_sorted());
}
