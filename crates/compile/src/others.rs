//! Zig, AssemblyScript, TinyGo, and modules written as text.
//!
//! These compilers do not say which files they read, so what they make is not kept: it is compiled every time.

use crate::run::{Run, short};
use crate::scratch::Scratch;
use crate::source::as_argument;
use crate::{CompileError, Compiled, Environment, Options, Source};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
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

/// A compiler of one program that is given flags which older ones do not know.
struct Tool {
    program: PathBuf,
    /// How it is asked for its version.
    version: &'static str,
    /// The first version that knows the flags.
    oldest: [u32; 2],
    /// How a newer one is had.
    update: &'static str,
}

impl Tool {
    /// Why it could not compile anything, if it is too old.
    fn too_old(&self, until: Instant, scratch: &Scratch) -> Option<CompileError> {
        let ran = Run::new(&self.program).args([self.version]).until(until, scratch).ok()?;
        let [major, minor] = numbers(&ran.out)?;
        let [first, second] = self.oldest;
        let (name, update) = (short(&self.program), self.update);
        ([major, minor] < self.oldest).then(|| {
            CompileError::new(format!(
                "{name} {major}.{minor} is too old, {first}.{second} is the first that will do: {update}"
            ))
        })
    }
}

/// The first two numbers of a version.
pub(crate) fn numbers(version: &str) -> Option<[u32; 2]> {
    let mut words = version.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.find_map(|word| {
        let mut numbers = word.split('.').map(str::parse::<u32>);
        Some([numbers.next()?.ok()?, numbers.next()?.ok()?])
    })
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
    let tool = Tool {
        program,
        version: "version",
        oldest: [0, 12],
        update: "install a newer one from https://ziglang.org/download, or with `pip install --upgrade ziglang`",
    };
    tool.compile(source, Run::new(&tool.program).args(args), until, &scratch, &module)
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
    let tool = Tool {
        program,
        version: "--version",
        oldest: [0, 20],
        update: "`npm install --global assemblyscript@latest`",
    };
    tool.compile(source, Run::new(&tool.program).args(args), until, &scratch, &module)
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
    let tool = Tool {
        program,
        version: "version",
        oldest: [0, 34],
        update: "install a newer one from https://tinygo.org/getting-started/install",
    };
    let run = Run::new(&tool.program).args(args).with("GOTOOLCHAIN", "local");
    tool.compile(source, run, until, &scratch, &module)
}

impl Tool {
    /// The module that a run of it writes, or what it says is wrong.
    fn compile(
        &self,
        source: &Source,
        run: Run<'_>,
        until: Instant,
        scratch: &Scratch,
        module: &Path,
    ) -> Result<Compiled, CompileError> {
        let ran = run.until(until, scratch)?;
        let said = [ran.said, ran.out].concat();
        let name = short(&self.program);
        if !ran.succeeded {
            let file = source.path.display();
            let mend = "mend the source, or give flags for the compiler after `--`";
            let wrong =
                || CompileError::new(format!("{file} does not compile with {name}: {mend}"));
            return Err(self.too_old(until, scratch).unwrap_or_else(wrong).saying(&said));
        }
        let module = std::fs::read(module).map_err(|why| {
            CompileError::new(format!("{name} wrote no module ({why})")).saying(&said)
        })?;
        Ok(Compiled { module, said, from_cache: false })
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_are_read_as_compilers_write_them() {
        assert_eq!(numbers("0.13.0"), Some([0, 13]));
        assert_eq!(numbers("Version 0.27.31\n"), Some([0, 27]));
        assert_eq!(
            numbers("tinygo version 0.33.0 linux/amd64 (using go version go1.22)"),
            Some([0, 33])
        );
        assert_eq!(numbers("rustc 1.20.0 (f3d6973f4 2017-08-27)"), Some([1, 20]));
        assert_eq!(numbers("nothing to say"), None);
    }
}
