//! What the operators of one body cost, and where that is charged.

use std::collections::HashSet;

use pessimum_entry::{CostModel, LeaderScan};
use wasmparser::Operator;

use super::Plan;

/// An operator with its byte offset in the module.
pub(crate) type Located<'a> = (Operator<'a>, u32);

/// For each operator of a body, what is to be charged just before it: the price of the straight
/// stretch that begins there, 0 elsewhere.
pub(crate) fn charges(
    plan: &Plan,
    function: u32,
    body: &[Located<'_>],
    met: &mut HashSet<u32>,
) -> Vec<u64> {
    let mut charges = vec![0; body.len()];
    let mut leaders = LeaderScan::default();
    let mut stretch = 0;
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
        charges[stretch] += price;
        if ends_stretch(op) {
            stretch = (index + 1).min(body.len() - 1);
        }
    }
    charges
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
