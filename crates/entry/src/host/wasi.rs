//! What WASI preview 1 answers.
//!
//! A program sees three standard streams, its arguments, the variables that were given before its name, a clock that
//! only counts how often it is asked, and random numbers from a seed. There are no files.

use std::ops::Range;

use super::Seeded;

/// The first argument of every WASI program.
const PROGRAM_NAME: &str = "program";

/// Between two questions for the time, this many nanoseconds pass.
const TICK: u64 = 1_000_000;
/// No call reads or writes through more pieces than this; beyond is `EINVAL`.
const MAX_VECTORS: u32 = 1024;

/// A WASI error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of POSIX")]
#[repr(u16)]
pub enum Errno {
    Success = 0,
    Badf = 8,
    Fault = 21,
    Inval = 28,
    Nosys = 52,
    Spipe = 70,
}

impl Errno {
    /// The number as Wasm sees it.
    pub fn code(self) -> u32 {
        self as u32
    }
}

/// A call that is carried out; every other one answers [`Errno::Nosys`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of WASI")]
pub enum WasiCall {
    ArgsGet,
    ArgsSizesGet,
    EnvironGet,
    EnvironSizesGet,
    ClockTimeGet,
    ClockResGet,
    RandomGet,
    FdRead,
    FdWrite,
    FdClose,
    FdSeek,
    FdTell,
    FdFdstatGet,
    FdFdstatSetFlags,
    FdPrestatGet,
    FdPrestatDirName,
    SchedYield,
    ProcExit,
}

impl WasiCall {
    /// The modules that WASI is imported from.
    pub const MODULES: [&'static str; 2] = ["wasi_snapshot_preview1", "wasi_unstable"];

    const ALL: [(WasiCall, &'static str, usize); 18] = [
        (WasiCall::ArgsGet, "args_get", 2),
        (WasiCall::ArgsSizesGet, "args_sizes_get", 2),
        (WasiCall::EnvironGet, "environ_get", 2),
        (WasiCall::EnvironSizesGet, "environ_sizes_get", 2),
        (WasiCall::ClockTimeGet, "clock_time_get", 3),
        (WasiCall::ClockResGet, "clock_res_get", 2),
        (WasiCall::RandomGet, "random_get", 2),
        (WasiCall::FdRead, "fd_read", 4),
        (WasiCall::FdWrite, "fd_write", 4),
        (WasiCall::FdClose, "fd_close", 1),
        (WasiCall::FdSeek, "fd_seek", 4),
        (WasiCall::FdTell, "fd_tell", 2),
        (WasiCall::FdFdstatGet, "fd_fdstat_get", 2),
        (WasiCall::FdFdstatSetFlags, "fd_fdstat_set_flags", 2),
        (WasiCall::FdPrestatGet, "fd_prestat_get", 2),
        (WasiCall::FdPrestatDirName, "fd_prestat_dir_name", 3),
        (WasiCall::SchedYield, "sched_yield", 0),
        (WasiCall::ProcExit, "proc_exit", 1),
    ];

    /// The call of that name, if it is carried out.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own, _)| *own == name).map(|&(call, ..)| call)
    }

    /// How many parameters it has.
    pub fn params(self) -> usize {
        Self::ALL.iter().find(|(call, ..)| *call == self).map_or(0, |&(.., count)| count)
    }
}

/// A word of the program's memory, as a call reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// This number.
    Known(u32),
    /// It depends on inputs.
    Unknown,
    /// It is not inside memory.
    Outside,
}

/// Something to be written to the program's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// These bytes.
    Bytes {
        /// Where.
        at: u32,
        /// What.
        bytes: Vec<u8>,
    },
    /// A stretch of the symbolic bytes that the invocation made (standard input, or the argument).
    Input {
        /// Where.
        at: u32,
        /// Which of them, counted from 0.
        range: Range<u32>,
    },
}

/// What a call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It writes to memory, in order, and returns an error number. If a write is outside memory,
    /// none that follows is made and the call returns [`Errno::Fault`].
    Return {
        /// What it returns.
        errno: Errno,
        /// What it writes.
        writes: Vec<Write>,
    },
    /// It writes these pieces of memory, address and length, to standard output (1) or error (2):
    /// `bytes` in all, a number that it then stores at `written_at`. If a piece is outside memory,
    /// or the place of that number is, nothing is written and the call returns [`Errno::Fault`].
    Output {
        /// The descriptor.
        fd: u32,
        /// The pieces.
        pieces: Vec<(u32, u32)>,
        /// Their length together.
        bytes: u32,
        /// Where that is stored.
        written_at: u32,
    },
    /// Nothing was done: the word at this address has to be known first. Make it known and call
    /// again.
    Unknown {
        /// Its address.
        at: u32,
    },
    /// The program ends with this code.
    Exit(u32),
}

/// Why a list of pieces could not be read.
enum Unread {
    Error(Errno),
    Unknown(u32),
}

impl From<Unread> for Reply {
    fn from(unread: Unread) -> Reply {
        match unread {
            Unread::Error(errno) => failure(errno),
            Unread::Unknown(at) => Reply::Unknown { at },
        }
    }
}

/// What the symbolic bytes of the invocation are to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stream {
    /// Nothing: standard input is empty and there is no argument.
    #[default]
    None,
    /// Standard input of this many bytes.
    Stdin(u32),
    /// One argument of this many bytes.
    Argv(u32),
}

/// The state of the world. It is small and `Copy`, so that a search can put it on its trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wasi {
    stream: Stream,
    /// How much of standard input has been read.
    position: u32,
    /// How often the time was asked for.
    ticks: u64,
    random: Seeded,
}

impl Wasi {
    /// The world at the beginning of a run.
    pub fn new(stream: Stream, seed: u64) -> Self {
        Self { stream, position: 0, ticks: 0, random: Seeded::new(seed) }
    }

    /// Carries out a call with these arguments, each the bit pattern of its Wasm value. `read`
    /// gives a little-endian `u32` of the program's memory.
    ///
    /// Missing arguments count as 0: whoever links the module checks its imports.
    pub fn call(&mut self, call: WasiCall, args: &[u64], read: impl FnMut(u32) -> Word) -> Reply {
        self.call_as(&[], call, args, read)
    }

    /// As [`Wasi::call`], of a program that was started by these words: variables of its environment, as in
    /// `LANG=C sort -n`, its own name, its arguments. Behind them comes the symbolic argument, if there is one.
    pub fn call_as(
        &mut self,
        words: &[String],
        call: WasiCall,
        args: &[u64],
        mut read: impl FnMut(u32) -> Word,
    ) -> Reply {
        let arg = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
        let is_stream = |fd: u32| fd <= 2;
        let (variables, words) = words.split_at(variables(words));
        match call {
            WasiCall::ArgsSizesGet => {
                let (mut count, mut bytes) = sizes(&known_arguments(words));
                if let Stream::Argv(len) = self.stream {
                    count += 1;
                    bytes += len + 1;
                }
                success(vec![word(arg(0), count), word(arg(1), bytes)])
            }
            WasiCall::ArgsGet => success(self.arguments(words, arg(0), arg(1))),
            WasiCall::EnvironSizesGet => {
                let (count, bytes) = sizes(variables);
                success(vec![word(arg(0), count), word(arg(1), bytes)])
            }
            WasiCall::EnvironGet => success(texts(variables, arg(0), arg(1)).writes),
            WasiCall::SchedYield => success(vec![]),
            WasiCall::ClockTimeGet => {
                self.ticks += 1;
                let now = self.ticks.wrapping_mul(TICK);
                success(vec![Write::Bytes { at: arg(2), bytes: now.to_le_bytes().to_vec() }])
            }
            WasiCall::ClockResGet => {
                success(vec![Write::Bytes { at: arg(1), bytes: TICK.to_le_bytes().to_vec() }])
            }
            WasiCall::RandomGet => {
                // More than a memory can hold is outside it; do not make those bytes at all.
                let last = u64::from(arg(0)) + u64::from(arg(1).saturating_sub(4));
                let is_long = arg(1) >= 4;
                if is_long && u32::try_from(last).map_or(Word::Outside, &mut read) == Word::Outside
                {
                    return failure(Errno::Fault);
                }
                success(vec![Write::Bytes {
                    at: arg(0),
                    bytes: self.random.bytes(arg(1) as usize),
                }])
            }
            WasiCall::FdRead => {
                if arg(0) != 0 {
                    return failure(Errno::Badf);
                }
                match vectors(arg(1), arg(2), &mut read) {
                    Ok(pieces) => success(self.read_stdin(&pieces, arg(3))),
                    Err(unread) => unread.into(),
                }
            }
            WasiCall::FdWrite => {
                if arg(0) != 1 && arg(0) != 2 {
                    return failure(Errno::Badf);
                }
                let pieces = match vectors(arg(1), arg(2), &mut read) {
                    Ok(pieces) => pieces,
                    Err(unread) => return unread.into(),
                };
                let bytes = pieces.iter().try_fold(0u32, |sum, &(_, len)| sum.checked_add(len));
                match bytes {
                    Some(bytes) => Reply::Output { fd: arg(0), pieces, bytes, written_at: arg(3) },
                    None => failure(Errno::Inval),
                }
            }
            WasiCall::FdClose | WasiCall::FdFdstatSetFlags if is_stream(arg(0)) => success(vec![]),
            WasiCall::FdSeek | WasiCall::FdTell if is_stream(arg(0)) => failure(Errno::Spipe),
            WasiCall::FdFdstatGet if is_stream(arg(0)) => {
                success(vec![Write::Bytes { at: arg(1), bytes: fdstat(arg(0)).to_vec() }])
            }
            WasiCall::FdClose
            | WasiCall::FdFdstatSetFlags
            | WasiCall::FdSeek
            | WasiCall::FdTell
            | WasiCall::FdFdstatGet
            | WasiCall::FdPrestatGet
            | WasiCall::FdPrestatDirName => failure(Errno::Badf),
            WasiCall::ProcExit => Reply::Exit(arg(0)),
        }
    }

    /// The words, and the symbolic argument if there is one; each ends in a NUL.
    fn arguments(&self, words: &[String], pointer: u32, buffer: u32) -> Vec<Write> {
        let Texts { mut writes, pointer, at } = texts(&known_arguments(words), pointer, buffer);
        if let Stream::Argv(len) = self.stream {
            writes.push(word(pointer, at));
            writes.push(Write::Input { at, range: 0..len });
            writes.push(Write::Bytes { at: at.wrapping_add(len), bytes: vec![0] });
        }
        writes
    }

    /// Fills the pieces in order with what is left of standard input.
    fn read_stdin(&mut self, pieces: &[(u32, u32)], count_at: u32) -> Vec<Write> {
        let len = if let Stream::Stdin(len) = self.stream { len } else { 0 };
        let start = self.position;
        let mut writes = Vec::new();
        for &(at, room) in pieces {
            let end = self.position + room.min(len - self.position);
            if end > self.position {
                writes.push(Write::Input { at, range: self.position..end });
            }
            self.position = end;
        }
        writes.push(word(count_at, self.position - start));
        writes
    }
}

/// How many of the words that start a program are variables of its environment: those before its name that assign, as a
/// shell reads them.
pub(crate) fn variables(words: &[String]) -> usize {
    let is_name = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let assigns = |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    words.iter().take_while(assigns).count()
}

/// The arguments that are no input: the words, or a name for the program.
fn known_arguments(words: &[String]) -> Vec<&str> {
    match words {
        [] => vec![PROGRAM_NAME],
        words => words.iter().map(String::as_str).collect(),
    }
}

/// How many texts these are, and how many bytes with a NUL behind each.
fn sizes(texts: &[impl AsRef<str>]) -> (u32, u32) {
    let bytes = texts.iter().map(|text| text.as_ref().len() as u32 + 1).sum();
    (texts.len() as u32, bytes)
}

/// A list of texts as WASI writes it, and where what follows goes.
struct Texts {
    writes: Vec<Write>,
    pointer: u32,
    at: u32,
}

/// Writes the addresses of texts behind one another, and the texts, each with a NUL.
fn texts(texts: &[impl AsRef<str>], mut pointer: u32, mut at: u32) -> Texts {
    let mut writes = Vec::new();
    for text in texts {
        let bytes = [text.as_ref().as_bytes(), b"\0"].concat();
        writes.push(word(pointer, at));
        pointer = pointer.wrapping_add(4);
        let next = at.wrapping_add(bytes.len() as u32);
        writes.push(Write::Bytes { at, bytes });
        at = next;
    }
    Texts { writes, pointer, at }
}

fn success(writes: Vec<Write>) -> Reply {
    Reply::Return { errno: Errno::Success, writes }
}

fn failure(errno: Errno) -> Reply {
    Reply::Return { errno, writes: Vec::new() }
}

fn word(at: u32, value: u32) -> Write {
    Write::Bytes { at, bytes: value.to_le_bytes().to_vec() }
}

/// A list of (address, length).
fn vectors(
    at: u32,
    count: u32,
    read: &mut impl FnMut(u32) -> Word,
) -> Result<Vec<(u32, u32)>, Unread> {
    if count > MAX_VECTORS {
        return Err(Unread::Error(Errno::Inval));
    }
    let mut field = |index: u32| {
        let place = at.checked_add(index * 4).ok_or(Unread::Error(Errno::Fault))?;
        match read(place) {
            Word::Known(value) => Ok(value),
            Word::Unknown => Err(Unread::Unknown(place)),
            Word::Outside => Err(Unread::Error(Errno::Fault)),
        }
    };
    (0..count).map(|index| Ok((field(index * 2)?, field(index * 2 + 1)?))).collect()
}

/// A standard stream is neither a file nor a terminal; it can be read or written, nothing else.
fn fdstat(fd: u32) -> [u8; 24] {
    const RIGHT_FD_READ: u64 = 1 << 1;
    const RIGHT_FD_WRITE: u64 = 1 << 6;
    let rights = if fd == 0 { RIGHT_FD_READ } else { RIGHT_FD_WRITE };
    let mut bytes = [0; 24];
    bytes[8..16].copy_from_slice(&rights.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory that holds nothing but one list of (address, length) at 0.
    fn list(pieces: &[(u32, u32)]) -> impl FnMut(u32) -> Word {
        let words: Vec<u32> = pieces.iter().flat_map(|&(at, len)| [at, len]).collect();
        move |at| words.get(at as usize / 4).map_or(Word::Outside, |word| Word::Known(*word))
    }

    #[test]
    fn a_word_that_is_not_known_is_asked_for_and_nothing_is_done() {
        let mut wasi = Wasi::new(Stream::Stdin(10), 0);
        let before = wasi;
        let read = |at: u32| if at == 12 { Word::Unknown } else { Word::Known(1) };
        assert_eq!(wasi.call(WasiCall::FdRead, &[0, 0, 2, 500], read), Reply::Unknown { at: 12 });
        assert_eq!(wasi.call(WasiCall::FdWrite, &[1, 8, 1, 500], read), Reply::Unknown { at: 12 });
        assert_eq!(wasi, before);
    }

    #[test]
    fn standard_input_is_read_piece_by_piece() {
        let mut wasi = Wasi::new(Stream::Stdin(10), 0);
        let reply = wasi.call(WasiCall::FdRead, &[0, 0, 2, 500], list(&[(100, 4), (200, 3)]));
        let expected = vec![
            Write::Input { at: 100, range: 0..4 },
            Write::Input { at: 200, range: 4..7 },
            word(500, 7),
        ];
        assert_eq!(reply, success(expected));
        let reply = wasi.call(WasiCall::FdRead, &[0, 0, 1, 500], list(&[(100, u32::MAX)]));
        assert_eq!(reply, success(vec![Write::Input { at: 100, range: 7..10 }, word(500, 3)]));
        let reply = wasi.call(WasiCall::FdRead, &[0, 0, 1, 500], list(&[(100, 4)]));
        assert_eq!(reply, success(vec![word(500, 0)]), "the end of the input");
    }

    #[test]
    fn wrong_descriptors_and_pointers_are_errors() {
        let mut wasi = Wasi::new(Stream::None, 0);
        let mut errno = |call, args: &[u64]| match wasi.call(call, args, list(&[(0, 1)])) {
            Reply::Return { errno, .. } => errno,
            other => panic!("{other:?}"),
        };
        assert_eq!(errno(WasiCall::FdRead, &[1, 0, 1, 0]), Errno::Badf);
        assert_eq!(errno(WasiCall::FdWrite, &[0, 0, 1, 0]), Errno::Badf);
        assert_eq!(errno(WasiCall::FdWrite, &[1, 0, 2, 0]), Errno::Fault);
        assert_eq!(errno(WasiCall::FdWrite, &[1, u64::from(u32::MAX), 1, 0]), Errno::Fault);
        assert_eq!(errno(WasiCall::FdWrite, &[1, 0, 1 << 30, 0]), Errno::Inval);
        assert_eq!(errno(WasiCall::FdPrestatGet, &[3, 0]), Errno::Badf);
        assert_eq!(errno(WasiCall::FdSeek, &[1, 0, 0, 0]), Errno::Spipe);
        assert_eq!(errno(WasiCall::FdSeek, &[7, 0, 0, 0]), Errno::Badf);
        assert_eq!(errno(WasiCall::FdClose, &[1]), Errno::Success);
    }

    #[test]
    fn arguments_end_in_nul() {
        let mut wasi = Wasi::new(Stream::Argv(3), 0);
        let sizes = wasi.call(WasiCall::ArgsSizesGet, &[0, 4], list(&[]));
        assert_eq!(sizes, success(vec![word(0, 2), word(4, 12)]));
        let got = wasi.call(WasiCall::ArgsGet, &[0, 100], list(&[]));
        let expected = vec![
            word(0, 100),
            Write::Bytes { at: 100, bytes: b"program\0".to_vec() },
            word(4, 108),
            Write::Input { at: 108, range: 0..3 },
            Write::Bytes { at: 111, bytes: vec![0] },
        ];
        assert_eq!(got, success(expected));
        let words = ["grep".to_owned(), "-E".to_owned()];
        let sizes = wasi.call_as(&words, WasiCall::ArgsSizesGet, &[0, 4], list(&[]));
        assert_eq!(sizes, success(vec![word(0, 3), word(4, 12)]));
        let got = wasi.call_as(&words, WasiCall::ArgsGet, &[0, 100], list(&[]));
        let expected = vec![
            word(0, 100),
            Write::Bytes { at: 100, bytes: b"grep\0".to_vec() },
            word(4, 105),
            Write::Bytes { at: 105, bytes: b"-E\0".to_vec() },
            word(8, 108),
            Write::Input { at: 108, range: 0..3 },
            Write::Bytes { at: 111, bytes: vec![0] },
        ];
        assert_eq!(got, success(expected));
    }

    #[test]
    fn variables_stand_before_the_name() {
        let mut wasi = Wasi::new(Stream::None, 0);
        let words = ["LANG=C", "_x1=", "sort", "A=b"].map(str::to_owned);
        let sizes = wasi.call_as(&words, WasiCall::EnvironSizesGet, &[0, 4], list(&[]));
        assert_eq!(sizes, success(vec![word(0, 2), word(4, 12)]));
        let got = wasi.call_as(&words, WasiCall::EnvironGet, &[0, 100], list(&[]));
        let expected = vec![
            word(0, 100),
            Write::Bytes { at: 100, bytes: b"LANG=C\0".to_vec() },
            word(4, 107),
            Write::Bytes { at: 107, bytes: b"_x1=\0".to_vec() },
        ];
        assert_eq!(got, success(expected));
        let sizes = wasi.call_as(&words, WasiCall::ArgsSizesGet, &[0, 4], list(&[]));
        assert_eq!(sizes, success(vec![word(0, 2), word(4, 9)]));
        assert_eq!(variables(&["=x".to_owned()]) + variables(&["2=x".to_owned()]), 0);
    }

    #[test]
    fn time_passes_and_chance_repeats() {
        let mut wasi = Wasi::new(Stream::None, 5);
        let first = wasi.call(WasiCall::ClockTimeGet, &[0, 0, 8], list(&[]));
        let second = wasi.call(WasiCall::ClockTimeGet, &[0, 0, 8], list(&[]));
        assert_ne!(first, second);
        let bytes = Seeded::new(5).bytes(9);
        let random = wasi.call(WasiCall::RandomGet, &[32, 9], |_| Word::Known(0));
        assert_eq!(random, success(vec![Write::Bytes { at: 32, bytes }]));
        assert_eq!(wasi.call(WasiCall::ProcExit, &[3], list(&[])), Reply::Exit(3));
    }

    #[test]
    fn every_call_is_found_by_its_name() {
        for (call, name, params) in WasiCall::ALL {
            assert_eq!(WasiCall::parse(name), Some(call));
            assert_eq!(call.params(), params);
        }
        assert_eq!(WasiCall::parse("path_open"), None);
    }
}
