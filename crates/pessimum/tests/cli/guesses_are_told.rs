//! What the command took upon itself it says, with the way to say otherwise.

use super::world::{corpus, module, run};

/// Counts zero bytes; the only export that takes input.
const ZEROS: &str = r#"(module (memory (export "memory") 1)
  (func (export "zeros") (param $at i32) (param $n i32) (result i32)
    (local $found i32)
    (block $done (loop $next
      (br_if $done (i32.eqz (local.get $n)))
      (if (i32.eqz (i32.load8_u (local.get $at)))
        (then (local.set $found (i32.add (local.get $found) (i32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $next)))
    (local.get $found)))"#;

#[test]
fn a_call_that_nobody_described() {
    let module = module("guessed-call.wasm", ZEROS);
    let job = ["analyze", &module, "--train", "1..=3", "--sizes", "4,6", "--json", "-"];
    let document = run(&job).exits(0).json();
    let finding = &document["findings"][0];
    assert_eq!(finding["kind"], "assumed_call", "{document:#}");
    let message = finding["message"].as_str().unwrap_or_default();
    assert!(message.contains("zeros(&i32[n], n)"), "{message}");
    assert!(message.contains("--call 'zeros(&u8[n], n)'"), "{message}");
    let explored = run(&["explore", &module, "--size", "1..=3"]).exits(0);
    assert_eq!(explored.stderr.matches("--call 'zeros(&u8[n], n)'").count(), 1);
    // Whoever describes it is told nothing.
    let described = run(&[job.as_slice(), &["--call", "zeros(&u8[n], n)"]].concat()).exits(0);
    assert_eq!(described.json()["findings"].as_array().map(Vec::len), Some(0));
    let explore = ["explore", &module, "--call", "zeros(&u8[n], n)", "--size", "2"];
    assert_eq!(run(&explore).exits(0).stderr, "");
}

#[test]
fn a_draw_that_found_too_few() {
    let html = corpus("structures/html").replace("structures/html.wasm", "html.wasm");
    let draw = |size: &str| {
        run(&["generate", &html, "--predicate", "rep_ok", "--size", size, "--random", "3"]).exits(0)
    };
    let enough = draw("4");
    assert_eq!((enough.stdout.lines().count(), enough.stderr.as_str()), (3, ""));
    let none = draw("6");
    assert!(none.stderr.contains("none of 3 structures were drawn"), "{}", none.stderr);
    assert!(none.stderr.contains("leave --random out"), "{}", none.stderr);
}
