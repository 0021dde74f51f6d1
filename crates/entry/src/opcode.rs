//! The names of operators in the Wasm text format.

use wasmparser::Operator;

/// Whether an operator only marks structure and is never executed: `block`, `loop`, `else`, `end`.
/// No cost model counts these.
pub fn is_marker(op: &Operator<'_>) -> bool {
    matches!(op, Operator::Block { .. } | Operator::Loop { .. } | Operator::Else | Operator::End)
}

/// The name of an operator in the text format: `i32.mul`, `local.get`, `br_if`.
pub fn opcode_name(op: &Operator<'_>) -> String {
    text_name(visitor_name(op))
}

/// Whether the text format has an operator of that name.
pub(crate) fn is_opcode(name: &str) -> bool {
    VISITORS.iter().any(|visitor| text_name(visitor) == name)
}

/// Derives the text name from the name that `wasmparser` gives the operator, `visit_i32_mul`: the
/// first `_` after a type or a space of indices is a dot in the text format.
fn text_name(visitor: &str) -> String {
    let name = visitor.strip_prefix("visit_").unwrap_or(visitor);
    if name == "typed_select" || name == "typed_select_multi" {
        return "select".to_owned();
    }
    match name.split_once('_') {
        Some((space, rest)) if SPACES.contains(&space) => format!("{space}.{rest}"),
        _ => name.to_owned(),
    }
}

const SPACES: [&str; 25] = [
    "i32", "i64", "f32", "f64", "v128", "i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2",
    "local", "global", "memory", "table", "ref", "data", "elem", "struct", "array", "i31", "any",
    "extern", "atomic", "cont",
];

macro_rules! name_operators {
    ($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        const VISITORS: &[&str] = &[$(stringify!($visit)),*];

        fn visitor_name(op: &Operator<'_>) -> &'static str {
            match op {
                $(Operator::$op { .. } => stringify!($visit),)*
                _ => "unknown",
            }
        }
    };
}
wasmparser::for_each_operator!(name_operators);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_text_format() {
        for (op, name) in [
            (Operator::I32Mul, "i32.mul"),
            (Operator::LocalGet { local_index: 0 }, "local.get"),
            (Operator::BrIf { relative_depth: 0 }, "br_if"),
            (Operator::I64TruncSatF32S, "i64.trunc_sat_f32_s"),
            (Operator::MemoryGrow { mem: 0 }, "memory.grow"),
            (Operator::CallIndirect { type_index: 0, table_index: 0 }, "call_indirect"),
            (Operator::Select, "select"),
            (Operator::RefIsNull, "ref.is_null"),
            (Operator::I32Extend8S, "i32.extend8_s"),
            (Operator::Return, "return"),
        ] {
            assert_eq!(opcode_name(&op), name);
            assert!(is_opcode(name));
        }
        assert!(!is_opcode("i32.frobnicate"));
    }
}
