//! `measure_begin` overrides the measured region where the entry can reach it, and nowhere else.

#![allow(clippy::single_range_in_vec_init, reason = "a domain of one input is a list of one range")]

use crate::brute_force;

use brute_force::{agrees, call};
use pessimum_entry::CostModel;

const MODULE: &str = r#"(module
    (import "pessimum" "measure_begin" (func $begin))
    (import "pessimum" "measure_end" (func $end))
    (type $work (func (param i32)))
    (table funcref (elem $measured))
    (func $work (param $x i32)
        (block $out (loop $more
            (br_if $out (i32.eqz (local.get $x)))
            (local.set $x (i32.sub (local.get $x) (i32.const 1)))
            (br $more))))
    (func $measured (param $x i32)
        (call $begin) (call $work (local.get $x)) (call $end))
    (func (export "whole") (param $x i32) (call $work (local.get $x)) (call $work (local.get $x)))
    (func (export "part") (param $x i32) (call $work (local.get $x)) (call $measured (local.get $x)))
    (func (export "indirect") (param $x i32)
        (call $work (local.get $x)) (call_indirect (type $work) (local.get $x) (i32.const 0)))
    (func (export "never") (param $x i32)
        (if (i32.gt_u (local.get $x) (i32.const 100)) (then (call $measured (local.get $x))))
        (call $work (local.get $x))))"#;

#[test]
fn of_each_entry_its_own_region_is_measured() {
    let bytes = wat::parse_str(MODULE).expect("text");
    // A round of the loop has one conditional, and its end one more.
    for (entry, worst) in [("whole", 2 * 5), ("part", 5), ("indirect", 5), ("never", 0)] {
        let spec = format!("{entry}(u8 in 0..=4)");
        for cost in [CostModel::Conditionals, CostModel::Instructions] {
            let (outcome, _) = agrees(&bytes, &cost, &call(&spec), 1, &[0..5]);
            if cost == CostModel::Conditionals {
                assert_eq!(outcome.worst_cost(), Some(worst), "{entry}");
            }
        }
    }
}
