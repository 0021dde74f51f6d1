//! Valid structures whose fields are still open: where an exploration over valid inputs starts.

use crate::engine::Engine;
use crate::finite::{Constraint, GaveUp, Problem, Var};
use crate::layout::KindId;
use crate::path::Paths;
use crate::rule::{Names, Rule};
use crate::store::{Id, Known};
use crate::structure::Structure;
use pessimum_term::{Arena, Op, TermId};
use std::collections::HashMap;
use std::rc::Rc;

/// A structure on one accepting path of its predicate: its shape, the fields that the path leaves
/// open, and the path condition on them.
#[derive(Clone)]
pub struct SymbolicStructure {
    /// The shape, with a least solution in the open fields.
    pub structure: Structure,
    /// The open fields.
    pub open: Vec<OpenField>,
    bounds: Vec<Vec<(i64, i64)>>,
    /// Open fields whose values are a list: node, field, values.
    listed: Vec<(usize, usize, Vec<i64>)>,
    rules: Vec<(usize, u32)>,
    source: Rc<Source>,
}

/// A field that may have several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenField {
    /// The node, in the order of [`Structure::nodes`].
    pub node: usize,
    /// The field of the node's kind.
    pub field: usize,
    /// The least value of its domain.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

/// What the rules of all structures of a generation are made of.
struct Source {
    arena: Arena,
    names: Names,
    paths: Paths,
    rules: Vec<Rule>,
    terms: Vec<(TermId, bool)>,
}

impl SymbolicStructure {
    /// The null pointer.
    pub(crate) fn null() -> SymbolicStructure {
        SymbolicStructure {
            structure: Structure::null(),
            open: Vec::new(),
            bounds: Vec::new(),
            listed: Vec::new(),
            rules: Vec::new(),
            source: Rc::new(Source {
                arena: Arena::new(),
                names: Names::default(),
                paths: Paths::new(),
                rules: Vec::new(),
                terms: Vec::new(),
            }),
        }
    }

    /// The path condition, as terms of `arena`; `variable` names the term of an open field, by its
    /// node and its number, in the width of the field.
    pub fn condition(
        &self,
        arena: &mut Arena,
        mut variable: impl FnMut(&mut Arena, usize, usize) -> TermId,
    ) -> Vec<TermId> {
        let mut out = Vec::new();
        for (node, rule) in &self.rules {
            let (term, holds) = self.source.terms[*rule as usize];
            let mut map = HashMap::new();
            for var in crate::rule::variables(&self.source.arena, term) {
                if let Some(place) = self.source.names.place(var) {
                    let at = self.node_at(*node, self.source.paths.links(place.path));
                    let new = variable(arena, at, place.field as usize);
                    map.insert(self.source.arena.var_term(var), new);
                }
            }
            let copied = copy(&self.source.arena, term, arena, &mut map);
            out.push(if holds { copied } else { arena.not(copied) });
        }
        for (node, field, values) in &self.listed {
            let t = variable(arena, *node, *field);
            let mut any = arena.bool(false);
            for value in values {
                let k = arena.constant(arena.width(t), *value as u64);
                let is = arena.binary(Op::Eq, t, k);
                any = arena.binary(Op::Or, any, is);
            }
            out.push(any);
        }
        out
    }

    /// Every way to fill the open fields; `None` if there are more than `limit`.
    pub fn solutions(&self, limit: usize) -> Option<Vec<Structure>> {
        let (mut problem, firsts) = self.problem()?;
        let mut out = Vec::new();
        let mut enough = true;
        let complete = problem.each_solution(u64::MAX, &mut |values| {
            if out.len() == limit {
                enough = false;
                return false;
            }
            let mut filled = self.structure.clone();
            for (node, first) in filled.nodes.iter_mut().zip(&firsts) {
                let count = node.fields.len();
                let first = *first as usize;
                node.fields.copy_from_slice(&values[first..first + count]);
            }
            out.push(filled);
            true
        });
        (complete != Err(GaveUp) && enough).then_some(out)
    }

    /// The fields as variables, node by node, under the rules; `None` if they contradict each
    /// other.
    fn problem(&self) -> Option<(Problem, Vec<Var>)> {
        let mut problem = Problem::default();
        let mut firsts = Vec::new();
        for bounds in &self.bounds {
            firsts.push(problem.len() as Var);
            for (low, high) in bounds {
                problem.variable(*low, *high);
            }
        }
        for (node, field, values) in &self.listed {
            let x = firsts[*node] + *field as Var;
            problem.add(Constraint::among(x, values));
        }
        for (node, rule) in &self.rules {
            let var = |p: crate::rule::Place| {
                firsts[self.node_at(*node, self.source.paths.links(p.path))] + p.field
            };
            if !self.source.rules[*rule as usize].add_to(&mut problem, var) {
                return None;
            }
        }
        Some((problem, firsts))
    }

    fn node_at(&self, from: usize, links: &[u32]) -> usize {
        links.iter().fold(from, |node, link| {
            self.structure.nodes[node].links[*link as usize].unwrap_or(node)
        })
    }
}

impl Engine {
    /// Turns what was found into structures that stand on their own.
    pub(crate) fn into_symbolic(
        mut self,
        kind: KindId,
        found: &[(Vec<Id>, u32)],
    ) -> Vec<SymbolicStructure> {
        let mut least = Vec::new();
        for (links, leaf) in found {
            let mut filled = None;
            let _ = self.each_filled(kind, links, *leaf, crate::engine::STEPS, &mut |s| {
                filled = Some(s.clone());
                false
            });
            let mut leaves = Vec::new();
            self.leaves_of(kind, links, *leaf, &mut leaves);
            least.push((filled.unwrap_or_else(|| self.write_out(kind, links, *leaf)), leaves));
        }
        let source = Rc::new(Source {
            arena: self.arena,
            names: self.names,
            paths: self.paths,
            rules: self.rules,
            terms: self.rule_terms,
        });
        let mut out = Vec::new();
        for (structure, leaves) in least {
            let (mut open, mut bounds, mut rules) = (Vec::new(), Vec::new(), Vec::new());
            let mut listed = Vec::new();
            for (node, leaf) in leaves.iter().enumerate() {
                let leaf = &self.leaves[*leaf as usize];
                let domains = &self.values[leaf.kind];
                let known = leaf.fields.iter().zip(domains);
                bounds.push(
                    known
                        .clone()
                        .map(|(k, d)| match k {
                            Known::Fixed(v) => (*v, *v),
                            Known::Open => (d.low, d.high),
                        })
                        .collect::<Vec<_>>(),
                );
                for (field, (k, d)) in known.enumerate() {
                    if *k == Known::Open && d.low != d.high {
                        open.push(OpenField { node, field, low: d.low, high: d.high });
                        listed.extend(d.listed.clone().map(|values| (node, field, values)));
                    }
                }
                rules.extend(leaf.rules.iter().map(|r| (node, *r)));
            }
            let source = Rc::clone(&source);
            out.push(SymbolicStructure { structure, open, bounds, listed, rules, source });
        }
        out
    }

    /// The leaves of all nodes, in the order they are written out.
    fn leaves_of(&self, kind: KindId, links: &[Id], leaf: u32, out: &mut Vec<u32>) {
        out.push(leaf);
        for (link, &id) in links.iter().enumerate() {
            if id != 0 {
                let target = self.plan.layout.kinds[kind].links[link].kind;
                let store = &self.stores[target];
                self.leaves_of(target, store.links(id), store.leaf(id), out);
            }
        }
    }
}

/// The term in another arena; `map` holds what its variables become there.
fn copy(from: &Arena, t: TermId, to: &mut Arena, map: &mut HashMap<TermId, TermId>) -> TermId {
    let mut open = vec![t];
    while let Some(&top) = open.last() {
        if map.contains_key(&top) {
            open.pop();
            continue;
        }
        let node = *from.node(top);
        let missing: Vec<TermId> = node.args().filter(|a| !map.contains_key(a)).collect();
        if !missing.is_empty() {
            open.extend(missing);
            continue;
        }
        let arg = |i: usize| map[&node.arg(i)];
        let new = match node.op {
            Op::Const => to.constant(node.width, node.as_const().unwrap_or(0)),
            // Not a field: nothing depends on it.
            Op::Var => to.constant(node.width, 0),
            Op::Not => to.not(arg(0)),
            Op::Ite => to.ite(arg(0), arg(1), arg(2)),
            Op::Concat => to.concat(arg(0), arg(1)),
            Op::Extract => to.extract(arg(0), node.low_bit(), node.width),
            Op::ZeroExt => to.zero_extend(node.width, arg(0)),
            Op::SignExt => to.sign_extend(node.width, arg(0)),
            op if op.arity() == 1 => to.unary(op, node.width, arg(0)),
            op => to.binary(op, arg(0), arg(1)),
        };
        map.insert(top, new);
        open.pop();
    }
    map[&t]
}
