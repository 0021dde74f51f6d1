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
/// worst paths tie.
pub fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (0u64..4).prop_map(|cost| Tree::Leaf(Cost(cost)));
    leaf.prop_recursive(6, 64, 3, |inner| {
        let sides = prop::collection::vec((any::<bool>(), inner), 2..4);
        (0u32..5, prop::bool::weighted(0.2), sides).prop_map(|(site, call, sides)| {
            let arms = sides.len() as u32;
            // A site has a fixed number of arms in a program: give each arity its own sites.
            let site = SiteId(site + 5 * (arms - 2));
            let mut feasible: Vec<(u32, Tree)> = (0..)
                .zip(&sides)
                .filter(|(_, (kept, _))| *kept)
                .map(|(choice, (_, tree))| (choice, tree.clone()))
                .collect();
            if feasible.is_empty() {
                feasible.push((0, sides[0].1.clone()));
            }
            Tree::Branch {
                site,
                arms,
                call,
                feasible,
            }
        })
    })
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
        Tree::Branch {
            site,
            arms,
            call,
            feasible,
        } => {
            let prev = if *call { 0 } else { prev };
            let open = feasible.len() > 1;
            let advice = if open {
                guide.advise(*site, *arms, path, prev)
            } else {
                Advice::Unseen
            };
            for (choice, below) in feasible {
                if !advice.allows(*choice) {
                    continue;
                }
                path.push(Decision {
                    site: *site,
                    choice: *choice,
                    arms: *arms,
                    openness: if open {
                        Openness::Open
                    } else {
                        Openness::Forced
                    },
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
