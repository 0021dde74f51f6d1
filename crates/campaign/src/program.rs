//! A program under test: a module, how it is entered, what is counted.

use crate::error::Error;
use crate::publish;
use crate::structures::StructureSource;
use pessimum_entry::{
    Arg, Call, CallSpec, CostModel, DeclaredCall, Entry, InputReader, Invocation, Let,
    ModuleSummary, Record, Sizes, TreeLayout,
};
use pessimum_machine::{Limits, Module, Setup, fingerprint};
use pessimum_report::document;
use pessimum_shape::DomainSpec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A module and how it is entered.
///
/// ```
/// use pessimum_campaign::Program;
///
/// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?;
/// assert!(program.clone().call("sort(&i32[n], n)").is_ok());
/// assert!(program.call("sort(&i32[n, n)").is_err(), "a bracket is missing");
/// # Ok::<(), pessimum_campaign::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    bytes: Arc<[u8]>,
    entry: Option<Entry>,
    lets: Vec<Let>,
    seed: u64,
    limits: Limits,
    /// Which size grows in place of n, and where n stays.
    axis: Option<(String, u64)>,
    fields: Option<String>,
    domains: Vec<DomainSpec>,
    /// The entry that was found, where none was named; shared by copies.
    found: Arc<OnceLock<Entry>>,
    /// What structs of arrays look like, by their names; shared by copies.
    records: Arc<Mutex<BTreeMap<String, Arc<Record>>>>,
    /// Where its structures come from, once it was asked for; shared by copies.
    structures: Arc<OnceLock<Option<StructureSource>>>,
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
            axis: None,
            fields: None,
            domains: Vec::new(),
            found: Arc::default(),
            records: Arc::default(),
            structures: Arc::default(),
        };
        // Whatever is wrong with the module is said before anything else.
        Module::load(&program.bytes, &CostModel::Conditionals)?;
        Ok(program)
    }

    /// Enters by an export, described as `sort(&i32[n], n)`.
    pub fn call(mut self, spec: &str) -> Result<Program, Error> {
        self.entry = Some(Entry::Call(CallSpec::parse(spec)?));
        self.structures = Arc::default();
        Ok(self)
    }

    /// Enters by a target that the module describes itself (`#[pessimum::target]`).
    pub fn target(self, name: &str) -> Result<Program, Error> {
        let summary = ModuleSummary::read(&self.bytes)?;
        let call = &summary.declared(name)?.call;
        self.call(call)
    }

    /// The target that is entered, if it is one that the module describes.
    pub fn declared(&self) -> Result<Option<DeclaredCall>, Error> {
        let Entry::Call(spec) = self.entry()? else { return Ok(None) };
        let (spec, summary) = (spec.to_string(), ModuleSummary::read(&self.bytes)?);
        Ok(summary.declared.into_iter().find(|declared| declared.call == spec))
    }

    /// Enters in another way.
    pub fn enter(mut self, entry: Entry) -> Program {
        self.entry = Some(entry);
        self.structures = Arc::default();
        self
    }

    /// Describes the structure that the call passes, where debug information does not tell:
    /// `left:&,right:&,key:i32`.
    pub fn fields(mut self, fields: &str) -> Program {
        self.fields = Some(fields.to_owned());
        self.structures = Arc::default();
        self
    }

    /// Says which values a field of the structure may have: `key=0..=2*n`. An integer is in
    /// `0..=n` unless told otherwise.
    pub fn domain(mut self, domain: &str) -> Result<Program, Error> {
        self.domains.push(domain.parse()?);
        self.structures = Arc::default();
        Ok(self)
    }

    /// Defines a second size: `m=n/2`.
    pub fn let_size(mut self, definition: &str) -> Result<Program, Error> {
        self.lets.push(Let::parse(definition)?);
        Ok(self)
    }

    /// Lets another size grow in place of `n`, which stays at `fixed`: the sizes of an analysis are
    /// then values of `axis`.
    pub fn grow(mut self, axis: &str, fixed: u64) -> Program {
        self.axis = Some((axis.to_owned(), fixed));
        self
    }

    /// What one path may take.
    pub(crate) fn path_limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether another size than `n` grows.
    pub(crate) fn grows_otherwise(&self) -> bool {
        self.axis.is_some()
    }

    /// Seed of the program's own random source.
    pub fn seed(mut self, seed: u64) -> Program {
        self.seed = seed;
        self
    }

    /// The seed of the program's own random source: both engines draw from it.
    pub fn random_seed(&self) -> u64 {
        self.seed
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
        if let Some(known) = self.entry.as_ref().or(self.found.get()) {
            return Ok(known.clone());
        }
        let summary = ModuleSummary::read(&self.bytes)?;
        let exports = summary.exports.iter().map(|export| export.name.as_str());
        let found = Entry::discover(&summary, || pessimum_shape::signatures(&self.bytes, exports))?;
        Ok(self.found.get_or_init(|| found).clone())
    }

    /// The names of the parameters of the function that is called. None where debug information does not tell each of
    /// them, or nothing is called: what the source calls one parameter may be passed as two, or not at all.
    pub fn parameter_names(&self) -> Vec<String> {
        let function = match self.entry() {
            Ok(Entry::Call(spec)) => spec.function,
            Ok(Entry::Fuzzer) => return ["data", "size"].map(str::to_owned).to_vec(),
            _ => return Vec::new(),
        };
        let names = pessimum_shape::parameter_names(&self.bytes, &function);
        let summary = ModuleSummary::read(&self.bytes).ok();
        let passed = summary.and_then(|summary| Some(summary.export(&function)?.params.len()));
        let plain = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        match passed == Some(names.len()) && names.iter().all(plain) {
            true => names,
            false => Vec::new(),
        }
    }

    /// What was assumed of a call that nobody described, and how to describe it; `None` where
    /// nothing was assumed.
    pub fn assumption(&self) -> Result<Option<String>, Error> {
        let (None, Entry::Call(found)) = (&self.entry, self.entry()?) else { return Ok(None) };
        if self.declared()?.is_some() {
            return Ok(None);
        }
        if !pessimum_shape::signatures(&self.bytes, [found.function.as_str()]).is_empty() {
            return Ok(Some(format!(
                "it was called as {found}, which was read from the types in its debug information; if something else is meant, describe it, as in --call '{found}'"
            )));
        }
        let found = found.to_string();
        let bytes = found.replace("&i32[", "&u8[");
        Ok(Some(format!(
            "it was called as {found}: a pointer and a length look like two integers, and what the pointer leads to was taken for 32-bit integers; if it is bytes, say --call '{bytes}'"
        )))
    }

    /// The module, priced for a cost model.
    pub fn module(&self, cost: &CostModel) -> Result<Arc<Module>, Error> {
        Ok(Arc::new(Module::load(&self.bytes, cost)?))
    }

    /// What a run of size `n` starts from.
    pub fn setup(&self, n: u64) -> Result<Setup, Error> {
        let sizes = match &self.axis {
            None => Sizes::at(n, &self.lets)?,
            Some((axis, fixed)) => Sizes::along(axis, n, *fixed, &self.lets)?,
        };
        let mut invocation = self.entry()?.at(&sizes)?;
        if let (Invocation::Call(call), Some(source)) = (&mut invocation, self.structures()?) {
            for arg in &mut call.args {
                if matches!(arg, Arg::Structure { .. }) {
                    *arg = Arg::Tree(Arc::clone(source.argument()));
                }
            }
        }
        if let Invocation::Call(call) = &mut invocation {
            for arg in &mut call.args {
                if let Arg::Named { ty, len } = arg {
                    let record = self.record(ty, &sizes)?;
                    let too_many =
                        |what| Error::Usage(format!("`&{ty}[…]`: {what}: ask for a smaller size"));
                    *arg = Arg::records(record, *len).map_err(too_many)?;
                }
            }
        }
        Ok(Setup { invocation, sizes, seed: self.seed, limits: self.limits.clone() })
    }

    /// What the structs of an array look like.
    fn record(&self, ty: &str, sizes: &Sizes) -> Result<Arc<Record>, Error> {
        let mut known = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(ty) {
            let plain = pessimum_shape::record(&self.bytes, ty).map_err(Error::Usage)?;
            known.insert(ty.to_owned(), Arc::new(plain));
        }
        let mut record = Arc::clone(&known[ty]);
        for domain in &self.domains {
            if domain.hold(Arc::make_mut(&mut record), sizes)? == 0 {
                let names: Vec<&str> = record.fields.iter().map(|f| f.name.as_str()).collect();
                return Err(Error::Usage(format!(
                    "--domain is about `{}`, which {ty} does not have: it has {}",
                    domain.name(),
                    names.join(", ")
                )));
            }
        }
        Ok(record)
    }

    /// Where the structure that the call passes comes from; `None` if it passes none.
    pub(crate) fn structures(&self) -> Result<Option<&StructureSource>, Error> {
        if let Some(known) = self.structures.get() {
            return Ok(known.as_ref());
        }
        let source = StructureSource::of(
            &self.bytes,
            &self.entry()?,
            self.fields.as_deref(),
            &self.domains,
        )?;
        Ok(self.structures.get_or_init(|| source).as_ref())
    }

    /// What the nodes of the structure that the call passes look like; `None` if it passes none.
    pub fn structure(&self) -> Result<Option<&TreeLayout>, Error> {
        Ok(self.structures()?.map(|source| &**source.argument()))
    }

    /// The call of the predicate on the structure that an input of size `n` begins with; `None` if
    /// the call passes none.
    pub fn predicate(&self, n: u64) -> Result<Option<Call>, Error> {
        Ok(self.structures()?.map(|source| source.predicate(n)))
    }

    /// The size of the structure that an input begins with; `None` if the call passes none.
    pub fn structure_size(&self, input: InputReader<'_>) -> Result<Option<u64>, Error> {
        self.structures()?.map(|source| source.size(input)).transpose()
    }

    /// Its name and how it is entered, for documents.
    pub fn describe(&self) -> Result<document::Program, Error> {
        publish::program(self)
    }

    /// Of the module, the entry and everything else that shapes a run.
    pub(crate) fn fingerprint(&self) -> Result<String, Error> {
        let shaped = format!("{} {:?}", self.entry()?, self.settings());
        Ok(format!("{:016x}{:016x}", fingerprint(&self.bytes), fingerprint(shaped.as_bytes())))
    }

    /// Everything that shapes a run beside the module and the entry, for telling calls apart.
    pub(crate) fn settings(&self) -> impl std::fmt::Debug + '_ {
        (&self.lets, &self.axis, self.seed, &self.limits, &self.fields, &self.domains)
    }

    /// The names defined beside `n`.
    pub fn lets(&self) -> &[Let] {
        &self.lets
    }
}
