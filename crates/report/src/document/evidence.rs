//! What a result rests on, as the documents carry it: methods, cuts, bases, bounds. The words of the
//! JSON are made here and nowhere else.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// How the worst input of a size was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Every feasible path was followed.
    Exhaustive,
    /// Every feasible path was followed, or has the future of one that was.
    Merged,
    /// A WISE branch policy.
    Wise,
    /// A policy without memory.
    Memoryless,
    /// A policy over the last decisions.
    History,
    /// The path condition was written down and solved.
    Synth,
    /// A policy that learned later branches in guided runs.
    Staged,
    /// A search, a random sample or a seed.
    Search,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 8] = [
        Method::Exhaustive,
        Method::Merged,
        Method::Wise,
        Method::Memoryless,
        Method::History,
        Method::Synth,
        Method::Staged,
        Method::Search,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Method::Exhaustive => "exhaustive",
            Method::Merged => "merged",
            Method::Wise => "wise",
            Method::Memoryless => "memoryless",
            Method::History => "history",
            Method::Synth => "synth",
            Method::Staged => "staged",
            Method::Search => "search",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What cut a run or a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// `--max-paths`.
    MaxPaths,
    /// A part of the work, as the schedule has it.
    Work,
    /// `--memory`.
    Memory,
    /// `--time`.
    Time,
    /// The user asked to stop.
    Interrupt,
    /// Too many structures to be generated.
    Structures,
}

impl Cut {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Cut::MaxPaths => "max-paths",
            Cut::Work => "work",
            Cut::Memory => "memory",
            Cut::Time => "time",
            Cut::Interrupt => "interrupt",
            Cut::Structures => "structures",
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What the independent engine confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replayed {
    /// It counted the same cost.
    Cost,
    /// It took the same branches.
    Trace,
    /// Nothing: the run is longer than any that is made. It was not made here either, since calls in it
    /// that were made before were not made again.
    #[serde(rename = "no: too long")]
    TooLong,
    /// Nothing: the run would have taken more time than was left.
    #[serde(rename = "no: out of time")]
    OutOfTime,
}

impl Replayed {
    /// Whether it confirmed anything.
    pub fn is_confirmed(self) -> bool {
        matches!(self, Replayed::Cost | Replayed::Trace)
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Replayed::Cost => "cost",
            Replayed::Trace => "trace",
            Replayed::TooLong => "no: too long",
            Replayed::OutOfTime => "no: out of time",
        })
    }
}

/// What the costs of a result rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Every size with a cost is exact, and there is at least one.
    Proven,
    /// Exact sizes, and beyond them a policy that was validated.
    Validated,
    /// Inputs that were found.
    LowerBound,
}

impl Basis {
    /// What such costs bound.
    pub fn bound(self) -> Bound {
        match self {
            Basis::Proven | Basis::Validated => Bound::Exact,
            Basis::LowerBound => Bound::AtLeast,
        }
    }
}

/// What the class of a result says of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The growth of the worst case: printed `O(…)`.
    Exact,
    /// The growth of inputs that were found, worse ones are not ruled out: printed `Ω(…)`.
    AtLeast,
}

/// How clearly the costs tell their class from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A formula meets the costs and predicted some of them.
    Exact,
    /// One class is left.
    Clear,
    /// The next best class is behind. Only in documents of schema 1.
    Likely,
    /// Several classes are left.
    Unsure,
    /// The sizes are too few, or too wild, to tell any class from none.
    TooFewSizes,
}

/// Whether the cost depends on the input at all: `true`, `"not_found"` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Independence {
    /// Every size was explored in full, every path ended, and every run agrees.
    Proven,
    /// The exact sizes and all runs agree; larger sizes were not exhausted.
    NotFound,
    /// Two inputs of one size differ in cost, or nobody can tell.
    No,
}

impl Serialize for Independence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Independence::Proven => serializer.serialize_bool(true),
            Independence::NotFound => serializer.serialize_str("not_found"),
            Independence::No => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for Independence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Flag(bool),
            Word(String),
        }
        match Said::deserialize(deserializer)? {
            Said::Flag(true) => Ok(Independence::Proven),
            Said::Flag(false) => Ok(Independence::No),
            Said::Word(word) if word == "not_found" => Ok(Independence::NotFound),
            Said::Word(word) => {
                Err(de::Error::custom(format!("`{word}` is none of true, false, \"not_found\"")))
            }
        }
    }
}

/// What a size took. It depends on how the walk was shared and merged, and on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Canonical solver queries.
    pub solver_calls: u64,
    /// States that merging told apart; 0 where nothing was merged.
    #[serde(default)]
    pub states: u64,
    /// States that were met again.
    #[serde(default)]
    pub reuses: u64,
    /// Wall-clock time.
    pub seconds: f64,
}

/// What the search that tried to refute the claim took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refuting {
    /// Work units.
    pub work: u64,
    /// Inputs that were run.
    pub runs: u64,
}
