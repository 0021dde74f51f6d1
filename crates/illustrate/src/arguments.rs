//! Which values of an input are whose: a call with several arguments is shown argument by argument.

use pessimum_campaign::{AnalysisResult, Program};
use pessimum_entry::{Arg, Invocation, Type, argument_name};
use pessimum_report::document::{NamedArgument, Text};

/// Names the arguments of every input of a result, where there are several.
pub(crate) fn name_arguments(result: &mut AnalysisResult, program: &Program) {
    let names = program.parameter_names();
    let document = &mut result.document;
    for size in document.sizes.iter_mut().chain(&mut document.training) {
        let found = size.input.as_mut().filter(|input| input.structure.is_none());
        if let (Some(input), Some(named)) = (found, arguments(program, &names, size.n)) {
            input.name_arguments(&named);
        }
    }
}

/// The arguments that hold values, in order; `None` where some hold what has no place in a list.
fn arguments(program: &Program, names: &[String], n: u64) -> Option<Vec<NamedArgument>> {
    let Ok(Invocation::Call(call)) = program.setup(n).map(|setup| setup.invocation) else {
        return None;
    };
    let mut told = Vec::new();
    for (at, arg) in call.args.iter().enumerate() {
        let (count, text) = match arg {
            Arg::Const(_) | Arg::Bytes(_) => continue,
            Arg::Scalar(_) => (1, Text::No),
            Arg::Array { slot, len } if matches!(slot.ty, Type::U8 | Type::I8) => {
                (*len, Text::IfPrintable)
            }
            Arg::Array { len, .. } => (*len, Text::No),
            Arg::CString { len, .. } | Arg::Text { len } => (*len, Text::Yes),
            _ => return None,
        };
        told.push(NamedArgument { name: argument_name(names, at), count, text });
    }
    Some(told)
}
