//! The text behind an instruction: its source line where the file can be read, else the
//! instructions themselves.

use pessimum_entry::Disassembly;
use pessimum_machine::Module;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The lines of the source files that were found, and the instructions of the module.
#[derive(Debug)]
pub struct SourceText<'a> {
    module: &'a Module,
    instructions: Disassembly<'a>,
    files: BTreeMap<String, OnceCell<Vec<String>>>,
    read: Reader<'a>,
}

/// What gives the text of a file.
struct Reader<'a>(Box<ReadSource<'a>>);

/// Gives the text of a file by its name, if it may be read.
type ReadSource<'a> = dyn Fn(&str) -> Option<String> + 'a;

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reader")
    }
}

impl<'a> SourceText<'a> {
    /// The files that the debug information names, each read with `read` when a line of it is shown
    /// and not before.
    pub fn new(
        module: &'a Module,
        bytes: &'a [u8],
        read: impl Fn(&str) -> Option<String> + 'a,
    ) -> SourceText<'a> {
        let files = module.source_files().into_iter().map(|name| (name, OnceCell::new())).collect();
        let read = Reader(Box::new(read));
        SourceText { module, instructions: Disassembly::of(bytes), files, read }
    }

    /// The lines of a file; none if it could not be read.
    pub fn file(&self, name: &str) -> &[String] {
        let read = || {
            let text = (self.read.0)(name).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        self.files.get(name).map_or(&[], |lines| lines.get_or_init(read).as_slice())
    }

    /// The text at an offset of the module; empty where there is none.
    pub fn at(&self, offset: u32) -> String {
        match self.module.locate(offset) {
            Some(place) => {
                let line = (place.line as usize).checked_sub(1);
                let text = line.and_then(|line| self.file(&place.file).get(line));
                text.map(|text| text.trim().to_owned()).unwrap_or_default()
            }
            None => self.instructions.line(offset).unwrap_or_default(),
        }
    }
}
