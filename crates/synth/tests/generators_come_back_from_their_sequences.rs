//! Random expressions of the grammar are recovered from the sequences they make at small sizes, and
//! what was recovered makes the same sequence at sizes that inference never saw.

use pessimum_synth::{Nest, Param, SequenceGenerator as G, infer};
use proptest::prelude::*;

/// first, first + step, … as a function of n, with a length that is one as well.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Coefficients of the first number: constant and n.
    first: (i64, i64),
    step: i64,
}

impl Line {
    fn at(self, n: i64, i: i64) -> i64 {
        self.first.0 + self.first.1 * n + self.step * i
    }

    /// The generator of the numbers with indices 0..n − short.
    fn generator(self, short: i64) -> G {
        let first = Param::linear(self.first.1, self.first.0);
        if self.step == 0 {
            return G::repeat(G::Number(first), G::Number(Param::linear(1, -short)));
        }
        let last = Param::linear(self.first.1 + self.step, self.first.0 - self.step * (short + 1));
        G::incre(G::Number(first), G::Number(last), Param::constant(self.step))
    }
}

fn list(items: impl Iterator<Item = Nest>) -> Nest {
    Nest::List(items.collect())
}

fn line() -> impl Strategy<Value = Line> {
    (-5i64..6, -3i64..4, -3i64..4).prop_map(|(c, n, step)| Line { first: (c, n), step })
}

/// How many numbers the inner lists have: at least one in each of the first n − short.
fn count() -> impl Strategy<Value = Line> {
    prop_oneof![
        (1i64..4).prop_map(|c| Line { first: (c, 0), step: 0 }),
        (1i64..3, 1i64..3).prop_map(|(c, step)| Line { first: (c, 0), step }),
        // n − i, …: shrinking lists.
        Just(Line { first: (0, 1), step: -1 }),
        Just(Line { first: (0, 1), step: 0 }),
    ]
}

/// A two-level expression and its bracketed sequence at a size.
fn two_levels(start: Line, count: Line, stride: i64, short: i64) -> (G, impl Fn(u64) -> Nest) {
    let generator = if stride == 0 {
        G::repeat(start.generator(short), count.generator(short))
    } else {
        // The last number of each list.
        let end = Line {
            first: (
                start.first.0 + stride * (count.first.0 - 1),
                start.first.1 + stride * count.first.1,
            ),
            step: start.step + stride * count.step,
        };
        G::incre(start.generator(short), end.generator(short), Param::constant(stride))
    };
    let nest = move |n: u64| {
        let n = n as i64;
        list((0..n - short).map(|i| {
            let value = start.at(n, i);
            list((0..count.at(n, i)).map(|k| Nest::Number(value + stride * k)))
        }))
    };
    (generator, nest)
}

fn flat(generator: &G, n: u64) -> Vec<i64> {
    generator.stream(n).expect("numbers at every size").collect()
}

proptest! {
    #[test]
    fn one_level(start in line(), short in 0i64..3, first in 4u64..6) {
        let nest = |n: u64| {
            let n = n as i64;
            list((0..n - short).map(|i| Nest::Number(start.at(n, i))))
        };
        let generator = start.generator(short);
        let sizes: Vec<Nest> = (first..first + 4).map(nest).collect();
        let found = infer(first, &sizes).expect("an expression of the grammar");
        for n in [first, first + 3, 20, 33] {
            prop_assert_eq!(flat(&generator, n), nest(n).flatten(), "the test's own generator");
            prop_assert_eq!(flat(&found, n), nest(n).flatten());
        }
        prop_assert_eq!(found.to_string(), generator.to_string());
    }

    #[test]
    fn two_levels_of_brackets(
        start in line(), count in count(), stride in -3i64..4, short in 0i64..3, first in 4u64..6,
    ) {
        let (generator, nest) = two_levels(start, count, stride, short);
        let sizes: Vec<Nest> = (first..first + 5).map(&nest).collect();
        let found = infer(first, &sizes).expect("an expression of the grammar");
        for n in [first, first + 4, 20, 33] {
            prop_assert_eq!(flat(&generator, n), nest(n).flatten(), "the test's own generator");
            prop_assert_eq!(flat(&found, n), nest(n).flatten());
        }
    }

    #[test]
    fn what_is_inferred_reproduces_what_it_was_inferred_from(
        first in 1u64..5,
        sizes in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(-2i64..3, 1..4), 1..4), 2..5),
    ) {
        let nests: Vec<Nest> = sizes
            .iter()
            .map(|lists| list(lists.iter().map(|l| list(l.iter().map(|v| Nest::Number(*v))))))
            .collect();
        if let Some(found) = infer(first, &nests) {
            for (n, nest) in (first..).zip(&nests) {
                prop_assert_eq!(flat(&found, n), nest.flatten());
            }
        }
    }
}

#[test]
fn an_inner_stride_of_two_stays_two() {
    // ((0), (0, 2), (0, 2, 4), …)
    let nest = |n: i64| list((1..n).map(|i| list((0..i).map(|k| Nest::Number(2 * k)))));
    let sizes: Vec<Nest> = (3..7).map(nest).collect();
    let found = infer(3, &sizes).expect("a generator");
    assert_eq!(found.to_string(), "incre(const(0, n-1), incre(0, 2*n-4, 2), 2)");
    assert_eq!(flat(&found, 30), nest(30).flatten());
}

#[test]
fn a_stride_may_grow_with_n() {
    // A column of a matrix.
    let nest = |n: i64| list((0..n).map(|k| Nest::Number(k * n + 3)));
    let sizes: Vec<Nest> = (3..8).map(nest).collect();
    assert_eq!(infer(3, &sizes).expect("a generator").to_string(), "incre(3, n^2-n+3, n)");
}

#[test]
fn halves_and_logarithms_are_seen_for_what_they_are() {
    let up_to = |last: i64| list((0..=last).map(Nest::Number));
    let halves: Vec<Nest> = (3..9).map(|n| up_to(n / 2)).collect();
    assert_eq!(infer(3, &halves).expect("a generator").to_string(), "incre(0, floor(n/2), 1)");
    let logs: Vec<Nest> = (3..9i64).map(|n| up_to(i64::from(n.ilog2()))).collect();
    assert_eq!(infer(3, &logs).expect("a generator").to_string(), "incre(0, floor(log2(n)), 1)");
    let powers: Vec<Nest> = (1..7).map(|n| up_to(1 << n)).collect();
    assert_eq!(infer(1, &powers), None);
    // Too few sizes to tell a half from a line are no model at all.
    assert_eq!(infer(3, &halves[..3]), None);
}
