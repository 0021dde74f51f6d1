//! The size of an input, and the further sizes that follow from it.

use crate::error::{Complaint, SpecError};
use crate::expr::{self, Expr};

/// A further size by name, as `--let m=n/2` defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Let {
    /// The name to be defined.
    pub name: String,
    /// What it is worth.
    pub value: Expr,
}

impl Let {
    /// Reads `name=expression`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let complain =
            |span, what: String, mend: &str| Err(Complaint::new(span, what, mend).about(text));
        let Some(equals) = text.find('=') else {
            return complain(0..text.len(), "no `=` in it".into(), "write --let m=n/2");
        };
        let name = text[..equals].trim();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            let what = format!("`{name}` is not a name");
            return complain(0..equals, what, "use letters, digits and _, as in --let m=n/2");
        }
        if expr::is_reserved(name) {
            let what = format!("`{name}` means something already");
            return complain(0..equals, what, "choose another name, as in --let m=n/2");
        }
        // Spans count from the `=`; shifted, they point into what the person wrote.
        let start = equals + 1;
        let value = Expr::parse(&text[start..]).map_err(|error| SpecError {
            span: error.span.start + start..error.span.end + start,
            text: text.to_owned(),
            ..error
        })?;
        Ok(Self { name: name.to_owned(), value })
    }
}

/// `n` and the values of the `--let` names at that `n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    n: u64,
    names: Vec<(String, i128)>,
}

impl Sizes {
    /// Only `n`.
    pub fn of(n: u64) -> Self {
        Self { n, names: Vec::new() }
    }

    /// `n` and every `--let`, each of which may use `n` and the names before it.
    pub fn at(n: u64, lets: &[Let]) -> Result<Self, SpecError> {
        Self::of(n).with(lets)
    }

    /// The sizes while `axis` grows: it is `size`, whatever a `--let` says of it, and `n` stays at
    /// `fixed`.
    pub fn along(axis: &str, size: u64, fixed: u64, lets: &[Let]) -> Result<Self, SpecError> {
        let names = vec![(axis.to_owned(), i128::from(size))];
        let others: Vec<Let> = lets.iter().filter(|l| l.name != axis).cloned().collect();
        Self { n: fixed, names }.with(&others)
    }

    fn with(self, lets: &[Let]) -> Result<Self, SpecError> {
        let mut sizes = self;
        for Let { name, value } in lets {
            let value_now = value.eval(&sizes)?;
            if sizes.get(name).is_some() {
                return Err(value.complain(
                    format!("`{name}` is defined twice"),
                    "give each --let a name of its own",
                ));
            }
            sizes.names.push((name.clone(), value_now));
        }
        Ok(sizes)
    }

    /// The size that the costs are a function of.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// What a name is worth.
    pub fn get(&self, name: &str) -> Option<i128> {
        if name == "n" {
            return Some(i128::from(self.n));
        }
        self.names.iter().find(|(own, _)| own == name).map(|&(_, value)| value)
    }

    /// The `--let` names with their values, in the order of their definition.
    pub fn names(&self) -> impl Iterator<Item = (&str, i128)> {
        self.names.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_lets_are_refused() {
        for (text, what) in [
            ("m", "no `=`"),
            ("n=3", "already"),
            ("i32=3", "already"),
            ("log2=3", "already"),
            ("2m=3", "not a name"),
            ("=3", "not a name"),
            ("m=", "expected a number"),
        ] {
            let error = Let::parse(text).expect_err(text);
            assert!(error.what.contains(what), "{error}");
        }
        let error = Let::parse("m=n+*").expect_err("star");
        assert_eq!(&error.text[error.span.clone()], "*");
        let twice = [Let::parse("m=1").unwrap(), Let::parse("m=2").unwrap()];
        assert!(Sizes::at(1, &twice).expect_err("twice").what.contains("twice"));
        let unknown = [Let::parse("m=k").unwrap()];
        assert!(Sizes::at(1, &unknown).expect_err("unknown").what.contains("nothing is called"));
    }
}
