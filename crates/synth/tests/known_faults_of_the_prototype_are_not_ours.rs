//! What the published prototype got wrong, each as a program.

use crate::common;

use common::Program;
use pessimum_synth::Cause;

/// Predicts and replays at sizes far from those that were explored.
fn holds(program: &Program, sizes: &[u64]) -> pessimum_synth::Model {
    let model = program.model().unwrap_or_else(|why| panic!("{why}"));
    for &n in sizes {
        let input = model.input(n).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(model.predict_cost(n), Some(program.replay(n, &input)), "at {n}");
    }
    model
}

/// for (i = 0; i + 1 < n; i += 2) if (a[i] < a[i + 1]) hit(); the loop runs ⌊n/2⌋ times.
const PAIRS: &str = r#"(module (memory (export "memory") 1)
  (func $hit (export "hit"))
  (func (export "f") (param $a i32) (param $n i32)
    (local $i i32)
    (block $done
      (loop $again
        (br_if $done (i32.ge_s (i32.add (local.get $i) (i32.const 1)) (local.get $n)))
        (if (i32.lt_s (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2))))
                      (i32.load offset=4 (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))
          (then (call $hit)))
        (local.set $i (i32.add (local.get $i) (i32.const 2)))
        (br $again)))))"#;

#[test]
fn half_of_n_is_fitted_as_half_of_n() {
    let program = Program::of_text(PAIRS, "f(&i32[n], n)", "visits:hit");
    let model = holds(&program, &[11, 30, 31, 500, 501]);
    assert_eq!(model.cost().to_string(), "floor(n/2)");
}

#[test]
fn a_stride_of_two_stays_two() {
    let program = Program::of_text(PAIRS, "f(&i32[n], n)", "visits:hit");
    let model = program.model().expect("a model");
    let text = model.describe(|_| "pairs".to_owned()).join("\n");
    assert_eq!(
        text,
        "pairs: x[i] < x[j], i = incre(0, 2*floor(n/2)-2, 2), j = incre(1, 2*floor(n/2)-1, 2)"
    );
}

/// Halves n down to 1 and compares at each step: ⌊lg n⌋ constraints.
#[test]
fn a_logarithm_is_fitted_as_a_logarithm() {
    let program = Program::of_text(
        r#"(module (memory (export "memory") 1)
          (func $hit (export "hit"))
          (func (export "f") (param $a i32) (param $n i32)
            (block $done
              (loop $again
                (br_if $done (i32.le_s (local.get $n) (i32.const 1)))
                (if (i32.gt_s (i32.load (local.get $a)) (i32.const 7)) (then (call $hit)))
                (local.set $n (i32.shr_u (local.get $n) (i32.const 1)))
                (br $again)))))"#,
        "f(&i32[1], n)",
        "visits:hit",
    );
    let model = holds(&program, &[11, 64, 1000, 4096]);
    assert_eq!(model.cost().to_string(), "floor(log2(n))");
}

/// A `br_table` with one label for the indices 1, 3 and 5: a disjunction of three arms on the worst
/// path. With an arm lost, inputs would be steered away from values that are as good, or into ones
/// that are not.
#[test]
fn every_arm_of_a_disjunction_is_kept() {
    let program = Program::of_text(
        r#"(module (memory (export "memory") 1)
          (func $hit (export "hit"))
          (func (export "f") (param $a i32) (param $n i32)
            (local $i i32)
            (block $done
              (loop $again
                (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
                (block $miss
                  (block $yes
                    (br_table $miss $yes $miss $yes $miss $yes $miss
                      (i32.load8_u (i32.add (local.get $a) (local.get $i)))))
                  (call $hit))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $again)))))"#,
        "f(&u8[n], n)",
        "visits:hit",
    );
    let model = holds(&program, &[11, 100, 300]);
    let text = model.describe(|_| "switch".to_owned()).join("\n");
    for value in ["1", "3", "5"] {
        assert!(text.contains(&format!("== {value}")), "{text}");
    }
}

/// The first worst path of each size belongs to no family: at a small size several tie, and the model
/// takes one of each that goes with the others.
#[test]
fn tied_worst_paths_are_put_together_to_a_family() {
    let (program, _) = common::target("merge_arrays");
    let model = holds(&program, &[40]);
    assert_eq!(model.family().len() as u64, model.trained_on().count() as u64);
}

/// No hand-written loop tags: the brackets come from Wasm's loops and calls, recursion included.
#[test]
fn recursion_is_a_bracket() {
    // f(a, n): n > 1 and a[0] < a[1] goes on with f(a + 1, n − 1).
    let program = Program::of_text(
        r#"(module (memory (export "memory") 1)
          (func $f (export "f") (param $a i32) (param $n i32)
            (if (i32.gt_s (local.get $n) (i32.const 1))
              (then
                (if (i32.lt_s (i32.load (local.get $a)) (i32.load offset=4 (local.get $a)))
                  (then
                    (call $f (i32.add (local.get $a) (i32.const 4))
                             (i32.sub (local.get $n) (i32.const 1)))))))))"#,
        "f(&i32[n], n)",
        "visits:f",
    );
    let model = holds(&program, &[11, 100, 1000]);
    assert_eq!(model.cost().to_string(), "n");
    assert!(
        model
            .describe(|cause| match cause {
                Cause::Decision { choice, .. } => format!("side {choice}"),
                other => format!("{other:?}"),
            })
            .iter()
            .any(|line| line.contains("incre("))
    );
}

/// Sums in dynamic single assignment form: a running total is compared with the next value.
#[test]
fn running_totals_get_names() {
    // total = a[0]; for (i = 1; i < n; i++) { if (a[i] <= total) break; hit(); total += a[i]; }
    let program = Program::of_text(
        r#"(module (memory (export "memory") 1)
          (func $hit (export "hit"))
          (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $total i32) (local $x i32)
            (local.set $total (i32.load (local.get $a)))
            (local.set $i (i32.const 1))
            (block $done
              (loop $again
                (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
                (local.set $x (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))
                (local.set $total (i32.add (local.get $total) (local.get $x)))
                (br_if $done (i32.gt_s (local.get $total) (i32.const 1000)))
                (call $hit)
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $again)))))"#,
        "f(&i32[n] in 1..=10, n)",
        "visits:hit",
    );
    holds(&program, &[11, 100, 500]);
}
