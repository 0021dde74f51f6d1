//! Values that tell how many values there are of something: the length of a message, the count of records.
//!
//! A format that nests by length has another length at each level, and all of them change with the size: none of them can be kept
//! from one size to the next, so a pattern says what is counted and how it is written.

use super::below;
use pessimum_entry::host::Seeded;
use pessimum_entry::{Slot, Type};
use serde::{Deserialize, Serialize};

/// Most that a length differs from what it counts: parts of a header or of a trailer that belong to it or do not.
const BESIDE: i8 = 8;

/// A length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Length {
    pub(super) of: Of,
    /// What is added to it.
    pub(super) plus: i8,
    /// What it is divided by.
    pub(super) unit: u8,
    pub(super) form: Form,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Of {
    /// Everything from it to what closes its round: the first round of the next piece that is repeated closes the last
    /// round here. Where there is no such piece, up to the end.
    Inside,
    /// The same without the rest of its round.
    Behind,
    /// The rest of its round.
    Round,
    /// The rounds.
    Rounds,
}

/// How it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Form {
    /// As one value.
    One,
    /// As bytes, the least or the greatest first.
    Bytes {
        /// How many.
        count: u8,
        /// Whether the greatest comes first.
        great_first: bool,
    },
    /// Seven bits in each byte, the least first; all bytes but the last have the eighth.
    Sevens,
    /// As decimal digits.
    Digits,
    /// A number up to 127 as itself; a greater one as its bytes, the greatest first, behind 128 and how many they are (DER).
    Counted,
    /// A number below a marker as itself; a greater one behind the marker in two bytes, or behind the next marker in as many as
    /// that stands for.
    Marked {
        /// The first marker.
        marker: u8,
        /// The bytes behind the next.
        more: u8,
        /// Whether the greatest comes first.
        great_first: bool,
    },
}

/// Frames of WebSocket, and counts as many databases and ledgers have them.
const FRAMES: Form = Form::Marked { marker: 126, more: 8, great_first: true };
const COUNTS: Form = Form::Marked { marker: 253, more: 4, great_first: false };

/// Forms of numbers in bytes.
pub(super) const FORMS: [Form; 10] = [
    Form::One,
    Form::Sevens,
    Form::Digits,
    Form::Counted,
    FRAMES,
    COUNTS,
    Form::Bytes { count: 2, great_first: false },
    Form::Bytes { count: 2, great_first: true },
    Form::Bytes { count: 4, great_first: false },
    Form::Bytes { count: 4, great_first: true },
];

impl Length {
    /// One that may be what is wanted where a value would have to be `value` and so many follow; nothing where these have nothing to do
    /// with each other.
    pub(super) fn that_tells(value: u64, inside: u64, form: Form) -> Option<Length> {
        let plus = i128::from(value) - i128::from(inside);
        let plus = i8::try_from(plus).ok().filter(|plus| plus.unsigned_abs() <= BESIDE as u8)?;
        Some(Length { of: Of::Inside, plus, unit: 1, form })
    }

    /// Any one.
    pub(super) fn some(slot: Slot, random: &mut Seeded) -> Length {
        let of = [Of::Inside, Of::Behind, Of::Round, Of::Rounds][below(random, 4)];
        let mut length = Length { of, plus: 0, unit: 1, form: Form::One };
        length.form = some_form(slot, random);
        length
    }

    /// The same but for one of its parts.
    pub(super) fn vary(&mut self, slot: Slot, random: &mut Seeded) {
        match below(random, 4) {
            0 => self.of = Length::some(slot, random).of,
            1 => self.plus = below(random, 2 * BESIDE as usize + 1) as i8 - BESIDE,
            2 => self.unit = [1, 2, 4, 8][below(random, 4)],
            _ => self.form = some_form(slot, random),
        }
    }

    /// The same in every other form: those that write a small number in the same way differ in large ones.
    pub(super) fn in_other_forms(self, slot: Slot) -> impl Iterator<Item = Length> {
        let forms = if slot.ty.bits() == 8 { &FORMS[..] } else { &[] };
        let others = forms.iter().filter(move |form| **form != self.form);
        others.map(move |form| Length { form: *form, ..self })
    }

    /// Whether it may take another number of values at another size.
    pub(super) fn varies(&self) -> bool {
        match self.form {
            Form::One | Form::Bytes { .. } => false,
            Form::Sevens | Form::Digits | Form::Counted | Form::Marked { .. } => true,
        }
    }

    /// How many values it takes, where that does not vary.
    pub(super) fn width(&self) -> usize {
        match self.form {
            Form::Bytes { count, .. } => count.into(),
            Form::One | Form::Sevens | Form::Digits | Form::Counted | Form::Marked { .. } => 1,
        }
    }

    /// The values that tell a number. Where it is too large for them it is cut off, as it is in formats that have no more room.
    pub(super) fn written(&self, number: usize, slot: Slot) -> Vec<u64> {
        let number = (number as u64).saturating_add_signed(self.plus.into());
        let number = number / u64::from(self.unit.max(1));
        match self.form {
            Form::One if slot.ty.bits() == 64 => vec![number],
            Form::One => vec![number & ((1 << slot.ty.bits()) - 1)],
            Form::Bytes { count, great_first } => bytes_of(number, count, great_first),
            Form::Counted if number <= 127 => vec![number],
            Form::Counted => {
                let count = (u64::BITS - number.leading_zeros()).div_ceil(8);
                let bytes = bytes_of(number, count as u8, true);
                [128 + u64::from(count)].into_iter().chain(bytes).collect()
            }
            Form::Marked { marker, .. } if number < marker.into() => vec![number],
            Form::Marked { marker, more, great_first } => {
                let (marker, count) = match number >> 16 {
                    0 => (u64::from(marker), 2),
                    _ => (u64::from(marker) + 1, more),
                };
                [marker].into_iter().chain(bytes_of(number, count, great_first)).collect()
            }
            Form::Sevens => {
                let (mut rest, mut bytes) = (number >> 7, vec![number & 127]);
                while rest > 0 {
                    if let Some(last) = bytes.last_mut() {
                        *last |= 128;
                    }
                    bytes.push(rest & 127);
                    rest >>= 7;
                }
                bytes
            }
            Form::Digits => number.to_string().bytes().map(u64::from).collect(),
        }
    }
}

/// So many bytes of a number.
fn bytes_of(number: u64, count: u8, great_first: bool) -> Vec<u64> {
    let mut bytes = number.to_le_bytes()[..usize::from(count).min(8)].to_vec();
    if great_first {
        bytes.reverse();
    }
    bytes.into_iter().map(u64::from).collect()
}

fn some_form(slot: Slot, random: &mut Seeded) -> Form {
    if slot.ty.bits() == 8 { FORMS[below(random, FORMS.len())] } else { Form::One }
}

/// Forms in which a single byte may tell a small number.
pub(super) fn forms_of_one(ty: Type) -> &'static [Form] {
    if ty.bits() == 8 { &[Form::One, Form::Sevens] } else { &[Form::One] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_formats_have_them() {
        let written = |form, number| {
            let length = Length { of: Of::Inside, plus: 0, unit: 1, form };
            length.written(number, Slot::any(Type::U8))
        };
        let expected: [(Form, usize, &[u64]); 12] = [
            (Form::One, 300, &[44]),
            (Form::Sevens, 300, &[172, 2]),
            (Form::Digits, 300, &[51, 48, 48]),
            (Form::Bytes { count: 4, great_first: true }, 300, &[0, 0, 1, 44]),
            (Form::Counted, 127, &[127]),
            (Form::Counted, 128, &[129, 128]),
            (Form::Counted, 300, &[130, 1, 44]),
            (FRAMES, 125, &[125]),
            (FRAMES, 300, &[126, 1, 44]),
            (FRAMES, 65_536, &[127, 0, 0, 0, 0, 0, 1, 0, 0]),
            (COUNTS, 253, &[253, 253, 0]),
            (COUNTS, 65_536, &[254, 0, 0, 1, 0]),
        ];
        for (form, number, values) in expected {
            assert_eq!(written(form, number), values, "{number} as {form:?}");
        }
    }
}
