//! The integer models found lately, each with the part of the log it is known to satisfy.
//!
//! A depth-first walk asks for both sides of a decision and then lives in one of them: one of the last few
//! models nearly always satisfies the next question, and finding that out costs only the constraints that the
//! model has not yet seen.

use super::log::Log;

/// How many models are kept.
const KEPT: usize = 8;

/// No constraint is known to be violated.
const NONE: usize = usize::MAX;

#[derive(Debug, Default)]
struct Model {
    values: Vec<i128>,
    /// The constraints below this index hold.
    verified: usize,
    /// The first constraint that does not hold, if known.
    violated: usize,
}

/// Models, the last used first.
#[derive(Debug)]
pub(super) struct Models {
    pool: Vec<Model>,
}

impl Default for Models {
    /// One model of no variables: what the first check extends.
    fn default() -> Models {
        Models { pool: vec![Model { values: Vec::new(), verified: 0, violated: NONE }] }
    }
}

impl Models {
    /// The values of the model used last.
    pub(super) fn current(&self) -> &[i128] {
        self.pool.first().map_or(&[], |model| &model.values)
    }

    /// Makes a model that satisfies the whole log the current one, if there is one. `fill` extends a model to
    /// variables that are newer than it.
    pub(super) fn find(&mut self, log: &Log, fill: impl Fn(&mut Vec<i128>)) -> bool {
        for at in 0..self.pool.len() {
            let model = &mut self.pool[at];
            if model.violated != NONE {
                continue;
            }
            fill(&mut model.values);
            match (model.verified..log.len()).find(|&index| !log.holds(index, &model.values)) {
                Some(index) => {
                    model.verified = index;
                    model.violated = index;
                }
                None => {
                    model.verified = log.len();
                    self.pool[..=at].rotate_right(1);
                    return true;
                }
            }
        }
        false
    }

    /// Makes these values, which satisfy the first `verified` constraints, the current model. Leaves the values
    /// of the oldest model in their place, to be overwritten.
    pub(super) fn install(&mut self, values: &mut Vec<i128>, verified: usize) {
        let mut model =
            if self.pool.len() == KEPT { self.pool.pop() } else { None }.unwrap_or_default();
        std::mem::swap(&mut model.values, values);
        (model.verified, model.violated) = (verified, NONE);
        self.pool.insert(0, model);
    }

    /// Forgets constraints and variables beyond these counts.
    pub(super) fn truncate(&mut self, constraints: usize, variables: usize) {
        for model in &mut self.pool {
            model.verified = model.verified.min(constraints);
            if model.violated >= constraints {
                model.violated = NONE;
            }
            model.values.truncate(variables);
        }
    }
}
