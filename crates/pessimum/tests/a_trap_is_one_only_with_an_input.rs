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

/// A prime: no two numbers have it as their product, which takes longer to find out than there is time.
const PRIME: u64 = 2_305_843_009_213_693_967;

/// A function of two numbers that are not one, none so large that the product would not fit.
fn of_two(body: &str) -> Program {
    let text =
        format!("(module (func (export \"f\") (param i64 i64) (result i64) (local i64) {body}))");
    let bytes = wat::parse_str(text).expect("the text is a module");
    let call = "f(i64 in 2..=4294967295, i64 in 2..=4294967295)";
    Program::new("f", bytes).and_then(|p| p.call(call)).expect("f can be called")
}

#[test]
fn an_undecided_division_is_not_called_a_trap() {
    let program = of_two(&format!(
        "(i64.div_u (i64.const 7) (i64.sub (i64.mul (local.get 0) (local.get 1)) (i64.const {PRIME})))"
    ));
    let (document, outcome) =
        explore_size(&program, 1, &Exploration::default()).expect("it is explored");
    let kinds: Vec<&str> = document.findings.iter().map(|f| f.kind.as_str()).collect();
    assert!(kinds.contains(&"possible_trap"), "{kinds:?}");
    assert!(!kinds.contains(&"trap") && outcome.trapped == 0, "{kinds:?}");
    assert!(!document.exact);
}

#[test]
fn an_undecided_path_is_not_the_worst() {
    // The long way is never taken, and nobody can tell.
    let program = of_two(&format!(
        "(if (i64.eq (i64.mul (local.get 0) (local.get 1)) (i64.const {PRIME}))
             (then (if (i64.eqz (local.get 0)) (then (nop)))))
         (i64.const 0)"
    ));
    let (document, _) = explore_size(&program, 1, &Exploration::default()).expect("it is explored");
    assert_eq!((document.worst_cost, document.exact), (Some(1), false));
}

#[test]
fn a_conversion_that_fits_is_no_trap() {
    // The square root of a square is a number that there was before.
    let (found, trapped) = findings(
        "(local f64)
         (local.set 1 (f64.convert_i32_s (local.get 0)))
         (i32.trunc_f64_s (f64.mul (f64.const 0.5) (f64.sqrt (f64.mul (local.get 1) (local.get 1)))))",
    );
    let kinds: Vec<&str> = found.iter().map(|(kind, _)| kind.as_str()).collect();
    assert!(!kinds.contains(&"trap") && trapped == 0, "{kinds:?}");
}
