//! The types of symbolic inputs.

use std::fmt;
use std::str::FromStr;

use crate::WasmType;

/// The type of one symbolic input, as the source language sees it.
///
/// A value is kept as its bit pattern in the low [`Type::bits`] bits of a `u64`, all others zero.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    /// Every type, in the order of the declaration.
    pub const ALL: [Type; 10] = [
        Type::I8,
        Type::U8,
        Type::I16,
        Type::U16,
        Type::I32,
        Type::U32,
        Type::I64,
        Type::U64,
        Type::F32,
        Type::F64,
    ];

    /// The name that the call language and every report use.
    pub fn name(self) -> &'static str {
        match self {
            Type::I8 => "i8",
            Type::U8 => "u8",
            Type::I16 => "i16",
            Type::U16 => "u16",
            Type::I32 => "i32",
            Type::U32 => "u32",
            Type::I64 => "i64",
            Type::U64 => "u64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }

    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Type::I8 | Type::U8 => 8,
            Type::I16 | Type::U16 => 16,
            Type::I32 | Type::U32 | Type::F32 => 32,
            Type::I64 | Type::U64 | Type::F64 => 64,
        }
    }

    /// The integer type of so many bytes.
    pub fn of_bytes(bytes: u64, signed: bool) -> Option<Type> {
        Some(match (bytes, signed) {
            (1, true) => Type::I8,
            (1, false) => Type::U8,
            (2, true) => Type::I16,
            (2, false) => Type::U16,
            (4, true) => Type::I32,
            (4, false) => Type::U32,
            (8, true) => Type::I64,
            (8, false) => Type::U64,
            _ => return None,
        })
    }

    /// The width in bytes, which is also the distance between array elements.
    pub fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// Whether it is an integer type whose values may be negative.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// All bits that a value of this type may have set.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The least and the greatest integer of this type; none for floats.
    pub fn range(self) -> Option<(i128, i128)> {
        if self.is_float() {
            None
        } else if self.is_signed() {
            let half = 1i128 << (self.bits() - 1);
            Some((-half, half - 1))
        } else {
            Some((0, i128::from(self.mask())))
        }
    }

    /// The integer that a bit pattern stands for; none for floats.
    pub fn integer(self, bits: u64) -> Option<i128> {
        if self.is_float() {
            return None;
        }
        let bits = bits & self.mask();
        let value = i128::from(bits);
        Some(if self.is_signed() && bits >> (self.bits() - 1) == 1 {
            value - (1i128 << self.bits())
        } else {
            value
        })
    }

    /// The bit pattern of an integer; none if it lies outside the type, or for floats.
    pub fn bits_of_integer(self, value: i128) -> Option<u64> {
        let (low, high) = self.range()?;
        // The truncating cast is the two's complement encoding that is wanted.
        (low <= value && value <= high).then_some(value as u64 & self.mask())
    }

    /// Where a value stands in the order of its type. Of an integer that is its number. Floats are counted from zero:
    /// 0.0 has rank 0, the float above it rank 1, and −0.0, which comes just below, rank −1; what is not a number stands
    /// beyond the infinities.
    ///
    /// ```
    /// use pessimum_entry::Type;
    ///
    /// let ranks = [-1.0, -0.0, 0.0, 5e-324, 1.0f64].map(|x| Type::F64.rank(x.to_bits()));
    /// assert!(ranks.is_sorted() && ranks[1..4] == [-1, 0, 1]);
    /// assert_eq!(Type::I8.rank(0xff), -1);
    /// ```
    pub fn rank(self, bits: u64) -> i128 {
        let bits = bits & self.mask();
        let sign = 1 << (self.bits() - 1);
        match self.integer(bits) {
            Some(value) => value,
            None if bits & sign == 0 => i128::from(bits),
            None => -1 - i128::from(bits ^ sign),
        }
    }

    /// The bit pattern of the value with this rank; none if there is no such value.
    pub fn bits_of_rank(self, rank: i128) -> Option<u64> {
        if !self.is_float() {
            return self.bits_of_integer(rank);
        }
        let sign = 1u64 << (self.bits() - 1);
        let magnitude = u64::try_from(if rank < 0 { -1 - rank } else { rank }).ok()?;
        let bits = magnitude | if rank < 0 { sign } else { 0 };
        (magnitude < sign).then_some(bits)
    }

    /// The number that the bit pattern of a float stands for; that of an integer, as near as a float comes.
    pub fn float(self, bits: u64) -> f64 {
        match self {
            Type::F32 => f64::from(f32::from_bits(bits as u32)),
            Type::F64 => f64::from_bits(bits),
            _ => self.integer(bits).unwrap_or_default() as f64,
        }
    }

    /// The bit pattern of the float of this type that is nearest to a number; of an integer type the nearest whole one.
    pub fn bits_of_float(self, value: f64) -> u64 {
        match self {
            Type::F32 => u64::from((value as f32).to_bits()),
            Type::F64 => value.to_bits(),
            _ => {
                let (low, high) = self.range().unwrap_or((0, 0));
                self.bits_of_integer((value as i128).clamp(low, high)).unwrap_or(0)
            }
        }
    }

    /// The Wasm type in which a scalar of this type is passed.
    pub fn wasm(self) -> WasmType {
        match self {
            Type::I64 | Type::U64 => WasmType::I64,
            Type::F32 => WasmType::F32,
            Type::F64 => WasmType::F64,
            _ => WasmType::I32,
        }
    }

    /// The bit pattern of the Wasm value in which a scalar is passed: narrow integers are extended
    /// to 32 bits by their own signedness, as the C calling convention of Wasm has it.
    pub fn widen(self, bits: u64) -> u64 {
        match (self, self.integer(bits)) {
            (Type::I8 | Type::I16, Some(value)) => u64::from(value as u32),
            _ => bits & self.mask(),
        }
    }

    /// The value as a person writes it.
    pub fn show(self, bits: u64) -> String {
        match self {
            Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Type::F64 => format!("{:?}", f64::from_bits(bits)),
            _ => self.integer(bits).unwrap_or_default().to_string(),
        }
    }

    /// The bit pattern of a value as a person writes it: decimal or `0x…`, and any float that Rust
    /// reads.
    pub fn parse_value(self, text: &str) -> Option<u64> {
        match self {
            Type::F32 => text.parse().ok().map(|value: f32| u64::from(value.to_bits())),
            Type::F64 => text.parse().ok().map(f64::to_bits),
            _ => {
                let (negative, digits) = match text.strip_prefix('-') {
                    Some(digits) => (true, digits),
                    None => (false, text),
                };
                if !digits.starts_with(|c: char| c.is_ascii_digit()) {
                    return None;
                }
                let value = match digits.strip_prefix("0x") {
                    Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => {
                        i128::from_str_radix(hex, 16).ok()?
                    }
                    Some(_) => return None,
                    None => digits.parse().ok()?,
                };
                self.bits_of_integer(if negative { -value } else { value })
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Type {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Type::ALL.into_iter().find(|ty| ty.name() == text).ok_or_else(|| {
            let names: Vec<_> = Type::ALL.iter().map(|ty| ty.name()).collect();
            format!("no type `{text}`; the types are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bits_and_integers_agree_with_rust() {
        assert_eq!(Type::I8.integer(0xff), Some(-1));
        assert_eq!(Type::U8.integer(0xff), Some(255));
        assert_eq!(Type::I64.integer(u64::MAX), Some(-1));
        assert_eq!(Type::U64.integer(u64::MAX), Some(i128::from(u64::MAX)));
        assert_eq!(Type::I16.bits_of_integer(-32768), Some(0x8000));
        assert_eq!(Type::I16.bits_of_integer(32768), None);
        assert_eq!(Type::F32.integer(0), None);
        assert_eq!(Type::I8.widen(0x80), 0xffff_ff80);
        assert_eq!(Type::U8.widen(0x80), 0x80);
        assert_eq!(Type::U8.parse_value("0xff"), Some(255));
        assert_eq!(Type::U8.parse_value("256"), None);
        assert_eq!(Type::I32.parse_value("-0x1"), Some(0xffff_ffff));
        assert_eq!(Type::I32.parse_value("--1"), None);
        assert_eq!(Type::I32.parse_value("+1"), None);
    }

    proptest! {
        #[test]
        fn what_is_shown_can_be_read(index in 0..Type::ALL.len(), raw: u64) {
            let ty = Type::ALL[index];
            let bits = raw & ty.mask();
            let back = ty.parse_value(&ty.show(bits));
            let is_nan = match ty {
                Type::F32 => f32::from_bits(bits as u32).is_nan(),
                Type::F64 => f64::from_bits(bits).is_nan(),
                _ => false,
            };
            if !is_nan {
                prop_assert_eq!(back, Some(bits));
            }
            prop_assert_eq!(ty.name().parse::<Type>(), Ok(ty));
        }

        #[test]
        fn ranks_are_in_the_order_of_the_values(index in 0..Type::ALL.len(), one: u64, other: u64) {
            let ty = Type::ALL[index];
            let [one, other] = [one, other].map(|raw| raw & ty.mask());
            prop_assert_eq!(ty.bits_of_rank(ty.rank(one)), Some(one));
            let [x, y] = [one, other].map(|bits| ty.float(bits));
            let order = match ty.is_float() {
                true => x.total_cmp(&y),
                false => ty.integer(one).cmp(&ty.integer(other)),
            };
            let numbers = !x.is_nan() && !y.is_nan();
            prop_assert!(!numbers || order == ty.rank(one).cmp(&ty.rank(other)));
        }
    }
}
