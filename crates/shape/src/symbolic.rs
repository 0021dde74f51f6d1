//! Valid structures whose fields are still open: where an exploration over valid inputs starts.

use crate::domain::Values;
use crate::engine::Engine;
use crate::finite::{Constraint, GaveUp, Problem, Var};
use crate::generate::Round;
use crate::layout::{KindId, Layout};
use crate::path::Paths;
use crate::rule::{Names, Rule};
use crate::store::{Id, Known, Leaf, Store};
use crate::structure::{Pieces, Structure};
use pessimum_term::{Arena, Op, TermId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// All valid structures of a size, one for each accepting path of the predicate. They are kept as
/// they were found, a few integers each, and written out one at a time.
#[derive(Clone)]
pub struct ValidStructures {
    source: Arc<Source>,
}

/// A structure on one accepting path of its predicate: its shape, the fields that the path leaves
/// open, and the path condition on them.
#[derive(Clone)]
pub struct SymbolicStructure {
    /// The shape, with the least value of its domain in every open field.
    pub structure: Structure,
    /// The open fields.
    pub open: Vec<OpenField>,
    bounds: Vec<Vec<(i64, i64)>>,
    /// Open fields whose values are a list: node, field, values.
    listed: Vec<(usize, usize, Vec<i64>)>,
    rules: Vec<(usize, u32)>,
    source: Arc<Source>,
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

/// What all structures of a generation are made of.
struct Source {
    layout: Layout,
    values: Vec<Vec<Values>>,
    stores: Vec<Store>,
    leaves: Vec<Leaf>,
    arena: Arena,
    names: Names,
    paths: Paths,
    rules: Vec<Rule>,
    terms: Vec<(TermId, bool)>,
    /// The root's kind, and links and leaf of each.
    kind: KindId,
    found: Vec<(Vec<Id>, u32)>,
    /// Null comes after all others.
    null: bool,
}

impl ValidStructures {
    /// What an engine found in its last round.
    pub(crate) fn new(engine: Engine, kind: KindId, round: Round) -> ValidStructures {
        let source = Source {
            layout: engine.plan.layout,
            values: engine.values,
            stores: engine.stores,
            leaves: engine.leaves,
            arena: engine.arena,
            names: engine.names,
            paths: engine.paths,
            rules: engine.rules,
            terms: engine.rule_terms,
            kind,
            found: round.found,
            null: round.null,
        };
        ValidStructures { source: Arc::new(source) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.source.found.len() + usize::from(self.source.null)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they look like.
    pub fn layout(&self) -> &Layout {
        &self.source.layout
    }

    /// Each in turn.
    pub fn iter(&self) -> impl Iterator<Item = SymbolicStructure> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// One of them; null where null is valid, and for a number that is too large.
    pub fn get(&self, index: usize) -> SymbolicStructure {
        let source = &self.source;
        let mut out = SymbolicStructure {
            structure: Structure::null(),
            open: Vec::new(),
            bounds: Vec::new(),
            listed: Vec::new(),
            rules: Vec::new(),
            source: Arc::clone(source),
        };
        let Some((links, leaf)) = source.found.get(index) else { return out };
        let found = Pieces {
            layout: &source.layout,
            values: &source.values,
            stores: &source.stores,
            leaves: &source.leaves,
        };
        let mut leaves = Vec::new();
        out.structure = found.write_out(source.kind, links, *leaf, |leaf| leaves.push(leaf));
        for (node, leaf) in leaves.iter().enumerate() {
            let leaf = &source.leaves[*leaf as usize];
            let known = leaf.fields.iter().zip(&source.values[leaf.kind]);
            out.bounds.push(
                known
                    .clone()
                    .map(|(k, d)| match k {
                        Known::Fixed(v) => (*v, *v),
                        Known::Open => (d.low, d.high),
                    })
                    .collect(),
            );
            for (field, (k, d)) in known.enumerate() {
                if *k == Known::Open && d.low != d.high {
                    out.open.push(OpenField { node, field, low: d.low, high: d.high });
                    out.listed.extend(d.listed.clone().map(|values| (node, field, values)));
                }
            }
            out.rules.extend(leaf.rules.iter().map(|r| (node, *r)));
        }
        out
    }
}

impl fmt::Debug for ValidStructures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} valid structures", self.len())
    }
}

impl SymbolicStructure {
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
            for var in self.source.arena.variables(term) {
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

    /// The least and the greatest value that a field may have, by its node and its number.
    pub(crate) fn bounds(&self, node: usize, field: usize) -> (i64, i64) {
        self.bounds[node][field]
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
            let var = |p: crate::rule::FieldAt| {
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
