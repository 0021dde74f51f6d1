//! Every value of every input, where there are few: what no theory reads is evaluated.
//!
//! Inputs get their values one after the other, and each condition is looked at as soon as its last input has one. A condition
//! that fails there rules out all values of those that follow. When all values were tried in vain there is no model.
//!
//! Terms are computed when the last input below them gets its value, so that a step of the innermost input costs what depends
//! on it and no more.
//!
//! Asked where floats are computed: a chain of quotients of a number from 0 to 600 is hard for bits, and soon tried.

use crate::answer::Reason;
use crate::component::Component;
use crate::evaluated::Verdict;
use crate::solver::{STEPS_PER_UNIT, Solver};
use pessimum_clock::Deadline;
use pessimum_term::{Arena, Node, Op, TermId, VarId, Width, fold_binary, fold_unary};
use rustc_hash::FxHashMap;

/// What may be spent before bits are asked, in computed terms: so much where that is known to suffice, and else a try. After
/// they gave up it is as much as they had.
const CERTAIN: u64 = 1 << 24;
pub(crate) const FIRST: u64 = 1 << 16;

/// Conditions and inputs that are tried together, and values of one input.
const MOST_CONDITIONS: usize = 512;
const MOST_INPUTS: usize = 64;
const MOST_VALUES: i128 = 1 << 16;

/// Computed terms between two looks at the clock.
const LOOK: u64 = 1 << 20;

/// What came of trying.
enum Outcome {
    Model(Vec<(VarId, u64)>),
    NoModel,
    TooMany,
}

/// An input, its values, and what can be done once it has one.
struct Level {
    var: VarId,
    lo: i128,
    hi: i128,
    steps: Vec<Step>,
}

/// One thing to do. Values of terms have places of their own.
enum Step {
    Compute {
        node: Node,
        from: Width,
        low: Width,
        args: [usize; 3],
        to: usize,
    },
    /// A condition.
    Check(usize),
}

/// Conditions as steps.
struct Program {
    levels: Vec<Level>,
    /// The places of the inputs of the levels come first. Constants have their values.
    values: Vec<u64>,
}

impl Solver {
    /// Whether the conditions of `component` have a model together with `c`, by trying all, for at most `limit` computed terms,
    /// or as many as are sure to suffice.
    pub(crate) fn try_all(
        &mut self,
        arena: &Arena,
        component: &Component,
        c: TermId,
        limit: u64,
    ) -> Verdict {
        let own = component.assertions.iter().map(|&i| self.assertions[i as usize]);
        let conditions: Vec<TermId> = own.chain([c]).collect();
        let (outcome, spent) = trial(arena, conditions, limit, &self.config.deadline);
        self.strong_work += spent / STEPS_PER_UNIT;
        let verdict = match outcome {
            Outcome::TooMany => return Verdict::Unknown(Reason::Float),
            Outcome::NoModel => Verdict::Unsat,
            Outcome::Model(model) => match self.adopt(arena, Some(component), c, &model) {
                Some(evaluated) => Verdict::Sat(evaluated),
                None => return Verdict::Unknown(Reason::Incomplete),
            },
        };
        self.stats.by_trial += 1;
        verdict
    }

    /// Of the assertions `related`, as few as leaving out one by one gives that have no model together with `c`, if trying all
    /// values soon shows that they have none.
    pub(crate) fn fails_with(
        &mut self,
        arena: &Arena,
        related: &[u32],
        c: TermId,
    ) -> Option<Vec<u32>> {
        let mut left = 4 * FIRST;
        let mut fails = |of: &[u32]| {
            let own = of.iter().map(|i| self.assertions[*i as usize]);
            let conditions = own.chain([c]).collect();
            let limit = left.min(FIRST);
            let (outcome, spent) = trial(arena, conditions, limit, &self.config.deadline);
            left = left.saturating_sub(spent);
            self.strong_work += spent / STEPS_PER_UNIT;
            matches!(outcome, Outcome::NoModel)
        };
        if !fails(related) {
            return None;
        }
        let mut reasons = related.to_vec();
        for &i in related {
            let without: Vec<u32> = reasons.iter().copied().filter(|r| *r != i).collect();
            if fails(&without) {
                reasons = without;
            }
        }
        Some(reasons)
    }
}

/// Tries all values of the inputs of `conditions`; also says what was spent.
fn trial(
    arena: &Arena,
    conditions: Vec<TermId>,
    limit: u64,
    deadline: &Deadline,
) -> (Outcome, u64) {
    let Some(Program { levels, mut values }) = Program::new(arena, conditions) else {
        return (Outcome::TooMany, 0);
    };
    let limit = match most(&levels) {
        Some(most) if most <= CERTAIN => limit.max(most),
        _ => limit,
    };
    let mut next: Vec<i128> = levels.iter().map(|level| level.lo).collect();
    let (mut depth, mut spent, mut look) = (0, 0, LOOK);
    loop {
        let Some(level) = levels.get(depth) else {
            let model = levels.iter().zip(&values).map(|(level, value)| (level.var, *value));
            return (Outcome::Model(model.collect()), spent);
        };
        if next[depth] > level.hi {
            // All of them failed: the one before takes its next value.
            next[depth] = level.lo;
            match depth.checked_sub(1) {
                Some(before) => depth = before,
                None => return (Outcome::NoModel, spent),
            }
            continue;
        }
        let late = spent > look && deadline.is_over();
        if spent > limit || late {
            return (Outcome::TooMany, spent);
        }
        look = if spent > look { spent + LOOK } else { look };
        let width = arena.width(arena.var_term(level.var));
        values[depth] = next[depth] as u64 & width.mask();
        next[depth] += 1;
        spent += 1;
        let holds = level.steps.iter().all(|step| {
            spent += 1;
            step.run(&mut values)
        });
        depth += usize::from(holds);
    }
}

/// What trying everything takes at most, if it can be counted.
fn most(levels: &[Level]) -> Option<u64> {
    let (mut ways, mut sum) = (1u64, 0u64);
    for level in levels {
        ways = ways.checked_mul(u64::try_from(level.hi - level.lo + 1).ok()?)?;
        sum = sum.checked_add(ways.checked_mul(1 + level.steps.len() as u64)?)?;
    }
    Some(sum)
}

impl Step {
    /// Whether to go on.
    #[inline]
    fn run(&self, values: &mut [u64]) -> bool {
        let Step::Compute { node, from, low, args, to } = self else {
            let Step::Check(at) = self else { return true };
            return values[*at] == 1;
        };
        let [a, b, c] = args.map(|at| values[at]);
        values[*to] = match node.op {
            Op::Ite if a != 0 => b,
            Op::Ite => c,
            Op::Concat => a << low.bits() | b,
            op if op.arity() == 1 => fold_unary(op, *from, node.width, node.low_bit(), a),
            op => fold_binary(op, *from, a, b),
        };
        true
    }
}

impl Program {
    /// `None` if there is too much to try, or a condition without inputs.
    fn new(arena: &Arena, conditions: Vec<TermId>) -> Option<Program> {
        let (mut levels, order) = levels(arena, conditions)?;
        let mut values = vec![0; levels.len()];
        // The place of each term, and the level at which it has its value.
        let mut places: FxHashMap<TermId, (usize, usize)> = FxHashMap::default();
        for (at, level) in levels.iter().enumerate() {
            places.insert(arena.var_term(level.var), (at, at));
        }
        for t in order {
            let mut stack = vec![t];
            while let Some(&top) = stack.last() {
                let node = arena.node(top);
                let before = stack.len();
                stack.extend(node.args().filter(|arg| !places.contains_key(arg)));
                if places.contains_key(&top) {
                    stack.truncate(before - 1);
                    continue;
                }
                if stack.len() > before {
                    continue;
                }
                let to = values.len();
                values.push(node.as_const().unwrap_or(0));
                let (mut args, mut own) = ([0; 3], 0);
                for (i, arg) in node.args().enumerate() {
                    let (place, level) = *places.get(&arg)?;
                    args[i] = place;
                    own = own.max(level);
                }
                if node.op.arity() > 0 {
                    let from = arena.width(node.arg(0));
                    let low = if node.op.arity() > 1 { arena.width(node.arg(1)) } else { from };
                    let node = *node;
                    levels[own].steps.push(Step::Compute { node, from, low, args, to });
                }
                places.insert(top, (to, own));
                stack.pop();
            }
            let (place, level) = *places.get(&t)?;
            levels[level].steps.push(Step::Check(place));
        }
        Some(Program { levels, values })
    }
}

/// The inputs of `conditions` in an order in which conditions are complete early, and the conditions in the order of that.
fn levels(arena: &Arena, conditions: Vec<TermId>) -> Option<(Vec<Level>, Vec<TermId>)> {
    if conditions.len() > MOST_CONDITIONS {
        return None;
    }
    let mut open: Vec<(TermId, Vec<VarId>)> =
        conditions.into_iter().map(|t| (t, arena.variables(t))).collect();
    let (mut levels, mut order) = (Vec::new(), Vec::new());
    while let Some((_, left)) = open.iter().min_by_key(|(_, left)| left.len()) {
        let &var = left.first()?;
        let domain = arena.domain(var);
        if levels.len() == MOST_INPUTS || domain.hi - domain.lo >= MOST_VALUES {
            return None;
        }
        open.retain_mut(|(t, left)| {
            left.retain(|v| *v != var);
            if left.is_empty() {
                order.push(*t);
            }
            !left.is_empty()
        });
        levels.push(Level { var, lo: domain.lo, hi: domain.hi, steps: Vec::new() });
    }
    Some((levels, order))
}

#[cfg(test)]
mod tests {
    use crate::Answer;
    use crate::solver::{Config, Solver};
    use pessimum_term::{Arena, Domain, Op, VarId, Width};

    /// The steps of Newton's root of a number of 16 bits, each a quotient: without any bits.
    #[test]
    fn a_chain_of_quotients_is_tried() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W16, Domain { lo: 0, hi: 600 });
        let wide = arena.zero_extend(Width::W32, x);
        let number = arena.unary(Op::FFromU, Width::W64, wide);
        let constant = |arena: &mut Arena, x: f64| arena.constant(Width::W64, x.to_bits());
        let (one, half) = (constant(&mut arena, 1.0), constant(&mut arena, 0.5));
        let mut root = one;
        for _ in 0..8 {
            let quotient = arena.binary(Op::FDiv, number, root);
            let sum = arena.binary(Op::FAdd, root, quotient);
            root = arena.binary(Op::FMul, half, sum);
        }
        let mut solver = Solver::with_config(Config { blast_work: 0, ..Config::default() });
        let (low, high) = (constant(&mut arena, 24.4), constant(&mut arena, 24.45));
        let above = arena.binary(Op::FLt, low, root);
        assert_eq!(solver.assert(&mut arena, above), Answer::Sat);
        let below = arena.binary(Op::FLt, root, high);
        assert_eq!(solver.assert(&mut arena, below), Answer::Sat);
        assert!((596..=597).contains(&solver.var_value(VarId(0))));
        let five_hundred = arena.constant(Width::W16, 500);
        let small = arena.binary(Op::Ult, x, five_hundred);
        assert_eq!(solver.check(&mut arena, small), Answer::Unsat);
        assert_eq!(solver.explain(&mut arena, small), Some(vec![0]));
        assert!(solver.stats().by_trial >= 1);
    }
}
