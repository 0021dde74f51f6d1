;; A machine of four instructions, one for each byte, chosen by br_table: 0 adds one,
;; 1 walks from the counter down to zero, 2 clears it, anything else stops.
(module
  (memory (export "memory") 1)
  (func (export "interpret") (param $code i32) (param $n i32) (result i32)
    (local $at i32) (local $counter i32) (local $left i32)
    block $stop
      loop $next
        local.get $at
        local.get $n
        i32.ge_u
        br_if $stop
        block $step
          block $clear
            block $walk
              block $add
                local.get $code
                local.get $at
                i32.add
                i32.load8_u
                br_table $add $walk $clear $stop
              end
              local.get $counter
              i32.const 1
              i32.add
              local.set $counter
              br $step
            end
            local.get $counter
            local.set $left
            block $walked
              loop $down
                local.get $left
                i32.eqz
                br_if $walked
                local.get $left
                i32.const 1
                i32.sub
                local.set $left
                br $down
              end
            end
            br $step
          end
          i32.const 0
          local.set $counter
        end
        local.get $at
        i32.const 1
        i32.add
        local.set $at
        br $next
      end
    end
    local.get $counter))
