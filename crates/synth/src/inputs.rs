//! How many inputs of which kind a program asks for, as a function of the size.

use crate::param::Param;
use pessimum_entry::Slot;

/// Stretches of inputs of one kind, each with a length that depends on the size.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct InputModel {
    stretches: Vec<(Slot, Param)>,
}

impl InputModel {
    /// Fits the inputs of the sizes `first`, `first + 1`, …
    pub(crate) fn fit(first: u64, sizes: &[&[Slot]]) -> Option<InputModel> {
        let stretched: Vec<Vec<(Slot, i64)>> = sizes
            .iter()
            .map(|slots| slots.chunk_by(|a, b| a == b).map(|c| (c[0], c.len() as i64)).collect())
            .collect();
        let count = stretched.first()?.len();
        if !stretched.iter().all(|s| s.len() == count) {
            return None;
        }
        let stretches = (0..count).map(|i| {
            let slot = stretched[0][i].0;
            let same = stretched.iter().all(|s| s[i].0 == slot);
            let lengths: Vec<i64> = stretched.iter().map(|s| s[i].1).collect();
            Some((slot, same.then(|| Param::fit(first, &lengths)).flatten()?))
        });
        Some(InputModel { stretches: stretches.collect::<Option<_>>()? })
    }

    /// The inputs at a size.
    pub(crate) fn at(&self, n: u64) -> Option<Vec<Slot>> {
        let mut slots = Vec::new();
        for (slot, length) in &self.stretches {
            let length = usize::try_from(length.at(n)?).ok()?;
            slots.resize(slots.len() + length, *slot);
        }
        Some(slots)
    }
}
