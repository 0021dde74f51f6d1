//! Inputs as small programs of the size: pieces that stand once, and pieces that are repeated until the
//! size is full.
//!
//! What is bad about an input is mostly a few values over and over: an opening bracket, an attribute with
//! another name each time, a run of quotes that is longer in each round. A [`Pattern`] says that for every
//! size at once, so it can be varied at small sizes and judged by how its cost grows.

mod length;
mod nested;
mod piece;
mod repeats;

pub(crate) use self::piece::{Change, Origin, Piece};

use self::length::{Length, forms_of_one};
use self::piece::laid_out;
use self::repeats::{first_again, pieces_of};
use crate::groups::{Group, Groups};
use pessimum_entry::Slot;
use pessimum_entry::host::Seeded;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most pieces of an array, and most values of a piece.
const PIECES: usize = 8;
const VALUES: usize = 24;

/// An input for every size.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Pattern {
    /// Array by array; of a single value one piece.
    pub(crate) arrays: Vec<Vec<Piece>>,
    /// Of each array the piece that is drawn out by what is left over when no more rounds fit.
    pub(crate) pads: Vec<usize>,
}

impl Pattern {
    /// One value everywhere.
    pub(crate) fn fill(value: u64, arrays: usize) -> Pattern {
        Pattern { arrays: vec![vec![Piece::again(vec![value])]; arrays], pads: vec![0; arrays] }
    }

    /// The pattern of an input: what it repeats, with one value that may differ, is repeated; everything else stands once.
    pub(crate) fn of(groups: &Groups) -> Pattern {
        let arrays: Vec<Vec<Piece>> = groups.iter().map(|values| pieces_of(values)).collect();
        let pads = arrays.iter().map(|pieces| first_again(pieces)).collect();
        Pattern { arrays, pads }
    }

    /// The input of a shape; `None` where a value leaves its domain.
    pub(crate) fn groups(&self, shape: &[Group]) -> Option<Groups> {
        if shape.len() != self.arrays.len() {
            return None;
        }
        let arrays = shape.iter().zip(self.arrays.iter().zip(&self.pads));
        arrays
            .map(|(g, (pieces, pad))| {
                let values = laid_out(pieces, *pad, g.slot, g.len)?.into_iter();
                let values: Vec<u64> = values.map(|(_, v)| v).collect();
                values.iter().all(|bits| g.slot.admits(*bits)).then_some(values)
            })
            .collect()
    }

    /// How much there is to it: of two that cost the same, the one with less is more likely to hold at other sizes.
    pub(crate) fn weight(&self) -> usize {
        let of_change = |change: &Change| match change {
            Change::Nothing => 0,
            Change::Grow { .. } | Change::Length { .. } => 2,
            Change::Count { width, .. } => 2 + width,
            Change::Name { .. } => 4,
        };
        let pieces = self.arrays.iter().flatten();
        pieces.map(|piece| 1 + piece.values.len() + of_change(&piece.change)).sum()
    }

    /// Names, each with a value behind it.
    pub(crate) fn separated(value: u64, arrays: usize) -> Pattern {
        let named =
            Piece { change: Change::name(0, [value].into_iter()), ..Piece::again(vec![0, value]) };
        Pattern { arrays: vec![vec![named]; arrays], pads: vec![0; arrays] }
    }

    /// The same with keys in place of its names, which all have the same number of letters; `None` where it has no names.
    pub(crate) fn with_keys(&self, shape: &[Group]) -> Option<Pattern> {
        let mut pattern = self.clone();
        let mut any = false;
        for (pieces, g) in pattern.arrays.iter_mut().zip(shape) {
            for piece in pieces.iter_mut().filter(|piece| piece.again) {
                any |= piece.take_keys(g.slot);
            }
        }
        any.then_some(pattern)
    }

    /// The values that are no letters of its names.
    pub(crate) fn no_letters(&self) -> BTreeSet<u64> {
        let changes = self.arrays.iter().flatten().map(|piece| &piece.change);
        let without = changes.filter_map(|change| match change {
            Change::Name { without, .. } => Some(without),
            _ => None,
        });
        without.flatten().copied().collect()
    }

    /// The same with one more letter in its names.
    pub(crate) fn with_letter(&self, letter: u64) -> Pattern {
        let mut pattern = self.clone();
        for piece in pattern.arrays.iter_mut().flatten() {
            if let Change::Name { without, .. } = &mut piece.change {
                without.retain(|value| *value != letter);
            }
        }
        pattern
    }

    /// The same with one letter less in its names.
    pub(crate) fn without_letter(&self, letter: u64) -> Pattern {
        let mut pattern = self.clone();
        for piece in pattern.arrays.iter_mut().flatten() {
            if let Change::Name { without, .. } = &mut piece.change
                && let Err(at) = without.binary_search(&letter)
            {
                without.insert(at, letter);
            }
        }
        pattern
    }

    /// Whether it has names.
    pub(crate) fn has_names(&self) -> bool {
        let mut changes = self.arrays.iter().flatten().map(|piece| &piece.change);
        changes.any(|change| matches!(change, Change::Name { .. }))
    }

    /// Where each value of the input of a shape comes from: its array, its piece, its place.
    pub(crate) fn origins(&self, shape: &[Group]) -> Option<Vec<(usize, Origin)>> {
        let mut out = Vec::new();
        for (array, (g, pieces)) in shape.iter().zip(&self.arrays).enumerate() {
            let values = laid_out(pieces, self.pads[array], g.slot, g.len)?;
            out.extend(values.into_iter().map(|(origin, _)| (array, origin)));
        }
        Some(out)
    }

    /// Another value at one place of a piece: in every round, or once before the piece.
    pub(crate) fn with(
        &self,
        array: usize,
        (piece, at): Origin,
        value: u64,
        everywhere: bool,
    ) -> Pattern {
        let mut pattern = self.clone();
        let pieces = &mut pattern.arrays[array];
        if everywhere || !pieces[piece].again {
            let Piece { values, change, .. } = &mut pieces[piece];
            values[at] = value;
            if matches!(change, Change::Length { at: told, .. } if *told == at) {
                *change = Change::Nothing;
            }
        } else if pieces.len() < PIECES {
            let mut values = pieces[piece].values[..=at].to_vec();
            values[at] = value;
            pieces.insert(piece, Piece::once(values));
        }
        pattern
    }

    /// The same with lengths in place of a value that is to be `value` in an input of a shape, where that may be one.
    pub(crate) fn telling(
        &self,
        shape: &[Group],
        input: usize,
        (array, (piece, at)): (usize, Origin),
        value: u64,
    ) -> Vec<Pattern> {
        let ends: usize = shape[..=array].iter().map(|g| g.len).sum();
        let (slot, behind) = (shape[array].slot, (ends - input - 1) as u64);
        let forms = forms_of_one(slot.ty).iter();
        let lengths = forms.filter_map(|form| Length::that_tells(value, behind, *form));
        let patterns = lengths.map(|length| {
            let mut pattern = self.clone();
            pattern.arrays[array][piece].change = Change::Length { at, length };
            pattern.make_normal();
            pattern
        });
        patterns.filter(|pattern| pattern != self).collect()
    }

    /// The same with a part of its input of a shape in itself over and over, where a number may be the length of that part.
    pub(crate) fn nestings(&self, shape: &[Group]) -> Vec<Pattern> {
        let Some(groups) = self.groups(shape) else { return Vec::new() };
        let each = shape.iter().zip(&groups).enumerate().flat_map(|(array, (g, values))| {
            nested::nested(values, g.slot.ty.bits() == 8).into_iter().map(move |pieces| {
                let mut pattern = self.clone();
                // What is left over goes inside.
                pattern.pads[array] = first_again(&pieces) + 1;
                pattern.arrays[array] = pieces;
                pattern
            })
        });
        each.collect()
    }

    /// The same with one of its lengths written in another way.
    pub(crate) fn in_other_forms(&self, shape: &[Group]) -> Vec<Pattern> {
        let mut all = Vec::new();
        for (array, pieces) in self.arrays.iter().enumerate() {
            for (piece, Piece { change, .. }) in pieces.iter().enumerate() {
                let Change::Length { at, length } = *change else { continue };
                for length in length.in_other_forms(shape[array].slot) {
                    let mut pattern = self.clone();
                    pattern.arrays[array][piece].change = Change::Length { at, length };
                    all.push(pattern);
                }
            }
        }
        all
    }

    /// Makes those that are the same equal: lengths and names have no value of their own, and pieces are counted.
    fn make_normal(&mut self) {
        for (pieces, pad) in self.arrays.iter_mut().zip(&mut self.pads) {
            *pad %= pieces.len().max(1);
            for Piece { values, change, .. } in pieces {
                if let Change::Length { at, .. } | Change::Name { at, .. } = change {
                    values[*at] = 0;
                }
            }
        }
    }

    /// Keeps all that an input of a shape has before a place, puts another value there, and has the rest behind it. `None`
    /// where that is too much to keep.
    pub(crate) fn until(&self, shape: &[Group], input: usize, value: u64) -> Option<Pattern> {
        let mut first = 0;
        let array = shape.iter().position(|g| {
            first += g.len;
            input < first
        })?;
        let (g, pieces) = (&shape[array], &self.arrays[array]);
        let place = input - (first - g.len);
        if place >= VALUES || !g.slot.admits(value) {
            return None;
        }
        let values = laid_out(pieces, self.pads[array], g.slot, g.len)?;
        let (piece, at) = values.get(place)?.0;
        let mut kept: Vec<u64> = values[..place].iter().map(|(_, value)| *value).collect();
        kept.push(value);
        let mut rest: Vec<Piece> = pieces[piece..].to_vec();
        let mut gone = piece;
        if !rest[0].again {
            let behind = rest[0].values.split_off(at + 1);
            rest[0] = Piece::once(behind);
            if rest[0].values.is_empty() {
                rest.remove(0);
                gone += 1;
            }
        }
        if !rest.iter().any(|piece| piece.again) {
            let repeated = pieces.iter().rev().find(|piece| piece.again).cloned();
            rest.push(repeated.unwrap_or_else(|| Piece::again(vec![value])));
        }
        // What is left over goes where it went, or to the first piece that is repeated.
        let pad = (self.pads[array] % pieces.len()).checked_sub(gone);
        let pad = pad.or_else(|| rest.iter().position(|piece| piece.again)).unwrap_or(0);
        rest.insert(0, Piece::once(kept));
        let mut pattern = self.clone();
        pattern.pads[array] = pad + 1;
        pattern.arrays[array] = rest;
        Some(pattern)
    }
}

/// What patterns are made of.
pub(crate) struct Material<'a> {
    /// Single values that matter.
    pub(crate) words: &'a [u64],
    /// Sequences of values that matter.
    pub(crate) tokens: &'a [Vec<u64>],
}

impl Pattern {
    /// Changes the pattern somewhere. `other` lends a part of itself.
    pub(crate) fn mutate(
        &mut self,
        shape: &[Group],
        material: &Material<'_>,
        other: &Pattern,
        random: &mut Seeded,
    ) {
        let longer: Vec<usize> = (0..shape.len()).filter(|&i| shape[i].len > 1).collect();
        let array = match longer.is_empty() || below(random, 8) == 0 {
            true => below(random, shape.len()),
            false => longer[below(random, longer.len())],
        };
        let slot = shape[array].slot;
        if below(random, 16) == 0 {
            self.pads[array] = below(random, PIECES);
            self.make_normal();
            return;
        }
        let pieces = &mut self.arrays[array];
        let here: Vec<u64> = pieces.iter().flat_map(|p| p.values.iter().copied()).collect();
        let value = |random: &mut Seeded| some_value(&here, slot, material.words, random);
        if shape[array].len == 1 {
            *pieces = vec![Piece::once(vec![value(random)])];
            return;
        }
        if pieces.is_empty() {
            pieces.push(Piece::again(vec![value(random)]));
            return;
        }
        let at = below(random, pieces.len());
        let place = below(random, pieces[at].values.len().max(1));
        match below(random, 15) {
            0..=2 => {
                let value = value(random);
                if let Some(old) = pieces[at].values.get_mut(place) {
                    *old = value;
                }
            }
            3 | 4 => {
                let values = some_values(value, slot, material, random);
                if pieces[at].values.len() + values.len() <= VALUES {
                    pieces[at].values.splice(place..place, values);
                }
            }
            5 => {
                if place < pieces[at].values.len() {
                    pieces[at].values.remove(place);
                }
            }
            6 | 7 => {
                let values = some_values(value, slot, material, random);
                if pieces.len() < PIECES {
                    let again = below(random, 2) == 0;
                    pieces.insert(at, Piece { values, again, change: Change::Nothing });
                }
            }
            8 => {
                pieces.remove(at);
            }
            9 => pieces[at].again = !pieces[at].again,
            10 => {
                let piece = &mut pieces[at];
                let Piece { values, change, .. } = piece;
                match change {
                    // One digit more.
                    Change::Count { end, width, .. }
                        if below(random, 2) == 0 && values.len() < VALUES =>
                    {
                        values.insert(*end - 1, values[*end - 1]);
                        (*end, *width) = (*end + 1, *width + 1);
                    }
                    // One letter more.
                    Change::Name { without, .. }
                        if !without.is_empty() && below(random, 2) == 0 =>
                    {
                        without.remove(below(random, without.len()));
                    }
                    Change::Length { length, .. } if below(random, 2) == 0 => {
                        length.vary(slot, random);
                    }
                    _ => *change = some_change(values.len(), slot, material, random),
                }
            }
            11 => {
                // One round after the other, or one piece after the other.
                if at + 1 < pieces.len() {
                    let next = pieces.remove(at + 1);
                    if pieces[at].values.len() + next.values.len() <= VALUES {
                        pieces[at].values.extend(next.values);
                    }
                } else if place > 0 && pieces.len() < PIECES {
                    let values = pieces[at].values.split_off(place);
                    let again = pieces[at].again;
                    pieces.insert(at + 1, Piece { values, again, change: Change::Nothing });
                }
            }
            12 => {
                let to = below(random, pieces.len());
                if below(random, 2) == 0 || pieces.len() >= PIECES {
                    pieces.swap(at, to);
                } else {
                    // A copy is nothing new beside what it was made of.
                    let mut copy = pieces[at].clone();
                    if let Some(old) = copy.values.get_mut(place) {
                        *old = value(random);
                    }
                    pieces.insert(to, copy);
                }
            }
            13 => {
                // What was put together value by value may repeat itself by now.
                if let Some(values) = laid_out(pieces, self.pads[array], slot, shape[array].len) {
                    let values: Vec<u64> = values.into_iter().map(|(_, value)| value).collect();
                    *pieces = pieces_of(&values);
                    self.pads[array] = first_again(pieces);
                }
            }
            _ => {
                let lent = &other.arrays[array];
                let from = below(random, lent.len().max(1));
                pieces.truncate(at + 1);
                pieces.extend(lent.iter().skip(from).cloned());
                pieces.truncate(PIECES);
            }
        }
        pieces.retain(|p| !p.values.is_empty());
        for piece in pieces.iter_mut() {
            let beyond = match piece.change {
                Change::Nothing => false,
                Change::Grow { at } | Change::Name { at, .. } | Change::Length { at, .. } => {
                    at >= piece.values.len()
                }
                Change::Count { end, .. } => end > piece.values.len(),
            };
            if beyond {
                piece.change = Change::Nothing;
            }
        }
        if !pieces.iter().any(|p| p.again) {
            match pieces.last_mut() {
                Some(last) => last.again = true,
                None => pieces.push(Piece::again(vec![value(random)])),
            }
        }
        self.make_normal();
    }
}

/// One value, or a sequence of the material.
fn some_values(
    value: impl Fn(&mut Seeded) -> u64,
    slot: Slot,
    material: &Material<'_>,
    random: &mut Seeded,
) -> Vec<u64> {
    let tokens = material.tokens;
    if !tokens.is_empty() && below(random, 3) == 0 {
        let token = &tokens[below(random, tokens.len())];
        if token.len() <= VALUES && token.iter().all(|bits| slot.admits(*bits)) {
            return token.clone();
        }
    }
    (0..1 + below(random, 3)).map(|_| value(random)).collect()
}

fn some_change(len: usize, slot: Slot, material: &Material<'_>, random: &mut Seeded) -> Change {
    let at = below(random, len.max(1));
    match below(random, 5) {
        0 => Change::Nothing,
        1 => Change::Grow { at },
        3 => Change::Length { at, length: Length::some(slot, random) },
        2 if slot.ty.bits() == 8 => {
            // All words, or some of them.
            let all = below(random, 2) == 0;
            let words = material.words.iter().filter(|_| all || below(random, 2) == 0);
            Change::name(at, words.copied())
        }
        _ => {
            // Numbers count by themselves, characters in digits.
            let base = match slot.ty.bits() {
                8 => [2, 10, 26, 64][below(random, 4)],
                _ => u64::MAX,
            };
            Change::Count { end: at + 1, width: 1 + below(random, (at + 1).min(3)), base }
        }
    }
}

/// A value to put somewhere: one that matters to the program, one that is there, one beside it, an end of
/// the type, or any.
pub(crate) fn some_value(here: &[u64], slot: Slot, words: &[u64], random: &mut Seeded) -> u64 {
    let old = here.get(below(random, here.len())).copied().unwrap_or(0);
    let beside = |by: i128| {
        let integer = slot.ty.integer(old)?.checked_add(by)?;
        slot.ty.bits_of_integer(integer)
    };
    let wanted = match below(random, 16) {
        0..=7 if !words.is_empty() => Some(words[below(random, words.len())]),
        8..=10 => Some(old),
        11 | 12 => beside(if random.next_u64() & 1 == 0 { 1 } else { -1 }),
        13 => {
            let end = |(low, high)| if random.next_u64() & 1 == 0 { low } else { high };
            slot.ends().map(end).and_then(|rank| slot.ty.bits_of_rank(rank))
        }
        _ => None,
    };
    wanted
        .filter(|bits| slot.admits(*bits))
        .unwrap_or_else(|| crate::sample::random_value(random, slot))
}

/// A number below `limit`; zero where that is zero.
pub(crate) fn below(random: &mut Seeded, limit: usize) -> usize {
    (random.next_u64() % limit.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::length::{Form, Of};
    use super::piece::{letters_beyond_the_first, name};
    use super::*;
    use pessimum_entry::Type;

    fn text(pieces: &[Piece], len: usize) -> String {
        let values = laid_out(pieces, 0, Slot::any(Type::U8), len).expect("it can be laid out");
        values.into_iter().map(|(_, v)| v as u8 as char).collect()
    }

    fn values(text: &str) -> Vec<u64> {
        text.bytes().map(u64::from).collect()
    }

    #[test]
    fn pieces_that_are_repeated_have_as_many_rounds() {
        let nested =
            [Piece::again(values("(")), Piece::once(values("x")), Piece::again(values(")"))];
        assert_eq!(text(&nested, 7), "(((x)))");
        assert_eq!(text(&nested, 8), "((((x)))", "what is left over goes to the first");
    }

    #[test]
    fn rounds_are_counted_in_digits() {
        let change = Change::Count { end: 3, width: 2, base: 10 };
        let counted = [Piece { values: values("a00 "), again: true, change }];
        assert_eq!(text(&counted, 48), (0..12).map(|i| format!("a{i:02} ")).collect::<String>());
    }

    #[test]
    fn names_leave_out_what_means_something() {
        let change = Change::name(0, "=>b".bytes().map(u64::from));
        let named = [Piece::once(values("<")), Piece { values: values("?="), again: true, change }];
        let whole = text(&named, 600);
        assert_eq!(whole[..9], *"<\0=\u{1}=\u{2}=\u{3}=");
        let names: Vec<&str> = whole[1..].split('=').collect();
        assert!(names.iter().all(|name| !name.contains(['>', 'b'])));
        let different: std::collections::BTreeSet<&&str> = names.iter().collect();
        assert_eq!((names.len(), different.len()), (285, 285), "253 letters, then two each");
    }

    #[test]
    fn names_are_counted_and_as_short_as_can_be() {
        for letters in [2, 3, 26] {
            let all: Vec<u64> = (0..letters as u64).collect();
            let mut so_far = 0;
            let mut known = std::collections::BTreeSet::new();
            for round in 0..1000 {
                assert_eq!(letters_beyond_the_first(round, letters), so_far, "{round}");
                let name = name(round, &all).expect("there are letters");
                so_far += name.len() - 1;
                assert!(known.insert((name.len(), name)));
                assert!(known.iter().map(|(len, _)| *len).is_sorted());
            }
        }
        assert_eq!((name(0, &[7]), name(0, &[])), (None, None));
    }

    #[test]
    fn a_run_grows_with_every_round() {
        let grows = [Piece { values: values("`a"), again: true, change: Change::Grow { at: 0 } }];
        assert_eq!(text(&grows, 14), "`a``a```a````a");
    }

    #[test]
    fn what_stands_before_a_place_is_kept() {
        let shape = [Group { slot: Slot::any(Type::U8), len: 9, text: false }];
        let pieces = vec![Piece::again(values("ab")), Piece::once(values("xyz"))];
        let pattern = Pattern { arrays: vec![pieces], pads: vec![0] };
        assert_eq!(pattern.groups(&shape), Some(vec![values("abababxyz")]));
        let until = |input| {
            let until = pattern.until(&shape, input, u64::from(b'#')).expect("it is near");
            let groups = until.groups(&[Group { len: 14, ..shape[0] }]).expect("it is laid out");
            groups[0].iter().map(|v| *v as u8 as char).collect::<String>()
        };
        assert_eq!(until(0), "#abababababxyz");
        assert_eq!(until(3), "aba#abababaxyz");
        assert_eq!(until(7), "abababx#zababa");
        assert_eq!(until(8), "abababxy#ababa");
        let far = [Group { len: 100, ..shape[0] }];
        assert_eq!(pattern.until(&far, 50, 35), None);
    }

    fn told(at: usize, of: Of, plus: i8, form: Form) -> Change {
        Change::Length { at, length: Length { of, plus, unit: 1, form } }
    }

    #[test]
    fn lengths_tell_what_is_behind_them() {
        let slot = Slot::any(Type::U8);
        let change = told(1, Of::Inside, 0, Form::Sevens);
        let nested = [Piece { values: vec![2, 0], again: true, change }];
        for len in (2..400).step_by(2) {
            let message = laid_out(&nested, 0, slot, len).expect("it can be laid out");
            let mut rest: Vec<u64> = message.into_iter().map(|(_, v)| v).collect();
            assert_eq!(rest.len(), len, "{rest:?}");
            // What is left over where lengths begin to take two bytes is behind the message.
            while let [2, length, behind @ ..] = rest.as_slice() {
                let (length, behind) = match behind {
                    [high, behind @ ..] if *length >= 128 => (length - 128 + high * 128, behind),
                    _ => (*length, behind),
                };
                let beyond = (behind.len() as u64).checked_sub(length);
                assert!(beyond <= Some(1), "{length} of {} in {len}", behind.len());
                rest = behind.to_vec();
            }
            assert!(rest.len() <= 1, "{rest:?}");
        }
    }

    #[test]
    fn what_closes_a_round_is_not_told_by_its_length() {
        let change = told(0, Of::Behind, 0, Form::Digits);
        let nested = [
            Piece { values: values("?:"), again: true, change },
            Piece::once(values("x")),
            Piece::again(values(",")),
        ];
        assert_eq!(text(&nested, 10), "7:4:1:x,,,");
        assert_eq!(text(&nested, 14), "10:7:4:1:x,,,,");
    }

    #[test]
    fn rounds_are_told_in_front_of_them() {
        let big = Form::Bytes { count: 2, great_first: true };
        let header = Piece { change: told(1, Of::Rounds, 0, big), ..Piece::once(vec![7, 0]) };
        let change = told(0, Of::Round, 1, Form::One);
        let records = [header, Piece { values: vec![0, 9, 9], again: true, change }];
        let slot = Slot::any(Type::U8);
        let laid_out = laid_out(&records, 1, slot, 9).expect("it can be laid out");
        let laid_out: Vec<u64> = laid_out.into_iter().map(|(_, v)| v).collect();
        assert_eq!(laid_out, [7, 0, 2, 3, 9, 9, 3, 9, 9]);
    }

    /// Of an input whose rounds each tell how much is behind them, the lengths are seen.
    #[test]
    fn lengths_are_seen_in_an_input() {
        let input = vec![2, 10, 2, 8, 2, 6, 2, 4, 2, 2, 2, 0];
        let pattern = Pattern::of(&vec![input.clone()]);
        let shape = |len| [Group { slot: Slot::any(Type::U8), len, text: false }];
        assert_eq!(pattern.groups(&shape(12)), Some(vec![input]));
        assert_eq!(pattern.groups(&shape(6)), Some(vec![vec![2, 4, 2, 2, 2, 0]]), "{pattern:?}");
    }

    #[test]
    fn every_length_is_met() {
        let mut random = Seeded::new(7);
        let shape = [Group { slot: Slot::any(Type::U8), len: 40, text: false }];
        let words = values("<>&;a0");
        let tokens = [values("<!--"), values("]]>")];
        let material = Material { words: &words, tokens: &tokens };
        let mut pattern = Pattern::fill(97, 1);
        for i in 0..5000 {
            let other = Pattern::fill(98, 1);
            pattern.mutate(&shape, &material, &other, &mut random);
            for len in [1, 2, 3, 40, 41] {
                let group = [Group { len, ..shape[0] }];
                if let Some(groups) = pattern.groups(&group) {
                    assert_eq!(groups[0].len(), len, "round {i}: {pattern:?}");
                }
                let origins = pattern.origins(&group);
                assert!(origins.is_none_or(|all| all.len() == len));
            }
        }
    }

    #[test]
    fn values_that_all_differ_are_names() {
        let text = "{'a':1,'k':1,'b':1,";
        let groups = vec![text.bytes().map(u64::from).collect::<Vec<u64>>()];
        let pattern = Pattern::of(&groups);
        let [_, named] = pattern.arrays[0].as_slice() else { panic!("{pattern:?}") };
        assert!(named.again && matches!(&named.change, Change::Name { .. }), "{named:?}");
        let longer = [Group { slot: Slot::any(Type::U8), len: 61, text: false }];
        let groups = pattern.groups(&longer).expect("it can be laid out");
        let keys: std::collections::HashSet<&[u64]> = groups[0][1..].chunks(6).collect();
        assert_eq!(keys.len(), 10, "{groups:?}");
        // Two that differ in one value may be anything.
        assert_eq!(Pattern::of(&vec![vec![1, 9, 5, 9]]).arrays[0].len(), 1);
    }

    #[test]
    fn the_pattern_of_an_input_makes_it_again() {
        for input in [
            "aaaaab",
            "<a><a><a>",
            "((((x))))",
            "abcdef",
            "xababababy",
            "aabbaabbaabb",
            "<a=0 a=1 a=2 a=3 ",
        ] {
            let pattern = Pattern::of(&vec![values(input)]);
            let shape = [Group { slot: Slot::any(Type::U8), len: input.len(), text: false }];
            assert_eq!(pattern.groups(&shape), Some(vec![values(input)]), "{input}");
        }
    }
}
