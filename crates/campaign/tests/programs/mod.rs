//! Programs that several tests analyse.

use pessimum_campaign::Program;

/// A function `f(a, n)` over bytes. `each` is run for every index `$i`, with the byte in `$x`; it may
/// `call $work` with a number of rounds, and use `$r`, `$last` and `$n`.
pub(crate) fn over_bytes(each: &str) -> Program {
    let text = format!(
        r#"(module
          (memory (export "memory") 1)
          (func $work (param $rounds i32)
            (loop $again
              (if (i32.gt_s (local.get $rounds) (i32.const 0))
                (then
                  (local.set $rounds (i32.sub (local.get $rounds) (i32.const 1)))
                  (br $again)))))
          (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $x i32) (local $r i32) (local $last i32)
            (loop $each
              (if (i32.lt_u (local.get $i) (local.get $n))
                (then
                  (local.set $x (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                  {each}
                  (local.set $i (i32.add (local.get $i) (i32.const 1)))
                  (br $each))))))"#
    );
    let bytes = wat::parse_str(text).expect("the text is a module");
    let program = Program::new("f.wasm", bytes).expect("it is a module");
    program.call("f(&u8[n], n)").expect("it can be called")
}
