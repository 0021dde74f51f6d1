//! The way in: what to generate, and what came of it.

use crate::domain::{DomainSpec, Values, values_at};
use crate::engine::{Bound, Engine, Mode, Plan};
use crate::error::{Result, ShapeError};
use crate::generate::{Keep, Round};
use crate::layout::{FieldType, KindId, Layout};
use crate::plain::Plain;
use crate::probe;
use crate::random::Random;
use crate::structure::Structure;
use crate::symbolic::ValidStructures;
use pessimum_clock::Deadline;
use pessimum_entry::CostModel;
use pessimum_machine::Module;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// How structures are found (section 3.2 of the paper).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// DP: every candidate is written into memory and the predicate executed on it.
    Dp,
    /// LazyDP: candidates are arrays of integers, read where the predicate looks.
    LazyDp,
    /// SymboLazyDP: fields are symbolic as well; one structure for each accepting path.
    SymboLazyDp,
    /// SymboLazyDP, but truth values and enumerations are tried value by value.
    #[default]
    Auto,
}

impl FromStr for Algorithm {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "dp" => Algorithm::Dp,
            "lazydp" => Algorithm::LazyDp,
            "symbolazydp" => Algorithm::SymboLazyDp,
            "auto" => Algorithm::Auto,
            _ => {
                let why = "expected dp, lazydp, symbolazydp or auto".to_owned();
                return Err(ShapeError::BadOption { text: text.to_owned(), why });
            }
        })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Algorithm::Dp => "dp",
            Algorithm::LazyDp => "lazydp",
            Algorithm::SymboLazyDp => "symbolazydp",
            Algorithm::Auto => "auto",
        })
    }
}

/// Generates the structures that a predicate accepts.
#[derive(Clone, Debug)]
pub struct Generator {
    pub(crate) plan: Plan,
    domains: Vec<DomainSpec>,
    algorithm: Algorithm,
    limit: u64,
    bound: Bound,
}

/// What was drawn at random.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Valid structures, as many as were found of those asked for.
    pub structures: Vec<Structure>,
    /// Candidates that the predicate judged for them, their parts included.
    pub candidates: u64,
}

/// What was found at one size.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The size.
    pub size: usize,
    /// Valid structures: solutions over the domains of the fields.
    pub valid: u128,
    /// Accepting paths of the predicate: structures with symbolic fields.
    pub paths: u64,
    /// Candidates the predicate judged, at this and all smaller sizes.
    pub candidates: u64,
    /// Times the machine ran the predicate.
    pub runs: u64,
    /// Structures kept to build larger ones from.
    pub stored: u64,
    /// Bytes of memory for all of them.
    pub stored_bytes: u64,
    /// The structures, unless only their number was asked for: all solutions, or for SymboLazyDP
    /// one of each path.
    pub structures: Vec<Structure>,
}

impl Generated {
    /// Bytes per stored structure.
    pub fn bytes_per_structure(&self) -> f64 {
        self.stored_bytes as f64 / self.stored.max(1) as f64
    }
}

impl Generator {
    /// A generator for an exported predicate of a module.
    pub fn new(module: &[u8], predicate: &str) -> Result<Generator> {
        Generator::with(module, predicate, &[], None)
    }

    /// A generator for a predicate that takes more arguments than the structure, or whose
    /// structure is described by hand (`--fields`).
    pub fn with(
        module: &[u8],
        predicate: &str,
        arguments: &[i64],
        fields: Option<&str>,
    ) -> Result<Generator> {
        let loaded = Arc::new(Module::load(module, &CostModel::Conditionals)?);
        let plan = Plan::new(module, loaded, predicate, arguments, fields)?;
        let mut generator = Generator {
            plan,
            domains: Vec::new(),
            algorithm: Algorithm::Auto,
            limit: 2_000_000,
            bound: Bound::default(),
        };
        let engine = |plan: Plan| generator.engine_of(plan, 1);
        let mut plan = generator.plan.clone();
        probe::find_arguments(&mut plan, engine)?;
        generator.plan = plan;
        Ok(generator)
    }

    /// Domains of fields; later ones win.
    pub fn domains(mut self, domains: impl IntoIterator<Item = DomainSpec>) -> Self {
        self.domains.extend(domains);
        self
    }

    /// The algorithm.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Most structures that are written out.
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Gives up with [`ShapeError::Candidates`] once so many candidates were judged, parts of
    /// larger structures included.
    pub fn most_candidates(mut self, candidates: u64) -> Self {
        self.bound.candidates = candidates;
        self
    }

    /// Gives up with [`ShapeError::Stopped`] once `stop` says so; it is asked every now and then.
    pub fn stop_when(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.bound.stop = Some(Arc::new(stop));
        self
    }

    /// Lets one run of the predicate take at most so many instructions.
    pub fn max_instructions(mut self, instructions: u64) -> Self {
        self.plan.limits.instructions = instructions;
        self
    }

    /// Ends every run of the predicate then, with [`ShapeError::Stopped`].
    pub fn until(mut self, deadline: Deadline) -> Self {
        self.plan.limits.deadline = deadline.clone();
        self.stop_when(move || deadline.is_over())
    }

    /// What the structure looks like.
    pub fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    /// The values that each field of each kind may take at a size.
    pub fn values(&self, size: usize) -> Result<Vec<Vec<Vec<i64>>>> {
        let all = values_at(&self.plan.layout, &self.domains, size)?;
        let list = |kind: &Vec<Values>| kind.iter().map(|v| v.iter().collect()).collect();
        Ok(all.iter().map(list).collect())
    }

    /// All valid structures of a size. Call [`Generator::check`] once before.
    pub fn generate(&self, size: usize) -> Result<Generated> {
        let mut structures = Vec::new();
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let mut found = self.each(size, &mut |structure| {
            structures.push(structure.clone());
            structures.len() <= limit
        })?;
        if structures.len() > limit {
            return Err(ShapeError::TooMany { limit: self.limit });
        }
        found.structures = structures;
        Ok(found)
    }

    /// Shows every valid structure of a size to `found`, one at a time, until it says false; for
    /// SymboLazyDP one of each path. What it returns holds no structures: memory follows the number
    /// of paths, not of solutions.
    pub fn each(
        &self,
        size: usize,
        found: &mut dyn FnMut(&Structure) -> bool,
    ) -> Result<Generated> {
        if self.algorithm == Algorithm::Dp {
            let mut all = self.run_plain(size, Keep::All)?;
            let _ = std::mem::take(&mut all.structures).iter().all(found);
            return Ok(all);
        }
        let mut engine = self.engine(size)?;
        let round = self.drive(&mut engine, size, Keep::All)?;
        let out = self.summary(&engine, size, &round);
        if round.null && !found(&Structure::null()) {
            return Ok(out);
        }
        let one_each = self.algorithm == Algorithm::SymboLazyDp;
        let kind = self.plan.whole.kind;
        for (links, leaf) in &round.found {
            let mut go_on = true;
            engine
                .each_filled(kind, links, *leaf, u64::MAX, &mut |structure| {
                    go_on = found(structure);
                    go_on && !one_each
                })
                .map_err(|_| ShapeError::TooMany { limit: self.limit })?;
            if !go_on {
                break;
            }
        }
        Ok(out)
    }

    /// The number of valid structures of a size.
    pub fn count(&self, size: usize) -> Result<Generated> {
        if self.algorithm == Algorithm::Dp {
            return self.run_plain(size, Keep::Count);
        }
        let mut engine = self.engine(size)?;
        let round = self.drive(&mut engine, size, Keep::Count)?;
        Ok(self.summary(&engine, size, &round))
    }

    /// All valid structures of a size with their open fields and path conditions, one for each
    /// accepting path: what an exploration over valid inputs starts from.
    pub fn valid_structures(&self, size: usize) -> Result<ValidStructures> {
        let mut engine = match self.algorithm {
            Algorithm::Dp | Algorithm::LazyDp => {
                self.clone().algorithm(Algorithm::SymboLazyDp).engine(size)?
            }
            _ => self.engine(size)?,
        };
        let round = self.drive(&mut engine, size, Keep::Paths)?;
        Ok(ValidStructures::new(engine, self.plan.whole.kind, round))
    }

    /// Up to `count` valid structures of sizes in a range, the same for the same seed.
    ///
    /// The domains are those of the greatest size.
    pub fn random(
        &self,
        sizes: std::ops::RangeInclusive<usize>,
        count: usize,
        seed: u64,
    ) -> Result<Vec<Structure>> {
        Ok(self.draw(sizes, count, seed)?.structures)
    }

    /// As [`random`](Self::random), with what the draw took.
    pub fn draw(
        &self,
        sizes: std::ops::RangeInclusive<usize>,
        count: usize,
        seed: u64,
    ) -> Result<Drawn> {
        let mut engine = self.engine(*sizes.end())?;
        let mut structures = engine.draw(sizes.clone(), count, &mut Random::new(seed))?;
        if engine.impure && engine.plan.pure {
            let plan = Plan { pure: false, ..self.plan.clone() };
            engine = self.engine_of(plan, *sizes.end())?;
            structures = engine.draw(sizes, count, &mut Random::new(seed))?;
        }
        Ok(Drawn { structures, candidates: engine.work.candidates })
    }

    /// Looks at how the predicate behaves on small structures: an error says why nothing can be
    /// generated from it.
    pub fn check(&self) -> Result<()> {
        let prober = self.clone().algorithm(Algorithm::Auto);
        probe::check_links(&mut prober.engine(probe::DOMAIN)?)?;
        probe::check_cycles(&self.plan, |plan| prober.engine_of(plan, probe::DOMAIN))
    }

    fn summary(&self, engine: &Engine, size: usize, round: &Round) -> Generated {
        Generated {
            size,
            valid: round.valid,
            paths: round.paths,
            candidates: engine.work.candidates,
            runs: engine.work.runs,
            stored: engine.stores.iter().map(|s| u64::from(s.len())).sum(),
            stored_bytes: engine.stores.iter().map(|s| s.bytes() as u64).sum(),
            structures: Vec::new(),
        }
    }

    fn run_plain(&self, size: usize, keep: Keep) -> Result<Generated> {
        let values = values_at(&self.plan.layout, &self.domains, size)?;
        let mut plain = Plain::new(self.plan.clone(), values, size)?;
        let mut structures = plain.run()?;
        let valid = structures.len();
        if keep == Keep::Count {
            structures.clear();
        }
        Ok(Generated {
            size,
            valid: valid as u128,
            paths: valid as u64,
            candidates: plain.candidates,
            runs: plain.candidates,
            stored: plain.stored() as u64,
            stored_bytes: plain.bytes,
            structures,
        })
    }

    fn drive(&self, engine: &mut Engine, size: usize, keep: Keep) -> Result<Round> {
        engine.make_parts(size)?;
        let round = engine.make_whole(size, keep)?;
        if !(engine.impure && engine.plan.pure) {
            return Ok(round);
        }
        // Some run had an effect: none of the calls may be left out.
        let mut plan = self.plan.clone();
        plan.pure = false;
        *engine = self.engine_of(plan, size)?;
        engine.make_parts(size)?;
        engine.make_whole(size, keep)
    }

    pub(crate) fn engine(&self, size: usize) -> Result<Engine> {
        self.engine_of(self.plan.clone(), size)
    }

    fn engine_of(&self, plan: Plan, size: usize) -> Result<Engine> {
        let values = values_at(&plan.layout, &self.domains, size)?;
        let mode = |kind: KindId, field: usize| match self.algorithm {
            Algorithm::Dp | Algorithm::LazyDp => Mode::Each,
            Algorithm::SymboLazyDp => Mode::Symbolic,
            Algorithm::Auto => match plan.layout.kinds[kind].fields[field].ty {
                FieldType::Bool { .. } | FieldType::Enum { .. } => Mode::Each,
                _ => Mode::Symbolic,
            },
        };
        let modes = plan
            .layout
            .kinds
            .iter()
            .enumerate()
            .map(|(k, kind)| (0..kind.fields.len()).map(|f| mode(k, f)).collect())
            .collect();
        let mut engine = Engine::new(plan, values, modes)?;
        engine.bound = self.bound.clone();
        engine.concrete = matches!(self.algorithm, Algorithm::Dp | Algorithm::LazyDp);
        Ok(engine)
    }
}
