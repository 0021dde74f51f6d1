;; Calls itself once for each of n values up to the first zero: as deep as the input is long.
(module
  (memory (export "memory") 1)
  (func $depth (export "depth") (param $a i32) (param $n i32) (result i32)
    local.get $n
    i32.eqz
    if
      i32.const 0
      return
    end
    local.get $a
    i32.load
    i32.eqz
    if
      i32.const 0
      return
    end
    local.get $a
    i32.const 4
    i32.add
    local.get $n
    i32.const 1
    i32.sub
    call $depth
    i32.const 1
    i32.add))
