//! Exit codes, and which of several counts.

use super::Failure;
use super::files::{Beside, Out};

/// Done, or `check` has a proven or validated answer inside the bound.
pub(super) const DONE: u8 = 0;
/// `check` found worse, with a witness.
pub(super) const WORSE: u8 = 1;
/// The call or a file is wrong.
pub(super) const USAGE: u8 = 2;
/// A budget ran out before any answer.
pub(super) const OUT_OF_BUDGET: u8 = 3;
/// `check` is inconclusive.
pub(super) const INCONCLUSIVE: u8 = 4;
/// The two engines disagree on an input, or one costs more than the worst of all: a bug of ours.
pub(super) const DISAGREEMENT: u8 = 5;

/// The gravest first.
const ORDER: [u8; 6] = [DISAGREEMENT, USAGE, WORSE, INCONCLUSIVE, OUT_OF_BUDGET, DONE];

/// The gravest of several codes.
fn gravest(codes: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |code: &u8| ORDER.iter().position(|c| c == code).unwrap_or(0);
    codes.into_iter().min_by_key(rank).unwrap_or(DONE)
}

/// Ends a command: says what could not be written, and where the engines disagree.
pub(super) fn end(
    beside: Beside,
    out: &Out,
    codes: impl IntoIterator<Item = u8>,
) -> Result<u8, Failure> {
    let code = gravest(codes);
    if code == DISAGREEMENT {
        out.error(&Failure {
            code,
            lines: vec![
                "the two engines disagree on an input, or one costs more than the worst of all: a bug of pessimum, and nothing is claimed of this run; please report it with the module, the call and the input of the finding".to_owned(),
            ],
        });
    }
    match beside.end() {
        Ok(()) => Ok(code),
        Err(failure) if gravest([code, failure.code]) == code => {
            out.error(&failure);
            Ok(code)
        }
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_code_counts() {
        let order = [5, 2, 1, 4, 3, 0];
        for (i, grave) in order.iter().enumerate() {
            for less in &order[i..] {
                assert_eq!(gravest([*less, *grave]), *grave);
                assert_eq!(gravest([*grave, *less]), *grave);
            }
        }
    }
}
