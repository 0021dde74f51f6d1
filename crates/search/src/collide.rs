//! Inputs whose parts go to one place: keys of one list of a hash table.
//!
//! Whether two keys fall into one list is a condition over several inputs, which no change of a single value meets and no
//! cost leads to step by step. But the place where a key goes is an address, a term over the values of the key, and a good
//! hash spreads keys evenly: of as many keys at random as there are lists, one goes to any given list. So the input is
//! followed once with terms; then values are tried in the terms of its addresses, which takes a few
//! operations each where a run takes thousands. No hash has to be understood for that.
//!
//! What comes of it is an input like any other: a run says what it costs.

use crate::at_size::AtSize;
use crate::evolve::FOLLOWING;
use crate::groups::{Group, Groups, joined};
use crate::mutate::START;
use crate::sample::random_value;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Access, Accesses, Budget, accesses};
use pessimum_machine::LoadError;
use pessimum_term::{Arena, Evaluator, TermId, VarId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Values that a key has at most, and terms that are looked through for them.
const VALUES: usize = 64;
const TERMS: usize = 512;

/// Tries after which the clock is looked at.
const TRIES: u64 = 1024;

/// Keys in a row that could not be sent until the others are left where they are: there are no more values that go
/// there.
const HOPELESS: u32 = 8;

/// What asking for a value is reckoned as, in instructions, beside one for each term that is evaluated.
const TRY: u64 = 4;

/// Values that one or more addresses depend on.
struct Key {
    inputs: Vec<VarId>,
    accesses: Vec<Access>,
    /// Conditions on these values alone that hold.
    conditions: Vec<TermId>,
}

/// Inputs like this one in which keys meet, as far as so many instructions go; and the instructions it took.
pub(crate) fn colliding(
    (at, shape): (&AtSize, &[Group]),
    groups: &Groups,
    instructions: u64,
    budget: &Budget,
    random: &mut Seeded,
) -> Result<(Vec<Groups>, u64), LoadError> {
    let work = instructions / (2 * FOLLOWING);
    let budget = Budget { work: Some(work), ..budget.clone() };
    let met = accesses(&at.module, &at.setup, &joined(shape, groups), &budget)?;
    let followed = met.as_ref().map_or(work, |met| met.work);
    let left = instructions.saturating_sub(FOLLOWING * followed);
    // A program that asks for its inputs may have asked for others.
    let asked: usize = groups.iter().map(Vec::len).sum();
    let met = met.filter(|met| met.inputs.len() == asked);
    let made = met.map(|met| collided(&met, left, &budget, random));
    let (made, tried) = made.unwrap_or_default();
    let divided = |bits: Vec<u64>| {
        let mut bits = bits.into_iter();
        groups.iter().map(|values| bits.by_ref().take(values.len()).collect()).collect()
    };
    let took = FOLLOWING * followed + tried + START;
    Ok((made.into_iter().map(divided).collect(), took))
}

/// The values of inputs in which as many keys as possible go to one goal, for each of them, as far as so much work
/// allows; and the work that was done.
fn collided(
    accesses: &Accesses,
    work: u64,
    budget: &Budget,
    random: &mut Seeded,
) -> (Vec<Vec<u64>>, u64) {
    let keys = keys(accesses);
    let goals = goals(&keys);
    let mut done = 0;
    let mut made = Vec::new();
    for (i, places) in goals.iter().enumerate() {
        let share = work.saturating_sub(done) / (goals.len() - i) as u64;
        let mut sending = Sending {
            accesses,
            places,
            evaluator: Evaluator::new(),
            bits: accesses.inputs.iter().map(|(_, bits)| *bits).collect(),
            taken: HashSet::new(),
            work: 0,
            budget,
            random,
        };
        let moved = sending.send(&keys, share);
        done += sending.work;
        made.extend(moved.then_some(sending.bits));
    }
    (made, done)
}

/// The keys of a run, in the order in which they are used first.
fn keys(accesses: &Accesses) -> Vec<Key> {
    let arena = &accesses.arena;
    let mut keys: Vec<Key> = Vec::new();
    let mut known: HashMap<Vec<VarId>, usize> = HashMap::new();
    for access in &accesses.all {
        let Some(inputs) = variables(arena, access.address) else { continue };
        // One byte chooses a place in a table of letters, not a list.
        let single = inputs.len() == 1 && is_byte(arena, inputs[0]);
        if inputs.is_empty() || single {
            continue;
        }
        let key = *known.entry(inputs).or_insert_with_key(|inputs| {
            keys.push(Key { inputs: inputs.clone(), accesses: Vec::new(), conditions: Vec::new() });
            keys.len() - 1
        });
        keys[key].accesses.push(*access);
    }
    let mut of_input: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
    for (number, key) in keys.iter().enumerate() {
        key.inputs.iter().for_each(|v| of_input.entry(*v).or_default().push(number));
    }
    for &condition in &accesses.conditions {
        let Some(inputs) = variables(arena, condition) else { continue };
        let Some(users) = inputs.first().and_then(|v| of_input.get(v)) else { continue };
        for &number in users {
            let key = &mut keys[number];
            if inputs.iter().all(|v| key.inputs.binary_search(v).is_ok()) {
                key.conditions.push(condition);
            }
        }
    }
    keys
}

/// Where keys are sent: to the place that most of them go to, and after the key that meets most others. A table that
/// grows has its keys in one place after the other: whoever goes everywhere where another key goes meets it at any time.
fn goals(keys: &[Key]) -> Vec<BTreeSet<u64>> {
    let places = |key: &Key| key.accesses.iter().map(|a| a.place).collect::<BTreeSet<u64>>();
    let mut visitors: BTreeMap<u64, usize> = BTreeMap::new();
    for key in keys {
        places(key).into_iter().for_each(|place| *visitors.entry(place).or_default() += 1);
    }
    // With a single key there is nobody to meet.
    if keys.len() < 2 {
        return Vec::new();
    }
    let crowd = |places: &BTreeSet<u64>| places.iter().map(|p| visitors[p]).sum::<usize>();
    let one = visitors.iter().max_by_key(|(place, n)| (**n, u64::MAX - **place));
    let one = one.map(|(place, _)| BTreeSet::from([*place]));
    let leader = keys.iter().map(places).max_by(|a, b| crowd(a).cmp(&crowd(b)).then(b.cmp(a)));
    one.into_iter().chain(leader).collect()
}

/// One input whose keys are sent after one of them.
struct Sending<'a> {
    accesses: &'a Accesses,
    /// Where that one goes.
    places: &'a BTreeSet<u64>,
    evaluator: Evaluator,
    /// The values of all inputs.
    bits: Vec<u64>,
    /// Values of keys that are there: another one must differ from them.
    taken: HashSet<Vec<u64>>,
    work: u64,
    budget: &'a Budget,
    random: &'a mut Seeded,
}

impl Sending<'_> {
    /// Sends as many keys as possible there; answers whether one was moved.
    fn send(&mut self, keys: &[Key], limit: u64) -> bool {
        let all = keys.iter().flat_map(|key| &key.accesses);
        let there: HashSet<u32> =
            all.filter(|a| self.places.contains(&a.place)).map(|a| a.instruction).collect();
        let mut fixed: HashSet<VarId> = HashSet::new();
        let mut moved = false;
        let mut failed = 0;
        for (i, key) in keys.iter().enumerate() {
            let here = key.accesses.iter().filter(|a| there.contains(&a.instruction));
            let addresses: Vec<TermId> = here.map(|a| a.address).collect();
            if self.budget.is_over() || failed >= HOPELESS {
                break;
            }
            if addresses.is_empty() {
                continue;
            }
            let free =
                key.inputs.iter().copied().filter(|v| !fixed.contains(v)).collect::<Vec<_>>();
            let share = limit.saturating_sub(self.work) / (keys.len() - i) as u64;
            let sent = self.send_key(key, &free, &addresses, self.work + share);
            moved |= sent;
            let is_there = sent || free.is_empty() || self.hits(&addresses) == addresses.len();
            failed = if is_there { 0 } else { failed + 1 };
            self.taken.insert(self.values(&key.inputs));
            fixed.extend(&key.inputs);
        }
        moved
    }

    /// Looks for values of the free inputs of a key under which more of these addresses are there.
    fn send_key(&mut self, key: &Key, free: &[VarId], addresses: &[TermId], until: u64) -> bool {
        let mut kept = self.values(free);
        let before = self.hits(addresses);
        let mut best = before;
        if best == addresses.len() || free.is_empty() {
            return false;
        }
        let allowed: Vec<Vec<u64>> = free.iter().map(|v| self.allowed(key, *v)).collect();
        let mut tries = 0;
        while best < addresses.len() && self.work < until {
            tries += 1;
            if tries % TRIES == 0 && self.budget.is_over() {
                break;
            }
            for (v, allowed) in free.iter().zip(&allowed) {
                let slot = self.accesses.inputs[v.0 as usize].0;
                self.bits[v.0 as usize] = match allowed.len() {
                    0 => random_value(self.random, slot),
                    some => allowed[(self.random.next_u64() % some as u64) as usize],
                };
            }
            let hits = self.hits(addresses);
            if hits > best
                && self.holds(&key.conditions)
                && !self.taken.contains(&self.values(&key.inputs))
            {
                (best, kept) = (hits, self.values(free));
            }
        }
        for (v, bits) in free.iter().zip(kept) {
            self.bits[v.0 as usize] = bits;
        }
        best > before
    }

    /// The values of a byte that its own conditions allow; of others none are listed.
    fn allowed(&mut self, key: &Key, v: VarId) -> Vec<u64> {
        let (slot, old) = self.accesses.inputs[v.0 as usize];
        let arena = &self.accesses.arena;
        if !is_byte(arena, v) {
            return Vec::new();
        }
        let own = |c: &&TermId| variables(arena, **c).is_some_and(|inputs| inputs == [v]);
        let own: Vec<TermId> = key.conditions.iter().filter(own).copied().collect();
        let mut allowed = Vec::new();
        for value in (0..=u64::from(u8::MAX)).filter(|value| slot.admits(*value)) {
            self.bits[v.0 as usize] = value;
            if self.holds(&own) {
                allowed.push(value);
            }
        }
        self.bits[v.0 as usize] = old;
        allowed
    }

    fn values(&self, inputs: &[VarId]) -> Vec<u64> {
        inputs.iter().map(|v| self.bits[v.0 as usize]).collect()
    }

    /// How many of the addresses are where they should be.
    fn hits(&mut self, addresses: &[TermId]) -> usize {
        let places = self.places;
        self.evaluator.forget();
        addresses.iter().filter(|a| places.contains(&self.value(**a))).count()
    }

    fn holds(&mut self, conditions: &[TermId]) -> bool {
        self.evaluator.forget();
        conditions.iter().all(|c| self.value(*c) != 0)
    }

    fn value(&mut self, term: TermId) -> u64 {
        let before = self.evaluator.steps();
        let bits = &self.bits;
        let value = self.evaluator.value(&self.accesses.arena, term, |v| bits[v.0 as usize]);
        self.work += TRY + self.evaluator.steps() - before;
        value
    }
}

fn is_byte(arena: &Arena, v: VarId) -> bool {
    arena.width(arena.var_term(v)).mask() <= u64::from(u8::MAX)
}

/// The inputs of a term, in order; `None` where they are very many.
fn variables(arena: &Arena, term: TermId) -> Option<Vec<VarId>> {
    arena.variables_within(term, TERMS).filter(|inputs| inputs.len() <= VALUES)
}
