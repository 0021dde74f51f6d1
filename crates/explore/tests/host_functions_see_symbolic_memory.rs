//! Every host function that reads or writes the program's memory, over memory and pointers that
//! depend on the input, against all inputs run one by one in the independent engine.
//!
//! What a call did is spent: the program loops as often as the error number, the count and the bytes
//! that it finds afterwards say, so that two worlds that differ in any of them differ in cost.

#![allow(clippy::single_range_in_vec_init, reason = "a domain of one input is a list of one range")]

use crate::brute_force;

use brute_force::call;
use pessimum_entry::{CostModel, Entry};
use pessimum_explore::Outcome;
use std::ops::Range;

/// A function for every host function, `$spend`, and one page of memory.
fn module(body: &str) -> Vec<u8> {
    let wasi = |name: &str, params: &str| {
        format!(
            "(import \"wasi_snapshot_preview1\" \"{name}\" (func ${name} (param {params}) (result i32)))"
        )
    };
    let imports: String = [
        ("args_get", "i32 i32"),
        ("args_sizes_get", "i32 i32"),
        ("environ_get", "i32 i32"),
        ("environ_sizes_get", "i32 i32"),
        ("clock_time_get", "i32 i64 i32"),
        ("clock_res_get", "i32 i32"),
        ("random_get", "i32 i32"),
        ("fd_read", "i32 i32 i32 i32"),
        ("fd_write", "i32 i32 i32 i32"),
        ("fd_close", "i32"),
        ("fd_seek", "i32 i64 i32 i32"),
        ("fd_fdstat_get", "i32 i32"),
        ("fd_prestat_get", "i32 i32"),
    ]
    .into_iter()
    .map(|(name, params)| wasi(name, params))
    .collect();
    let text = format!(
        r#"(module {imports}
            (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
            (import "pessimum" "input_bytes" (func $input_bytes (param i32 i32)))
            (import "pessimum" "input_u8" (func $input_u8 (result i32)))
            (import "pessimum" "input_range_i32" (func $input_range (param i32 i32) (result i32)))
            (import "pessimum" "assume" (func $assume (param i32)))
            (memory (export "memory") 1)
            ;; Takes a different time for every byte, and passes the error number 0 over.
            (func $spend (param $x i32)
                (if (i32.and (local.get $x) (i32.const 1)) (then (nop) (nop) (nop)))
                (if (i32.and (local.get $x) (i32.const 2)) (then (nop) (nop) (nop) (nop) (nop)))
                (local.set $x (i32.and (i32.shr_u (local.get $x) (i32.const 2)) (i32.const 63)))
                (block $out (loop $more
                    (br_if $out (i32.eqz (local.get $x)))
                    (local.set $x (i32.sub (local.get $x) (i32.const 1)))
                    (br $more))))
            {body})"#
    );
    wat::parse_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// [`brute_force::agrees`] for a body of the module above.
fn agrees(body: &str, entry: &Entry, n: u64, domain: &[Range<u32>]) -> (Outcome, usize) {
    brute_force::agrees(&module(body), &CostModel::Instructions, entry, n, domain)
}

#[test]
fn fd_write_with_an_unknown_length() {
    let body = r#"(func (export "f") (param $len i32)
        (i32.store (i32.const 16) (i32.const 64))
        (i32.store (i32.const 20) (i32.mul (local.get $len) (i32.const 3)))
        (call $spend (call $fd_write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 32)))
        (call $spend (i32.load (i32.const 32))))"#;
    let (outcome, inputs) = agrees(body, &call("f(u8 in 0..=40)"), 1, &[0..41]);
    assert_eq!(inputs, 41);
    assert_eq!(outcome.address_forks, 40, "one fork for every length");
}

#[test]
fn fd_write_with_an_unknown_pointer_that_may_be_outside() {
    // Two pieces; the second begins near the end of memory, and so does the place of the count.
    let body = r#"(func (export "f") (param $at i32) (param $count i32)
        (i32.store (i32.const 16) (i32.const 64)) (i32.store (i32.const 20) (i32.const 2))
        (i32.store (i32.const 24) (i32.add (i32.const 65530) (local.get $at)))
        (i32.store (i32.const 28) (i32.const 3))
        (call $spend (call $fd_write (i32.const 1) (i32.const 16) (i32.const 2)
            (i32.add (i32.const 65528) (local.get $count))))
        (call $spend (i32.load8_u (i32.const 65528))) (call $spend (i32.load8_u (i32.const 65532))))"#;
    agrees(body, &call("f(u8 in 0..=7, u8 in 0..=7)"), 1, &[0..8, 0..8]);
}

#[test]
fn fd_write_with_a_length_that_was_selected() {
    // The select is a decision of its own: two paths, and no fork by value.
    let body = r#"(func (export "f") (param $x i32)
        (i32.store (i32.const 16) (i32.const 64))
        (i32.store (i32.const 20)
            (select (i32.const 5) (i32.const 40) (i32.lt_u (local.get $x) (i32.const 9))))
        (call $spend (call $fd_write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 32)))
        (call $spend (i32.load (i32.const 32))))"#;
    let (outcome, _) = agrees(body, &call("f(u8 in 0..=20)"), 1, &[0..21]);
    assert_eq!((outcome.paths, outcome.address_forks), (2, 0));
}

#[test]
fn fd_write_with_an_unknown_list() {
    let body = r#"(func (export "f") (param $fd i32) (param $list i32) (param $count i32)
        (i32.store (i32.const 16) (i32.const 64)) (i32.store (i32.const 20) (i32.const 7))
        (i32.store (i32.const 24) (i32.const 65)) (i32.store (i32.const 28) (i32.const 9))
        (call $spend (call $fd_write (local.get $fd)
            (i32.add (i32.const 16) (i32.mul (local.get $list) (i32.const 8)))
            (i32.sub (local.get $count) (i32.const 1)) (i32.const 40)))
        (call $spend (i32.load (i32.const 40))))"#;
    agrees(body, &call("f(u8 in 0..=3, u8 in 0..=1, u8 in 0..=3)"), 1, &[0..4, 0..2, 0..4]);
}

#[test]
fn fd_read_where_the_input_says_how_much() {
    // The first byte says where the next ones go and how many they are.
    let body = r#"(func (export "_start")
        (i32.store (i32.const 16) (i32.const 8)) (i32.store (i32.const 20) (i32.const 1))
        (drop (call $fd_read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 32)))
        (call $assume (i32.lt_u (i32.load8_u (i32.const 8)) (i32.const 16)))
        (i32.store (i32.const 16) (i32.add (i32.const 65533) (i32.and (i32.load8_u (i32.const 8)) (i32.const 3))))
        (i32.store (i32.const 20) (i32.shr_u (i32.load8_u (i32.const 8)) (i32.const 2)))
        (i32.store (i32.const 24) (i32.const 100)) (i32.store (i32.const 28) (i32.const 1))
        (call $spend (call $fd_read (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 32)))
        (call $spend (i32.load (i32.const 32)))
        (if (i32.gt_u (i32.load8_u (i32.const 65533)) (i32.const 1)) (then (call $spend (i32.const 9))))
        (if (i32.gt_u (i32.load8_u (i32.const 65535)) (i32.const 1)) (then (call $spend (i32.const 17))))
        (if (i32.gt_u (i32.load8_u (i32.const 100)) (i32.const 1)) (then (call $spend (i32.const 33)))))"#;
    let (_, inputs) = agrees(body, &Entry::Stdin, 4, &[0..17, 0..3, 0..3, 0..3]);
    assert_eq!(inputs, 16 * 27, "a first byte of 16 is no input");
}

#[test]
fn random_get_of_an_unknown_length_to_an_unknown_place() {
    let body = r#"(func (export "f") (param $at i32) (param $len i32)
        (call $spend (call $random_get
            (i32.add (i32.const 65528) (local.get $at)) (local.get $len)))
        (call $spend (i32.load8_u (i32.const 65529))) (call $spend (i32.load8_u (i32.const 65535)))
        ;; What comes next depends on how much was taken.
        (drop (call $random_get (i32.const 8) (i32.const 1)))
        (call $spend (i32.load8_u (i32.const 8))))"#;
    agrees(body, &call("f(u8 in 0..=9, u8 in 0..=9)"), 1, &[0..10, 0..10]);
}

#[test]
fn arguments_go_where_the_argument_says() {
    let body = r#"(func (export "_start")
        (drop (call $args_sizes_get (i32.const 0) (i32.const 4)))
        (call $spend (i32.load (i32.const 0))) (call $spend (i32.load (i32.const 4)))
        (drop (call $args_get (i32.const 16) (i32.const 64)))
        ;; Again, to a place that its first letter names, and its pointers near the end of memory.
        (call $assume (i32.lt_u (i32.load8_u (i32.const 72)) (i32.const 16)))
        (call $spend (call $args_get
            (i32.add (i32.const 65524) (i32.load8_u (i32.const 72)))
            (i32.add (i32.const 65514) (i32.load8_u (i32.const 72)))))
        (if (i32.gt_u (i32.load8_u (i32.const 65522)) (i32.const 9)) (then (call $spend (i32.const 9))))
        (if (i32.gt_u (i32.load8_u (i32.const 65524)) (i32.const 2)) (then (call $spend (i32.const 17))))
        (if (i32.eqz (i32.load8_u (i32.const 65526))) (then (call $spend (i32.const 33)))))"#;
    let (_, inputs) = agrees(body, &Entry::Argv, 2, &[0..17, 0..256]);
    assert_eq!(inputs, 15 * 255, "an argument has no zero in it");
}

#[test]
fn an_empty_environment_is_written_anywhere() {
    let body = r#"(func (export "f") (param $a i32) (param $b i32)
        (i32.store (i32.const 65528) (i32.const 0x05060708)) (i32.store (i32.const 65532) (i32.const 0x01020304))
        (call $spend (call $environ_sizes_get
            (i32.add (i32.const 65526) (local.get $a)) (i32.add (i32.const 65526) (local.get $b))))
        (call $spend (call $environ_get (local.get $a) (local.get $b)))
        (call $spend (i32.load8_u (i32.const 65529))) (call $spend (i32.load8_u (i32.const 65532))))"#;
    agrees(body, &call("f(u8 in 0..=9, u8 in 0..=9)"), 1, &[0..10, 0..10]);
}

#[test]
fn the_time_is_written_anywhere() {
    let body = r#"(func (export "f") (param $a i32) (param $b i32)
        (call $spend (call $clock_time_get (i32.const 0) (i64.const 0) (i32.add (i32.const 65520) (local.get $a))))
        (call $spend (call $clock_res_get (i32.const 0) (i32.add (i32.const 65520) (local.get $b))))
        (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 8)))
        (call $spend (i32.load8_u (i32.const 9))) (call $spend (i32.load8_u (i32.const 65521)))
        (call $spend (i32.load8_u (i32.const 65530))))"#;
    agrees(body, &call("f(u8 in 0..=12, u8 in 0..=12)"), 1, &[0..13, 0..13]);
}

#[test]
fn descriptors_are_asked_about_by_unknown_numbers() {
    let body = r#"(func (export "f") (param $fd i32) (param $at i32)
        (call $spend (call $fd_fdstat_get (local.get $fd) (i32.add (i32.const 65508) (local.get $at))))
        (call $spend (call $fd_prestat_get (local.get $fd) (local.get $at)))
        (call $spend (call $fd_seek (local.get $fd) (i64.const 0) (i32.const 0) (i32.const 0)))
        (call $spend (call $fd_close (local.get $fd)))
        (call $spend (i32.load8_u (i32.const 65516))) (call $spend (i32.load8_u (i32.const 65520))))"#;
    agrees(body, &call("f(u8 in 0..=4, u8 in 0..=6)"), 1, &[0..5, 0..7]);
}

#[test]
fn input_bytes_go_to_an_unknown_place() {
    let body = r#"(func (export "f") (param $at i32) (param $len i32)
        (call $input_bytes (i32.add (i32.const 65533) (local.get $at)) (local.get $len))
        (if (i32.gt_u (i32.load8_u (i32.const 65533)) (i32.const 9)) (then (call $spend (i32.const 9))))
        (if (i32.gt_u (i32.load8_u (i32.const 65535)) (i32.const 9)) (then (call $spend (i32.const 17)))))"#;
    let (outcome, _) =
        agrees(body, &call("f(u8 in 0..=4, u8 in 0..=2)"), 1, &[0..5, 0..3, 8..12, 8..12]);
    assert!(outcome.trapped > 0, "some lie outside");
}

#[test]
fn an_input_of_a_range_that_is_not_known() {
    let body = r#"(func (export "f") (param $low i32) (param $high i32)
        (local $x i32)
        (local.set $x (call $input_range (local.get $low) (local.get $high)))
        (if (i32.gt_u (local.get $x) (i32.const 1)) (then (call $spend (i32.const 9))))
        (if (i32.gt_u (local.get $x) (i32.const 3)) (then (call $spend (i32.const 17)))))"#;
    let (_, inputs) = agrees(
        body,
        &call("f(u8 in 0..=4, u8 in 0..=4)"),
        1,
        &[0..5, 0..5, 0..6, 0..1, 0..1, 0..1],
    );
    assert_eq!(inputs, 35, "the ways to choose three of 0..=4 in order, equals allowed");
}

#[test]
fn assume_over_memory() {
    let body = r#"(func (export "f") (param $at i32) (param $x i32)
        (i32.store8 offset=8 (local.get $at) (local.get $x))
        (call $assume (i32.and (i32.load8_u (i32.const 9)) (i32.const 2)))
        (if (i32.eq (local.get $x) (i32.const 3)) (then (call $spend (i32.const 9)))))"#;
    let (_, inputs) = agrees(body, &call("f(u8 in 0..=3, u8 in 0..=7)"), 1, &[0..4, 0..8]);
    assert_eq!(inputs, 4, "only a store to 9 makes it hold");
}

#[test]
fn an_exit_with_an_unknown_code() {
    let body = r#"(func (export "f") (param $code i32)
        (if (i32.gt_u (local.get $code) (i32.const 4)) (then (call $spend (i32.const 9))))
        (call $proc_exit (local.get $code)))"#;
    agrees(body, &call("f(u8 in 0..=9)"), 1, &[0..10]);
}
