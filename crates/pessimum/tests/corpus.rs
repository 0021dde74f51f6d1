//! Every program of the corpus, every build of it, every size whose paths are few: exploring
//! finds exactly the paths, traps, endless runs and worst costs that `facts.toml` states.

use pessimum::{CallSpec, CostModel, Entry, Exploration, Program, explore_size};
use pessimum_machine::Limits;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sizes with more paths are left to the benchmarks: this test is to end within a minute or two.
const MOST_PATHS: u64 = 20_000;

/// Sizes of programs whose paths are not stated.
const SIZES_WITHOUT_PATHS: u64 = 3;

/// A path of the corpus at these sizes that takes more is one that never ends.
const ENDLESS: u64 = 100_000;

/// The part of `facts.toml` that exploring can confirm; `corpus/README.md` defines it all.
#[derive(Deserialize)]
struct Facts {
    call: Option<String>,
    #[serde(default)]
    stdin: bool,
    #[serde(default)]
    argv: bool,
    #[serde(default)]
    fuzz: bool,
    #[serde(default, rename = "let")]
    lets: BTreeMap<String, String>,
    #[serde(default)]
    builds: Vec<String>,
    paths: Option<Vec<u64>>,
    paths_formula: Option<String>,
    trapped: Option<Vec<u64>>,
    endless: Option<Vec<u64>>,
    #[serde(default)]
    cost: Vec<CostFacts>,
    #[serde(default)]
    differs: Vec<Differing>,
}

#[derive(Deserialize, Clone)]
struct CostFacts {
    model: String,
    #[serde(default)]
    worst: Vec<u64>,
    formula: Option<String>,
    #[serde(default = "one")]
    from: u64,
    #[serde(default)]
    independent_of_input: bool,
}

/// What other builds do otherwise.
#[derive(Deserialize)]
struct Differing {
    builds: Vec<String>,
    paths: Vec<u64>,
    decisions: Vec<u64>,
}

fn one() -> u64 {
    1
}

/// One build of a program, held to one cost model.
struct Job {
    name: String,
    module: PathBuf,
    entry: Option<Entry>,
    lets: BTreeMap<String, String>,
    sizes: Vec<u64>,
    paths: Option<Vec<u64>>,
    paths_formula: Option<String>,
    trapped: Option<Vec<u64>>,
    endless: Option<Vec<u64>>,
    cost: CostFacts,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for entry in std::fs::read_dir(corpus()).expect("the corpus is there") {
        let folder = entry.expect("the corpus can be read").path();
        let Ok(text) = std::fs::read_to_string(folder.join("facts.toml")) else { continue };
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let facts: Facts =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{name}/facts.toml: {e}"));
        let own = format!("{name}.wasm");
        for build in std::iter::once(&own).chain(&facts.builds) {
            for cost in &facts.cost {
                // Another level of optimisation keeps paths and decisions; its conditionals are its own.
                if *build != own && cost.model != "decisions" {
                    continue;
                }
                jobs.push(job(&folder, &name, build, &facts, cost));
            }
        }
    }
    jobs.retain(|job| !job.sizes.is_empty());
    jobs
}

fn job(folder: &Path, name: &str, build: &str, facts: &Facts, cost: &CostFacts) -> Job {
    let entry = match &facts.call {
        _ if facts.stdin => Some(Entry::Stdin),
        _ if facts.argv => Some(Entry::Argv),
        Some(call) if !facts.fuzz => {
            Some(Entry::Call(CallSpec::parse(call).unwrap_or_else(|e| panic!("{name}: {e}"))))
        }
        _ => None,
    };
    let mut job = Job {
        name: format!("{name}/{build} by {}", cost.model),
        module: folder.join(build),
        entry,
        lets: facts.lets.clone(),
        sizes: Vec::new(),
        paths: facts.paths.clone(),
        paths_formula: facts.paths_formula.clone(),
        trapped: facts.trapped.clone(),
        endless: facts.endless.clone(),
        cost: cost.clone(),
    };
    let differs = facts.differs.iter().find(|d| d.builds.iter().any(|b| b == build));
    if let Some(differs) = differs {
        job.paths = Some(differs.paths.clone());
        job.paths_formula = None;
        if cost.model == "decisions" {
            job.cost.worst = differs.decisions.clone();
            job.cost.formula = None;
        }
    }
    let small = |paths: &Vec<u64>| -> Vec<u64> {
        let few = paths.iter().take_while(|p| **p <= MOST_PATHS).count();
        (1..=few as u64).collect()
    };
    let unstated = || (1..=SIZES_WITHOUT_PATHS.min(cost.worst.len() as u64)).collect();
    job.sizes = job.paths.as_ref().map_or_else(unstated, small);
    job
}

impl Job {
    /// What exploring finds that the facts do not say.
    fn disagreements(&self) -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let bytes = std::fs::read(&self.module)?;
        let mut program = Program::new(self.name.clone(), bytes)?;
        if let Some(entry) = &self.entry {
            program = program.enter(entry.clone());
        }
        for (name, value) in &self.lets {
            program = program.let_size(&format!("{name}={value}"))?;
        }
        if self.endless.is_some() {
            program = program.limits(Limits { instructions: ENDLESS, ..Limits::default() });
        }
        let cost = CostModel::parse(&self.cost.model, |_| Err("no price tables here".to_owned()))?;
        let how = Exploration { cost, max_tests: 3, ..Exploration::default() };

        let mut wrong = Vec::new();
        for &n in &self.sizes {
            let (found, _) = explore_size(&program, n, &how)?;
            let mut expect = |what: &str, stated: Option<u64>, seen: u64| {
                if let Some(stated) = stated
                    && stated != seen
                {
                    wrong.push(format!(
                        "{}: {what} at n = {n}: stated {stated}, found {seen}",
                        self.name
                    ));
                }
            };
            let at = |list: &[u64]| list.get(n as usize - 1).copied();
            // Without the key there are none; with it, sizes beyond the list are not stated.
            let or_none = |list: &Option<Vec<u64>>| list.as_ref().map_or(Some(0), |l| at(l));
            let formula = |text: &Option<String>| text.as_ref().and_then(|t| formula::at(t, n));

            let few = |count: Option<u64>| count.expect("few enough for a number");
            expect("paths", self.paths.as_deref().and_then(at), few(found.paths));
            expect("paths (formula)", formula(&self.paths_formula), few(found.paths));
            expect("trapped", or_none(&self.trapped), few(found.trapped));
            expect("endless", or_none(&self.endless), found.cut);
            let ends = self.endless.is_none();
            expect("exact", Some(u64::from(ends)), u64::from(found.exact));
            let worst = found.worst_cost.unwrap_or(u64::MAX);
            expect("worst cost", at(&self.cost.worst), worst);
            if n >= self.cost.from {
                expect("worst cost (formula)", formula(&self.cost.formula), worst);
            }
            if self.cost.independent_of_input {
                expect("same cost", Some(1), u64::from(found.cost_independent_of_input));
            }
            let confirmed = found.tests.iter().filter(|t| t.end == "normal");
            let unconfirmed = confirmed.filter(|t| t.replayed.is_none()).count();
            expect("tests that the other engine disputes", Some(0), unconfirmed as u64);
        }
        Ok(wrong)
    }
}

#[test]
fn exploring_finds_what_the_facts_state() {
    let jobs = jobs();
    assert!(jobs.len() > 80, "only {} programs, builds and cost models were found", jobs.len());
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = match job.disagreements() {
                        Ok(found) => found,
                        Err(error) => vec![format!("{}: {error}", job.name)],
                    };
                    wrong.lock().expect("no thread panics with it").extend(found);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no thread panics with it");
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Closed forms, as `corpus/README.md` defines them.
mod formula {
    /// The value at `n`; `None` where the formula is not a whole number or uses a function that is
    /// left to `verify.py` (the recurrences W, H and R).
    pub(crate) fn at(text: &str, n: u64) -> Option<u64> {
        let mut reader = Reader { rest: text, n: i128::from(n) };
        let value = reader.sum()?;
        assert!(reader.rest.trim().is_empty(), "`{}` of `{text}` was not read", reader.rest);
        (value.1 == 1).then(|| u64::try_from(value.0).ok()).flatten()
    }

    /// A fraction in lowest terms, its denominator positive.
    type Fraction = (i128, i128);

    struct Reader<'a> {
        rest: &'a str,
        n: i128,
    }

    impl Reader<'_> {
        fn eat(&mut self, token: &str) -> bool {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(token) {
                Some(rest) => {
                    self.rest = rest;
                    true
                }
                None => false,
            }
        }

        fn sum(&mut self) -> Option<Fraction> {
            let mut value = self.product()?;
            loop {
                if self.eat("+") {
                    let (a, b) = self.product()?;
                    value = reduced(value.0 * b + a * value.1, value.1 * b)?;
                } else if self.eat("-") {
                    let (a, b) = self.product()?;
                    value = reduced(value.0 * b - a * value.1, value.1 * b)?;
                } else {
                    return Some(value);
                }
            }
        }

        fn product(&mut self) -> Option<Fraction> {
            let mut value = self.power()?;
            loop {
                if self.eat("*") {
                    let (a, b) = self.power()?;
                    value = reduced(value.0 * a, value.1 * b)?;
                } else if self.eat("//") {
                    let (a, b) = self.power()?;
                    value = ((value.0 * b).div_euclid(value.1 * a), 1);
                } else if self.eat("/") {
                    let (a, b) = self.power()?;
                    value = reduced(value.0 * b, value.1 * a)?;
                } else {
                    return Some(value);
                }
            }
        }

        fn power(&mut self) -> Option<Fraction> {
            let base = self.atom()?;
            if !self.eat("^") {
                return Some(base);
            }
            let exponent = self.power()?;
            let exponent = (exponent.1 == 1).then(|| u32::try_from(exponent.0).ok()).flatten()?;
            Some((base.0.checked_pow(exponent)?, base.1.checked_pow(exponent)?))
        }

        fn atom(&mut self) -> Option<Fraction> {
            if self.eat("(") {
                let value = self.sum()?;
                assert!(self.eat(")"), "no `)` before `{}`", self.rest);
                return Some(value);
            }
            self.rest = self.rest.trim_start();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(length);
            self.rest = rest;
            if let Ok(number) = name.parse() {
                return Some((number, 1));
            }
            if name == "n" {
                return Some((self.n, 1));
            }
            assert!(self.eat("("), "`{name}` is no number, and no function before `{rest}`");
            let mut values = vec![whole(self.sum()?)?];
            while self.eat(",") {
                values.push(whole(self.sum()?)?);
            }
            assert!(self.eat(")"), "no `)` before `{}`", self.rest);
            let value = match (name, values.as_slice()) {
                ("factorial", [n]) => (1..=*n).product(),
                ("C", [n, k]) => binomial(*n, *k),
                ("fubini", [n]) => fubini(*n),
                ("floor_log2", [n]) => i128::from(n.checked_ilog2()?),
                ("max", [a, b]) => *a.max(b),
                ("min", [a, b]) => *a.min(b),
                ("W" | "H" | "R", [_]) => return None,
                other => panic!("no function {other:?} in formulas"),
            };
            Some((value, 1))
        }
    }

    fn whole(value: Fraction) -> Option<i128> {
        (value.1 == 1).then_some(value.0)
    }

    fn reduced(numerator: i128, denominator: i128) -> Option<Fraction> {
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        (a != 0).then(|| {
            let sign = denominator.signum();
            (sign * numerator / a, sign * denominator / a)
        })
    }

    fn binomial(n: i128, k: i128) -> i128 {
        (1..=k).fold(1, |value, i| value * (n - k + i) / i)
    }

    /// Ordered Bell numbers: weak orders of n values.
    fn fubini(n: i128) -> i128 {
        if n == 0 { 1 } else { (1..=n).map(|k| binomial(n, k) * fubini(n - k)).sum() }
    }

    #[test]
    fn known_values() {
        for (text, n, value) in [
            ("n*(n-1)/2", 5, Some(10)),
            ("3/2*n^2 + 1/2*n - 1", 4, Some(25)),
            ("2*n+1+(n+1)^2//4", 4, Some(15)),
            ("(15^(n+1)-1)/14", 1, Some(16)),
            ("C(2*n, n)", 3, Some(20)),
            ("fubini(n)", 4, Some(75)),
            ("factorial(n)", 5, Some(120)),
            ("3*floor_log2(n)+1", 9, Some(10)),
            ("max(0, n-2)", 1, Some(0)),
            ("n/2", 3, None),
            ("3*R(n)+1", 3, None),
        ] {
            assert_eq!(at(text, n), value, "{text} at {n}");
        }
    }
}
