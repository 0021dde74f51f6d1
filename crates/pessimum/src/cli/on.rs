//! `explore --on hq`: the jobs of an exploration on the machines of a queue.
//!
//! What is done is told by the folder of the jobs alone. What is on the queue is kept beside it, so that the same call
//! goes on after it was killed: it gives to the queue what is neither done nor there, whatever has become of the
//! workers, of the server or of itself.

use super::Failure;
use super::args::{ExploreArgs, MergeMode, PlanArgs, Strategy, TimeArgs};
use super::files::{Out, regular, write};
use super::jobs::{Opening, plan};
use super::limits::{self, Limits};
use super::options::interruptible;
use super::progress::live_line;
use pessimum::{JobId, JobsTally};
use pessimum_queue::{HyperQueue, Local, QueueError, WORD};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
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
    fn find(folder: &Path) -> Result<Server, Failure> {
        let running = HyperQueue::at(None);
        match running.runs()? {
            true => Ok(Server::Found(running)),
            false => Ok(Server::Ours(Local::start(&folder.join("hq"))?)),
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
            match runs {
                true => local.tend()?,
                false => *local = Local::start(&folder.join("hq"))?,
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
    let mut work = Work::of(&folder);
    let mut tally = JobsTally::default();
    let done = work.wait(&opened, &mut tally, late, |line| {
        limits::so_far(line);
        bar.set_message(line.to_owned());
    });
    bar.finish_and_clear();
    done?;
    opened.gather(args.run.json.as_deref(), args.run.quiet, out)
}

/// What is on the queue for a folder of jobs.
struct Work {
    folder: PathBuf,
    arrays: Vec<Array>,
    tries: BTreeMap<String, u32>,
}

impl Work {
    /// What an earlier call has given to the queue. Where that cannot be told, jobs are given once more than they had
    /// to be: they are found done, or done twice.
    fn of(folder: &Path) -> Work {
        let kept = regular(&folder.join("hq.json"), KEPT).ok();
        let arrays = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let folder = folder.to_owned();
        Work { folder, arrays: arrays.unwrap_or_default(), tries: BTreeMap::new() }
    }

    /// Gives jobs to the queue until all are done, or it is late.
    fn wait(
        &mut self,
        opened: &Opening,
        tally: &mut JobsTally,
        late: impl Fn() -> bool,
        mut tell: impl FnMut(&str),
    ) -> Result<(), Failure> {
        opened.jobs.look(tally)?;
        if tally.missing.is_empty() {
            return Ok(());
        }
        let mut server = Server::find(&self.folder)?;
        while !late() {
            if !server.tend(&self.folder)? {
                tell("the server of HyperQueue is gone: waiting for it");
                std::thread::sleep(EVERY);
                continue;
            }
            // Before the folder: what has ended since is seen there.
            self.forget_what_has_ended(server.queue())?;
            opened.jobs.look(tally)?;
            tell(&format!("{} of {} jobs are done", tally.done(), tally.known()));
            if tally.missing.is_empty() {
                if let Server::Ours(local) = &server {
                    local.queue().stop()?;
                }
                return Ok(());
            }
            let queued: BTreeSet<&String> = self.arrays.iter().flat_map(|a| &a.jobs).collect();
            let names = tally.missing.iter().map(JobId::to_string);
            let new: BTreeSet<String> = names.filter(|name| !queued.contains(name)).collect();
            if !new.is_empty() {
                self.submit(server.queue(), new)?;
            }
            std::thread::sleep(EVERY);
        }
        Ok(())
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
            let tries = self.tries.entry(job.clone()).or_default();
            *tries += 1;
            if *tries > TRIES {
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
            // The jobs are still missing, and given to it when it is back.
            Err(_) if !queue.runs()? => return Ok(()),
            Err(why) => return Err(why.into()),
        };
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
