//! C strings, characters, booleans and buffers in `--call`: in both engines, at every size, and in what
//! is printed.

use super::world::{file, module, run};
use serde_json::Value;

/// Counts the letters a of a C string; a NUL inside would end it early.
const COUNT: &str = r#"(module (memory (export "memory") 1)
  (func (export "count") (param $s i32) (result i32) (local $found i32)
    (block $end (loop $next
      (br_if $end (i32.eqz (i32.load8_u (local.get $s))))
      (if (i32.eq (i32.load8_u (local.get $s)) (i32.const 97))
        (then (local.set $found (i32.add (local.get $found) (i32.const 1)))))
      (local.set $s (i32.add (local.get $s) (i32.const 1)))
      (br $next)))
    (local.get $found)))"#;

fn values(input: &Value) -> Vec<i64> {
    let values = input["values"].as_array().expect("an input has values");
    values.iter().map(|value| value.as_i64().expect("they are integers")).collect()
}

#[test]
fn a_c_string_has_no_nul_inside_and_one_at_its_end() {
    let module = module("c-string.wasm", COUNT);
    let explored =
        run(&["explore", &module, "--call", "count(&cstr[n])", "--size", "3", "--json", "-"]);
    let document = explored.exits(0).json();
    // Two ways at each of three bytes, and the loop ends behind them: 3 * 2 + 1 conditionals.
    assert_eq!(document["paths"], 8, "{document:#}");
    assert_eq!((&document["worst_cost"], &document["trapped"]), (&7.into(), &0.into()));
    assert_eq!(document["findings"].as_array().map_or(0, Vec::len), 0, "{document:#}");
    for test in document["tests"].as_array().expect("there are tests") {
        let values = values(&test["input"]);
        assert!(
            values.len() == 3 && values.iter().all(|byte| (1..=255).contains(byte)),
            "{values:?}"
        );
    }
    let call = "count(&cstr[n] in 'a'..='b')";
    let analyzed = run(&["analyze", &module, "--call", call, "--sizes", "40,80", "--json", "-"]);
    let document = analyzed.exits(0).json();
    assert_eq!(document["fit"]["class"], "n", "{document:#}");
    for size in document["sizes"].as_array().expect("there are sizes") {
        assert_eq!(size["replayed"], "cost", "{size:#}");
        assert_eq!(size["worst_cost"].as_u64(), size["n"].as_u64().map(|n| 2 * n + 1));
        assert!(values(&size["input"]).iter().all(|byte| [97, 98].contains(byte)), "{size:#}");
    }
    // An input with a NUL inside is none.
    let input = file("nul-inside.json", "[97, 0, 98]");
    let wrong = run(&["replay", &module, "--call", "count(&cstr[n])", &input]).exits(2);
    assert!(wrong.stderr.contains("value 2 of the input is 0"), "{}", wrong.stderr);
    let raw = file("c-string.bin", "aba");
    let replayed = run(&["replay", &module, "--call", "count(&cstr[n])", &raw, "--json", "-"]);
    let document = replayed.exits(0).json();
    assert_eq!((&document["n"], &document["cost"]), (&3.into(), &7.into()), "{document:#}");
    assert_eq!(document["results"][0], "2");
}

/// What a parser of JSON is to be run on is JSON, and no list of values.
#[test]
fn bytes_that_happen_to_be_json_are_bytes() {
    let module = module("json-bytes.wasm", COUNT);
    let call = ["replay", &module, "--call", "count(&cstr[n])", "--json", "-"];
    let nested = file("nested.bin", "[[[]]]");
    let document = run(&[&call[..], &[&nested]].concat()).exits(0).json();
    assert_eq!((&document["n"], &document["cost"]), (&6.into(), &13.into()), "{document:#}");
    // A list of two values where five bytes do not fit, and in a file that says so.
    let list = file("two.txt", "[97,98]");
    let document = run(&[&call[..], &[&list, "--size", "2"]].concat()).exits(0).json();
    assert_eq!((&document["n"], &document["results"][0]), (&2.into(), &"1".into()), "{document:#}");
    let named = file("two.json", "[97,98]");
    let document = run(&[&call[..], &[&named]].concat()).exits(0).json();
    assert_eq!((&document["n"], &document["results"][0]), (&2.into(), &"1".into()), "{document:#}");
}

#[test]
fn a_bool_is_zero_or_one() {
    let module = module(
        "flag.wasm",
        r#"(module (memory (export "memory") 1)
          (func (export "flags") (param $all i32) (param $n i32) (param $one i32)
            (if (i32.gt_u (local.get $one) (i32.const 1)) (then (unreachable)))
            (if (i32.gt_u (i32.load8_u (local.get $all)) (i32.const 1)) (then (unreachable)))
            (if (local.get $one) (then (nop)))
            (if (i32.load8_u (local.get $all)) (then (nop)))))"#,
    );
    let ran = run(&[
        "explore",
        &module,
        "--call",
        "flags(&bool[n], n, bool)",
        "--size",
        "1",
        "--json",
        "-",
    ]);
    let document = ran.exits(0).json();
    assert_eq!((&document["paths"], &document["trapped"]), (&4.into(), &0.into()));
}

#[test]
fn a_buffer_is_zeros_and_no_input() {
    let module = module(
        "buffer.wasm",
        r#"(module (memory (export "memory") 1)
          (func (export "twice") (param $to i32) (param $from i32) (param $n i32)
            (block $end (loop $next
              (br_if $end (i32.eqz (local.get $n)))
              (if (i32.load16_u (local.get $to)) (then (unreachable)))
              (if (i32.lt_u (i32.load8_u (local.get $from)) (i32.const 128))
                (then (i32.store16 (local.get $to) (i32.const 257))))
              (local.set $to (i32.add (local.get $to) (i32.const 2)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (local.set $n (i32.sub (local.get $n) (i32.const 1)))
              (br $next)))))"#,
    );
    let call = "twice(&mut u8[2*n], &u8[n], n)";
    let ran = run(&["explore", &module, "--call", call, "--size", "3", "--json", "-"]);
    let document = ran.exits(0).json();
    assert_eq!((&document["paths"], &document["trapped"]), (&8.into(), &0.into()));
    assert_eq!(values(&document["tests"][0]["input"]).len(), 3);
}

#[test]
fn a_text_is_utf_8_whatever_finds_it() {
    // Counts the bytes that begin a character of two or more bytes.
    let module = module(
        "text.wasm",
        r#"(module (memory (export "memory") 1)
          (func (export "wide") (param $s i32) (param $n i32) (result i32) (local $found i32)
            (block $end (loop $next
              (br_if $end (i32.eqz (local.get $n)))
              (if (i32.ge_u (i32.load8_u (local.get $s)) (i32.const 192))
                (then
                  (if (i32.lt_u (i32.load8_u (i32.add (local.get $s) (i32.const 1))) (i32.const 128))
                    (then (unreachable)))
                  (local.set $found (i32.add (local.get $found) (i32.const 1)))))
              (local.set $s (i32.add (local.get $s) (i32.const 1)))
              (local.set $n (i32.sub (local.get $n) (i32.const 1)))
              (br $next)))
            (local.get $found)))"#,
    );
    let call = ["--call", "wide(&str[n], n)", "--json", "-"];
    let ran = run(&[&["explore", &module, "--size", "4"], &call[..]].concat());
    let document = ran.exits(0).json();
    // Ways to begin characters in four bytes: 1 + 3 with one begun at each place but the last, + 1 with two.
    assert_eq!(
        (&document["paths"], &document["complete"]),
        (&5.into(), &true.into()),
        "{document:#}"
    );
    assert_eq!((&document["trapped"], &document["worst_cost"]), (&0.into(), &11.into()));
    let is_text = |input: &Value| {
        let bytes = values(input).into_iter().map(|byte| byte as u8).collect();
        assert!(String::from_utf8(bytes).is_ok(), "{input}");
    };
    document["tests"]
        .as_array()
        .expect("there are tests")
        .iter()
        .for_each(|t| is_text(&t["input"]));
    let job = ["analyze", &module, "--sizes", "8,16,40", "--train", "1..=5"];
    let document = run(&[&job[..], &call].concat()).exits(0).json();
    assert_eq!(document["fit"]["class"], "n", "{document:#}");
    for size in document["sizes"].as_array().expect("there are sizes") {
        is_text(&size["input"]);
        assert_eq!(size["replayed"], "cost", "{size:#}");
        // Two bytes cost five conditionals at best, and the loop ends with one.
        assert_eq!(
            size["worst_cost"].as_u64(),
            size["n"].as_u64().map(|n| 5 * n / 2 + 1),
            "{size:#}"
        );
        assert!(size["random_cost"]["samples"].as_u64() > Some(0), "{size:#}");
    }
    let wrong = file("no-text.bin", b"ab\xc3(");
    let ran = run(&["replay", &module, "--call", "wide(&str[n], n)", &wrong]).exits(2);
    assert!(ran.stderr.contains("value 3 of the input begins what is not UTF-8"), "{}", ran.stderr);
}
