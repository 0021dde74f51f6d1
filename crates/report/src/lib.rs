//! Terminal tables and plots, JSON, the self-contained HTML page.
//!
//! [`document`] holds the JSON documents as types; everything else turns one of them into text or
//! files. *Architecture invariant*: pure functions only. Nothing here prints, reads a file or asks
//! the terminal what it can do.

pub mod ci;
pub mod document;
pub mod escape;
pub mod export;
mod graph;
mod growth;
#[cfg(feature = "page")]
mod html;
#[cfg(feature = "page")]
mod page;
mod pprof;
mod reason;
pub mod shell;
mod stacks;
mod terminal;

pub use graph::{graphviz, mermaid};
pub use growth::notation;
#[cfg(feature = "page")]
pub use html::{html, html_check, html_diff};
pub use pprof::pprof;
pub use reason::{Missing, Reason};
pub use stacks::{Stack, folded, speedscope};
pub use terminal::{
    PartialAnswer, Progress, TerminalStyle, markdown_check, markdown_diff, picture_style,
    render_analysis, render_annotated, render_check, render_diff, render_exploration,
    render_explorations, render_replay, terminal_svg,
};
