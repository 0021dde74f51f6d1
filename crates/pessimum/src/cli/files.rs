//! Reading and writing, with messages that name the file and the mend.

use super::Failure;
use pessimum_report::TerminalStyle;
use pessimum_report::export::ExportedFile;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Standard output and error of this run.
#[derive(Clone)]
pub(crate) struct Out {
    style: TerminalStyle,
    error_is_terminal: bool,
}

impl Out {
    pub(crate) fn new() -> Out {
        let stdout = std::io::stdout();
        let color =
            stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let width = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100);
        Out {
            style: TerminalStyle { width, color, unicode: true },
            error_is_terminal: std::io::stderr().is_terminal(),
        }
    }

    pub(crate) fn style(&self) -> &TerminalStyle {
        &self.style
    }

    /// Whether a live line can be drawn.
    pub(crate) fn live(&self) -> bool {
        self.error_is_terminal
    }

    /// Prints to standard output; a reader that went away is no error.
    pub(crate) fn print(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = stdout.write_all(b"\n");
        }
        let _ = stdout.flush();
    }

    pub(crate) fn error(&self, message: &str) {
        let mut stderr = std::io::stderr().lock();
        let _ = writeln!(stderr, "error: {message}");
    }

    pub(crate) fn note(&self, message: &str) {
        let mut stderr = std::io::stderr().lock();
        let _ = writeln!(stderr, "{message}");
    }
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))
}

/// Writes a file beside its final place first, so that a reader never sees half of it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    pessimum::write_whole(path, bytes)
        .map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))
}

/// What is written beside the answer. A full disk or a folder that cannot be written must not hide
/// the answer: it is printed in any case, and what failed is told at the end.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    failures: Vec<String>,
}

impl Beside {
    /// Goes on whether or not something could be written.
    pub(crate) fn attempt(&mut self, result: Result<(), Failure>) {
        if let Err(failure) = result
            && !self.failures.contains(&failure.message)
        {
            self.failures.push(failure.message);
        }
    }

    /// Writes JSON where it was asked for; whether standard output is taken by it.
    pub(crate) fn json(
        &mut self,
        out: &Out,
        target: Option<&str>,
        value: &impl serde::Serialize,
    ) -> bool {
        match target {
            None => {}
            Some("-") => out.print(&to_json(value)),
            Some(file) => self.attempt(write(Path::new(file), to_json(value).as_bytes())),
        }
        target == Some("-")
    }

    /// What could not be written, as the end of the run.
    pub(crate) fn end(self) -> Result<(), Failure> {
        match self.failures.is_empty() {
            true => Ok(()),
            false => Err(Failure::usage(self.failures.join("\nerror: "))),
        }
    }
}

/// Makes a folder.
pub(crate) fn make_dir(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path)
        .map_err(|e| Failure::usage(format!("cannot make the folder {}: {e}", path.display())))
}

/// Writes inputs below a folder, a folder for each form.
pub(crate) fn write_inputs(dir: &Path, files: &[ExportedFile]) -> Result<(), Failure> {
    make_dir(dir)?;
    for file in files {
        let path = dir.join(&file.name);
        if let Some(folder) = path.parent() {
            make_dir(folder)?;
        }
        write(&path, &file.bytes)?;
    }
    Ok(())
}

/// A document as it is kept.
pub(crate) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
