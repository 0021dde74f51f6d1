;; The place of the largest of n values, kept by select: the place reaches an address,
;; so each select is a decision, yet no conditional depends on the input.
(module
  (memory (export "memory") 1)
  (func (export "largest") (param $a i32) (param $n i32) (result i32)
    (local $i i32) (local $best i32)
    i32.const 1
    local.set $i
    block $done
      loop $next
        local.get $i
        local.get $n
        i32.ge_s
        br_if $done
        local.get $i
        local.get $best
        local.get $a
        local.get $i
        i32.const 2
        i32.shl
        i32.add
        i32.load
        local.get $a
        local.get $best
        i32.const 2
        i32.shl
        i32.add
        i32.load
        i32.gt_s
        select
        local.set $best
        local.get $i
        i32.const 1
        i32.add
        local.set $i
        br $next
      end
    end
    local.get $a
    local.get $best
    i32.const 2
    i32.shl
    i32.add
    i32.load
    ))
