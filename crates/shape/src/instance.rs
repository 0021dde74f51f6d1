//! A candidate's open fields as the variables of a problem, with the rules of all its parts.

use crate::engine::Engine;
use crate::finite::{Constraint, Problem, Var};
use crate::layout::KindId;
use crate::rule::FieldAt;
use crate::store::{Id, Known};

const NONE: u32 = u32::MAX;

/// The nodes of a candidate that have open fields somewhere below.
#[derive(Debug, Default)]
pub(crate) struct Instance {
    nodes: Vec<Node>,
    links: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: KindId,
    /// The variable of the first field.
    first: Var,
    /// Where its links begin.
    links: u32,
    leaf: u32,
}

impl Instance {
    /// The variable of a field, by the links that lead to it from a node.
    fn var(&self, mut node: u32, links: &[u32], field: u32) -> Var {
        for link in links {
            node = self.links[(self.nodes[node as usize].links + link) as usize];
        }
        self.nodes[node as usize].first + field
    }

    /// The first variable of each node, in the order of a walk from the root, children in order.
    pub(crate) fn first_variables(&self) -> impl Iterator<Item = Var> + '_ {
        self.nodes.iter().map(|n| n.first)
    }
}

impl Engine {
    /// Makes the problem of a candidate: `leaf` says what is known of its root, if anything is.
    /// False when the rules of its parts contradict each other.
    pub(crate) fn instantiate(&mut self, kind: KindId, links: &[Id], leaf: Option<u32>) -> bool {
        let mut problem = std::mem::take(&mut self.problem);
        let mut instance = std::mem::take(&mut self.instance);
        problem.clear();
        instance.nodes.clear();
        instance.links.clear();
        let mut fits = self.add_node(&mut problem, &mut instance, kind, links, leaf).is_some();
        // Nodes and their rules, innermost last; all variables exist by now.
        for node in 0..instance.nodes.len() as u32 {
            let leaf = instance.nodes[node as usize].leaf;
            if leaf == NONE || !fits {
                continue;
            }
            for rule in &self.leaves[leaf as usize].rules {
                fits = fits && self.add_rule_at(&mut problem, &instance, node, *rule);
            }
        }
        self.problem = problem;
        self.instance = instance;
        fits
    }

    /// Adds a rule on the candidate itself to its problem; false when it cannot hold any more.
    pub(crate) fn add_rule(&mut self, rule: u32) -> bool {
        let mut problem = std::mem::take(&mut self.problem);
        let fits = self.add_rule_at(&mut problem, &self.instance, 0, rule);
        self.problem = problem;
        fits
    }

    fn add_rule_at(&self, problem: &mut Problem, at: &Instance, node: u32, rule: u32) -> bool {
        let var = |p: FieldAt| at.var(node, self.paths.links(p.path), p.field);
        self.rules[rule as usize].add_to(problem, var)
    }

    fn add_node(
        &self,
        problem: &mut Problem,
        instance: &mut Instance,
        kind: KindId,
        links: &[Id],
        leaf: Option<u32>,
    ) -> Option<u32> {
        let node = instance.nodes.len() as u32;
        let first = problem.len() as Var;
        for (f, values) in self.values[kind].iter().enumerate() {
            let known = leaf.map_or(Known::Open, |l| self.leaves[l as usize].fields[f]);
            let var = match known {
                Known::Fixed(v) => problem.variable(v, v),
                Known::Open => problem.variable(values.low, values.high),
            };
            if let (Known::Open, Some(list)) = (known, &values.listed) {
                problem.add(Constraint::among(var, list));
            }
        }
        let at = instance.links.len() as u32;
        instance.nodes.push(Node { kind, first, links: at, leaf: leaf.unwrap_or(NONE) });
        instance.links.resize(at as usize + links.len(), NONE);
        for (link, &id) in links.iter().enumerate() {
            if id != 0 {
                let target = self.plan.layout.kinds[kind].links[link].kind;
                let store = &self.stores[target];
                let (below, leaf) = (store.links(id), store.leaf(id));
                let child = self.add_node(problem, instance, target, below, Some(leaf))?;
                instance.links[at as usize + link] = child;
            }
        }
        debug_assert_eq!(instance.nodes[node as usize].kind, kind);
        Some(node)
    }
}
