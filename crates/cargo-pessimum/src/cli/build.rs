//! From the harness to a module and its targets.

use super::tools::{self, TARGET};
use super::{Failure, harness};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A harness that was compiled.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) pessimum: PathBuf,
    pub(super) module: PathBuf,
    /// The folders that its sources are in.
    pub(super) sources: Vec<PathBuf>,
    pub(super) targets: Vec<Target>,
}

/// A function of the harness.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) call: String,
    pub(super) at_most: Option<String>,
}

/// Compiles the harness and asks `pessimum` for its targets.
pub(super) fn build(named: Option<&Path>) -> Result<Built, Failure> {
    let folder = harness::find(named)?;
    let pessimum = tools::pessimum()?;
    tools::check_target(&folder)?;
    let module = compile(&folder)?;
    let targets = targets(&pessimum, &module)?;
    let root = folder.join("..");
    let sources = [folder.join("src"), root.join("src")].into_iter().filter(|p| p.is_dir());
    Ok(Built { pessimum, module, sources: sources.collect(), targets })
}

/// The module that cargo makes of a harness. Cargo's own words go where they always go.
fn compile(folder: &Path) -> Result<PathBuf, Failure> {
    let manifest = folder.join("Cargo.toml");
    let output = tools::cargo()
        .args(["build", "--release", "--target", TARGET, "--manifest-path"])
        .arg(&manifest)
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|why| Failure::new(format!("cargo cannot be started: {why}")))?;
    if !output.status.success() {
        return Err(Failure::new("the harness does not compile: cargo says above what is wrong"));
    }
    let own = manifest.canonicalize().unwrap_or(manifest);
    let module = String::from_utf8_lossy(&output.stdout).lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let of = Path::new(message["manifest_path"].as_str()?).canonicalize().ok()?;
        let files = message["filenames"].as_array().filter(|_| of == own)?;
        let file = files.iter().filter_map(Value::as_str).find(|name| name.ends_with(".wasm"))?;
        Some(PathBuf::from(file))
    });
    module.ok_or_else(|| {
        Failure::new(format!(
            "the harness made no module: its {} needs [lib] with crate-type = [\"cdylib\"]",
            own.display()
        ))
    })
}

fn targets(pessimum: &Path, module: &Path) -> Result<Vec<Target>, Failure> {
    let output = Command::new(pessimum)
        .arg("targets")
        .arg(module)
        .args(["--json", "-"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|why| Failure::new(format!("{} cannot be started: {why}", pessimum.display())))?;
    let wrong = || {
        Failure::new(format!(
            "{} does not know targets: install the version that goes with cargo-pessimum {}",
            pessimum.display(),
            env!("CARGO_PKG_VERSION")
        ))
    };
    let document: Value = serde_json::from_slice(&output.stdout).map_err(|_| wrong())?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let read = |target: &Value| {
        Some(Target {
            name: text(&target["name"])?,
            call: text(&target["call"])?,
            at_most: text(&target["at_most"]),
        })
    };
    let list = document["targets"].as_array().ok_or_else(wrong)?;
    list.iter().map(|target| read(target).ok_or_else(wrong)).collect()
}
