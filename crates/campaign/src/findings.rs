//! Findings in the words of the reports.

use crate::confirm::Confirmer;
use crate::error::Error;
use crate::evidence::Mismatch;
use crate::program::Program;
use base64::Engine as _;
use pessimum_entry::{Disassembly, Entry, InputValues, ModuleSummary};
use pessimum_explore::{Cause, Finding, FindingKind, Operation, Outcome};
use pessimum_machine::{Module, Trap};
use pessimum_report::document;
use pessimum_search::AtSize;

/// An input as the documents carry it.
pub(crate) fn input_document(input: &InputValues) -> document::Input {
    document::Input {
        values: input.to_json(),
        bytes: base64::engine::general_purpose::STANDARD.encode(input.to_raw()),
        structure: None,
    }
}

/// That the call is a guess, if it is.
pub(crate) fn assumed_call(program: &Program) -> Result<Option<document::Finding>, Error> {
    let kind = "assumed_call".to_owned();
    let finding =
        |message| document::Finding { kind, message, at: None, n: None, input: None, cause: None };
    Ok(program.assumption()?.map(finding))
}

/// That the program may overwrite its own input, if that cannot be ruled out.
pub(crate) fn arguments_at_risk(program: &Program) -> Result<Option<document::Finding>, Error> {
    let Entry::Call(call) = program.entry()? else { return Ok(None) };
    let summary = ModuleSummary::read(program.bytes())?;
    if !call.takes_memory() || !summary.may_overwrite_arguments() {
        return Ok(None);
    }
    Ok(Some(document::Finding {
        kind: "input_may_be_overwritten".to_owned(),
        message: "the program has an allocator of its own that cannot be called: it may hand out the memory that the arguments lie in, and every number below may be that of a damaged input; export it (clang: -Wl,--export=malloc) or keep the names of functions (no -s, no --strip-all)".to_owned(),
        at: None,
        n: None,
        input: None, cause: None }))
}

/// Where an instruction is.
pub(crate) fn place(module: &Module, function: u32, offset: u32) -> String {
    let name = module.function_name(function);
    match module.locate(offset) {
        Some(location) => format!("{location} ({name})"),
        None => format!("{name} at byte {offset:#x}"),
    }
}

/// What an exploration noticed, in the words of the reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Described {
    pub(crate) findings: Vec<document::Finding>,
    /// How the independent engine disagreed on a trap, if it did.
    pub(crate) mismatch: Option<Mismatch>,
}

/// That the two engines disagree on an input: a bug of ours.
pub(crate) fn disagreement(n: u64, input: &InputValues, mismatch: &Mismatch) -> document::Finding {
    let why = match mismatch {
        Mismatch::Cost { ours, theirs } => {
            format!("pessimum counts {ours}, the independent engine {theirs}")
        }
        Mismatch::Trace => "the independent engine takes other branches".to_owned(),
        Mismatch::End { theirs } => format!("the independent engine ended with {theirs}"),
    };
    document::Finding {
        kind: "replay_mismatch".to_owned(),
        message: format!(
            "n = {n}: {why}. This is a bug of pessimum, and nothing is claimed of this run: please report it with the module, the call and this input"
        ),
        at: None,
        n: Some(n),
        input: Some(input_document(input)),
        cause: None,
    }
}

/// That an input costs more than the worst of all paths: a bug of ours.
pub(crate) fn contradiction(n: u64, exact: u64, cost: u64) -> document::Finding {
    document::Finding {
        kind: "contradiction".to_owned(),
        message: format!(
            "n = {n}: a run costs {cost}, and {exact} was said to be the worst of all. This is a bug of pessimum, and nothing is claimed of this run: please report it with the module and the call"
        ),
        at: None,
        n: Some(n),
        input: None,
        cause: None,
    }
}

/// That merged states turned out to be different ones: a bug of ours.
fn merged_wrongly(n: u64, wrong: u64) -> document::Finding {
    document::Finding {
        kind: "wrongly_merged".to_owned(),
        message: format!(
            "n = {n}: {wrong} states were merged with others that have another future. This is a bug of pessimum: please report it with the module and the call"
        ),
        at: None,
        n: Some(n),
        input: None,
        cause: None,
    }
}

/// What an exploration of a size noticed. A trap is only called one when its input makes the
/// independent engine trap as well.
pub(crate) fn describe(
    program: &Program,
    at: &AtSize,
    confirmer: &Confirmer,
    outcome: &Outcome,
) -> Result<Described, Error> {
    let n = at.n;
    let place = Places { module: &at.module, bytes: program.bytes() };
    let mut all = Vec::new();
    let mut disagreed = None;
    for finding in outcome.findings.values() {
        let mut unconfirmed = false;
        if let (FindingKind::Trap(trap), Some(input)) = (finding.kind, &finding.input) {
            match confirmer.confirm_trap(at, input, trap, &at.until)? {
                Ok(traps) => unconfirmed = !traps,
                Err(mismatch) => {
                    all.push(disagreement(n, input, &mismatch));
                    disagreed.get_or_insert(mismatch);
                    continue;
                }
            }
        }
        all.push(match unconfirmed {
            true => describe_one(&place, n, &Finding { input: None, ..finding.clone() }),
            false => describe_one(&place, n, finding),
        });
    }
    let wrong = outcome.merged.as_ref().map_or(0, |merged| merged.wrong);
    if wrong > 0 {
        all.push(merged_wrongly(n, wrong));
    }
    for call in &outcome.missing_calls {
        all.push(document::Finding {
            kind: "missing_call".to_owned(),
            message: format!(
                "the program called {call}, which is not provided: it answered ENOSYS"
            ),
            at: None,
            n: Some(n),
            input: None,
            cause: None,
        });
    }
    Ok(Described { findings: all, mismatch: disagreed })
}

/// A module and its bytes, to name what is in it.
struct Places<'a> {
    module: &'a Module,
    bytes: &'a [u8],
}

impl Places<'_> {
    /// Why a condition was not decided, in words.
    fn cause(&self, cause: Cause) -> document::Cause {
        let instruction = cause.position.and_then(|at| Disassembly::of(self.bytes).instruction(at));
        let line = |at| self.module.locate(at).map(|location| location.to_string());
        document::Cause {
            operation: operation(cause),
            instruction,
            at: cause.position.map(|at| line(at).unwrap_or_else(|| format!("byte {at:#x}"))),
            help: help(cause).to_owned(),
        }
    }
}

/// What is computed, as a phrase.
fn operation(cause: Cause) -> String {
    let (what, floats) = match cause.operation {
        Operation::Product => ("a product", false),
        Operation::Quotient => ("a quotient", false),
        Operation::Remainder => ("a remainder", false),
        Operation::Shift => ("a shift", false),
        Operation::Bits => ("single bits", false),
        Operation::FloatSum => ("a sum", true),
        Operation::FloatProduct => ("a product", true),
        Operation::FloatQuotient => ("a quotient", true),
        Operation::FloatRoot => return "the square root of a float".to_owned(),
        Operation::FloatOther => return "a rounded or converted float".to_owned(),
    };
    match (cause.is_of_inputs, floats) {
        (true, false) => format!("{what} of values that depend on the input"),
        (true, true) => format!("{what} of floats that depend on the input"),
        (false, false) => format!("{what} with a constant"),
        (false, true) => format!("{what} of floats, one of them a constant"),
    }
}

/// What would help.
fn help(cause: Cause) -> &'static str {
    match cause.operation {
        Operation::FloatSum
        | Operation::FloatProduct
        | Operation::FloatQuotient
        | Operation::FloatRoot
        | Operation::FloatOther => {
            "narrower inputs (in 0..=100), whole numbers instead of any floats, or a build with Z3 (--features z3)"
        }
        Operation::Product | Operation::Quotient | Operation::Remainder => {
            "narrower inputs (in 0..=100), a constant operand, or a build with Z3 (--features z3)"
        }
        Operation::Shift | Operation::Bits => {
            "fewer or narrower inputs (in 0..=100), or a build with Z3 (--features z3)"
        }
    }
}

/// The sentence that says so.
fn undecided(what: &str, cause: Option<&document::Cause>) -> String {
    let mut text = format!("{what} could not be decided within the solver's limits");
    let Some(cause) = cause else { return text };
    text.push_str(&format!(": it depends on {}", cause.operation));
    if let Some(at) = &cause.at {
        text.push_str(&format!(" at {at}"));
    }
    if let Some(instruction) = &cause.instruction {
        text.push_str(&format!(" ({instruction})"));
    }
    text.push_str(&format!("; what may help: {}", cause.help));
    text
}

fn describe_one(places: &Places<'_>, n: u64, finding: &Finding) -> document::Finding {
    let cause = finding.cause.map(|cause| places.cause(cause));
    // A trap that was never seen is none yet.
    let kind = match finding.kind {
        FindingKind::Trap(trap) if finding.input.is_none() => FindingKind::PossibleTrap(trap),
        kind => kind,
    };
    let (kind, message) = match kind {
        FindingKind::Trap(Trap::ShadowStack) => (
            "stack_overflow",
            "the stack in linear memory overflows: link with a larger one (clang: -Wl,-z,stack-size=8388608)"
                .to_owned(),
        ),
        FindingKind::TooDeep => (
            "too_deep",
            "the program recurses more than 1,000,000 calls deep, or its locals take more memory than they may (2 GiB, in a browser 256 MiB): the path was cut"
                .to_owned(),
        ),
        FindingKind::Trap(trap) => ("trap", format!("the program traps: {trap}")),
        FindingKind::PossibleTrap(trap) => (
            "possible_trap",
            format!("whether the program traps here was not decided ({trap}): no input is known that does"),
        ),
        FindingKind::Hang => (
            "hang",
            "a path used up its budget of instructions: it may never end (--max-instructions raises it)"
                .to_owned(),
        ),
        FindingKind::Endless => {
            ("hang", "the program never ends: it comes back to a state it was in".to_owned())
        }
        FindingKind::SymbolicFloat => {
            ("symbolic_float", undecided("a condition on computed floats", cause.as_ref()))
        }
        FindingKind::Unknown => ("unknown", undecided("a condition", cause.as_ref())),
        FindingKind::AddressFork => (
            "address_fork",
            "an address depends on the input in too many ways: it was followed value by value"
                .to_owned(),
        ),
        FindingKind::DroppedValues => (
            "dropped_values",
            "a value depends on the input in more ways than can be followed; some were dropped"
                .to_owned(),
        ),
    };
    document::Finding {
        kind: kind.to_owned(),
        message,
        at: Some(place(places.module, finding.function, finding.position)),
        n: Some(n),
        input: finding.input.as_ref().map(input_document),
        cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::CostModel;

    /// The turn of the hull: both of its products by line and instruction.
    #[test]
    fn a_cause_has_a_line_and_an_instruction() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/hull_turns/hull_turns.wasm");
        let bytes = std::fs::read(file).expect("the corpus is there");
        let module = Module::load(&bytes, &CostModel::Conditionals).expect("it is a module");
        let text = Disassembly::of(&bytes);
        let named = |at: &u32| text.instruction(*at).as_deref() == Some("f64.mul");
        let position = (0..bytes.len() as u32).rfind(named);
        let places = Places { module: &module, bytes: &bytes };
        let finding = Finding {
            kind: FindingKind::SymbolicFloat,
            position: position.unwrap_or(0),
            function: 0,
            input: None,
            count: 1,
            cause: Some(Cause { operation: Operation::FloatProduct, is_of_inputs: true, position }),
        };
        let told = describe_one(&places, 3, &finding);
        let cause = told.cause.expect("it has one");
        assert_eq!(cause.instruction.as_deref(), Some("f64.mul"));
        let at = cause.at.expect("it has a line");
        assert!(at.starts_with("hull_turns.c:"), "{at}");
        assert_eq!(
            told.message,
            format!(
                "a condition on computed floats could not be decided within the solver's limits: it depends on a product of floats that depend on the input at {at} (f64.mul); what may help: narrower inputs (in 0..=100), whole numbers instead of any floats, or a build with Z3 (--features z3)"
            )
        );
        // Nothing but sums: then there is nobody to blame.
        let told = describe_one(&places, 3, &Finding { cause: None, ..finding });
        assert_eq!(
            told.message,
            "a condition on computed floats could not be decided within the solver's limits"
        );
    }
}
