//! Other names for exports: what the source calls a function of C++.

use std::collections::BTreeMap;
use wasmparser::{Parser, Payload};

/// A module whose exports have other names; as it was where it cannot be read. Debug information counts from
/// where the code begins, so it does not mind.
pub(crate) fn rename(module: Vec<u8>, names: &BTreeMap<String, String>) -> Vec<u8> {
    if names.is_empty() { module } else { renamed(&module, names).unwrap_or(module) }
}

fn renamed(module: &[u8], names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ExportSection(section) = payload.ok()? else { continue };
        let range = section.range();
        let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
        let mut exports = Vec::new();
        number(&mut exports, section.count() as usize);
        for export in section {
            let export = export.ok()?;
            let name = names.get(export.name).map_or(export.name, String::as_str);
            number(&mut exports, name.len());
            exports.extend_from_slice(name.as_bytes());
            exports.push(match export.kind {
                wasmparser::ExternalKind::Func => 0,
                wasmparser::ExternalKind::Table => 1,
                wasmparser::ExternalKind::Memory => 2,
                wasmparser::ExternalKind::Global => 3,
                _ => return None,
            });
            number(&mut exports, export.index as usize);
        }
        // The section's number and its length stand before its contents.
        let head = (1..=6).map(|back| range.start.checked_sub(back)).find_map(|at| {
            let at = at?;
            (module[at] == EXPORTS && length_of(&module[at + 1..range.start]) == Some(range.len()))
                .then_some(at)
        })?;
        let mut bytes = module[..=head].to_vec();
        number(&mut bytes, exports.len());
        bytes.extend_from_slice(&exports);
        bytes.extend_from_slice(&module[range.end..]);
        return Some(bytes);
    }
    None
}

/// The number of the section of exports.
const EXPORTS: u8 = 7;

/// A number of variable length that fills these bytes.
fn length_of(bytes: &[u8]) -> Option<usize> {
    let (last, before) = bytes.split_last()?;
    if last & 0x80 != 0 || before.iter().any(|byte| byte & 0x80 == 0) {
        return None;
    }
    Some(bytes.iter().rev().fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f)))
}

fn number(bytes: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_get_other_names_and_nothing_else_changes() {
        let text = |name: &str| {
            let text = format!(
                r#"(module (memory (export "memory") 1) (func (export "{name}") (param i32)) (func (export "f")))"#
            );
            wat::parse_str(text).expect("it is well formed")
        };
        let long = "n".repeat(200);
        for name in ["sort", &long] {
            let names = BTreeMap::from([("_Z4sorti".to_owned(), name.to_owned())]);
            assert_eq!(rename(text("_Z4sorti"), &names), text(name));
        }
        let none = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        assert_eq!(rename(text("x"), &none), text("x"));
        assert_eq!(rename(b"no module".to_vec(), &none), b"no module");
    }
}
