//! A target entered with a valid structure: `--call 'search(&tree where rep_ok, i32)'`.
//!
//! One machine for each accepting path of the predicate, with the structure in its memory, its open
//! fields as inputs, and the path condition as assumptions. An explorer that runs them all explores
//! the target over the valid structures of the size and over no others.

use crate::error::{Result, ShapeError};
use crate::generator::Generator;
use crate::image::Image;
use crate::layout::{FieldType, Layout};
use crate::structure::Structure;
use crate::symbolic::SymbolicStructure;
use pessimum_entry::{Arg, Call, InputValues, Slot, Type};
use pessimum_machine::{Limits, LoadError, Machine, Module, Value};
use pessimum_term::{Arena, TermId, Width};
use std::collections::HashMap;
use std::sync::Arc;

/// A target that stands at its first instruction, its argument a valid structure.
pub struct Entered {
    /// The machine, for an explorer.
    pub machine: Machine,
    /// The terms of its inputs.
    pub arena: Arena,
    /// The shape and the path condition.
    pub over: SymbolicStructure,
    /// Which of the machine's inputs the structure's open fields are: the first of them.
    pub first_input: usize,
}

impl Entered {
    /// The structure that an input of the target (a model of one of its paths) stands for.
    pub fn structure_of(&self, input: &InputValues) -> Structure {
        let mut structure = self.over.structure.clone();
        let values = input.iter().skip(self.first_input);
        for (open, (slot, bits)) in self.over.open.iter().zip(values) {
            let value = slot.ty.integer(*bits).unwrap_or(0);
            structure.nodes[open.node].fields[open.field] = value as i64;
        }
        structure
    }
}

impl Generator {
    /// The call of a target with each valid structure of a size, one for each accepting path.
    /// `module` is the target's, priced as its caller wants; exactly one argument of `call` is a
    /// structure, the others are numbers and symbolic scalars.
    pub fn enter_over(
        &self,
        module: &Arc<Module>,
        call: &Call,
        size: usize,
        limits: Limits,
    ) -> Result<Vec<Entered>> {
        let structures = self.valid_structures(size)?;
        structures
            .into_iter()
            .map(|s| enter(self.layout(), module, call, limits, s, size))
            .collect()
    }
}

fn enter(
    layout: &Layout,
    module: &Arc<Module>,
    call: &Call,
    limits: Limits,
    over: SymbolicStructure,
    size: usize,
) -> Result<Entered> {
    let mut arena = Arena::new();
    let mut machine = Machine::prepare(module, limits, &mut arena)?;
    let function = module.function(&call.function)?;
    let params = &module.function_type(function).params;
    let array = layout.kinds[layout.root].array;
    let mut args = Vec::new();
    let mut first_input = 0;
    for arg in &call.args {
        match arg {
            Arg::Const(k) => args.push(Value::concrete(*k as u64)),
            Arg::Scalar(slot) => {
                let value = machine.make_input(&mut arena, *slot)?;
                args.push(Machine::widen_input(&mut arena, *slot, value));
            }
            Arg::Structure { .. } => {
                first_input = machine.inputs().len();
                let (address, conditions) = place(layout, &mut machine, &mut arena, &over)?;
                args.push(Value::concrete(u64::from(address)));
                if array {
                    args.push(Value::concrete(size as u64));
                }
                machine.assume_first(conditions);
            }
            Arg::Array { .. } | Arg::Bytes(_) => {
                let what = "an array beside a structure".to_owned();
                return Err(ShapeError::Load(LoadError::Unsupported { what }));
            }
        }
    }
    if args.len() != params.len() {
        let (expected, found) = (params.len(), args.len());
        let function = call.function.clone();
        return Err(ShapeError::Load(LoadError::ArgumentCount { function, expected, found }));
    }
    machine.begin_measured(function, &args)?;
    Ok(Entered { machine, arena, over, first_input })
}

/// Writes a structure to fresh memory: its address, and what must hold of its fields.
fn place(
    layout: &Layout,
    machine: &mut Machine,
    arena: &mut Arena,
    over: &SymbolicStructure,
) -> Result<(u32, Vec<TermId>)> {
    let structure = &over.structure;
    let array = layout.kinds[layout.root].array;
    if structure.nodes.is_empty() && !array {
        return Ok((0, Vec::new()));
    }
    let base = u32::try_from(machine.memory_size()).unwrap_or(u32::MAX);
    let starts = Image::starts(layout, structure);
    machine.write_memory(base, &Image::of(layout, structure).at(base))?;
    let mut terms: HashMap<(usize, usize), TermId> = HashMap::new();
    for open in &over.open {
        let field = &layout.kinds[structure.nodes[open.node].kind].fields[open.field];
        let slot = Slot::within(type_of(&field.ty), i128::from(open.low), i128::from(open.high));
        let value = machine.make_input(arena, slot)?;
        let bytes = field.ty.bytes();
        machine.write_value(arena, base + starts[open.node] + field.offset, bytes, value);
        let term = value.to_term(arena, Width::new(8 * bytes));
        terms.insert((open.node, open.field), term);
    }
    let conditions = over.condition(arena, |arena, node, field| match terms.get(&(node, field)) {
        Some(term) => *term,
        None => {
            // A field with one value: it was given no variable.
            let node = &structure.nodes[node];
            let bytes = layout.kinds[node.kind].fields[field].ty.bytes();
            arena.constant(Width::new(8 * bytes), node.fields[field] as u64)
        }
    });
    Ok((base, conditions))
}

fn type_of(ty: &FieldType) -> Type {
    match (ty.bytes(), ty) {
        (1, FieldType::Int { signed: true, .. }) => Type::I8,
        (1, _) => Type::U8,
        (2, FieldType::Int { signed: false, .. }) => Type::U16,
        (2, _) => Type::I16,
        (8, FieldType::Int { signed: false, .. }) => Type::U64,
        (8, _) => Type::I64,
        (_, FieldType::Int { signed: false, .. }) => Type::U32,
        _ => Type::I32,
    }
}
