//! No allocator of the program hands out the memory that its arguments lie in.

use crate::brute_force;

use brute_force::{agrees, call};
use pessimum_entry::CostModel;

/// Two copies of an array, cleared when they are made, then the pairs of equal bytes in the array
/// itself. `ALLOCATE` takes a size and leaves an address.
const DEDUP: &str = r#"
    (func (export "f") (param $a i32) (param $n i32) (local $i i32) (local $j i32) (local $b i32)
        (local.set $b (call $allocate (i32.const 70000)))
        (memory.fill (local.get $b) (i32.const 0) (i32.const 70000))
        (block $out (loop $outer
            (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
            (local.set $j (i32.const 0))
            (block $next (loop $inner
                (br_if $next (i32.ge_u (local.get $j) (local.get $i)))
                (if (i32.eq (i32.load8_u (i32.add (local.get $a) (local.get $i)))
                            (i32.load8_u (i32.add (local.get $a) (local.get $j))))
                    (then (i32.store8 (i32.add (local.get $b) (local.get $j)) (i32.const 1))))
                (local.set $j (i32.add (local.get $j) (i32.const 1)))
                (br $inner)))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $outer))))"#;

/// An allocator that begins behind the data and takes all memory there is, then more of it: what
/// wasi-libc's does.
const TAKES_ALL: &str = r#"
    (memory 1)
    (global $next (mut i32) (i32.const 1024))
    (func $malloc (param $size i32) (result i32)
        (block $enough (loop $more
            (br_if $enough (i32.le_u (i32.add (global.get $next) (local.get $size))
                                     (i32.mul (memory.size) (i32.const 65536))))
            (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))
            (return (i32.const 0))))
        (global.get $next)
        (global.set $next (i32.and (i32.add (i32.add (global.get $next) (local.get $size)) (i32.const 15)) (i32.const -16))))"#;

fn keeps(module: &str) {
    let bytes = wat::parse_str(module).expect("text");
    let entry = call("f(&u8[n] in 0..=2, n)");
    let (outcome, inputs) = agrees(&bytes, &CostModel::Conditionals, &entry, 3, &vec![0..3; 3]);
    assert_eq!(inputs, 27);
    // Three elements are equal or not in five ways.
    assert_eq!(outcome.paths, 5);
}

#[test]
fn where_malloc_is_known_by_its_name() {
    let calloc = "(func $allocate (param $size i32) (result i32) (call $malloc (local.get $size)))";
    keeps(&format!("(module {TAKES_ALL} {calloc} {DEDUP})"));
}

#[test]
fn where_malloc_is_exported() {
    let calloc = r#"(func $allocate (param $size i32) (result i32) (call $malloc (local.get $size)))
        (export "malloc" (func $malloc))"#;
    keeps(&format!("(module {TAKES_ALL} {calloc} {DEDUP})"));
}

#[test]
fn where_only_calloc_is_known() {
    let renamed = TAKES_ALL.replace("$malloc", "$take");
    let calloc = r#"(func $calloc (param $count i32) (param $size i32) (result i32)
            (call $take (i32.mul (local.get $count) (local.get $size))))
        (func $allocate (param $size i32) (result i32)
            (call $calloc (local.get $size) (i32.const 1)))"#;
    keeps(&format!("(module {renamed} {calloc} {DEDUP})"));
}

#[test]
fn where_memory_is_neither_measured_nor_grown() {
    // Whatever it hands out was there from the beginning.
    let fixed = r#"(memory 2)
        (func $allocate (param $size i32) (result i32) (i32.const 1024))"#;
    keeps(&format!("(module {fixed} {DEDUP})"));
}
