//! Reading documents back: everything we write can be read, and nothing else takes the stack.
//!
//! A computation tree or a structure nests as deep as it is, three levels of JSON for each of its
//! own. The usual limit of 128 would refuse results of ours; no limit would let a file of brackets
//! end the process. So both sides keep to one [`DEPTH`].

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Levels of JSON in a document of ours, at most: a tree of the 60 paths that are drawn takes 180,
/// a list of as many nodes as anybody looks at some hundred. A level takes well below a kilobyte of
/// stack to read, so that even the two megabytes of a thread hold them.
pub const DEPTH: usize = 512;

/// Why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It nests too deep.
    #[error("it nests deeper than {DEPTH} levels")]
    TooDeep,
    /// It is no JSON, or not what was expected.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

/// Reads a document.
///
/// ```
/// use pessimum_report::document::{DEPTH, parse};
/// let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
/// assert!(parse::<serde_json::Value>(deep(DEPTH).as_bytes()).is_ok());
/// assert!(parse::<serde_json::Value>(deep(DEPTH + 1).as_bytes()).is_err());
/// ```
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ReadError> {
    if nesting(bytes) > DEPTH {
        return Err(ReadError::TooDeep);
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    // Bounded above.
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// How many brackets are open at once in JSON, at most. Of other text it says nothing of use, but
/// never too little for what a parser would follow.
fn nesting(bytes: &[u8]) -> usize {
    let (mut open, mut most) = (0usize, 0usize);
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    most
}

/// How deep a value nests: 0 for a number, a string or nothing. Written with a list of its own, since
/// the value may be deeper than the stack.
pub fn depth(value: &Value) -> usize {
    let mut most = 0;
    let mut left = vec![(value, 0)];
    while let Some((value, above)) = left.pop() {
        match value {
            Value::Array(all) => {
                most = most.max(above + 1);
                left.extend(all.iter().map(|v| (v, above + 1)));
            }
            Value::Object(all) => {
                most = most.max(above + 1);
                left.extend(all.values().map(|v| (v, above + 1)));
            }
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Tree, TreeNode};

    #[test]
    fn a_tree_of_sixty_paths_is_read_back() {
        let leaf = || TreeNode { label: "end".into(), cost: Some(1), ..TreeNode::default() };
        let mut root = leaf();
        for _ in 0..60 {
            let children = vec![("false".to_owned(), leaf()), ("true".to_owned(), root)];
            root = TreeNode { label: "a < b".into(), worst: true, children, ..TreeNode::default() };
        }
        let text = serde_json::to_vec(&Tree { n: 61, root }).expect("a tree is JSON");
        assert!(serde_json::from_slice::<Tree>(&text).is_err(), "the usual limit is too low");
        assert_eq!(parse::<Tree>(&text).expect("it can be read").n, 61);
    }

    #[test]
    fn brackets_in_strings_do_not_nest() {
        assert_eq!(nesting(br#"{"a": "[[[\"[[", "b": [1, [2]]}"#), 3);
        assert_eq!(nesting(b"]]]]["), 1);
        let text = format!("{}1{}", "[".repeat(9), "]".repeat(9));
        let value: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!((nesting(text.as_bytes()), depth(&value)), (9, 9));
    }

    #[test]
    fn what_follows_a_document_is_refused() {
        assert!(parse::<Value>(b"[1] [2]").is_err());
        assert!(parse::<Value>(b"").is_err());
    }
}
