//! Programs from seeds.

use crate::rng::Rng;
use pessimum_entry::{Arg, Call, InputValues, Slot, Type, WasmType};
use std::fmt::Write as _;

/// A module with an export `f`, how it is called, and what is known of its form.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// The module in the text format.
    pub text: String,
    /// The module.
    pub wasm: Vec<u8>,
    /// The call; every input has a domain.
    pub call: Call,
    /// Whether addresses, lengths, and indices of tables are plain arithmetic over inputs: no
    /// select or comparison inside can be split.
    pub plain_addresses: bool,
    /// Whether several indices of a `br_table` go to the same label. A trace tells them apart, a
    /// path does not.
    pub shared_labels: bool,
}

impl Program {
    /// Its inputs, as a call is written.
    pub fn signature(&self) -> String {
        let arg = |arg: &Arg| match arg {
            Arg::Array { slot, len } => format!("&({slot})[{len}]"),
            Arg::Scalar(slot) => slot.to_string(),
            other => format!("{other:?}"),
        };
        let args: Vec<String> = self.call.args.iter().map(arg).collect();
        format!("{}({})", self.call.function, args.join(", "))
    }

    /// Every input of the domain.
    pub fn inputs(&self) -> Vec<InputValues> {
        let mut all = vec![InputValues::new()];
        for slot in self.call.slots() {
            let (low, high) = slot.domain.unwrap_or((0, 0));
            let mut longer = Vec::new();
            for input in &all {
                for value in low..=high {
                    let mut input = input.clone();
                    input.push(slot, value as u64 & slot.ty.mask());
                    longer.push(input);
                }
            }
            all = longer;
        }
        all
    }
}

/// Inputs that a program has at most: all are run, several times.
const MOST_INPUTS: u64 = 400;

const INTEGERS: [Type; 8] =
    [Type::I8, Type::U8, Type::I16, Type::U16, Type::I32, Type::U32, Type::I64, Type::U64];

/// The program of a seed; always the same.
pub fn random_program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let (args, arrays) = arguments(&mut rng);
    let call = Call { function: "f".to_owned(), args };
    let plain_addresses = rng.chance(50);
    let shared_labels = rng.chance(25);
    let mut generator = Generator {
        rng,
        params: params(&call.args),
        slots: call.slots().collect(),
        scalars: call.args.iter().filter(|arg| matches!(arg, Arg::Scalar(_))).count() as u64,
        plain_addresses,
        forks: !plain_addresses || shared_labels,
        shared_labels,
        is_helper: true,
        loops: 0,
        fuel: 0,
        arrays,
    };
    let text = generator.module();
    let wasm = wat::parse_str(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    Program { seed, text, wasm, call, plain_addresses, shared_labels }
}

/// Arguments whose domains have few values in all, and how many bytes an array among them has.
fn arguments(rng: &mut Rng) -> (Vec<Arg>, u64) {
    let count = 1 + rng.below(4);
    let mut room = 2 + rng.below(MOST_INPUTS - 1);
    let mut args = Vec::new();
    for left in (1..=count).rev() {
        // About the same part of what is left for each.
        let part = (room as f64).powf(1.0 / left as f64) as u64;
        let size = (1 + rng.below(2 * part.max(1))).min(room);
        room = (room / size).max(1);
        args.push(Arg::Scalar(slot(rng, size)));
    }
    let mut bytes = 0;
    if room >= 2 && rng.chance(40) {
        let len = 1 + rng.below(3);
        let size = (room as f64).powf(1.0 / len as f64) as u64;
        let slot = slot(rng, size.max(1));
        bytes = len * u64::from(slot.ty.bytes());
        args.push(Arg::Array { slot, len });
    }
    (args, bytes)
}

/// An input of `size` values, anywhere in the range of its type: the ends, zero, the middle and
/// powers of two more often than the rest.
fn slot(rng: &mut Rng, size: u64) -> Slot {
    let ty = rng.pick(&INTEGERS);
    let (least, greatest) = ty.range().unwrap_or(match ty {
        Type::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => (0, i128::from(u64::MAX)),
    });
    let size = i128::from(size.min(1 << (ty.bits() - 1)));
    let about = match rng.below(8) {
        0 | 1 => 0,
        2 => least,
        3 => greatest,
        4 => 1 << 31,
        5 => 1 << 63,
        6 => 1 << rng.below(64),
        _ => i128::from(rng.next()),
    };
    let offset = i128::from(rng.below(size as u64 + 1));
    let low = (about - offset).clamp(least, greatest - size + 1);
    Slot::within(ty, low, low + size - 1)
}

fn params(args: &[Arg]) -> Vec<WasmType> {
    args.iter()
        .map(|arg| match arg {
            Arg::Scalar(slot) => slot.ty.wasm(),
            _ => WasmType::I32,
        })
        .collect()
}

const ARITHMETIC: [&str; 11] =
    ["add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr"];
const DIVISION: [&str; 4] = ["div_s", "div_u", "rem_s", "rem_u"];
const COMPARISON: [&str; 10] =
    ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"];
const I32_LOADS: [&str; 5] = ["load", "load8_s", "load8_u", "load16_s", "load16_u"];
const I64_LOADS: [&str; 7] =
    ["load", "load8_s", "load8_u", "load16_s", "load16_u", "load32_s", "load32_u"];
const I32_STORES: [&str; 3] = ["store", "store8", "store16"];
const I64_STORES: [&str; 4] = ["store", "store8", "store16", "store32"];

/// Where the arguments of a call that need memory begin: behind the module's own page.
const ARRAYS: u64 = 65536;

/// Loops that are in each other at most.
const LOOPS: u32 = 2;

struct Generator {
    rng: Rng,
    /// The types of the entry's parameters.
    params: Vec<WasmType>,
    /// The inputs.
    slots: Vec<Slot>,
    /// How many of the parameters are inputs themselves; they come first.
    scalars: u64,
    plain_addresses: bool,
    /// Whether what forks by value may depend on inputs: bulk operations and indirect calls.
    forks: bool,
    shared_labels: bool,
    /// Whether the function being written is a helper, which calls nothing and knows no more than
    /// its own two parameters.
    is_helper: bool,
    loops: u32,
    /// Statements and expressions that may still be written before only leaves are.
    fuel: u32,
    /// Bytes of the array that is passed, if any.
    arrays: u64,
}

impl Generator {
    fn module(&mut self) -> String {
        self.fuel = 30;
        let helpers: Vec<String> = (0..2)
            .map(|_| {
                let body = self.statements(1, 1);
                format!("{body} {}", self.expression("i32", 2))
            })
            .collect();
        self.is_helper = false;
        self.fuel = 80 + self.rng.below(160) as u32;
        let count = 3 + self.rng.below(4) as u32;
        // Locals that are zero would make most of what follows constant.
        let first: String = ["$a", "$b"]
            .map(|local| format!("(local.set {local} {})\n    ", self.leaf("i32")))
            .concat()
            + &["$c", "$d"]
                .map(|local| format!("(local.set {local} {})\n    ", self.leaf("i64")))
                .concat();
        let body = first + &self.statements(count, 3);
        let result = self.expression("i32", 2);
        let params: String = self.params.iter().map(|ty| format!(" {}", name(*ty))).collect();
        let mut data = String::new();
        for _ in 0..64 {
            // Writing to a string does not fail.
            let _ = write!(data, "\\{:02x}", self.rng.below(256));
        }
        // Two locals of each type, then the counters of loops.
        let locals = "(local $a i32) (local $b i32) (local $c i64) (local $d i64) \
                      (local $loop0 i32) (local $loop1 i32)";
        format!(
            r#"(module
  (type $h (func (param i32 i64) (result i32)))
  (type $other (func (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "{data}")
  (data $passive "pessimum0123456789")
  (global $g (mut i32) (i32.const 3))
  (global $l (mut i64) (i64.const -5))
  (table 6 funcref)
  (elem (i32.const 0) $h0 $h1 $h0 $h1 $wrong)
  (func $wrong (type $other) (i32.const 1))
  (func $h0 (type $h) {locals} {})
  (func $h1 (type $h) {locals} {})
  (func (export "f") (param{params}) (result i32) {locals}
    {body}
    {result}))"#,
            helpers[0], helpers[1],
        )
    }

    fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    fn constant(&mut self, ty: &str) -> String {
        let k = match self.rng.below(12) {
            0 => 0,
            1..=3 => self.rng.below(16),
            4 => u64::MAX - self.rng.below(4),
            5 => 1 << self.rng.below(64),
            6 => (1u64 << self.rng.below(64)).wrapping_sub(1),
            7..=10 => self.near_an_input(),
            _ => self.rng.next(),
        };
        if ty == "i32" {
            format!("(i32.const {})", k as i32)
        } else {
            format!("(i64.const {})", k as i64)
        }
    }

    /// A value of an input, or just outside of its domain.
    fn near_an_input(&mut self) -> u64 {
        let index = self.rng.below(self.slots.len() as u64) as usize;
        let (low, high) = self.slots[index].domain.unwrap_or((0, 0));
        let size = (high - low + 1) as u64;
        (low as u64).wrapping_add(self.rng.below(size + 2)).wrapping_sub(1)
    }

    /// A parameter of the type, if there is one.
    fn parameter(&mut self, ty: &str) -> Option<String> {
        if self.is_helper {
            return Some(if ty == "i32" { "(local.get 0)" } else { "(local.get 1)" }.to_owned());
        }
        let own: Vec<usize> =
            (0..self.params.len()).filter(|i| name(self.params[*i]) == ty).collect();
        (!own.is_empty()).then(|| format!("(local.get {})", self.rng.pick(&own)))
    }

    fn variable(&mut self, ty: &str) -> &'static str {
        if ty == "i32" { self.rng.pick(&["$a", "$b"]) } else { self.rng.pick(&["$c", "$d"]) }
    }

    fn leaf(&mut self, ty: &str) -> String {
        match self.rng.below(10) {
            0 | 1 => self.constant(ty),
            2 if ty == "i32" => "(global.get $g)".to_owned(),
            2 => "(global.get $l)".to_owned(),
            3 | 4 => format!("(local.get {})", self.variable(ty)),
            _ => match self.parameter(ty) {
                Some(parameter) => parameter,
                None if ty == "i32" => {
                    let other = self.parameter("i64").unwrap_or_else(|| self.constant("i64"));
                    format!("(i32.wrap_i64 {other})")
                }
                None => {
                    let op = self.rng.pick(&["extend_i32_s", "extend_i32_u"]);
                    let other = self.parameter("i32").unwrap_or_else(|| self.constant("i32"));
                    format!("(i64.{op} {other})")
                }
            },
        }
    }

    /// Arithmetic over the parameters alone: no select, no comparison, no load inside. Parameters
    /// are never assigned to; those of a helper may be anything, so it has none.
    fn plain(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.chance(30) {
            return match self.rng.below(3) {
                0 => self.constant("i32"),
                _ if self.is_helper => self.constant("i32"),
                1 => match self.parameter("i64") {
                    Some(wide) => format!("(i32.wrap_i64 {wide})"),
                    None => self.constant("i32"),
                },
                _ => match self.parameter("i32") {
                    Some(narrow) => narrow,
                    None => self.constant("i32"),
                },
            };
        }
        let op = self.rng.pick(&["add", "sub", "mul", "and", "or", "xor", "shl", "shr_u"]);
        let (a, b) = (self.plain(depth - 1), self.plain(depth - 1));
        format!("(i32.{op} {a} {b})")
    }

    /// What an address, a length or an index is made of.
    fn inner(&mut self, depth: u32) -> String {
        if self.plain_addresses { self.plain(2) } else { self.expression("i32", depth) }
    }

    fn expression(&mut self, ty: &str, depth: u32) -> String {
        if depth == 0 || !self.spend() {
            return self.leaf(ty);
        }
        let d = depth - 1;
        match self.rng.below(22) {
            0..=5 => {
                let op = self.rng.pick(&ARITHMETIC);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("({ty}.{op} {a} {b})")
            }
            6 => {
                let op = self.rng.pick(&DIVISION);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                // Mostly not by zero.
                let one = u32::from(self.rng.chance(92));
                format!("({ty}.{op} {a} ({ty}.or {b} ({ty}.const {one})))")
            }
            7..=9 if ty == "i32" => self.comparison(d),
            7 | 8 => {
                let op = self.rng.pick(&["extend_i32_s", "extend_i32_u"]);
                format!("(i64.{op} {})", self.expression("i32", d))
            }
            10 => {
                let ops: &[&str] = if ty == "i32" {
                    &["clz", "ctz", "popcnt", "extend8_s", "extend16_s", "eqz", "wrap_i64"]
                } else {
                    &["clz", "ctz", "popcnt", "extend8_s", "extend16_s", "extend32_s"]
                };
                let op = self.rng.pick(ops);
                let from = if op == "wrap_i64" { "i64" } else { ty };
                format!("({ty}.{op} {})", self.expression(from, d))
            }
            11..=13 => {
                let op = self.rng.pick(if ty == "i32" { &I32_LOADS[..] } else { &I64_LOADS });
                let offset = self.rng.below(6);
                format!("({ty}.{op} offset={offset} {})", self.address(d))
            }
            14 | 15 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("(select {a} {b} {})", self.condition(d))
            }
            16 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("(if (result {ty}) {} (then {a}) (else {b}))", self.condition(d))
            }
            17 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("(block (result {ty}) (drop (br_if 0 {a} {})) {b})", self.condition(d))
            }
            18 => format!("(local.tee {} {})", self.variable(ty), self.expression(ty, d)),
            19 if ty == "i32" && !self.is_helper => self.call(d),
            _ => self.expression(ty, d),
        }
    }

    fn comparison(&mut self, depth: u32) -> String {
        let of = self.rng.pick(&["i32", "i64"]);
        let op = self.rng.pick(&COMPARISON);
        if self.rng.chance(40) {
            // Plain ones come to different ends more often than not.
            let (a, b) = (self.expression(of, depth.min(1)), self.leaf(of));
            return format!("({of}.{op} {a} {b})");
        }
        let (a, b) = (self.expression(of, depth), self.expression(of, depth));
        format!("({of}.{op} {a} {b})")
    }

    fn condition(&mut self, depth: u32) -> String {
        if self.rng.chance(50) {
            return self.probe();
        }
        match self.rng.below(8) {
            0 => self.expression("i32", depth),
            1 => {
                let (a, b) = (self.comparison(depth), self.comparison(depth));
                format!("(i32.{} {a} {b})", self.rng.pick(&["and", "or", "xor"]))
            }
            2 => format!("(i32.eqz {})", self.expression("i32", depth)),
            _ => self.comparison(depth),
        }
    }

    /// A condition that parts the domain of an input, more often than not.
    fn probe(&mut self) -> String {
        let scalars = self.scalars;
        if self.is_helper {
            let k = self.rng.below(3);
            return format!("(i32.and (i32.shr_u (local.get 0) (i32.const {k})) (i32.const 1))");
        }
        let index = self.rng.below(scalars) as usize;
        let ty = name(self.params[index]);
        let input = format!("(local.get {index})");
        let (low, high) = self.slots[index].domain.unwrap_or((0, 0));
        let within = low + i128::from(self.rng.below((high - low + 1) as u64));
        // As a constant of the type is written: from its bits.
        let within =
            if ty == "i32" { i128::from(within as i32) } else { i128::from(within as i64) };
        match self.rng.below(5) {
            0 => {
                let bit = 1u64 << self.rng.below(4);
                format!("({ty}.ne ({ty}.and {input} ({ty}.const {bit})) ({ty}.const 0))")
            }
            1 => {
                let by = 2 + self.rng.below(5);
                let rest = self.rng.below(by);
                let op = self.rng.pick(&["rem_u", "rem_s"]);
                format!("({ty}.eq ({ty}.{op} {input} ({ty}.const {by})) ({ty}.const {rest}))")
            }
            2 => {
                let op = self.rng.pick(&COMPARISON);
                let (a, b) = (self.leaf(ty), self.leaf(ty));
                format!("({ty}.{op} ({ty}.add {input} {a}) {b})")
            }
            _ => {
                let op = self.rng.pick(&COMPARISON);
                format!("({ty}.{op} {input} ({ty}.const {within}))")
            }
        }
    }

    fn call(&mut self, depth: u32) -> String {
        let (a, b) = (self.expression("i32", depth), self.expression("i64", depth));
        if self.forks && self.rng.chance(30) {
            let mask = self.rng.pick(&[1, 1, 3, 3, 3, 7]);
            let index = self.inner(depth);
            return format!(
                "(call_indirect (type $h) {a} {b} (i32.and {index} (i32.const {mask})))"
            );
        }
        let helper = self.rng.pick(&["$h0", "$h1"]);
        format!("(call {helper} {a} {b})")
    }

    /// A number, in a small region, in a large one, in the array that is passed, at the end of
    /// memory, or anywhere.
    fn address(&mut self, depth: u32) -> String {
        match self.rng.below(20) {
            0..=6 => format!("(i32.const {})", self.rng.below(40)),
            7..=11 if self.arrays > 0 => {
                format!("(i32.const {})", ARRAYS + self.rng.below(self.arrays))
            }
            7..=16 => {
                let mask = self.rng.pick(&[3, 7, 12, 28, 56]);
                format!("(i32.and {} (i32.const {mask}))", self.inner(depth))
            }
            17 => format!("(i32.and {} (i32.const 65535))", self.inner(depth)),
            18 if self.rng.chance(30) => {
                let back = self.rng.below(16);
                let up = self.inner(depth);
                let end = ARRAYS * if self.arrays > 0 { 2 } else { 1 };
                format!("(i32.add (i32.const {}) (i32.and {up} (i32.const 15)))", end - back)
            }
            19 if self.rng.chance(15) => self.inner(depth),
            _ => format!("(i32.const {})", self.rng.below(40)),
        }
    }

    fn statements(&mut self, count: u32, depth: u32) -> String {
        (0..count).map(|_| self.statement(depth) + "\n    ").collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        if !self.spend() {
            return "(nop)".to_owned();
        }
        let ty = self.rng.pick(&["i32", "i64"]);
        match self.rng.below(if depth == 0 { 9 } else { 18 }) {
            0..=2 => format!("(local.set {} {})", self.variable(ty), self.expression(ty, 3)),
            3..=5 => {
                let op = self.rng.pick(if ty == "i32" { &I32_STORES[..] } else { &I64_STORES });
                let offset = self.rng.below(6);
                let address = self.address(1);
                format!("({ty}.{op} offset={offset} {address} {})", self.expression(ty, 2))
            }
            6 if ty == "i32" => format!("(global.set $g {})", self.expression(ty, 2)),
            6 => format!("(global.set $l {})", self.expression(ty, 2)),
            7 if self.rng.chance(60) => self.bulk(),
            7 => format!("(local.set {} {})", self.variable(ty), self.expression(ty, 2)),
            8 if self.rng.chance(10) => format!("(if {} (then unreachable))", self.condition(2)),
            8..=12 => {
                let condition = self.condition(2);
                let (a, b) =
                    (self.statements(2, depth.max(1) - 1), self.statements(1, depth.max(1) - 1));
                format!("(if {condition} (then {a}) (else {b}))")
            }
            13 if self.loops < LOOPS => self.iterate(depth),
            14 | 15 => {
                let condition = self.condition(2);
                format!("(block (br_if 0 {condition}) {})", self.statements(2, depth - 1))
            }
            16 if self.rng.chance(40) => {
                format!("(if {} (then (return {})))", self.condition(1), self.leaf("i32"))
            }
            _ => self.switch(depth),
        }
    }

    fn switch(&mut self, depth: u32) -> String {
        let index = self.inner(2);
        let index = match self.rng.below(3) {
            0 => index,
            _ => format!("(i32.and {index} (i32.const 3))"),
        };
        let labels = if self.shared_labels { "0 1 0 2 1" } else { "0 1 2" };
        let (a, b) = (self.statements(1, depth - 1), self.statements(1, depth - 1));
        format!("(block (block (block (br_table {labels} {index})) {a} (br 1)) {b})")
    }

    /// A loop of a few iterations, how many being up to the inputs, from which a condition may lead
    /// out.
    fn iterate(&mut self, depth: u32) -> String {
        let counter = format!("$loop{}", self.loops);
        self.loops += 1;
        let times = self.expression("i32", 1);
        let mask = self.rng.pick(&[1, 3, 7]);
        let out = self.condition(1);
        let leave = if self.rng.chance(30) { format!("(br_if 1 {out})") } else { String::new() };
        let body = self.statements(2, depth - 1);
        self.loops -= 1;
        format!(
            "(local.set {counter} (i32.and {times} (i32.const {mask})))
    (block (loop (br_if 1 (i32.eqz (local.get {counter}))) {leave} {body}
      (local.set {counter} (i32.sub (local.get {counter}) (i32.const 1))) (br 0)))"
        )
    }

    fn bulk(&mut self) -> String {
        let place = |own: &mut Generator| match own.forks {
            true => own.address(1),
            false => format!("(i32.const {})", own.rng.below(40)),
        };
        let to = place(self);
        let len = if self.forks && self.rng.chance(30) {
            format!("(i32.and {} (i32.const 31))", self.inner(1))
        } else {
            format!("(i32.const {})", self.rng.below(20))
        };
        match self.rng.below(5) {
            0 | 1 => format!("(memory.copy {to} {} {len})", place(self)),
            2 | 3 => format!("(memory.fill {to} {} {len})", self.expression("i32", 1)),
            _ => {
                let from = self.rng.below(4);
                let len = self.rng.below(16);
                format!("(memory.init $passive {to} (i32.const {from}) (i32.const {len}))")
            }
        }
    }
}

fn name(ty: WasmType) -> &'static str {
    if ty == WasmType::I64 { "i64" } else { "i32" }
}
