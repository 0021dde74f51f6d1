//! A folder for one compilation, gone afterwards.

use crate::CompileError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder that nobody else has, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder, of the user alone, below this one or, where that cannot be written, in the temporary folder.
    pub(crate) fn new(below: Option<&Path>) -> Result<Scratch, CompileError> {
        let kept = below.filter(|folder| private_folders(folder).is_ok());
        let places = kept.map(Path::to_owned).into_iter().chain([std::env::temp_dir()]);
        let mut why = String::new();
        for place in places {
            // A name may be taken by another process, or by someone who waits for us in a shared folder.
            for _ in 0..100 {
                let folder = place.join(name());
                match private_folder(&folder) {
                    Ok(()) => return Ok(Scratch(folder)),
                    Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(e) => {
                        why = format!("{}: {e}", place.display());
                        break;
                    }
                }
            }
        }
        Err(CompileError::new(format!(
            "there is no folder to compile in ({why}): set TMPDIR or XDG_CACHE_HOME to one that can be written"
        )))
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A name that is not taken.
pub(crate) fn name() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = now.map_or(0, |since| since.subsec_nanos());
    format!("work-{}-{number}-{nanos:08x}", std::process::id())
}

/// Makes a folder and what leads to it, for the user alone.
fn private_folders(folder: &Path) -> std::io::Result<()> {
    builder().recursive(true).create(folder)
}

fn private_folder(folder: &Path) -> std::io::Result<()> {
    builder().create(folder)
}

fn builder() -> std::fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has a mode to set"))]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
