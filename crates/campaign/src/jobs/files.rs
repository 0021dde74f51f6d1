//! The files of a folder of jobs: one line that says what the file is, with a checksum, then its content.
//!
//! A file is there whole or not at all. One of another version, module or plan is refused with a sentence; one that is
//! damaged says so.

use crate::checkpoint::{checksum, write_whole};
use crate::error::Error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The form of the files.
const SCHEMA: u32 = 1;

/// What made the files.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of a file, at most: no device goes on for ever.
const LARGEST: u64 = 1 << 30;

/// What all files of a folder have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Belonging {
    /// Checksum of the module.
    pub(crate) module: String,
    /// Checksum of what was planned.
    pub(crate) plan: String,
}

impl Belonging {
    /// To a module and a plan for it.
    pub(crate) fn of(module: &[u8], wanted: &[u8]) -> Belonging {
        let module = checksum(&[module]);
        let plan =
            checksum(&[&SCHEMA.to_le_bytes(), VERSION.as_bytes(), module.as_bytes(), wanted]);
        Belonging { module, plan }
    }
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Header {
    schema: u32,
    version: String,
    module: String,
    plan: String,
    kind: String,
    checksum: String,
}

impl Header {
    fn sum(&self, content: &[u8]) -> String {
        let schema = self.schema.to_le_bytes();
        let texts = [&self.version, &self.module, &self.plan, &self.kind].map(|t| t.as_bytes());
        let [version, module, plan, kind] = texts;
        checksum(&[&schema, version, module, plan, kind, content])
    }
}

/// A file that was read.
pub(crate) struct Sealed<T> {
    pub(crate) content: T,
    pub(crate) belonging: Belonging,
    /// Its checksum, by which others refer to it.
    pub(crate) checksum: String,
}

/// Why a file could not be read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// There is none.
    Absent,
    /// It is not what was written.
    Damaged,
    /// It is of somebody else; the sentence says whose.
    Foreign(String),
}

impl Unread {
    /// The sentence for a file that has to be there.
    pub(crate) fn needed(self, file: &Path, mend: &str) -> Error {
        let file = file.display();
        Error::Usage(match self {
            Unread::Absent => format!("there is no {file}: {mend}"),
            Unread::Damaged => format!("{file} is damaged: {mend}"),
            Unread::Foreign(why) => format!("{file} {why}: {mend}"),
        })
    }
}

/// Writes a file that says of itself what it is; its checksum.
pub(crate) fn write(
    file: &Path,
    kind: &str,
    belonging: &Belonging,
    content: &impl Serialize,
) -> Result<String, Error> {
    let wrong = |why: String| Error::Usage(format!("cannot write {}: {why}", file.display()));
    let content = serde_json::to_vec(content).map_err(|e| wrong(e.to_string()))?;
    let mut header = Header {
        schema: SCHEMA,
        version: VERSION.to_owned(),
        module: belonging.module.clone(),
        plan: belonging.plan.clone(),
        kind: kind.to_owned(),
        checksum: String::new(),
    };
    header.checksum = header.sum(&content);
    let mut bytes = serde_json::to_vec(&header).map_err(|e| wrong(e.to_string()))?;
    bytes.push(b'\n');
    bytes.extend(content);
    if bytes.len() as u64 > LARGEST {
        return Err(wrong(format!(
            "it would have more than {LARGEST} bytes; plan with fewer tests (--max-tests)"
        )));
    }
    write_whole(file, &bytes).map_err(|e| wrong(e.to_string()))?;
    Ok(header.checksum)
}

/// Reads a file of this kind; one that belongs elsewhere is refused.
pub(crate) fn read<T: DeserializeOwned>(
    file: &Path,
    kind: &str,
    belonging: Option<&Belonging>,
) -> Result<Sealed<T>, Unread> {
    let bytes = bytes(file)?;
    let mut parts = bytes.splitn(2, |b| *b == b'\n');
    let (Some(line), Some(content)) = (parts.next(), parts.next()) else {
        return Err(Unread::Damaged);
    };
    // Of another version, nothing but its name can be told.
    let about: serde_json::Value = serde_json::from_slice(line).map_err(|_| Unread::Damaged)?;
    let version = about.get("version").and_then(|v| v.as_str()).ok_or(Unread::Damaged)?;
    let foreign = |why: String| Err(Unread::Foreign(why));
    if version != VERSION || about.get("schema").and_then(|s| s.as_u64()) != Some(SCHEMA.into()) {
        return foreign(format!("was made by pessimum {version}, and this is {VERSION}"));
    }
    let header: Header = serde_json::from_value(about).map_err(|_| Unread::Damaged)?;
    if header.checksum != header.sum(content) {
        return Err(Unread::Damaged);
    }
    if let Some(belonging) = belonging {
        if header.module != belonging.module {
            return foreign("is of another module".to_owned());
        }
        if header.plan != belonging.plan {
            return foreign("is of another plan for the same module".to_owned());
        }
    }
    if header.kind != kind {
        return foreign(format!("is not {kind} but {}", header.kind));
    }
    let content = serde_json::from_slice(content).map_err(|_| Unread::Damaged)?;
    let belonging = Belonging { module: header.module, plan: header.plan };
    Ok(Sealed { content, belonging, checksum: header.checksum })
}

/// The bytes of a regular file; what cannot be read is as good as damaged.
pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>, Unread> {
    // Opening a pipe would wait for somebody to write.
    let about = std::fs::metadata(file).map_err(|_| Unread::Absent)?;
    if !about.is_file() || about.len() > LARGEST {
        return Err(Unread::Damaged);
    }
    let mut bytes = Vec::new();
    let file = File::open(file).map_err(|_| Unread::Damaged)?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|_| Unread::Damaged)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn place(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pessimum-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        folder.join(name)
    }

    fn ours() -> Belonging {
        Belonging::of(b"module", b"wanted")
    }

    #[test]
    fn no_flipped_bit_is_believed() {
        let file = place("flipped");
        write(&file, "job 1", &ours(), &[1, 2, 3]).expect("it is written");
        let sound = std::fs::read(&file).expect("it was written");
        let read = || read::<Vec<u64>>(&file, "job 1", Some(&ours()));
        assert_eq!(read().map(|r| r.content).ok(), Some(vec![1, 2, 3]));
        for at in 0..sound.len() {
            for bit in 0..8 {
                let mut flipped = sound.clone();
                flipped[at] ^= 1 << bit;
                std::fs::write(&file, &flipped).expect("it can be written");
                assert!(read().is_err(), "byte {at}, bit {bit}");
            }
            std::fs::write(&file, &sound[..at]).expect("it can be written");
            assert!(read().is_err(), "the first {at} bytes");
        }
    }

    #[test]
    fn what_belongs_elsewhere_is_refused_in_words() {
        let file = place("elsewhere");
        write(&file, "job 1", &ours(), &7).expect("it is written");
        let said =
            |kind: &str, belonging: &Belonging| match read::<u64>(&file, kind, Some(belonging)) {
                Err(Unread::Foreign(why)) => why,
                Err(other) => panic!("{other:?}"),
                Ok(_) => panic!("it was read"),
            };
        assert_eq!(said("job 2", &ours()), "is not job 2 but job 1");
        assert_eq!(said("job 1", &Belonging::of(b"other", b"wanted")), "is of another module");
        let other = Belonging::of(b"module", b"other");
        assert_eq!(said("job 1", &other), "is of another plan for the same module");
        let text = std::fs::read_to_string(&file).expect("it was written");
        let version = format!("\"version\":\"{VERSION}\"");
        std::fs::write(&file, text.replace(&version, "\"version\":\"9.9.9\"")).expect("written");
        assert!(said("job 1", &ours()).starts_with("was made by pessimum 9.9.9, and this is "));
    }
}
