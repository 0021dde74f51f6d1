//! The path condition of one size, written down and solved.

use crate::compile::{Compiled, Variables};
use crate::generator::Stream;
use crate::model::Model;
use crate::solve::{OneShot, Shot};
use crate::template::{Leaf, Sums, Token, build};
use pessimum_entry::{InputValues, Slot};
use pessimum_explore::Budget;
use pessimum_machine::input_variable;
use pessimum_solver::{Answer, canonical_model_within};
use pessimum_term::{Arena, Domain, TermId, Width};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why there is no input for a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SynthesisError {
    /// The size lies below those the model was learned from.
    #[error("size {n} is below {least}, the smallest the model was learned from")]
    TooSmall {
        /// The size asked for.
        n: u64,
        /// The least size.
        least: u64,
    },
    /// The numbers of a constraint run out at different times: the model does not hold here.
    #[error("the model contradicts itself at size {n}")]
    Inconsistent {
        /// The size.
        n: u64,
    },
    /// No input takes the path that the model predicts.
    #[error("the predicted path condition of size {n} has no solution")]
    Unsatisfiable {
        /// The size.
        n: u64,
    },
    /// The solver gave up, or the condition is too large for anything but differences.
    #[error("the predicted path condition of size {n} could not be solved")]
    Unknown {
        /// The size.
        n: u64,
    },
}

/// More distinct constraints than this are not handed to a general solver.
const MOST_TERMS: usize = 2_000_000;

impl Model {
    /// An input that should take the worst path of this size. It is a prediction: run it, and
    /// compare its cost with [`Model::predict_cost`].
    pub fn input(&self, n: u64) -> Result<InputValues, SynthesisError> {
        self.input_within(n, &Budget::default())
    }

    /// The same, given up where it takes more work or time than there is.
    pub fn input_within(&self, n: u64, budget: &Budget) -> Result<InputValues, SynthesisError> {
        if n < self.first {
            return Err(SynthesisError::TooSmall { n, least: self.first });
        }
        let slots = self.inputs.at(n).ok_or(SynthesisError::Inconsistent { n })?;
        let values = match self.one_shot(n, &slots)? {
            Some(values) => values,
            None => self.in_general(n, &slots, budget)?,
        };
        Ok(slots.iter().copied().zip(values).collect())
    }

    /// By differences alone: `None` when something else is among the constraints or no solution
    /// was found.
    fn one_shot(&self, n: u64, slots: &[Slot]) -> Result<Option<Vec<u64>>, SynthesisError> {
        if matches!(self.sums, Sums::Versions(_)) {
            return Ok(None);
        }
        let compiled: Option<Vec<Compiled>> =
            self.points.iter().map(|p| Compiled::read(&p.template)).collect();
        let Some(compiled) = compiled else { return Ok(None) };
        let Some(bounds) = slots.iter().map(bounds).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let mut defined = vec![false; slots.len()];
        for (at, c) in compiled.iter().enumerate() {
            if let Some(name) = c.defines() {
                self.each(n, at, |leaves| {
                    let name = usize::try_from(leaves[name]).ok()?;
                    *defined.get_mut(name)? = true;
                    Some(())
                })?;
            }
        }
        let low: Vec<i64> = bounds.iter().map(|b| b.0).collect();
        let sums = defined.iter().any(|d| *d);
        // A sum is kept within the integers of 32 bits, which no width that programs add in wraps.
        let sum_bounds = if sums { slots.len() } else { 0 };
        let all = bounds.iter().copied();
        let all = all.chain((0..sum_bounds).map(|_| (i64::from(i32::MIN), i64::from(i32::MAX))));
        let mut shot = OneShot::new(all);
        let variables = Variables { inputs: slots.len(), defined: &defined, low: &low };
        for (at, c) in compiled.iter().enumerate() {
            let mut fits = true;
            self.each(n, at, |leaves| {
                fits &= c.put(&mut shot, &variables, &bounds, leaves).is_some();
                Some(())
            })?;
            if !fits {
                return Ok(None);
            }
        }
        let Shot::Hit(mut values) = shot.solve(true) else { return Ok(None) };
        for (at, c) in compiled.iter().enumerate() {
            if c.defines().is_some() {
                let mut made = Vec::new();
                self.each(n, at, |leaves| {
                    made.push(c.made_up(&variables, &values, leaves)?);
                    Some(())
                })?;
                for (input, value) in made {
                    values[input] = value;
                }
            }
        }
        let masked = |(slot, v): (&Slot, &i64)| *v as u64 & slot.ty.mask();
        Ok(Some(slots.iter().zip(&values).map(masked).collect()))
    }

    /// By the chain of solvers, on terms.
    fn in_general(
        &self,
        n: u64,
        slots: &[Slot],
        budget: &Budget,
    ) -> Result<Vec<u64>, SynthesisError> {
        let mut arena = Arena::new();
        let mut variables = Vec::with_capacity(slots.len());
        for slot in slots {
            variables.push(input_variable(&mut arena, *slot));
        }
        let versioned = matches!(self.sums, Sums::Versions(_));
        let mut cells: FxHashMap<Leaf, TermId> = FxHashMap::default();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut constraints = Vec::new();
        // Definitions first, so that a name is known for a sum before it is used.
        let defines = |at: &usize| matches!(self.points[*at].template.0[0], Token::Define { .. });
        let (first, then): (Vec<usize>, Vec<usize>) = (0..self.points.len()).partition(defines);
        for at in &first {
            self.each(n, *at, |leaves| {
                let version = if versioned { leaves[1] } else { 0 };
                let leaf = Leaf::Cell { name: leaves[0], version };
                let Token::Define { bits } = self.points[*at].template.0[0] else { return None };
                let width = Width::new(u32::from(bits));
                cells.entry(leaf).or_insert_with(|| arena.variable(width, Domain::full(width)));
                Some(())
            })?;
        }
        for at in first.into_iter().chain(then) {
            self.each(n, at, |leaves| {
                let mut tokens = self.points[at].template.0.iter();
                let mut leaf = |arena: &mut Arena, leaf: Leaf, width: Width| {
                    let number = match leaf {
                        Leaf::Input(number) => number,
                        Leaf::Cell { name, version } => match cells.get(&leaf) {
                            Some(&t) => return Some(t),
                            None if version == 0 => name,
                            None => return None,
                        },
                    };
                    let t = *variables.get(usize::try_from(number).ok()?)?;
                    (arena.width(t) == width).then_some(t)
                };
                let mut values = leaves.iter();
                let term = build(&mut arena, &mut tokens, &mut values, versioned, &mut leaf)?;
                if seen.len() < MOST_TERMS && seen.insert(term) {
                    constraints.push(term);
                }
                Some(())
            })?;
        }
        if seen.len() >= MOST_TERMS {
            return Err(SynthesisError::Unknown { n });
        }
        let work = budget.work.unwrap_or(u64::MAX);
        match canonical_model_within(&mut arena, &constraints, &budget.deadline, work) {
            (Answer::Sat, values) => Ok(values),
            (Answer::Unsat, _) => Err(SynthesisError::Unsatisfiable { n }),
            (Answer::Unknown(_), _) => Err(SynthesisError::Unknown { n }),
        }
    }

    /// Shows every leaf vector of a point to `f`, which answers `None` for one that cannot be.
    fn each(
        &self,
        n: u64,
        at: usize,
        mut f: impl FnMut(&[i64]) -> Option<()>,
    ) -> Result<(), SynthesisError> {
        let wrong = SynthesisError::Inconsistent { n };
        let point = &self.points[at];
        let streams: Option<Vec<Stream>> = point.leaves.iter().map(|g| g.stream(n)).collect();
        let mut streams = streams.ok_or(wrong)?;
        let mut leaves = vec![0; streams.len()];
        let Some((first, rest)) = streams.split_first_mut() else { return Ok(()) };
        for value in first.by_ref() {
            leaves[0] = value;
            for (leaf, stream) in leaves[1..].iter_mut().zip(rest.iter_mut()) {
                *leaf = stream.next().ok_or(wrong)?;
            }
            f(&leaves).ok_or(wrong)?;
        }
        if rest.iter_mut().any(|stream| stream.next().is_some()) {
            return Err(wrong);
        }
        Ok(())
    }

    /// How many constraints the path condition of a size has.
    pub fn constraint_count(&self, n: u64) -> Result<u64, SynthesisError> {
        let mut count = 0;
        for at in 0..self.points.len() {
            self.each(n, at, |_| {
                count += 1;
                Some(())
            })?;
        }
        Ok(count)
    }
}

/// The ends of an integer; a float is none.
fn bounds(slot: &Slot) -> Option<(i64, i64)> {
    let (low, high) = slot.ends().filter(|_| !slot.ty.is_float())?;
    let clamp = |v: i128| v.clamp(-(1 << 61), 1 << 61) as i64;
    Some((clamp(low), clamp(high)))
}
