//! What can go wrong before there is an answer.

use crate::evidence::Cut;
use pessimum_entry::{CallMismatch, CostError, Discovery, InputError, SpecError, SummaryError};
use pessimum_machine::LoadError;
use pessimum_shape::ShapeError;

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
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("the independent engine cannot run the module: {0}")]
    Replay(String),
    #[error("the policy file {file} does not fit: {why}")]
    Policy { file: String, why: String },
    #[error("{0}")]
    Usage(String),
    #[error("a budget ran out before there was any answer: {0}")]
    OutOfBudget(Cut),
    #[error("n = {n}: {why}")]
    Stopped { n: u64, by: Cut, why: ShapeError },
    #[error("{0}")]
    TooManyStructures(String),
    /// Other machines do not do what was asked of them.
    #[error("{0}")]
    Elsewhere(String),
}

impl Error {
    /// What cut a run that ended with this error, if something did.
    pub(crate) fn cut_by(&self) -> Option<Cut> {
        match self {
            Error::OutOfBudget(cut) => Some(*cut),
            Error::Stopped { by, .. } => Some(*by),
            _ => None,
        }
    }
}
