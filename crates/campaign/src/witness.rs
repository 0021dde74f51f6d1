//! Which of several inputs shows a person best that a program is worse than allowed.
//!
//! A search may find a costly input of the largest size that looks like chance, where that of a smaller size is
//! `aaaa…`. Both are witnesses; one of them can be understood.

use pessimum_entry::{InputValues, Slot};
use pessimum_fit::Class;
use std::collections::{BTreeSet, HashMap};

/// An input that was run again, with what is known of its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) n: u64,
    pub(crate) cost: u64,
    /// The cost of the costliest random input of the size, if there were any.
    pub(crate) random: Option<u64>,
    pub(crate) input: Option<&'a InputValues>,
}

/// Those that show a growth above a class: each costs more, measured by the class, than any smaller size. The sizes are
/// in ascending order.
pub(crate) fn above<'a>(class: Class, sizes: &[Shown<'a>]) -> Vec<Shown<'a>> {
    let mut most = f64::NEG_INFINITY;
    let mut above = Vec::new();
    for size in sizes {
        let part = (size.cost as f64).ln() - class.ln_growth(size.n as f64);
        if part.is_finite() && part > most {
            // The first has none to be compared with.
            above.extend((most > f64::NEG_INFINITY).then_some(*size));
            most = part;
        }
    }
    above
}

/// The size whose input has the plainest pattern: the shortest description, as a part of what it takes to write its values
/// down. Where none has a pattern, the smallest size whose input costs more than all random ones: little to look at, and
/// nothing that chance does. Where chance does as well, the largest.
pub(crate) fn plainest(sizes: &[Shown<'_>]) -> Option<u64> {
    let described = sizes.iter().filter_map(|size| Some((description(size.input?)?, size.n)));
    let plainest = described.min_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let uncommon = || {
        let costlier = sizes.iter().filter(|size| size.random.is_some_and(|most| size.cost > most));
        costlier.map(|size| size.n).min()
    };
    let largest = || sizes.iter().map(|size| size.n).max();
    plainest.map(|(_, n)| n).or_else(uncommon).or_else(largest)
}

/// How long the shortest description of an input is, as a part of what it takes one by one; `None` where no description
/// is shorter. What is described is the values, as in `aaaa`, or that each is greater, or each less, than the one before.
/// Other orders are not read: by chance, too, what rose is likelier to fall.
fn description(input: &InputValues) -> Option<f64> {
    let integer = |(slot, bits): &(Slot, u64)| slot.ty.integer(*bits);
    let values: Vec<i128> =
        input.iter().map(|value| integer(value).unwrap_or(value.1.into())).collect();
    let width = input.iter().map(|(slot, _)| slot.ty.bits()).max()?;
    let order = values.windows(2).map(|pair| pair[1].cmp(&pair[0]) as i128);
    let order: Vec<i128> = order.collect();
    let part = |read: &Vec<i128>| {
        // Either way, which values there are has to be said.
        let said = different(read) as f64 * f64::from(width);
        let (phrases, one_by_one) = (bits_of_phrases(read), read.len() as f64 * bits_of_one(read));
        (phrases < one_by_one).then(|| (said + phrases) / (said + one_by_one))
    };
    let in_order = Some(&order).filter(|order| different(order) == 1).and_then(part);
    part(&values).into_iter().chain(in_order).min_by(f64::total_cmp)
}

fn different(values: &[i128]) -> usize {
    values.iter().collect::<BTreeSet<_>>().len()
}

/// Bits that tell one of these values from the others.
fn bits_of_one(values: &[i128]) -> f64 {
    (different(values) as f64).log2().max(1.0)
}

/// The length of the values in the code of Ziv and Lempel (1978): phrases, each of which is one that was there before
/// and one value more.
fn bits_of_phrases(values: &[i128]) -> f64 {
    let one = bits_of_one(values);
    let mut phrases: HashMap<(usize, i128), usize> = HashMap::new();
    let (mut bits, mut phrase) = (0.0, 0);
    for value in values {
        let known = phrases.len() + 1;
        match phrases.get(&(phrase, *value)) {
            Some(longer) => phrase = *longer,
            None => {
                phrases.insert((phrase, *value), known);
                bits += (known as f64).log2() + one;
                phrase = 0;
            }
        }
    }
    // The last may be one that was there, and ends like any other.
    if phrase == 0 { bits } else { bits + (phrases.len() as f64 + 1.0).log2() + one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::Type;
    use pessimum_entry::host::Seeded;

    fn input(ty: Type, values: impl IntoIterator<Item = u64>) -> InputValues {
        let mut input = InputValues::new();
        values.into_iter().for_each(|value| input.push(Slot::any(ty), value & ty.mask()));
        input
    }

    fn chance(ty: Type, len: usize, below: u64) -> InputValues {
        let mut random = Seeded::new(7);
        input(ty, (0..len).map(|_| random.next_u64() % below))
    }

    #[test]
    fn patterns_and_orders_are_short_and_chance_is_not() {
        let described = |input: InputValues| description(&input).is_some();
        assert!(described(input(Type::U8, [97; 30])));
        assert!(described(input(Type::U8, b"ab".repeat(40).into_iter().map(u64::from))));
        assert!(described(input(Type::I32, (0..20).rev())));
        let gaps = (0..40u64).map(|i| u64::MAX - i * i * i);
        assert!(described(input(Type::I64, gaps)), "falling, whatever the steps");
        for len in [2, 10, 100, 1000] {
            for below in [2, 26, 256] {
                assert!(!described(chance(Type::U8, len, below)), "{len} below {below}");
            }
            assert!(!described(chance(Type::I32, len, u64::MAX)), "{len}");
        }
    }

    #[test]
    fn a_pattern_goes_before_size_and_a_larger_one_before_a_smaller() {
        let inputs = [
            (2, input(Type::U8, [97; 2])),
            (10, input(Type::U8, [97; 10])),
            (100, input(Type::U8, [97; 100])),
            (1000, chance(Type::U8, 1000, 256)),
        ];
        let sizes: Vec<Shown<'_>> = inputs
            .iter()
            .map(|(n, input)| Shown { n: *n, cost: n * n, random: None, input: Some(input) })
            .collect();
        assert_eq!(plainest(&sizes), Some(100));
    }

    #[test]
    fn without_a_pattern_the_smallest_that_chance_does_not_find() {
        let size = |n: u64, random| Shown { n, cost: n * n, random: Some(random), input: None };
        assert_eq!(plainest(&[size(4, 16), size(10, 40), size(50, 200)]), Some(10));
        assert_eq!(plainest(&[size(4, 16), size(10, 100)]), Some(10), "chance finds them all");
        assert_eq!(plainest(&[]), None);
    }

    #[test]
    fn a_size_shows_growth_by_costing_more_than_the_smaller_ones_allow() {
        let cost = |n: u64| 100 + n * n;
        let sizes = [1, 5, 10, 50, 100, 200];
        let shown = |n| Shown { n, cost: cost(n), random: None, input: None };
        let all: Vec<Shown<'_>> = sizes.into_iter().map(shown).collect();
        let above: Vec<u64> = above(Class::Linear, &all).iter().map(|size| size.n).collect();
        assert_eq!(above, [200], "101 for each value at n = 1, and again at n = 100");
        let within = super::above(Class::Quadratic, &all);
        assert!(within.is_empty(), "{within:?}");
    }
}
