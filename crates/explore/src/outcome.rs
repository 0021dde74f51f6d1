//! What an exploration found.

use crate::budget::Cut;
use crate::finding::{Finding, FindingKind};
use crate::merge::Merged;
use pessimum_entry::InputValues;
use pessimum_learn::{Decision, SiteId};
use pessimum_machine::Counters;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A path's input and cost.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PathTest {
    /// The input, solved afresh from the bare path condition; `None` when the solver did not know.
    pub input: Option<InputValues>,
    /// Its cost.
    pub cost: u64,
    /// Instructions in the measured region.
    pub instructions: u64,
    /// Whether it trapped.
    pub trap: Option<pessimum_machine::Trap>,
}

impl PathTest {
    /// What a run with this input, which ended normally, has counted.
    pub fn of_run(input: InputValues, counters: Counters) -> PathTest {
        let Counters { cost, instructions, .. } = counters;
        PathTest { input: Some(input), cost, instructions, trap: None }
    }
}

/// The costliest path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// Its input and cost.
    pub test: PathTest,
    /// Its decisions.
    pub path: Vec<Decision>,
}

/// Everything counted and kept; parts explored apart are merged in the order of the tree.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Paths that ended normally.
    pub paths: u64,
    /// Paths that trapped.
    pub trapped: u64,
    /// Paths that did not end within a limit of ours: instructions, calls, time; or that never end.
    pub cut: u64,
    /// Forks over values of an address.
    pub address_forks: u64,
    /// Canonical feasibility questions.
    pub solver_calls: u64,
    /// Instructions and weighted solver steps.
    pub work: u64,
    /// Instructions executed, shared prefixes once.
    pub instructions: u64,
    /// Whether every feasible path was followed, of those that the guide allows if there was one.
    pub complete: bool,
    /// Whether sides were left out on purpose: by a guide, or since one path alone was followed.
    #[serde(default)]
    pub guided: bool,
    /// Why not, if a budget ran out.
    pub cut_by: Option<Cut>,
    /// Whether some answer of a solver was unknown, or values were dropped.
    pub uncertain: bool,
    /// The costliest normal path: first in the order of the tree among equals.
    pub worst: Option<Witness>,
    /// Least cost of a normal path.
    pub least_cost: Option<u64>,
    /// Greatest cost of a normal path, of those as well of which no input is known.
    #[serde(default)]
    pub greatest_cost: Option<u64>,
    /// Tests, in the order of the tree, as many as asked for.
    pub tests: Vec<PathTest>,
    /// Sites where a guide knew nothing.
    pub unseen: BTreeSet<SiteId>,
    /// One of each kind and place.
    #[serde(serialize_with = "save_findings", deserialize_with = "load_findings")]
    pub findings: BTreeMap<(FindingKind, u32), Finding>,
    /// What a walk that merges states counted; `None` after one that followed every path.
    #[serde(default)]
    pub merged: Option<Merged>,
    /// Threads that the tree was shared out to; 0 where one walk did it all. Nothing else depends on it.
    #[serde(skip)]
    pub threads: usize,
    /// WASI calls that answered ENOSYS.
    pub missing_calls: BTreeSet<String>,
    /// Decision strings of paths with address forks, by hash: such a path counts once, in whatever parts of the tree
    /// it is met.
    #[serde(
        default,
        skip_serializing_if = "HashSet::is_empty",
        serialize_with = "save_hashes",
        deserialize_with = "load_hashes"
    )]
    pub(crate) forked: HashSet<u128>,
}

impl Outcome {
    pub(crate) fn new() -> Outcome {
        Outcome { complete: true, ..Outcome::default() }
    }

    /// What following one path found; the rest of the tree was not looked at.
    pub fn of_one_path(worst: Witness) -> Outcome {
        Outcome {
            paths: 1,
            least_cost: Some(worst.test.cost),
            greatest_cost: Some(worst.test.cost),
            worst: Some(worst),
            guided: true,
            ..Outcome::default()
        }
    }

    /// Whether the result is a promise: everything was explored and every answer was certain.
    pub fn is_exact(&self) -> bool {
        self.complete && !self.guided && !self.uncertain && self.cut == 0
    }

    /// The greatest cost, if any path ended normally.
    pub fn worst_cost(&self) -> Option<u64> {
        self.worst.as_ref().map(|w| w.test.cost)
    }

    /// Whether every normal path had the same cost, and none was left out. A path that was cut has no
    /// cost yet: it agrees with nothing.
    pub fn cost_independent_of_input(&self) -> bool {
        let dropped = self.findings.keys().any(|(kind, _)| *kind == FindingKind::DroppedValues);
        let same = self.greatest_cost == self.least_cost && self.paths > 0;
        same && self.complete && self.cut == 0 && !dropped
    }

    pub(crate) fn note(&mut self, finding: Finding) {
        let key = (finding.kind, finding.position);
        match self.findings.get_mut(&key) {
            Some(known) => {
                known.count = known.count.saturating_add(finding.count);
                if known.input.is_none() {
                    known.input = finding.input;
                }
            }
            None => {
                self.findings.insert(key, finding);
            }
        }
    }

    /// Adds what another walk found, in a part of the tree that may be the same.
    pub fn absorb(&mut self, other: Outcome) {
        self.merge(other, usize::MAX);
    }

    /// What was found before anything was looked at: nothing is missing yet.
    pub fn nothing() -> Outcome {
        Outcome::new()
    }

    /// Adds what was found in a later part of the tree, with as many tests as asked for altogether.
    pub fn merge(&mut self, later: Outcome, max_tests: usize) {
        // Parts may come from files, which may say anything.
        let add = |sum: &mut u64, part: u64| *sum = sum.saturating_add(part);
        add(&mut self.trapped, later.trapped);
        add(&mut self.cut, later.cut);
        add(&mut self.address_forks, later.address_forks);
        add(&mut self.solver_calls, later.solver_calls);
        add(&mut self.work, later.work);
        add(&mut self.instructions, later.instructions);
        self.complete &= later.complete;
        self.guided |= later.guided;
        self.cut_by = self.cut_by.or(later.cut_by);
        self.uncertain |= later.uncertain;
        add(&mut self.paths, later.paths);
        for hash in later.forked {
            if !self.forked.insert(hash) {
                self.paths = self.paths.saturating_sub(1);
            }
        }
        if let Some(witness) = later.worst
            && self.worst_cost().is_none_or(|mine| witness.test.cost > mine)
        {
            self.worst = Some(witness);
        }
        self.least_cost = match (self.least_cost, later.least_cost) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.greatest_cost = self.greatest_cost.max(later.greatest_cost);
        let room = max_tests.saturating_sub(self.tests.len());
        self.tests.extend(later.tests.into_iter().take(room));
        self.unseen.extend(later.unseen);
        for finding in later.findings.into_values() {
            self.note(finding);
        }
        self.missing_calls.extend(later.missing_calls);
    }
}

/// The saved form is a list: the key of each finding is in it.
fn save_findings<S: Serializer>(
    findings: &BTreeMap<(FindingKind, u32), Finding>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.values())
}

fn load_findings<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<(FindingKind, u32), Finding>, D::Error> {
    let findings = Vec::<Finding>::deserialize(deserializer)?;
    Ok(findings.into_iter().map(|f| ((f.kind, f.position), f)).collect())
}

/// Sorted, so that the same outcome is saved as the same bytes.
fn save_hashes<S: Serializer>(hashes: &HashSet<u128>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut hashes: Vec<u128> = hashes.iter().copied().collect();
    hashes.sort_unstable();
    serializer.collect_seq(hashes.into_iter().map(|hash| format!("{hash:032x}")))
}

fn load_hashes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<HashSet<u128>, D::Error> {
    let hashes = Vec::<String>::deserialize(deserializer)?.into_iter();
    let hashes = hashes.map(|hash| u128::from_str_radix(&hash, 16));
    hashes.collect::<Result<_, _>>().map_err(serde::de::Error::custom)
}
