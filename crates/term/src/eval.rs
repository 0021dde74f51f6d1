//! Evaluates terms under an assignment of the variables, sharing the work on shared subterms.

use crate::arena::Arena;
use crate::fold::{fold_binary, fold_comparison, fold_unary};
use crate::node::{Node, Op, TermId, VarId};

/// A memo of values that is valid for one assignment; [`Evaluator::forget`] when it changes.
///
/// ```
/// use pessimum_term::{Arena, Domain, Evaluator, Op, VarId, Width};
///
/// let mut arena = Arena::new();
/// let x = arena.variable(Width::W32, Domain::full(Width::W32));
/// let square = arena.binary(Op::Mul, x, x);
/// let mut eval = Evaluator::new();
/// assert_eq!(eval.value(&arena, square, |_: VarId| 7), 49);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    memo: Vec<(u32, u64)>,
    era: u32,
    stack: Vec<TermId>,
    steps: u64,
}

impl Evaluator {
    /// An empty memo.
    pub fn new() -> Self {
        Evaluator { memo: Vec::new(), era: 1, stack: Vec::new(), steps: 0 }
    }

    /// Drops the memo: the assignment, or the arena below a mark, has changed.
    #[inline]
    pub fn forget(&mut self) {
        self.era += 1;
        if self.era == u32::MAX {
            self.memo.clear();
            self.era = 1;
        }
    }

    /// How many terms were evaluated that are more than an operation on inputs.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The value of `t` when each variable has the value `var` gives it.
    pub fn value(&mut self, arena: &Arena, t: TermId, var: impl Fn(VarId) -> u64) -> u64 {
        if let Some(v) = leaf(arena.node(t), &var) {
            return v;
        }
        // Most conditions compare two inputs: nothing of them is worth remembering.
        if let Some(v) = shallow(arena, arena.node(t), &var) {
            return v;
        }
        if self.memo.len() < arena.len() {
            self.memo.resize(arena.len(), (0, 0));
        }
        if let Some(v) = self.known(t) {
            return v;
        }
        self.stack.clear();
        self.stack.push(t);
        while let Some(&top) = self.stack.last() {
            if self.known(top).is_some() {
                self.stack.pop();
                continue;
            }
            let node = arena.node(top);
            let mut vals = [0u64; 3];
            let mut ready = true;
            for (i, arg) in node.args().enumerate() {
                // Of an if-then-else one side is enough, and only its condition tells which.
                if node.op == Op::Ite && i > 0 && (!ready || (vals[0] != 0) != (i == 1)) {
                    continue;
                }
                match leaf(arena.node(arg), &var).or_else(|| self.known(arg)) {
                    Some(v) => vals[i] = v,
                    None => {
                        self.stack.push(arg);
                        ready = false;
                    }
                }
            }
            self.steps += 1;
            if ready {
                let value = apply(arena, node, vals);
                self.memo[top.index() as usize] = (self.era, value);
                self.stack.pop();
            }
        }
        self.memo[t.index() as usize].1
    }

    #[inline]
    fn known(&self, t: TermId) -> Option<u64> {
        let (era, value) = self.memo[t.index() as usize];
        (era == self.era).then_some(value)
    }
}

/// The value of an operation on variables and constants.
#[inline]
fn shallow(arena: &Arena, node: &Node, var: &impl Fn(VarId) -> u64) -> Option<u64> {
    if let Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::Eq = node.op {
        let (x, y) = (arena.node(node.arg(0)), arena.node(node.arg(1)));
        return Some(fold_comparison(node.op, x.width, leaf(x, var)?, leaf(y, var)?));
    }
    let mut vals = [0u64; 3];
    for (i, arg) in node.args().enumerate() {
        vals[i] = leaf(arena.node(arg), var)?;
    }
    Some(apply(arena, node, vals))
}

#[inline]
fn leaf(node: &Node, var: &impl Fn(VarId) -> u64) -> Option<u64> {
    match node.op {
        Op::Const => Some(node.const_value()),
        Op::Var => Some(var(VarId(node.a)) & node.width.mask()),
        _ => None,
    }
}

#[inline]
pub(crate) fn apply(arena: &Arena, node: &Node, vals: [u64; 3]) -> u64 {
    match node.op {
        Op::Ite => {
            if vals[0] != 0 {
                vals[1]
            } else {
                vals[2]
            }
        }
        Op::Concat => vals[0] << arena.width(node.arg(1)).bits() | vals[1],
        op if op.arity() == 1 => {
            fold_unary(op, arena.width(node.arg(0)), node.width, node.low_bit(), vals[0])
        }
        op => fold_binary(op, arena.width(node.arg(0)), vals[0], vals[1]),
    }
}
