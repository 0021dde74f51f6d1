//! A tree that is walked by many processes: jobs as files in a folder.
//!
//! ```text
//! DIR/module.wasm      the module
//! DIR/plan.json        the call, the sizes, the options that decide the tree; the jobs of each size
//! DIR/jobs/17.json     a job: parts of the tree, by the decisions that lead to them
//! DIR/done/17.json     what was found there, and which jobs were handed back
//! DIR/jobs/17.2.json   one of those
//! ```
//!
//! The folder is all that jobs share. Each file is written beside its place and renamed; a job is done when its file
//! in `done/` is there, and nothing else says so. Done twice, it gives the same. A job refers to others by the checksum
//! of their files, so that what one run handed back is never taken for what another did.

mod files;
mod id;
mod parts;

pub use id::JobId;
pub use parts::{PartFound, Parts, PartsWanted};

use crate::checkpoint::write_whole;
use crate::error::Error;
use crate::evidence::cut;
use crate::exploration::{Exploration, publish_walk};
use crate::target::Target;
use files::{Belonging, Sealed, Unread};
use pessimum_clock::Instant;
use pessimum_explore::{Options, Outcome, Piece, SubtreeError, explore_pieces, packed, split};
use pessimum_report::document;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is to be shared out, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JobsWanted {
    /// Whoever plans says here what is called and how, to be told when the folder is opened.
    pub call: serde_json::Value,
    /// The sizes.
    pub sizes: Vec<u64>,
    /// Jobs of each size, at most.
    pub jobs: usize,
    /// Work of a job after which it hands the rest back.
    pub share: u64,
}

/// A folder of jobs.
#[derive(Clone, Debug)]
pub struct Jobs {
    folder: PathBuf,
    belonging: Belonging,
    module: Arc<[u8]>,
    plan: Plan,
}

/// What a plan says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    wanted: JobsWanted,
    /// The checksums of the jobs of each size, in the order of the tree.
    jobs: Vec<Vec<String>>,
}

/// A job.
#[derive(Serialize, Deserialize)]
struct Job {
    n: u64,
    /// Tests that are wanted of it, at most: as many as are not known to come before it in the tree.
    tests: usize,
    pieces: Vec<Piece>,
}

impl Job {
    /// A job behind which so many tests are still wanted, less those that it brings along.
    fn new(n: u64, mut pieces: Vec<Piece>, wanted: &mut usize) -> Job {
        let tests = *wanted;
        for piece in &mut pieces {
            if let Piece::Found(found) = piece {
                found.tests.truncate(*wanted);
                *wanted -= found.tests.len();
                forget_path(found);
            }
        }
        Job { n, tests, pieces }
    }
}

/// Leaves out the decisions of the worst path, which take most of the room: nobody learns from what was gathered.
fn forget_path(found: &mut Outcome) {
    if let Some(worst) = &mut found.worst {
        worst.path = Vec::new();
    }
}

/// What became of a job.
#[derive(Serialize, Deserialize)]
struct Done {
    /// The checksum of the job.
    job: String,
    found: Outcome,
    /// The checksums of the jobs that were handed back, in the order of the tree, all behind what was found.
    rest: Vec<String>,
}

/// What came of the run of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobRan {
    /// Whether it was done before.
    pub was_done: bool,
    /// What it handed back.
    pub rest: Vec<JobId>,
}

/// How far the jobs of a folder have come.
#[derive(Clone, Debug, Default)]
pub struct JobsTally {
    /// Those that are done, with the checksums of what they handed back.
    done: BTreeMap<JobId, Vec<String>>,
    /// Those that are not.
    pub missing: Vec<JobId>,
    /// Those of them whose results are there and cannot be believed.
    pub damaged: BTreeSet<JobId>,
}

impl JobsTally {
    /// How many jobs are done.
    pub fn done(&self) -> usize {
        self.done.len()
    }

    /// How many jobs there are, as far as that is known.
    pub fn known(&self) -> usize {
        self.done.len() + self.missing.len()
    }
}

const PLAN_AGAIN: &str = "make the folder again with `pessimum jobs plan`";

impl Jobs {
    /// Plans the jobs of a program in a folder. Where they were planned already, nothing is done.
    pub fn plan(
        folder: &Path,
        target: &Target,
        how: &Exploration,
        wanted: JobsWanted,
    ) -> Result<Jobs, Error> {
        let words = serde_json::to_vec(&wanted).map_err(|e| Error::Usage(e.to_string()))?;
        let module = target.program().bytes();
        let belonging = Belonging::of(module, &words);
        match files::read::<Plan>(&folder.join("plan.json"), "a plan", Some(&belonging)) {
            Ok(_) => return Jobs::open(folder),
            Err(Unread::Absent) => {}
            Err(Unread::Damaged) => {
                return Err(Unread::Damaged
                    .needed(&folder.join("plan.json"), "remove the folder, or name another"));
            }
            Err(Unread::Foreign(why)) => {
                let folder = folder.display();
                return Err(Error::Usage(format!(
                    "{folder} has a plan.json that {why}: name another folder"
                )));
            }
        }
        for part in ["jobs", "done"] {
            let part = folder.join(part);
            std::fs::create_dir_all(&part).map_err(|why| {
                Error::Usage(format!("cannot make the folder {}: {why}", part.display()))
            })?;
        }
        let file = folder.join("module.wasm");
        write_whole(&file, module)
            .map_err(|why| Error::Usage(format!("cannot write {}: {why}", file.display())))?;
        let mut plan = Plan { wanted, jobs: Vec::new() };
        let mut index = 0;
        for &n in &plan.wanted.sizes {
            let walk = target.plan(n, how.options(), 1)?;
            let (mut sums, mut tests) = (Vec::new(), how.max_tests);
            for pieces in split(&walk, plan.wanted.jobs).map_err(|why| stopped(None, why))? {
                let id = JobId::planned(index);
                let job = Job::new(n, pieces, &mut tests);
                sums.push(files::write(&job_file(folder, &id), &kind(&id), &belonging, &job)?);
                index += 1;
            }
            plan.jobs.push(sums);
        }
        // The last of all: a folder without it is no folder of jobs.
        files::write(&folder.join("plan.json"), "a plan", &belonging, &plan)?;
        Jobs::open(folder)
    }

    /// The jobs of a folder.
    pub fn open(folder: &Path) -> Result<Jobs, Error> {
        let file = folder.join("plan.json");
        let Sealed { content: plan, belonging, .. } = files::read::<Plan>(&file, "a plan", None)
            .map_err(|unread| unread.needed(&file, PLAN_AGAIN))?;
        let file = folder.join("module.wasm");
        let module = files::bytes(&file).map_err(|unread| unread.needed(&file, PLAN_AGAIN))?;
        let words = serde_json::to_vec(&plan.wanted).map_err(|e| Error::Usage(e.to_string()))?;
        let found = Belonging::of(&module, &words);
        if found.module != belonging.module {
            return Err(Error::Usage(format!(
                "{} is not the module that the jobs were planned for: {PLAN_AGAIN}",
                file.display()
            )));
        }
        if found != belonging || plan.jobs.len() != plan.wanted.sizes.len() {
            return Err(Unread::Damaged.needed(&folder.join("plan.json"), PLAN_AGAIN));
        }
        Ok(Jobs { folder: folder.to_owned(), belonging, module: module.into(), plan })
    }

    /// The module.
    pub fn module(&self) -> &Arc<[u8]> {
        &self.module
    }

    /// What was asked for.
    pub fn wanted(&self) -> &JobsWanted {
        &self.plan.wanted
    }

    /// How many jobs were planned.
    pub fn planned(&self) -> usize {
        self.plan.jobs.iter().map(Vec::len).sum()
    }

    /// Does a job, unless it was done. Beyond its share, which is that of the plan unless told, it hands the rest back.
    pub fn run(
        &self,
        target: &Target,
        how: &Exploration,
        id: &JobId,
        share: Option<u64>,
    ) -> Result<JobRan, Error> {
        let expected = self.expected(id)?;
        if let Some(done) = self.done(id, &expected)? {
            let rest = (0..done.rest.len()).map(|index| id.rest(index)).collect();
            return Ok(JobRan { was_done: true, rest });
        }
        let file = job_file(&self.folder, id);
        let mend = match id.origin().0 {
            None => PLAN_AGAIN.to_owned(),
            Some(parent) => format!("remove the result of job {parent} and run that again"),
        };
        let Sealed { content: job, checksum, .. } =
            files::read::<Job>(&file, &kind(id), Some(&self.belonging))
                .map_err(|unread| unread.needed(&file, &mend))?;
        if checksum != expected {
            let why = Unread::Foreign("is of another run of what handed it back".to_owned());
            return Err(why.needed(&file, &mend));
        }
        let share = share.unwrap_or(self.plan.wanted.share).max(1);
        let max_tests = how.max_tests.min(job.tests);
        let walk = target.plan(job.n, Options { max_tests, ..how.options() }, 1)?;
        let (mut found, left) =
            explore_pieces(&walk, job.pieces, Some(share)).map_err(|why| stopped(Some(id), why))?;
        forget_path(&mut found);
        let mut tests = max_tests.saturating_sub(found.tests.len());
        let mut done = Done { job: checksum, found, rest: Vec::new() };
        let mut rest = Vec::new();
        for pieces in packed(left, share / 2) {
            let part = id.rest(rest.len());
            let job = Job::new(job.n, pieces, &mut tests);
            let file = job_file(&self.folder, &part);
            done.rest.push(files::write(&file, &kind(&part), &self.belonging, &job)?);
            rest.push(part);
        }
        files::write(&self.done_file(id), &result_kind(id), &self.belonging, &done)?;
        Ok(JobRan { was_done: false, rest })
    }

    /// Looks for jobs that were done since the last look.
    pub fn look(&self, tally: &mut JobsTally) -> Result<(), Error> {
        self.visit(tally, |_, _| {})
    }

    /// What was found at each size so far, in the words of `explore`; a size of which a job is missing is not complete.
    pub fn gather(
        &self,
        target: &Target,
        how: &Exploration,
        tally: &mut JobsTally,
    ) -> Result<Vec<document::Exploration>, Error> {
        let begun = Instant::now();
        let sizes = &self.plan.wanted.sizes;
        let mut found: Vec<Outcome> = sizes.iter().map(|_| Outcome::nothing()).collect();
        *tally = JobsTally::default();
        let add = |size: usize, part: Option<Outcome>| match part {
            Some(part) => found[size].merge(part, how.max_tests),
            None => found[size].complete = false,
        };
        self.visit(tally, add)?;
        let mut documents = Vec::new();
        for (&n, outcome) in sizes.iter().zip(&found) {
            let mut document = publish_walk(target, n, how, outcome, begun)?;
            if !outcome.complete {
                document.findings.push(missing(n, tally));
            }
            documents.push(document);
        }
        Ok(documents)
    }

    /// Visits all jobs in the order of the tree: shows what was found at the size it belongs to, `None` where a job is
    /// missing. What a look before has seen is not shown again.
    fn visit(
        &self,
        tally: &mut JobsTally,
        mut show: impl FnMut(usize, Option<Outcome>),
    ) -> Result<(), Error> {
        tally.missing.clear();
        let planned = self.plan.jobs.iter().enumerate();
        let planned = planned.flat_map(|(size, sums)| sums.iter().map(move |sum| (size, sum)));
        for (index, (size, sum)) in planned.enumerate() {
            let mut next = vec![(JobId::planned(index), sum.clone())];
            while let Some((id, sum)) = next.pop() {
                if !tally.done.contains_key(&id) {
                    match self.result(&id, &sum)? {
                        Some(Ok(done)) => {
                            tally.damaged.remove(&id);
                            tally.done.insert(id.clone(), done.rest);
                            show(size, Some(done.found));
                        }
                        damaged => {
                            if damaged.is_some() {
                                tally.damaged.insert(id.clone());
                            }
                            tally.missing.push(id.clone());
                            show(size, None);
                        }
                    }
                }
                let rest = tally.done.get(&id).map_or([].as_slice(), Vec::as_slice);
                let rest = rest.iter().enumerate().rev();
                next.extend(rest.map(|(place, sum)| (id.rest(place), sum.clone())));
            }
        }
        Ok(())
    }

    /// The checksum that the file of a job has, from whoever made it.
    fn expected(&self, id: &JobId) -> Result<String, Error> {
        let none = |why: String| Error::Usage(format!("there is no job {id}: {why}"));
        match id.origin() {
            (None, place) => {
                let mut planned = self.plan.jobs.iter().flatten();
                let count = self.planned();
                planned.nth(place).cloned().ok_or_else(|| none(format!("{count} were planned")))
            }
            (Some(parent), place) => {
                let sum = self.expected(&parent)?;
                let done = self.done(&parent, &sum)?;
                let done = done.ok_or_else(|| none(format!("job {parent} is not done")))?;
                let count = done.rest.len();
                let handed = || none(format!("job {parent} handed {count} back"));
                done.rest.into_iter().nth(place).ok_or_else(handed)
            }
        }
    }

    /// The result of a job, if it is done.
    fn done(&self, id: &JobId, job: &str) -> Result<Option<Done>, Error> {
        Ok(self.result(id, job)?.and_then(Result::ok))
    }

    /// The result of a job, `None` if there is none; whether it cannot be believed. One of another version, module or
    /// plan is an error.
    fn result(&self, id: &JobId, job: &str) -> Result<Option<Result<Done, ()>>, Error> {
        let file = self.done_file(id);
        match files::read::<Done>(&file, &result_kind(id), Some(&self.belonging)) {
            // Of another run of what handed the job back: its job is another one.
            Ok(sealed) if sealed.content.job != job => Ok(None),
            Ok(sealed) => Ok(Some(Ok(sealed.content))),
            Err(Unread::Absent) => Ok(None),
            Err(Unread::Damaged) => Ok(Some(Err(()))),
            Err(foreign) => Err(foreign.needed(&file, "remove it, and run the job again")),
        }
    }

    fn done_file(&self, id: &JobId) -> PathBuf {
        self.folder.join("done").join(format!("{id}.json"))
    }
}

fn job_file(folder: &Path, id: &JobId) -> PathBuf {
    folder.join("jobs").join(format!("{id}.json"))
}

fn kind(id: &JobId) -> String {
    format!("job {id}")
}

fn result_kind(id: &JobId) -> String {
    format!("the result of job {id}")
}

/// Jobs that a message names.
const NAMED: usize = 10;

/// That jobs are missing, and which.
fn missing(n: u64, tally: &JobsTally) -> document::Finding {
    let names: Vec<String> = tally.missing.iter().take(NAMED).map(JobId::to_string).collect();
    let more = match tally.missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    document::Finding {
        kind: "missing_jobs".to_owned(),
        message: format!(
            "{} of {} jobs are missing: {}{more}",
            tally.missing.len(),
            tally.known(),
            names.join(", ")
        ),
        at: None,
        n: Some(n),
        input: None,
        cause: None,
    }
}

/// Why a job, or the planning of jobs, came to no end.
fn stopped(id: Option<&JobId>, why: SubtreeError) -> Error {
    match why {
        SubtreeError::Load(why) => why.into(),
        SubtreeError::Stopped(by) => Error::OutOfBudget(cut(by)),
        why @ SubtreeError::Strayed(_) => {
            let job = id.map_or_else(|| "the plan".to_owned(), kind);
            Error::Usage(format!("{job} does not fit the program: {why}; {PLAN_AGAIN}"))
        }
        why @ SubtreeError::ManyTrees => Error::Usage(why.to_string()),
    }
}
