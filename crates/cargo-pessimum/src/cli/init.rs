//! `init`: a harness beside a crate.

use super::harness::{FOLDER, MARK};
use super::{Failure, note, print, tools};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// A crate that a harness can call.
struct Package {
    name: String,
    folder: PathBuf,
    /// What `use` calls it.
    library: Option<String>,
    edition: String,
}

/// Makes the harness and says what is missing.
pub(super) fn init(package: Option<&str>, input: Option<&Path>) -> Result<u8, Failure> {
    let packages = packages()?;
    let package = choose(&packages, package)?;
    let name = &package.name;
    let Some(library) = &package.library else {
        return Err(Failure::new(format!(
            "{name} has no library, and a harness calls functions of one: move what it is about to src/lib.rs"
        )));
    };
    let folder = package.folder.join(FOLDER);
    if folder.exists() {
        return Err(Failure::new(format!(
            "{} is there already: add targets to its src/lib.rs",
            folder.display()
        )));
    }
    let input = input_crate(input)?;
    let from = match &input {
        Some(input) => {
            let here = package.folder.canonicalize().unwrap_or_else(|_| package.folder.clone());
            format!("path = {:?}", seen_from(&here.join(FOLDER), input).display().to_string())
        }
        None => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
    };
    write(&folder.join("Cargo.toml"), &manifest(package, &from))?;
    write(&folder.join(".gitignore"), "/target\n")?;
    write(&folder.join("src").join("lib.rs"), &example(library))?;
    // A workspace that takes every folder in takes this one as well, and then cargo works in none of them.
    if let Err(failure) = self::packages() {
        note(&format!(
            "{}\nThe harness is a workspace of its own: add exclude = [\"{FOLDER}\"] to the [workspace] around it.",
            failure.message
        ));
    }
    print(&format!(
        "Made {}, a harness for {name}. Its src/lib.rs has an example:\n\n  cargo pessimum run example\n",
        folder.display()
    ));
    if let Some(input) = input.filter(|input| !is_below_one_checkout(&package.folder, input)) {
        note(&format!(
            "The harness takes pessimum-input from {}, which is not in this repository: on another machine its Cargo.toml has to name the folder there (cargo pessimum init --input DIR).",
            input.display()
        ));
    }
    if let Err(missing) = tools::pessimum() {
        note(&format!("missing: {}", missing.message));
    }
    if let Err(missing) = tools::check_target(&folder) {
        note(&format!("missing: {}", missing.message));
    }
    Ok(0)
}

/// The crates of the workspace around the working folder.
fn packages() -> Result<Vec<Package>, Failure> {
    let output = tools::cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|why| Failure::new(format!("cargo cannot be started: {why}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().trim_start_matches("error: ");
        return Err(Failure::new(format!("cargo finds no crate here: {said}")));
    }
    let document: Value = serde_json::from_slice(&output.stdout).map_err(|why| {
        Failure::new(format!("what `cargo metadata` wrote cannot be read: {why}"))
    })?;
    let read = |package: &Value| {
        let is_library = |target: &&Value| {
            let kinds = target["kind"].as_array().into_iter().flatten().filter_map(Value::as_str);
            kinds.into_iter().any(|kind| matches!(kind, "lib" | "rlib"))
        };
        let library = package["targets"].as_array()?.iter().find(is_library);
        Some(Package {
            name: package["name"].as_str()?.to_owned(),
            folder: Path::new(package["manifest_path"].as_str()?).parent()?.to_owned(),
            library: library.and_then(|l| l["name"].as_str()).map(|name| name.replace('-', "_")),
            edition: package["edition"].as_str()?.to_owned(),
        })
    };
    Ok(document["packages"].as_array().into_iter().flatten().filter_map(read).collect())
}

/// The crate that was named, or the one of the working folder.
fn choose<'a>(packages: &'a [Package], named: Option<&str>) -> Result<&'a Package, Failure> {
    let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    if let Some(named) = named {
        let found = packages.iter().find(|package| package.name == named);
        return found.ok_or_else(|| {
            Failure::new(format!("there is no crate {named} here: there are {}", names.join(", ")))
        });
    }
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let around = |package: &&Package| {
        let folder = package.folder.canonicalize();
        matches!((&here, folder), (Ok(here), Ok(folder)) if here.starts_with(&folder))
    };
    let deepest = packages.iter().filter(around).max_by_key(|p| p.folder.components().count());
    match (deepest, packages) {
        (Some(package), _) => Ok(package),
        (None, [only]) => Ok(only),
        _ => Err(Failure::new(format!(
            "which crate is the harness for? --package NAME, one of {}",
            names.join(", ")
        ))),
    }
}

/// Where pessimum-input comes from: a folder that was named; that of this repository, where this was built in it
/// and it is still there; else the registry.
fn input_crate(named: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pessimum-input");
    let is_crate = |folder: &Path| folder.join("Cargo.toml").is_file();
    Ok(match named {
        Some(folder) if !is_crate(folder) => {
            return Err(Failure::new(format!(
                "{} has no Cargo.toml: name the folder of the crate pessimum-input",
                folder.display()
            )));
        }
        Some(folder) => folder.canonicalize().ok(),
        None => beside.canonicalize().ok().filter(|folder| is_crate(folder)),
    })
}

/// The way from one folder to another, where they have more in common than the root: it holds wherever the two lie as they
/// do here.
fn seen_from(here: &Path, there: &Path) -> PathBuf {
    let common = here.components().zip(there.components()).take_while(|(a, b)| a == b).count();
    let has_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !here.components().take(common).any(has_name) {
        return there.to_owned();
    }
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    up.chain(there.components().skip(common)).collect()
}

/// Whether two folders belong to one repository.
fn is_below_one_checkout(one: &Path, other: &Path) -> bool {
    let checkout = |folder: &Path| {
        let folder = folder.canonicalize().ok()?;
        folder.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
    };
    checkout(one).is_some_and(|root| Some(root) == checkout(other))
}

fn manifest(package: &Package, input: &str) -> String {
    let Package { name, edition, .. } = package;
    let edition = if edition.as_str() < "2021" { "2021" } else { edition };
    format!(
        "# What pessimum analyses of {name}. Made by `cargo pessimum init`.
[package]
name = \"{name}-pessimum\"
version = \"0.0.0\"
edition = \"{edition}\"
publish = false

{MARK}

[lib]
crate-type = [\"cdylib\"]

[dependencies]
{name} = {{ path = \"..\" }}
pessimum = {{ package = \"pessimum-input\", {input} }}

# Little optimised, so that the branches of the source are still there to be named. What is found is true of this
# build: 3 is what most crates are shipped with.
[profile.release]
opt-level = 1
debug = true
panic = \"abort\"

# Not part of the workspace around it.
[workspace]
"
    )
}

fn example(library: &str) -> String {
    format!(
        "//! What pessimum analyses. A target is a function, and its parameters are the unknown input:
//!
//!     cargo pessimum run example
//!     cargo pessimum check

/// Call your crate here: `{library}::…`. Return what it computes, so that the compiler does not leave it out.
#[pessimum::target(at_most = \"n^2\")]
fn example(values: &mut [i32]) {{
    for i in 1..values.len() {{
        let mut at = i;
        while at > 0 && values[at - 1] > values[at] {{
            values.swap(at - 1, at);
            at -= 1;
        }}
    }}
}}
"
    )
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    written.map_err(|why| Failure::new(format!("{} cannot be written: {why}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_relative_where_folders_lie_together() {
        let way = |here: &str, there: &str| {
            seen_from(Path::new(here), Path::new(there)).display().to_string()
        };
        assert_eq!(way("/w/app/pessimum", "/w/tool/crates/input"), "../../tool/crates/input");
        assert_eq!(way("/w/app/pessimum", "/w/app/vendor/input"), "../vendor/input");
        assert_eq!(way("/w/app/pessimum", "/opt/input"), "/opt/input");
    }
}
