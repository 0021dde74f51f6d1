//! Small functions written as text, run three ways on given inputs.

use super::follow::{Assignment, Stops, follow, memory_under};
use super::rng::Rng;
use super::wasmi_side::{Other, Started};
use pessimum_entry::host::{Stream, Wasi};
use pessimum_entry::{Arg, Call, CostModel, Invocation, Sizes, Slot, Type};
use pessimum_machine::{End, Inputs, Limits, Machine, Module, Setup, ValType};
use pessimum_term::Arena;
use std::sync::Arc;

/// A module whose export `f` takes and returns numbers.
pub struct Small {
    bytes: Vec<u8>,
    pub module: Arc<Module>,
    params: Vec<ValType>,
    pub setup: Setup,
}

impl Small {
    pub fn new(text: &str) -> Small {
        let bytes = wat::parse_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let module = Module::load(&bytes, &CostModel::Instructions)
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        let params = match module.exported_functions().find(|(name, _)| *name == "f") {
            Some((_, ty)) => ty.params.clone(),
            None => panic!("no export f"),
        };
        let slot = |ty: &ValType| match ty {
            ValType::I64 => Slot::any(Type::I64),
            ValType::F32 => Slot::any(Type::F32),
            ValType::F64 => Slot::any(Type::F64),
            _ => Slot::any(Type::I32),
        };
        let args = params.iter().map(|ty| Arg::Scalar(slot(ty))).collect();
        let setup = Setup {
            invocation: Invocation::Call(Call { function: "f".to_owned(), args }),
            sizes: Sizes::of(0),
            seed: 0,
            limits: Limits::default(),
        };
        Small { bytes, module: Arc::new(module), params, setup }
    }

    /// A machine at the entry, with symbolic arguments.
    pub fn start(&self, arena: &mut Arena) -> Machine {
        Machine::start(&self.module, &self.setup, Inputs::Symbolic, arena).expect("it starts")
    }

    /// An instance to be called with numbers.
    pub fn instance(&self, arena: &mut Arena) -> Machine {
        let wasi = Wasi::new(Stream::None, 0);
        let module = Arc::clone(&self.module);
        let mut machine = Machine::instantiate(module, self.setup.limits.clone(), wasi, 0)
            .expect("it can be made");
        machine.initialize(arena).expect("it starts");
        machine
    }

    /// wasmi's answer: the end, the results and the memory.
    pub fn expected(&self, args: &[u64]) -> (End, Vec<u64>, Vec<u8>) {
        let Ok(Started::Ready(mut other)) = Other::start(&self.bytes, 10_000) else {
            panic!("wasmi does not start the module")
        };
        let (end, results) = other.call("f", &self.params, args).expect("a call");
        (end, results, other.memory().unwrap_or(&[]).to_vec())
    }

    /// Follows the path of an input and compares everything with wasmi.
    pub fn check(&self, args: &[u64], regions: Option<&mut Rng>) -> Result<(End, Stops), String> {
        let mut arena = Arena::new();
        let mut machine = self.start(&mut arena);
        let mut input = Assignment::new(args.to_vec());
        let (end, stops) = follow(&mut machine, &mut arena, &mut input, regions);
        let (expected_end, expected, expected_memory) = self.expected(args);
        let mut own_arena = Arena::new();
        let mut concrete = self.instance(&mut own_arena);
        let ours = concrete.invoke(&mut own_arena, "f", args).map_err(|e| e.to_string())?;
        let same = ours.0 == expected_end && (ours.0 != End::Return || ours.1 == expected);
        if !same || !expected_memory.is_empty() && concrete.memory_bytes() != expected_memory {
            return Err(format!(
                "{args:x?}: concretely {ours:x?}, wasmi {expected_end:?} {expected:x?}"
            ));
        }
        if end != expected_end {
            return Err(format!("{args:x?}: {end:?}, wasmi {expected_end:?}"));
        }
        if end == End::Return {
            let results = machine.results(expected.len()).to_vec();
            let results: Vec<u64> = results.iter().map(|v| input.value(&arena, *v)).collect();
            if results != expected {
                return Err(format!("{args:x?}: {results:x?}, wasmi {expected:x?}"));
            }
        }
        let memory = memory_under(&machine, &mut arena, &mut input);
        if !expected_memory.is_empty() && memory != expected_memory {
            let at = memory.iter().zip(&expected_memory).position(|(a, b)| a != b);
            let shown =
                |m: &[u8]| m.iter().skip(at.unwrap_or(0)).take(16).copied().collect::<Vec<u8>>();
            return Err(format!(
                "{args:x?} ({end:?}): memory differs at {at:?}: {:x?}, wasmi {:x?}",
                shown(&memory),
                shown(&expected_memory)
            ));
        }
        Ok((end, stops))
    }
}
