//! Answering stops: one place that knows how the machine goes on from each.

use crate::machine::Machine;
use crate::stop::{End, Stop};
use pessimum_term::Arena;

impl Machine {
    /// Goes on with the answer to a stop: 1 or 0 for whether its condition holds, the arm of a
    /// switch, the value of a term that has to be known.
    ///
    /// `Some` where the answer ends the run: the condition of a guard holds, or that of an assumption
    /// does not. The machine is then left as it was.
    pub fn answer(&mut self, arena: &mut Arena, stop: Stop, answer: u64) -> Option<End> {
        match stop {
            Stop::Branch { .. } => self.take(answer != 0),
            Stop::Split { .. } => self.split(arena, answer != 0),
            Stop::Switch { .. } => self.take_arm(answer as u32),
            Stop::Choose { .. } => self.choose(arena, answer),
            Stop::Guard { trap, .. } if answer != 0 => return Some(End::Trap(trap)),
            Stop::Assume { .. } if answer == 0 => return Some(End::Excluded),
            Stop::Guard { .. } | Stop::Assume { .. } => self.pass_guard(),
            Stop::End(end) => return Some(end),
        }
        None
    }

    /// Runs one path to its end: `decide` answers every stop on the way (see
    /// [`answer`](Machine::answer)), or gives the path up.
    pub fn drive<E>(
        &mut self,
        arena: &mut Arena,
        mut decide: impl FnMut(&mut Machine, &mut Arena, Stop) -> Result<u64, E>,
    ) -> Result<End, E> {
        loop {
            let end = match self.run(arena) {
                Stop::End(end) => Some(end),
                stop => {
                    let answer = decide(self, arena, stop)?;
                    self.answer(arena, stop, answer)
                }
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }
}
