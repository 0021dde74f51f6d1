//! Larger inputs made from smaller ones.
//!
//! Costly inputs of neighbouring sizes mostly differ by how often some part is repeated: a bracket
//! once more, the next larger number, another round of the same three bytes. A [`Recipe`] says
//! which part; whether the result is costly is for a run to tell.

use pessimum_entry::Slot;

/// How the values of an array go on when there is room for more of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipe {
    /// `prefix` values, then a part of `period` values over and over, then the last `suffix`
    /// values. With `drift` each round is moved by the difference between the first two.
    Repeat {
        /// Values kept in front.
        prefix: usize,
        /// Values of the part.
        period: usize,
        /// Values kept behind.
        suffix: usize,
        /// Whether each round is moved.
        drift: bool,
    },
    /// The values at `first` and at `second` over and over, as often as each other: brackets that
    /// are closed again.
    Both {
        /// One place.
        first: usize,
        /// The other.
        second: usize,
    },
    /// The value at one place over and over, everything before and after it kept.
    Pump {
        /// The place.
        at: usize,
    },
    /// Every value as often as its neighbours; of a longer array every so-many-th.
    Scale,
    /// The first values of a longer array.
    Start,
    /// The last values of a longer array.
    End,
}

/// Longest part that is repeated, but for the whole.
const PERIODS: usize = 4;
/// Most values kept in front of it and behind it.
const PREFIX: usize = 4;
const SUFFIX: usize = 2;
/// Longest array of which every two places are tried.
const PAIRS: usize = 12;
/// Most places at which one value is repeated, soon and later.
const PUMPED: [(usize, usize); 2] = [(16, 3), (48, 7)];

/// The recipes for an array of this length, simplest first.
pub(crate) fn recipes(len: usize) -> Vec<Recipe> {
    let mut all = Vec::new();
    // The whole over again costs at least as much for each value, in most programs.
    if len > PERIODS {
        all.push((0, Recipe::Repeat { prefix: 0, period: len, suffix: 0, drift: false }));
    }
    for period in 1..=PERIODS.min(len) {
        for prefix in 0..=PREFIX.min(len - period) {
            for suffix in 0..=SUFFIX.min(len - period - prefix) {
                for drift in [false, true] {
                    if !drift || prefix + 2 * period + suffix <= len {
                        let simplicity = prefix + period + suffix + usize::from(drift);
                        all.push((simplicity, Recipe::Repeat { prefix, period, suffix, drift }));
                    }
                }
            }
        }
    }
    if len > 1 {
        all.push((4, Recipe::Scale));
    }
    for (places, simplicity) in PUMPED {
        let places = places.min(len);
        all.extend((0..places).map(|i| (simplicity, Recipe::Pump { at: i * len / places })));
    }
    if len <= PAIRS {
        for first in 0..len {
            all.extend((first + 1..len).map(|second| (6, Recipe::Both { first, second })));
        }
    }
    all.sort_by_key(|entry| entry.0);
    all.into_iter().map(|entry| entry.1).collect()
}

/// The recipes for making a longer array shorter.
pub(crate) const SHORTER: [Recipe; 3] = [Recipe::Start, Recipe::End, Recipe::Scale];

impl Recipe {
    /// The array at another length; `None` when a value would leave its domain, which may be another
    /// one at this size (`in 0..=n`).
    pub(crate) fn stretch(self, old: &[u64], slot: Slot, len: usize) -> Option<Vec<u64>> {
        let values = self.laid_out(old, slot, len)?;
        values.iter().all(|bits| slot.admits(*bits)).then_some(values)
    }

    fn laid_out(self, old: &[u64], slot: Slot, len: usize) -> Option<Vec<u64>> {
        if len == old.len() {
            return Some(old.to_vec());
        }
        if old.is_empty() {
            return None;
        }
        match self {
            Recipe::Scale => Some((0..len).map(|i| old[i * old.len() / len]).collect()),
            Recipe::Start => old.get(..len).map(<[u64]>::to_vec),
            Recipe::End => Some(old[old.len().checked_sub(len)?..].to_vec()),
            Recipe::Pump { at } => Some(resized(old, &[at.min(old.len() - 1)], len)),
            Recipe::Both { first, second } => {
                let last = old.len() - 1;
                Some(resized(old, &[first.min(last), second.min(last)], len))
            }
            Recipe::Repeat { prefix, period, suffix, drift } => {
                let prefix = prefix.min(old.len() - 1);
                let period = period.clamp(1, old.len() - prefix);
                let suffix = suffix.min(old.len() - prefix - period);
                let Some(middle) = len.checked_sub(prefix + suffix) else {
                    return Some(old[..len].to_vec());
                };
                let step = if drift { drift_of(old, slot, prefix, period)? } else { 0 };
                let mut out = old[..prefix].to_vec();
                for i in 0..middle {
                    let value = old[prefix + i % period];
                    out.push(moved(value, slot, step.checked_mul((i / period) as i128)?)?);
                }
                out.extend_from_slice(&old[old.len() - suffix..]);
                Some(out)
            }
        }
    }

    /// Whether the recipe makes the array from its own beginning: then it is a likely one.
    pub(crate) fn explains(self, array: &[u64], slot: Slot) -> bool {
        match self {
            Recipe::Repeat { prefix, period, suffix, drift } => {
                let rounds = array.len().saturating_sub(prefix + suffix) / period.max(1);
                let begun = prefix + period * if drift { 2 } else { 1 };
                if rounds < 2 || begun + suffix >= array.len() {
                    return false;
                }
                let mut seed = array[..begun].to_vec();
                seed.extend_from_slice(&array[array.len() - suffix..]);
                self.stretch(&seed, slot, array.len()).is_some_and(|made| made == array)
            }
            Recipe::Both { first, second } => {
                let same = |i: usize| {
                    array.get(i + 1) == array.get(i) || i > 0 && array[i - 1] == array[i]
                };
                second < array.len() && same(first) && same(second)
            }
            Recipe::Scale | Recipe::Start | Recipe::End | Recipe::Pump { .. } => false,
        }
    }
}

/// The array at another length: the values at `places` more often, each as often as the others, or as many
/// values less from each of them on. Places are in ascending order; values that are not there to be
/// left out are missing at the end.
fn resized(old: &[u64], places: &[usize], len: usize) -> Vec<u64> {
    // The first places take what cannot be divided evenly.
    let part = |all: usize, k: usize| (all + places.len() - 1 - k) / places.len();
    let (more, less) = (len.saturating_sub(old.len()), old.len().saturating_sub(len));
    let mut out = Vec::with_capacity(len.max(old.len()));
    let mut left_out = 0;
    for (i, &value) in old.iter().enumerate() {
        for k in (0..places.len()).filter(|&k| places[k] == i) {
            left_out += part(less, k);
            out.extend(std::iter::repeat_n(value, part(more, k)));
        }
        if left_out == 0 {
            out.push(value);
        } else {
            left_out -= 1;
        }
    }
    out.truncate(len);
    out
}

/// By how much the second round differs from the first.
fn drift_of(old: &[u64], slot: Slot, prefix: usize, period: usize) -> Option<i128> {
    let first = slot.ty.integer(*old.get(prefix)?)?;
    let next = slot.ty.integer(*old.get(prefix + period)?)?;
    Some(next - first).filter(|step| *step != 0)
}

fn moved(bits: u64, slot: Slot, by: i128) -> Option<u64> {
    if by == 0 {
        return Some(bits);
    }
    let bits = slot.ty.bits_of_integer(slot.ty.integer(bits)?.checked_add(by)?)?;
    slot.admits(bits).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::Type;

    fn bytes() -> Slot {
        Slot::any(Type::U8)
    }

    fn repeat(prefix: usize, period: usize, suffix: usize, drift: bool) -> Recipe {
        Recipe::Repeat { prefix, period, suffix, drift }
    }

    #[test]
    fn a_part_is_repeated_between_what_is_kept() {
        let made = repeat(1, 2, 1, false).stretch(b"<ab>".map(u64::from).as_slice(), bytes(), 9);
        assert_eq!(made, Some(b"<abababa>".map(u64::from).to_vec()));
    }

    #[test]
    fn numbers_go_on_as_they_began() {
        let slot = Slot::any(Type::I32);
        let made = repeat(0, 1, 0, true).stretch(&[7, 5, 3], slot, 5);
        assert_eq!(made, Some(vec![7, 5, 3, 1, u64::from(u32::MAX)]));
        let narrow = Slot::within(Type::I32, 0, 9);
        assert_eq!(repeat(0, 1, 0, true).stretch(&[7, 5, 3], narrow, 5), None);
    }

    #[test]
    fn brackets_are_closed_as_often_as_they_are_opened() {
        let made = Recipe::Both { first: 0, second: 2 }.stretch(&[40, 97, 41], bytes(), 7);
        assert_eq!(made, Some(vec![40, 40, 40, 97, 41, 41, 41]));
    }

    #[test]
    fn one_place_is_pumped_up() {
        let made = Recipe::Pump { at: 2 }.stretch(&[49, 69, 57, 33], bytes(), 7);
        assert_eq!(made, Some(vec![49, 69, 57, 57, 57, 57, 33]));
    }

    /// A recipe is the same at every length: what it makes of a long array is what it makes of a short one.
    #[test]
    fn a_recipe_makes_the_same_inputs_from_long_and_from_short_ones() {
        let text = |n: usize| [vec![60; 1], vec![97; n - 3], vec![98, 62]].concat();
        let nested = |n: usize| [vec![40; n / 2], vec![41; n / 2]].concat();
        let falling = |n: usize| (0..n as u64).rev().map(|i| 50 + i).collect::<Vec<u64>>();
        let made = |recipe: Recipe, from: &[u64]| recipe.stretch(from, bytes(), 20);
        for from in [8, 14, 40, 90] {
            assert_eq!(made(repeat(1, 1, 2, false), &text(from)), Some(text(20)), "{from}");
            assert_eq!(made(Recipe::Pump { at: 1 }, &text(from)), Some(text(20)), "{from}");
            let both = Recipe::Both { first: 0, second: from / 2 };
            assert_eq!(made(both, &nested(from)), Some(nested(20)), "{from}");
        }
        let top = 50 + 89;
        let drifting = made(repeat(0, 1, 0, true), &falling(90));
        assert_eq!(drifting, Some((0..20).map(|i| top - i).collect()));
    }

    #[test]
    fn an_array_is_made_shorter() {
        let old = [1, 2, 3, 4, 5, 6];
        let made = SHORTER.map(|recipe| recipe.stretch(&old, bytes(), 3));
        assert_eq!(made, [Some(vec![1, 2, 3]), Some(vec![4, 5, 6]), Some(vec![1, 3, 5])]);
    }

    /// Where the domain is that of the size (`in 1..=n`), a value of another size may be too large.
    #[test]
    fn nothing_is_kept_that_the_domain_of_the_size_forbids() {
        let narrow = Slot::within(Type::I32, 1, 4);
        for recipe in SHORTER.into_iter().chain(recipes(3)) {
            let made = recipe.stretch(&[5, 3, 5], narrow, 2);
            assert!(made.is_none_or(|values| values == [3, 3]), "{recipe:?}");
        }
        assert_eq!(Recipe::Scale.stretch(&[7], narrow, 1), None);
        assert_eq!(Recipe::Scale.stretch(&[4], narrow, 1), Some(vec![4]));
    }

    #[test]
    fn halves_stay_halves() {
        let made = Recipe::Scale.stretch(&[1, 1, 2, 2], bytes(), 8);
        assert_eq!(made, Some(vec![1, 1, 1, 1, 2, 2, 2, 2]));
    }

    #[test]
    fn a_likely_recipe_is_told_from_the_others() {
        let text = b"<aaaaaa".map(u64::from);
        assert!(repeat(1, 1, 0, false).explains(&text, bytes()));
        assert!(!repeat(0, 1, 0, false).explains(&text, bytes()));
        let falling = [9, 8, 7, 6, 5];
        assert!(repeat(0, 1, 0, true).explains(&falling, bytes()));
        assert!(!repeat(0, 1, 0, false).explains(&falling, bytes()));
    }

    #[test]
    fn every_recipe_gives_the_length_that_was_asked_for() {
        let old = [3, 1, 4, 1, 5, 9, 2, 6];
        for k in 1..=old.len() {
            for recipe in recipes(k) {
                for len in [1, k, k + 1, 3 * k + 2] {
                    if let Some(made) = recipe.stretch(&old[..k], Slot::any(Type::I32), len) {
                        assert_eq!(made.len(), len, "{recipe:?} of {k} values");
                    }
                }
            }
        }
    }
}
