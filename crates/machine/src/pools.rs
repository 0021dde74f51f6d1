//! Nodes that a program takes from arrays of its own, and what it does with their addresses.
//!
//! Lists and trees of two runs may have the same shape and differ in which node of the pool is where.
//! Such runs go on alike, up to the names of the nodes, as long as nobody looks at an address as a
//! number. So an instruction that only passes addresses on, follows them, adds a number that stays
//! within the node, or asks whether two are the same works on names. Every other instruction *fixes*
//! the nodes whose addresses it reads or makes: these keep their addresses as names. Nothing is
//! concluded from how a program was compiled: an array that is no pool has all of its nodes fixed.

use crate::code::Code;
use crate::footprint::Footprint;
use crate::liveness::{Access, accesses};
use crate::machine::{Machine, Written};
use crate::module::Module;
use crate::numeric::{BinOp, UnOp};
use crate::value::Value;

/// An array of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pool {
    low: u64,
    high: u64,
    stride: u64,
}

/// The arrays of a module whose elements may be nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pools {
    pools: Vec<Pool>,
}

/// Addresses below this are numbers: no linker puts data there.
const FIRST_ADDRESS: u32 = 1024;

/// Most bytes of a node, one bit each.
const MOST_BYTES: u64 = 64;

impl Pools {
    /// Looks for addresses that are made of a scaled number and a constant: elements of an array.
    /// An array ends where something else is addressed by a constant.
    pub(crate) fn of(module: &Module) -> Pools {
        let mut found: Vec<(u64, u64)> = Vec::new();
        let mut ends: Vec<u64> = Vec::new();
        // The slots that hold a number times a stride.
        let mut scaled: Vec<(u16, u64)> = Vec::new();
        for &code in &module.code {
            let stride = |slot: u16| scaled.iter().find(|s| s.0 == slot).map(|s| s.1);
            let mut made = None;
            match code {
                Code::Block { .. } => {}
                Code::I32MulK { d, k, .. } => made = Some((d, u64::from(k as u32))),
                Code::I32ShlK { d, k, .. } => made = Some((d, 1 << (k & 31))),
                Code::Copy { d, a } => made = stride(a).map(|stride| (d, stride)),
                Code::I32AddK { a, k, .. } if k as u32 >= FIRST_ADDRESS => {
                    found.extend(stride(a).map(|stride| (u64::from(k as u32), stride)));
                }
                Code::Load { a, offset, .. } | Code::Store { a, offset, .. }
                    if offset >= FIRST_ADDRESS =>
                {
                    match stride(a) {
                        Some(stride) => found.push((u64::from(offset), stride)),
                        None => ends.push(u64::from(offset)),
                    }
                }
                // What is copied or compared in bulk is not looked at word by word.
                Code::MemoryCopy { .. } | Code::MemoryFill { .. } | Code::MemoryInit { .. } => {
                    return Pools::default();
                }
                _ => {}
            }
            accesses(module, code, |slot, access| {
                if matches!(access, Access::Write) {
                    scaled.retain(|s| s.0 != slot);
                }
            });
            scaled.extend(made);
        }
        let fits = |&(low, stride): &(u64, u64)| {
            low % 4 == 0 && stride % 4 == 0 && (8..=MOST_BYTES).contains(&stride)
        };
        found.retain(fits);
        found.sort_unstable();
        let mut pools: Vec<Pool> = Vec::new();
        for (low, stride) in found {
            match pools.last_mut() {
                // Another field of the same elements, or one of them by a constant.
                Some(last) if last.stride == stride && low < last.low + stride => {}
                last => {
                    if let Some(last) = last {
                        last.high = low;
                    }
                    pools.push(Pool { low, high: u64::from(u32::MAX), stride });
                }
            }
        }
        for pool in &mut pools {
            let behind = ends.iter().copied().filter(|end| *end >= pool.low + pool.stride);
            pool.high = behind.min().map_or(pool.high, |end| end.min(pool.high));
        }
        for pool in &mut pools {
            pool.high -= (pool.high - pool.low) % pool.stride;
        }
        pools.retain(|pool| pool.low < pool.high);
        Pools { pools }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }

    /// The address of the node that an address is in, if it is in one.
    #[inline]
    pub fn node(&self, address: u64) -> Option<u64> {
        let pool = self.pool(address)?;
        Some(address - (address - pool.low) % pool.stride)
    }

    #[inline]
    fn pool(&self, address: u64) -> Option<&Pool> {
        self.pools.iter().find(|pool| pool.low <= address && address < pool.high)
    }
}

/// A footprint whose nodes are named by their first occurrence in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFootprint {
    /// What is in no node that is named; the nodes that are not.
    pub rest: Footprint,
    /// The bytes of each named node, in the order of the names.
    pub nodes: Vec<u64>,
}

impl NamedFootprint {
    /// The footprint of a state whose nodes have these addresses, in the order of their names.
    pub fn at(&self, nodes: &[u64]) -> Footprint {
        let mut footprint = self.rest.clone();
        for (node, mask) in nodes.iter().zip(&self.nodes) {
            footprint.memory.add_at(*node, *mask);
        }
        footprint
    }
}

impl Machine {
    /// The pools whose addresses are watched.
    pub fn pools(&self) -> Option<&Pools> {
        self.recorder.as_ref().map(|recorder| &*recorder.pools).filter(|pools| !pools.is_empty())
    }

    /// Names the nodes of a footprint of the present state, whose control is written down. The
    /// addresses of the nodes in the order of their names come with it.
    pub fn named(
        &self,
        footprint: &Footprint,
        control: &Written,
        out: &mut Written,
    ) -> (NamedFootprint, Vec<u64>) {
        let mut named = NamedFootprint { rest: footprint.clone(), nodes: Vec::new() };
        let Some(pools) = self.pools() else {
            self.cells(&named.rest, out);
            return (named, Vec::new());
        };
        // The bytes of each node; those that nothing leads to are not named.
        let mut fixed = footprint.fixed.clone();
        loop {
            let mut masks: Vec<(u64, u64)> = Vec::new();
            named.rest = footprint.clone();
            named.rest.fixed = fixed.clone();
            named.rest.memory.retain(|address| {
                let Some(node) = pools.node(address) else { return true };
                if fixed.binary_search(&node).is_ok() {
                    return true;
                }
                match masks.last_mut().filter(|last| last.0 == node) {
                    Some(last) => last.1 |= 1 << (address - node),
                    None => masks.push((node, 1 << (address - node))),
                }
                false
            });
            named.nodes.clear();
            self.cells(&named.rest, out);
            let mut names = Names::new(pools, &fixed);
            names.all(&control.pointers, out.names());
            let mut done = 0;
            loop {
                let (pointers, into) = out.unnamed();
                names.all(&pointers, into);
                let Some(&node) = names.nodes.get(done) else { break };
                let mask = masks.iter().find(|mask| mask.0 == node).map_or(0, |mask| mask.1);
                named.nodes.push(mask);
                self.write_node(node, mask, out);
                done += 1;
            }
            let lost: Vec<u64> =
                masks.iter().map(|m| m.0).filter(|node| !names.nodes.contains(node)).collect();
            if lost.is_empty() {
                while named.nodes.last() == Some(&0) {
                    named.nodes.pop();
                }
                return (named, names.nodes);
            }
            drop(names);
            fixed.extend(lost);
            fixed.sort_unstable();
        }
    }

    /// Writes down what is at the locations of a footprint, its nodes named by their occurrence in
    /// this state: their addresses in the order of the names. `None` where the state has no such
    /// node.
    pub fn cells_named(
        &self,
        footprint: &NamedFootprint,
        control: &Written,
        out: &mut Written,
    ) -> Option<Vec<u64>> {
        self.cells(&footprint.rest, out);
        let Some(pools) = self.pools() else { return Some(Vec::new()) };
        let mut names = Names::new(pools, &footprint.rest.fixed);
        names.all(&control.pointers, out.names());
        let mut done = 0;
        loop {
            let (pointers, into) = out.unnamed();
            names.all(&pointers, into);
            let Some(&mask) = footprint.nodes.get(done) else { break };
            self.write_node(*names.nodes.get(done)?, mask, out);
            done += 1;
        }
        // Later nodes are names and nothing more; their number is part of the state.
        Some(names.nodes)
    }

    fn write_node(&self, node: u64, mask: u64, out: &mut Written) {
        if mask != 0 {
            let pointers = self.pointers_in(node, mask, out);
            self.memory.write_down_bytes(node, mask & !pointers, out);
        }
    }

    /// Notes the words of 64 bytes that are all in the mask and hold an address of a node; the bytes
    /// of these.
    pub(crate) fn pointers_in(&self, base: u64, mask: u64, out: &mut Written) -> u64 {
        let Some(pools) = self.pools() else { return 0 };
        let mut bytes = 0;
        let mut at = (4 - base % 4) % 4;
        while at + 4 <= 64 {
            if mask >> at & 0xf == 0xf
                && self.memory.in_bounds(base + at, 4)
                && let Some(word) = self.memory.load_concrete(base + at, 4)
                && pools.node(word).is_some()
            {
                bytes |= 0xf << at;
                out.pointers.push(word);
            }
            at += 4;
        }
        out.words.push(bytes);
        bytes
    }

    /// Looks at the instruction that comes next: which nodes it fixes.
    #[inline(never)]
    pub(crate) fn watch_addresses(
        &mut self,
        module: &Module,
        code: Code,
        regs: &[Value],
        base: usize,
    ) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let pools = std::sync::Arc::clone(&recorder.pools);
        let mut bytes = std::mem::take(&mut recorder.unchecked_bytes);
        let mut look = Look { machine: self, pools: &pools, fixed: &mut recorder.fixed };
        if let Some(slot) = recorder.unchecked.take()
            && let Some(value) = regs.get(slot)
        {
            look.fix(*value);
        }
        for (at, len) in bytes.drain(..) {
            look.fix_words(at, len);
        }
        recorder.unchecked = look.code(module, code, regs, base, &mut bytes);
        recorder.unchecked_bytes = bytes;
        if let Code::CallHost { func, .. } = code
            && !matches!(
                module.functions[func as usize].host,
                Some(crate::host::HostFunction::Pessimum(_))
            )
        {
            // What a host makes of addresses is not known here.
            recorder.opaque = true;
        }
        self.recorder = Some(recorder);
    }

    /// Bytes were read as such, whatever is in them, at an address that nothing leads to.
    #[cold]
    pub(crate) fn fix_bytes(&mut self, address: u64, len: u64) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let pools = std::sync::Arc::clone(&recorder.pools);
        let mut look = Look { machine: self, pools: &pools, fixed: &mut recorder.fixed };
        look.fix_words(address, len);
        let mut at = address;
        while at < address + len {
            look.fix_number(at);
            at += 4;
        }
        look.fix_number((address + len).saturating_sub(1));
        recorder.unchecked_bytes.push((address, len));
        self.recorder = Some(recorder);
    }
}

struct Look<'a> {
    machine: &'a Machine,
    pools: &'a Pools,
    fixed: &'a mut Vec<u64>,
}

impl Look<'_> {
    fn fix_number(&mut self, number: u64) {
        if let Some(node) = self.pools.node(number)
            && self.fixed.last() != Some(&node)
        {
            self.fixed.push(node);
        }
    }

    fn fix(&mut self, value: Value) {
        if value.term == 0 {
            self.fix_number(value.bits);
        }
    }

    /// Fixes the nodes whose addresses are in words that a range of bytes touches.
    fn fix_words(&mut self, address: u64, len: u64) {
        let memory = &self.machine.memory;
        let mut at = address & !3;
        while at < address + len && memory.in_bounds(at, 4) {
            if let Some(word) = memory.load_concrete(at, 4) {
                self.fix_number(word);
            }
            at += 4;
        }
    }

    /// An address was made from another.
    fn moved(&mut self, from: u64, to: u64) {
        if self.pools.node(from) != self.pools.node(to) {
            self.fix_number(from);
            self.fix_number(to);
        }
    }

    /// Bytes at an address were reached from another.
    fn reached(&mut self, from: u64, at: u64, len: u64) {
        let (first, last) = (self.pools.node(at), self.pools.node(at + len - 1));
        if first != last || first != self.pools.node(from) {
            [from, at, at + len - 1].into_iter().for_each(|number| self.fix_number(number));
        }
    }

    /// Answers the slot whose value has to be looked at after the instruction; `changed` gets the
    /// bytes.
    fn code(
        &mut self,
        module: &Module,
        code: Code,
        regs: &[Value],
        base: usize,
        changed: &mut Vec<(u64, u64)>,
    ) -> Option<usize> {
        let value = |slot: u16| regs.get(base + slot as usize).copied().unwrap_or_default();
        let both = |a: u16, b: u16| value(a).term | value(b).term == 0;
        match code {
            // Whatever is in them is passed on, or compared with zero, which no node is at.
            Code::Block { .. }
            | Code::Copy { .. }
            | Code::Jump { .. }
            | Code::JumpIf { .. }
            | Code::JumpUnless { .. }
            | Code::Un { op: UnOp::Eqz32, .. }
            | Code::Call { .. }
            | Code::Return { .. }
            | Code::GlobalGet { .. }
            | Code::GlobalSet { .. }
            | Code::Unreachable => None,
            Code::Const { value, .. } => {
                self.fix_number(value);
                None
            }
            Code::I32AddK { a, k, .. } if value(a).term == 0 => {
                let from = value(a).bits;
                self.moved(from, u64::from((from as u32).wrapping_add(k as u32)));
                None
            }
            Code::I32Add { a, b, .. } if both(a, b) => {
                let (x, y) = (value(a).bits, value(b).bits);
                let sum = u64::from((x as u32).wrapping_add(y as u32));
                match (self.pools.node(x), self.pools.node(y)) {
                    (Some(_), None) => self.moved(x, sum),
                    (None, Some(_)) => self.moved(y, sum),
                    _ => [x, y, sum].into_iter().for_each(|number| self.fix_number(number)),
                }
                None
            }
            // Nodes that are the same have the same names.
            Code::JumpEq { a, b, .. }
            | Code::JumpNe { a, b, .. }
            | Code::JumpCmp { op: BinOp::Eq32 | BinOp::Ne32, a, b, .. }
            | Code::Bin { op: BinOp::Eq32 | BinOp::Ne32, a, b, .. }
                if both(a, b) =>
            {
                None
            }
            Code::JumpEqK { k, .. }
            | Code::JumpNeK { k, .. }
            | Code::JumpCmpK { op: BinOp::Eq32 | BinOp::Ne32, k, .. }
            | Code::BinK { op: BinOp::Eq32 | BinOp::Ne32, k, .. } => {
                self.fix_number(u64::from(k as u32));
                None
            }
            Code::Select { c, .. } if value(c).term == 0 => None,
            Code::Load { kind, d, a, offset } if value(a).term == 0 => {
                let (from, len) = (value(a).bits, u64::from(kind.bytes()));
                let at = from + u64::from(offset);
                self.reached(from, at, len);
                let memory = &self.machine.memory;
                if len == 4 && at % 4 == 0 && !kind.is_64() && memory.load_concrete(at, 4).is_some()
                {
                    return None;
                }
                self.fix_words(at, len);
                Some(base + d as usize)
            }
            Code::Store { kind, a, v, offset } if value(a).term == 0 => {
                let (from, len) = (value(a).bits, u64::from(kind.bytes()));
                let at = from + u64::from(offset);
                self.reached(from, at, len);
                let stored = value(v);
                if len == 4 && at % 4 == 0 && stored.bits <= u64::from(u32::MAX) {
                    return None;
                }
                self.fix(stored);
                self.fix_words(at, len);
                changed.push((at, len));
                None
            }
            _ => {
                let mut written = None;
                accesses(module, code, |slot, access| match access {
                    Access::Read => self.fix(value(slot)),
                    Access::Write => written = Some(base + slot as usize),
                });
                written
            }
        }
    }
}

/// Gives nodes names in the order in which their addresses occur.
struct Names<'a> {
    pools: &'a Pools,
    fixed: &'a [u64],
    nodes: Vec<u64>,
}

impl<'a> Names<'a> {
    fn new(pools: &'a Pools, fixed: &'a [u64]) -> Names<'a> {
        Names { pools, fixed, nodes: Vec::new() }
    }

    fn all(&mut self, addresses: &[u64], into: &mut Vec<u64>) {
        for &address in addresses {
            let name = self.name(address);
            into.extend(name);
        }
    }

    fn name(&mut self, address: u64) -> [u64; 2] {
        let Some(node) = self.pools.node(address) else { return [u64::MAX, address] };
        if self.fixed.binary_search(&node).is_ok() {
            return [u64::MAX, address];
        }
        let known = self.nodes.iter().position(|known| *known == node);
        let name = known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        // Nodes of different arrays are never each other's.
        let pool = self.pools.pools.iter().position(|pool| pool.low <= node && node < pool.high);
        [(pool.unwrap_or(0) as u64) << 32 | name as u64, address - node]
    }
}
