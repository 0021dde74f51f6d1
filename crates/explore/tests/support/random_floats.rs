//! Random functions that compute floats from their arguments and branch on them.

use super::rng::Rng;

/// A module whose export `f` takes three i32 and returns one.
pub fn text(seed: u64) -> String {
    let mut g = Generator { rng: Rng::new(seed.wrapping_add(77)) };
    let body: String = (0..7).map(|_| g.statements(2, 2)).collect();
    let last = g.condition();
    format!(
        r#"(module (func (export "f") (param i32 i32 i32) (result i32)
        (local $count i32) (local $rounds i32) (local $s f64) (local $t f64) (local $u f32)
        {body}
        (i32.add (local.get $count) {last})))"#
    )
}

struct Generator {
    rng: Rng,
}

impl Generator {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len() as u64) as usize]
    }

    fn statements(&mut self, count: u64, depth: u32) -> String {
        (0..1 + self.rng.below(count)).map(|_| self.statement(depth) + " ").collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        match self.rng.below(8) {
            0..=3 => {
                let (name, ty) = self.pick(&[("$s", "f64"), ("$t", "f64"), ("$u", "f32")]);
                format!("(local.set {name} {})", self.expression(ty, 2))
            }
            // While something holds, at most three times.
            4 if depth > 0 => {
                let (condition, body) = (self.condition(), self.statement(0));
                format!(
                    "(local.set $rounds (i32.const 0)) (block $out (loop $again \
                     (br_if $out (i32.ge_u (local.get $rounds) (i32.const 3))) \
                     (br_if $out {condition}) {body} \
                     (local.set $rounds (i32.add (local.get $rounds) (i32.const 1))) (br $again)))"
                )
            }
            5 if depth > 0 => {
                let (condition, then) = (self.condition(), self.statements(2, depth - 1));
                let other = self.statements(2, depth - 1);
                format!("(if {condition} (then {then}) (else {other}))")
            }
            _ => {
                let condition = self.condition();
                format!(
                    "(if {condition} \
                     (then (local.set $count (i32.add (local.get $count) (i32.const 1)))))"
                )
            }
        }
    }

    fn condition(&mut self) -> String {
        let ty = self.pick(&["f64", "f64", "f32"]);
        let (a, b) = (self.expression(ty, 2), self.expression(ty, 1));
        if self.rng.below(5) == 0 {
            let sign = self.pick(&["s", "u"]);
            let op = self.pick(&["lt_s", "eq", "gt_u"]);
            let k = self.rng.below(4);
            return format!("(i32.{op} (i32.trunc_sat_{ty}_{sign} {a}) (i32.const {k}))");
        }
        let op = self.pick(&["lt", "gt", "le", "ge", "eq", "ne"]);
        format!("({ty}.{op} {a} {b})")
    }

    fn expression(&mut self, ty: &str, depth: u32) -> String {
        if depth == 0 {
            return match self.rng.below(6) {
                0 => {
                    let numbers =
                        ["0.5", "1", "2", "-1.5", "0.1", "3", "-0", "nan", "inf", "1e-310"];
                    let number = self.pick(&numbers);
                    // Too small for the shorter format.
                    let number = if ty == "f32" && number == "1e-310" { "1e-40" } else { number };
                    format!("({ty}.const {number})")
                }
                1 if ty == "f32" => "(local.get $u)".to_owned(),
                1 | 2 if ty == "f64" => format!("(local.get {})", self.pick(&["$s", "$t"])),
                2 => "(f32.demote_f64 (local.get $s))".to_owned(),
                _ => {
                    let sign = self.pick(&["s", "s", "u"]);
                    format!("({ty}.convert_i32_{sign} (local.get {}))", self.rng.below(3))
                }
            };
        }
        let d = depth - 1;
        match self.rng.below(10) {
            0 => {
                let ops = ["sqrt", "floor", "ceil", "trunc", "nearest", "abs", "neg"];
                format!("({ty}.{} {})", self.pick(&ops), self.expression(ty, d))
            }
            1 if ty == "f64" => format!("(f64.promote_f32 {})", self.expression("f32", d)),
            1 => format!("(f32.demote_f64 {})", self.expression("f64", d)),
            2 => self.expression(ty, d),
            _ => {
                let ops =
                    ["add", "sub", "mul", "div", "min", "max", "add", "sub", "mul", "copysign"];
                let op = self.pick(&ops);
                format!("({ty}.{op} {} {})", self.expression(ty, d), self.expression(ty, d))
            }
        }
    }
}
