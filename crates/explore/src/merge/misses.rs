//! Why states were not known: what a program would need to merge more.

use serde::{Deserialize, Serialize};

/// States that were looked up and had to be walked, by what they differed in from every state that was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Misses {
    /// No state was kept with this control: calls, and numbers in live variables.
    pub control: u64,
    /// States with this control were kept; they hold something else in what is read below.
    pub cells: u64,
    /// States that hold the same were kept; the path condition does not fit them.
    pub condition: u64,
    /// What the state holds cannot be compared.
    pub incomparable: u64,
    /// States that were not kept, since something below them was not certain.
    pub uncertain: u64,
    /// States with conditions below that are no differences: only the same path condition knows them again.
    pub untraced: u64,
}

/// How near a look came to a state that was kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Nearest {
    Control,
    Cells,
    Condition,
}

impl Misses {
    pub(super) fn note(&mut self, nearest: Nearest) {
        match nearest {
            Nearest::Control => self.control += 1,
            Nearest::Cells => self.cells += 1,
            Nearest::Condition => self.condition += 1,
        }
    }
}
