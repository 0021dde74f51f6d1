//! DP as the paper has it: rounds over a pool, every candidate written out in memory and judged by
//! executing the whole predicate. Slow, and built on nothing that the other algorithms use but the
//! layout: what they find is tested against it.

use crate::domain::Values;
use crate::engine::{Plan, Predicate};
use crate::error::{Result, ShapeError};
use crate::image::Image;
use crate::layout::KindId;
use crate::structure::{Node, Structure};
use pessimum_machine::{End, Machine, Mark, Stop, Value};
use pessimum_term::Arena;

/// A valid structure: the paper's array of integers.
struct Test {
    size: usize,
    /// Number in the list of the link's kind, plus one; zero is null.
    links: Vec<usize>,
    fields: Vec<i64>,
}

/// The three sets of the paper, in one list per kind: the pool comes first, then the tests of the
/// last round, then those of this round.
#[derive(Default)]
struct Tests {
    list: Vec<Test>,
    last_round: usize,
    this_round: usize,
}

/// A run of the algorithm.
pub(crate) struct Plain {
    plan: Plan,
    values: Vec<Vec<Values>>,
    machine: Machine,
    arena: Arena,
    ground: Mark,
    base: u32,
    tests: Vec<Tests>,
    null_is_new: bool,
    max: usize,
    pub(crate) candidates: u64,
    /// Bytes that the kept structures take.
    pub(crate) bytes: u64,
}

/// Is shown the links and the size of each choice of children.
type OnChoice<'a> = dyn FnMut(&mut Plain, &[usize], usize) -> Result<()> + 'a;

impl Plain {
    pub(crate) fn new(plan: Plan, values: Vec<Vec<Values>>, max: usize) -> Result<Plain> {
        let mut arena = Arena::new();
        let mut machine = Machine::prepare(&plan.module, plan.limits.clone(), &mut arena)?;
        let ground = machine.mark();
        let base = u32::try_from(machine.memory_size()).unwrap_or(u32::MAX);
        let tests = plan.layout.kinds.iter().map(|_| Tests::default()).collect();
        Ok(Plain {
            plan,
            values,
            machine,
            arena,
            ground,
            base,
            tests,
            null_is_new: true,
            max,
            candidates: 0,
            bytes: 0,
        })
    }

    /// Structures kept.
    pub(crate) fn stored(&self) -> usize {
        self.tests.iter().map(|t| t.list.len()).sum()
    }

    /// Every valid structure whose size is the greatest allowed.
    pub(crate) fn run(&mut self) -> Result<Vec<Structure>> {
        let mut progress = true;
        while progress {
            for tests in &mut self.tests {
                tests.this_round = tests.list.len();
            }
            for kind in 0..self.plan.layout.kinds.len() {
                if let Some(predicate) = self.plan.parts[kind].clone() {
                    let mut found = Vec::new();
                    self.permutations(kind, true, &mut |plain, links, size| {
                        plain.valuations(&predicate, links, size, &mut found)
                    })?;
                    self.bytes += found
                        .iter()
                        .map(|t| 8 * (t.links.len() + t.fields.len()) as u64)
                        .sum::<u64>();
                    self.tests[kind].list.extend(found);
                }
            }
            self.null_is_new = false;
            progress = self.tests.iter().any(|t| t.list.len() > t.this_round);
            for tests in &mut self.tests {
                tests.last_round = tests.this_round;
            }
        }
        self.whole()
    }

    fn whole(&mut self) -> Result<Vec<Structure>> {
        let whole = self.plan.whole.clone();
        let kind = whole.kind;
        let max = self.max;
        if max == 0 && self.plan.layout.kinds[kind].weight > 0 {
            let valid = self.judge(&whole, &Structure::null(), 0)?;
            return Ok(if valid { vec![Structure::null()] } else { Vec::new() });
        }
        for tests in &mut self.tests {
            tests.this_round = tests.list.len();
        }
        let mut found = Vec::new();
        if self.plan.parts[kind].as_ref() == Some(&whole) {
            let exact = |t: &&Test| t.size == max;
            let tests = self.tests[kind].list.iter().filter(exact);
            return Ok(tests.map(|t| self.write_out(kind, &t.links, &t.fields)).collect());
        }
        self.permutations(kind, false, &mut |plain, links, size| {
            if size == plain.max {
                plain.valuations(&whole, links, size, &mut found)
            } else {
                Ok(())
            }
        })?;
        Ok(found.iter().map(|t| self.write_out(kind, &t.links, &t.fields)).collect())
    }

    /// All ordered choices of tests for the links of a kind that stay within the size; with
    /// `fresh`, those with at least one from the last round.
    fn permutations(&mut self, kind: KindId, fresh: bool, found: &mut OnChoice<'_>) -> Result<()> {
        let shape = &self.plan.layout.kinds[kind];
        let kinds: Vec<KindId> = shape.links.iter().map(|l| l.kind).collect();
        let mut links = Vec::new();
        let size = shape.weight;
        self.choose(&kinds, &mut links, size, !fresh, found)
    }

    fn choose(
        &mut self,
        kinds: &[KindId],
        links: &mut Vec<usize>,
        size: usize,
        has_new: bool,
        found: &mut OnChoice<'_>,
    ) -> Result<()> {
        if size > self.max {
            return Ok(());
        }
        let Some(&kind) = kinds.get(links.len()) else {
            return if has_new { found(self, links, size) } else { Ok(()) };
        };
        for choice in 0..=self.tests[kind].this_round {
            let tests = &self.tests[kind];
            let (more, new) = match choice.checked_sub(1) {
                None => (0, self.null_is_new),
                Some(i) => (tests.list[i].size, i >= tests.last_round),
            };
            links.push(choice);
            self.choose(kinds, links, size + more, has_new || new, found)?;
            links.pop();
        }
        Ok(())
    }

    /// Every valuation of the fields.
    fn valuations(
        &mut self,
        predicate: &Predicate,
        links: &[usize],
        size: usize,
        found: &mut Vec<Test>,
    ) -> Result<()> {
        let lists: Vec<Vec<i64>> =
            self.values[predicate.kind].iter().map(|v| v.iter().collect()).collect();
        let mut at = vec![0; lists.len()];
        loop {
            let fields: Vec<i64> = at.iter().zip(&lists).map(|(i, list)| list[*i]).collect();
            let structure = self.write_out(predicate.kind, links, &fields);
            self.candidates += 1;
            if self.judge(predicate, &structure, size)? {
                found.push(Test { size, links: links.to_vec(), fields });
            }
            let mut place = lists.len();
            loop {
                let Some(p) = place.checked_sub(1) else { return Ok(()) };
                place = p;
                at[p] += 1;
                if at[p] < lists[p].len() {
                    break;
                }
                at[p] = 0;
            }
        }
    }

    fn write_out(&self, kind: KindId, links: &[usize], fields: &[i64]) -> Structure {
        let mut out = Structure::null();
        self.write_node(&mut out, kind, links, fields);
        out
    }

    fn write_node(
        &self,
        out: &mut Structure,
        kind: KindId,
        links: &[usize],
        fields: &[i64],
    ) -> usize {
        let at = out.nodes.len();
        out.nodes.push(Node { kind, fields: fields.to_vec(), links: vec![None; links.len()] });
        for (link, choice) in links.iter().enumerate() {
            if let Some(i) = choice.checked_sub(1) {
                let target = self.plan.layout.kinds[kind].links[link].kind;
                let test = &self.tests[target].list[i];
                let child = self.write_node(out, target, &test.links, &test.fields);
                out.nodes[at].links[link] = Some(child);
            }
        }
        at
    }

    /// Executes the predicate on a structure in memory.
    fn judge(&mut self, predicate: &Predicate, structure: &Structure, size: usize) -> Result<bool> {
        self.machine.undo_to(&self.ground);
        self.ground = self.machine.mark();
        let array = self.plan.layout.kinds[predicate.kind].array;
        let image = Image::of(&self.plan.layout, structure);
        self.machine.write_memory(self.base, &image.at(self.base))?;
        let root = if structure.nodes.is_empty() && !array { 0 } else { self.base };
        let mut args = vec![Value::concrete(u64::from(root))];
        if array {
            args.push(Value::concrete(size as u64));
        }
        args.extend(predicate.args.iter().map(|a| Value::concrete(*a)));
        self.machine.begin(predicate.function, &args)?;
        let stop = self.machine.run(&mut self.arena);
        let at = || {
            let machine = &self.machine;
            let (function, offset) = (machine.function(), machine.position());
            crate::engine::Engine::place_in_source(&self.plan.module, function, offset)
        };
        let structure = || format!("a structure of size {size}");
        match stop {
            Stop::End(End::Return) => {
                let result = self.machine.results(1).first().and_then(|v| v.as_concrete());
                Ok(result.unwrap_or(0) != 0)
            }
            Stop::End(End::Trap(trap)) => {
                let trap = trap.to_string();
                Err(ShapeError::Traps { at: at(), trap, structure: structure() })
            }
            Stop::End(End::OutOfInstructions | End::OutOfStack | End::Endless) => {
                let instructions = self.machine.counters().all_instructions;
                Err(ShapeError::NeverEnds { at: at(), instructions, structure: structure() })
            }
            Stop::End(End::OutOfTime) => Err(ShapeError::Stopped),
            _ => Err(ShapeError::Unsupported { at: at(), what: "an input".to_owned() }),
        }
    }
}
