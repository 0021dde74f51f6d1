//! A random computation tree to explore, in place of a program.

#![allow(dead_code, unreachable_pub)]

use pessimum_learn::{Advice, Cost, Decision, Guide, Openness, SiteId};
use proptest::prelude::*;

/// A node of a computation tree: a branch with its feasible sides, or the end of a path.
#[derive(Clone, Debug)]
pub enum Tree {
    Leaf(Cost),
    Branch {
        site: SiteId,
        arms: u32,
        /// Whether the branch belongs to a new activation.
        call: bool,
        /// The sides that are feasible, never none.
        feasible: Vec<(u32, Tree)>,
    },
}

/// Trees with few sites, so that paths meet a site again and again, and few costs, so that
/// worst paths tie. Grown from a seed: smaller depths are what shrinking looks for.
pub fn trees() -> impl Strategy<Value = Tree> {
    (0u32..8, any::<u64>()).prop_map(|(depth, seed)| grow(depth, &mut Dice(seed)))
}

fn grow(depth: u32, dice: &mut Dice) -> Tree {
    if depth == 0 || dice.roll(12) == 0 {
        return Tree::Leaf(Cost(dice.roll(3)));
    }
    // A site has a fixed number of arms in a program: sites 0 to 2 are binary, 3 has three.
    let site = dice.roll(4) as u32;
    let arms = if site == 3 { 3 } else { 2 };
    let call = dice.roll(6) == 0;
    let kept = dice.roll(1 << arms);
    let mut feasible = Vec::new();
    for choice in 0..arms {
        if kept >> choice & 1 == 1 {
            feasible.push((choice, grow(depth - 1, dice)));
        }
    }
    if feasible.len() < 2 && dice.roll(2) == 0 || feasible.is_empty() {
        let choices = 0..arms;
        feasible = choices.map(|c| (c, grow(depth - 1, dice))).collect();
    }
    Tree::Branch { site: SiteId(site), arms, call, feasible }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % sides
    }
}

/// Walks the tree depth-first as an explorer would and shows each path to `leaf`. With a guide,
/// open decisions follow its advice only.
pub fn explore(tree: &Tree, guide: &dyn Guide, leaf: &mut dyn FnMut(&[Decision], Cost)) {
    walk(tree, guide, &mut Vec::new(), 0, leaf);
}

fn walk(
    tree: &Tree,
    guide: &dyn Guide,
    path: &mut Vec<Decision>,
    prev: u32,
    leaf: &mut dyn FnMut(&[Decision], Cost),
) {
    match tree {
        Tree::Leaf(cost) => leaf(path, *cost),
        Tree::Branch { site, arms, call, feasible } => {
            let prev = if *call { 0 } else { prev };
            let open = feasible.len() > 1;
            let advice = if open { guide.advise(*site, *arms, path, prev) } else { Advice::Unseen };
            for (choice, below) in feasible {
                if !advice.allows(*choice) {
                    continue;
                }
                path.push(Decision {
                    site: *site,
                    choice: *choice,
                    arms: *arms,
                    openness: if open { Openness::Open } else { Openness::Forced },
                    prev,
                });
                let next = if open { path.len() as u32 } else { prev };
                walk(below, guide, path, next, leaf);
                path.pop();
            }
        }
    }
}

/// Every path of the tree with its cost.
pub fn paths(tree: &Tree) -> Vec<(Vec<Decision>, Cost)> {
    let mut paths = Vec::new();
    explore(tree, &pessimum_learn::Unguided, &mut |path, cost| {
        paths.push((path.to_vec(), cost));
    });
    paths
}
