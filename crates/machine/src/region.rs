//! Which places an address term can name, from its shape and interval alone.

use pessimum_term::{Arena, Evaluator, LANES, Only, Op, Tables, TermId, Width};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Places that an address can be, told apart by the value of an index inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// What decides which place it is: the address itself or something simpler inside it.
    pub(crate) index: TermId,
    /// Values of the index, in increasing order, each with the address that it makes. The index
    /// has one of these values on every path that gets past the test of bounds.
    pub(crate) at: Vec<(u64, u64)>,
    /// Terms that were evaluated to find them: an address may be a long sum.
    pub(crate) steps: u64,
}

impl Places {
    /// Places named by the address alone; in increasing order.
    pub(crate) fn listed(address: TermId, places: &[u64]) -> Places {
        Places { index: address, at: places.iter().map(|a| (*a, *a)).collect(), steps: 0 }
    }

    /// The addresses, in increasing order, each once.
    pub(crate) fn addresses(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.at.iter().map(|place| place.1).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The places of an address term up to `last`, if there are at most `limit` of them.
pub(crate) fn places(arena: &Arena, t: TermId, limit: u64, last: u64) -> Option<Places> {
    let mut found = by_byte(arena, t).or_else(|| by_shape(arena, t, limit, last))?;
    found.at.retain(|place| place.1 <= last);
    (!found.at.is_empty() && found.at.len() as u64 <= limit).then_some(found)
}

/// The places of a term with one variable of at most eight bits: each of its values is tried.
fn by_byte(arena: &Arena, t: TermId) -> Option<Places> {
    let v = small_variable(arena, t)?;
    let index = arena.var_term(v);
    let (range, width) = (arena.range(index), arena.width(index));
    let in_range = (range.umin..=range.umax)
        .filter(|&bits| (range.smin..=range.smax).contains(&width.signed(bits)));
    let (mut tables, mut eval) = (Tables::default(), Evaluator::new());
    let at = match tables.of(arena, t) {
        Some(table) => in_range.map(|bits| (bits, table[bits as usize])).collect(),
        None => {
            let mut value = |bits| {
                eval.forget();
                eval.value(arena, t, |_| bits)
            };
            in_range.map(|bits| (bits, value(bits))).collect()
        }
    };
    let steps = LANES as u64 * tables.computed() + eval.steps();
    Some(Places { index, at, steps })
}

/// The variable of a term that depends on one of at most eight bits and on nothing else.
pub(crate) fn small_variable(arena: &Arena, t: TermId) -> Option<pessimum_term::VarId> {
    let info = arena.info(t);
    match info.only {
        Only::Var(v) if !info.has_float && arena.width(arena.var_term(v)).bits() <= 8 => Some(v),
        _ => None,
    }
}

/// An address taken apart as `base + (index << k)` or `base + index · k`, so that a table of
/// words costs as many places as it has words.
fn by_shape(arena: &Arena, t: TermId, limit: u64, last: u64) -> Option<Places> {
    let mut base = 0u32;
    let mut scale = 1u32;
    let mut core = t;
    loop {
        let node = arena.node(core);
        match node.op {
            Op::Add => {
                let Some(k) = arena.as_const(node.arg(1)) else { break };
                base = base.wrapping_add(scale.wrapping_mul(k as u32));
                core = node.arg(0);
            }
            Op::Shl => {
                let Some(k) = arena.as_const(node.arg(1)) else { break };
                scale = scale.wrapping_mul(1u32.wrapping_shl(k as u32));
                core = node.arg(0);
            }
            Op::Mul => {
                let Some(k) = arena.as_const(node.arg(1)) else { break };
                scale = scale.wrapping_mul(k as u32);
                core = node.arg(0);
            }
            _ => break,
        }
    }
    // A pointer is mostly one of very few, and nothing but a solver can tell which.
    if is_one_of_few(arena, core) {
        return None;
    }
    let range = arena.range(core);
    let (low, count) = if range.umax - range.umin < limit {
        (range.umin, range.umax - range.umin)
    } else {
        match range.smax.checked_sub(range.smin) {
            Some(span) if span >= 0 && (span as u64) < limit => (range.smin as u64, span as u64),
            _ => return by_stride(t, base, scale, limit, last),
        }
    };
    let mut at: Vec<(u64, u64)> = (0..=count)
        .map(|i| low.wrapping_add(i) as u32)
        .map(|key| (u64::from(key), u64::from(base.wrapping_add(scale.wrapping_mul(key)))))
        .collect();
    at.sort_unstable();
    Some(Places { index: core, at, steps: 0 })
}

/// Most numbers that an if-then-else is searched for.
const FEW: usize = 256;

/// Whether a term is an if-then-else over a few numbers: a pointer that was read from a table is one
/// of those that were stored there, however far apart they are.
fn is_one_of_few(arena: &Arena, t: TermId) -> bool {
    if arena.node(t).op != Op::Ite {
        return false;
    }
    let mut numbers = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut open = vec![t];
    while let Some(t) = open.pop() {
        let node = arena.node(t);
        if node.op == Op::Ite {
            if seen.insert(t) {
                open.extend([node.arg(1), node.arg(2)]);
            }
        } else if let Some(number) = arena.as_const(t) {
            numbers.insert(number);
        } else {
            return false;
        }
        if numbers.len() > FEW {
            return false;
        }
    }
    true
}

/// All addresses within memory that `base + scale · anything` can be, wrapping included: those
/// that agree with the base in the bits below the lowest bit of the scale.
fn by_stride(t: TermId, base: u32, scale: u32, limit: u64, last: u64) -> Option<Places> {
    let stride = 1u64 << scale.trailing_zeros().min(31);
    let first = u64::from(base) % stride;
    if last < first || (last - first) / stride >= limit {
        return None;
    }
    let all: Vec<u64> = (0..=(last - first) / stride).map(|i| first + i * stride).collect();
    Some(Places::listed(t, &all))
}

/// That the index has one of the values from position `from` to `to` of the list: the test says
/// no more than it has to, since the index has one of the listed values.
fn within(arena: &mut Arena, places: &Places, from: usize, to: usize) -> TermId {
    let width = arena.width(places.index);
    let constant = |arena: &mut Arena, i: usize| arena.constant(width, places.at[i].0);
    if from == to {
        let k = constant(arena, from);
        return arena.binary(Op::Eq, places.index, k);
    }
    let above = (from > 0).then(|| {
        let low = constant(arena, from);
        arena.binary(Op::Ule, low, places.index)
    });
    let below = (to + 1 < places.at.len()).then(|| {
        let high = constant(arena, to);
        arena.binary(Op::Ule, places.index, high)
    });
    match (above, below) {
        (Some(a), Some(b)) => arena.binary(Op::And, a, b),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => arena.bool(true),
    }
}

/// One term for what is at the place: an if-then-else over the *different* contents, not over the
/// places. `None` when there are more than `limit` of them.
///
/// A table of character classes has 256 places and a handful of contents, and memory that nobody
/// wrote to has one.
pub(crate) fn merged(
    arena: &mut Arena,
    places: &Places,
    contents: &[TermId],
    limit: usize,
) -> Option<TermId> {
    // Each content with the stretches of places that have it, in order of appearance.
    type Group = (TermId, Vec<(usize, usize)>, usize);
    let mut groups: Vec<Group> = Vec::new();
    let mut latest = usize::MAX;
    for (i, &content) in contents.iter().enumerate() {
        if i > 0 && contents[i - 1] == content {
            let group = &mut groups[latest];
            group.2 += 1;
            if let Some(stretch) = group.1.last_mut() {
                stretch.1 = i;
            }
            continue;
        }
        latest = match groups.iter().position(|group| group.0 == content) {
            Some(known) => known,
            None if groups.len() == limit => return None,
            None => {
                groups.push((content, Vec::new(), 0));
                groups.len() - 1
            }
        };
        groups[latest].1.push((i, i));
        groups[latest].2 += 1;
    }
    // The commonest content needs no test.
    let common =
        (0..groups.len()).max_by_key(|&g| (groups[g].1.len(), groups[g].2, usize::MAX - g))?;
    let (mut result, ..) = groups.swap_remove(common);
    for (content, stretches, _) in groups.iter().rev() {
        let mut here: Option<TermId> = None;
        for &(from, to) in stretches {
            let one = within(arena, places, from, to);
            here = Some(match here {
                None => one,
                Some(others) => arena.binary(Op::Or, others, one),
            });
        }
        if let Some(here) = here {
            result = arena.ite(here, *content, result);
        }
    }
    Some(result)
}

/// A store to a place that is a term.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// The address, and the constant offset of the instruction.
    pub(crate) at: (TermId, u32),
    /// The addresses it may be, in increasing order, each with the condition that it is this one. They stay with the store, since
    /// every load behind it looks for them in as many cells.
    pub(crate) here: Arc<[(u64, TermId)]>,
}

impl Stored {
    /// The condition that it went to an address; `None` where it did not. Most are asked for in their order, so that the next is at
    /// hand.
    fn condition(&self, address: u64, next: &mut usize) -> Option<TermId> {
        if self.here.get(*next).is_none_or(|known| known.0 != address) {
            *next = self.here.binary_search_by_key(&address, |known| known.0).ok()?;
        }
        let condition = self.here[*next].1;
        *next += 1;
        Some(condition)
    }
}

/// Takes the latest store off the contents of all places: where `stored` and the address that is
/// read are the same place, the answer is what was stored; elsewhere it is in what is left.
///
/// Gives the condition and the value stored. This is the axiom of reading over writing, found
/// again in the cells: it asks whether two addresses are equal, and not which they are. It holds
/// for whatever made the contents, since it looks at nothing but the terms.
pub(crate) fn peel(
    arena: &mut Arena,
    places: &Places,
    contents: &mut [TermId],
    read: (TermId, u32),
    stored: &Stored,
) -> Option<(TermId, TermId)> {
    // What the address of the store has to be for a place to be meant.
    let target = |address: u64| (address + u64::from(read.1)).checked_sub(u64::from(stored.at.1));
    // Most stores went elsewhere, and there may be hundreds of them.
    let (first, last) = (stored.here.first()?.0, stored.here.last()?.0);
    places.at.iter().filter_map(|place| target(place.1)).find(|at| (first..=last).contains(at))?;
    let mut new: Option<TermId> = None;
    let mut olds: Vec<TermId> = Vec::with_capacity(contents.len());
    let mut collapsed: Vec<TermId> = Vec::new();
    let mut next = 0;
    for (&(_, address), &content) in places.at.iter().zip(contents.iter()) {
        let here = target(address).and_then(|at| stored.condition(at, &mut next));
        let here = here.filter(|here| arena.as_const(*here) != Some(0));
        let node = *arena.node(content);
        if here.is_none() {
            olds.push(content);
        } else if node.op == Op::Ite && Some(node.arg(0)) == here {
            if new.is_some_and(|value| value != node.arg(1)) {
                return None;
            }
            new = Some(node.arg(1));
            olds.push(node.arg(2));
        } else {
            // What was there before may have been the same value.
            collapsed.push(content);
            olds.push(content);
        }
    }
    let new = new?;
    if collapsed.iter().any(|content| *content != new) {
        return None;
    }
    contents.copy_from_slice(&olds);
    let offset = arena.constant(Width::W32, u64::from(read.1));
    let read_at = arena.binary(Op::Add, read.0, offset);
    let offset = arena.constant(Width::W32, u64::from(stored.at.1));
    let stored_at = arena.binary(Op::Add, stored.at.0, offset);
    Some((arena.binary(Op::Eq, read_at, stored_at), new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::Domain;

    fn value(arena: &Arena, t: TermId, inputs: &[u64]) -> u64 {
        Evaluator::new().value(arena, t, |v| inputs[v.0 as usize])
    }

    /// Contents of a table of 256 bytes, as different as `modulus` allows.
    fn table(arena: &mut Arena, places: &Places, modulus: u64) -> Vec<TermId> {
        let content = |a: u64| (a * a + 3 * a) / 7 % modulus;
        places.at.iter().map(|p| arena.constant(Width::W8, content(p.1))).collect()
    }

    #[test]
    fn pointers_from_a_table_are_asked_for() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W32, Domain::full(Width::W32));
        let mut pointer = arena.constant(Width::W32, 0);
        for (i, place) in [1040, 1200, 5000].into_iter().enumerate() {
            let key = arena.constant(Width::W32, i as u64);
            let here = arena.binary(Op::Eq, x, key);
            let place = arena.constant(Width::W32, place);
            pointer = arena.ite(here, place, pointer);
        }
        let four = arena.constant(Width::W32, 4);
        let address = arena.binary(Op::Add, pointer, four);
        assert_eq!(places(&arena, address, 1 << 19, 65_535), None);
    }

    #[test]
    fn a_merged_read_has_the_value_of_its_place() {
        for modulus in [1, 2, 5, 250] {
            let mut arena = Arena::new();
            let x = arena.variable(Width::W8, Domain::full(Width::W8));
            let wide = arena.zero_extend(Width::W32, x);
            let two = arena.constant(Width::W32, 1);
            let scaled = arena.binary(Op::Shl, wide, two);
            let base = arena.constant(Width::W32, 1000);
            let address = arena.binary(Op::Add, scaled, base);
            let found = places(&arena, address, 256, 1400).expect("a byte has few values");
            assert_eq!(found.at.len(), 201, "places beyond the last are left out");
            let contents = table(&mut arena, &found, modulus);
            let read = merged(&mut arena, &found, &contents, 256).expect("few contents");
            for &(bits, a) in &found.at {
                assert_eq!(a, 1000 + 2 * bits);
                assert_eq!(value(&arena, read, &[bits]), (a * a + 3 * a) / 7 % modulus);
            }
            if modulus == 250 {
                assert_eq!(merged(&mut arena, &found, &contents, 20), None);
            }
        }
    }

    #[test]
    fn an_index_without_bounds_is_one_of_all_aligned_places() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W32, Domain::full(Width::W32));
        let two = arena.constant(Width::W32, 2);
        let scaled = arena.binary(Op::Shl, x, two);
        let base = arena.constant(Width::W32, 1026);
        let address = arena.binary(Op::Add, scaled, base);
        let found = places(&arena, address, 1 << 16, 4000).expect("4000 places are few");
        assert_eq!(found.addresses(), (2..=4000).step_by(4).collect::<Vec<u64>>());
        assert_eq!(places(&arena, address, 100, 4000), None);
    }

    fn stored(arena: &mut Arena, t: TermId, addresses: &[u64]) -> Stored {
        let here = |a: &u64| {
            let k = arena.constant(Width::W32, *a);
            (*a, arena.binary(Op::Eq, t, k))
        };
        Stored { at: (t, 0), here: addresses.iter().map(here).collect() }
    }

    #[test]
    fn peeling_a_store_asks_whether_two_places_are_one() {
        let mut arena = Arena::new();
        let [i, j] = [0, 1].map(|_| arena.variable(Width::W32, Domain::full(Width::W32)));
        let seven = arena.constant(Width::W32, 7);
        let two = arena.constant(Width::W32, 2);
        let [at_i, at_j] = [i, j].map(|x| {
            let low = arena.binary(Op::And, x, seven);
            arena.binary(Op::Shl, low, two)
        });
        let found = places(&arena, at_j, 256, 1 << 16).expect("eight places");
        assert_eq!(found.at.len(), 8);
        let new = arena.constant(Width::W32, 99);
        let to_i = stored(&mut arena, at_i, &found.addresses());
        let mut contents: Vec<TermId> = to_i
            .here
            .iter()
            .map(|&(a, here)| {
                // The place 12 held what is stored already.
                let old = arena.constant(Width::W32, if a == 12 { 99 } else { 5 + a });
                arena.ite(here, new, old)
            })
            .collect();
        let (same, value_of_i) = peel(&mut arena, &found, &mut contents, (at_j, 0), &to_i)
            .expect("all places show the store");
        assert_eq!(value_of_i, new);
        assert!(contents.iter().all(|t| arena.as_const(*t).is_some()));
        for (x, y) in [(3, 11), (3, 4), (0, 0), (8, 0), (15, 7), (1, 2)] {
            assert_eq!(value(&arena, same, &[x, y]) != 0, x % 8 == y % 8);
        }
        let before = contents.clone();
        let other = arena.constant(Width::W32, 4);
        let other = stored(&mut arena, other, &[4]);
        assert_eq!(peel(&mut arena, &found, &mut contents, (at_j, 0), &other), None);
        assert_eq!(before, contents);
    }
}
