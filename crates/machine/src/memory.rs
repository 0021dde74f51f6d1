//! Linear memory: concrete bytes with a shadow of terms, and a trail.
//!
//! A 4 KiB page gets a shadow when a term is first stored in it; the shadow names for each byte
//! the term it belongs to and which byte of the term it is, so a word that was stored whole is
//! loaded whole. Pages without a shadow cost one test per access.

use crate::addresses::{WASM_PAGE, WIDE, bytes_of, index};
use crate::footprint::ByteSet;
use crate::value::Value;
use pessimum_term::{Arena, Op, TermId, Width};

pub(crate) const PAGE_BITS: u32 = 12;
pub(crate) const PAGE: usize = 1 << PAGE_BITS;

/// Bytes from which growing takes new memory instead of clearing what it gets.
const LARGE: usize = 16 << 20;

/// Term index × 8 + byte of the term; zero for a concrete byte.
type Shadow = u32;

const _: () =
    assert!(((Arena::MOST_TERMS as u64) << 3) - 1 <= Shadow::MAX as u64, "a shadow names any term");

/// A linear memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
    shadow: Vec<Option<Box<[Shadow; PAGE]>>>,
    /// Whether any page has a shadow: until then an access needs to look at the bytes alone.
    shadowed: bool,
    max_pages: u32,
    /// Pages that numbers were written to since it was new or [restored](Memory::restore).
    written: Vec<bool>,
    /// Undo log; empty while no mark is set.
    log: Vec<Undo>,
    shadow_log: Vec<Shadow>,
}

#[derive(Clone, Copy, Debug)]
struct Undo {
    address: u32,
    len: u8,
    shadowed: bool,
    old: u64,
}

/// A copy of a memory to compare it with later.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    bytes: Vec<u8>,
    shadow: Vec<Option<Box<[Shadow; PAGE]>>>,
    /// Where the last difference was: most likely that of the next time.
    differs_at: usize,
}

/// A byte of a memory, with what was in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) address: u32,
    byte: u8,
    shadow: Shadow,
}

/// A point in the life of a memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryMark {
    log: u32,
    shadow_log: u32,
    size: u64,
}

impl Memory {
    /// `None` if it does not fit into ours.
    pub(crate) fn new(pages: u32, max_pages: u32) -> Option<Memory> {
        let size = bytes_of(pages)?;
        if !WIDE {
            Vec::<u8>::new().try_reserve_exact(size).ok()?;
        }
        Some(Memory {
            bytes: vec![0; size],
            shadow: vec![None; size >> PAGE_BITS],
            shadowed: false,
            max_pages,
            written: vec![false; size >> PAGE_BITS],
            log: Vec::new(),
            shadow_log: Vec::new(),
        })
    }

    pub(crate) fn pages(&self) -> u32 {
        (self.bytes.len() as u64 / WASM_PAGE) as u32
    }

    pub(crate) fn max_pages(&self) -> u32 {
        self.max_pages
    }

    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What it looks like now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot { bytes: self.bytes.clone(), shadow: self.shadow.clone(), differs_at: 0 }
    }

    /// Whether it is, byte for byte and term for term, what it was.
    pub(crate) fn looks_like(&self, snapshot: &mut Snapshot) -> bool {
        if snapshot.bytes.len() != self.bytes.len()
            || snapshot.bytes.get(snapshot.differs_at) != self.bytes.get(snapshot.differs_at)
        {
            return false;
        }
        let pages = snapshot.bytes.chunks(PAGE).zip(self.bytes.chunks(PAGE));
        if let Some(page) = pages.clone().position(|(a, b)| a != b) {
            let at = page * PAGE;
            let mut pairs = snapshot.bytes[at..].iter().zip(&self.bytes[at..]);
            snapshot.differs_at = at + pairs.position(|(a, b)| a != b).unwrap_or(0);
            return false;
        }
        snapshot.shadow == self.shadow
    }

    /// Grows by `pages`; the old size, or `None` when it does not fit.
    pub(crate) fn grow(&mut self, pages: u32) -> Option<u32> {
        let old = self.pages();
        let new = old.checked_add(pages).filter(|n| *n <= self.max_pages)?;
        let size = bytes_of(new)?;
        let more = size - self.bytes.len();
        if more < LARGE {
            self.bytes.try_reserve_exact(more).ok()?;
            self.bytes.resize(size, 0);
        } else {
            // Fresh pages of the operating system are zero and cost nothing until they are used.
            Vec::<u8>::new().try_reserve_exact(size).ok()?;
            let mut grown = vec![0; size];
            grown[..self.bytes.len()].copy_from_slice(&self.bytes);
            self.bytes = grown;
        }
        self.shadow.resize(size >> PAGE_BITS, None);
        self.written.resize(size >> PAGE_BITS, false);
        Some(old)
    }

    /// The same bytes, of which none counts as written.
    pub(crate) fn image(mut self) -> Memory {
        self.written.fill(false);
        self
    }

    /// Makes it what the image is that it was once a copy of; whether it could. Pages are copied where something was
    /// written, so it takes as long as the run was busy and not as long as memory is large.
    pub(crate) fn restore(&mut self, image: &Memory) -> bool {
        let size = image.bytes.len();
        if self.shadowed || !self.log.is_empty() || self.bytes.len() < size {
            return false;
        }
        let pages = self.bytes.chunks_mut(PAGE).zip(image.bytes.chunks(PAGE));
        for ((page, old), written) in pages.zip(&mut self.written) {
            if std::mem::take(written) {
                page.copy_from_slice(old);
            }
        }
        self.bytes.truncate(size);
        self.shadow.truncate(size >> PAGE_BITS);
        self.written.truncate(size >> PAGE_BITS);
        true
    }

    /// Whether any term was ever stored in it.
    pub(crate) fn has_shadow(&self) -> bool {
        self.shadowed
    }

    /// Hands out the bytes, and which pages were written, for the time of a run without terms.
    #[inline]
    pub(crate) fn take_plain(&mut self) -> (Vec<u8>, Vec<bool>) {
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.written))
    }

    /// Takes them back.
    #[inline]
    pub(crate) fn put_plain(&mut self, bytes: Vec<u8>, written: Vec<bool>) {
        (self.bytes, self.written) = (bytes, written);
    }

    /// Takes note that up to a page is written.
    #[inline(always)]
    pub(crate) fn note_written(written: &mut [bool], at: usize, len: usize) {
        for page in [at >> PAGE_BITS, (at + len - 1) >> PAGE_BITS] {
            if let Some(written) = written.get_mut(page) {
                *written = true;
            }
        }
    }

    /// Takes note that many bytes are written.
    fn note_all_written(&mut self, at: u64, len: u64) {
        if len > 0 {
            let (first, last) = (at as usize >> PAGE_BITS, (at + len - 1) as usize >> PAGE_BITS);
            self.written[first..=last].fill(true);
        }
    }

    pub(crate) fn mark(&self) -> MemoryMark {
        MemoryMark {
            log: self.log.len() as u32,
            shadow_log: self.shadow_log.len() as u32,
            size: self.size(),
        }
    }

    /// The term that a byte is of, and which of its bytes; 0 where it is a number.
    pub(crate) fn term_at(&self, address: u64) -> u32 {
        self.shadow_at(address as usize)
    }

    /// Stores since the first mark that still stands.
    pub(crate) fn logged(&self) -> usize {
        self.log.len()
    }

    pub(crate) fn undo_to(&mut self, mark: MemoryMark) {
        while self.log.len() > mark.log as usize {
            let Some(undo) = self.log.pop() else { break };
            let (at, len) = (undo.address as usize, undo.len as usize);
            self.bytes[at..at + len].copy_from_slice(&undo.old.to_le_bytes()[..len]);
            if undo.shadowed {
                let from = self.shadow_log.len() - len;
                for i in 0..len {
                    let entry = self.shadow_log[from + i];
                    self.set_shadow(at + i, entry);
                }
                self.shadow_log.truncate(from);
            }
        }
        debug_assert_eq!(self.shadow_log.len(), mark.shadow_log as usize);
        if self.size() > mark.size {
            self.bytes.truncate(mark.size as usize);
            self.shadow.truncate(mark.size as usize >> PAGE_BITS);
            self.written.truncate(mark.size as usize >> PAGE_BITS);
        }
    }

    /// Whether anything outside of `low..high` was written, or memory grown, since `mark`.
    pub(crate) fn wrote_outside(&self, mark: MemoryMark, low: u64, high: u64) -> bool {
        let outside = |u: &Undo| {
            let at = u64::from(u.address);
            at < low || at + u64::from(u.len) > high
        };
        self.size() > mark.size || self.log[mark.log as usize..].iter().any(outside)
    }

    /// Concrete little-endian bits at `address`, if in bounds and free of terms.
    #[inline(always)]
    pub(crate) fn load_concrete(&self, address: u64, len: u32) -> Option<u64> {
        let at = index(address)?;
        if self.shadowed && self.has_terms(at, len as usize) {
            return None;
        }
        let bytes = self.bytes.get(at..at + len as usize)?;
        Some(match len {
            1 => u64::from(bytes[0]),
            2 => u64::from(u16::from_le_bytes(array(bytes))),
            4 => u64::from(u32::from_le_bytes(array(bytes))),
            _ => u64::from_le_bytes(array(bytes)),
        })
    }

    /// Whether a byte in bounds belongs to a term.
    fn has_terms(&self, at: usize, len: usize) -> bool {
        let end = at + len;
        if end > self.bytes.len() {
            return false;
        }
        let page = |i: usize| self.shadow[i >> PAGE_BITS].is_some();
        (page(at) || page(end - 1)) && (at..end).any(|i| self.shadow_at(i) != 0)
    }

    /// Whether `len` bytes at `address` exist.
    #[inline]
    pub(crate) fn in_bounds(&self, address: u64, len: u64) -> bool {
        address.checked_add(len).is_some_and(|end| end <= self.size())
    }

    /// The value at an address in bounds, terms or not, as `len` bytes.
    pub(crate) fn load(&self, arena: &mut Arena, address: u64, len: u32) -> Value {
        if let Some(bits) = self.load_concrete(address, len) {
            return Value::concrete(bits);
        }
        let at = address as usize;
        let len = len as usize;
        // From the top byte down, taking bytes of one term that lie in order as one piece.
        let mut whole: Option<TermId> = None;
        let mut i = len;
        while i > 0 {
            let entry = self.shadow_at(at + i - 1);
            let mut low = i - 1;
            let piece = match TermId::from_index(entry >> 3) {
                None => {
                    while low > 0 && self.shadow_at(at + low - 1) == 0 {
                        low -= 1;
                    }
                    let mut raw = [0u8; 8];
                    raw[..i - low].copy_from_slice(&self.bytes[at + low..at + i]);
                    let width = Width::new(8 * (i - low) as u32);
                    arena.constant(width, u64::from_le_bytes(raw))
                }
                Some(t) => {
                    let mut byte = entry & 7;
                    while low > 0
                        && byte > 0
                        && self.shadow_at(at + low - 1) == entry - (entry & 7) + byte - 1
                    {
                        low -= 1;
                        byte -= 1;
                    }
                    arena.extract(t, 8 * byte, Width::new(8 * (i - low) as u32))
                }
            };
            whole = Some(match whole {
                None => piece,
                Some(upper) => arena.concat(upper, piece),
            });
            i = low;
        }
        match whole {
            Some(t) => Value::of_term(arena, t),
            None => Value::concrete(0),
        }
    }

    /// The bytes at an address in a memory that no term was ever stored in; `None` outside of it,
    /// or if one was.
    #[inline(always)]
    pub(crate) fn plain<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        if self.shadowed {
            return None;
        }
        self.bytes.get(index(address)?..)?.first_chunk().copied()
    }

    /// Where to store in a memory that no term was ever stored in; `None` outside of it, or if one
    /// was. The caller need not remember what was there.
    #[inline(always)]
    pub(crate) fn plain_mut<const N: usize>(&mut self, address: u64) -> Option<&mut [u8; N]> {
        if self.shadowed {
            return None;
        }
        let at = index(address)?;
        let place = self.bytes.get_mut(at..)?.first_chunk_mut()?;
        Self::note_written(&mut self.written, at, N);
        Some(place)
    }

    /// Stores concrete bits; `log` when a mark is set. The address is in bounds.
    #[inline]
    pub(crate) fn store_concrete(&mut self, address: u64, len: u32, bits: u64, log: bool) {
        let at = address as usize;
        let end = at + len as usize;
        let page = |i: usize| self.shadow[i >> PAGE_BITS].is_some();
        let shadowed = page(at) || page(end - 1);
        if log {
            self.remember(at, len, shadowed);
        }
        if shadowed {
            for i in at..end {
                self.set_shadow(i, 0);
            }
        }
        Self::note_written(&mut self.written, at, len as usize);
        let raw = bits.to_le_bytes();
        match len {
            4 => self.bytes[at..end].copy_from_slice(&raw[..4]),
            8 => self.bytes[at..end].copy_from_slice(&raw),
            1 => self.bytes[at] = raw[0],
            _ => self.bytes[at..end].copy_from_slice(&raw[..len as usize]),
        }
    }

    /// Stores the low `len` bytes of a value. The address is in bounds.
    pub(crate) fn store(
        &mut self,
        arena: &mut Arena,
        address: u64,
        len: u32,
        value: Value,
        log: bool,
    ) {
        let Some(t) = value.as_term() else {
            return self.store_concrete(address, len, value.bits, log);
        };
        let width = Width::new(8 * len);
        let t = if arena.width(t) == width { t } else { arena.extract(t, 0, width) };
        if let Some(bits) = arena.as_const(t) {
            return self.store_concrete(address, len, bits, log);
        }
        let at = address as usize;
        for page in [at >> PAGE_BITS, (at + len as usize - 1) >> PAGE_BITS] {
            if self.shadow[page].is_none() {
                self.shadow[page] = Some(Box::new([0; PAGE]));
                self.shadowed = true;
            }
        }
        if log {
            self.remember(at, len, true);
        }
        // A stored extract of whole bytes is kept as bytes of the term it was taken from.
        let node = *arena.node(t);
        let (base, first) = match node.op {
            Op::Extract if node.low_bit().is_multiple_of(8) => (node.arg(0), node.low_bit() / 8),
            _ => (t, 0),
        };
        for i in 0..len {
            self.set_shadow(at + i as usize, base.index() << 3 | (first + i));
        }
    }

    /// One byte as a value of eight bits.
    pub(crate) fn byte(&self, arena: &mut Arena, address: u64) -> Value {
        self.load(arena, address, 1)
    }

    /// Writes down the bytes that a mask names, from an address on that need not begin a line: which
    /// are parts of terms, then each byte.
    pub(crate) fn write_down_bytes(&self, base: u64, mask: u64, out: &mut crate::machine::Written) {
        let mut bits = mask;
        let (mut word, mut count) = (0u64, 0u32);
        let mut last = 0;
        while bits != 0 {
            let at = base + u64::from(bits.trailing_zeros());
            bits &= bits - 1;
            let entry = if self.in_bounds(at, 1) { self.shadow_at(at as usize) } else { 0 };
            match TermId::from_index(entry >> 3).filter(|_| entry != 0) {
                // The bytes of one term that follow each other are one.
                Some(_) if entry == last + 1 && entry & 7 != 0 => {
                    out.number(u64::from(entry & 7) | 8)
                }
                Some(t) => out.byte_of(t, (entry & 7) << 4),
                None => {
                    word = word << 8
                        | u64::from(
                            index(at).and_then(|i| self.bytes.get(i)).copied().unwrap_or(0),
                        );
                    count += 1;
                    if count == 8 {
                        out.number(word);
                        (word, count) = (0, 0);
                    }
                }
            }
            out.number(u64::from(entry != 0));
            last = entry;
        }
        out.number(word);
    }

    /// Writes down the bytes of a line of 64 that a mask names: first which of them are parts of
    /// terms, then the terms with the bytes of them that are there, then the numbers, eight to a word.
    pub(crate) fn write_down(&self, line: u64, mask: u64, out: &mut crate::machine::Written) {
        let base = line as usize;
        // A line lies within one page, and pages within the memory.
        let Some(page) = self.shadow.get(base >> PAGE_BITS) else {
            return out.number(u64::MAX);
        };
        let mut symbolic = 0u64;
        if let Some(page) = page {
            let shadows = &page[base & (PAGE - 1)..][..64];
            for (i, entry) in shadows.iter().enumerate() {
                symbolic |= u64::from(*entry != 0) << i;
            }
        }
        symbolic &= mask;
        out.number(symbolic);
        let mut bits = symbolic;
        while bits != 0 {
            let first = bits.trailing_zeros();
            let entry = self.shadow_at(base + first as usize);
            let mut count = 0;
            // The bytes of one term that follow each other are one.
            while bits >> first >> count & 1 != 0
                && (entry & 7) + count < 8
                && self.shadow_at(base + (first + count) as usize) == entry + count
            {
                bits &= !(1 << (first + count));
                count += 1;
                if first + count == 64 {
                    break;
                }
            }
            if let Some(t) = TermId::from_index(entry >> 3) {
                out.byte_of(t, (entry & 7) << 4 | count);
            }
        }
        let mut numbers = mask & !symbolic;
        let (mut word, mut count) = (0u64, 0u32);
        while numbers != 0 {
            let at = base + numbers.trailing_zeros() as usize;
            numbers &= numbers - 1;
            word = word << 8 | u64::from(self.bytes[at]);
            count += 1;
            if count == 8 {
                out.number(word);
                (word, count) = (0, 0);
            }
        }
        if count > 0 {
            out.number(word);
        }
    }

    /// Writes down the bytes of a set.
    pub(crate) fn write_down_set(&self, set: &ByteSet, out: &mut crate::machine::Written) {
        for &(line, mask) in set.lines() {
            self.write_down(u64::from(line) * 64, mask, out);
        }
    }

    /// What is in the bytes of a set, as far as they exist.
    pub(crate) fn cells(&self, set: &ByteSet, cells: &mut Vec<Cell>) {
        cells.clear();
        for &(line, mask) in set.lines() {
            let mut bits = mask;
            while bits != 0 {
                let at = line as usize * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(&byte) = self.bytes.get(at) {
                    cells.push(Cell { address: at as u32, byte, shadow: self.shadow_at(at) });
                }
            }
        }
    }

    /// Puts bytes back as they were; `log` when a mark is set.
    pub(crate) fn put_back(&mut self, cells: &[Cell], log: bool) {
        for cell in cells {
            let at = cell.address as usize;
            let page = at >> PAGE_BITS;
            if cell.shadow != 0 && self.shadow[page].is_none() {
                self.shadow[page] = Some(Box::new([0; PAGE]));
                self.shadowed = true;
            }
            if log {
                self.remember(at, 1, self.shadow[page].is_some());
            }
            Self::note_written(&mut self.written, at, 1);
            self.bytes[at] = cell.byte;
            self.set_shadow(at, cell.shadow);
        }
    }

    /// Stores a slice; in bounds.
    pub(crate) fn write_bytes(&mut self, address: u64, bytes: &[u8], log: bool) {
        let mut at = address;
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.store_concrete(at, 8, u64::from_le_bytes(array(chunk)), log);
            at += 8;
        }
        for b in chunks.remainder() {
            self.store_concrete(at, 1, u64::from(*b), log);
            at += 1;
        }
    }

    /// `memory.copy`; both ranges in bounds.
    pub(crate) fn copy_within(&mut self, to: u64, from: u64, len: u64, log: bool) {
        if len == 0 || to == from {
            return;
        }
        // The shadow moves with the bytes; forwards or backwards as the overlap asks.
        let move_byte = |this: &mut Memory, i: u64| {
            let (src, dst) = ((from + i) as usize, (to + i) as usize);
            let entry = this.shadow_at(src);
            if entry != 0 && this.shadow[dst >> PAGE_BITS].is_none() {
                this.shadow[dst >> PAGE_BITS] = Some(Box::new([0; PAGE]));
            }
            let shadowed = this.shadow[dst >> PAGE_BITS].is_some();
            if log {
                this.remember(dst, 1, shadowed);
            }
            if shadowed {
                this.set_shadow(dst, entry);
            }
            this.bytes[dst] = this.bytes[src];
        };
        self.note_all_written(to, len);
        if !log && !self.any_shadow(from, len) && !self.any_shadow(to, len) {
            self.bytes.copy_within(from as usize..(from + len) as usize, to as usize);
        } else if to < from {
            (0..len).for_each(|i| move_byte(self, i));
        } else {
            (0..len).rev().for_each(|i| move_byte(self, i));
        }
    }

    /// `memory.fill` with a byte; in bounds.
    pub(crate) fn fill(&mut self, arena: &mut Arena, to: u64, value: Value, len: u64, log: bool) {
        match value.as_concrete() {
            Some(b) if !log && !self.any_shadow(to, len) => {
                self.note_all_written(to, len);
                self.bytes[to as usize..(to + len) as usize].fill(b as u8);
            }
            Some(b) => {
                let word = u64::from(b as u8) * 0x0101_0101_0101_0101;
                let mut at = to;
                while at + 8 <= to + len {
                    self.store_concrete(at, 8, word, log);
                    at += 8;
                }
                for i in at..to + len {
                    self.store_concrete(i, 1, word, log);
                }
            }
            None => {
                for i in 0..len {
                    self.store(arena, to + i, 1, value, log);
                }
            }
        }
    }

    fn any_shadow(&self, at: u64, len: u64) -> bool {
        if len == 0 {
            return false;
        }
        let (first, last) = (at as usize >> PAGE_BITS, (at + len - 1) as usize >> PAGE_BITS);
        self.shadow[first..=last].iter().any(Option::is_some)
    }

    #[inline]
    fn remember(&mut self, at: usize, len: u32, shadowed: bool) {
        let mut raw = [0u8; 8];
        raw[..len as usize].copy_from_slice(&self.bytes[at..at + len as usize]);
        let old = u64::from_le_bytes(raw);
        if shadowed {
            for i in 0..len as usize {
                let entry = self.shadow_at(at + i);
                self.shadow_log.push(entry);
            }
        }
        self.log.push(Undo { address: at as u32, len: len as u8, shadowed, old });
    }

    #[inline]
    fn shadow_at(&self, at: usize) -> Shadow {
        match &self.shadow[at >> PAGE_BITS] {
            Some(page) => page[at & (PAGE - 1)],
            None => 0,
        }
    }

    #[inline]
    fn set_shadow(&mut self, at: usize, entry: Shadow) {
        if let Some(page) = &mut self.shadow[at >> PAGE_BITS] {
            page[at & (PAGE - 1)] = entry;
        }
    }
}

#[inline]
fn array<const N: usize>(slice: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(slice);
    out
}
