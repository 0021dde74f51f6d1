//! Patterns that nest what an input has once: a number in it may be the length of what is behind it.

use super::length::{FORMS, Form, Length, Of};
use super::piece::{Change, Piece};
use super::{PIECES, VALUES};
use std::collections::HashSet;
use std::ops::Range;

/// Most values in front of a length and behind it that belong to its header, and behind what it counts.
const TAG: usize = 1;
const HEADER: usize = 2;
const CLOSING: usize = 2;

/// A number in an input.
struct Number {
    at: Range<usize>,
    value: usize,
    form: Form,
}

/// Pieces in which a part of an array stands in itself over and over, for each number that may be the length of such a part.
pub(super) fn nested(values: &[u64], is_bytes: bool) -> Vec<Vec<Piece>> {
    let mut known: HashSet<Vec<Piece>> = HashSet::new();
    let mut all = Vec::new();
    let near = numbers(values, is_bytes).take_while(|number| number.at.start <= VALUES);
    for Number { at, value, form } in near.filter(|number| number.value <= VALUES) {
        for tag in 0..=TAG.min(at.start) {
            for header in 0..=HEADER {
                for closing in 0..=CLOSING {
                    let inside = at.end + header..at.end + header + value;
                    if inside.end + closing > values.len() {
                        break;
                    }
                    let begins = at.start - tag;
                    let mut open: Vec<u64> = values[begins..=at.start].to_vec();
                    open.extend(&values[at.end..inside.start]);
                    let length = Length { of: Of::Behind, plus: 0, unit: 1, form };
                    let open = Piece {
                        values: open,
                        again: true,
                        change: Change::Length { at: tag, length },
                    };
                    let pieces = [
                        Piece::once(values[..begins].to_vec()),
                        open,
                        Piece::once(values[inside.clone()].to_vec()),
                        Piece::again(values[inside.end..inside.end + closing].to_vec()),
                    ];
                    let mut pieces = pieces.to_vec();
                    pieces.retain(|piece| !piece.values.is_empty());
                    if known.insert(pieces.clone()) {
                        all.push(pieces);
                    }
                }
            }
        }
    }
    debug_assert!(all.iter().all(|pieces| pieces.len() <= PIECES));
    all
}

/// What may be a length: a value that is small enough, several that are bytes, and digits.
fn numbers(values: &[u64], is_bytes: bool) -> impl Iterator<Item = Number> {
    let digit = move |at: usize| {
        let value = values.get(at).filter(|_| is_bytes)?;
        u8::try_from(*value).ok().filter(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0'))
    };
    (0..values.len()).flat_map(move |at| {
        let left = values.len() - at - 1;
        // In bytes, of which all but one are zero where a number is small.
        let bytes = FORMS.iter().filter_map(move |form| {
            let (width, place) = match *form {
                Form::Bytes { count, great_first: true } => (count.into(), usize::from(count) - 1),
                Form::Bytes { count, .. } => (count.into(), 0),
                Form::One | Form::Sevens => (1, 0),
                // Small numbers are written alike in other forms, which larger sizes tell apart.
                Form::Digits | Form::Counted | Form::Marked { .. } => return None,
            };
            let written = values.get(at..at + width).filter(|_| is_bytes || width == 1)?;
            let value = usize::try_from(written[place]).ok()?;
            let zeros = written.iter().filter(|value| **value == 0).count();
            let is_number = zeros == width - 1 && (1..=left).contains(&value);
            is_number.then(|| Number { at: at..at + width, value, form: *form })
        });
        let begins = at == 0 || digit(at - 1).is_none();
        let mut written = (begins && digit(at).is_some()).then_some((at, 0usize));
        while let Some((end, value)) = written
            && let Some(digit) = digit(end)
            && value <= left
        {
            written = Some((end + 1, value * 10 + digit));
        }
        let written = written.filter(|(_, value)| (1..=left).contains(value));
        let written = written.map(|(end, value)| Number { at: at..end, value, form: Form::Digits });
        bytes.chain(written)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::*;
    use crate::groups::Group;
    use pessimum_entry::{Slot, Type};

    fn nestings(input: &[u8], len: usize) -> Vec<Vec<u8>> {
        let values: Vec<u64> = input.iter().map(|byte| u64::from(*byte)).collect();
        let shape = [Group { slot: Slot::any(Type::U8), len, text: false }];
        let all = nested(&values, true).into_iter().filter_map(|pieces| {
            let groups = Pattern { arrays: vec![pieces], pads: vec![2] }.groups(&shape)?;
            Some(groups[0].iter().map(|value| *value as u8).collect())
        });
        all.collect()
    }

    #[test]
    fn a_part_with_a_length_is_nested() {
        let texts = nestings(b"3:abc,", 20);
        assert!(texts.contains(&b"16:12:9:6:3:abc,,,,,".to_vec()), "{texts:?}");
        let bytes = nestings(&[2, 3, 7, 8, 9], 9);
        assert!(bytes.contains(&vec![2, 7, 2, 5, 2, 3, 7, 8, 9]), "{bytes:?}");
    }

    #[test]
    fn where_no_number_fits_nothing_is_nested() {
        assert_eq!(nested(&[200, 201, 90], true), Vec::<Vec<Piece>>::new());
    }
}
