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

    /// The least and the greatest member.
    pub(crate) fn ends(&self) -> Option<(u64, u64)> {
        let first = self.0.iter().position(|word| *word != 0)?;
        let last = self.0.iter().rposition(|word| *word != 0)?;
        let low = first as u64 * 64 + u64::from(self.0[first].trailing_zeros());
        let high = last as u64 * 64 + 63 - u64::from(self.0[last].leading_zeros());
        Some((low, high))
    }

    /// The least and the greatest member, read as signed numbers of a width.
    pub(crate) fn signed_ends(&self, width: Width) -> Option<(i64, i64)> {
        let mut below = ByteSet::EMPTY;
        below.insert_range(0, width.sign_bit());
        let positive = self.intersect(&below).ends();
        let negative = ByteSet(std::array::from_fn(|i| self.0[i] & !below.0[i])).ends();
        let (low, _) = negative.or(positive)?;
        let (_, high) = positive.or(negative)?;
        Some((width.signed(low), width.signed(high)))
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
    fn ends_are_the_least_and_the_greatest() {
        for bits in [1, 3, 7, 8] {
            let width = Width::new(bits);
            let ends = |values: &mut dyn Iterator<Item = i64>| {
                let values: Vec<i64> = values.collect();
                Some((*values.iter().min()?, *values.iter().max()?))
            };
            for step in 1..=width.mask() + 1 {
                for rest in 0..step.min(9) {
                    let set = ByteSet::filter(width, |v| v % step == rest);
                    let unsigned = set.ends().map(|(low, high)| (low as i64, high as i64));
                    assert_eq!(unsigned, ends(&mut set.iter().map(|v| v as i64)));
                    let signed = ends(&mut set.iter().map(|v| width.signed(v)));
                    assert_eq!(set.signed_ends(width), signed, "{set:?} of {bits} bits");
                }
            }
            assert_eq!((ByteSet::EMPTY.ends(), ByteSet::EMPTY.signed_ends(width)), (None, None));
        }
    }

    #[test]
    fn narrow_widths_stay_narrow() {
        assert_eq!(ByteSet::filter(Width::new(3), |_| true).len(), 8);
        assert_eq!(ByteSet::filter(Width::BOOL, |_| true).len(), 2);
    }
}
