//! What removes a path as a trap is a trap in every engine; what is a limit of ours cuts it, and
//! takes *exact* away.

use crate::brute_force;

use brute_force::{agrees, call, explored};
use pessimum_entry::CostModel;
use pessimum_explore::FindingKind;
use pessimum_machine::Trap;

/// Pairs of equal bytes among n, each of which costs a conditional more, with what the program
/// allocates taken from a global that counts up.
const BUMP: &str = r#"(module
    (memory 1)
    (global (mut i32) (i32.const 2048))
    (func $allocate (param $size i32) (result i32)
        (global.get 0)
        (global.set 0 (i32.add (global.get 0) (local.get $size))))
    (func (export "f") (param $a i32) (param $n i32) (local $i i32) (local $copy i32)
        (block $out (loop $more
            (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
            (if (i32.load8_u (i32.add (local.get $a) (local.get $i)))
                (then
                    (local.set $copy (call $allocate (i32.const 16)))
                    (i32.store8 (local.get $copy) (i32.const 1))
                    (if (local.get $copy) (then (nop)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $more))))
    (data (i32.const 1024) "some bytes below"))"#;

#[test]
fn an_allocator_in_a_global_is_no_stack() {
    let bytes = wat::parse_str(BUMP).expect("text");
    let entry = call("f(&u8[n] in 0..=1, n)");
    let (outcome, _) = agrees(&bytes, &CostModel::Conditionals, &entry, 4, &vec![0..2; 4]);
    assert_eq!((outcome.trapped, outcome.paths), (0, 16));
    assert_eq!(outcome.worst_cost(), Some(5 + 4 + 4));
}

#[test]
fn a_stack_in_memory_that_overflows_takes_exact_away() {
    // Every activation takes 4,096 bytes of a stack of 64 KiB; no engine notices when it is used up.
    let text = r#"(module (memory 2)
        (global $__stack_pointer (mut i32) (i32.const 65536))
        (func $f (export "f") (param $x i32) (local $frame i32)
            (global.set 0 (local.tee $frame (i32.sub (global.get 0) (i32.const 4096))))
            (if (local.get $x) (then (call $f (i32.sub (local.get $x) (i32.const 1)))))
            (global.set 0 (i32.add (local.get $frame) (i32.const 4096)))))"#;
    let bytes = wat::parse_str(text).expect("text");
    let outcome = explored(&bytes, &CostModel::Conditionals, &call("f(u8 in 0..=20)"), 1);
    let overflow = FindingKind::Trap(Trap::ShadowStack);
    assert!(outcome.findings.values().any(|f| f.kind == overflow), "{:?}", outcome.findings);
    assert!(!outcome.is_exact());
    let shallow = explored(&bytes, &CostModel::Conditionals, &call("f(u8 in 0..=15)"), 1);
    assert!(shallow.is_exact() && shallow.findings.is_empty(), "{:?}", shallow.findings);
}

#[test]
fn calls_deeper_than_we_go_are_cut() {
    // Another engine may well go deeper, and come back.
    let text = r#"(module
        (func $down (param $x i32) (if (local.get $x) (then (call $down (i32.sub (local.get $x) (i32.const 1))))))
        (func (export "f") (param $x i32)
            (if (i32.eq (local.get $x) (i32.const 3)) (then (call $down (i32.const 1000001))))))"#;
    let bytes = wat::parse_str(text).expect("text");
    let outcome = explored(&bytes, &CostModel::Conditionals, &call("f(u8 in 0..=9)"), 1);
    assert_eq!((outcome.paths, outcome.trapped, outcome.cut), (1, 0, 1));
    assert!(outcome.findings.values().any(|f| f.kind == FindingKind::TooDeep && f.input.is_some()));
    assert!(!outcome.is_exact());
}
