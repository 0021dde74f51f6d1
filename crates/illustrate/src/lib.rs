//! What a report shows beside the numbers of an analysis.
//!
//! - [`illustrate`]: everything for the page, as far as there is time.
//! - [`policy_graphs`]: control-flow graphs of the functions that a policy speaks about.
//! - [`hotspot`], [`changed_places`]: where a run spends its cost, and where two builds differ.
//! - [`SourceText`]: the text behind an instruction.
//!
//! Nothing here changes an answer.

mod arguments;
mod graph;
mod page;
mod profile;
mod source_text;

pub use graph::{Visits, policy_graphs};
pub use page::{Drawing, illustrate};
pub use profile::{BlockPlaces, changed_places, hotspot};
pub use source_text::SourceText;
