//! Calls that a module describes itself, in a section that `#[pessimum::target]` writes.

use serde::Deserialize;

/// A function that the program's author made a target, and how it is called.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DeclaredCall {
    /// What it is called by.
    pub name: String,
    /// In the call language.
    pub call: String,
    /// The class it may grow as.
    #[serde(default)]
    pub at_most: Option<String>,
    /// The types of its parameters in Rust, where all of them are arguments of the call: `&str`, `&mut [i32]`.
    #[serde(default)]
    pub rust: Option<Vec<String>>,
}

/// The section: a line of JSON for each target.
pub(crate) const SECTION: &str = "pessimum.targets";

/// Lines that are read: nobody writes as many by hand.
const MOST: usize = 10_000;

/// The calls of a section. A line that cannot be read describes none: it may be of a later version.
pub(crate) fn read(section: &[u8]) -> impl Iterator<Item = DeclaredCall> + '_ {
    let lines = section.split(|byte| *byte == b'\n').take(MOST);
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_target() {
        let section = br#"{"name":"parse","call":"parse(&str[n], n)","at_most":"n"}
{"name":"sort","call":"sort(&i32[n], n)","later":[1]}
{"name":"half
"#;
        let found: Vec<_> = read(section).collect();
        let names: Vec<_> = found.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["parse", "sort"]);
        assert_eq!(found[0].at_most.as_deref(), Some("n"));
        assert_eq!((found[1].call.as_str(), &found[1].at_most), ("sort(&i32[n], n)", &None));
    }
}
