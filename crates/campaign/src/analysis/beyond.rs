//! Holds the rule of a claim out at sizes far beyond those it was found at.
//!
//! A cache that is full at four hundred entries, a heap whose depth is the same from 85 values to 341: up to a few hundred values their
//! costs obey a rule that is not theirs. Following a policy there takes long, and running inputs does not. Where the worst inputs known
//! are those of a recipe, the recipe's are run beyond, and what they cost has to be what the rule says: more refutes the claim, and
//! less shows that what was the worst so far no longer grows by the rule. Either way the size is a row of its own, and nothing is
//! claimed of the growth but what some family of inputs shows.

use super::Stage;
use super::job::Job;
use crate::error::Error;
use crate::evidence::SizeEvidence;
use crate::judge::told;
use crate::schedule::{beyond_the_rule, cut_by_now, one_ending};
use pessimum_explore::PathTest;
use pessimum_fit::{Fit, Point};
use pessimum_report::document;
use pessimum_search::AtSize;
use std::sync::Arc;

/// The kind of finding that says where a rule ends.
const RULE_ENDS: &str = "rule_ends";

impl Job {
    /// Runs the inputs that are the worst so far at sizes beyond, as far as a part of the work goes. Answers the first size at which
    /// they do not cost what the rule of all sizes says, which has a row from then on.
    pub(super) fn hold_out_beyond(&mut self) -> Result<Option<u64>, Error> {
        let (points, fit) = told(&self.evidence());
        let Some(&largest) = self.found.keys().next_back().filter(|_| fit.class.is_some()) else {
            return Ok(None);
        };
        let mut known: Vec<(Arc<AtSize>, u64)> = Vec::new();
        for (&n, size) in &self.found {
            if let Some(cost) = size.worst_cost() {
                known.push((self.target.at(n)?, cost));
            }
        }
        let instructions = one_ending(self.options.effort_or_time());
        let budget = self.budget.clone();
        let within = (&budget, self.options.workers);
        let explaining = self.mutator.explaining(&known, instructions / 2, within)?;
        if explaining.is_empty() {
            return Ok(None);
        }
        let target = self.target.clone();
        let at = |n| target.at(n).ok();
        let sizes = beyond_the_rule(largest);
        let costliest = explaining.beyond(&sizes, at, instructions, &budget)?;
        if cut_by_now(&budget).is_some() {
            return Ok(None);
        }
        let Some((n, test)) = departing(&fit, points, costliest) else { return Ok(None) };
        self.tell(Stage::Generating { n });
        let mut size = SizeEvidence::nothing();
        self.mutator.note(&*self.target.at(n)?, &test)?;
        self.findings.push(rule_ends(largest, n, test.cost));
        size.surpass(test);
        self.tell_answer(n, &size);
        self.found.insert(n, size);
        Ok(Some(n))
    }
}

/// The first size beyond at which the costliest input does not cost what the rule says or, where there is no exact one, from which on
/// the costs tell another class.
fn departing(
    fit: &Fit,
    mut points: Vec<Point>,
    beyond: Vec<(u64, PathTest)>,
) -> Option<(u64, PathTest)> {
    if fit.is_exact() {
        return beyond.into_iter().find(|(n, test)| fit.predict(*n) != Some(test.cost as f64));
    }
    beyond.into_iter().find(|(n, test)| {
        points.push(Point::exact(*n, test.cost));
        pessimum_fit::fit(&points).class != fit.class
    })
}

fn rule_ends(largest: u64, n: u64, cost: u64) -> document::Finding {
    document::Finding {
        kind: RULE_ENDS.to_owned(),
        message: format!(
            "inputs that are the worst known up to n = {largest} cost {cost} at n = {n}, which is not what the rule of the smaller sizes says: the growth is that of inputs found"
        ),
        at: None,
        n: Some(n),
        input: None,
        cause: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analysis, AnalysisResult};
    use crate::program::Program;
    use pessimum_report::document::{Basis, Bound};
    use std::time::Duration;

    /// Each value that is greater than the one before it makes a run longer; where a run has more than so many values, each of
    /// them is looked at again.
    fn runs_longer_than(most: u64, workers: usize) -> AnalysisResult {
        let text = format!(
            r#"(module
              (memory (export "memory") 1)
              (func (export "f") (param $a i32) (param $n i32)
                (local $i i32) (local $run i32) (local $j i32)
                (block $done (loop $each
                  (local.set $i (i32.add (local.get $i) (i32.const 1)))
                  (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
                  (if (i32.gt_s
                        (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2))))
                        (i32.load (i32.add (local.get $a)
                          (i32.shl (i32.sub (local.get $i) (i32.const 1)) (i32.const 2)))))
                    (then (local.set $run (i32.add (local.get $run) (i32.const 1)))
                      (if (i32.gt_u (local.get $run) (i32.const 0)) (then (nop))))
                    (else (local.set $run (i32.const 0))))
                  (local.set $j (local.get $run))
                  (if (i32.gt_u (local.get $run) (i32.const {most})) (then
                    (loop $again
                      (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                      (br_if $again (local.get $j)))))
                  (br $each)))))"#
        );
        let program = Program::new("f.wasm", wat::parse_str(text).expect("it is a module"));
        let program = program.and_then(|p| p.call("f(&i32[n], n)")).expect("it can be called");
        let options = Analysis::of(program).effort(Duration::from_secs(4)).workers(workers);
        options.time(Duration::from_secs(600)).run().expect("it ends")
    }

    #[test]
    fn what_begins_beyond_the_ladder_takes_the_claim() {
        let result = runs_longer_than(400, 1);
        assert_eq!(result.judgement.bound, Bound::AtLeast);
        let finding = result.document.findings.iter().find(|f| f.kind == RULE_ENDS);
        let finding = finding.expect("it is said where the rule ends");
        assert!(finding.n > Some(400), "{finding:?}");
        let two = runs_longer_than(400, 2);
        assert_eq!(two.judgement.class(), result.judgement.class());
    }

    #[test]
    fn a_rule_that_goes_on_keeps_the_claim() {
        let result = runs_longer_than(1_000_000, 1);
        assert_ne!(result.judgement.basis, Basis::LowerBound);
        assert!(result.document.findings.iter().all(|f| f.kind != RULE_ENDS));
    }

    fn test(cost: u64) -> PathTest {
        PathTest { input: None, cost, instructions: 1, trap: None }
    }

    /// Less than the rule says is no better than more.
    #[test]
    fn a_rule_ends_where_costs_are_not_what_it_says() {
        let points: Vec<Point> = (1..=40).map(|n| Point::exact(n, n * n + 1)).collect();
        let rule = pessimum_fit::fit(&points);
        assert!(rule.is_exact());
        let departs = |costs: &[(u64, u64)]| {
            let costs = costs.iter().map(|(n, cost)| (*n, test(*cost))).collect();
            departing(&rule, points.clone(), costs).map(|(n, _)| n)
        };
        assert_eq!(departs(&[(57, 3250), (81, 6562)]), None);
        assert_eq!(departs(&[(57, 3250), (81, 6563)]), Some(81));
        assert_eq!(departs(&[(57, 3249), (81, 6562)]), Some(57));
    }

    /// Without an exact rule a size may lie off the curve, and all of them may not tell another class.
    #[test]
    fn a_curve_ends_where_the_class_does() {
        let noisy = |n: u64| 100 * n + n * 7919 % 13;
        let points: Vec<Point> = (3..=24)
            .map(|k| 2f64.powf(f64::from(k) / 3.0) as u64)
            .map(|n| Point::exact(n, noisy(n)))
            .collect();
        let curve = pessimum_fit::fit(&points);
        assert!(!curve.is_exact() && curve.class.is_some(), "{curve:?}");
        let beyond = |cost: fn(u64) -> u64| {
            let sizes = crate::schedule::beyond_the_rule(256);
            let costs = sizes.into_iter().take(10).map(|n| (n, test(cost(n)))).collect();
            departing(&curve, points.clone(), costs)
        };
        assert!(beyond(|n| 100 * n + n * 7919 % 13).is_none());
        assert!(beyond(|n| 100 * n + n * n / 3).is_some());
    }
}
