//! What the walk does where the machine stops: asks which sides are feasible, and follows them.

use super::{Binary, Explorer, Pending};
use crate::finding::FindingKind;
use crate::observer::Observer;
use pessimum_learn::{Advice, Guide, Openness, SiteId};
use pessimum_machine::{Purpose, Trap};
use pessimum_solver::Answer;
use pessimum_term::{Op, TermId};

impl<G: Guide, O: Observer> Explorer<'_, G, O> {
    /// A branch with two sides. Answers whether the walk goes on below.
    pub(super) fn binary(&mut self, site: SiteId, condition: TermId, kind: Binary) -> bool {
        if kind == Binary::Split
            && let Some(merger) = &mut self.merger
        {
            merger.split();
        }
        let known = match self.merger {
            None => self.solver.settled(&self.arena, condition),
            // Why it is so has to be found out.
            Some(_) => self.solver.fact(condition),
        };
        if let Some(known) = known {
            self.count_calls(2);
            self.forced(condition, known);
            return self.follow_side(site, known, Openness::Forced, kind);
        }
        let advice = self.advice(site, 2);
        if let Advice::Only(set) = &advice
            && !self.needs_openness
            && let Some(only) = set.single()
        {
            // A guide that wants one side and does not care about the other.
            let wanted = if only == 1 { condition } else { self.arena.not(condition) };
            self.count_calls(1);
            match self.check(wanted) {
                Answer::Sat => {
                    match kind {
                        Binary::Branch => self.assert_only_side(wanted),
                        Binary::Split => {
                            self.assert(wanted);
                        }
                    }
                    return self.follow_side(site, only == 1, Openness::Open, kind);
                }
                Answer::Unsat => {
                    return self.follow_side(site, only != 1, Openness::Forced, kind);
                }
                Answer::Unknown(_) => {}
            }
        }
        self.count_calls(2);
        let negation = self.arena.not(condition);
        let (yes, no) = (self.check(condition), self.check(negation));
        match (yes, no) {
            (Answer::Unsat, Answer::Unsat) => {
                self.forced(condition, true);
                self.forced(condition, false);
                false
            }
            (_, Answer::Unsat) => {
                self.note_refuted(negation);
                self.forced(condition, true);
                self.follow_side(site, true, Openness::Forced, kind)
            }
            (Answer::Unsat, _) => {
                self.note_refuted(condition);
                self.forced(condition, false);
                self.follow_side(site, false, Openness::Forced, kind)
            }
            _ => {
                let openness =
                    if yes.is_sat() && no.is_sat() { Openness::Open } else { Openness::Unknown };
                self.open_sides(site, condition, advice, openness, kind)
            }
        }
    }

    /// Remembers what was found to be impossible, so that it is not asked again on this path. Not while
    /// states are merged: there it is the asking that says why.
    fn note_refuted(&mut self, condition: TermId) {
        if self.merger.is_none() {
            self.solver.note_refuted(condition);
        }
    }

    pub(super) fn open_sides(
        &mut self,
        site: SiteId,
        condition: TermId,
        advice: Advice,
        openness: Openness,
        kind: Binary,
    ) -> bool {
        // Where feasibility is unknown a guide has no say: both sides are followed.
        let allowed = |choice: u32| openness != Openness::Open || advice.allows(choice);
        let (mut zero, mut one) = (allowed(0), allowed(1));
        if let Some(forced) = self.prefix_choice(site, &[0, 1]) {
            (zero, one) = (forced == 0, forced == 1);
        } else if self.leave_to_others() {
            return false;
        }
        if !zero && !one {
            return false;
        }
        let first = !zero;
        if zero && one {
            if self.merger.is_some() && self.is_known(&[condition]) {
                return false;
            }
            self.follows(0);
            self.push_choice(2, Pending::Side { site, condition, choice: true, openness, kind });
        }
        let side = if first { condition } else { self.arena.not(condition) };
        self.assert(side);
        self.follow_side(site, first, openness, kind)
    }

    /// Goes on with one side of a binary decision.
    pub(super) fn follow_side(
        &mut self,
        site: SiteId,
        choice: bool,
        openness: Openness,
        kind: Binary,
    ) -> bool {
        self.decide(site, u32::from(choice), 2, openness);
        // Below a fork branches are in the machine's trace, whether they are on terms or not.
        if self.state.forks == 0 || kind == Binary::Split {
            self.mix_in(site, u32::from(choice));
        }
        match kind {
            Binary::Branch => self.machine.take(choice),
            Binary::Split => self.machine.split(&mut self.arena, choice),
        }
        true
    }

    pub(super) fn switch(&mut self, site: SiteId, arms: u32) -> bool {
        let conditions: Vec<TermId> =
            (0..arms).map(|arm| self.machine.arm_condition(&mut self.arena, arm)).collect();
        self.count_calls(u64::from(arms));
        let (mut feasible, mut refuted) = (Vec::new(), Vec::new());
        let mut openness = Openness::Open;
        for arm in 0..arms {
            match self.check(conditions[arm as usize]) {
                Answer::Sat => feasible.push(arm),
                Answer::Unsat => refuted.push(conditions[arm as usize]),
                Answer::Unknown(_) => {
                    openness = Openness::Unknown;
                    feasible.push(arm);
                }
            }
        }
        let mut arms_left = match feasible.as_slice() {
            [] => {
                self.refuted(&refuted);
                return false;
            }
            [only] => {
                let only = *only;
                self.refuted(&refuted);
                self.decide(site, only, arms, Openness::Forced);
                self.mix_in_arm(site, only);
                self.machine.take_arm(only);
                return true;
            }
            _ => {
                let advice = self.advice(site, arms);
                let keep = |arm: &u32| openness == Openness::Unknown || advice.allows(*arm);
                feasible.iter().copied().filter(keep).collect::<Vec<u32>>()
            }
        };
        if let Some(forced) = self.prefix_choice(site, &arms_left) {
            arms_left.retain(|arm| *arm == forced);
        } else if self.leave_to_others() {
            return false;
        }
        arms_left.reverse();
        let Some(first) = arms_left.pop() else { return false };
        let condition = conditions[first as usize];
        if !arms_left.is_empty() {
            if self.merger.is_some() && self.is_known(&conditions) {
                return false;
            }
            // Another state that asks for the same has those arms if they are not refuted there.
            self.refuted(&refuted);
            self.follows(first);
            let sides = arms_left.len() + 1;
            self.push_choice(sides, Pending::Arms { site, conditions, arms: arms_left, openness });
        } else {
            self.refuted(&refuted);
        }
        self.follow_arm(site, first, arms, condition, openness)
    }

    /// These arms are not feasible, which what lies below depends on.
    fn refuted(&mut self, arms: &[TermId]) {
        for &condition in arms {
            self.forced(condition, false);
        }
    }

    pub(super) fn follow_arm(
        &mut self,
        site: SiteId,
        arm: u32,
        arms: u32,
        condition: TermId,
        openness: Openness,
    ) -> bool {
        self.assert(condition);
        self.decide(site, arm, arms, openness);
        self.mix_in_arm(site, arm);
        self.machine.take_arm(arm);
        true
    }

    /// An instruction that may trap.
    pub(super) fn guard(&mut self, condition: TermId, trap: Trap) -> bool {
        self.count_calls(2);
        let traps = self.check(condition);
        if traps.is_unsat() {
            self.forced(condition, false);
        } else {
            let extent = self.merger.as_ref().map(|merger| merger.extent());
            let mark = self.solver.mark();
            let arena_mark = self.arena.mark();
            // On the way to its subtree a worker meets what another has reported.
            if self.assert(condition) && !self.on_prefix {
                self.trapped(trap);
            }
            self.solver.undo_to(mark);
            self.arena.undo_to(arena_mark);
            self.start.forget();
            if let (Some(merger), Some(extent)) = (&mut self.merger, extent) {
                merger.back_to(extent);
            }
        }
        let negation = self.arena.not(condition);
        match self.check(negation) {
            Answer::Unsat => {
                self.forced(condition, true);
                false
            }
            _ => {
                if !traps.is_unsat() {
                    self.assert(negation);
                }
                self.machine.pass_guard();
                true
            }
        }
    }

    pub(super) fn assume(&mut self, condition: TermId) -> bool {
        self.count_calls(1);
        match self.check(condition) {
            Answer::Unsat => {
                self.forced(condition, false);
                false
            }
            _ => {
                self.assert(condition);
                self.machine.pass_guard();
                true
            }
        }
    }

    /// A term has to be one value: find all it can have.
    pub(super) fn choose(&mut self, term: TermId, purpose: Purpose) -> bool {
        let mark = self.solver.mark();
        let arena_mark = self.arena.mark();
        let width = self.arena.width(term);
        let mut values = Vec::new();
        let mut all = false;
        while values.len() < self.options.max_values {
            let value = self.solver.value(&self.arena, term);
            values.push(value);
            let k = self.arena.constant(width, value);
            let same = self.arena.binary(Op::Eq, term, k);
            let other = self.arena.not(same);
            match self.check(other) {
                Answer::Sat => {
                    self.assert(other);
                }
                Answer::Unsat => {
                    all = true;
                    break;
                }
                Answer::Unknown(_) => break,
            }
            // Time that is up is seen by the walk as well; until then the values are incomplete.
            if values.len().is_multiple_of(64) && self.options.budget.exhausted().is_some() {
                break;
            }
        }
        self.solver.undo_to(mark);
        self.arena.undo_to(arena_mark);
        self.start.forget();
        self.count_calls(values.len() as u64);
        values.sort_unstable();
        values.dedup();
        if let Some(merger) = &mut self.merger {
            merger.region();
        }
        if !all {
            self.outcome.uncertain = true;
            self.note(FindingKind::DroppedValues, None);
            self.leave_merging();
        }
        if values.len() == 1 {
            return self.follow_value(term, values[0], !all);
        }
        let region = 256;
        if matches!(purpose, Purpose::Load | Purpose::Store) && all && values.len() <= region {
            self.machine.read_over(&values);
            return true;
        }
        self.outcome.address_forks += values.len() as u64 - 1;
        self.note(FindingKind::AddressFork, None);
        values.reverse();
        let Some(first) = values.pop() else { return false };
        self.push_fork(values.len() + 1, Pending::Values { term, values });
        self.follow_value(term, first, true)
    }

    pub(super) fn follow_value(&mut self, term: TermId, value: u64, assert: bool) -> bool {
        if assert {
            let k = self.arena.constant(self.arena.width(term), value);
            let same = self.arena.binary(Op::Eq, term, k);
            self.assert(same);
        }
        self.machine.choose(&mut self.arena, value);
        true
    }
}
