//! What made every side infeasible that was not followed below a state.
//!
//! A decision was forced because the path condition implied the side that was followed. Where it
//! does not, another side is feasible, and the tree is another. So the implied side is a *need* of
//! the state. On the way up a need is traced to the path condition of each node: what the stretch
//! below the node has asserted itself is there in any case, and the rest of the chain of differences
//! that implies the need becomes the need of the node. What the chain gives away beyond what is
//! needed is not asked for.

use super::stretch::{strict, turned};
use super::way::Domain;
use pessimum_solver::{Closed, Difference, Members, Number};
use pessimum_term::{Arena, VarId};

/// Needs beyond which a state asks for too much.
const MOST: usize = 4096;

/// Edges of a stretch beyond which no chain is looked for.
const EDGES: usize = 24;

/// Needs of a node, in terms of its own path condition.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// Sorted by the numbers; one for each pair.
    pub(super) differences: Vec<Difference>,
    /// Sorted by the inputs; one for each.
    pub(super) members: Vec<(VarId, Members)>,
    /// Numbers that are known to differ, though the differences leave them a common value: `x ≠ y + k`.
    /// Sorted.
    pub(super) apart: Vec<Difference>,
}

impl Needs {
    pub(super) fn difference(&mut self, need: Difference) {
        if need.x == need.y {
            return;
        }
        let pair = (need.x, need.y);
        match self.differences.binary_search_by_key(&pair, |d| (d.x, d.y)) {
            Ok(at) => self.differences[at].k = self.differences[at].k.min(need.k),
            Err(at) => self.differences.insert(at, need),
        }
    }

    /// Whether a difference is among them, or a tighter one.
    pub(super) fn has(&self, of: Difference) -> bool {
        let pair = (of.x, of.y);
        let known = self.differences.binary_search_by_key(&pair, |d| (d.x, d.y));
        known.is_ok_and(|at| self.differences[at].k <= of.k)
    }

    pub(super) fn member(&mut self, v: VarId, set: Members) {
        match self.members.binary_search_by_key(&v, |m| m.0) {
            Ok(at) => self.members[at].1.iter_mut().zip(set).for_each(|(a, b)| *a &= b),
            Err(at) => self.members.insert(at, (v, set)),
        }
    }

    pub(super) fn apart(&mut self, need: Difference) {
        let need = in_order(need);
        if let Err(at) = self.apart.binary_search(&need) {
            self.apart.insert(at, need);
        }
    }

    /// Whether the path condition implies all of them.
    pub(super) fn hold(&self, closed: Closed<'_>, of: impl Fn(VarId) -> Option<VarId>) -> bool {
        let number = |n: Number| match n.input() {
            Some(v) => of(v).map(|v| n.of(v)),
            None => Some(n),
        };
        let holds = |need: &Difference| match (number(need.x), number(need.y)) {
            (Some(x), Some(y)) => closed.at(x, y) <= need.k,
            _ => false,
        };
        let is_member = |(v, set): &(VarId, Members)| {
            let members = of(*v).and_then(|v| closed.members(v));
            members.is_some_and(|members| subset(&members, set))
        };
        let differ = |need: &Difference| match (number(need.x), number(need.y)) {
            (Some(x), Some(y)) => differs(closed, Difference { x, y, k: need.k }),
            _ => false,
        };
        self.differences.iter().all(holds)
            && self.members.iter().all(is_member)
            && self.apart.iter().all(differ)
    }

    pub(super) fn heap(&self) -> usize {
        (self.differences.len() + self.apart.len()) * 16 + self.members.len() * 40
    }
}

fn differs(closed: Closed<'_>, of: Difference) -> bool {
    closed.are_apart(of) || closed.why_apart(of).is_some()
}

/// The same disequality with the lesser number first.
fn in_order(of: Difference) -> Difference {
    if of.x <= of.y { of } else { turned(of).unwrap_or(of) }
}

pub(super) fn subset(a: &Members, b: &Members) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

/// What a stretch has asserted, and the needs that arose on it, each with how much had been
/// asserted by then.
#[derive(Clone, Debug, Default)]
pub(super) struct Asserted {
    pub(super) edges: Vec<Difference>,
    pub(super) members: Vec<(VarId, Members)>,
    /// Static bounds of inputs that were made on the stretch.
    pub(super) domains: Vec<Difference>,
    /// Numbers that were asserted to differ: the side on which the model had them.
    pub(super) apart: Vec<Difference>,
    /// The numbers in the edges and in those, with their domains.
    pub(super) numbers: Vec<Domain>,
    /// Whether something was asserted that is no difference of numbers with a domain.
    beyond: bool,
    needs: Vec<(Difference, u32)>,
    member_needs: Vec<(VarId, Members, u32)>,
    apart_needs: Vec<(Difference, u32)>,
}

/// How much a stretch had asserted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    edges: u32,
    members: u32,
    apart: u32,
    beyond: bool,
}

impl Asserted {
    pub(super) fn extent(&self) -> Extent {
        Extent {
            edges: self.edges.len() as u32,
            members: self.members.len() as u32,
            apart: self.apart.len() as u32,
            beyond: self.beyond,
        }
    }

    /// Forgets what was asserted since.
    pub(super) fn back_to(&mut self, extent: Extent) {
        self.edges.truncate(extent.edges as usize);
        self.members.truncate(extent.members as usize);
        self.apart.truncate(extent.apart as usize);
        self.beyond = extent.beyond;
    }

    /// Something was asserted that is no difference of inputs.
    pub(super) fn goes_beyond(&mut self) {
        self.beyond = true;
    }

    /// Whether something was asserted that is no difference of inputs.
    pub(super) fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// Numbers were asserted to differ.
    pub(super) fn differ(&mut self, arena: &Arena, apart: Difference, closed: Closed<'_>) {
        let sides = [Some(apart), turned(apart)].into_iter().flatten().map(strict);
        let holds = |d: &Difference| {
            let room = closed.value(d.y).checked_add(d.k);
            room.is_some_and(|most| closed.value(d.x) <= most)
        };
        match sides.into_iter().find(holds) {
            Some(side) => {
                self.apart.push(side);
                self.mention(arena, side);
            }
            None => self.beyond = true,
        }
    }

    /// Notes the domains of the numbers of an assertion.
    pub(super) fn mention(&mut self, arena: &Arena, of: Difference) {
        for n in [of.x, of.y].into_iter().filter(|n| *n != Number::ZERO) {
            match Domain::of(arena, n) {
                Some(domain) if self.numbers.contains(&domain) => {}
                Some(domain) => self.numbers.push(domain),
                None => self.beyond = true,
            }
        }
    }

    pub(super) fn need(&mut self, need: Difference) {
        self.needs.push((need, self.edges.len() as u32));
    }

    pub(super) fn member_need(&mut self, v: VarId, set: Members) {
        self.member_needs.push((v, set, self.members.len() as u32));
    }

    /// Numbers are known to differ.
    pub(super) fn apart_need(&mut self, need: Difference) {
        self.apart_needs.push((need, self.apart.len() as u32));
    }

    /// The needs in terms of the path condition at the beginning of the stretch, where there were
    /// `inputs` inputs; `below` are those of its end. `None` where a need cannot be traced.
    pub(super) fn traced(
        &self,
        below: &Needs,
        closed: Closed<'_>,
        inputs: u32,
        into: &mut Needs,
    ) -> Option<()> {
        let all = self.edges.len() as u32;
        let differences =
            below.differences.iter().map(|need| (*need, all)).chain(self.needs.iter().copied());
        for (need, upto) in differences {
            self.trace(need, &self.edges[..upto as usize], closed, inputs, into)?;
        }
        let all = self.members.len() as u32;
        let members = below.members.iter().map(|need| (need.0, need.1, all));
        for (v, set, upto) in members.chain(self.member_needs.iter().copied()) {
            // An input made on the stretch has its domain in any tree.
            if v.0 >= inputs {
                continue;
            }
            let mut set = set;
            for (u, asserted) in &self.members[..upto as usize] {
                if *u == v {
                    set.iter_mut().zip(asserted).for_each(|(a, b)| *a |= !b);
                }
            }
            if !subset(&closed.members(v)?, &set) {
                return None;
            }
            into.member(v, set);
        }
        let all = self.apart.len() as u32;
        let apart = below.apart.iter().map(|need| (*need, all));
        for (need, upto) in apart.chain(self.apart_needs.iter().copied()) {
            let need = in_order(need);
            // What was asserted to differ is kept by the side on which the model had it.
            let same = |side: &Difference| {
                let k = side.k.saturating_add(1);
                in_order(Difference { k, ..*side }) == need
            };
            if self.apart[..upto as usize].iter().any(same) {
                continue;
            }
            let old = |n: Number| n.input().is_none_or(|v| v.0 < inputs);
            if !old(need.x) || !old(need.y) || !differs(closed, need) {
                return None;
            }
            into.apart(need);
        }
        (into.differences.len() + into.apart.len() <= MOST).then_some(())
    }

    fn trace(
        &self,
        need: Difference,
        edges: &[Difference],
        closed: Closed<'_>,
        inputs: u32,
        into: &mut Needs,
    ) -> Option<()> {
        let old = |n: Number| n.input().is_none_or(|v| v.0 < inputs);
        if old(need.x) && old(need.y) && closed.at(need.x, need.y) <= need.k {
            into.difference(need);
            return Some(());
        }
        if edges.len() > EDGES {
            return None;
        }
        // The shortest way from x to y over what was asserted and what was known before.
        let mut nodes = vec![need.x, need.y, Number::ZERO];
        for edge in edges.iter().chain(&self.domains) {
            nodes.extend([edge.x, edge.y]);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let at = |n: Number| nodes.binary_search(&n).ok();
        let count = nodes.len();
        let mut weight = vec![i64::MAX; count * count];
        let mut known = vec![false; count * count];
        for (i, &x) in nodes.iter().enumerate() {
            for (j, &y) in nodes.iter().enumerate() {
                if i != j && old(x) && old(y) {
                    weight[i * count + j] = closed.at(x, y);
                    known[i * count + j] = true;
                }
            }
        }
        for edge in edges.iter().chain(&self.domains) {
            let place = at(edge.x)? * count + at(edge.y)?;
            if edge.k <= weight[place] {
                weight[place] = edge.k;
                known[place] = false;
            }
        }
        let (start, goal) = (at(need.x)?, at(need.y)?);
        let mut distance = vec![i64::MAX; count];
        let mut from = vec![usize::MAX; count];
        distance[start] = 0;
        for _ in 0..count {
            let mut changed = false;
            for i in (0..count).filter(|i| distance[*i] != i64::MAX).collect::<Vec<_>>() {
                for j in 0..count {
                    let by = weight[i * count + j];
                    if by == i64::MAX || j == start {
                        continue;
                    }
                    let there = distance[i].saturating_add(by);
                    if there < distance[j] {
                        (distance[j], from[j], changed) = (there, i, true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        if distance[goal] > need.k {
            return None;
        }
        let mut slack = need.k.saturating_sub(distance[goal]);
        let mut node = goal;
        let mut steps = 0;
        while node != start {
            let before = from[node];
            if before == usize::MAX || steps > count {
                return None;
            }
            let place = before * count + node;
            if known[place] {
                // A bound that would be none at all stays as it is.
                let most = weight[place].checked_add(std::mem::take(&mut slack));
                let k = most.filter(|k| *k < i64::MAX).unwrap_or(weight[place]);
                into.difference(Difference { x: nodes[before], y: nodes[node], k });
            }
            node = before;
            steps += 1;
        }
        Some(())
    }
}
