//! Pieces of a pattern, and what they come to at a length.

use super::length::{Length, Of};
use pessimum_entry::Slot;
use serde::{Deserialize, Serialize};

/// Letters of a key.
const KEY: usize = 4;

/// Where a value of a laid out array comes from: the piece, and the place in it.
pub(crate) type Origin = (usize, usize);

/// What changes in a piece from one round to the next.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Change {
    /// Nothing.
    Nothing,
    /// The `width` values that end before `end` count the rounds, in digits of this base.
    Count {
        /// The place behind the last digit.
        end: usize,
        /// How many digits there are.
        width: usize,
        /// How many values a digit has.
        base: u64,
    },
    /// The value at this place is another name in each round, the shortest first: as many values as it takes, of all
    /// that the input may have but those that mean something.
    Name {
        /// The place.
        at: usize,
        /// Values that are no letters of a name, in order.
        without: Vec<u64>,
    },
    /// The value at this place stands once more in each round.
    Grow {
        /// The place.
        at: usize,
    },
    /// In the place of this value is a length, as many values as it takes.
    Length {
        /// The place.
        at: usize,
        /// What it counts, and how.
        length: Length,
    },
}

impl Change {
    /// Names that have none of these values in them.
    pub(crate) fn name(at: usize, without: impl Iterator<Item = u64>) -> Change {
        let mut without: Vec<u64> = without.filter(|bits| *bits <= u64::from(u8::MAX)).collect();
        without.sort_unstable();
        without.dedup();
        Change::Name { at, without }
    }
}

/// Values that stand once, or in every round.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) values: Vec<u64>,
    /// Whether they are repeated. All pieces that are have as many rounds.
    pub(crate) again: bool,
    pub(crate) change: Change,
}

impl Piece {
    pub(crate) fn once(values: Vec<u64>) -> Piece {
        Piece { values, again: false, change: Change::Nothing }
    }

    pub(crate) fn again(values: Vec<u64>) -> Piece {
        Piece { values, again: true, change: Change::Nothing }
    }

    /// Values of the first so many rounds; of one round where it stands once. Names are made of so many `letters`; of lengths there is
    /// none that varies.
    fn len_of(&self, rounds: usize, letters: usize) -> usize {
        let rounds = if self.again { rounds } else { 1 };
        let more = match self.change {
            Change::Length { length, .. } => rounds * (length.width() - 1),
            _ if !self.again => 0,
            Change::Grow { .. } => rounds * rounds.saturating_sub(1) / 2,
            Change::Name { .. } => letters_beyond_the_first(rounds, letters),
            Change::Nothing | Change::Count { .. } => 0,
        };
        rounds * self.values.len() + more
    }

    /// The values of one round, each with its place in the piece; `None` where a digit leaves the type.
    /// `letters` are what a name is made of ([`Piece::letters`]); a length says that there are so many.
    fn round(
        &self,
        round: usize,
        letters: &[u64],
        slot: Slot,
        counted: impl Fn(usize, Of) -> usize,
    ) -> Option<Vec<(usize, u64)>> {
        let mut out: Vec<(usize, u64)> = self.values.iter().copied().enumerate().collect();
        match &self.change {
            Change::Nothing => {}
            &Change::Name { at, .. } => {
                let name = name(round, letters)?;
                out.get(at)?;
                out.splice(at..=at, name.into_iter().map(|letter| (at, letter)));
            }
            &Change::Count { end, width, base } => {
                let mut rest = round as u64;
                for (_, value) in out[..end.min(self.values.len())].iter_mut().rev().take(width) {
                    let integer = slot.ty.integer(*value)?.checked_add((rest % base).into())?;
                    *value = slot.ty.bits_of_integer(integer)?;
                    rest /= base;
                }
            }
            &Change::Grow { at } => {
                let grown = *out.get(at)?;
                out.splice(at..at, std::iter::repeat_n(grown, round));
            }
            &Change::Length { at, length } => {
                let behind = out.len().checked_sub(at + 1)?;
                let number = length.written(counted(behind, length.of), slot);
                out.splice(at..=at, number.into_iter().map(|value| (at, value)));
            }
        }
        Some(out)
    }

    /// Puts keys in place of its names: numbers of four digits, of letters that follow each other. Says whether it has names.
    pub(super) fn take_keys(&mut self, slot: Slot) -> bool {
        let Change::Name { at, .. } = self.change else { return false };
        let letters = self.letters(slot);
        let runs = letters.chunk_by(|a, b| a + 1 == *b);
        let Some(digits) = runs.max_by_key(|run| run.len()).filter(|run| run.len() > 1) else {
            return false;
        };
        self.values.splice(at..=at, std::iter::repeat_n(digits[0], KEY));
        self.change = Change::Count { end: at + KEY, width: KEY, base: digits.len() as u64 };
        true
    }

    /// The letters of its names, if it has names, in order.
    fn letters(&self, slot: Slot) -> Vec<u64> {
        let Change::Name { without, .. } = &self.change else { return Vec::new() };
        let is_letter = |bits: &u64| slot.admits(*bits) && without.binary_search(bits).is_err();
        (0..=u64::from(u8::MAX)).filter(is_letter).collect()
    }
}

/// The name of a round, the shortest first; `None` where there are too few letters.
pub(super) fn name(round: usize, letters: &[u64]) -> Option<Vec<u64>> {
    let base = letters.len();
    if base < 2 {
        return None;
    }
    let (mut rest, mut name) = (round, vec![letters[round % base]]);
    while rest >= base {
        rest = rest / base - 1;
        name.insert(0, letters[rest % base]);
    }
    Some(name)
}

/// How many letters the names of the first so many rounds have, not counting the first of each.
pub(super) fn letters_beyond_the_first(rounds: usize, letters: usize) -> usize {
    let (mut shorter, mut more) = (letters, 0);
    // With a single letter there are no names, which is found out when they are made.
    while letters > 1 && shorter < rounds {
        more += rounds - shorter;
        shorter = shorter.saturating_mul(letters).saturating_add(letters);
    }
    more
}

/// Pieces that are laid out in an array.
struct Layout<'a> {
    pieces: &'a [Piece],
    /// What the names of each are made of.
    letters: Vec<Vec<u64>>,
    /// The piece that is drawn out by what is left over.
    pad: usize,
    slot: Slot,
}

/// The values of pieces at a length, each with where it comes from; `None` where a digit leaves the type.
/// There are as many rounds as fit. What is left over goes to the piece `pad`: the first values of one more
/// round, or its last value over and over. Pieces that are too long are cut off.
pub(super) fn laid_out(
    pieces: &[Piece],
    pad: usize,
    slot: Slot,
    len: usize,
) -> Option<Vec<(Origin, u64)>> {
    let letters = pieces.iter().map(|p| p.letters(slot)).collect();
    let layout = Layout { pieces, letters, pad: pad % pieces.len().max(1), slot };
    let is_repeated = pieces.iter().any(|p| p.again && !p.values.is_empty());
    let (mut rounds, mut high) = (0, len + 1);
    while is_repeated && high - rounds > 1 {
        let middle = rounds.midpoint(high);
        if layout.total(middle)? <= len { rounds = middle } else { high = middle }
    }
    let mut spare = len.saturating_sub(layout.total(rounds)?);
    let mut out = layout.values(rounds, spare)?;
    // Lengths may take more room for what is left over.
    while out.len() > len && spare > 0 {
        spare = spare.saturating_sub(out.len() - len);
        out = layout.values(rounds, spare)?;
    }
    out.truncate(len);
    // Nothing is repeated: the whole is.
    if out.is_empty() && len > 0 {
        return None;
    }
    let whole = out.len();
    (whole..len).for_each(|i| out.push(out[i - whole]));
    Some(out)
}

impl Layout<'_> {
    /// How many values there are with so many rounds.
    fn total(&self, rounds: usize) -> Option<usize> {
        let varies =
            |p: &Piece| matches!(p.change, Change::Length { length, .. } if length.varies());
        if self.pieces.iter().any(varies) {
            return Some(self.values(rounds, 0)?.len());
        }
        let pieces = self.pieces.iter().zip(&self.letters);
        Some(pieces.map(|(p, letters)| p.len_of(rounds, letters.len())).sum())
    }

    /// The values with so many rounds and so many that are left over. They are made from the last to the first, since a length is told
    /// before what it counts.
    fn values(&self, rounds: usize, spare: usize) -> Option<Vec<(Origin, u64)>> {
        let mut out: Vec<(Origin, u64)> = Vec::new();
        // Of the next piece that is repeated, how many values there are from each of its rounds on, the last round first.
        let mut closing: Vec<usize> = Vec::new();
        for (i, (piece, letters)) in self.pieces.iter().zip(&self.letters).enumerate().rev() {
            let made = |round: usize, behind: usize| {
                let closed = if piece.again { closing.get(round).copied() } else { None };
                let counted = |rest: usize, of: Of| match of {
                    Of::Inside => rest + behind - closed.unwrap_or(0),
                    Of::Behind => behind - closed.unwrap_or(0),
                    Of::Round => rest,
                    Of::Rounds => rounds,
                };
                piece.round(round, letters, self.slot, counted)
            };
            let put = |values: &[(usize, u64)], out: &mut Vec<(Origin, u64)>| {
                out.extend(values.iter().rev().map(|&(at, value)| ((i, at), value)));
            };
            if i == self.pad && spare > 0 {
                let mut values = made(rounds, out.len())?;
                if !piece.again {
                    values.drain(..values.len().saturating_sub(1));
                }
                let cycle: Vec<_> = values.into_iter().cycle().take(spare).collect();
                put(&cycle, &mut out);
            }
            let mut begins = Vec::new();
            for round in (0..if piece.again { rounds } else { 1 }).rev() {
                let values = made(round, out.len())?;
                put(&values, &mut out);
                begins.push(out.len());
            }
            if piece.again {
                closing = begins;
            }
        }
        out.reverse();
        Some(out)
    }
}
