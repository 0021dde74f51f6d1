//! `explore --on hq`: the jobs of an exploration on the machines of a queue. `analyze --on hq`: the parts of its training sizes.
//!
//! What is done is told by the folder of the jobs alone. What is on the queue is kept beside it, so that the same call
//! goes on after it was killed: it gives to the queue what is neither done nor there, whatever has become of the
//! workers, of the server or of itself.

use super::Failure;
use super::args::{ExploreArgs, JobArgs, MergeMode, PlanArgs, Strategy, TimeArgs};
use super::files::{Out, regular, write};
use super::jobs::{Called, Opening, plan};
use super::limits::{self, Limits};
use super::module::Opened;
use super::options::{cost_model, interruptible};
use super::progress::live_line;
use pessimum::{
    Cut, Elsewhere, Error, JobId, JobsTally, PartFound, Parts, PartsWanted, SizeElsewhere,
};
use pessimum_queue::{HyperQueue, Local, QueueError, WORD};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the queue and the folder are looked at.
const EVERY: Duration = Duration::from_millis(500);

/// How often a job is given to the queue until it is said not to work.
const TRIES: u32 = 3;

/// Bytes of what is kept of the queue: the names of jobs.
const KEPT: u64 = 64 << 20;

impl From<QueueError> for Failure {
    fn from(error: QueueError) -> Failure {
        Failure::usage(error.to_string())
    }
}

/// An array of tasks on the queue.
#[derive(Serialize, Deserialize)]
struct Array {
    number: u64,
    /// The jobs it is for.
    jobs: BTreeSet<String>,
}

/// The server that runs, or one of our own.
enum Server {
    Found(HyperQueue),
    Ours(Local),
}

impl Server {
    /// The one that runs, or one of our own in a folder.
    fn find(folder: &Path) -> Result<Server, Failure> {
        let running = HyperQueue::at(None);
        match running.runs()? {
            true => Ok(Server::Found(running)),
            false => Ok(Server::Ours(Local::start(folder)?)),
        }
    }

    fn queue(&self) -> &HyperQueue {
        match self {
            Server::Found(queue) => queue,
            Server::Ours(local) => local.queue(),
        }
    }

    /// Whether it runs. One of our own is started again, with a worker where none is left.
    fn tend(&mut self, folder: &Path) -> Result<bool, QueueError> {
        let runs = self.queue().runs()?;
        if let Server::Ours(local) = self {
            if !runs {
                *local = Local::start(folder)?;
            } else if let Err(why) = local.tend() {
                // One that ended just now is started at the next look.
                return if local.queue().runs()? { Err(why) } else { Ok(false) };
            }
        }
        Ok(runs)
    }
}

/// `explore --on hq`
pub(super) fn on_hyperqueue(args: &ExploreArgs, folder: &Path, out: &Out) -> Result<u8, Failure> {
    let planned = plan_args(args, folder)?;
    plan(&planned, folder, out)?;
    let folder = std::path::absolute(folder)
        .map_err(|why| Failure::usage(format!("{}: {why}", folder.display())))?;
    let limits = Limits::start(args.run.time, args.run.memory);
    let opened = Opening::of(&folder, limits, out)?;
    let bar = live_line(out, args.run.quiet, limits.deadline);
    let cancel = interruptible();
    let late = || Instant::now() >= limits.deadline || cancel.load(Ordering::Relaxed);
    let mut tally = JobsTally::default();
    let look = || -> Result<Looked, Failure> {
        opened.jobs.look(&mut tally)?;
        Ok(Looked { done: tally.done(), missing: tally.missing.clone() })
    };
    let mut server = None;
    let done = Work::of(&folder).wait(&mut server, &folder.join("hq"), look, late, |line| {
        limits::so_far(line);
        bar.set_message(line.to_owned());
    });
    bar.finish_and_clear();
    if done? {
        stop(server.as_ref())?;
    }
    opened.gather(args.run.json.as_deref(), args.run.quiet, out)
}

/// Stops a server of our own.
fn stop(server: Option<&Server>) -> Result<(), QueueError> {
    match server {
        Some(Server::Ours(local)) => local.queue().stop(),
        _ => Ok(()),
    }
}

/// The training sizes of an analysis, as tasks on a queue.
pub(super) struct OnQueue {
    job: JobArgs,
    module: Opened,
    /// Where the parts are, and the server if it is one of our own.
    folder: PathBuf,
    limits: Limits,
    cancel: Arc<AtomicBool>,
    server: Mutex<Option<Server>>,
}

impl OnQueue {
    /// For an analysis that keeps its steps in a folder.
    pub(super) fn of(
        job: &JobArgs,
        module: &Opened,
        folder: &Path,
        limits: Limits,
    ) -> Result<OnQueue, Failure> {
        let folder = std::path::absolute(folder.join("parts"))
            .map_err(|why| Failure::usage(format!("{}: {why}", folder.display())))?;
        Ok(OnQueue {
            job: job.clone(),
            module: Opened { name: module.name.clone(), bytes: module.bytes.clone(), ..*module },
            folder,
            limits,
            cancel: interruptible(),
            server: Mutex::new(None),
        })
    }

    /// The program as it is priced for a size: what is learned from may be another cost than what is reported.
    fn called(&self, size: &SizeElsewhere<'_>) -> Result<Called, Failure> {
        let mut program = self.job.program.clone();
        let priced = size.target.module().cost_model().to_string();
        if let Some(cost) = &self.job.learn.learn_cost
            && cost_model(cost)?.to_string() == priced
        {
            program.cost.clone_from(cost);
        }
        Called::of(&program, &self.module)
    }

    /// Has the parts of a size walked; `None` where it is late.
    fn walked(&self, size: &SizeElsewhere<'_>) -> Result<Option<Vec<PartFound>>, Failure> {
        let SizeElsewhere { n, history_all, work, tree, .. } = *size;
        let call = serde_json::to_value(self.called(size)?)
            .map_err(|why| Failure::usage(why.to_string()))?;
        let wanted = PartsWanted { call, n, history_all, work, tree: tree.clone() };
        let parts = Parts::plan(&self.folder, &self.module.bytes, wanted)?;
        let mut done = BTreeSet::new();
        let look = || -> Result<Looked, Failure> {
            let missing = parts.missing_but(&mut done)?;
            Ok(Looked { done: done.len(), missing })
        };
        let late = || Instant::now() >= self.limits.deadline || self.cancel.load(Ordering::Relaxed);
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        let own = self.folder.join("hq");
        let mut queued = Work::of(parts.folder());
        match queued.wait(&mut server, &own, look, late, |_| {})? {
            true => Ok(parts.gather()?),
            false => Ok(None),
        }
    }
}

impl Elsewhere for OnQueue {
    fn walk(&self, size: &SizeElsewhere<'_>) -> Result<Vec<PartFound>, Error> {
        let walked =
            self.walked(size).map_err(|failure| Error::Elsewhere(failure.lines.join(" ")))?;
        walked.ok_or_else(|| match self.cancel.load(Ordering::Relaxed) {
            true => Error::OutOfBudget(Cut::Interrupt),
            false => Error::OutOfBudget(Cut::Time),
        })
    }
}

impl Drop for OnQueue {
    /// What was given to a server that others see goes on; one of our own is of no use any more.
    fn drop(&mut self) {
        let server = self.server.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = stop(server.as_ref());
    }
}

/// How far the jobs of a folder have come.
struct Looked {
    done: usize,
    missing: Vec<JobId>,
}

/// What is on the queue for a folder of jobs.
struct Work {
    folder: PathBuf,
    arrays: Vec<Array>,
    tries: BTreeMap<String, u32>,
    /// How often in a row the queue took no jobs.
    refused: u32,
}

impl Work {
    /// What an earlier call has given to the queue. Where that cannot be told, jobs are given once more than they had
    /// to be: they are found done, or done twice.
    fn of(folder: &Path) -> Work {
        let kept = regular(&folder.join("hq.json"), KEPT).ok();
        let arrays = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let folder = folder.to_owned();
        let arrays = arrays.unwrap_or_default();
        Work { folder, arrays, tries: BTreeMap::new(), refused: 0 }
    }

    /// Gives jobs to the queue until all are done, or it is late; whether all are done. A server is looked for, or started in a
    /// folder, when the first job has to be done.
    fn wait(
        &mut self,
        server: &mut Option<Server>,
        own: &Path,
        mut look: impl FnMut() -> Result<Looked, Failure>,
        late: impl Fn() -> bool,
        mut tell: impl FnMut(&str),
    ) -> Result<bool, Failure> {
        if look()?.missing.is_empty() {
            return Ok(true);
        }
        let server = match server {
            Some(server) => server,
            None => server.insert(Server::find(own)?),
        };
        while !late() {
            if !server.tend(own)? {
                tell("the server of HyperQueue is gone: waiting for it");
                std::thread::sleep(EVERY);
                continue;
            }
            // Before the folder: what has ended since is seen there.
            self.forget_what_has_ended(server.queue())?;
            let Looked { done, missing } = look()?;
            tell(&format!("{done} of {} jobs are done", done + missing.len()));
            if missing.is_empty() {
                return Ok(true);
            }
            let queued: BTreeSet<&String> = self.arrays.iter().flat_map(|a| &a.jobs).collect();
            let names = missing.iter().map(JobId::to_string);
            let new: BTreeSet<String> = names.filter(|name| !queued.contains(name)).collect();
            if !new.is_empty() {
                self.submit(server.queue(), new)?;
            }
            std::thread::sleep(EVERY);
        }
        Ok(false)
    }

    fn forget_what_has_ended(&mut self, queue: &HyperQueue) -> Result<(), Failure> {
        let mut left = Vec::new();
        for array in self.arrays.drain(..) {
            if queue.unfinished(array.number)?.is_none_or(|tasks| tasks > 0) {
                left.push(array);
            }
        }
        self.arrays = left;
        Ok(())
    }

    fn submit(&mut self, queue: &HyperQueue, jobs: BTreeSet<String>) -> Result<(), Failure> {
        let folder = self.folder.display();
        for job in &jobs {
            if self.tries.get(job).is_some_and(|tries| *tries >= TRIES) {
                return Err(Failure::usage(format!(
                    "job {job} was tried {TRIES} times on the queue and is not done: `pessimum jobs run {folder} {job}` says why"
                )));
            }
        }
        let lines = self.folder.join("hq.lines");
        let text: String = jobs.iter().map(|job| format!("{job}\n")).collect();
        write(&lines, text.as_bytes())?;
        let program = std::env::current_exe().map_err(|why| {
            Failure::usage(format!("where this program is cannot be told: {why}"))
        })?;
        let words = ["jobs".into(), "run".into(), self.folder.clone().into_os_string()];
        let named = ["--env", WORD, "--quiet"].map(OsString::from);
        let command = [program.into_os_string()].into_iter().chain(words).chain(named);
        let number = match queue.submit("pessimum", &lines, command) {
            Ok(number) => number,
            // The jobs are still missing, and given to it at the next look. A server that is gone is waited for; it may also have been
            // gone for a moment, and be back when it is asked.
            Err(why) => {
                self.refused += u32::from(queue.runs()?);
                return if self.refused < TRIES { Ok(()) } else { Err(why.into()) };
            }
        };
        self.refused = 0;
        for job in &jobs {
            *self.tries.entry(job.clone()).or_default() += 1;
        }
        self.arrays.push(Array { number, jobs });
        let kept = serde_json::to_vec(&self.arrays).map_err(|e| Failure::usage(e.to_string()))?;
        write(&self.folder.join("hq.json"), &kept)
    }
}

/// The plan that `explore` asks for, if jobs can do what it asks.
fn plan_args(args: &ExploreArgs, folder: &Path) -> Result<PlanArgs, Failure> {
    let refused = [
        (args.strategy == Strategy::Search, "--strategy search", "it follows one path at a time"),
        (args.run.max_paths.is_some(), "--max-paths", "jobs do not know of each other's paths"),
        (args.run.inputs.is_some(), "--inputs", "jobs keep no more than --max-tests tests"),
        (
            matches!(args.merge, MergeMode::On | MergeMode::Verify),
            "--merge",
            "states are kept in one table, and jobs share none",
        ),
    ];
    if let Some((_, flag, why)) = refused.iter().find(|(asked, ..)| *asked) {
        return Err(Failure::usage(format!("{flag} cannot stand beside --on hq: {why}")));
    }
    Ok(PlanArgs {
        program: args.program.clone(),
        size: args.size.clone(),
        out: folder.to_owned(),
        jobs: args.jobs,
        share: args.share,
        max_tests: args.max_tests,
        include_traps: args.run.include_traps,
        limits: TimeArgs { time: Some(args.run.time), memory: args.run.memory },
        quiet: args.run.quiet,
        build: args.build.clone(),
    })
}
