//! Every program of `corpus/real` in a small form: no class above the known one is claimed, what
//! is found is at least as bad as what is known, and what came out right once still does.
//!
//! `PESSIMUM_TARGET=inflate` tries the targets of that name alone.
//!
//! The modules are committed, so that no compiler is needed; `corpus/real/run.py` does the same
//! with more time and writes the table of `docs/real-programs.md`.

use pessimum::{Analysis, Class, Cut, Error, Program};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Seconds of work for a target that does not say: the same is tried on every machine, however long
/// that takes there.
const EFFORT: u64 = 3;

/// Only a machine that is slower than any we know is stopped by the clock, and then held to less.
const TIME: Duration = Duration::from_secs(300);

#[derive(Deserialize)]
struct Facts {
    target: Vec<Target>,
}

/// What is known of one function; `corpus/real/README.md` explains the fields.
#[derive(Deserialize)]
struct Target {
    name: String,
    call: String,
    #[serde(rename = "let")]
    lets: Option<String>,
    class: String,
    quick: Option<Quick>,
}

/// What the small form has to reach.
#[derive(Deserialize)]
struct Quick {
    /// A cost that an input of this size is known to have.
    n: u64,
    cost: u64,
    /// Whether the class has to come out as well.
    #[serde(default)]
    class: bool,
    /// Seconds of work, where other than usual.
    effort: Option<u64>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/real")
}

/// The module of each target, and what is known of it.
fn targets() -> Vec<(PathBuf, Target)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(corpus()).expect("the corpus is there") {
        let folder = entry.expect("the corpus can be read").path();
        let Ok(text) = std::fs::read_to_string(folder.join("facts.toml")) else { continue };
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let facts: Facts =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{name}/facts.toml: {e}"));
        let module = folder.join(format!("{name}.wasm"));
        all.extend(facts.target.into_iter().map(|target| (module.clone(), target)));
    }
    all.sort_by(|a, b| (&a.0, &a.1.name).cmp(&(&b.0, &b.1.name)));
    all
}

/// Whether two classes are the same but for the base of an exponential.
fn alike(found: Class, known: &str) -> bool {
    known == "c^n" && found.to_string().ends_with("^n")
        || known.parse::<Class>().is_ok_and(|known| known == found)
}

/// Whether the class claims more than is known to be possible.
fn is_alarm(found: Class, known: &str) -> bool {
    known.parse::<Class>().is_ok_and(|known| found > known)
}

/// What is wrong with the answer for one target.
fn faults(module: &Path, target: &Target) -> Vec<String> {
    let bytes = std::fs::read(module).expect("the module is committed");
    let mut program = Program::new(target.name.as_str(), bytes)
        .and_then(|p| p.call(&target.call))
        .expect("the call fits the module");
    if let Some(lets) = &target.lets {
        program = program.let_size(lets).expect("the second size is defined");
    }
    let effort = target.quick.as_ref().and_then(|quick| quick.effort).unwrap_or(EFFORT);
    let analysis = Analysis::of(program).effort(Duration::from_secs(effort)).time(TIME);
    let result = match analysis.samples(0).run() {
        Ok(result) => result,
        // A slow machine may not get anywhere; that is no fault of the answer.
        Err(Error::OutOfBudget(_)) => return Vec::new(),
        Err(error) => return vec![error.to_string()],
    };
    let document = &result.document;
    let mut faults = Vec::new();
    for finding in document.findings.iter().filter(|f| f.kind == "replay_mismatch") {
        faults.push(finding.message.clone());
    }
    if let Some(found) = result.class().filter(|found| is_alarm(*found, &target.class)) {
        faults.push(format!("{found} is claimed, {} is known", target.class));
    }
    let Some(quick) = &target.quick else { return faults };
    if document.cut_by == Some(Cut::Time) {
        return faults;
    }
    let reached = result.inputs.get(&quick.n).map_or(0, |(_, cost)| *cost);
    if reached < quick.cost {
        faults.push(format!("at n = {} {reached} was reached of {}", quick.n, quick.cost));
    }
    if quick.class && !result.class().is_some_and(|found| alike(found, &target.class)) {
        faults.push(format!("the class is {:?}, not {}", result.class(), target.class));
    }
    faults
}

#[test]
fn nothing_false_is_claimed_and_what_is_known_is_found() {
    let mut targets = targets();
    assert!(targets.len() >= 25, "{} targets", targets.len());
    if let Ok(only) = std::env::var("PESSIMUM_TARGET") {
        targets.retain(|(_, target)| target.name == only);
    }
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((module, target)) = targets.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let found = faults(module, target);
                    let mut wrong = wrong.lock().expect("no thread panicked");
                    wrong.extend(found.into_iter().map(|f| {
                        let program = module.file_stem().unwrap_or_default().to_string_lossy();
                        format!("{program} `{}`: {f}", target.name)
                    }));
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no thread panicked");
    wrong.sort();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
