//! A fingerprint of the branches that a run took.

/// A fingerprint of the conditional branches of a run, in order: two runs that took the same
/// branches have the same digest, and two that did not almost surely differ.
///
/// It is what confirms a cost that no counter can count, such as `decisions`: whether a decision
/// is open is a question to a solver, but which way it went is not.
///
/// Each executed `if`, `br_if` and `br_table` from the call of the entry to its return is one
/// event, inside the measured region or not: the operator's byte offset in the module, and the
/// outcome. The outcome of `if` and `br_if` is 1 if the condition is not zero, else 0; that of
/// `br_table` is the index, or the number of listed targets if the default is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TraceDigest {
    hash: u64,
}

impl TraceDigest {
    /// The odd constant by which the digest is multiplied at every event.
    pub const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The digest with this value; 0 is the digest of no event.
    pub fn from_value(hash: u64) -> Self {
        Self { hash }
    }

    /// The digest as a number.
    pub fn value(self) -> u64 {
        self.hash
    }

    /// The digest after one more event: `(digest + event) * MULTIPLIER`, rotated left by 29, where
    /// `event` is `offset * 2^32 + outcome + 1`.
    #[must_use]
    pub fn after(self, offset: u32, outcome: u32) -> Self {
        let event = (u64::from(offset) << 32).wrapping_add(u64::from(outcome)).wrapping_add(1);
        Self { hash: self.hash.wrapping_add(event).wrapping_mul(Self::MULTIPLIER).rotate_left(29) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_offset_and_outcome_all_matter() {
        let start = TraceDigest::default();
        let digests = [
            start,
            start.after(0, 0),
            start.after(0, 1),
            start.after(1, 0),
            start.after(0, 0).after(0, 1),
            start.after(0, 1).after(0, 0),
        ];
        for (index, digest) in digests.iter().enumerate() {
            assert!(!digests[..index].contains(digest), "{index}");
        }
    }
}
