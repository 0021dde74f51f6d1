//! Source positions from DWARF line tables.

use crate::inlined::Inlined;
use gimli::{EndianSlice, LittleEndian};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A position in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Location {
    /// The file as the compiler was given it: relative to where that ran, if it lies below.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 when the compiler did not say.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = known_as(&self.file);
        if self.column == 0 {
            write!(f, "{name}:{}", self.line)
        } else {
            write!(f, "{name}:{}:{}", self.line, self.column)
        }
    }
}

/// A file's name as people know it. One that is relative to where the compiler ran is kept; of the others, which
/// belong to some machine, the path within Rust's library or within a crate of the registry, else the last part.
fn known_as(file: &str) -> &str {
    let absolute = file.starts_with('/') || file.as_bytes().get(1) == Some(&b':');
    if !absolute {
        return file;
    }
    if let Some((_, inside)) = file.split_once("/library/") {
        return inside;
    }
    // A folder for the registry, then one for the crate with its version.
    if let Some((_, inside)) = file.split_once("/registry/src/")
        && let Some((_, inside)) = inside.split_once('/')
    {
        return inside;
    }
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Relative to the code section's contents, as DWARF counts in Wasm.
    address: u32,
    file: u32,
    line: u32,
    column: u32,
    statement: bool,
    end: bool,
}

/// The line table of a module; empty when it has no debug information.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// File offset of the code section's contents.
    code_start: u32,
    rows: Vec<Row>,
    files: Vec<Arc<str>>,
    inlined: Inlined,
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

impl SourceMap {
    /// Reads the line tables from the module's custom sections. Damaged debug information is no
    /// error: what cannot be read is left out.
    pub(crate) fn read(sections: &HashMap<&str, &[u8]>, code_start: u32) -> SourceMap {
        let mut map = SourceMap { code_start, ..SourceMap::default() };
        let load = |id: gimli::SectionId| -> Result<Slice<'_>, gimli::Error> {
            Ok(EndianSlice::new(sections.get(id.name()).copied().unwrap_or(&[]), LittleEndian))
        };
        let Ok(dwarf) = gimli::Dwarf::load(load) else { return map };
        let mut units = dwarf.units();
        let mut interned: HashMap<Named, u32> = HashMap::new();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            map.inlined.read(&dwarf, &unit);
            let Some(program) = unit.line_program.clone() else { continue };
            let mut rows = program.rows();
            // A sequence that begins at address 0 belongs to a function the linker dropped.
            let mut sequence: Vec<Row> = Vec::new();
            let mut known: HashMap<u64, u32> = HashMap::new();
            while let Ok(Some((header, row))) = rows.next_row() {
                let file = *known.entry(row.file_index()).or_insert_with(|| {
                    let name = row.file(header).and_then(|f| file_name(&dwarf, &unit, header, f));
                    let next = interned.len() as u32;
                    let unknown = || Named { name: "?".to_owned(), ran_in: String::new() };
                    *interned.entry(name.unwrap_or_else(unknown)).or_insert(next)
                });
                sequence.push(Row {
                    address: row.address() as u32,
                    file,
                    line: row.line().map_or(0, |l| l.get() as u32),
                    column: match row.column() {
                        gimli::ColumnType::LeftEdge => 0,
                        gimli::ColumnType::Column(c) => c.get() as u32,
                    },
                    statement: row.is_stmt(),
                    end: row.end_sequence(),
                });
                if row.end_sequence() {
                    if sequence.first().is_some_and(|r| r.address != 0) {
                        map.rows.append(&mut sequence);
                    }
                    sequence.clear();
                }
            }
        }
        let mut files: Vec<(Named, u32)> = interned.into_iter().collect();
        files.sort_by_key(|f| f.1);
        let files: Vec<Named> = files.into_iter().map(|f| f.0).collect();
        map.files = told_apart(&files).into_iter().map(Arc::from).collect();
        map.rows.sort_by_key(|r| (r.address, !r.end));
        map.inlined.sort();
        map
    }

    /// The position of the instruction at a file offset.
    pub fn locate(&self, file_offset: u32) -> Option<Location> {
        let address = file_offset.checked_sub(self.code_start)?;
        let after = self.rows.partition_point(|r| r.address <= address);
        // The last row with a line at or before the address, in the same sequence.
        let row = self.rows[..after].iter().rev().take_while(|r| !r.end).find(|r| r.line != 0)?;
        Some(self.location(row))
    }

    /// The function that the instruction at a file offset was written in, if a compiler moved it into another.
    pub(crate) fn moved_from(&self, file_offset: u32) -> Option<&str> {
        self.inlined.at(file_offset.checked_sub(self.code_start)?)
    }

    /// The positions of the instructions from one file offset to another, both included, in the
    /// order of the code.
    pub fn locate_all(&self, first: u32, last: u32) -> Vec<Location> {
        let from = first.saturating_sub(self.code_start);
        let to = last.saturating_sub(self.code_start);
        let begin = self.rows.partition_point(|r| r.address <= from);
        let end = self.rows.partition_point(|r| r.address <= to);
        let rows = self.rows.get(begin..end).unwrap_or_default().iter();
        let inside = rows.filter(|r| !r.end && r.line != 0).map(|r| self.location(r));
        self.locate(first).into_iter().chain(inside).collect()
    }

    fn location(&self, row: &Row) -> Location {
        let file = Arc::clone(&self.files[row.file as usize]);
        Location { file, line: row.line, column: row.column }
    }

    /// File offsets at which the given line begins as a statement. `file` matches the whole name
    /// or its last components.
    pub(crate) fn statements(&self, file: &str, line: u32) -> Vec<u32> {
        let matches: Vec<bool> = self
            .files
            .iter()
            .map(|f| **f == *file || f.strip_suffix(file).is_some_and(|rest| rest.ends_with('/')))
            .collect();
        let mut offsets: Vec<u32> = self
            .rows
            .iter()
            .filter(|r| !r.end && r.statement && r.line == line && matches[r.file as usize])
            .map(|r| r.address + self.code_start)
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }

    /// Whether there is no debug information.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The source files named by the line table.
    pub fn files(&self) -> &[Arc<str>] {
        &self.files
    }
}

/// A file as its unit names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Named {
    /// As it was given to the compiler: relative to where that ran if it lies below.
    name: String,
    /// Where the compiler ran, if the name is relative to it.
    ran_in: String,
}

/// The names of files, each for one file: where compilers ran in several folders and had files of one name there, as crates
/// have, they are named from the folder that has all of these.
fn told_apart(files: &[Named]) -> Vec<String> {
    let mut folders: HashMap<&str, Vec<&str>> = HashMap::new();
    for file in files.iter().filter(|file| !file.ran_in.is_empty()) {
        folders.entry(&file.name).or_default().push(&file.ran_in);
    }
    let told = |file: &Named| {
        let all = folders.get(file.name.as_str()).filter(|all| all.len() > 1);
        let Some(all) = all.filter(|_| !file.ran_in.is_empty()) else { return file.name.clone() };
        let parts = |folder: &str| folder.split('/').map(str::to_owned).collect::<Vec<_>>();
        let own = parts(&file.ran_in);
        let shared = |other: &&str| {
            parts(other).iter().zip(&own).take_while(|(one, other)| one == other).count()
        };
        let common = all.iter().map(shared).min().unwrap_or(0);
        own[common..].iter().chain([&file.name]).cloned().collect::<Vec<_>>().join("/")
    };
    files.iter().map(told).collect()
}

fn file_name(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &gimli::Unit<Slice<'_>>,
    header: &gimli::LineProgramHeader<Slice<'_>>,
    entry: &gimli::FileEntry<Slice<'_>>,
) -> Option<Named> {
    let text = |value| Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned());
    let name = text(entry.path_name())?;
    let ran_in = unit.comp_dir.map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default();
    let ran_in = ran_in.trim_end_matches('/').to_owned();
    let named = |name: String| {
        let ran_in = if name.starts_with('/') { String::new() } else { ran_in.clone() };
        Some(Named { name, ran_in })
    };
    if name.starts_with('/') || entry.directory_index() == 0 {
        return named(name);
    }
    let Some(folder) = entry.directory(header).and_then(text) else { return named(name) };
    let below = match folder.strip_prefix(ran_in.as_str()) {
        Some("") => return named(name),
        Some(rest) if rest.starts_with('/') && !ran_in.is_empty() => &rest[1..],
        _ => folder.as_str(),
    };
    named(format!("{}/{name}", below.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::{Named, known_as, told_apart};

    #[test]
    fn files_of_one_name_are_told_apart() {
        let told = |files: &[(&str, &str)]| {
            let named = |(ran_in, name): &(&str, &str)| Named {
                name: (*name).to_owned(),
                ran_in: (*ran_in).to_owned(),
            };
            told_apart(&files.iter().map(named).collect::<Vec<_>>())
        };
        let crates = [("/w/tidy", "src/lib.rs"), ("/w/tidy/pessimum", "src/lib.rs")];
        assert_eq!(told(&crates), ["src/lib.rs", "pessimum/src/lib.rs"]);
        let beside = [("/w/one", "a.c"), ("/w/two", "a.c"), ("/w/two", "b.c"), ("", "/w/a.c")];
        assert_eq!(told(&beside), ["one/a.c", "two/a.c", "b.c", "/w/a.c"]);
        assert_eq!(told(&[("", "a.c"), ("/w", "a.c")]), ["a.c", "a.c"]);
    }

    #[test]
    fn a_file_is_named_by_what_people_know_of_its_path() {
        assert_eq!(known_as("src/sort.c"), "src/sort.c");
        assert_eq!(known_as("/home/me/project/sort.c"), "sort.c");
        assert_eq!(known_as("/rustc/1a2b/library/core/src/slice/mod.rs"), "core/src/slice/mod.rs");
        let registry = "/home/me/.cargo/registry/src/index.crates.io-1/memchr-2.7.4/src/lib.rs";
        assert_eq!(known_as(registry), "memchr-2.7.4/src/lib.rs");
    }
}
