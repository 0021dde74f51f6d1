//! A set of sides of a branch.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of choices at one site: ⊥ (empty), one side, or several.
///
/// The first 64 choices are bits of a word, which is all that most branches have; a `br_table`
/// with more arms spills to the heap.
///
/// ```
/// use pessimum_learn::ChoiceSet;
/// let mut set = ChoiceSet::only(1);
/// assert_eq!(set.single(), Some(1));
/// set.insert(1000);
/// assert!(set.contains(1) && set.contains(1000) && !set.contains(0));
/// assert_eq!(set.to_string(), "{1, 1000}");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
pub struct ChoiceSet {
    low: u64,
    /// Choices from 64 on. Absent when there are none and never ending in zero: equal sets are
    /// equal bytes.
    high: Option<Box<[u64]>>,
}

impl ChoiceSet {
    /// The set ⊥ of no choices.
    pub const EMPTY: Self = Self { low: 0, high: None };

    /// The set of one choice.
    pub fn only(choice: u32) -> Self {
        let mut set = Self::EMPTY;
        set.insert(choice);
        set
    }

    /// The set ⊤ of all sides of a branch.
    pub fn all(arms: u32) -> Self {
        (0..arms).collect()
    }

    /// Whether a choice is in the set.
    #[inline]
    pub fn contains(&self, choice: u32) -> bool {
        if choice < 64 {
            return self.low >> choice & 1 == 1;
        }
        let (word, bit) = (choice as usize / 64 - 1, choice % 64);
        let words = self.high.as_deref().unwrap_or_default();
        words.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }

    /// Adds a choice.
    pub fn insert(&mut self, choice: u32) {
        if choice < 64 {
            self.low |= 1 << choice;
            return;
        }
        let (word, bit) = (choice as usize / 64 - 1, choice % 64);
        let mut words = self.high.take().map(Vec::from).unwrap_or_default();
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << bit;
        self.high = Some(words.into());
    }

    /// Adds all choices of another set.
    pub fn union_with(&mut self, other: &Self) {
        self.low |= other.low;
        if let Some(theirs) = &other.high {
            let mut words = self.high.take().map(Vec::from).unwrap_or_default();
            if words.len() < theirs.len() {
                words.resize(theirs.len(), 0);
            }
            for (word, their) in words.iter_mut().zip(theirs) {
                *word |= their;
            }
            self.high = Some(words.into());
        }
    }

    /// True for ⊥.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_none()
    }

    /// The number of choices.
    pub fn len(&self) -> u32 {
        self.words().map(u64::count_ones).sum()
    }

    /// The choice of a set that has exactly one: the branch is resolved.
    pub fn single(&self) -> Option<u32> {
        let mut choices = self.iter();
        choices.next().filter(|_| choices.next().is_none())
    }

    /// The choices in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words().zip(0u32..).flat_map(|(word, at)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), rest)
                .map(move |word| 64 * at + word.trailing_zeros())
        })
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let high = self.high.as_deref().unwrap_or_default();
        std::iter::once(self.low).chain(high.iter().copied())
    }
}

impl FromIterator<u32> for ChoiceSet {
    fn from_iter<I: IntoIterator<Item = u32>>(choices: I) -> Self {
        let mut set = Self::EMPTY;
        choices.into_iter().for_each(|choice| set.insert(choice));
        set
    }
}

impl From<Vec<u32>> for ChoiceSet {
    fn from(choices: Vec<u32>) -> Self {
        choices.into_iter().collect()
    }
}

impl From<ChoiceSet> for Vec<u32> {
    fn from(set: ChoiceSet) -> Self {
        set.iter().collect()
    }
}

impl fmt::Display for ChoiceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, choice) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{choice}")?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_as_a_set_of_numbers(
            a in prop::collection::btree_set(0u32..200, 0..8),
            b in prop::collection::btree_set(0u32..200, 0..8),
        ) {
            let (x, y): (ChoiceSet, ChoiceSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            let mut both = x.clone();
            both.union_with(&y);
            let union: BTreeSet<u32> = a.union(&b).copied().collect();
            prop_assert_eq!(both.iter().collect::<BTreeSet<_>>(), union.clone());
            prop_assert_eq!(&both, &union.iter().rev().copied().collect::<ChoiceSet>());
            prop_assert_eq!(both.len() as usize, union.len());
            prop_assert!((0..256).all(|c| both.contains(c) == union.contains(&c)));
            prop_assert_eq!(x.single(), (a.len() == 1).then(|| *a.first().unwrap()));
            prop_assert_eq!(x.is_empty(), a.is_empty());
        }
    }
}
