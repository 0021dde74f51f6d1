//! The whole job: train on small sizes, learn, generate large sizes, search, confirm, judge.
//!
//! A [`Program`] says what is run, an [`Analysis`] how; [`explore_size`] walks one size and [`check`]
//! holds a result against a requirement. The crate `pessimum` re-exports all of it and adds the
//! command line.

mod ahead;
mod analysis;
mod candidates;
mod check;
mod checkpoint;
mod confirm;
mod diff;
mod error;
mod evidence;
mod exploration;
mod findings;
mod jobs;
mod judge;
mod passed;
mod policy;
mod program;
mod publish;
mod schedule;
mod sites;
mod structures;
mod target;
mod train;
mod witness;

pub use analysis::{Analysis, AnalysisResult, PolicyChoice, Stage};
pub use check::{Baseline, Requirement, check};
pub use checkpoint::write_whole;
pub use confirm::Confirmer;
pub use diff::{comparable, diff};
pub use error::Error;
pub use evidence::{Claim, Cut, Method, Mismatch, Replayed};
pub use exploration::{Exploration, explore_size};
pub use jobs::{JobId, JobRan, Jobs, JobsTally, JobsWanted, PartFound, Parts, PartsWanted};
pub use judge::{Doubt, Evidence, Judgement, SizeClaim, Standing, judge};
pub use passed::{Passing, structure_passed};
pub use pessimum_search::{BadLine, parse_dictionary};
pub use policy::LearnedPolicy;
pub use program::Program;
pub use schedule::WORK_PER_SECOND;
pub use sites::Sites;
pub use target::Target;
pub use train::{Elsewhere, SizeElsewhere};
