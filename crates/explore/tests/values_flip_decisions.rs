//! Values that send an input another way are read off its path.

use crate::merge_case::Case;
use pessimum_entry::{CostModel, InputValues, Slot, Type};
use pessimum_explore::{Budget, Flip, flips};

fn found(text: &str, slots: &[Slot], values: &[u64], budget: &Budget) -> Vec<Flip> {
    let Case { module, setup } = Case::new(text, slots, &CostModel::Conditionals);
    let input: InputValues = slots.iter().copied().zip(values.iter().copied()).collect();
    flips(&module, &setup, &input, budget).expect("it loads").0
}

/// Byte, number, pair of inputs, and a switch.
const MODULE: &str = r#"(module
    (func (export "f") (param $a i32) (param $b i32) (param $c i32) (param $d i32)
        (if (i32.eq (local.get $a) (i32.const 80)) (then (return)))
        (if (i32.gt_s (local.get $b) (i32.const 1000000)) (then (return)))
        (if (i32.eq (local.get $b) (local.get $c)) (then (return)))
        (block (block (block
            (br_table 0 1 2 (i32.sub (local.get $d) (i32.const 40))))
            (return))
            (return))))"#;

#[test]
fn each_kind_of_decision_is_flipped() {
    let (byte, number) = (Slot::any(Type::U8), Slot::any(Type::I32));
    let slots = [byte, number, number, byte];
    let found = found(MODULE, &slots, &[0, 0, 5, 0], &Budget::default());
    let has = |input: usize, value: u64| found.contains(&Flip { input, value });
    assert!(has(0, 80), "the byte that is asked for: {found:?}");
    assert!(has(1, 1_000_001), "the least that is greater: {found:?}");
    assert!(has(1, 5) && has(2, 0), "either of a pair: {found:?}");
    assert!(has(3, 40) && has(3, 41), "the arms of a switch: {found:?}");
    // What is on the path already sends it nowhere else.
    assert!(found.iter().all(|flip| *flip != Flip { input: 0, value: 0 }), "{found:?}");
}

#[test]
fn nothing_is_tried_beyond_the_budget() {
    let slots =
        [Slot::any(Type::U8), Slot::any(Type::I32), Slot::any(Type::I32), Slot::any(Type::U8)];
    let none = Budget { work: Some(0), ..Budget::default() };
    assert_eq!(found(MODULE, &slots, &[0, 0, 5, 0], &none), []);
}
