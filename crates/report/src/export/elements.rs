//! An input as an array of one type, for languages that want one.

use serde_json::Value;

use super::call::Scalar;
use crate::document::Input;

/// The values and their type.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Elements {
    /// What they are.
    pub(super) ty: Element,
    /// Each as a decimal number.
    pub(super) values: Vec<String>,
}

/// A type of elements. A document has values and bytes but no types, so this is the narrowest
/// reading of both: the width from the number of bytes, the sign from the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    signed: bool,
    bits: u32,
}

impl Element {
    /// Its type.
    pub(super) fn scalar(self) -> Scalar {
        Scalar::integer(self.bits / 8, self.signed).unwrap_or(Scalar::U8)
    }

    fn admits(self, value: i128) -> bool {
        let half = 1i128 << (self.bits - 1);
        if self.signed { (-half..half).contains(&value) } else { (0..2 * half).contains(&value) }
    }
}

impl Elements {
    /// The input as integers of one type where it is that, else as bytes; `None` if the document
    /// is damaged.
    pub(super) fn of(input: &Input) -> Option<Elements> {
        let bytes = input.raw()?;
        let typed = || {
            let values = input.values.as_array().filter(|v| !v.is_empty())?;
            let (width, rest) = (bytes.len() / values.len(), bytes.len() % values.len());
            if rest != 0 || ![1, 2, 4, 8].contains(&width) {
                return None;
            }
            let values: Vec<i128> = values.iter().map(integer).collect::<Option<_>>()?;
            let bits = 8 * width as u32;
            // Bytes are unsigned unless one is negative; wider numbers the other way round.
            let first = if bits == 8 { [false, true] } else { [true, false] };
            let ty = first
                .map(|signed| Element { signed, bits })
                .into_iter()
                .find(|ty| values.iter().all(|v| ty.admits(*v)))?;
            Some(Elements { ty, values: values.iter().map(i128::to_string).collect() })
        };
        Some(typed().unwrap_or_else(|| Elements {
            ty: Element { signed: false, bits: 8 },
            values: bytes.iter().map(u8::to_string).collect(),
        }))
    }
}

fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use serde_json::json;

    fn shown(values: Value, bytes: &[u8]) -> String {
        let bytes = base64::engine::general_purpose::STANDARD.encode(bytes);
        let elements = Elements::of(&Input { values, bytes, structure: None }).expect("is base64");
        format!("{} {}", elements.ty.scalar().rust(), elements.values.join(" "))
    }

    #[test]
    fn the_type_is_the_narrowest_reading_of_values_and_bytes() {
        assert_eq!(shown(json!([1, 255]), &[1, 255]), "u8 1 255");
        assert_eq!(shown(json!([1, -1]), &[1, 255]), "i8 1 -1");
        assert_eq!(shown(json!([7]), &[7, 0, 0, 0]), "i32 7");
        assert_eq!(shown(json!([u32::MAX]), &[255; 4]), "u32 4294967295");
        assert_eq!(shown(json!([u64::MAX]), &[255; 8]), "u64 18446744073709551615");
    }

    #[test]
    fn what_is_not_one_array_of_integers_is_bytes() {
        assert_eq!(shown(json!([7, 1]), &[7, 0, 0, 0, 1]), "u8 7 0 0 0 1");
        assert_eq!(shown(json!([0.5]), &[0, 0, 0, 63]), "u8 0 0 0 63");
        assert_eq!(shown(json!([]), &[]), "u8 ");
    }

    #[test]
    fn damaged_bytes_are_no_input() {
        assert_eq!(
            Elements::of(&Input { values: json!([1]), bytes: "?".into(), structure: None }),
            None
        );
    }
}
