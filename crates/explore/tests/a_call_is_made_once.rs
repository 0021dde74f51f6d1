//! A call that was made on the path is answered from what it did: counts, costs and inputs are those of a
//! walk that makes every call.

use crate::merge_case::Case;
use crate::rng::Rng;
use pessimum_entry::{CostModel, Slot, Type};
use pessimum_explore::{Merge, Options, Outcome, Turn};
use std::fmt::Write;

/// Walks with and without calls being remembered, and compares. How many instructions it saved.
fn check(case: &Case, name: &str) -> u64 {
    let plain = case.walked_within(Merge::Off, Some(4_000_000));
    if plain.cut_by.is_some() {
        return 0;
    }
    let found = case.walked_within(Merge::Auto, Some(8_000_000));
    assert_eq!(found.cut_by, None, "{name}: cut");
    assert_eq!(found.worst_cost(), plain.worst_cost(), "{name}: worst");
    assert_eq!(found.least_cost, plain.least_cost, "{name}: least");
    assert_eq!(found.is_exact(), plain.is_exact(), "{name}: exact");
    let input = |o: &Outcome| o.worst.as_ref().map(|w| w.test.clone());
    assert_eq!(input(&found), input(&plain), "{name}: worst test");
    let merged = found.merged.as_ref().and_then(|merged| merged.paths.as_ref());
    let paths = merged.map_or(found.paths.to_string(), ToString::to_string);
    assert_eq!(paths, plain.paths.to_string(), "{name}: paths");
    assert_eq!(found.trapped, plain.trapped, "{name}: trapped");
    if found.merged.is_some() {
        return 0;
    }
    let open = |o: &Outcome| {
        let path = o.worst.iter().flat_map(|w| &w.path);
        path.filter(|d| d.openness.is_open()).map(|d| (d.site, d.choice)).collect::<Vec<_>>()
    };
    assert_eq!(open(&found), open(&plain), "{name}: open decisions of the worst path");
    // Looking calls up is work: a tree that is just small enough for one walk may be shared out then.
    if found.threads != plain.threads {
        return 0;
    }
    assert!(found.instructions <= plain.instructions, "{name}: more was executed");
    plain.instructions - found.instructions
}

/// What all programs have: `n` bytes at 1024, then a call of `$r` for the first of them.
fn module(n: u32, body: &str) -> String {
    let stores: String =
        (0..n).map(|i| format!("(i32.store8 (i32.const {}) (local.get {i}))", 1024 + i)).collect();
    let params = "i32 ".repeat(n as usize);
    format!(
        r#"(module (memory 1) (global $g (mut i32) (i32.const 0)) (global $h (mut i32) (i32.const 9))
        (func $r (param $at i32) (param $k i32) (result i32) (local $i i32) (local $x i32)
            (if (i32.ge_u (local.get $at) (i32.const {n})) (then (return (local.get $k))))
            {body}
            (local.get $x))
        (func (export "f") (param {params}) {stores}
            (drop (call $r (i32.const 0) (i32.const 1)))))"#
    )
}

fn bytes(n: u32) -> Vec<Slot> {
    vec![Slot::within(Type::U8, 0, 3); n as usize]
}

/// Three calls for the next byte, one after the other, and something between them.
fn thrice(between: &str) -> String {
    let next = "(call $r (i32.add (local.get $at) (i32.const 1)) (i32.const 1))";
    let add = format!("(local.set $x (i32.add (local.get $x) {next}))");
    let branch = "(if (i32.eq (i32.load8_u offset=1024 (local.get $at)) (i32.const 2))
        (then (local.set $x (i32.const 5))))";
    format!("{branch} {add} {between} {add} {between} {add}")
}

#[test]
fn what_is_asked_three_times_takes_a_third() {
    let case = Case::new(&module(7, &thrice("")), &bytes(7), &CostModel::Conditionals);
    let plain = case.walked(Merge::Off);
    let found = case.walked(Merge::Auto);
    assert!(found.instructions * 20 < plain.instructions, "{}", found.instructions);
    let smaller = Case::new(&module(5, &thrice("")), &bytes(5), &CostModel::Conditionals);
    assert!(check(&smaller, "thrice") > 0);
}

/// What a call depends on besides its arguments, and what it leaves behind.
#[test]
fn a_call_with_another_state_is_another_call() {
    let branch =
        |read: &str| format!("(if {read} (then (local.set $x (i32.const 7)) (nop) (nop)))");
    let mut answered = 0;
    let cases = [
        // A global that changes between the calls, and one that the call changes itself.
        ("global", "(global.set $g (i32.add (global.get $g) (i32.const 1)))", "(global.get $g)"),
        // A byte that changes between the calls.
        (
            "byte",
            "(i32.store8 (i32.const 2048) (i32.add (i32.const 1) (i32.load8_u (i32.const 2048))))",
            "(i32.and (i32.load8_u (i32.const 2048)) (i32.const 1))",
        ),
        // A byte of the input that becomes a number, and a number that becomes a byte of the input.
        (
            "input",
            "(i32.store8 (i32.const 1025) (i32.load8_u (i32.const 1024)))",
            "(i32.eq (i32.load8_u offset=1024 (local.get $at)) (i32.const 1))",
        ),
        // The size of the memory.
        ("size", "(drop (memory.grow (i32.const 1)))", "(i32.lt_u (memory.size) (i32.const 2))"),
    ];
    // What changes does so in the outermost call alone, or in the innermost; it is read in the innermost, so
    // that the calls between depend on it by way of others.
    for (name, change, read) in cases {
        for n in 2..=4 {
            let at = |level: u32, then: &str| {
                format!("(if (i32.eq (local.get $at) (i32.const {level})) (then {then}))")
            };
            let reads = at(n - 1, &branch(read));
            let outermost = format!("{reads} {}", thrice(&at(0, change)));
            let innermost = format!("{reads} {} {}", thrice(""), at(n - 1, change));
            for (who, body) in [("outermost", outermost), ("innermost", innermost)] {
                let case = Case::new(&module(n, &body), &bytes(n), &CostModel::Instructions);
                let saved = check(&case, &format!("{name}, {who}, n = {n}"));
                answered += u64::from(saved > 0);
            }
        }
    }
    assert!(answered > 8, "{answered} programs had calls that were answered");
}

/// The innermost call sets something that the outermost reads and takes back.
#[test]
fn what_a_call_leaves_behind_is_left_behind_when_it_is_answered() {
    let cases = [
        ("(global.set $g (i32.const 5))", "(global.get $g)", "(global.set $g (i32.const 0))"),
        (
            "(i32.store16 (i32.const 2048) (i32.const 5))",
            "(i32.load8_u (i32.const 2048))",
            "(i32.store16 (i32.const 2048) (i32.const 0))",
        ),
        // A byte of the input.
        (
            "(i32.store8 (i32.const 2048) (i32.load8_u (i32.const 1024)))",
            "(i32.load8_u (i32.const 2048))",
            "(i32.store8 (i32.const 2048) (i32.const 0))",
        ),
    ];
    let mut answered = 0;
    for (set, read, reset) in cases {
        for n in 2..=4 {
            let at = |level: u32, then: &str| {
                format!("(if (i32.eq (local.get $at) (i32.const {level})) (then {then}))")
            };
            let outer = format!("(if {read} (then (local.set $x (i32.const 3)) (nop))) {reset}");
            let body = format!("{} {}", thrice(&at(0, &outer)), at(n - 1, set));
            let case = Case::new(&module(n, &body), &bytes(n), &CostModel::Instructions);
            answered += u64::from(check(&case, &format!("{set}, n = {n}")) > 0);
        }
    }
    assert!(answered > 6, "{answered} programs had calls that were answered");
}

/// A body of random statements.
fn statements(rng: &mut Rng, depth: u32, calls: &mut u32, out: &mut String) {
    for _ in 0..1 + rng.below(3) {
        let k = rng.below(4);
        let byte = "(i32.load8_u offset=1024 (local.get $at))";
        let cell = match rng.below(3) {
            0 => "(i32.const 2048)".to_owned(),
            1 => "(i32.add (i32.const 2048) (local.get $at))".to_owned(),
            _ => "(i32.add (i32.const 2050) (i32.and (local.get $k) (i32.const 1)))".to_owned(),
        };
        let text = match rng.below(10) {
            0..3 if *calls < 4 => {
                *calls += 1;
                let k = match rng.below(3) {
                    0 => "(local.get $k)".to_owned(),
                    1 => format!("(i32.const {k})"),
                    _ => "(i32.and (local.get $x) (i32.const 1))".to_owned(),
                };
                let next = "(i32.add (local.get $at) (i32.const 1))";
                format!("(local.set $x (i32.add (local.get $x) (call $r {next} {k})))")
            }
            3 | 4 => format!("(local.set $x (i32.add {byte} (local.get $k)))"),
            5 => format!("(i32.store8 {cell} (local.get $x))"),
            6 => format!("(local.set $x (i32.xor (local.get $x) (i32.load8_u {cell})))"),
            7 => "(global.set $g (i32.add (global.get $g) (local.get $x)))".to_owned(),
            8 => "(local.set $x (i32.and (global.get $h) (local.get $x)))".to_owned(),
            _ => format!("(if (i32.eq {byte} (i32.const {k})) (then (return (local.get $x))))"),
        };
        out.push_str(&text);
        out.push('\n');
        if depth < 2 && rng.below(3) == 0 {
            let condition = match rng.below(3) {
                0 => format!("(i32.lt_u {byte} (i32.const {k}))"),
                1 => format!("(i32.eq (i32.and (local.get $x) (i32.const 3)) (i32.const {k}))"),
                _ => format!("(i32.gt_u {byte} (i32.and (local.get $k) (i32.const 3)))"),
            };
            let (mut then, mut other) = (String::new(), String::new());
            statements(rng, depth + 1, calls, &mut then);
            statements(rng, depth + 1, calls, &mut other);
            let _ = write!(out, "(if {condition} (then {then}) (else {other}))");
        }
    }
}

#[test]
fn random_programs_that_call_themselves() {
    let seeds = std::env::var("PESSIMUM_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let mut shorter = 0;
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let (mut body, mut calls) = (String::new(), 0);
        while calls < 2 {
            statements(&mut rng, 0, &mut calls, &mut body);
        }
        let n = 2 + rng.below(3) as u32;
        let case = Case::new(&module(n, &body), &bytes(n), &CostModel::Instructions);
        shorter += u64::from(check(&case, &format!("seed {seed}")) > 0);
    }
    assert!(shorter * 4 > seeds, "{shorter} of {seeds} had calls that were answered");
}

/// At each of the first bytes the calls for the last two are made three times, before the byte is asked for: most of
/// them are answered. What the byte was leaves a history behind, so that no two states are the same. Jobs are
/// shared out by the decisions on their way, those of calls that are not made included.
#[test]
fn workers_agree_on_the_decisions_of_calls_that_are_not_made() {
    let byte = "(i32.load8_u offset=1024 (local.get $at))";
    let last = "(local.set $x (i32.add (local.get $x) (call $r (i32.const 8) (i32.const 1))))";
    let long = "(loop $l (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $l (i32.lt_u (local.get $i) (i32.const 3000))))";
    let doubled = "(i32.mul (global.get $g) (i32.const 2))";
    let body = format!(
        "(if (i32.lt_u (local.get $at) (i32.const 8))
            (then
                {}
                (if (i32.lt_u {byte} (i32.const 2))
                    (then (global.set $g {doubled}))
                    (else (global.set $g (i32.add {doubled} (i32.const 1)))))
                (if (i32.eq (local.get $at) (i32.const 7)) (then {long}))
                (drop (call $r (i32.add (local.get $at) (i32.const 1)) (global.get $g))))
            (else {}))",
        last.repeat(3),
        thrice(&"(nop)".repeat(20)),
    );
    let case = Case::new(&module(10, &body), &bytes(10), &CostModel::Instructions);
    let walked = |workers: usize, merge: Merge| {
        // Where traps count, states are not merged.
        let options = Options { merge, include_traps: true, ..Options::default() };
        let found = case.walked_by(workers, options);
        assert!(found.is_exact(), "{merge:?}: {:?}", found.cut_by);
        assert!(found.threads > 0, "the tree was not shared out");
        let worst = found.worst.map(|w| w.test);
        (found.paths, found.least_cost, worst, found.solver_calls, found.work)
    };
    let (paths, least, worst, ..) = walked(1, Merge::Off);
    let one = walked(1, Merge::Auto);
    assert_eq!((one.0, one.1, &one.2), (paths, least, &worst));
    assert_eq!(walked(2, Merge::Auto), one);
    assert_eq!(walked(3, Merge::Auto), one);
}

#[test]
fn a_path_that_is_longer_than_can_be_counted_is_cut() {
    // Three calls for each of 64 bytes: 3^64 in all.
    let case = Case::new(&module(64, &thrice("")), &bytes(64), &CostModel::Instructions);
    let found = case.walked_within(Merge::Auto, Some(4_000_000));
    assert!(!found.is_exact());
}

/// A prefix that leads nowhere is no subtree: nothing is claimed of what was walked in its place.
#[test]
fn a_prefix_that_does_not_fit_claims_nothing() {
    let case = Case::new(&module(3, &thrice("")), &bytes(3), &CostModel::Conditionals);
    let walked = |prefix: Vec<Turn>| case.walked_by(1, Options { prefix, ..Options::default() });
    assert!(walked(vec![Turn { decided: 0, choice: 1 }]).is_exact());
    assert!(
        !walked(vec![Turn { decided: 0, choice: 1 }, Turn { decided: 1000, choice: 0 }]).is_exact()
    );
    assert!(!walked(vec![Turn { decided: 1000, choice: 0 }]).is_exact());
}
