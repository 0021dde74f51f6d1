//! What a run has done so far, kept in a folder as it goes: the same call goes on from there after
//! it was killed.
//!
//! One file for each step that took long: a size that was explored, the policies, a size that was
//! generated. A file is written under a temporary name and renamed, so it is there whole or not at all, and
//! processes may share a folder. Its first line names the call and the step, with a checksum of that and of
//! the content. A file of another call is ignored. A damaged file is done again, and the result says so. Where
//! the folder cannot be written, the run goes on, and the result says so.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The form of the files.
const SCHEMA: u32 = 2;

/// Bytes of a step, at most; more than any of ours, and no device goes on for ever.
const LARGEST: u64 = 1 << 30;

/// A folder that a run keeps its steps in.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
    call: String,
    /// Why the first step that could not be kept was not.
    failure: RefCell<Option<String>>,
    /// Steps that were there and could not be believed.
    damaged: RefCell<BTreeSet<String>>,
}

/// The first line of a step.
#[derive(Serialize, Deserialize)]
struct Header {
    schema: u32,
    call: String,
    step: String,
    checksum: String,
}

impl Checkpoint {
    /// The steps of the call with this fingerprint in a folder.
    pub(crate) fn new(folder: PathBuf, call: u64) -> Checkpoint {
        let (folder, call) = (folder.join("steps"), format!("{call:016x}"));
        Checkpoint { folder, call, failure: RefCell::default(), damaged: RefCell::default() }
    }

    /// A step that an earlier run of the same call has done.
    pub(crate) fn recall<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let file = self.file(name);
        // Opening a pipe would wait for somebody to write.
        if !std::fs::metadata(&file).is_ok_and(|about| about.is_file()) {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(&file).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
        match self.content(name, &bytes) {
            FileContent::Step(content) => match serde_json::from_slice(content) {
                Ok(step) => return Some(step),
                Err(_) => drop(self.damaged.borrow_mut().insert(name.to_owned())),
            },
            FileContent::Damaged => drop(self.damaged.borrow_mut().insert(name.to_owned())),
            FileContent::OfAnother => {}
        }
        None
    }

    /// The content of a step, if it is whole and ours.
    fn content<'a>(&self, name: &str, bytes: &'a [u8]) -> FileContent<'a> {
        let mut parts = bytes.splitn(2, |b| *b == b'\n');
        let (Some(header), Some(content)) = (parts.next(), parts.next()) else {
            return FileContent::Damaged;
        };
        let Ok(header) = serde_json::from_slice::<Header>(header) else {
            return FileContent::Damaged;
        };
        if header.checksum != sum(header.schema, &header.call, &header.step, content) {
            return FileContent::Damaged;
        }
        if header.schema == SCHEMA && header.call == self.call && header.step == name {
            FileContent::Step(content)
        } else {
            FileContent::OfAnother
        }
    }

    /// Keeps a step.
    pub(crate) fn keep<T: Serialize>(&self, name: &str, step: &T) {
        let Ok(content) = serde_json::to_vec(step) else { return };
        let header = Header {
            schema: SCHEMA,
            call: self.call.clone(),
            step: name.to_owned(),
            checksum: sum(SCHEMA, &self.call, name, &content),
        };
        let Ok(mut bytes) = serde_json::to_vec(&header) else { return };
        bytes.push(b'\n');
        bytes.extend(content);
        let file = self.file(name);
        let kept = std::fs::create_dir_all(&self.folder).and_then(|()| write_whole(&file, &bytes));
        if let Err(why) = kept {
            let failure = || format!("cannot write {}: {why}", file.display());
            self.failure.borrow_mut().get_or_insert_with(failure);
        }
    }

    /// Why not every step could be kept, if so.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    /// The steps that were there and were done again, since they were damaged or edited.
    pub(crate) fn damaged(&self) -> Vec<String> {
        self.damaged.borrow().iter().cloned().collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }
}

/// What a file turned out to be.
enum FileContent<'a> {
    Step(&'a [u8]),
    OfAnother,
    Damaged,
}

/// A checksum of a step and of what it belongs to.
fn sum(schema: u32, call: &str, step: &str, content: &[u8]) -> String {
    checksum(&[&schema.to_le_bytes(), call.as_bytes(), step.as_bytes(), content])
}

/// A checksum of the parts of a file: FNV-1a of 128 bits. It tells accidents and edits, not an enemy, who could write a
/// whole folder as well.
pub(crate) fn checksum(parts: &[&[u8]]) -> String {
    let mut sum: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for part in parts {
        // The length first, so that nothing moves from one part to the next unseen.
        for byte in (part.len() as u64).to_le_bytes().iter().chain(*part) {
            sum = (sum ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    format!("{sum:032x}")
}

/// Writes a file beside its place and moves it there, so that no reader ever sees half of it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A pipe or a device (/dev/null) is written to, not replaced.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return std::fs::write(path, bytes);
    }
    // A name that no other writer has, in this process or another.
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}-{number}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(name: &str) -> Checkpoint {
        let folder = std::env::temp_dir().join(format!("pessimum-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Checkpoint::new(folder, 7)
    }

    #[test]
    fn no_flipped_bit_is_believed() {
        let kept = steps("flipped");
        kept.keep("size-3", &vec![1u64, 2, 3]);
        assert_eq!(kept.recall::<Vec<u64>>("size-3"), Some(vec![1, 2, 3]));
        let file = kept.file("size-3");
        let sound = std::fs::read(&file).expect("it was kept");
        for at in 0..sound.len() {
            for bit in 0..8 {
                let mut flipped = sound.clone();
                flipped[at] ^= 1 << bit;
                std::fs::write(&file, &flipped).expect("it can be written");
                let found = kept.recall::<Vec<u64>>("size-3");
                assert!(found.is_none(), "byte {at}, bit {bit}: {found:?}");
            }
            std::fs::write(&file, &sound[..at]).expect("it can be written");
            assert_eq!(kept.recall::<Vec<u64>>("size-3"), None, "the first {at} bytes");
        }
        assert_eq!(kept.damaged(), ["size-3"]);
    }

    #[test]
    fn a_step_belongs_to_its_call_and_its_name() {
        let kept = steps("named");
        kept.keep("size-3", &3u64);
        std::fs::copy(kept.file("size-3"), kept.file("size-4")).expect("it was kept");
        assert_eq!(kept.recall::<u64>("size-4"), None);
        let other = Checkpoint { call: "8".repeat(16), ..kept.clone() };
        assert_eq!(other.recall::<u64>("size-3"), None);
        assert!(kept.damaged().is_empty() && other.damaged().is_empty());
    }
}
