//! A structure as an argument: nodes that point to each other, without sharing.
//!
//! The inputs of a structure say its shape as well as its fields, so that a list of values is a
//! structure by itself: no predicate and no generator is needed to run it again. They come node by
//! node, the root first, then what its links lead to, in order:
//!
//! * whether there is a root: a byte, 0 for null; for an array instead how many elements it has;
//! * for each node a byte per link, 0 for null, then its fields.
//!
//! Every node is an allocation of its own, as if the program had made it; an array is one.

use crate::{InputError, Slot, Type};

/// The kinds of nodes a structure is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLayout {
    /// Each kind of node.
    pub kinds: Vec<NodeLayout>,
    /// The root's.
    pub root: usize,
}

/// What a node looks like in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeLayout {
    /// Its bytes; of an element for an array.
    pub bytes: u32,
    /// Where its links lie, and the kind of node each points to; none for an array.
    pub links: Vec<(u32, usize)>,
    /// Where its other fields lie, and their types. What no field covers is zero.
    pub fields: Vec<(u32, Type)>,
    /// Whether it is an element of an array instead.
    pub array: bool,
    /// What a node adds to the size of a structure.
    pub weight: u64,
}

/// A structure whose fields are numbers, or whatever an engine computes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree<V> {
    /// The nodes, the root first, then what its links lead to, in order; the elements of an array
    /// from its first. None for null.
    pub nodes: Vec<TreeNode<V>>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode<V> {
    /// Its kind.
    pub kind: usize,
    /// The node that each link leads to; none for null.
    pub links: Vec<Option<usize>>,
    /// Its fields.
    pub fields: Vec<V>,
}

/// An input of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeInput {
    /// It says something about the shape: an input with a single value.
    Shape(Slot),
    /// It is a field.
    Field {
        /// The node.
        node: usize,
        /// Which of its fields.
        field: usize,
        /// The field's type.
        ty: Type,
    },
}

/// Something to be written into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a, V> {
    /// A field.
    Field(Type, &'a V),
    /// A pointer to the beginning of another block.
    Pointer(usize),
}

/// Where the inputs of a structure come from.
pub trait TreeSource {
    /// What a field is worth.
    type Value;
    /// Why there is no input.
    type Error;

    /// The next input, which says something about the shape: it must be a number.
    fn shape(&mut self, slot: Slot) -> Result<u64, Self::Error>;

    /// The next input, which is a field.
    fn field(&mut self, slot: Slot) -> Result<Self::Value, Self::Error>;
}

/// The input that says whether a link leads somewhere.
const LINK: Slot = Slot { ty: Type::U8, domain: Some((0, 1)) };
/// The input that says how many elements an array has.
const COUNT: Slot = Slot { ty: Type::U32, domain: None };

impl TreeLayout {
    /// Takes a structure from its inputs.
    pub fn read<S: TreeSource>(&self, source: &mut S) -> Result<Tree<S::Value>, S::Error> {
        let mut tree = Tree { nodes: Vec::new() };
        let root = &self.kinds[self.root];
        if root.array {
            for _ in 0..source.shape(COUNT)? {
                let fields = self.fields(self.root, source)?;
                tree.nodes.push(TreeNode { kind: self.root, links: Vec::new(), fields });
            }
            return Ok(tree);
        }
        // Nodes still to come, the next one last, with the link that leads there.
        let mut open: Vec<(usize, Option<(usize, usize)>)> = Vec::new();
        if source.shape(LINK)? != 0 {
            open.push((self.root, None));
        }
        while let Some((kind, from)) = open.pop() {
            let at = tree.nodes.len();
            if let Some((parent, link)) = from {
                tree.nodes[parent].links[link] = Some(at);
            }
            let links = &self.kinds[kind].links;
            let before = open.len();
            for (link, &(_, target)) in links.iter().enumerate() {
                if source.shape(LINK)? != 0 {
                    open.push((target, Some((at, link))));
                }
            }
            open[before..].reverse();
            let fields = self.fields(kind, source)?;
            tree.nodes.push(TreeNode { kind, links: vec![None; links.len()], fields });
        }
        Ok(tree)
    }

    fn fields<S: TreeSource>(
        &self,
        kind: usize,
        source: &mut S,
    ) -> Result<Vec<S::Value>, S::Error> {
        self.kinds[kind].fields.iter().map(|&(_, ty)| source.field(Slot::any(ty))).collect()
    }
}

impl<V> Tree<V> {
    /// The inputs that [`TreeLayout::read`] takes this structure from, in order.
    pub fn inputs(&self, layout: &TreeLayout) -> Vec<TreeInput> {
        let exactly =
            |ty, value: usize| TreeInput::Shape(Slot::within(ty, value as i128, value as i128));
        let mut inputs = Vec::new();
        if layout.kinds[layout.root].array {
            inputs.push(exactly(COUNT.ty, self.nodes.len()));
        } else {
            inputs.push(exactly(LINK.ty, usize::from(!self.nodes.is_empty())));
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let links = node.links.iter();
            inputs.extend(links.map(|l| exactly(LINK.ty, usize::from(l.is_some()))));
            let fields = layout.kinds[node.kind].fields.iter().enumerate();
            let own = |(field, &(_, ty))| TreeInput::Field { node: at, field, ty };
            inputs.extend(fields.map(own));
        }
        inputs
    }

    /// The sizes in bytes of the blocks of memory that hold it; the pointer to it is the address
    /// of the first one, or null if there is none.
    pub fn blocks(&self, layout: &TreeLayout) -> Vec<u64> {
        let root = &layout.kinds[layout.root];
        if root.array {
            return vec![self.nodes.len() as u64 * u64::from(root.bytes)];
        }
        self.nodes.iter().map(|n| u64::from(layout.kinds[n.kind].bytes)).collect()
    }

    /// What is to be written into the blocks, by block and offset; everything else is zero.
    pub fn parts<'a>(
        &'a self,
        layout: &'a TreeLayout,
    ) -> impl Iterator<Item = (usize, u32, Content<'a, V>)> {
        self.nodes.iter().enumerate().flat_map(|(at, node)| {
            let kind = &layout.kinds[node.kind];
            let (block, base) = if kind.array { (0, at as u32 * kind.bytes) } else { (at, 0) };
            let fields = kind
                .fields
                .iter()
                .zip(&node.fields)
                .map(move |(&(offset, ty), v)| (block, base + offset, Content::Field(ty, v)));
            let links = kind.links.iter().zip(&node.links).filter_map(move |(&(offset, _), to)| {
                Some((block, offset, Content::Pointer((*to)?)))
            });
            fields.chain(links)
        })
    }

    /// How many of its nodes count.
    pub fn size(&self, layout: &TreeLayout) -> u64 {
        self.nodes.iter().map(|n| layout.kinds[n.kind].weight).sum()
    }
}

/// Takes inputs one after the other from a function.
pub(crate) struct Taken<F>(pub(crate) F);

impl<F: FnMut(Slot) -> Result<u64, InputError>> TreeSource for Taken<F> {
    type Value = u64;
    type Error = InputError;

    fn shape(&mut self, slot: Slot) -> Result<u64, InputError> {
        (self.0)(slot)
    }

    fn field(&mut self, slot: Slot) -> Result<u64, InputError> {
        (self.0)(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputValues;

    fn binary() -> TreeLayout {
        let kind = NodeLayout {
            bytes: 12,
            links: vec![(0, 0), (4, 0)],
            fields: vec![(8, Type::I32)],
            array: false,
            weight: 1,
        };
        TreeLayout { kinds: vec![kind], root: 0 }
    }

    fn read(layout: &TreeLayout, values: &[u64]) -> Result<Tree<u64>, InputError> {
        let mut left = values.iter();
        let next = |slot: Slot| {
            let position = values.len() - left.len() + 1;
            left.next().copied().ok_or(InputError::TooShort { position, slot })
        };
        layout.read(&mut Taken(next))
    }

    /// A root 5 with a left child 3 that has a right child 4.
    const VALUES: [u64; 10] = [1, 1, 0, 5, 0, 1, 3, 0, 0, 4];

    #[test]
    fn nodes_come_root_first_and_are_blocks_of_their_own() {
        let layout = binary();
        let tree = read(&layout, &VALUES).unwrap();
        let links: Vec<_> = tree.nodes.iter().map(|n| n.links.clone()).collect();
        assert_eq!(links, [vec![Some(1), None], vec![None, Some(2)], vec![None, None]]);
        assert_eq!(tree.blocks(&layout), [12, 12, 12]);
        assert_eq!(tree.size(&layout), 3);
        let parts: Vec<_> = tree.parts(&layout).collect();
        assert_eq!(
            parts,
            [
                (0, 8, Content::Field(Type::I32, &5)),
                (0, 0, Content::Pointer(1)),
                (1, 8, Content::Field(Type::I32, &3)),
                (1, 4, Content::Pointer(2)),
                (2, 8, Content::Field(Type::I32, &4)),
            ]
        );
    }

    #[test]
    fn inputs_hold_the_shape_and_leave_the_fields_open() {
        let layout = binary();
        let tree = read(&layout, &VALUES).unwrap();
        let slots = tree.inputs(&layout).into_iter().map(|input| match input {
            TreeInput::Shape(slot) => slot,
            TreeInput::Field { ty, .. } => Slot::within(ty, 0, 9),
        });
        let slots: Vec<Slot> = slots.collect();
        assert_eq!(slots.len(), VALUES.len());
        assert!(slots.iter().zip(VALUES).all(|(slot, value)| slot.admits(value)));
        let values: InputValues = slots.iter().copied().zip(VALUES).collect();
        assert_eq!(values.to_raw().len(), 7 + 3 * 4);
        // Another shape is not admitted.
        assert!(!slots[2].admits(1) && slots[3].admits(6));
    }

    #[test]
    fn null_is_one_value_and_takes_no_room() {
        let layout = binary();
        let tree = read(&layout, &[0]).unwrap();
        assert_eq!((tree.blocks(&layout), tree.size(&layout)), (Vec::new(), 0));
        assert_eq!(tree.inputs(&layout), [TreeInput::Shape(Slot::within(Type::U8, 0, 0))]);
        assert!(matches!(read(&layout, &[1, 1]), Err(InputError::TooShort { position: 3, .. })));
    }

    #[test]
    fn an_array_is_one_block() {
        let kind = NodeLayout {
            bytes: 4,
            links: Vec::new(),
            fields: vec![(0, Type::I32)],
            array: true,
            weight: 1,
        };
        let layout = TreeLayout { kinds: vec![kind], root: 0 };
        let tree = read(&layout, &[3, 7, 8, 9]).unwrap();
        assert_eq!((tree.blocks(&layout), tree.size(&layout)), (vec![12], 3));
        let last = tree.parts(&layout).last();
        assert_eq!(last, Some((0, 8, Content::Field(Type::I32, &9))));
        // An empty one has an address all the same.
        assert_eq!(read(&layout, &[0]).unwrap().blocks(&layout), [0]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let layout = binary();
        let mut values = vec![1];
        for _ in 0..200_000 {
            values.extend([0, 1, 7]);
        }
        values.extend([0, 0, 7]);
        assert_eq!(read(&layout, &values).unwrap().size(&layout), 200_001);
    }
}
