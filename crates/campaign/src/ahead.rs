//! Walks made side by side before it is known what each of them may take.
//!
//! Where several walks share an amount of work one after the other, each may take what those before it left. Most take a small
//! part of it. So the next ones are made side by side as if those before them took nothing; one that might have gone another
//! way with what is really left is made again.

use crate::candidates::Guided;
use crate::error::Error;
use crate::target::Target;
use crate::train::Walk;
use pessimum_explore::Budget;
use std::collections::VecDeque;

/// What takes work.
pub(crate) trait Worked {
    /// What it took.
    fn work(&self) -> u64;
}

impl Worked for Guided {
    fn work(&self) -> u64 {
        self.outcome.work
    }
}

impl Worked for Walk {
    fn work(&self) -> u64 {
        self.outcome.work
    }
}

/// Walks with numbers, which are asked for in order.
pub(crate) struct Ahead<'a, T, F> {
    target: &'a Target,
    walks: usize,
    walk: F,
    /// The number of the next one that is asked for.
    next: usize,
    /// Those that were made: with what they had been given.
    made: VecDeque<(Budget, Result<T, Error>)>,
}

impl<'a, T, F> Ahead<'a, T, F>
where
    T: Worked + Send,
    F: Fn(usize, Budget) -> Result<T, Error> + Sync,
{
    /// So many walks, none of which is made yet.
    pub(crate) fn new(target: &'a Target, walks: usize, walk: F) -> Self {
        Ahead { target, walks, walk, next: 0, made: VecDeque::new() }
    }

    /// The next one, within a budget.
    pub(crate) fn next(&mut self, budget: &Budget) -> Result<T, Error> {
        let (first, walk) = (self.next, &self.walk);
        self.next += 1;
        if self.made.is_empty() {
            let some = self.target.workers().min(self.walks.saturating_sub(first)).max(1);
            let made = self.target.each(some, |i| walk(first + i, budget.clone()));
            self.made.extend(made.into_iter().map(|made| (budget.clone(), made)));
        }
        match self.made.pop_front() {
            Some((given, Ok(made))) if budget.leads_as(&given, made.work()) => Ok(made),
            Some((_, Err(error))) => Err(error),
            _ => walk(first, budget.clone()),
        }
    }
}
