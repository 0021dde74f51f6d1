//! What must hold of bytes that are UTF-8, as terms.

use pessimum_term::{Arena, Op, TermId, Width};

/// Conditions, each on four neighbours at most, that hold together exactly if the bytes are UTF-8 (the table of
/// well-formed sequences in the Unicode standard).
pub(crate) fn conditions(arena: &mut Arena, bytes: &[TermId]) -> Vec<TermId> {
    let mut build = Build { arena, bytes };
    let mut all = Vec::new();
    for at in 0..bytes.len() {
        build.at(at, &mut all);
    }
    all
}

struct Build<'a> {
    arena: &'a mut Arena,
    bytes: &'a [TermId],
}

impl Build<'_> {
    fn at(&mut self, at: usize, all: &mut Vec<TermId>) {
        // A byte continues exactly if one before it has begun something that is not over.
        let (continues, below) = (self.at_least(at, 0x80), self.below(at, 0xc0));
        let continues = self.arena.binary(Op::And, continues, below);
        let mut wanted = self.arena.bool(false);
        for (back, lead) in LEADS {
            if let Some(before) = at.checked_sub(back) {
                let begun = self.at_least(before, lead);
                wanted = self.arena.binary(Op::Or, wanted, begun);
            }
        }
        all.push(self.arena.binary(Op::Eq, continues, wanted));
        // What is begun ends before the text does.
        for (length, lead) in LEADS {
            if at + length >= self.bytes.len() {
                all.push(self.below(at, lead));
                break;
            }
        }
        // Bytes that begin nothing: longer forms of ASCII, and what lies beyond the last character.
        all.push(self.below(at, 0xf5));
        for never in [0xc0, 0xc1] {
            let is = self.is(at, never);
            all.push(self.arena.not(is));
        }
        // Longer forms of shorter ones, surrogates, and again what lies beyond the last character.
        let Some(before) = at.checked_sub(1) else { return };
        for (lead, from, to) in
            [(0xe0, 0xa0, 0xff), (0xed, 0x80, 0xa0), (0xf0, 0x90, 0xff), (0xf4, 0x80, 0x90)]
        {
            let is = self.is(before, lead);
            let other = self.arena.not(is);
            let (low, high) = (self.at_least(at, from), self.below(at, to));
            let inside = self.arena.binary(Op::And, low, high);
            all.push(self.arena.binary(Op::Or, other, inside));
        }
    }

    fn at_least(&mut self, at: usize, value: u64) -> TermId {
        let below = self.below(at, value);
        self.arena.not(below)
    }

    fn below(&mut self, at: usize, value: u64) -> TermId {
        let value = self.arena.constant(Width::new(8), value);
        self.arena.binary(Op::Ult, self.bytes[at], value)
    }

    fn is(&mut self, at: usize, value: u64) -> TermId {
        let value = self.arena.constant(Width::new(8), value);
        self.arena.binary(Op::Eq, self.bytes[at], value)
    }
}

/// The least byte that begins more than so many.
const LEADS: [(usize, u64); 3] = [(1, 0xc0), (2, 0xe0), (3, 0xf0)];

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides of every border in the table.
    const BORDERS: [u8; 25] = [
        0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
        0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xfe, 0xff,
    ];

    fn agrees(arena: &mut Arena, text: &[u8]) {
        let mark = arena.mark();
        let terms: Vec<TermId> =
            text.iter().map(|byte| arena.constant(Width::new(8), u64::from(*byte))).collect();
        let yes = arena.bool(true);
        let holds = conditions(arena, &terms).into_iter().all(|condition| condition == yes);
        assert_eq!(holds, std::str::from_utf8(text).is_ok(), "{text:x?}");
        arena.undo_to(mark);
    }

    #[test]
    fn they_hold_of_utf_8_and_of_nothing_else() {
        let mut arena = Arena::new();
        agrees(&mut arena, &[]);
        for a in 0..=255 {
            agrees(&mut arena, &[a]);
            (0..=255).for_each(|b| agrees(&mut arena, &[a, b]));
        }
        for a in BORDERS {
            for b in BORDERS {
                for c in BORDERS {
                    agrees(&mut arena, &[a, b, c]);
                    for d in [0x00, 0x7f, 0x80, 0xbf, 0xc2, 0xff] {
                        agrees(&mut arena, &[a, b, c, d]);
                    }
                }
            }
        }
        agrees(&mut arena, "a\u{e9}\u{20ac}\u{1f600}z".as_bytes());
    }
}
