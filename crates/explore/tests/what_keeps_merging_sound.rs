//! Programs on which a careless way of merging states gives a wrong number. Each reaches an open
//! decision (on `$z`) twice or more, in states that look alike to somebody who forgets something.

use crate::merge_case;

use merge_case::Case;
use pessimum_entry::{CostModel, Slot, Type};
use pessimum_explore::Merge;

/// A function with parameters `$a`, `$b`, `$x`, `$y` and `$z`, and locals `$c` and `$t`.
fn program(around: &str, body: &str) -> String {
    format!(
        r#"(module {around} (func (export "f")
            (param $a i32) (param $b i32) (param $x i32) (param $y i32) (param $z i32)
            (local $c i32) (local $t i32) {body}))"#
    )
}

/// Costs more, the greater the number is.
const WORK: &str = r#"(func $work (param i32) (block (loop
    (br_if 1 (i32.eqz (local.get 0)))
    (local.set 0 (i32.sub (local.get 0) (i32.const 1))) (br 0))))"#;

pub(crate) fn any() -> [Slot; 5] {
    [Slot::any(Type::I32); 5]
}

pub(crate) fn check(name: &str, around: &str, body: &str, slots: [Slot; 5]) -> u64 {
    let text = program(&format!("{around} {WORK}"), body);
    Case::new(&text, &slots, &CostModel::Instructions).check(name)
}

/// Two ways to the decision on `$z`: the statements of either, then those after the decision.
pub(crate) fn two_ways(one: &str, other: &str, after: &str) -> String {
    format!(
        "(if (i32.gt_s (local.get $a) (i32.const 0)) (then {one}) (else {other}))
         (local.set $c (i32.const 0))
         (if (i32.gt_s (local.get $z) (i32.const 5)) (then (call $work (i32.const 3))))
         {after}"
    )
}

#[test]
fn what_is_the_same_is_merged() {
    let after = "(if (i32.gt_s (local.get $b) (i32.const 7)) (then (call $work (i32.const 2))))";
    let body = two_ways("(nop)", "(call $work (i32.const 9))", after);
    assert!(check("nothing differs", "(memory 1)", &body, any()) >= 1);
}

#[test]
fn a_cell_that_one_side_reads_is_part_of_the_state() {
    let read = "(call $work (i32.load (i32.const 100)))";
    for side in [
        format!("(if (i32.gt_s (local.get $b) (i32.const 3)) (then {read}))"),
        format!("(if (i32.gt_s (local.get $b) (i32.const 3)) (then) (else {read}))"),
    ] {
        let body = two_ways(
            "(i32.store (i32.const 100) (i32.const 1))",
            "(i32.store (i32.const 100) (i32.const 40))",
            &side,
        );
        check("a cell", "(memory 1)", &body, any());
    }
}

#[test]
fn a_store_to_one_of_several_places_overwrites_none_of_them_for_sure() {
    let body = two_ways(
        "(i32.store8 (i32.const 100) (i32.const 1))",
        "(i32.store8 (i32.const 100) (i32.const 40))",
        "(i32.store8 offset=100 (i32.and (local.get $x) (i32.const 1)) (i32.const 9))
         (if (i32.gt_s (i32.load8_u (i32.const 100)) (i32.const 20))
            (then (call $work (i32.const 30))))",
    );
    check("a store somewhere", "(memory 1)", &body, any());
}

#[test]
fn part_of_a_word_that_is_overwritten_leaves_the_rest() {
    let body = two_ways(
        "(i32.store (i32.const 100) (i32.const 0x0105))",
        "(i32.store (i32.const 100) (i32.const 0x1805))",
        "(i32.store8 (i32.const 100) (i32.const 3)) (call $work (i32.load16_u (i32.const 100)))",
    );
    check("a byte of a word", "(memory 1)", &body, any());
}

#[test]
fn globals_the_size_of_memory_and_tables_are_part_of_the_state() {
    let global = "(memory 1) (global $g (mut i32) (i32.const 0))";
    let body = two_ways(
        "(global.set $g (i32.const 3))",
        "(global.set $g (i32.const 30))",
        "(call $work (global.get $g))",
    );
    check("a global", global, &body, any());
    let body = two_ways("(drop (memory.grow (i32.const 5)))", "", "(call $work (memory.size))");
    check("pages", "(memory 1)", &body, any());
    let table = r#"(memory 1) (table 2 funcref) (elem (i32.const 0) $one $two)
        (func $one (call $work (i32.const 1))) (func $two (call $work (i32.const 50)))"#;
    let body =
        two_ways("(table.set (i32.const 0) (ref.func $two))", "", "(call_indirect (i32.const 0))");
    check("a table", table, &body, any());
    let data = r#"(memory 1) (data $d "\1e")"#;
    let body = two_ways(
        "(data.drop $d)",
        "",
        "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 1))
         (call $work (i32.load8_u (i32.const 0)))",
    );
    check("a dropped segment", data, &body, any());
}

#[test]
fn whether_a_region_is_measured_is_part_of_the_state() {
    let imports = r#"(import "pessimum" "measure_begin" (func $begin)) (memory 1)"#;
    let body = two_ways("(call $begin)", "", "(call $work (i32.const 10))");
    check("a measured region", imports, &body, any());
}

#[test]
fn how_many_inputs_were_made_is_part_of_the_state() {
    let imports = r#"(import "pessimum" "input_i32" (func $input (result i32))) (memory 1)"#;
    let body = two_ways(
        "(drop (call $input))",
        "",
        "(if (i32.gt_s (call $input) (i32.const 3)) (then (call $work (i32.const 10))))",
    );
    check("an input more", imports, &body, any());
}

#[test]
fn where_a_call_returns_to_is_part_of_the_state() {
    let around = r#"(memory 1) (func $ask (param $z i32) (result i32)
        (if (result i32) (i32.gt_s (local.get $z) (i32.const 5))
            (then (i32.const 1)) (else (i32.const 2))))"#;
    let body = "(if (i32.gt_s (local.get $a) (i32.const 0))
            (then (call $work (call $ask (local.get $z))))
            (else (call $work (i32.mul (call $ask (local.get $z)) (i32.const 9)))))";
    check("another caller", around, body, any());
}

/// `v > 7` is folded away where the domain of v ends at 7: it must come back where it does not.
#[test]
fn what_a_domain_decides_is_not_decided_for_another_domain() {
    let slots = [
        Slot::any(Type::I32),
        Slot::any(Type::I32),
        Slot::within(Type::U8, 0, 7),
        Slot::any(Type::U8),
        Slot::any(Type::I32),
    ];
    let after = "(if (i32.gt_u (local.get $t) (i32.const 7)) (then (call $work (i32.const 20))))";
    for (one, other) in [("$x", "$y"), ("$y", "$x")] {
        let body = two_ways(
            &format!("(local.set $t (local.get {one}))"),
            &format!("(local.set $t (local.get {other}))"),
            after,
        );
        check("two domains", "(memory 1)", &body, slots);
    }
}

/// What is known of the inputs on the way decides what is open later: each of these is known on one
/// way alone, in either order.
#[test]
fn what_the_path_condition_says_is_part_of_the_state() {
    let bytes = [Slot::any(Type::U8); 5];
    let conditions: [(&str, &str, &str, [Slot; 5]); 9] = [
        ("an order", "(i32.lt_s (local.get $x) (local.get $y))", "", any()),
        ("a disequality", "(i32.ne (local.get $x) (local.get $y))", "", any()),
        ("an equation", "(i32.eq (local.get $x) (local.get $y))", "", any()),
        ("a bound", "(i32.lt_s (local.get $x) (i32.const 17))", "", any()),
        (
            "an unsigned bound",
            "(i32.lt_u (local.get $x) (i32.const 17))",
            "(i32.lt_s (local.get $x) (i32.const 0))",
            any(),
        ),
        ("a set", "(i32.and (local.get $x) (i32.const 1))", "", bytes),
        ("a disequality of bytes", "(i32.ne (local.get $x) (local.get $y))", "", bytes),
        (
            "a sum",
            "(i32.lt_s (i32.add (local.get $x) (local.get $y)) (i32.const 100))",
            "",
            [Slot::within(Type::I32, 0, 1000); 5],
        ),
        ("bits", "(i32.eq (i32.and (local.get $x) (local.get $y)) (i32.const 5))", "", any()),
    ];
    for (name, condition, asked, slots) in conditions {
        let asked = if asked.is_empty() { condition } else { asked };
        for known in ["(then)", "(then (return))"] {
            let learn = format!("(if {condition} {known} (else (call $work (i32.const 1))))");
            let after = format!("(if {asked} (then (call $work (i32.const 20))))");
            check(name, "(memory 1)", &two_ways(&learn, "", &after), slots);
            check(name, "(memory 1)", &two_ways("", &learn, &after), slots);
        }
    }
}

/// x < b < y leaves a number between x and y, also after b is gone.
/// On one way an arm is out of the question, and the state is the same on the other way, where it is not.
#[test]
fn an_arm_that_was_refuted_may_be_feasible_elsewhere() {
    let arms = "(block (block (block (block (br_table 0 1 2 3 (local.get $z)))
        (call $work (i32.const 1)) (br 2)) (call $work (i32.const 2)) (br 1)) (call $work (i32.const 30)))";
    let unless = |z: u32| format!("(if (i32.eq (local.get $z) (i32.const {z})) (then (return)))");
    for z in 0..4 {
        for (one, other) in [(unless(z), "(nop)".to_owned()), ("(nop)".to_owned(), unless(z))] {
            let body = format!(
                "(if (i32.gt_s (local.get $a) (i32.const 0)) (then {one}) (else {other})) {arms}"
            );
            for slot in [Slot::any(Type::I32), Slot::any(Type::U8), Slot::within(Type::U8, 0, 7)] {
                let slots = [Slot::any(Type::I32); 4];
                let [a, b, x, y] = slots;
                check("an arm", "(memory 1)", &body, [a, b, x, y, slot]);
            }
        }
    }
}

/// Whether one of two bytes is zero, asked of both at once: no difference, but forced by what is known of each.
/// Where that is known on both ways, they meet; where it is known on one of them, they do not.
#[test]
fn what_forces_a_condition_on_bits_is_needed() {
    let word = "(local.set $t (i32.or (local.get $y) (i32.shl (local.get $z) (i32.const 8))))";
    let has_zero =
        "(i32.and (i32.const 0x8080) (i32.and (i32.sub (local.get $t) (i32.const 0x0101))
        (i32.xor (local.get $t) (i32.const -1))))";
    let after = format!(
        "(if (i32.gt_s (local.get $b) (i32.const 5)) (then (call $work (i32.const 3))))
         {word} (if {has_zero} (then (call $work (i32.const 40))))"
    );
    let none = "(if (i32.eqz (local.get $y)) (then (return)))
        (if (i32.eqz (local.get $z)) (then (return)))";
    let less = "(if (i32.lt_u (local.get $y) (i32.const 9)) (then (return)))
        (if (i32.lt_u (local.get $z) (i32.const 7)) (then (return)))";
    let (any, byte) = (Slot::any(Type::I32), Slot::any(Type::U8));
    let reuses = |one: &str, other: &str| {
        let body = format!(
            "(if (i32.gt_s (local.get $a) (i32.const 0)) (then {one}) (else {other})) {after}"
        );
        check("two bytes", "(memory 1)", &body, [any, any, any, byte, byte])
    };
    let more = format!("{none} (if (i32.eq (local.get $y) (i32.const 200)) (then (return)))");
    assert!(reuses(&more, none) >= 1, "what is known beyond that does not matter");
    for (one, other) in [("(nop)", none), (none, "(nop)"), (none, less), (less, none)] {
        reuses(one, other);
    }
}

#[test]
fn an_input_that_is_gone_leaves_its_traces() {
    let between = "(if (i32.lt_s (local.get $x) (local.get $b))
        (then (if (i32.lt_s (local.get $b) (local.get $y)) (then) (else (return))))
        (else (return)))";
    let order = "(if (i32.lt_s (local.get $x) (local.get $y)) (then) (else (return)))";
    let after = "(if (i32.eq (i32.add (local.get $x) (i32.const 1)) (local.get $y))
        (then (call $work (i32.const 20))))";
    let small = [Slot::within(Type::I32, 0, 1000); 5];
    for slots in [any(), small] {
        check("between", "(memory 1)", &two_ways(between, order, after), slots);
        check("between", "(memory 1)", &two_ways(order, between, after), slots);
    }
    // b is one of two numbers, neither of which is between.
    let hole =
        "(if (i32.or (i32.eq (local.get $b) (i32.const 3)) (i32.eq (local.get $b) (i32.const 9)))
        (then (if (i32.lt_u (local.get $x) (local.get $b))
            (then (if (i32.lt_u (local.get $b) (local.get $y)) (then) (else (return))))
            (else (return))))
        (else (return)))";
    let after = "(if (i32.lt_u (local.get $x) (i32.const 3)) (then (call $work (i32.const 20)))
        (else (if (i32.lt_u (local.get $y) (i32.const 9)) (then (call $work (i32.const 40))))))";
    let bytes = [Slot::any(Type::U8); 5];
    check("a hole", "(memory 1)", &two_ways(hole, order, after), bytes);
    check("a hole", "(memory 1)", &two_ways(order, hole, after), bytes);
}

/// The state is the same, what led to it is not: the worst path goes by the way that was walked last.
#[test]
fn the_worst_path_of_a_reuse_is_followed_to_its_end() {
    let after = "(if (i32.gt_s (local.get $b) (i32.const 7)) (then (call $work (i32.const 2))))
        (if (i32.gt_s (local.get $y) (i32.const 7)) (then) (else (call $work (i32.const 2))))";
    for (one, other) in [("(call $work (i32.const 9))", ""), ("", "(call $work (i32.const 9))")] {
        let reused = check("by the other way", "(memory 1)", &two_ways(one, other, after), any());
        assert!(reused >= 1);
    }
}

#[test]
fn traps_below_a_reuse_are_counted() {
    let after = "(if (i32.gt_s (local.get $b) (i32.const 7)) (then (unreachable)))
        (drop (i32.div_u (i32.const 7) (local.get $x)))";
    let body = two_ways("(call $work (i32.const 2))", "", after);
    assert!(check("traps", "(memory 1)", &body, any()) >= 1);
}

/// A path that is cut by the way it came is not cut by another: what was walked within the limit
/// says nothing of a longer way.
#[test]
fn a_limit_that_depends_on_the_way_is_kept() {
    let after = "(if (i32.gt_s (local.get $b) (i32.const 7)) (then (call $work (i32.const 40))))";
    for (one, other) in [("(call $work (i32.const 40))", ""), ("", "(call $work (i32.const 40))")] {
        let text = program(&format!("(memory 1) {WORK}"), &two_ways(one, other, after));
        let mut case = Case::new(&text, &any(), &CostModel::Instructions);
        case.setup.limits.instructions = 450;
        let plain = case.walked(Merge::Off);
        assert!(plain.cut > 0 && plain.paths > 0, "{} and {}", plain.cut, plain.paths);
        for merge in [Merge::On, Merge::Verify] {
            let found = case.walked(merge);
            assert_eq!((found.cut, found.paths), (plain.cut, plain.paths), "{merge:?}");
            assert!(!found.is_exact());
        }
    }
}

/// Differences of 64 bits do not fit into words: such orders are not merged by, and nothing overflows.
#[test]
fn orders_of_wide_numbers_are_kept_whole() {
    let text = format!(
        r#"(module (memory 1) {WORK} (func (export "f")
            (param $a i64) (param $b i64) (param $x i64) (param $y i64) (param $z i64)
            (if (i64.lt_s (local.get $x) (local.get $y)) (then)
                (else (if (i64.lt_u (local.get $a) (local.get $b)) (then (return)))))
            (if (i64.gt_s (local.get $z) (i64.const 5)) (then (call $work (i32.const 3))))
            (if (i64.lt_s (local.get $x) (local.get $y)) (then (call $work (i32.const 20))))
            (if (i64.ne (local.get $a) (i64.const -9223372036854775808))
                (then (call $work (i32.const 9))))
            (if (i64.lt_s (local.get $a) (local.get $x)) (then (call $work (i32.const 2))))))"#
    );
    let slots = [Slot::any(Type::I64); 5];
    Case::new(&text, &slots, &CostModel::Instructions).check("wide");
}

#[test]
fn costs_that_do_not_add_up_are_not_merged() {
    let text = program(&format!("(memory 1) {WORK}"), &two_ways("", "", ""));
    for cost in [CostModel::Stack, CostModel::Heap, CostModel::Decisions] {
        let found = Case::new(&text, &any(), &cost).walked(Merge::On);
        assert_eq!(found.merged, None, "{cost}");
    }
}

/// An array of nodes of eight bytes at 2048; nodes 1 and 2 hold a 7, and one of them is at 100.
const POOL: &str = r#"(memory 1)
    (func $node (param i32) (result i32)
        (i32.add (i32.mul (local.get 0) (i32.const 8)) (i32.const 2048)))"#;

fn one_of_two_nodes(after: &str) -> u64 {
    let keep = |node: u32| format!("(i32.store (i32.const 100) (call $node (i32.const {node})))");
    let fill = "(i32.store (call $node (i32.const 1)) (i32.const 7))
        (i32.store (call $node (i32.const 2)) (i32.const 7))
        (i32.store offset=4 (call $node (i32.const 1)) (call $node (i32.const 2)))
        (i32.store offset=4 (call $node (i32.const 2)) (call $node (i32.const 1)))";
    let mut reused = 0;
    for (one, other) in [(1, 2), (2, 1)] {
        let body = format!("{fill} {}", two_ways(&keep(one), &keep(other), after));
        reused = check(after, POOL, &body, any());
    }
    reused
}

#[test]
fn nodes_that_are_followed_have_no_addresses() {
    let read = "(call $work (i32.load (i32.load (i32.const 100))))";
    assert!(one_of_two_nodes(read) >= 1);
    let twice = "(call $work (i32.load (i32.load offset=4 (i32.load (i32.const 100)))))";
    assert!(one_of_two_nodes(twice) >= 1);
    let same = "(if (i32.eq (i32.load (i32.const 100)) (i32.load offset=4 (i32.load offset=4
        (i32.load (i32.const 100))))) (then (call $work (i32.const 9))))";
    assert!(one_of_two_nodes(same) >= 1);
    let fresh = "(i32.store (call $node (i32.const 3)) (i32.load (i32.const 100)))
        (call $work (i32.load (i32.load (call $node (i32.const 3)))))";
    assert!(one_of_two_nodes(fresh) >= 1);
}

/// Each of these takes an address for a number.
#[test]
fn an_address_that_is_looked_at_is_part_of_the_state() {
    let node = "(i32.load (i32.const 100))";
    for number in [
        // ordered, compared with a number, hashed, subtracted
        format!("(i32.lt_u {node} (i32.const 2068))"),
        format!("(i32.lt_u {node} (i32.load offset=4 {node}))"),
        format!("(i32.eq {node} (i32.const 2056))"),
        format!("(i32.ne {node} (call $node (i32.const 2)))"),
        format!("(i32.and {node} (i32.const 31))"),
        format!("(i32.rem_u {node} (i32.const 13))"),
        format!("(i32.sub {node} (i32.const 2048))"),
        format!("(i32.sub (i32.load offset=4 {node}) (i32.const 2048))"),
        format!("(i32.add {node} (i32.const -2040))"),
        format!("(i32.wrap_i64 (i64.shr_u (i64.extend_i32_u {node}) (i64.const 3)))"),
        // a part of one
        "(i32.load8_u (i32.const 100))".to_owned(),
        "(i32.load16_u (i32.const 100))".to_owned(),
        "(i32.load (i32.const 99))".to_owned(),
        "(i32.wrap_i64 (i64.and (i64.load (i32.const 100)) (i64.const 31)))".to_owned(),
        // a neighbour of the node, from it and by its number
        format!("(i32.load offset=16 {node})"),
        format!("(i32.load (i32.add {node} (i32.const 8)))"),
        "(i32.load (call $node (i32.const 3)))".to_owned(),
        // chosen by an input
        format!(
            "(i32.and (select {node} (i32.const 3) (i32.gt_s (local.get $y) (i32.const 0)))
                (i32.const 31))"
        ),
        format!("(i32.sub (select {node} (i32.const 2060) (local.get $y)) (i32.const 2050))"),
    ] {
        let far = "(i32.store (call $node (i32.const 3)) (i32.const 30))";
        for after in [
            format!("(call $work (i32.and {number} (i32.const 63)))"),
            format!("{far} (call $work (i32.and {number} (i32.const 63)))"),
            format!("(if {number} (then (call $work (i32.const 20))))"),
        ] {
            one_of_two_nodes(&after);
        }
    }
}

/// A byte of an address is overwritten: what comes of it depends on the address.
#[test]
fn an_address_that_is_put_together_is_part_of_the_state() {
    for change in [
        "(i32.store8 (i32.const 100) (i32.const 0x10))",
        "(i32.store8 (i32.const 101) (i32.const 0))",
        "(i32.store16 (i32.const 100) (i32.const 0x0808))",
        "(i64.store (i32.const 96) (i64.or (i64.load (i32.const 96)) (i64.const 0x800000000)))",
        "(i32.store (i32.const 98) (i32.const 0x08100000))",
    ] {
        one_of_two_nodes(&format!("{change} (call $work (i32.load8_u (i32.const 100)))"));
        let followed = "(call $work (i32.and (i32.load offset=4 (i32.load (i32.const 100)))
            (i32.const 63)))";
        one_of_two_nodes(&format!("{change} {followed}"));
        let compared = "(if (i32.eq (i32.load (i32.const 100)) (call $node (i32.const 2)))
            (then (call $work (i32.const 20))))";
        one_of_two_nodes(&format!("{change} {compared}"));
    }
}

/// That a number is not the least of all is a bound of 2^63 − 1, which is no bound where it is forgotten what it is.
#[test]
fn the_least_number_of_all_is_told_from_the_others() {
    let least = i128::from(i64::MIN);
    let odd = "(i64.eqz (i64.and (local.get $l) (i64.const 1)))";
    for first in [
        "(i64.lt_s (local.get $l) (i64.const -9223372036854775807))",
        "(i64.eq (local.get $l) (i64.const 0x8000000000000000))",
    ] {
        for values in [least..=least + 1, least..=least + 4, -least - 3..=-least - 1] {
            let text = format!(
                r#"(module {WORK} (func (export "f") (param $l i64) (param $z i32)
                    (if {first} (then (nop)) (else (call $work (i32.const 1))))
                    (if (i32.gt_s (local.get $z) (i32.const 5)) (then (call $work (i32.const 3))))
                    (if {odd} (then (call $work (i32.const 40))))))"#
            );
            let slots =
                [Slot::within(Type::I64, *values.start(), *values.end()), Slot::any(Type::I32)];
            let case = Case::new(&text, &slots, &CostModel::Instructions);
            case.check(&format!("{first} of {values:?}"));
        }
    }
}
