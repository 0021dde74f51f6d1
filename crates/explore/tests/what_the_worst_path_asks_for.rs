//! Programs on which a careless reuse of the greatest cost alone gives a wrong one: the path that has it
//! is feasible in the state that was walked, and not in the other.

use crate::what_keeps_merging_sound::{any, check, two_ways};
use pessimum_entry::{Slot, Type};

const INPUTS: &str = r#"(import "pessimum" "input_range_i32" (func $between (param i32 i32) (result i32)))
    (import "pessimum" "input_u8" (func $byte (result i32))) (memory 1)"#;

/// Goes on where the condition holds.
fn only(condition: &str) -> String {
    format!("(if {condition} (then) (else (return)))")
}

/// Checks with either way first; each is a condition on `$x` and `$y`.
fn both_ways(name: &str, around: &str, one: &str, other: &str, after: &str, slots: [Slot; 5]) {
    let (one, other) = (only(one), only(other));
    check(name, around, &two_ways(&one, &other, after), slots);
    check(name, around, &two_ways(&other, &one, after), slots);
}

#[test]
fn an_input_that_is_made_below_ends_with_its_domain() {
    let x_below = "(i32.lt_s (local.get $x) (i32.const 100))";
    let x_above = "(i32.gt_s (local.get $x) (i32.const 300))";
    let greater = "(if (i32.gt_s (call $between (i32.const 10) (i32.const 200)) (local.get $x))
        (then (call $work (i32.const 20))))";
    both_ways("greater", INPUTS, x_below, x_above, greater, any());
    let x_tiny = "(i32.lt_s (local.get $x) (i32.const 5))";
    let less = "(if (i32.lt_s (call $between (i32.const 10) (i32.const 200)) (local.get $x))
        (then (call $work (i32.const 20))))";
    let x_middle = "(i32.lt_u (i32.sub (local.get $x) (i32.const 50)) (i32.const 40))";
    both_ways("less", INPUTS, x_tiny, x_middle, less, any());
    both_ways("less", INPUTS, x_tiny, x_below, less, any());
}

#[test]
fn an_input_that_is_made_below_has_room_between_two_others() {
    let next = "(i32.eq (i32.add (local.get $x) (i32.const 1)) (local.get $y))";
    let apart = "(i32.lt_s (i32.add (local.get $x) (i32.const 5)) (local.get $y))";
    let between = "(local.set $t (call $between (i32.const 0) (i32.const 900)))
        (if (i32.gt_s (local.get $t) (local.get $x))
            (then (if (i32.lt_s (local.get $t) (local.get $y)) (then (call $work (i32.const 20))))))";
    let slots = [Slot::within(Type::I32, 0, 1000); 5];
    both_ways("between", INPUTS, next, apart, between, slots);
    // The same with another input between them again.
    let twice = format!(
        "(local.set $c (local.get $x)) {between} (local.set $x (local.get $t)) {between}
         (if (i32.lt_s (local.get $c) (local.get $x)) (then (call $work (i32.const 5))))"
    );
    both_ways("twice between", INPUTS, next, apart, &twice, slots);
}

#[test]
fn numbers_that_must_differ_have_room_to_differ() {
    let one_value = "(i32.eq (local.get $x) (local.get $y))";
    let any_value = "(i32.le_s (local.get $x) (local.get $y))";
    let differ = "(if (i32.ne (local.get $x) (local.get $y)) (then (call $work (i32.const 20))))";
    both_ways("differ", INPUTS, one_value, any_value, differ, any());
    let pinned = "(i32.eq (local.get $x) (i32.const 7))";
    let loose = "(i32.lt_s (local.get $x) (i32.const 90))";
    let from_a_number =
        "(if (i32.ne (local.get $x) (i32.const 7)) (then (call $work (i32.const 20))))";
    both_ways("differs from a number", INPUTS, pinned, loose, from_a_number, any());
    // An input that is made below differs from both, and there are three values.
    let made = "(local.set $t (call $between (i32.const 1) (i32.const 2)))
        (if (i32.ne (local.get $t) (local.get $x))
            (then (if (i32.ne (local.get $t) (local.get $y)) (then (call $work (i32.const 20))))))";
    let few = [Slot::within(Type::I32, 1, 3); 5];
    let taken = "(i32.lt_s (local.get $x) (local.get $y))";
    both_ways("made below", INPUTS, taken, one_value, made, few);
    let crowded = "(i32.eq (i32.add (local.get $x) (local.get $y)) (i32.const 3))";
    both_ways("made below", INPUTS, crowded, one_value, made, few);
}

#[test]
fn bytes_have_holes() {
    let bytes = [Slot::any(Type::U8); 5];
    let is = |v: &str, n: u32| format!("(i32.eq (local.get {v}) (i32.const {n}))");
    let hole = format!("(i32.or {} {})", is("$x", 3), is("$x", 9));
    let other = format!("(i32.or {} {})", is("$x", 5), is("$x", 9));
    let after = format!("(if {} (then (call $work (i32.const 20))))", is("$x", 3));
    both_ways("one of two", INPUTS, &hole, &other, &after, bytes);
    // Between 3 and 9 there is something, and not in the set.
    let around = "(i32.gt_u (local.get $y) (local.get $x))";
    let between = format!(
        "(if (i32.and (i32.gt_u (local.get $x) (i32.const 3)) (i32.lt_u (local.get $x) (i32.const 9)))
            (then (call $work (i32.const 20))))
         (if {around} (then (call $work (i32.const 1))))"
    );
    both_ways(
        "in the hole",
        INPUTS,
        &hole,
        "(i32.lt_u (local.get $x) (i32.const 20))",
        &between,
        bytes,
    );
    let below = "(local.set $t (call $byte))
        (if (i32.gt_u (local.get $t) (i32.const 100))
            (then (if (i32.lt_u (local.get $t) (local.get $x)) (then (call $work (i32.const 20))))))";
    let small = "(i32.lt_u (local.get $x) (i32.const 50))";
    let large = "(i32.gt_u (local.get $x) (i32.const 150))";
    both_ways("a byte made below", INPUTS, small, large, below, bytes);
}

#[test]
fn a_number_is_signed_and_unsigned() {
    let after =
        "(if (i32.lt_u (local.get $x) (i32.const 1000)) (then (call $work (i32.const 20))))";
    let negative = "(i32.lt_s (local.get $x) (i32.const 0))";
    let positive = "(i32.ge_s (local.get $x) (i32.const 0))";
    both_ways("both readings", INPUTS, negative, positive, after, any());
    let made = "(local.set $t (call $between (i32.const -50) (i32.const 50)))
        (if (i32.lt_s (local.get $t) (local.get $x))
            (then (if (i32.gt_u (local.get $t) (local.get $y)) (then (call $work (i32.const 20))))))";
    let high = "(i32.gt_u (local.get $y) (i32.const -10))";
    let low = "(i32.lt_u (local.get $y) (i32.const 10))";
    both_ways("both readings of one made below", INPUTS, high, low, made, any());
}
