//! Which inputs hang together: those that an assertion mentions, and whatever these hang together with.
//!
//! Sets of inputs with a representative each, joined by size and without shortcuts, so that joins can be
//! taken back in reverse. Assertions are entered when somebody asks for a component, not when they are
//! made: paths that never need a strong solver pay nothing.

use crate::solver::NONE;
use pessimum_term::VarId;

/// What a question depends on.
#[derive(Debug, Default)]
pub(crate) struct Component {
    /// Numbers of assertions, in increasing order.
    pub(crate) assertions: Vec<u32>,
    /// In increasing order.
    pub(crate) vars: Vec<VarId>,
}

/// The sets, and under which of its inputs each assertion is kept.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// By input: the next one on the way to the representative, which is its own.
    parent: Vec<u32>,
    size: Vec<u32>,
    /// By input: the next member of its set, all around.
    ring: Vec<u32>,
    /// By input: the newest assertion kept under it.
    newest: Vec<u32>,
    entries: Vec<Entry>,
    /// Representatives that were put under another one, oldest first.
    joined: Vec<u32>,
}

/// An assertion that was entered.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The input that it is kept under; `NONE` when it mentions none.
    owner: u32,
    /// The assertion that was the newest there before.
    before: u32,
    /// How many joins there were before it.
    joins: u32,
}

impl Components {
    /// How many assertions were entered.
    pub(crate) fn entered(&self) -> usize {
        self.entries.len()
    }

    /// Makes room for so many inputs.
    pub(crate) fn make_room(&mut self, vars: u32) {
        for v in self.parent.len() as u32..vars {
            self.parent.push(v);
            self.size.push(1);
            self.ring.push(v);
            self.newest.push(NONE);
        }
    }

    /// Enters the next assertion with the inputs that it mentions.
    pub(crate) fn enter(&mut self, mentioned: impl IntoIterator<Item = VarId>) {
        let number = self.entries.len() as u32;
        let joins = self.joined.len() as u32;
        let mut mentioned = mentioned.into_iter();
        let Some(VarId(owner)) = mentioned.next() else {
            self.entries.push(Entry { owner: NONE, before: NONE, joins });
            return;
        };
        let before = std::mem::replace(&mut self.newest[owner as usize], number);
        self.entries.push(Entry { owner, before, joins });
        let mut root = self.root(owner);
        for VarId(v) in mentioned {
            let other = self.root(v);
            if other != root {
                root = self.join(root, other);
            }
        }
    }

    /// Drops all assertions but the first `assertions`, and all inputs but the first `vars`.
    #[inline]
    pub(crate) fn undo_to(&mut self, assertions: usize, vars: u32) {
        if self.entries.len() > assertions || self.parent.len() > vars as usize {
            self.drop_to(assertions, vars as usize);
        }
    }

    fn drop_to(&mut self, assertions: usize, vars: usize) {
        while self.entries.len() > assertions {
            let Some(entry) = self.entries.pop() else { break };
            while self.joined.len() > entry.joins as usize {
                self.part();
            }
            if entry.owner != NONE {
                self.newest[entry.owner as usize] = entry.before;
            }
        }
        self.parent.truncate(vars);
        self.size.truncate(vars);
        self.ring.truncate(vars);
        self.newest.truncate(vars);
    }

    /// Everything that hangs together with one of these inputs.
    pub(crate) fn around(&self, inputs: impl IntoIterator<Item = VarId>) -> Component {
        let mut vars = vec![false; self.parent.len()];
        let mut assertions = vec![false; self.entries.len()];
        for VarId(input) in inputs {
            let mut v = input;
            // All around the ring, unless somebody has been there.
            while !std::mem::replace(&mut vars[v as usize], true) {
                let mut at = self.newest[v as usize];
                while at != NONE {
                    assertions[at as usize] = true;
                    at = self.entries[at as usize].before;
                }
                v = self.ring[v as usize];
            }
        }
        let set = |flags: &[bool]| -> Vec<u32> {
            (0..flags.len() as u32).filter(|i| flags[*i as usize]).collect()
        };
        Component {
            assertions: set(&assertions),
            vars: set(&vars).into_iter().map(VarId).collect(),
        }
    }

    fn root(&self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            v = self.parent[v as usize];
        }
        v
    }

    /// Joins the sets of two representatives and answers which of them is left.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        let larger = self.size[a as usize] >= self.size[b as usize];
        let (under, over) = if larger { (b, a) } else { (a, b) };
        self.parent[under as usize] = over;
        self.size[over as usize] += self.size[under as usize];
        self.ring.swap(under as usize, over as usize);
        self.joined.push(under);
        over
    }

    /// Takes the last join back.
    fn part(&mut self) {
        let Some(under) = self.joined.pop() else { return };
        let over = std::mem::replace(&mut self.parent[under as usize], under);
        self.ring.swap(under as usize, over as usize);
        self.size[over as usize] -= self.size[under as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(components: &mut Components, mentioned: &[u32]) {
        components.enter(mentioned.iter().map(|v| VarId(*v)));
    }

    fn around(components: &Components, v: u32) -> (Vec<u32>, Vec<u32>) {
        let found = components.around([VarId(v)]);
        (found.assertions, found.vars.into_iter().map(|v| v.0).collect())
    }

    #[test]
    fn what_is_mentioned_together_hangs_together() {
        let mut components = Components::default();
        components.make_room(6);
        enter(&mut components, &[0, 1]);
        enter(&mut components, &[3]);
        enter(&mut components, &[]);
        enter(&mut components, &[4, 3]);
        enter(&mut components, &[1, 2]);
        assert_eq!(around(&components, 0), (vec![0, 4], vec![0, 1, 2]));
        assert_eq!(around(&components, 4), (vec![1, 3], vec![3, 4]));
        assert_eq!(around(&components, 5), (vec![], vec![5]));
    }

    /// Against the plainest way to find a component, after every step of a long walk to and fro.
    #[test]
    fn going_back_leaves_no_trace() {
        let mut state = 7u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut components = Components::default();
        let mut plain: Vec<Vec<u32>> = Vec::new();
        for _ in 0..3_000 {
            components.make_room(12);
            if random(3) == 0 {
                let keep = random(plain.len() as u64 + 1) as usize;
                plain.truncate(keep);
                components.undo_to(keep, 12);
            } else {
                let mentioned: Vec<u32> = (0..random(4)).map(|_| random(12) as u32).collect();
                enter(&mut components, &mentioned);
                plain.push(mentioned);
            }
            let v = random(12) as u32;
            let mut vars = vec![v];
            loop {
                let before = vars.len();
                for mentioned in &plain {
                    if mentioned.iter().any(|m| vars.contains(m)) {
                        vars.extend(mentioned);
                    }
                }
                vars.sort_unstable();
                vars.dedup();
                if vars.len() == before {
                    break;
                }
            }
            let touching = |i: &u32| plain[*i as usize].iter().any(|m| vars.contains(m));
            let assertions: Vec<u32> = (0..plain.len() as u32).filter(touching).collect();
            assert_eq!(around(&components, v), (assertions, vars.clone()));
        }
    }
}
