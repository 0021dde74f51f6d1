//! Stage three: finds the worst input of each size of the ladder, by the first strategy that applies.

use super::job::{Job, Ran, add_findings};
use super::learning::SHORTFALL;
use super::strategies::Doubt;
use super::{PolicyChoice, Stage, is_from_outside};
use crate::error::Error;
use crate::evidence::{Cut, Method, SizeEvidence};
use crate::judge::foretelling;
use crate::schedule::{
    Part, Share, a_part_of, cut_by_now, evolving, instructions_in, is_held_out, one_hunt, one_of,
    one_search_again, work_of,
};
use pessimum_explore::Budget;
use pessimum_learn::SiteId;
use pessimum_machine::{Module, SiteIndex};
use pessimum_report::document;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A size that was generated, as it is kept.
#[derive(Serialize, Deserialize)]
struct Generated {
    found: SizeEvidence,
    findings: Vec<document::Finding>,
    /// What was left for the sizes after it.
    share: Share,
    /// What was run at it.
    ran: Ran,
    /// Whether all runs up to here agree that the input does not matter.
    independent: bool,
}

/// Sizes in a row at which nothing new is found before the ladder is left, where runs are too long for many
/// of them. Where they are fast, larger sizes may show what a few of them do not.
const PATIENCE: u32 = 2;

/// Runs that make a search by running worth while.
const MANY: u64 = 100;

/// Runs that the whole effort has to have room for, or the ladder ends.
const FEW: u64 = 32;

impl Job {
    /// The worst case of each of these sizes; `asked` for those the user named, which are not given
    /// up for others.
    pub(super) fn generate(&mut self, sizes: &[u64], asked: bool) -> Result<(), Error> {
        let mut sizes: Vec<u64> = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        // Among sizes of our own no policy takes the time of all the others.
        let for_all =
            || work_of(Part::Following.of(self.options.effort_or_time()) + self.unproven / 2);
        let mut share = match asked {
            // A policy that nothing vouches for does not take the time of the hunt.
            true if self.searches() && !self.is_validated() => {
                Share::new(for_all().saturating_mul(3))
            }
            true => Share::new(u64::MAX),
            false if self.is_late => Share::new(0),
            false => self.following.unwrap_or_else(|| Share::new(for_all())),
        };
        self.coming.clone_from(&sizes);
        let done = self.generate_within(&sizes, asked, &mut share);
        self.coming.clear();
        self.followed.clear();
        if !asked {
            self.following = Some(share);
        }
        done
    }

    /// As [`Job::generate`], with so much for following policies.
    fn generate_within(
        &mut self,
        sizes: &[u64],
        asked: bool,
        share: &mut Share,
    ) -> Result<(), Error> {
        let mut idle = 0;
        for &n in sizes {
            if self.found.contains_key(&n) || self.recall_size(n, share)? {
                continue;
            }
            if let Some(cut) = cut_by_now(&self.budget) {
                self.cut_by = Some(cut);
                break;
            }
            // The call may have no meaning at a size that nobody asked for: bytes `in 0..=n-1` end at 256.
            if !asked && self.target.at(n).is_err() {
                break;
            }
            if self.prove_between(n)? {
                continue;
            }
            if !asked && self.is_run_long(n) {
                break;
            }
            if !asked && self.is_too_dear(n) {
                // The walks are too dear. If single runs are fast, the solver made them so: search on.
                if !self.searches() || !self.is_run_fast(n) {
                    break;
                }
                *share = Share::new(0);
            }
            self.tell(Stage::Generating { n });
            let noted = self.findings.len();
            let before = self.ran;
            let Some(mut run) = self.worst_of(n, asked, share)? else { break };
            self.note_findings(n, &mut run)?;
            note_unseen(self.target.module(), &mut self.findings, n, &run.walk().unseen);
            if run.worst().is_none() && (run.cut().is_some() || share.is_spent()) {
                break;
            }
            // Where runs have become too long to be searched among, only cheap ones are found, or what
            // was found before.
            let reached = self.found.range(..n).filter_map(|(_, f)| f.worst_cost()).max();
            let long = self.is_too_long_to_search(&run);
            let cost = run.worst_cost();
            if !asked && !run.may_be_below() && (cost < reached || long && cost == reached) {
                self.starved.insert(n);
                self.leave_out(n, "nothing was found that costs more than at smaller sizes: with more --time it may be");
                idle += u32::from(long || !self.is_run_fast(n));
                if idle == PATIENCE {
                    break;
                }
                continue;
            }
            idle = 0;
            if !run.cut().is_some_and(is_from_outside) {
                let findings = self.findings[noted..].to_vec();
                let (ran, independent) = (self.ran.since(before), self.independent);
                let found = run.clone();
                self.keep(
                    &step(n),
                    &Generated { found, findings, share: *share, ran, independent },
                );
            }
            self.tell_answer(n, &run);
            self.found.insert(n, run);
        }
        Ok(())
    }

    /// Where nothing can be claimed, looks once more for costlier inputs at every size that is not exact:
    /// what was found at the other sizes meanwhile may be of use there. A claim is attacked instead.
    pub(super) fn search_again(&mut self) -> Result<(), Error> {
        if !self.searches() || self.claims() {
            return Ok(());
        }
        self.evolve(1, evolving(self.options.effort_or_time(), true))?;
        let sizes = self.reached_sizes();
        let searched = sizes.iter().filter(|n| !is_held_out(**n)).count();
        let hunts = sizes.iter().any(|n| self.is_asked(*n));
        let instructions = one_search_again(self.options.effort_or_time(), searched, hunts);
        let whole = self.budget.clone();
        if hunts {
            self.budget = one_of(&whole, 2);
        }
        for n in sizes {
            if cut_by_now(&self.budget).is_some() {
                break;
            }
            let doubt = match is_held_out(n) {
                true => Doubt::Little,
                false => Doubt::Again(instructions),
            };
            self.search_once_more(n, doubt)?;
        }
        self.budget = whole;
        self.cut_by = cut_by_now(&self.budget).or(self.cut_by);
        Ok(())
    }

    /// Looks for the costliest inputs of the sizes that were asked for, whatever they look like, where nothing is
    /// claimed of them. How the cost grows has been read off inputs that all sizes have by then.
    pub(super) fn hunt(&mut self) -> Result<(), Error> {
        let mut sizes = self.reached_sizes();
        sizes.retain(|n| self.is_asked(*n));
        if !self.searches() || self.claims() {
            return Ok(());
        }
        if !sizes.is_empty() {
            self.evolve_on()?;
        }
        let instructions = one_hunt(self.options.effort_or_time(), sizes.len());
        for (i, &n) in sizes.iter().enumerate() {
            if let Some(cut) = cut_by_now(&self.budget) {
                self.cut_by = Some(cut);
                break;
            }
            let left = sizes.len() - i;
            self.search_once_more(n, Doubt::Hunt { instructions, left })?;
        }
        Ok(())
    }

    /// Without work that somebody measured out, patterns are evolved on for a third of the time that is left: runs at small
    /// sizes are short, and what is found there is worth more than a change here and there at the size that is asked for.
    fn evolve_on(&mut self) -> Result<(), Error> {
        if self.options.effort.is_some() {
            return Ok(());
        }
        let whole = self.budget.clone();
        self.budget = one_of(&whole, 3);
        let first = evolving(self.options.effort_or_time(), true);
        // Each round has twice as much as the one before, until there is nothing left to try. What there is no time for is not shared
        // out: the largest size would have a part of nothing, and conditions would be read until the end.
        for round in 1..u64::BITS {
            let before = self.ran.runs;
            let left = self.budget.deadline.left().map_or(u64::MAX, instructions_in);
            if round > 1 && left < first {
                break;
            }
            self.evolve(2 + round, first.saturating_mul(1 << round).min(left))?;
            if cut_by_now(&self.budget).is_some() || self.ran.runs == before {
                break;
            }
        }
        self.budget = whole;
        Ok(())
    }

    fn search_once_more(&mut self, n: u64, doubt: Doubt) -> Result<(), Error> {
        self.tell(Stage::Generating { n });
        if let Some(mut run) = self.found.remove(&n) {
            if self.search_by_running(n, &mut run, doubt)? {
                self.tell_answer(n, &run);
            }
            self.found.insert(n, run);
        }
        Ok(())
    }

    /// Whether the user asked for this size.
    pub(super) fn is_asked(&self, n: u64) -> bool {
        self.options.sizes.as_ref().is_some_and(|sizes| sizes.contains(&n))
    }

    /// Takes up what an earlier run has found of a size, if it has.
    fn recall_size(&mut self, n: u64, share: &mut Share) -> Result<bool, Error> {
        let Some(done) = self.recall::<Generated>(&step(n)) else { return Ok(false) };
        add_findings(&mut self.findings, done.findings);
        *share = done.share;
        self.ran.add(done.ran);
        self.independent &= done.independent;
        self.trust_less(&done.found);
        if let Some(worst) = done.found.worst() {
            self.mutator.note(&*self.target.at(n)?, worst)?;
        }
        self.tell_answer(n, &done.found);
        self.found.insert(n, done.found);
        Ok(true)
    }

    /// Whether a size is likely to take most of what is left. Work is counted for that, not time:
    /// the sizes are the same on every machine.
    fn is_too_dear(&self, n: u64) -> bool {
        // What a proof took says nothing of a policy.
        let walked = |(_, f): &(&u64, &SizeEvidence)| f.method() != Method::Merged;
        let spent: u64 = self.found.values().map(|f| f.walk().work).sum();
        let last = self.found.range(..n).rfind(walked);
        let last = last.map_or(0, |(_, f)| f.walk().work);
        last.saturating_mul(6) > work_of(self.options.effort_or_time()).saturating_sub(spent)
    }

    /// Whether a size that comes next is likely to be looked at by following a policy: not one that may be proven before, or
    /// that takes too much.
    pub(super) fn is_worth_following(&self, n: u64) -> bool {
        !self.may_be_proven(n) && !self.is_too_dear(n) && self.target.at(n).is_ok()
    }

    /// Whether many inputs could be run in the work of one search, if a run of this size takes what
    /// the costliest of the size before took.
    fn is_run_fast(&self, n: u64) -> bool {
        let limit = self.instructions_of_a_search() / MANY;
        self.longest_below(n).is_some_and(|instructions| instructions < limit)
    }

    /// Whether a single run of the size below takes so much of the effort that larger ones could hardly be tried in more than
    /// one way.
    fn is_run_long(&self, n: u64) -> bool {
        let limit = instructions_in(self.options.effort_or_time()) / FEW;
        self.longest_below(n).is_some_and(|instructions| instructions > limit)
    }

    /// Instructions of the worst run of the size below.
    fn longest_below(&self, n: u64) -> Option<u64> {
        let before = self.found.range(..n).filter_map(|(_, f)| f.worst()).next_back();
        before.map(|worst| worst.instructions)
    }

    /// The costliest run of a size that can be found; `None` where there is no going on.
    fn worst_of(
        &mut self,
        n: u64,
        asked: bool,
        share: &mut Share,
    ) -> Result<Option<SizeEvidence>, Error> {
        let searches = self.searches();
        let mut run = match self.first_run(n, asked, searches, share) {
            Ok(Some(run)) => run,
            Ok(None) => return Ok(None),
            Err(Error::TooManyStructures(message)) if asked && !self.found.is_empty() => {
                self.cut_by = Some(Cut::Structures);
                let kind = "too_many_structures".to_owned();
                let (at, input) = (None, None);
                self.findings.push(document::Finding {
                    kind,
                    message,
                    at,
                    n: Some(n),
                    input,
                    cause: None,
                });
                return Ok(None);
            }
            Err(error) if asked && error.cut_by().is_some() && !self.found.is_empty() => {
                self.cut_by = error.cut_by();
                return Ok(None);
            }
            Err(error) if asked => return Err(error),
            Err(_) => return Ok(None),
        };
        if let Some(cut) = run.cut().filter(|cut| is_from_outside(*cut)) {
            self.cut_by = Some(cut);
        }
        self.run_random_inputs(n, &mut run)?;
        if !searches && !self.takes_structure && !run.claim().is_exact() {
            self.search_by_running(n, &mut run, Doubt::None)?;
        }
        // Nothing is costlier than the worst of all paths.
        if searches && !run.claim().is_exact() {
            if !run.is_settled()
                && !self.independent
                && !share.is_spent()
                && cut_by_now(&self.budget).is_none()
                && let Some(other) = self.synthesise(n)?
                && other.worst_cost() > run.worst_cost()
            {
                run = other;
            }
            // Work may take longer than it should: then the time for all the rest is at stake.
            if !asked && run.cut() == Some(Cut::Time) {
                self.is_late = true;
                *share = Share::new(0);
            }
            let (straight, work) = (run.is_settled(), run.walk().work);
            let sure = straight && (self.is_validated() || self.is_foretold(n, &run));
            let told = self.is_told && straight && self.is_validated() && self.is_foretold(n, &run);
            let doubt = match sure || !asked && is_held_out(n) {
                _ if told => Doubt::None,
                true => Doubt::Little,
                false => Doubt::First,
            };
            let surpassed = self.search_by_running(n, &mut run, doubt)?;
            share.spend(work, straight, surpassed);
        }
        Ok(Some(run))
    }

    /// Whether inputs are also tried by running them.
    pub(super) fn searches(&self) -> bool {
        !self.takes_structure && matches!(self.options.policy, PolicyChoice::Auto)
    }

    /// Whether the exact rule of all smaller sizes says that a size costs what was found. What a policy
    /// finds that falls short of sizes it was learned on is no rule.
    fn is_foretold(&mut self, n: u64, run: &SizeEvidence) -> bool {
        if self.findings.iter().any(|f| f.kind == SHORTFALL) {
            return false;
        }
        let Some(cost) = run.worst_cost() else { return false };
        self.rule = foretelling(&self.evidence(), (n, cost), self.rule.take());
        self.rule.is_some()
    }

    /// What there is to go by decides how a size is first run.
    fn first_run(
        &mut self,
        n: u64,
        asked: bool,
        searches: bool,
        share: &Share,
    ) -> Result<Option<SizeEvidence>, Error> {
        if matches!(self.options.policy, PolicyChoice::Synth) {
            return self.synthesise(n);
        }
        // What is searched as well must not be left without time.
        let a_part = match (asked, searches) {
            (true, false) => self.budget.clone(),
            _ => a_part_of(&self.budget),
        };
        let limited = Budget { work: share.next(), ..a_part.clone() };
        let run = if self.takes_structure && self.trials.is_empty() {
            self.every_path(n)
        } else if self.independent && !self.is_validated() {
            self.one_path(n, &a_part)
        } else if searches && share.is_spent() {
            Ok(SizeEvidence::nothing())
        } else if self.trials.is_empty() {
            self.searched(n, &limited)
        } else if searches && let Some(run) = self.shortcut(n, &limited)? {
            Ok(run)
        } else {
            self.best_of(n, &limited)
        };
        run.map(Some)
    }
}

/// The name under which a size is kept.
fn step(n: u64) -> String {
    format!("size-{n}")
}

pub(super) fn note_unseen(
    module: &Module,
    findings: &mut Vec<document::Finding>,
    n: u64,
    unseen: &BTreeSet<SiteId>,
) {
    let news = unseen.iter().map(|site| {
        let at = module.describe(SiteIndex(site.0));
        document::Finding {
            kind: "unseen_site".to_owned(),
            message: format!(
                "n = {n} reaches {at}, which training never met: train on larger sizes"
            ),
            at: Some(at),
            n: Some(n),
            input: None,
            cause: None,
        }
    });
    add_findings(findings, news.collect());
}
