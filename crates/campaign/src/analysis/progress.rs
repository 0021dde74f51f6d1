//! What is told while an analysis runs: the stage it is in, and every answer as soon as there is one.
//!
//! Nothing that is told here is asked for again: what the result says does not depend on whether
//! somebody watches.

use super::job::Job;
use super::{SIZES_OF_A_STAGE, Stage};
use pessimum_explore::Outcome;
use pessimum_fit::{Class, Point, fit};

impl Job {
    /// Tells whoever watches.
    pub(super) fn tell(&mut self, stage: Stage) {
        if let Some(watch) = &mut self.options.watch {
            watch(stage);
        }
    }

    /// Tells the worst case of a size, and what all of them say together.
    pub(super) fn tell_answer(&mut self, n: u64, outcome: &Outcome, exact: bool) {
        if self.options.watch.is_none() {
            return;
        }
        let worst = outcome.worst_cost();
        if let Some(cost) = worst {
            let point = if exact { Point::exact(n, cost) } else { Point::reached(n, cost) };
            self.told.insert(n, point);
        }
        let so_far = self.class_so_far();
        self.tell(Stage::Answer { n, paths: outcome.paths, worst, exact, so_far });
    }

    /// The class of what was told, if that can tell it from others.
    fn class_so_far(&self) -> Option<Class> {
        let beyond = |from: &u64| self.told.range(from..).count() >= SIZES_OF_A_STAGE;
        let from = self.stage_from.filter(beyond).unwrap_or(0);
        let points: Vec<Point> = self.told.range(from..).map(|(_, point)| *point).collect();
        fit(&points).class
    }
}
