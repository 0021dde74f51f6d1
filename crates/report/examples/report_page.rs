//! Turns analysis documents into report pages: `report_page OUT_DIR DOCUMENT.json…`.
//!
//! What `pessimum report` does, without the rest of the tool; the browser test uses it.

use std::path::Path;

use pessimum_report::document::Analysis;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: report_page OUT_DIR DOCUMENT.json…")?;
    for name in arguments {
        let analysis: Analysis = serde_json::from_slice(&std::fs::read(&name)?)?;
        let stem = Path::new(&name).file_stem().ok_or("a document has a name")?;
        let page = Path::new(&folder).join(stem).with_extension("html");
        std::fs::write(page, pessimum_report::html(&analysis))?;
    }
    Ok(())
}
