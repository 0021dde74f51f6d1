//! The module argument: a module, an example, or source that a compiler of the machine makes one from.

use super::args::{BuildArgs, ProgramArgs};
use super::files::{Out, read};
use super::{Failure, examples, exit};
use pessimum_compile::{CompileError, Environment, Options, Source, compile};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Lines of warnings that are shown.
const WARNINGS: usize = 20;

/// How source is compiled.
#[derive(Clone, Debug)]
pub(super) struct Build<'a> {
    /// What stands after `--`.
    pub(super) flags: &'a [OsString],
    /// The call, where it is described.
    pub(super) call: Option<&'a str>,
    /// How long a compiler may take: as long as what comes after it.
    pub(super) time: Duration,
    /// Whether warnings are kept back.
    pub(super) quiet: bool,
}

impl<'a> Build<'a> {
    /// As the flags of a program say.
    pub(super) fn of(
        args: &'a ProgramArgs,
        build: &'a BuildArgs,
        time: Duration,
        quiet: bool,
    ) -> Build<'a> {
        Build { flags: &build.flags, call: args.call.as_deref(), time, quiet }
    }
}

/// A module that was read or made.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    /// What results call it.
    pub(super) name: String,
    pub(super) bytes: Arc<[u8]>,
    /// How an example is called.
    pub(super) call: Option<&'static str>,
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        let code = if error.out_of_time { exit::OUT_OF_BUDGET } else { exit::USAGE };
        Failure { code, lines: std::iter::once(error.message).chain(error.said).collect() }
    }
}

/// Opens a module by the name of its file, as `example:NAME`, or by compiling its source.
pub(super) fn open(module: &Path, build: &Build<'_>, out: &Out) -> Result<Opened, Failure> {
    let no_source = || match build.flags {
        [] => Ok(()),
        _ => Err(Failure::usage(format!(
            "flags after `--` are for a compiler, and {} is no source: leave them out",
            module.display()
        ))),
    };
    if let Some(name) = module.to_str().and_then(|text| text.strip_prefix("example:")) {
        no_source()?;
        let example = examples::find(name)?;
        let call = Some(example.call);
        return Ok(Opened { name: example.name.to_owned(), bytes: example.module.into(), call });
    }
    let name = module.file_name().unwrap_or(module.as_os_str()).to_string_lossy().into_owned();
    let Some(source) = Source::of(module)? else {
        no_source()?;
        return Ok(Opened { name, bytes: read(module)?.into(), call: None });
    };
    // What stands before the first bracket; whether the rest is well formed is said later.
    let call = build.call.map(|call| call.split('(').next().unwrap_or(call).trim().to_owned());
    let options = Options { flags: build.flags.to_vec(), call, time: build.time };
    let compiled = compile(&source, &options, &Environment::of_process())?;
    for line in compiled.said.lines().filter(|_| !build.quiet).take(WARNINGS) {
        out.note(line);
    }
    Ok(Opened { name, bytes: compiled.module.into(), call: None })
}
