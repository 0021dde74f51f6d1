//! What debug information says of the parameters of functions.

use crate::dwarf::{DebugInfo, Entry, EntryId, Tag};
use pessimum_entry::{Parameter, Pointee, Signatures, SourceType, Type};

/// The parameters of these functions, of those that the debug information of a module knows.
pub fn signatures<'a>(module: &[u8], functions: impl IntoIterator<Item = &'a str>) -> Signatures {
    let info = DebugInfo::read(module);
    let known = functions.into_iter().filter_map(|function| {
        let declared = info.declared(function)?;
        let parameter = |entry: &&Entry| Parameter {
            name: entry.name.clone(),
            ty: entry.ty.map_or(SourceType::Other, |ty| source_type(&info, ty)),
        };
        Some((function.to_owned(), declared.iter().map(parameter).collect()))
    });
    known.collect()
}

fn source_type(info: &DebugInfo, ty: EntryId) -> SourceType {
    let entry = info.entry(info.resolve(ty));
    match entry.tag {
        Tag::Pointer => {
            let constant = entry.ty.is_some_and(|to| info.is_constant(to));
            let to = entry.ty.map(|to| info.entry(info.resolve(to)));
            SourceType::Pointer { to: to.map_or(Pointee::Void, pointee), constant }
        }
        Tag::Base if is_bool(entry) => SourceType::Bool,
        _ => number(entry).map_or(SourceType::Other, SourceType::Number),
    }
}

fn pointee(entry: &Entry) -> Pointee {
    match (entry.tag, entry.name.as_deref()) {
        // `const void` is a name for nothing.
        (Tag::Alias, _) => Pointee::Void,
        (Tag::Base, Some("char")) if entry.bytes == Some(1) => Pointee::Char,
        // What Rust and Zig call a pointer to anything.
        (_, Some("c_void" | "anyopaque")) => Pointee::Void,
        _ if is_bool(entry) => Pointee::Bool,
        _ => number(entry).map_or(Pointee::Other, Pointee::Number),
    }
}

pub(crate) fn is_bool(entry: &Entry) -> bool {
    entry.encoding == Some(gimli::DW_ATE_boolean) && entry.bytes == Some(1)
}

pub(crate) fn number(entry: &Entry) -> Option<Type> {
    let signed = match (entry.tag, entry.encoding?) {
        (Tag::Base, gimli::DW_ATE_signed | gimli::DW_ATE_signed_char) => true,
        (Tag::Base, gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char) => false,
        (Tag::Base, gimli::DW_ATE_float) => {
            return match entry.bytes? {
                4 => Some(Type::F32),
                8 => Some(Type::F64),
                _ => None,
            };
        }
        _ => return None,
    };
    Type::of_bytes(entry.bytes?, signed)
}
