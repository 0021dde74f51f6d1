//! What is compiled: which language, which files.

use crate::CompileError;
use std::path::{Path, PathBuf};

/// Files of a folder, at most: a C library in one folder has some hundred.
const MOST_FILES: usize = 1_000;

/// A language that modules are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Language {
    C,
    Cpp,
    Rust,
    Zig,
    AssemblyScript,
    TinyGo,
    /// WebAssembly written as text.
    Text,
}

impl Language {
    /// The language of a file, by the end of its name.
    pub fn of(file: &Path) -> Option<Language> {
        Some(match file.extension()?.to_str()? {
            "c" => Language::C,
            "cc" | "cpp" | "cxx" => Language::Cpp,
            "rs" => Language::Rust,
            "zig" => Language::Zig,
            "ts" => Language::AssemblyScript,
            "go" => Language::TinyGo,
            "wat" => Language::Text,
            _ => return None,
        })
    }
}

/// Source that one module is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// C++ where a file of a folder is.
    pub language: Language,
    /// As the user named it.
    pub path: PathBuf,
    /// Its files in the order of their names; one unless it is a folder.
    pub files: Vec<PathBuf>,
}

impl Source {
    /// The source at a path; `None` where it is not source by its name.
    pub fn of(path: &Path) -> Result<Option<Source>, CompileError> {
        if path.is_dir() {
            return Source::folder(path).map(Some);
        }
        let Some(language) = Language::of(path) else { return Ok(None) };
        if !path.exists() {
            return Err(CompileError::new(format!(
                "cannot read {}: there is no such file",
                path.display()
            )));
        }
        if !path.is_file() {
            return Err(CompileError::new(format!(
                "cannot read {}: it is a device or a pipe, not a regular file",
                path.display()
            )));
        }
        Ok(Some(Source { language, path: path.to_owned(), files: vec![path.to_owned()] }))
    }

    fn folder(path: &Path) -> Result<Source, CompileError> {
        let unreadable = |why: String| {
            CompileError::new(format!("cannot read {}: it is a folder {why}", path.display()))
        };
        let entries = std::fs::read_dir(path)
            .map_err(|why| unreadable(format!("that cannot be listed ({why})")))?;
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|file| matches!(Language::of(file), Some(Language::C | Language::Cpp)))
            .filter(|file| file.is_file())
            .collect();
        files.sort();
        if files.is_empty() {
            let mend = match path.join("Cargo.toml").is_file() {
                true => {
                    "of a Rust crate: build it with `cargo build --release --target wasm32-unknown-unknown` (crate-type = [\"cdylib\"]) and name the module"
                }
                false => "without C or C++ files; name a module or a source file",
            };
            return Err(unreadable(mend.to_owned()));
        }
        if files.len() > MOST_FILES {
            let count = files.len();
            return Err(unreadable(format!(
                "of {count} C files, more than the {MOST_FILES} that are compiled at once"
            )));
        }
        let language = match files.iter().any(|file| Language::of(file) == Some(Language::Cpp)) {
            true => Language::Cpp,
            false => Language::C,
        };
        Ok(Source { language, path: path.to_owned(), files })
    }

    /// The last part of its name, for messages.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

/// A file as it is handed to a compiler: never taken for a flag or for a file of flags.
pub(crate) fn as_argument(file: &Path) -> PathBuf {
    match file.as_os_str().as_encoded_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(file),
        _ => file.to_owned(),
    }
}
