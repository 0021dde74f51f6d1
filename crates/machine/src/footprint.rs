//! What a stretch of a run reads before it writes it: the part of a state that its future depends on.
//!
//! *Layout*: sets of bytes are sorted lists of 64-byte lines with a mask each, so an array of a
//! hundred words takes seven entries, and a union or a difference is one pass over two short lists.
//! While a stretch runs, its lines are found by a small hash table with the last line beside it:
//! *cost of an access* two comparisons and an `or` most of the time. Nothing is recorded unless
//! somebody asked ([`Machine::record_accesses`](crate::Machine::record_accesses)): the interpreter
//! loop is compiled twice, and the copy that does not record does not look.

use crate::pools::Pools;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bytes in a line.
const LINE: u64 = 64;

/// Lines beyond which a stretch counts as one that reads everything.
const MOST_LINES: usize = 1 << 14;

/// A set of bytes of the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteSet {
    lines: Vec<(u32, u64)>,
}

impl ByteSet {
    /// Whether there is no byte in it.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines in increasing order: number and mask. Byte `i` of line `l` is byte `64·l + i`.
    pub fn lines(&self) -> &[(u32, u64)] {
        &self.lines
    }

    /// Adds the bytes of `other` that are not in `except`.
    pub fn add_except(&mut self, other: &ByteSet, except: &ByteSet) {
        if other.is_empty() {
            return;
        }
        let mut out: Vec<(u32, u64)> = Vec::with_capacity(self.lines.len() + other.lines.len());
        let (mut mine, mut not) = (self.lines.iter().peekable(), except.lines.iter().peekable());
        for &(line, mask) in &other.lines {
            while not.next_if(|entry| entry.0 < line).is_some() {}
            let mask = match not.peek() {
                Some(entry) if entry.0 == line => mask & !entry.1,
                _ => mask,
            };
            while let Some(entry) = mine.next_if(|entry| entry.0 < line) {
                out.push(*entry);
            }
            let old = mine.next_if(|entry| entry.0 == line).map_or(0, |entry| entry.1);
            if mask | old != 0 {
                out.push((line, mask | old));
            }
        }
        out.extend(mine);
        self.lines = out;
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.lines.iter().map(|line| line.1.count_ones() as usize).sum()
    }

    /// Keeps the bytes that are in `other` as well.
    pub fn intersect(&mut self, other: &ByteSet) {
        let mut theirs = other.lines.iter().peekable();
        self.lines.retain_mut(|(line, mask)| {
            while theirs.next_if(|entry| entry.0 < *line).is_some() {}
            *mask &= theirs.peek().filter(|entry| entry.0 == *line).map_or(0, |entry| entry.1);
            *mask != 0
        });
    }

    /// Adds the bytes of a mask, from an address on.
    pub(crate) fn add_at(&mut self, address: u64, mask: u64) {
        let (line, shift) = ((address / LINE) as u32, address % LINE);
        let parts = [
            (line, mask << shift),
            (line + 1, mask.checked_shr((LINE - shift) as u32).unwrap_or(0)),
        ];
        let lines = parts.into_iter().filter(|part| part.1 != 0).collect();
        self.add(&ByteSet { lines });
    }

    /// Keeps the bytes that are wanted.
    pub(crate) fn retain(&mut self, mut wanted: impl FnMut(u64) -> bool) {
        self.lines.retain_mut(|(line, mask)| {
            let mut bits = *mask;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if !wanted(u64::from(*line) * LINE + u64::from(bit)) {
                    *mask &= !(1 << bit);
                }
            }
            *mask != 0
        });
    }

    /// Adds all bytes of `other`.
    pub fn add(&mut self, other: &ByteSet) {
        self.add_except(other, &ByteSet::default());
    }
}

/// Locations of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// Bytes of the memory.
    pub memory: ByteSet,
    /// Globals, one bit each.
    pub globals: u64,
    /// Inputs that were read from a stream, in increasing order.
    pub inputs: Vec<u32>,
    /// Nodes of pools whose addresses were taken for numbers, in increasing order.
    pub fixed: Vec<u64>,
}

impl Footprint {
    /// Adds what comes before it: `F = reads ∪ (F − writes)`.
    pub fn precede(&mut self, accesses: &Accesses) {
        let after = std::mem::take(&mut self.memory);
        self.memory = accesses.reads.memory.clone();
        self.memory.add_except(&after, &accesses.written);
        self.globals = accesses.reads.globals | (self.globals & !accesses.written_globals);
        self.add_inputs(&accesses.reads.inputs);
        add_sorted(&mut self.fixed, &accesses.reads.fixed);
    }

    /// Adds the locations of another.
    pub fn add(&mut self, other: &Footprint) {
        self.memory.add(&other.memory);
        self.globals |= other.globals;
        self.add_inputs(&other.inputs);
        add_sorted(&mut self.fixed, &other.fixed);
    }

    /// Adds nodes whose addresses are taken for numbers.
    pub fn fix(&mut self, nodes: impl Iterator<Item = u64>) {
        let nodes: Vec<u64> = nodes.collect();
        add_sorted(&mut self.fixed, &nodes);
    }

    /// Keeps the locations that another has as well.
    pub fn intersect(&mut self, other: &Footprint) {
        self.memory.intersect(&other.memory);
        self.globals &= other.globals;
        self.inputs.retain(|input| other.inputs.binary_search(input).is_ok());
        self.fixed.retain(|node| other.fixed.binary_search(node).is_ok());
    }

    fn add_inputs(&mut self, inputs: &[u32]) {
        add_sorted(&mut self.inputs, inputs);
    }
}

fn add_sorted<T: Copy + Ord>(into: &mut Vec<T>, more: &[T]) {
    if !more.is_empty() && into != more {
        into.extend_from_slice(more);
        into.sort_unstable();
        into.dedup();
    }
}

/// What a stretch of a run did.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// What it read before it had written it.
    pub reads: Footprint,
    /// What it has certainly overwritten.
    pub written: ByteSet,
    /// Globals that it has overwritten, one bit each.
    pub written_globals: u64,
    /// Whether it read something that is not accounted for: nothing may be concluded from the rest.
    pub opaque: bool,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    number: u32,
    read: u64,
    written: u64,
}

/// Collects the accesses of the stretch that runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    lines: Vec<Line>,
    index: FxHashMap<u32, u32>,
    last: usize,
    globals_read: u64,
    globals_written: u64,
    inputs: Vec<u32>,
    pub(crate) opaque: bool,
    /// Whose addresses are watched.
    pub(crate) pools: Arc<Pools>,
    /// Nodes whose addresses were taken for numbers.
    pub(crate) fixed: Vec<u64>,
    /// A register, and bytes of the memory, that the last instruction has made something in.
    pub(crate) unchecked: Option<usize>,
    pub(crate) unchecked_bytes: Vec<(u64, u64)>,
}

impl Recorder {
    /// Records, and watches the addresses of nodes.
    pub(crate) fn watching(pools: Arc<Pools>) -> Recorder {
        Recorder { pools, ..Recorder::default() }
    }

    /// The accesses up to now; the next stretch begins.
    pub(crate) fn take(&mut self) -> Accesses {
        self.sort();
        let (mut read, mut written) = (ByteSet::default(), ByteSet::default());
        self.put_reads(&mut read);
        self.put_written(&mut written);
        let mut inputs = std::mem::take(&mut self.inputs);
        inputs.sort_unstable();
        inputs.dedup();
        let mut fixed = std::mem::take(&mut self.fixed);
        fixed.sort_unstable();
        fixed.dedup();
        let taken = Accesses {
            reads: Footprint { memory: read, globals: self.globals_read, inputs, fixed },
            written,
            written_globals: self.globals_written,
            opaque: self.opaque,
        };
        self.clear();
        taken
    }

    /// Whether a byte that was read was written to afterwards.
    pub(crate) fn overwrote_what_it_read(&self) -> bool {
        self.lines.iter().any(|line| line.read & line.written != 0)
    }

    /// How many bytes were written.
    pub(crate) fn bytes_written(&self) -> usize {
        self.lines.iter().map(|line| line.written.count_ones() as usize).sum()
    }

    /// Globals that were read before they were set, and those that were set: one bit each.
    pub(crate) fn globals(&self) -> (u64, u64) {
        (self.globals_read, self.globals_written)
    }

    /// Puts the lines in order, for [`Recorder::put_reads`] and [`Recorder::put_written`]; nothing is recorded afterwards.
    pub(crate) fn sort(&mut self) {
        self.lines.sort_unstable_by_key(|line| line.number);
    }

    /// Writes the bytes that were read before they were written to a set.
    pub(crate) fn put_reads(&self, set: &mut ByteSet) {
        let lines = self.lines.iter().map(|line| (line.number, line.read));
        set.lines.clear();
        set.lines.extend(lines.filter(|line| line.1 != 0));
    }

    /// Writes the bytes that were written to a set.
    pub(crate) fn put_written(&self, set: &mut ByteSet) {
        let lines = self.lines.iter().map(|line| (line.number, line.written));
        set.lines.clear();
        set.lines.extend(lines.filter(|line| line.1 != 0));
    }

    #[inline]
    pub(crate) fn read(&mut self, address: u64, len: u64) {
        self.visit(address, len, |line, mask| line.read |= mask & !line.written);
    }

    #[inline]
    pub(crate) fn write(&mut self, address: u64, len: u64) {
        self.visit(address, len, |line, mask| line.written |= mask);
    }

    /// Notes that all of these bytes were read.
    pub(crate) fn read_set(&mut self, set: &ByteSet) {
        for &(number, mask) in &set.lines {
            let line = self.line(number);
            let line = &mut self.lines[line];
            line.read |= mask & !line.written;
        }
    }

    /// Notes what a stretch did that has run now, and that was recorded apart.
    pub(crate) fn follow(&mut self, stretch: &Recorder) {
        for other in &stretch.lines {
            let line = self.line(other.number);
            let line = &mut self.lines[line];
            line.read |= other.read & !line.written;
            line.written |= other.written;
        }
        self.globals_read |= stretch.globals_read & !self.globals_written;
        self.globals_written |= stretch.globals_written;
        self.inputs.extend_from_slice(&stretch.inputs);
        self.opaque |= stretch.opaque;
    }

    /// Forgets everything; the next stretch begins.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.index.clear();
        self.last = 0;
        (self.globals_read, self.globals_written, self.opaque) = (0, 0, false);
        self.inputs.clear();
        self.fixed.clear();
    }

    pub(crate) fn global_read(&mut self, global: u32) {
        match global {
            0..64 => self.globals_read |= (1 << global) & !self.globals_written,
            _ => self.opaque = true,
        }
    }

    pub(crate) fn global_write(&mut self, global: u32) {
        // One that has no bit is never forgotten either: reading it is opaque.
        if global < 64 {
            self.globals_written |= 1 << global;
        }
    }

    pub(crate) fn input(&mut self, input: u32) {
        self.inputs.push(input);
    }

    #[inline]
    fn visit(&mut self, address: u64, len: u64, change: impl Fn(&mut Line, u64)) {
        let (mut at, end) = (address, address + len);
        while at < end {
            let number = (at / LINE) as u32;
            let first = at % LINE;
            let count = (end - at).min(LINE - first);
            let mask = (u64::MAX >> (LINE - count)) << first;
            let line = match self.lines.get(self.last) {
                Some(line) if line.number == number => self.last,
                _ => self.line(number),
            };
            change(&mut self.lines[line], mask);
            at += count;
        }
    }

    fn line(&mut self, number: u32) -> usize {
        let next = self.lines.len() as u32;
        let at = *self.index.entry(number).or_insert(next);
        if at == next {
            self.lines.push(Line { number, read: 0, written: 0 });
            if self.lines.len() > MOST_LINES {
                self.opaque = true;
            }
        }
        self.last = at as usize;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(set: &ByteSet) -> Vec<u64> {
        let all = set.lines().iter().flat_map(|&(line, mask)| {
            (0..64).filter(move |i| mask >> i & 1 != 0).map(move |i| u64::from(line) * 64 + i)
        });
        all.collect()
    }

    #[test]
    fn what_is_written_first_is_not_read() {
        let mut recorder = Recorder::default();
        recorder.read(100, 2);
        recorder.write(101, 4);
        recorder.read(100, 8);
        recorder.write(126, 4);
        recorder.read(120, 8);
        let taken = recorder.take();
        let expected = [100, 101, 105, 106, 107, 120, 121, 122, 123, 124, 125];
        assert_eq!(bytes(&taken.reads.memory), expected);
        assert_eq!(bytes(&taken.written), [101, 102, 103, 104, 126, 127, 128, 129]);
        assert!(recorder.take().reads.memory.is_empty(), "each stretch is recorded for itself");
    }

    #[test]
    fn what_two_have_in_common() {
        let set = |bytes: &[u64]| {
            let mut recorder = Recorder::default();
            bytes.iter().for_each(|at| recorder.read(*at, 1));
            recorder.take().reads.memory
        };
        let mut common = set(&[1, 70, 71, 300, 1000]);
        common.intersect(&set(&[2, 71, 128, 300, 999]));
        assert_eq!(bytes(&common), [71, 300]);
    }

    #[test]
    fn an_earlier_write_takes_later_reads_out() {
        let mut recorder = Recorder::default();
        recorder.read(10, 10);
        recorder.read(200, 4);
        recorder.global_read(3);
        let mut footprint = recorder.take().reads;
        recorder.write(12, 4);
        recorder.read(64, 1);
        recorder.global_write(3);
        footprint.precede(&recorder.take());
        let expected = [10, 11, 16, 17, 18, 19, 64, 200, 201, 202, 203];
        assert_eq!(bytes(&footprint.memory), expected);
        assert_eq!(footprint.globals, 0);
    }
}
