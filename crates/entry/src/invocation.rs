//! How a program is entered.

use std::fmt;

use crate::call::MAX_VALUES;
use crate::{
    Arg, Call, CallSpec, InputError, InputReader, InputValues, Sizes, Slot, SpecError, Type,
};

/// The export that libFuzzer calls.
pub(crate) const FUZZER: &str = "LLVMFuzzerTestOneInput";
/// The export that WASI runs.
pub(crate) const START: &str = "_start";

/// How a program is entered, for every size at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An export is called as described.
    Call(CallSpec),
    /// `_start` of a WASI program whose standard input is n symbolic bytes.
    Stdin,
    /// `_start` of a WASI program with one argument of n symbolic bytes, none of them NUL.
    Argv,
    /// `LLVMFuzzerTestOneInput(data, size)` with n symbolic bytes.
    Fuzzer,
    /// An export without parameters, of a program that asks for its inputs by imports from the
    /// module `pessimum`.
    Program {
        /// The export.
        export: String,
    },
}

/// How a program is entered at one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// An export is called. ([`Entry::Fuzzer`] is this, too.)
    Call(Call),
    /// `_start`, with that many symbolic bytes as standard input.
    Stdin {
        /// How many.
        len: u32,
    },
    /// `_start`, with one argument of that many symbolic bytes.
    Argv {
        /// How many.
        len: u32,
    },
    /// An export without parameters is called; it asks for its inputs.
    Program {
        /// The export.
        export: String,
    },
}

impl Entry {
    /// The entry at these sizes.
    pub fn at(&self, sizes: &Sizes) -> Result<Invocation, SpecError> {
        Ok(match self {
            Entry::Call(spec) => Invocation::Call(spec.at(sizes)?),
            Entry::Stdin => Invocation::Stdin { len: stream_length(sizes)? },
            Entry::Argv => Invocation::Argv { len: stream_length(sizes)? },
            Entry::Fuzzer => {
                let len = u64::from(stream_length(sizes)?);
                let data = Arg::Array { slot: Slot::any(Type::U8), len };
                let args = vec![data, Arg::Const(i128::from(len))];
                Invocation::Call(Call { function: FUZZER.to_owned(), args })
            }
            Entry::Program { export } => Invocation::Program { export: export.clone() },
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Call(spec) => write!(f, "{spec}"),
            Entry::Stdin => write!(f, "{START} with n bytes of standard input"),
            Entry::Argv => write!(f, "{START} with an argument of n bytes"),
            Entry::Fuzzer => write!(f, "{FUZZER}(&u8[n], n)"),
            Entry::Program { export } => write!(f, "{export}()"),
        }
    }
}

impl Invocation {
    /// The export that is called.
    pub fn export(&self) -> &str {
        match self {
            Invocation::Call(call) => &call.function,
            Invocation::Stdin { .. } | Invocation::Argv { .. } => START,
            Invocation::Program { export } => export,
        }
    }

    /// Takes the values of the inputs that are made before the program runs; there must be no more.
    pub fn read(&self, mut reader: InputReader<'_>) -> Result<InputValues, InputError> {
        let values = match self {
            Invocation::Call(call) => call.read(&mut reader)?.0,
            _ => {
                let mut values = InputValues::new();
                for slot in self.slots() {
                    values.push(slot, reader.next(slot, values.len() + 1)?);
                }
                values
            }
        };
        if reader.is_empty() {
            Ok(values)
        } else {
            Err(InputError::TooLong { count: values.len() })
        }
    }

    /// The symbolic inputs that are made before the program runs, in order, but for those of a
    /// structure. A program that asks for its inputs makes them as it runs, after these.
    pub fn slots(&self) -> Vec<Slot> {
        match self {
            Invocation::Call(call) => call.slots().collect(),
            Invocation::Stdin { len } => vec![Slot::any(Type::U8); *len as usize],
            Invocation::Argv { len } => vec![Slot::within(Type::U8, 1, 255); *len as usize],
            Invocation::Program { .. } => Vec::new(),
        }
    }
}

fn stream_length(sizes: &Sizes) -> Result<u32, SpecError> {
    let n = sizes.n();
    u32::try_from(n).ok().filter(|_| n <= MAX_VALUES).ok_or_else(|| SpecError {
        what: format!("{n} symbolic bytes are more than the {MAX_VALUES} that are kept"),
        mend: "ask for a smaller size".to_owned(),
        text: format!("n = {n}"),
        span: 4..4 + n.to_string().len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_the_size() {
        let sizes = Sizes::of(3);
        assert_eq!(Entry::Stdin.at(&sizes).unwrap().slots(), vec![Slot::any(Type::U8); 3]);
        assert_eq!(
            Entry::Argv.at(&sizes).unwrap().slots(),
            vec![Slot::within(Type::U8, 1, 255); 3]
        );
        let fuzzer = Entry::Fuzzer.at(&sizes).unwrap();
        assert_eq!((fuzzer.export(), fuzzer.slots().len()), (FUZZER, 3));
        let program = Entry::Program { export: "run".into() }.at(&sizes).unwrap();
        assert_eq!((program.export(), program.slots().len()), ("run", 0));
        let error = Entry::Stdin.at(&Sizes::of(1 << 40)).expect_err("too large");
        assert_eq!(&error.text[error.span.clone()], (1u64 << 40).to_string());
    }
}
