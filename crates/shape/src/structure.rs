//! A valid structure, written out.

use crate::domain::Values;
use crate::engine::Engine;
use crate::finite::GaveUp;
use crate::layout::{KindId, Layout};
use crate::store::{Id, Known, Leaf, Store};

/// A structure with a value in every field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Structure {
    /// The nodes, the root first, then what its links lead to, in order; none for null.
    pub nodes: Vec<Node>,
}

/// One node of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// Its kind in the layout.
    pub kind: KindId,
    /// The value of each field of the kind.
    pub fields: Vec<i64>,
    /// The node each link of the kind leads to; `None` for null.
    pub links: Vec<Option<usize>>,
}

impl Structure {
    /// The null pointer.
    pub fn null() -> Structure {
        Structure { nodes: Vec::new() }
    }

    /// The number of nodes that count, see [`Kind::weight`](crate::Kind::weight).
    pub fn size(&self, layout: &Layout) -> usize {
        self.nodes.iter().map(|n| layout.kinds[n.kind].weight).sum()
    }
}

/// What structures are written out from.
pub(crate) struct Pieces<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) values: &'a [Vec<Values>],
    pub(crate) stores: &'a [Store],
    pub(crate) leaves: &'a [Leaf],
}

impl Pieces<'_> {
    /// The nodes of a structure; open fields hold the least value of their domain. `seen` is told
    /// the leaf of each node, in the order of the nodes.
    pub(crate) fn write_out(
        &self,
        kind: KindId,
        links: &[Id],
        leaf: u32,
        mut seen: impl FnMut(u32),
    ) -> Structure {
        let mut structure = Structure::null();
        self.write_node(&mut structure, kind, links, leaf, &mut seen);
        structure
    }

    fn write_node(
        &self,
        out: &mut Structure,
        kind: KindId,
        links: &[Id],
        leaf: u32,
        seen: &mut impl FnMut(u32),
    ) -> usize {
        let at = out.nodes.len();
        seen(leaf);
        let known = &self.leaves[leaf as usize].fields;
        let value = |(f, k): (usize, &Known)| match k {
            Known::Fixed(v) => *v,
            Known::Open => self.values[kind][f].low,
        };
        let fields = known.iter().enumerate().map(value).collect();
        out.nodes.push(Node { kind, fields, links: vec![None; links.len()] });
        for (link, &id) in links.iter().enumerate() {
            if id != 0 {
                let target = self.layout.kinds[kind].links[link].kind;
                let store = &self.stores[target];
                let child = self.write_node(out, target, store.links(id), store.leaf(id), seen);
                out.nodes[at].links[link] = Some(child);
            }
        }
        at
    }
}

impl Engine {
    fn write_out(&self, kind: KindId, links: &[Id], leaf: u32) -> Structure {
        let found = Pieces {
            layout: &self.plan.layout,
            values: &self.values,
            stores: &self.stores,
            leaves: &self.leaves,
        };
        found.write_out(kind, links, leaf, |_| ())
    }

    /// Calls `found` with every way to fill the open fields of a structure, until it says false.
    pub(crate) fn each_filled(
        &mut self,
        kind: KindId,
        links: &[Id],
        leaf: u32,
        steps: u64,
        found: &mut dyn FnMut(&Structure) -> bool,
    ) -> Result<(), GaveUp> {
        let mut structure = self.write_out(kind, links, leaf);
        if !self.any_open {
            found(&structure);
            return Ok(());
        }
        if !self.instantiate(kind, links, Some(leaf)) {
            return Ok(());
        }
        let firsts: Vec<u32> = self.instance.first_variables().collect();
        self.problem.each_solution(steps, &mut |values| {
            fill(&mut structure, &firsts, values);
            found(&structure)
        })
    }

    /// One way to fill the open fields of a structure, drawn with `pick`.
    pub(crate) fn filled_at_random(
        &mut self,
        kind: KindId,
        links: &[Id],
        leaf: u32,
        steps: u64,
        pick: &mut dyn FnMut(i64, i64) -> i64,
    ) -> Result<Option<Structure>, GaveUp> {
        let mut structure = self.write_out(kind, links, leaf);
        if !self.instantiate(kind, links, Some(leaf)) {
            return Ok(None);
        }
        let firsts: Vec<u32> = self.instance.first_variables().collect();
        let values = self.problem.pick_solution(steps, pick)?;
        Ok(values.map(|values| {
            fill(&mut structure, &firsts, &values);
            structure
        }))
    }
}

fn fill(structure: &mut Structure, firsts: &[u32], values: &[i64]) {
    for (node, first) in structure.nodes.iter_mut().zip(firsts) {
        let first = *first as usize;
        let count = node.fields.len();
        node.fields.copy_from_slice(&values[first..first + count]);
    }
}
