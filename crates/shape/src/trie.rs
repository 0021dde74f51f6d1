//! What a predicate does, as a tree over what it learns of its argument.
//!
//! A run of a predicate depends on nothing but what it reads of the structure and on what its
//! calls on parts of it return. So all runs form a tree: each node is the next thing a run asks,
//! each edge an answer. A candidate walks down the tree by looking its answers up in arrays of
//! integers; only where it comes to an edge that no candidate took before is the machine run.

use crate::layout::KindId;
use crate::path::PathId;
use std::rc::Rc;

/// An answer for a field that has no single value.
pub(crate) const SYMBOLIC: u64 = 0x8000_0000_0000_0001;
/// An answer for a link that leads back to the root (used to probe for cycles).
pub(crate) const SELF: u64 = 2;
/// Set in the answer for a call that returned a term.
pub(crate) const TERM: u64 = 1 << 63;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Whether a link is null (0) or not (1).
    Link { path: PathId, kind: KindId, link: u32, child: PathId },
    /// The value of a field; at the root, each value of its domain in turn.
    Field { path: PathId, kind: KindId, field: u32 },
    /// What the predicate returned for the structure at a place.
    Return { path: PathId, kind: KindId },
    /// Which of some conditions on fields holds.
    Fork(Rc<[Choice]>),
    /// The run ended: the structure is valid on this path.
    Accept { leaf: u32 },
    /// The run ended: it is not.
    Reject,
    /// The run cannot go on; a number of an error.
    Fail { error: u32 },
}

/// One side of a fork.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) key: u64,
    /// The number of the rule that says when.
    pub(crate) rule: u32,
    /// Whether it can hold, where that is the same for all candidates.
    pub(crate) feasible: Option<bool>,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) step: Step,
    /// Sorted by key.
    edges: Vec<(u64, u32)>,
}

/// The tree of one predicate.
#[derive(Debug, Default)]
pub(crate) struct Trie {
    pub(crate) nodes: Vec<Node>,
}

impl Trie {
    /// The node after answering `key` at `node`.
    #[inline]
    pub(crate) fn next(&self, node: u32, key: u64) -> Option<u32> {
        let edges = &self.nodes[node as usize].edges;
        if edges.len() <= 8 {
            return edges.iter().find(|e| e.0 == key).map(|e| e.1);
        }
        edges.binary_search_by_key(&key, |e| e.0).ok().map(|i| edges[i].1)
    }

    /// Adds a node below an answer; below nothing for the first.
    pub(crate) fn add(&mut self, below: Option<(u32, u64)>, step: Step) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { step, edges: Vec::new() });
        if let Some((node, key)) = below {
            let edges = &mut self.nodes[node as usize].edges;
            let at = edges.partition_point(|e| e.0 < key);
            edges.insert(at, (key, id));
        }
        id
    }
}
