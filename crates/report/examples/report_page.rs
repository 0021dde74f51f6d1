//! Turns documents of analyses, checks and comparisons into pages: `report_page OUT_DIR DOCUMENT.json…`.
//!
//! What `pessimum report` does, without the rest of the tool; the browser test uses it.

use std::path::Path;

use pessimum_report::{html, html_check, html_diff};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: report_page OUT_DIR DOCUMENT.json…")?;
    for name in arguments {
        let bytes = std::fs::read(&name)?;
        let any: serde_json::Value = serde_json::from_slice(&bytes)?;
        let text = if any.get("rules").is_some() {
            html_check(&serde_json::from_slice(&bytes)?, None)
        } else if any.get("places").is_some() {
            html_diff(&serde_json::from_slice(&bytes)?, None)
        } else {
            html(&serde_json::from_slice(&bytes)?)
        };
        let stem = Path::new(&name).file_stem().ok_or("a document has a name")?;
        let page = Path::new(&folder).join(stem).with_extension("html");
        std::fs::write(page, text)?;
    }
    Ok(())
}
