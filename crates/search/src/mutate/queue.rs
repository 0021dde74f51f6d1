//! A queue that keeps, for each block of the program, the input that runs it most often (PerfFuzz), beside the
//! costliest. What a bad input needs is often in the record of some block that is cheap so far, and a queue of the
//! costliest alone is soon full of one kind.
//!
//! *Cost of a run*: one comparison for each block; an input is copied only where it holds a new record.

use super::bits;
use crate::groups::{Group, Groups};
use crate::pattern::{below, some_value};
use crate::sample::random_value;
use pessimum_entry::Slot;
use pessimum_entry::host::Seeded;
use std::sync::Arc;

/// What changed values are taken from.
#[derive(Clone, Copy)]
pub(super) struct Material<'a> {
    pub(super) words: &'a [u64],
    pub(super) tokens: &'a [Vec<u64>],
}

/// Records and who holds them.
#[derive(Default)]
pub(super) struct Queue {
    /// By block: how often it ran at most, and in which input.
    records: Vec<Option<(u64, Arc<Groups>)>>,
    /// Blocks that have run.
    met: Vec<u32>,
    costliest: Option<(u64, Arc<Groups>)>,
}

impl Queue {
    /// Takes note of a run, which has a cost if it ended. Answers whether it holds a record.
    pub(super) fn note(&mut self, groups: &Groups, counts: &[u64], cost: Option<u64>) -> bool {
        self.records.resize(self.records.len().max(counts.len()), None);
        let mut kept: Option<Arc<Groups>> = None;
        let mut keep = || Arc::clone(kept.get_or_insert_with(|| Arc::new(groups.clone())));
        for (block, &count) in counts.iter().enumerate() {
            let record = &mut self.records[block];
            if count > record.as_ref().map_or(0, |held| held.0) {
                if record.is_none() {
                    self.met.push(block as u32);
                }
                *record = Some((count, keep()));
            }
        }
        if let Some(cost) = cost.filter(|c| self.costliest.as_ref().is_none_or(|best| *c > best.0))
        {
            self.costliest = Some((cost, keep()));
        }
        kept.is_some()
    }

    /// An input to vary: the costliest as often as the holders of all other records.
    pub(super) fn choose(&self, random: &mut Seeded) -> Option<Arc<Groups>> {
        match &self.costliest {
            Some((_, groups)) if below(random, 2) == 0 => Some(Arc::clone(groups)),
            _ => self.holder(random),
        }
    }

    /// The costliest input.
    pub(super) fn costliest(&self) -> Option<Arc<Groups>> {
        self.costliest.as_ref().map(|(_, groups)| Arc::clone(groups))
    }

    /// The holder of some record.
    pub(super) fn holder(&self, random: &mut Seeded) -> Option<Arc<Groups>> {
        let block = *self.met.get(below(random, self.met.len()))?;
        self.records[block as usize].as_ref().map(|held| Arc::clone(&held.1))
    }
}

/// Makes one to sixteen changes to an input, with parts of another one.
pub(super) fn vary(
    groups: &mut Groups,
    other: &Groups,
    shape: &[Group],
    material: Material<'_>,
    random: &mut Seeded,
) {
    let total: usize = groups.iter().map(Vec::len).sum();
    if total == 0 {
        return;
    }
    for _ in 0..1 << below(random, 5) {
        let mut place = below(random, total);
        let Some(group) = groups.iter().position(|values| {
            let here = place < values.len();
            place -= if here { 0 } else { values.len() };
            here
        }) else {
            return;
        };
        let others = other.get(group).map_or(&[][..], Vec::as_slice);
        change(&mut groups[group], place, others, shape[group].slot, material, random);
    }
}

/// One change at a place of an array.
fn change(
    values: &mut [u64],
    at: usize,
    other: &[u64],
    slot: Slot,
    material: Material<'_>,
    random: &mut Seeded,
) {
    let len = values.len();
    // Where bytes are a stream of bits, what belongs together begins and ends inside of them.
    if slot.ty.bits() == 8 && slot.domain.is_none() && below(random, 6) == 0 {
        return bits::change(values, at, random);
    }
    match below(random, 13) {
        0 | 1 => values[at] = some_value(values, slot, material.words, random),
        2 => values[at] = random_value(random, slot),
        3 => {
            let step = 1 + below(random, 35) as i128;
            let step = if random.next_u64() & 1 == 0 { step } else { -step };
            let integer = slot.ty.integer(values[at]).and_then(|v| v.checked_add(step));
            let bits = integer.and_then(|integer| slot.ty.bits_of_integer(integer));
            if let Some(bits) = bits.filter(|bits| slot.admits(*bits)) {
                values[at] = bits;
            }
        }
        // Some values are taken out; what was cut off at the end comes in again.
        4 => {
            let count = some_length(len - at, random);
            values[at..].rotate_left(count);
        }
        5 | 6 => {
            let from = below(random, len);
            let count = some_length(len - from, random);
            let block = values[from..from + count].to_vec();
            place(values, at, &block, random);
        }
        7 => {
            let value = some_value(values, slot, material.words, random);
            let count = some_length(len - at, random);
            values[at..at + count].fill(value);
        }
        8 if !other.is_empty() => {
            let from = below(random, other.len());
            let count = match below(random, 4) {
                0 => other.len() - from,
                _ => some_length(other.len() - from, random),
            };
            place(values, at, &other[from..from + count], random);
        }
        9 => values.swap(at, below(random, len)),
        // A few values again, with one that is nowhere else: the next of names that all differ.
        10 => {
            let count = 1 + below(random, LONGEST_NAME.min(len - at));
            let mut block = values[at..at + count].to_vec();
            if let Some(fresh) = fresh_value(values, slot, random) {
                block[below(random, count)] = fresh;
                values[at..].rotate_right(count);
                values[at..at + count].copy_from_slice(&block);
            }
        }
        // A few values over and over.
        11 => {
            let period = 1 + below(random, 8);
            let count = some_length(len - at, random);
            for i in at + period..at + count {
                values[i] = values[i - period];
            }
        }
        _ => {
            let tokens = material.tokens;
            if let Some(token) = tokens.get(below(random, tokens.len()))
                && token.iter().all(|bits| slot.admits(*bits))
            {
                place(values, at, token, random);
            }
        }
    }
}

/// Values of a name and what belongs to it, at most.
const LONGEST_NAME: usize = 8;

/// A value that is not among these, if chance meets one soon.
fn fresh_value(values: &[u64], slot: Slot, random: &mut Seeded) -> Option<u64> {
    let mut some = (0..16).map(|_| random_value(random, slot));
    some.find(|value| !values.contains(value))
}

/// Puts values over others or between them, of which the last are lost.
fn place(values: &mut [u64], at: usize, block: &[u64], random: &mut Seeded) {
    let count = block.len().min(values.len() - at);
    if random.next_u64() & 1 == 0 {
        values[at..].rotate_right(count);
    }
    values[at..at + count].copy_from_slice(&block[..count]);
}

/// A length, mostly a short one.
fn some_length(limit: usize, random: &mut Seeded) -> usize {
    let range = [8, 32, 128, usize::MAX][below(random, 4)];
    1 + below(random, limit.min(range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::Type;

    fn input(values: &[u64]) -> Groups {
        vec![values.to_vec()]
    }

    /// A cheap input is kept for a block that no other runs as often, until one does.
    #[test]
    fn every_block_has_its_holder() {
        let mut queue = Queue::default();
        assert!(queue.note(&input(&[1]), &[9, 0, 1], Some(10)));
        assert!(queue.note(&input(&[2]), &[1, 1, 1], Some(3)));
        assert!(!queue.note(&input(&[3]), &[9, 1, 1], Some(10)), "it only equals what there is");
        let chosen = |queue: &Queue| {
            let mut random = Seeded::new(1);
            let some = (0..100).filter_map(|_| queue.choose(&mut random));
            some.map(|groups| groups[0][0]).collect::<std::collections::BTreeSet<u64>>()
        };
        assert_eq!(chosen(&queue), [1, 2].into());
        assert!(queue.note(&input(&[4]), &[0, 5, 0], None), "a run need not end to hold a record");
        assert_eq!(chosen(&queue), [1, 4].into());
    }

    #[test]
    fn variants_have_the_length_and_the_domain_of_their_parent() {
        variants_of(Slot { domain: Some((3, 9)), ..Slot::any(Type::U8) });
        // The floats of ranks 3 to 9, which have the same bits.
        variants_of(Slot::within(Type::F32, 3, 9));
    }

    fn variants_of(slot: Slot) {
        let shape = [12, 1].map(|len| Group { slot, len, text: false });
        let material = Material { words: &[4, 200], tokens: &[vec![5, 6], vec![250]] };
        let parent = vec![vec![3; 12], vec![4]];
        let other = vec![vec![9; 12], vec![8]];
        let mut random = Seeded::new(7);
        let mut changed = 0;
        for _ in 0..2000 {
            let mut child = parent.clone();
            vary(&mut child, &other, &shape, material, &mut random);
            assert_eq!(child.iter().map(Vec::len).collect::<Vec<_>>(), [12, 1]);
            assert!(child.iter().flatten().all(|bits| slot.admits(*bits)), "{child:?}");
            changed += u32::from(child != parent);
        }
        // Of equal values many copies are none.
        assert!(changed > 1000, "{changed} of 2000");
    }

    #[test]
    fn what_is_put_between_moves_the_rest() {
        let mut random = Seeded::new(3);
        let made: std::collections::BTreeSet<Vec<u64>> = (0..50)
            .map(|_| {
                let mut values = vec![1, 2, 3, 4];
                place(&mut values, 1, &[7, 8], &mut random);
                values
            })
            .collect();
        assert_eq!(made, [vec![1, 7, 8, 2], vec![1, 7, 8, 4]].into());
    }
}
