//! Finds the condition to split on inside a term that has to be known.

use crate::region::small_variable;
use pessimum_term::{Arena, Op, TermId, Width};
use rustc_hash::FxHashSet;

/// The innermost condition of an if-then-else, a widened comparison or a combination of
/// conditions inside `t`, with the tag of the select or comparison it belongs to. `None` when the
/// term is free of them. The condition of a plain comparison is not one: that is the branch itself.
///
/// What was read from a table carries no tag. It is not split where a single byte decides the
/// whole term: the solver knows every set of bytes, and a class of characters is then one decision
/// instead of one for each entry of the table.
pub(crate) fn innermost(arena: &mut Arena, t: TermId) -> Option<(TermId, u32)> {
    if !arena.info(t).has_ite {
        return None;
    }
    let untagged = small_variable(arena, t).is_none();
    find(arena, t, untagged, &mut Seen::default())
}

/// Terms that were searched and have nothing to split on: with reads from tables left out, and with
/// them. One set of each for the whole search, since a term that is part of many would otherwise be
/// searched again for each of them.
#[derive(Default)]
struct Seen {
    tagged: FxHashSet<TermId>,
    all: FxHashSet<TermId>,
}

/// The first condition to split on; with `untagged` reads from tables count as well.
fn find(arena: &mut Arena, t: TermId, untagged: bool, seen: &mut Seen) -> Option<(TermId, u32)> {
    if !arena.info(t).has_ite {
        return None;
    }
    if !(if untagged { &mut seen.all } else { &mut seen.tagged }).insert(t) {
        return None;
    }
    let node = *arena.node(t);
    let tag = arena.info(t).tag;
    if node.op == Op::Ite && tag == 0 {
        // Which place was read is one question, however it is put together.
        if let Some(found) = find(arena, node.arg(0), false, seen) {
            return Some(found);
        }
        if untagged {
            return Some((node.arg(0), 0));
        }
    }
    for arg in node.args() {
        if let Some(found) = find(arena, arg, untagged, seen) {
            return Some(found);
        }
    }
    let wanted = |found: &(TermId, u32)| untagged || found.1 != 0;
    match node.op {
        Op::Ite => Some((node.arg(0), tag)).filter(wanted),
        Op::ZeroExt if arena.width(node.arg(0)) == Width::BOOL => {
            Some(atom(arena, node.arg(0))).filter(wanted)
        }
        // Conditions combined: the arguments are free of splits, so each is an atom.
        Op::And | Op::Or | Op::Xor | Op::Eq if arena.width(node.arg(0)) == Width::BOOL => {
            let first = Some(atom(arena, node.arg(0))).filter(wanted);
            first.or_else(|| Some(atom(arena, node.arg(1))).filter(wanted))
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

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::Domain;

    /// Each step reads a table at what the step before it read. A search that came back to a part
    /// for every term that has it would take 2^200 steps here.
    #[test]
    fn a_chain_of_reads_is_searched_once() {
        let mut arena = Arena::new();
        let byte = |arena: &mut Arena| arena.variable(Width::W8, Domain::full(Width::W8));
        let (x, y) = (byte(&mut arena), byte(&mut arena));
        let first = arena.binary(Op::Ult, x, y);
        let mut read = x;
        for i in 0..200 {
            let at = if i == 0 {
                first
            } else {
                let k = arena.constant(Width::W8, i % 7);
                arena.binary(Op::Eq, read, k)
            };
            let (one, other) = (arena.binary(Op::Add, x, y), arena.binary(Op::Xor, read, y));
            read = arena.ite(at, one, other);
        }
        let zero = arena.constant(Width::W8, 0);
        let condition = arena.binary(Op::Eq, read, zero);
        let (found, tag) = innermost(&mut arena, condition).expect("there are reads inside");
        assert_eq!(tag, 0);
        assert!(!arena.info(found).has_ite || arena.width(found) == Width::BOOL);
    }
}
