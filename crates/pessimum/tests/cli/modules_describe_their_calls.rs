//! A module with a section `pessimum.targets`, as `#[pessimum::target]` writes it.

use super::world::{module, run};

/// `any` branches on each of its bytes; `none` takes nothing.
const HARNESS: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "any") (param $at i32) (param $len i32)
        (loop $next
            (if (local.get $len)
                (then
                    (if (i32.load8_u (local.get $at)) (then (nop)))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (local.set $len (i32.sub (local.get $len) (i32.const 1)))
                    (br $next)))))
    (func (export "none"))
    (@custom "pessimum.targets" "LINES"))"#;

const ANY: &str =
    r#"{\22name\22:\22any\22,\22call\22:\22any(&u8[n], n)\22,\22at_most\22:\22n\22}\0a"#;
const NONE: &str = r#"{\22name\22:\22none\22,\22call\22:\22none()\22}\0a"#;

fn harness(name: &str, lines: &str) -> String {
    module(name, &HARNESS.replace("LINES", lines))
}

#[test]
fn targets_are_listed() {
    let two = harness("targets-two.wasm", &format!("{NONE}{ANY}"));
    let ran = run(&["targets", &two]).exits(0);
    assert_eq!(ran.stdout, "any    any(&u8[n], n)   at most n\nnone   none()\n");
    let found = run(&["targets", &two, "--json", "-"]).exits(0).json();
    assert_eq!(found["targets"][0]["call"], "any(&u8[n], n)");
    assert_eq!(found["targets"][1]["at_most"], serde_json::Value::Null);
    let ran = run(&["targets", &harness("targets-none.wasm", "")]).exits(0);
    assert!(ran.stderr.contains("#[pessimum::target]"), "{}", ran.stderr);
}

#[test]
fn one_is_taken_by_itself_and_of_several_the_named_one() {
    let one = harness("targets-one.wasm", ANY);
    let size = ["--size", "3", "--json", "-"];
    assert_eq!(run(&[&["explore", &one], &size[..]].concat()).exits(0).json()["paths"], 8);
    let two = harness("targets-named.wasm", &format!("{NONE}{ANY}"));
    let named = [&["explore", &two, "--target", "none"], &size[..]].concat();
    assert_eq!(run(&named).exits(0).json()["paths"], 1);
    let ran = run(&[&["explore", &two], &size[..]].concat()).exits(2);
    assert!(ran.stderr.contains("the module has 2 targets: name one"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--json - --target any"), "{}", ran.stderr);
    let ran = run(&[&["explore", &two, "--target", "nine"], &size[..]].concat()).exits(2);
    assert!(ran.stderr.contains("no target nine: name one"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--json - --target none") && !ran.stderr.contains("--target nine"));
}

#[test]
fn check_takes_the_class_of_the_target() {
    let two = harness("targets-check.wasm", &format!("{NONE}{ANY}"));
    let check = |more: &[&str]| run(&[&["check", &two, "--quiet"], more].concat());
    check(&["--target", "any", "--sizes", "4,6,8,10"]).exits(0);
    check(&["--target", "any", "--sizes", "4,6,8,10", "--at-most", "1"]).exits(1);
    let ran = check(&["--target", "none"]).exits(2);
    assert!(ran.stderr.contains("nothing to check"), "{}", ran.stderr);
}
