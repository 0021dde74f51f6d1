//! Values that would send an input another way, read off the conditions on its path. No solver is asked:
//! a value is tried in the condition, and kept if the condition no longer holds.

use crate::budget::Budget;
use crate::follow::{DecisionMet, Meeting, follow_with};
use pessimum_entry::InputValues;
use pessimum_machine::{LoadError, Module, Setup};
use pessimum_term::{Arena, Evaluator, Only, Op, TermId, VarId};
use std::collections::HashSet;
use std::sync::Arc;

/// Arms of a switch that values are looked for.
const ARMS: u32 = 64;

/// Terms of a condition that are looked through for inputs and constants.
const TERMS: usize = 64;

/// Values that are kept of one condition.
const KEPT: usize = 4;

/// One input of a program, with a value that sends it another way at some decision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Flip {
    /// Which input, in the order they are made.
    pub input: usize,
    /// The value, as bits.
    pub value: u64,
}

/// What sends an input another way, decision by decision along its path, as far as the budget goes; and the work
/// that it took. Nothing is promised of the rest of the path.
pub fn flips(
    module: &Arc<Module>,
    setup: &Setup,
    input: &InputValues,
    budget: &Budget,
) -> Result<(Vec<Flip>, u64), LoadError> {
    let mut seen: HashSet<TermId> = HashSet::new();
    let mut found: Vec<Flip> = Vec::new();
    let mut known: HashSet<Flip> = HashSet::new();
    let mut evaluator = Evaluator::new();
    let mut work = 0;
    let met = |at: Meeting<'_>| {
        let Meeting::Decision(at) = at else { return };
        // A condition that is met again has been looked at.
        let sides = at.holds.map(|holds| (holds, 0)).into_iter();
        for (condition, wanted) in sides.chain(at.others.iter().map(|other| (*other, 1))) {
            // Trying values is work as well: a condition may be a long sum of all inputs.
            work = at.work + evaluator.steps();
            let is_spent = budget.work.is_some_and(|limit| work > limit) || budget.is_over();
            if !is_spent && seen.insert(condition) {
                let new = values(at, condition, wanted, &mut evaluator);
                found.extend(new.into_iter().filter(|flip| known.insert(*flip)));
            }
        }
    };
    follow_with(module, setup, &mut Arena::new(), (&input.to_raw(), ARMS), budget, met)?;
    Ok((found, work))
}

/// Values of single inputs under which a condition has the value that is wanted.
fn values(
    at: DecisionMet<'_>,
    condition: TermId,
    wanted: u64,
    evaluator: &mut Evaluator,
) -> Vec<Flip> {
    let (inputs, constants) = parts(at.arena, condition);
    let mut found = Vec::new();
    for &var in &inputs {
        let input = var.0 as usize;
        let Some(&old) = at.bits.get(input) else { continue };
        let mask = at.arena.width(at.arena.var_term(var)).mask();
        let mut holds = |value: u64| {
            evaluator.forget();
            let bits = |v: VarId| match v == var {
                true => value,
                false => at.bits.get(v.0 as usize).copied().unwrap_or(0),
            };
            value != old && evaluator.value(at.arena, condition, bits) == wanted
        };
        let before = found.len();
        if mask <= u64::from(u8::MAX) {
            // Values beside one that makes no difference: where an interval begins or ends.
            let all: Vec<bool> = (0..=mask).map(&mut holds).collect();
            let differs = |v: usize, w: Option<usize>| {
                w.and_then(|w| all.get(w)).is_some_and(|other| *other != all[v])
            };
            let edges = (0..all.len())
                .filter(|&v| all[v] && (differs(v, v.checked_sub(1)) || differs(v, Some(v + 1))));
            found.extend(edges.take(KEPT).map(|value| Flip { input, value: value as u64 }));
        } else {
            let others = inputs.iter().filter_map(|v| at.bits.get(v.0 as usize));
            let near = constants.iter().chain(others);
            let near = near.flat_map(|c| [*c, c.wrapping_add(1), c.wrapping_sub(1)]);
            for value in near.map(|c| c & mask) {
                if found.len() < before + KEPT && holds(value) {
                    found.push(Flip { input, value });
                }
            }
        }
    }
    found
}

/// The inputs and the constants of a condition, as far as so many terms go.
fn parts(arena: &Arena, condition: TermId) -> (Vec<VarId>, Vec<u64>) {
    let (mut inputs, mut constants) = (Vec::new(), Vec::new());
    let (mut stack, mut seen) = (vec![condition], HashSet::new());
    while let Some(term) = stack.pop() {
        if !seen.insert(term) || seen.len() > TERMS {
            continue;
        }
        let node = arena.node(term);
        match node.op {
            Op::Var => inputs.extend(node.as_var()),
            _ if arena.info(term).only == Only::Nothing => constants.extend(arena.as_const(term)),
            _ => stack.extend(node.args()),
        }
    }
    inputs.sort_unstable_by_key(|v| v.0);
    (inputs, constants)
}
