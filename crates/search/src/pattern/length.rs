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
}

/// Forms of numbers in bytes.
pub(super) const FORMS: [Form; 7] = [
    Form::One,
    Form::Sevens,
    Form::Digits,
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
        matches!(self.form, Form::Sevens | Form::Digits)
    }

    /// How many values it takes, where that does not vary.
    pub(super) fn width(&self) -> usize {
        match self.form {
            Form::Bytes { count, .. } => count.into(),
            Form::One | Form::Sevens | Form::Digits => 1,
        }
    }

    /// The values that tell a number. Where it is too large for them it is cut off, as it is in formats that have no more room.
    pub(super) fn written(&self, number: usize, slot: Slot) -> Vec<u64> {
        let number = (number as u64).saturating_add_signed(self.plus.into());
        let number = number / u64::from(self.unit.max(1));
        match self.form {
            Form::One if slot.ty.bits() == 64 => vec![number],
            Form::One => vec![number & ((1 << slot.ty.bits()) - 1)],
            Form::Bytes { count, great_first } => {
                let mut bytes = number.to_le_bytes().map(u64::from);
                let bytes = &mut bytes[..usize::from(count).min(8)];
                if great_first {
                    bytes.reverse();
                }
                bytes.to_vec()
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

fn some_form(slot: Slot, random: &mut Seeded) -> Form {
    if slot.ty.bits() == 8 { FORMS[below(random, FORMS.len())] } else { Form::One }
}

/// Forms in which a single byte may tell a small number.
pub(super) fn forms_of_one(ty: Type) -> &'static [Form] {
    if ty.bits() == 8 { &[Form::One, Form::Sevens] } else { &[Form::One] }
}
