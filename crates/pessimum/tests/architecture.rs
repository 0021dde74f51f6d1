//! The one-way flow of data, kept: who may depend on whom is written down here once, and every
//! manifest is held against it. `docs/architecture.md` says why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each crate with the crates of this project it may use. A crate that is not listed may not be.
const ALLOWED: &[(&str, &[&str])] = &[
    // What tells the time, for whoever is held to it.
    ("clock", &[]),
    // Terms and solvers know no Wasm.
    ("term", &[]),
    ("solver", &["clock", "term"]),
    // Policies are made of decisions, not of terms or instructions.
    ("learn", &["clock", "law"]),
    // Numbers in, a formula out; documents in, text out.
    ("law", &[]),
    ("fit", &["law"]),
    ("report", &[]),
    // What both engines must agree on, and the engine that shares nothing else with the other.
    ("entry", &[]),
    ("replay", &["clock", "entry"]),
    // The machine decides nothing, so it needs no solver and no policy.
    ("machine", &["clock", "entry", "term"]),
    ("explore", &["clock", "entry", "learn", "machine", "solver", "term"]),
    ("synth", &["entry", "explore", "law", "learn", "machine", "solver", "term"]),
    ("shape", &["clock", "entry", "explore", "machine", "solver", "term"]),
    // Runs inputs and follows paths; what it finds is a lower bound, so it judges nothing.
    ("search", &["clock", "entry", "explore", "learn", "machine", "term"]),
    // Source in, a module out: starts compilers.
    ("compile", &[]),
    // Words in, a task for each on a queue: starts `hq`.
    ("queue", &[]),
    // The whole job. The only room that sees both engines, the fit and the documents.
    (
        "campaign",
        &[
            "clock", "entry", "explore", "fit", "learn", "machine", "replay", "report", "search",
            "shape", "synth",
        ],
    ),
    // What a report shows beside the numbers; it changes no answer.
    (
        "illustrate",
        &["campaign", "clock", "entry", "explore", "learn", "machine", "replay", "report"],
    ),
    // The façade and the command line; `solver` for its feature `z3`.
    (
        "pessimum",
        &[
            "campaign",
            "clock",
            "compile",
            "entry",
            "explore",
            "fit",
            "illustrate",
            "learn",
            "machine",
            "queue",
            "replay",
            "report",
            "shape",
            "solver",
        ],
    ),
    // The façade as a module for browsers.
    ("playground", &["clock", "report"]),
    // For tests alone: nothing depends on it in its ordinary build.
    ("testgen", &["entry", "explore", "learn", "machine", "replay"]),
    // For programs under test: they are linked into them and must stay free of everything.
    ("pessimum-input", &["macros"]),
    ("macros", &[]),
    // A program of its own, which starts the other.
    ("cargo-pessimum", &[]),
];

/// Outside crates that carry an idea which must stay in its room.
const ROOMS: &[(&str, &[&str])] = &[
    ("wasmi", &["replay"]),
    ("wasmparser", &["compile", "entry", "machine", "replay", "shape"]),
    ("wat", &["compile", "testgen"]),
    ("wasm-encoder", &["replay"]),
    ("batsat", &["solver"]),
    ("z3", &["solver"]),
    ("rayon", &["explore"]),
    ("gimli", &["machine", "shape"]),
    ("clap", &["pessimum"]),
    ("indicatif", &["pessimum"]),
    ("ctrlc", &["pessimum"]),
    ("terminal_size", &["pessimum"]),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders under `crates/`, with what each depends on in its ordinary build.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(crates()).expect("crates/ is there") {
        let folder = entry.expect("crates/ can be read").path();
        let Ok(text) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let manifest: toml::Table = text.parse().expect("cargo has read it already");
        let mut names = BTreeSet::new();
        for kind in ["dependencies", "build-dependencies"] {
            let table = manifest.get(kind).and_then(|t| t.as_table());
            names.extend(table.into_iter().flat_map(|t| t.keys().cloned()));
        }
        let targets = manifest.get("target").and_then(|t| t.as_table()).into_iter().flatten();
        let tables = targets.filter_map(|(_, target)| target.get("dependencies")?.as_table());
        names.extend(tables.flat_map(|t| t.keys().cloned()));
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        found.insert(name, names);
    }
    assert!(found.len() >= 12, "too few crates found: {found:?}");
    found
}

#[test]
fn crates_depend_on_each_other_one_way_only() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut wrong = Vec::new();
    for (name, dependencies) in dependencies() {
        let Some(may) = allowed.get(name.as_str()) else {
            wrong.push(format!("crates/{name} is not in the map: say what it may depend on"));
            continue;
        };
        for other in dependencies.iter().filter_map(|d| d.strip_prefix("pessimum-")) {
            if !may.contains(&other) {
                wrong.push(format!("crates/{name} may not depend on crates/{other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn outside_crates_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for (name, dependencies) in dependencies() {
        for (outside, rooms) in ROOMS {
            if dependencies.contains(*outside) && !rooms.contains(&name.as_str()) {
                wrong.push(format!("crates/{name} may not depend on {outside}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for name in dependencies().keys() {
        let text = std::fs::read_to_string(crates().join(name).join("Cargo.toml"));
        let manifest: toml::Table = text.expect("read before").parse().expect("parsed before");
        let lints = manifest.get("lints").and_then(|l| l.get("workspace"));
        assert_eq!(lints.and_then(|l| l.as_bool()), Some(true), "crates/{name}: [lints]");
    }
}

#[test]
fn the_map_in_the_architecture_page_names_every_crate() {
    let page = std::fs::read_to_string(crates().join("../docs/architecture.md"));
    let page = page.expect("docs/architecture.md is there");
    for name in dependencies().keys() {
        assert!(page.contains(&format!("`crates/{name}`")), "crates/{name} is not on the map");
    }
}

#[test]
fn every_outside_crate_is_accounted_for() {
    let page = std::fs::read_to_string(crates().join("../docs/dependencies.md"));
    let page = page.expect("docs/dependencies.md is there");
    for (name, dependencies) in dependencies() {
        for outside in dependencies.iter().filter(|d| !d.starts_with("pessimum")) {
            let row = format!("`{outside}`");
            assert!(page.contains(&row), "{row}, used by crates/{name}, has no word on why");
        }
    }
}

/// Libraries print nothing: the lints `print_stdout` and `print_stderr` see to the macros, this
/// to the handles behind them.
#[test]
fn only_the_binary_talks_to_a_terminal() {
    let mut wrong = Vec::new();
    for name in dependencies().keys() {
        // The binary's own rooms may.
        for path in
            sources_of(name).iter().filter(|p| !p.components().any(|c| c.as_os_str() == "cli"))
        {
            let text = std::fs::read_to_string(path).expect("sources are UTF-8");
            for handle in ["io::stdout()", "io::stderr()", "io::stdin()"] {
                if text.contains(handle) {
                    wrong.push(format!("{} uses {handle}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The sources of a crate, but for its tests.
fn sources_of(name: &str) -> Vec<PathBuf> {
    let mut folders = vec![crates().join(name).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// No other program is started but the compiler and the queue that somebody asked for; around the tool, cargo and the
/// tool.
#[test]
fn only_two_rooms_start_programs() {
    let starts = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("sources are UTF-8");
        text.contains("process::Command") || text.contains("process::{Command")
    };
    let rooms = dependencies().into_keys();
    let rooms: Vec<String> = rooms.filter(|name| sources_of(name).iter().any(starts)).collect();
    assert_eq!(rooms, ["cargo-pessimum", "compile", "pessimum-input", "queue"]);
}

/// The header that comes with the compilations is the one in `include/`.
#[test]
fn the_header_for_c_is_there_once() {
    let read = |path: &str| std::fs::read_to_string(crates().join(path)).expect("it is there");
    assert_eq!(read("compile/include/pessimum.h"), read("../include/pessimum.h"));
}

/// Tests are compiled as one program a crate, so a file that no `all.rs` names would never be run.
#[test]
fn every_file_of_tests_is_run() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut forgotten = Vec::new();
    for room in crates.read_dir().expect("there are crates").flatten() {
        let folder = room.path().join("tests");
        let Ok(all) = std::fs::read_to_string(folder.join("all.rs")) else { continue };
        let named: BTreeSet<&str> =
            all.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
        for file in folder.read_dir().expect("it can be listed").flatten() {
            let path = file.path();
            let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
            let is_source = path.extension().is_some_and(|e| e == "rs");
            if is_source && name != "all" && !named.contains(name.as_str()) {
                forgotten.push(path);
            }
        }
    }
    assert_eq!(forgotten, [] as [PathBuf; 0], "each needs its line `mod …;` in all.rs");
}
