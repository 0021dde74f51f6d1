//! Zig, AssemblyScript, TinyGo, and modules written as text.
//!
//! These compilers do not say which files they read, so what they make is not kept: it is compiled every time.

use crate::run::{Ran, Run, short};
use crate::scratch::Scratch;
use crate::source::as_argument;
use crate::{CompileError, Compiled, Environment, Options, Source};
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

/// Bytes of a module as text, at most.
const LONGEST: u64 = 1 << 28;

/// WebAssembly as text: no compiler is needed.
pub(crate) fn text(source: &Source, options: &Options) -> Result<Compiled, CompileError> {
    let name = source.path.display();
    if !options.flags.is_empty() {
        return Err(CompileError::new(format!(
            "{name} is read without a compiler: leave the flags after `--` out"
        )));
    }
    let unreadable =
        |why: &dyn std::fmt::Display| CompileError::new(format!("cannot read {name}: {why}"));
    if std::fs::metadata(&source.path).is_ok_and(|about| about.len() > LONGEST) {
        return Err(unreadable(&format!("it has more than {LONGEST} bytes")));
    }
    let bytes = std::fs::read(&source.path).map_err(|why| unreadable(&why))?;
    let module = wat::parse_bytes(&bytes).map_err(|mut why| {
        why.set_path(&source.path);
        CompileError::new(format!("{name} is not a module in text form: mend the line below"))
            .saying(&why.to_string())
    })?;
    Ok(Compiled { module: module.into_owned(), said: String::new(), from_cache: false })
}

/// Zig: what is marked `export`, or a program where there is a `pub fn main`.
pub(crate) fn zig(
    source: &Source,
    options: &Options,
    environment: &Environment,
    until: Instant,
) -> Result<Compiled, CompileError> {
    let program = find_zig(environment).ok_or_else(|| {
        CompileError::new(
            "no zig was found: install it from https://ziglang.org/download, or with `pip install ziglang`, which calls it python-zig",
        )
    })?;
    let scratch = Scratch::new(environment.cache())?;
    let text = std::fs::read_to_string(&source.path).unwrap_or_default();
    let runs = options.call.is_none() && text.lines().any(|line| line.starts_with("pub fn main("));
    let module = scratch.file("module.wasm");
    let target = if runs { "wasm32-wasi" } else { "wasm32-freestanding" };
    let mut args: Vec<OsString> =
        ["build-exe", "-target", target, "-O", "ReleaseSafe"].map(OsString::from).into();
    if !runs {
        args.extend(["-fno-entry".into(), "-rdynamic".into()]);
    }
    let emit: OsString =
        [OsString::from("-femit-bin="), module.clone().into()].into_iter().collect();
    // Its own cache beside ours, not in the working folder: the first run builds what every module needs.
    let cache =
        environment.cache().filter(|folder| folder.is_dir()).map(|folder| folder.join("zig"));
    let cache = cache.unwrap_or_else(|| scratch.file("zig-cache"));
    args.extend([emit, "--cache-dir".into(), cache.into()]);
    args.extend(options.flags.iter().cloned());
    args.push(as_argument(&source.path).into_os_string());
    let ran = Run::new(&program).args(args).until(until, &scratch)?;
    made(source, &program, ran, &module)
}

/// Zig by one of its names.
pub(crate) fn find_zig(environment: &Environment) -> Option<std::path::PathBuf> {
    environment.program("zig").or_else(|| environment.program("python-zig"))
}

/// AssemblyScript: what is marked `export`.
pub(crate) fn assembly_script(
    source: &Source,
    options: &Options,
    environment: &Environment,
    until: Instant,
) -> Result<Compiled, CompileError> {
    let program = environment.program("asc").ok_or_else(|| {
        CompileError::new(
            "no asc was found, which compiles AssemblyScript: `npm install --global assemblyscript`, or put the folder node_modules/.bin that has it on the PATH",
        )
    })?;
    let scratch = Scratch::new(environment.cache())?;
    // A configuration in the working folder could name code to be run by the compiler.
    let config = scratch.file("asconfig.json");
    std::fs::write(&config, "{}")
        .map_err(|why| CompileError::new(format!("cannot write {}: {why}", config.display())))?;
    let module = scratch.file("module.wasm");
    let mut args: Vec<OsString> = vec![as_argument(&source.path).into_os_string()];
    args.extend(["--config".into(), config.into_os_string()]);
    args.extend(["--runtime", "stub", "-O1", "--debug", "--noColors"].map(OsString::from));
    // An uncaught error is an import of the host otherwise, which this one does not have.
    args.extend(["--use", "abort="].map(OsString::from));
    args.extend(options.flags.iter().cloned());
    args.extend(["--outFile".into(), module.clone().into_os_string()]);
    let ran = Run::new(&program).args(args).until(until, &scratch)?;
    made(source, &program, ran, &module)
}

/// TinyGo: what is marked `//go:wasmexport`.
pub(crate) fn tiny_go(
    source: &Source,
    options: &Options,
    environment: &Environment,
    until: Instant,
) -> Result<Compiled, CompileError> {
    let program = environment.program("tinygo").ok_or_else(|| {
        CompileError::new(
            "no tinygo was found, which compiles Go: install it from https://tinygo.org/getting-started/install",
        )
    })?;
    let scratch = Scratch::new(environment.cache())?;
    let text = std::fs::read_to_string(&source.path).unwrap_or_default();
    let called = text.contains("//go:wasmexport") || text.contains("//export");
    let target = if called || options.call.is_some() { "wasm-unknown" } else { "wasip1" };
    let module = scratch.file("module.wasm");
    let mut args: Vec<OsString> = vec!["build".into(), format!("-target={target}").into()];
    args.extend(["-opt=1".into(), "-o".into(), module.clone().into_os_string()]);
    args.extend(options.flags.iter().cloned());
    args.push(as_argument(&source.path).into_os_string());
    // No other toolchain is fetched because a file asks for one.
    let ran = Run::new(&program).args(args).with("GOTOOLCHAIN", "local").until(until, &scratch)?;
    made(source, &program, ran, &module)
}

/// The module, or what the compiler says is wrong.
fn made(
    source: &Source,
    program: &Path,
    ran: Ran,
    module: &Path,
) -> Result<Compiled, CompileError> {
    let said = [ran.said, ran.out].concat();
    let name = short(program);
    let mend = "mend the source, or give flags for the compiler after `--`";
    if !ran.succeeded {
        let file = source.path.display();
        return Err(
            CompileError::new(format!("{file} does not compile with {name}: {mend}")).saying(&said)
        );
    }
    let module = std::fs::read(module).map_err(|why| {
        CompileError::new(format!("{name} wrote no module ({why})")).saying(&said)
    })?;
    Ok(Compiled { module, said, from_cache: false })
}
