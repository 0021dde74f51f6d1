//! Source positions from DWARF line tables.

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
        let mut interned: HashMap<String, u32> = HashMap::new();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            let Some(program) = unit.line_program.clone() else { continue };
            let mut rows = program.rows();
            // A sequence that begins at address 0 belongs to a function the linker dropped.
            let mut sequence: Vec<Row> = Vec::new();
            let mut known: HashMap<u64, u32> = HashMap::new();
            while let Ok(Some((header, row))) = rows.next_row() {
                let file = *known.entry(row.file_index()).or_insert_with(|| {
                    let name = row.file(header).and_then(|f| file_name(&dwarf, &unit, header, f));
                    let next = interned.len() as u32;
                    *interned.entry(name.unwrap_or_else(|| "?".to_owned())).or_insert(next)
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
        let mut files: Vec<(String, u32)> = interned.into_iter().collect();
        files.sort_by_key(|f| f.1);
        map.files = files.into_iter().map(|f| Arc::from(f.0)).collect();
        map.rows.sort_by_key(|r| (r.address, !r.end));
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

/// The name as it was given to the compiler: relative to where it ran if it lies below.
fn file_name(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &gimli::Unit<Slice<'_>>,
    header: &gimli::LineProgramHeader<Slice<'_>>,
    entry: &gimli::FileEntry<Slice<'_>>,
) -> Option<String> {
    let text = |value| Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned());
    let name = text(entry.path_name())?;
    if name.starts_with('/') || entry.directory_index() == 0 {
        return Some(name);
    }
    let Some(folder) = entry.directory(header).and_then(text) else { return Some(name) };
    let ran_in = unit.comp_dir.map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default();
    let below = match folder.strip_prefix(ran_in.as_str()) {
        Some("") => return Some(name),
        Some(rest) if rest.starts_with('/') && !ran_in.is_empty() => &rest[1..],
        _ => folder.as_str(),
    };
    Some(format!("{}/{name}", below.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::known_as;

    #[test]
    fn a_file_is_named_by_what_people_know_of_its_path() {
        assert_eq!(known_as("src/sort.c"), "src/sort.c");
        assert_eq!(known_as("/home/me/project/sort.c"), "sort.c");
        assert_eq!(known_as("/rustc/1a2b/library/core/src/slice/mod.rs"), "core/src/slice/mod.rs");
        let registry = "/home/me/.cargo/registry/src/index.crates.io-1/memchr-2.7.4/src/lib.rs";
        assert_eq!(known_as(registry), "memchr-2.7.4/src/lib.rs");
    }
}
