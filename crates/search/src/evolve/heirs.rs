//! Words found letter by letter.
//!
//! A word that one loop compares is no new block at any of its letters, so that nothing says which inputs are on the way to it. But
//! the conditions do: with its first letter in place the next value is compared with something it was not compared with before.
//! Such an input is an *heir*: all that stands before the place and the value that goes the other way, kept, and behind them
//! what the pattern has there. Of what its conditions ask behind that place only what its parent was not asked there is followed: the
//! generations of SAGE, without their repetitions.

use super::Waiting;
use crate::groups::Group;
use crate::pattern::Pattern;
use pessimum_explore::Flip;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Places at which a value is followed: the first may be too early, as a name that is empty.
const PLACES: usize = 2;

/// Heirs that are run before chance has its turn, and those that wait at most.
pub(super) const TOGETHER: usize = 8;
const WAITING: usize = 4096;

/// How a pattern came about.
pub(super) struct Heir {
    /// The value that was changed, among all the program takes.
    changed: usize,
    /// What its parent was asked.
    asked: Rc<HashSet<Flip>>,
}

/// Heirs that wait.
#[derive(Default)]
pub(super) struct Heirs {
    /// By how often their value was followed before, and by age: a value that was asked for nowhere else is the next letter of
    /// something.
    waiting: BTreeMap<(usize, usize), Waiting>,
    /// How often each value was followed.
    followed: HashMap<u64, usize>,
    /// Those that ever waited.
    known: HashSet<Pattern>,
    /// Instructions that reading them may still take.
    left: u64,
}

impl Heirs {
    /// Gives them so many instructions.
    pub(super) fn allow(&mut self, instructions: u64) {
        self.left = instructions;
    }

    /// Instructions that reading may still take.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Counts what reading one took.
    pub(super) fn took(&mut self, instructions: u64) {
        self.left = self.left.saturating_sub(instructions);
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Those that are run next.
    pub(super) fn next(&mut self) -> Vec<Waiting> {
        if self.left == 0 {
            self.waiting.clear();
        }
        let first = std::iter::from_fn(|| self.waiting.pop_first());
        first.take(TOGETHER).map(|(_, heir)| heir).collect()
    }

    /// Takes the heirs of a pattern: what its conditions ask is `found`, and `heir` says how it came about itself.
    pub(super) fn add(
        &mut self,
        pattern: &Pattern,
        shape: &[Group],
        found: Vec<Flip>,
        heir: Option<&Heir>,
    ) {
        let asked: Rc<HashSet<Flip>> = Rc::new(found.iter().copied().collect());
        let mut news = found;
        news.retain(|flip| {
            heir.is_none_or(|heir| flip.input > heir.changed && !heir.asked.contains(flip))
        });
        news.sort_by_key(|flip| flip.input);
        let mut places: HashMap<u64, usize> = HashMap::new();
        for flip in news {
            let places = places.entry(flip.value).or_default();
            if *places == PLACES {
                continue;
            }
            let next = pattern.until(shape, flip.input, flip.value);
            let Some(pattern) = next.filter(|next| self.known.insert(next.clone())) else {
                continue;
            };
            *places += 1;
            let followed = self.followed.entry(flip.value).or_default();
            let rank = (*followed, self.known.len());
            *followed += 1;
            let heir = Some(Heir { changed: flip.input, asked: Rc::clone(&asked) });
            self.waiting.insert(rank, Waiting { pattern, heir });
            if self.waiting.len() > WAITING {
                self.waiting.pop_last();
            }
        }
    }
}
