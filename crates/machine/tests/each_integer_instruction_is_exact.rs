//! Every integer instruction over symbolic operands, on the values where they go wrong.

use crate::support;

use support::rng::Rng;
use support::small::Small;

const BINARY: [&str; 25] = [
    "add", "sub", "mul", "div_s", "div_u", "rem_s", "rem_u", "and", "or", "xor", "shl", "shr_s",
    "shr_u", "rotl", "rotr", "eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s",
    "ge_u",
];

/// Instruction, operand type, result type.
const UNARY: [(&str, &str, &str); 16] = [
    ("i32.eqz", "i32", "i32"),
    ("i32.clz", "i32", "i32"),
    ("i32.ctz", "i32", "i32"),
    ("i32.popcnt", "i32", "i32"),
    ("i32.extend8_s", "i32", "i32"),
    ("i32.extend16_s", "i32", "i32"),
    ("i32.wrap_i64", "i64", "i32"),
    ("i64.eqz", "i64", "i32"),
    ("i64.clz", "i64", "i64"),
    ("i64.ctz", "i64", "i64"),
    ("i64.popcnt", "i64", "i64"),
    ("i64.extend8_s", "i64", "i64"),
    ("i64.extend16_s", "i64", "i64"),
    ("i64.extend32_s", "i64", "i64"),
    ("i64.extend_i32_s", "i32", "i64"),
    ("i64.extend_i32_u", "i32", "i64"),
];

/// Numbers at the ends of ranges, and around the widths that shifts are taken modulo.
fn numbers(ty: &str, rng: &mut Rng) -> Vec<u64> {
    let mut all = vec![0, 1, 2, 7, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x7fff, 0x8000];
    all.extend([0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe]);
    if ty == "i64" {
        all.extend([1 << 32, i64::MAX as u64, 1 << 63, u64::MAX, u64::MAX - 1]);
    }
    let mask = if ty == "i64" { u64::MAX } else { u64::from(u32::MAX) };
    all.extend((0..6).map(|_| rng.next() & mask));
    all
}

#[test]
fn two_operands() {
    let mut rng = Rng::new(1);
    for ty in ["i32", "i64"] {
        let numbers = numbers(ty, &mut rng);
        for name in BINARY {
            let result = if BINARY[15..].contains(&name) { "i32" } else { ty };
            let both = Small::new(&format!(
                r#"(module (func (export "f") (param {ty} {ty}) (result {result})
                    ({ty}.{name} (local.get 0) (local.get 1))))"#
            ));
            for a in &numbers {
                for b in &numbers {
                    both.check(&[*a, *b], None).unwrap_or_else(|e| panic!("{ty}.{name}: {e}"));
                }
            }
            // A constant on either side takes other ways through translation and simplifier.
            for k in &numbers {
                let signed = *k as i64;
                let k = if ty == "i32" { i64::from(*k as i32) } else { signed };
                let right = Small::new(&format!(
                    r#"(module (func (export "f") (param {ty}) (result {result})
                        ({ty}.{name} (local.get 0) ({ty}.const {k}))))"#
                ));
                let left = Small::new(&format!(
                    r#"(module (func (export "f") (param {ty}) (result {result})
                        ({ty}.{name} ({ty}.const {k}) (local.get 0))))"#
                ));
                for a in &numbers {
                    right.check(&[*a], None).unwrap_or_else(|e| panic!("{ty}.{name} _ {k}: {e}"));
                    left.check(&[*a], None).unwrap_or_else(|e| panic!("{ty}.{name} {k} _: {e}"));
                }
            }
        }
    }
}

#[test]
fn one_operand() {
    let mut rng = Rng::new(2);
    for (name, from, to) in UNARY {
        let small = Small::new(&format!(
            r#"(module (func (export "f") (param {from}) (result {to}) ({name} (local.get 0))))"#
        ));
        for a in numbers(from, &mut rng) {
            small.check(&[a], None).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

/// Comparisons that are fused with the branch after them, and their opposites.
#[test]
fn comparisons_that_branch() {
    let mut rng = Rng::new(3);
    for ty in ["i32", "i64"] {
        let numbers = numbers(ty, &mut rng);
        for name in &BINARY[15..] {
            for b in ["(local.get 1)".to_owned(), format!("({ty}.const 32)")] {
                let plain = format!("({ty}.{name} (local.get 0) {b})");
                for condition in [plain.clone(), format!("(i32.eqz {plain})")] {
                    let small = Small::new(&format!(
                        r#"(module (func (export "f") (param {ty} {ty}) (result i32)
                            (block (br_if 0 {condition}) (return (i32.const 1)))
                            (if (result i32) {condition}
                                (then (i32.const 2)) (else (i32.const 3)))))"#
                    ));
                    for x in &numbers {
                        for y in &numbers {
                            let found = small.check(&[*x, *y], None);
                            found.unwrap_or_else(|e| panic!("{condition}: {e}"));
                        }
                    }
                }
            }
        }
    }
}
