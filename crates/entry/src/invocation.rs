//! How a program is entered.

use std::fmt;
use std::sync::Arc;

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
    /// As one of these two, started by words that are known: `sort -n`, with variables of the environment before the
    /// program's name: `LANG=C sort -n`.
    Command {
        /// The words; the argument of n bytes comes behind them.
        words: Arc<[String]>,
        /// Which input is unknown.
        unknown: Unknown,
    },
    /// `LLVMFuzzerTestOneInput(data, size)` with n symbolic bytes.
    Fuzzer,
    /// An export without parameters, of a program that asks for its inputs by imports from the
    /// module `pessimum`.
    Program {
        /// The export.
        export: String,
    },
}

/// Which input of a WASI program is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Standard input.
    Stdin,
    /// The last argument.
    Argument,
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
        /// The words that start the program; none for a name alone.
        words: Arc<[String]>,
    },
    /// `_start`, with one argument of that many symbolic bytes.
    Argv {
        /// How many.
        len: u32,
        /// The words before it; none for a name alone.
        words: Arc<[String]>,
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
            Entry::Stdin => Invocation::stdin(sizes, &Arc::default())?,
            Entry::Argv => Invocation::argv(sizes, &Arc::default())?,
            Entry::Command { words, unknown: Unknown::Stdin } => Invocation::stdin(sizes, words)?,
            Entry::Command { words, unknown: Unknown::Argument } => Invocation::argv(sizes, words)?,
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

impl Entry {
    /// `_start`, by words as a shell would split them: at blanks, but for those in quotes.
    pub fn command(text: &str, unknown: Unknown) -> Result<Entry, SpecError> {
        let wrong = |what: &str, mend: &str, span: std::ops::Range<usize>| SpecError {
            what: what.to_owned(),
            mend: mend.to_owned(),
            text: text.to_owned(),
            span,
        };
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for (at, c) in text.char_indices() {
            match (quote, c) {
                (_, '\0') => {
                    let mend = "leave it out";
                    return Err(wrong("an argument ends at a NUL", mend, at..at + 1));
                }
                (Some((_, open)), c) if c == open => quote = None,
                (None, '"' | '\'') => {
                    quote = Some((at, c));
                    word.get_or_insert_default();
                }
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        if let Some((at, open)) = quote {
            return Err(wrong(
                "a quote is not closed",
                &format!("put a {open} behind it"),
                at..at + 1,
            ));
        }
        words.extend(word);
        if crate::host::variables(&words) == words.len() {
            let mend =
                "write the program's name before its arguments, as in --argv='LANG=C sort -n'";
            return Err(wrong("no word names the program", mend, 0..text.len()));
        }
        Ok(Entry::Command { words: words.into(), unknown })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Call(spec) => write!(f, "{spec}"),
            Entry::Stdin => write!(f, "{START} with n bytes of standard input"),
            Entry::Argv => write!(f, "{START} with an argument of n bytes"),
            Entry::Command { words, unknown } => {
                let what = match unknown {
                    Unknown::Stdin => "n bytes of standard input",
                    Unknown::Argument => "an argument of n bytes",
                };
                write!(f, "{START} with {what}, as")?;
                let plain = |word: &str| !word.is_empty() && !word.contains([' ', '\t', '\'', '"']);
                words.iter().try_for_each(|word| match plain(word) {
                    true => write!(f, " {word}"),
                    false => write!(f, " {word:?}"),
                })
            }
            Entry::Fuzzer => write!(f, "{FUZZER}(&u8[n], n)"),
            Entry::Program { export } => write!(f, "{export}()"),
        }
    }
}

impl Invocation {
    fn stdin(sizes: &Sizes, words: &Arc<[String]>) -> Result<Invocation, SpecError> {
        Ok(Invocation::Stdin { len: stream_length(sizes)?, words: Arc::clone(words) })
    }

    fn argv(sizes: &Sizes, words: &Arc<[String]>) -> Result<Invocation, SpecError> {
        Ok(Invocation::Argv { len: stream_length(sizes)?, words: Arc::clone(words) })
    }

    /// The words that start a WASI program; none for a name alone.
    pub fn words(&self) -> Arc<[String]> {
        match self {
            Invocation::Stdin { words, .. } | Invocation::Argv { words, .. } => Arc::clone(words),
            Invocation::Call(_) | Invocation::Program { .. } => Arc::default(),
        }
    }

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
            Invocation::Stdin { len, .. } => vec![Slot::any(Type::U8); *len as usize],
            Invocation::Argv { len, .. } => vec![Slot::within(Type::U8, 1, 255); *len as usize],
            Invocation::Program { .. } => Vec::new(),
        }
    }

    /// What a person calls an input, by its number: `a[3]`, `points[2].x`, `stdin[3]`. `parameters` are the names
    /// of those of the function that is called, as far as they are known. `None` where inputs of a structure come
    /// before, and for what the program asks for as it runs.
    ///
    /// ```
    /// use pessimum_entry::{CallSpec, Entry, Sizes};
    ///
    /// let called = Entry::Call(CallSpec::parse("find(&i32[n], n, i32)")?).at(&Sizes::of(3))?;
    /// let parameters = ["a", "n", "wanted"].map(str::to_owned);
    /// let names = [1, 3, 4].map(|input| called.input_name(&parameters, input));
    /// assert_eq!(names, [Some("a[1]".to_owned()), Some("wanted".to_owned()), None]);
    /// # Ok::<(), pessimum_entry::SpecError>(())
    /// ```
    pub fn input_name(&self, parameters: &[String], input: usize) -> Option<String> {
        let (stream, len) = match self {
            Invocation::Call(call) => return call.input_name(parameters, input),
            Invocation::Stdin { len, .. } => ("stdin", *len),
            Invocation::Argv { len, .. } => ("argv", *len),
            Invocation::Program { .. } => return None,
        };
        (input < len as usize).then(|| format!("{stream}[{input}]"))
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
    fn words_are_split_as_a_shell_does() {
        let entry = Entry::command("sort -k  '2 3' \"\" -n", Unknown::Stdin).unwrap();
        let Entry::Command { words, .. } = &entry else { panic!("{entry}") };
        assert_eq!(**words, ["sort", "-k", "2 3", "", "-n"]);
        assert_eq!(
            entry.to_string(),
            "_start with n bytes of standard input, as sort -k \"2 3\" \"\" -n"
        );
        let invocation = entry.at(&Sizes::of(3)).unwrap();
        assert_eq!((invocation.slots().len(), invocation.words().len()), (3, 5));
        let open = Entry::command("grep 'a", Unknown::Argument).unwrap_err();
        assert_eq!(open.span, 5..6);
        assert!(Entry::command(" ", Unknown::Argument).is_err());
    }

    #[test]
    fn inputs_are_called_by_argument_and_index() {
        let at_2 = |entry: &Entry| entry.at(&Sizes::of(2)).expect("it has a size");
        let named = |entry: &Entry| {
            let (at_2, parameters) = (at_2(entry), ["a".to_owned()]);
            (0..).map_while(|i| at_2.input_name(&parameters, i)).collect::<Vec<_>>()
        };
        let call = |text: &str| Entry::Call(CallSpec::parse(text).expect("it is a call"));
        assert_eq!(
            named(&call("f(&u8[n], n, &cstr[1], i32)")),
            ["a[0]", "a[1]", "argument_3[0]", "argument_4"]
        );
        assert_eq!(named(&call("f(&i32[n] step 12)")), ["a[0]", "a[1]"]);
        assert_eq!(named(&Entry::Stdin), ["stdin[0]", "stdin[1]"]);
        assert_eq!(named(&Entry::Argv), ["argv[0]", "argv[1]"]);
        assert!(named(&Entry::Program { export: "run".into() }).is_empty());
    }

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
