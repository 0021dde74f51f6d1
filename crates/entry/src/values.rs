//! What the symbolic inputs are worth, and the forms in which that is written down.

use std::fmt;

use serde_json::{Number, Value};

use crate::{Slot, Type};

/// The symbolic inputs of one run with their values, in the order in which they were made.
///
/// ```
/// use pessimum_entry::{InputValues, Slot, Type};
///
/// let slots = [Slot::any(Type::I8); 3];
/// let values = InputValues::from_raw(&slots, &[1, 2, 0xff])?;
/// assert_eq!(values.to_json().to_string(), "[1,2,-1]");
/// assert_eq!(values.to_string(), "[1, 2, -1]");
/// # Ok::<(), pessimum_entry::InputError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct InputValues {
    values: Vec<(Slot, u64)>,
}

/// Values that do not fit the inputs they are meant for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// There are too few.
    #[error(
        "the input ends before value {position}, a {slot}: it was made for another size or call"
    )]
    TooShort {
        /// Which value is missing, counted from 1.
        position: usize,
        /// What it should be.
        slot: Slot,
    },
    /// There are too many.
    #[error(
        "the input goes on after its last value, number {count}: it was made for another size or call"
    )]
    TooLong {
        /// How many were wanted.
        count: usize,
    },
    /// One is not in its domain or not of its type.
    #[error("value {position} of the input is {found}, which is not a {slot}")]
    OutOfDomain {
        /// Which value, counted from 1.
        position: usize,
        /// What it is.
        found: String,
        /// What it should be.
        slot: Slot,
    },
    /// A text is not UTF-8.
    #[error("value {position} of the input begins what is not UTF-8: the call has a text there")]
    NotUtf8 {
        /// Which value, counted from 1.
        position: usize,
    },
    /// The JSON is not a list.
    #[error("the input is not a list of values: write [1, 2, 3]")]
    NotAList,
}

/// Where a program that asks for its inputs gets them from.
#[derive(Debug, Clone)]
pub enum InputReader<'a> {
    /// From a list; each value must be asked for by its own type.
    Values(std::slice::Iter<'a, (Slot, u64)>),
    /// From raw bytes, little-endian, as [`InputValues::to_raw`] writes them.
    Raw(&'a [u8]),
    /// From the elements of a JSON list, as [`InputValues::to_json`] writes them.
    Json(std::slice::Iter<'a, Value>),
}

impl InputReader<'_> {
    /// The next value, for an input like `slot` that is number `position`, counted from 1.
    pub fn next(&mut self, slot: Slot, position: usize) -> Result<u64, InputError> {
        let (ty, bits) = match self {
            InputReader::Json(values) => {
                let value = values.next().ok_or(InputError::TooShort { position, slot })?;
                let found = || InputError::OutOfDomain { position, found: value.to_string(), slot };
                (slot.ty, from_json(slot.ty, value).ok_or_else(found)?)
            }
            InputReader::Values(values) => {
                let (own, bits) = values.next().ok_or(InputError::TooShort { position, slot })?;
                (own.ty, *bits)
            }
            InputReader::Raw(bytes) => {
                let (head, rest) = bytes
                    .split_at_checked(slot.ty.bytes() as usize)
                    .ok_or(InputError::TooShort { position, slot })?;
                *bytes = rest;
                (slot.ty, head.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
            }
        };
        if ty != slot.ty || !slot.admits(bits) {
            return Err(InputError::OutOfDomain { position, found: ty.show(bits), slot });
        }
        Ok(bits)
    }

    /// Whether every value has been taken.
    pub fn is_empty(&self) -> bool {
        match self {
            InputReader::Values(values) => values.len() == 0,
            InputReader::Json(values) => values.len() == 0,
            InputReader::Raw(bytes) => bytes.is_empty(),
        }
    }
}

impl InputValues {
    /// No values yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the value of the next input.
    pub fn push(&mut self, slot: Slot, bits: u64) {
        self.values.push((slot, bits & slot.ty.mask()));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Each input with its bit pattern.
    pub fn iter(&self) -> std::slice::Iter<'_, (Slot, u64)> {
        self.values.iter()
    }

    /// A reader from the first value on.
    pub fn reader(&self) -> InputReader<'_> {
        InputReader::Values(self.values.iter())
    }

    /// The values one after the other, each little-endian in the width of its type.
    pub fn to_raw(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (slot, bits) in &self.values {
            bytes.extend_from_slice(&bits.to_le_bytes()[..slot.ty.bytes() as usize]);
        }
        bytes
    }

    /// Reads what [`InputValues::to_raw`] wrote.
    pub fn from_raw(slots: &[Slot], bytes: &[u8]) -> Result<Self, InputError> {
        Self::from_reader(slots, InputReader::Raw(bytes))
    }

    /// A JSON list, each value in its own type: integers and finite floats as numbers, which
    /// hold them exactly, other floats as strings: `"inf"`, `"-inf"`, `"NaN:7fc00000"`.
    pub fn to_json(&self) -> Value {
        Value::Array(self.values.iter().map(|&(slot, bits)| to_json(slot.ty, bits)).collect())
    }

    /// Reads what [`InputValues::to_json`] wrote.
    pub fn from_json(slots: &[Slot], json: &Value) -> Result<Self, InputError> {
        let list = json.as_array().ok_or(InputError::NotAList)?;
        Self::from_reader(slots, InputReader::Json(list.iter()))
    }

    fn from_reader(slots: &[Slot], mut reader: InputReader<'_>) -> Result<Self, InputError> {
        let mut values = Self::new();
        for (index, &slot) in slots.iter().enumerate() {
            values.push(slot, reader.next(slot, index + 1)?);
        }
        if reader.is_empty() { Ok(values) } else { Err(InputError::TooLong { count: slots.len() }) }
    }

    /// The first `shown` values for a person to read, and how many more there are.
    pub fn elided(&self, shown: usize) -> String {
        let mut text = String::from("[");
        for (index, (slot, bits)) in self.values.iter().take(shown).enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            text.push_str(&slot.ty.show(*bits));
        }
        if let more @ 1.. = self.values.len().saturating_sub(shown) {
            let comma = if shown > 0 { ", " } else { "" };
            text.push_str(&format!("{comma}… {more} more"));
        }
        text.push(']');
        text
    }
}

impl fmt::Display for InputValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.elided(usize::MAX))
    }
}

impl FromIterator<(Slot, u64)> for InputValues {
    fn from_iter<I: IntoIterator<Item = (Slot, u64)>>(values: I) -> Self {
        let mut list = Self::new();
        values.into_iter().for_each(|(slot, bits)| list.push(slot, bits));
        list
    }
}

fn to_json(ty: Type, bits: u64) -> Value {
    let float = match ty {
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        Type::F64 => f64::from_bits(bits),
        Type::U64 => return Value::from(bits),
        // Every other integer type fits.
        _ => return Value::from(ty.integer(bits).unwrap_or_default() as i64),
    };
    match Number::from_f64(float) {
        Some(number) => Value::Number(number),
        None if float.is_nan() => Value::String(format!("NaN:{bits:x}")),
        None => Value::String(float.to_string()),
    }
}

fn from_json(ty: Type, value: &Value) -> Option<u64> {
    if ty.is_float() {
        let float = match value {
            Value::String(text) => match text.strip_prefix("NaN:") {
                Some(hex) => {
                    let bits = u64::from_str_radix(hex, 16).ok()?;
                    let shown = ty.show(bits);
                    return (bits & !ty.mask() == 0 && shown == "NaN").then_some(bits);
                }
                None => text.parse().ok()?,
            },
            _ => value.as_f64()?,
        };
        return Some(match ty {
            Type::F32 => u64::from((float as f32).to_bits()),
            _ => float.to_bits(),
        });
    }
    let integer = match value {
        Value::Number(number) => {
            number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from))?
        }
        _ => return None,
    };
    ty.bits_of_integer(integer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = (Slot, u64)> {
        (0..Type::ALL.len(), any::<u64>()).prop_map(|(index, bits)| {
            let slot = Slot::any(Type::ALL[index]);
            (slot, bits & slot.ty.mask())
        })
    }

    proptest! {
        #[test]
        fn raw_and_json_give_back_what_they_took(list in proptest::collection::vec(any_value(), 0..20)) {
            let values: InputValues = list.iter().copied().collect();
            let slots: Vec<_> = list.iter().map(|&(slot, _)| slot).collect();
            prop_assert_eq!(InputValues::from_raw(&slots, &values.to_raw()), Ok(values.clone()));
            let text = values.to_json().to_string();
            let json = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(InputValues::from_json(&slots, &json), Ok(values));
        }
    }

    #[test]
    fn wrong_values_are_refused() {
        let slots = [Slot::within(Type::U8, 1, 9); 2];
        assert!(matches!(
            InputValues::from_raw(&slots, &[1]),
            Err(InputError::TooShort { position: 2, .. })
        ));
        assert!(matches!(
            InputValues::from_raw(&slots, &[1, 2, 3]),
            Err(InputError::TooLong { count: 2 })
        ));
        assert!(matches!(
            InputValues::from_raw(&slots, &[1, 0]),
            Err(InputError::OutOfDomain { position: 2, .. })
        ));
        for (json, wrong) in
            [("[1]", 2), ("[1,2,3]", 0), ("[10,1]", 1), ("[1.5,1]", 1), ("[\"1\",1]", 1), ("{}", 0)]
        {
            let error = InputValues::from_json(&slots, &serde_json::from_str(json).unwrap())
                .expect_err(json);
            match error {
                InputError::TooShort { position, .. }
                | InputError::OutOfDomain { position, .. } => assert_eq!(position, wrong),
                InputError::TooLong { .. } | InputError::NotAList | InputError::NotUtf8 { .. } => {
                    assert_eq!(wrong, 0);
                }
            }
        }
        let list: InputValues = [(Slot::any(Type::I32), 5)].into_iter().collect();
        assert!(list.reader().next(Slot::any(Type::I64), 1).is_err());
    }

    #[test]
    fn long_lists_are_elided_for_people() {
        let values: InputValues =
            (1..=5).rev().map(|value| (Slot::any(Type::I32), value)).collect();
        assert_eq!(values.elided(3), "[5, 4, 3, … 2 more]");
        assert_eq!(values.elided(0), "[… 5 more]");
        assert_eq!(values.elided(5), "[5, 4, 3, 2, 1]");
        assert_eq!(InputValues::new().to_string(), "[]");
    }
}
