//! A program under test: a module, how it is entered, what is counted.

use crate::error::Error;
use pessimum_entry::{CallSpec, CostModel, Entry, Let, ModuleSummary, Sizes};
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

/// A module and how it is entered.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    bytes: Arc<[u8]>,
    entry: Option<Entry>,
    lets: Vec<Let>,
    seed: u64,
    limits: Limits,
}

impl Program {
    /// A module; `name` is what results call it. The entry is found by itself unless named.
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Result<Program, Error> {
        let program = Program {
            name: name.into(),
            bytes: bytes.into(),
            entry: None,
            lets: Vec::new(),
            seed: 0,
            limits: Limits::default(),
        };
        // Whatever is wrong with the module is said before anything else.
        Module::load(&program.bytes, &CostModel::Conditionals)?;
        Ok(program)
    }

    /// Enters by an export, described as `sort(&i32[n], n)`.
    pub fn call(mut self, spec: &str) -> Result<Program, Error> {
        self.entry = Some(Entry::Call(CallSpec::parse(spec)?));
        Ok(self)
    }

    /// Enters in another way.
    pub fn enter(mut self, entry: Entry) -> Program {
        self.entry = Some(entry);
        self
    }

    /// Defines a second size: `m=n/2`.
    pub fn let_size(mut self, definition: &str) -> Result<Program, Error> {
        self.lets.push(Let::parse(definition)?);
        Ok(self)
    }

    /// Seed of the program's own random source.
    pub fn seed(mut self, seed: u64) -> Program {
        self.seed = seed;
        self
    }

    /// Limits of one path.
    pub fn limits(mut self, limits: Limits) -> Program {
        self.limits = limits;
        self
    }

    /// The name given to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The module.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How it is entered: as told, or as found.
    pub fn entry(&self) -> Result<Entry, Error> {
        match &self.entry {
            Some(entry) => Ok(entry.clone()),
            None => Ok(Entry::discover(&ModuleSummary::read(&self.bytes)?)?),
        }
    }

    /// The module, priced for a cost model.
    pub fn module(&self, cost: &CostModel) -> Result<Arc<Module>, Error> {
        Ok(Arc::new(Module::load(&self.bytes, cost)?))
    }

    /// What a run of size `n` starts from.
    pub fn setup(&self, n: u64) -> Result<Setup, Error> {
        let sizes = Sizes::at(n, &self.lets)?;
        let invocation = self.entry()?.at(&sizes)?;
        Ok(Setup { invocation, sizes, seed: self.seed, limits: self.limits })
    }

    /// The names defined beside `n`.
    pub fn lets(&self) -> &[Let] {
        &self.lets
    }
}
