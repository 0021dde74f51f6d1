//! The strategies for the worst case of one size: policies, synthesis, searches, every path.

use super::Analysis;
use super::is_from_outside;
use super::job::{Job, Ran};
use crate::candidates::{self, Guided};
use crate::error::Error;
use crate::evidence::{Cut, Method, SizeEvidence, cut};
use crate::schedule::{EVOLVED_AT, Part, cut_by_now, one_of, one_search, one_search_with_terms};
use pessimum_clock::Instant;
use pessimum_entry::{CostModel, InputValues, Slot};
use pessimum_explore::{self as explore, Budget, Options, Outcome, PathTest, Witness};
use pessimum_learn::{Guide, Unguided};
use pessimum_machine::End;
use pessimum_search::{
    Aim, AtSize, Effort, Ends, Mutator, Pattern, START, SearchPlan, Searched, search,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Paths that a search follows.
const SEARCH_STEPS: u64 = 60;

/// Searches that have to fit into the time that is left, however slow the machine is.
const SEARCHES_LEFT: u32 = 12;

/// Runs that a search makes where there is little doubt.
const RUNS_IF_SURE: u64 = 100;

/// Paths a guided run follows before it settles for the worst it saw.
pub(super) const GUIDED_PATHS: u64 = 20_000;

/// Patterns that were evolved, as they are kept.
#[derive(Serialize, Deserialize)]
struct EvolvedPatterns {
    patterns: Vec<Pattern>,
    ran: Ran,
}

/// A round of evolving that is to be made, by whom it may be.
pub(super) struct Evolving {
    pairs: Vec<[AtSize; 2]>,
    instructions: u64,
    seed: u64,
    /// Of the time that is left when it is made, it may take a part.
    budget: Budget,
}

/// What a round of evolving came to.
pub(super) struct Evolved {
    /// The inputs it began with, and the patterns that were found.
    mutator: Box<Mutator>,
    ran: Ran,
    /// Whether it was not stopped.
    is_whole: bool,
}

impl Evolving {
    /// Evolves the patterns of this.
    pub(super) fn evolve(&self, mut mutator: Mutator) -> Result<Evolved, Error> {
        let Evolving { pairs, instructions, seed, budget } = self;
        let part = one_of(budget, 3);
        let done = mutator.evolve(pairs, *instructions, *seed, &part)?;
        let ran = Ran { runs: done.runs, instructions: done.instructions };
        Ok(Evolved { mutator: Box::new(mutator), ran, is_whole: cut_by_now(&part).is_none() })
    }
}

/// The name under which the patterns of a round are kept.
fn step_of(round: u32) -> String {
    format!("patterns-{round}")
}

/// How hard a size is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doubt {
    /// What the user gave is run, and nothing else.
    None,
    /// The likeliest inputs: those that neighbours suggest.
    Little,
    /// Everything the search knows, for the first time.
    First,
    /// The same again, with other luck and what was found since, for so many instructions.
    Again(u64),
    /// For so many instructions.
    Attack(u64),
    /// The costliest input, whatever it looks like, for so many instructions; the time is for so many sizes.
    Hunt { instructions: u64, left: usize },
}

impl Job {
    /// Puts a costlier input in the place of what was found, if one can be found by running; says
    /// whether it was.
    pub(super) fn search_by_running(
        &mut self,
        n: u64,
        run: &mut SizeEvidence,
        doubt: Doubt,
    ) -> Result<bool, Error> {
        let begun = Instant::now();
        let words = self.mutator.dictionary().words().len();
        let at = self.target.at(n)?;
        if let Some(worst) = run.worst() {
            self.mutator.note(&at, worst)?;
        }
        let first = self.instructions_of_a_search();
        let longest = run.worst().map_or(0, |worst| worst.instructions);
        let (instructions, vary, round) = match doubt {
            Doubt::None => (0, false, 0),
            Doubt::Little => (first.min(RUNS_IF_SURE * (START + longest)), false, 0),
            Doubt::First => (first, true, 0),
            Doubt::Again(instructions) => (instructions, true, 1),
            Doubt::Attack(instructions) => (instructions, true, u64::MAX),
            Doubt::Hunt { instructions, .. } => (instructions, true, 2),
        };
        // Work that somebody measured out ends everything; without, a hunt takes the time that it was given.
        let (aim, ends) = match (doubt, self.options.effort) {
            (Doubt::Hunt { .. }, None) => (Aim::Worst, Ends::WithTime),
            (Doubt::Hunt { .. }, Some(_)) => (Aim::Worst, Ends::WithWork),
            _ => (Aim::Growth, Ends::WithWork),
        };
        let effort = Effort { instructions, vary, round, aim, ends };
        // What is done last may take the time that is left.
        let part = match doubt {
            Doubt::Attack(_) => one_of(&self.budget, 2),
            Doubt::Hunt { left, .. } => one_of(&self.budget, left as u32),
            _ => one_of(&self.budget, SEARCHES_LEFT),
        };
        let searched = self.mutator.search(&at, effort, self.options.seed, &part)?;
        self.note_runs(&searched, run.worst_cost());
        let test = searched.best;
        // The end of what has no other end is no cut.
        if let Some(cut) =
            cut_by_now(&part).filter(|cut| ends == Ends::WithWork || *cut != Cut::Time)
        {
            run.cut_short(cut);
            self.cut_by = Some(cut);
        }
        run.took(begun.elapsed().as_secs_f64());
        let better = |t: &PathTest| run.worst_cost().is_none_or(|cost| t.cost > cost);
        let better = test.filter(better);
        let surpassed = better.is_some();
        if let Some(test) = better {
            run.surpass(test);
            self.trust_less(run);
        }
        // Later sizes learn from what is reported, which is what a run that goes on from here has.
        self.mutator.dictionary().forget(words);
        if let Some(input) = run.worst().and_then(|worst| worst.input.as_ref()) {
            self.mutator.dictionary().learn(input);
        }
        Ok(surpassed)
    }

    /// Evolves patterns by so many instructions: first, again where nothing can be claimed, in an attack, and on and on, by
    /// the number of the round. Every search from now on begins with what is found.
    pub(super) fn evolve(&mut self, round: u32, instructions: u64) -> Result<(), Error> {
        let evolved = match self.evolving(round, instructions) {
            Some(evolving) => Some(evolving.evolve(std::mem::take(&mut self.mutator))?),
            None => None,
        };
        self.take_evolved(round, evolved);
        Ok(())
    }

    /// What evolving patterns in a round begins with; nothing where an earlier run of the same analysis has done so.
    pub(super) fn evolving(&self, round: u32, instructions: u64) -> Option<Evolving> {
        if self.recall::<EvolvedPatterns>(&step_of(round)).is_some() {
            return None;
        }
        let mut pairs: Vec<[AtSize; 2]> = Vec::new();
        for [small, large] in EVOLVED_AT {
            // The call may have no meaning at every size.
            let (Ok(small), Ok(large)) = (self.target.at(small), self.target.at(large)) else {
                break;
            };
            pairs.push([(*small).clone(), (*large).clone()]);
        }
        let seed = self.options.seed ^ u64::from(round).rotate_right(8);
        Some(Evolving { pairs, instructions, seed, budget: self.budget.clone() })
    }

    /// Takes in the patterns of a round, or takes up what an earlier run has kept of it.
    pub(super) fn take_evolved(&mut self, round: u32, evolved: Option<Evolved>) {
        let kept = match evolved {
            Some(Evolved { mutator, ran, is_whole }) => {
                let kept = EvolvedPatterns { patterns: mutator.patterns().to_vec(), ran };
                self.mutator = *mutator;
                if is_whole {
                    self.keep(&step_of(round), &kept);
                }
                Some(kept)
            }
            None => self.recall::<EvolvedPatterns>(&step_of(round)),
        };
        if let Some(kept) = kept {
            self.ran.add(kept.ran);
            self.mutator.set_patterns(kept.patterns);
        }
    }

    /// Instructions that one search by running may execute.
    pub(super) fn instructions_of_a_search(&self) -> u64 {
        let effort = self.options.effort_or_time();
        // Where no policy takes the part for following, searches have it.
        let idle = if self.trials.is_empty() { Part::Following.of(effort) } else { Duration::ZERO };
        one_search(effort, Part::Searching, idle + self.unproven / 2)
    }

    /// A policy that leads to its end, and to less than was found, is not to be trusted.
    pub(super) fn trust_less(&mut self, size: &SizeEvidence) {
        let surpassed = size.was_searched() && size.walk().complete;
        if let Some(best) = self.trials.first_mut().filter(|_| surpassed) {
            best.policy.validated = false;
        }
    }

    /// Counts what a search ran. Two costs at one size show that the input matters; a run that was
    /// stopped agrees with none.
    fn note_runs(&mut self, searched: &Searched, known: Option<u64>) {
        self.ran.runs += searched.runs;
        self.ran.instructions += searched.instructions;
        let agree = match searched.costs {
            Some((least, most)) => least == most && known.is_none_or(|cost| cost == most),
            None => true,
        };
        if !agree || searched.unended > 0 {
            self.independent = false;
        }
    }

    /// Whether runs as long as the worst of these are too few in a search for it to tell anything.
    pub(super) fn is_too_long_to_search(&self, size: &SizeEvidence) -> bool {
        let longest = size.worst().map_or(u64::MAX, |worst| worst.instructions);
        longest.saturating_mul(RUNS_IF_SURE) > self.instructions_of_a_search()
    }

    fn guided(
        &self,
        n: u64,
        guide: &(dyn Guide + Send + Sync),
        budget: Budget,
    ) -> Result<Guided, Error> {
        candidates::guided_on(&self.target, n, guide, budget, self.options.workers)
    }

    /// Follows the best policy at a size. The sizes that come next are followed at the same time: they are kept until they are
    /// asked for, and taken if what they may take then would have led the same way.
    fn follow_best(&mut self, n: u64, budget: Budget) -> Result<Guided, Error> {
        if let Some((given, Ok(run))) = self.followed.remove(&n)
            && !run.outcome.cut_by.is_some_and(|by| is_from_outside(cut(by)))
            && budget.leads_as(&given, run.outcome.work)
        {
            return Ok(run);
        }
        let next =
            self.coming.iter().copied().filter(|m| {
                *m > n && !self.found.contains_key(m) && !self.followed.contains_key(m)
            });
        let next = next.take_while(|m| self.is_worth_following(*m));
        let sizes: Vec<u64> = [n].into_iter().chain(next.take(self.options.workers - 1)).collect();
        let guide = self.trials[0].policy.guide();
        let runs = self.target.each(sizes.len(), |i| {
            candidates::guided(&self.target, sizes[i], &*guide, budget.clone())
        });
        let mut runs = sizes.into_iter().zip(runs);
        let first = runs.next().map(|(_, run)| run);
        self.followed.extend(runs.map(|(m, run)| (m, (budget.clone(), run))));
        first.unwrap_or_else(|| Err(Error::Usage("no policy to follow".to_owned())))
    }

    /// The costliest run of the best policies; the second only where the first was cut.
    pub(super) fn best_of(&mut self, n: u64, budget: &Budget) -> Result<SizeEvidence, Error> {
        let mut best: Option<SizeEvidence> = None;
        let (mut seconds, mut work) = (0.0, 0u64);
        for rank in 0..self.trials.len() {
            let left = budget.work.map(|limit| limit.saturating_sub(work));
            let paths = Some(self.options.max_paths.unwrap_or(GUIDED_PATHS));
            let limited = Budget { work: left, paths, ..budget.clone() };
            let run = match rank {
                0 => self.follow_best(n, limited)?,
                _ => self.guided(n, &*self.trials[rank].policy.guide(), limited)?,
            };
            let trial = &self.trials[rank];
            seconds += run.seconds;
            work = work.saturating_add(run.outcome.work);
            let complete = run.outcome.complete && run.outcome.worst.is_some();
            // What one of the other policies finds speaks for none of them.
            let validated = rank == 0 && trial.policy.validated;
            let found =
                SizeEvidence::followed(run.outcome, trial.policy.method(), validated, run.seconds);
            if best.as_ref().is_none_or(|b| found.worst_cost() > b.worst_cost()) {
                best = Some(found);
            }
            let spent = budget.work.is_some_and(|limit| work >= limit);
            if complete || spent || cut_by_now(budget).is_some() {
                break;
            }
        }
        let mut best = best.ok_or_else(|| Error::Usage("no policy to follow".to_owned()))?;
        best.took(seconds - best.seconds());
        Ok(best)
    }

    /// Where nothing could be learned: a search, whose result is a lower bound.
    pub(super) fn searched(&self, n: u64, budget: &Budget) -> Result<SizeEvidence, Error> {
        let begun = Instant::now();
        let work = one_search_with_terms(self.options.effort_or_time())
            .min(budget.work.unwrap_or(u64::MAX));
        let limited = Budget { work: Some(work), ..budget.clone() };
        let Analysis { seed, seeds, .. } = &self.options;
        let options = Options { budget: limited, ..Options::default() };
        let plan = self.target.plan(n, options, 1)?;
        let how = SearchPlan { n, steps: SEARCH_STEPS, seed: *seed, seeds };
        let outcome = search(&plan, how)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(SizeEvidence::searched(outcome, seconds))
    }

    /// Every path of a size, as far as the budget goes.
    pub(super) fn every_path(&self, n: u64) -> Result<SizeEvidence, Error> {
        let budget = Budget { paths: self.options.max_paths, ..self.budget.clone() };
        let run = self.guided(n, &Unguided, budget)?;
        Ok(SizeEvidence::explored(run.outcome, run.seconds))
    }

    /// Where the cost does not depend on the input: all paths if they do not become more with the
    /// size, else any one.
    pub(super) fn one_path(&self, n: u64, budget: &Budget) -> Result<SizeEvidence, Error> {
        let explored = self.found.values().rev().filter(|f| f.claim().is_exact());
        // Where states were merged there are more paths than anyone could follow.
        let followed = explored.filter(|f| f.method() != Method::Merged);
        let merged = self.found.values().any(|f| f.method() == Method::Merged);
        let mut largest = followed.map(|f| f.walk().paths);
        let paths = largest.next().unwrap_or(1).max(1);
        let grows = merged || largest.next().is_some_and(|before| before < paths);
        // To run one costs a thousandth of what it takes to follow it with terms.
        if grows && let Some(found) = self.one_run(n)? {
            return Ok(found);
        }
        let budget = Budget { paths: Some(paths), ..budget.clone() };
        let mut run = self.guided(n, &Unguided, budget)?;
        // One path is what was wanted; nobody set a limit.
        if self.options.max_paths.is_none() {
            run.outcome.cut_by = run.outcome.cut_by.filter(|cut| *cut != explore::Cut::Paths);
        }
        Ok(match run.outcome.complete {
            true => SizeEvidence::explored(run.outcome, run.seconds),
            false => SizeEvidence::searched(run.outcome, run.seconds),
        })
    }

    /// A run whose inputs are all zero; none where that is no input, or its cost cannot be counted.
    fn one_run(&self, n: u64) -> Result<Option<SizeEvidence>, Error> {
        if self.takes_structure || self.options.cost == CostModel::Decisions {
            return Ok(None);
        }
        let begun = Instant::now();
        let at = self.target.at(n)?;
        let slots = at.setup.invocation.slots();
        let input: InputValues = slots.into_iter().map(|slot| (slot, 0)).collect();
        let admitted = |(slot, bits): &(Slot, u64)| slot.admits(*bits);
        if !input.iter().all(admitted) {
            return Ok(None);
        }
        let Ok((end, machine)) = at.run(input) else {
            return Ok(None);
        };
        let ended = matches!(end, End::Return | End::Exit(_));
        let Some(input) = machine.taken().filter(|taken| ended && taken.iter().all(admitted))
        else {
            return Ok(None);
        };
        let counters = machine.counters();
        let test = PathTest::of_run(input, counters);
        let mut outcome = Outcome::of_one_path(Witness { test, path: Vec::new() });
        outcome.work = counters.all_instructions;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Some(SizeEvidence::searched(outcome, seconds)))
    }
}
