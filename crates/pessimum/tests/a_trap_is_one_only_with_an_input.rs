//! What is reported as a trap is a trap: an input is known, and another engine traps on it.

use pessimum::{Exploration, Program, explore_size};
use pessimum_entry::CostModel;

/// Findings of a function of one unknown number, by kind, and how many paths trapped.
fn findings(body: &str) -> (Vec<(String, bool)>, u64) {
    let text = format!("(module (func (export \"f\") (param i32) (result i32) {body}))");
    let bytes = wat::parse_str(text).expect("the text is a module");
    let program = Program::new("f", bytes).and_then(|p| p.call("f(i32)")).expect("f can be called");
    let how = Exploration { cost: CostModel::Instructions, ..Exploration::default() };
    let (document, outcome) = explore_size(&program, 1, &how).expect("it can be explored");
    let kinds = document.findings.into_iter().map(|f| (f.kind, f.input.is_some()));
    (kinds.collect(), outcome.trapped)
}

#[test]
fn a_division_by_zero_has_an_input() {
    let (found, trapped) = findings("(i32.div_s (i32.const 7) (local.get 0))");
    assert_eq!((found, trapped), (vec![("trap".to_owned(), true)], 1));
}

#[test]
fn an_undecided_conversion_is_not_called_a_trap() {
    // The square root of a square fits: nothing traps, but floats are not decided.
    let (found, trapped) = findings(
        "(local f64)
         (local.set 1 (f64.convert_i32_s (local.get 0)))
         (i32.trunc_f64_s (f64.mul (f64.const 0.5) (f64.sqrt (f64.mul (local.get 1) (local.get 1)))))",
    );
    let kinds: Vec<&str> = found.iter().map(|(kind, _)| kind.as_str()).collect();
    assert!(kinds.contains(&"symbolic_float"), "{kinds:?}");
    assert!(kinds.contains(&"possible_trap"), "{kinds:?}");
    assert!(!kinds.contains(&"trap") && trapped == 0, "{kinds:?}");
}

#[test]
fn an_undecided_path_is_not_the_worst() {
    // No number is its own half and three: the long way is never taken, and nobody can tell.
    let text = "(module (func (export \"f\") (param i32) (result i32) (local f64)
         (local.set 1 (f64.convert_i32_s (local.get 0)))
         (if (f64.gt (f64.mul (local.get 1) (f64.const 0.5)) (f64.add (f64.abs (local.get 1)) (f64.const 3)))
             (then (if (local.get 0) (then (nop)))))
         (i32.const 0)))";
    let bytes = wat::parse_str(text).expect("the text is a module");
    let program = Program::new("f", bytes).and_then(|p| p.call("f(i32)")).expect("f can be called");
    let (document, _) = explore_size(&program, 1, &Exploration::default()).expect("it is explored");
    assert_eq!((document.worst_cost, document.exact), (Some(1), false));
}
