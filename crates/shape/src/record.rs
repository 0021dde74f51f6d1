//! What an element of an array of structs looks like, from debug information.

use crate::dwarf::{DebugInfo, Entry, EntryId, Tag};
use crate::signatures::{is_bool, number};
use pessimum_entry::{Record, RecordField, Slot, Type};

/// Numbers of one element: more are no input that somebody reads.
const MOST: usize = 256;

/// Members that are looked at to find them.
const LOOKED_AT: usize = 1 << 14;

/// Structs inside of structs: debug information of a damaged module may go round in circles.
const DEEPEST: usize = 32;

/// The struct of this name. Structs and arrays inside of it are taken apart: `pos.x`, `key[2]`. A sentence with the mend
/// where there is none, or where it holds what cannot be made of numbers.
pub fn record(module: &[u8], ty: &str) -> Result<Record, String> {
    read(&DebugInfo::read(module), ty)
}

fn read(info: &DebugInfo, ty: &str) -> Result<Record, String> {
    let Some((id, bytes)) = find(info, ty) else {
        return Err(format!(
            "no type `{ty}`: the debug information has no struct of this name; compile with -g, or use i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool, str or cstr"
        ));
    };
    let mut record = Record { name: ty.to_owned(), bytes, fields: Vec::new() };
    let mut reader = Reader { info, record: &mut record, looked_at: 0 };
    reader.members(id, "", 0, 0).map_err(|why| format!("`&{ty}[…]`: {why}"))?;
    match record.fields.is_empty() {
        true => Err(format!("`&{ty}[…]`: the struct has no numbers in it")),
        false => Ok(record),
    }
}

/// The struct of this name, or of another name for it, and its bytes. A declaration has none.
fn find(info: &DebugInfo, ty: &str) -> Option<(EntryId, u32)> {
    info.named(ty).find_map(|id| {
        let id = info.resolve(id);
        let entry = info.entry(id);
        let bytes = entry.bytes.and_then(|bytes| u32::try_from(bytes).ok());
        Some((id, bytes.filter(|bytes| entry.tag == Tag::Struct && *bytes > 0)?))
    })
}

struct Reader<'a> {
    info: &'a DebugInfo,
    record: &'a mut Record,
    /// Members so far, those with nothing in them included.
    looked_at: usize,
}

impl Reader<'_> {
    fn members(
        &mut self,
        ty: EntryId,
        prefix: &str,
        base: u64,
        depth: usize,
    ) -> Result<(), String> {
        let info = self.info;
        for &member in &info.entry(ty).children {
            let member = info.entry(member);
            let (Tag::Member, Some(ty)) = (member.tag, member.ty) else { continue };
            let name = format!("{prefix}{}", member.name.as_deref().unwrap_or(""));
            if member.bit_field {
                return Err(format!(
                    "`{name}` is a bit field: fill the struct in an exported function"
                ));
            }
            self.member(ty, name, base.saturating_add(member.offset), depth)?;
        }
        Ok(())
    }

    fn member(
        &mut self,
        ty: EntryId,
        name: String,
        offset: u64,
        depth: usize,
    ) -> Result<(), String> {
        let info = self.info;
        let ty = info.resolve(ty);
        let entry = info.entry(ty);
        if depth > DEEPEST {
            return Err(format!("`{name}` lies too deep"));
        }
        // Empty structs can be as many as a damaged module says.
        self.looked_at += 1;
        if self.looked_at > LOOKED_AT {
            return Err(too_many());
        }
        match entry.tag {
            Tag::Struct => self.members(ty, &format!("{name}."), offset, depth + 1),
            Tag::Array => {
                let Some(element) = entry.ty.map(|ty| info.resolve(ty)) else { return Ok(()) };
                let count = count_of(info, entry);
                let bytes = size_of(info, element, depth);
                for i in 0..count {
                    let at = offset.saturating_add(i.saturating_mul(bytes));
                    self.member(element, format!("{name}[{i}]"), at, depth + 1)?;
                }
                Ok(())
            }
            Tag::Pointer => Err(format!(
                "`{name}` is a pointer: build what it leads to in an exported function, or pass `&{} where PREDICATE`",
                self.record.name
            )),
            _ => match slot(info, entry) {
                Some(slot) => self.field(name, offset, slot),
                None => Err(format!(
                    "`{name}` is {}, not a number: fill the struct in an exported function",
                    info.describe(ty)
                )),
            },
        }
    }

    fn field(&mut self, name: String, offset: u64, slot: Slot) -> Result<(), String> {
        let inside = offset.checked_add(slot.ty.bytes().into());
        let inside = inside.is_some_and(|end| end <= self.record.bytes.into());
        match u32::try_from(offset) {
            Ok(offset) if inside && self.record.fields.len() < MOST => {
                self.record.fields.push(RecordField { name, offset, slot });
                Ok(())
            }
            Ok(_) if inside => Err(too_many()),
            _ => Err(format!(
                "`{name}` lies outside of the struct: the debug information is damaged"
            )),
        }
    }
}

fn too_many() -> String {
    format!("an element has more than {MOST} numbers")
}

/// Elements of an array of one dimension or several.
fn count_of(info: &DebugInfo, array: &Entry) -> u64 {
    let counts = array.children.iter().map(|child| info.entry(*child).count.unwrap_or(0));
    counts.fold(1, u64::saturating_mul)
}

/// Bytes of a type that lies so deep.
fn size_of(info: &DebugInfo, ty: EntryId, depth: usize) -> u64 {
    let entry = info.entry(ty);
    match (entry.tag, entry.ty) {
        (Tag::Array, Some(element)) if depth <= DEEPEST => {
            let one = size_of(info, info.resolve(element), depth + 1);
            one.saturating_mul(count_of(info, entry))
        }
        _ => entry.bytes.unwrap_or(0),
    }
}

/// What a number of this type may be: of a truth value 0 or 1, of an enumeration what lies between its names.
fn slot(info: &DebugInfo, entry: &Entry) -> Option<Slot> {
    if entry.tag != Tag::Enum {
        let any = number(entry).map(Slot::any);
        return if is_bool(entry) { Some(Slot::within(Type::U8, 0, 1)) } else { any };
    }
    let values = entry.children.iter().map(|child| info.entry(*child));
    let values = values.filter(|child| child.tag == Tag::Enumerator).map(|child| child.value);
    let (low, high) = values.fold((i64::MAX, i64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    let ty = Type::of_bytes(entry.bytes?, low < 0)?;
    let (least, greatest) = ty.range()?;
    let (low, high) = (i128::from(low), i128::from(high));
    (least <= low && low <= high && high <= greatest).then(|| Slot::within(ty, low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A struct `s` of 64 bytes with one member, an array of so many of the entry with this number.
    fn array_of(element: EntryId, count: u64, more: Entry) -> DebugInfo {
        let entry = |tag, ty, children: &[EntryId]| Entry {
            tag,
            ty,
            children: children.to_vec(),
            name: Some("s".to_owned()),
            ..Entry::default()
        };
        let mut s = entry(Tag::Struct, None, &[1]);
        s.bytes = Some(64);
        let mut range = entry(Tag::Subrange, None, &[]);
        range.count = Some(count);
        let (member, array) =
            (entry(Tag::Member, Some(2), &[]), entry(Tag::Array, Some(element), &[3]));
        DebugInfo::of(vec![s, member, array, range, more])
    }

    #[test]
    fn what_a_damaged_module_says_has_an_end() {
        let empty = Entry { tag: Tag::Struct, bytes: Some(0), ..Entry::default() };
        // As many structs with nothing in them as there can be.
        let error = read(&array_of(4, u64::MAX, empty.clone()), "s").expect_err("too many");
        assert!(error.contains("more than 256 numbers"), "{error}");
        // An array of itself.
        let error = read(&array_of(2, 2, empty.clone()), "s").expect_err("round in circles");
        assert!(error.contains("too deep"), "{error}");
        // A few are skipped, and nothing is left.
        let error = read(&array_of(4, 3, empty), "s").expect_err("nothing");
        assert!(error.contains("no numbers"), "{error}");
        let byte = Entry {
            tag: Tag::Base,
            bytes: Some(1),
            encoding: Some(gimli::DW_ATE_unsigned),
            ..Entry::default()
        };
        let record = read(&array_of(4, 3, byte), "s").expect("three bytes");
        assert_eq!(record.fields.iter().map(|f| f.offset).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
