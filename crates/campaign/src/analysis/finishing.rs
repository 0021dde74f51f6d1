//! The end of an analysis: every input confirmed, the class judged, the document written.

use super::job::{Found, Job};
use super::{AnalysisResult, SIZES_OF_A_STAGE, Stage};
use crate::error::Error;
use crate::findings::input_document;
use crate::policy::LearnedPolicy;
use crate::structures::show_structures;
use pessimum_fit::{Basis, Fit, Point, fit};
use pessimum_report::document;
use std::collections::BTreeMap;

impl Job {
    /// Confirms every worst input by an independent run and writes the document.
    pub(super) fn finish(mut self, sizes: &[u64]) -> Result<AnalysisResult, Error> {
        self.tell(Stage::Confirming);
        self.findings.extend(self.unkept());
        let mut inputs = BTreeMap::new();
        let mut documents: BTreeMap<u64, document::Size> = BTreeMap::new();
        let found = std::mem::take(&mut self.found);
        for (n, mut size) in found {
            self.run_random_inputs(n, &mut size)?;
            let size = &size;
            let mut document = size_document(n, size);
            if let Some(witness) = &size.outcome.worst
                && let Some(input) = &witness.test.input
            {
                let cost = witness.test.cost;
                match self.confirmer.confirm(&self.options.program, &self.module, n, input, cost)? {
                    Ok(word) => document.replayed = Some(word.to_owned()),
                    Err(why) => {
                        self.findings.push(document::Finding {
                            kind: "replay_mismatch".to_owned(),
                            message: format!("n = {n}: {why}; the size is not reported"),
                            at: None,
                            n: Some(n),
                            input: Some(input_document(input)),
                        });
                        document.worst_cost = None;
                        document.exact = false;
                    }
                }
                document.input = Some(input_document(input));
                inputs.insert(n, (input.clone(), cost));
                let random = self.samples.get(&n).and_then(Option::as_ref);
                document.random_cost = random.and_then(|r| {
                    let (mean, max) = r.cost?;
                    Some(document::RandomCost { mean, max, samples: r.samples })
                });
                document.instructions = Some(document::Instructions {
                    worst: witness.test.instructions,
                    random_mean: random.map(|r| r.instructions),
                });
            }
            documents.insert(n, document);
        }
        let policy = std::mem::take(&mut self.trials)
            .into_iter()
            .next()
            .map(|t| t.policy)
            .filter(|_| !self.independent);
        let fit = judge(&documents, policy.as_ref(), self.stage_from);
        if documents.values().all(|d| d.worst_cost.is_none())
            && let Some(cut) = self.cut_by
        {
            return Err(Error::OutOfBudget(cut));
        }
        let mut fit_json = serde_json::to_value(&fit).unwrap_or_default();
        if let Some(object) = fit_json.as_object_mut() {
            object.insert("summary".to_owned(), fit.summary().into());
        }
        let policy_document = policy.as_ref().map(|p| document::Policy {
            kind: p.policy.kind().to_owned(),
            validated: p.validated,
            validated_on: p.validated_on.clone(),
            trained_on: p.trained_on.clone(),
            sites: p.describe(&self.module),
            why: p.why.clone(),
        });
        let worst = documents.values_mut().filter_map(|d| d.input.as_mut());
        let met = self.findings.iter_mut().filter_map(|f| f.input.as_mut());
        show_structures(&self.options.program, worst.chain(met))?;
        let (asked, others): (Vec<_>, Vec<_>) =
            documents.into_values().partition(|d| sizes.contains(&d.n));
        let document = document::Analysis {
            schema: document::SCHEMA,
            program: document::Program {
                module: self.options.program.name().to_owned(),
                entry: self.options.program.entry()?.to_string(),
            },
            cost_model: self.options.cost.to_string(),
            learn_cost: self.options.learn_cost.as_ref().map(ToString::to_string),
            sizes: asked,
            training: others,
            fit: fit_json,
            policy: policy_document,
            cost_independent_of_input: self.independent,
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
        let (family, refuting) = (self.family, self.refuting);
        Ok(AnalysisResult { document, inputs, fit, family, refuting, policy, module: self.module })
    }
}

/// The class, and how far it may be trusted.
fn judge(
    documents: &BTreeMap<u64, document::Size>,
    policy: Option<&LearnedPolicy>,
    stage_from: Option<u64>,
) -> Fit {
    // Sizes below a switch of algorithm say nothing about what comes after it, if enough does.
    let beyond = |from: &u64| documents.range(from..).count() >= SIZES_OF_A_STAGE;
    let from = stage_from.filter(beyond).unwrap_or(0);
    let mut points: Vec<Point> = Vec::new();
    for d in documents.values().filter(|d| d.n >= from) {
        match d.worst_cost {
            Some(cost) if d.exact => points.push(Point::exact(d.n, cost)),
            // A search that did not even reach the cost of a smaller size tells of the search,
            // and nothing of how the program grows.
            Some(cost) if points.iter().all(|p| p.cost <= cost) => {
                points.push(Point::reached(d.n, cost));
            }
            _ => {}
        }
    }
    let found = fit(&points);
    let validated = policy.is_some_and(|p| p.validated) && documents.values().all(follows_policy);
    found.with_basis(if validated { Basis::Validated } else { Basis::LowerBound })
}

fn size_document(n: u64, size: &Found) -> document::Size {
    document::Size {
        n,
        worst_cost: size.outcome.worst_cost(),
        random_cost: None,
        instructions: None,
        exact: size.exact,
        paths: size.outcome.paths,
        solver_calls: size.outcome.solver_calls,
        seconds: size.seconds,
        method: size.method.to_string(),
        input: None,
        replayed: None,
        cut_by: size.outcome.cut_by.map(|c| c.name().to_owned()),
    }
}

/// Whether a size is what the policy makes of it: not cut, and not surpassed by a search.
fn follows_policy(size: &document::Size) -> bool {
    size.cut_by.is_none() && size.method != "search"
}
