//! What is told while an analysis runs: the stage it is in, and every answer as soon as there is one.
//!
//! Nothing that is told here is asked for again: what the result says does not depend on whether
//! somebody watches.

use super::Stage;
use super::job::{Job, claim_of};
use crate::evidence::SizeEvidence;
use crate::judge::{Evidence, judge};
use pessimum_fit::{Class, Confidence};

/// The size from which costs that follow no exact rule tell a class.
const TELLS_GROWTH: u64 = 16;

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
        let so_far = self.class_so_far();
        let (paths, worst, exact) = (size.walk().paths, claimed.cost, claimed.claim.is_exact());
        self.tell(Stage::Answer { n, paths, worst, exact, so_far });
    }

    /// The class of what was told, if that can tell it from others.
    fn class_so_far(&self) -> Option<Class> {
        let sizes: Vec<_> = self.told.values().copied().collect();
        let last = sizes.iter().rev().find(|s| s.cost.is_some()).map_or(0, |s| s.n);
        let told = Evidence { sizes, stage_from: self.stage_from, ..Evidence::default() };
        let judged = judge(&told);
        // Among the smallest sizes a step looks like growth; a rule that foretold some does not.
        let tells = match judged.fit.confidence {
            Confidence::Exact => true,
            Confidence::Clear | Confidence::Likely => last >= TELLS_GROWTH,
            Confidence::Unsure | Confidence::TooFewSizes => false,
        };
        judged.class().filter(|_| tells)
    }
}
