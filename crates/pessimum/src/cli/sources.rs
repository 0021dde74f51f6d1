//! Source files that a module's debug information names.
//!
//! Whoever made the module chose the names, and what is read goes into pages and documents that
//! others see. So a name opens nothing by itself. A file is read only if it lies, after all links are
//! followed, below a folder that is the user's to show: one named with `--source`, the folder of the
//! module, the working folder. It must be a regular file of text with at most [`LARGEST`] bytes. In
//! folders that nobody named, hidden files and folders (`.git`, `.env`, `.ssh`) stay closed.

use super::Failure;
use super::files::regular;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Bytes of one source file: the greatest that is in wide use, SQLite in one file, has nine million.
const LARGEST: u64 = 16 << 20;

/// Bytes of all source files of a run, so that a module that names very many does not take the
/// memory instead.
const ALL: u64 = 64 << 20;

/// Parts of a path by which a file is still looked for.
const LAST_PARTS: usize = 8;

/// Files of one reason that are told one by one, and folders of more.
const TOLD: usize = 3;

/// The folders that sources are read from, and what was not read.
#[derive(Debug)]
pub(super) struct Sources {
    folders: Vec<Folder>,
    left: RefCell<u64>,
    refused: RefCell<BTreeMap<String, &'static str>>,
}

#[derive(Debug)]
struct Folder {
    /// Without links.
    path: PathBuf,
    /// Whether the user named it.
    named: bool,
    /// Whether the end of a name is enough: debug information often holds the path of another
    /// machine.
    by_end: bool,
}

impl Sources {
    /// The folders of a run over a module.
    pub(super) fn new(module: &Path, named: &[PathBuf]) -> Result<Sources, Failure> {
        let mut folders = Vec::new();
        for folder in named {
            let path =
                folder.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
                    Failure::usage(format!("--source {} is not a folder", folder.display()))
                })?;
            folders.push(Folder { path, named: true, by_end: true });
        }
        let beside = module.parent().filter(|folder| !folder.as_os_str().is_empty());
        for (folder, by_end) in [(beside.unwrap_or(Path::new(".")), true), (Path::new("."), false)]
        {
            // The root of the file system is nobody's project: everything lies below it.
            if let Some(path) = folder.canonicalize().ok().filter(|path| path.parent().is_some()) {
                folders.push(Folder { path, named: false, by_end });
            }
        }
        Ok(Sources { folders, left: RefCell::new(ALL), refused: RefCell::default() })
    }

    /// The text of a file, or nothing. The more of its name a place has, the sooner it is looked at; where the end of a name is
    /// that of two files, neither is read.
    pub(super) fn read(&self, name: &str) -> Option<String> {
        let mut why = None;
        let parts = Path::new(name).components().count();
        for left_out in 0..=parts {
            let mut found: Vec<(&Folder, PathBuf)> = Vec::new();
            let mut files: BTreeSet<PathBuf> = BTreeSet::new();
            for folder in &self.folders {
                let Some(place) = folder.place(name, left_out) else { continue };
                let Ok(file) = place.canonicalize() else { continue };
                found.push((folder, place));
                if file.starts_with(&folder.path) {
                    files.insert(file);
                }
            }
            if left_out > 0 && files.len() > 1 {
                why =
                    why.or(Some("there are several files of that name; --source DIR tells which"));
                break;
            }
            for (folder, place) in found {
                match self.open(folder, &place) {
                    Ok(text) => {
                        self.refused.borrow_mut().remove(name);
                        return Some(text);
                    }
                    Err(reason) => why = why.or(reason),
                }
            }
        }
        // Whether there is such a file elsewhere is not said: the maker of the module may read it.
        let why = why.unwrap_or(
            "not found below the folder of the module, the working folder or --source DIR",
        );
        self.refused.borrow_mut().insert(name.to_owned(), why);
        None
    }

    /// The text at a place, or why it was refused; no reason where there is nothing.
    fn open(&self, folder: &Folder, place: &Path) -> Result<String, Option<&'static str>> {
        let found = place.canonicalize().map_err(|_| None)?;
        let Ok(inside) = found.strip_prefix(&folder.path) else {
            let named = place.strip_prefix(&folder.path).ok();
            let below = named.is_some_and(|n| !n.components().any(|c| c == Component::ParentDir));
            return Err(below.then_some("a link leads out of the folders that may be read"));
        };
        let hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        if !folder.named && inside.components().any(hidden) {
            return Err(Some("hidden files are read only below a folder named with --source"));
        }
        if !std::fs::metadata(&found).is_ok_and(|about| about.is_file()) {
            return Err(Some("not a regular file"));
        }
        let room = LARGEST.min(*self.left.borrow());
        let bytes = regular(&found, room).map_err(|_| Some("too large, or not readable"))?;
        *self.left.borrow_mut() -= bytes.len() as u64;
        let text = String::from_utf8(bytes).map_err(|_| Some("not text in UTF-8"))?;
        if text.contains('\0') {
            return Err(Some("not text"));
        }
        Ok(text)
    }

    /// One line that says what was not read, each reason once; `None` if everything was.
    pub(super) fn note(&self) -> Option<String> {
        not_read(&self.refused.borrow())
    }

    /// The names that were not read, each with the reason.
    pub(super) fn refused(&self) -> BTreeMap<String, &'static str> {
        self.refused.borrow().clone()
    }
}

/// A file of the debug information as it is called from the working folder, where it lies below it: what annotates a pull
/// request knows no other name. Any other keeps its own.
pub(super) fn from_here(name: &str) -> String {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let below = |place: PathBuf| {
        let file = place.canonicalize().ok().filter(|file| file.is_file())?;
        Some(file.strip_prefix(here.as_ref().ok()?).ok()?.to_str()?.to_owned())
    };
    let places = [PathBuf::from(name), Path::new("/").join(name)];
    places.into_iter().find_map(below).unwrap_or_else(|| name.to_owned())
}

/// `sources not read: 12 files below /rustc/5980, /rust/deps (not found …), src/lib.rs (not text); …`.
fn not_read(refused: &BTreeMap<String, &'static str>) -> Option<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, why) in refused {
        by_reason.entry(why).or_default().push(name);
    }
    let mut is_folded = false;
    let told = by_reason.into_iter().map(|(why, names)| {
        if names.len() <= TOLD {
            return format!("{} ({why})", names.join(", "));
        }
        is_folded = true;
        let folders: BTreeSet<String> = names.iter().map(|name| root(name)).collect();
        let shown: Vec<&str> = folders.iter().take(TOLD).map(String::as_str).collect();
        let more = if folders.len() > TOLD { ", …" } else { "" };
        format!("{} files below {}{more} ({why})", names.len(), shown.join(", "))
    });
    let told: Vec<String> = told.collect();
    let all = if is_folded { "; --json and --html list them" } else { "" };
    (!told.is_empty()).then(|| format!("sources not read: {}{all}", told.join(", ")))
}

/// The two outermost folders of a file's name.
fn root(name: &str) -> String {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let is_root = |part: &Component<'_>| *part == Component::RootDir;
    let parts = if folder.components().next().is_some_and(|part| is_root(&part)) { 3 } else { 2 };
    match folder.components().take(parts).collect::<PathBuf>() {
        here if here.as_os_str().is_empty() => ".".to_owned(),
        folder => folder.display().to_string(),
    }
}

impl Folder {
    /// Where a file of this name may lie in the folder, with so many parts of its path left out.
    fn place(&self, name: &str, left_out: usize) -> Option<PathBuf> {
        let name = Path::new(name);
        if left_out == 0 {
            return Some(self.path.join(name));
        }
        // A path of another machine may be long; its last parts tell the file.
        let rest = name.components().count() - left_out;
        let end: PathBuf = name.components().skip(left_out).collect();
        (self.by_end && (1..=LAST_PARTS).contains(&rest) && end.is_relative())
            .then(|| self.path.join(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_is_looked_for_below_a_folder() {
        let folder = Folder { path: "/home/me/project".into(), named: true, by_end: true };
        let places = (0..=4).filter_map(|left_out| folder.place("/build/src/sort.c", left_out));
        let shown: Vec<_> = places.map(|p| p.display().to_string()).collect();
        assert_eq!(
            shown,
            [
                "/build/src/sort.c",
                "/home/me/project/build/src/sort.c",
                "/home/me/project/src/sort.c",
                "/home/me/project/sort.c"
            ]
        );
    }

    /// A program that touches its library names dozens of files.
    #[test]
    fn many_files_are_told_by_their_folders_and_each_reason_once() {
        let names = ["stdio/fwrite.c", "stdio/vfprintf.c", "string/memchr.c", "string/memcpy.c"];
        let mut refused: BTreeMap<String, &'static str> =
            names.iter().map(|name| (format!("libc/musl/src/{name}"), "not found")).collect();
        refused.insert("/rustc/59807616/library/alloc/src/alloc.rs".to_owned(), "not found");
        refused.insert("src/lib.rs".to_owned(), "not text");
        let said = "sources not read: 5 files below /rustc/59807616, libc/musl (not found), \
                    src/lib.rs (not text); --json and --html list them";
        assert_eq!(not_read(&refused).as_deref(), Some(said));
        refused.retain(|name, _| name == "src/lib.rs");
        assert_eq!(not_read(&refused).as_deref(), Some("sources not read: src/lib.rs (not text)"));
        assert_eq!(not_read(&BTreeMap::new()), None);
    }

    /// A crate and its harness both have a `src/lib.rs`, and here a file that this crate has not.
    #[test]
    fn of_two_files_of_one_name_the_one_with_more_of_it_is_read_or_none() {
        let root = std::env::temp_dir().join(format!("pessimum-sources-{}", std::process::id()));
        let [own, harness] = ["src", "harness/src"].map(|folder| root.join(folder));
        for (folder, text) in [(&own, "own"), (&harness, "harness")] {
            std::fs::create_dir_all(folder).expect("a folder");
            std::fs::write(folder.join("of_two.rs"), text).expect("a file");
        }
        let read = |named: &[PathBuf], name: &str| {
            Sources::new(&root.join("elsewhere/m.wasm"), named).expect("folders").read(name)
        };
        let both = [harness.clone(), own.clone()];
        assert_eq!(read(&both, "src/of_two.rs"), None, "it may be either");
        assert_eq!(read(&[root.clone(), harness.clone()], "src/of_two.rs").as_deref(), Some("own"));
        assert_eq!(read(&[own], "/w/tidy/src/of_two.rs").as_deref(), Some("own"));
        let whole = root.join("src/of_two.rs").display().to_string();
        assert_eq!(read(&both, &whole).as_deref(), Some("own"), "its place is told");
        let _ = std::fs::remove_dir_all(&root);
    }
}
