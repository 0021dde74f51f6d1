//! Terms inside of terms replaced by others; what stands around them is built anew, and so brought to its normal form.

use crate::arena::Arena;
use crate::node::{Node, Op, TermId};
use std::collections::HashMap;

impl Arena {
    /// `t` with `condition` known to be `value`, wherever it stands inside.
    pub fn assume(&mut self, t: TermId, condition: TermId, value: bool) -> TermId {
        let mut known = HashMap::new();
        let constant = self.bool(value);
        known.insert(condition, constant);
        let opposite = self.not(condition);
        let constant = self.bool(!value);
        known.insert(opposite, constant);
        self.substitute(t, &mut known)
    }

    /// `t` with every term that is a key of `known` replaced by its value. `known` is also the
    /// memo: it gains an entry for each subterm that was looked at.
    pub fn substitute(&mut self, t: TermId, known: &mut HashMap<TermId, TermId>) -> TermId {
        // A loop of the program makes terms as deep as it has iterations, so the walk keeps its
        // own stack. A node is left on it until its arguments are known.
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = *self.node(top);
            let depth = stack.len();
            // Only the arm that is taken matters once the condition is known.
            let decided = (node.op == Op::Ite)
                .then(|| known.get(&node.arg(0)).and_then(|c| self.as_const(*c)))
                .flatten();
            match decided {
                Some(c) => {
                    let arm = node.arg(if c != 0 { 1 } else { 2 });
                    match known.get(&arm) {
                        Some(&done) => {
                            known.insert(top, done);
                        }
                        None => stack.push(arm),
                    }
                    continue;
                }
                None if node.op == Op::Ite && !known.contains_key(&node.arg(0)) => {
                    stack.push(node.arg(0));
                }
                None => stack.extend(node.args().filter(|a| !known.contains_key(a))),
            }
            if stack.len() == depth {
                let result = self.rebuild(top, &node, |arg| known[&arg]);
                known.insert(top, result);
                stack.pop();
            }
        }
        known[&t]
    }

    /// `t`, whose node is `node`, with each argument replaced by what `new` says.
    fn rebuild(&mut self, t: TermId, node: &Node, new: impl Fn(TermId) -> TermId) -> TermId {
        if node.args().all(|arg| new(arg) == arg) {
            return t;
        }
        match node.op {
            Op::Ite => self.ite(new(node.arg(0)), new(node.arg(1)), new(node.arg(2))),
            Op::Concat => self.concat(new(node.arg(0)), new(node.arg(1))),
            Op::Extract => self.extract(new(node.arg(0)), node.low_bit(), node.width),
            op if op.arity() == 1 => self.unary(op, node.width, new(node.arg(0))),
            op => self.binary(op, new(node.arg(0)), new(node.arg(1))),
        }
    }
}
