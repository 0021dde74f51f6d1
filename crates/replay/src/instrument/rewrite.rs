//! Writes the module again with the injected code in it.

use std::collections::HashSet;
use std::convert::Infallible;

use pessimum_entry::{CostModel, ModuleSummary};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, Instruction, Module, SectionId, TypeSection, ValType,
};
use wasmparser::Operator;

use super::body::{Located, Profiled, bulk, stretches};
use super::charge::Counters;
use super::shape::Shape;
use super::{Plan, door};

type Result<T> = std::result::Result<T, Error<Infallible>>;

/// Writes the module again with the injected code in it.
pub(crate) struct Rewriter<'p> {
    plan: &'p Plan,
    shape: Shape,
    counters: Counters,
    has_memory: bool,
    /// The program's own allocator.
    allocator: Option<u32>,
    /// The body that comes next, as function index.
    next_function: u32,
    /// Sections that the original may lack and the copy needs.
    missing: Vec<SectionId>,
    /// For `stack`: the types `[] -> results` that were added, by the type they derive from.
    frame_types: Vec<u32>,
    /// How many parts of the code have a counter of their own: none, or all of them.
    profiled: u32,
    /// The parts met so far that can have one, each with its function.
    pub(crate) parts: Vec<(u32, Profiled)>,
    /// The points of the plan that were found to be operators.
    pub(crate) points_met: HashSet<u32>,
}

impl<'p> Rewriter<'p> {
    /// `profiled` parts get a counter of their own; their number is known from a first copy.
    pub(crate) fn new(
        shape: Shape,
        plan: &'p Plan,
        summary: &ModuleSummary,
        profiled: u32,
    ) -> Self {
        let mut missing = vec![SectionId::Global, SectionId::Export];
        if !plan.wrapped.is_empty() {
            missing.extend([SectionId::Function, SectionId::Code]);
        }
        let mut frame_types = Vec::new();
        if matches!(plan.model, CostModel::Stack) {
            for &ty in &shape.functions[shape.imported_functions as usize..] {
                let is_wide = matches!(shape.types.get(ty as usize), Some(Some(func)) if func.results().len() > 1);
                if is_wide && !frame_types.contains(&ty) {
                    frame_types.push(ty);
                }
            }
        }
        Self {
            plan,
            counters: Counters::after(shape.globals),
            next_function: shape.imported_functions,
            shape,
            has_memory: summary.has_memory,
            allocator: summary.allocator.map(|allocator| allocator.function),
            missing,
            frame_types,
            profiled,
            parts: Vec::new(),
            points_met: HashSet::new(),
        }
    }

    /// Notes that the section is there, and says whether it was still to be written.
    fn claim(&mut self, section: SectionId) -> bool {
        let before = self.missing.len();
        self.missing.retain(|&own| own != section);
        self.missing.len() < before
    }

    fn add_wrapper_types(&mut self, functions: &mut FunctionSection) {
        if self.claim(SectionId::Function) {
            for wrapped in &self.plan.wrapped {
                functions.function(self.shape.functions[wrapped.function as usize]);
            }
        }
    }

    fn add_counters(&mut self, globals: &mut GlobalSection) {
        if self.claim(SectionId::Global) {
            let profile = std::iter::repeat_n(ValType::I64, self.profiled as usize);
            for val_type in Counters::TYPES.into_iter().chain(profile) {
                let ty = GlobalType { val_type, mutable: true, shared: false };
                let zero = if val_type == ValType::I64 {
                    ConstExpr::i64_const(0)
                } else {
                    ConstExpr::i32_const(0)
                };
                globals.global(ty, &zero);
            }
        }
    }

    fn add_doors(&mut self, exports: &mut ExportSection) {
        if self.claim(SectionId::Export) {
            exports.export(door::COST, ExportKind::Global, self.counters.cost);
            exports.export(door::ACTIVE, ExportKind::Global, self.counters.active);
            exports.export(door::DEPTH, ExportKind::Global, self.counters.depth);
            exports.export(door::STACK_BASE, ExportKind::Global, self.counters.stack_base);
            exports.export(door::TRACE, ExportKind::Global, self.counters.trace);
            if let Some(pointer) = self.plan.stack_pointer {
                exports.export(door::STACK_POINTER, ExportKind::Global, pointer);
            }
            for part in 0..self.profiled {
                exports.export(&door::profile(part), ExportKind::Global, self.profile_global(part));
            }
            if let Some(allocator) = self.allocator {
                exports.export(door::ALLOCATOR, ExportKind::Func, self.reached_as(allocator));
            }
            if let Some(start) = self.shape.start {
                exports.export(door::START, ExportKind::Func, self.reached_as(start));
            }
            if self.has_memory {
                exports.export(door::MEMORY, ExportKind::Memory, 0);
            }
        }
    }

    fn profile_global(&self, part: u32) -> u32 {
        self.shape.globals + Counters::COUNT + part
    }

    /// Notes a part of the code; its counter, if it has one.
    fn part(&mut self, function: u32, part: Profiled) -> Option<u32> {
        let number = self.parts.len() as u32;
        self.parts.push((function, part));
        (number < self.profiled).then(|| self.profile_global(number))
    }

    /// The function that stands for one of the original: its wrapper, if it has one.
    fn reached_as(&self, function: u32) -> u32 {
        let place = self.plan.wrapped.iter().position(|wrapped| wrapped.function == function);
        place.map_or(function, |place| (self.shape.functions.len() + place) as u32)
    }

    fn add_wrappers(&mut self, code: &mut CodeSection) {
        if self.claim(SectionId::Code) {
            for wrapped in &self.plan.wrapped {
                let params =
                    self.shape.function_type(wrapped.function).map_or(&[][..], |ty| ty.params());
                code.function(&self.counters.wrapper(wrapped.function, wrapped.size, params));
            }
        }
    }

    /// The type of a block that leaves what the function returns.
    fn frame_type(&mut self, function: u32) -> Result<BlockType> {
        let results =
            self.shape.function_type(function).map_or(&[][..], |ty| ty.results()).to_vec();
        Ok(match *results {
            [] => BlockType::Empty,
            [only] => BlockType::Result(self.val_type(only)?),
            _ => {
                let own = self.shape.functions[function as usize];
                let place = self.frame_types.iter().position(|&ty| ty == own).unwrap_or_default();
                BlockType::FunctionType((self.shape.types.len() + place) as u32)
            }
        })
    }

    /// An empty function with the locals of `body`, and a spare `i32` local if branches are traced.
    fn function_with_locals(
        &mut self,
        index: u32,
        body: &wasmparser::FunctionBody<'_>,
    ) -> Result<(Function, u32)> {
        let mut locals = Vec::new();
        let mut count = self.shape.function_type(index).map_or(0, |ty| ty.params().len() as u32);
        for local in body.get_locals_reader()? {
            let (repeat, ty) = local?;
            count = count.saturating_add(repeat);
            locals.push((repeat, self.val_type(ty)?));
        }
        if matches!(self.plan.model, CostModel::Decisions) {
            locals.push((1, ValType::I32));
        }
        Ok((Function::new(locals), count))
    }

    fn body(&mut self, function: u32, body: &wasmparser::FunctionBody<'_>) -> Result<Function> {
        let (mut out, scratch) = self.function_with_locals(function, body)?;
        let operators: Vec<Located<'_>> = body
            .get_operators_reader()?
            .into_iter_with_offsets()
            .map(|item| item.map(|(op, offset)| (op, offset as u32)))
            .collect::<std::result::Result<_, _>>()?;
        if matches!(self.plan.model, CostModel::Stack) {
            self.framed_body(function, operators, &mut out)?;
            return Ok(out);
        }
        let mut due =
            stretches(self.plan, function, &operators, &mut self.points_met).into_iter().peekable();
        for (index, (op, offset)) in operators.into_iter().enumerate() {
            if let Some(stretch) = due.next_if(|stretch| stretch.first == index) {
                self.counters.charge(stretch.price(), &mut out);
                if let Some(global) = self.part(function, Profiled::Stretch(stretch)) {
                    self.counters.visit(global, &mut out);
                }
            }
            if matches!(self.plan.model, CostModel::Decisions) {
                match &op {
                    Operator::If { .. } | Operator::BrIf { .. } => {
                        self.counters.trace(offset, None, scratch, &mut out);
                    }
                    Operator::BrTable { targets } => {
                        self.counters.trace(offset, Some(targets.len()), scratch, &mut out);
                    }
                    _ => {}
                }
            }
            let sets_stack_pointer = match op {
                Operator::GlobalSet { global_index }
                    if Some(global_index) == self.plan.stack_pointer =>
                {
                    Some(global_index)
                }
                _ => None,
            };
            if let Some(pointer) = sets_stack_pointer {
                self.write(op, &mut out)?;
                self.counters.watch_stack(pointer, &mut out);
            } else {
                self.with_steps(function, (op, offset), &mut out)?;
            }
        }
        Ok(out)
    }

    /// Writes an operator of the original.
    fn write(&mut self, op: Operator<'_>, out: &mut Function) -> Result<()> {
        if matches!(op, Operator::Select | Operator::TypedSelect { .. }) {
            // wasmi 2.0.0 fuses a select with a comparison with zero before it, and then reads the
            // wrong register for most kinds of operands. A condition that is rotated by one is zero
            // or not as it was, and is not fused.
            out.instruction(&Instruction::I32Const(1));
            out.instruction(&Instruction::I32Rotl);
        }
        out.instruction(&self.instruction(op)?);
        Ok(())
    }

    /// An operator, and the steps that it takes if it stands for a loop.
    fn with_steps(
        &mut self,
        function: u32,
        (op, offset): Located<'_>,
        out: &mut Function,
    ) -> Result<()> {
        let charged = bulk(&op)
            .map(|(bulk, unit)| (unit, u64::from(self.plan.model.step_price(bulk))))
            .filter(|&(_, price)| price > 0);
        let copies = matches!(&op, Operator::Call { function_index }
            if self.plan.copying.contains(function_index));
        if charged.is_none() && !copies {
            return self.write(op, out);
        }
        let counter = self.part(function, Profiled::Steps(offset));
        if counter.is_some() {
            self.counters.before_part(out);
        }
        if charged.is_some() {
            self.counters.before_bulk(out);
        }
        self.write(op, out)?;
        if let Some((unit, price)) = charged {
            self.counters.after_bulk(unit, price, out);
        }
        if let Some(global) = counter {
            self.counters.after_part(global, out);
        }
        Ok(())
    }

    /// A body between an entry that goes one activation deeper and an exit that comes back. The
    /// whole body stands in a block, so that every way out leads through the exit: a branch to the
    /// function's own label already aims at that block, and a `return` becomes such a branch.
    fn framed_body(
        &mut self,
        function: u32,
        operators: Vec<Located<'_>>,
        out: &mut Function,
    ) -> Result<()> {
        self.counters.enter(out);
        out.instruction(&Instruction::Block(self.frame_type(function)?));
        let mut nesting = 0u32;
        for (op, _) in operators {
            match op {
                Operator::Block { .. }
                | Operator::Loop { .. }
                | Operator::If { .. }
                | Operator::TryTable { .. } => nesting += 1,
                Operator::End => nesting = nesting.wrapping_sub(1),
                Operator::Return => {
                    out.instruction(&Instruction::Br(nesting));
                    continue;
                }
                Operator::ReturnCall { .. }
                | Operator::ReturnCallIndirect { .. }
                | Operator::ReturnCallRef { .. } => self.counters.leave(out),
                _ => {}
            }
            self.write(op, out)?;
        }
        // The last `end` of the body has closed the block; the function's own follows.
        self.counters.leave(out);
        out.instruction(&Instruction::End);
        Ok(())
    }
}

impl Reencode for Rewriter<'_> {
    type Error = Infallible;

    /// Every reference to a wrapped function is one to its wrapper; these follow all others.
    fn function_index(&mut self, function: u32) -> Result<u32> {
        Ok(self.reached_as(function))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_type_section(self, types, section)?;
        for ty in self.frame_types.clone() {
            if let Some(Some(func)) = self.shape.types.get(ty as usize) {
                let results = func.results().to_vec();
                let results = self.val_types(results)?;
                types.ty().function([], results);
            }
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_function_section(self, functions, section)?;
        self.add_wrapper_types(functions);
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_global_section(self, globals, section)?;
        self.add_counters(globals);
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_export_section(self, exports, section)?;
        self.add_doors(exports);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_code_section(self, code, section)?;
        self.add_wrappers(code);
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: wasmparser::FunctionBody<'_>,
    ) -> Result<()> {
        let function = self.next_function;
        self.next_function += 1;
        code.function(&self.body(function, &body)?);
        Ok(())
    }

    /// Names and debug information would be wrong in the copy, and nobody reads them there.
    fn parse_custom_section(
        &mut self,
        _module: &mut Module,
        _section: wasmparser::CustomSectionReader<'_>,
    ) -> Result<()> {
        Ok(())
    }

    /// Writes sections that the original lacks, where they belong.
    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<()> {
        let passed = |section| before.is_none_or(|before| order(before) > order(section));
        if passed(SectionId::Function) && self.missing.contains(&SectionId::Function) {
            let mut functions = FunctionSection::new();
            self.add_wrapper_types(&mut functions);
            module.section(&functions);
        }
        if passed(SectionId::Global) && self.missing.contains(&SectionId::Global) {
            let mut globals = GlobalSection::new();
            self.add_counters(&mut globals);
            module.section(&globals);
        }
        if passed(SectionId::Export) && self.missing.contains(&SectionId::Export) {
            let mut exports = ExportSection::new();
            self.add_doors(&mut exports);
            module.section(&exports);
        }
        if passed(SectionId::Code) && self.missing.contains(&SectionId::Code) {
            let mut code = CodeSection::new();
            self.add_wrappers(&mut code);
            module.section(&code);
        }
        Ok(())
    }
}

/// The place of a section in a module, which its number does not tell.
fn order(section: SectionId) -> u8 {
    match section {
        SectionId::Custom => 0,
        SectionId::Type => 1,
        SectionId::Import => 2,
        SectionId::Function => 3,
        SectionId::Table => 4,
        SectionId::Memory => 5,
        SectionId::Tag => 6,
        SectionId::Global => 7,
        SectionId::Export => 8,
        SectionId::Start => 9,
        SectionId::Element => 10,
        SectionId::DataCount => 11,
        SectionId::Code => 12,
        SectionId::Data => 13,
    }
}
