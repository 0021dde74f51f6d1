//! What is wrong with a description a person wrote, where, and how to mend it.

use std::ops::Range;

/// Bytes of the description that a message is about.
pub type Span = Range<usize>;

/// A `--call`, `--let` or size expression that cannot be used.
///
/// It carries the description and the offending bytes, so that whoever shows it can underline them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}, at byte {} of `{text}`: {mend}", span.start)]
pub struct SpecError {
    /// What is wrong.
    pub what: String,
    /// What to write instead.
    pub mend: String,
    /// The description as it was given.
    pub text: String,
    /// The bytes of `text` that are wrong; may be empty at its end.
    pub span: Span,
}

/// A complaint that does not know yet which description it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) what: String,
    pub(crate) mend: String,
    pub(crate) span: Span,
}

impl Complaint {
    pub(crate) fn new(span: Span, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { what: what.into(), mend: mend.into(), span }
    }

    pub(crate) fn about(self, text: &str) -> SpecError {
        SpecError { what: self.what, mend: self.mend, text: text.to_owned(), span: self.span }
    }
}
