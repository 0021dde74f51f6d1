//! One program, walked plainly, merged, and merged with every reuse walked again.

use pessimum_entry::{Arg, Call, CostModel, Invocation, Sizes, Slot};
use pessimum_explore::{
    Budget, Merge, Nobody, Options, Outcome, Plan, Trainer, explore, explore_lesson,
};
use pessimum_learn::{Unguided, WiseSummary};
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

/// A program, to be walked in all ways.
pub struct Case {
    pub module: Arc<Module>,
    pub setup: Setup,
}

impl Case {
    pub fn new(text: &str, slots: &[Slot], cost: &CostModel) -> Case {
        let bytes = wat::parse_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let module = Module::load(&bytes, cost).expect("it loads");
        let args = slots.iter().map(|s| Arg::Scalar(*s)).collect();
        let setup = Setup {
            invocation: Invocation::Call(Call { function: "f".to_owned(), args }),
            sizes: Sizes::of(0),
            seed: 0,
            limits: Limits::default(),
        };
        Case { module: Arc::new(module), setup }
    }

    pub fn walked(&self, merge: Merge) -> Outcome {
        self.walked_within(merge, None)
    }

    pub fn walked_within(&self, merge: Merge, work: Option<u64>) -> Outcome {
        self.walked_counting(merge, work, Options::default().counted_work)
    }

    /// Counts paths up to so much work.
    pub fn walked_counting(&self, merge: Merge, work: Option<u64>, counted_work: u64) -> Outcome {
        let budget = Budget { work, ..Budget::default() };
        self.walked_by(1, Options { merge, counted_work, budget, ..Options::default() })
    }

    /// Shares the tree out to several workers.
    pub fn walked_by(&self, workers: usize, options: Options) -> Outcome {
        explore(&self.plan(options, workers), &Unguided, || Nobody).expect("it explores").0
    }

    fn plan(&self, options: Options, workers: usize) -> Plan {
        let (module, setup) = (Arc::clone(&self.module), self.setup.clone());
        Plan { module, setup, over: None, options, workers }
    }

    /// What is learned of the states, if they merge.
    pub fn lesson(&self, merge: Merge) -> Option<(Outcome, WiseSummary)> {
        let budget = Budget { work: Some(60_000_000), ..Budget::default() };
        let options = Options { merge, budget, max_tests: 0, ..Options::default() };
        explore_lesson(&self.plan(options, 1)).expect("it explores")
    }

    /// Whether the same is learned from states that are walked once as from every path. How many were reused.
    fn check_lesson(&self, name: &str) -> u64 {
        let trained = explore(&self.plan(Options::default(), 1), &Unguided, Trainer::default);
        let (_, trainers) = trained.expect("it explores");
        let mut reused = 0;
        for merge in [Merge::On, Merge::Verify] {
            let Some((found, learned)) = self.lesson(merge) else { continue };
            // What is asked on the way to an answer depends on the terms there are, and with it the effort.
            let told = |summary: &WiseSummary| -> Vec<(String, u64, u64)> {
                let tallies = summary.tallies();
                tallies.map(|(policy, t)| (policy.to_string(), t.count, t.cost.0)).collect()
            };
            let plainly = told(&trainers[0].wise.summary());
            assert_eq!(told(&learned), plainly, "{name}: lesson, {merge:?}");
            let merged = found.merged.expect("it merges");
            assert_eq!(merged.wrong, 0, "{name}: wrong reuses in a lesson, {merge:?}");
            reused = merged.reuses;
        }
        reused
    }

    /// Walks in all ways and compares. How many states were reused.
    pub fn check(&self, name: &str) -> u64 {
        let plain = self.walked_within(Merge::Off, Some(5_000_000));
        if plain.cut_by.is_some() {
            return 0;
        }
        self.check_lesson(name);
        // Where values are split, no paths are counted: which parts of one are asked for, and found to be forced, depends
        // on terms that a walk that merges has not built.
        let counted = self.walked_counting(Merge::On, Some(60_000_000), u64::MAX).merged;
        let splits = counted.is_none_or(|merged| merged.paths.is_none());
        let mut reused = 0;
        let verify = [(Merge::Verify, 0), (Merge::Verify, u64::MAX)];
        for (merge, counted) in verify.into_iter().chain([(Merge::On, 0), (Merge::On, u64::MAX)]) {
            let found = self.walked_counting(merge, Some(60_000_000), counted);
            if found.cut_by.is_some() {
                continue;
            }
            let name = format!("{name}, counted {}", counted > 0);
            assert_eq!(found.worst_cost(), plain.worst_cost(), "{name}: worst, {merge:?}");
            if found.merged.as_ref().is_none_or(|m| m.paths.is_some()) || found.least_cost.is_some()
            {
                assert_eq!(found.least_cost, plain.least_cost, "{name}: least, {merge:?}");
            }
            assert_eq!(found.is_exact(), plain.is_exact(), "{name}: exact, {merge:?}");
            let input = |o: &Outcome| o.worst.as_ref().map(|w| w.test.input.clone());
            assert_eq!(input(&found), input(&plain), "{name}: input, {merge:?}");
            let open = |o: &Outcome| {
                let path = o.worst.iter().flat_map(|w| &w.path);
                path.filter(|d| d.openness.is_open())
                    .map(|d| (d.site, d.choice))
                    .collect::<Vec<_>>()
            };
            assert_eq!(open(&found), open(&plain), "{name}: open decisions, {merge:?}");
            let path = |o: &Outcome| o.worst.as_ref().map(|w| w.path.clone());
            if !splits || found.merged.as_ref().is_none_or(|m| m.paths.is_some()) {
                assert_eq!(path(&found), path(&plain), "{name}: path, {merge:?}");
            }
            let Some(merged) = &found.merged else { continue };
            assert_eq!(merged.wrong, 0, "{name}: wrong reuses, {merge:?}");
            reused = merged.reuses;
            if let Some(paths) = &merged.paths {
                assert_eq!(paths.to_string(), plain.paths.to_string(), "{name}: paths, {merge:?}");
                assert_eq!(found.trapped, plain.trapped, "{name}: trapped, {merge:?}");
                let counts = |o: &Outcome| {
                    o.findings.iter().map(|(key, f)| (*key, f.count)).collect::<Vec<_>>()
                };
                assert_eq!(counts(&found), counts(&plain), "{name}: findings, {merge:?}");
            }
        }
        reused
    }
}
