//! Every comparison of floats over symbolic operands, on the values that are unlike other numbers.

use crate::support;

use support::small::Small;

fn numbers(ty: &str) -> Vec<u64> {
    let wide = [
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        1.0,
        1.5,
        2e30,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let both = |x: f64| [x, -x];
    if ty == "f64" {
        return wide.into_iter().flat_map(both).map(f64::to_bits).collect();
    }
    let narrow = wide.into_iter().flat_map(both).map(|x| u64::from((x as f32).to_bits()));
    narrow.chain([1, 0x8000_0001, 0x7f80_0001, 0xffff_ffff]).collect()
}

#[test]
fn two_operands() {
    for ty in ["f32", "f64"] {
        let numbers = numbers(ty);
        for name in ["eq", "ne", "lt", "gt", "le", "ge"] {
            let both = Small::new(&format!(
                r#"(module (func (export "f") (param {ty} {ty}) (result i32)
                    ({ty}.{name} (local.get 0) (local.get 1))))"#
            ));
            let same = Small::new(&format!(
                r#"(module (func (export "f") (param {ty}) (result i32)
                    ({ty}.{name} (local.get 0) (local.get 0))))"#
            ));
            let constant = Small::new(&format!(
                r#"(module (func (export "f") (param {ty}) (result i32)
                    ({ty}.{name} (local.get 0) ({ty}.const -0.0))))"#
            ));
            for a in &numbers {
                for b in &numbers {
                    both.check(&[*a, *b], None).unwrap_or_else(|e| panic!("{ty}.{name}: {e}"));
                }
                same.check(&[*a], None).unwrap_or_else(|e| panic!("{ty}.{name} of one: {e}"));
                constant.check(&[*a], None).unwrap_or_else(|e| panic!("{ty}.{name} -0: {e}"));
            }
        }
    }
}
