//! Values that matter to a program, gathered from inputs that took a path of their own, from the module and
//! from the user.

use pessimum_entry::InputValues;

/// Most values and most sequences that are kept.
const MOST: usize = 96;
const MOST_TOKENS: usize = 512;

/// Values that sent a run another way, in the order they were met, and sequences of values: keywords.
#[derive(Clone, Default, Debug)]
pub struct Dictionary {
    words: Vec<u64>,
    tokens: Vec<Vec<u64>>,
}

impl Dictionary {
    /// Takes in the values of an input that took a path of its own.
    pub fn learn(&mut self, input: &InputValues) {
        for &(_, bits) in input.iter() {
            if self.words.len() < MOST && !self.words.contains(&bits) {
                self.words.push(bits);
            }
        }
    }

    /// The values, those met first in front.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Takes in bytes that belong together: a keyword.
    pub fn add_token(&mut self, bytes: &[u8]) {
        let token: Vec<u64> = bytes.iter().map(|byte| u64::from(*byte)).collect();
        if self.tokens.len() < MOST_TOKENS && !token.is_empty() && !self.tokens.contains(&token) {
            self.tokens.push(token);
        }
    }

    /// The sequences, in the order they came.
    pub(crate) fn tokens(&self) -> &[Vec<u64>] {
        &self.tokens
    }

    /// Forgets all words but the first so many.
    pub fn forget(&mut self, but: usize) {
        self.words.truncate(but);
    }
}

/// The words of a dictionary as AFL and libFuzzer have them: one in quotes on each line, with or without a name
/// (`name="..."`, `name@2="..."`); `\\`, `\"` and `\x41` in it, comments after `#`.
///
/// ```
/// use pessimum_search::parse_dictionary;
///
/// let words = parse_dictionary(b"# XML\nopen=\"<!--\"\n\"\\x00\\\"\"\n");
/// assert_eq!(words, Ok(vec![b"<!--".to_vec(), b"\0\"".to_vec()]));
/// assert!(parse_dictionary(b"open=<!--").is_err());
/// ```
pub fn parse_dictionary(text: &[u8]) -> Result<Vec<Vec<u8>>, BadLine> {
    let mut words = Vec::new();
    for (i, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let open = line.iter().position(|byte| *byte == b'"');
        let quoted = open.and_then(|open| line[open + 1..].strip_suffix(b"\""));
        let word = quoted.and_then(unescaped).filter(|word| !word.is_empty());
        words.push(word.ok_or(BadLine { number: i + 1 })?);
    }
    Ok(words)
}

/// A line of a dictionary that is no word in quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// Its number, from 1 on.
    pub number: usize,
}

fn unescaped(quoted: &[u8]) -> Option<Vec<u8>> {
    let mut word = Vec::new();
    let mut rest = quoted;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'\\', [escaped @ (b'\\' | b'"'), after @ ..]) => {
                word.push(*escaped);
                rest = after;
            }
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |d: &u8| char::from(*d).to_digit(16);
                word.push((digit(high)? * 16 + digit(low)?) as u8);
                rest = after;
            }
            (b'\\' | b'"', _) => return None,
            _ => word.push(byte),
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_read_line_by_line() {
        let words = parse_dictionary(b"\n a@3=\"b\\\\\" \r\n# no=\"thing\n\"=\\\"\\xFf\"");
        assert_eq!(words, Ok(vec![b"b\\".to_vec(), b"=\"\xff".to_vec()]));
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        assert_eq!(parse_dictionary(b"\"\xff\xfea\""), Ok(vec![b"\xff\xfea".to_vec()]));
    }

    #[test]
    fn what_is_no_word_is_refused_with_its_line() {
        for wrong in ["a", "a=b", "a=\"", "a=\"\"", "\"\\q\"", "\"\\x4\"", "\"\\x4g\"", "\"a\"b\""]
        {
            let text = format!("\"fine\"\n{wrong}\n");
            assert_eq!(parse_dictionary(text.as_bytes()), Err(BadLine { number: 2 }), "{wrong}");
        }
    }
}
