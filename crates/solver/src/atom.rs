//! Reading a condition as an atom of the difference graph.
//!
//! A side of a comparison is readable when it is an input, an extension of one, or such a thing plus a
//! constant where the ranges prove that the sum does not wrap. Everything else is left to stronger solvers.

use crate::difference::{Atom, ByteSet, Graph, NodeId, View};
use pessimum_term::{Arena, Evaluator, Node, Only, Op, Tables, TermId, VarId, Width};

/// How deep a side is looked into: a loop makes sums as deep as it is long, and none of those has only
/// two variables.
const DEPTH: u32 = 6;

/// What a condition is to the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    /// True or false, whatever the inputs are.
    Known(bool),
    /// The graph encodes it in full.
    Atom(Atom),
    /// Someone else has to look at it.
    Other,
}

/// `plus − minus + offset`, nodes read as numbers.
#[derive(Clone, Copy, Debug)]
struct Side {
    plus: Option<NodeId>,
    minus: Option<NodeId>,
    offset: i128,
}

/// Sets of byte values that satisfy a condition on one small variable, by term.
///
/// Ids are reused after the arena was undone, so entries are dropped with the mark they were made under.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetCache {
    entries: Vec<(TermId, ByteSet)>,
    /// Position in `entries` plus one, by term.
    index: Vec<u32>,
    tables: Tables,
}

impl SetCache {
    pub(crate) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Drops all but the first `len` sets, and what is known of terms with ids from `terms` on.
    pub(crate) fn undo_to(&mut self, len: u32, terms: u32) {
        self.tables.undo_to(terms);
        while self.entries.len() > len as usize {
            if let Some((t, _)) = self.entries.pop() {
                self.index[t.index() as usize] = 0;
            }
        }
    }

    /// Tables that were computed so far.
    pub(crate) fn computed(&self) -> u64 {
        self.tables.computed()
    }

    /// Counts tables from another number on.
    pub(crate) fn set_computed(&mut self, computed: u64) {
        self.tables.set_computed(computed);
    }

    fn get(&self, t: TermId) -> Option<ByteSet> {
        let at = *self.index.get(t.index() as usize)?;
        at.checked_sub(1).map(|at| self.entries[at as usize].1)
    }

    fn insert(&mut self, t: TermId, set: ByteSet) {
        let at = t.index() as usize;
        if self.index.len() <= at {
            self.index.resize(at + 1, 0);
        }
        self.entries.push((t, set));
        self.index[at] = self.entries.len() as u32;
    }
}

/// Reads a condition. The common case, an order of two inputs, comes first.
#[inline]
pub(crate) fn read(arena: &Arena, graph: &Graph, sets: &mut SetCache, c: TermId) -> Reading {
    let node = arena.node(c);
    if let Op::Slt | Op::Sle | Op::Ult | Op::Ule = node.op {
        let (a, b) = (arena.node(node.arg(0)), arena.node(node.arg(1)));
        if let (Some(x), Some(y)) = (a.as_var(), b.as_var()) {
            let view = match node.op {
                Op::Slt | Op::Sle => View::Signed,
                _ => View::Unsigned,
            };
            let k = -i64::from(matches!(node.op, Op::Slt | Op::Ult));
            let (x, y) = (graph.node(x, view), graph.node(y, view));
            // The simplifier has dealt with x < x, but not everyone builds terms with it. Values that are
            // kept with different offsets are not numbers to compare.
            if x.var() != y.var() && graph.bias(x) == graph.bias(y) {
                return Reading::Atom(Atom::Le { x, y, k });
            }
        }
    }
    match read_any(arena, graph, sets, c, node) {
        Reading::Atom(atom) => Reading::Atom(of_a_byte(graph, atom)),
        other => other,
    }
}

/// A condition on one small variable as a set of its values: bounds and holes beside the set would be
/// forgotten by whoever looks at the set alone. Terms that mention several variables come to one as well,
/// where the others cancel out.
fn of_a_byte(graph: &Graph, atom: Atom) -> Atom {
    let (n, lo, hi, inside) = match atom {
        Atom::Within { x, lo, hi } => (x, lo, hi, true),
        Atom::Not { x, k } => (x, k, k, false),
        other => return other,
    };
    let v = n.var();
    if graph.width(v).bits() > 8 {
        return atom;
    }
    let keep = |bits| (lo..=hi).contains(&graph.value_of(n, bits)) == inside;
    Atom::In { v, set: ByteSet::filter(graph.width(v), keep) }
}

fn read_any(arena: &Arena, graph: &Graph, sets: &mut SetCache, c: TermId, node: &Node) -> Reading {
    if let Some(value) = node.as_const() {
        return Reading::Known(value != 0);
    }
    let info = arena.info(c);
    if let Only::Var(v) = info.only
        && graph.width(v).bits() <= 8
    {
        return Reading::Atom(Atom::In { v, set: satisfying(arena, sets, c, v, graph.width(v)) });
    }
    if info.has_float {
        return Reading::Other;
    }
    match node.op {
        Op::Not => match negated_equation(arena, graph, node.arg(0)) {
            Some(Reading::Known(truth)) => Reading::Known(!truth),
            Some(Reading::Atom(Atom::Eq { x, y, k })) => Reading::Atom(Atom::Ne { x, y, k }),
            Some(Reading::Atom(Atom::Within { x, lo, .. })) => {
                Reading::Atom(Atom::Not { x, k: lo })
            }
            _ => Reading::Other,
        },
        Op::Eq => equation(arena, graph, node).unwrap_or(Reading::Other),
        Op::Slt | Op::Sle => {
            order(arena, graph, node, View::Signed, node.op == Op::Slt).unwrap_or(Reading::Other)
        }
        Op::Ult | Op::Ule => {
            order(arena, graph, node, View::Unsigned, node.op == Op::Ult).unwrap_or(Reading::Other)
        }
        _ => Reading::Other,
    }
}

/// The byte values under which a condition on `v` alone is true.
fn satisfying(arena: &Arena, sets: &mut SetCache, c: TermId, v: VarId, width: Width) -> ByteSet {
    if let Some(set) = sets.get(c) {
        return set;
    }
    let table = |sets: &mut SetCache| {
        let table = sets.tables.of(arena, c)?;
        Some(ByteSet::filter(width, |bits| table[bits as usize] != 0))
    };
    let set = comparison(arena, c, width)
        .or_else(|| table(sets))
        .unwrap_or_else(|| satisfying_one_by_one(arena, c, v, width));
    sets.insert(c, set);
    set
}

/// As [`satisfying`], for a comparison of the variable, extended or not, with a constant: what most
/// conditions on a byte are. It needs no table.
fn comparison(arena: &Arena, c: TermId, width: Width) -> Option<ByteSet> {
    let mut node = arena.node(c);
    let negated = node.op == Op::Not;
    if negated {
        node = arena.node(node.arg(0));
    }
    if !matches!(node.op, Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle) {
        return None;
    }
    let (a, b) = (arena.node(node.arg(0)), arena.node(node.arg(1)));
    let (side, constant, swapped) = match (a.as_const(), b.as_const()) {
        (None, Some(k)) => (a, k, false),
        (Some(k), None) => (b, k, true),
        _ => return None,
    };
    let extend = match side.op {
        Op::Var => None,
        Op::ZeroExt | Op::SignExt if arena.node(side.arg(0)).op == Op::Var => Some(side.op),
        _ => return None,
    };
    // Numbers whose order is that of the operation.
    let wide = side.width;
    let flip = if matches!(node.op, Op::Slt | Op::Sle) { wide.sign_bit() } else { 0 };
    let value = |bits: u64| match extend {
        Some(Op::SignExt) => (width.signed(bits) as u64 & wide.mask()) ^ flip,
        _ => bits ^ flip,
    };
    let k = constant ^ flip;
    // In each half of the patterns the values rise: a comparison holds from or up to some place.
    let half = (width.mask() >> 1) + 1;
    let (mut set, mut left_out) = (ByteSet::EMPTY, ByteSet::EMPTY);
    for start in [0, half] {
        let end = start + half;
        let place = |least: u64| partition(start, end, |bits| value(bits) < least);
        let (below, above) = (place(k), k.checked_add(1).map_or(end, place));
        let (from, to) = match (node.op, swapped) {
            (Op::Eq, _) => (below, above),
            (Op::Ult | Op::Slt, false) => (start, below),
            (Op::Ult | Op::Slt, true) => (above, end),
            (_, false) => (start, above),
            (_, true) => (below, end),
        };
        set.insert_range(from, to);
        if negated {
            let mut others = ByteSet::EMPTY;
            others.insert_range(start, from);
            others.insert_range(to, end);
            left_out = left_out.union(&others);
        }
    }
    Some(if negated { left_out } else { set })
}

/// The first number of `start..end` for which `below` no longer holds.
fn partition(start: u64, end: u64, below: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (start, end);
    while low < high {
        let middle = (low + high) / 2;
        if below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// As [`satisfying`], for conditions that are too large to be kept in tables.
fn satisfying_one_by_one(arena: &Arena, c: TermId, v: VarId, width: Width) -> ByteSet {
    let mut eval = Evaluator::new();
    ByteSet::filter(width, |bits| {
        eval.forget();
        eval.value(arena, c, |w| {
            debug_assert_eq!(v, w);
            bits
        }) != 0
    })
}

fn negated_equation(arena: &Arena, graph: &Graph, inner: TermId) -> Option<Reading> {
    let node = arena.node(inner);
    (node.op == Op::Eq).then(|| equation(arena, graph, node)).flatten()
}

/// A comparison as `x ≤ y + k` of nodes, where none stands for zero; for itself, whatever the bounds of
/// this path are.
pub(crate) fn read_order(
    arena: &Arena,
    graph: &Graph,
    c: TermId,
) -> Option<(Option<NodeId>, Option<NodeId>, i64)> {
    let node = arena.node(c);
    let (view, strict) = match node.op {
        Op::Slt => (View::Signed, 1),
        Op::Sle => (View::Signed, 0),
        Op::Ult => (View::Unsigned, 1),
        Op::Ule => (View::Unsigned, 0),
        _ => return None,
    };
    let a = side(arena, graph, node.arg(0), view)?;
    let b = side(arena, graph, node.arg(1), view)?;
    let (x, y, k) = difference(a, b)?;
    if x.map(NodeId::var) == y.map(NodeId::var) {
        return None;
    }
    let bias = |n: Option<NodeId>| n.map_or(0, |n| graph.bias(n));
    let k = k - strict + bias(y) - bias(x);
    (k.abs() < 1 << 62).then_some((x, y, k as i64))
}

fn order(arena: &Arena, graph: &Graph, node: &Node, view: View, strict: bool) -> Option<Reading> {
    let a = side(arena, graph, node.arg(0), view)?;
    let b = side(arena, graph, node.arg(1), view)?;
    let (x, y, k) = difference(a, b)?;
    let k = k - i128::from(strict);
    // x ≤ y + k
    Some(match (x, y) {
        (None, None) => Reading::Known(k >= 0),
        (Some(x), Some(y)) if x == y => Reading::Known(k >= 0),
        (Some(x), Some(y)) => {
            let k = apart(graph, x, y, k)?;
            Reading::Atom(Atom::Le { x, y, k })
        }
        (Some(x), None) => {
            let (lo, hi) = graph.bounds_of(x);
            if k >= hi {
                return Some(Reading::Atom(bounds(graph, x, lo, hi)));
            }
            Reading::Atom(bounds(graph, x, lo, k.max(lo - 1)))
        }
        (None, Some(y)) => {
            let (lo, hi) = graph.bounds_of(y);
            Reading::Atom(bounds(graph, y, (-k).max(lo).min(hi + 1), hi))
        }
    })
}

fn equation(arena: &Arena, graph: &Graph, node: &Node) -> Option<Reading> {
    // Equal bits are equal numbers in either reading; keep to the one that is in use already.
    let unsigned_first = [node.arg(0), node.arg(1)].iter().any(|&t| {
        arena.node(t).as_var().is_some_and(|v| graph.in_use(graph.node(v, View::Unsigned)))
    });
    let views = if unsigned_first {
        [View::Unsigned, View::Signed]
    } else {
        [View::Signed, View::Unsigned]
    };
    views.into_iter().find_map(|view| {
        let a = side(arena, graph, node.arg(0), view)?;
        let b = side(arena, graph, node.arg(1), view)?;
        let (x, y, k) = difference(a, b)?;
        Some(match (x, y) {
            (None, None) => Reading::Known(k == 0),
            (Some(x), Some(y)) if x == y => Reading::Known(k == 0),
            (Some(x), Some(y)) => {
                let k = apart(graph, x, y, k)?;
                Reading::Atom(Atom::Eq { x, y, k })
            }
            (Some(x), None) => exactly(graph, x, k)?,
            (None, Some(y)) => exactly(graph, y, -k)?,
        })
    })
}

fn exactly(graph: &Graph, x: NodeId, k: i128) -> Option<Reading> {
    let k = i64::try_from(k - graph.bias(x)).ok()?;
    Some(Reading::Atom(Atom::Within { x, lo: k, hi: k }))
}

/// The constant of an edge between two nodes whose values are shifted; none when it is out of reach or
/// when both are readings of one variable, which cannot move apart.
fn apart(graph: &Graph, x: NodeId, y: NodeId, k: i128) -> Option<i64> {
    if x.var() == y.var() {
        return None;
    }
    let k = k + graph.bias(y) - graph.bias(x);
    (k.abs() < 1 << 62).then_some(k as i64)
}

fn bounds(graph: &Graph, x: NodeId, lo: i128, hi: i128) -> Atom {
    // Numbers at most one beyond the bounds of the node; at the ends of 64 bits an empty interval says so.
    let bias = graph.bias(x);
    match (i64::try_from(lo - bias), i64::try_from(hi - bias)) {
        (Ok(lo), Ok(hi)) => Atom::Within { x, lo, hi },
        _ => Atom::Within { x, lo: i64::MAX, hi: i64::MIN },
    }
}

/// a ⋈ b as x ⋈ y + k.
fn difference(a: Side, b: Side) -> Option<(Option<NodeId>, Option<NodeId>, i128)> {
    let k = b.offset - a.offset;
    let mut plus = [a.plus, b.minus];
    let mut minus = [b.plus, a.minus];
    for p in &mut plus {
        for m in &mut minus {
            if p.is_some() && *p == *m {
                (*p, *m) = (None, None);
            }
        }
    }
    let one = |two: [Option<NodeId>; 2]| match two {
        [Some(_), Some(_)] => None,
        [x, y] => Some(x.or(y)),
    };
    Some((one(plus)?, one(minus)?, k))
}

/// The number that `t` stands for under `view`, if it is readable.
fn side(arena: &Arena, graph: &Graph, t: TermId, view: View) -> Option<Side> {
    side_within(arena, graph, t, view, DEPTH)
}

fn side_within(arena: &Arena, graph: &Graph, t: TermId, view: View, depth: u32) -> Option<Side> {
    let depth = depth.checked_sub(1)?;
    let side = |t, view| side_within(arena, graph, t, view, depth);
    let node = arena.node(t);
    let only = |plus, offset| Some(Side { plus, minus: None, offset });
    let width = node.width;
    match node.op {
        Op::Const => {
            let value = node.as_const()?;
            only(
                None,
                match view {
                    View::Signed => i128::from(width.signed(value)),
                    View::Unsigned => i128::from(value),
                },
            )
        }
        Op::Var => only(Some(graph.node(node.as_var()?, view)), 0),
        Op::ZeroExt => side(node.arg(0), View::Unsigned),
        Op::SignExt if view == View::Signed => side(node.arg(0), View::Signed),
        Op::Add | Op::Sub => {
            let (ra, rb) = (arena.range(node.arg(0)), arena.range(node.arg(1)));
            let sum = node.op == Op::Add;
            let (lo_a, hi_a, lo_b, hi_b, min, max) = match view {
                View::Signed => (
                    i128::from(ra.smin),
                    i128::from(ra.smax),
                    i128::from(rb.smin),
                    i128::from(rb.smax),
                    i128::from(width.min_signed()),
                    i128::from(width.max_signed()),
                ),
                View::Unsigned => {
                    // Adding a large constant is how subtraction of a small one is written.
                    let small = arena.as_const(node.arg(1)).map(|k| i128::from(width.signed(k)));
                    let (lo, hi) = match small {
                        Some(k) if k < 0 => (k, k),
                        _ => (i128::from(rb.umin), i128::from(rb.umax)),
                    };
                    (i128::from(ra.umin), i128::from(ra.umax), lo, hi, 0, i128::from(width.mask()))
                }
            };
            let (lo, hi) =
                if sum { (lo_a + lo_b, hi_a + hi_b) } else { (lo_a - hi_b, hi_a - lo_b) };
            if lo < min || hi > max {
                return None;
            }
            let a = side(node.arg(0), view)?;
            let b = match arena.as_const(node.arg(1)) {
                Some(_) => Side { plus: None, minus: None, offset: lo_b },
                None => side(node.arg(1), view)?,
            };
            if sum {
                let plus = merge(a.plus, b.plus)?;
                let minus = merge(a.minus, b.minus)?;
                Some(Side { plus, minus, offset: a.offset + b.offset })
            } else {
                let plus = merge(a.plus, b.minus)?;
                let minus = merge(a.minus, b.plus)?;
                Some(Side { plus, minus, offset: a.offset - b.offset })
            }
        }
        _ => None,
    }
}

fn merge(a: Option<NodeId>, b: Option<NodeId>) -> Option<Option<NodeId>> {
    match (a, b) {
        (Some(_), Some(_)) => None,
        (a, b) => Some(a.or(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::Domain;

    /// The short way to the set of a comparison agrees with the table.
    #[test]
    fn a_comparison_needs_no_table() {
        let mut arena = Arena::new();
        let mut seen = 0;
        for narrow in [Width::W8, Width::new(3)] {
            let x = arena.variable(narrow, Domain::full(narrow));
            let wide = [(Op::ZeroExt, 32), (Op::SignExt, 32), (Op::SignExt, 64), (Op::ZeroExt, 16)];
            let mut sides = vec![x];
            for (op, bits) in wide {
                sides.push(match op {
                    Op::ZeroExt => arena.zero_extend(Width::new(bits), x),
                    _ => arena.sign_extend(Width::new(bits), x),
                });
            }
            for side in sides {
                let width = arena.width(side);
                for k in [0, 1, 3, 6, 97, 127, 128, 255, width.sign_bit(), width.mask() - 2] {
                    let k = arena.constant(width, k & width.mask());
                    for op in [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle] {
                        for (a, b) in [(side, k), (k, side)] {
                            let c = arena.binary(op, a, b);
                            let negated = arena.not(c);
                            for c in [c, negated] {
                                let Some(set) = comparison(&arena, c, narrow) else { continue };
                                let v = VarId(arena.var_count() - 1);
                                assert_eq!(set, satisfying_one_by_one(&arena, c, v, narrow));
                                seen += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(seen > 500, "{seen}");
    }
}
