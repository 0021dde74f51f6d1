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
    let json = serde_json::to_string_pretty(found).expect("it can be written");
    insta::assert_snapshot!(json);
    let text = render_exploration(&document, &TerminalStyle::default());
    let findings = text.split_once("Findings").expect("it is told").1;
    insta::assert_snapshot!(findings);
}
