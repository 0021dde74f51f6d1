//! Reading and writing, with messages that name the file and the mend.

use super::Failure;
use pessimum_report::export::ExportedFile;
use pessimum_report::{TerminalStyle, escape};
use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a file that is read whole, at most: what engines take as a module (the limit of the
/// JavaScript interface), and more than any document of ours.
pub(crate) const LARGEST: u64 = 1 << 30;

/// Characters of one line of a message.
const LONGEST: usize = 2_000;

/// Lines of a message.
const MOST_LINES: usize = 20;

/// Standard output and error of this run.
#[derive(Clone)]
pub(crate) struct Out {
    style: TerminalStyle,
    error_is_terminal: bool,
    /// Why something could not be written to standard output.
    failure: Arc<Mutex<Option<String>>>,
}

impl Out {
    pub(crate) fn new() -> Out {
        let stdout = std::io::stdout();
        let color =
            stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let unicode = speaks_unicode(|name| std::env::var(name).ok());
        Out {
            style: TerminalStyle { width: width(), color, unicode },
            error_is_terminal: std::io::stderr().is_terminal(),
            failure: Arc::default(),
        }
    }

    pub(crate) fn style(&self) -> &TerminalStyle {
        &self.style
    }

    /// Whether a live line can be drawn.
    pub(crate) fn live(&self) -> bool {
        self.error_is_terminal
    }

    /// Prints a rendering to standard output. No line of it is a command to a CI system, whatever
    /// the names in it.
    pub(crate) fn print(&self, text: &str) {
        self.exactly(&self.spelled(&escape::log(text)));
    }

    /// The text in the characters that the locale has.
    fn spelled(&self, text: &str) -> String {
        if self.style.unicode { text.to_owned() } else { escape::ascii(text) }
    }

    /// Prints to standard output as it is: JSON, annotations, what is ours alone. A reader that went
    /// away is no error; a full device is, and the run ends with it.
    pub(crate) fn exactly(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.write_all(end))
            .and_then(|()| stdout.flush());
        if let Err(why) = written
            && why.kind() != ErrorKind::BrokenPipe
        {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert_with(|| format!("cannot write to standard output: {why}"));
        }
    }

    /// Why not everything could be written to standard output, if so.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone().map(Failure::usage)
    }

    /// Says what went wrong: the first line of the failure after `error:`, the others as they are.
    /// Each is bounded and has nothing in it that acts on a terminal or a log.
    pub(crate) fn error(&self, failure: &Failure) {
        let mut stderr = std::io::stderr().lock();
        for (number, line) in failure.lines.iter().take(MOST_LINES).enumerate() {
            let before = if number == 0 { "error: " } else { "" };
            let line = format!("{before}{}", escape::bounded(line, LONGEST));
            let _ = writeln!(stderr, "{}", self.spelled(&escape::log(&line)));
        }
    }

    /// One line beside the answer.
    pub(crate) fn note(&self, message: &str) {
        let mut stderr = std::io::stderr().lock();
        let message = escape::bounded(message, LONGEST);
        let _ = writeln!(stderr, "{}", self.spelled(&escape::log(&message)));
    }

    /// Lines that a CI system reads as commands, on standard error.
    pub(crate) fn commands(&self, lines: &str) {
        let mut stderr = std::io::stderr().lock();
        let _ = stderr.write_all(lines.as_bytes());
    }
}

/// Columns below which tables fall apart, and above which lines are hard to follow.
const COLUMNS: (usize, usize) = (60, 200);

/// Columns where nobody tells: room for every table.
const USUAL_COLUMNS: usize = 100;

/// How wide text may be: as `COLUMNS` says, else as the terminal does.
fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let asked = || terminal_size::terminal_size_of(std::io::stdout()).map(|(w, _)| w.0.into());
    told.or_else(asked).unwrap_or(USUAL_COLUMNS).clamp(COLUMNS.0, COLUMNS.1)
}

/// Whether the locale has characters beyond ASCII: of its variables the first that is set decides. Where none
/// is, nothing speaks against them.
fn speaks_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut names = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let locale = names.find_map(|name| variable(name).filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Reads a file. A device or a pipe has no end that anybody promises, so only regular files are.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_at_most(path, LARGEST)
}

/// The same with a bound of its own.
pub(crate) fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    regular(path, most)
        .map_err(|why| Failure::usage(format!("cannot read {}: {why}", path.display())))
}

/// The bytes of a regular file of at most so many.
pub(super) fn regular(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    // Looked at before it is opened: opening a pipe waits for somebody to write.
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if about.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !about.is_file() {
        return Err("it is a device or a pipe, not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| e.to_string())?;
    // Some regular files say 0 and go on.
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    Ok(bytes)
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
        if let Err(failure) = result {
            for line in failure.lines {
                if !self.failures.contains(&line) {
                    self.failures.push(line);
                }
            }
        }
    }

    /// Writes JSON where it was asked for; whether standard output is taken by it.
    pub(crate) fn json(
        &mut self,
        out: &Out,
        target: Option<&Path>,
        value: &impl serde::Serialize,
    ) -> bool {
        match target {
            None => {}
            Some(file) if is_standard_output(file) => out.exactly(&to_json(value)),
            Some(file) => self.attempt(write(file, to_json(value).as_bytes())),
        }
        target.is_some_and(is_standard_output)
    }

    /// What could not be written, as the end of the run.
    pub(crate) fn end(self) -> Result<(), Failure> {
        let mut failures = self.failures.into_iter();
        match failures.next() {
            None => Ok(()),
            Some(first) => {
                let others = failures.map(|line| format!("error: {line}"));
                Err(Failure { code: 2, lines: std::iter::once(first).chain(others).collect() })
            }
        }
    }
}

/// Whether a file name stands for standard output.
pub(crate) fn is_standard_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Refuses places for results that cannot all be right, before any work is done: in a folder that is not
/// there, two results in one file, one in the place of the module or of a document that is read, and `-` where standard output
/// is not meant.
pub(crate) fn check_places(
    outputs: &[(&str, Option<&Path>)],
    inputs: &[(&str, &Path)],
) -> Result<(), Failure> {
    let given: Vec<(&str, &Path)> =
        outputs.iter().filter_map(|(flag, place)| Some((*flag, (*place)?))).collect();
    for (i, (flag, place)) in given.iter().enumerate() {
        if is_standard_output(place) {
            if *flag == "--json" {
                continue;
            }
            return Err(Failure::usage(format!(
                "{flag} - would write a file called `-`: name a file; only --json takes - for standard output"
            )));
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.exists()) {
            return Err(Failure::usage(format!(
                "{flag} {}: there is no folder {}; make it, or name another",
                place.display(),
                folder.display()
            )));
        }
        let there = resolved(place);
        if let Some((other, _)) = given[..i].iter().find(|(_, p)| resolved(p) == there) {
            return Err(Failure::usage(format!(
                "{other} and {flag} both name {}: one would replace the other",
                place.display()
            )));
        }
        // A device, such as /dev/null, is not replaced.
        let replaced = std::fs::metadata(place).is_ok_and(|about| about.is_file());
        if let Some((what, _)) = inputs.iter().find(|(_, p)| replaced && resolved(p) == there) {
            return Err(Failure::usage(format!(
                "{flag} {} would replace {what}: name another file",
                place.display()
            )));
        }
    }
    Ok(())
}

/// The place a name stands for, whether or not there is something yet.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(place) = path.canonicalize() {
        return place;
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
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
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    escape::json(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_of_the_locale_decides() {
        let speaks = |set: &[(&str, &str)]| {
            speaks_unicode(|name| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(speaks(&[]));
        assert!(speaks(&[("LANG", "de_DE.UTF-8")]));
        assert!(!speaks(&[("LANG", "C")]));
        assert!(!speaks(&[("LC_ALL", "POSIX"), ("LANG", "de_DE.UTF-8")]));
        assert!(speaks(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
    }
}
