//! An analysis while it runs: what it was asked, and what it has found so far.

use super::proving::Ascent;
use super::{Analysis, AnalysisResult, PolicyChoice, independent_of_input};
use crate::candidates::{Guided, Trial};
use crate::checkpoint::Checkpoint;
use crate::confirm::Confirmer;
use crate::error::Error;
use crate::evidence::{Cut, Mismatch, SizeEvidence};
use crate::findings::{arguments_at_risk, assumed_call, contradiction, describe};
use crate::judge::{Evidence, SizeClaim, bound, told};
use crate::schedule::{
    Ending, Share, a_part_of, between, beyond, but_the_family, cut_by_now, evolving, ladder,
    ladder_in_full, work_of,
};
use crate::target::Target;
use pessimum_clock::{Deadline, Instant};
use pessimum_explore::{Budget, Outcome};
use pessimum_fit::{Class, Confidence, Fit, Point, fit, has_law};
use pessimum_report::document::{self, Bound, Refuting};
use pessimum_search::{Family, Mutator, Sample};
use pessimum_synth::{Model, WhyNot};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Lengths of texts in a module that may be keywords of its input.
const KEYWORD: (usize, usize) = (2, 12);

/// A running analysis.
pub(super) struct Job {
    pub(super) options: Analysis,
    /// The program, priced for what is reported.
    pub(super) target: Arc<Target>,
    /// The program, priced for what is learned from.
    pub(super) lesson: Arc<Target>,
    /// Runs what is to be reported in an engine that is not ours.
    pub(super) confirmer: Confirmer,
    /// Of the whole run.
    pub(super) budget: Budget,
    /// How far proofs have come.
    pub(super) ascent: Ascent,
    /// What is left of the part for proofs, which others may use.
    pub(super) unproven: Duration,
    /// Whether exact sizes alone tell class and formula.
    pub(super) is_told: bool,
    /// Whether the call passes a structure.
    pub(super) takes_structure: bool,
    /// Whether the cost depends on nothing but the size.
    pub(super) independent: bool,
    /// Whether the size at which training ended, though unfinished, shows that the cost depends on the input.
    pub(super) depends: bool,
    pub(super) trials: Vec<Trial>,
    /// The sizes that are generated one after the other, and what following the best policy at some of them came to before
    /// they were asked for, with what it was given.
    pub(super) coming: Vec<u64>,
    pub(super) followed: BTreeMap<u64, (Budget, Result<Guided, Error>)>,
    /// What is left for following policies at sizes of our own, once some were.
    pub(super) following: Option<Share>,
    /// The last size at which something new was met and learned.
    pub(super) stage_from: Option<u64>,
    pub(super) found: BTreeMap<u64, SizeEvidence>,
    pub(super) findings: Vec<document::Finding>,
    /// Sizes at which less was found than at smaller ones.
    pub(super) starved: BTreeSet<u64>,
    /// Whether the rule of all sizes misses costs that were seen at others, and is no exact one.
    pub(super) missed: bool,
    pub(super) cut_by: Option<Cut>,
    /// Whether the two engines disagree on an input.
    pub(super) disagreed: bool,
    /// Whether following a policy took more time than it was given.
    pub(super) is_late: bool,
    /// The synthesised model, once it was asked for.
    pub(super) model: Option<Result<Model, WhyNot>>,
    /// Costly inputs found so far, from which larger ones are made.
    pub(super) mutator: Mutator,
    /// Inputs that were run in searches.
    pub(super) ran: Ran,
    /// What random inputs cost, by size.
    pub(super) samples: BTreeMap<u64, Option<Sample>>,
    /// The search that tried to refute the claim, where one was made.
    pub(super) refuting: Option<Refuting>,
    /// The family of inputs that growth is read from, where costs were only reached.
    pub(super) family: Option<Family>,
    /// The answers that were told, for whoever watches.
    pub(super) told: BTreeMap<u64, SizeClaim>,
    /// The class of what was told, and of how many sizes it is made out again.
    pub(super) class_so_far: Option<Class>,
    pub(super) class_told_at: usize,
    /// The exact rule that foretold the last size.
    pub(super) rule: Option<Fit>,
    checkpoint: Option<Checkpoint>,
}

impl Job {
    /// Errors of the call come from here, before any work.
    pub(super) fn new(options: Analysis) -> Result<Job, Error> {
        let mut deadline = Deadline::at(Instant::now() + options.time);
        if let Some(cancel) = &options.cancel {
            deadline = deadline.or_when(Arc::clone(cancel));
        }
        let budget = Budget { deadline, memory: options.memory, ..Budget::default() };
        let ending = Ending::from_now(&budget, options.time).deadline();
        let until = options.cancel.iter().cloned().fold(ending, Deadline::or_when);
        let priced = |cost| -> Result<Arc<Target>, Error> {
            let target = Target::new(options.program.clone(), cost)?;
            Ok(Arc::new(target.until(until.clone()).on(options.workers)))
        };
        let target = priced(&options.cost)?;
        let lesson = match &options.learn_cost {
            Some(cost) => priced(cost)?,
            None => Arc::clone(&target),
        };
        let first = options.sizes.iter().flatten().copied().min().unwrap_or(1);
        target.at(first)?;
        let takes_structure = options.program.structure()?.is_some();
        if takes_structure && matches!(options.policy, PolicyChoice::Synth) {
            let why = "--policy synth writes down path conditions, not structures: leave it out for a call that passes one";
            return Err(Error::Usage(why.to_owned()));
        }
        let checkpoint = match &options.save {
            Some(folder) => Some(Checkpoint::new(folder.clone(), options.identity()?)),
            None => None,
        };
        let risk = arguments_at_risk(&options.program)?;
        let findings = assumed_call(&options.program)?.into_iter().chain(risk).collect();
        let confirmer = Confirmer::new(&options.program, target.module())?;
        let mut mutator = Mutator::with_workers(options.workers);
        let given = options.dictionary.iter().map(Vec::as_slice);
        for word in given.chain(target.module().texts(KEYWORD.0, KEYWORD.1)) {
            mutator.dictionary().add_token(word);
        }
        Ok(Job {
            options,
            confirmer,
            target,
            lesson,
            budget,
            ascent: Ascent::default(),
            unproven: Duration::ZERO,
            is_told: false,
            takes_structure,
            independent: false,
            depends: false,
            trials: Vec::new(),
            coming: Vec::new(),
            followed: BTreeMap::new(),
            following: None,
            stage_from: None,
            starved: BTreeSet::new(),
            missed: false,
            found: BTreeMap::new(),
            findings,
            cut_by: None,
            disagreed: false,
            is_late: false,
            model: None,
            mutator,
            ran: Ran::default(),
            samples: BTreeMap::new(),
            refuting: None,
            family: None,
            told: BTreeMap::new(),
            class_so_far: None,
            class_told_at: 0,
            rule: None,
            checkpoint,
        })
    }

    /// Trains, learns, generates and finishes.
    pub(super) fn run(mut self) -> Result<AnalysisResult, Error> {
        // No policy says which shapes to leave out: every size is explored in full.
        let kinds = if self.takes_structure { Vec::new() } else { self.options.kinds() };
        let told = self.takes_structure
            || self.options.train.is_some()
            || self.options.train_budget.is_some();
        let a_part = if told { self.budget.clone() } else { a_part_of(&self.budget) };
        let trained = self.training(&kinds, &a_part)?;
        self.note_training(&trained)?;
        self.independent = !self.depends && independent_of_input(&trained);
        let last = trained.last().map_or(0, |size| size.n);
        let proven = self.proving(last)?;
        let mut sizes = self.options.sizes.clone().unwrap_or_else(|| match self.takes_structure {
            true => ladder_in_full(&trained, work_of(self.options.effort_or_time())),
            false => ladder(&trained),
        });
        // Where every path costs the same there is nothing to prefer, but a single path at every size has no policy at all.
        if !self.independent || trained.iter().any(|size| size.outcome.paths > 1) {
            let largest = sizes.iter().copied().max().unwrap_or(0);
            self.learning(&kinds, &trained, largest)?;
        }
        drop(trained);
        self.is_told = self.is_told_by_proofs(last);
        let own = self.take_seeds()?;
        if self.options.sizes.is_none() {
            // A search beyond the proofs could only weaken what they say; the attack goes there.
            if self.is_told && !self.is_validated() {
                sizes.retain(|n| self.found.contains_key(n));
            }
            sizes.extend(&proven);
            sizes.extend(&own);
        }
        if self.searches() && !self.is_told && !self.is_validated() && !self.independent {
            self.evolve(0, evolving(self.options.effort_or_time(), false))?;
        }
        let whole = std::mem::take(&mut self.budget);
        self.budget = but_the_family(&whole);
        self.generate_until_told(&mut sizes)?;
        self.generate(&own, false)?;
        let compared = self.options.compared.clone();
        self.prove_compared(&compared)?;
        self.generate(&compared, true)?;
        sizes.extend(&compared);
        self.search_again()?;
        self.refute()?;
        self.budget = whole;
        self.leave_out_starved_sizes();
        self.choose_family()?;
        self.leave_out_starved_sizes();
        self.hunt()?;
        self.finish(&sizes)
    }

    /// Generates the sizes, and others where a fit needs them. Those beyond the ladder of our own
    /// are added to the sizes to report.
    fn generate_until_told(&mut self, sizes: &mut Vec<u64>) -> Result<(), Error> {
        let own = self.options.sizes.is_none();
        let mut next = Some((sizes.clone(), !own));
        let mut tried: BTreeSet<u64> = BTreeSet::new();
        while let Some((now, asked)) = next.take() {
            tried.extend(&now);
            match own || asked {
                true => self.generate(&now, asked)?,
                false => self.generate_beside(&now)?,
            }
            if cut_by_now(&self.budget).is_some() {
                break;
            }
            let (points, fit) = told(&self.evidence());
            let too_few = fit.confidence == Confidence::TooFewSizes;
            let unsure = fit.confidence == Confidence::Unsure;
            let mut more = match asked {
                true => self.between(fit.is_exact()),
                false if too_few => self.between(false),
                false => Vec::new(),
            };
            more.retain(|n| !tried.contains(n));
            // What the sizes of the ladder leave open, larger ones may tell; and costs that were merely reached
            // leave much open, whatever they look like.
            let reached = bound(&self.evidence()) == Bound::AtLeast;
            // Where inputs do not matter, larger sizes take little, and a curve that is no line may be another one there.
            let curve = self.independent && !fit.is_exact() && fit.class > Some(Class::Linear);
            let open = unsure || too_few || reached || curve || ends_with_a_jump(&points);
            if more.is_empty() && own && open {
                let largest = self.found.keys().next_back().copied().unwrap_or(0);
                more = beyond(largest);
                more.retain(|n| !tried.contains(n));
                sizes.extend(&more);
            }
            next = (!more.is_empty()).then_some((more, false));
        }
        Ok(())
    }

    /// Generates sizes that nobody asked for, beside those that somebody did, in a part of the time that is left: the
    /// rest is for a second look at those.
    fn generate_beside(&mut self, sizes: &[u64]) -> Result<(), Error> {
        let (whole, cut_by) = (self.budget.clone(), self.cut_by);
        self.budget = a_part_of(&whole);
        let done = self.generate(sizes, false);
        self.budget = whole;
        if cut_by_now(&self.budget).is_none() {
            self.cut_by = cut_by;
        }
        done
    }

    /// Takes in what the walk at a size noticed. An engine that disagrees on a trap takes the claim
    /// from the size.
    pub(super) fn note_findings(&mut self, n: u64, size: &mut SizeEvidence) -> Result<(), Error> {
        let described =
            describe(self.target.program(), &*self.target.at(n)?, &self.confirmer, size.walk())?;
        add_findings(&mut self.findings, described.findings);
        if let Some(mismatch) = described.mismatch {
            size.disagree(mismatch);
            self.disagreed = true;
        }
        Ok(())
    }

    /// An input costs more than the worst of all paths was said to cost: a bug of ours, which takes every
    /// claim.
    pub(super) fn contradict(&mut self, n: u64, size: &mut SizeEvidence, cost: u64) {
        let exact = size.worst_cost().unwrap_or(0);
        self.findings.push(contradiction(n, exact, cost));
        size.disagree(Mismatch::Cost { ours: exact, theirs: cost });
        self.disagreed = true;
    }

    /// What was found so far, as the judge takes it.
    pub(super) fn evidence(&self) -> Evidence {
        let sizes = self.found.iter().map(|(&n, size)| claim_of(n, size));
        Evidence {
            sizes: sizes.collect(),
            family: self.family.clone(),
            stage_from: self.stage_from,
            cut: self.cut_by,
            disagreed: self.disagreed || self.found.values().any(SizeEvidence::is_disputed),
            unattacked: false,
            starved: self.starved.iter().any(|n| !self.found.contains_key(n)),
            missed: self.missed,
        }
    }

    /// Sizes below the largest answer that were not run.
    fn between(&self, has_rule: bool) -> Vec<u64> {
        let known = self.found.keys().copied().collect();
        let reached = self.found.iter().rev().find(|(_, f)| f.worst().is_some());
        between(&known, reached.map_or(0, |(n, _)| *n), self.stage_from, has_rule)
    }

    /// What an earlier run of the same analysis has kept of a step.
    pub(super) fn recall<T: for<'a> Deserialize<'a>>(&self, step: &str) -> Option<T> {
        self.checkpoint.as_ref()?.recall(step)
    }

    pub(super) fn keep<T: Serialize>(&self, step: &str, done: &T) {
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.keep(step, done);
        }
    }

    /// That steps could not be kept, or were there and could not be believed, if so.
    pub(super) fn unkept(&self) -> Vec<document::Finding> {
        let Some(checkpoint) = &self.checkpoint else { return Vec::new() };
        let finding = |kind: &str, message: String| document::Finding {
            kind: kind.to_owned(),
            message,
            at: None,
            n: None,
            input: None,
            cause: None,
        };
        let failed = checkpoint.failure().map(|why| {
            let again = "what was not kept is done again by a run that goes on from there";
            finding("not_kept", format!("{why}; {again}"))
        });
        let damaged = checkpoint.damaged();
        let damaged = (!damaged.is_empty()).then(|| {
            let names = damaged.join(", ");
            let why = "were damaged or edited after they were saved, and were done again";
            finding("done_again", format!("the steps {names} {why}"))
        });
        failed.into_iter().chain(damaged).collect()
    }

    /// Takes the values of every test into the dictionary.
    pub(super) fn learn_words(&mut self, outcome: &Outcome) {
        for input in outcome.tests.iter().filter_map(|test| test.input.as_ref()) {
            self.mutator.dictionary().learn(input);
        }
    }
}

/// A size as the judge takes it.
pub(super) fn claim_of(n: u64, size: &SizeEvidence) -> SizeClaim {
    SizeClaim { n, cost: size.worst_cost(), claim: size.claim() }
}

/// Inputs that were run, and how long that took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ran {
    pub(super) runs: u64,
    pub(super) instructions: u64,
}

impl Ran {
    pub(super) fn add(&mut self, other: Ran) {
        self.runs += other.runs;
        self.instructions += other.instructions;
    }

    pub(super) fn since(self, before: Ran) -> Ran {
        let Ran { runs, instructions } = before;
        Ran { runs: self.runs - runs, instructions: self.instructions - instructions }
    }
}

/// Sizes at the end that a rule of the sizes before has to foretell.
const END: usize = 3;

/// Whether the last sizes contradict the rule of all before them.
fn ends_with_a_jump(points: &[Point]) -> bool {
    let (before, end) = points.split_at(points.len().saturating_sub(END));
    if !has_law(before) {
        return false;
    }
    let rule = fit(before);
    rule.is_exact() && end.iter().any(|p| rule.predict(p.n) != Some(p.cost as f64))
}

/// Adds findings of which there is none at the same place yet.
pub(super) fn add_findings(all: &mut Vec<document::Finding>, new: Vec<document::Finding>) {
    for finding in new {
        if !all.iter().any(|f| f.kind == finding.kind && f.at == finding.at) {
            all.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;
    use pessimum_report::document::{Basis, Bound};
    use std::time::Duration;

    fn program(more: &str) -> Program {
        let text = format!(
            r#"(module
              (memory (export "memory") 1)
              (func (export "f") (param $a i32) (param $n i32)
                (local $i i32)
                (loop $each
                  (if (i32.gt_s (i32.load (local.get $a)) (local.get $i))
                    (then
                      (local.set $i (i32.add (local.get $i) (i32.const 1)))
                      (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))
                {more}))"#
        );
        let bytes = wat::parse_str(text).expect("the text is a module");
        let program = Program::new("f.wasm", bytes).expect("it is a module");
        program.call("f(&i32[n], n)").expect("it can be called")
    }

    /// The independent engine is given another program, so that it counts other costs.
    fn with_engine_of(other: &Program) -> AnalysisResult {
        let options = Analysis::of(program("")).sizes([3, 5]).effort(Duration::from_secs(1));
        let mut job = Job::new(options).expect("it can be analysed");
        let target = Target::new(other.clone(), &pessimum_entry::CostModel::Conditionals);
        let target = target.expect("it can be priced");
        job.confirmer = Confirmer::new(other, target.module()).expect("it can be run");
        job.run().expect("it ends")
    }

    #[test]
    fn engines_that_agree_leave_the_claims() {
        let result = with_engine_of(&program(""));
        assert!(!result.evidence.disagreed);
        assert_eq!(result.judgement.bound, Bound::Exact);
    }

    #[test]
    fn engines_that_disagree_take_every_claim() {
        let result = with_engine_of(&program("(if (local.get $n) (then (nop)))"));
        assert!(result.evidence.disagreed);
        let document = &result.document;
        for size in document.sizes.iter().chain(&document.training) {
            assert_eq!((size.worst_cost, size.exact, size.replayed), (None, false, None));
        }
        assert_eq!((document.fit.basis, &document.fit.class), (Basis::LowerBound, &None));
        let mismatch = document.findings.iter().find(|f| f.kind == "replay_mismatch");
        let message = mismatch.map(|f| f.message.as_str()).unwrap_or_default();
        assert!(message.contains("please report it"), "{message}");
        assert!(result.inputs.is_empty(), "an input in dispute is not reported");
    }
}
