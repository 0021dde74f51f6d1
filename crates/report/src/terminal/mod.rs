//! What a person reads in a terminal. Every function takes a document and gives text; nothing is
//! printed here.

mod analysis;
mod annotated;
mod check;
mod diff;
mod exploration;
mod input;
mod next_steps;
mod number;
mod plot;
mod progress;
mod replay;
mod section;
mod style;
mod svg;
mod table;

pub use analysis::render_analysis;
pub use annotated::render_annotated;
pub(crate) use check::witness;
pub use check::{markdown_check, render_check};
pub use diff::{markdown_diff, render_diff};
pub use exploration::{render_exploration, render_explorations};
pub use progress::{PartialAnswer, Progress};
pub use replay::render_replay;
pub use style::TerminalStyle;
pub use svg::{picture_style, terminal_svg};
