//! A copy of a module that wasmi 2.0.0 translates correctly.
//!
//! wasmi fuses `i32.eqz` with the `select` that follows and, for most kinds of operands, loses the
//! negation: `(select (local.get 0) (i32.const 8) (i32.eqz (local.get 0)))` answers 7 for 7, where
//! V8 and the specification say 8. Rotating the condition by one keeps it zero or not and is not
//! fused. The machine under test always runs the module as it is.

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Instruction, Module};
use wasmparser::{FunctionBody, Operator, Parser};

/// The copy.
pub fn defused(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut module = Module::new();
    Defuse.parse_core_module(&mut module, Parser::new(0), bytes).map_err(|e| e.to_string())?;
    Ok(module.finish())
}

struct Defuse;

impl Reencode for Defuse {
    type Error = std::convert::Infallible;

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error<Self::Error>> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            if matches!(operator, Operator::Select | Operator::TypedSelect { .. }) {
                function.instruction(&Instruction::I32Const(1));
                function.instruction(&Instruction::I32Rotl);
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        Ok(())
    }
}
