//! Random programs that compare what is in an array, move it about and forget it again: states meet
//! there. They also read what was written, split, trap, assume, call and read tables.

use super::rng::Rng;
use pessimum_entry::{Slot, Type};

/// Where the array is, and where a table of bytes.
const ARRAY: u32 = 1024;
const TABLE: u32 = 2048;

struct Generator {
    rng: Rng,
    cells: u32,
    /// Locals: two counters, two values and a depth of recursion, after the parameters.
    first: u32,
    loops: u32,
    helper: bool,
    switches: bool,
}

/// A module whose export `f` takes the values of its array, and their types.
pub fn program(seed: u64) -> (String, Vec<Slot>) {
    made(seed, false)
}

/// The same with branches of more than two sides.
pub fn program_that_switches(seed: u64) -> (String, Vec<Slot>) {
    made(seed, true)
}

fn made(seed: u64, switches: bool) -> (String, Vec<Slot>) {
    let mut rng = Rng::new(seed ^ 0x5ca1_ab1e);
    let cells = 3 + rng.below(3) as u32;
    let style = rng.below(5);
    let slots: Vec<Slot> = (0..cells)
        .map(|_| match style {
            0 | 1 => Slot::any(Type::I32),
            2 => Slot::within(Type::I32, -2, 3),
            3 => Slot::any(Type::U8),
            _ => [Slot::any(Type::I32), Slot::any(Type::U8), Slot::within(Type::I32, 0, 5)]
                [rng.below(3) as usize],
        })
        .collect();
    let mut g = Generator { rng, cells, first: cells, loops: 0, helper: false, switches };
    let stores: String = (0..cells)
        .map(|i| format!("(i32.store (i32.const {}) (local.get {i}))", ARRAY + 4 * i))
        .collect();
    let body = g.statements(4, 3);
    let again = g.statements(2, 2);
    (g.first, g.helper) = (1, true);
    let helper = g.statements(2, 2);
    let value = g.value(1);
    let data: String = (0..8).map(|_| format!("\\{:02x}", g.rng.below(6))).collect();
    let params = "i32 ".repeat(cells as usize);
    let text = format!(
        r#"(module (import "pessimum" "assume" (func $assume (param i32)))
        (memory 1) (global $g (mut i32) (i32.const 0)) (data (i32.const {TABLE}) "{data}")
        (func $h (param i32) (result i32) (local i32 i32 i32 i32) {helper} {value})
        (func (export "f") (param {params}) (local i32 i32 i32 i32) {stores} {body} {again}))"#
    );
    (text, slots)
}

impl Generator {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn local(&self, which: u32) -> u32 {
        self.first + which
    }

    fn statements(&mut self, most: u64, depth: u32) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    /// The address of a cell, up to the array's own.
    fn index(&mut self) -> String {
        let counter = self.local(0);
        match self.below(4) {
            0 | 1 => format!("(i32.const {})", 4 * self.below(u64::from(self.cells))),
            2 if self.loops > 0 => {
                format!("(i32.shl (local.get {counter}) (i32.const 2))")
            }
            3 if self.loops > 1 => {
                format!("(i32.shl (local.get {}) (i32.const 2))", self.local(1))
            }
            _ => format!("(i32.const {})", 4 * self.below(u64::from(self.cells))),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        let index = self.index();
        let (one, other) = (self.local(2), self.local(3));
        if depth == 0 {
            return match self.below(5) {
                0 => format!("(i32.const {})", self.below(5) as i64 - 1),
                1 => format!("(local.get {})", [one, other][self.below(2) as usize]),
                2 => "(global.get $g)".to_owned(),
                _ => format!("(i32.load offset={ARRAY} {index})"),
            };
        }
        match self.below(12) {
            0 => {
                let (a, k) = (self.value(depth - 1), self.below(4));
                format!("(i32.add {a} (i32.const {k}))")
            }
            1 => {
                let (a, b) = (self.value(0), self.value(0));
                format!("(i32.sub {a} {b})")
            }
            2 => {
                let (a, b, c) = (self.value(0), self.value(0), self.condition(0));
                format!("(select {a} {b} {c})")
            }
            3 => {
                let a = self.value(depth - 1);
                format!("(i32.load8_u offset={TABLE} (i32.and {a} (i32.const 7)))")
            }
            4 => {
                let (a, k) = (self.value(0), self.below(7));
                format!("(i32.and {a} (i32.const {k}))")
            }
            5 if !self.helper => format!("(call $h {})", self.value(0)),
            6 => format!("(i32.load8_u offset={ARRAY} {index})"),
            _ => format!("(i32.load offset={ARRAY} {index})"),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let (a, b) = (self.value(depth.min(1)), self.value(0));
        match self.below(10) {
            0 => format!("(i32.eq {a} {b})"),
            1 => format!("(i32.ne {a} {b})"),
            2 => format!("(i32.lt_u {a} {b})"),
            3 => format!("(i32.eqz {a})"),
            4 if depth > 0 => {
                let (p, q) = (self.condition(0), self.condition(0));
                let op = ["and", "or"][self.below(2) as usize];
                format!("(i32.{op} {p} {q})")
            }
            5 => format!("(i32.le_s {a} {b})"),
            _ => format!("(i32.gt_s {a} {b})"),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let (one, other) = (self.local(2), self.local(3));
        let (to, from) = (self.index(), self.index());
        let swap = format!(
            "(local.set {one} (i32.load offset={ARRAY} {to})) \
             (i32.store offset={ARRAY} {to} (i32.load offset={ARRAY} {from})) \
             (i32.store offset={ARRAY} {from} (local.get {one}))"
        );
        if self.switches && depth > 0 && self.below(3) == 0 {
            return self.switch(depth - 1);
        }
        match self.below(if depth == 0 { 7 } else { 13 }) {
            0 => swap,
            1 => format!("(i32.store offset={ARRAY} {to} {})", self.value(1)),
            2 => format!("(local.set {one} {})", self.value(1)),
            3 => format!("(local.set {other} {})", self.value(1)),
            4 => format!("(global.set $g {})", self.value(1)),
            5 => match self.below(4) {
                0 => format!("(if {} (then (unreachable)))", self.condition(0)),
                1 => format!("(call $assume {})", self.condition(0)),
                2 => {
                    let (a, b) = (self.value(0), self.value(0));
                    format!("(local.set {one} (i32.div_u {a} {b}))")
                }
                _ => format!("(i32.store8 offset={ARRAY} {to} {})", self.value(0)),
            },
            6 => "(nop)".to_owned(),
            7..=9 => {
                let condition = self.condition(1);
                // Most often the two are put in order.
                let then = if self.below(2) == 0 { swap } else { self.statements(2, depth - 1) };
                let or = self.statements(1, depth - 1);
                match self.below(3) {
                    0 => format!("(if {condition} (then {then}) (else {or}))"),
                    _ => format!("(if {condition} (then {then}))"),
                }
            }
            _ if self.loops < 2 => {
                let counter = self.local(self.loops);
                self.loops += 1;
                let body = self.statements(2, depth - 1);
                let leave = match self.below(2) {
                    0 => format!("(br_if 1 {})", self.condition(1)),
                    _ => String::new(),
                };
                self.loops -= 1;
                let (start, end) = (self.below(2), 2 + self.below(u64::from(self.cells) - 1));
                format!(
                    "(local.set {counter} (i32.const {start})) (block (loop {leave} {body} \
                     (br_if 0 (i32.lt_u (local.tee {counter} \
                     (i32.add (local.get {counter}) (i32.const 1))) (i32.const {end})))))"
                )
            }
            _ => swap,
        }
    }

    /// Three arms, and none for what is beyond them.
    fn switch(&mut self, depth: u32) -> String {
        let value = self.value(1);
        let [a, b, c] = [(); 3].map(|()| self.statements(2, depth));
        format!(
            "(block (block (block (block (br_table 0 1 2 3 {value})) {a} (br 2)) {b} (br 1)) {c})"
        )
    }
}
