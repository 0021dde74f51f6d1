//! What a structure looks like in memory, and which predicate holds of which part of it.
//!
//! A *kind* is a struct type (or an array that grows at its end). Its *links* are pointers to
//! structures of some kind, its *fields* everything else. Nested structs and small arrays are
//! flattened: `pos.x`, `bucket[2]`.

use crate::dwarf::{DebugInfo, EntryId, Tag};
use crate::error::{Result, ShapeError};

/// A kind of a layout, by index.
pub type KindId = usize;

/// The kinds of a structure and the one its root has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// All kinds that can be reached from the root.
    pub kinds: Vec<Kind>,
    /// The root's.
    pub root: KindId,
}

/// A struct type, or an array seen as one of its prefixes and a last element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The type's name in the program.
    pub name: String,
    /// Bytes of a node; of an element for an array.
    pub bytes: u32,
    /// Pointers to structures.
    pub links: Vec<Link>,
    /// Everything else that can be read.
    pub fields: Vec<Field>,
    /// Whether a structure of this kind is an array of `bytes`-sized elements: its only link is the
    /// array without the last element, at the same address.
    pub array: bool,
    /// What a node adds to the size of a structure: nothing for a header that no structure of its
    /// own kind is part of.
    pub weight: usize,
}

/// A pointer to a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Where it lies in the node.
    pub offset: u32,
    /// What it points to.
    pub kind: KindId,
}

/// A field that is not a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it lies in the node.
    pub offset: u32,
    /// Its type.
    pub ty: FieldType,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// An integer.
    Int {
        /// Its bytes.
        bytes: u32,
        /// Whether it can be negative.
        signed: bool,
    },
    /// A truth value.
    Bool {
        /// Its bytes.
        bytes: u32,
    },
    /// One of some names.
    Enum {
        /// Its bytes.
        bytes: u32,
        /// Names and values.
        values: Vec<(String, i64)>,
    },
    /// Something that is always zero: a float, or a pointer to something else.
    Zero {
        /// Its bytes.
        bytes: u32,
    },
}

impl FieldType {
    /// How many bytes it takes.
    pub fn bytes(&self) -> u32 {
        match self {
            FieldType::Int { bytes, .. }
            | FieldType::Bool { bytes }
            | FieldType::Enum { bytes, .. }
            | FieldType::Zero { bytes } => *bytes,
        }
    }

    /// The least and greatest value the bytes can hold.
    pub(crate) fn range(&self) -> (i64, i64) {
        match self {
            FieldType::Int { bytes, signed: true } | FieldType::Enum { bytes, .. } => {
                let bits = 8 * bytes;
                (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
            }
            FieldType::Int { bytes, signed: false } => {
                (0, if *bytes >= 8 { i64::MAX } else { (1i64 << (8 * bytes)) - 1 })
            }
            FieldType::Bool { .. } => (0, 1),
            FieldType::Zero { .. } => (0, 0),
        }
    }
}

/// A link or field of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Item {
    Link(u32),
    Field(u32),
}

impl Kind {
    /// The item that holds the byte at `offset`, with where it begins and how many bytes it has.
    pub(crate) fn item_at(&self, offset: u32) -> Option<(Item, u32, u32)> {
        let link = self.links.iter().position(|l| l.offset <= offset && offset < l.offset + 4);
        if let Some(i) = link
            && !self.array
        {
            return Some((Item::Link(i as u32), self.links[i].offset, 4));
        }
        let holds = |f: &Field| f.offset <= offset && offset < f.offset + f.ty.bytes();
        let i = self.fields.iter().position(holds)?;
        let field = &self.fields[i];
        Some((Item::Field(i as u32), field.offset, field.ty.bytes()))
    }
}

impl Layout {
    /// The layout of what the first parameter of `function` points to.
    pub(crate) fn of_parameter(info: &DebugInfo, function: &str, at: &str) -> Result<Layout> {
        let missing = || ShapeError::NoDebugInfo { predicate: function.to_owned() };
        let params = info.parameters(function).ok_or_else(missing)?;
        let wrong = |found: String| ShapeError::NotAPointer {
            predicate: function.to_owned(),
            at: at.to_owned(),
            found,
        };
        let first = *params.first().ok_or_else(|| wrong("missing".to_owned()))?;
        let pointee = info.pointee(first).ok_or_else(|| wrong(info.describe(first)))?;
        let mut reader = Reader { info, kinds: Vec::new(), known: Vec::new() };
        let root = match info.entry(pointee).tag {
            Tag::Struct => reader.kind(pointee),
            Tag::Base | Tag::Enum if params.len() >= 2 => reader.array(pointee),
            _ => return Err(wrong(info.describe(first))),
        };
        let mut layout = Layout { kinds: reader.kinds, root };
        layout.weigh();
        Ok(layout)
    }

    /// A node counts if a structure of its kind can be inside another.
    pub(crate) fn weigh(&mut self) {
        for kind in 0..self.kinds.len() {
            let mut seen = vec![false; self.kinds.len()];
            let mut open: Vec<KindId> = self.kinds[kind].links.iter().map(|l| l.kind).collect();
            while let Some(k) = open.pop() {
                if !std::mem::replace(&mut seen[k], true) {
                    open.extend(self.kinds[k].links.iter().map(|l| l.kind));
                }
            }
            self.kinds[kind].weight = usize::from(seen[kind]);
        }
    }
}

/// Most fields that a struct is flattened into.
const MAX_FIELDS: usize = 256;

struct Reader<'a> {
    info: &'a DebugInfo,
    kinds: Vec<Kind>,
    known: Vec<EntryId>,
}

impl Reader<'_> {
    fn kind(&mut self, ty: EntryId) -> KindId {
        if let Some(known) = self.known.iter().position(|k| *k == ty) {
            return known;
        }
        let entry = self.info.entry(ty);
        let id = self.kinds.len();
        self.known.push(ty);
        self.kinds.push(Kind {
            name: entry.name.clone().unwrap_or_else(|| "struct".to_owned()),
            bytes: entry.bytes.unwrap_or(0) as u32,
            links: Vec::new(),
            fields: Vec::new(),
            array: false,
            weight: 1,
        });
        self.members(id, ty, "", 0);
        id
    }

    fn array(&mut self, element: EntryId) -> KindId {
        let mut kind = Kind {
            name: format!("{}[]", self.info.describe(element)),
            bytes: self.info.entry(element).bytes.unwrap_or(4) as u32,
            links: vec![Link { name: "prefix".to_owned(), offset: 0, kind: 0 }],
            fields: Vec::new(),
            array: true,
            weight: 1,
        };
        if let Some(ty) = self.field_type(element) {
            kind.fields.push(Field { name: "element".to_owned(), offset: 0, ty });
        }
        self.known.push(element);
        self.kinds.push(kind);
        0
    }

    fn members(&mut self, kind: KindId, ty: EntryId, prefix: &str, base: u32) {
        let info = self.info;
        for &member in &info.entry(ty).children {
            let member = info.entry(member);
            if member.tag != Tag::Member || member.bit_field {
                continue;
            }
            let Some(ty) = member.ty else { continue };
            let name = member.name.as_deref().unwrap_or("");
            self.member(kind, ty, format!("{prefix}{name}"), base + member.offset as u32);
        }
    }

    fn member(&mut self, kind: KindId, ty: EntryId, name: String, offset: u32) {
        let have = self.kinds[kind].fields.len() + self.kinds[kind].links.len();
        if have >= MAX_FIELDS {
            return;
        }
        let info = self.info;
        let ty = info.resolve(ty);
        match info.entry(ty).tag {
            Tag::Struct => self.members(kind, ty, &format!("{name}."), offset),
            Tag::Array => {
                let Some(element) = info.entry(ty).ty.map(|t| info.resolve(t)) else { return };
                let counts = info.entry(ty).children.iter().map(|c| info.entry(*c).count);
                let count: u64 = counts.map(|c| c.unwrap_or(0)).product();
                let bytes = self.bytes(element);
                for i in 0..count.min(MAX_FIELDS as u64) {
                    let at = offset + i as u32 * bytes;
                    self.member(kind, element, format!("{name}[{i}]"), at);
                }
            }
            Tag::Pointer => match info.pointee(ty).filter(|t| info.entry(*t).tag == Tag::Struct) {
                Some(target) if !info.entry(target).children.is_empty() => {
                    let target = self.kind(target);
                    self.kinds[kind].links.push(Link { name, offset, kind: target });
                }
                _ => {
                    let ty = FieldType::Zero { bytes: 4 };
                    self.kinds[kind].fields.push(Field { name, offset, ty });
                }
            },
            _ => {
                if let Some(ty) = self.field_type(ty) {
                    self.kinds[kind].fields.push(Field { name, offset, ty });
                }
            }
        }
    }

    fn bytes(&self, ty: EntryId) -> u32 {
        let entry = self.info.entry(ty);
        match entry.tag {
            Tag::Pointer => 4,
            Tag::Array => {
                let counts = entry.children.iter().map(|c| self.info.entry(*c).count.unwrap_or(0));
                let count: u64 = counts.product();
                let element = entry.ty.map_or(0, |t| self.bytes(self.info.resolve(t)));
                count as u32 * element
            }
            _ => entry.bytes.unwrap_or(4) as u32,
        }
    }

    fn field_type(&self, ty: EntryId) -> Option<FieldType> {
        let entry = self.info.entry(ty);
        let bytes = entry.bytes.unwrap_or(4) as u32;
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            return None;
        }
        Some(match entry.tag {
            Tag::Enum => {
                let values = entry.children.iter().map(|c| self.info.entry(*c));
                let values = values.filter(|e| e.tag == Tag::Enumerator);
                let named = |e: &crate::dwarf::Entry| (e.name.clone().unwrap_or_default(), e.value);
                FieldType::Enum { bytes, values: values.map(named).collect() }
            }
            Tag::Base => match entry.encoding {
                Some(gimli::DW_ATE_boolean) => FieldType::Bool { bytes },
                Some(gimli::DW_ATE_float) => FieldType::Zero { bytes },
                Some(gimli::DW_ATE_signed | gimli::DW_ATE_signed_char) => {
                    FieldType::Int { bytes, signed: true }
                }
                _ => FieldType::Int { bytes, signed: false },
            },
            _ => return None,
        })
    }
}
