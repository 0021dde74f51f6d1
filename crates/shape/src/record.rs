//! What an element of an array of structs looks like, from debug information.

use crate::dwarf::{DebugInfo, Entry, EntryId, Tag};
use crate::signatures::{is_bool, number};
use pessimum_entry::{Record, RecordField, Slot, Type};

/// Numbers of one element: more are no input that somebody reads.
const MOST: usize = 256;

/// Structs inside of structs: debug information of a damaged module may go round in circles.
const DEEPEST: usize = 32;

/// The struct of this name. Structs and arrays inside of it are taken apart: `pos.x`, `key[2]`. A sentence with the mend
/// where there is none, or where it holds what cannot be made of numbers.
pub fn record(module: &[u8], ty: &str) -> Result<Record, String> {
    let info = DebugInfo::read(module);
    let Some((id, bytes)) = find(&info, ty) else {
        return Err(format!(
            "no type `{ty}`: the debug information has no struct of this name; compile with -g, or use i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool, str or cstr"
        ));
    };
    let mut record = Record { name: ty.to_owned(), bytes, fields: Vec::new() };
    let mut reader = Reader { info: &info, record: &mut record };
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
        match entry.tag {
            Tag::Struct => self.members(ty, &format!("{name}."), offset, depth + 1),
            Tag::Array => {
                let Some(element) = entry.ty.map(|ty| info.resolve(ty)) else { return Ok(()) };
                let counts = entry.children.iter().map(|child| info.entry(*child).count);
                let count: u64 = counts.map(|count| count.unwrap_or(0)).product();
                let bytes = size_of(info, element);
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
            Ok(_) if inside => Err(format!("an element has more than {MOST} numbers")),
            _ => Err(format!(
                "`{name}` lies outside of the struct: the debug information is damaged"
            )),
        }
    }
}

fn size_of(info: &DebugInfo, ty: EntryId) -> u64 {
    let entry = info.entry(ty);
    match (entry.tag, entry.ty) {
        (Tag::Array, Some(element)) => {
            let counts = entry.children.iter().map(|child| info.entry(*child).count.unwrap_or(0));
            counts.fold(size_of(info, info.resolve(element)), u64::saturating_mul)
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
    let ty = match (entry.bytes?, low < 0) {
        (1, true) => Type::I8,
        (1, false) => Type::U8,
        (2, true) => Type::I16,
        (2, false) => Type::U16,
        (4, true) => Type::I32,
        (4, false) => Type::U32,
        _ => return None,
    };
    let (least, greatest) = ty.range()?;
    let (low, high) = (i128::from(low), i128::from(high));
    (least <= low && low <= high && high <= greatest).then(|| Slot::within(ty, low, high))
}
