//! From source to a module: `pessimum analyze sort.c`.
//!
//! A module argument that is a source file, or a folder of C files, is compiled by a compiler of the
//! machine ([`compile`]): found on the `PATH`, never in the working folder, and started directly,
//! never through a shell. What it is told is here, one room a compiler (`clang`, `rust`, `others`);
//! text modules need none (`wat`). Modules are kept in the user's cache folder, for as long as compiler, flags and
//! every file that was read are the same (`cache`).
//!
//! A compiler reads what its source names. Nobody else here reads or runs anything for a module:
//! `docs/security.md` says what follows from that.

mod cache;
mod clang;
mod error;
mod export;
mod find;
mod object;
mod others;
mod run;
mod rust;
mod scratch;
mod source;
mod survey;

pub use error::CompileError;
pub use find::Environment;
pub use source::{Language, Source};
pub use survey::{Tool, survey};

use std::ffi::OsString;
use std::time::{Duration, Instant};

/// What is asked of a compilation beside its source.
#[derive(Clone, Debug)]
pub struct Options {
    /// Flags for the compiler, after ours: what they say counts.
    pub flags: Vec<OsString>,
    /// The function that will be called, where it is known.
    pub call: Option<String>,
    /// How long all compilers together may take.
    pub time: Duration,
}

/// A module that was made from source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The module.
    pub module: Vec<u8>,
    /// What the compiler said although it succeeded: warnings, as it wrote them.
    pub said: String,
    /// Whether it was compiled before, and nothing has changed since.
    pub from_cache: bool,
}

/// Compiles a source file or a folder of them.
///
/// ```
/// use pessimum_compile::{Environment, Options, Source, compile};
/// use std::time::Duration;
///
/// let file = std::env::temp_dir().join(format!("pessimum-doc-{}.wat", std::process::id()));
/// std::fs::write(&file, "(module (func (export \"f\")))")?;
/// let source = Source::of(&file)?.expect("a text module is source");
/// let options = Options { flags: Vec::new(), call: None, time: Duration::from_secs(10) };
/// let compiled = compile(&source, &options, &Environment::of_process())?;
/// assert!(compiled.module.starts_with(b"\0asm"));
/// # std::fs::remove_file(&file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile(
    source: &Source,
    options: &Options,
    environment: &Environment,
) -> Result<Compiled, CompileError> {
    let until = Instant::now() + options.time;
    match source.language {
        Language::Text => others::text(source, options),
        Language::C | Language::Cpp => clang::compile(source, options, environment, until),
        Language::Rust => rust::compile(source, options, environment, until),
        Language::Zig => others::zig(source, options, environment, until),
        Language::AssemblyScript => others::assembly_script(source, options, environment, until),
        Language::TinyGo => others::tiny_go(source, options, environment, until),
    }
}
