//! Starting a compiler and waiting for it.

use crate::CompileError;
use crate::scratch::Scratch;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes of what a compiler says that are read.
const SAID: u64 = 1 << 16;

/// A compiler as it is started.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    program: &'a Path,
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    variables: Vec<(&'static str, OsString)>,
}

/// What it left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) succeeded: bool,
    pub(crate) out: String,
    pub(crate) said: String,
}

impl<'a> Run<'a> {
    pub(crate) fn new(program: &'a Path) -> Run<'a> {
        Run { program, args: Vec::new(), folder: None, variables: Vec::new() }
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Run<'a> {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// In another folder than the working one.
    pub(crate) fn within(mut self, folder: &Path) -> Run<'a> {
        self.folder = Some(folder.to_owned());
        self
    }

    /// With a variable of the environment set.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Run<'a> {
        self.variables.push((name, value.into()));
        self
    }

    /// Runs it to its end, or until the time is over. It has no input; what it prints goes to files, so that
    /// it can never wait for a reader.
    pub(crate) fn until(self, until: Instant, scratch: &Scratch) -> Result<Ran, CompileError> {
        let name = short(self.program);
        let failed = |why: std::io::Error| {
            CompileError::new(format!(
                "{} cannot be run ({why}): reinstall it, or take it from the PATH",
                self.program.display()
            ))
        };
        let (out, said) = (scratch.file("out.txt"), scratch.file("said.txt"));
        let mut command = Command::new(self.program);
        command.args(&self.args).stdin(Stdio::null());
        command.stdout(File::create(&out).map_err(failed)?);
        command.stderr(File::create(&said).map_err(failed)?);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(failed)?;
        let mut pause = Duration::from_millis(1);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if Instant::now() >= until {
                let _ = child.kill();
                let _ = child.wait();
                let mut error =
                    CompileError::new(format!("{name} took too long: give it longer with --time"));
                error.out_of_time = true;
                return Err(error);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        Ok(Ran { succeeded: status.success(), out: head(&out), said: head(&said) })
    }
}

/// The name of a program, without its folder.
pub(crate) fn short(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// The beginning of a file, as text.
fn head(file: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(file) {
        let _ = file.take(SAID).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
