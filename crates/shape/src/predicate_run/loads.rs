//! Loads from the structure: which link or field lies at an address.

use super::{Pending, PredicateRun, WINDOW};
use crate::engine::{Engine, Mode};
use crate::error::ShapeError;
use crate::layout::Item;
use crate::path::PathId;
use crate::trie::Step;
use pessimum_machine::Value;
use pessimum_term::Width;

impl Engine {
    /// Answers a load from what was observed, or asks for what is missing.
    pub(super) fn load(&mut self, run: &mut PredicateRun, address: u64, len: u32) -> Option<Step> {
        if address < WINDOW {
            let (at, structure) = (self.here(), self.describe(run));
            let error = if address < 1024 {
                ShapeError::NullRead { at, structure }
            } else {
                let what = format!("address {address:#x}");
                ShapeError::ReadsOutside { at, what, structure }
            };
            return Some(self.fail(error));
        }
        let mut value: Option<Value> = None;
        let mut done = 0;
        while done < len {
            match self.piece(run, address + u64::from(done)) {
                Err(step) => return Some(step),
                Ok((item_value, skip, bytes)) => {
                    let take = (bytes - skip).min(len - done);
                    let part = self.extract(item_value, bytes, skip, take);
                    value = Some(match value {
                        None => part,
                        Some(low) => self.concat(part, take, low, done),
                    });
                    done += take;
                }
            }
        }
        let value = value.unwrap_or_default();
        self.machine.answer_load(&mut self.arena, value);
        None
    }

    /// The item at an address: its value, the bytes before the address, all its bytes.
    fn piece(
        &mut self,
        run: &mut PredicateRun,
        address: u64,
    ) -> std::result::Result<(Value, u32, u32), Step> {
        let at = address - WINDOW;
        let (index, offset) = ((at / run.stride) as usize, (at % run.stride) as u32);
        let outside = |e: &mut Self, run: &PredicateRun, what: String| {
            let (at, structure) = (e.here(), e.describe(run));
            Err(e.fail(ShapeError::ReadsOutside { at, what, structure }))
        };
        let Some(&(mut path, kind)) = run.nodes.get(index) else {
            return outside(self, run, format!("address {address:#x}"));
        };
        let mut offset = offset;
        let shape = &self.plan.layout.kinds[kind];
        if shape.array {
            let bytes = shape.bytes;
            let element = offset / bytes;
            offset %= bytes;
            if element >= run.length {
                let what = format!("element {element} of {}", run.length);
                return outside(self, run, what);
            }
            // The element is the last one of a prefix.
            for _ in element + 1..run.length {
                let child = self.paths.step(path, 0);
                if !run.observed.contains_key(&(path, Item::Link(0))) {
                    run.pending = Pending::Link { path, owner: kind, link: 0, child, kind };
                    return Err(Step::Link { path, kind, link: 0, child });
                }
                path = child;
            }
        }
        let shape = &self.plan.layout.kinds[kind];
        let Some((item, start, bytes)) = shape.item_at(offset) else {
            let what = if offset >= shape.bytes {
                format!("{} bytes after `{}` begins, which has {}", offset, shape.name, shape.bytes)
            } else {
                format!("offset {offset} of `{}`, where no field lies", shape.name)
            };
            return outside(self, run, what);
        };
        if let Some(known) = run.observed.get(&(path, item)) {
            return Ok((*known, offset - start, bytes));
        }
        match item {
            Item::Link(link) => {
                let target = shape.links[link as usize].kind;
                let child = self.paths.step(path, link);
                run.pending = Pending::Link { path, owner: kind, link, child, kind: target };
                Err(Step::Link { path, kind, link, child })
            }
            Item::Field(field) => {
                if path == PathId::ROOT && self.modes[kind][field as usize] == Mode::Symbolic {
                    let value = self.variable(path, kind, field);
                    run.observed.insert((path, item), value);
                    return Ok((value, offset - start, bytes));
                }
                run.pending = Pending::Field { path, kind, field };
                Err(Step::Field { path, kind, field })
            }
        }
    }

    fn extract(&mut self, value: Value, bytes: u32, skip: u32, take: u32) -> Value {
        if skip == 0 && take == bytes {
            return value;
        }
        let width = Width::new(8 * take);
        match value.as_term() {
            None => {
                let bits = value.as_concrete().unwrap_or(0) >> (8 * skip);
                Value::concrete(bits & width.mask())
            }
            Some(t) => {
                let t = self.arena.extract(t, 8 * skip, width);
                Value::of_term(&self.arena, t)
            }
        }
    }

    fn concat(&mut self, high: Value, high_bytes: u32, low: Value, low_bytes: u32) -> Value {
        let high = high.to_term(&mut self.arena, Width::new(8 * high_bytes));
        let low = low.to_term(&mut self.arena, Width::new(8 * low_bytes));
        let t = self.arena.concat(high, low);
        Value::of_term(&self.arena, t)
    }
}
