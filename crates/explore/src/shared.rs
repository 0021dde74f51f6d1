//! A tree that is shared out among threads, and walked in as many goes as there are budgets for it.

use crate::budget::{Budget, Cut};
use crate::explorer::{Explorer, Job, Options};
use crate::job::Plan;
use crate::observer::Observer;
use crate::outcome::Outcome;
use crate::parts::{TreePart, TreeParts};
use crate::threads::side_by_side;
use pessimum_learn::Guide;
use pessimum_machine::LoadError;
use std::sync::{Mutex, PoisonError};

/// Open decisions above which one thread walks alone.
const SPLIT_DEPTH: u32 = 7;

/// The subtrees of a tree. They, and the work of each, are the same for any number of workers.
pub(crate) struct Shared<O> {
    jobs: Vec<Job>,
    /// What was found in each, if it was walked.
    parts: Vec<Option<(Outcome, O)>>,
    /// What was found below the last of them, and who watched what is above them all.
    last: Outcome,
    first: Option<O>,
    /// Work that was done before anything was shared out, and to share it out.
    before: u64,
    shallow: u64,
    /// Work in the order of the tree beyond which parts do not count.
    limit: u64,
    threads: usize,
}

impl<O: Observer + Send> Shared<O> {
    /// A shallow walk leaves its subtrees as jobs. `before` is the work that was done already.
    pub(crate) fn new<'g, G: Guide + 'g>(
        plan: &Plan,
        explorer: &impl Fn(Options) -> Result<Explorer<'g, G, O>, LoadError>,
        before: u64,
    ) -> Result<Shared<O>, LoadError> {
        let options = Options { split_depth: Some(SPLIT_DEPTH), ..plan.options.clone() };
        let (jobs, last, first) = explorer(options)?.run_parts();
        let shallow = jobs.iter().map(|job| job.before.work).sum::<u64>() + last.work;
        let threads = plan.workers.min(jobs.len()).max(1);
        let parts = jobs.iter().map(|_| None).collect();
        let first = Some(first);
        Ok(Shared { jobs, parts, last, first, before, shallow, limit: 0, threads })
    }

    /// Walks what was not walked to its end yet, until the work in the order of the tree exceeds the limit. Whether
    /// nothing is left that a greater limit would let through.
    pub(crate) fn walk<'g, G: Guide + Sync + 'g>(
        &mut self,
        plan: &Plan,
        explorer: &(impl Fn(Options) -> Result<Explorer<'g, G, O>, LoadError> + Sync),
        limit: Option<u64>,
    ) -> Result<bool, LoadError> {
        self.limit = limit.unwrap_or(u64::MAX);
        let budget = Budget { work: limit, ..plan.options.budget.clone() };
        let in_order = InOrder::new(self.start(), self.jobs.len());
        for (i, part) in self.parts.iter_mut().enumerate() {
            match part {
                Some((found, _)) if found.cut_by == Some(Cut::Work) => *part = None,
                Some((found, _)) => in_order.done(i, found.work),
                None => {}
            }
        }
        let missing: Vec<usize> =
            (0..self.jobs.len()).filter(|i| self.parts[*i].is_none()).collect();
        let jobs = &self.jobs;
        let results = side_by_side(self.threads, missing.len(), |k| {
            let i = missing[k];
            // What comes after the limit is left out, whoever is asked for it.
            if in_order.before(i) > self.limit {
                return None;
            }
            let (prefix, budget) = (jobs[i].prefix.clone(), budget.clone());
            let result = explorer(Options { prefix, budget, ..plan.options.clone() });
            let result = result.map(Explorer::run);
            in_order.done(i, result.as_ref().map_or(0, |(part, _)| part.work));
            Some(result)
        });
        for (i, result) in missing.into_iter().zip(results) {
            self.parts[i] = result.transpose()?;
        }
        Ok(self.is_done())
    }
}

impl<O> Shared<O> {
    /// The same tree, before any part of it was walked, for whom something else is kept of each.
    pub(crate) fn map<P>(self, keep: impl Fn(O) -> P) -> Shared<P> {
        let Shared { jobs, last, before, shallow, limit, threads, .. } = self;
        let parts = jobs.iter().map(|_| None).collect();
        let first = self.first.map(keep);
        Shared { jobs, parts, last, first, before, shallow, limit, threads }
    }

    /// Whether all parts were walked, and all count.
    fn is_done(&self) -> bool {
        let mut spent = self.start();
        self.parts.iter().all(|part| {
            let counts = spent <= self.limit;
            let Some((found, _)) = part else { return false };
            spent = spent.saturating_add(found.work);
            counts && found.cut_by != Some(Cut::Work)
        })
    }

    /// Work that was done in vain, if all is to be walked on: of the first part that the limit cut off.
    pub(crate) fn lost(&self) -> u64 {
        let mut spent = self.start();
        for (found, _) in self.parts.iter().flatten() {
            if spent > self.limit || found.cut_by == Some(Cut::Work) {
                return if spent > self.limit { 0 } else { found.work };
            }
            spent = spent.saturating_add(found.work);
        }
        0
    }

    /// The parts, for others to walk, of which those beyond a limit do not count.
    pub(crate) fn parts(&mut self, limit: Option<u64>) -> TreeParts {
        self.limit = limit.unwrap_or(u64::MAX);
        let part = |job: &Job| TreePart::new(job.prefix.clone(), job.digest);
        TreeParts::new(self.jobs.iter().map(part).collect(), self.start(), limit)
    }

    /// Takes in what others have found in each part.
    pub(crate) fn put(&mut self, parts: Vec<Option<(Outcome, O)>>) {
        self.parts.iter_mut().zip(parts).for_each(|(part, found)| *part = found);
    }

    /// What was found, in the order of the tree, up to the limit. Nothing is left behind.
    pub(crate) fn take(&mut self, max_tests: usize) -> (Outcome, Vec<O>) {
        let mut spent = self.start();
        let mut outcome = Outcome::new();
        outcome.threads = self.threads;
        outcome.work = self.before;
        let mut observers: Vec<O> = self.first.take().into_iter().collect();
        for (job, part) in self.jobs.drain(..).zip(self.parts.drain(..)) {
            outcome.merge(job.before, max_tests);
            if spent > self.limit {
                outcome.complete = false;
                outcome.cut_by.get_or_insert(Cut::Work);
                continue;
            }
            match part {
                Some((part, observer)) => {
                    spent = spent.saturating_add(part.work);
                    outcome.merge(part, max_tests);
                    observers.push(observer);
                }
                None => outcome.complete = false,
            }
        }
        outcome.merge(std::mem::take(&mut self.last), max_tests);
        (outcome, observers)
    }

    fn start(&self) -> u64 {
        self.before.saturating_add(self.shallow)
    }
}

/// The work of parts that are done in any order, added up in theirs.
struct InOrder {
    start: u64,
    done: Mutex<Vec<Option<u64>>>,
}

impl InOrder {
    fn new(start: u64, parts: usize) -> InOrder {
        InOrder { start, done: Mutex::new(vec![None; parts]) }
    }

    fn done(&self, part: usize, work: u64) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)[part] = Some(work);
    }

    /// The work before a part, as far as it is known.
    fn before(&self, part: usize) -> u64 {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done[..part].iter().flatten().fold(self.start, |sum, work| sum.saturating_add(*work))
    }
}
