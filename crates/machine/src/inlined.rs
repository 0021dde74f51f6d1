//! Which function an instruction was written in, where a compiler moved it into another.

use crate::names::written;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Unit};
use std::collections::HashMap;
use std::sync::Arc;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// Links from an entry to the one that has its name that are followed, and bytes of a name.
const LINKS: u32 = 4;
const LONGEST: usize = 1024;

/// Ranges that are read in all, since many entries may name the same long list of them; and those that are looked at to find
/// the one that an address is in.
const MOST: usize = 1 << 20;
const LOOKED_AT: usize = 1 << 12;

/// Code of a function that stands in another.
#[derive(Clone, Debug)]
struct Moved {
    /// Relative to the code section's contents, as DWARF counts in Wasm.
    begin: u32,
    end: u32,
    name: Arc<str>,
}

/// All of them; empty when there is no debug information.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inlined {
    /// By where they begin; of those that begin at one place the outer one first.
    moved: Vec<Moved>,
    /// The end of the longest one up to each place in the list: where to stop looking back.
    reach: Vec<u32>,
    /// Ranges that were read.
    read: usize,
}

impl Inlined {
    /// Adds what a unit says. What cannot be read is left out.
    pub(crate) fn read(&mut self, dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>) {
        let mut names: HashMap<usize, Option<Arc<str>>> = HashMap::new();
        let mut entries = unit.entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            if entry.tag() != gimli::DW_TAG_inlined_subroutine {
                continue;
            }
            let Some(AttributeValue::UnitRef(origin)) =
                entry.attr_value(gimli::DW_AT_abstract_origin)
            else {
                continue;
            };
            let name = names.entry(origin.0).or_insert_with(|| name_of(dwarf, unit, origin));
            let (Some(name), Ok(mut ranges)) = (name, dwarf.die_ranges(unit, entry)) else {
                continue;
            };
            while let Ok(Some(range)) = ranges.next() {
                self.read += 1;
                if self.read > MOST {
                    return;
                }
                // Code at address 0 was dropped by the linker.
                if let (Ok(begin), Ok(end)) = (u32::try_from(range.begin), u32::try_from(range.end))
                    && begin != 0
                    && begin < end
                {
                    self.moved.push(Moved { begin, end, name: Arc::clone(name) });
                }
            }
        }
    }

    /// To be called when all units were read.
    pub(crate) fn sort(&mut self) {
        self.moved.sort_by_key(|m| (m.begin, std::cmp::Reverse(m.end)));
        let reach = self.moved.iter().scan(0, |most, m| {
            *most = m.end.max(*most);
            Some(*most)
        });
        self.reach = reach.collect();
    }

    /// The innermost function that has an address, if that is not the one it stands in.
    pub(crate) fn at(&self, address: u32) -> Option<&str> {
        let after = self.moved.partition_point(|m| m.begin <= address);
        let before = self.moved[..after].iter().zip(&self.reach).rev();
        let mut within = before.take(LOOKED_AT).take_while(|(_, reach)| **reach > address);
        within.find(|(m, _)| m.end > address).map(|(m, _)| &*m.name)
    }
}

/// The name of an entry, as it was written: its own, or that of the one it points to.
fn name_of(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    mut offset: gimli::UnitOffset,
) -> Option<Arc<str>> {
    for _ in 0..LINKS {
        let entry = unit.entry(offset).ok()?;
        let text = |attribute| {
            let value = entry.attr_value(attribute)?;
            Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned())
        };
        if let Some(symbol) = text(gimli::DW_AT_linkage_name)
            && let Some(name) = written(&symbol)
        {
            return Some(name.into());
        }
        if let Some(name) = text(gimli::DW_AT_name) {
            return Some(name.into()).filter(|name: &Arc<str>| name.len() <= LONGEST);
        }
        offset = linked(&entry)?;
    }
    None
}

fn linked(entry: &Entry<'_>) -> Option<gimli::UnitOffset> {
    let links = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
    links.into_iter().find_map(|link| match entry.attr_value(link)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    })
}
