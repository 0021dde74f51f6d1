//! What an observer is shown, and what a limit on work allows, where answers are not certain or
//! workers are many.

use pessimum_entry::{CallSpec, CostModel, Invocation, Sizes};
use pessimum_explore::{Budget, Cut, Leaf, Observer, Options, Outcome, Plan, explore};
use pessimum_learn::{Decision, Unguided};
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

/// Keeps the costs it is shown.
#[derive(Default)]
struct Costs(Vec<u64>);

impl Observer for Costs {
    fn push(&mut self, _: &Decision) {}
    fn mark(&self) -> u64 {
        0
    }
    fn undo_to(&mut self, _: u64) {}
    fn leaf(&mut self, leaf: &Leaf<'_>) {
        self.0.push(leaf.cost);
    }
}

fn explored(text: &str, spec: &str, budget: Budget, workers: usize) -> (Outcome, Vec<u64>) {
    let bytes = wat::parse_str(text).expect("a module");
    let call = CallSpec::parse(spec).and_then(|s| s.at(&Sizes::of(0))).expect(spec);
    let plan = Plan {
        module: Arc::new(Module::load(&bytes, &CostModel::Conditionals).expect("it loads")),
        setup: Setup {
            invocation: Invocation::Call(call),
            sizes: Sizes::of(0),
            seed: 0,
            limits: Limits::default(),
        },
        over: None,
        options: Options { budget, ..Options::default() },
        workers,
    };
    let (outcome, seen) = explore(&plan, &Unguided, Costs::default).expect("it explores");
    (outcome, seen.into_iter().flat_map(|costs| costs.0).collect())
}

/// A square below zero: no solver of the default build decides that, and nobody can take the
/// costly side.
const SQUARE: &str = r#"(module (func (export "f") (param f64) (local i32)
    (if (f64.lt (f64.mul (local.get 0) (local.get 0)) (f64.const 0))
        (then (loop
            (local.set 1 (i32.add (local.get 1) (i32.const 1)))
            (br_if 0 (i32.lt_s (local.get 1) (i32.const 50))))))))"#;

#[test]
fn a_path_that_nobody_can_take_is_not_shown() {
    let (outcome, costs) = explored(SQUARE, "f(f64)", Budget::default(), 1);
    if outcome.is_exact() {
        // A solver that knows floats is built in: then there is nothing in doubt.
        assert_eq!((outcome.paths, costs), (1, vec![1]));
        return;
    }
    assert_eq!(outcome.greatest_cost, Some(51), "the side in doubt was followed");
    assert_eq!(costs, [1], "but nothing is learned from it");
    assert_eq!(outcome.worst_cost(), Some(1));
}

/// Conditions on so many bits, each with a loop behind it.
fn many_paths(bits: u32) -> String {
    let test = |bit: u32| {
        format!(
            "(if (i32.and (local.get 0) (i32.const {})) (then (local.set 1 (i32.const 0)) (loop \
             (local.set 1 (i32.add (local.get 1) (i32.const 1))) \
             (br_if 0 (i32.lt_s (local.get 1) (i32.const 20))))))\n",
            1u32 << bit
        )
    };
    let tests: String = (0..bits).map(test).collect();
    format!(r#"(module (func (export "f") (param i32) (local i32) {tests}))"#)
}

#[test]
fn workers_share_one_budget_of_work() {
    let whole = explored(&many_paths(10), "f(u16)", Budget::default(), 1).0;
    assert_eq!((whole.paths, whole.complete), (1024, true));
    let limit = whole.work / 4;
    let budget = Budget { work: Some(limit), ..Budget::default() };
    let alone = explored(&many_paths(10), "f(u16)", budget.clone(), 1).0;
    assert_eq!((alone.complete, alone.cut_by), (false, Some(Cut::Work)));
    let shared = explored(&many_paths(10), "f(u16)", budget, 4).0;
    assert_eq!((shared.paths, shared.cut_by), (alone.paths, alone.cut_by));
    assert!(shared.work < 2 * limit, "{} of {limit}", shared.work);
}

/// What a tree is worth does not depend on who walks which part of it, nor does the work that it is.
#[test]
fn a_large_tree_is_shared_out_alike_for_any_number_of_workers() {
    let text = many_paths(13);
    let whole = explored(&text, "f(u16)", Budget::default(), 1).0;
    for limit in [None, Some(whole.work / 2)] {
        let [one, two, three] = [1, 2, 3].map(|workers| {
            let budget = Budget { work: limit, ..Budget::default() };
            let (outcome, costs) = explored(&text, "f(u16)", budget, workers);
            assert_eq!(outcome.threads, workers, "the tree is large enough to be shared out");
            let Outcome { paths, work, complete, cut_by, .. } = outcome;
            (paths, work, complete, cut_by, costs)
        });
        assert_eq!((one.2, one.3), (limit.is_none(), limit.map(|_| Cut::Work)));
        assert_eq!(one, two);
        assert_eq!(one, three);
    }
}
