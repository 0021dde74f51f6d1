//! The text behind an instruction: its source line where the file can be read, else the
//! instructions themselves.

use pessimum_entry::Disassembly;
use pessimum_machine::Module;
use std::collections::BTreeMap;

/// The lines of the source files that were found, and the instructions of the module.
#[derive(Debug)]
pub struct SourceText<'a> {
    module: &'a Module,
    instructions: Disassembly<'a>,
    files: BTreeMap<String, Vec<String>>,
}

impl<'a> SourceText<'a> {
    /// Reads the files that the debug information names, with `read`.
    pub fn new(
        module: &'a Module,
        bytes: &'a [u8],
        read: impl Fn(&str) -> Option<String>,
    ) -> SourceText<'a> {
        let lines = |text: String| text.lines().map(str::to_owned).collect();
        let found = module.source_files().into_iter().filter_map(|name| {
            let text = read(&name)?;
            Some((name, lines(text)))
        });
        let files = found.collect();
        SourceText { module, instructions: Disassembly::of(bytes), files }
    }

    /// The lines of a file; none if it could not be read.
    pub fn file(&self, name: &str) -> &[String] {
        self.files.get(name).map_or(&[], Vec::as_slice)
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
