//! Values that matter to a program, gathered from inputs that took a path of their own.

use pessimum_entry::InputValues;

/// Most values that are kept.
const MOST: usize = 96;

/// Values that sent a run another way, in the order they were met.
#[derive(Clone, Default, Debug)]
pub struct Dictionary {
    words: Vec<u64>,
}

impl Dictionary {
    /// Takes in the values of an input that took a path of its own.
    pub fn learn(&mut self, input: &InputValues) {
        for &(_, bits) in input.iter() {
            if self.words.len() < MOST && !self.words.contains(&bits) {
                self.words.push(bits);
            }
        }
    }

    /// The values, those met first in front.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Forgets all words but the first so many.
    pub fn forget(&mut self, but: usize) {
        self.words.truncate(but);
    }
}
