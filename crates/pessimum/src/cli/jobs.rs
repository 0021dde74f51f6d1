//! `jobs`: one exploration, shared out as files among as many processes and machines as there are.

use super::Failure;
use super::args::{JobsAction, JobsArgs, PlanArgs, ProgramArgs, Selects, TimeArgs};
use super::exit;
use super::explore::tell;
use super::files::{Beside, Out, check_places, regular};
use super::limits::{Guard, Limits};
use super::module::{Build, Opened, open};
use super::options::{PRICES, cost_model, interruptible, program};
use pessimum::{
    Budget, CostModel, Error, Exploration, JobId, Jobs, JobsTally, JobsWanted, Merge, Parts,
    Program, Target,
};
use pessimum_clock::Deadline;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is called, and everything that decides its tree: the flags of a program, in a file.
#[derive(Serialize, Deserialize)]
pub(super) struct Called {
    name: String,
    call: Option<String>,
    target: Option<String>,
    stdin: bool,
    argv: Option<Option<String>>,
    lets: Vec<String>,
    fields: Option<String>,
    domain: Vec<String>,
    cost: String,
    /// The table of prices, where the cost model has one.
    prices: Option<String>,
    seed: u64,
    max_instructions: Option<u64>,
    split_selects: bool,
    max_tests: usize,
    include_traps: bool,
}

impl Called {
    /// What these flags say of a module.
    pub(super) fn of(program: &ProgramArgs, module: &Opened) -> Result<Called, Failure> {
        let program = program.clone();
        let call = match (&program.target, program.stdin, &program.argv) {
            (None, false, None) => program.call.or(module.call.map(str::to_owned)),
            _ => program.call,
        };
        let prices = match program.cost.strip_prefix("fuel:") {
            None => None,
            Some(file) => {
                let wrong = |why| Failure::usage(format!("cannot read {file}: {why}"));
                let bytes = regular(Path::new(file), PRICES).map_err(wrong)?;
                Some(String::from_utf8(bytes).map_err(|_| wrong("it is no text".to_owned()))?)
            }
        };
        Ok(Called {
            name: module.name.clone(),
            call,
            target: program.target,
            stdin: program.stdin,
            argv: program.argv,
            lets: program.lets,
            fields: program.fields,
            domain: program.domain,
            cost: program.cost,
            prices,
            seed: program.seed,
            max_instructions: program.max_instructions,
            split_selects: program.selects == Selects::Split,
            max_tests: 0,
            include_traps: false,
        })
    }

    /// What a folder says.
    fn told(call: &serde_json::Value, folder: &Path) -> Result<Called, Failure> {
        Called::deserialize(call).map_err(|why| {
            let folder = folder.display();
            Failure::usage(format!("{folder} does not say what is called: {why}"))
        })
    }

    /// The program and how it is explored.
    fn program(&self, bytes: &[u8], limits: Limits) -> Result<(Target, Exploration), Failure> {
        let selects = if self.split_selects { Selects::Split } else { Selects::Term };
        let args = ProgramArgs {
            module: PathBuf::new(),
            call: self.call.clone(),
            target: self.target.clone(),
            stdin: self.stdin,
            argv: self.argv.clone(),
            lets: self.lets.clone(),
            fields: self.fields.clone(),
            domain: self.domain.clone(),
            cost: self.cost.clone(),
            seed: self.seed,
            max_instructions: self.max_instructions,
            selects,
        };
        let opened = Opened { name: self.name.clone(), bytes: bytes.into(), call: None };
        let program: Program = program(&args, &opened)?;
        let cost = match &self.prices {
            None => cost_model(&self.cost)?,
            Some(prices) => CostModel::parse(&self.cost, |_| Ok(prices.clone().into_bytes()))
                .map_err(Error::from)?,
        };
        let how = Exploration {
            cost,
            max_tests: self.max_tests,
            include_traps: self.include_traps,
            merge: Merge::Off,
            budget: Budget {
                deadline: Deadline::at(limits.deadline).or_when(interruptible()),
                memory: limits.memory,
                ..Budget::default()
            },
            ..Exploration::default()
        };
        Ok((Target::new(program, &how.cost)?, how))
    }
}

/// A folder that was opened, with what it is about.
pub(super) struct Opening {
    pub(super) jobs: Jobs,
    pub(super) target: Target,
    pub(super) how: Exploration,
    _guard: Guard,
}

impl Opening {
    /// Opens a folder of jobs.
    pub(super) fn of(folder: &Path, limits: Limits, out: &Out) -> Result<Opening, Failure> {
        let guard = limits.guard(out);
        let jobs = Jobs::open(folder)?;
        let called = Called::told(&jobs.wanted().call, folder)?;
        let (target, how) = called.program(jobs.module(), limits)?;
        Ok(Opening { jobs, target, how, _guard: guard })
    }

    /// Says and writes what was found, and what is missing.
    pub(super) fn gather(
        &self,
        json: Option<&Path>,
        quiet: bool,
        out: &Out,
    ) -> Result<u8, Failure> {
        let mut tally = JobsTally::default();
        let results = self.jobs.gather(&self.target, &self.how, &mut tally)?;
        for id in &tally.damaged {
            out.note(&format!(
                "the result of job {id} is damaged and counts as missing: run it again"
            ));
        }
        if !tally.missing.is_empty() && !quiet {
            let (missing, known) = (tally.missing.len(), tally.known());
            out.note(&format!(
                "{missing} of {known} jobs are missing: the answer is not exact (`pessimum jobs missing` lists them)"
            ));
        }
        let nothing = tally.done() == 0 && !tally.missing.is_empty();
        let answered = if nothing { exit::OUT_OF_BUDGET } else { exit::DONE };
        tell(&results, json, Beside::default(), answered, out)
    }
}

/// Time where no hard stop was asked for: a year.
const NO_STOP: Duration = Duration::from_secs(365 * 24 * 3600);

impl TimeArgs {
    /// The limits from now on.
    pub(super) fn start(&self) -> Limits {
        Limits::start(self.time.unwrap_or(NO_STOP), self.memory)
    }
}

/// `jobs`
pub(super) fn jobs(args: &JobsArgs, out: &Out) -> Result<u8, Failure> {
    match &args.action {
        JobsAction::Plan(args) => {
            let jobs = plan(args, args.out.as_path(), out)?;
            if !args.quiet {
                let (count, folder) = (jobs.planned(), args.out.display());
                let jobs = if count == 1 { "job" } else { "jobs" };
                out.print(&format!("{count} {jobs} in {folder}\n"));
            }
            Ok(exit::DONE)
        }
        JobsAction::Run { folder, jobs, env, share, limits, quiet } => {
            let more = env.as_deref().map(named_by).transpose()?.unwrap_or_default();
            if Parts::is_at(folder) {
                let ids = jobs.iter().chain(&more);
                return run_parts(folder, ids, limits.start(), *quiet, out);
            }
            let opened = Opening::of(folder, limits.start(), out)?;
            for id in jobs.iter().chain(&more) {
                run(&opened, id, *share, *quiet, out)?;
            }
            Ok(exit::DONE)
        }
        JobsAction::Gather { folder, json, limits, quiet } => {
            check_places(&[("--json", json.as_deref())], &[])?;
            Opening::of(folder, limits.start(), out)?.gather(json.as_deref(), *quiet, out)
        }
        JobsAction::Missing { folder } => {
            let missing = match Parts::is_at(folder) {
                true => Parts::open(folder)?.missing()?,
                false => {
                    let mut tally = JobsTally::default();
                    Jobs::open(folder)?.look(&mut tally)?;
                    tally.missing
                }
            };
            let lines: String = missing.iter().map(|id| format!("{id}\n")).collect();
            if !lines.is_empty() {
                out.exactly(&lines);
            }
            Ok(exit::DONE)
        }
    }
}

/// Shares a tree out.
pub(super) fn plan(args: &PlanArgs, folder: &Path, out: &Out) -> Result<Jobs, Failure> {
    let time = args.limits.time.unwrap_or(NO_STOP);
    let build = Build::of(&args.program, &args.build, time, args.quiet);
    let module = open(&args.program.module, &build, out)?;
    let limits = args.limits.start();
    let _guard = limits.guard(out);
    let PlanArgs { max_tests, include_traps, .. } = *args;
    let called = Called { max_tests, include_traps, ..Called::of(&args.program, &module)? };
    let (target, how) = called.program(&module.bytes, limits)?;
    if let Some(assumed) = target.program().assumption()?.filter(|_| !args.quiet) {
        out.note(&assumed);
    }
    let call = serde_json::to_value(&called).map_err(|e| Failure::usage(e.to_string()))?;
    let (jobs, share) = (args.jobs.get(), args.share);
    let wanted = JobsWanted { call, sizes: args.size.0.clone(), jobs, share };
    Ok(Jobs::plan(folder, &target, &how, wanted)?)
}

/// The jobs that a variable of the environment names.
fn named_by(variable: &str) -> Result<Vec<JobId>, Failure> {
    let wrong = |why: String| Failure::usage(format!("--env {variable}: {why}"));
    let names = std::env::var(variable).map_err(|why| wrong(why.to_string()))?;
    names.split_whitespace().map(|name| name.parse().map_err(wrong)).collect()
}

/// Walks parts of a training size.
fn run_parts<'a>(
    folder: &Path,
    ids: impl Iterator<Item = &'a JobId>,
    limits: Limits,
    quiet: bool,
    out: &Out,
) -> Result<u8, Failure> {
    let _guard = limits.guard(out);
    let parts = Parts::open(folder)?;
    let called = Called::told(&parts.wanted().call, folder)?;
    let (target, how) = called.program(parts.module(), limits)?;
    for id in ids {
        let was_done = parts.run(&target, &how.budget, id)?;
        if !quiet {
            let how = if was_done { "was done before" } else { "is done" };
            out.print(&format!("part {id} {how}\n"));
        }
    }
    Ok(exit::DONE)
}

/// Does one job.
fn run(
    opened: &Opening,
    id: &JobId,
    share: Option<u64>,
    quiet: bool,
    out: &Out,
) -> Result<(), Failure> {
    let ran = opened.jobs.run(&opened.target, &opened.how, id, share)?;
    if !quiet {
        let how = if ran.was_done { "was done before" } else { "is done" };
        let rest = match ran.rest.as_slice() {
            [] => String::new(),
            [one] => format!(", and handed its rest back: {one}"),
            [first, .., last] => format!(", and handed its rest back: {first} to {last}"),
        };
        out.print(&format!("job {id} {how}{rest}\n"));
    }
    Ok(())
}
