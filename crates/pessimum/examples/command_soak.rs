//! Runs the whole command over bytes that nobody meant: mutated modules under random flags, modules that are still valid under
//! flags that fit, and mutated policies, results, saved steps, seeds and folders of jobs. Whatever they are, the command ends within its
//! limits with a documented exit code, without a panic, and prints nothing that acts on a terminal.
//!
//! ```text
//! cargo run --release -p pessimum --example command_soak -- TARGET RUNS [FIRST]
//! ```
//!
//! TARGET is `command-line`, `module`, `policy`, `result`, `step`, `seed`, `jobs` or `all`. Run number k is the
//! same everywhere: it depends on k alone, so a run that failed is repeated with `TARGET 1 k`. The runs are
//! made in a process of their own, whose output is read here; when one ends that process, the next
//! goes on in another.

#[path = "../src/cli/mod.rs"]
mod cli;

use pessimum::EXAMPLES;
use pessimum_entry::CostModel;
use pessimum_entry::host::Seeded;
use pessimum_machine::Module;
use pessimum_report::escape::acts;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const TARGETS: [&str; 7] = ["command-line", "module", "policy", "result", "step", "seed", "jobs"];

/// The exit code of a run on which the two engines disagree: a bug of ours, whatever the module is.
const DISAGREE: u8 = 5;

/// Stands before the number of a run in both streams.
const RUN: &str = "=== run ";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok());
    match (args.first().map(String::as_str), number(1), number(2).unwrap_or(0)) {
        (Some("inside"), Some(target), first) => {
            inside(TARGETS[target as usize], first, number(3).unwrap_or(1));
            ExitCode::SUCCESS
        }
        (Some("all"), Some(runs), first) => {
            let all: Vec<bool> = TARGETS.iter().map(|target| soak(target, runs, first)).collect();
            ExitCode::from(u8::from(all.contains(&false)))
        }
        (Some(target), Some(runs), first) if TARGETS.contains(&target) => {
            ExitCode::from(u8::from(!soak(target, runs, first)))
        }
        _ => {
            say(&format!("soak TARGET RUNS [FIRST], TARGET one of {TARGETS:?} or all"));
            ExitCode::from(2)
        }
    }
}

/// What came of the runs.
#[derive(Default)]
struct Tally {
    codes: [u64; 8],
    panics: Vec<u64>,
    crashes: Vec<u64>,
    overruns: Vec<u64>,
    raw: Vec<u64>,
    odd: Vec<u64>,
    disagreements: Vec<u64>,
}

/// Makes the runs and says what came of them; whether all was well.
fn soak(target: &str, runs: u64, first: u64) -> bool {
    let place = TARGETS.iter().position(|t| *t == target).unwrap_or(0);
    let mut tally = Tally::default();
    let (mut next, end) = (first, first + runs);
    while next < end {
        let last = one_process(place, next, end - next, &mut tally);
        next = last + 1;
    }
    let codes: Vec<String> =
        (0..).zip(tally.codes).map(|(c, n): (u8, u64)| format!("{c}: {n}")).collect();
    say(&format!("{target}: {runs} runs from number {first}; exit codes {}", codes.join(", ")));
    let mut well = true;
    for (what, numbers) in [
        ("panics", &tally.panics),
        ("ended by a signal", &tally.crashes),
        ("ended by the guard", &tally.overruns),
        ("with raw bytes in the output", &tally.raw),
        ("with an exit code that is not documented", &tally.odd),
        ("on which the two engines disagree", &tally.disagreements),
    ] {
        let shown: Vec<String> = numbers.iter().take(20).map(u64::to_string).collect();
        say(&format!("  {what}: {} {}", numbers.len(), shown.join(" ")));
        well &= numbers.is_empty();
    }
    well
}

/// Makes runs in one process until all are done or one ends it; gives the number of the last.
fn one_process(target: usize, first: u64, runs: u64, tally: &mut Tally) -> u64 {
    let own = std::env::current_exe().expect("it was started from a file");
    let mut child = Command::new(own)
        .args(["inside", &target.to_string(), &first.to_string(), &runs.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started once more");
    let errors = child.stderr.take().expect("it was asked for");
    let errors = std::thread::spawn(move || read(errors, first));
    let output = read(child.stdout.take().expect("it was asked for"), first);
    let errors = errors.join().expect("reading does not panic");
    let ended = child.wait().expect("it was ours");
    for seen in [&output, &errors] {
        tally.raw.extend(&seen.raw);
        tally.panics.extend(&seen.panics);
        for (run, code) in &seen.codes {
            match tally.codes.get_mut(*code as usize).filter(|_| *code <= 5) {
                Some(count) => *count += 1,
                None => tally.odd.push(*run),
            }
            if *code == DISAGREE {
                tally.disagreements.push(*run);
            }
        }
    }
    let last = output.last.max(errors.last);
    match ended.code() {
        Some(0) => return first + runs - 1,
        Some(3) => {
            say(&format!("run {last}: {}", errors.line.escape_debug()));
            tally.overruns.push(last);
        }
        Some(101) => {}
        _ => tally.crashes.push(last),
    }
    last
}

/// What was seen in a stream.
#[derive(Default)]
struct Seen {
    last: u64,
    codes: Vec<(u64, u8)>,
    raw: Vec<u64>,
    panics: Vec<u64>,
    /// The last line that was not one of ours.
    line: String,
}

fn read(stream: impl Read, first: u64) -> Seen {
    let mut seen = Seen { last: first, ..Seen::default() };
    for line in BufReader::new(stream).split(b'\n') {
        let Ok(line) = line else { break };
        let text = String::from_utf8(line);
        let Ok(line) = text else {
            seen.raw.push(seen.last);
            continue;
        };
        if let Some(number) = line.strip_prefix(RUN) {
            match number.split_once(" exits ") {
                Some((run, code)) => {
                    let numbers = (run.parse().unwrap_or(0), code.parse().unwrap_or(255));
                    seen.codes.push(numbers);
                }
                None => seen.last = number.parse().unwrap_or(seen.last),
            }
            continue;
        }
        if line.contains("panicked at") {
            seen.panics.push(seen.last);
        }
        if line.chars().any(acts) {
            seen.raw.push(seen.last);
        }
        seen.line = line;
    }
    seen
}

/// Makes runs in this process.
fn inside(target: &str, first: u64, runs: u64) {
    let folder = scratch(target);
    std::fs::create_dir_all(&folder).expect("there is a place for files that are soon gone");
    let world = World::new(&folder);
    for run in first..first + runs {
        mark(&format!("{run}"));
        let mut random = Random(Seeded::new(run.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635));
        let words = match target {
            "module" => world.module(&mut random),
            "policy" => world.policy(&mut random),
            "result" => world.result(&mut random),
            "step" => world.step(&mut random),
            "seed" => world.seed(&mut random),
            "jobs" => world.jobs(&mut random),
            _ => world.command_line(&mut random),
        };
        let code = cli::run(words);
        let _ = writeln!(std::io::stderr(), "{RUN}{run} exits {code}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn mark(text: &str) {
    for stream in [&mut std::io::stdout() as &mut dyn Write, &mut std::io::stderr()] {
        let _ = writeln!(stream, "{RUN}{text}");
        let _ = stream.flush();
    }
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A folder in memory where there is one: every run writes files.
fn scratch(target: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let root = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    root.join(format!("pessimum-soak-{target}-{}", std::process::id()))
}

/// Numbers of a run.
struct Random(Seeded);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// The bytes after a few random edits.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..self.below(5) {
            let at = self.below(bytes.len() + 1);
            let to = (at + self.below(9)).min(bytes.len());
            match self.below(7) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = self.next() as u8,
                2 => drop(bytes.drain(at..to)),
                3 => {
                    let part = bytes[at..to].to_vec();
                    let there = self.below(bytes.len() + 1);
                    bytes.splice(there..there, part);
                }
                4 => {
                    let part = self.pick(PARTS).as_bytes().to_vec();
                    bytes.splice(at..to, part);
                }
                5 if self.below(8) == 0 => bytes.truncate(at),
                _ => bytes.insert(at, self.next() as u8),
            }
        }
        bytes
    }
}

/// Pieces that mean something in one document or another, or would like to.
const PARTS: &[&str] = &[
    "\u{1b}[2J",
    "\\u001b[2J",
    "\\n::error::x",
    "\u{202e}",
    "\\u202e",
    "##[error]",
    "0",
    "-1",
    "1e999",
    "18446744073709551615",
    "99999999999999999999",
    "null",
    "[]",
    "{}",
    "[[[[[[[[",
    "\"\"",
    "true",
    "\\ud800",
    ",",
    "\"n\":",
    "\"sites\":",
    "\"values\":[1,2]",
    "NaN",
    "]]",
    "}}",
    "\\u0000",
];

/// Names and values of flags, the good and the bad.
const WORDS: &[&str] = &[
    "n",
    "0",
    "1",
    "3",
    "n,m",
    "n=2,m=3",
    "1..=3",
    "18446744073709551615",
    "-",
    "",
    "wise",
    "auto",
    "history=2",
    "history=unlimited",
    "synth",
    "memoryless",
    "\u{1b}[31m",
    "a\nb",
    "::error::x",
    "*",
];

const CALLS: &[&str] = &[
    "sort(&i32[n], n)",
    "run()",
    "find(&i32[n], n, i32)",
    "match(&u8[n], n)",
    "f(&i32[n*n], n)",
    "sort(&u8[n] in 97..=122, n)",
    "sort(&\"abc\", 3)",
    "sort(n, n)",
    "sort(&i32[4294967296], n)",
    "sort(&i64[n*m], m)",
    "sort(&tree where rep_ok, n)",
    "sort(",
    "\u{1b}[2J(n)",
    "sort(i32, i32)",
];

const COSTS: &[&str] = &[
    "conditionals",
    "decisions",
    "instructions",
    "blocks",
    "visits:sort",
    "calls:sort",
    "heap",
    "stack",
    "stack-bytes",
    "output",
    "visits:sort.c:6",
    "fuel:/dev/null",
    "seconds",
    "\u{1b}[2J",
];

/// The files that runs start from.
struct World {
    folder: PathBuf,
    modules: Vec<Vec<u8>>,
    policies: Vec<Vec<u8>>,
    results: Vec<Vec<u8>>,
    steps: Vec<(OsString, Vec<u8>)>,
    /// The files of a folder of jobs, some of which are done.
    jobs: Vec<(PathBuf, Vec<u8>)>,
}

impl World {
    /// Makes the documents that are mutated later: a small analysis, saved.
    fn new(folder: &Path) -> World {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let example = |name: &str| std::fs::read(examples.join(name)).expect("it is there");
        let modules: Vec<Vec<u8>> =
            ["linear_search.wasm", "insertion_sort.wasm", "bst.wasm", "regex_backtrack.wasm"]
                .map(example)
                .to_vec();
        let mut world = World {
            folder: folder.to_owned(),
            modules,
            policies: Vec::new(),
            results: Vec::new(),
            steps: Vec::new(),
            jobs: Vec::new(),
        };
        let saved = folder.join("base");
        for policy in ["wise", "history"] {
            let save = saved.display().to_string();
            let job = ["analyze", "example:insertion_sort", "--sizes", "4,5", "--train", "1..=3"];
            let more = ["--policy", policy, "--save", &save, "--quiet", "--json", "/dev/null"];
            cli::run(words(&[job.as_slice(), &more].concat()));
            world.policies.push(std::fs::read(saved.join("policy.json")).expect("it was saved"));
            world.results.push(std::fs::read(saved.join("result.json")).expect("it was saved"));
        }
        let _ = std::fs::remove_dir_all(&saved);
        let save = saved.display().to_string();
        cli::run(step_job(&save));
        for entry in std::fs::read_dir(saved.join("steps")).expect("steps were kept").flatten() {
            let bytes = std::fs::read(entry.path()).expect("it was kept");
            world.steps.push((entry.file_name(), bytes));
        }
        world.steps.sort();
        world.jobs = planned(&folder.join("planned"));
        world
    }

    fn put(&self, name: &str, bytes: &[u8]) -> String {
        let file = self.folder.join(name);
        std::fs::write(&file, bytes).expect("the folder can be written");
        file.display().to_string()
    }

    /// A mutated module under random flags.
    fn command_line(&self, random: &mut Random) -> Vec<OsString> {
        let base = &self.modules[random.below(self.modules.len())];
        let module = self.put("module.wasm", &random.mutate(base));
        let mut all: Vec<String> = Vec::new();
        let command =
            random.pick(&["analyze", "explore", "explore", "check", "generate", "replay"]);
        all.extend(["pessimum", command, &module].map(str::to_owned));
        if command == "generate" {
            all.extend(
                ["--predicate", random.pick(&["sort", "run", "match", "\u{1b}"])]
                    .map(str::to_owned),
            );
        } else if random.below(8) > 0 {
            all.extend(["--call", random.pick(CALLS)].map(str::to_owned));
        }
        if command == "replay" {
            let input = random.mutate(b"[3, 1, 2]");
            all.push(self.put(random.pick(&["input.json", "input.bin"]), &input));
        }
        if command == "check" {
            all.extend(["--at-most", random.pick(&["n", "n^2", "1", "x"])].map(str::to_owned));
        }
        let sizes = match command {
            "analyze" | "check" => "--sizes",
            _ => "--size",
        };
        let size = random.pick(&["2", "3", "1..=3", "0", "4", "x", "18446744073709551615"]);
        all.extend([sizes, size].map(str::to_owned));
        all.extend(["--time", "8ms", "--memory", "1G"].map(str::to_owned));
        if command != "replay" && command != "generate" {
            let bounds = ["--max-paths", "20", "--workers", "1"];
            all.extend(
                bounds[..if command == "explore" { 4 } else { 2 }].iter().map(|w| (*w).to_owned()),
            );
        }
        let instructions = random.pick(&["10", "1000", "20000"]);
        all.extend(["--max-instructions", instructions].map(str::to_owned));
        for _ in 0..random.below(4) {
            let (flag, value) = match random.below(14) {
                0 => ("--cost", Some(random.pick(COSTS))),
                1 => ("--json", Some(random.pick(&["-", "/dev/null"]))),
                2 => ("--html", Some("/dev/null")),
                3 => ("--policy", Some(random.pick(WORDS))),
                4 => ("--vary", Some(random.pick(WORDS))),
                5 => ("--let", Some(random.pick(&["m=n/2", "m=n*n*n", "m=1/0", "m"]))),
                6 => ("--seed", Some(random.pick(WORDS))),
                7 => ("--selects", Some(random.pick(&["split", "term", "x"]))),
                8 => ("--train", Some(random.pick(&["1..=2", "1..=3", "2..=1"]))),
                9 => ("--strategy", Some(random.pick(&["search", "exhaustive"]))),
                10 => ("--fields", Some(random.pick(&["left:&,key:i32", "x", "next:&"]))),
                11 => ("--source", Some(random.pick(&["/", "."]))),
                12 => ("--github", None),
                _ => (random.pick(WORDS), Some(random.pick(WORDS))),
            };
            all.push(flag.to_owned());
            all.extend(value.map(str::to_owned));
        }
        all.into_iter().map(OsString::from).collect()
    }

    /// An example whose code does something else than it did and is still valid, called as it is meant to be: most of
    /// these runs get past the door.
    fn module(&self, random: &mut Random) -> Vec<OsString> {
        let example = &EXAMPLES[random.below(EXAMPLES.len())];
        let mut module = example.module.to_vec();
        for _ in 0..=random.below(4) {
            let before = module.clone();
            let at = random.below(module.len());
            module[at] = match random.below(3) {
                0 => module[at] ^ 1 << random.below(8),
                1 => module[at].wrapping_add(1),
                _ => random.next() as u8,
            };
            if Module::load(&module, &CostModel::default()).is_err() {
                module = before;
            }
        }
        let file = self.put("module.wasm", &module);
        let command = random.pick(&["analyze", "explore", "check", "replay"]);
        let mut all = vec!["pessimum", command, &file, "--call", example.call];
        let input = self.put("input.bin", &random.next().to_le_bytes());
        all.extend(match command {
            "analyze" => ["--sizes", "2,4,30"].as_slice(),
            "check" => &["--sizes", "2,4,9", "--at-most", "n"],
            "explore" => &["--workers", "1", "--size", "4"],
            _ => &["--size", "2"],
        });
        if command == "replay" {
            all.push(&input);
        }
        all.extend(["--time", "8ms", "--memory", "1G"]);
        all.extend(["--cost", random.pick(COSTS)].iter().filter(|_| random.below(3) == 0));
        if command != "replay" {
            let more: &[&[&str]] =
                &[&[], &["--json", "-"], &["--html", "/dev/null"], &["--merge", "verify"]];
            all.extend(random.pick(&more[..if command == "explore" { 4 } else { 3 }]));
        }
        all.into_iter().map(OsString::from).collect()
    }

    fn policy(&self, random: &mut Random) -> Vec<OsString> {
        let base = &self.policies[random.below(self.policies.len())];
        let file = self.put("policy.json", &random.mutate(base));
        let other = self.put("other.json", base);
        let limits = ["--time", "50ms", "--memory", "1G", "--max-paths", "50", "--quiet"];
        match random.below(8) {
            0 | 1 => words(&["policy", "show", &file]),
            2 => words(&["policy", "show", &file, "--graphviz"]),
            3 => words(&["policy", "show", &file, "--module", "example:insertion_sort"]),
            4 => {
                words(&["policy", "show", &file, "--module", "example:insertion_sort", "--mermaid"])
            }
            5 => words(&["policy", "diff", &file, &other]),
            6 => words(&["policy", "unify", &file, &other]),
            _ => {
                let job = ["analyze", "example:insertion_sort", "--sizes", "3", "--train", "1..=2"];
                words(&[job.as_slice(), &["--policy-file", &file], &limits].concat())
            }
        }
    }

    fn result(&self, random: &mut Random) -> Vec<OsString> {
        let base = &self.results[random.below(self.results.len())];
        let file = self.put("result.json", &random.mutate(base));
        if random.below(8) > 0 {
            return words(&["report", &file, "-o", "/dev/null", "--time", "2s"]);
        }
        let job = ["check", "example:linear_search", "--baseline", &file, "--sizes", "3"];
        let limits = ["--train", "1..=2", "--time", "50ms", "--memory", "1G", "--quiet"];
        words(&[job.as_slice(), &limits].concat())
    }

    fn step(&self, random: &mut Random) -> Vec<OsString> {
        let saved = self.folder.join("saved");
        let steps = saved.join("steps");
        std::fs::create_dir_all(&steps).expect("the folder can be written");
        let chosen = random.below(self.steps.len());
        for (at, (name, bytes)) in self.steps.iter().enumerate() {
            let bytes = if at == chosen { random.mutate(bytes) } else { bytes.clone() };
            std::fs::write(steps.join(name), bytes).expect("the folder can be written");
        }
        step_job(&saved.display().to_string())
    }

    fn jobs(&self, random: &mut Random) -> Vec<OsString> {
        let folder = self.folder.join("jobs");
        let _ = std::fs::remove_dir_all(&folder);
        let chosen = random.below(self.jobs.len());
        for (at, (name, bytes)) in self.jobs.iter().enumerate() {
            let bytes = if at == chosen { random.mutate(bytes) } else { bytes.clone() };
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().expect("it is in the folder"))
                .expect("the folder can be written");
            std::fs::write(file, bytes).expect("the folder can be written");
        }
        let folder = folder.display().to_string();
        let limits = ["--time", "50ms", "--memory", "1G"];
        match random.below(4) {
            0 => words(&["jobs", "missing", &folder]),
            1 => words(&[["jobs", "gather", &folder, "--quiet"], limits].concat()),
            _ => {
                let job = random.pick(&["1", "2", "3", "2.1", "../1", "18446744073709551616"]);
                words(&[["jobs", "run", &folder, job], limits].concat())
            }
        }
    }

    fn seed(&self, random: &mut Random) -> Vec<OsString> {
        let seeds = self.folder.join("seeds");
        let _ = std::fs::remove_dir_all(&seeds);
        std::fs::create_dir_all(&seeds).expect("the folder can be written");
        for number in 0..random.below(4) {
            let length = random.below(20);
            let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            std::fs::write(seeds.join(format!("{number}")), bytes).expect("it can be written");
        }
        let folder = seeds.display().to_string();
        let input =
            self.put(random.pick(&["input.json", "input"]), &random.mutate(b"[1, 2, 3, 0]"));
        let limits = ["--time", "50ms", "--memory", "1G"];
        let call = "find(&i32[n], n, i32)";
        let search = ["explore", "example:linear_search", "--size", "3", "--seeds", &folder];
        let steps = ["--strategy", "search", "--steps", "3", "--workers", "1", "--quiet"];
        match random.below(3) {
            0 => words(&[search.as_slice(), &steps, &limits].concat()),
            1 => {
                let dict =
                    self.put("words", &random.mutate(b"# keys\nopen=\"<!--\"\n\"\\x00\xff\"\n"));
                let job = ["analyze", "example:linear_search", "--sizes", "3", "--train", "1..=2"];
                words(&[job.as_slice(), &["--dict", &dict, "--quiet"], &limits].concat())
            }
            _ => {
                let job = ["replay", "example:linear_search", "--call", call, &input];
                words(&[job.as_slice(), &limits].concat())
            }
        }
    }
}

/// An analysis that keeps its steps, the smallest there is.
fn step_job(save: &str) -> Vec<OsString> {
    let job = ["analyze", "example:linear_search", "--sizes", "3", "--train", "1..=2", "--quiet"];
    words(&[job.as_slice(), &["--policy", "wise", "--save", save, "--time", "10s"]].concat())
}

/// The files of a small folder of jobs of which the first is done.
fn planned(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let name = folder.display().to_string();
    let plan = ["jobs", "plan", "example:insertion_sort", "--size", "6", "--jobs", "3"];
    cli::run(words(&[plan.as_slice(), &["--out", &name, "--quiet"]].concat()));
    cli::run(words(&["jobs", "run", &name, "1", "--quiet"]));
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("jobs were planned").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("it was planned");
                let inside = path.strip_prefix(folder).expect("it is in the folder").to_owned();
                files.push((inside, bytes));
            }
        }
    }
    files.sort();
    files
}

fn words(args: &[&str]) -> Vec<OsString> {
    std::iter::once("pessimum").chain(args.iter().copied()).map(OsString::from).collect()
}
