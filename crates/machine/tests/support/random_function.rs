//! Random functions that make much of their arguments.
//!
//! What `wasm-smith` generates hardly ever looks at a parameter. Here every expression leads back
//! to one: as operand, condition, address, length, divisor, index of a switch or of a call.

use super::rng::Rng;

const ARITHMETIC: [&str; 11] =
    ["add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr"];
const DIVISION: [&str; 4] = ["div_s", "div_u", "rem_s", "rem_u"];
const COMPARISON: [&str; 10] =
    ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"];
const LOADS: [(&str, &str); 12] = [
    ("i32", "load"),
    ("i32", "load8_s"),
    ("i32", "load8_u"),
    ("i32", "load16_s"),
    ("i32", "load16_u"),
    ("i64", "load"),
    ("i64", "load8_s"),
    ("i64", "load8_u"),
    ("i64", "load16_s"),
    ("i64", "load16_u"),
    ("i64", "load32_s"),
    ("i64", "load32_u"),
];
const STORES: [(&str, &str); 7] = [
    ("i32", "store"),
    ("i32", "store8"),
    ("i32", "store16"),
    ("i64", "store"),
    ("i64", "store8"),
    ("i64", "store16"),
    ("i64", "store32"),
];
/// Locals of a type; the first two are parameters. Later ones count the iterations of loops.
const I32: [u32; 4] = [0, 1, 4, 5];
const I64: [u32; 4] = [2, 3, 6, 7];
const COUNTERS: u32 = 8;

/// A module whose export `f` takes two i32 and two i64 and returns one of each.
pub fn text(seed: u64) -> String {
    let mut g = Generator { rng: Rng::new(seed), helper: true, loops: 0 };
    let helper = |g: &mut Generator| {
        let body = g.statements(2, 2);
        let result = g.expression("i32", 3);
        format!("{body} {result}")
    };
    let (h0, h1) = (helper(&mut g), helper(&mut g));
    g.helper = false;
    let body = g.statements(5, 3);
    let (a, b) = (g.expression("i32", 3), g.expression("i64", 3));
    let locals = "(local i32 i32 i64 i64 i32 i32 i32)";
    let data: String = g.rng.bytes(96).iter().map(|b| format!("\\{b:02x}")).collect();
    format!(
        r#"(module
        (type $h (func (param i32 i32 i64 i64) (result i32)))
        (type $other (func (result i32)))
        (memory (export "memory") 1 1)
        (data (i32.const 0) "{data}")
        (global $g (export "g") (mut i32) (i32.const 3))
        (global $l (export "l") (mut i64) (i64.const -5))
        (table 5 funcref)
        (elem (i32.const 0) $h0 $h1 $h0 $wrong)
        (func $wrong (type $other) (i32.const 1))
        (func $h0 (type $h) {locals} {h0})
        (func $h1 (type $h) {locals} {h1})
        (func (export "f") (param i32 i32 i64 i64) (result i32 i64) {locals} {body} {a} {b}))"#
    )
}

/// Arguments of `f`, small more often than not so that paths differ in interesting ways.
pub fn arguments(rng: &mut Rng) -> Vec<u64> {
    let narrow = u64::from(u32::MAX);
    vec![
        rng.interesting() & narrow,
        rng.interesting() & narrow,
        rng.interesting(),
        rng.interesting(),
    ]
}

struct Generator {
    rng: Rng,
    /// Whether the function being written is a helper, which calls nothing.
    helper: bool,
    loops: u32,
}

impl Generator {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len() as u64) as usize]
    }

    fn local(&mut self, ty: &str) -> u32 {
        self.pick(if ty == "i32" { &I32 } else { &I64 })
    }

    fn constant(&mut self, ty: &str) -> String {
        let k = self.rng.interesting();
        if ty == "i32" {
            format!("(i32.const {})", k as i32)
        } else {
            format!("(i64.const {})", k as i64)
        }
    }

    fn expression(&mut self, ty: &str, depth: u32) -> String {
        if depth == 0 {
            return match self.rng.below(6) {
                0 => self.constant(ty),
                1 if ty == "i32" => "(global.get $g)".to_owned(),
                1 => "(global.get $l)".to_owned(),
                _ => format!("(local.get {})", self.local(ty)),
            };
        }
        let d = depth - 1;
        match self.rng.below(20) {
            0..=4 => {
                let op = self.pick(&ARITHMETIC);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("({ty}.{op} {a} {b})")
            }
            5 => {
                let op = self.pick(&DIVISION);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                // Mostly not by zero.
                let one = if self.rng.below(4) > 0 { 1 } else { 0 };
                format!("({ty}.{op} {a} ({ty}.or {b} ({ty}.const {one})))")
            }
            6..=8 if ty == "i32" => {
                let of = self.pick(&["i32", "i64"]);
                let op = self.pick(&COMPARISON);
                let (a, b) = (self.expression(of, d), self.expression(of, d));
                format!("({of}.{op} {a} {b})")
            }
            6 | 7 => {
                let op = self.pick(&["extend_i32_s", "extend_i32_u"]);
                format!("(i64.{op} {})", self.expression("i32", d))
            }
            9 => {
                let ops: &[&str] = if ty == "i32" {
                    &["clz", "ctz", "popcnt", "extend8_s", "extend16_s", "eqz", "wrap_i64"]
                } else {
                    &["clz", "ctz", "popcnt", "extend8_s", "extend16_s", "extend32_s"]
                };
                let op = self.pick(ops);
                let from = if op == "wrap_i64" { "i64" } else { ty };
                format!("({ty}.{op} {})", self.expression(from, d))
            }
            10..=12 => {
                let loads: Vec<&str> = LOADS.iter().filter(|l| l.0 == ty).map(|l| l.1).collect();
                let op = self.pick(&loads);
                let offset = self.rng.below(12);
                format!("({ty}.{op} offset={offset} {})", self.address(d))
            }
            13 | 14 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("(select {a} {b} {})", self.expression("i32", d))
            }
            15 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                let c = self.expression("i32", d);
                format!("(if (result {ty}) {c} (then {a}) (else {b}))")
            }
            16 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                let c = self.expression("i32", d);
                format!("(block (result {ty}) (drop (br_if 0 {a} {c})) {b})")
            }
            17 => format!("(local.tee {} {})", self.local(ty), self.expression(ty, d)),
            18 if ty == "i32" && !self.helper => self.call(d),
            _ => self.expression(ty, d),
        }
    }

    fn call(&mut self, d: u32) -> String {
        let types = ["i32", "i32", "i64", "i64"];
        let args: String = types.iter().map(|ty| self.expression(ty, d) + " ").collect();
        if self.rng.below(2) == 0 {
            let index = self.expression("i32", d);
            let mask = self.pick(&[1, 3, 7]);
            return format!(
                "(call_indirect (type $h) {args} (i32.and {index} (i32.const {mask})))"
            );
        }
        let helper = self.pick(&["$h0", "$h1"]);
        format!("(call {helper} {args})")
    }

    /// Concrete, in a small region, in a large one, or anywhere.
    fn address(&mut self, d: u32) -> String {
        match self.rng.below(10) {
            0..=3 => format!("(i32.const {})", 4080 + self.rng.below(32)),
            4..=7 => {
                let mask = self.pick(&[3, 12, 63, 252]);
                format!("(i32.and {} (i32.const {mask}))", self.expression("i32", d))
            }
            8 => format!("(i32.and {} (i32.const 65535))", self.expression("i32", d)),
            _ => self.expression("i32", d),
        }
    }

    fn statements(&mut self, count: u32, depth: u32) -> String {
        (0..count).map(|_| self.statement(depth) + "\n").collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        let ty = self.pick(&["i32", "i64"]);
        match self.rng.below(if depth == 0 { 8 } else { 14 }) {
            0..=2 => format!("(local.set {} {})", self.local(ty), self.expression(ty, 3)),
            3..=5 => {
                let stores: Vec<&str> = STORES.iter().filter(|s| s.0 == ty).map(|s| s.1).collect();
                let op = self.pick(&stores);
                let offset = self.rng.below(12);
                let address = self.address(1);
                format!("({ty}.{op} offset={offset} {address} {})", self.expression(ty, 2))
            }
            6 if ty == "i32" => format!("(global.set $g {})", self.expression(ty, 2)),
            6 => format!("(global.set $l {})", self.expression(ty, 2)),
            7 => self.bulk(),
            8..=10 => {
                let c = self.expression("i32", 2);
                let (a, b) = (self.statements(2, depth - 1), self.statements(1, depth - 1));
                format!("(if {c} (then {a}) (else {b}))")
            }
            11 | 12 if self.loops < 3 => self.iterate(depth),
            _ => {
                let index = self.expression("i32", 2);
                let mask = self.pick(&[3, 7, -1]);
                let (a, b) = (self.statements(1, depth - 1), self.statements(1, depth - 1));
                format!(
                    "(block (block (block (br_table 0 1 0 2 1 (i32.and {index} (i32.const {mask})))) \
                     {a} (br 1)) {b})"
                )
            }
        }
    }

    /// A loop of at most seven iterations, how many being up to the arguments.
    fn iterate(&mut self, depth: u32) -> String {
        let counter = COUNTERS + self.loops;
        self.loops += 1;
        let times = self.expression("i32", 1);
        let mask = self.pick(&[1, 3, 7]);
        let body = self.statements(2, depth - 1);
        self.loops -= 1;
        format!(
            "(local.set {counter} (i32.and {times} (i32.const {mask})))
             (block (loop (br_if 1 (i32.eqz (local.get {counter}))) {body}
             (local.set {counter} (i32.sub (local.get {counter}) (i32.const 1))) (br 0)))"
        )
    }

    fn bulk(&mut self) -> String {
        let to = self.address(1);
        let len = match self.rng.below(3) {
            0 => format!("(i32.and {} (i32.const 7))", self.expression("i32", 1)),
            _ => format!("(i32.const {})", self.rng.below(20)),
        };
        if self.rng.below(2) == 0 {
            format!("(memory.copy {to} {} {len})", self.address(1))
        } else {
            format!("(memory.fill {to} {} {len})", self.expression("i32", 1))
        }
    }
}
