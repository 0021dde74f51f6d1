//! Every flag, documented once: help, man page and completions are made from here.

use super::values::{
    Axes, SizeList, axes, bytes, duration, max_cost, size_range, sizes, tolerance, work,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use pessimum::{JobId, Merge};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Finds the input that makes a compiled WebAssembly program slowest, at any size, and says how
/// the cost grows.
#[derive(Parser, Debug)]
#[command(name = "pessimum", version, propagate_version = true)]
#[command(after_help = "Examples:
  pessimum analyze example:quicksort
  pessimum analyze sort.c
  pessimum analyze sort.wasm --call 'sort(&i32[n], n)'
  pessimum check sort.wasm --call 'sort(&i32[n], n)' --at-most 'n*log(n)'")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// The whole job: explore small sizes, learn what the worst paths have in common, generate
    /// worst-case inputs at large sizes, fit the growth
    Analyze(Box<AnalyzeArgs>),
    /// A gate for continuous integration: exit 1 when the program is worse than allowed
    Check(Box<CheckArgs>),
    /// Two builds of one program side by side: exit 1 when the new one is worse
    Diff(Box<DiffArgs>),
    /// Every feasible path of a size, one input each
    Explore(Box<ExploreArgs>),
    /// One exploration, shared out as files among as many processes and machines as there are
    Jobs(Box<JobsArgs>),
    /// Every valid structure of a size, from an exported predicate that calls itself
    Generate(Box<GenerateArgs>),
    /// Run an input again, with the cost by function and source line
    Replay(Box<ReplayArgs>),
    /// Make the HTML page from a result
    Report(ReportArgs),
    /// Look at saved policies
    Policy(PolicyArgs),
    /// The targets that a module describes itself, each with its call
    Targets(TargetsArgs),
    /// List the examples that come with the program
    Examples,
    /// What this machine has, and how to compile programs to modules
    Doctor,
    /// Completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The man page, or that of a command
    #[command(hide = true)]
    Man {
        /// The command: analyze, check, …
        command: Option<String>,
    },
}

/// The program under test and how it is entered.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProgramArgs {
    /// The module, `example:NAME`, or source that is compiled first: .c .cc .cpp .cxx .rs .zig .ts .go
    /// .wat, or a folder of C files
    pub(crate) module: PathBuf,
    /// How to call it: `n`, `i32`, `bool`, `&i32[n]`, `&u8[n] in 'a'..='z'`, `&cstr[n]` (a C string),
    /// `&str[n]` (UTF-8),
    /// `&point[n]` (structs, from debug information), `&i32[n] step 12`,
    /// `&"abc"`, `&mut u8[2*n]` (a buffer to write to),
    /// `&tree where rep_ok` for every structure of n nodes that the exported predicate accepts
    /// (found by itself when there is only one way)
    #[arg(long, value_name = "SPEC", group = "entry")]
    pub(crate) call: Option<String>,
    /// A target that the module describes itself, as one of `cargo pessimum` does (`pessimum targets` lists
    /// them)
    #[arg(long, value_name = "NAME", group = "entry")]
    pub(crate) target: Option<String>,
    /// A WASI program that reads n bytes from standard input
    #[arg(long, group = "entry")]
    pub(crate) stdin: bool,
    /// A WASI program with an argument of n bytes. With words, --argv='grep -E', it comes behind them; beside
    /// --stdin, --argv='sort -n', they are all its arguments. Variables go first: --argv='LANG=C sort -n'
    #[arg(long, value_name = "WORDS", num_args = 0..=1, require_equals = true, conflicts_with_all = ["call", "target"])]
    pub(crate) argv: Option<Option<String>>,
    /// A second size, such as m=n/2
    #[arg(long = "let", value_name = "NAME=EXPR")]
    pub(crate) lets: Vec<String>,
    /// The layout of the structure in the call, where debug information does not tell it:
    /// left:&,right:&,key:i32
    #[arg(long, value_name = "FIELDS")]
    pub(crate) fields: Option<String>,
    /// The values of a field of the structure in the call: key=1..=n (default: 0..=n)
    #[arg(long, value_name = "FIELD=LOW..=HIGH")]
    pub(crate) domain: Vec<String>,
    /// What is counted: conditionals, decisions, instructions, blocks, visits:FUNC,
    /// visits:FILE:LINE, calls:FUNC, heap, stack, stack-bytes, output, fuel:TABLE.json
    #[arg(long, value_name = "MODEL", default_value = "conditionals")]
    pub(crate) cost: String,
    /// Seed of random samples and of the program's own random source
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Instructions a path may take before it counts as never ending
    #[arg(long, value_name = "N")]
    pub(crate) max_instructions: Option<u64>,
    /// Whether terms that reach a branch are split on the selects inside
    #[arg(long, value_enum, default_value_t = Selects::Split)]
    pub(crate) selects: Selects,
}

/// How source is compiled. Stands last in every command: its place on the line does.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct BuildArgs {
    /// Flags for the compiler, where the module is source: -- -Iinclude -DX
    #[arg(last = true, value_name = "FLAGS")]
    pub(crate) flags: Vec<OsString>,
}

/// What happens to selects in branch conditions.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selects {
    /// Each select is a decision
    Split,
    /// Conditions are kept whole
    Term,
}

/// Limits and where results go.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// Hard stop
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) time: Duration,
    /// Work to be done, as the time it takes on a usual machine (default: what --time leaves room
    /// for). With a hard stop far beyond it the result does not depend on how busy the machine is
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) effort: Option<Duration>,
    /// Limit of resident memory (default: half of the machine)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Limit of paths of each size
    #[arg(long, value_name = "N")]
    pub(crate) max_paths: Option<u64>,
    /// Threads; all cores by default
    #[arg(long, value_name = "K")]
    pub(crate) workers: Option<usize>,
    /// Write the result as JSON to a file, or `-` for standard output and nothing else there
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Write the inputs into a folder, of the sizes that were asked for: raw bytes, JSON, a program in C
    /// and a test in Rust each. What an earlier run wrote there stays: names have the size and the cost
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: Option<PathBuf>,
    /// A folder of inputs, as raw bytes, that a search begins with
    #[arg(long, value_name = "DIR")]
    pub(crate) seeds: Option<PathBuf>,
    /// Inputs beside those of the folder: what an earlier run found.
    #[arg(skip)]
    pub(crate) known_inputs: Vec<Vec<u8>>,
    /// Let a path that traps be the worst
    #[arg(long)]
    pub(crate) include_traps: bool,
    /// Say nothing but the result
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How many times later the hard stop comes than the work is measured out for. Tests set it: what they
/// see must not depend on how busy the machine is.
const PATIENCE: &str = "PESSIMUM_PATIENCE";

impl RunArgs {
    /// Moves the hard stop away from the work, where the environment asks for that.
    pub(crate) fn be_patient(&mut self) {
        let times = std::env::var(PATIENCE).ok().and_then(|text| text.parse::<u32>().ok());
        if let Some(time) = times.and_then(|times| self.time.checked_mul(times)) {
            self.effort.get_or_insert(self.time);
            self.time = time;
        }
    }
}

/// Flags of `analyze` and `check`.
#[derive(Args, Clone, Debug)]
pub(crate) struct LearnArgs {
    /// Words that inputs are made of, in the format of AFL and libFuzzer: one in quotes on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) dict: Option<PathBuf>,
    /// Sizes to report: 10,30,100 or 1..=30 (default: a ladder up to a few hundred)
    #[arg(long, value_name = "SIZES", value_parser = sizes, allow_hyphen_values = true)]
    pub(crate) sizes: Option<SizeList>,
    /// Sizes that an earlier run has an answer for.
    #[arg(skip)]
    pub(crate) compared: Vec<u64>,
    /// Sizes to train on: 1..=6 (default: as many as validation needs and the budget allows)
    #[arg(long, value_name = "A..=B", value_parser = size_range, allow_hyphen_values = true)]
    pub(crate) train: Option<(u64, u64)>,
    /// Work for training, as time (default: a tenth of --time)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) train_budget: Option<Duration>,
    /// auto, wise, memoryless, history, history=H, history=unlimited or synth
    #[arg(long, value_name = "POLICY", default_value = "auto")]
    pub(crate) policy: String,
    /// Let histories contain forced decisions too, as in the SPF-WCA paper (default: choices alone)
    #[arg(long)]
    pub(crate) history_all: bool,
    /// Use a saved policy instead of learning one
    #[arg(long, value_name = "FILE")]
    pub(crate) policy_file: Option<PathBuf>,
    /// Learn from another cost model than is measured
    #[arg(long, value_name = "MODEL")]
    pub(crate) learn_cost: Option<String>,
    /// Keep every step, the policy and the result in a folder; the same call goes on from there
    /// after it was stopped or killed
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Prove sizes beyond training, as far as that goes, by walking each state once: exact at sizes that
    /// cannot be enumerated
    #[arg(long, value_enum, default_value_t = MergeMode::Auto)]
    pub(crate) merge: MergeMode,
}

/// A whole analysis: what `analyze`, `check` and `diff` run.
#[derive(Args, Clone, Debug)]
pub(crate) struct JobArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Where source files are read from.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SourceArgs {
    /// A folder that sources are read from, beside the module's own and the working folder: of the
    /// files that debug information names, no others are opened
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
}

/// The limits of what does not explore.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LimitArgs {
    /// Hard stop
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) time: Duration,
    /// Limit of resident memory (default: half of the machine)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
}

/// `analyze`
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  pessimum analyze sort.c\n  pessimum analyze parse.c --call 'parse(&u8[n], n)' -- -Iinclude -DNDEBUG\n  pessimum analyze sort.wasm --call 'sort(&i32[n], n)' --sizes 10,100,1000"
)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Write a page to look at
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the findings as SARIF
    #[arg(long, value_name = "FILE", conflicts_with = "vary")]
    pub(crate) sarif: Option<PathBuf>,
    /// Let several sizes grow, each in its turn and with a fit of its own: n,m or n=6,m=8, where the
    /// number is where a size stays while another grows (4 unless told). Pages are then called
    /// FILE-n.html and FILE-m.html, and --inputs and --save make a folder in DIR for each size
    #[arg(long, value_name = "SIZES", value_parser = axes)]
    pub(crate) vary: Option<Axes>,
    /// Walk the trees of training sizes as tasks on a queue, in the folder of --save, which all machines see; the answer is the
    /// same. hq: HyperQueue, the server that runs, or one of our own on this machine
    #[arg(long, value_enum, requires = "save", conflicts_with = "vary")]
    pub(crate) on: Option<Engine>,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// `check`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  pessimum check sort.wasm --call 'sort(&i32[n], n)' --at-most 'n*log(n)'"
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The class it may grow as: n, 'n*log(n)', n^2, … (default: what the target says)
    #[arg(long, alias = "class", value_name = "CLASS")]
    pub(crate) at_most: Option<String>,
    /// The cost it may have at a size: n=100:5000
    #[arg(long, value_name = "n=SIZE:COST", value_parser = max_cost)]
    pub(crate) max_cost: Vec<(u64, u64)>,
    /// An earlier result that it may not be worse than
    #[arg(long, value_name = "RESULT.json")]
    pub(crate) baseline: Option<PathBuf>,
    /// How much worse than the earlier result it may be at a size: 10% (default: 0 where both costs are
    /// exact, else 5%)
    #[arg(long, value_name = "PERCENT", value_parser = tolerance, requires = "baseline")]
    pub(crate) tolerance: Option<f64>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// How `check` and `diff` tell a build their verdict.
#[derive(Args, Debug)]
pub(crate) struct GateArgs {
    /// What an inconclusive answer exits with: 0 for pass, 1 for fail, 4 without the flag
    #[arg(long, value_enum)]
    pub(crate) inconclusive: Option<Inconclusive>,
    /// Write a page to look at
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write rules that did not pass and findings as SARIF
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the answer as Markdown, for the summary of a job or a comment on a pull request
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Print annotations for GitHub Actions
    #[arg(long)]
    pub(crate) github: bool,
}

/// `diff`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  pessimum diff before/sort.wasm after/sort.wasm --call 'sort(&i32[n], n)' --markdown comment.md"
)]
pub(crate) struct DiffArgs {
    /// The module to compare with
    pub(crate) old: PathBuf,
    #[command(flatten)]
    pub(crate) job: JobArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// How much worse it may be at a size: 10% (default: 0 where both costs are exact, else 5%)
    #[arg(long, value_name = "PERCENT", value_parser = tolerance)]
    pub(crate) tolerance: Option<f64>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// What an inconclusive check counts as.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inconclusive {
    /// Exit 0
    Pass,
    /// Exit 1
    Fail,
}

/// `explore`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  pessimum explore sort.wasm --call 'sort(&i32[n], n)' --size 5")]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// The size, or several: 5 or 1..=6
    #[arg(long, visible_alias = "sizes", value_name = "SIZES", value_parser = sizes, required = true, allow_hyphen_values = true)]
    pub(crate) size: SizeList,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Tests to keep in the result
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_tests: usize,
    /// Follow every path, or search for costly ones
    #[arg(long, value_enum, default_value_t = Strategy::Exhaustive)]
    pub(crate) strategy: Strategy,
    /// Paths that a search follows
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) steps: u64,
    /// Whether a state is walked once and what lies below it reused: exact at sizes that cannot be
    /// enumerated
    #[arg(long, value_enum, default_value_t = MergeMode::Auto)]
    pub(crate) merge: MergeMode,
    /// Share every path out as jobs on a queue, and wait for them until --time is over; the same call goes on. hq:
    /// HyperQueue, the server that runs, or one of our own on this machine
    #[arg(long, value_enum, requires = "save")]
    pub(crate) on: Option<Engine>,
    /// The folder of the jobs, which all machines see
    #[arg(long, value_name = "DIR", requires = "on")]
    pub(crate) save: Option<PathBuf>,
    /// Jobs of each size on the queue, at most
    #[arg(long, value_name = "N", default_value = "200", requires = "on")]
    pub(crate) jobs: NonZeroUsize,
    /// Work after which a job on the queue hands its rest back as new jobs
    #[arg(long, value_name = "WORK", value_parser = work, default_value = "500M", requires = "on")]
    pub(crate) share: u64,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// Who runs jobs.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// HyperQueue, by its command `hq`
    Hq,
}

/// `jobs`
#[derive(Args, Debug)]
#[command(after_help = "Example:
  pessimum jobs plan sort.wasm --call 'sort(&i32[n], n)' --size 9 --out DIR --jobs 200
  seq 200 | parallel pessimum jobs run DIR
  pessimum jobs missing DIR | parallel pessimum jobs run DIR
  pessimum jobs gather DIR")]
pub(crate) struct JobsArgs {
    #[command(subcommand)]
    pub(crate) action: JobsAction,
}

/// What to do with jobs.
#[derive(Subcommand, Debug)]
pub(crate) enum JobsAction {
    /// Share the tree of a size out into jobs, in a folder that holds all they need
    Plan(Box<PlanArgs>),
    /// Do jobs; those that were done are left as they are
    Run {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The jobs: 17, or 17.2 for one that job 17 handed back
        #[arg(value_name = "JOB", required_unless_present = "env")]
        jobs: Vec<JobId>,
        /// A variable of the environment that names more of them: SLURM_ARRAY_TASK_ID, HQ_ENTRY
        #[arg(long, value_name = "VARIABLE")]
        env: Option<String>,
        /// Work after which a job hands its rest back as new jobs: 500M (default: as planned)
        #[arg(long, value_name = "WORK", value_parser = work)]
        share: Option<u64>,
        #[command(flatten)]
        limits: TimeArgs,
        /// Say nothing but what is wrong
        #[arg(long, short)]
        quiet: bool,
    },
    /// Put together what the jobs have found, and say which are missing
    Gather {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Write the result as JSON to a file, or `-` for standard output and nothing else there
        #[arg(long, value_name = "FILE|-")]
        json: Option<PathBuf>,
        #[command(flatten)]
        limits: TimeArgs,
        /// Say nothing but the result
        #[arg(long, short)]
        quiet: bool,
    },
    /// List the jobs that are not done, one on each line
    Missing {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Limits of what takes as long as it takes.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct TimeArgs {
    /// Hard stop (default: none); what is not done then is left undone
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Limit of resident memory (default: half of the machine)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
}

/// `jobs plan`
#[derive(Args, Clone, Debug)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// The size, or several: 5 or 1..=6
    #[arg(long, visible_alias = "sizes", value_name = "SIZES", value_parser = sizes, required = true, allow_hyphen_values = true)]
    pub(crate) size: SizeList,
    /// The folder that is made
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Jobs of each size, at most
    #[arg(long, value_name = "N", default_value = "200")]
    pub(crate) jobs: NonZeroUsize,
    /// Work after which a job hands its rest back as new jobs: 500M, the same on every machine
    #[arg(long, value_name = "WORK", value_parser = work, default_value = "500M")]
    pub(crate) share: u64,
    /// Tests to keep in the result
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_tests: usize,
    /// Let a path that traps be the worst
    #[arg(long)]
    pub(crate) include_traps: bool,
    #[command(flatten)]
    pub(crate) limits: TimeArgs,
    /// Say nothing but what is wrong
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// Whether states are merged.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MergeMode {
    /// Where there are many paths and it pays
    Auto,
    /// From the first path on
    On,
    /// Follow every path
    Off,
    /// Walk every reuse again and compare
    Verify,
}

impl From<MergeMode> for Merge {
    fn from(mode: MergeMode) -> Merge {
        match mode {
            MergeMode::Auto => Merge::Auto,
            MergeMode::On => Merge::On,
            MergeMode::Off => Merge::Off,
            MergeMode::Verify => Merge::Verify,
        }
    }
}

/// How a size is explored.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Every feasible path
    Exhaustive,
    /// The costliest first, varied site by site; never exact
    Search,
}

/// `generate`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  pessimum generate tree.wasm --predicate rep_ok --size 0..=7")]
pub(crate) struct GenerateArgs {
    /// The module, or source that is compiled first
    pub(crate) module: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Instructions a run of the predicate may take
    #[arg(long, value_name = "N")]
    pub(crate) max_instructions: Option<u64>,
    /// The exported predicate: takes a pointer to a structure, calls itself on its parts
    #[arg(long, value_name = "EXPORT")]
    pub(crate) predicate: String,
    /// The number of nodes, or several: 7 or 0..=7
    #[arg(long, value_name = "SIZES", value_parser = sizes, required = true, allow_hyphen_values = true)]
    pub(crate) size: SizeList,
    /// The layout of the structure, where debug information does not tell it
    #[arg(long, value_name = "FIELDS")]
    pub(crate) fields: Option<String>,
    /// The values of a field: key=1..=n
    #[arg(long, value_name = "FIELD=LOW..=HIGH")]
    pub(crate) domain: Vec<String>,
    /// dp, lazydp, symbolazydp or auto
    #[arg(long, default_value = "auto")]
    pub(crate) algorithm: String,
    /// Draw this many at random instead of all
    #[arg(long, value_name = "COUNT")]
    pub(crate) random: Option<usize>,
    /// Seed of the draw
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Count only
    #[arg(long)]
    pub(crate) count: bool,
    /// Write the result as JSON to a file, or `-` for standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Write each structure into a folder: memory image, C, Graphviz, JSON
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// `replay`
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pessimum replay sort.wasm --call 'sort(&i32[n], n)' worst-1000.bin --annotate
  pessimum replay sort.wasm --call 'sort(&i32[n], n)' worst-1000.bin --folded worst.folded")]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The input: raw bytes, or JSON (a list of values; a file that is not called .json is raw where its bytes fit the call)
    pub(crate) input: PathBuf,
    /// The size; found from the length of the input when the call has one array
    #[arg(long, value_name = "N")]
    pub(crate) size: Option<u64>,
    /// Print the source as well, each line with what it has cost
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Write the cost by call stack for speedscope (www.speedscope.app)
    #[arg(long, value_name = "FILE")]
    pub(crate) speedscope: Option<PathBuf>,
    /// Write the cost by call stack as folded lines, for flamegraph.pl or inferno
    #[arg(long, value_name = "FILE")]
    pub(crate) folded: Option<PathBuf>,
    /// Write the cost by call stack for pprof (`pprof FILE`, `go tool pprof FILE`)
    #[arg(long, value_name = "FILE")]
    pub(crate) pprof: Option<PathBuf>,
    /// Write the result as JSON to a file, or `-` for standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

/// `report`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  pessimum report result.json -o report.html")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// A result written by `--json` of `analyze`, `check` or `diff`
    pub(crate) result: PathBuf,
    /// Where the page goes
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
}

/// `targets`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  pessimum targets harness.wasm")]
pub(crate) struct TargetsArgs {
    /// The module
    pub(crate) module: PathBuf,
    /// Write the list as JSON to a file, or `-` for standard output
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}

/// `policy`
#[derive(Args, Debug)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) action: PolicyAction,
}

/// What to do with saved policies.
#[derive(Subcommand, Debug)]
pub(crate) enum PolicyAction {
    /// Show a policy by source line
    Show {
        /// A saved policy
        file: PathBuf,
        /// The module it was learned from, to draw it on the control flow
        #[arg(long, value_name = "MODULE")]
        module: Option<PathBuf>,
        #[command(flatten)]
        source: SourceArgs,
        /// Print a Graphviz graph: the control flow with --module, else the tries of histories
        #[arg(long)]
        graphviz: bool,
        /// Print the control flow as a Mermaid flowchart
        #[arg(long, requires = "module", conflicts_with = "graphviz")]
        mermaid: bool,
        #[command(flatten)]
        build: BuildArgs,
    },
    /// What differs between two policies
    Diff {
        /// The older policy
        old: PathBuf,
        /// The newer policy
        new: PathBuf,
    },
    /// A policy that allows what either allows
    Unify {
        /// Saved policies
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
        /// Where the result goes; standard output by default
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
}
