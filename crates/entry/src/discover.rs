//! Finding how a program is entered when nobody says it.

use std::collections::BTreeSet;
use std::fmt;

use crate::host::PessimumImport;
use crate::invocation::{FUZZER, START};
use crate::{
    CallSpec, DeclaredCall, Entry, ExportedFunction, ModuleSummary, Signatures, WasmType, signature,
};

/// An exported function and how it might be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The export.
    pub export: String,
    /// A `--call` to start from. A pointer and a length look like two integers in Wasm: it is a
    /// guess, unless the types of the source are known.
    pub example: String,
    /// Whether it was read from types that leave no doubt.
    pub certain: bool,
    /// The name of the target, where the module describes the call itself.
    pub target: Option<String>,
}

/// No entry could be found: what there is, and how to name one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// The exported functions that a person may have meant.
    pub candidates: Vec<Candidate>,
    /// Why none was taken.
    pub reason: String,
}

impl std::error::Error for Discovery {}

impl fmt::Display for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More would not be read.
        const SHOWN: usize = 20;
        write!(f, "{}", self.reason)?;
        if self.candidates.is_empty() {
            return write!(
                f,
                ": export a function (with clang: -Wl,--export=NAME), then name it by --call 'NAME(&i32[n], n)'"
            );
        }
        write!(f, ": name one, for example")?;
        for candidate in self.candidates.iter().take(SHOWN) {
            match &candidate.target {
                Some(name) => write!(f, "\n  --target {name}")?,
                None => write!(f, "\n  --call '{}'", candidate.example)?,
            }
        }
        if let more @ 1.. = self.candidates.len().saturating_sub(SHOWN) {
            write!(f, "\n  … {more} more exports")?;
        }
        Ok(())
    }
}

impl Entry {
    /// How a program is entered, if it leaves no doubt. In this order:
    ///
    /// 0. it describes calls itself: if it is one, that;
    /// 1. it imports `input_…` or `size` from the module `pessimum`: `_start`, else its only export without
    ///    parameters, else `main`;
    /// 2. it exports `LLVMFuzzerTestOneInput`;
    /// 3. it exports `_start` and reads streams (`fd_read`), else arguments (`args_get`);
    /// 4. only one export takes input, and its parameters look like pointer and length; or the types of its source,
    ///    where there are such, leave no doubt at one export alone.
    ///
    /// `signatures` is asked for the types only where they matter.
    pub fn discover(
        summary: &ModuleSummary,
        signatures: impl FnOnce() -> Signatures,
    ) -> Result<Entry, Discovery> {
        match summary.declared.as_slice() {
            [] => {}
            [only] => {
                if let Ok(spec) = CallSpec::parse(&only.call) {
                    return Ok(Entry::Call(spec));
                }
            }
            several => {
                let reason = format!("the module has {} targets", several.len());
                return Err(Discovery { candidates: declared(summary), reason });
            }
        }
        if summary.imports.iter().any(asks_for_input)
            && let Some(export) = program_export(summary)
        {
            return Ok(Entry::Program { export });
        }
        if summary.export(FUZZER).is_some() {
            return Ok(Entry::Fuzzer);
        }
        if summary.export(START).is_some() {
            let imports = |name| summary.imports_function("wasi_snapshot_preview1", name);
            if imports("fd_read") {
                return Ok(Entry::Stdin);
            }
            if imports("args_get") {
                return Ok(Entry::Argv);
            }
        }
        let signatures = signatures();
        let candidates: Vec<_> = summary
            .exports
            .iter()
            .filter(|export| !is_runtime(&export.name) && !export.params.is_empty())
            .flat_map(|export| ways(export, &signatures))
            .collect();
        let mut certain = candidates.iter().filter(|candidate| candidate.certain);
        let typed = |c: &&Candidate| signatures.contains_key(&c.export);
        let taken = match (&*candidates, certain.next(), certain.next()) {
            (_, Some(only), None) => Some(only),
            ([only], None, None) => Some(only).filter(|c| !typed(c)),
            _ => None,
        };
        if let Some(only) = taken
            && let Ok(spec) = CallSpec::parse(&only.example)
            && spec.mentions("n")
        {
            return Ok(Entry::Call(spec));
        }
        let exports: BTreeSet<&str> = candidates.iter().map(|c| c.export.as_str()).collect();
        let reason = match (exports.len(), candidates.len()) {
            (0, _) => "no exported function takes input".to_owned(),
            (1, 1) => format!("it is not clear what the size of `{}` is", candidates[0].export),
            (1, _) => {
                format!("it is not clear how the lengths of `{}` go together", candidates[0].export)
            }
            (count, _) => format!("{count} exported functions take input"),
        };
        Err(Discovery { candidates, reason })
    }
}

impl ModuleSummary {
    /// The call that the module describes by this name.
    pub fn declared(&self, name: &str) -> Result<&DeclaredCall, Discovery> {
        self.declared.iter().find(|call| call.name == name).ok_or_else(|| {
            let reason = match self.declared.len() {
                0 => format!("the module describes no targets, as #[pessimum::target] does, so none is called {name}"),
                _ => format!("the module has no target {name}"),
            };
            Discovery { candidates: declared(self), reason }
        })
    }
}

/// The calls that a module describes, as ways into it.
fn declared(summary: &ModuleSummary) -> Vec<Candidate> {
    let candidate = |call: &DeclaredCall| Candidate {
        export: call.call.split('(').next().unwrap_or_default().to_owned(),
        example: call.call.clone(),
        certain: true,
        target: Some(call.name.clone()),
    };
    summary.declared.iter().map(candidate).collect()
}

/// Whether an import makes the program ask for its input. `measure_begin` alone does not.
fn asks_for_input((module, name): &(String, String)) -> bool {
    module == PessimumImport::MODULE
        && PessimumImport::parse(name)
            .is_some_and(|import| import.makes_input() || import == PessimumImport::Size)
}

fn program_export(summary: &ModuleSummary) -> Option<String> {
    let mut doors = summary
        .exports
        .iter()
        .filter(|export| export.params.is_empty() && !is_runtime(&export.name))
        .map(|export| export.name.as_str());
    let is_door = |name| summary.export(name).is_some_and(|export| export.params.is_empty());
    if is_door(START) {
        return Some(START.to_owned());
    }
    match (doors.next(), doors.next()) {
        (Some(only), None) => Some(only.to_owned()),
        _ => is_door("main").then(|| "main".to_owned()),
    }
}

/// Exports that a compiler or a C library adds, which nobody means by "the program".
fn is_runtime(name: &str) -> bool {
    const RUNTIME: [&str; 10] = [
        "_initialize",
        START,
        "malloc",
        "free",
        "calloc",
        "realloc",
        "aligned_alloc",
        "posix_memalign",
        "setThrew",
        "LLVMFuzzerInitialize",
    ];
    name.starts_with("__") || RUNTIME.contains(&name)
}

/// Calls of an export, from its types where they are known; several where these leave open how lengths go together.
fn ways(export: &ExportedFunction, signatures: &Signatures) -> Vec<Candidate> {
    let params = signatures.get(&export.name);
    let read = params.and_then(|params| signature::read(params, &export.params));
    let (calls, certain) = match read {
        Some(read) => (read.apart.into_iter().chain([read.args]).collect(), read.certain),
        None => (guesses(export), false),
    };
    let way = |args: Vec<String>| Candidate {
        export: export.name.clone(),
        example: format!("{}({})", export.name, args.join(", ")),
        certain,
        target: None,
    };
    calls.into_iter().map(way).collect()
}

/// Call descriptions to start from: two neighbouring integers are taken for an array and its length, everything else
/// for scalars. Of several arrays the others may be shorter, or as long.
fn guesses(export: &ExportedFunction) -> Vec<Vec<String>> {
    let written = |others: &str| {
        let mut args = Vec::new();
        let mut arrays = 0;
        let mut params = export.params.as_slice();
        while let Some((first, rest)) = params.split_first() {
            params = rest;
            match first {
                WasmType::I32 if rest.first() == Some(&WasmType::I32) => {
                    let n = if arrays > 0 { others } else { "n" };
                    args.extend([format!("&i32[{n}]"), n.to_owned()]);
                    params = &rest[1..];
                    arrays += 1;
                }
                WasmType::Other => args.push("0".to_owned()),
                scalar => args.push(scalar.name().to_owned()),
            }
        }
        (args, arrays)
    };
    let (alike, arrays) = written("n");
    let apart = (arrays > 1).then(|| written("n/2").0);
    apart.into_iter().chain([alike]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameter, Pointee, SourceType, Type};

    fn discover(text: &str) -> Result<Entry, Discovery> {
        let summary = ModuleSummary::read(&wat::parse_str(text).unwrap()).unwrap();
        Entry::discover(&summary, Signatures::new)
    }

    #[test]
    fn a_fuzz_target_is_found() {
        let entry = discover(
            r#"(module (func (export "LLVMFuzzerTestOneInput") (param i32 i32) (result i32) (i32.const 0)))"#,
        );
        assert_eq!(entry, Ok(Entry::Fuzzer));
    }

    #[test]
    fn wasi_programs_are_told_by_what_they_import() {
        let program = |import: &str| {
            discover(&format!(
                r#"(module (import "wasi_snapshot_preview1" "{import}" (func)) (func (export "_start")))"#
            ))
        };
        assert_eq!(program("fd_read"), Ok(Entry::Stdin));
        assert_eq!(program("args_get"), Ok(Entry::Argv));
        assert!(program("fd_write").is_err());
    }

    #[test]
    fn a_program_that_asks_for_its_inputs_is_found() {
        let entry = discover(
            r#"(module (import "pessimum" "input_i32" (func (result i32)))
                (func (export "run")) (func (export "_initialize")) (func (export "helper") (param i32)))"#,
        );
        assert_eq!(entry, Ok(Entry::Program { export: "run".into() }));
    }

    #[test]
    fn a_program_that_only_measures_itself_is_still_called() {
        let entry = discover(
            r#"(module (import "pessimum" "measure_begin" (func))
                (func (export "reset")) (func (export "sort") (param i32 i32)))"#,
        );
        assert_eq!(entry.unwrap().to_string(), "sort(&i32[n], n)");
    }

    #[test]
    fn the_only_function_with_pointer_and_length_is_called() {
        let entry = discover(
            r#"(module (func (export "sort") (param i32 i32)) (func (export "malloc") (param i32) (result i32) (i32.const 0)))"#,
        );
        assert_eq!(entry.unwrap().to_string(), "sort(&i32[n], n)");
    }

    #[test]
    fn two_arrays_may_be_of_different_lengths() {
        let text = r#"(module (func (export "find") (param i32 i32 i32 i32)))"#;
        let message = discover(text).unwrap_err().to_string();
        assert!(message.contains("how the lengths of `find` go together"), "{message}");
        assert!(message.contains("--call 'find(&i32[n], n, &i32[n/2], n/2)'"), "{message}");
        assert!(message.contains("--call 'find(&i32[n], n, &i32[n], n)'"), "{message}");
    }

    #[test]
    fn types_tell_bytes_from_integers_and_the_entry_from_its_helpers() {
        let text = r#"(module (func (export "parse") (param i32 i32))
            (func (export "swap") (param i32 i32)) (func (export "malloc") (param i32)))"#;
        let summary = ModuleSummary::read(&wat::parse_str(text).unwrap()).unwrap();
        let pointer =
            |to| Parameter { name: None, ty: SourceType::Pointer { to, constant: false } };
        let length = Parameter { name: Some("len".into()), ty: SourceType::Number(Type::U32) };
        let parse = ("parse".to_owned(), vec![pointer(Pointee::Char), length]);
        let ints = pointer(Pointee::Number(Type::I32));
        let swap = ("swap".to_owned(), vec![ints.clone(), ints]);
        let found = Entry::discover(&summary, || Signatures::from([parse.clone(), swap.clone()]));
        assert_eq!(found.unwrap().to_string(), "parse(&u8[n], n)");
        // Of one of them nothing is known: it may be meant as well, but the other is sure.
        let found = Entry::discover(&summary, || Signatures::from([parse.clone()]));
        assert_eq!(found.unwrap().to_string(), "parse(&u8[n], n)");
        let two = Entry::discover(&summary, || {
            Signatures::from([parse.clone(), ("swap".into(), parse.1.clone())])
        });
        let menu = two.unwrap_err().to_string();
        assert!(menu.contains("--call 'parse(&u8[n], n)'"), "{menu}");
        assert!(menu.contains("--call 'swap(&u8[n], n)'"), "{menu}");
    }

    #[test]
    fn a_module_says_itself_how_it_is_called() {
        let with = |lines: &str| {
            discover(&format!(
                r#"(module (import "pessimum" "input_i32" (func (result i32)))
                    (func (export "a") (param i32 i32)) (func (export "b"))
                    (@custom "pessimum.targets" "{}"))"#,
                lines.replace('"', "\\\"")
            ))
        };
        let one = with(r#"{"name":"a","call":"a(&str[n], n)"}"#);
        assert_eq!(one.unwrap().to_string(), "a(&str[n], n)");
        let two =
            with("{\"name\":\"a\",\"call\":\"a(&str[n], n)\"}\\n{\"name\":\"b\",\"call\":\"b()\"}");
        let menu = two.unwrap_err().to_string();
        assert!(menu.contains("2 targets") && menu.contains("--target b"), "{menu}");
    }

    #[test]
    fn doubt_is_answered_with_examples() {
        let two = discover(
            r#"(module (func (export "a") (param i32 i32 i64)) (func (export "b") (param f64)))"#,
        )
        .unwrap_err();
        let message = two.to_string();
        assert!(message.contains("--call 'a(&i32[n], n, i64)'"), "{message}");
        assert!(message.contains("--call 'b(f64)'"), "{message}");
        let scalar = discover(r#"(module (func (export "b") (param i32)))"#).unwrap_err();
        assert!(scalar.to_string().contains("size of `b`"), "{scalar}");
        let none = discover("(module)").unwrap_err();
        assert!(none.to_string().contains("--export"), "{none}");
    }
}
