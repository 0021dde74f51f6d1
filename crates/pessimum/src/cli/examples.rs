//! Programs that come with the command.

use super::Failure;
use super::files::Out;
use pessimum::{EXAMPLES, Example};

/// The example of that name.
pub(crate) fn find(name: &str) -> Result<&'static Example, Failure> {
    EXAMPLES.iter().find(|e| e.name == name).ok_or_else(|| {
        let names: Vec<&str> = EXAMPLES.iter().map(|e| e.name).collect();
        Failure::usage(format!("no example is called {name}; there are {}", names.join(", ")))
    })
}

/// Lists them.
pub(crate) fn list(out: &Out) -> Result<u8, Failure> {
    let mut text = String::from("Examples (run one with: pessimum analyze example:NAME)\n\n");
    for e in EXAMPLES {
        text.push_str(&format!("  {:<16} {:<36} {}\n", e.name, e.call, e.about));
    }
    out.print(&text);
    Ok(0)
}
