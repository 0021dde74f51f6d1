//! A symbolic run along the path of one concrete input.
//!
//! At every stop the condition is evaluated under the input and answered accordingly, so the run
//! must do exactly what a concrete run on that input does, and its terms must evaluate to the
//! concrete run's values.

use super::rng::Rng;
use pessimum_machine::{End, Machine, Purpose, Stop, Value};
use pessimum_term::{Arena, Evaluator, TermId, VarId};

/// An assignment of the inputs, in the order they are made.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub values: Vec<u64>,
    evaluator: Evaluator,
}

impl Assignment {
    pub fn new(values: Vec<u64>) -> Assignment {
        Assignment { values, evaluator: Evaluator::new() }
    }

    pub fn term(&mut self, arena: &Arena, t: TermId) -> u64 {
        let values = &self.values;
        self.evaluator.value(arena, t, |v: VarId| values.get(v.0 as usize).copied().unwrap_or(0))
    }

    pub fn value(&mut self, arena: &Arena, v: Value) -> u64 {
        match v.as_term() {
            Some(t) => self.term(arena, t),
            None => v.as_concrete().unwrap_or(0),
        }
    }

    /// To be called when terms have been undone.
    pub fn forget(&mut self) {
        self.evaluator.forget();
    }
}

/// What the stops along a path were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stops {
    pub branches: u64,
    pub switches: u64,
    pub splits: u64,
    pub guards: u64,
    pub choices: u64,
    pub regions: u64,
}

impl Stops {
    pub fn add(&mut self, other: Stops) {
        self.branches += other.branches;
        self.switches += other.switches;
        self.splits += other.splits;
        self.guards += other.guards;
        self.choices += other.choices;
        self.regions += other.regions;
    }
}

/// Answers one stop as the input would have it; the end, if the path ends here.
///
/// With `regions`, an address is now and then answered by a region around it instead of its value.
pub fn answer(
    machine: &mut Machine,
    arena: &mut Arena,
    input: &mut Assignment,
    stop: Stop,
    regions: Option<&mut Rng>,
    stops: &mut Stops,
) -> Option<End> {
    match stop {
        Stop::Branch { condition, .. } => {
            stops.branches += 1;
            let holds = input.term(arena, condition) != 0;
            machine.take(holds);
        }
        Stop::Switch { arms, .. } => {
            stops.switches += 1;
            let mut chosen = Vec::new();
            for arm in 0..arms {
                let condition = machine.arm_condition(arena, arm);
                if input.term(arena, condition) != 0 {
                    chosen.push(arm);
                }
            }
            assert_eq!(chosen.len(), 1, "the arms of a switch exclude each other: {chosen:?}");
            machine.take_arm(chosen[0]);
        }
        Stop::Split { condition, .. } => {
            stops.splits += 1;
            let holds = input.term(arena, condition) != 0;
            machine.split(arena, holds);
        }
        Stop::Guard { condition, trap } => {
            stops.guards += 1;
            if input.term(arena, condition) != 0 {
                return Some(End::Trap(trap));
            }
            machine.pass_guard();
        }
        Stop::Assume { condition } => {
            if input.term(arena, condition) == 0 {
                return Some(End::Excluded);
            }
            machine.pass_guard();
        }
        Stop::Choose { term, purpose } => {
            stops.choices += 1;
            let value = input.term(arena, term);
            let access = matches!(purpose, Purpose::Load | Purpose::Store);
            if access && regions.is_some_and(|rng| rng.below(2) == 0) {
                // Addresses below one that is in bounds are in bounds, too.
                stops.regions += 1;
                let below = [16, 8].iter().filter_map(|d| value.checked_sub(*d));
                let region: Vec<u64> = below.chain([value]).collect();
                machine.read_over(&region);
            } else {
                machine.choose(arena, value);
            }
        }
        Stop::End(end) => return Some(end),
    }
    None
}

/// Runs to the end of the input's path.
pub fn follow(
    machine: &mut Machine,
    arena: &mut Arena,
    input: &mut Assignment,
    mut regions: Option<&mut Rng>,
) -> (End, Stops) {
    let mut stops = Stops::default();
    loop {
        let stop = machine.run(arena);
        if let Some(end) = answer(machine, arena, input, stop, regions.as_deref_mut(), &mut stops) {
            return (end, stops);
        }
    }
}

/// The whole memory under an input.
pub fn memory_under(machine: &Machine, arena: &mut Arena, input: &mut Assignment) -> Vec<u8> {
    let size = machine.memory_bytes().len() as u64;
    let mut bytes = Vec::with_capacity(size as usize);
    for at in (0..size).step_by(8) {
        match machine.read(arena, at, 8) {
            Some(word) => bytes.extend(input.value(arena, word).to_le_bytes()),
            None => unreachable!("every address below the size can be read"),
        }
    }
    bytes
}
