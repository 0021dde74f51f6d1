//! One module, two engines, the same calls: results, traps, memory and globals must agree.

use super::rng::Rng;
use super::wasmi_side::{GAVE_UP, Other, Started};
use pessimum_entry::CostModel;
use pessimum_entry::host::{Stream, Wasi};
use pessimum_machine::{End, Limits, LoadError, Machine, Module, ValType};
use pessimum_term::Arena;
use std::sync::Arc;

/// Activations that either engine allows.
pub const DEPTH: u32 = 10_000;

impl Effort {
    pub fn add(&mut self, other: Effort) {
        self.calls += other.calls;
        self.traps += other.traps;
        self.instructions += other.instructions;
        self.gave_up += other.gave_up;
    }
}

/// What a comparison took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Calls made.
    pub calls: u64,
    /// Calls that trapped.
    pub traps: u64,
    /// Instructions that our machine executed.
    pub instructions: u64,
    /// Modules on which wasmi panicked: they were compared up to there.
    pub gave_up: u64,
}

/// Calls every exported function of a module in both engines, with arguments from a seed; in ours by the loop for numbers alone,
/// if `numbers`.
pub fn compare(bytes: &[u8], seed: u64, numbers: bool) -> Result<Effort, String> {
    let module = Module::load(bytes, &CostModel::Instructions).map_err(|e| e.to_string())?;
    let module = Arc::new(module);
    let mut effort = Effort::default();
    let mut arena = Arena::new();
    let limits = Limits { depth: DEPTH, ..Limits::default() };
    let wasi = Wasi::new(Stream::None, 0);
    let started = Machine::instantiate(Arc::clone(&module), limits, wasi, 0).and_then(|mut m| {
        if numbers {
            m.expect_numbers();
        }
        m.initialize(&mut arena).map(|()| m)
    });
    let other = match Other::start(bytes, DEPTH as usize) {
        Err(e) if e == GAVE_UP => return Ok(Effort { gave_up: 1, ..effort }),
        other => other?,
    };
    let (mut ours, mut other) = match (started, other) {
        (Ok(ours), Started::Ready(other)) => (ours, other),
        (Err(LoadError::StartTrapped { trap, .. }), Started::Trapped(found)) => {
            if trap != found {
                return Err(format!("the start: we say {trap}, wasmi says {found}"));
            }
            return Ok(effort);
        }
        (Err(LoadError::StartEnded { .. }), Started::TooDeep) => return Ok(effort),
        (Ok(_), Started::TooDeep) => return Err("only wasmi goes too deep".to_owned()),
        (Ok(_), Started::Trapped(trap)) => return Err(format!("only wasmi traps: {trap}")),
        (Err(e), _) => return Err(format!("only we fail: {e}")),
    };
    same_state(&ours, &other, "after the start")?;
    let mut rng = Rng::new(seed);
    let functions: Vec<(String, Vec<ValType>, Vec<ValType>)> = module
        .exported_functions()
        .map(|(name, ty)| (name.to_owned(), ty.params.clone(), ty.results.clone()))
        .collect();
    for _ in 0..2 {
        for (name, params, results) in &functions {
            let args: Vec<u64> = params.iter().map(|ty| argument(&mut rng, *ty)).collect();
            let context = || format!("{name}({args:x?})");
            let (end, found) =
                ours.invoke(&mut arena, name, &args).map_err(|e| format!("{}: {e}", context()))?;
            let expected = match other.call(name, params, &args) {
                Ok(expected) => expected,
                Err(e) if e == GAVE_UP => {
                    effort.gave_up = 1;
                    effort.instructions = ours.counters().all_instructions;
                    return Ok(effort);
                }
                Err(e) => return Err(format!("{}: {e}", context())),
            };
            effort.calls += 1;
            effort.traps += u64::from(end != End::Return);
            let found = if end == End::Return { comparable(results, &found) } else { Vec::new() };
            if (end, &found) != (expected.0, &expected.1) {
                return Err(format!(
                    "{}: we say {end:?} {found:x?}, wasmi says {expected:x?}",
                    context()
                ));
            }
            same_state(&ours, &other, &context())?;
        }
    }
    effort.instructions = ours.counters().all_instructions;
    Ok(effort)
}

fn same_state(ours: &Machine, other: &Other, context: &str) -> Result<(), String> {
    if let Some(memory) = other.memory()
        && memory != ours.memory_bytes()
    {
        let at = memory.iter().zip(ours.memory_bytes()).position(|(a, b)| a != b);
        return Err(format!(
            "{context}: memories of {} and {} bytes differ at {at:?}",
            ours.memory_bytes().len(),
            memory.len()
        ));
    }
    for (name, expected) in other.globals() {
        let found = ours.exported_global(&name).and_then(|v| v.as_concrete());
        // References are compared by being null alone: 1 stands for any other.
        let same = found == Some(expected) || (expected == 1 && found.is_some_and(|f| f != 0));
        if !same {
            return Err(format!("{context}: global {name} is {found:x?}, wasmi says {expected:x}"));
        }
    }
    Ok(())
}

/// Results with every reference that is not null as one.
pub fn comparable(types: &[ValType], values: &[u64]) -> Vec<u64> {
    let one = |(ty, bits): (&ValType, &u64)| match ty {
        ValType::FuncRef | ValType::ExternRef => u64::from(*bits != 0),
        _ => *bits,
    };
    types.iter().zip(values).map(one).collect()
}

/// A random argument; references are null, floats are no signalling NaN.
pub fn argument(rng: &mut Rng, ty: ValType) -> u64 {
    match ty {
        ValType::I32 => u64::from(rng.interesting() as u32),
        ValType::I64 => rng.interesting(),
        ValType::F32 => match rng.below(3) {
            0 => u64::from((rng.interesting() as i32 as f32).to_bits()),
            1 => u64::from((rng.below(2000) as f32 / 7.0 - 100.0).to_bits()),
            _ => u64::from(quiet32(rng.next() as u32)),
        },
        ValType::F64 => match rng.below(3) {
            0 => (rng.interesting() as i64 as f64).to_bits(),
            1 => (rng.below(2000) as f64 / 7.0 - 100.0).to_bits(),
            _ => quiet64(rng.next()),
        },
        ValType::FuncRef | ValType::ExternRef => 0,
    }
}

fn quiet32(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits }
}

fn quiet64(bits: u64) -> u64 {
    if f64::from_bits(bits).is_nan() { 0x7ff8_0000_0000_0000 } else { bits }
}
