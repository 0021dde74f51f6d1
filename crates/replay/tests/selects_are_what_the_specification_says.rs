//! Every form of `select` answers what the specification says, in every copy of a module.
//!
//! An engine may fuse a `select` with the comparison before it; which code it then picks depends on
//! the type, on the comparison and on where the operands are. All of that is gone through here.

use crate::common;

use common::{instrument, ints, invocation};
use pessimum_entry::Sizes;
use pessimum_replay::{Input, Limits, Replayer};

/// When a condition holds of a number.
type Holds = fn(i32) -> bool;

/// How a condition is made of a number, `#`, and when it holds.
const CONDITIONS: [(&str, Holds); 8] = [
    ("#", |c| c != 0),
    ("(i32.eqz #)", |c| c == 0),
    ("(i32.eq # (i32.const 0))", |c| c == 0),
    ("(i32.eq (i32.const 0) #)", |c| c == 0),
    ("(i32.ne # (i32.const 0))", |c| c != 0),
    ("(i32.ne (i32.const 0) #)", |c| c != 0),
    ("(i32.eqz (i32.eqz #))", |c| c != 0),
    ("(i32.eqz (i32.ne # (i32.const 0)))", |c| c == 0),
];

/// Where the number comes from: a local, or the result of an instruction.
const NUMBERS: [&str; 2] = ["(local.get 0)", "(i32.add (local.get 0) (local.get 1))"];

/// Where a value comes from.
#[derive(Clone, Copy)]
enum From {
    Local,
    Constant,
    Instruction,
}

const VALUES: [From; 3] = [From::Local, From::Constant, From::Instruction];

/// The type of the values, whether it is named, and what makes its bits an `i64`.
const TYPES: [(&str, &str, &str); 5] = [
    ("i32", "", "(i64.extend_i32_u X)"),
    ("i32", "(result i32)", "(i64.extend_i32_u X)"),
    ("i64", "", "X"),
    ("f32", "", "(i64.trunc_f32_s X)"),
    ("f64", "", "(i64.trunc_f64_s X)"),
];

const TRUE: u64 = 11;
const FALSE: u64 = 22;

/// A value that is in the local `local`, and in memory at eight times that number.
fn value(from: From, ty: &str, local: u32, constant: u64) -> String {
    match from {
        From::Local => format!("(local.get {local})"),
        From::Constant => format!("({ty}.const {constant})"),
        From::Instruction => format!("({ty}.load (i32.const {}))", 8 * local),
    }
}

/// A module with a function for every form, which takes a number and returns what was selected.
fn module(ty: &str, named: &str, widen: &str) -> (String, Vec<Holds>) {
    let mut functions = String::new();
    let mut holds = Vec::new();
    for (condition, when) in CONDITIONS {
        for number in NUMBERS {
            for yes in VALUES {
                for no in VALUES {
                    let condition = condition.replace('#', number);
                    let select = format!(
                        "(select {named} {} {} {condition})",
                        value(yes, ty, 2, TRUE),
                        value(no, ty, 3, FALSE),
                    );
                    let result = widen.replace('X', &select);
                    functions.push_str(&format!(
                        "(func (export \"f{}\") (param i32) (result i64)
                            (local i32 {ty} {ty})
                            (local.set 2 ({ty}.const {TRUE})) (local.set 3 ({ty}.const {FALSE}))
                            ({ty}.store offset=16 (i32.const 0) ({ty}.const {TRUE}))
                            ({ty}.store offset=24 (i32.const 0) ({ty}.const {FALSE}))
                            {result})\n",
                        holds.len()
                    ));
                    holds.push(when);
                }
            }
        }
    }
    (format!("(module (memory 1) {functions})"), holds)
}

#[test]
fn every_form_of_select_picks_the_value_that_its_condition_says() {
    let mut forms = 0;
    for (ty, named, widen) in TYPES {
        let (text, holds) = module(ty, named, widen);
        // One copy with code between the instructions, one with a block around every body, one with
        // a trace.
        for model in ["conditionals", "instructions", "stack", "decisions"] {
            let replayer = Replayer::new(&instrument(&text, model), Limits::default()).unwrap();
            for (index, holds) in holds.iter().enumerate() {
                forms += usize::from(model == "conditionals");
                for number in [0, 1, 7, -1, i32::MIN] {
                    let outcome = replayer
                        .run(
                            &invocation(&format!("f{index}(i32)"), 1),
                            &Sizes::of(1),
                            Input::Values(&ints(&[number])),
                        )
                        .unwrap();
                    let expected = if holds(number) { TRUE } else { FALSE };
                    let shown = text.split("(func").nth(index + 1).unwrap_or_default();
                    assert_eq!(outcome.results[0].1, expected, "{model}, {number}: {shown}");
                }
            }
        }
    }
    assert_eq!(forms, 5 * 8 * 2 * 9);
}
