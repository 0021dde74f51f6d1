//! What a path condition says of some of its inputs.
//!
//! The rest of a run depends on the path condition only through what it says of the inputs that are
//! still to be read. For orders, differences and bounds that is the closure of the differences,
//! restricted to those inputs: an input that is dropped takes nothing with it that the closure does
//! not say. That holds for an input whose domain is an interval of one reading and which is in no
//! disequality; one that is in a few disequalities and nothing else always has a value left. Every
//! other input that hangs together with those asked for is *kept*: it is named in the result, and
//! whoever compares two path conditions has to find it in both. So is every condition that is no
//! difference at all. That is always right, and only makes fewer conditions equal.

use crate::atom::{self, Reading};
use crate::compound::conjuncts;
use crate::difference::{Atom, Closure, Graph, NodeId, View};
use crate::solver::{NONE, Solver};
use pessimum_term::{Arena, Op, TermId, VarId, Width};

/// A number that constraints speak of: one reading of an input, or zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Number(u32);

impl Number {
    /// The number zero.
    pub const ZERO: Number = Number(u32::MAX);

    /// The input that it is a reading of.
    #[inline]
    pub fn input(self) -> Option<VarId> {
        (self != Number::ZERO).then_some(VarId(self.0 >> 1))
    }

    /// The same reading of another input.
    #[inline]
    pub fn of(self, v: VarId) -> Number {
        if self == Number::ZERO { self } else { Number(v.0 << 1 | self.0 & 1) }
    }

    /// Both readings of an input.
    pub fn readings(v: VarId) -> [Number; 2] {
        [Number(v.0 << 1), Number(v.0 << 1 | 1)]
    }
}

/// `x ≤ y + k`
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // the line above says it
pub struct Difference {
    pub x: Number,
    pub y: Number,
    pub k: i64,
}

/// Values of an input of at most eight bits, one bit each.
pub type Members = [u64; 4];

/// A condition that says something simple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simple {
    /// A difference or a bound.
    Difference(Difference),
    /// One small input has one of these values.
    Member(VarId, Members),
    /// `x ≠ y + k`
    Apart(Difference),
}

/// What a path condition says of some inputs, beside the differences among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Projection {
    /// Whether the differences and the domains of the inputs asked for are all of it.
    pub simple: bool,
    /// Inputs that had to be kept, in an order that does not depend on their numbers alone.
    pub kept: Vec<VarId>,
    /// Conditions that are no differences, oldest first.
    pub others: Vec<TermId>,
    /// `x ≠ y + k` among the inputs asked for and kept.
    pub disequalities: Vec<Difference>,
}

/// Looks at the differences that the path condition implies.
#[derive(Clone, Copy, Debug)]
pub struct Closed<'a> {
    graph: &'a Graph,
    closure: &'a Closure,
}

impl Closed<'_> {
    /// The least k that is known with `x ≤ y + k`; from bounds alone where no edge reaches one.
    #[inline]
    pub fn at(&self, x: Number, y: Number) -> i64 {
        if x == y {
            return 0;
        }
        if let (Some(i), Some(j)) = (self.position(x), self.position(y)) {
            return self.closure.at(i, j);
        }
        let high = if x == Number::ZERO { 0 } else { self.graph.window_of(x.0).2 };
        let low = if y == Number::ZERO { 0 } else { self.graph.window_of(y.0).1 };
        high.checked_sub(low).unwrap_or(i64::MAX)
    }

    #[inline]
    fn position(&self, n: Number) -> Option<usize> {
        if n == Number::ZERO { Some(0) } else { self.closure.position(n.0) }
    }

    /// Whether some edge reaches the number: else its bounds are all that is known.
    pub fn is_active(&self, n: Number) -> bool {
        self.position(n).is_some()
    }

    /// The numbers that edges reach, in the order in which they came.
    pub fn active(&self) -> impl Iterator<Item = Number> + '_ {
        self.closure.active().iter().map(|n| Number(*n))
    }

    /// Whether `x ≠ y + k` is known from the differences.
    pub fn are_apart(&self, of: Difference) -> bool {
        let Difference { x, y, k } = of;
        self.at(x, y) < k || k.checked_neg().is_some_and(|k| self.at(y, x) < k)
    }

    /// Numbers that were asserted to differ, `x ≠ y + k`, or `x ≠ k` with zero for `y`.
    pub fn disequalities(&self) -> impl Iterator<Item = Difference> + '_ {
        let number = |y: Option<u32>| y.map_or(Number::ZERO, Number);
        self.graph.disequalities().map(move |(x, y, k)| Difference {
            x: Number(x),
            y: number(y),
            k,
        })
    }

    /// The value in the present model.
    pub fn value(&self, n: Number) -> i64 {
        if n == Number::ZERO { 0 } else { self.graph.window_of(n.0).0 }
    }

    /// Least and greatest value, as far as the path says so of this number alone.
    pub fn bounds(&self, n: Number) -> (i64, i64) {
        let (_, lo, hi) = self.graph.window_of(n.0);
        (lo, hi)
    }

    /// The values that a small input may have for itself.
    pub fn members(&self, v: VarId) -> Option<Members> {
        self.graph.set_of(v).map(|set| set.words())
    }

    /// The bits of an input in the present model.
    pub fn bits(&self, v: VarId) -> u64 {
        self.graph.bits(v)
    }

    /// The value of the other reading of an input whose one reading has this value.
    pub fn across(&self, n: Number, value: i64) -> i64 {
        let Some(v) = n.input() else { return value };
        let width = self.graph.width(v);
        let bits = value as u64 & width.mask();
        match n.0 & 1 {
            0 => bits as i64,
            _ => width.signed(bits),
        }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        self.graph.var_count()
    }
}

/// Numbers from which on a difference is not told from one that is not bounded.
const UNTOLD: u64 = 1 << 62;

impl Solver {
    /// Brings the closure of the differences up to date and gives a look at it.
    pub fn close(&mut self, arena: &Arena) -> Closed<'_> {
        self.sync(arena);
        self.graph.close(&mut self.closure);
        Closed { graph: &self.graph, closure: &self.closure }
    }

    /// Whether differences, bounds and domains without holes are all that the path condition says:
    /// then values that satisfy the differences and the bounds are a model.
    pub fn is_plain(&mut self, arena: &Arena) -> bool {
        self.sync(arena);
        self.graph.close(&mut self.closure);
        let plain = |&n: &u32| {
            let v = VarId(n >> 1);
            self.graph.width(v) != Width::W64 && self.is_interval(v)
        };
        self.broken.is_empty()
            && self.others == 0
            && self.are_decided()
            && self.closure.active().iter().all(plain)
    }

    /// Work done for the closure so far.
    pub fn closing_work(&self) -> u64 {
        self.closure.work()
    }

    /// Changes the model so that an order that was asserted holds with room to spare, if there is a
    /// model that does: values that are equal without need say less about what else is possible.
    pub fn spread(&mut self, arena: &mut Arena, c: TermId) {
        let node = *arena.node(c);
        let strict = match node.op {
            Op::Sle => Op::Slt,
            Op::Ule => Op::Ult,
            _ => return,
        };
        let apart = arena.binary(strict, node.arg(0), node.arg(1));
        if self.broken.is_empty()
            && arena.as_const(apart).is_none()
            && matches!(
                atom::read(arena, &self.graph, &mut self.sets, apart),
                Reading::Atom(Atom::Le { .. })
            )
            && self.check(arena, apart).is_sat()
        {
            let mark = self.mark();
            self.assert(arena, apart);
            self.undo_to(mark);
        }
    }

    /// A condition as simple ones, all of which hold exactly if it does; `None` if it is not so, or where a
    /// number is so large that it could be taken for none: 0 − x ≤ 2^63 − 1 says that x is not the least of all.
    pub fn simple(&mut self, arena: &mut Arena, c: TermId) -> Option<Vec<Simple>> {
        self.sync(arena);
        let mut out = Vec::new();
        match conjuncts(arena, c) {
            Some(parts) => {
                for part in parts {
                    self.simple_part(arena, part, &mut out)?;
                }
            }
            None => self.simple_part(arena, c, &mut out)?,
        }
        let is_told = |part: &Simple| match part {
            Simple::Difference(of) | Simple::Apart(of) => of.k.unsigned_abs() < UNTOLD,
            Simple::Member(..) => true,
        };
        out.iter().all(is_told).then_some(out)
    }

    fn simple_part(&mut self, arena: &Arena, c: TermId, out: &mut Vec<Simple>) -> Option<()> {
        let number = |n: Option<NodeId>| n.map_or(Number::ZERO, |n| Number(n.index() as u32));
        let push = |out: &mut Vec<Simple>, x, y, k| {
            out.push(Simple::Difference(Difference { x, y, k }));
        };
        match atom::read(arena, &self.graph, &mut self.sets, c) {
            Reading::Known(true) => {}
            Reading::Atom(Atom::In { v, set }) => out.push(Simple::Member(v, set.words())),
            Reading::Atom(Atom::Ne { x, y, k }) => {
                let (x, y) = (number(Some(x)), number(Some(y)));
                out.push(Simple::Apart(Difference { x, y, k }));
            }
            Reading::Atom(Atom::Not { x, k }) => {
                let (x, y) = (number(Some(x)), Number::ZERO);
                out.push(Simple::Apart(Difference { x, y, k }));
            }
            Reading::Atom(Atom::Eq { x, y, k }) => {
                push(out, number(Some(x)), number(Some(y)), k);
                push(out, number(Some(y)), number(Some(x)), -k);
            }
            Reading::Atom(Atom::Le { .. } | Atom::Within { .. }) => {
                match atom::read_order(arena, &self.graph, c) {
                    Some((x, y, k)) => push(out, number(x), number(y), k),
                    None => match atom::read(arena, &self.graph, &mut self.sets, c) {
                        // An equation with a number.
                        Reading::Atom(Atom::Within { x, lo, hi }) if lo == hi => {
                            push(out, number(Some(x)), Number::ZERO, hi);
                            push(out, Number::ZERO, number(Some(x)), lo.checked_neg()?);
                        }
                        _ => return None,
                    },
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// What the path condition says of `asked`, beside their differences ([`Solver::close`]) and
    /// domains. `None` where that cannot be told.
    pub fn project(&mut self, arena: &Arena, asked: &[VarId]) -> Option<Projection> {
        self.sync(arena);
        self.graph.close(&mut self.closure);
        if !self.broken.is_empty() {
            return None;
        }
        if self.others == 0 && self.are_decided() {
            let mut wanted = vec![false; self.graph.var_count() as usize];
            asked.iter().for_each(|v| wanted[v.0 as usize] = true);
            let easy = |&n: &u32| {
                let v = VarId(n >> 1);
                self.graph.width(v) != Width::W64 && (wanted[v.0 as usize] || self.is_interval(v))
            };
            if self.closure.active().iter().all(easy) {
                return Some(Projection { simple: true, ..Projection::default() });
            }
        }
        self.project_slowly(arena, asked)
    }

    /// Whether the differences say of all numbers that must differ that they do.
    fn are_decided(&self) -> bool {
        let closed = Closed { graph: &self.graph, closure: &self.closure };
        self.graph.disequalities().all(|(x, y, k)| {
            closed.are_apart(Difference { x: Number(x), y: y.map_or(Number::ZERO, Number), k })
        })
    }

    fn project_slowly(&self, arena: &Arena, asked: &[VarId]) -> Option<Projection> {
        let count = self.graph.var_count() as usize;
        let mut reached = vec![false; count];
        let mut named = vec![false; count];
        let mut order: Vec<VarId> = Vec::new();
        let mut others: Vec<u32> = Vec::new();
        let mut kept: Vec<VarId> = Vec::new();
        for &v in asked {
            named[v.0 as usize] = true;
            if !std::mem::replace(&mut reached[v.0 as usize], true) {
                order.push(v);
            }
        }
        let mut done = 0;
        while let Some(&v) = order.get(done) {
            done += 1;
            let mut next: Vec<VarId> = Vec::new();
            self.graph.neighbours(v, |other| next.push(other));
            let mut at = self.touched[v.0 as usize].head;
            while at != NONE {
                let touch = self.touches[at as usize];
                at = touch.next;
                if touch.is_exact() || others.contains(&touch.assertion) {
                    continue;
                }
                others.push(touch.assertion);
                for u in arena.variables(self.assertions[touch.assertion as usize]) {
                    next.push(u);
                    if !std::mem::replace(&mut named[u.0 as usize], true) {
                        kept.push(u);
                    }
                }
            }
            for u in next {
                if !std::mem::replace(&mut reached[u.0 as usize], true) {
                    order.push(u);
                }
            }
        }
        let mut disequalities: Vec<Difference> = Vec::new();
        let closed = Closed { graph: &self.graph, closure: &self.closure };
        for (x, y, k) in self.graph.disequalities() {
            let (x, y) = (Number(x), y.map_or(Number::ZERO, Number));
            let inside = |n: Number| n.input().is_none_or(|v| reached[v.0 as usize]);
            if inside(x) && inside(y) && !closed.are_apart(Difference { x, y, k }) {
                disequalities.push(Difference { x, y, k });
            }
        }
        disequalities.sort_unstable();
        disequalities.dedup();
        // One that leaves room for a value still ties that value to the others.
        let untied = disequalities.is_empty();
        for &v in &order {
            let active = Number::readings(v).iter().any(|n| closed.is_active(*n));
            if active && self.graph.width(v) == Width::W64 {
                return None;
            }
            if named[v.0 as usize] {
                continue;
            }
            let mentions = |d: &Difference| d.x.input() == Some(v) || d.y.input() == Some(v);
            let rivals = disequalities.iter().filter(|d| mentions(d)).count() as u64;
            if active && (rivals > 0 || !self.is_interval(v)) {
                named[v.0 as usize] = true;
                kept.push(v);
            } else if rivals > 0 {
                if self.room(v).is_some_and(|room| room > rivals) {
                    disequalities.retain(|d| !mentions(d));
                } else {
                    named[v.0 as usize] = true;
                    kept.push(v);
                }
            }
        }
        others.sort_unstable();
        let simple = kept.is_empty() && others.is_empty() && untied;
        let others = others.into_iter().map(|i| self.assertions[i as usize]).collect();
        Some(Projection { simple, kept, others, disequalities })
    }

    /// Whether the domain of an input is an interval of the one reading that is in use, so that
    /// dropping it is a matter of its edges alone.
    fn is_interval(&self, v: VarId) -> bool {
        let in_use = |n: u32| self.closure.position(n).is_some();
        let nodes = [v.0 << 1, v.0 << 1 | 1];
        let (here, other) = match nodes.map(in_use) {
            [true, false] => (nodes[0], nodes[1]),
            [false, true] => (nodes[1], nodes[0]),
            [false, false] => return true,
            [true, true] => return false,
        };
        let (_, lo, hi) = self.graph.window_of(here);
        if let Some(set) = self.graph.set_of(v) {
            return i64::from(set.len()) == hi - lo + 1;
        }
        if self.graph.is_unified(v) {
            return true;
        }
        let (_, other_lo, other_hi) = self.graph.window_of(other);
        let width = self.graph.width(v);
        // Numbers that are small in both readings are the same in both.
        let same = lo >= 0 && hi <= width.max_signed();
        let whole = match other & 1 {
            0 => other_lo == width.min_signed() && other_hi == width.max_signed(),
            _ => other_lo == 0 && other_hi as u64 == width.mask(),
        };
        whole || (same && other_lo <= lo && hi <= other_hi)
    }

    /// How many values an input has that is in no edge, at least.
    fn room(&self, v: VarId) -> Option<u64> {
        if let Some(set) = self.graph.set_of(v) {
            return Some(u64::from(set.len()));
        }
        let of = |view: View| {
            let (_, lo, hi) = self.graph.window_of(v.0 << 1 | view as u32);
            (i128::from(hi) - i128::from(lo) + 1).max(0) as u128
        };
        let whole = u128::from(self.graph.width(v).mask()) + 1;
        let (signed, unsigned) = (of(View::Signed), of(View::Unsigned));
        // Bounds of one reading leave as many values; of two, what both leave is not counted here.
        let least = match (signed == whole, unsigned == whole) {
            (_, true) => signed,
            (true, _) => unsigned,
            _ if self.graph.is_unified(v) => signed,
            _ => return None,
        };
        Some(u64::try_from(least).unwrap_or(u64::MAX))
    }
}
