//! Between training and policies: sizes that cannot be enumerated, proven by walks that follow each state
//! once.

use super::job::{Job, add_findings};
use super::{PolicyChoice, Stage, is_from_outside};
use crate::candidates;
use crate::error::Error;
use crate::evidence::{Method, SizeEvidence, cut};
use crate::judge::is_told_exactly;
use crate::schedule::{
    Part, TOP, a_part_of, cut_by_now, expected_work, is_far_beyond, proven_first, proven_then,
    time_of, work_of,
};
use pessimum_clock::Instant;
use pessimum_explore::{Budget, Merge, Options, explore_states};
use pessimum_report::document;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An attempt at a size, as it is kept.
#[derive(Serialize, Deserialize)]
struct Attempt {
    /// What was proven; `None` where the walk did not come to its end.
    proven: Option<SizeEvidence>,
    findings: Vec<document::Finding>,
    work: u64,
}

/// How far the ascent has come.
#[derive(Debug, Default)]
pub(super) struct Ascent {
    /// Work that is left.
    left: u64,
    /// (size, work) of the walks that ended, in ascending order of size.
    walked: Vec<(u64, u64)>,
}

impl Ascent {
    fn largest(&self) -> u64 {
        self.walked.last().map_or(0, |last| last.0)
    }

    /// Whether the next size is likely to take more than there is, as far as that can be told.
    fn is_beyond_reach(&self, n: u64, limit: u64) -> bool {
        match self.walked.as_slice() {
            [.., before, last] if before.0 < last.0 && last.0 < n => {
                expected_work(n, *before, *last) > limit
            }
            _ => limit == 0,
        }
    }
}

impl Job {
    /// Climbs the ladder by proof, up to the largest size that will be looked at, until a walk does not
    /// end; then proves sizes in between with what is left. Answers the sizes that were proven.
    pub(super) fn proving(&mut self, trained: u64) -> Result<Vec<u64>, Error> {
        let total = work_of(Part::Proving.of(self.options.effort_or_time()));
        self.unproven = time_of(total);
        if !self.can_prove() {
            return Ok(Vec::new());
        }
        let asked = self.options.sizes.iter().flatten().copied();
        let most = asked.clone().max().unwrap_or(TOP).min(TOP);
        // A size that somebody names is a step of its own. One that is only compared is not: a run that is compared
        // with an earlier one climbs as that did.
        let steps: BTreeSet<u64> = proven_first(trained, most)
            .into_iter()
            .chain(asked.filter(|n| *n > trained && *n <= TOP))
            .collect();
        let budget = a_part_of(&self.budget);
        self.ascent = Ascent { left: total, walked: Vec::new() };
        // A quarter is for the sizes in between.
        let reserve = total / 4;
        for n in steps {
            let limit = self.ascent.left.saturating_sub(reserve);
            if self.ascent.is_beyond_reach(n, limit) || !self.prove(n, limit, &budget)? {
                break;
            }
        }
        for n in proven_then(trained, self.ascent.largest()) {
            let limit = self.ascent.left;
            if limit == 0 || !self.prove(n, limit, &budget)? {
                break;
            }
        }
        // Half of what is left is for sizes that turn out to be wanted.
        self.unproven = time_of(self.ascent.left / 2);
        self.ascent.left /= 2;
        Ok(self.ascent.walked.iter().map(|(n, _)| *n).collect())
    }

    /// Proves sizes of an earlier run that this one did not come to, beyond the largest that was proven as well, with
    /// the work that is left.
    pub(super) fn prove_compared(&mut self, sizes: &[u64]) -> Result<(), Error> {
        if !self.can_prove() {
            return Ok(());
        }
        let sizes: BTreeSet<u64> = sizes.iter().copied().filter(|n| *n <= TOP).collect();
        let budget = a_part_of(&self.budget);
        for n in sizes.into_iter().filter(|n| !self.found.contains_key(n)).collect::<Vec<_>>() {
            let limit = self.ascent.left;
            if self.ascent.is_beyond_reach(n, limit) || !self.prove(n, limit, &budget)? {
                break;
            }
            self.hold_at(n)?;
        }
        Ok(())
    }

    /// Proves a size below the largest that was proven, if there is work left for it; says whether it was.
    pub(super) fn prove_between(&mut self, n: u64) -> Result<bool, Error> {
        let limit = self.ascent.left;
        if !self.may_be_proven(n) {
            return Ok(false);
        }
        let budget = a_part_of(&self.budget);
        if !self.prove(n, limit, &budget)? {
            return Ok(false);
        }
        self.hold_at(n)?;
        Ok(true)
    }

    /// Whether a size is below the largest that was proven, and there is work left for it.
    pub(super) fn may_be_proven(&self, n: u64) -> bool {
        n < self.ascent.largest() && self.ascent.left > 0
    }

    /// Holds the policy in use against a size that was proven after it was chosen. Where it falls short,
    /// it was never validated.
    fn hold_at(&mut self, n: u64) -> Result<(), Error> {
        let Some(cost) = self.found.get(&n).and_then(SizeEvidence::worst_cost) else {
            return Ok(());
        };
        let budget = self.validated(&self.budget);
        let Some(best) = self.trials.first_mut().filter(|t| !t.policy.trained_on.is_empty()) else {
            return Ok(());
        };
        let held = candidates::hold_against(&self.target, &best.policy, &[(n, cost)], &budget)?;
        best.policy.validated_on.extend(&held.reached);
        best.policy.validated_on.sort_unstable();
        if !held.everywhere() {
            best.policy.validated = false;
            self.found.values_mut().for_each(SizeEvidence::doubt);
        }
        if let Some((_, reached, _)) = held.surpassed
            && let Some(mut size) = self.found.remove(&n)
        {
            self.contradict(n, &mut size, reached);
            self.found.insert(n, size);
        }
        Ok(())
    }

    /// Whether a proof would be used, and no limit of paths was set, which a walk of states does not count.
    fn can_prove(&self) -> bool {
        self.options.merge != Merge::Off
            && matches!(self.options.policy, PolicyChoice::Auto)
            && !self.takes_structure
            && self.options.max_paths.is_none()
    }

    /// Tries to prove one size; answers whether to go on to the next.
    fn prove(&mut self, n: u64, limit: u64, budget: &Budget) -> Result<bool, Error> {
        if self.found.contains_key(&n) {
            return Ok(true);
        }
        // The call may have no meaning at a size that nobody asked for.
        if cut_by_now(budget).is_some() || self.target.at(n).is_err() {
            return Ok(false);
        }
        self.tell(Stage::Proving { n });
        let step = format!("proof-{n}");
        let attempt = match self.recall::<Attempt>(&step) {
            Some(attempt) => attempt,
            None => match self.attempt(n, limit, budget)? {
                Some(attempt) => {
                    self.keep(&step, &attempt);
                    attempt
                }
                // It was cut from outside: another time it may be done.
                None => return Ok(false),
            },
        };
        self.ascent.left = self.ascent.left.saturating_sub(attempt.work);
        let Some(size) = attempt.proven else { return Ok(false) };
        self.ascent.walked.push((n, attempt.work));
        self.ascent.walked.sort_unstable();
        add_findings(&mut self.findings, attempt.findings);
        self.disagreed |= size.is_disputed();
        if let Some(worst) = size.worst() {
            self.mutator.note(&*self.target.at(n)?, worst)?;
        }
        // Where nothing ends normally there is nothing to compare.
        let walk = size.walk();
        self.independent &= walk.paths == 0 || walk.cost_independent_of_input();
        self.tell_answer(n, &size);
        self.found.insert(n, size);
        Ok(true)
    }

    /// Walks the states of a size; `None` where the clock, memory or the user ended it.
    fn attempt(&mut self, n: u64, limit: u64, budget: &Budget) -> Result<Option<Attempt>, Error> {
        let begun = Instant::now();
        let budget = Budget { work: Some(limit), ..budget.clone() };
        // Larger sizes say more than the paths of this one.
        let counted_work = limit / 2;
        let merge = self.options.merge;
        let options = Options { budget, merge, counted_work, max_tests: 0, ..Options::default() };
        let plan = self.target.plan(n, options, 1)?;
        let Some(outcome) = explore_states(&plan)? else {
            // Costs of this kind do not add up.
            return Ok(Some(Attempt { proven: None, findings: Vec::new(), work: 0 }));
        };
        if let Some(by) = outcome.cut_by.map(cut).filter(|by| is_from_outside(*by)) {
            self.cut_by = Some(by);
            return Ok(None);
        }
        let work = outcome.work;
        let mut size = SizeEvidence::explored(outcome, begun.elapsed().as_secs_f64());
        if !size.claim().is_exact() {
            return Ok(Some(Attempt { proven: None, findings: Vec::new(), work }));
        }
        let noted = self.findings.len();
        self.note_findings(n, &mut size)?;
        let findings = self.findings[noted..].to_vec();
        Ok(Some(Attempt { proven: Some(size), findings, work }))
    }

    /// The sizes of a proof that no policy was learned on, with their worst costs.
    pub(super) fn proven_costs(&self, trained: u64) -> Vec<(u64, u64)> {
        let beyond = self.found.range(trained + 1..);
        let exact = beyond.filter(|(_, size)| size.claim().is_exact());
        exact.filter_map(|(n, size)| Some((*n, size.worst_cost()?))).collect()
    }

    /// Whether every size so far is exact, and they alone tell the class at sizes well beyond those of
    /// training: then nothing has to be searched for but what would refute it. Where policies met something
    /// new at some size, enough proofs lie beyond it.
    pub(super) fn is_told_by_proofs(&self, trained: u64) -> bool {
        let merged = self.found.iter().filter(|(_, size)| size.method() == Method::Merged);
        let largest = merged.map(|(n, _)| *n).next_back().unwrap_or(0);
        is_far_beyond(trained, largest)
            && !self.found.values().any(SizeEvidence::is_disputed)
            && is_told_exactly(&self.evidence())
    }
}
