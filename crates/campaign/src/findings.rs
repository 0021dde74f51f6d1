//! Findings in the words of the reports.

use crate::confirm::Confirmer;
use crate::error::Error;
use crate::evidence::Mismatch;
use crate::program::Program;
use base64::Engine as _;
use pessimum_entry::{Entry, InputValues, ModuleSummary};
use pessimum_explore::{Finding, FindingKind, Outcome};
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
    let finding = |message| document::Finding { kind, message, at: None, n: None, input: None };
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
        input: None,
    }))
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
    }
}

/// What an exploration of a size noticed. A trap is only called one when its input makes the
/// independent engine trap as well.
pub(crate) fn describe(
    at: &AtSize,
    confirmer: &Confirmer,
    outcome: &Outcome,
) -> Result<Described, Error> {
    let n = at.n;
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
            true => describe_one(&at.module, n, &Finding { input: None, ..finding.clone() }),
            false => describe_one(&at.module, n, finding),
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
        });
    }
    Ok(Described { findings: all, mismatch: disagreed })
}

fn describe_one(module: &Module, n: u64, finding: &Finding) -> document::Finding {
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
        FindingKind::SymbolicFloat => (
            "symbolic_float",
            "a condition on computed floats could not be decided within its limits (narrower inputs may help)"
                .to_owned(),
        ),
        FindingKind::Unknown => {
            ("unknown", "the solver could not decide a condition within its limits".to_owned())
        }
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
        at: Some(place(module, finding.function, finding.position)),
        n: Some(n),
        input: finding.input.as_ref().map(input_document),
    }
}
