//! Types of functions and structures, from DWARF.
//!
//! Only what the layout of a structure needs: entries are kept as flat records, and names are
//! followed through `typedef`, `const` and `volatile`. Damaged debug information is no error: what
//! cannot be read is absent.

use gimli::{AttributeValue, EndianSlice, LittleEndian, UnitOffset};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use wasmparser as wp;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// An entry of a compilation unit, as an index into [`DebugInfo::entries`].
pub(crate) type EntryId = usize;

/// One entry with the attributes that matter here.
#[derive(Debug, Default, Clone)]
pub(crate) struct Entry {
    pub(crate) tag: Tag,
    pub(crate) name: Option<String>,
    pub(crate) ty: Option<EntryId>,
    pub(crate) bytes: Option<u64>,
    pub(crate) offset: u64,
    pub(crate) encoding: Option<gimli::DwAte>,
    pub(crate) count: Option<u64>,
    pub(crate) value: i64,
    pub(crate) bit_field: bool,
    /// Whether what it names is only read.
    pub(crate) constant: bool,
    pub(crate) children: Vec<EntryId>,
}

/// What an entry is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Base,
    Pointer,
    Struct,
    Union,
    Member,
    Array,
    Subrange,
    Enum,
    Enumerator,
    /// Another name or a qualifier of a type.
    Alias,
    Function,
    Parameter,
    #[default]
    Other,
}

/// The types of a module.
#[derive(Debug, Default)]
pub(crate) struct DebugInfo {
    entries: Vec<Entry>,
    functions: HashMap<String, EntryId>,
}

impl DebugInfo {
    /// Entries that no module says.
    #[cfg(test)]
    pub(crate) fn of(entries: Vec<Entry>) -> DebugInfo {
        DebugInfo { entries, functions: HashMap::new() }
    }

    /// Reads the custom sections of a module.
    pub(crate) fn read(module: &[u8]) -> DebugInfo {
        let mut sections: HashMap<&str, &[u8]> = HashMap::new();
        for payload in wp::Parser::new(0).parse_all(module) {
            match payload {
                Ok(wp::Payload::CustomSection(section)) => {
                    sections.insert(section.name(), section.data());
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let load = |id: gimli::SectionId| -> Result<Slice<'_>, gimli::Error> {
            Ok(EndianSlice::new(sections.get(id.name()).copied().unwrap_or(&[]), LittleEndian))
        };
        let mut info = DebugInfo::default();
        if let Ok(dwarf) = gimli::Dwarf::load(load) {
            let mut units = dwarf.units();
            while let Ok(Some(header)) = units.next() {
                if let Ok(unit) = dwarf.unit(header) {
                    info.read_unit(&dwarf, &unit);
                }
            }
        }
        info
    }

    fn read_unit(&mut self, dwarf: &gimli::Dwarf<Slice<'_>>, unit: &gimli::Unit<Slice<'_>>) {
        let mut ids: FxHashMap<usize, EntryId> = FxHashMap::default();
        let mut types: Vec<(EntryId, UnitOffset<usize>)> = Vec::new();
        let mut open: Vec<(isize, EntryId)> = Vec::new();
        let mut cursor = unit.entries();
        while let Ok(Some(die)) = cursor.next_dfs() {
            let depth = die.depth();
            let constant = die.tag() == gimli::DW_TAG_const_type;
            let mut entry = Entry { tag: tag(die.tag()), constant, ..Entry::default() };
            let mut symbol = None;
            let id = self.entries.len();
            for attr in die.attrs() {
                match attr.name() {
                    gimli::DW_AT_name => {
                        let text = dwarf.attr_string(unit, attr.value()).ok();
                        entry.name = text.map(|t| plain(&t.to_string_lossy()));
                    }
                    gimli::DW_AT_linkage_name => {
                        let text = dwarf.attr_string(unit, attr.value()).ok();
                        symbol = text.map(|t| t.to_string_lossy().into_owned());
                    }
                    gimli::DW_AT_type => {
                        if let AttributeValue::UnitRef(at) = attr.value() {
                            types.push((id, at));
                        }
                    }
                    gimli::DW_AT_byte_size => entry.bytes = attr.udata_value(),
                    gimli::DW_AT_data_member_location => {
                        entry.offset = attr.udata_value().unwrap_or(0);
                    }
                    gimli::DW_AT_encoding => {
                        if let AttributeValue::Encoding(e) = attr.value() {
                            entry.encoding = Some(e);
                        }
                    }
                    gimli::DW_AT_count => entry.count = attr.udata_value(),
                    gimli::DW_AT_upper_bound => {
                        entry.count = attr.udata_value().map(|n| n.saturating_add(1));
                    }
                    gimli::DW_AT_const_value => entry.value = attr.sdata_value().unwrap_or(0),
                    gimli::DW_AT_bit_size | gimli::DW_AT_data_bit_offset => entry.bit_field = true,
                    _ => {}
                }
            }
            while open.last().is_some_and(|o| o.0 >= depth) {
                open.pop();
            }
            if let Some((_, parent)) = open.last() {
                self.entries[*parent].children.push(id);
            }
            open.push((depth, id));
            ids.insert(die.offset().0, id);
            if entry.tag == Tag::Function {
                for name in entry.name.iter().chain(&symbol) {
                    self.functions.entry(name.clone()).or_insert(id);
                }
            }
            self.entries.push(entry);
        }
        for (id, at) in types {
            self.entries[id].ty = ids.get(&at.0).copied();
        }
    }

    pub(crate) fn entry(&self, id: EntryId) -> &Entry {
        &self.entries[id]
    }

    /// The types of this name.
    pub(crate) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = EntryId> + 'a {
        let is = |entry: &Entry| {
            matches!(entry.tag, Tag::Struct | Tag::Alias) && entry.name.as_deref() == Some(name)
        };
        self.entries.iter().enumerate().filter(move |(_, entry)| is(entry)).map(|(id, _)| id)
    }

    /// The parameters of a function, by its name or symbol; `None` without debug information on it.
    pub(crate) fn declared(&self, function: &str) -> Option<Vec<&Entry>> {
        // A function of C++ may be called by its full name; its entry has the last part.
        let last = function.rsplit("::").next()?;
        let id = *self.functions.get(function).or_else(|| self.functions.get(last))?;
        let children = self.entries[id].children.iter().map(|child| &self.entries[*child]);
        Some(children.filter(|child| child.tag == Tag::Parameter).collect())
    }

    /// The types of a function's parameters; `None` without debug information on it.
    pub(crate) fn parameters(&self, function: &str) -> Option<Vec<EntryId>> {
        let id = *self.functions.get(function)?;
        let children = &self.entries[id].children;
        let params = children.iter().filter(|c| self.entries[**c].tag == Tag::Parameter);
        params.map(|c| self.entries[*c].ty.map(|t| self.resolve(t))).collect()
    }

    /// Whether one of the names of a type says that it is only read.
    pub(crate) fn is_constant(&self, mut id: EntryId) -> bool {
        for _ in 0..64 {
            match self.entries[id] {
                Entry { constant: true, .. } => return true,
                Entry { tag: Tag::Alias, ty: Some(inner), .. } => id = inner,
                _ => break,
            }
        }
        false
    }

    /// The names of a function's parameters; none without debug information on it.
    pub(crate) fn parameter_names(&self, function: &str) -> Vec<String> {
        let params = self.declared(function).into_iter().flatten();
        params.map_while(|child| child.name.clone()).collect()
    }

    /// The types of a function's parameters as C writes them, where they are numbers or pointers to some; none without
    /// debug information on it.
    pub(crate) fn c_types(&self, function: &str) -> Vec<Option<String>> {
        let params = self.declared(function).into_iter().flatten();
        params.map(|child| self.c_type(child.ty?, 0)).collect()
    }

    fn c_type(&self, id: EntryId, depth: u32) -> Option<String> {
        let entry = self.entries.get(id).filter(|_| depth < 64)?;
        match entry.tag {
            Tag::Base => {
                let name = entry.name.as_deref()?;
                C_TYPES.contains(&name).then(|| name.to_owned())
            }
            Tag::Pointer => Some(format!("{} *", self.c_type(entry.ty?, depth + 1)?)),
            Tag::Alias => {
                let inner = self.c_type(entry.ty?, depth + 1)?;
                // What a pointer itself may not do is no part of the type of a function.
                let constant = entry.constant && !inner.ends_with('*');
                Some(if constant { format!("const {inner}") } else { inner })
            }
            _ => None,
        }
    }

    /// The type behind its aliases.
    pub(crate) fn resolve(&self, mut id: EntryId) -> EntryId {
        for _ in 0..64 {
            match self.entries[id] {
                Entry { tag: Tag::Alias, ty: Some(inner), .. } => id = inner,
                _ => break,
            }
        }
        id
    }

    /// What a pointer points to, behind aliases; `None` for no pointer or `void *`.
    pub(crate) fn pointee(&self, id: EntryId) -> Option<EntryId> {
        let entry = &self.entries[self.resolve(id)];
        if entry.tag != Tag::Pointer {
            return None;
        }
        entry.ty.map(|t| self.resolve(t))
    }

    /// The type in a programmer's words.
    pub(crate) fn describe(&self, id: EntryId) -> String {
        let entry = &self.entries[self.resolve(id)];
        match (entry.tag, &entry.name) {
            (Tag::Pointer, _) => match self.pointee(id) {
                Some(inner) => format!("a pointer to {}", self.describe(inner)),
                None => "a pointer to void".to_owned(),
            },
            (Tag::Struct, Some(name)) => format!("struct {name}"),
            (_, Some(name)) => name.clone(),
            _ => "an unnamed type".to_owned(),
        }
    }
}

/// Numbers of C, as its compilers call them.
const C_TYPES: [&str; 14] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "bool",
];

fn tag(tag: gimli::DwTag) -> Tag {
    match tag {
        gimli::DW_TAG_base_type => Tag::Base,
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => Tag::Pointer,
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => Tag::Struct,
        gimli::DW_TAG_union_type => Tag::Union,
        gimli::DW_TAG_member => Tag::Member,
        gimli::DW_TAG_array_type => Tag::Array,
        gimli::DW_TAG_subrange_type => Tag::Subrange,
        gimli::DW_TAG_enumeration_type => Tag::Enum,
        gimli::DW_TAG_enumerator => Tag::Enumerator,
        gimli::DW_TAG_typedef
        | gimli::DW_TAG_const_type
        | gimli::DW_TAG_volatile_type
        | gimli::DW_TAG_restrict_type => Tag::Alias,
        gimli::DW_TAG_subprogram => Tag::Function,
        gimli::DW_TAG_formal_parameter => Tag::Parameter,
        _ => Tag::Other,
    }
}

/// A name as compilers of C, C++ and Rust give it, in which nothing ends a line, a string or a
/// statement: names go into generated C, Graphviz and JSON, and whoever made the module chose them.
fn plain(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "_$:<>,.&[] ".contains(c);
    name.chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_no_line_and_no_statement() {
        assert_eq!(plain("Option<alloc::boxed::Box<T>>"), "Option<alloc::boxed::Box<T>>");
        assert_eq!(plain("x; }\n#include \"y\" /*"), "x_ ___include _y_ __");
    }
}
