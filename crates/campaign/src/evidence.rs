//! What a size shows, as values of types: how its worst input was found, and what may be claimed.
//!
//! The strategy that found the input makes the claim. Later code can only weaken it: the fields are private,
//! and no method makes a claim stronger.

use pessimum_explore::{self as explore, Count, Outcome, PathTest};
use pessimum_report::document;
use serde::{Deserialize, Serialize};

/// How the worst input of a size was found.
pub use pessimum_report::document::Method;

/// What cut a run or a size.
pub use pessimum_report::document::Cut;

/// What the worst cost of a size is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Claim {
    /// Every feasible path was explored, or is known to have the future of one that was.
    Exact,
    /// Every path that a policy allows was followed to its end.
    Followed {
        /// The kind of policy.
        policy: Method,
        /// Whether the policy reached the exhaustive worst cost at exact sizes it had not seen.
        validated: bool,
    },
    /// An input costs as much; whether a worse one exists is not known.
    Reached {
        /// What found it.
        by: Method,
    },
}

impl Claim {
    /// Whether the cost is a promise.
    pub fn is_exact(self) -> bool {
        self == Claim::Exact
    }
}

/// How the independent engine disagreed with our own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Mismatch {
    /// It counted another cost.
    Cost {
        /// Ours.
        ours: u64,
        /// That of the independent engine.
        theirs: u64,
    },
    /// It took other branches.
    Trace,
    /// It did not end as ours did.
    End {
        /// How it ended.
        theirs: String,
    },
}

/// What the independent engine confirmed of an input.
pub use pessimum_report::document::Replayed;

/// One size: the report of the walk that looked at it, which nobody changes afterwards, and the worst
/// input that is known, with what may be claimed of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SizeEvidence {
    walk: Outcome,
    worst: Option<PathTest>,
    method: Method,
    claim: Claim,
    cut: Option<Cut>,
    /// How the independent engine disagreed, if it did.
    mismatch: Option<Mismatch>,
    seconds: f64,
}

impl SizeEvidence {
    /// A size that nobody has looked at.
    pub(crate) fn nothing() -> SizeEvidence {
        SizeEvidence::searched(Outcome::default(), 0.0)
    }

    /// A walk that left no feasible path out, unless it was cut or an answer was unknown.
    pub(crate) fn explored(walk: Outcome, seconds: f64) -> SizeEvidence {
        let (method, claim) = explored(&walk);
        SizeEvidence::new(walk, method, claim, seconds)
    }

    /// A walk along the paths that a policy allows.
    pub(crate) fn followed(
        walk: Outcome,
        policy: Method,
        validated: bool,
        seconds: f64,
    ) -> SizeEvidence {
        // A path that was cut off, or of which no input is known, may be the worst of them.
        let to_the_end = walk.complete && walk.cut == 0 && walk.worst.is_some();
        let to_the_end = to_the_end && walk.greatest_cost == walk.worst_cost();
        // A branch that training never met is one the policy says nothing of.
        let validated = validated && walk.unseen.is_empty();
        let claim = match to_the_end {
            true => Claim::Followed { policy, validated },
            false => Claim::Reached { by: policy },
        };
        SizeEvidence::new(walk, policy, claim, seconds)
    }

    /// A walk that looked for costly paths.
    pub(crate) fn searched(walk: Outcome, seconds: f64) -> SizeEvidence {
        let claim = Claim::Reached { by: Method::Search };
        SizeEvidence::new(walk, Method::Search, claim, seconds)
    }

    fn new(walk: Outcome, method: Method, claim: Claim, seconds: f64) -> SizeEvidence {
        let worst = walk.worst.as_ref().map(|witness| witness.test.clone());
        let cut = walk.cut_by.map(cut);
        SizeEvidence { walk, worst, method, claim, cut, mismatch: None, seconds }
    }

    /// Puts a costlier input that was found by running into the place of what the walk found.
    pub(crate) fn surpass(&mut self, test: PathTest) {
        debug_assert!(self.worst_cost().is_none_or(|cost| cost < test.cost));
        self.worst = Some(test);
        self.method = Method::Search;
        self.claim = Claim::Reached { by: Method::Search };
    }

    /// Takes every claim from the size: the two engines disagree on an input of it.
    pub(crate) fn disagree(&mut self, mismatch: Mismatch) {
        self.claim = Claim::Reached { by: self.method };
        self.mismatch.get_or_insert(mismatch);
    }

    /// The policy that was followed, if one was, is not validated after all.
    pub(crate) fn doubt(&mut self) {
        if let Claim::Followed { validated, .. } = &mut self.claim {
            *validated = false;
        }
    }

    /// Says that something else than the walk was cut short.
    pub(crate) fn cut_short(&mut self, by: Cut) {
        self.cut.get_or_insert(by);
    }

    /// Adds time that was spent on the size.
    pub(crate) fn took(&mut self, seconds: f64) {
        self.seconds += seconds;
    }

    /// The report of the walk.
    pub(crate) fn walk(&self) -> &Outcome {
        &self.walk
    }

    /// The worst input that is known, unless the engines disagree on the size.
    pub(crate) fn worst(&self) -> Option<&PathTest> {
        self.worst.as_ref().filter(|_| self.mismatch.is_none())
    }

    /// Paths that were followed, or are known to have the future of one that was; `None` where they
    /// were not counted.
    pub(crate) fn paths(&self) -> Option<Count> {
        match &self.walk.merged {
            Some(merged) => merged.paths.clone(),
            None => Some(Count::from(self.walk.paths)),
        }
    }

    /// Its cost.
    pub(crate) fn worst_cost(&self) -> Option<u64> {
        self.worst().map(|test| test.cost)
    }

    /// Whether the engines disagree on an input of the size.
    pub(crate) fn is_disputed(&self) -> bool {
        self.mismatch.is_some()
    }

    /// How it was found.
    pub(crate) fn method(&self) -> Method {
        self.method
    }

    /// What may be claimed of it.
    pub(crate) fn claim(&self) -> Claim {
        self.claim
    }

    /// What cut the size, if anything did.
    pub(crate) fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Whether what the walk set out to do was done, and nothing worse was found.
    pub(crate) fn is_settled(&self) -> bool {
        self.walk.complete && self.claim != Claim::Reached { by: Method::Search }
    }

    /// Whether the cost may be below that of a smaller size: it is exact, or a validated policy led to it. What
    /// another policy or a search finds there tells of them, and not of the program.
    pub(crate) fn may_be_below(&self) -> bool {
        self.claim.is_exact() || matches!(self.claim, Claim::Followed { validated: true, .. })
    }

    /// Whether a search had the last word.
    pub(crate) fn was_searched(&self) -> bool {
        self.claim == Claim::Reached { by: Method::Search }
    }

    /// What the size took.
    pub(crate) fn effort(&self) -> document::Effort {
        let merged = self.walk.merged.as_ref();
        document::Effort {
            solver_calls: self.walk.solver_calls,
            states: merged.map_or(0, |merged| merged.states),
            reuses: merged.map_or(0, |merged| merged.reuses),
            seconds: self.seconds,
        }
    }

    /// Wall-clock time.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// How a walk of all paths found its worst one, and what may be claimed of it: the only place where *exact* is made.
pub(crate) fn explored(walk: &Outcome) -> (Method, Claim) {
    let method = match &walk.merged {
        Some(merged) if merged.reuses > 0 => Method::Merged,
        _ => Method::Exhaustive,
    };
    match walk.is_exact() {
        true => (method, Claim::Exact),
        false => (method, Claim::Reached { by: method }),
    }
}

/// A cut of a walk, as results name it.
pub(crate) fn cut(by: explore::Cut) -> Cut {
    match by {
        explore::Cut::Paths => Cut::MaxPaths,
        explore::Cut::Work => Cut::Work,
        explore::Cut::Memory => Cut::Memory,
        explore::Cut::Time => Cut::Time,
        explore::Cut::Interrupted => Cut::Interrupt,
    }
}
