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
use crate::schedule::{TOP, beyond_the_rule, cut_by_now, instructions_of, one_ending};
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
        let work = instructions / instructions_of(sizes.len() as u64);
        let mut missed: Vec<(u64, PathTest)> = Vec::new();
        for (n, test) in costliest {
            let test = match rule.meets(n, test.cost) || rule.is_below(n, test.cost) {
                true => test,
                // These inputs are no longer the worst, or the rule no longer holds.
                false => match self.followed_to(n, work) {
                    Some(followed) if followed.cost > test.cost => followed,
                    _ => test,
                },
            };
            let meets = rule.meets(n, test.cost);
            rule.points.push(Point::reached(n, test.cost));
            missed.extend((!meets).then_some((n, test)));
        }
        if let Some(n) = self.judge_missed(&rule, missed)? {
            return Ok(Some(n));
        }
        // Of the sizes between, the ladder has one in ten: some of the others may be of another kind.
        let between = (1..largest.max(TOP)).filter(|n| !self.found.contains_key(n));
        let between: Vec<u64> = between.collect();
        let Beyond { costliest, effort } =
            explaining.beyond(&between, at, instructions, &budget)?;
        self.count(effort);
        let far = costliest.into_iter().filter(|(n, test)| rule.is_far_below(*n, test.cost));
        let missed: Vec<(u64, PathTest)> = far.collect();
        rule.points.extend(missed.iter().map(|(n, test)| Point::reached(*n, test.cost)));
        self.judge_missed(&rule, missed)
    }

    /// What is to be said where a rule misses costs, which are among its points by now: the first of them has a row if the class does not
    /// stand with them; else an exact rule is none.
    fn judge_missed(
        &mut self,
        rule: &Rule,
        missed: Vec<(u64, PathTest)>,
    ) -> Result<Option<u64>, Error> {
        if missed.is_empty() || cut_by_now(&self.budget).is_some() {
            return Ok(None);
        }
        let near = |(n, test): &(u64, PathTest)| rule.is_near(*n, test.cost);
        let stands = missed.iter().all(near) || {
            let class = rule.fit.class;
            pessimum_fit::fit(&rule.points).class == class
        };
        if stands {
            self.missed |= rule.fit.is_exact();
            return Ok(None);
        }
        let Some((n, test)) = missed.into_iter().next() else { return Ok(None) };
        let largest = self.found.keys().next_back().copied().unwrap_or(n);
        self.depart(largest, n, test)?;
        Ok(Some(n))
    }

    /// Searches far beyond the ladder for inputs of any kind that cost more than the rule of a claim says: what costs less as far as was
    /// looked may grow faster. Answers the size at which there is one, which has a row from then on.
    pub(super) fn search_beyond(&mut self, instructions: u64) -> Result<Option<u64>, Error> {
        let (points, fit) = told(&self.evidence());
        let Some(&largest) = self.found.keys().next_back().filter(|_| fit.class.is_some()) else {
            return Ok(None);
        };
        let mut rule = Rule { points, fit };
        let sizes = beyond_the_rule(largest);
        for n in [sizes.len() / 2, sizes.len() - 1].map(|i| sizes[i]) {
            if cut_by_now(&self.budget).is_some() || self.target.at(n).is_err() {
                break;
            }
            self.tell(Stage::Generating { n });
            let mut size = SizeEvidence::nothing();
            self.search_by_running(n, &mut size, Doubt::Attack(instructions / 2))?;
            let above = |test: &&PathTest| rule.is_below(n, test.cost) && !rule.meets(n, test.cost);
            if let Some(test) = size.worst().filter(above).cloned() {
                rule.points.push(Point::reached(n, test.cost));
                if let Some(n) = self.judge_missed(&rule, vec![(n, test)])? {
                    return Ok(Some(n));
                }
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

/// A curve is not asked about each of many costs that are less than this many times what it says: that takes as long as thousands of
/// runs.
const FAR: f64 = 2.0;

impl Rule {
    /// Whether a cost at a size between is above what the rule says, and by far where that is no exact rule.
    fn is_far_below(&self, n: u64, cost: u64) -> bool {
        let times = if self.fit.is_exact() { 1.0 } else { FAR };
        let first = self.points.first().map_or(u64::MAX, |first| first.n);
        let holds = n >= self.fit.holds_from.unwrap_or(first);
        holds && self.fit.predict(n).is_some_and(|foretold| cost as f64 > times * foretold)
    }

    /// Whether a cost is above what the rule says.
    fn is_below(&self, n: u64, cost: u64) -> bool {
        self.fit.predict(n).is_some_and(|foretold| cost as f64 > foretold)
    }

    /// Whether a cost misses the rule by a little.
    fn is_near(&self, n: u64, cost: u64) -> bool {
        let foretold = self.fit.predict(n);
        foretold.is_some_and(|foretold| pessimum_fit::is_near(foretold as u64, cost))
    }

    /// Whether a cost is what an exact rule says or, where there is none, leaves the class as it is.
    fn meets(&self, n: u64, cost: u64) -> bool {
        if self.fit.is_exact() {
            return self.fit.predict(n) == Some(cost as f64);
        }
        let mut with_it = self.points.clone();
        with_it.push(Point::reached(n, cost));
        pessimum_fit::fit(&with_it).class == self.fit.class
    }
}

fn rule_ends(largest: u64, n: u64, cost: u64) -> document::Finding {
    document::Finding {
        kind: RULE_ENDS.to_owned(),
        message: format!(
            "inputs cost {cost} at n = {n}, which is not what the rule of the sizes up to n = {largest} says: the growth is that of inputs found"
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
    use pessimum_fit::Class;
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
        analysed(&text, "f(&i32[n], n)", workers)
    }

    fn analysed(text: &str, call: &str, workers: usize) -> AnalysisResult {
        let program = Program::new("f.wasm", wat::parse_str(text).expect("it is a module"));
        let program = program.and_then(|p| p.call(call)).expect("it can be called");
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

    /// A cheaper way from some size on: what is found there is less than below, and no row of its own.
    #[test]
    fn a_cheaper_way_beyond_takes_the_claim() {
        let result = analysed(
            r#"(module
              (memory (export "memory") 1)
              (func (export "f") (param $a i32) (param $n i32)
                (local $i i32) (local $j i32)
                (if (i32.eqz (local.get $n)) (then (return)))
                (loop $each
                  (local.set $j (local.get $i))
                  (if (i32.and (i32.gt_u (local.get $n) (i32.const 48))
                        (i32.eq (i32.load8_u (i32.add (local.get $a) (local.get $i))) (i32.const 9)))
                    (then (local.set $j (i32.const 3))
                      (loop $more
                        (br_if $more (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))))
                  (if (i32.lt_u (local.get $n) (i32.const 49)) (then
                    (block $differs (loop $again
                      (br_if $differs (i32.ne
                        (i32.load8_u (i32.add (local.get $a) (local.get $i)))
                        (i32.load8_u (i32.add (local.get $a) (local.get $j)))))
                      (br_if $differs (i32.eqz (local.get $j)))
                      (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                      (br $again)))))
                  (local.set $i (i32.add (local.get $i) (i32.const 1)))
                  (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#,
            "f(&u8[n], n)",
            1,
        );
        assert!(result.class() <= Some(Class::Linear), "{}", result.document.fit.summary);
    }

    /// One size in sixty-four is of another kind, and none that the ladder has.
    #[test]
    fn a_size_between_takes_the_claim() {
        let result = analysed(
            r#"(module
              (memory (export "memory") 1)
              (func (export "f") (param $a i32) (param $n i32)
                (local $i i32) (local $j i32)
                (if (i32.eqz (local.get $n)) (then (return)))
                (loop $each
                  (if (i32.eq (i32.load8_u (i32.add (local.get $a) (local.get $i))) (i32.const 7))
                    (then (local.set $j (i32.const 3))
                      (loop $again
                        (br_if $again (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))))
                  (if (i32.eq (i32.and (local.get $n) (i32.const 63)) (i32.const 37))
                    (then (local.set $j (local.get $n))
                      (loop $again
                        (br_if $again (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))))
                  (local.set $i (i32.add (local.get $i) (i32.const 1)))
                  (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#,
            "f(&u8[n], n)",
            1,
        );
        assert_eq!(result.judgement.bound, Bound::AtLeast, "{}", result.document.fit.summary);
        let finding = result.document.findings.iter().find(|f| f.kind == RULE_ENDS);
        assert_eq!(finding.and_then(|f| f.n).map(|n| n % 64), Some(37));
    }

    #[test]
    fn a_rule_that_goes_on_keeps_the_claim() {
        let result = runs_longer_than(1_000_000, 1);
        assert_ne!(result.judgement.basis, Basis::LowerBound);
        assert!(result.document.findings.iter().all(|f| f.kind != RULE_ENDS));
    }

    /// Less than the rule says is no better than more.
    #[test]
    fn an_exact_rule_is_missed_by_whatever_it_does_not_say() {
        let points: Vec<Point> = (1..=40).map(|n| Point::exact(n, n * n + 1)).collect();
        let rule = Rule { fit: pessimum_fit::fit(&points), points };
        assert!(rule.fit.is_exact());
        assert_eq!([6561, 6562, 6563].map(|cost| rule.meets(81, cost)), [false, true, false]);
        assert_eq!([6562, 6563].map(|cost| rule.is_below(81, cost)), [false, true]);
    }

    /// An allocator asks for a page now and then: that costs more than the rule says, and is no other growth.
    #[test]
    fn a_little_more_beyond_makes_a_rule_a_curve() {
        let result = analysed(
            r#"(module
              (memory (export "memory") 1)
              (func (export "f") (param $a i32) (param $n i32)
                (local $i i32) (local $j i32)
                (if (i32.eqz (local.get $n)) (then (return)))
                (if (i32.gt_u (local.get $n) (i32.const 500)) (then
                  (local.set $j (i32.const 22))
                  (loop $page (br_if $page (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))))
                (loop $each
                  (local.set $j (local.get $n))
                  (loop $again (br_if $again (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))
                  (local.set $i (i32.add (local.get $i) (i32.const 1)))
                  (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#,
            "f(&u8[n], n)",
            1,
        );
        assert_eq!(result.judgement.basis, Basis::Proven, "{}", result.document.fit.summary);
        assert_eq!(result.class(), Some(Class::Quadratic));
        assert!(!result.judgement.fit.is_exact());
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
                let meets = rule.meets(n, cost(n));
                rule.points.push(Point::reached(n, cost(n)));
                !meets
            })
        };
        assert!(!ends(|n| 100 * n + n * 7919 % 13));
        assert!(ends(|n| 100 * n + n * n / 3));
    }
}
