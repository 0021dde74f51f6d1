//! The verdict of a check in the forms continuous integration reads.

mod annotations;
mod junit;
mod sarif;

pub use annotations::github_annotations;
pub use junit::junit;
pub use sarif::{sarif, sarif_of_check};

/// What an inconclusive answer means to the build (`--inconclusive`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// It is shown, and passes.
    Pass,
    /// It fails the build.
    Fail,
}
