//! Modules that were compiled before.
//!
//! An entry is a file named by a digest of what was asked for: compiler, its version, flags, folder, source. Inside
//! stand the files that the compiler read, each with a digest of its content, then the module. An entry
//! counts as long as all of them are as they were. A damaged one does not count.

use crate::scratch;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Raised when what is written, or how modules are made, changes.
const SCHEMA: &str = "pessimum module 1";

/// Bytes of a file that a module depends on, and of an entry, at most.
const LARGEST: u64 = 1 << 28;

/// What was asked for, as a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(Digest);

impl Key {
    /// A key of these parts, in this order.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a OsStr>) -> Key {
        let mut digest = Digest::default();
        let mut add = |part: &OsStr| {
            // The length stands first, so that two lists of parts never read the same.
            digest.add(&(part.len() as u64).to_le_bytes());
            digest.add(part.as_encoded_bytes());
        };
        add(OsStr::new(SCHEMA));
        add(OsStr::new(env!("CARGO_PKG_VERSION")));
        add(std::env::current_dir().unwrap_or_default().as_os_str());
        parts.into_iter().for_each(add);
        Key(digest)
    }
}

/// The folder of entries; nothing is kept without one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cache<'a>(pub(crate) Option<&'a Path>);

impl Cache<'_> {
    fn place(&self, key: &Key) -> Option<PathBuf> {
        Some(self.0?.join(format!("{}.module", key.0.hex())))
    }

    /// The module of this key, if it was kept and every file is as it was.
    pub(crate) fn find(&self, key: &Key) -> Option<Vec<u8>> {
        let bytes = read(&self.place(key)?)?;
        let end = bytes.windows(2).position(|two| two == b"\n\n")?;
        let mut lines = std::str::from_utf8(&bytes[..end]).ok()?.lines();
        let module = &bytes[end + 2..];
        if lines.next() != Some(SCHEMA) || lines.next() != Some(&Digest::of(module).hex()) {
            return None;
        }
        let same = |line: &str| {
            let (digest, file) = line.split_once(' ')?;
            (Digest::of(&read(Path::new(file))?).hex() == digest).then_some(())
        };
        lines.try_for_each(same)?;
        Some(module.to_vec())
    }

    /// Keeps a module and what it was made from. One that cannot be kept is compiled again.
    pub(crate) fn keep(&self, key: &Key, files: &[PathBuf], module: &[u8]) {
        let _ = self.try_keep(key, files, module);
    }

    fn try_keep(&self, key: &Key, files: &[PathBuf], module: &[u8]) -> Option<()> {
        let place = self.place(key)?;
        let mut bytes = format!("{SCHEMA}\n{}\n", Digest::of(module).hex());
        for file in files {
            let name = file.to_str().filter(|name| !name.contains('\n'))?;
            bytes.push_str(&format!("{} {name}\n", Digest::of(&read(file)?).hex()));
        }
        bytes.push('\n');
        // Written beside its place first: a reader never sees half of it.
        let beside = place.with_file_name(scratch::name());
        let written = std::fs::write(&beside, [bytes.as_bytes(), module].concat())
            .and_then(|()| std::fs::rename(&beside, &place));
        if written.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        written.ok()
    }
}

fn read(file: &Path) -> Option<Vec<u8>> {
    let about = std::fs::metadata(file).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    std::fs::read(file).ok()
}

/// FNV-1a of 128 bits: tells accidents and edits. The folder is the user's own, so nobody else can
/// choose what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digest(u128);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Digest {
    fn of(bytes: &[u8]) -> Digest {
        let mut digest = Digest::default();
        digest.add(bytes);
        digest
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }

    fn hex(&self) -> String {
        format!("{:032x}", self.0)
    }
}

/// The files that a compiler says it read, in the form of a rule for make; `None` where it depends on more than
/// files.
pub(crate) fn dependencies(rule: &str) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for line in rule.replace("\\\n", " ").lines() {
        if line.starts_with("# env-dep:") {
            return None;
        }
        let Some((_, listed)) = line.split_once(": ") else { continue };
        let mut name = String::new();
        let mut chars = listed.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if chars.peek().is_some_and(|next| matches!(next, ' ' | '#')) => {
                    name.extend(chars.next());
                }
                '$' if chars.peek() == Some(&'$') => name.extend(chars.next()),
                ' ' => files.extend(taken(&mut name)),
                other => name.push(other),
            }
        }
        files.extend(taken(&mut name));
    }
    Some(files)
}

fn taken(name: &mut String) -> Option<PathBuf> {
    (!name.is_empty()).then(|| PathBuf::from(std::mem::take(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_module_is_found_while_its_files_are_as_they_were() {
        let folder = Scratch::new(None).expect("there is a temporary folder");
        let source = folder.file("a source.c");
        std::fs::write(&source, "int x;").expect("it can be written");
        let cache = Cache(Some(folder.path()));
        let key = |flag: &str| Key::of([OsStr::new("clang"), OsStr::new(flag)]);
        assert_eq!(cache.find(&key("-O1")), None);
        cache.keep(&key("-O1"), std::slice::from_ref(&source), b"\0asm\n\nmodule");
        assert_eq!(cache.find(&key("-O1")).as_deref(), Some(&b"\0asm\n\nmodule"[..]));
        assert_eq!(cache.find(&key("-O2")), None, "other flags");
        std::fs::write(&source, "int y;").expect("it can be written");
        assert_eq!(cache.find(&key("-O1")), None, "another content");
        std::fs::write(&source, "int x;").expect("it can be written");
        assert!(cache.find(&key("-O1")).is_some());
        let entry = cache.place(&key("-O1")).expect("there is a folder");
        let mut bytes = std::fs::read(&entry).expect("it is there");
        *bytes.last_mut().expect("it is not empty") ^= 1;
        std::fs::write(&entry, bytes).expect("it can be written");
        assert_eq!(cache.find(&key("-O1")), None, "a damaged entry");
    }

    #[test]
    fn parts_of_a_key_do_not_run_together() {
        let key = |parts: &[&str]| Key::of(parts.iter().map(OsStr::new));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }

    #[test]
    fn rules_for_make_are_read() {
        let files = |rule| dependencies(rule).expect("files alone");
        let shown = |rule| files(rule).iter().map(|f| f.display().to_string()).collect::<Vec<_>>();
        assert_eq!(shown("x.o: a.c \\\n  my\\ header.h b$$.h\n"), ["a.c", "my header.h", "b$.h"]);
        // As rustc writes it: every file has an empty rule of its own.
        assert_eq!(
            shown("out.wasm: lib.rs other.rs\n\nlib.rs:\nother.rs:\n"),
            ["lib.rs", "other.rs"]
        );
        assert_eq!(dependencies("o: lib.rs\n# env-dep:HOME=/x\n"), None);
    }
}
