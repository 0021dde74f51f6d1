//! Walks the computation tree: exhaustive, guided, with budgets, on many cores.
//!
//! An [`Explorer`] owns a machine, the terms and the path condition, and goes through the tree
//! depth-first: at an open decision it marks all three, follows one side, comes back and follows
//! the next. What it meets it shows to an [`Observer`]; where it may go is up to a
//! [`Guide`](pessimum_learn::Guide). [`explore`] runs the whole job, on several threads if asked.

mod accesses;
mod adversary;
mod budget;
mod explorer;
mod finding;
mod flips;
mod follow;
mod job;
mod merge;
mod observer;
mod outcome;
mod parts;
mod shared;
mod subtree;
mod threads;

pub use accesses::{Access, Accesses, accesses};
pub use adversary::{MadeUp, adversary};
pub use budget::{Budget, Cut, Progress};
pub use explorer::{Explorer, Options, Turn};
pub use finding::{Cause, Finding, FindingKind, Operation};
pub use flips::{Flip, flips};
pub use follow::{Met, conditions, follow};
pub use job::{Plan, explore, explore_lesson, explore_states, run_again, run_concrete};
pub use merge::{Count, Merge, Merged, Misses};
pub use observer::{Leaf, Nobody, Observer, Trainer};
pub use outcome::{Outcome, PathTest, Witness};
pub use parts::{Learned, TreePart, TreeParts, explore_by_parts, walk_part};
pub use subtree::{
    Left, Piece, Route, Share, Subtree, SubtreeError, explore_pieces, explore_subtree, packed,
    split,
};
pub use threads::{on_big_stack, side_by_side};
