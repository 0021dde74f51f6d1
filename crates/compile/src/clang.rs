//! C and C++, by clang.
//!
//! Objects first, then the module: the objects say which functions the source defines for others, and those
//! are exported. With the C library of WASI where the machine has one, else freestanding.

use crate::cache::{Cache, Key, dependencies};
use crate::object::Defined;
use crate::run::{Run, short};
use crate::scratch::Scratch;
use crate::source::as_argument;
use crate::{CompileError, Compiled, Environment, Language, Options, Source, export};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The imports of module `pessimum`, for a program that asks for its inputs.
const HEADER: &str = include_str!("../include/pessimum.h");

/// Moderate optimisation, so that the branches of the source are still there to be named, and debug information
/// that names them (`docs/compile.md`).
const FLAGS: [&str; 3] = ["-O1", "-g", "-Qunused-arguments"];

/// Room for a recursion of some depth: the linker's default is 64 KiB.
const STACK: &str = "-Wl,-z,stack-size=1048576";

/// A clang that makes modules.
#[derive(Debug)]
pub(crate) struct Clang {
    program: PathBuf,
    /// The first line of what it says of itself.
    pub(crate) version: String,
    /// The target whose C library is there.
    wasi: Option<&'static str>,
    /// Whether the library of C++ is there.
    cpp: bool,
}

/// Why a clang makes no modules.
#[derive(Debug)]
enum Unfit {
    /// It does not answer.
    Broken,
    /// It is older than the flag that lists its targets, or has none for Wasm.
    NoTarget,
    /// No linker for Wasm.
    NoLinker,
}

impl Clang {
    /// The first that makes modules.
    pub(crate) fn find(
        environment: &Environment,
        scratch: &Scratch,
        until: Instant,
    ) -> Result<Clang, CompileError> {
        let mut unfit = None;
        for program in environment.clangs() {
            match Clang::probe(&program, scratch, until)? {
                Ok(clang) => return Ok(clang),
                Err(why) => _ = unfit.get_or_insert((program, why)),
            }
        }
        let Some((program, why)) = unfit else {
            return Err(CompileError::new(format!(
                "no clang was found, which compiles C and C++: {}",
                install(19)
            )));
        };
        let (name, version) = (short(&program), numbered(&program));
        Err(CompileError::new(match why {
            Unfit::Broken => format!("{name} does not run: {}", install(version)),
            Unfit::NoTarget => format!(
                "{name} is too old or was built without WebAssembly (`{name} -print-targets` has no wasm32): {}",
                install(version.max(19))
            ),
            Unfit::NoLinker => format!(
                "{name} has no linker for WebAssembly (wasm-ld): on Debian `apt-get install lld-{version}`"
            ),
        }))
    }

    fn probe(
        program: &Path,
        scratch: &Scratch,
        until: Instant,
    ) -> Result<Result<Clang, Unfit>, CompileError> {
        let ask = |words: &[&str]| -> Result<Option<String>, CompileError> {
            match Run::new(program).args(words).until(until, scratch) {
                Ok(ran) => Ok(ran.succeeded.then_some(ran.out)),
                Err(late) if late.out_of_time => Err(late),
                Err(_) => Ok(None),
            }
        };
        let Some(version) = ask(&["--version"])? else { return Ok(Err(Unfit::Broken)) };
        let targets = ask(&["-print-targets"])?.unwrap_or_default();
        if !targets.split_whitespace().any(|word| word == "wasm32") {
            return Ok(Err(Unfit::NoTarget));
        }
        let there = |answer: Option<String>| {
            answer.is_some_and(|path| {
                let path = Path::new(path.trim());
                path.is_absolute() && path.is_file()
            })
        };
        if !there(ask(&["--target=wasm32", "-print-prog-name=wasm-ld"])?) {
            return Ok(Err(Unfit::NoLinker));
        }
        let (mut wasi, mut cpp) = (None, false);
        for (flag, target) in
            [("--target=wasm32-wasi", "wasm32-wasi"), ("--target=wasm32-wasip1", "wasm32-wasip1")]
        {
            let library = there(ask(&[flag, "-print-file-name=libc.a"])?);
            if library && there(ask(&[flag, "-print-libgcc-file-name"])?) {
                cpp = there(ask(&[flag, "-print-file-name=libc++.a"])?);
                wasi = Some(target);
                break;
            }
        }
        let version = version.lines().next().unwrap_or("").trim().to_owned();
        Ok(Ok(Clang { program: program.to_owned(), version, wasi, cpp }))
    }

    /// What it can do, in a line.
    pub(crate) fn describe(&self) -> String {
        let version = numbered(&self.program);
        let library = match (self.wasi, self.cpp) {
            (Some(_), true) => "with the libraries of C and C++".to_owned(),
            (Some(_), false) => {
                format!("with the C library; that of C++: libc++-{version}-dev-wasm32")
            }
            (None, _) => {
                format!("without a C library: wasi-libc libclang-rt-{version}-dev-wasm32 on Debian")
            }
        };
        format!("{} ({}), {library}", self.version, self.program.display())
    }

    /// What mends an error that a missing library may be the reason of.
    fn libraries(&self, language: Language) -> Option<String> {
        let version = numbered(&self.program);
        match (self.wasi, self.cpp, language) {
            (None, _, _) => Some(format!(
                "the C library for wasm32 is not installed: if the source needs it, on Debian `apt-get install wasi-libc libclang-rt-{version}-dev-wasm32`"
            )),
            (Some(_), false, Language::Cpp) => Some(format!(
                "the C++ library for wasm32 is not installed: if the source needs it, on Debian `apt-get install libc++-{version}-dev-wasm32`"
            )),
            _ => None,
        }
    }
}

/// The version in the name of a program, or the one that the documentation speaks of.
fn numbered(program: &Path) -> u32 {
    short(program).rsplit('-').next().and_then(|end| end.parse().ok()).unwrap_or(19)
}

/// How clang is installed.
fn install(version: u32) -> String {
    format!(
        "on Debian `apt-get install clang-{version} lld-{version} wasi-libc libclang-rt-{version}-dev-wasm32`, elsewhere the WASI SDK (https://github.com/WebAssembly/wasi-sdk) with WASI_SDK_PATH set to its folder"
    )
}

/// Compiles and links.
pub(crate) fn compile(
    source: &Source,
    options: &Options,
    environment: &Environment,
    until: Instant,
) -> Result<Compiled, CompileError> {
    let scratch = Scratch::new(environment.cache())?;
    let clang = Clang::find(environment, &scratch, until)?;
    let flags = common(&clang, source.language, options);
    let call = OsString::from(options.call.clone().unwrap_or_default());
    let parts = [clang.program.as_os_str(), clang.version.as_ref(), source.path.as_os_str(), &call];
    let parts = parts.into_iter().chain(source.files.iter().map(|file| file.as_os_str()));
    let variables =
        environment.includes().iter().flat_map(|(name, value)| [OsStr::new(name), value]);
    let key = Key::of(parts.chain(flags.iter().map(OsString::as_os_str)).chain(variables));
    let cache = Cache(environment.cache());
    if let Some(module) = cache.find(&key) {
        return Ok(Compiled { module, said: String::new(), from_cache: true });
    }
    let headers = scratch.file("include");
    let unwritable = |why: std::io::Error| {
        CompileError::new(format!("cannot write into {}: {why}", scratch.path().display()))
    };
    std::fs::create_dir(&headers).map_err(unwritable)?;
    std::fs::write(headers.join("pessimum.h"), HEADER).map_err(unwritable)?;
    let mut said = String::new();
    let mut read = Vec::new();
    let mut objects = Vec::new();
    let mut defined = Defined::default();
    for (number, file) in source.files.iter().enumerate() {
        let object = scratch.file(&format!("{number}.o"));
        let rule = scratch.file(&format!("{number}.d"));
        let mut args: Vec<OsString> = vec!["-c".into()];
        if source.path.is_dir() {
            args.extend(["-I".into(), as_argument(&source.path).into_os_string()]);
        }
        args.extend(["-idirafter".into(), headers.clone().into_os_string()]);
        args.extend(["-MD".into(), "-MF".into(), rule.clone().into_os_string()]);
        args.extend(["-o".into(), object.clone().into_os_string()]);
        args.push(as_argument(file).into_os_string());
        let language = Language::of(file).unwrap_or(source.language);
        let ran = Run::new(&clang.program)
            .args(common(&clang, language, options))
            .args(args)
            .until(until, &scratch)?;
        if !ran.succeeded {
            return Err(refused(&clang, source, file, &ran.said));
        }
        said.push_str(&ran.said);
        let bytes = std::fs::read(&object).unwrap_or_default();
        defined.add(&bytes).ok_or_else(|| {
            CompileError::new(format!(
                "{} made no object file of {}: leave flags such as -flto, -E and -S out",
                short(&clang.program),
                file.display()
            ))
        })?;
        read.push(std::fs::read_to_string(&rule).ok().and_then(|rule| dependencies(&rule)));
        objects.push(object);
    }
    let module = scratch.file("module.wasm");
    let ran = Run::new(&clang.program)
        .args(&flags)
        .args(link_flags(&clang, source, options, &defined))
        .args(&objects)
        .args([OsStr::new("-o"), module.as_os_str()])
        .until(until, &scratch)?;
    if !ran.succeeded {
        return Err(refused(&clang, source, &source.path, &ran.said));
    }
    said.push_str(&ran.said);
    let module = std::fs::read(&module).map_err(|why| {
        CompileError::new(format!("{} wrote no module ({why})", short(&clang.program)))
    })?;
    let module = export::rename(module, &defined.plain_names());
    let read: Option<Vec<Vec<PathBuf>>> = read.into_iter().collect();
    if let Some(read) = read {
        // Our own header comes with the program, and is as it was.
        let read = read.into_iter().flatten().filter(|file| !file.starts_with(&headers));
        cache.keep(&key, &read.collect::<Vec<_>>(), &module);
    }
    Ok(Compiled { module, said, from_cache: false })
}

/// The flags of every step.
fn common(clang: &Clang, language: Language, options: &Options) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec![match clang.wasi {
        Some(target) => format!("--target={target}").into(),
        None => "--target=wasm32".into(),
    }];
    if language == Language::Cpp {
        // The library of C++ for WASI is built without exceptions.
        flags.extend(["--driver-mode=g++".into(), "-fno-exceptions".into()]);
    }
    flags.extend(FLAGS.map(OsString::from));
    flags.extend(options.flags.iter().cloned());
    flags
}

fn link_flags(
    clang: &Clang,
    source: &Source,
    options: &Options,
    defined: &Defined,
) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec![STACK.into()];
    // A program with a `main` is run by it, unless a function of it is called: then what has to be
    // initialised is, and `main` is left out.
    let command = defined.main && options.call.is_none();
    match clang.wasi {
        Some(_) if command => {}
        Some(_) => flags.push("-mexec-model=reactor".into()),
        None => flags.extend(["-nostdlib".into(), "-Wl,--no-entry".into()]),
    }
    if clang.wasi.is_some() && source.language == Language::Cpp && !clang.cpp {
        flags.push("-nostdlib++".into());
    }
    // The allocator, where the program has it: arguments are placed by it.
    flags.push("-Wl,--export-if-defined=malloc".into());
    flags.extend(defined.functions.iter().map(|name| format!("-Wl,--export={name}").into()));
    flags
}

fn refused(clang: &Clang, source: &Source, what: &Path, said: &str) -> CompileError {
    let mend = clang.libraries(source.language);
    let mend = mend
        .as_deref()
        .unwrap_or("mend the source, or give flags after `--`, as in `-- -Iinclude -DX`");
    let name = short(&clang.program);
    CompileError::new(format!("{} does not compile with {name}: {mend}", what.display()))
        .saying(said)
}
