//! Inputs whose parts go to one place: keys of one list of a hash table.
//!
//! Whether two keys fall into one list is a condition over several inputs, which no change of a single value meets and no
//! cost leads to step by step. But the place where a key goes is an address, a term over the values of the key, and a good
//! hash spreads keys evenly: of as many keys at random as there are lists, one goes to any given list. So the input is
//! followed once with terms; then values are tried in the terms of its addresses, which takes a few
//! operations each where a run takes thousands. No hash has to be understood for that.
//!
//! Keys of one list may still be told apart by their whole hash, which no chance meets. But two keys whose hashes were compared
//! show it as a term, and from one key others of the same hash are a step away: one value is moved, and
//! another makes up for it, in every hash that adds up.
//!
//! What comes of it is an input like any other: a run says what it costs.

mod one_hash;

use crate::at_size::AtSize;
use crate::evolve::FOLLOWING;
use crate::groups::{Group, Groups, joined};
use crate::mutate::START;
use crate::pattern::below;
use crate::sample::random_value;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Access, Accesses, Budget, accesses};
use pessimum_machine::LoadError;
use pessimum_term::{Arena, Evaluator, Op, TermId, VarId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Values that a key has at most, and terms that are looked through for them.
const VALUES: usize = 64;
const TERMS: usize = 512;

/// Tries after which the clock is looked at.
const TRIES: u64 = 1024;

/// Keys in a row that could not be sent until the others are left where they are: there are no more values that go
/// there.
const HOPELESS: usize = 8;

/// How far a value is moved that another one is to make up for.
const ASIDE: usize = 8;

/// Tries in which a key is to be like the one before but for its end: what two keys share is compared as well.
const ALIKE: u64 = 32;

/// How often each of these steps is tried, where nothing else can help.
const STEPS: usize = 4;

/// What asking for a value is reckoned as, in instructions, beside one for each term that is evaluated.
const TRY: u64 = 4;

/// Values that one or more addresses depend on.
struct Key {
    inputs: Vec<VarId>,
    accesses: Vec<Access>,
    /// Terms over all of these values that were compared with something of another key.
    compared: Vec<TermId>,
    /// Conditions on these values alone that hold.
    conditions: Vec<TermId>,
}

/// What is gone by to choose where keys are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lead {
    /// The place that most keys go to.
    Crowd,
    /// The key that meets most others.
    Leader,
    /// The shortest key, where the others are longer.
    Shortest,
    /// One hash, where hashes are compared.
    Hash,
}

/// All of them, in the order in which they are tried.
pub(crate) const LEADS: [Lead; 4] = [Lead::Crowd, Lead::Leader, Lead::Shortest, Lead::Hash];

/// Where keys are sent.
enum Goal {
    /// To these addresses.
    Places(BTreeSet<u64>),
    /// To whatever is compared equal: as this key is, with all its values in the middle.
    Equal(usize),
}

/// An input whose keys were sent somewhere.
pub(crate) struct Collided {
    pub(crate) groups: Groups,
    /// What they were sent after. Keys whose hashes are not compared yet can be so once they have met.
    pub(crate) lead: Lead,
    /// The first values of keys that could not be sent.
    pub(crate) failed: Vec<usize>,
    /// Whether there were no more values that go there.
    pub(crate) is_hopeless: bool,
}

/// Inputs like this one in which keys meet, sent after each of these, as far as so many instructions go; and the instructions it took.
pub(crate) fn colliding(
    (at, shape): (&AtSize, &[Group]),
    groups: &Groups,
    leads: &[Lead],
    instructions: u64,
    budget: &Budget,
    random: &mut Seeded,
) -> Result<(Vec<Collided>, u64), LoadError> {
    let (met, took) = followed((at, shape), groups, instructions, budget)?;
    let left = instructions.saturating_sub(took);
    let made = met.map(|met| collided(&met, leads, left, budget, random));
    let (made, tried) = made.unwrap_or_default();
    let divided = |made: Collided| {
        let mut bits = made.groups.into_iter().flatten();
        let divided = groups.iter().map(|values| bits.by_ref().take(values.len()).collect());
        Collided { groups: divided.collect(), ..made }
    };
    Ok((made.into_iter().map(divided).collect(), took + tried + START))
}

/// A long input all of whose keys have one hash: what the hash is, is learned from a short one with so many keys, within so many
/// instructions. `None` where that has no keys that follow each other evenly, or no two of one hash are found. And the instructions it took.
pub(crate) fn of_one_hash(
    (at, shape): (&AtSize, &[Group]),
    groups: &Groups,
    long: &[Group],
    instructions: u64,
    budget: &Budget,
    random: &mut Seeded,
) -> Result<(Option<Groups>, u64), LoadError> {
    let (met, took) = followed((at, shape), groups, instructions, budget)?;
    let left = instructions.saturating_sub(took);
    let made = met.map(|met| one_hash::one_hash(&met, groups, long, left, budget, random));
    let (made, tried) = made.unwrap_or_default();
    Ok((made, took + tried + START))
}

/// How many keys an input has, as far as so many instructions go; and the instructions it took.
pub(crate) fn count_keys(
    (at, shape): (&AtSize, &[Group]),
    groups: &Groups,
    instructions: u64,
    budget: &Budget,
) -> Result<(usize, u64), LoadError> {
    let (met, took) = followed((at, shape), groups, instructions, budget)?;
    Ok((met.map_or(0, |met| keys(&met).len()), took + START))
}

/// What an input is followed to with terms, within half of so many instructions; and the instructions it took.
fn followed(
    (at, shape): (&AtSize, &[Group]),
    groups: &Groups,
    instructions: u64,
    budget: &Budget,
) -> Result<(Option<Accesses>, u64), LoadError> {
    let work = instructions / (2 * FOLLOWING);
    let budget = Budget { work: Some(work), ..budget.clone() };
    let met = accesses(&at.module, &at.setup, &joined(shape, groups), &budget)?;
    let took = FOLLOWING * met.as_ref().map_or(work, |met| met.work);
    // A program that asks for its inputs may have asked for others.
    let asked: usize = groups.iter().map(Vec::len).sum();
    Ok((met.filter(|met| met.inputs.len() == asked), took))
}

/// Inputs in which as many keys as possible go to one goal, for each of them, as far as so much work allows, each as one
/// group; and the work that was done.
fn collided(
    accesses: &Accesses,
    leads: &[Lead],
    work: u64,
    budget: &Budget,
    random: &mut Seeded,
) -> (Vec<Collided>, u64) {
    let keys = keys(accesses);
    let mut goals = goals(&keys);
    goals.retain(|(lead, _)| leads.contains(lead));
    let mut done = 0;
    let mut made = Vec::new();
    for (i, (lead, goal)) in goals.iter().enumerate() {
        let share = work.saturating_sub(done) / (goals.len() - i) as u64;
        let mut sending = Sending::new(accesses, budget, random);
        let sent = sending.send(&keys, (*lead, goal), share);
        done += sending.work;
        made.extend(sent);
    }
    (made, done)
}

/// The keys of a run, in the order in which they are used first.
fn keys(accesses: &Accesses) -> Vec<Key> {
    let arena = &accesses.arena;
    let mut keys: Vec<Key> = Vec::new();
    let mut known: HashMap<Vec<VarId>, usize> = HashMap::new();
    let of_access: Vec<Option<Vec<VarId>>> =
        accesses.all.iter().map(|access| variables(arena, access.address)).collect();
    // One byte chooses a place in a table of letters, not a list, unless longer keys go there as well.
    let is_single = |inputs: &[VarId]| inputs.len() == 1 && is_byte(arena, inputs[0]);
    let of_keys: HashSet<u32> = accesses
        .all
        .iter()
        .zip(&of_access)
        .filter(|(_, inputs)| inputs.as_ref().is_some_and(|i| !i.is_empty() && !is_single(i)))
        .map(|(access, _)| access.instruction)
        .collect();
    for (access, inputs) in accesses.all.iter().zip(of_access) {
        let Some(inputs) = inputs.filter(|inputs| !inputs.is_empty()) else { continue };
        if !of_keys.contains(&access.instruction) {
            continue;
        }
        let key = *known.entry(inputs).or_insert_with_key(|inputs| {
            let inputs = inputs.clone();
            let (accesses, compared, conditions) = (Vec::new(), Vec::new(), Vec::new());
            keys.push(Key { inputs, accesses, compared, conditions });
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
        for side in sides(arena, condition) {
            let key = variables(arena, side).and_then(|inputs| known.get(&inputs).copied());
            let Some(key) = key.map(|key| &mut keys[key]) else { continue };
            if key.inputs.len() < inputs.len() && !key.compared.contains(&side) {
                key.compared.push(side);
            }
        }
    }
    keys
}

/// The two sides of a condition that they are equal, or that they are not.
fn sides(arena: &Arena, condition: TermId) -> impl Iterator<Item = TermId> + use<> {
    let node = *arena.node(condition);
    let equal = if node.op == Op::Not { *arena.node(node.arg(0)) } else { node };
    (equal.op == Op::Eq).then(|| equal.args()).into_iter().flatten()
}

/// Where keys are sent: to the place that most of them go to, after the key that meets most others, after the shortest, and to
/// one hash where hashes are compared. A table that grows has its keys in one place after the other: whoever goes everywhere where another
/// key goes meets it at any time.
fn goals(keys: &[Key]) -> Vec<(Lead, Goal)> {
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
    // Where one is shorter than the others, they can come to it, and it may not come to them.
    let shortest = keys.iter().min_by_key(|key| key.inputs.len());
    let shorter = shortest.filter(|key| keys[keys.len() - 1].inputs.len() > key.inputs.len());
    let equal = keys.iter().position(|key| !key.compared.is_empty());
    let of_places = [
        (Lead::Crowd, one.map(Goal::Places)),
        (Lead::Leader, leader.map(Goal::Places)),
        (Lead::Shortest, shorter.map(|key| Goal::Places(places(key)))),
        (Lead::Hash, equal.map(Goal::Equal)),
    ];
    of_places.into_iter().filter_map(|(lead, goal)| Some((lead, goal?))).collect()
}

/// One input whose keys are sent after one of them.
struct Sending<'a> {
    accesses: &'a Accesses,
    /// Where that one goes, or what is compared of it.
    places: BTreeSet<u64>,
    evaluator: Evaluator,
    /// The values of all inputs.
    bits: Vec<u64>,
    /// Values of keys that are there: another one must differ from them.
    taken: HashSet<Vec<u64>>,
    /// The same, of those that are there with all of their terms, in their order.
    there: Vec<Vec<u64>>,
    work: u64,
    budget: &'a Budget,
    random: &'a mut Seeded,
}

impl<'a> Sending<'a> {
    /// Nothing is sent yet.
    fn new(accesses: &'a Accesses, budget: &'a Budget, random: &'a mut Seeded) -> Sending<'a> {
        Sending {
            accesses,
            places: BTreeSet::new(),
            evaluator: Evaluator::new(),
            bits: accesses.inputs.iter().map(|(_, bits)| *bits).collect(),
            taken: HashSet::new(),
            there: Vec::new(),
            work: 0,
            budget,
            random,
        }
    }

    /// Sends as many keys as possible there; `None` where none was moved.
    fn send(&mut self, keys: &[Key], (lead, goal): (Lead, &Goal), limit: u64) -> Option<Collided> {
        let mut instructions = HashSet::new();
        match goal {
            Goal::Places(places) => {
                let all = keys.iter().flat_map(|key| &key.accesses);
                let there = all.filter(|a| places.contains(&a.place)).map(|a| a.instruction);
                instructions.extend(there);
                self.places.clone_from(places);
            }
            Goal::Equal(leader) => self.lead(&keys[*leader])?,
        }
        let terms = |key: &Key| -> Vec<TermId> {
            let here = key.accesses.iter().filter(|a| instructions.contains(&a.instruction));
            match goal {
                Goal::Places(_) => here.map(|a| a.address).collect(),
                Goal::Equal(_) => key.compared.clone(),
            }
        };
        let chance = matches!(goal, Goal::Places(_));
        let mut fixed: HashSet<VarId> = HashSet::new();
        let mut moved = false;
        let (mut failed, mut in_a_row) = (Vec::new(), 0);
        for (i, key) in keys.iter().enumerate() {
            if self.budget.is_over() || in_a_row >= HOPELESS {
                break;
            }
            let terms = terms(key);
            if terms.is_empty() {
                continue;
            }
            let free =
                key.inputs.iter().copied().filter(|v| !fixed.contains(v)).collect::<Vec<_>>();
            let share = limit.saturating_sub(self.work) / (keys.len() - i) as u64;
            let sent = self.send_key((key, &free), &terms, chance, self.work + share);
            moved |= sent;
            let is_there = self.hits(&terms) == terms.len();
            if sent || free.is_empty() || is_there {
                in_a_row = 0;
            } else {
                in_a_row += 1;
                failed.extend(key.inputs.first().map(|v| v.0 as usize));
            }
            let values = self.values(&key.inputs);
            if is_there && !self.taken.contains(&values) {
                self.there.push(values.clone());
            }
            self.taken.insert(values);
            fixed.extend(&key.inputs);
        }
        let is_hopeless = in_a_row >= HOPELESS;
        let groups = vec![std::mem::take(&mut self.bits)];
        moved.then_some(Collided { groups, lead, failed, is_hopeless })
    }

    /// Gives a key values in the middle of what they may be, since most others differ little from them, and sends the others
    /// after what is compared of it.
    fn lead(&mut self, key: &Key) -> Option<()> {
        for v in &key.inputs {
            let allowed = self.allowed(key, *v);
            self.bits[v.0 as usize] = *allowed.get(allowed.len() / 2)?;
        }
        if !self.holds(&key.conditions) {
            return None;
        }
        let compared = key.compared.iter().map(|term| self.value(*term));
        self.places = compared.collect();
        Some(())
    }

    /// Looks for values of the free inputs of a key under which more of these terms are there: those of a key that is there, one of
    /// them moved and another one tried in full; where chance may help, any values in turn with them.
    fn send_key(
        &mut self,
        (key, free): (&Key, &[VarId]),
        terms: &[TermId],
        chance: bool,
        until: u64,
    ) -> bool {
        let mut kept = self.values(free);
        let before = self.hits(terms);
        let mut best = before;
        if best == terms.len() || free.is_empty() {
            return false;
        }
        let allowed: Vec<Vec<u64>> = free.iter().map(|v| self.allowed(key, *v)).collect();
        let mut tries = 0;
        // Each of two values moved as far as any, both ways, and all that some times.
        let steps = (STEPS * 2 * ASIDE * free.len() * free.len()) as u64;
        let most = if chance { u64::MAX } else { steps };
        while best < terms.len() && self.work < until && tries < most {
            tries += 1;
            if tries % TRIES == 0 && self.budget.is_over() {
                break;
            }
            let steps = !chance || tries % 2 == 0;
            let alike = tries <= ALIKE;
            let aside = if steps { self.step_aside(free, &allowed, alike) } else { None };
            match aside {
                None if !chance => break,
                None => self.try_any(free, &allowed),
                Some(_) => {}
            }
            let last = aside.map_or(&[][..], |changed| &allowed[changed]);
            for i in 0..last.len().max(1) {
                if let (Some(changed), Some(value)) = (aside, last.get(i)) {
                    self.bits[free[changed].0 as usize] = *value;
                }
                let hits = self.hits(terms);
                if hits > best
                    && self.holds(&key.conditions)
                    && !self.taken.contains(&self.values(&key.inputs))
                {
                    (best, kept) = (hits, self.values(free));
                }
            }
        }
        for (v, bits) in free.iter().zip(kept) {
            self.bits[v.0 as usize] = bits;
        }
        best > before
    }

    /// Gives a key any values.
    fn try_any(&mut self, free: &[VarId], allowed: &[Vec<u64>]) {
        for (v, allowed) in free.iter().zip(allowed) {
            let slot = self.accesses.inputs[v.0 as usize].0;
            self.bits[v.0 as usize] = match allowed.len() {
                0 => random_value(self.random, slot),
                some => allowed[below(self.random, some)],
            };
        }
    }

    /// Gives a key of bytes the values of one that is there, or of a shorter one and any behind them, but for one that is moved, the last
    /// but one if it is to be alike; which other one may make up for it.
    fn step_aside(&mut self, free: &[VarId], allowed: &[Vec<u64>], alike: bool) -> Option<usize> {
        if free.len() < 2 || self.there.is_empty() || allowed.iter().any(Vec::is_empty) {
            return None;
        }
        let (last, all) = (self.there.len() - 1, free.len());
        let mut like = &self.there[if alike { last } else { below(self.random, last + 1) }];
        // The first that is longer than those there begins as the first of them: the longer two keys are the same, the longer it takes to
        // tell them apart.
        if like.len() != all {
            like = &self.there[0];
        }
        if like.len() > all {
            return None;
        }
        for (i, v) in free.iter().enumerate() {
            self.bits[v.0 as usize] = match like.get(i) {
                Some(bits) => *bits,
                None => allowed[i][below(self.random, allowed[i].len())],
            };
        }
        let any = below(self.random, all);
        let (moved, other) = match alike {
            true => (all - 2, all - 1),
            false => (any, (any + 1 + below(self.random, all - 1)) % all),
        };
        let choice = allowed[moved].len();
        let here = self.bits[free[moved].0 as usize];
        let near = allowed[moved].partition_point(|value| *value < here);
        let step = 1 + below(self.random, ASIDE);
        let near = match below(self.random, 4) {
            0 => near.saturating_add(step).min(choice - 1),
            1 => near.saturating_sub(step),
            _ => below(self.random, choice),
        };
        self.bits[free[moved].0 as usize] = allowed[moved][near];
        Some(other)
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

    /// How many of the terms are where they should be.
    fn hits(&mut self, terms: &[TermId]) -> usize {
        self.evaluator.forget();
        let mut hits = 0;
        for term in terms {
            let value = self.value(*term);
            hits += usize::from(self.places.contains(&value));
        }
        hits
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::shape;
    use pessimum_clock::Deadline;
    use pessimum_entry::{CallSpec, CostModel, Entry, Sizes};
    use pessimum_machine::{Limits, Module, Setup};
    use std::sync::Arc;

    /// Keys of four bytes in eight lists, which are places of words; in a list the whole hash of a key is compared with that of the
    /// key before it.
    const HASHES: &str = r#"(module
        (memory (export "memory") 1)
        (func (export "put_all") (param $a i32) (param $n i32) (result i32)
            (local $hash i32) (local $list i32) (local $equal i32) (local $i i32)
            (block $end
                (loop $each
                    (br_if $end (i32.lt_u (local.get $n) (i32.const 4)))
                    (local.set $hash (i32.const 5381))
                    (local.set $i (i32.const 4))
                    (loop $bytes
                        (local.set $hash (i32.add (i32.mul (local.get $hash) (i32.const 33))
                            (i32.load8_u (local.get $a))))
                        (local.set $a (i32.add (local.get $a) (i32.const 1)))
                        (local.set $i (i32.sub (local.get $i) (i32.const 1)))
                        (br_if $bytes (local.get $i)))
                    (local.set $n (i32.sub (local.get $n) (i32.const 4)))
                    (local.set $list (i32.add (i32.const 4096)
                        (i32.shl (i32.and (local.get $hash) (i32.const 7)) (i32.const 2))))
                    (if (i32.eq (i32.load (local.get $list)) (local.get $hash))
                        (then (local.set $equal (i32.add (local.get $equal) (i32.const 1)))))
                    (i32.store (local.get $list) (local.get $hash))
                    (br $each)))
            (local.get $equal)))"#;

    fn hash(key: &[u64]) -> u32 {
        key.iter().fold(5381, |hash: u32, byte| hash.wrapping_mul(33).wrapping_add(*byte as u32))
    }

    fn hashes(n: u64) -> (AtSize, Vec<Group>) {
        let bytes = wat::parse_str(HASHES).expect("text");
        let module = Module::load(&bytes, &CostModel::Conditionals).expect("it is a module");
        let sizes = Sizes::at(n, &[]).expect("the size fits");
        let call = CallSpec::parse("put_all(&u8[n], n)").expect("the call is one");
        let invocation = Entry::Call(call).at(&sizes).expect("the size fits");
        let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
        let at = AtSize::new(n, Arc::new(module), setup, Deadline::NEVER);
        let shape = shape(&at).expect("it can be run").expect("plain values");
        (at, shape)
    }

    /// A hash that is learned from thirty keys is that of a thousand, none of which was followed.
    #[test]
    fn keys_of_one_hash_are_made_for_any_length() {
        let ((at, shape), (_, long)) = (hashes(120), hashes(800));
        let random = &mut Seeded::new(1);
        let start: Groups = vec![(0..120).map(|_| random.next_u64() % 256).collect()];
        let (budget, work) = (Budget::default(), 1_000_000_000);
        let made = of_one_hash((&at, &shape), &start, &long, work, &budget, random);
        let groups = made.expect("it can be run").0.expect("there are such keys");
        let keys: HashSet<&[u64]> = groups[0].chunks(4).collect();
        let hashes: HashSet<u32> = keys.iter().map(|key| hash(key)).collect();
        assert_eq!((keys.len(), hashes.len()), (200, 1));
    }

    /// Names that begin alike take longer to tell apart.
    #[test]
    fn a_longer_key_begins_as_the_first_that_is_there() {
        let (at, shape) = hashes(12);
        let (budget, random) = (Budget::default(), &mut Seeded::new(1));
        let input = joined(&shape, &[vec![9; 12]]);
        let met = accesses(&at.module, &at.setup, &input, &budget).expect("it can be run");
        let met = met.expect("there are accesses");
        let mut sending = Sending::new(&met, &budget, random);
        let free: Vec<VarId> = (0..4).map(VarId).collect();
        let allowed = vec![(0..256).collect::<Vec<u64>>(); free.len()];
        sending.there = vec![vec![7]];
        for _ in 0..20 {
            assert_eq!(sending.step_aside(&free, &allowed, true), Some(3));
            assert_eq!(sending.bits[0], 7);
        }
        sending.there = vec![vec![7; 5]];
        assert_eq!(sending.step_aside(&free, &allowed, true), None, "a longer one is not cut");
    }

    /// Of four thousand million hashes no chance meets one twice, and none is changed by a single byte alone.
    #[test]
    fn keys_come_to_one_hash_where_hashes_are_compared() {
        let n = 120;
        let (at, shape) = hashes(n);
        let random = &mut Seeded::new(1);
        let start: Groups = vec![(0..n).map(|_| random.next_u64() % 256).collect()];
        let (budget, work) = (Budget::default(), 1_000_000_000);
        let made =
            colliding((&at, &shape), &start, &LEADS, work, &budget, random).expect("it can be run");
        let equal =
            made.0.iter().find(|made| made.lead == Lead::Hash).expect("hashes are compared");
        let keys: Vec<&[u64]> = equal.groups[0].chunks(4).collect();
        let one = hash(&[128; 4]);
        let there: HashSet<&[u64]> = keys.iter().copied().filter(|key| hash(key) == one).collect();
        // Eight keys were the first of their lists, and compared with nothing.
        assert!(there.len() + 8 >= keys.len(), "{} of {}", there.len(), keys.len());
    }
}
