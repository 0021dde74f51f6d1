//! From a module and the name of a predicate to what has to be run on what.

use crate::domain::override_fields;
use crate::dwarf::DebugInfo;
use crate::engine::{Engine, Plan, Predicate};
use crate::error::{Result, ShapeError};
use crate::layout::{KindId, Layout};
use pessimum_machine::{Limits, Module};
use std::sync::Arc;

/// Instructions of one run of a predicate before it counts as endless.
pub(crate) const INSTRUCTIONS: u64 = 10_000_000;

impl Plan {
    /// Finds the layout, the predicate of the whole and those of its parts.
    pub(crate) fn new(
        bytes: &[u8],
        module: Arc<Module>,
        name: &str,
        args: &[i64],
        fields: Option<&str>,
    ) -> Result<Plan> {
        let function = module.function(name)?;
        let at = source_of(&module, function);
        let info = DebugInfo::read(bytes);
        let found = Layout::of_parameter(&info, name, &at);
        let layout = match (found, fields) {
            (Ok(layout), None) => layout,
            (found, Some(text)) => override_fields(found.ok(), text)?,
            (Err(error), None) => return Err(error),
        };
        let recursive = recursive_functions(&module, function);
        if recursive.is_empty() {
            return Err(ShapeError::NotRecursive { predicate: name.to_owned(), at });
        }
        let ty = module.function_type(function);
        if ty.results.len() != 1 {
            let found = ty.to_string();
            return Err(ShapeError::Result { predicate: name.to_owned(), at, found });
        }
        let root = &layout.kinds[layout.root];
        let expected = ty.params.len().saturating_sub(1 + usize::from(root.array));
        if expected != args.len() {
            let (predicate, given) = (name.to_owned(), args.len());
            return Err(ShapeError::Arguments { predicate, at, expected, given });
        }
        let bits = |a: &i64| u64::from(*a as u32);
        let whole =
            Predicate { kind: layout.root, function, args: args.iter().map(bits).collect() };
        let mut parts: Vec<Option<Predicate>> = Vec::new();
        for kind in 0..layout.kinds.len() {
            parts.push(part_of(&module, &info, &layout, kind, &recursive, &whole));
        }
        let limits = Limits { instructions: INSTRUCTIONS, depth: 100_000, ..Limits::default() };
        let pure = !reaches_host(&module, function);
        Ok(Plan { module, layout, parts, whole, limits, pure })
    }
}

/// The predicate of the structures of a kind: the whole's own if it is recursive and of that kind,
/// else the first recursive function it reaches whose first parameter points to the kind.
fn part_of(
    module: &Module,
    info: &DebugInfo,
    layout: &Layout,
    kind: KindId,
    recursive: &[u32],
    whole: &Predicate,
) -> Option<Predicate> {
    if whole.kind == kind && recursive.contains(&whole.function) {
        return Some(whole.clone());
    }
    let name = &layout.kinds[kind].name;
    let takes = |f: &&u32| match info.parameters(&module.function_name(**f)) {
        Some(params) => params
            .first()
            .and_then(|p| info.pointee(*p))
            .is_some_and(|t| info.entry(t).name.as_ref() == Some(name)),
        // Described by hand: there is one kind only.
        None => layout.kinds.len() == 1,
    };
    let function = *recursive.iter().find(takes)?;
    Some(Predicate { kind, function, args: Vec::new() })
}

/// Where a function begins, in words.
pub(crate) fn source_of(module: &Module, function: u32) -> String {
    Engine::place_in_source(module, Some(function), module.function_start(function))
}

/// The functions that a function reaches, itself included, in the order they are met.
fn reachable(module: &Module, function: u32) -> Vec<u32> {
    let mut found = vec![function];
    let mut at = 0;
    while let Some(&f) = found.get(at) {
        for callee in module.callees(f).unwrap_or_default() {
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
        at += 1;
    }
    found
}

/// Those that can come back to themselves.
fn recursive_functions(module: &Module, function: u32) -> Vec<u32> {
    let returns = |f: &u32| {
        let callees = module.callees(*f).unwrap_or_default();
        callees.iter().any(|c| reachable(module, *c).contains(f))
    };
    reachable(module, function).into_iter().filter(returns).collect()
}

fn reaches_host(module: &Module, function: u32) -> bool {
    reachable(module, function).iter().any(|f| module.callees(*f).is_none())
}
