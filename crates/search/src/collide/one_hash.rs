//! As many keys of one hash as an input of any length has room for.
//!
//! A long input cannot be followed to its end, but its keys are made as those of a short one are: all of them have one hash, over other
//! values. So the hash is learned from a few keys, as a term over the values of one of them, and keys are made in that alone. Where
//! a byte goes up and another one down and what both do to the hash cancels out, that is a step which a hash that adds up takes
//! everywhere: steps are read off one key and tried at every key that is there.
//!
//! Of short keys few have one hash. Then they share its last bits: whoever masks a hash, in a table of however many lists, puts such keys
//! into one.

use super::{Access, Key, Sending, keys};
use crate::groups::{Group, Groups};
use crate::pattern::below;
use crate::sample::random_value;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Accesses, Budget};
use pessimum_term::{Arena, Only, TermId, VarId};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Keys that have to follow each other evenly.
const KEYS: usize = 4;

/// Keys of one hash that are worth an input.
const WORTH: usize = 8;

/// Tries in a row without another key until there are none; until there are none that differ in their last bytes alone; and tries
/// between two looks at the clock.
const BARREN: usize = 4096;
const NEARLY_BARREN: usize = 512;
const LOOK: usize = 64;

/// First keys that are tried, and steps that are remembered.
const LEADERS: usize = 16;
const STEPS: usize = 256;

/// How far a byte goes up in a step that is not known yet.
const UP: [i64; 8] = [1, -1, 2, -2, 4, 8, 16, 32];

/// Where the keys of an input stand: values that follow each other, of one array.
struct Row {
    /// The array, and the first value of the first key in it.
    array: usize,
    first: usize,
    /// From one key to the next.
    stride: usize,
}

/// A byte of a key: which of its values, and which byte of that.
type Digit = (usize, u32);

/// Last bits of a hash that keys share: all, or more than tables of some ten thousand keys look at. With fewer than a table looks at they
/// would go to some lists, and the more of them are taken the less it says of one.
const SHARED: [u64; 2] = [u64::MAX, 0xffff];

/// Bytes of a key, and how far they go up or down.
type Step = [(usize, i64); 2];

/// Makes the long input from a short one that was followed; and the work it took.
pub(super) fn one_hash(
    accesses: &Accesses,
    short: &Groups,
    long: &[Group],
    work: u64,
    budget: &Budget,
    random: &mut Seeded,
) -> (Option<Groups>, u64) {
    let keys = keys(accesses);
    let Some((row, key)) = row(&keys, short) else { return (None, 0) };
    let Some(hash) = hash(&accesses.arena, key) else { return (None, 0) };
    let room = long.get(row.array).map_or(0, |g| g.len).saturating_sub(row.first) / row.stride;
    let mut making = Sending::new(accesses, budget, random);
    let mut made = Vec::new();
    let all = accesses.arena.width(hash).mask();
    // Of a narrow hash the last bits are all.
    for mask in SHARED.into_iter().filter(|mask| *mask == u64::MAX || *mask < all) {
        let limit = making.work + work.saturating_sub(making.work) / 2;
        let alike = making.keys_of(key, (hash, mask), room, limit);
        if alike.len() > made.len() {
            made = alike;
        }
        if made.len() >= room {
            break;
        }
    }
    // Those that were found first are the most alike: the keys of a shorter input are to be as alike as those of the longest.
    for last in (1..made.len()).rev() {
        made.swap(last, below(making.random, last + 1));
    }
    let work = making.work;
    if made.len() < WORTH {
        return (None, work);
    }
    let value = |values: &[u64], at: usize| {
        let Some(behind) = at.checked_sub(row.first) else { return values[at] };
        let (key, at) = (behind / row.stride, behind % row.stride);
        made[key % made.len()].get(at).copied().unwrap_or_else(|| values[row.first + at])
    };
    let groups =
        short.iter().zip(long).enumerate().map(|(array, (values, g))| match array == row.array {
            true => (0..g.len).map(|at| value(values, at)).collect(),
            false => values.iter().copied().cycle().take(g.len).collect(),
        });
    (Some(groups.collect()), work)
}

/// The longest run of keys that are alike and follow each other evenly in one array, and one of them.
fn row<'a>(keys: &'a [Key], short: &Groups) -> Option<(Row, &'a Key)> {
    let mut ends = Vec::new();
    for values in short {
        ends.push(ends.last().copied().unwrap_or(0) + values.len());
    }
    let start = |key: &Key| key.inputs[0].0 as usize;
    let is_whole = |key: &&Key| key.inputs.windows(2).all(|two| two[1].0 == two[0].0 + 1);
    let mut whole: Vec<&Key> = keys.iter().filter(is_whole).collect();
    whole.sort_by_key(|key| (key.inputs.len(), key.inputs[0]));
    let mut best: Option<(usize, Row, &Key)> = None;
    for alike in whole.chunk_by(|a, b| a.inputs.len() == b.inputs.len()) {
        let &[one, next, ..] = alike else { continue };
        let (stride, width) = (start(next) - start(one), one.inputs.len());
        let array = ends.iter().position(|end| start(one) < *end)?;
        let follows = |two: &&[&Key]| {
            start(two[1]) - start(two[0]) == stride && start(two[1]) + width <= ends[array]
        };
        let count = alike.windows(2).take_while(follows).count() + 1;
        if count >= KEYS && stride >= width && best.as_ref().is_none_or(|(most, ..)| count > *most)
        {
            let first = start(one) + short[array].len() - ends[array];
            best = Some((count, Row { array, first, stride }, one));
        }
    }
    best.map(|(_, row, key)| (row, key))
}

/// What the addresses of a key are made of: the last term to which its values come on more than one way.
fn hash(arena: &Arena, key: &Key) -> Option<TermId> {
    let of = |access: &Access| {
        let mut term = access.address;
        loop {
            let args = arena.node(term).args();
            let mut open = args.filter(|arg| arena.info(*arg).only != Only::Nothing);
            match (open.next(), open.next()) {
                (Some(only), None) => term = only,
                (None, _) => return None,
                _ => return Some(term),
            }
        }
    };
    key.accesses.iter().find_map(of)
}

impl Sending<'_> {
    /// So many keys that are different and share these bits of their hash, as far as there are some. Keys are compared from their first byte on, so
    /// the last two are changed as long as that gives other keys, then the last three, and so on.
    fn keys_of(
        &mut self,
        key: &Key,
        (hash, mask): (TermId, u64),
        most: usize,
        work: u64,
    ) -> Vec<Vec<u64>> {
        let allowed: Vec<Vec<u64>> = key.inputs.iter().map(|v| self.allowed(key, *v)).collect();
        let digits = self.digits(&key.inputs);
        let Some(leader) = self.leader(key, &allowed) else { return Vec::new() };
        self.evaluator.forget();
        let goal = self.value(hash) & mask;
        let search = self.work + work.saturating_sub(self.work) / 4;
        let mut steps = self.cancelling(key, (hash, mask), (&leader, &digits, &allowed), search);
        let mut taken = HashSet::from([leader.clone()]);
        let mut there = vec![leader];
        let (mut width, mut barren) = (2, 0);
        while there.len() < most && self.work < work && barren < BARREN && digits.len() > 1 {
            barren += 1;
            if barren > NEARLY_BARREN && width < digits.len() {
                (width, barren) = (width + 1, 0);
            }
            if barren % LOOK == 0 && self.budget.is_over() {
                break;
            }
            let first = digits.len() - width;
            let like = there[below(self.random, there.len())].clone();
            let narrow = steps.partition_point(|step| first_of(step) >= first);
            let known = steps[..narrow].get(below(self.random, narrow + 1)).copied();
            let tried = match known {
                Some(step) if below(self.random, 2) == 0 => vec![step],
                Some(step) => vec![step.map(|(digit, by)| (digit, -by))],
                None => self.some_steps(first..digits.len()),
            };
            for step in tried {
                let Some(next) = stepped(&like, &digits, step) else { continue };
                if taken.contains(&next) || !self.admits(key, &next, &allowed) {
                    continue;
                }
                self.evaluator.forget();
                if self.value(hash) & mask != goal || !self.holds(&key.conditions) {
                    continue;
                }
                barren = 0;
                if known.is_none() && steps.len() < STEPS {
                    let at = steps.partition_point(|other| first_of(other) >= first_of(&step));
                    steps.insert(at, step);
                }
                taken.insert(next.clone());
                there.push(next);
                break;
            }
        }
        there
    }

    /// Steps whose two parts, each alone, change the hash of a key by values that cancel out: those of its last bytes first, as far
    /// as so much work goes.
    fn cancelling(
        &mut self,
        key: &Key,
        (hash, mask): (TermId, u64),
        (leader, digits, allowed): (&[u64], &[Digit], &[Vec<u64>]),
        work: u64,
    ) -> Vec<Step> {
        let mask = self.accesses.arena.width(hash).mask() & mask;
        self.evaluator.forget();
        let goal = self.value(hash);
        let mut steps = Vec::new();
        // What the bytes behind change it by.
        let mut behind: HashMap<u64, Vec<(usize, i64)>> = HashMap::new();
        for digit in (0..digits.len()).rev() {
            let mut here = Vec::new();
            for by in -255..=255 {
                let alone = [(digit, by), (digit, 0)];
                let Some(next) = stepped(leader, digits, alone).filter(|_| by != 0) else {
                    continue;
                };
                if !self.admits(key, &next, allowed) {
                    continue;
                }
                self.evaluator.forget();
                let changed = self.value(hash).wrapping_sub(goal) & mask;
                let back = changed.wrapping_neg() & mask;
                let others = behind.get(&back).into_iter().flatten();
                steps.extend(others.map(|other| [(digit, by), *other]));
                here.push((changed, (digit, by)));
            }
            for (changed, part) in here {
                behind.entry(changed).or_default().push(part);
            }
            if steps.len() >= STEPS || self.work >= work || self.budget.is_over() {
                break;
            }
        }
        steps.truncate(STEPS);
        steps
    }

    /// Steps of one of these bytes, in which another one may make up for it.
    fn some_steps(&mut self, digits: Range<usize>) -> Vec<Step> {
        let one = below(self.random, digits.len());
        let other = match below(self.random, 2) == 0 && one + 1 < digits.len() {
            true => one + 1,
            false => (one + 1 + below(self.random, digits.len() - 1)) % digits.len(),
        };
        let [one, other] = [one, other].map(|digit| digits.start + digit);
        let up = UP[below(self.random, UP.len())];
        (-255..=255).map(|down| [(one, up), (other, down)]).collect()
    }

    /// The bytes of these values.
    fn digits(&self, inputs: &[VarId]) -> Vec<Digit> {
        let bytes = |v: &VarId| self.accesses.inputs[v.0 as usize].0.ty.bytes();
        let all = inputs.iter().enumerate();
        all.flat_map(|(at, v)| (0..bytes(v)).map(move |byte| (at, byte))).collect()
    }

    /// A key somewhere in the middle of what keys may be, since most others differ little from it, put into the input.
    fn leader(&mut self, key: &Key, allowed: &[Vec<u64>]) -> Option<Vec<u64>> {
        for _ in 0..LEADERS {
            for (v, allowed) in key.inputs.iter().zip(allowed) {
                let slot = self.accesses.inputs[v.0 as usize].0;
                let middle = allowed.len() / 4 + below(self.random, allowed.len() / 2);
                let any = || random_value(self.random, slot);
                self.bits[v.0 as usize] = allowed.get(middle).copied().unwrap_or_else(any);
            }
            if self.holds(&key.conditions) {
                return Some(self.values(&key.inputs));
            }
        }
        None
    }

    /// Whether a key may have these values, which are put into the input.
    fn admits(&mut self, key: &Key, values: &[u64], allowed: &[Vec<u64>]) -> bool {
        key.inputs.iter().zip(values).zip(allowed).all(|((v, value), allowed)| {
            self.bits[v.0 as usize] = *value;
            let slot = self.accesses.inputs[v.0 as usize].0;
            slot.admits(*value) && (allowed.is_empty() || allowed.binary_search(value).is_ok())
        })
    }
}

/// The first byte that a step changes.
fn first_of(step: &Step) -> usize {
    step[0].0.min(step[1].0)
}

/// The values of a key that is one step away, if its bytes can go so far.
fn stepped(like: &[u64], digits: &[Digit], step: Step) -> Option<Vec<u64>> {
    let mut next = like.to_vec();
    for (digit, by) in step {
        let (at, byte) = digits[digit];
        let shift = 8 * byte;
        let byte = u8::try_from((next[at] >> shift & 0xff) as i64 + by).ok()?;
        next[at] = next[at] & !(0xff << shift) | u64::from(byte) << shift;
    }
    Some(next)
}
