//! An analysis while it runs: what it was asked, and what it has found so far.

use super::ladder::{between, beyond, ladder, ladder_in_full};
use super::{Analysis, AnalysisResult, PolicyChoice, SIZES_OF_A_STAGE, independent_of_input};
use crate::candidates::Trial;
use crate::climb::Climber;
use crate::confirm::Confirmer;
use crate::error::Error;
use crate::findings::{arguments_at_risk, assumed_call, describe};
use crate::kept::Kept;
use crate::train::WORK_PER_SECOND;
use pessimum_explore::{Budget, Outcome};
use pessimum_fit::{Confidence, Point, fit};
use pessimum_machine::Module;
use pessimum_report::document;
use pessimum_synth::{Model, WhyNot};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A running analysis.
pub(super) struct Job {
    pub(super) asked: Analysis,
    pub(super) module: Arc<Module>,
    /// The module with the cost that is learned from.
    pub(super) learned_from: Arc<Module>,
    /// Runs what is to be reported in an engine that is not ours.
    pub(super) confirmer: Confirmer,
    /// Of the whole run.
    pub(super) budget: Budget,
    /// Whether the call passes a structure.
    pub(super) over: bool,
    /// Whether the cost depends on nothing but the size.
    pub(super) independent: bool,
    /// Whether the size at which training ended, though unfinished, shows that the cost depends on the input.
    pub(super) depends: bool,
    pub(super) trials: Vec<Trial>,
    /// The last size at which something new was met and learned.
    pub(super) stage_from: Option<u64>,
    pub(super) found: BTreeMap<u64, Found>,
    pub(super) findings: Vec<document::Finding>,
    pub(super) cut_by: Option<String>,
    /// Whether following a policy took more time than it was given.
    pub(super) is_late: bool,
    /// The synthesised model, once it was asked for.
    pub(super) model: Option<Result<Model, WhyNot>>,
    /// Costly inputs found so far, from which larger ones are made.
    pub(super) climber: Climber,
    /// The answers that were told, for whoever watches.
    pub(super) told: BTreeMap<u64, Point>,
    kept: Option<Kept>,
}

/// One size on its way to the document.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) outcome: Outcome,
    pub(super) method: Cow<'static, str>,
    pub(super) exact: bool,
    pub(super) seconds: f64,
}

impl Found {
    /// A size nobody has looked at.
    pub(super) fn nothing() -> Found {
        Found { outcome: Outcome::default(), method: "search".into(), exact: false, seconds: 0.0 }
    }
}

impl Job {
    /// Errors of the call come from here, before any work.
    pub(super) fn new(asked: Analysis) -> Result<Job, Error> {
        let budget = Budget {
            deadline: Some(Instant::now() + asked.time),
            memory: asked.memory,
            cancel: asked.cancel.clone(),
            ..Budget::default()
        };
        let module = asked.program.module(&asked.cost)?;
        let learned_from = match &asked.learn_cost {
            Some(cost) => asked.program.module(cost)?,
            None => Arc::clone(&module),
        };
        let first = asked.sizes.iter().flatten().copied().min().unwrap_or(1);
        asked.program.setup(first)?;
        let over = asked.program.structure()?.is_some();
        if over && matches!(asked.policy, PolicyChoice::Synth) {
            let why = "--policy synth writes down path conditions, not structures: leave it out for a call that passes one";
            return Err(Error::Usage(why.to_owned()));
        }
        let kept = match &asked.save {
            Some(folder) => Some(Kept::new(folder.clone(), asked.identity()?)),
            None => None,
        };
        let risk = arguments_at_risk(&asked.program)?;
        let findings = assumed_call(&asked.program)?.into_iter().chain(risk).collect();
        let confirmer = Confirmer::new(&asked.program, &module)?;
        Ok(Job {
            asked,
            confirmer,
            module,
            learned_from,
            budget,
            over,
            independent: false,
            depends: false,
            trials: Vec::new(),
            stage_from: None,
            found: BTreeMap::new(),
            findings,
            cut_by: None,
            is_late: false,
            model: None,
            climber: Climber::default(),
            told: BTreeMap::new(),
            kept,
        })
    }

    /// Trains, learns, generates and finishes.
    pub(super) fn run(mut self) -> Result<AnalysisResult, Error> {
        // No policy says which shapes to leave out: every size is explored in full.
        let kinds = if self.over { Vec::new() } else { self.asked.kinds() };
        let told = self.over || self.asked.train.is_some() || self.asked.train_budget.is_some();
        let a_part = if told { self.budget.clone() } else { a_part_of(&self.budget) };
        let trained = self.training(&kinds, &a_part)?;
        self.note_training(&trained)?;
        self.independent = !self.depends && independent_of_input(&trained);
        let mut sizes = self.asked.sizes.clone().unwrap_or_else(|| match self.over {
            true => ladder_in_full(&trained, work_of(self.asked.effort_or_time())),
            false => ladder(&trained),
        });
        if !self.independent {
            let largest = sizes.iter().copied().max().unwrap_or(0);
            self.learning(&kinds, &trained, largest)?;
        }
        drop(trained);
        self.generate_until_told(&mut sizes)?;
        self.finish(&sizes)
    }

    /// Generates the sizes, and others where a fit needs them. Those beyond the ladder of our own
    /// are added to the sizes to report.
    fn generate_until_told(&mut self, sizes: &mut Vec<u64>) -> Result<(), Error> {
        let own = self.asked.sizes.is_none();
        let mut next = Some((sizes.clone(), !own));
        let mut tried: BTreeSet<u64> = BTreeSet::new();
        while let Some((now, asked)) = next.take() {
            tried.extend(&now);
            self.generate(&now, asked)?;
            if cut_by_now(&self.budget).is_some() {
                break;
            }
            let fit = fit(&self.points());
            let too_few = fit.confidence == Confidence::TooFewSizes;
            let mut more = match asked {
                true if !fit.is_exact() => between(&self.found, self.stage_from),
                _ if too_few => between(&self.found, self.stage_from),
                false if own && fit.confidence == Confidence::Unsure => {
                    let beyond = beyond(&self.found);
                    sizes.extend(&beyond);
                    beyond
                }
                _ => Vec::new(),
            };
            more.retain(|n| !tried.contains(n));
            next = (!more.is_empty()).then_some((more, false));
        }
        self.search_again()
    }

    /// What an exploration of size `n` noticed, in the words of the reports.
    pub(super) fn described(
        &self,
        n: u64,
        outcome: &Outcome,
    ) -> Result<Vec<document::Finding>, Error> {
        describe(&self.asked.program, &self.module, &self.confirmer, n, outcome)
    }

    /// What was found so far, for a fit.
    pub(super) fn points(&self) -> Vec<Point> {
        let beyond = |from: &u64| self.found.range(from..).count() >= SIZES_OF_A_STAGE;
        let from = self.stage_from.filter(beyond).unwrap_or(0);
        let points = self.found.range(from..).filter_map(|(&n, size)| {
            let cost = size.outcome.worst_cost()?;
            Some(if size.exact { Point::exact(n, cost) } else { Point::reached(n, cost) })
        });
        points.collect()
    }

    /// What an earlier run of the same analysis has kept of a step.
    pub(super) fn recall<T: for<'a> Deserialize<'a>>(&self, step: &str) -> Option<T> {
        self.kept.as_ref()?.recall(step)
    }

    pub(super) fn keep<T: Serialize>(&self, step: &str, done: &T) {
        if let Some(kept) = &self.kept {
            kept.keep(step, done);
        }
    }

    /// That steps could not be kept, if so.
    pub(super) fn unkept(&self) -> Option<document::Finding> {
        let why = self.kept.as_ref()?.failure()?;
        Some(document::Finding {
            kind: "not_kept".to_owned(),
            message: format!(
                "{why}; what was not kept is done again by a run that goes on from there"
            ),
            at: None,
            n: None,
            input: None,
        })
    }

    pub(super) fn learn_words(&mut self, outcome: &Outcome) {
        for input in outcome.tests.iter().filter_map(|test| test.input.as_ref()) {
            self.climber.learn_words(input);
        }
    }
}

/// A time in units of work.
pub(super) fn work_of(time: Duration) -> u64 {
    (time.as_millis() as u64).saturating_mul(WORK_PER_SECOND / 1000)
}

/// Adds findings of which there is none at the same place yet.
pub(super) fn add_findings(all: &mut Vec<document::Finding>, new: Vec<document::Finding>) {
    for finding in new {
        if !all.iter().any(|f| f.kind == finding.kind && f.at == finding.at) {
            all.push(finding);
        }
    }
}

/// A budget that ends when a third of the time that is left has passed: on a slow machine the work
/// for what comes first must not take the time of all the rest.
pub(super) fn a_part_of(budget: &Budget) -> Budget {
    one_of(budget, 3)
}

/// A budget for the first of so many steps of equal length.
pub(super) fn one_of(budget: &Budget, steps: u32) -> Budget {
    let now = Instant::now();
    let deadline = budget.deadline.map(|d| now + d.saturating_duration_since(now) / steps);
    Budget { deadline, ..budget.clone() }
}

/// What ends the run at this moment, if anything.
pub(super) fn cut_by_now(budget: &Budget) -> Option<&'static str> {
    if budget.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed)) {
        return Some("interrupt");
    }
    budget.deadline.is_some_and(|d| Instant::now() >= d).then_some("time")
}
