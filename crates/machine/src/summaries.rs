//! Calls that are not made twice: what a call did is kept as long as the path goes on.
//!
//! A backtracking matcher or a parser without memory makes the same call again and again, and what it does is
//! the same each time: its arguments are, what it reads is, and every branch in it was decided by the path
//! condition, which only grows. So a call in which nothing was decided anew is written down when it returns
//! (what it read, what it left behind, what it cost), and the next one like it is answered from that. Where
//! the path goes back to a choice point, what was written down since is forgotten.
//!
//! *What is kept*: the arguments, the bytes and globals that were read before they were written, with what
//! was in them; the bytes and globals that were written, with what is in them at the end; results and
//! counts. Terms are compared by their names: equal terms have one. *What is not*: calls in which the path
//! condition grew, the host was called, memory or a table changed its size, or a store went to an address
//! that depends on the input; calls that read a byte and overwrote it, since what it was is gone.
//!
//! *Cost*: only functions that can call themselves are looked at ([`recursive`]): without recursion a path
//! has no more calls than loops go round. A call of one takes a hash of its arguments, and for each line of
//! 64 bytes that it read one comparison; while it runs, accesses are recorded ([`Recorder`]). Where few calls are
//! answered, none are looked at any more.

use crate::code::Code;
use crate::footprint::{ByteSet, Recorder};
use crate::machine::{Counters, MAX_SLOTS, Machine, Written};
use crate::memory::Cell;
use crate::module::Module;
use crate::settled::Settled;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Instructions of a path, and units of cost, beyond which nothing is counted: sums of what calls took would not
/// fit any more.
pub(crate) const MOST_COUNTED: u64 = 1 << 62;

/// Calls that are kept at one time.
const MOST: usize = 1 << 16;

/// Globals that are written down.
const MOST_GLOBALS: usize = 64;

/// Bytes that a call may have written to be kept: they are all written again.
const MOST_BYTES: usize = 1 << 12;

/// Instructions of a call below which it is made again: to compare what it read takes as long.
const FEW: u64 = 48;

/// After so many calls in vain, and when fewer than one in so many was answered, no more are looked at.
const TRIED: u64 = 1 << 12;
const WORTH_IT: u64 = 16;

/// The calls of a path. They are large, and move from list to list.
#[derive(Clone, Debug, Default)]
#[allow(clippy::vec_box)]
pub(crate) struct Summaries {
    /// By function, whether its calls are kept.
    kept: Vec<bool>,
    /// Slots of the widest activation there can be.
    widest: usize,
    /// Calls that run, and in which nothing was decided yet.
    running: Vec<Box<Running>>,
    /// Calls that have returned, in that order.
    returned: Vec<Box<Summary>>,
    /// The last of those with the same function and arguments, by their hash.
    last: FxHashMap<u64, u32>,
    /// How often a table or a segment was changed: nothing is kept beyond that.
    version: u64,
    recorded: u64,
    answered: u64,
    /// Where the bytes of a call are written down to be compared.
    scratch: Written,
    /// Room that is not in use: of calls that have returned, or that are not kept.
    spare: Vec<(Box<Running>, Box<Recorder>)>,
    /// Likewise, of calls that are forgotten.
    forgotten: Vec<Box<Summary>>,
    overwritten: ByteSet,
}

/// A call that runs.
#[derive(Clone, Debug, Default)]
struct Running {
    function: u32,
    arguments: Vec<Value>,
    hash: u64,
    /// Activations with its own, and the most there were.
    depth: u32,
    deepest: u32,
    globals: Vec<Value>,
    counters: Counters,
    /// The accesses of the call it was made in.
    outer: Option<Box<Recorder>>,
}

/// What a call did.
#[derive(Clone, Debug, Default)]
struct Summary {
    function: u32,
    arguments: Vec<Value>,
    hash: u64,
    /// The one before it with the same hash.
    before: Option<u32>,
    version: u64,
    pages: u32,
    active: u64,
    reads: ByteSet,
    read: Written,
    globals_read: Vec<(u32, Value)>,
    cells: Vec<Cell>,
    globals_written: Vec<(u32, Value)>,
    results: Vec<Value>,
    /// Activations beside the caller's.
    deep: u32,
    cost: u64,
    instructions: u64,
    all_instructions: u64,
    decided: u64,
    /// How much was written to memory when it returned, if that is known.
    written: Option<usize>,
}

impl Machine {
    /// Answers calls from what they did before, from now on. For a run whose counts add up, and of which nobody
    /// wants to see every branch.
    pub fn remember_calls(&mut self) {
        self.settled = Some(Box::new(Settled::new()));
        let kept = recursive(self.module());
        if kept.contains(&true) {
            let slots = self.module.functions.iter().map(|f| usize::from(f.slots));
            let widest = slots.max().unwrap_or(0);
            self.summaries = Some(Box::new(Summaries { kept, widest, ..Summaries::default() }));
        }
    }

    /// How many calls are written down.
    pub(crate) fn calls_returned(&self) -> u32 {
        self.summaries.as_ref().map_or(0, |calls| calls.returned.len() as u32)
    }

    /// Forgets the calls that returned since there were so many.
    pub(crate) fn forget_calls(&mut self, returned: u32) {
        let Some(calls) = &mut self.summaries else { return };
        while calls.returned.len() > returned as usize {
            let Some(summary) = calls.returned.pop() else { break };
            match summary.before {
                Some(before) => calls.last.insert(summary.hash, before),
                None => calls.last.remove(&summary.hash),
            };
            calls.forgotten.push(summary);
        }
    }

    /// Something was decided, or happened that is not written down: the calls that run are not kept.
    #[inline]
    pub(crate) fn spoil_calls(&mut self) {
        if let Some(calls) = &mut self.summaries
            && !calls.running.is_empty()
        {
            // The recorder of each call is that which the one inside it put away.
            while let Some(mut running) = calls.running.pop() {
                let outer = running.outer.take();
                if let Some(recorder) = std::mem::replace(&mut self.recorder, outer) {
                    calls.give_back(running, recorder);
                }
            }
        }
    }

    /// Tables or segments changed.
    pub(crate) fn spoil_all_calls(&mut self) {
        if let Some(calls) = &mut self.summaries {
            calls.version += 1;
        }
        self.spoil_calls();
    }

    /// Answers a call that was made before; else writes down that it begins. Its arguments lie at the
    /// beginning of `regs`, and its results if it was answered.
    pub(crate) fn recall(&mut self, function: u32, regs: &mut [Value]) -> bool {
        let depth = self.frames.len() as u32;
        // Below a fork the branches of a path are told apart one by one.
        if self.trace.is_some() {
            self.spoil_calls();
            return false;
        }
        let written = self.written();
        let Some(calls) = &mut self.summaries else { return false };
        if let Some(running) = calls.running.last_mut() {
            running.deepest = running.deepest.max(depth + 1);
        }
        if !calls.kept[function as usize] {
            return false;
        }
        let params = self.module.functions[function as usize].params as usize;
        let arguments = &regs[..params];
        let hash = hash_of(function, arguments);
        let mut next = calls.last.get(&hash).copied();
        while let Some(at) = next {
            let summary = &calls.returned[at as usize];
            next = summary.before;
            let same = summary.function == function
                && summary.arguments == arguments
                && summary.version == calls.version
                && summary.pages == self.memory.pages()
                && summary.active == self.counters.active
                && depth + summary.deep <= self.limits.depth
                && (depth + summary.deep) as usize * calls.widest <= MAX_SLOTS
                && summary.globals_read.iter().all(|(i, v)| self.globals[*i as usize] == *v);
            self.looked_at += summary.reads.lines().len() as u64;
            // Where nothing was written since, there is nothing to compare.
            let untouched = summary.written.is_some_and(|w| written == Some(w));
            if same
                && (untouched || {
                    calls.scratch.clear();
                    self.memory.write_down_set(&summary.reads, &mut calls.scratch);
                    calls.scratch.words == summary.read.words
                        && calls.scratch.terms == summary.read.terms
                })
            {
                calls.answered += 1;
                self.repeat(at as usize, regs);
                return true;
            }
        }
        let hopeless = calls.recorded > TRIED && calls.answered * WORTH_IT < calls.recorded;
        if hopeless || calls.returned.len() >= MOST || self.globals.len() > MOST_GLOBALS {
            self.spoil_calls();
            return false;
        }
        calls.recorded += 1;
        let (mut running, recorder) = calls.spare.pop().unwrap_or_default();
        running.arguments.extend_from_slice(arguments);
        running.globals.extend_from_slice(&self.globals);
        (running.function, running.hash) = (function, hash);
        (running.depth, running.deepest) = (depth + 1, depth + 1);
        running.counters = self.counters;
        running.outer = self.recorder.replace(recorder);
        calls.running.push(running);
        false
    }

    /// How often memory was written to on this path, where it is known: two moments of a path with the same number have
    /// the same memory.
    fn written(&self) -> Option<usize> {
        self.logging().then(|| self.memory.logged())
    }

    /// Does what a call did before.
    fn repeat(&mut self, at: usize, regs: &mut [Value]) {
        let Some(mut calls) = self.summaries.take() else { return };
        let summary = &calls.returned[at];
        let counters = &mut self.counters;
        let all = counters.all_instructions.saturating_add(summary.all_instructions);
        let fits = summary.cost <= MOST_COUNTED && counters.cost <= MOST_COUNTED;
        if all > MOST_COUNTED || !fits {
            // The path ends here: whoever asked looks at this.
            counters.all_instructions = MOST_COUNTED + 1;
            self.summaries = Some(calls);
            return;
        }
        counters.skipped += summary.all_instructions;
        counters.cost = counters.cost.wrapping_add(summary.cost);
        counters.instructions += summary.instructions;
        counters.all_instructions = all;
        counters.decided += summary.decided;
        self.cycles.at = self.cycles.at.saturating_add(summary.all_instructions);
        let log = self.logging();
        self.memory.put_back(&summary.cells, log);
        if let Some(recorder) = &mut self.recorder {
            recorder.read_set(&summary.reads);
            summary.globals_read.iter().for_each(|(i, _)| recorder.global_read(*i));
            summary.cells.iter().for_each(|cell| recorder.write(u64::from(cell.address), 1));
        }
        for &(global, value) in &summary.globals_written {
            self.put_global(global, value);
        }
        regs[..summary.results.len()].copy_from_slice(&summary.results);
        if let Some(running) = calls.running.last_mut() {
            running.deepest = running.deepest.max(self.frames.len() as u32 + summary.deep);
        }
        self.summaries = Some(calls);
    }

    /// Writes down what a call did that returns, if it is one of those that are kept. Its results lie at the
    /// beginning of `regs`.
    pub(crate) fn note_return(&mut self, results: &[Value]) {
        let depth = self.frames.len() as u32;
        let written = self.written();
        let Some(calls) = &mut self.summaries else { return };
        let Some(mut running) = calls.running.pop_if(|running| running.depth == depth) else {
            return;
        };
        let outer = running.outer.take();
        let Some(mut recorder) = std::mem::replace(&mut self.recorder, outer) else { return };
        if let Some(outer) = &mut self.recorder {
            outer.follow(&recorder);
        }
        if let Some(outer) = calls.running.last_mut() {
            outer.deepest = outer.deepest.max(running.deepest);
        }
        let (now, then) = (self.counters, running.counters);
        let all_instructions = now.all_instructions - then.all_instructions;
        let kept = all_instructions >= FEW
            && !recorder.opaque
            && !recorder.overwrote_what_it_read()
            && recorder.bytes_written() <= MOST_BYTES;
        if !kept {
            return calls.give_back(running, recorder);
        }
        let mut summary = calls.forgotten.pop().unwrap_or_default();
        let globals = |mask: u64, values: &[Value], to: &mut Vec<(u32, Value)>| {
            let all = values.iter().enumerate().filter(|(i, _)| mask >> i & 1 != 0);
            to.clear();
            to.extend(all.map(|(i, value)| (i as u32, *value)));
        };
        recorder.sort();
        recorder.put_reads(&mut summary.reads);
        summary.read.clear();
        self.memory.write_down_set(&summary.reads, &mut summary.read);
        recorder.put_written(&mut calls.overwritten);
        self.memory.cells(&calls.overwritten, &mut summary.cells);
        let (read, set) = recorder.globals();
        globals(read, &running.globals, &mut summary.globals_read);
        globals(set, &self.globals, &mut summary.globals_written);
        summary.arguments.clone_from(&running.arguments);
        summary.results.clear();
        summary.results.extend_from_slice(results);
        let before = calls.last.insert(running.hash, calls.returned.len() as u32);
        (summary.function, summary.hash, summary.before) = (running.function, running.hash, before);
        (summary.version, summary.pages) = (calls.version, self.memory.pages());
        (summary.active, summary.written) = (then.active, written);
        summary.deep = running.deepest + 1 - running.depth;
        summary.cost = now.cost.wrapping_sub(then.cost);
        summary.instructions = now.instructions - then.instructions;
        summary.all_instructions = all_instructions;
        summary.decided = now.decided - then.decided;
        calls.returned.push(summary);
        calls.give_back(running, recorder);
    }
}

impl Summaries {
    /// Keeps the room of a call for the next one.
    fn give_back(&mut self, mut running: Box<Running>, mut recorder: Box<Recorder>) {
        running.arguments.clear();
        running.globals.clear();
        recorder.clear();
        self.spare.push((running, recorder));
    }
}

fn hash_of(function: u32, arguments: &[Value]) -> u64 {
    let mut hasher = FxHasher::default();
    function.hash(&mut hasher);
    for value in arguments {
        (value.bits, value.term).hash(&mut hasher);
    }
    hasher.finish()
}

impl Module {
    /// Whether a function can call itself, perhaps by way of others.
    pub fn recurses(&self) -> bool {
        recursive(self).contains(&true)
    }
}

/// By function, whether it can call itself, perhaps by way of others. A call through a table may go to any
/// function of its type.
fn recursive(module: &Module) -> Vec<bool> {
    let functions = &module.functions;
    let mut starts: Vec<(u32, usize)> = (0..functions.len())
        .filter(|&i| functions[i].host.is_none())
        .map(|i| (functions[i].entry, i))
        .collect();
    starts.sort_unstable();
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); functions.len()];
    for (k, &(start, function)) in starts.iter().enumerate() {
        let end = starts.get(k + 1).map_or(module.code.len(), |next| next.0 as usize);
        for code in &module.code[start as usize..end] {
            match *code {
                Code::Call { func, .. } => callees[function].push(func as usize),
                Code::CallIndirect { ty, .. } => {
                    let ty = &module.types[ty as usize];
                    let fits = |i: &usize| module.types[functions[*i].ty as usize] == *ty;
                    callees[function].extend((0..functions.len()).filter(fits));
                }
                _ => {}
            }
        }
        callees[function].sort_unstable();
        callees[function].dedup();
    }
    components(&callees)
}

/// By node, whether a way leads from it back to it (Tarjan's components, without recursion).
fn components(edges: &[Vec<usize>]) -> Vec<bool> {
    const NEW: usize = usize::MAX;
    let count = edges.len();
    let (mut number, mut low) = (vec![NEW; count], vec![0; count]);
    let (mut on_stack, mut cyclic) = (vec![false; count], vec![false; count]);
    let mut stack = Vec::new();
    let mut next = 0;
    for root in 0..count {
        let mut work = vec![(root, 0)];
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                if number[node] != NEW {
                    continue;
                }
                (number[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(edge) {
                work.push((node, edge + 1));
                if number[to] == NEW {
                    work.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(number[to]);
                }
                continue;
            }
            // Callees that are done have their lowest number; those on the stack are of this component.
            for &to in &edges[node] {
                if on_stack[to] {
                    low[node] = low[node].min(low[to]);
                }
            }
            if low[node] == number[node] {
                let first = stack.iter().rposition(|on| *on == node).unwrap_or(0);
                let many = stack.len() - first > 1;
                for member in stack.drain(first..) {
                    on_stack[member] = false;
                    cyclic[member] = many || edges[member].contains(&member);
                }
            }
        }
    }
    cyclic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_can_call_themselves() {
        // 0 → 1 → 2 → 1, 2 → 3, 4 → 4, 5 → 0.
        let edges = [vec![1], vec![2], vec![1, 3], vec![], vec![4], vec![0]];
        assert_eq!(components(&edges), [false, true, true, false, true, false]);
        // Two ways round that share a function.
        let edges = [vec![1, 2], vec![0], vec![3], vec![0], vec![2]];
        assert_eq!(components(&edges), [true, true, true, true, false]);
    }
}
