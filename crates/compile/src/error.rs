//! Why there is no module, and what mends it.

use std::fmt;

/// Lines of a compiler that are kept: more would not be read, and the first mistake counts.
const LINES: usize = 16;

/// Why there is no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// One sentence: what is wrong and what mends it.
    pub message: String,
    /// What the compiler said, as it wrote it, line by line. It names files and quotes sources: whoever shows
    /// it escapes it.
    pub said: Vec<String>,
    /// Whether the time was over.
    pub out_of_time: bool,
}

impl CompileError {
    pub(crate) fn new(message: impl Into<String>) -> CompileError {
        CompileError { message: message.into(), said: Vec::new(), out_of_time: false }
    }

    /// With what the compiler said.
    pub(crate) fn saying(mut self, said: &str) -> CompileError {
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        self.said = lines.iter().take(LINES).map(|line| format!("  {line}")).collect();
        if let more @ 1.. = lines.len().saturating_sub(LINES) {
            self.said.push(format!("  … {more} more lines"));
        }
        self
    }
}

impl std::error::Error for CompileError {}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.said.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}
