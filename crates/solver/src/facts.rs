//! What is known of a condition without asking: asserted, denied or refuted on this path.

use crate::solver::{Mark, Solver};
use pessimum_term::{Arena, TermId};

/// What the path condition says of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    Unknown,
    Asserted,
    /// Its negation is asserted.
    Denied,
    /// It was shown to contradict the path condition.
    Refuted,
}

impl Solver {
    /// Whether `c` or its negation was asserted literally.
    #[inline]
    pub fn fact(&self, c: TermId) -> Option<bool> {
        match self.known(c) {
            Fact::Asserted => Some(true),
            Fact::Denied => Some(false),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn known(&self, c: TermId) -> Fact {
        self.facts.get(c.index() as usize).copied().unwrap_or(Fact::Unknown)
    }

    /// What is known of `c` without asking: it or its negation was asserted, or contradicted a part of the
    /// path condition, which has a model.
    #[inline]
    pub fn settled(&self, arena: &Arena, c: TermId) -> Option<bool> {
        match self.known(c) {
            Fact::Asserted => return Some(true),
            Fact::Denied => return Some(false),
            Fact::Refuted => return self.has_model().then_some(false),
            Fact::Unknown => {}
        }
        let negation = arena.find_negation(c)?;
        (self.known(negation) == Fact::Refuted && self.has_model()).then_some(true)
    }

    /// Remembers that `c` contradicts the path condition, as [`Solver::check`] has found.
    pub fn note_refuted(&mut self, c: TermId) {
        self.make_room_for_facts(c.index());
        if self.facts[c.index() as usize] == Fact::Unknown {
            self.facts[c.index() as usize] = Fact::Refuted;
            self.refuted.push((self.assertions.len() as u32, c));
        }
    }

    /// Drops what was refuted with more assertions than are left, and terms that may be gone.
    pub(crate) fn forget_refuted(&mut self, mark: Mark) {
        let from = self.refuted.partition_point(|entry| entry.0 < mark.assertions);
        let mut kept = from;
        for i in from..self.refuted.len() {
            let (at, c) = self.refuted[i];
            if at == mark.assertions && c.index() < mark.terms {
                self.refuted[kept] = (at, c);
                kept += 1;
            } else {
                self.facts[c.index() as usize] = Fact::Unknown;
            }
        }
        self.refuted.truncate(kept);
    }

    #[inline]
    pub(crate) fn make_room_for_facts(&mut self, index: u32) {
        if self.facts.len() <= index as usize {
            let len = (index as usize + 1).max(self.facts.len() * 2);
            self.facts.resize(len, Fact::Unknown);
        }
    }
}
