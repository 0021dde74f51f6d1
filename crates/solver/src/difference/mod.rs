//! Order and difference logic: `x < y`, `x ≤ y + k`, `x = y + k`, `x ≠ y + k`, bounds and byte sets.
//!
//! A node is one reading of a variable: as a signed or as an unsigned number. The values of the nodes
//! *are* the present model, and always satisfy every constraint of the graph; that is what makes the
//! common question cheap. A new constraint that they violate is repaired: first by moving one node into
//! its window ([`window`]), else by pushing values along the edges ([`repair`]), which finds either a model
//! or a proof that there is none. Values are never undone, only constraints are: a model of the longer
//! list is a model of the shorter.
//!
//! Finite domains are exact: bounds are part of a node, sets of bytes of a variable ([`holes`]), and
//! disequalities are searched, with a pigeonhole bound ([`disequal`]).

mod byteset;
mod closure;
mod disequal;
mod holes;
mod repair;
#[cfg(test)]
mod tests;
mod trail;
mod window;

pub(crate) use byteset::ByteSet;
pub(crate) use closure::Closure;

use pessimum_term::{Range, VarId, Width};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// End of a list.
const NONE: u32 = u32::MAX;

/// One reading of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    #[inline]
    pub(crate) fn var(self) -> VarId {
        VarId(self.0 >> 1)
    }

    /// A number below twice the number of variables.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which number the bits of a variable stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    Signed = 0,
    Unsigned = 1,
}

/// A constraint that the graph encodes in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    /// x ≤ y + k
    Le { x: NodeId, y: NodeId, k: i64 },
    /// x = y + k
    Eq { x: NodeId, y: NodeId, k: i64 },
    /// x ≠ y + k
    Ne { x: NodeId, y: NodeId, k: i64 },
    /// lo ≤ x ≤ hi
    Within { x: NodeId, lo: i64, hi: i64 },
    /// x ≠ k
    Not { x: NodeId, k: i64 },
    /// The bits of the variable are in the set.
    In { v: VarId, set: ByteSet },
}

/// What the graph found. Unknown means that someone stronger has to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphAnswer {
    Sat,
    Unsat,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    value: i64,
    lo: i64,
    hi: i64,
    /// Newest edge `z ≤ this + k`: whoever must come down when this does.
    down: u32,
    /// Newest edge `this ≤ z + k`: whoever must go up when this does.
    up: u32,
    /// Newest disequality, and how many there are.
    ne: u32,
    rivals: u32,
    /// How many of the edges `z ≤ this + k`, and `this ≤ z + k`, came from a term that is more than an order
    /// of two inputs.
    mixed_down: u32,
    mixed_up: u32,
}

impl Node {
    #[inline]
    fn is_bare(&self) -> bool {
        self.down & self.up & self.ne == NONE
    }
}

#[derive(Clone, Copy, Debug)]
struct Variable {
    width: Width,
    /// Both readings agree on the whole domain, and the signed node stands for both.
    unified: bool,
    /// The sign was proven on this path and the two nodes are tied by edges.
    linked: bool,
    /// The newest of its sets, for variables of at most eight bits.
    set: u32,
}

/// x ≤ y + k
#[derive(Clone, Copy, Debug)]
struct Edge {
    k: i64,
    x: u32,
    y: u32,
    next_down: u32,
    next_up: u32,
    /// Where the constraint came from, zero for an edge that ties two readings.
    origin: u32,
    /// It came from a term that is more than an order of two inputs.
    mixed: bool,
}

/// x ≠ y + k, or x ≠ k when y is `NONE`.
#[derive(Clone, Copy, Debug)]
struct Disequality {
    k: i64,
    x: u32,
    y: u32,
    next_x: u32,
    next_y: u32,
    origin: u32,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    node: u32,
    lo: i64,
    hi: i64,
}

#[derive(Clone, Copy, Debug)]
struct SetOf {
    var: u32,
    before: u32,
    set: ByteSet,
}

/// What undo has to take back, newest last; the data lie on the stack of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Undo {
    Var,
    Edge,
    Ne,
    Bounds,
    Set,
    Link,
}

/// The constraints and the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    vars: Vec<Variable>,
    edges: Vec<Edge>,
    nes: Vec<Disequality>,
    bounds: Vec<Bounds>,
    sets: Vec<SetOf>,
    links: Vec<u32>,
    trail: Vec<Undo>,
    /// Values before the repair under way, oldest first.
    log: Vec<(u32, i64)>,
    /// Moves that the repair under way still has to make, and by node how far.
    moves: BinaryHeap<(i64, Reverse<u32>)>,
    wanted: Vec<i64>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// The new values of the last [`GraphAnswer::Sat`] that needed any.
    delta: Vec<(u32, i64)>,
    /// Move as little as possible, towards small numbers, instead of leaving gaps for what may come.
    tight: bool,
    work: u64,
    /// The shortest that the trail has been since somebody last asked.
    low: u32,
}

impl Graph {
    pub(crate) fn new(tight: bool) -> Self {
        Graph { tight, ..Graph::default() }
    }

    pub(crate) fn var_count(&self) -> u32 {
        self.vars.len() as u32
    }

    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Adds the next variable.
    pub(crate) fn push_var(&mut self, width: Width, range: Range) {
        let var = self.vars.len() as u32;
        let unified = range.smin >= 0;
        let small = width.bits() <= 8;
        let set = if small {
            let set = ByteSet::filter(width, |bits| {
                let signed = width.signed(bits);
                (range.umin..=range.umax).contains(&bits)
                    && (range.smin..=range.smax).contains(&signed)
            });
            self.sets.push(SetOf { var, before: NONE, set });
            self.sets.len() as u32 - 1
        } else {
            NONE
        };
        self.vars.push(Variable { width, unified, linked: false, set });
        let bits = self.first_value(width, range);
        for view in [View::Signed, View::Unsigned] {
            let (lo, hi) = match view {
                View::Signed => (range.smin, range.smax),
                View::Unsigned => (
                    encode(View::Unsigned, width, range.umin),
                    encode(View::Unsigned, width, range.umax),
                ),
            };
            let value = encode(view, width, bits);
            self.nodes.push(Node {
                value,
                lo,
                hi,
                down: NONE,
                up: NONE,
                ne: NONE,
                rivals: 0,
                mixed_down: 0,
                mixed_up: 0,
            });
            self.queued.push(false);
            self.wanted.push(0);
        }
        self.trail.push(Undo::Var);
    }

    /// Where a variable starts: room on both sides, or near zero when small numbers are asked for.
    fn first_value(&self, width: Width, range: Range) -> u64 {
        let signed_is_exact = range.smin > width.min_signed() || range.smax < width.max_signed();
        let full = range == Range::full(width);
        let (lo, hi) = if signed_is_exact || full {
            (i128::from(range.smin), i128::from(range.smax))
        } else {
            (i128::from(range.umin), i128::from(range.umax))
        };
        let value = if self.tight || full { 0.clamp(lo, hi) } else { lo + (hi - lo) / 2 };
        value as u64 & width.mask()
    }

    #[inline]
    pub(crate) fn width(&self, v: VarId) -> Width {
        self.vars[v.0 as usize].width
    }

    /// The node that reads `v` this way.
    #[inline]
    pub(crate) fn node(&self, v: VarId, view: View) -> NodeId {
        let unified = self.vars[v.0 as usize].unified;
        NodeId(v.0 << 1 | if unified { 0 } else { view as u32 })
    }

    /// What has to be added to a node's value to get the number it stands for.
    #[inline]
    pub(crate) fn bias(&self, n: NodeId) -> i128 {
        if n.0 & 1 == 1 && self.width(n.var()) == Width::W64 { 1 << 63 } else { 0 }
    }

    /// Whether the node reads its variable as signed; one that stands for both readings does.
    pub(crate) fn is_signed(&self, n: NodeId) -> bool {
        n.0 & 1 == 0
    }

    /// The other reading of the variable, if it is another.
    pub(crate) fn twin(&self, n: NodeId) -> Option<NodeId> {
        (!self.vars[n.index() >> 1].unified).then_some(NodeId(n.0 ^ 1))
    }

    /// Whether some constraint of two variables uses this reading.
    pub(crate) fn in_use(&self, n: NodeId) -> bool {
        !self.nodes[n.index()].is_bare()
    }

    /// The bits of `v` in the present model.
    #[inline]
    pub(crate) fn bits(&self, v: VarId) -> u64 {
        let signed = self.nodes[(v.0 as usize) << 1].value;
        signed as u64 & self.vars[v.0 as usize].width.mask()
    }

    /// The bits of `v` in the present model, read as a signed number.
    #[inline]
    pub(crate) fn signed(&self, v: VarId) -> i64 {
        self.nodes[(v.0 as usize) << 1].value
    }

    /// The value that a node has when its variable has these bits.
    pub(crate) fn value_of(&self, n: NodeId, bits: u64) -> i64 {
        let view = if self.is_signed(n) { View::Signed } else { View::Unsigned };
        encode(view, self.width(n.var()), bits)
    }

    /// Replaces the bits of `v`; the caller answers for the constraints.
    pub(crate) fn set_bits(&mut self, v: VarId, bits: u64) {
        let width = self.width(v);
        for view in [View::Signed, View::Unsigned] {
            self.nodes[(v.0 as usize) << 1 | view as usize].value = encode(view, width, bits);
        }
    }

    /// Every reading of every variable.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The readings of a variable, one if both agree.
    pub(crate) fn readings(&self, v: VarId) -> impl Iterator<Item = NodeId> + use<> {
        let signed = NodeId(v.0 << 1);
        [Some(signed), self.twin(signed)].into_iter().flatten()
    }

    /// Bounds of a node on this path, as values.
    pub(crate) fn limits(&self, n: NodeId) -> (i64, i64) {
        (self.nodes[n.index()].lo, self.nodes[n.index()].hi)
    }

    /// The value within the bounds of node number `n` that stands for the number nearest to zero.
    pub(crate) fn nearest_to_zero(&self, n: usize) -> i64 {
        let node = &self.nodes[n];
        let zero = -self.bias(NodeId(n as u32));
        if node.lo > node.hi {
            return node.value;
        }
        zero.clamp(i128::from(node.lo), i128::from(node.hi)) as i64
    }

    /// Gives a variable a value to start from, if its domain has it; the caller answers for the rest.
    pub(crate) fn start_at(&mut self, n: NodeId, value: i64) {
        let width = self.width(n.var());
        let node = &self.nodes[n.index()];
        if node.lo > node.hi {
            return;
        }
        let bits = decode(n.index(), width, value.clamp(node.lo, node.hi));
        let inside = |view: View| {
            let node = &self.nodes[(n.index() & !1) | view as usize];
            (node.lo..=node.hi).contains(&encode(view, width, bits))
        };
        let member = self.set_of(n.var()).is_none_or(|set| set.contains(bits));
        if inside(View::Signed) && inside(View::Unsigned) && member {
            self.set_bits(n.var(), bits);
        }
    }

    /// What [`Graph::apply`] needs to give `v` these bits.
    pub(crate) fn signed_entry(&self, v: VarId, bits: u64) -> (u32, i64) {
        (v.0 << 1, encode(View::Signed, self.width(v), bits))
    }

    /// Bounds of a node on this path, as the numbers they stand for.
    pub(crate) fn bounds_of(&self, n: NodeId) -> (i128, i128) {
        let node = &self.nodes[n.index()];
        let bias = self.bias(n);
        (i128::from(node.lo) + bias, i128::from(node.hi) + bias)
    }

    /// The values that a variable of at most eight bits may still take, for itself.
    pub(crate) fn set_of(&self, v: VarId) -> Option<&ByteSet> {
        let at = self.vars[v.0 as usize].set;
        (at != NONE).then(|| &self.sets[at as usize].set)
    }

    /// Whether the present model satisfies the atom.
    #[inline]
    pub(crate) fn holds(&self, atom: &Atom) -> bool {
        let value = |n: NodeId| self.nodes[n.index()].value;
        match *atom {
            Atom::Le { x, y, k } => at_most(value(x), value(y), k),
            Atom::Eq { x, y, k } => equal(value(x), value(y), k),
            Atom::Ne { x, y, k } => !equal(value(x), value(y), k),
            Atom::Within { x, lo, hi } => (lo..=hi).contains(&value(x)),
            Atom::Not { x, k } => value(x) != k,
            Atom::In { v, set } => set.contains(self.bits(v)),
        }
    }

    /// As [`Graph::add`] for `x ≤ y + k` from a term that is an order of the two inputs as these nodes read them.
    #[inline]
    pub(crate) fn add_order(&mut self, x: NodeId, y: NodeId, k: i64, origin: u32) -> bool {
        let linked = self.push_edge(x.0, y.0, k, origin, false);
        self.link(x.0);
        self.link(y.0);
        linked
    }

    /// Adds a constraint without looking at the model. Whether [`Graph::origins`] finds it: not if it is
    /// about one variable, or an edge that another one makes superfluous.
    pub(crate) fn add(&mut self, atom: &Atom, origin: u32) -> bool {
        let linked = match *atom {
            Atom::Le { x, y, k } => self.push_edge(x.0, y.0, k, origin, true),
            Atom::Eq { x, y, k } => {
                let one = self.push_edge(x.0, y.0, k, origin, true);
                self.push_edge(y.0, x.0, -k, origin, true) || one
            }
            Atom::Ne { x, y, k } => {
                self.push_ne(x.0, y.0, k, origin);
                true
            }
            Atom::Within { x, lo, hi } => {
                debug_assert_eq!(self.vars[x.index() >> 1].set, NONE, "small variables have sets");
                self.push_bounds(x.0, lo, hi);
                false
            }
            Atom::Not { x, k } => {
                debug_assert_eq!(self.vars[x.index() >> 1].set, NONE, "small variables have sets");
                // Its owner keeps it with the conditions on one variable.
                self.push_ne(x.0, NONE, k, 0);
                false
            }
            Atom::In { v, set } => {
                self.push_set(v.0, &set);
                false
            }
        };
        if let Atom::Le { x, y, .. } | Atom::Eq { x, y, .. } | Atom::Ne { x, y, .. } = *atom {
            self.link(x.0);
            self.link(y.0);
        } else if let Atom::Within { x, .. } | Atom::Not { x, .. } = *atom {
            self.link(x.0);
        }
        linked
    }

    /// Brings the closure of the differences up to date.
    pub(crate) fn close(&mut self, closure: &mut Closure) {
        let low = self.take_low();
        closure.sync(self, low);
    }

    /// The disequalities: `x ≠ y + k` for nodes by number, or `x ≠ k` without a `y`.
    pub(crate) fn disequalities(&self) -> impl Iterator<Item = (u32, Option<u32>, i64)> + '_ {
        self.nes.iter().map(|ne| (ne.x, (ne.y != NONE).then_some(ne.y), ne.k))
    }

    /// The value and the bounds of node number `n`.
    pub(crate) fn window_of(&self, n: u32) -> (i64, i64, i64) {
        let node = &self.nodes[n as usize];
        (node.value, node.lo, node.hi)
    }

    /// Whether both readings of the variable agree on its whole domain.
    pub(crate) fn is_unified(&self, v: VarId) -> bool {
        self.vars[v.0 as usize].unified
    }

    /// Takes over the values of the last [`Graph::find`] that said sat.
    pub(crate) fn apply(&mut self, delta: &[(u32, i64)]) {
        for &(n, value) in delta {
            let n = n as usize;
            self.nodes[n].value = value;
            let var = &self.vars[n >> 1];
            let bits = decode(n, var.width, value);
            let other = if n & 1 == 0 { View::Unsigned } else { View::Signed };
            self.nodes[n ^ 1].value = encode(other, var.width, bits);
        }
    }

    /// The new values of the last [`Graph::find`] that said sat.
    pub(crate) fn delta(&self) -> &[(u32, i64)] {
        &self.delta
    }

    /// Changes a value within a repair.
    #[inline]
    fn set_value(&mut self, n: u32, value: i64) {
        let slot = &mut self.nodes[n as usize].value;
        self.log.push((n, *slot));
        *slot = value;
    }

    /// Takes back changes within a repair, newest first.
    fn revert(&mut self, to: usize) {
        while self.log.len() > to {
            if let Some((n, value)) = self.log.pop() {
                self.nodes[n as usize].value = value;
            }
        }
    }

    /// Visits the variables that an edge or a disequality ties to `v`.
    pub(crate) fn neighbours(&self, v: VarId, mut visit: impl FnMut(VarId)) {
        for n in [v.0 << 1, v.0 << 1 | 1] {
            let node = &self.nodes[n as usize];
            let mut at = node.down;
            while at != NONE {
                let e = &self.edges[at as usize];
                visit(VarId(e.x >> 1));
                at = e.next_down;
            }
            at = node.up;
            while at != NONE {
                let e = &self.edges[at as usize];
                visit(VarId(e.y >> 1));
                at = e.next_up;
            }
            at = node.ne;
            while at != NONE {
                let ne = &self.nes[at as usize];
                let (other, next) = if ne.x == n { (ne.y, ne.next_x) } else { (ne.x, ne.next_y) };
                if other != NONE {
                    visit(VarId(other >> 1));
                }
                at = next;
            }
        }
    }

    /// Visits the assertions that constrain `v` together with another variable, until one of them says
    /// no; whether all said yes.
    ///
    /// With `before`, the bits that `v` had when all of them held and nothing else has moved since, orders of
    /// two inputs that the move cannot have broken are left out: x < y stays true when x falls or y rises.
    #[inline]
    pub(crate) fn origins(
        &self,
        v: VarId,
        before: Option<u64>,
        mut visit: impl FnMut(u32) -> bool,
    ) -> bool {
        let mut ask = |origin: u32| origin == 0 || visit(origin - 1);
        for n in [v.0 << 1, v.0 << 1 | 1] {
            let node = &self.nodes[n as usize];
            let (fell, rose) = before.map_or((false, false), |bits| {
                let old = self.value_of(NodeId(n), bits);
                (node.value <= old, node.value >= old)
            });
            let mut at = if rose && node.mixed_down == 0 { NONE } else { node.down };
            while at != NONE {
                let e = &self.edges[at as usize];
                if !ask(e.origin) {
                    return false;
                }
                at = e.next_down;
            }
            at = if fell && node.mixed_up == 0 { NONE } else { node.up };
            while at != NONE {
                let e = &self.edges[at as usize];
                if !ask(e.origin) {
                    return false;
                }
                at = e.next_up;
            }
            at = node.ne;
            while at != NONE {
                let ne = &self.nes[at as usize];
                if !ask(ne.origin) {
                    return false;
                }
                at = if ne.x == n { ne.next_x } else { ne.next_y };
            }
        }
        true
    }
}

/// x ≤ y + k, without overflow.
#[inline]
fn at_most(x: i64, y: i64, k: i64) -> bool {
    match y.checked_add(k) {
        Some(bound) => x <= bound,
        None => k > 0,
    }
}

/// x = y + k, without overflow.
#[inline]
fn equal(x: i64, y: i64, k: i64) -> bool {
    y.checked_add(k) == Some(x)
}

/// The value of the node that reads these bits this way. The unsigned reading of 64 bits is shifted
/// down by 2^63 so that it fits.
#[inline]
fn encode(view: View, width: Width, bits: u64) -> i64 {
    match view {
        View::Signed => width.signed(bits),
        View::Unsigned if width == Width::W64 => (bits ^ 1 << 63) as i64,
        View::Unsigned => bits as i64,
    }
}

/// The bits behind the value of node number `n`.
#[inline]
fn decode(n: usize, width: Width, value: i64) -> u64 {
    if n & 1 == 1 && width == Width::W64 {
        value as u64 ^ 1 << 63
    } else {
        value as u64 & width.mask()
    }
}
