//! What an object file defines, and what the source calls it.

use std::collections::{BTreeMap, BTreeSet};
use wasmparser::{KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo};

/// Names that a compiler gives to `main`.
const MAIN: [&str; 4] = ["main", "__main_void", "__main_argc_argv", "__original_main"];

/// The functions that objects define for others to call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Defined {
    /// But for `main`: what is not `static` and not generated (inline functions and templates are weak).
    pub(crate) functions: BTreeSet<String>,
    /// Whether there is a `main`.
    pub(crate) main: bool,
}

impl Defined {
    /// Adds those of an object; `None` if it is none, as with `-flto`.
    pub(crate) fn add(&mut self, object: &[u8]) -> Option<()> {
        if !object.starts_with(b"\0asm") {
            return None;
        }
        for payload in Parser::new(0).parse_all(object) {
            let Payload::CustomSection(section) = payload.ok()? else { continue };
            let KnownCustom::Linking(linking) = section.as_known() else { continue };
            for part in linking {
                let Linking::SymbolTable(symbols) = part.ok()? else { continue };
                for symbol in symbols {
                    if let SymbolInfo::Func { flags, name: Some(name), .. } = symbol.ok()? {
                        self.symbol(flags, name);
                    }
                }
            }
        }
        Some(())
    }

    fn symbol(&mut self, flags: SymbolFlags, name: &str) {
        let other = SymbolFlags::UNDEFINED | SymbolFlags::BINDING_LOCAL | SymbolFlags::BINDING_WEAK;
        if flags.intersects(other) {
            return;
        }
        if MAIN.contains(&name) {
            self.main = true;
        } else {
            self.functions.insert(name.to_owned());
        }
    }

    /// What the functions of C++ are called in the source, where that tells them apart.
    pub(crate) fn plain_names(&self) -> BTreeMap<String, String> {
        let mut called: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for symbol in &self.functions {
            if let Some(name) = plain(symbol) {
                called.entry(name).or_default().push(symbol);
            }
        }
        let free = |name: &String| !self.functions.contains(name);
        let only = called.into_iter().filter(|(name, all)| all.len() == 1 && free(name));
        only.map(|(name, all)| (all[0].clone(), name)).collect()
    }
}

/// The name inside a symbol of C++ (`_Z4sortPii` is `sort`, `_ZN3geo4hullEPi` is `geo::hull`); `None` where it has
/// more to it than names.
pub(crate) fn plain(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_Z")?;
    let nested = rest.strip_prefix('N');
    let mut parts = Vec::new();
    rest = nested.unwrap_or(rest).trim_start_matches('K');
    while rest.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        parts.push(rest[digits..].get(..length)?);
        rest = rest[digits..].get(length..)?;
        if nested.is_none() {
            break;
        }
    }
    let ended = if nested.is_some() { rest.starts_with('E') } else { !rest.starts_with('I') };
    (ended && !parts.is_empty()).then(|| parts.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cpp_are_read() {
        assert_eq!(plain("_Z4sortPii").as_deref(), Some("sort"));
        assert_eq!(plain("_ZN3geo4hullEPi").as_deref(), Some("geo::hull"));
        assert_eq!(plain("_ZNK4Tree6heightEv").as_deref(), Some("Tree::height"));
        assert_eq!(plain("_Z3maxIiET_S0_S0_"), None, "a template");
        assert_eq!(plain("_ZN4TreeC2Ev"), None, "a constructor");
        assert_eq!(plain("sort"), None);
        assert_eq!(plain("_Z99x"), None);
    }

    #[test]
    fn overloads_keep_their_symbols() {
        let functions = ["_Z4sortPii", "_Z4sortPfi", "_Z4findPii", "_Z4swapPi", "swap"];
        let defined = Defined { functions: functions.map(str::to_owned).into(), main: false };
        let names = defined.plain_names();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), [("_Z4findPii".into(), "find".into())]);
    }
}
