//! Inputs to take away, as files for other tools: raw bytes for a fuzzer's corpus, JSON, a program in C and
//! a test in Rust that make the call (arrays, where there is no call). Names carry the program, the size and
//! the cost.
//!
//! Nothing is written here; the caller gets names and bytes. A name has only letters, digits,
//! `-`, `_`, `.` and one `/`, whatever the module is called.

mod call;
mod elements;
mod reproducer;
mod source;

use serde_json::json;

use crate::document::{Analysis, Exploration, Input, Program};
use crate::escape;
pub use call::{
    Argument, Call, Content, Kind, Member, MemberType, Node, Passed, Scalar, Structure,
};
use elements::Elements;
pub use reproducer::{c_structure, c_values};

/// A file to be written below the directory the user named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its path, with `/`: `raw/sort-n100-cost4950.bin`.
    pub name: String,
    /// What belongs into it.
    pub bytes: Vec<u8>,
}

/// What an input of a size is passed as; `None` where nothing is called with it.
pub type Calls<'a> = &'a dyn Fn(u64, &Input) -> Option<Call>;

/// An input with what its file names and comments say.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// The program it is for.
    pub program: &'a Program,
    /// What the cost counts.
    pub cost_model: &'a str,
    /// The size.
    pub n: u64,
    /// The cost, if known.
    pub cost: Option<u64>,
    /// What makes the name unique among inputs of the same size and cost; mostly empty.
    pub suffix: &'a str,
}

/// The worst input of every size that `wanted` holds of, and the input of every finding, each in every form.
pub fn analysis_inputs(
    analysis: &Analysis,
    wanted: impl Fn(u64) -> bool,
    calls: Calls<'_>,
) -> Vec<ExportedFile> {
    let (program, cost_model) = (&analysis.program, analysis.cost_model.as_str());
    let mut files = Vec::new();
    let asked = analysis.sizes.iter();
    let others = analysis.training.iter().filter(|t| !analysis.sizes.iter().any(|s| s.n == t.n));
    for size in asked.chain(others).filter(|size| wanted(size.n)) {
        if let Some(input) = &size.input {
            let label = Label { program, cost_model, n: size.n, cost: size.worst_cost, suffix: "" };
            files.extend(forms(&label, input, calls));
        }
    }
    for (i, finding) in analysis.findings.iter().enumerate() {
        if let (Some(input), Some(n)) = (&finding.input, finding.n) {
            let suffix = format!("{}{}", finding.kind, i + 1);
            let label = Label { program, cost_model, n, cost: None, suffix: &suffix };
            files.extend(forms(&label, input, calls));
        }
    }
    files
}

/// The tests of one size, one per path, each in every form.
pub fn exploration_inputs(
    program: &Program,
    cost_model: &str,
    found: &Exploration,
    calls: Calls<'_>,
) -> Vec<ExportedFile> {
    let mut files = Vec::new();
    for (i, test) in found.tests.iter().enumerate() {
        let Some(input) = &test.input else { continue };
        let end = if test.end == "normal" { "" } else { "-trap" };
        let suffix = format!("path{}{end}", i + 1);
        let label =
            Label { program, cost_model, n: found.n, cost: Some(test.cost), suffix: &suffix };
        files.extend(forms(&label, input, calls));
    }
    files
}

/// One input in every form. Bytes that are not base64, which only a damaged document has, leave
/// just the JSON form.
pub fn forms(label: &Label<'_>, input: &Input, calls: Calls<'_>) -> Vec<ExportedFile> {
    let mut files: Vec<ExportedFile> = raw(label, input).into_iter().collect();
    files.push(as_json(label, input));
    let call = calls(label.n, input);
    let mut file = |extension: &str, text: String| {
        let folder = if extension == "rs" { "rust" } else { "c" };
        let name = format!("{folder}/{}.{extension}", label.stem());
        files.push(ExportedFile { name, bytes: text.into_bytes() });
    };
    // Neither language calls a function of the other's own: what it is to be called with is an array there.
    let elements = Elements::of(input);
    match &call {
        Some(call) if call.path().is_some() => file("cpp", reproducer::c_program(label, call)),
        Some(call) if call.rust.is_none() => file("c", reproducer::c_program(label, call)),
        _ => {
            if let Some(elements) = &elements {
                file("h", source::c_array(label, elements));
            }
        }
    }
    let test = match &call {
        Some(Call { rust: Some(types), .. }) => {
            call.as_ref().and_then(|call| reproducer::rust_test_of(label, call, types))
        }
        Some(call) if call.path().is_none() => Some(reproducer::rust_test(label, call)),
        _ => None,
    };
    let test = test.or_else(|| Some(source::rust_test(label, elements.as_ref()?)));
    if let Some(test) = test {
        file("rs", test);
    }
    files
}

/// The bytes as the program reads them: what AFL, libFuzzer and `replay` take.
fn raw(label: &Label<'_>, input: &Input) -> Option<ExportedFile> {
    let name = format!("raw/{}.bin", label.stem());
    Some(ExportedFile { name, bytes: input.raw()? })
}

fn as_json(label: &Label<'_>, input: &Input) -> ExportedFile {
    let document = json!({
        "schema": crate::document::SCHEMA,
        "program": label.program,
        "cost_model": label.cost_model,
        "n": label.n,
        "cost": label.cost,
        "input": input,
    });
    let name = format!("json/{}.json", label.stem());
    ExportedFile { name, bytes: escape::json(&format!("{document:#}\n")).into_owned().into_bytes() }
}

impl Label<'_> {
    /// `sort-n100-cost4950`, with whatever the suffix says.
    fn stem(&self) -> String {
        let mut stem = format!("{}-n{}", self.program_name(), self.n);
        if let Some(cost) = self.cost {
            stem.push_str(&format!("-cost{cost}"));
        }
        if !self.suffix.is_empty() {
            stem.push_str(&format!("-{}", plain(self.suffix)));
        }
        stem
    }

    /// The module's name without folders and extension, in plain characters.
    fn program_name(&self) -> String {
        let file = self.program.module.rsplit(['/', '\\', ':']).next().unwrap_or_default();
        let name = plain(file.strip_suffix(".wasm").unwrap_or(file));
        if name.is_empty() { "program".into() } else { name }
    }
}

/// The text with everything but letters, digits, `-` and `_` made `_`.
fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_module_name_leads_out_of_the_directory(module in ".*", suffix in ".*") {
            let program = Program { module, ..Program::default() };
            let label =
                Label { program: &program, cost_model: "", n: 1, cost: None, suffix: &suffix };
            let input = Input { values: json!([1]), bytes: "AQ==".into(), structure: None };
            for file in forms(&label, &input, &|_, _| None) {
                let (folder, name) = file.name.split_once('/').expect("one folder");
                prop_assert!(["raw", "json", "c", "rust"].contains(&folder));
                let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                prop_assert!(name.chars().all(allowed) && !name.starts_with('.'), "{name}");
            }
        }
    }
}
