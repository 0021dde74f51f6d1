//! Where the values of a run come from.

use pessimum_entry::{InputError, InputReader, InputValues, Slot};

/// The input of a run.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// Values with their types.
    Values(&'a InputValues),
    /// The same as raw bytes, little-endian, whose types the program decides.
    Raw(&'a [u8]),
}

/// An input with a mark at the next value, owned so that the engine's host functions can hold it.
#[derive(Debug)]
pub(crate) struct Feed {
    source: Source,
    made: InputValues,
}

#[derive(Debug)]
enum Source {
    Values(InputValues, usize),
    Raw(Vec<u8>, usize),
}

impl Feed {
    pub(crate) fn new(input: Input<'_>) -> Self {
        let source = match input {
            Input::Values(values) => Source::Values(values.clone(), 0),
            Input::Raw(bytes) => Source::Raw(bytes.to_vec(), 0),
        };
        Self { source, made: InputValues::new() }
    }

    /// Makes the next input and says what it is worth.
    pub(crate) fn next(&mut self, slot: Slot) -> Result<u64, InputError> {
        let position = self.made.len() + 1;
        let bits = match &mut self.source {
            Source::Values(values, at) => {
                let rest = values.iter().as_slice().get(*at..).unwrap_or_default();
                *at += 1;
                InputReader::Values(rest.iter()).next(slot, position)?
            }
            Source::Raw(bytes, at) => {
                let rest = bytes.get(*at..).unwrap_or_default();
                *at += slot.ty.bytes() as usize;
                InputReader::Raw(rest).next(slot, position)?
            }
        };
        self.made.push(slot, bits);
        Ok(bits)
    }

    /// What is said about values that were never asked for; nothing if there are none.
    pub(crate) fn leftover(&self) -> Option<String> {
        let (count, unit) = match &self.source {
            Source::Values(values, at) => (values.len().saturating_sub(*at), "values"),
            Source::Raw(bytes, at) => (bytes.len().saturating_sub(*at), "bytes"),
        };
        (count > 0).then(|| format!("{count} {unit} of the input were never asked for"))
    }

    pub(crate) fn into_made(self) -> InputValues {
        self.made
    }
}
