//! What a run has done so far, kept in a folder as it goes: the same call goes on from there after
//! it was killed.
//!
//! One file for each step that took long: a size that was explored, the policies, a size that was
//! generated. Each is written beside its place and moved there, so it is there whole or not at all,
//! and each says which call it belongs to, so that another call does not take it for its own.
//! A folder that cannot be written costs the run nothing but the keeping, and the result says so.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The form of the files.
const SCHEMA: u32 = 2;

/// A folder that a run keeps its steps in.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
    call: String,
    /// Why the first step that could not be kept was not.
    failure: RefCell<Option<String>>,
}

#[derive(Serialize, Deserialize)]
struct Step<T> {
    schema: u32,
    call: String,
    step: T,
}

impl Checkpoint {
    /// The steps of the call with this fingerprint in a folder.
    pub(crate) fn new(folder: PathBuf, call: u64) -> Checkpoint {
        let call = format!("{call:016x}");
        Checkpoint { folder: folder.join("steps"), call, failure: RefCell::default() }
    }

    /// A step that an earlier run of the same call has done.
    pub(crate) fn recall<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = std::fs::read(self.file(name)).ok()?;
        let step: Step<T> = serde_json::from_slice(&bytes).ok()?;
        (step.schema == SCHEMA && step.call == self.call).then_some(step.step)
    }

    /// Keeps a step.
    pub(crate) fn keep<T: Serialize>(&self, name: &str, step: &T) {
        let step = Step { schema: SCHEMA, call: self.call.clone(), step };
        let Ok(bytes) = serde_json::to_vec(&step) else { return };
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

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }
}

/// Writes a file beside its place and moves it there, so that no reader ever sees half of it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A pipe or a device (/dev/null) is written to, not replaced.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return std::fs::write(path, bytes);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
