//! A condition that nobody could decide says which operation is to blame, by which instruction, and what would help.

use pessimum::{Exploration, Program, explore_size};
use pessimum_report::{TerminalStyle, render_exploration};

/// A prime: no two numbers have it as their product, which takes longer to find out than there is time.
const PRIME: u64 = 2_305_843_009_213_693_967;

#[test]
fn a_product_is_named_by_its_instruction() {
    let text = format!(
        "(module (func (export \"f\") (param i64 i64) (result i64)
           (if (i64.eq (i64.mul (local.get 0) (local.get 1)) (i64.const {PRIME})) (then (nop)))
           (i64.const 0)))"
    );
    let bytes = wat::parse_str(text).expect("the text is a module");
    let call = "f(i64 in 2..=4294967295, i64 in 2..=4294967295)";
    let program = Program::new("f", bytes).and_then(|p| p.call(call)).expect("f can be called");
    let (document, _) = explore_size(&program, 1, &Exploration::default()).expect("it is explored");
    assert!(!document.exact);
    let found = document.findings.iter().find(|f| f.kind == "unknown").expect("it is undecided");
    let json = serde_json::to_value(found).expect("it can be written");
    let cause = &json["cause"];
    assert_eq!(cause["operation"], "a product of values that depend on the input");
    assert_eq!(cause["instruction"], "i64.mul");
    let at = cause["at"].as_str().expect("it has a place");
    assert!(at.starts_with("byte 0x"), "{at}");
    assert_eq!(
        found.message,
        format!(
            "a condition could not be decided within the solver's limits: it depends on a product of values that depend on the input at {at} (i64.mul); what may help: narrower inputs (in 0..=100), a constant operand, or a build with Z3 (--features z3)"
        )
    );
    let style = TerminalStyle { width: 1000, ..TerminalStyle::default() };
    assert!(render_exploration(&document, &style).contains(&found.message));
}
