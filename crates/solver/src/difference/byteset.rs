//! A set of byte values: the exact domain of a variable of at most eight bits.

use pessimum_term::Width;

/// Bit patterns, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    /// No pattern.
    pub(crate) const EMPTY: ByteSet = ByteSet([0; 4]);

    /// Every pattern of `width` for which `keep` says yes.
    pub(crate) fn filter(width: Width, mut keep: impl FnMut(u64) -> bool) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        for value in 0..=width.mask() {
            if keep(value) {
                set.insert(value);
            }
        }
        set
    }

    pub(crate) fn insert(&mut self, value: u64) {
        self.0[(value >> 6) as usize & 3] |= 1 << (value & 63);
    }

    /// Adds the patterns from `from` up to `to`, which is not one of them.
    pub(crate) fn insert_range(&mut self, from: u64, to: u64) {
        for (i, word) in self.0.iter_mut().enumerate() {
            let first = i as u64 * 64;
            let (low, high) = (from.max(first) - first, to.clamp(first, first + 64) - first);
            if low < high {
                *word |= (u64::MAX >> (64 - (high - low))) << low;
            }
        }
    }

    #[inline]
    pub(crate) fn contains(&self, value: u64) -> bool {
        self.0[(value >> 6) as usize & 3] >> (value & 63) & 1 != 0
    }

    /// One bit for each pattern.
    pub(crate) fn words(&self) -> [u64; 4] {
        self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn intersect(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub(crate) fn union(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The members in increasing order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    i as u64 * 64 + u64::from(bit)
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        let set = ByteSet::filter(Width::W8, |v| v % 67 == 3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70, 137, 204]);
        assert_eq!(set.len(), 4);
        let odd = ByteSet::filter(Width::W8, |v| v % 2 == 1);
        assert_eq!(set.intersect(&odd).iter().collect::<Vec<_>>(), [3, 137]);
        assert_eq!(set.union(&odd).len(), 130);
    }

    #[test]
    fn narrow_widths_stay_narrow() {
        assert_eq!(ByteSet::filter(Width::new(3), |_| true).len(), 8);
        assert_eq!(ByteSet::filter(Width::BOOL, |_| true).len(), 2);
    }
}
