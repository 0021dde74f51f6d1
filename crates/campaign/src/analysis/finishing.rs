//! The end of an analysis: every input confirmed, the evidence judged, the document written.

use super::job::Job;
use super::learning::SHORTFALL;
use super::refuting::SAMPLED;
use super::{AnalysisResult, Stage};
use crate::confirm::Confirmer;
use crate::error::Error;
use crate::evidence::{Cut, Mismatch, Replayed, SizeEvidence};
use crate::findings::disagreement;
use crate::judge::{Evidence, judge};
use crate::publish;
use crate::schedule::Ending;
use crate::structures::show_structures;
use crate::target::Target;
use pessimum_explore::PathTest;
use pessimum_report::document::{self, Basis, Independence};
use pessimum_search::Sample;
use std::collections::BTreeMap;

/// A size with what was run at it in the end.
struct Confirmed {
    replayed: Option<Replayed>,
    random: Option<Sample>,
}

/// What the independent engine says of an input.
type Ran = Result<Replayed, Mismatch>;

impl Job {
    /// Confirms every worst input by an independent run and writes the document.
    pub(super) fn finish(mut self, sizes: &[u64]) -> Result<AnalysisResult, Error> {
        self.tell(Stage::Confirming);
        self.findings.extend(self.unkept());
        let mut documents: BTreeMap<u64, document::Size> = BTreeMap::new();
        let mut inputs = BTreeMap::new();
        let mut confirmed: BTreeMap<u64, Confirmed> = BTreeMap::new();
        let ending = Ending::from_now(&self.budget, self.options.time);
        let sizes_found: Vec<u64> = self.found.keys().copied().collect();
        for &n in &sizes_found {
            if ending.has_time_for(SAMPLED)
                && let Some(mut size) = self.found.remove(&n)
            {
                self.run_random_inputs(n, &mut size)?;
                self.found.insert(n, size);
            }
        }
        let (target, confirmer, found) = (&self.target, &self.confirmer, &self.found);
        let ran = target.each(sizes_found.len(), |i| {
            let n = sizes_found[i];
            run_again((target, confirmer), n, found.get(&n), ending)
        });
        for (n, ran) in sizes_found.into_iter().zip(ran) {
            let Some(mut size) = self.found.remove(&n) else { continue };
            let random = self.samples.get(&n).cloned().flatten();
            let replayed = self.confirm(n, &mut size, ran?);
            if let Some((test, input)) = reported(&size) {
                inputs.insert(n, (input.clone(), test.cost));
            }
            documents.insert(n, publish::size(n, &size, replayed, random.as_ref()));
            confirmed.insert(n, Confirmed { replayed, random });
            self.found.insert(n, size);
        }
        let policy = std::mem::take(&mut self.trials)
            .into_iter()
            .next()
            .map(|t| t.policy)
            .filter(|policy| !self.independent || policy.validated);
        let unattacked = self.claims() && self.refuting.is_none() && !self.takes_structure;
        let evidence = Evidence { unattacked, ..self.evidence() };
        let judgement = judge(&evidence);
        for finding in self.findings.iter_mut().filter(|finding| finding.kind == SHORTFALL) {
            finding.message.push_str(match judgement.basis {
                Basis::Proven => ": no cost rests on it",
                Basis::Validated => {
                    ": there every path was explored, and it holds at the sizes above"
                }
                Basis::LowerBound => ": costs beyond training are lower bounds",
            });
        }
        let nothing_known = evidence.sizes.iter().all(|s| s.cost.is_none());
        if let Some(cut) = self.cut_by.filter(|_| nothing_known && !evidence.disagreed) {
            return Err(Error::OutOfBudget(cut));
        }
        let independence = self.independence(&confirmed);
        let policy_document = policy.as_ref().map(|p| publish::policy(p, self.target.module()));
        let worst = documents.values_mut().filter_map(|d| d.input.as_mut());
        let met = self.findings.iter_mut().filter_map(|f| f.input.as_mut());
        show_structures(self.target.program(), worst.chain(met))?;
        let (asked, others): (Vec<_>, Vec<_>) =
            documents.into_values().partition(|d| sizes.contains(&d.n));
        let document = document::Analysis {
            schema: document::SCHEMA,
            program: publish::program(self.target.program())?,
            cost_model: self.options.cost.to_string(),
            cost_version: Some(document::COST_VERSION),
            learn_cost: self.options.learn_cost.as_ref().map(ToString::to_string),
            sizes: asked,
            training: others,
            fit: publish::growth(&evidence, &judgement),
            policy: policy_document,
            cost_independent_of_input: independence,
            refuting: self.refuting,
            findings: self.findings,
            cut_by: self.cut_by,
            parameters: document::Parameters {
                command: Vec::new(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                seed: self.options.seed,
            },
            source: Vec::new(),
            tree: None,
            graphs: Vec::new(),
        };
        let module = self.target.module().clone();
        let family = self.family;
        Ok(AnalysisResult { document, inputs, evidence, judgement, family, policy, module })
    }

    /// Takes in what the independent engine says of a size. An input on which the engines disagree is not reported.
    fn confirm(&mut self, n: u64, size: &mut SizeEvidence, ran: Option<Ran>) -> Option<Replayed> {
        match ran? {
            Ok(replayed) => {
                if replayed == Replayed::OutOfTime {
                    self.cut_by = self.cut_by.or(Some(Cut::Time));
                }
                Some(replayed)
            }
            Err(mismatch) => {
                if let Some((_, input)) = reported(size) {
                    self.findings.push(disagreement(n, input, &mismatch));
                }
                size.disagree(mismatch);
                None
            }
        }
    }

    /// Whether inputs of one size all cost the same.
    fn independence(&self, confirmed: &BTreeMap<u64, Confirmed>) -> Independence {
        let agrees = |n: &u64, size: &SizeEvidence| {
            let Some(Confirmed { replayed, random }) = confirmed.get(n) else { return false };
            let worst = size.worst_cost();
            let random = random.as_ref().and_then(|r| r.cost);
            replayed.is_some_and(Replayed::is_confirmed)
                && random.is_none_or(|(mean, max)| {
                    Some(max) == worst && worst.is_some_and(|w| (mean - w as f64).abs() < 0.5)
                })
        };
        let in_full = |size: &SizeEvidence| {
            size.claim().is_exact() && size.walk().cost_independent_of_input()
        };
        if self.found.is_empty() || !self.found.iter().all(|(n, size)| agrees(n, size)) {
            Independence::No
        } else if self.found.values().all(in_full) {
            Independence::Proven
        } else if self.independent {
            Independence::NotFound
        } else {
            Independence::No
        }
    }
}

/// Runs the worst input of a size in the independent engine, if it has one and there is time.
fn run_again(
    (target, confirmer): (&Target, &Confirmer),
    n: u64,
    size: Option<&SizeEvidence>,
    ending: Ending,
) -> Result<Option<Ran>, Error> {
    let Some((test, input)) = size.and_then(reported) else { return Ok(None) };
    if !ending.has_time_for(test.instructions) {
        // Nobody else has counted it: no bound is kept on our word alone.
        return Ok(Some(Ok(Replayed::OutOfTime)));
    }
    let ran = confirmer.confirm(&*target.at(n)?, input, test, &ending.deadline())?;
    Ok(Some(ran))
}

/// The worst input of a size, unless the engines disagree on the size.
fn reported(size: &SizeEvidence) -> Option<(&PathTest, &pessimum_entry::InputValues)> {
    let test = size.worst()?;
    Some((test, test.input.as_ref()?))
}
