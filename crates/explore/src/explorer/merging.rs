//! The calls from the walk into the table of states (`merge::Merger`).

use super::{Explorer, Options, Pending, Turn};
use crate::budget::Cut;
use crate::finding::FindingKind;
use crate::merge::{Look, Merge, Merger, Meter, Totals};
use crate::observer::Observer;
use crate::outcome::PathTest;
use pessimum_learn::{Guide, WiseSummary};
use pessimum_machine::{End, Trap};
use pessimum_term::TermId;

/// Memory where no limit was set.
const MEMORY: u64 = 4 << 30;

impl<G: Guide, O: Observer> Explorer<'_, G, O> {
    /// Remembers from now on what lies below the states of the walk.
    pub(super) fn begin_merging(&mut self) {
        self.machine.record_accesses(true);
        let Options { merge, counted_work, judged_from, table_bytes, reached, ref budget, .. } =
            self.options;
        let bytes = table_bytes.unwrap_or(budget.memory.unwrap_or(MEMORY) / 2);
        let merger = Merger::new(merge, bytes, counted_work);
        let merger = merger.judged_from(judged_from).reaches(reached).until(&budget.deadline);
        let merger = if O::LEARNS { merger.learning() } else { merger };
        self.merger = Some(Box::new(merger));
    }

    fn meter(&self) -> Meter {
        let counters = self.machine.counters();
        let (cost, instructions) = (counters.cost, counters.all_instructions);
        let work = self.walking();
        let total = work + self.keeping();
        let turns = self.state.turns;
        Meter { cost, instructions, turns, decided: self.decided(), work, total }
    }

    /// Work of keeping states.
    pub(super) fn keeping(&self) -> u64 {
        self.merger.as_ref().map_or(0, |merger| merger.work() + self.solver.closing_work())
    }

    /// Looks an open decision up. Answers whether what lies below is known; else the walk will come
    /// back to it.
    pub(super) fn is_known(&mut self, asked: &[TermId]) -> bool {
        let at = self.meter();
        let limit = self.machine.limits().instructions;
        // The first paths are shown one by one.
        let limit = (self.outcome.tests.len() >= self.options.max_tests).then_some(limit);
        let Some(merger) = &mut self.merger else { return false };
        let (machine, solver) = (&mut self.machine, &mut self.solver);
        if merger.look(machine, &self.arena, solver, asked, at, limit) == Look::Known {
            return true;
        }
        self.push_node(Pending::Finish);
        false
    }

    /// Says which side of the last decision is followed.
    #[inline]
    pub(super) fn follows(&mut self, choice: u32) {
        if let Some(merger) = &mut self.merger {
            merger.follow(choice);
        }
    }

    /// A path that ended, in a walk that merges.
    pub(super) fn merged_leaf(&mut self, end: End) {
        let at = self.meter();
        let Some(merger) = &mut self.merger else { return };
        match end {
            End::Return | End::Exit(_) => merger.leaf(&self.arena, &mut self.solver, at),
            End::Excluded | End::Trap(_) => merger.dead_end(at),
            End::OutOfInstructions | End::OutOfStack | End::OutOfTime | End::Endless => {
                merger.taint();
            }
        }
        let normal = matches!(end, End::Return | End::Exit(_));
        if normal && self.outcome.tests.len() < self.options.max_tests {
            let counters = self.machine.counters();
            let test = PathTest {
                input: self.solved_input(),
                cost: counters.cost,
                instructions: counters.instructions,
                trap: None,
            };
            self.outcome.tests.push(test);
        }
    }

    /// A trap was found at the present place.
    pub(super) fn merged_trap(&mut self, trap: Trap) {
        let (at, position) = (self.meter(), self.machine.position());
        if let Some(merger) = &mut self.merger {
            let kind = FindingKind::Trap(trap);
            merger.trap(&self.arena, &mut self.solver, at, kind, position);
        }
    }

    /// Tells the memory that a condition was asserted.
    #[inline]
    pub(super) fn merged_assert(&mut self, condition: TermId) {
        if let Some(merger) = &mut self.merger {
            if self.arena.has_two_sided_floats() {
                // What is kept of a state has an interval of numbers for each input.
                merger.abandon();
            }
            merger.asserts(&mut self.arena, &mut self.solver, condition);
        }
    }

    /// Tells the memory that a condition was found to be implied, or its opposite.
    #[inline]
    pub(super) fn forced(&mut self, condition: TermId, value: bool) {
        if let Some(merger) = &mut self.merger {
            let implied = if value { condition } else { self.arena.not(condition) };
            merger.forced(&mut self.arena, &mut self.solver, implied);
        }
    }

    /// The walk met something that only a plain one can do.
    pub(super) fn leave_merging(&mut self) {
        if let Some(merger) = &mut self.merger {
            merger.abandon();
        }
    }

    /// Puts what was merged into the outcome. The open decisions of the worst path, and its cost.
    pub(super) fn end_merging(&mut self) -> Option<Ended> {
        let keeping = self.keeping();
        let mut merger = self.merger.take()?;
        // Where keeping states did not pay, a plain walk may still end within the work.
        let cut_short = self.outcome.cut_by == Some(Cut::Work)
            && self.options.merge == Merge::Auto
            && !merger.pays(keeping);
        let given_up = merger.is_abandoned() || cut_short;
        let (totals, worst_path) = merger.end();
        let Totals { merged, worst, least, attained, traps, lesson } = totals;
        let outcome = &mut self.outcome;
        outcome.paths = merged.paths.as_ref().map_or(u64::MAX, |count| count.saturating());
        outcome.trapped = merged.trapped.as_ref().map_or(u64::MAX, |count| count.saturating());
        outcome.least_cost = least;
        outcome.greatest_cost = worst;
        outcome.uncertain |= merged.wrong > 0;
        for (key, count) in traps {
            if let Some(finding) = outcome.findings.get_mut(&key) {
                finding.count = count;
            }
        }
        outcome.merged = Some(merged);
        // A walk that was cut has left out what it may have.
        let abandoned = given_up || (!attained && outcome.cut_by.is_none());
        Some(Ended { abandoned, worst, worst_path, lesson })
    }
}

/// How a merged walk ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// It has to be walked plainly.
    pub(crate) abandoned: bool,
    /// The greatest cost.
    pub(crate) worst: Option<u64>,
    /// The open decisions of the first path that has it.
    pub(crate) worst_path: Vec<Turn>,
    /// What can be learned of all paths, if somebody learns.
    pub(crate) lesson: Option<WiseSummary>,
}
