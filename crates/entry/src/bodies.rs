//! What the bodies of a module's functions do, as far as it can be read off without running them:
//! whom they call, whether they ask for memory, and which global they use as a stack pointer.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{BinaryReaderError, FunctionBody, Operator};

/// What is known of all bodies.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    calls: Vec<Calls>,
    /// Functions that a table or a reference may hold.
    pub(crate) referenced: BTreeSet<u32>,
    /// Whether the code asks how large memory is, or grows it.
    pub(crate) sizes_memory: bool,
    globals: BTreeMap<u32, GlobalUse>,
}

/// Whom a body calls.
#[derive(Debug, Default)]
struct Calls {
    directly: Vec<u32>,
    /// Types of what is called through a table.
    types: Vec<u32>,
    /// Whether something is called through a reference.
    by_reference: bool,
}

/// How a global is set.
#[derive(Debug, Clone, Copy, Default)]
struct GlobalUse {
    /// Whether a function lowers it first and restores it in the end.
    as_stack: bool,
    /// Whether a function sets it in another way.
    otherwise: bool,
}

impl Bodies {
    /// Reads the next body; `globals` says of each global whether it is a mutable `i32`.
    pub(crate) fn read(
        &mut self,
        body: &FunctionBody<'_>,
        globals: &[bool],
    ) -> Result<(), BinaryReaderError> {
        let mut calls = Calls::default();
        let mut walk = StackWalk::default();
        for op in body.get_operators_reader()? {
            let op = op?;
            match op {
                Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                    calls.directly.push(function_index);
                }
                Operator::CallIndirect { type_index, .. }
                | Operator::ReturnCallIndirect { type_index, .. } => calls.types.push(type_index),
                Operator::CallRef { .. } | Operator::ReturnCallRef { .. } => {
                    calls.by_reference = true;
                }
                Operator::RefFunc { function_index } => {
                    self.referenced.insert(function_index);
                }
                Operator::MemorySize { .. } | Operator::MemoryGrow { .. } => {
                    self.sizes_memory = true;
                }
                _ => {}
            }
            walk.step(&op, globals);
        }
        calls.directly.sort_unstable();
        calls.directly.dedup();
        calls.types.sort_unstable();
        calls.types.dedup();
        self.calls.push(calls);
        for (global, sets) in &walk.sets {
            let own = self.globals.entry(*global).or_default();
            if sets.is_frame(walk.never_returns) {
                own.as_stack = true;
            } else {
                own.otherwise = true;
            }
        }
        Ok(())
    }

    /// The global that is used as LLVM uses its stack pointer: every function that sets it lowers it
    /// first and restores it in the end. None where no global is used so.
    pub(crate) fn stack_pointer(&self) -> Option<u32> {
        self.globals.iter().find(|(_, used)| used.as_stack && !used.otherwise).map(|(g, _)| *g)
    }

    /// Which functions can come to call one of `targets`, those included; `types` are the types of all functions, equal for
    /// equal types, `type_class` does the same for the types of the module, and `imported` functions
    /// come before those that have bodies. An indirect call may reach every function of its type
    /// that a table or a reference may hold.
    pub(crate) fn reaching(
        &self,
        targets: Vec<u32>,
        imported: u32,
        types: &[usize],
        type_class: impl Fn(u32) -> Option<usize>,
    ) -> Vec<bool> {
        let mut callers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut through: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut by_reference = Vec::new();
        for (own, calls) in (imported..).zip(&self.calls) {
            for callee in &calls.directly {
                callers.entry(*callee).or_default().push(own);
            }
            for class in calls.types.iter().filter_map(|ty| type_class(*ty)) {
                through.entry(class).or_default().push(own);
            }
            if calls.by_reference {
                by_reference.push(own);
            }
        }
        let mut reaches = vec![false; types.len()];
        let mut next = targets;
        while let Some(function) = next.pop() {
            match reaches.get_mut(function as usize) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            next.extend(callers.get(&function).into_iter().flatten());
            if self.referenced.contains(&function) {
                next.extend(through.get(&types[function as usize]).into_iter().flatten());
                next.extend(&by_reference);
            }
        }
        reaches
    }
}

/// What is known of a value on the way through a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// What a global held at the entry, and how far from it; none if somewhere below.
    Entry {
        global: u32,
        offset: Option<i64>,
    },
    Constant(i32),
    Nothing,
}

/// How one function sets a global.
#[derive(Debug, Clone, Copy, Default)]
struct Sets {
    lowers_first: bool,
    restored: bool,
    otherwise: bool,
    any: bool,
}

impl Sets {
    fn is_frame(self, never_returns: bool) -> bool {
        self.lowers_first && !self.otherwise && (self.restored || never_returns)
    }
}

/// A walk through a body in the order of its text that follows what is made of the globals. What it
/// does not follow it takes for unknown.
#[derive(Debug, Default)]
struct StackWalk {
    /// The top of the operand stack, as far as it is known.
    stack: Vec<Known>,
    locals: BTreeMap<u32, Known>,
    /// The globals that were set, by what they hold.
    now: BTreeMap<u32, Known>,
    /// For each open block: the globals at its beginning.
    blocks: Vec<BTreeMap<u32, Known>>,
    /// Whether control does not come here.
    dead: bool,
    never_returns: bool,
    sets: BTreeMap<u32, Sets>,
}

impl StackWalk {
    fn step(&mut self, op: &Operator<'_>, globals: &[bool]) {
        if !matches!(op, Operator::End) {
            self.never_returns = matches!(op, Operator::Unreachable);
        }
        match op {
            Operator::GlobalGet { global_index: global } => {
                let is_candidate = globals.get(*global as usize) == Some(&true);
                let entry = Known::Entry { global: *global, offset: Some(0) };
                let held = self.now.get(global).copied().unwrap_or(entry);
                self.stack.push(if is_candidate { held } else { Known::Nothing });
            }
            Operator::GlobalSet { global_index } => {
                let value = self.pop();
                if !self.dead {
                    self.set(*global_index, value);
                }
            }
            Operator::I32Const { value } => self.stack.push(Known::Constant(*value)),
            Operator::I32Add => self.combine(|offset, k| offset.map(|o| o + i64::from(k))),
            Operator::I32Sub => self.combine(|offset, k| offset.map(|o| o - i64::from(k))),
            // An address is rounded down.
            Operator::I32And => self.combine(|_, _| None),
            Operator::LocalGet { local_index } => {
                let value = self.locals.get(local_index).copied().unwrap_or(Known::Nothing);
                self.stack.push(value);
            }
            Operator::LocalSet { local_index } => {
                let value = self.pop();
                self.locals.insert(*local_index, value);
            }
            Operator::LocalTee { local_index } => {
                let value = self.pop();
                self.locals.insert(*local_index, value);
                self.stack.push(value);
            }
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.stack.clear();
                self.blocks.push(self.now.clone());
            }
            Operator::Else => {
                self.stack.clear();
                self.dead = false;
                if let Some(before) = self.blocks.last() {
                    self.now.clone_from(before);
                }
            }
            Operator::End => {
                self.stack.clear();
                let before = self.blocks.pop();
                if std::mem::take(&mut self.dead)
                    && let Some(before) = before
                {
                    self.now = before;
                }
            }
            Operator::Br { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::Unreachable => {
                self.stack.clear();
                self.dead = true;
            }
            _ => self.stack.clear(),
        }
    }

    fn pop(&mut self) -> Known {
        self.stack.pop().unwrap_or(Known::Nothing)
    }

    /// A sum, a difference or an alignment: of an entry value and a number, anything else is unknown
    /// but for a difference by an unknown amount.
    fn combine(&mut self, with: impl Fn(Option<i64>, i32) -> Option<i64>) {
        let (b, a) = (self.pop(), self.pop());
        self.stack.push(match (a, b) {
            (Known::Entry { global, offset }, Known::Constant(k)) => {
                Known::Entry { global, offset: with(offset, k) }
            }
            (Known::Constant(k), Known::Entry { global, offset })
                if with(Some(0), 1) != Some(-1) =>
            {
                Known::Entry { global, offset: with(offset, k) }
            }
            // Room whose size is known at run time only.
            (Known::Entry { global, .. }, Known::Nothing) if with(Some(0), 1) == Some(-1) => {
                Known::Entry { global, offset: None }
            }
            _ => Known::Nothing,
        });
    }

    fn set(&mut self, global: u32, value: Known) {
        let sets = self.sets.entry(global).or_default();
        let first = !std::mem::replace(&mut sets.any, true);
        match value {
            Known::Entry { global: of, offset: Some(0) } if of == global => sets.restored = true,
            Known::Entry { global: of, offset } if of == global && offset.is_none_or(|o| o < 0) => {
                sets.lowers_first |= first;
                sets.restored = false;
            }
            _ => sets.otherwise = true,
        }
        self.now.insert(global, value);
    }
}
