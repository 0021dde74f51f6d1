//! What can go wrong before there is an answer.

use pessimum_entry::{CallMismatch, CostError, Discovery, SpecError, SummaryError};
use pessimum_machine::LoadError;

/// The call or a file is wrong.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum Error {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{0}")]
    Entry(#[from] Discovery),
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error(transparent)]
    Mismatch(#[from] CallMismatch),
    #[error(transparent)]
    Cost(#[from] CostError),
    #[error("the independent engine cannot run the module: {0}")]
    Replay(String),
    #[error("the policy file {file} does not fit: {why}")]
    Policy { file: String, why: String },
    #[error("{0}")]
    Usage(String),
    #[error("a budget ran out before there was any answer: {0}")]
    OutOfBudget(String),
}
