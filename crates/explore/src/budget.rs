//! When to stop: time, memory, number of paths, or the user.

use crate::outcome::Outcome;
use pessimum_clock::Deadline;
use pessimum_solver::Config;
use std::sync::atomic::AtomicU64;

/// Why an exploration ended before its tree did.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Cut {
    /// `--max-paths`.
    Paths,
    /// A limit in work units.
    Work,
    /// `--memory`.
    Memory,
    /// `--time`.
    Time,
    /// The user asked to stop.
    Interrupted,
}

impl Cut {
    /// The word for it in results.
    pub fn name(self) -> &'static str {
        match self {
            Cut::Paths => "max-paths",
            Cut::Work => "work",
            Cut::Memory => "memory",
            Cut::Time => "time",
            Cut::Interrupted => "interrupt",
        }
    }
}

/// Work that every question may take.
const LEAST_QUESTION: u64 = 800_000;

/// Limits of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When to stop in any case: the clock or the user.
    pub deadline: Deadline,
    /// Bytes of resident memory.
    pub memory: Option<u64>,
    /// Paths, of any end.
    pub paths: Option<u64>,
    /// Instructions and weighted solver steps: the same on every machine.
    pub work: Option<u64>,
}

impl Budget {
    /// What ends everything at this moment: the user or the clock.
    pub fn stopped_by(&self) -> Option<Cut> {
        if self.deadline.is_cancelled() {
            return Some(Cut::Interrupted);
        }
        self.deadline.is_over().then_some(Cut::Time)
    }

    /// Whether the user or the clock ends everything at this moment.
    pub fn is_over(&self) -> bool {
        self.stopped_by().is_some()
    }

    /// What one question to the solver may take: not all that the walk has. Never so little that an ordinary question is
    /// left open.
    pub fn one_question(&self) -> u64 {
        let part = self.work.map_or(u64::MAX, |work| (work / 8).max(LEAST_QUESTION));
        Config::default().blast_work.min(part)
    }

    /// Whether a walk that took so much work within another budget would have gone the same way within this one.
    pub fn leads_as(&self, given: &Budget, work: u64) -> bool {
        let (one, other) = (given.one_question(), self.one_question());
        let fits = |budget: &Budget| budget.work.is_none_or(|limit| work <= limit);
        given.work == self.work
            || fits(given) && fits(self) && (one == other || work <= one.min(other))
    }

    /// What a walk that found this has used up, if anything.
    pub(crate) fn used_up(&self, found: &Outcome) -> Option<Cut> {
        let paths = found.paths + found.trapped + found.cut;
        if found.cut_by.is_some() {
            return found.cut_by;
        }
        if self.paths.is_some_and(|limit| paths >= limit) {
            return Some(Cut::Paths);
        }
        self.work.is_some_and(|limit| found.work > limit).then_some(Cut::Work)
    }

    /// What is left after a walk that found this.
    pub(crate) fn without(&self, found: &Outcome) -> Budget {
        let paths = found.paths + found.trapped + found.cut;
        Budget {
            paths: self.paths.map(|limit| limit.saturating_sub(paths)),
            work: self.work.map(|limit| limit.saturating_sub(found.work)),
            ..self.clone()
        }
    }

    /// What is used up, if anything; looks at the clock and at the process's memory.
    pub(crate) fn exhausted(&self) -> Option<Cut> {
        let stopped = self.stopped_by();
        if stopped.is_some() {
            return stopped;
        }
        if self.memory.is_some_and(|limit| resident_bytes().is_some_and(|used| used > limit)) {
            return Some(Cut::Memory);
        }
        None
    }
}

/// Counters that a progress display may read while an exploration runs.
#[derive(Debug, Default)]
pub struct Progress {
    /// Paths that ended.
    pub paths: AtomicU64,
    /// Greatest cost seen.
    pub worst: AtomicU64,
    /// Decisions on the present path.
    pub depth: AtomicU64,
}

/// The memory that was ever asked for: a module gives none back.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn resident_bytes() -> Option<u64> {
    const PAGE: u64 = 65536;
    Some(core::arch::wasm32::memory_size::<0>() as u64 * PAGE)
}

/// Resident memory of the process, where the system tells.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
