//! Finds the condition to split on inside a term that has to be known.

use pessimum_term::{Arena, Op, TermId, Width};
use std::collections::HashSet;

/// The innermost condition of an if-then-else, a widened comparison or a combination of
/// conditions inside `t`, with the tag of the select or comparison it belongs to. `None` when the
/// term is free of them. The condition of a plain comparison is not one: that is the branch itself.
pub(crate) fn innermost(arena: &mut Arena, t: TermId) -> Option<(TermId, u32)> {
    if !arena.info(t).has_ite {
        return None;
    }
    let mut seen = HashSet::new();
    find(arena, t, &mut seen)
}

fn find(arena: &mut Arena, t: TermId, seen: &mut HashSet<TermId>) -> Option<(TermId, u32)> {
    if !arena.info(t).has_ite || !seen.insert(t) {
        return None;
    }
    let node = *arena.node(t);
    for arg in node.args() {
        if let Some(found) = find(arena, arg, seen) {
            return Some(found);
        }
    }
    match node.op {
        Op::Ite => Some((node.arg(0), arena.info(t).tag)),
        Op::ZeroExt if arena.width(node.arg(0)) == Width::BOOL => Some(atom(arena, node.arg(0))),
        // Conditions combined: the arguments are free of splits, so the first is an atom.
        Op::And | Op::Or | Op::Xor | Op::Eq if arena.width(node.arg(0)) == Width::BOOL => {
            Some(atom(arena, node.arg(0)))
        }
        _ => None,
    }
}

/// A condition without its negation, and the tag that either carries.
fn atom(arena: &mut Arena, condition: TermId) -> (TermId, u32) {
    let node = *arena.node(condition);
    let tag = arena.info(condition).tag;
    if node.op == Op::Not {
        let inner = node.arg(0);
        return (inner, if tag != 0 { tag } else { arena.info(inner).tag });
    }
    if tag != 0 {
        return (condition, tag);
    }
    let opposite = arena.not(condition);
    (condition, arena.info(opposite).tag)
}
