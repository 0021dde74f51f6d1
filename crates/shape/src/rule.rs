//! Conditions of a path, made into constraints over places of a structure.
//!
//! A condition is a term over the fields that the predicate read. Comparisons of fields with each
//! other and with constants become differences and bounds; what is left becomes a table over the
//! domains of one or two fields, or a test of all of them.

use crate::domain::Values;
use crate::finite::{Constraint, Problem, Table, Var};
use crate::layout::KindId;
use crate::path::PathId;
use pessimum_term::{Arena, Op, TermId, VarId, Width, fold_binary, fold_unary};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most pairs of values that are written down as a table.
const TABLE: u64 = 1 << 16;

/// A field at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FieldAt {
    pub(crate) path: PathId,
    pub(crate) kind: KindId,
    pub(crate) field: u32,
}

/// Variables of the arena and the fields they stand for.
#[derive(Debug, Default)]
pub(crate) struct Names {
    terms: FxHashMap<FieldAt, TermId>,
    places: Vec<Option<FieldAt>>,
}

impl Names {
    pub(crate) fn get(&self, place: FieldAt) -> Option<TermId> {
        self.terms.get(&place).copied()
    }

    pub(crate) fn insert(&mut self, var: VarId, place: FieldAt, term: TermId) {
        let index = var.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        self.places[index] = Some(place);
        self.terms.insert(place, term);
    }

    pub(crate) fn place(&self, var: VarId) -> Option<FieldAt> {
        self.places.get(var.0 as usize).copied().flatten()
    }
}

/// A condition as constraints whose variables are indices into `places`.
#[derive(Clone)]
pub(crate) struct Rule {
    pub(crate) places: Vec<FieldAt>,
    constraints: Vec<Constraint>,
    /// The condition is false whatever the fields are.
    pub(crate) never: bool,
}

impl Rule {
    /// Adds the rule to a problem; false when it cannot hold any more.
    pub(crate) fn add_to(&self, problem: &mut Problem, var: impl Fn(FieldAt) -> Var) -> bool {
        if self.never {
            return false;
        }
        self.constraints.iter().all(|c| {
            let map = |v: Var| var(self.places[v as usize]);
            problem.add(match c {
                Constraint::Difference { x, y, k } => {
                    Constraint::Difference { x: map(*x), y: map(*y), k: *k }
                }
                Constraint::Bounds { x, low, high } => {
                    Constraint::Bounds { x: map(*x), low: *low, high: *high }
                }
                Constraint::Distinct { x, y, k } => {
                    Constraint::Distinct { x: map(*x), y: map(*y), k: *k }
                }
                Constraint::Table { x, y, table } => {
                    Constraint::Table { x: map(*x), y: y.map(&map), table: Arc::clone(table) }
                }
                Constraint::Test { vars, test } => Constraint::Test {
                    vars: vars.iter().map(|v| map(*v)).collect(),
                    test: Arc::clone(test),
                },
            })
        })
    }

    /// Whether it speaks of the root's fields alone.
    pub(crate) fn is_local(&self) -> bool {
        self.places.iter().all(|p| p.path == PathId::ROOT)
    }
}

/// Compiles conditions.
pub(crate) struct Compiler<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) names: &'a Names,
    pub(crate) values: &'a [Vec<Values>],
}

impl Compiler<'_> {
    /// The rule that `condition` has this truth value; `None` if it speaks of something that is no
    /// field.
    pub(crate) fn rule(&self, condition: TermId, holds: bool) -> Option<Rule> {
        let mut rule = Rule { places: Vec::new(), constraints: Vec::new(), never: false };
        self.add(&mut rule, condition, holds)?;
        Some(rule)
    }

    /// Every value that a term takes over the domains of its fields; `None` if they are too many.
    pub(crate) fn values_of(&self, term: TermId) -> Option<Vec<u64>> {
        let places = self.places_of(term)?;
        let count = places.iter().try_fold(1u64, |n, p| n.checked_mul(self.domain(*p).count()))?;
        if count > TABLE {
            return None;
        }
        let program = Program::compile(self.arena, term, |v| self.index(&places, v))?;
        let mut found = Vec::new();
        self.each_valuation(&places, &mut |values| found.push(program.run(values)));
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    fn add(&self, rule: &mut Rule, t: TermId, holds: bool) -> Option<()> {
        let node = *self.arena.node(t);
        if let Some(k) = node.as_const() {
            rule.never |= (k != 0) != holds;
            return Some(());
        }
        match (node.op, holds) {
            (Op::Not, _) => return self.add(rule, node.arg(0), !holds),
            (Op::And, true) | (Op::Or, false) if node.width == Width::BOOL => {
                self.add(rule, node.arg(0), holds)?;
                return self.add(rule, node.arg(1), holds);
            }
            (Op::Eq | Op::Slt | Op::Sle | Op::Ult | Op::Ule, _) => {
                if let Some(constraints) = self.comparison(rule, t, holds) {
                    rule.constraints.extend(constraints);
                    return Some(());
                }
            }
            _ => {}
        }
        self.general(rule, t, holds)
    }

    fn comparison(&self, rule: &mut Rule, t: TermId, holds: bool) -> Option<Vec<Constraint>> {
        let node = *self.arena.node(t);
        let width = self.arena.width(node.arg(0));
        if width == Width::BOOL {
            return None;
        }
        let (a, b) = (self.affine(node.arg(0))?, self.affine(node.arg(1))?);
        let signed = (i128::from(width.min_signed()), i128::from(width.max_signed()));
        let unsigned = (0, i128::from(width.mask()));
        let within = |s: &Affine, r: (i128, i128)| match s.place {
            None => true,
            Some(p) => {
                let v = self.domain(p);
                r.0 <= i128::from(v.low) + s.k && i128::from(v.high) + s.k <= r.1
            }
        };
        let both = |r| within(&a, r) && within(&b, r);
        let reading = match node.op {
            Op::Slt | Op::Sle => signed,
            Op::Ult | Op::Ule => unsigned,
            _ if both(unsigned) => unsigned,
            _ => signed,
        };
        if !both(reading) {
            return None;
        }
        // A constant is the number of the reading that has its bits.
        let number = |s: &Affine| match s.place {
            Some(_) => s.k,
            None => {
                let bits = s.k as u64 & width.mask();
                if reading == signed { i128::from(width.signed(bits)) } else { i128::from(bits) }
            }
        };
        let k = i64::try_from(number(&b) - number(&a)).ok()?;
        // Room for the negations and the steps below.
        if k.abs_diff(0) > i64::MAX as u64 / 2 {
            return None;
        }
        // From here on: x + 0 against y + k.
        let x = a.place.map(|p| local(rule, p));
        let y = b.place.map(|p| local(rule, p));
        let at_most = |x: Option<Var>, y: Option<Var>, k: i64| match (x, y) {
            (Some(x), Some(y)) => Some(Constraint::Difference { x, y, k }),
            (Some(x), None) => Some(Constraint::Bounds { x, low: i64::MIN, high: k }),
            (None, Some(y)) => Some(Constraint::Bounds { x: y, low: -k, high: i64::MAX }),
            (None, None) => None,
        };
        Some(match (node.op, holds) {
            (Op::Slt | Op::Ult, true) => vec![at_most(x, y, k - 1)?],
            (Op::Slt | Op::Ult, false) => vec![at_most(y, x, -k)?],
            (Op::Sle | Op::Ule, true) => vec![at_most(x, y, k)?],
            (Op::Sle | Op::Ule, false) => vec![at_most(y, x, -k - 1)?],
            (_, true) => vec![at_most(x, y, k)?, at_most(y, x, -k)?],
            (_, false) => match (x, y) {
                (Some(x), Some(y)) => vec![Constraint::Distinct { x, y, k }],
                // One value taken out of an interval: bounds if it is at an end, else a table.
                (Some(x), None) => vec![self.without(rule, x, k)?],
                (None, Some(y)) => vec![self.without(rule, y, -k)?],
                (None, None) => return None,
            },
        })
    }

    /// x ≠ value
    fn without(&self, rule: &Rule, x: Var, value: i64) -> Option<Constraint> {
        let domain = self.domain(rule.places[x as usize]);
        if value < domain.low || value > domain.high {
            return Some(Constraint::Bounds { x, low: i64::MIN, high: i64::MAX });
        }
        if value == domain.low {
            return Some(Constraint::Bounds { x, low: value.checked_add(1)?, high: i64::MAX });
        }
        if value == domain.high {
            return Some(Constraint::Bounds { x, low: i64::MIN, high: value - 1 });
        }
        None
    }

    fn general(&self, rule: &mut Rule, t: TermId, holds: bool) -> Option<()> {
        let places = self.places_of(t)?;
        let program = Program::compile(self.arena, t, |v| self.index(&places, v))?;
        let vars: Vec<Var> = places.iter().map(|p| local(rule, *p)).collect();
        let count = places.iter().try_fold(1u64, |n, p| {
            let v = self.domain(*p);
            n.checked_mul((v.high.abs_diff(v.low)).checked_add(1)?)
        });
        if vars.len() <= 2 && count.is_some_and(|c| c <= TABLE) {
            let first = self.domain(places[0]);
            let second = places.get(1).map(|p| self.domain(*p));
            let (low, high) = second.map_or((0, 0), |s| (s.low, s.high));
            let mut table = Vec::new();
            for x in first.low..=first.high {
                for y in low..=high {
                    table.push((program.run(&[x, y]) != 0) == holds);
                }
            }
            let table = Table::new([first.low, low], (high - low + 1) as usize, table);
            let (x, y) = (vars[0], vars.get(1).copied());
            rule.constraints.push(Constraint::Table { x, y, table: Arc::new(table) });
        } else {
            let test = move |values: &[i64]| (program.run(values) != 0) == holds;
            rule.constraints.push(Constraint::Test { vars: vars.into(), test: Arc::new(test) });
        }
        Some(())
    }

    /// The term as a field plus a constant, or as a constant; equal modulo its width.
    fn affine(&self, t: TermId) -> Option<Affine> {
        let node = *self.arena.node(t);
        if let Some(k) = node.as_const() {
            return Some(Affine { place: None, k: i128::from(k) });
        }
        let fits = |s: &Affine, low: i128, high: i128| {
            s.place.is_some_and(|p| {
                let v = self.domain(p);
                low <= i128::from(v.low) + s.k && i128::from(v.high) + s.k <= high
            })
        };
        match node.op {
            Op::Var => Some(Affine { place: Some(self.names.place(node.as_var()?)?), k: 0 }),
            Op::Add => {
                let k = self.arena.as_const(node.arg(1))?;
                let inner = self.affine(node.arg(0))?;
                let k = i128::from(node.width.signed(k));
                Some(Affine { k: inner.k + k, ..inner })
            }
            Op::ZeroExt => {
                let inner = self.affine(node.arg(0))?;
                let width = self.arena.width(node.arg(0));
                fits(&inner, 0, i128::from(width.mask())).then_some(inner)
            }
            Op::SignExt => {
                let inner = self.affine(node.arg(0))?;
                let width = self.arena.width(node.arg(0));
                let (low, high) = (width.min_signed(), width.max_signed());
                fits(&inner, i128::from(low), i128::from(high)).then_some(inner)
            }
            _ => None,
        }
    }

    fn domain(&self, place: FieldAt) -> &Values {
        &self.values[place.kind][place.field as usize]
    }

    fn index(&self, places: &[FieldAt], var: VarId) -> Option<usize> {
        let place = self.names.place(var)?;
        places.iter().position(|p| *p == place)
    }

    fn places_of(&self, t: TermId) -> Option<Vec<FieldAt>> {
        self.arena.variables(t).into_iter().map(|v| self.names.place(v)).collect()
    }

    fn each_valuation(&self, places: &[FieldAt], f: &mut dyn FnMut(&[i64])) {
        fn go(
            this: &Compiler<'_>,
            places: &[FieldAt],
            values: &mut Vec<i64>,
            f: &mut dyn FnMut(&[i64]),
        ) {
            let Some(place) = places.get(values.len()) else { return f(values) };
            for v in this.domain(*place).iter() {
                values.push(v);
                go(this, places, values, f);
                values.pop();
            }
        }
        go(self, places, &mut Vec::new(), f);
    }
}

struct Affine {
    place: Option<FieldAt>,
    k: i128,
}

fn local(rule: &mut Rule, place: FieldAt) -> Var {
    let known = rule.places.iter().position(|p| *p == place);
    known.unwrap_or_else(|| {
        rule.places.push(place);
        rule.places.len() - 1
    }) as Var
}

/// A term as a list of steps, free of the arena it came from.
struct Program {
    steps: Vec<Operation>,
}

enum Operation {
    Const(u64),
    Var { index: usize, mask: u64 },
    Unary { op: Op, from: Width, to: Width, low: u32, a: usize },
    Binary { op: Op, width: Width, a: usize, b: usize },
    Concat { a: usize, b: usize, shift: u32 },
    Ite { c: usize, a: usize, b: usize },
}

impl Program {
    fn compile(
        arena: &Arena,
        t: TermId,
        index: impl Fn(VarId) -> Option<usize>,
    ) -> Option<Program> {
        let mut steps = Vec::new();
        let mut done: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut open = vec![t];
        while let Some(&top) = open.last() {
            if done.contains_key(&top) {
                open.pop();
                continue;
            }
            let node = *arena.node(top);
            let missing: Vec<TermId> = node.args().filter(|a| !done.contains_key(a)).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let arg = |i: usize| done[&node.arg(i)];
            let step = match node.op {
                Op::Const => Operation::Const(node.as_const()?),
                Op::Var => {
                    Operation::Var { index: index(node.as_var()?)?, mask: node.width.mask() }
                }
                Op::Ite => Operation::Ite { c: arg(0), a: arg(1), b: arg(2) },
                Op::Concat => Operation::Concat {
                    a: arg(0),
                    b: arg(1),
                    shift: arena.width(node.arg(1)).bits(),
                },
                op if op.arity() == 1 => Operation::Unary {
                    op,
                    from: arena.width(node.arg(0)),
                    to: node.width,
                    low: node.low_bit(),
                    a: arg(0),
                },
                op => {
                    Operation::Binary { op, width: arena.width(node.arg(0)), a: arg(0), b: arg(1) }
                }
            };
            done.insert(top, steps.len());
            steps.push(step);
            open.pop();
        }
        Some(Program { steps })
    }

    fn run(&self, values: &[i64]) -> u64 {
        let mut out = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            out.push(match *step {
                Operation::Const(k) => k,
                Operation::Var { index, mask } => values[index] as u64 & mask,
                Operation::Unary { op, from, to, low, a } => fold_unary(op, from, to, low, out[a]),
                Operation::Binary { op, width, a, b } => fold_binary(op, width, out[a], out[b]),
                Operation::Concat { a, b, shift } => out[a] << shift | out[b],
                Operation::Ite { c, a, b } => {
                    if out[c] != 0 {
                        out[a]
                    } else {
                        out[b]
                    }
                }
            });
        }
        out.last().copied().unwrap_or(0)
    }
}
