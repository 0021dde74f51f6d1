//! Whether a policy would have foretold the worst cost of sizes it had not seen.

use crate::decision::Cost;

/// What a guided exploration found at a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuidedRun {
    /// The worst cost among the conforming paths; `None` when no path conforms.
    pub cost: Option<Cost>,
    /// Whether it came to a site that the policy had not seen.
    pub met_unseen: bool,
}

/// One size put to the test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The size.
    pub size: u64,
    /// The worst cost of exhaustive exploration.
    pub worst: Cost,
    /// What the policy learned on the sizes below found.
    pub run: GuidedRun,
}

impl Trial {
    /// Whether the policy reached the worst cost.
    pub fn reached(&self) -> bool {
        self.run.cost == Some(self.worst)
    }
}

/// The outcome of validation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validation {
    /// Every size at which a policy learned on the sizes below reaches the worst cost.
    pub validated_on: Vec<u64>,
    /// Whether the last sizes are among them and nothing unseen was met at the very last: the
    /// policy may be trusted beyond.
    pub validated: bool,
    /// All sizes tried, in ascending order.
    pub trials: Vec<Trial>,
}

impl Validation {
    /// Takes the outcome of a guided run beyond the training sizes into account: a site unseen
    /// in training withdraws the validation.
    #[must_use]
    pub fn after(mut self, run: &GuidedRun) -> Self {
        self.validated &= !run.met_unseen;
        self
    }
}

/// Validates a way of learning on the sizes that were explored exhaustively.
///
/// `worst` holds those sizes with their worst costs, in ascending order. For each size `m`,
/// `learn` gets the sizes below `m` and returns the policy they teach (`None` if they teach none),
/// and `run` explores size `m` guided by it. Learning that worked at `m` from what lies below `m`
/// is evidence that it works at the next size too; having worked on its own training sizes would
/// be none.
///
/// The last two sizes must be reached, or the last one when it is at most 4: small programs
/// show their pattern before two sizes can be spared.
///
/// ```
/// use pessimum_learn::{Cost, GuidedRun, validate};
/// // The worst cost is n squared; the policy understands it once it has seen sizes 1 and 2.
/// let worst: Vec<_> = (1..=6).map(|n| (n, Cost(n * n))).collect();
/// let validation = validate(
///     &worst,
///     |below| (below.len() >= 2).then_some(()),
///     |(), n| Ok::<_, ()>(GuidedRun { cost: Some(Cost(n * n)), met_unseen: false }),
/// )?;
/// assert_eq!(validation.validated_on, [3, 4, 5, 6]);
/// assert!(validation.validated);
/// # Ok::<_, ()>(())
/// ```
pub fn validate<P, E>(
    worst: &[(u64, Cost)],
    mut learn: impl FnMut(&[u64]) -> Option<P>,
    mut run: impl FnMut(&P, u64) -> Result<GuidedRun, E>,
) -> Result<Validation, E> {
    let sizes: Vec<u64> = worst.iter().map(|&(size, _)| size).collect();
    let mut trials = Vec::new();
    for (i, &(size, worst)) in worst.iter().enumerate().skip(1) {
        if let Some(policy) = learn(&sizes[..i]) {
            let run = run(&policy, size)?;
            trials.push(Trial { size, worst, run });
        }
    }
    Ok(conclude(&sizes, trials))
}

fn conclude(sizes: &[u64], trials: Vec<Trial>) -> Validation {
    let reached = |trial: &&Trial| trial.reached();
    let validated_on: Vec<u64> = trials.iter().filter(reached).map(|t| t.size).collect();
    let needed = match sizes.last() {
        Some(&last) if last <= 4 => 1,
        _ => 2,
    };
    let last = &sizes[sizes.len().saturating_sub(needed)..];
    let all_reached = last.len() == needed && last.iter().all(|size| validated_on.contains(size));
    let last_trial = trials.last().filter(|t| Some(&t.size) == sizes.last());
    Validation {
        validated: all_reached && last_trial.is_some_and(|t| !t.run.met_unseen),
        validated_on,
        trials,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(sizes: &[u64], reached: &[u64], unseen: &[u64]) -> Validation {
        let worst: Vec<_> = sizes.iter().map(|&n| (n, Cost(10 * n))).collect();
        let run = |(): &(), n: u64| {
            Ok::<_, ()>(GuidedRun {
                cost: reached.contains(&n).then_some(Cost(10 * n)),
                met_unseen: unseen.contains(&n),
            })
        };
        validate(&worst, |_| Some(()), run).unwrap()
    }

    #[test]
    fn the_last_two_sizes_decide() {
        assert!(with(&[1, 2, 3, 4, 5], &[4, 5], &[]).validated);
        assert!(!with(&[1, 2, 3, 4, 5], &[2, 3, 5], &[]).validated);
        assert!(!with(&[1, 2, 3, 4, 5], &[2, 3, 4], &[]).validated);
    }

    #[test]
    fn up_to_size_four_the_last_one_decides() {
        assert!(with(&[1, 2], &[2], &[]).validated);
        assert!(with(&[1, 2, 3, 4], &[4], &[]).validated);
        assert!(!with(&[1, 2, 3, 4], &[2, 3], &[]).validated);
    }

    #[test]
    fn the_first_size_has_nothing_to_learn_from() {
        let validation = with(&[1], &[1], &[]);
        assert!(!validation.validated && validation.validated_on.is_empty());
        assert!(!with(&[], &[], &[]).validated);
    }

    #[test]
    fn something_unseen_at_the_last_size_is_not_validated() {
        assert!(!with(&[1, 2, 3], &[2, 3], &[3]).validated);
        // What was first met at 2 has been learned from before 3.
        let validation = with(&[1, 2, 3], &[2, 3], &[2]);
        assert!(validation.validated);
        let beyond = GuidedRun { cost: None, met_unseen: true };
        assert!(!validation.after(&beyond).validated);
    }

    #[test]
    fn the_policy_is_learned_from_smaller_sizes_only() {
        let worst: Vec<_> = (1..=4).map(|n| (n, Cost(n))).collect();
        let mut learned = Vec::new();
        let learn = |below: &[u64]| {
            learned.push(below.to_vec());
            (below.len() != 2).then_some(())
        };
        let run = |(): &(), n| {
            let cost = Some(Cost(n));
            Ok::<_, ()>(GuidedRun { cost, met_unseen: false })
        };
        let validation = validate(&worst, learn, run).unwrap();
        assert_eq!(learned, [vec![1], vec![1, 2], vec![1, 2, 3]]);
        assert_eq!(validation.validated_on, [2, 4]);
    }
}
