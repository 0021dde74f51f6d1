//! What is told while an analysis runs: the stage it is in, and every answer as soon as there is one.
//!
//! The analysis never reads back what it tells here, so watching does not change the result.

use super::Stage;
use super::job::{Job, claim_of};
use crate::evidence::SizeEvidence;
use crate::judge::{Evidence, judge};
use pessimum_fit::Class;

/// Sizes after each of which it is made out what all of them say together. Of more sizes that takes longer, and is done
/// when they are a quarter more: who watches must not slow the run.
const EVERY: usize = 16;

impl Job {
    /// Tells whoever watches.
    pub(super) fn tell(&mut self, stage: Stage) {
        if let Some(watch) = &mut self.options.watch {
            watch(stage);
        }
    }

    /// Tells the worst case of a size, and what all of them say together.
    pub(super) fn tell_answer(&mut self, n: u64, size: &SizeEvidence) {
        if self.options.watch.is_none() {
            return;
        }
        let claimed = claim_of(n, size);
        self.told.insert(n, claimed);
        let sizes = self.told.len();
        if sizes >= self.class_told_at {
            self.class_so_far = self.class_of_told();
            self.class_told_at = if sizes < EVERY { sizes + 1 } else { sizes * 5 / 4 };
        }
        let so_far = self.class_so_far;
        let paths = size.paths().map(|paths| paths.saturating()).filter(|paths| *paths < u64::MAX);
        let (worst, exact) = (claimed.cost, claimed.claim.is_exact());
        self.tell(Stage::Answer { n, paths, worst, exact, so_far });
    }

    /// The class of what was told, if that can tell it from others.
    fn class_of_told(&self) -> Option<Class> {
        let sizes: Vec<_> = self.told.values().copied().collect();
        judge(&Evidence { sizes, stage_from: self.stage_from, ..Evidence::default() }).class()
    }
}
