//! Structures as the inputs of a target: `--call 'search(&tree where rep_ok, i32)'`.
//!
//! Each accepting path of the predicate is a shape whose open fields are inputs, with the path
//! condition as an assumption. An explorer that enters the target with each of them explores it
//! over the valid structures of the size and over no others.

use crate::layout::{FieldType, Kind, Layout};
use crate::structure::{Node, Structure};
use crate::symbolic::ValidStructures;
use pessimum_entry::{NodeLayout, Slot, Tree, TreeInput, TreeLayout, TreeNode, Type};
use pessimum_machine::Structures;
use pessimum_term::{Arena, TermId, Width};
use rustc_hash::FxHashMap;

impl Layout {
    /// The layout as both engines place a structure by it. Fields that are always zero are left
    /// out.
    pub fn as_argument(&self) -> TreeLayout {
        let kind = |kind: &Kind| NodeLayout {
            bytes: kind.bytes,
            links: match kind.array {
                true => Vec::new(),
                false => kind.links.iter().map(|l| (l.offset, l.kind)).collect(),
            },
            fields: given(kind)
                .map(|i| &kind.fields[i])
                .map(|field| (field.offset, type_of(&field.ty)))
                .collect(),
            array: kind.array,
            weight: kind.weight as u64,
        };
        TreeLayout { kinds: self.kinds.iter().map(kind).collect(), root: self.root }
    }
}

impl Structure {
    /// The structure that an argument of a call stands for.
    pub fn from_argument(layout: &Layout, tree: &Tree<u64>) -> Structure {
        let node = |node: &TreeNode<u64>| {
            let kind = &layout.kinds[node.kind];
            let mut fields = vec![0; kind.fields.len()];
            for (i, bits) in given(kind).zip(&node.fields) {
                fields[i] = type_of(&kind.fields[i].ty).integer(*bits).unwrap_or(0) as i64;
            }
            Node { kind: node.kind, fields, links: node.links.clone() }
        };
        let mut nodes: Vec<Node> = tree.nodes.iter().map(node).collect();
        if layout.kinds[layout.root].array {
            // The root is the last element, what it links to the ones before.
            nodes.reverse();
            let count = nodes.len();
            for (at, node) in nodes.iter_mut().enumerate() {
                node.links = vec![Some(at + 1).filter(|next| *next < count)];
            }
        }
        Structure { nodes }
    }

    /// The structure as an argument of a call: each of its inputs with its value, in order.
    pub fn as_inputs(&self, layout: &Layout) -> Vec<(Slot, u64)> {
        let value = |input: TreeInput| match input {
            TreeInput::Shape(slot) => (slot.ty, slot.domain.map_or(0, |d| d.0)),
            TreeInput::Field { node, field, ty } => {
                (ty, i128::from(self.nodes[node].fields[field]))
            }
        };
        let bits = |(ty, value): (Type, i128)| (Slot::any(ty), value as u64 & ty.mask());
        self.inputs(layout).into_iter().map(value).map(bits).collect()
    }

    /// The inputs of the structure, in order, by its own numbers of nodes and fields.
    fn inputs(&self, layout: &Layout) -> Vec<TreeInput> {
        let array = layout.kinds[layout.root].array;
        let count = self.nodes.len();
        let own = |node: usize| if array { count - 1 - node } else { node };
        let node = |at: usize| {
            let node = &self.nodes[own(at)];
            let links = if array { Vec::new() } else { node.links.clone() };
            TreeNode { kind: node.kind, links, fields: Vec::<()>::new() }
        };
        let tree = Tree { nodes: (0..count).map(node).collect() };
        let rename = |input: TreeInput| match input {
            TreeInput::Field { node, field, ty } => {
                let node = own(node);
                let kind = &layout.kinds[self.nodes[node].kind];
                let field = given(kind).nth(field).unwrap_or(field);
                TreeInput::Field { node, field, ty }
            }
            shape => shape,
        };
        tree.inputs(&layout.as_argument()).into_iter().map(rename).collect()
    }
}

impl Structures for ValidStructures {
    fn count(&self) -> usize {
        self.len()
    }

    fn slots(&self, index: usize) -> Vec<Slot> {
        let over = self.get(index);
        let slot = |input: TreeInput| match input {
            TreeInput::Shape(slot) => slot,
            TreeInput::Field { node, field, ty } => {
                let (low, high) = over.bounds(node, field);
                Slot::within(ty, i128::from(low), i128::from(high))
            }
        };
        over.structure.inputs(self.layout()).into_iter().map(slot).collect()
    }

    fn condition(&self, index: usize, arena: &mut Arena, terms: &[TermId]) -> Vec<TermId> {
        let over = self.get(index);
        let inputs = over.structure.inputs(self.layout());
        let fields: FxHashMap<(usize, usize), TermId> = inputs
            .iter()
            .zip(terms)
            .filter_map(|(input, term)| match input {
                TreeInput::Field { node, field, .. } => Some(((*node, *field), *term)),
                TreeInput::Shape(_) => None,
            })
            .collect();
        over.condition(arena, |arena, node, field| match fields.get(&(node, field)) {
            Some(term) => *term,
            None => {
                // A field that is always zero is no input.
                let node = &over.structure.nodes[node];
                let bytes = self.layout().kinds[node.kind].fields[field].ty.bytes();
                arena.constant(Width::new(8 * bytes), 0)
            }
        })
    }
}

/// The fields of a kind that are inputs: those that can be anything but zero.
fn given(kind: &Kind) -> impl Iterator<Item = usize> + '_ {
    let fields = kind.fields.iter().enumerate();
    fields.filter(|(_, f)| !matches!(f.ty, FieldType::Zero { .. })).map(|(i, _)| i)
}

/// The type in which a field is an input.
fn type_of(ty: &FieldType) -> Type {
    let signed = match ty {
        FieldType::Int { signed, .. } => *signed,
        FieldType::Enum { values, .. } => values.iter().any(|v| v.1 < 0),
        FieldType::Bool { .. } | FieldType::Zero { .. } => false,
    };
    // A width that no type has becomes a word.
    let word = if signed { Type::I32 } else { Type::U32 };
    Type::of_bytes(u64::from(ty.bytes()), signed).unwrap_or(word)
}
