//! The programs whose claims are attacked: all of the corpus, and all real ones.

use pessimum::{Entry, Error, Program};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a program of the corpus is entered; the part of `facts.toml` that says so.
#[derive(Deserialize)]
struct Facts {
    call: Option<String>,
    #[serde(default)]
    stdin: bool,
    #[serde(default)]
    argv: bool,
    #[serde(default)]
    fuzz: bool,
    #[serde(default, rename = "let")]
    lets: BTreeMap<String, String>,
}

/// The same for a module of `corpus/real`, which has several targets.
#[derive(Deserialize)]
struct RealFacts {
    target: Vec<RealTarget>,
}

#[derive(Deserialize)]
struct RealTarget {
    name: String,
    call: String,
    #[serde(rename = "let")]
    lets: Option<String>,
}

/// The folders below one of the corpus that have facts, with their text.
fn folders(root: &Path) -> Vec<(String, PathBuf, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(root).expect("the corpus is there") {
        let folder = entry.expect("the corpus can be read").path();
        let Ok(text) = std::fs::read_to_string(folder.join("facts.toml")) else { continue };
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        all.push((name, folder, text));
    }
    all.sort();
    all
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Every program of the corpus.
pub(crate) fn corpus_programs() -> Vec<(String, Program)> {
    folders(&corpus())
        .into_iter()
        .map(|(name, folder, text)| {
            let program = corpus_program(&name, &folder, &text);
            (name.clone(), program.unwrap_or_else(|e| panic!("{name}: {e}")))
        })
        .collect()
}

fn corpus_program(name: &str, folder: &Path, facts: &str) -> Result<Program, Error> {
    let facts: Facts = toml::from_str(facts).unwrap_or_else(|e| panic!("{name}: {e}"));
    let bytes = std::fs::read(folder.join(format!("{name}.wasm"))).expect("it is committed");
    let mut program = Program::new(name, bytes)?;
    if facts.stdin {
        program = program.enter(Entry::Stdin);
    } else if facts.argv {
        program = program.enter(Entry::Argv);
    } else if let Some(call) = facts.call.filter(|_| !facts.fuzz) {
        program = program.call(&call)?;
    }
    for (name, value) in &facts.lets {
        program = program.let_size(&format!("{name}={value}"))?;
    }
    Ok(program)
}

/// Every target of the real programs.
#[allow(dead_code, reason = "the tests attack the corpus alone")]
pub(crate) fn real_programs() -> Vec<(String, Program)> {
    let mut all = Vec::new();
    for (name, folder, text) in folders(&corpus().join("real")) {
        let facts: RealFacts = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let bytes = std::fs::read(folder.join(format!("{name}.wasm"))).expect("it is committed");
        for target in facts.target {
            let title = format!("{name} `{}`", target.name);
            let mut program = Program::new(title.as_str(), bytes.clone())
                .and_then(|p| p.call(&target.call))
                .unwrap_or_else(|e| panic!("{title}: {e}"));
            if let Some(lets) = &target.lets {
                program = program.let_size(lets).unwrap_or_else(|e| panic!("{title}: {e}"));
            }
            all.push((title, program));
        }
    }
    all
}
