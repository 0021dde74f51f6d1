//! The control-flow graph of a function, from its translated code, for whoever draws it.
//!
//! Blocks are those a reader would draw: a call does not end one, and stretches of code without
//! an instruction of the module (the landing places that the translation puts between a branch
//! and its target) are not blocks but parts of the edges through them.

use crate::code::Code;
use crate::module::{BlockKind, INVERTED, Module, SiteIndex};
use std::collections::BTreeMap;

/// The control-flow graph of one function. The first block is the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The blocks that can be reached, in the order of the code.
    pub blocks: Vec<FlowBlock>,
    /// The edges between them, by block and choice.
    pub edges: Vec<FlowEdge>,
}

/// A stretch of code that is entered at its beginning only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowBlock {
    /// What it consists of, as indices into [`Module::blocks`], in the order they run.
    pub parts: Vec<u32>,
    /// File offset of the first instruction.
    pub first: u32,
    /// File offset of the last instruction.
    pub last: u32,
    /// Selects and comparisons inside at which something can be decided.
    pub inner: Vec<SiteIndex>,
    /// Whether a loop begins with it.
    pub loop_head: bool,
    /// How it ends.
    pub end: FlowEnd,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEnd {
    /// Another block follows.
    Next,
    /// A condition or a table decides.
    Branch(SiteIndex),
    /// The function returns.
    Return,
    /// `unreachable`.
    Trap,
}

/// A step from block to block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowEdge {
    /// The block it leaves, as an index into [`Flow::blocks`].
    pub from: u32,
    /// The choice at the end of that block which leads here, as decisions count choices; `None`
    /// where nothing is decided.
    pub choice: Option<u32>,
    /// The block it enters.
    pub to: u32,
}

impl Module {
    /// The control-flow graph of a function; empty for one of the host.
    pub fn flow(&self, function: u32) -> Flow {
        match self.functions.get(function as usize) {
            Some(f) if f.host.is_none() && (f.entry as usize) < self.code.len() => {
                Raw::read(self, f.entry).simplified()
            }
            _ => Flow::default(),
        }
    }

    /// Where an instruction is, in words: `sort.c:6:12`, or `sort+0x1f` without debug information.
    pub fn describe_at(&self, function: u32, file_offset: u32) -> String {
        match self.locate(file_offset) {
            Some(location) => location.to_string(),
            None => {
                let start = self.functions.get(function as usize).map_or(0, |f| f.body_start);
                let offset = file_offset.saturating_sub(start);
                format!("{}+{offset:#x}", self.function_name(function))
            }
        }
    }

    /// What the machine's instruction at `pc` leads to, with the choice that does.
    fn successors(&self, pc: u32) -> Vec<(Option<u32>, u32)> {
        let Some(code) = self.code.get(pc as usize) else { return Vec::new() };
        let inverted = self.meta[pc as usize].0 & INVERTED != 0;
        match *code {
            Code::Jump { to } => vec![(None, to)],
            Code::Return { .. } | Code::Unreachable => Vec::new(),
            Code::Switch { table, .. } => {
                let targets = &self.jump_tables[table as usize].targets;
                (0..).map(Some).zip(targets.iter().copied()).collect()
            }
            other => match other.target() {
                Some((to, _)) => {
                    let (jumps, falls) = (u32::from(!inverted), u32::from(inverted));
                    let mut both = vec![(Some(jumps), to), (Some(falls), pc + 1)];
                    both.sort_unstable();
                    both
                }
                None => vec![(None, pc + 1)],
            },
        }
    }
}

/// The graph with every landing place still in it.
struct Raw {
    blocks: Vec<FlowBlock>,
    /// By block: the choices with the blocks they lead to.
    next: Vec<Vec<(Option<u32>, usize)>>,
    /// By block: whether it holds no instruction of the module and decides nothing.
    empty: Vec<bool>,
}

impl Raw {
    fn read(module: &Module, entry: u32) -> Raw {
        let leaders = leaders(module, entry);
        let number: BTreeMap<u32, usize> =
            leaders.iter().enumerate().map(|(i, pc)| (*pc, i)).collect();
        let mut raw = Raw { blocks: Vec::new(), next: Vec::new(), empty: Vec::new() };
        for &start in &leaders {
            let mut pc = start;
            let mut block = FlowBlock {
                parts: Vec::new(),
                first: module.meta[pc as usize].0 & !INVERTED,
                last: 0,
                inner: Vec::new(),
                loop_head: false,
                end: FlowEnd::Next,
            };
            let mut instructions = 0;
            let next = loop {
                let (offset, site) = module.meta[pc as usize];
                let site = site.checked_sub(1).map(SiteIndex);
                let next = module.successors(pc);
                let decides = matches!(next.first(), Some((Some(_), _)));
                match (module.code[pc as usize], site) {
                    (Code::Block { instructions: some, block: part, .. }, _) => {
                        let about = &module.blocks[part as usize];
                        if instructions == 0 && some > 0 {
                            block.first = about.first;
                        }
                        instructions += some;
                        block.loop_head |= matches!(about.kind, BlockKind::LoopHead { .. });
                        block.parts.push(part);
                    }
                    (Code::Return { .. }, _) => block.end = FlowEnd::Return,
                    (Code::Unreachable, _) => block.end = FlowEnd::Trap,
                    (_, Some(site)) if decides => block.end = FlowEnd::Branch(site),
                    (_, Some(site)) => block.inner.push(site),
                    _ => {}
                }
                block.last = offset & !INVERTED;
                match next.as_slice() {
                    [(None, to)] if *to == pc + 1 && !number.contains_key(to) => pc = *to,
                    _ => break next,
                }
            };
            if instructions == 0 {
                // Where the code stood when the block was opened says nothing about it.
                block.first = block.last;
            }
            raw.empty.push(instructions == 0 && block.end == FlowEnd::Next);
            raw.blocks.push(block);
            raw.next.push(next.into_iter().map(|(choice, to)| (choice, number[&to])).collect());
        }
        raw
    }

    /// Passes over what is empty and puts together what only ever runs together.
    fn simplified(mut self) -> Flow {
        // A loop of nothing but empty blocks would be followed for ever: the count ends it.
        for from in 0..self.next.len() {
            for i in 0..self.next[from].len() {
                let mut to = self.next[from][i].1;
                for _ in 0..self.next.len() {
                    if !self.empty[to] {
                        break;
                    }
                    let head = self.blocks[to].loop_head;
                    to = self.next[to][0].1;
                    self.blocks[to].loop_head |= head;
                }
                self.next[from][i].1 = to;
            }
        }
        let entry = if self.empty[0] { self.next[0][0].1 } else { 0 };
        let mut entries = vec![0; self.blocks.len()];
        entries[entry] = 1;
        let reached = self.reached(entry);
        for &from in &reached {
            self.next[from].iter().for_each(|(_, to)| entries[*to] += 1);
        }
        let mut kept: Vec<usize> = Vec::new();
        let mut merged = vec![false; self.blocks.len()];
        for &start in &reached {
            if merged[start] {
                continue;
            }
            while let [(None, to)] = self.next[start][..] {
                if entries[to] != 1 || to == start || to == entry {
                    break;
                }
                merged[to] = true;
                let tail = self.blocks[to].clone();
                let head = &mut self.blocks[start];
                head.parts.extend(tail.parts);
                head.inner.extend(tail.inner);
                head.last = tail.last;
                head.end = tail.end;
                self.next[start] = self.next[to].clone();
            }
            kept.push(start);
        }
        kept.sort_unstable_by_key(|b| (*b != entry, *b));
        let number: BTreeMap<usize, u32> = kept.iter().copied().zip(0..).collect();
        let mut flow = Flow::default();
        for &block in &kept {
            let from = number[&block];
            flow.blocks.push(self.blocks[block].clone());
            flow.edges.extend(self.next[block].iter().map(|(choice, to)| FlowEdge {
                from,
                choice: *choice,
                to: number[to],
            }));
        }
        flow.edges.sort_unstable();
        flow
    }

    /// The blocks that can be reached, each after one that leads to it.
    fn reached(&self, entry: usize) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        seen[entry] = true;
        let mut order = vec![entry];
        let mut at = 0;
        while let Some(&block) = order.get(at) {
            for &(_, to) in &self.next[block] {
                if !std::mem::replace(&mut seen[to], true) {
                    order.push(to);
                }
            }
            at += 1;
        }
        order
    }
}

/// Where blocks begin: at the entry, at targets of jumps and after conditional ones. Only what can
/// be reached.
fn leaders(module: &Module, entry: u32) -> Vec<u32> {
    let mut leaders = vec![entry];
    let mut seen = std::collections::BTreeSet::from([entry]);
    let mut work = vec![entry];
    while let Some(pc) = work.pop() {
        let next = module.successors(pc);
        let straight = matches!(next.as_slice(), [(None, to)] if *to == pc + 1);
        for (_, to) in next {
            if !straight {
                leaders.push(to);
            }
            if seen.insert(to) {
                work.push(to);
            }
        }
    }
    leaders.sort_unstable();
    leaders.dedup();
    leaders
}
