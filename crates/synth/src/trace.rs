//! One path walked again, this time to write down every constraint with its place in the loops.
//!
//! The explorer kept the path as a string of decisions. Walking it again with a machine of our own
//! costs one run and no solver, and keeps the explorer free of what only this crate needs.

use pessimum_entry::Slot;
use pessimum_learn::{Decision, SiteId};
use pessimum_machine::{End, Inputs, LoadError, Machine, Module, NestKind, Setup, Stop};
use pessimum_solver::canonical_model;
use pessimum_term::{Arena, Evaluator, Op, TermId, VarId};
use std::sync::Arc;

/// What put a constraint on the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// A side taken at a site.
    Decision {
        /// Where.
        site: u32,
        /// The side.
        choice: u32,
    },
    /// An instruction that would trap otherwise, at this offset in the file.
    Guard {
        /// Where.
        position: u32,
    },
    /// `assume`, called at this offset in the file.
    Assume {
        /// Where.
        position: u32,
    },
    /// A term that had to be one value, at this offset in the file.
    Value {
        /// Where.
        position: u32,
    },
}

/// One constraint of a path.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) cause: Cause,
    /// The loops and calls around it, with the iteration of each.
    pub(crate) places: Vec<(NestKind, u32)>,
    pub(crate) condition: TermId,
}

/// A path with all its constraints, in the order they were met.
#[derive(Clone, Debug)]
pub struct Trace {
    pub(crate) events: Vec<Event>,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) arena: Arena,
    cost: u64,
}

/// Why a path could not be walked again.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The module does not start.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The decisions are of another program or size, or an address was chosen that does not go with
    /// the rest of the path.
    #[error("the path cannot be followed a second time")]
    Diverged,
}

impl Trace {
    /// Walks a path again.
    pub fn follow(
        module: &Arc<Module>,
        setup: &Setup,
        decisions: &[Decision],
    ) -> Result<Trace, TraceError> {
        let mut arena = Arena::new();
        let mut machine = Machine::start(module, setup, Inputs::Symbolic, &mut arena)?;
        machine.trace_loops();
        let mut walk = Walk { events: Vec::new(), decisions: decisions.iter() };
        let end =
            machine.drive(&mut arena, |machine, arena, stop| walk.decide(machine, arena, stop));
        match end? {
            End::Return | End::Exit(_) if walk.decisions.next().is_none() => {}
            _ => return Err(TraceError::Diverged),
        }
        let inputs = machine.inputs().iter().map(|i| i.slot).collect();
        let cost = machine.counters().cost;
        Ok(Trace { events: walk.events, inputs, arena, cost })
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether the path has no constraint.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether inputs were added to each other on the way.
    pub(crate) fn has_sums(&self) -> bool {
        let terms = (1..self.arena.len() as u32).filter_map(TermId::from_index);
        let constant = |t: TermId| self.arena.as_const(t).is_some();
        terms
            .into_iter()
            .map(|t| self.arena.node(t))
            .any(|node| matches!(node.op, Op::Add | Op::Sub) && !node.args().any(constant))
    }

    /// The cost of the path in the module's cost model (zero for `decisions`, which no machine
    /// counts).
    pub fn cost(&self) -> u64 {
        self.cost
    }
}

struct Walk<'d> {
    events: Vec<Event>,
    decisions: std::slice::Iter<'d, Decision>,
}

impl Walk<'_> {
    /// The answer to a stop, once its constraint is written down.
    fn decide(
        &mut self,
        machine: &mut Machine,
        arena: &mut Arena,
        stop: Stop,
    ) -> Result<u64, TraceError> {
        let position = machine.position();
        let (cause, condition, answer) = match stop {
            Stop::Branch { site, condition } | Stop::Split { site, condition } => {
                let choice = u32::from(self.next(site.0)? == 1);
                let side = if choice == 1 { condition } else { arena.not(condition) };
                (Cause::Decision { site: site.0, choice }, side, choice.into())
            }
            Stop::Switch { site, .. } => {
                let choice = self.next(site.0)?;
                let condition = machine.arm_condition(arena, choice);
                (Cause::Decision { site: site.0, choice }, condition, choice.into())
            }
            Stop::Guard { condition, .. } => (Cause::Guard { position }, arena.not(condition), 0),
            Stop::Assume { condition } => (Cause::Assume { position }, condition, 1),
            Stop::Choose { term, .. } => {
                let value = self.some_value(arena, term);
                let constant = arena.constant(arena.width(term), value);
                (Cause::Value { position }, arena.binary(Op::Eq, term, constant), value)
            }
            Stop::End(_) => return Err(TraceError::Diverged),
        };
        let places = machine.places().iter().map(|p| (p.kind, p.index)).collect();
        self.events.push(Event { cause, places, condition });
        Ok(answer)
    }

    fn next(&mut self, site: u32) -> Result<u32, TraceError> {
        match self.decisions.next() {
            Some(d) if d.site == SiteId(site) => Ok(d.choice),
            _ => Err(TraceError::Diverged),
        }
    }

    /// A value that the term can have on the path so far.
    fn some_value(&self, arena: &mut Arena, t: TermId) -> u64 {
        let constraints: Vec<TermId> = self.events.iter().map(|e| e.condition).collect();
        let (_, model) = canonical_model(arena, &constraints);
        let value = |v: VarId| model.get(v.0 as usize).copied().unwrap_or(0);
        Evaluator::new().value(arena, t, value)
    }
}
