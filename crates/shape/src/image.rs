//! A structure as the bytes of memory that hold it.

use crate::layout::Layout;
use crate::structure::Structure;

/// Bytes, and where in them pointers lie. A pointer holds the offset of what it points to from the
/// image's beginning, to which the address of the image is to be added; null is in no list.
///
/// ```
/// use pessimum_shape::{Image, Layout, Structure};
///
/// let layout = Layout { kinds: Vec::new(), root: 0 };
/// assert!(Image::of(&layout, &Structure::null()).bytes.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Image {
    /// The nodes; the root is at the beginning.
    pub bytes: Vec<u8>,
    /// Offsets of pointers that are not null, ascending.
    pub relocations: Vec<u32>,
}

/// First bytes of [`Image::to_bytes`].
const MAGIC: &[u8; 8] = b"pessimg1";

impl Image {
    /// The image of a structure: nodes in order, each aligned to 8 bytes; an array as it is.
    pub fn of(layout: &Layout, structure: &Structure) -> Image {
        let mut image = Image::default();
        let Some(root) = structure.nodes.first() else { return image };
        if layout.kinds[root.kind].array {
            // The root holds the last element, what it links to the ones before.
            for node in structure.nodes.iter().rev() {
                let kind = &layout.kinds[node.kind];
                let at = image.bytes.len();
                image.bytes.resize(at + kind.bytes as usize, 0);
                for (field, value) in kind.fields.iter().zip(&node.fields) {
                    image.put(at as u32 + field.offset, field.ty.bytes(), *value as u64);
                }
            }
            return image;
        }
        let starts = Image::starts(layout, structure);
        let last = structure.nodes.last().map_or(0, |n| layout.kinds[n.kind].bytes);
        let end = starts.last().map_or(0, |s| (s + last.max(1)).next_multiple_of(8));
        image.bytes.resize(end as usize, 0);
        for (node, start) in structure.nodes.iter().zip(&starts) {
            let kind = &layout.kinds[node.kind];
            for (field, value) in kind.fields.iter().zip(&node.fields) {
                image.put(start + field.offset, field.ty.bytes(), *value as u64);
            }
            for (link, target) in kind.links.iter().zip(&node.links) {
                if let Some(target) = target {
                    image.put(start + link.offset, 4, u64::from(starts[*target]));
                    image.relocations.push(start + link.offset);
                }
            }
        }
        image.relocations.sort_unstable();
        image
    }

    /// Where each node begins.
    pub fn starts(layout: &Layout, structure: &Structure) -> Vec<u32> {
        let bytes = |n: &crate::structure::Node| layout.kinds[n.kind].bytes;
        let mut starts: Vec<u32> = Vec::new();
        let mut end = 0;
        for node in &structure.nodes {
            starts.push(end);
            end += bytes(node).max(1);
            if !layout.kinds[node.kind].array {
                end = end.next_multiple_of(8);
            }
        }
        if structure.nodes.first().is_some_and(|n| layout.kinds[n.kind].array) {
            // The root holds the last element.
            starts.reverse();
        }
        starts
    }

    fn put(&mut self, at: u32, bytes: u32, value: u64) {
        let (at, bytes) = (at as usize, bytes as usize);
        if let Some(place) = self.bytes.get_mut(at..at + bytes) {
            place.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
    }

    /// The bytes for an image that lies at `base`.
    pub fn at(&self, base: u32) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for at in &self.relocations {
            let at = *at as usize;
            if let Some(place) = bytes.get_mut(at..at + 4) {
                let mut old = [0; 4];
                old.copy_from_slice(place);
                place.copy_from_slice(&u32::from_le_bytes(old).wrapping_add(base).to_le_bytes());
            }
        }
        bytes
    }

    /// As a file: `pessimg1`, the number of bytes and of relocations (32 bits each, little-endian),
    /// the relocations, the bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend((self.bytes.len() as u32).to_le_bytes());
        out.extend((self.relocations.len() as u32).to_le_bytes());
        for at in &self.relocations {
            out.extend(at.to_le_bytes());
        }
        out.extend(&self.bytes);
        out
    }
}
