//! Rust, by rustc alone: one file, with what it names as modules.

use crate::cache::{Cache, Key, dependencies};
use crate::others::numbers;
use crate::run::{Run, short};
use crate::scratch::Scratch;
use crate::source::as_argument;
use crate::{CompileError, Compiled, Environment, Options, Source};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// For functions that are called.
const LIBRARY: &str = "wasm32-unknown-unknown";

/// For a program with a `main`, the newer name first.
const PROGRAM: [&str; 2] = ["wasm32-wasip1", "wasm32-wasi"];

/// The first version that knows the edition of 2021.
const OLDEST: [u32; 2] = [1, 56];

/// A rustc and the targets whose libraries it has.
#[derive(Debug)]
pub(crate) struct Rustc {
    program: PathBuf,
    version: String,
    pub(crate) targets: Vec<&'static str>,
}

impl Rustc {
    /// The compiler on the `PATH`, behind rustup where that is what is there: rustup would let a file in the
    /// working folder choose another.
    pub(crate) fn find(
        environment: &Environment,
        scratch: &Scratch,
        until: Instant,
    ) -> Result<Rustc, CompileError> {
        let mut program = environment.program("rustc").ok_or_else(|| {
            CompileError::new(
                "no rustc was found, which compiles Rust: install it from https://rustup.rs, then `rustup target add wasm32-unknown-unknown`",
            )
        })?;
        let ask = |program: &Path, words: &[&str]| -> Result<Option<String>, CompileError> {
            let ran = Run::new(program).args(words).within(scratch.path()).until(until, scratch)?;
            Ok(ran.succeeded.then(|| ran.out.trim().to_owned()))
        };
        if let Some(root) = ask(&program, &["--print", "sysroot"])? {
            let behind = Path::new(&root).join("bin").join(short(&program));
            if behind.is_file() {
                program = behind;
            }
        }
        let version = ask(&program, &["--version"])?.ok_or_else(|| {
            CompileError::new(
                "rustc does not run: install a toolchain with `rustup default stable`, then `rustup target add wasm32-unknown-unknown`",
            )
        })?;
        // Editions are named by flags that older ones do not know.
        if numbers(&version).is_some_and(|version| version < OLDEST) {
            let [first, second] = OLDEST;
            return Err(CompileError::new(format!(
                "{version} is too old, {first}.{second} is the first that will do: `rustup update stable`"
            )));
        }
        let mut targets = Vec::new();
        for target in [LIBRARY].into_iter().chain(PROGRAM) {
            let folder = ask(&program, &["--print", "target-libdir", "--target", target])?;
            if folder.is_some_and(|folder| Path::new(&folder).is_dir()) {
                targets.push(target);
            }
        }
        Ok(Rustc { program, version, targets })
    }

    /// What it can do, in a line.
    pub(crate) fn describe(&self) -> String {
        match self.targets.as_slice() {
            [] => format!(
                "{} without wasm32: rustup target add {LIBRARY} (for `main`: {})",
                self.version, PROGRAM[0]
            ),
            targets => format!("{}, {}", self.version, targets.join(", ")),
        }
    }

    /// The newest edition that it knows.
    fn edition(&self) -> &'static str {
        let minor = self.version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
        if minor.is_none_or(|minor| minor >= 85) { "2024" } else { "2021" }
    }
}

/// Compiles a library of exported functions, or a program where there is a `main`.
pub(crate) fn compile(
    source: &Source,
    options: &Options,
    environment: &Environment,
    until: Instant,
) -> Result<Compiled, CompileError> {
    let scratch = Scratch::new(environment.cache())?;
    let rustc = Rustc::find(environment, &scratch, until)?;
    let text = std::fs::read_to_string(&source.path).map_err(|why| {
        CompileError::new(format!("cannot read {}: {why}", source.path.display()))
    })?;
    let program = options.call.is_none() && has_main(&text);
    let wanted = if program { &PROGRAM[..] } else { &[LIBRARY] };
    let Some(target) = wanted.iter().find(|target| rustc.targets.contains(target)) else {
        let (target, version) = (wanted[0], &rustc.version);
        return Err(CompileError::new(format!(
            "{version} has no library for {target}: `rustup target add {target}` (Debian: `apt-get install libstd-rust-dev-wasm32`)"
        )));
    };
    let kind = if program { "bin" } else { "cdylib" };
    let mut flags: Vec<OsString> = ["--target", target, "--crate-type", kind, "--color", "never"]
        .into_iter()
        .chain(["-C", "opt-level=1", "-g", "-C", "panic=abort"])
        .map(OsString::from)
        .collect();
    let has = |flag: &str| options.flags.iter().any(|given| starts(given, flag));
    if !has("--edition") {
        flags.extend(["--edition".into(), rustc.edition().into()]);
    }
    if !has("--crate-name") {
        // A name of a file need not be one of a crate.
        flags.extend(["--crate-name".into(), "program".into()]);
    }
    flags.extend(options.flags.iter().cloned());
    let parts = [rustc.program.as_os_str(), rustc.version.as_ref(), source.path.as_os_str()];
    let key = Key::of(parts.into_iter().chain(flags.iter().map(OsString::as_os_str)));
    let cache = Cache(environment.cache());
    if let Some(module) = cache.find(&key) {
        return Ok(Compiled { module, said: String::new(), from_cache: true });
    }
    let (module, rule) = (scratch.file("module.wasm"), scratch.file("module.d"));
    let emit = [
        OsStr::new("--emit=link="),
        module.as_os_str(),
        OsStr::new(",dep-info="),
        rule.as_os_str(),
    ];
    let emit: OsString = emit.into_iter().collect();
    let ran = Run::new(&rustc.program)
        .args(&flags)
        .args([emit, as_argument(&source.path).into_os_string()])
        .until(until, &scratch)?;
    if !ran.succeeded {
        let mend = match ran.said.contains("E0463")
            || ran.said.contains("E0432")
            || ran.said.contains("E0433")
        {
            true => {
                "mend the source; one that uses other crates is built by cargo: `cargo build --release --target wasm32-unknown-unknown`, then name the module"
            }
            false => "mend the source, or give flags after `--`, as in `-- --edition 2021`",
        };
        let name = source.path.display();
        return Err(CompileError::new(format!("{name} does not compile with rustc: {mend}"))
            .saying(&ran.said));
    }
    let module = std::fs::read(&module)
        .map_err(|why| CompileError::new(format!("rustc wrote no module ({why})")))?;
    if !program && !text.contains("no_mangle") && !text.contains("export_name") {
        return Err(CompileError::new(format!(
            "{} exports no function: write `#[unsafe(no_mangle)] pub extern \"C\"` before the one that is to be called",
            source.name()
        )));
    }
    if let Some(read) = std::fs::read_to_string(&rule).ok().and_then(|rule| dependencies(&rule)) {
        cache.keep(&key, &read, &module);
    }
    Ok(Compiled { module, said: ran.said, from_cache: false })
}

fn starts(given: &OsStr, flag: &str) -> bool {
    given.as_encoded_bytes().starts_with(flag.as_bytes())
}

/// Whether a file is a program: a `main` that begins a line.
fn has_main(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("fn main").is_some_and(|rest| rest.trim_start().starts_with('('))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_begins_a_line() {
        assert!(has_main("use std::io;\nfn main() {\n}\n"));
        assert!(has_main("pub fn main () {}"));
        assert!(!has_main("// fn main()\nfn main_loop() {}\n    fn main() {}\n"));
    }
}
