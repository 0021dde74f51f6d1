//! Storage: hash-consing with a trail.
//!
//! The table is open-addressed with linear probing. Terms leave in the reverse of the order they
//! came, so the slot of the newest term can simply be emptied: no older entry was ever probed past
//! it. That makes undo a pop, with no tombstones.

use crate::fixed::Fixed;
use crate::node::{Node, Op, TermId, VarId, Width};
use crate::range::Range;

/// The values a variable may take, as an inclusive signed or unsigned interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Least value, sign-extended when the variable is read as signed.
    pub lo: i128,
    /// Greatest value.
    pub hi: i128,
}

impl Domain {
    /// Every bit pattern of `width`.
    pub fn full(width: Width) -> Self {
        Domain { lo: i128::from(width.min_signed()), hi: i128::from(width.max_signed()) }
    }

    /// Whether every bit pattern of `width` is allowed.
    pub fn is_full(self, width: Width) -> bool {
        self.hi - self.lo >= i128::from(width.mask())
    }

    /// Whether `value`, a bit pattern of `width`, is a number of the interval in either reading.
    ///
    /// ```
    /// use pessimum_term::{Domain, Width};
    ///
    /// let small = Domain { lo: -2, hi: 5 };
    /// assert!(small.contains(Width::W8, 254) && !small.contains(Width::W8, 6));
    /// ```
    pub fn contains(self, width: Width, value: u64) -> bool {
        let above = value.wrapping_sub(self.lo as u64) & width.mask();
        i128::from(above) <= self.hi - self.lo
    }
}

/// Which variables a term mentions, as far as one word can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Only {
    /// No variable: a constant.
    Nothing,
    /// One variable.
    Var(VarId),
    /// Two or more.
    Several,
}

/// What is known of a term without asking a solver; computed once, when the term is built.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Interval of the values it can take, both views.
    pub range: Range,
    /// Its variables.
    pub only: Only,
    /// Whether an `Ite`, a condition widened to a number, or several conditions combined are
    /// inside: what a branch or an address splits on.
    pub has_ite: bool,
    /// Whether a float is computed inside: comparing floats that are there is a matter of bits.
    pub has_float: bool,
    /// Whoever builds terms may leave a word here (see [`Arena::set_tag`]); zero when unset.
    pub tag: u32,
}

/// [`Info`] as it is stored: long paths have tens of millions of comparisons, whose interval is
/// always the same.
#[derive(Clone, Copy, Debug)]
struct Packed {
    /// Index into the ranges, or [`Packed::FULL`] or [`Packed::OWN`].
    range: u32,
    /// 0, 1 + the variable, or [`Packed::SEVERAL`].
    only: u32,
    /// The tag with two flags above it.
    tag: u32,
}

impl Packed {
    const FULL: u32 = u32::MAX;
    /// The constant's own value.
    const OWN: u32 = u32::MAX - 1;
    const SEVERAL: u32 = u32::MAX;
    const ITE: u32 = 1 << 31;
    const FLOAT: u32 = 1 << 30;
    const TAG: u32 = Packed::FLOAT - 1;
}

/// A point in the life of an arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    nodes: u32,
    ranges: u32,
    vars: u32,
    tags: u32,
}

impl Mark {
    /// How many terms there were: ids of older ones are below it.
    pub fn terms(&self) -> u32 {
        self.nodes
    }
}

/// Owns all terms.
#[derive(Clone, Debug)]
pub struct Arena {
    nodes: Vec<Node>,
    info: Vec<Packed>,
    ranges: Vec<Range>,
    /// Slot of each node in `table`, so that undo finds it without hashing.
    slots: Vec<u32>,
    table: Vec<u32>,
    vars: Vec<(TermId, Domain)>,
    /// The terms that were tagged, oldest tag first: a tag is dropped with the mark it was left under.
    tagged: Vec<TermId>,
    /// Whether a term was ever tagged, also under a mark that is gone.
    ever_tagged: bool,
    /// Terms of which it is known where the program computes them, the oldest first.
    origins: Vec<(TermId, u32)>,
    /// Floats that are whole numbers in some unit, the oldest first.
    pub(crate) fixed: Vec<(TermId, Fixed)>,
    /// Whether there ever was a variable whose range says more than its domain.
    two_sided: bool,
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// More terms than this do not fit: 20 GB of them. Side tables may rely on ids being below it.
    pub const MOST_TERMS: usize = 1 << 29;

    /// An empty arena.
    pub fn new() -> Self {
        let placeholder = Node { op: Op::Const, width: Width::BOOL, a: 0, b: 0, c: 0 };
        let info = Packed { range: Packed::OWN, only: 0, tag: 0 };
        // Index 0 is not a term.
        Arena {
            nodes: vec![placeholder],
            info: vec![info],
            ranges: Vec::new(),
            slots: vec![u32::MAX],
            table: vec![0; 1024],
            vars: Vec::new(),
            tagged: Vec::new(),
            ever_tagged: false,
            origins: Vec::new(),
            fixed: Vec::new(),
            two_sided: false,
        }
    }

    /// The node of a term.
    #[inline]
    pub fn node(&self, t: TermId) -> &Node {
        &self.nodes[t.index() as usize]
    }

    /// What is known of a term.
    #[inline]
    pub fn info(&self, t: TermId) -> Info {
        let packed = self.info[t.index() as usize];
        Info {
            range: self.unpack_range(t, packed.range),
            only: match packed.only {
                0 => Only::Nothing,
                Packed::SEVERAL => Only::Several,
                v => Only::Var(VarId(v - 1)),
            },
            has_ite: packed.tag & Packed::ITE != 0,
            has_float: packed.tag & Packed::FLOAT != 0,
            tag: packed.tag & Packed::TAG,
        }
    }

    #[inline]
    fn unpack_range(&self, t: TermId, index: u32) -> Range {
        let node = &self.nodes[t.index() as usize];
        match index {
            Packed::FULL => Range::full(node.width),
            Packed::OWN => Range::constant(node.width, node.const_value()),
            i => self.ranges[i as usize],
        }
    }

    fn pack(&mut self, node: &Node, info: Info) -> Packed {
        let range = if node.op == Op::Const {
            Packed::OWN
        } else if info.range == Range::full(node.width) {
            Packed::FULL
        } else {
            self.ranges.push(info.range);
            self.ranges.len() as u32 - 1
        };
        let only = match info.only {
            Only::Nothing => 0,
            Only::Var(v) => v.0 + 1,
            Only::Several => Packed::SEVERAL,
        };
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let flags = flag(info.has_ite, Packed::ITE) | flag(info.has_float, Packed::FLOAT);
        Packed { range, only, tag: (info.tag & Packed::TAG) | flags }
    }

    /// Width of a term.
    #[inline]
    pub fn width(&self, t: TermId) -> Width {
        self.node(t).width
    }

    /// Value of a constant term.
    #[inline]
    pub fn as_const(&self, t: TermId) -> Option<u64> {
        self.node(t).as_const()
    }

    /// Interval of a term.
    #[inline]
    pub fn range(&self, t: TermId) -> Range {
        self.unpack_range(t, self.info[t.index() as usize].range)
    }

    /// Number of terms, for statistics and side tables: every id is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no term was built.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// Number of variables.
    pub fn var_count(&self) -> u32 {
        self.vars.len() as u32
    }

    /// The term of a variable.
    pub fn var_term(&self, v: VarId) -> TermId {
        self.vars[v.0 as usize].0
    }

    /// The domain of a variable; of a float of either sign all bit patterns (see [`Arena::float_variable`]).
    pub fn domain(&self, v: VarId) -> Domain {
        self.vars[v.0 as usize].1
    }

    /// Leaves a word on a term, unless it has one: the machine notes the site that built it. Undoing takes
    /// it back, also from a term that is older than the mark.
    #[inline]
    pub fn set_tag(&mut self, t: TermId, tag: u32) {
        debug_assert!(tag <= Packed::TAG);
        let slot = &mut self.info[t.index() as usize].tag;
        if *slot & Packed::TAG == 0 && tag != 0 {
            *slot |= tag & Packed::TAG;
            self.tagged.push(t);
            self.ever_tagged = true;
        }
    }

    /// Whether a word was ever left on a term, gone or not.
    pub fn has_tags(&self) -> bool {
        self.ever_tagged
    }

    /// Notes where the program computes a term: the place of the instruction that was the first to build it. A term that is
    /// older than one with a place keeps what it has.
    #[inline]
    pub fn note_origin(&mut self, t: TermId, place: u32) {
        if self.origins.last().is_none_or(|last| last.0 < t) {
            self.origins.push((t, place));
        }
    }

    /// Where the program computes a term, if somebody noted it.
    pub fn origin(&self, t: TermId) -> Option<u32> {
        let at = self.origins.binary_search_by_key(&t, |known| known.0).ok()?;
        Some(self.origins[at].1)
    }

    /// A new variable.
    pub fn variable(&mut self, width: Width, domain: Domain) -> TermId {
        self.new_variable(width, domain, Range::of_domain(width, domain))
    }

    fn new_variable(&mut self, width: Width, domain: Domain, range: Range) -> TermId {
        let v = VarId(self.vars.len() as u32);
        let node = Node { op: Op::Var, width, a: v.0, b: 0, c: 0 };
        let id = self.intern(node, |_| Info {
            range,
            only: Only::Var(v),
            has_ite: false,
            has_float: false,
            tag: 0,
        });
        self.vars.push((id, domain));
        id
    }

    /// A new variable that is a float of 32 or 64 bits from `low` to `high`, both given by their bits and included, in the
    /// order in which −0.0 is just below 0.0. Neither may be NaN, and so it is a number.
    ///
    /// Floats of one sign are an interval of bit patterns. Those of both signs are two, and then the domain has all bit
    /// patterns and the range says which: the greatest as a signed number is `high`, as an unsigned one it is `low`.
    ///
    /// ```
    /// use pessimum_term::{Arena, VarId, Width};
    ///
    /// let mut arena = Arena::new();
    /// arena.float_variable(Width::W64, (-1.5f64).to_bits(), 2f64.to_bits());
    /// assert!([-1.5f64, -0.0, 0.0, 2.0].iter().all(|x| arena.admits(VarId(0), x.to_bits())));
    /// assert!(![-2f64, 2.5, f64::NAN].iter().any(|x| arena.admits(VarId(0), x.to_bits())));
    /// ```
    pub fn float_variable(&mut self, width: Width, low: u64, high: u64) -> TermId {
        let negative = |bits: u64| bits & width.sign_bit() != 0;
        match (negative(low), negative(high)) {
            // The further from zero, the greater the pattern.
            (true, true) => self.variable(width, Domain { lo: high.into(), hi: low.into() }),
            (true, false) => {
                let full = Range::full(width);
                let range = Range { umax: low, smax: width.signed(high), ..full };
                self.two_sided = true;
                self.new_variable(width, Domain::full(width), range)
            }
            _ => self.variable(width, Domain { lo: low.into(), hi: high.into() }),
        }
    }

    /// Whether there ever was a float of either sign with a domain: its bit patterns are no interval in any reading.
    pub fn has_two_sided_floats(&self) -> bool {
        self.two_sided
    }

    /// Whether a variable may have this bit pattern.
    #[inline]
    pub fn admits(&self, v: VarId, bits: u64) -> bool {
        let (t, domain) = self.vars[v.0 as usize];
        let width = self.width(t);
        if !domain.is_full(width) {
            return domain.contains(width, bits);
        }
        match self.info[t.index() as usize].range {
            Packed::FULL => true,
            _ => self.range(t).contains(width, bits),
        }
    }

    /// A constant; `value` is cut to `width`.
    #[inline]
    pub fn constant(&mut self, width: Width, value: u64) -> TermId {
        let value = value & width.mask();
        let node = Node { op: Op::Const, width, a: value as u32, b: (value >> 32) as u32, c: 0 };
        self.intern(node, |_| Info {
            range: Range::constant(width, value),
            only: Only::Nothing,
            has_ite: false,
            has_float: false,
            tag: 0,
        })
    }

    /// True or false.
    #[inline]
    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(Width::BOOL, u64::from(value))
    }

    /// The present point.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len() as u32,
            ranges: self.ranges.len() as u32,
            vars: self.vars.len() as u32,
            tags: self.tagged.len() as u32,
        }
    }

    /// Forgets every term, variable and tag made since `mark`.
    #[inline]
    pub fn undo_to(&mut self, mark: Mark) {
        for t in self.tagged.drain(mark.tags as usize..) {
            self.info[t.index() as usize].tag &= !Packed::TAG;
        }
        while self.nodes.len() > mark.nodes as usize {
            self.nodes.pop();
            self.info.pop();
            if let Some(slot) = self.slots.pop() {
                self.table[slot as usize] = 0;
            }
        }
        while self.origins.last().is_some_and(|known| known.0.index() >= mark.nodes) {
            self.origins.pop();
        }
        while self.fixed.last().is_some_and(|known| known.0.index() >= mark.nodes) {
            self.fixed.pop();
        }
        self.ranges.truncate(mark.ranges as usize);
        self.vars.truncate(mark.vars as usize);
    }

    /// The id of `node`, which must be in normal form already.
    #[inline]
    pub(crate) fn intern(&mut self, node: Node, info: impl FnOnce(&Self) -> Info) -> TermId {
        let mask = self.table.len() - 1;
        let mut slot = hash(&node) as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if self.nodes[entry as usize] == node {
                return TermId::from_index(entry).expect("entries of the table are terms");
            }
            slot = (slot + 1) & mask;
        }
        let info = info(self);
        let info = self.pack(&node, info);
        let index = self.nodes.len() as u32;
        self.table[slot] = index;
        self.nodes.push(node);
        self.info.push(info);
        self.slots.push(slot as u32);
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        TermId::from_index(index).expect("index zero is taken")
    }

    /// The id of `node`, if it is here.
    pub(crate) fn find(&self, node: &Node) -> Option<TermId> {
        let mask = self.table.len() - 1;
        let mut slot = hash(node) as usize & mask;
        while self.table[slot] != 0 {
            if self.nodes[self.table[slot] as usize] == *node {
                return TermId::from_index(self.table[slot]);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.table.len() * 2;
        assert!(size <= 2 * Self::MOST_TERMS, "more than {} terms", Self::MOST_TERMS);
        self.table.clear();
        self.table.resize(size, 0);
        // In the order of age, so that the newest still leaves first.
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            let mut slot = hash(node) as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = index as u32;
            self.slots[index] = slot as u32;
        }
    }
}

#[inline]
fn hash(node: &Node) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let head = u64::from(node.op as u8) << 8 | u64::from(node.width.bits());
    let low = (u64::from(node.a) | u64::from(node.b) << 32).wrapping_mul(K);
    let high = (u64::from(node.c) << 16 | head).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (low.rotate_left(23) ^ high).wrapping_mul(K);
    mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whichever subtree is walked first, a term that is older than both has the tag of neither in the
    /// other.
    #[test]
    fn a_tag_is_dropped_with_the_mark_it_was_left_under() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
        let old = arena.binary(Op::Slt, x, y);
        let mark = arena.mark();
        arena.set_tag(old, 7);
        let new = arena.binary(Op::Slt, y, x);
        arena.set_tag(new, 8);
        assert_eq!((arena.info(old).tag, arena.info(new).tag), (7, 8));
        arena.undo_to(mark);
        assert_eq!(arena.info(old).tag, 0);
        arena.set_tag(old, 9);
        let mark = arena.mark();
        arena.set_tag(old, 10);
        arena.undo_to(mark);
        assert_eq!(arena.info(old).tag, 9, "the first tag stays, and stays with its own mark");
        let again = arena.binary(Op::Slt, y, x);
        assert_eq!((again, arena.info(again).tag), (new, 0));
    }

    /// A place is that of the instruction that built the term, and is gone with the term.
    #[test]
    fn a_place_lives_as_long_as_its_term() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
        let product = arena.binary(Op::Mul, x, y);
        arena.note_origin(product, 7);
        let mark = arena.mark();
        let quotient = arena.binary(Op::UDiv, x, y);
        arena.note_origin(quotient, 8);
        arena.note_origin(product, 9);
        let origins = |arena: &Arena| [product, quotient].map(|t| arena.origin(t));
        assert_eq!(origins(&arena), [Some(7), Some(8)]);
        arena.undo_to(mark);
        assert_eq!(origins(&arena), [Some(7), None]);
        let other = arena.binary(Op::URem, x, y);
        assert_eq!((other, arena.origin(other)), (quotient, None));
    }
}
