//! Holds the rule of a claim out at sizes far beyond those it was found at.
//!
//! A cache that is full at four hundred entries, a heap whose depth is the same from 85 values to 341: up to a few hundred values their
//! costs obey a rule that is not theirs. Following a policy there takes long, and running inputs does not. Where the worst inputs known
//! are those of a recipe, the recipe's are run beyond, and what they cost has to be what the rule says. More refutes the claim. Less shows that
//! what was the worst so far no longer grows by the rule, unless the policy in use, followed there, still does. Then the size is a row of its
//! own, and nothing is claimed of the growth but what some family of inputs shows.

use super::Stage;
use super::job::{Job, Ran};
use super::strategies::{Doubt, GUIDED_PATHS};
use crate::candidates;
use crate::error::Error;
use crate::evidence::SizeEvidence;
use crate::judge::told;
use crate::schedule::{beyond_the_rule, cut_by_now, instructions_of, one_ending};
use pessimum_explore::{Budget, PathTest};
use pessimum_fit::{Fit, Point};
use pessimum_report::document;
use pessimum_search::{AtSize, Beyond, Evolved};
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
        let target = self.target.clone();
        let at = |n| target.at(n).ok();
        let sizes = beyond_the_rule(largest);
        let Some(next) = sizes.first().and_then(|n| at(*n)) else { return Ok(None) };
        let explaining = self.mutator.explaining(&known, &next, instructions / 2, within)?;
        self.count(explaining.effort);
        let Beyond { costliest, effort } = explaining.beyond(&sizes, at, instructions, &budget)?;
        self.count(effort);
        let mut rule = Rule { points, fit };
        for (n, test) in costliest {
            let test = match rule.stands_to(n, test.cost) {
                Standing::Met => {
                    rule.points.push(Point::exact(n, test.cost));
                    continue;
                }
                Standing::Above => test,
                // These inputs are no longer the worst, or the rule no longer holds.
                Standing::Below => match self.followed_to(n, instructions / instructions_of(1)) {
                    Some(followed) if followed.cost > test.cost => followed,
                    _ => test,
                },
            };
            if cut_by_now(&budget).is_some() {
                return Ok(None);
            }
            if rule.stands_to(n, test.cost) != Standing::Met {
                self.depart(largest, n, test)?;
                return Ok(Some(n));
            }
            rule.points.push(Point::exact(n, test.cost));
        }
        Ok(None)
    }

    /// Searches far beyond the ladder for inputs of any kind that cost more than the rule of a claim says: what costs less as far as was
    /// looked may grow faster. Answers the size at which there is one, which has a row from then on.
    pub(super) fn search_beyond(&mut self, instructions: u64) -> Result<Option<u64>, Error> {
        let (points, fit) = told(&self.evidence());
        let Some(&largest) = self.found.keys().next_back().filter(|_| fit.class.is_some()) else {
            return Ok(None);
        };
        let rule = Rule { points, fit };
        let sizes = beyond_the_rule(largest);
        for n in [sizes.len() / 2, sizes.len() - 1].map(|i| sizes[i]) {
            if cut_by_now(&self.budget).is_some() || self.target.at(n).is_err() {
                break;
            }
            self.tell(Stage::Generating { n });
            let mut size = SizeEvidence::nothing();
            self.search_by_running(n, &mut size, Doubt::Attack(instructions / 2))?;
            let above = |test: &&PathTest| rule.stands_to(n, test.cost) == Standing::Above;
            if let Some(test) = size.worst().filter(above).cloned() {
                self.depart(largest, n, test)?;
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// Whether a size has a row since a rule does not hold there.
    pub(super) fn ends_a_rule(&self, n: u64) -> bool {
        self.findings.iter().any(|finding| finding.kind == RULE_ENDS && finding.n == Some(n))
    }

    /// Gives a size at which the rule does not hold a row of its own.
    fn depart(&mut self, largest: u64, n: u64, test: PathTest) -> Result<(), Error> {
        self.tell(Stage::Generating { n });
        let mut size = SizeEvidence::nothing();
        self.mutator.note(&*self.target.at(n)?, &test)?;
        self.findings.push(rule_ends(largest, n, test.cost));
        size.surpass(test);
        self.tell_answer(n, &size);
        self.found.insert(n, size);
        Ok(())
    }

    /// What the policy in use leads to at a size, if it comes to an end within so much work.
    fn followed_to(&self, n: u64, work: u64) -> Option<PathTest> {
        let trial = self.trials.first()?;
        let budget = Budget { work: Some(work), paths: Some(GUIDED_PATHS), ..self.budget.clone() };
        // A program whose set-up alone takes more than there is is not followed.
        let run = candidates::guided(&self.target, n, &*trial.policy.guide(), budget);
        Some(run.ok()?.outcome.worst?.test)
    }

    fn count(&mut self, Evolved { runs, instructions }: Evolved) {
        self.ran.add(Ran { runs, instructions });
    }
}

/// The rule of a claim, with all that it has met.
struct Rule {
    points: Vec<Point>,
    fit: Fit,
}

/// How a cost stands to a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    Below,
    Met,
    Above,
}

impl Rule {
    /// How a cost at a size beyond stands to what the rule says or, where there is no exact one, whether it makes the costs tell another
    /// class.
    fn stands_to(&self, n: u64, cost: u64) -> Standing {
        let Some(foretold) = self.fit.predict(n) else { return Standing::Met };
        let differs = match self.fit.is_exact() {
            true => foretold != cost as f64,
            false => {
                let mut with_it = self.points.clone();
                with_it.push(Point::exact(n, cost));
                pessimum_fit::fit(&with_it).class != self.fit.class
            }
        };
        match (differs, cost as f64 > foretold) {
            (false, _) => Standing::Met,
            (true, true) => Standing::Above,
            (true, false) => Standing::Below,
        }
    }
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

    /// Less than the rule says is no better than more.
    #[test]
    fn a_rule_ends_where_costs_are_not_what_it_says() {
        let points: Vec<Point> = (1..=40).map(|n| Point::exact(n, n * n + 1)).collect();
        let rule = Rule { fit: pessimum_fit::fit(&points), points };
        assert!(rule.fit.is_exact());
        assert_eq!(rule.stands_to(81, 6562), Standing::Met);
        assert_eq!(rule.stands_to(81, 6563), Standing::Above);
        assert_eq!(rule.stands_to(81, 6561), Standing::Below);
    }

    /// Without an exact rule a size may lie off the curve, and all of them may not tell another class.
    #[test]
    fn a_curve_ends_where_the_class_does() {
        let noisy = |n: u64| 100 * n + n * 7919 % 13;
        let sizes = (3..=24).map(|k| 2f64.powf(f64::from(k) / 3.0) as u64);
        let points: Vec<Point> = sizes.map(|n| Point::exact(n, noisy(n))).collect();
        let fit = pessimum_fit::fit(&points);
        assert!(!fit.is_exact() && fit.class.is_some(), "{fit:?}");
        let ends = |cost: fn(u64) -> u64| {
            let mut rule = Rule { fit: fit.clone(), points: points.clone() };
            let mut sizes = crate::schedule::beyond_the_rule(256).into_iter().take(10);
            sizes.any(|n| {
                let standing = rule.stands_to(n, cost(n));
                rule.points.push(Point::exact(n, cost(n)));
                standing != Standing::Met
            })
        };
        assert!(!ends(|n| 100 * n + n * 7919 % 13));
        assert!(ends(|n| 100 * n + n * n / 3));
    }
}
