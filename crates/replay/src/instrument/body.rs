//! What the operators of one body cost, and where that is charged.

use std::collections::HashSet;

use pessimum_entry::{Bulk, CostModel, LeaderScan};
use wasmparser::Operator;

use super::Plan;
use super::charge::Unit;

/// An operator with its byte offset in the module.
pub(crate) type Located<'a> = (Operator<'a>, u32);

/// A straight stretch of code that costs something: whoever enters it pays for all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The index of its first operator in the body.
    pub(crate) first: usize,
    /// What each of its operators costs that costs anything, by its offset in the module.
    pub(crate) prices: Vec<(u32, u64)>,
}

impl Stretch {
    /// What the whole stretch costs.
    pub(crate) fn price(&self) -> u64 {
        self.prices.iter().map(|&(_, price)| price).sum()
    }
}

/// A part of the code that has a counter of its own in a profiled copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Profiled {
    /// Its counter tells how often the stretch was entered.
    Stretch(Stretch),
    /// Its counter tells what steps the operator at this offset in the module took, by their price.
    Steps(u32),
}

/// The stretches of a body that cost something, in order. Points of the plan that turn out to be
/// operators are noted in `met`.
pub(crate) fn stretches(
    plan: &Plan,
    function: u32,
    body: &[Located<'_>],
    met: &mut HashSet<u32>,
) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut leaders = LeaderScan::default();
    let mut open = Stretch { first: 0, prices: Vec::new() };
    for (index, (op, offset)) in body.iter().enumerate() {
        let is_leader = leaders.is_leader(op);
        let mut price = match &plan.model {
            CostModel::Blocks => u64::from(is_leader),
            CostModel::VisitsLine { .. } if plan.points.contains(offset) => {
                met.insert(*offset);
                1
            }
            model => model.operator_price(op).map_or(0, u64::from),
        };
        if index == 0 && plan.entries.contains(&function) {
            price += 1;
        }
        if price > 0 {
            open.prices.push((*offset, price));
        }
        if ends_stretch(op) {
            let next = Stretch { first: index + 1, prices: Vec::new() };
            stretches.push(std::mem::replace(&mut open, next));
        }
    }
    // Every body ends in an `end`, which closes its last stretch.
    stretches.retain(|stretch| !stretch.prices.is_empty());
    stretches
}

/// The bulk operation that an operator is, with the unit of its length, which it finds on top of the
/// stack.
pub(crate) fn bulk(op: &Operator<'_>) -> Option<(Bulk, Unit)> {
    Some(match op {
        Operator::MemoryCopy { .. } => (Bulk::MemoryCopy, Unit::Bytes),
        Operator::MemoryFill { .. } => (Bulk::MemoryFill, Unit::Bytes),
        Operator::MemoryInit { .. } => (Bulk::MemoryInit, Unit::Bytes),
        Operator::MemoryGrow { .. } => (Bulk::MemoryGrow, Unit::Grown),
        Operator::TableCopy { .. } => (Bulk::TableCopy, Unit::Elements),
        Operator::TableFill { .. } => (Bulk::TableFill, Unit::Elements),
        Operator::TableInit { .. } => (Bulk::TableInit, Unit::Elements),
        Operator::TableGrow { .. } => (Bulk::TableGrow, Unit::Grown),
        _ => return None,
    })
}

/// Whether control may come to the next operator from elsewhere, or not come to it at all, or the
/// measured region may have begun or ended before it. To say so too often is only slow.
fn ends_stretch(op: &Operator<'_>) -> bool {
    match op {
        Operator::Loop { .. }
        | Operator::If { .. }
        | Operator::Else
        | Operator::End
        | Operator::Br { .. }
        | Operator::BrIf { .. }
        | Operator::BrTable { .. }
        | Operator::Return
        | Operator::Unreachable
        | Operator::Call { .. }
        | Operator::CallIndirect { .. } => true,
        // Extensions with control flow of their own: tail calls, typed references, exceptions,
        // stack switching.
        _ => {
            let name = pessimum_entry::opcode_name(op);
            [
                "return_call",
                "call_ref",
                "br_on",
                "throw",
                "try",
                "catch",
                "delegate",
                "rethrow",
                "resume",
                "suspend",
                "switch",
            ]
            .iter()
            .any(|control| name.starts_with(control))
        }
    }
}
