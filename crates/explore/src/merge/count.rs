//! Natural numbers without a limit: n! outgrows every word.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A natural number, least significant word first, without leading zeros.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct Count {
    words: Vec<u64>,
}

impl Count {
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds another number.
    pub fn add(&mut self, other: &Count) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut carry = false;
        for (i, word) in self.words.iter_mut().enumerate() {
            let by = other.words.get(i).copied().unwrap_or(0);
            if by == 0 && !carry && i >= other.words.len() {
                return;
            }
            let (sum, first) = word.overflowing_add(by);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, first || second);
        }
        if carry {
            self.words.push(1);
        }
    }

    /// The number, or the greatest word where it does not fit.
    pub fn saturating(&self) -> u64 {
        match self.words.as_slice() {
            [] => 0,
            [one] => *one,
            _ => u64::MAX,
        }
    }

    /// Bytes that it takes beside itself.
    pub(crate) fn heap(&self) -> usize {
        self.words.capacity() * 8
    }
}

impl From<u64> for Count {
    fn from(number: u64) -> Count {
        Count { words: if number == 0 { Vec::new() } else { vec![number] } }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHUNK: u128 = 10_000_000_000_000_000_000;
        let mut words = self.words.clone();
        let mut chunks: Vec<u64> = Vec::new();
        while !words.is_empty() {
            let mut rest = 0u128;
            for word in words.iter_mut().rev() {
                let value = rest << 64 | u128::from(*word);
                *word = (value / CHUNK) as u64;
                rest = value % CHUNK;
            }
            while words.last() == Some(&0) {
                words.pop();
            }
            chunks.push(rest as u64);
        }
        let first = chunks.pop().unwrap_or(0);
        write!(f, "{first}")?;
        chunks.iter().rev().try_for_each(|chunk| write!(f, "{chunk:019}"))
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut words = Vec::<u64>::deserialize(deserializer)?;
        while words.last() == Some(&0) {
            words.pop();
        }
        Ok(Count { words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_are_exact_to_the_last_digit() {
        let mut factorial = Count::from(1);
        for n in 2..=30u64 {
            let one = factorial.clone();
            for _ in 1..n {
                factorial.add(&one);
            }
        }
        assert_eq!(factorial.to_string(), "265252859812191058636308480000000");
        assert_eq!(factorial.saturating(), u64::MAX);
    }

    #[test]
    fn carries_go_all_the_way() {
        let mut number = Count::from(u64::MAX);
        number.add(&Count::from(u64::MAX));
        assert_eq!(number.to_string(), "36893488147419103230");
        number.add(&Count::from(2));
        assert_eq!(number.to_string(), "36893488147419103232");
        let mut zero = Count::default();
        zero.add(&Count::from(0));
        assert!(zero.is_zero() && zero.to_string() == "0");
        let mut small = Count::from(1);
        small.add(&number);
        assert_eq!(small.to_string(), "36893488147419103233");
    }
}
