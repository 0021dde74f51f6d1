//! Where the harness is.

use super::Failure;
use std::path::{Path, PathBuf};

/// What the manifest of a harness says of itself.
pub(super) const MARK: &str = "[package.metadata.pessimum]";

/// The folder that `init` makes.
pub(super) const FOLDER: &str = "pessimum";

/// The folder of the harness: the one that was named, or `pessimum/` in the working folder or further up; from inside
/// a harness that harness.
pub(super) fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = named {
        return match is_harness(folder) {
            true => Ok(folder.to_owned()),
            false => Err(Failure::new(format!(
                "{} is no harness: its Cargo.toml has no {MARK}; `cargo pessimum init` makes one",
                folder.display()
            ))),
        };
    }
    let here = std::env::current_dir()
        .map_err(|why| Failure::new(format!("the working folder cannot be read ({why})")))?;
    let places = here.ancestors().flat_map(|folder| [folder.to_owned(), folder.join(FOLDER)]);
    places.into_iter().find(|folder| is_harness(folder)).ok_or_else(|| {
        Failure::new(
            "there is no harness here or further up: `cargo pessimum init` makes one, `--harness DIR` names one",
        )
    })
}

fn is_harness(folder: &Path) -> bool {
    let text = std::fs::read_to_string(folder.join("Cargo.toml"));
    text.is_ok_and(|text| text.lines().any(|line| line.trim() == MARK))
}
