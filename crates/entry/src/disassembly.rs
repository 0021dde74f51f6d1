//! Instructions as text, for places that no source line describes.

use crate::{is_marker, opcode_name};
use wasmparser::{FunctionBody, Operator, Parser, Payload};

/// Instructions shown before the one that is asked for.
const BEFORE: usize = 5;

/// The function bodies of a module, to be read again where somebody looks.
///
/// ```
/// use pessimum_entry::Disassembly;
/// let module = b"\0asm\x01\0\0\0\
///     \x01\x05\x01\x60\x01\x7f\0\
///     \x03\x02\x01\0\
///     \x0a\x0b\x01\x09\0\x20\0\x41\x07\x4a\x04\x40\x0b\x0b";
/// let text = Disassembly::of(module);
/// let shown = (0..64).find_map(|offset| text.line(offset).filter(|l| l.ends_with("if")));
/// assert_eq!(shown.as_deref(), Some("local.get 0 · i32.const 7 · i32.gt_s · if"));
/// let names: Vec<String> = (0..64).filter_map(|offset| text.instruction(offset)).collect();
/// assert_eq!(names, ["local.get", "i32.const", "i32.gt_s", "if", "end"]);
/// ```
#[derive(Debug, Default)]
pub struct Disassembly<'a> {
    /// In the order of the file.
    bodies: Vec<FunctionBody<'a>>,
}

impl<'a> Disassembly<'a> {
    /// Finds the bodies; what cannot be read is left out.
    pub fn of(module: &'a [u8]) -> Disassembly<'a> {
        let payloads = Parser::new(0).parse_all(module).map_while(Result::ok);
        let bodies = payloads.filter_map(|payload| match payload {
            Payload::CodeSectionEntry(body) => Some(body),
            _ => None,
        });
        Disassembly { bodies: bodies.collect() }
    }

    /// The name of the instruction at an offset of the file: `i64.div_u`.
    pub fn instruction(&self, offset: u32) -> Option<String> {
        let mut operators = self.body(offset)?.get_operators_reader().ok()?;
        while !operators.eof() {
            let at = operators.original_position();
            let op = operators.read().ok()?;
            if at >= u64::from(offset) {
                return (at == u64::from(offset)).then(|| opcode_name(&op));
            }
        }
        None
    }

    /// The body that an offset of the file is in.
    fn body(&self, offset: u32) -> Option<&FunctionBody<'a>> {
        let offset = u64::from(offset);
        let after = self.bodies.partition_point(|body| start(body) <= offset);
        let body = self.bodies.get(after.checked_sub(1)?)?;
        body.range().contains(&offset).then_some(body)
    }

    /// The instruction at an offset of the file, after those that computed what it works on, as far
    /// as they stand right before it: `local.get 0 · i32.const 7 · i32.gt_s · br_if 1`.
    pub fn line(&self, offset: u32) -> Option<String> {
        let body = self.body(offset)?;
        let offset = u64::from(offset);
        let mut line: Vec<String> = Vec::new();
        // Whether the operator before ended a block, which may have left the value in question.
        let mut after_block = false;
        let mut operators = body.get_operators_reader().ok()?;
        while !operators.eof() {
            let at = operators.original_position();
            let op = operators.read().ok()?;
            if at > offset {
                return None;
            }
            if !is_marker(&op) {
                line.push(written(&op));
            }
            if at == offset {
                if line.len() == 1 && after_block && decides(&op) {
                    line.insert(0, "(block)".to_owned());
                }
                let first = line.len().saturating_sub(BEFORE + 1);
                return Some(line.split_off(first).join(" · ")).filter(|l| !l.is_empty());
            }
            if leaves_nothing(&op) {
                line.clear();
            }
            after_block = matches!(op, Operator::End);
        }
        None
    }
}

fn start(body: &FunctionBody<'_>) -> u64 {
    body.range().start
}

/// Whether a new expression begins after the operator.
fn leaves_nothing(op: &Operator<'_>) -> bool {
    let name = opcode_name(op);
    is_marker(op)
        || name.starts_with("br")
        || name.contains(".store")
        || matches!(
            op,
            Operator::LocalSet { .. }
                | Operator::GlobalSet { .. }
                | Operator::Drop
                | Operator::If { .. }
                | Operator::Return
                | Operator::Unreachable
                | Operator::MemoryCopy { .. }
                | Operator::MemoryFill { .. }
        )
}

/// Whether the operator takes the value on top to decide something.
fn decides(op: &Operator<'_>) -> bool {
    matches!(
        op,
        Operator::If { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Select
            | Operator::TypedSelect { .. }
    )
}

/// An operator with the operands that tell it from its like.
fn written(op: &Operator<'_>) -> String {
    let name = opcode_name(op);
    let operand = match op {
        Operator::LocalGet { local_index: i }
        | Operator::LocalSet { local_index: i }
        | Operator::LocalTee { local_index: i }
        | Operator::GlobalGet { global_index: i }
        | Operator::GlobalSet { global_index: i }
        | Operator::Br { relative_depth: i }
        | Operator::BrIf { relative_depth: i }
        | Operator::Call { function_index: i } => i.to_string(),
        Operator::I32Const { value } => value.to_string(),
        Operator::I64Const { value } => value.to_string(),
        _ => return name,
    };
    format!("{name} {operand}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_modules_have_no_lines() {
        for module in [&b""[..], b"\0asm", b"\0asm\x01\0\0\0\x0a\xff\xff\xff\xff\x0f"] {
            assert_eq!(Disassembly::of(module).line(12), None);
            assert_eq!(Disassembly::of(module).instruction(12), None);
        }
    }
}
