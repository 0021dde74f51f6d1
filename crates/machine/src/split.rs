//! Finds the condition to split on inside a term that has to be known.

use crate::module::SiteIndex;
use pessimum_term::{Arena, Op, TermId, Width};
use rustc_hash::FxHashSet;

/// The innermost condition of a select, a widened comparison or a combination of conditions inside
/// `t`, with the site of the select or comparison. `None` when the term is free of them. The condition
/// of a plain comparison is not one: that is the branch itself.
///
/// What was read from one of several places is an if-then-else as well, but no decision of the
/// program, and carries no tag: it stays whole. Which key is in which bucket is for the solver to
/// find, so that a branch on what is there has two sides and not one for every bucket.
pub(crate) fn innermost(arena: &mut Arena, t: TermId) -> Option<(TermId, SiteIndex)> {
    let (condition, tag) = find(arena, t)?;
    Some((condition, SiteIndex(tag - 1)))
}

/// The first condition with a tag, what is inside a term before the term. A term that is part of many is searched once.
/// Terms can be deeper than a stack: those that are being searched are on one of our own.
fn find(arena: &mut Arena, t: TermId) -> Option<(TermId, u32)> {
    if !arena.info(t).has_ite {
        return None;
    }
    let mut seen = FxHashSet::from_iter([t]);
    // Each with how many of its arguments were searched.
    let mut open = vec![(t, 0)];
    while let Some((t, searched)) = open.last_mut() {
        let t = *t;
        let next = arena.node(t).args().nth(*searched);
        *searched += 1;
        match next {
            Some(arg) if arena.info(arg).has_ite && seen.insert(arg) => open.push((arg, 0)),
            Some(_) => {}
            None => {
                open.pop();
                if let Some(found) = tagged_in(arena, t) {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// The condition with a tag that a term is made of, where what is inside has none.
fn tagged_in(arena: &mut Arena, t: TermId) -> Option<(TermId, u32)> {
    let node = *arena.node(t);
    let tagged = |found: &(TermId, u32)| found.1 != 0;
    match node.op {
        Op::Ite => Some((node.arg(0), arena.info(t).tag)).filter(tagged),
        Op::ZeroExt if arena.width(node.arg(0)) == Width::BOOL => {
            Some(atom(arena, node.arg(0))).filter(tagged)
        }
        // Conditions combined: the arguments are free of splits, so each is an atom.
        Op::And | Op::Or | Op::Xor | Op::Eq if arena.width(node.arg(0)) == Width::BOOL => {
            let first = Some(atom(arena, node.arg(0))).filter(tagged);
            first.or_else(|| Some(atom(arena, node.arg(1))).filter(tagged))
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

    /// The first select is the innermost; it is found under as many others as there may be.
    #[test]
    fn a_chain_of_selects_that_is_deeper_than_a_stack_is_searched() {
        let mut arena = Arena::new();
        let word = Width::W32;
        let x = arena.variable(word, Domain::full(word));
        let mut chosen = x;
        let mut first = None;
        for i in 1..=200_000 {
            let k = arena.constant(word, i);
            let condition = arena.binary(Op::Ult, chosen, k);
            let other = arena.binary(Op::Mul, chosen, x);
            chosen = arena.ite(condition, other, k);
            arena.set_tag(chosen, i as u32);
            first = first.or(Some(condition));
        }
        let zero = arena.constant(word, 0);
        let condition = arena.binary(Op::Eq, chosen, zero);
        let found = innermost(&mut arena, condition).map(|(condition, _)| condition);
        assert_eq!(found, first);
    }

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
        assert_eq!(innermost(&mut arena, condition), None, "nothing but reads is inside");
    }
}
