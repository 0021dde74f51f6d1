//! `check`: 0 only where nothing worse can hide, 1 only with a witness, 4 where it cannot tell.

use super::world::{Ran, SORT, corpus, module, run, scratch};
use serde_json::Value;

fn check(rules: &[&str]) -> Ran {
    let sort = corpus("insertion_sort");
    run(&[&["check", &sort, "--call", SORT][..], rules].concat())
}

#[test]
fn within_the_bound() {
    let ran = check(&["--at-most", "n^2"]).exits(0);
    assert!(ran.stdout.contains("nothing worse was found"), "{}", ran.stdout);
    check(&["--at-most", "n^3"]).exits(0);
    check(&["--max-cost", "n=40:1600"]).exits(0);
}

/// Keeps the values that differ from the last one kept: two ways at each, of one cost.
const DISTINCT: &str = r#"(module (memory (export "memory") 1)
  (func (export "f") (param $a i32) (param $n i32) (local $i i32) (local $last i32)
    (loop $each
      (if (i32.eq (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))) (local.get $last))
        (then (local.set $last (i32.add (local.get $last) (i32.const 0))))
        (else (local.set $last
          (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

/// Where every path costs the same, any input is the worst, and that is found out as any policy is.
#[test]
fn what_does_not_depend_on_the_input_is_within_its_class() {
    let distinct = module("distinct.wasm", DISTINCT);
    let job = ["check", &distinct, "--call", "f(&i32[n], n)", "--effort", "4s", "--at-most"];
    let ran = run(&[&job[..], &["n"]].concat()).exits(0);
    assert!(ran.stdout.contains("within O(n): every path was explored"), "{}", ran.stdout);
    run(&[&job[..], &["log(n)"]].concat()).exits(1);
}

/// `yzyz…` makes each letter as dear as all before it, from the fortieth on. All that is short costs the same.
const IN_TURN: &str = r#"(module (memory (export "memory") 1)
  (func (export "f") (param $a i32) (param $n i32)
    (local $i i32) (local $c i32) (local $state i32) (local $deep i32) (local $j i32)
    (loop $each
      (local.set $c (i32.load8_u (i32.add (local.get $a) (local.get $i))))
      (if (i32.eq (local.get $c)
            (i32.add (i32.const 121) (i32.and (local.get $state) (i32.const 1))))
        (then (local.set $state (i32.add (local.get $state) (i32.const 1))))
        (else (local.set $state (i32.const 0))))
      (if (i32.ge_u (local.get $state) (i32.const 40)) (then (local.set $deep (i32.const 1))))
      (if (local.get $deep) (then
        (local.set $j (local.get $i))
        (loop $before
          (local.set $j (i32.sub (local.get $j) (i32.const 1)))
          (br_if $before (local.get $j)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

/// No small size shows it; the attack on what is about to be claimed does.
#[test]
fn what_only_a_long_pattern_of_two_letters_shows_is_found() {
    let in_turn = module("in-turn.wasm", IN_TURN);
    let job = ["check", &in_turn, "--call", "f(&u8[n], n)", "--effort", "6s", "--at-most", "n"];
    let ran = run(&job).exits(1);
    assert!(ran.stdout.contains("it grows as Ω(n^2), above O(n)"), "{}", ran.stdout);
}

/// An `a` costs seven conditions; any other letter two, and from there on where so many of them as `limit` before it went on
/// with bcdbcd…, as many as there are letters before it. That is counted without a branch, and worst inputs of small
/// sizes are all of `a`.
fn lure(limit: u32) -> String {
    format!(
        r#"(module (memory (export "memory") 1)
        (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $c i32) (local $run i32) (local $j i32) (local $steps i32)
            (block $end (loop $each
                (br_if $end (i32.ge_u (local.get $i) (local.get $n)))
                (local.set $c (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                (local.set $j (i32.const 0))
                (if (i32.eq (local.get $c) (i32.const 97))
                    (then
                        (local.set $run (i32.const 0))
                        (loop $some
                            (if (i32.gt_u (local.get $c) (local.get $j)) (then (nop)))
                            (local.set $j (i32.add (local.get $j) (i32.const 1)))
                            (br_if $some (i32.lt_u (local.get $j) (i32.const 6)))))
                    (else
                        (local.set $run (i32.mul
                            (i32.add (local.get $run) (i32.const 1))
                            (i32.eq (local.get $c) (i32.add
                                (i32.const 98) (i32.rem_u (local.get $i) (i32.const 3))))))
                        (local.set $steps (i32.and (local.get $i) (i32.sub
                            (i32.const 0) (i32.gt_u (local.get $run) (i32.const {limit})))))
                        (block $done (loop $step
                            (br_if $done (i32.ge_u (local.get $j) (local.get $steps)))
                            (local.set $j (i32.add (local.get $j) (i32.const 1)))
                            (br $step)))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $each)))))"#
    )
}

/// What no worst path of small sizes does is followed with terms before anything is claimed of larger ones: a pattern that
/// nobody would try shows that way.
#[test]
fn what_is_far_from_the_worst_path_is_followed() {
    for limit in [16, 100] {
        let lure = module(&format!("lure-{limit}.wasm"), &lure(limit));
        let job = ["check", &lure, "--call", "f(&u8[n], n)", "--effort", "6s", "--at-most", "n"];
        let ran = run(&job).exits(1);
        assert!(ran.stdout.contains("it grows as Ω(n^2), above O(n)"), "{}", ran.stdout);
    }
}

#[test]
fn above_the_bound() {
    let ran = check(&["--at-most", "n*log(n)"]).exits(1);
    assert!(ran.stdout.contains("it grows as O(n^2), above O(n log n)"), "{}", ran.stdout);
}

#[test]
fn dearer_than_allowed_shows_a_replayed_witness() {
    let document = check(&["--max-cost", "n=40:1599", "--json", "-"]).exits(1).json();
    let sizes = document["sizes"].as_array().expect("one line for each size");
    let size = sizes.iter().find(|s| s["n"] == 40).expect("the size of the rule was run");
    assert_eq!(size["worst_cost"], 1600);
    assert_eq!(size["replayed"], "cost");
    let falling: Vec<Value> = (0..40).rev().map(Value::from).collect();
    assert_eq!(size["input"]["values"], Value::from(falling));
    // Those that were run to learn from are told among those that were asked for.
    let told: Vec<u64> = sizes.iter().filter_map(|size| size["n"].as_u64()).collect();
    assert!(told.len() > 2 && told.is_sorted(), "{told:?}");
}

#[test]
fn an_unvalidated_policy_proves_nothing() {
    let rules = ["--at-most", "n^2", "--train", "1..=2", "--merge", "off", "--effort", "2s"];
    check(&rules).exits(4);
    check(&[&rules[..], &["--inconclusive", "pass"]].concat()).exits(0);
    check(&[&rules[..], &["--inconclusive", "fail"]].concat()).exits(1);
}

#[test]
fn a_witness_counts_even_where_the_policy_is_not_validated() {
    check(&["--max-cost", "n=40:1599", "--train", "1..=2"]).exits(1);
}

#[test]
fn compared_with_last_time() {
    let sort = corpus("insertion_sort");
    let before = scratch("baseline.json").display().to_string();
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "10,20", "--json", &before];
    run(&args).exits(0);
    check(&["--baseline", &before]).exits(0);

    let text = std::fs::read_to_string(&before).expect("it was written");
    let mut cheaper: Value = serde_json::from_str(&text).expect("results are JSON");
    cheaper["sizes"][1]["worst_cost"] = 399.into();
    cheaper["program"]["fingerprint"] = "of another build".into();
    let cheaper = super::world::file("cheaper.json", cheaper.to_string());
    let ran = check(&["--baseline", &cheaper]).exits(1);
    assert!(ran.stdout.contains("cost 400 is more than 399"), "{}", ran.stdout);
    check(&["--baseline", &cheaper, "--tolerance", "1%"]).exits(0);

    // Many sizes are one finding, and one test each.
    let mut all: Value = serde_json::from_str(&text).expect("results are JSON");
    all["program"]["fingerprint"] = "of another build".into();
    for list in ["sizes", "training"] {
        for size in all[list].as_array_mut().expect("a list") {
            let cost = size["worst_cost"].as_u64().expect("a cost");
            size["worst_cost"] = cost.saturating_sub(1).into();
        }
    }
    let all = super::world::file("all_cheaper.json", all.to_string());
    let cases = scratch("all_cheaper.xml").display().to_string();
    let ran = check(&["--baseline", &all, "--github", "--junit", &cases]).exits(1);
    let errors: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(errors.len(), 1, "{}", ran.stdout);
    assert!(errors[0].contains("more sizes as well"), "{errors:?}");
    let cases = std::fs::read_to_string(cases).expect("it was written");
    let count = |name: &str| cases.matches(name).count();
    assert_eq!((count("name=\"n=20: "), count("name=\"n = 20\"")), (1, 0), "{cases}");
    check(&["--baseline", &cheaper, "--tolerance", "0%"]).exits(1);
}

/// The same work is done as for the baseline, so the evidence is of the same kind; and where the build is the very same,
/// what was exact is exact, however little was done this time.
#[test]
fn an_unchanged_program_is_green_against_its_own_baseline() {
    let sort = corpus("insertion_sort");
    let before = scratch("own_baseline.json").display().to_string();
    let usual = ["--time", "200s", "--effort", "4s"];
    let args = [&["analyze", &sort, "--call", SORT, "--json", &before], &usual[..]].concat();
    run(&args).exits(0);
    check(&[&["--baseline", &before], &usual[..]].concat()).exits(0);
    // A build that only looks like another one.
    let text = std::fs::read_to_string(&before).expect("it was written");
    let mut rebuilt: Value = serde_json::from_str(&text).expect("results are JSON");
    rebuilt["program"]["fingerprint"] = "of another build".into();
    let rebuilt = super::world::file("rebuilt.json", rebuilt.to_string());
    let ran = check(&[&["--baseline", &rebuilt, "--json", "-"], &usual[..]].concat()).exits(0);
    let exact = |document: &Value, list: &str| -> Vec<u64> {
        let sizes = document[list].as_array().into_iter().flatten();
        sizes.filter(|s| s["exact"] == true).filter_map(|s| s["n"].as_u64()).collect()
    };
    let baseline: Value = serde_json::from_str(&text).expect("results are JSON");
    let mut known = [exact(&baseline, "training"), exact(&baseline, "sizes")].concat();
    known.sort_unstable();
    assert_eq!(exact(&ran.json(), "sizes"), known);
    // Much less is proven without merging.
    let less = ["--merge", "off", "--time", "200s", "--effort", "2s"];
    check(&[&["--baseline", &before], &less[..]].concat()).exits(0);
    check(&[&["--baseline", &rebuilt], &less[..]].concat()).exits(4);
}

#[test]
fn what_a_check_wrote_is_no_baseline() {
    let written = scratch("no_baseline.json").display().to_string();
    let quick = ["--sizes", "5", "--train", "1..=3"];
    check(&[&["--max-cost", "n=5:25", "--json", &written], &quick[..]].concat()).exits(0);
    let ran = check(&["--baseline", &written]).exits(2);
    assert!(
        ran.stderr.contains("is what `pessimum check` wrote, and no baseline"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("pessimum analyze … --json"), "{}", ran.stderr);
}

/// The same build cannot cost more than the worst of all.
#[test]
fn an_exact_cost_that_was_wrong_is_a_contradiction() {
    let sort = corpus("insertion_sort");
    let before = scratch("wrong_baseline.json").display().to_string();
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "10,20", "--json", &before];
    run(&args).exits(0);
    let text = std::fs::read_to_string(&before).expect("it was written");
    let mut wrong: Value = serde_json::from_str(&text).expect("results are JSON");
    wrong["sizes"][0]["worst_cost"] = 99.into();
    let wrong = super::world::file("wrong.json", wrong.to_string());
    let ran = check(&["--baseline", &wrong, "--json", "-"]).exits(5);
    let document = ran.json();
    let finding = &document["findings"][0];
    assert_eq!((&finding["kind"], &finding["n"]), (&"contradiction".into(), &10.into()));
    assert!(finding["message"].as_str().is_some_and(|m| m.contains("costs 100, and 99 was said")));
    assert_eq!(document["verdict"], "inconclusive", "nothing is claimed");
    assert!(ran.stderr.contains("a bug of pessimum"), "{}", ran.stderr);
}

#[test]
fn a_change_of_class_is_said_first() {
    let sort = corpus("insertion_sort");
    let before = scratch("linear_baseline.json").display().to_string();
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "10,20", "--json", &before];
    run(&args).exits(0);
    let text = std::fs::read_to_string(&before).expect("it was written");
    let mut linear: Value = serde_json::from_str(&text).expect("results are JSON");
    linear["fit"]["class"] = "n".into();
    let linear = super::world::file("linear.json", linear.to_string());
    let ran = check(&["--baseline", &linear]).exits(1);
    let change = ran.stdout.lines().find(|line| line.starts_with("Change")).expect("it is said");
    assert!(change.contains("O(n) → O(n^2)"), "{change}");
    assert!(ran.stdout.contains("grows as before, n: worse"), "{}", ran.stdout);
}

#[test]
fn a_baseline_of_something_else_is_refused() {
    let sort = corpus("insertion_sort");
    let before = scratch("other_baseline.json").display().to_string();
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "5", "--train", "1..=3"];
    run(&[&args[..], &["--json", &before]].concat()).exits(0);
    let refused = |args: &[&str], why: &str| {
        let ran = run(&[args, &["--baseline", &before]].concat()).exits(2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    };
    let list = corpus("linear_search");
    refused(&["check", &list, "--call", "search(&i32[n], n, i32)"], "another program");
    refused(&["check", &sort, "--call", "sort(&i32[n] in 0..=9, n)"], "another call");
    refused(&["check", &sort, "--call", SORT, "--cost", "instructions"], "another cost model");
    refused(&["check", &corpus("merge_sort"), "--call", SORT], "by the name of its file");
    // The very build under another name is the same program.
    let moved = scratch("moved.wasm").display().to_string();
    std::fs::copy(&sort, &moved).expect("it can be copied");
    let again = ["check", &moved, "--call", SORT, "--sizes", "5", "--train", "1..=3"];
    run(&[&again[..], &["--baseline", &before]].concat()).exits(0);
}

#[test]
fn inputs_found_keep_no_bound_and_nobody_proposes_to_check_it() {
    let sort = corpus("insertion_sort");
    let sizes =
        ["--train", "1..=2", "--sizes", "10,20,30,40,50", "--merge", "off", "--effort", "2s"];
    let args = [&[sort.as_str(), "--call", SORT], &sizes[..]].concat();
    let ran = run(&[&["analyze"], &args[..]].concat()).exits(0);
    assert!(ran.stdout.contains("Ω(n^2)") && !ran.stdout.contains("O(n^2)"), "{}", ran.stdout);
    let sentence = "At least n^2: inputs found; worse ones are not ruled out.";
    assert!(ran.stdout.contains(sentence), "{}", ran.stdout);
    assert!(!ran.stdout.contains("pessimum check"), "{}", ran.stdout);
    let document = run(&[&["analyze"], &args[..], &["--json", "-"]].concat()).exits(0).json();
    assert_eq!(
        (&document["fit"]["bound"], &document["fit"]["class"]),
        (&"at_least".into(), &"n^2".into())
    );
    let ran = run(&[&["check"], &args[..], &["--at-most", "n^2"]].concat()).exits(4);
    assert!(ran.stdout.contains("would settle it"), "{}", ran.stdout);
    run(&[&["check"], &args[..], &["--at-most", "n"]].concat()).exits(1);
}

/// A result of the first schema is still a baseline.
#[test]
fn compared_with_a_result_of_the_first_schema() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let before = root.join("../report/fixtures/schema_1/insertion_sort.json");
    check(&["--baseline", &before.display().to_string()]).exits(0);
}

#[test]
fn said_again_for_ci() {
    let junit = scratch("check.xml");
    let file = junit.display().to_string();
    let rules = ["--max-cost", "n=40:1599", "--github", "--junit", &file];
    let ran = check(&rules).exits(1);
    assert!(ran.stdout.contains("\n::error "), "{}", ran.stdout);
    let xml = std::fs::read_to_string(&junit).expect("it was written");
    assert!(xml.starts_with("<?xml") && xml.contains("<failure"), "{xml}");

    let ran = check(&[&rules[..], &["--json", "-"]].concat()).exits(1);
    assert_eq!(ran.json()["verdict"], "worse", "standard output is JSON alone");
    assert!(ran.stderr.contains("::error "), "{}", ran.stderr);
}
