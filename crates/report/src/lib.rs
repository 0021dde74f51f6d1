//! Terminal tables and plots, JSON, the self-contained HTML page.

pub mod document;
