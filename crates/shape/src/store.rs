//! Structures found so far, as arrays of integers.
//!
//! A structure takes one word for each link, the number of the structure there (0 is null), and
//! one for its leaf: the accepting path of the predicate that it was found on, which says what is
//! known of its root's own fields. Everything else about it is in the structures it links to.

use crate::layout::KindId;
use pessimum_term::TermId;

/// A structure of a kind, by its place in the store; zero is null.
pub(crate) type Id = u32;

/// The structures of one kind, ordered by size.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// Links and leaf.
    stride: usize,
    words: Vec<u32>,
    /// `ends[s]` is the number of structures of size at most s.
    ends: Vec<u32>,
}

impl Store {
    pub(crate) fn new(links: usize) -> Store {
        Store { stride: links + 1, words: Vec::new(), ends: Vec::new() }
    }

    pub(crate) fn len(&self) -> u32 {
        (self.words.len() / self.stride) as u32
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 4
    }

    pub(crate) fn push(&mut self, links: &[Id], leaf: u32) {
        self.words.extend_from_slice(links);
        self.words.push(leaf);
    }

    #[inline]
    pub(crate) fn link(&self, id: Id, link: u32) -> Id {
        self.words[(id as usize - 1) * self.stride + link as usize]
    }

    pub(crate) fn links(&self, id: Id) -> &[Id] {
        let at = (id as usize - 1) * self.stride;
        &self.words[at..at + self.stride - 1]
    }

    #[inline]
    pub(crate) fn leaf(&self, id: Id) -> u32 {
        self.words[id as usize * self.stride - 1]
    }

    /// No more structures of size `size` or less will come.
    pub(crate) fn close(&mut self, size: usize) {
        let end = self.len();
        while self.ends.len() <= size {
            self.ends.push(end);
        }
        self.words.shrink_to(self.words.len() + self.words.len() / 4);
    }

    /// The structures of a size, null included where the size is zero.
    pub(crate) fn of_size(&self, size: usize) -> std::ops::Range<Id> {
        let end = self.ends.get(size).copied().unwrap_or_else(|| self.len());
        match size {
            0 => 0..end + 1,
            _ => {
                let start = self.ends.get(size - 1).copied().unwrap_or(end);
                start + 1..end + 1
            }
        }
    }
}

/// What the predicate's path says of one field of the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// It has this value.
    Fixed(i64),
    /// It may have any value of its domain that the rules allow.
    Open,
}

/// An accepting path of a predicate.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) kind: KindId,
    /// The root's fields.
    pub(crate) fields: Vec<Known>,
    /// What must hold between open fields, as numbers of rules.
    pub(crate) rules: Vec<u32>,
    /// What the predicate returned.
    pub(crate) returned: Returned,
    /// The leaves with every open field given each of its values, once they are asked for.
    pub(crate) valuations: Option<Vec<u32>>,
    /// How many open fields the root has.
    pub(crate) open: u32,
}

/// What a call returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returned {
    Bits(u64),
    Term(TermId),
}
