//! The path of one known input is followed with terms, which can take long: it has a budget as well.

use crate::merge_case::Case;
use pessimum_clock::Deadline;
use pessimum_entry::{CostModel, InputValues, Slot, Type};
use pessimum_explore::{Budget, conditions, follow};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A loop with one decision in each round.
const MODULE: &str = r#"(module
    (func (export "f") (param $x i32) (result i32) (local $i i32)
        (loop $more
            (if (i32.gt_u (local.get $x) (local.get $i))
                (then
                    (local.set $i (i32.add (local.get $i) (i32.const 1)))
                    (br $more))))
        (local.get $i)))"#;

#[test]
fn what_does_not_end_within_the_budget_is_given_up() {
    let slot = Slot::any(Type::U32);
    let Case { module, setup } = Case::new(MODULE, &[slot], &CostModel::Conditionals);
    let mut input = InputValues::new();
    input.push(slot, 500);
    let met = |budget: &Budget| conditions(&module, &setup, &[], &input, budget).expect("it loads");
    let raw = input.to_raw();
    let ends = |budget: &Budget| follow(&module, &setup, &raw, budget).expect("it loads").is_some();
    assert_eq!(met(&Budget::default()).map(|path| path.len()), Some(501));
    let enough = Budget { work: Some(100_000), ..Budget::default() };
    assert!(met(&enough).is_some() && ends(&enough));
    let work = Budget { work: Some(1_000), ..Budget::default() };
    let late = Budget { deadline: Deadline::at(Instant::now()), ..Budget::default() };
    let stopped = Arc::new(AtomicBool::new(true));
    let cancelled = Budget { deadline: Deadline::NEVER.or_when(stopped), ..Budget::default() };
    for over in [work, late, cancelled] {
        assert!(met(&over).is_none() && !ends(&over), "{over:?}");
    }
}
