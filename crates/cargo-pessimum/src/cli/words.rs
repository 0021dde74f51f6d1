//! The words of the command line.

use super::Failure;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) harness: Option<PathBuf>,
    pub(super) action: Action,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    Help,
    Version,
    Init { package: Option<String>, input: Option<PathBuf> },
    List,
    Run { target: Option<String>, flags: Vec<OsString> },
    Check { targets: Vec<String>, flags: Vec<OsString> },
}

const MEND: &str = "`cargo pessimum --help` lists the commands";

impl Words {
    /// Reads the words, the name of the program first. Cargo puts `pessimum` behind it.
    pub(super) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Words, Failure> {
        let mut words = words.into_iter().skip(1).peekable();
        words.next_if(|word| word == "pessimum");
        let mut harness = None;
        let command = loop {
            let Some(word) = words.next() else {
                return Ok(Words { harness, action: Action::Help });
            };
            match flag(&word, "--harness") {
                Some(Some(value)) => harness = Some(PathBuf::from(value)),
                Some(None) => match words.next() {
                    Some(folder) => harness = Some(PathBuf::from(folder)),
                    None => return Err(Failure::new("--harness needs a folder: --harness DIR")),
                },
                None => break word,
            }
        };
        let rest: Vec<OsString> = words.collect();
        let asks_for_help =
            rest.iter().take_while(|w| *w != "--").any(|w| w == "-h" || w == "--help");
        let action = match command.to_str() {
            Some("-h" | "--help" | "help") => Action::Help,
            Some("init" | "list") if asks_for_help => Action::Help,
            Some("run" | "check") if rest.first().is_some_and(|w| w == "-h" || w == "--help") => {
                Action::Help
            }
            Some("-V" | "--version") => Action::Version,
            Some("init") => init(rest)?,
            Some("list") => match rest.first() {
                None => Action::List,
                Some(word) => {
                    let word = word.to_string_lossy();
                    return Err(Failure::new(format!("list takes nothing: leave out {word}")));
                }
            },
            Some("run") => {
                let (mut targets, flags) = split(rest)?;
                if targets.len() > 1 {
                    return Err(Failure::new(format!(
                        "run takes one target: {} is another; put flags behind the target",
                        targets[1]
                    )));
                }
                Action::Run { target: targets.pop(), flags }
            }
            Some("check") => {
                let (targets, flags) = split(rest)?;
                Action::Check { targets, flags }
            }
            _ => {
                let word = command.to_string_lossy();
                return Err(Failure::new(format!("there is no command {word}: {MEND}")));
            }
        };
        Ok(Words { harness, action })
    }
}

/// Whether a word is this flag, and the value that stands behind its `=`.
fn flag<'a>(word: &'a OsStr, name: &str) -> Option<Option<&'a OsStr>> {
    if word == name {
        return Some(None);
    }
    let value = word.to_str()?.strip_prefix(name)?.strip_prefix('=')?;
    Some(Some(OsStr::new(value)))
}

fn init(words: Vec<OsString>) -> Result<Action, Failure> {
    let (mut package, mut input) = (None, None);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let mut value = |name: &str| -> Result<Option<OsString>, Failure> {
            match flag(&word, name) {
                None => Ok(None),
                Some(Some(value)) => Ok(Some(value.to_owned())),
                Some(None) => match words.next() {
                    Some(value) => Ok(Some(value)),
                    None => Err(Failure::new(format!("{name} needs a value"))),
                },
            }
        };
        if let Some(name) = value("--package")? {
            package = Some(name.to_string_lossy().into_owned());
        } else if let Some(folder) = value("--input")? {
            input = Some(PathBuf::from(folder));
        } else {
            let word = word.to_string_lossy();
            return Err(Failure::new(format!(
                "init knows no {word}: write --package NAME or --input PATH"
            )));
        }
    }
    Ok(Action::Init { package, input })
}

/// Targets, and from the first flag on what is for `pessimum`.
fn split(mut words: Vec<OsString>) -> Result<(Vec<String>, Vec<OsString>), Failure> {
    let is_flag = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let at = words.iter().position(is_flag).unwrap_or(words.len());
    let flags = words.split_off(at);
    let names = words.into_iter().map(|word| {
        word.into_string().map_err(|word| {
            Failure::new(format!("{} is no name of a function", word.to_string_lossy()))
        })
    });
    Ok((names.collect::<Result<_, _>>()?, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Words, Failure> {
        Words::read(line.split(' ').map(OsString::from))
    }

    #[test]
    fn targets_come_first_and_flags_are_passed_on() {
        let words = read("cargo-pessimum pessimum check a b --time 5s --quiet").unwrap();
        let flags = ["--time", "5s", "--quiet"].map(OsString::from).to_vec();
        let targets = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(words, Words { harness: None, action: Action::Check { targets, flags } });
    }

    #[test]
    fn cargo_need_not_be_there() {
        let words = read("cargo-pessimum --harness=h run parse").unwrap();
        let target = Some("parse".to_owned());
        let action = Action::Run { target, flags: Vec::new() };
        assert_eq!(words, Words { harness: Some("h".into()), action });
    }

    #[test]
    fn mistakes_name_the_mend() {
        let told = |line: &str| read(line).unwrap_err().message;
        assert!(told("cargo-pessimum pessimum analyse").contains("--help"));
        assert!(told("cargo-pessimum pessimum run a b").contains("one target"));
        assert!(told("cargo-pessimum pessimum init --name x").contains("--package NAME"));
        assert!(told("cargo-pessimum pessimum --harness").contains("--harness DIR"));
    }
}
