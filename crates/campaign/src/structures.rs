//! Programs that take a structure: `search(&tree where rep_ok, i32)`.
//!
//! Such a program has as many computation trees at a size as its predicate has accepting paths
//! there; they are explored one after the other as if they were one, so its worst case is the worst
//! over the valid structures and no others. The shape is part of the input, so whatever is found can
//! be run again without generating anything.

use crate::error::Error;
use crate::evidence::Cut;
use crate::program::Program;
use crate::schedule::cut_by_now;
use pessimum_entry::{
    Arg, ArgSpec, Call, Entry, InputError, InputReader, Slot, Tree, TreeLayout, TreeSource,
};
use pessimum_explore::Budget;
use pessimum_report::document;
use pessimum_shape::{DomainSpec, Generator, Layout, ShapeError, Structure, ValidStructures};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Candidates that are judged for one size before it counts as too large: some seconds' worth, and
/// more structures than a run gets through.
const CANDIDATES: u64 = 20_000_000;

/// Structures with more nodes are not generated.
const LARGEST: u64 = 2_000;

/// Where the structures of a program come from.
#[derive(Debug)]
pub(crate) struct StructureSource {
    predicate: String,
    generator: Generator,
    argument: Arc<TreeLayout>,
    /// By size. Generation is expensive, and a size is explored more than once.
    found: Mutex<BTreeMap<u64, Arc<ValidStructures>>>,
}

impl StructureSource {
    /// What the entry says about structures; `None` if it takes none.
    pub(crate) fn of(
        module: &[u8],
        entry: &Entry,
        fields: Option<&str>,
        domains: &[DomainSpec],
    ) -> Result<Option<StructureSource>, Error> {
        let args = match entry {
            Entry::Call(spec) => spec.args.as_slice(),
            _ => &[],
        };
        let predicates: Vec<&str> = args
            .iter()
            .filter_map(|arg| match arg {
                ArgSpec::Structure { predicate, .. } => Some(predicate.as_str()),
                _ => None,
            })
            .collect();
        let predicate = match predicates.as_slice() {
            [] if fields.is_some() || (!domains.is_empty() && !passes_structs(args)) => {
                let why = "--fields and --domain describe a structure, but none is passed: write it into the call, as in --call 'search(&tree where rep_ok, i32)'";
                return Err(Error::Usage(why.to_owned()));
            }
            [] => return Ok(None),
            [one] => one,
            several => {
                return Err(Error::Usage(format!(
                    "the call passes {} structures, and only one can be explored at a time: build the others in an exported function that calls the target",
                    several.len()
                )));
            }
        };
        let generator =
            Generator::with(module, predicate, &[], fields)?.domains(domains.iter().cloned());
        generator.check()?;
        // Fields that do not exist are an error of the call as well.
        generator.values(1)?;
        let argument = Arc::new(generator.layout().as_argument());
        let predicate = (*predicate).to_owned();
        Ok(Some(StructureSource { predicate, generator, argument, found: Mutex::default() }))
    }

    /// The call of the predicate on the structure that an input begins with.
    pub(crate) fn predicate(&self, n: u64) -> Call {
        let mut args = vec![Arg::Tree(Arc::clone(&self.argument))];
        if self.argument.kinds[self.argument.root].array {
            args.push(Arg::Const(n.into()));
        }
        Call { function: self.predicate.clone(), args }
    }

    /// What the structure looks like as an argument.
    pub(crate) fn argument(&self) -> &Arc<TreeLayout> {
        &self.argument
    }

    /// What its nodes look like in the program.
    pub(crate) fn layout(&self) -> &Layout {
        self.generator.layout()
    }

    /// The valid structures of a size.
    pub(crate) fn structures(
        &self,
        n: u64,
        budget: &Budget,
    ) -> Result<Arc<ValidStructures>, Error> {
        let known = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&n) {
            return Ok(Arc::clone(found));
        }
        let size = usize::try_from(n).ok().filter(|_| n <= LARGEST).ok_or_else(|| {
            Error::TooManyStructures(format!(
                "n = {n}: structures of more than {LARGEST} nodes are not generated"
            ))
        })?;
        let generator = self.bounded(budget).most_candidates(CANDIDATES);
        let found = generator.valid_structures(size).map_err(|error| match error {
            ShapeError::Stopped => {
                Error::Stopped { n, by: cut_by_now(budget).unwrap_or(Cut::Time), why: error }
            }
            ShapeError::Candidates { .. } => Error::TooManyStructures(format!("n = {n}: {error}")),
            other => other.into(),
        })?;
        let found = Arc::new(found);
        known().insert(n, Arc::clone(&found));
        Ok(found)
    }

    /// Valid structures of a size at random, as the inputs of a call; fewer, or none, where they
    /// are hard to come by.
    pub(crate) fn draw(&self, n: u64, count: u64, seed: u64) -> Vec<Vec<(Slot, u64)>> {
        let (Ok(size), Ok(count)) = (usize::try_from(n), usize::try_from(count)) else {
            return Vec::new();
        };
        let generator = self.generator.clone().most_candidates(CANDIDATES);
        let drawn = generator.random(size..=size, count, seed).unwrap_or_default();
        drawn.iter().map(|s| s.as_inputs(generator.layout())).collect()
    }

    /// How many of the inputs of a run belong to the structure: the first ones.
    pub(crate) fn length(&self, slots: &[Slot]) -> usize {
        let mut source = Shape { slots: slots.iter(), taken: 0 };
        let _ = self.argument.read(&mut source);
        source.taken
    }

    /// The size of the structure that an input begins with.
    pub(crate) fn size(&self, input: InputReader<'_>) -> Result<u64, Error> {
        Ok(self.read(input)?.size(&self.argument))
    }

    /// Shows the structure beside the values of an input.
    fn show(&self, input: &mut document::Input) {
        let layout = self.generator.layout();
        let values = input.values.as_array().map(|list| InputReader::Json(list.iter()));
        if let Some(Ok(tree)) = values.map(|reader| self.read(reader)) {
            let shown = Structure::from_argument(layout, &tree).to_json(layout);
            // A document nests no deeper than it can be read back; the values say as much.
            input.structure = Some(shown).filter(|s| document::depth(s) <= document::DEPTH / 2);
        }
    }

    fn read(&self, reader: InputReader<'_>) -> Result<Tree<u64>, InputError> {
        self.argument.read(&mut Read { reader, position: 0 })
    }

    fn bounded(&self, budget: &Budget) -> Generator {
        self.generator.clone().until(budget.deadline.clone())
    }
}

/// Whether there is an array of structs among the arguments, which --domain may be about.
fn passes_structs(args: &[ArgSpec]) -> bool {
    args.iter().any(|arg| matches!(arg, ArgSpec::Named { .. }))
}

/// Shows the structure beside the values of every input, if the program takes one.
pub(crate) fn show_structures<'a>(
    program: &Program,
    inputs: impl IntoIterator<Item = &'a mut document::Input>,
) -> Result<(), Error> {
    if let Some(source) = program.structures()? {
        inputs.into_iter().for_each(|input| source.show(input));
    }
    Ok(())
}

/// Reads values and counts them.
struct Read<'a> {
    reader: InputReader<'a>,
    position: usize,
}

impl TreeSource for Read<'_> {
    type Value = u64;
    type Error = InputError;

    fn shape(&mut self, slot: Slot) -> Result<u64, Self::Error> {
        self.position += 1;
        self.reader.next(slot, self.position)
    }

    fn field(&mut self, slot: Slot) -> Result<u64, Self::Error> {
        self.shape(slot)
    }
}

/// Follows a shape through the slots that were made for it.
struct Shape<'a> {
    slots: std::slice::Iter<'a, Slot>,
    taken: usize,
}

impl TreeSource for Shape<'_> {
    type Value = ();
    type Error = ();

    fn shape(&mut self, _: Slot) -> Result<u64, ()> {
        let slot = self.slots.next().ok_or(())?;
        self.taken += 1;
        slot.domain.map(|(low, _)| low as u64).ok_or(())
    }

    fn field(&mut self, _: Slot) -> Result<(), ()> {
        self.taken += 1;
        self.slots.next().map(|_| ()).ok_or(())
    }
}
