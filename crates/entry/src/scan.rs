//! The tokens of the call language, read one at a time with the place they came from.

use crate::error::{Complaint, Span};

/// A description with a cursor in it.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// The byte offset of the next token.
    pub(crate) fn here(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// The byte offset just behind the last token taken.
    pub(crate) fn end_of_token(&self) -> usize {
        self.at
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.text.len()
    }

    /// The bytes of the next token, for a message about it.
    pub(crate) fn next_span(&mut self) -> Span {
        let start = self.here();
        let end = match self.peek_word() {
            Some(word) => start + word.len(),
            None => start + self.rest().chars().next().map_or(0, char::len_utf8),
        };
        start..end
    }

    /// The next token as a message shows it.
    pub(crate) fn next_shown(&mut self) -> String {
        let span = self.next_span();
        if span.is_empty() { "the end".to_owned() } else { format!("`{}`", &self.text[span]) }
    }

    /// Takes exactly these characters if they come next.
    pub(crate) fn take(&mut self, symbol: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }

    pub(crate) fn peek(&mut self, symbol: &str) -> bool {
        self.skip_blanks();
        self.rest().starts_with(symbol)
    }

    /// A name: a letter or `_`, then letters, digits and `_`.
    pub(crate) fn peek_word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(&rest[..end])
    }

    pub(crate) fn take_word(&mut self) -> Option<&'a str> {
        let word = self.peek_word()?;
        self.at += word.len();
        Some(word)
    }

    /// Takes this very word, not a longer one that begins with it.
    pub(crate) fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.peek_word() == Some(keyword);
        if found {
            self.at += keyword.len();
        }
        found
    }

    /// A number without sign, decimal or `0x…`; none if no digit comes next.
    pub(crate) fn take_number(&mut self) -> Option<Result<i128, Complaint>> {
        self.skip_blanks();
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let start = self.at;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        let digits = rest[..end].replace('_', "");
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        Some(value.map_err(|_| {
            Complaint::new(
                start..self.at,
                format!("`{}` is not a whole number", &rest[..end]),
                "write digits, such as 1000, or 0x3e8",
            )
        }))
    }

    /// A number that is no whole one: with a fraction, with an exponent, or `inf`; perhaps with a sign. None, and nothing
    /// taken, where something else comes next, a whole number among it. The dots of a range are no fraction.
    pub(crate) fn take_fraction(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let rest = self.rest().as_bytes();
        let digits =
            |from: usize| from + rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let signed = usize::from(rest.first() == Some(&b'-'));
        let mut end = digits(signed);
        let whole = end;
        if end == signed {
            end += if rest[end..].starts_with(b"inf") { 3 } else { return None };
        } else {
            if rest.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
                end = digits(end + 1);
            }
            if matches!(rest.get(end), Some(b'e' | b'E')) {
                let power = end + 1 + usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
                end = if digits(power) > power { digits(power) } else { end };
            }
        }
        let goes_on = rest.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if end == whole || goes_on {
            return None;
        }
        let text = &self.rest()[..end];
        self.at += end;
        Some(text)
    }

    /// The inside of a string whose opening quote has been taken, up to and with the closing one.
    pub(crate) fn take_string(&mut self) -> Result<Vec<u8>, Complaint> {
        let open = self.at - 1;
        let mut bytes = Vec::new();
        loop {
            match self.take_any() {
                None => {
                    let what = "the string does not end";
                    return Err(Complaint::new(open..self.text.len(), what, "close it with \""));
                }
                Some('"') => return Ok(bytes),
                Some('\\') => bytes.push(self.escaped()?),
                Some(c) => {
                    let mut utf8 = [0; 4];
                    bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                }
            }
        }
    }

    /// The byte of a character whose opening quote has been taken, up to and with the closing one.
    pub(crate) fn take_character(&mut self) -> Result<u8, Complaint> {
        let open = self.at - 1;
        let byte = match self.take_any() {
            Some('\\') => Some(self.escaped()?),
            Some('\'') | None => None,
            Some(c) if c.is_ascii() => u8::try_from(c).ok(),
            Some(c) => {
                let what = format!("`{c}` is more than a byte");
                let mend = "write its bytes as numbers, or '\\xHH'";
                return Err(Complaint::new(open..self.at, what, mend));
            }
        };
        let closed = byte.is_some() && self.take_any() == Some('\'');
        byte.filter(|_| closed).ok_or_else(|| {
            let mend = "write one character between quotes, as in 'a' or '\\n'";
            Complaint::new(open..self.at, "this is no character", mend)
        })
    }

    fn take_any(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// The byte of an escape whose backslash has been taken.
    fn escaped(&mut self) -> Result<u8, Complaint> {
        let escape = self.at - 1;
        Ok(match self.take_any() {
            Some('n') => b'\n',
            Some('r') => b'\r',
            Some('t') => b'\t',
            Some('0') => 0,
            Some('\\') => b'\\',
            Some('"') => b'"',
            Some('\'') => b'\'',
            Some('x') => {
                let mut digit = || self.take_any().and_then(|c| c.to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err(Complaint::new(
                        escape..escape + 2,
                        "`\\x` wants two hexadecimal digits",
                        "write for example \\x0a",
                    ));
                };
                (high * 16 + low) as u8
            }
            _ => {
                return Err(Complaint::new(
                    escape..self.at,
                    "no such escape in a string",
                    "the escapes are \\n \\r \\t \\0 \\\\ \\\" \\' and \\xHH",
                ));
            }
        })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
}
