//! Files that are written for several targets: each has one of its own.

use super::Failure;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Flags of `pessimum` that name a file.
const FILES: [&str; 6] = ["--json", "--html", "--junit", "--sarif", "--markdown", "--baseline"];
/// Flags that name a folder.
const FOLDERS: [&str; 2] = ["--inputs", "--save"];

/// The flags for one of several targets.
pub(super) fn for_target(flags: &[OsString], target: &str) -> Result<Vec<OsString>, Failure> {
    let mut made = Vec::new();
    let mut flags = flags.iter();
    while let Some(word) = flags.next() {
        let text = word.to_str().unwrap_or_default();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (text, None),
        };
        let of: fn(&Path, &str) -> PathBuf = match name {
            name if FILES.contains(&name) => file,
            name if FOLDERS.contains(&name) => |folder, target| folder.join(target),
            _ => {
                made.push(word.clone());
                continue;
            }
        };
        let Some(value) = value.or_else(|| flags.next().cloned()) else {
            made.push(word.clone());
            continue;
        };
        if value == "-" {
            return Err(Failure::new(format!(
                "{name} - is for one document, and there are several targets: name one, or a file"
            )));
        }
        made.extend([OsString::from(name), of(Path::new(&value), target).into_os_string()]);
    }
    Ok(made)
}

/// `report.html` of `parse` is `report-parse.html`.
fn file(path: &Path, target: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or(OsStr::new("")).to_owned();
    name.push("-");
    name.push(target);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(line: &str) -> Result<String, Failure> {
        let flags: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let made = for_target(&flags, "parse")?;
        let words: Vec<_> = made.iter().map(|word| word.to_string_lossy()).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn every_target_has_files_of_its_own() {
        assert_eq!(
            made("--time 5s --html out/report.html --junit=j.xml --inputs worst --quiet").unwrap(),
            "--time 5s --html out/report-parse.html --junit j-parse.xml --inputs worst/parse --quiet"
        );
        assert!(made("--json -").unwrap_err().message.contains("name one"));
    }
}
