//! Histories, most recent decision first, and the choices made after them.

use crate::choice_set::ChoiceSet;
use crate::decision::Branch;

/// A map from histories to choices that shares common recent parts.
#[derive(Clone, Debug)]
pub struct Trie {
    /// The root first, every node before its children.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// The choices made after exactly this history; empty when it is only part of longer ones.
    choices: ChoiceSet,
    /// Sorted by branch.
    children: Vec<(Branch, u32)>,
    depth: u32,
}

impl Default for Trie {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Trie {
    /// A trie with no history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that a choice was made after a history (most recent decision first).
    pub fn insert(&mut self, history: impl IntoIterator<Item = Branch>, choice: u32) {
        let node = history.into_iter().fold(0, |node, branch| self.child_or_new(node, branch));
        self.nodes[node].choices.insert(choice);
    }

    /// Notes several choices after a history at once.
    pub fn insert_all(&mut self, history: impl IntoIterator<Item = Branch>, choices: &ChoiceSet) {
        let node = history.into_iter().fold(0, |node, branch| self.child_or_new(node, branch));
        self.nodes[node].choices.union_with(choices);
    }

    /// The choices made after exactly this history; `None` if it was never seen.
    pub fn get(&self, history: impl IntoIterator<Item = Branch>) -> Option<&ChoiceSet> {
        let mut node = 0;
        for branch in history {
            node = self.child(node, branch)?;
        }
        Some(&self.nodes[node].choices).filter(|choices| !choices.is_empty())
    }

    /// The length of the longest history.
    pub fn height(&self) -> u32 {
        self.nodes.iter().map(|node| node.depth).max().unwrap_or(0)
    }

    /// The number of histories.
    pub fn len(&self) -> usize {
        let seen = |node: &&Node| !node.choices.is_empty();
        self.nodes.iter().filter(seen).count()
    }

    /// True when no history was noted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of histories after which more than one choice was made.
    pub fn undecided(&self) -> usize {
        let several = |node: &&Node| node.choices.len() > 1;
        self.nodes.iter().filter(several).count()
    }

    /// Every history with its choices: shorter before longer on each branch, else in order.
    pub fn histories(&self) -> Vec<(Vec<Branch>, &ChoiceSet)> {
        let mut found = Vec::new();
        let mut stack = vec![(Vec::new(), 0usize)];
        while let Some((history, at)) = stack.pop() {
            let node = &self.nodes[at];
            for &(branch, child) in node.children.iter().rev() {
                let mut longer = history.clone();
                longer.push(branch);
                stack.push((longer, child as usize));
            }
            if !node.choices.is_empty() {
                found.push((history, &node.choices));
            }
        }
        found
    }

    /// The trie that would have been learned with histories of at most `h` decisions.
    #[must_use]
    pub fn truncated(&self, h: u32) -> Self {
        let mut short = Self::new();
        let mut stack = vec![(0usize, 0usize)];
        while let Some((from, to)) = stack.pop() {
            let node = &self.nodes[from];
            short.nodes[to].choices.union_with(&node.choices);
            for &(branch, child) in &node.children {
                let to = if node.depth < h { short.child_or_new(to, branch) } else { to };
                stack.push((child as usize, to));
            }
        }
        short
    }

    /// Adds every history of another trie.
    pub fn union_with(&mut self, other: &Self) {
        let mut stack = vec![(0usize, 0usize)];
        while let Some((from, to)) = stack.pop() {
            let node = &other.nodes[from];
            self.nodes[to].choices.union_with(&node.choices);
            for &(branch, child) in &node.children {
                stack.push((child as usize, self.child_or_new(to, branch)));
            }
        }
    }

    /// The length of history at which looking further back stops helping: the least `h` that
    /// leaves as few of the histories undecided as any `h` does. When some length resolves the
    /// site, this is the smallest that does.
    pub fn enough(&self) -> u32 {
        let height = self.height() as usize;
        // A node cut at depth h stands for all histories below it, with all their choices.
        let mut below: Vec<(ChoiceSet, u64)> = self
            .nodes
            .iter()
            .map(|node| (node.choices.clone(), u64::from(!node.choices.is_empty())))
            .collect();
        let mut undecided_at = vec![0u64; height + 1];
        let mut undecided_by_cut = vec![0u64; height + 1];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            for &(_, child) in &node.children {
                let (choices, histories) = below[child as usize].clone();
                below[at].0.union_with(&choices);
                below[at].1 += histories;
            }
            let depth = node.depth as usize;
            if node.choices.len() > 1 {
                undecided_at[depth] += 1;
            }
            if below[at].0.len() > 1 {
                undecided_by_cut[depth] += below[at].1;
            }
        }
        let mut shorter = 0;
        let undecided = |h: usize| {
            let total = shorter + undecided_by_cut[h];
            shorter += undecided_at[h];
            (total, h as u32)
        };
        (0..=height).map(undecided).min().map_or(0, |(_, h)| h)
    }

    /// The node of the history one decision further back.
    fn child(&self, node: usize, branch: Branch) -> Option<usize> {
        let children = &self.nodes[node].children;
        let at = children.binary_search_by_key(&branch, |&(b, _)| b).ok()?;
        Some(children[at].1 as usize)
    }

    fn child_or_new(&mut self, node: usize, branch: Branch) -> usize {
        let new = self.nodes.len();
        let parent = &mut self.nodes[node];
        match parent.children.binary_search_by_key(&branch, |&(b, _)| b) {
            Ok(at) => parent.children[at].1 as usize,
            Err(at) => {
                parent.children.insert(at, (branch, new as u32));
                let depth = parent.depth + 1;
                self.nodes.push(Node { depth, ..Node::default() });
                new
            }
        }
    }
}

/// Equal when the same histories lead to the same choices, however they were inserted.
impl PartialEq for Trie {
    fn eq(&self, other: &Self) -> bool {
        let mut stack = vec![(0usize, 0usize)];
        while let Some((a, b)) = stack.pop() {
            let (a, b) = (&self.nodes[a], &other.nodes[b]);
            let branches = |node: &Node| -> Vec<Branch> {
                node.children.iter().map(|&(branch, _)| branch).collect()
            };
            if a.choices != b.choices || branches(a) != branches(b) {
                return false;
            }
            let children = a.children.iter().zip(&b.children);
            stack.extend(children.map(|(&(_, a), &(_, b))| (a as usize, b as usize)));
        }
        true
    }
}

impl Eq for Trie {}
