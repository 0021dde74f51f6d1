//! The end of an analysis: every input confirmed, the class judged, the document written.

use super::job::{Found, Job};
use super::{Analysis, AnalysisResult, SIZES_OF_A_STAGE, Stage};
use crate::error::Error;
use crate::findings::input_document;
use crate::policy::LearnedPolicy;
use crate::structures::show_structures;
use pessimum_entry::Slot;
use pessimum_fit::{Basis, Class, Confidence, Fit, Point, fit};
use pessimum_report::document;
use pessimum_search::{Sample, Sampling, sample};
use std::cmp::Ordering;
use std::collections::BTreeMap;

impl Job {
    /// Confirms every worst input by an independent run and writes the document.
    pub(super) fn finish(mut self, sizes: &[u64]) -> Result<AnalysisResult, Error> {
        self.tell(Stage::Confirming);
        self.findings.extend(self.unkept());
        let mut inputs = BTreeMap::new();
        let mut documents: BTreeMap<u64, document::Size> = BTreeMap::new();
        for (&n, size) in &self.found {
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
                let slots: Vec<Slot> = input.iter().map(|v| v.0).collect();
                let random = self.random_costs(n, &slots)?;
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
        Ok(AnalysisResult { document, inputs, fit, policy, module: self.module })
    }
}

impl Job {
    /// Runs random inputs with these slots.
    fn random_costs(&self, n: u64, slots: &[Slot]) -> Result<Option<Sample>, Error> {
        let Analysis { program, seed, samples, .. } = &self.options;
        let (beginnings, slots) = match program.structures()? {
            None => (vec![Vec::new()], slots),
            Some(source) => (source.draw(n, *samples, *seed), &slots[source.length(slots)..]),
        };
        let how = Sampling {
            beginnings: &beginnings,
            slots,
            seed: *seed,
            most: *samples,
            instructions: 4_000_000,
        };
        Ok(sample(&self.at_size(n)?, how)?)
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
    let mut found = fit(&points);
    if points.iter().all(|p| p.exact) {
        return found.with_basis(Basis::Proven);
    }
    let validated = policy.is_some_and(|p| p.validated) && documents.values().all(follows_policy);
    if validated {
        return found.with_basis(Basis::Validated);
    }
    // A search that falls short by more and more bends one class into another.
    found = found.with_named_class();
    // A search that finds nothing worse any more does not show that there is nothing; and what
    // may be a step as well as growth is no reason for an alarm, least of all n log n for n.
    let largest = documents.values().rev().find(|d| d.worst_cost.is_some());
    let searched = largest.is_some_and(|d| d.method == "search" && !d.exact);
    let (unsure, clear) = match found.confidence {
        Confidence::Exact | Confidence::Clear => (false, true),
        Confidence::Likely => (false, false),
        Confidence::Unsure | Confidence::TooFewSizes => (true, false),
    };
    // Nor is a bend in what is still little beside a constant.
    let doubled = match points.as_slice() {
        [first, .., last] => last.cost >= first.cost.saturating_mul(2),
        _ => false,
    };
    let error = found.candidates.first().map_or(0.0, |best| best.error);
    let falls_back = falls_back(&points);
    let late = |c: Class| c > Class::NLogN && is_late(&points, &found);
    let doubtful = |c: Class| match c.cmp(&Class::Linear) {
        Ordering::Less => searched,
        // A rough line is what is left of any growth when a search does not keep up with it.
        Ordering::Equal => error > if searched { ROUGH_LINE } else { ROUGH },
        Ordering::Greater => {
            let broken = matches!(c, Class::Power(k) if k.fract() != 0.0);
            let slight = c == Class::NLogN && searched && !clear;
            let flattens = c < Class::Exp(1.0) && flattens(&points, &found);
            unsure || !doubled || falls_back || late(c) || slight || broken || flattens
        }
    };
    let withheld = match found.is_exact() {
        true => searched && rises_to_its_rule(&points, &found),
        false => found.class.is_some_and(doubtful),
    };
    if withheld {
        found = found.without_class();
    }
    found.with_basis(Basis::LowerBound)
}

/// A line that a search has followed is missed by less than this, any other by less than that.
const ROUGH_LINE: f64 = 0.15;
const ROUGH: f64 = 0.4;

/// How much the cost of each value may fall from one size to a greater one and still be noise.
const NOISE: f64 = 0.9;

/// Whether the costs of a search fall behind those of smaller sizes: what grows faster than a line
/// costs more for each value, the more there are.
fn falls_back(points: &[Point]) -> bool {
    let last = points.last().map_or(0, |p| p.n);
    let mut most = 0.0;
    // Among small sizes a switch of algorithm may do the same.
    points.iter().filter(|p| !p.exact && p.n > 0 && p.n.saturating_mul(8) >= last).any(|p| {
        let each = p.cost as f64 / p.n as f64;
        let behind = each < NOISE * most;
        most = each.max(most);
        behind
    })
}

/// How much a curve may gain on the costs while the size grows threefold.
const GAIN: f64 = 1.06;

/// Whether the costs flatten out where the curve does not. A search that keeps up with a square for a
/// while, and then only draws out what it has, is met by n log n as if it were that.
fn flattens(points: &[Point], found: &Fit) -> bool {
    let over = |p: &Point| found.predict(p.n).map(|curve| curve / p.cost.max(1) as f64);
    let Some(last) = points.last() else { return false };
    let before = points.iter().rev().find(|p| p.n > 0 && p.n.saturating_mul(3) <= last.n);
    match (before.and_then(over), over(last)) {
        (Some(before), Some(now)) => now > GAIN * before,
        _ => false,
    }
}

/// Whether the costs rose more steeply before an exact rule holds than the rule does: a search that
/// draws out one input over and over makes a rule of it, and says nothing of the program.
fn rises_to_its_rule(points: &[Point], found: &Fit) -> bool {
    let Some(from) = found.holds_from else { return false };
    let before = points.iter().rev().find(|p| p.n < from);
    before.is_some_and(|p| found.predict(p.n).is_some_and(|rule| (p.cost as f64) < NOISE * rule))
}

/// What a curve that is met misses sizes by.
const CLOSE: f64 = 0.05;

/// Whether no class above n log n shows before the last octave: a jump there is as likely to be the
/// first size at which something else was found as the start of a steeper growth. A curve that is
/// met well before it as well shows there too, however small its share still is.
fn is_late(points: &[Point], found: &Fit) -> bool {
    let last = points.last().map_or(0, |p| p.n);
    let met = found.candidates.first().is_some_and(|best| best.error < CLOSE);
    if met && found.holds_from.unwrap_or(0).saturating_mul(4) <= last {
        return false;
    }
    let before: Vec<Point> =
        points.iter().copied().filter(|p| p.n.saturating_mul(2) <= last).collect();
    let best = fit(&before).candidates.first().map(|c| c.class);
    best.is_some_and(|class| class <= Class::NLogN)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn is_late(costs: &[(u64, u64)]) -> bool {
        let points: Vec<Point> = costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect();
        super::is_late(&points, &fit(&points))
    }

    fn flattens(costs: &[(u64, u64)]) -> bool {
        let points: Vec<Point> = costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect();
        super::flattens(&points, &fit(&points))
    }

    #[test]
    fn a_search_that_stops_keeping_up_shows() {
        // Words that collide in a hash table, up to some fifty of them, and then the same again.
        let mut costs = vec![(1, 25), (2, 42), (8, 253), (10, 367), (12, 476), (15, 656)];
        costs.extend([(20, 981), (25, 1387), (30, 1774), (40, 2545), (50, 3295), (70, 4921)]);
        costs.extend([(100, 7544), (150, 11_944), (200, 16_344), (300, 25_144)]);
        assert!(flattens(&costs));
    }

    #[test]
    fn an_input_drawn_out_is_no_rule_of_the_program() {
        // Ten keys that collide, then the same ten again and again.
        let mut costs = vec![(1, 64), (2, 85), (3, 112), (8, 260)];
        costs.extend([10, 12, 15, 20, 30, 40, 50, 70, 100, 150].map(|n| (n, 36 * n + 134)));
        let points: Vec<Point> = costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect();
        let found = fit(&points);
        assert!(found.is_exact(), "{}", found.summary());
        assert!(rises_to_its_rule(&points, &found));
    }

    #[test]
    fn n_log_n_does_not_flatten() {
        let sizes = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300];
        let cost = |n: u64| 18 * n * u64::from(n.ilog2()) + 40 * n + n % 7;
        assert!(!flattens(&sizes.map(|n| (n, cost(n)))));
    }

    #[test]
    fn a_jump_in_the_last_octave_is_no_growth() {
        // Insertion up to 20, n log n up to 300, and what a search happened to find beyond.
        let mut costs: Vec<(u64, u64)> = (1..=20).map(|n| (n, n * n + 1)).collect();
        costs.extend([(25, 582), (30, 758), (40, 1239), (50, 1582), (70, 2052), (100, 3161)]);
        costs.extend([(150, 4330), (200, 6279), (300, 9197)]);
        costs.extend([(400, 20_488), (500, 27_235), (700, 40_964)]);
        assert!(is_late(&costs));
    }

    #[test]
    fn a_square_behind_a_line_shows_as_soon_as_it_is_met() {
        let sizes = [8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300];
        let costs = sizes.map(|n| (n, 60 * n + 6 * n * n / 5 + n % 7));
        assert!(!is_late(&costs));
    }
}
