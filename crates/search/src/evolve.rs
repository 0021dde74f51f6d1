//! Patterns evolved at pairs of sizes, judged by what they cost and by how that grows.
//!
//! A queue that keeps the costliest inputs alone is soon full of one kind. This one also keeps, for each
//! block of the program, the pattern that runs it most often, as PerfFuzz does for inputs: what a bad
//! input needs is often in the champion of some block that is cheap so far. What comes between the queue
//! and a block (a magic byte, a keyword) is read off the conditions on a path ([`flips`]), not guessed; a word that one
//! loop compares letter by letter ([`heirs`]).

mod heirs;
pub(crate) mod pairs;

use self::heirs::{Heir, Heirs, TOGETHER};
use self::pairs::Tellings;
use crate::ahead::{Ahead, Ran, Taken};
use crate::at_size::AtSize;
use crate::family::weight_of;
use crate::groups::{Group, Groups, joined, shape};
use crate::mutate::{Mutator, START};
use crate::pattern::{Material, Origin, Pattern, below};
use pessimum_entry::CostModel;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, Flip, flips};
use pessimum_machine::{End, LoadError};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// Patterns that are kept for what they cost, and for how it grows.
const RANKED: usize = 8;

/// Patterns that are kept in the end, and champions that the next pair of sizes begins with.
const KEPT: usize = 24;
const CHAMPIONS: usize = 64;

/// Values of the longest input that is taken apart.
const SHORT: usize = 256;

/// Runs that a pair of sizes has to have room for, or it is left out.
const ROOM: u64 = 250;

/// Instructions that following a path with terms for one unit of work is reckoned as.
pub(crate) const FOLLOWING: u64 = 5;

/// Work that reading the conditions of one path may take.
const ONE_PATH: u64 = 400_000;

/// Words that are mixed in, and patterns that wait for their turn.
const WORDS: usize = 256;
const WAITING: usize = 4096;

/// The part of a pair of sizes that goes to pairs of words.
const PAIRING: u64 = 2;

/// Patterns at random in a row that are known already before a search is given up.
const IDLE: u32 = 1000;

/// What evolving came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Evolved {
    /// Inputs that were run.
    pub runs: u64,
    /// Instructions they took.
    pub instructions: u64,
}

impl Mutator {
    /// Looks for patterns whose cost is great or grows fast, at these pairs of sizes one after the other: what
    /// stands out at one is where the next begins. The instructions are shared out evenly among the pairs at which runs
    /// are short enough. What is found is run at every size that is searched from now on.
    pub fn evolve(
        &mut self,
        pairs: &[[AtSize; 2]],
        instructions: u64,
        seed: u64,
        budget: &Budget,
    ) -> Result<Evolved, LoadError> {
        let mut evolved = Evolved::default();
        let mut starts: Option<Vec<Pattern>> = None;
        let mut words = self.words().to_vec();
        let mut found: Vec<Pattern> = Vec::new();
        for (i, [small, large]) in pairs.iter().enumerate() {
            if *large.module.cost_model() == CostModel::Decisions {
                break;
            }
            let (Some(in_small), Some(in_large)) = (shape(small)?, shape(large)?) else { break };
            if in_small.len() != in_large.len() || in_large.iter().all(|g| g.len < 2) {
                break;
            }
            let starts = starts.get_or_insert_with(|| self.starts(in_large.len()));
            let mut evolution = Evolution {
                small: (small.clone(), in_small),
                large: (large.clone(), in_large),
                budget: budget.clone(),
                left: 0,
                following: 0,
                words: std::mem::take(&mut words),
                tokens: self.tokens(),
                seen: HashSet::new(),
                paired: std::mem::take(&mut self.paired),
                told: std::mem::take(&mut self.told),
                entries: Vec::new(),
                champions: vec![None; large.module.blocks().len()],
                by_cost: Vec::new(),
                by_growth: Vec::new(),
                asked: VecDeque::new(),
                guessed: VecDeque::new(),
                heirs: Heirs::default(),
                done: Evolved::default(),
                read: 0,
                read_ahead: HashMap::new(),
                ahead: Ahead::new(self.workers()),
            };
            // What is left is for this pair and those beyond at which there is room for enough runs.
            let left = instructions.saturating_sub(evolved.instructions);
            let mut to_come = pairs.len() - i;
            while to_come > 1 {
                let share = left / to_come as u64;
                let probed = probe(&pairs[i + to_come - 1][1], starts, share / ROOM, budget)?;
                evolved.instructions += probed.instructions;
                if probed.fits {
                    break;
                }
                to_come -= 1;
            }
            let left = instructions.saturating_sub(evolved.instructions);
            let share = left / to_come as u64;
            // Time is shared out as well, where it ends before the instructions do.
            evolution.budget.deadline = budget.deadline.first_of(to_come as u32);
            evolution.allow(share);
            if evolution.start(starts, (share / ROOM).max(START))? {
                let random = &mut Seeded::new(seed ^ large.n.rotate_left(17));
                evolution.pair_words(share / PAIRING, random)?;
                evolution.go_on(random)?;
                *starts = evolution.outstanding();
                found.splice(0..0, evolution.best());
            }
            evolved.runs += evolution.done.runs;
            evolved.instructions += evolution.done.instructions;
            words = evolution.words;
            self.paired = evolution.paired;
            self.told = evolution.told;
            if to_come == 1 {
                break;
            }
        }
        let mut known: HashSet<Pattern> = HashSet::new();
        found.retain(|pattern| known.insert(pattern.clone()));
        found.truncate(KEPT);
        if !found.is_empty() {
            self.set_patterns(found);
        }
        Ok(evolved)
    }

    /// What to begin with: what was found before, what the costliest inputs repeat, and one value everywhere.
    fn starts(&self, arrays: usize) -> Vec<Pattern> {
        let fills = self.words().iter().map(|word| Pattern::fill(*word, arrays));
        let plain = std::iter::once(Pattern::fill(0, arrays));
        let found = self.patterns().iter().cloned();
        let is_short = |groups: &&Groups| groups.iter().map(Vec::len).sum::<usize>() <= SHORT;
        let costly = self.costliest().filter(is_short).map(Pattern::of);
        // Of what was given the beginning counts, however long it is.
        let begin = |values: &Vec<u64>| values[..values.len().min(SHORT)].to_vec();
        let begun = |groups: &Groups| Pattern::of(&groups.iter().map(begin).collect());
        let costly = costly.chain(self.given().map(begun));
        found.chain(plain).chain(costly).chain(fills).collect()
    }
}

/// Whether runs are short enough at a size, and the instructions that it took to know.
struct Probed {
    fits: bool,
    instructions: u64,
}

/// Patterns that a size is probed with.
const PROBES: usize = 4;

/// Runs a few patterns, which on average may take no more than `longest` instructions.
fn probe(
    at: &AtSize,
    patterns: &[Pattern],
    longest: u64,
    budget: &Budget,
) -> Result<Probed, LoadError> {
    let room = PROBES as u64 * longest.max(START);
    let mut probed = Probed { fits: true, instructions: 0 };
    let Some(shape) = shape(at)? else { return Ok(Probed { fits: false, ..probed }) };
    let at = at.limited(room, budget);
    for groups in patterns.iter().take(PROBES).filter_map(|pattern| pattern.groups(&shape)) {
        let (_, machine) = at.run(joined(&shape, &groups))?;
        probed.instructions += machine.counters().all_instructions + START;
        probed.fits = probed.instructions <= room;
        if !probed.fits {
            break;
        }
    }
    Ok(probed)
}

/// A pattern that was run.
struct Entry {
    pattern: Pattern,
    cost: u64,
    /// What it costs at both sizes: the sum of the logarithms, so that none outweighs the other.
    level: f64,
    /// The exponent of its growth between the two sizes.
    growth: f64,
}

impl Entry {
    /// What it is ranked by among the costliest: of two that are as costly the simpler one comes first.
    fn by_cost(&self) -> (f64, Reverse<usize>) {
        (self.level, Reverse(self.pattern.weight()))
    }

    /// The same among those that grow fastest.
    fn by_growth(&self) -> (f64, Reverse<usize>) {
        (self.growth, Reverse(self.pattern.weight()))
    }
}

/// What the conditions on a path say.
struct Read {
    found: Vec<Flip>,
    /// Where each value comes from: its array, its piece, its place.
    origins: Vec<(usize, Origin)>,
    /// The instructions that reading counts as.
    took: u64,
}

/// A search while it runs.
struct Evolution {
    small: (AtSize, Vec<Group>),
    large: (AtSize, Vec<Group>),
    budget: Budget,
    /// Instructions that may still be executed, and those for reading conditions.
    left: u64,
    following: u64,
    words: Vec<u64>,
    tokens: Vec<Vec<u64>>,
    seen: HashSet<Pattern>,
    /// Pairs of words, by name, that were run here or in an earlier search.
    paired: HashSet<u64>,
    told: Tellings,
    entries: Vec<Entry>,
    /// Of each block how often it ran at most, and the entry that ran it so often.
    champions: Vec<Option<(u64, usize)>>,
    /// The entries that cost most, and those that grow fastest, the best first.
    by_cost: Vec<usize>,
    by_growth: Vec<usize>,
    /// What conditions ask for, and what nests a part or tells a length.
    asked: VecDeque<Waiting>,
    guessed: VecDeque<Pattern>,
    heirs: Heirs,
    done: Evolved,
    /// What reading conditions took of the instructions.
    read: u64,
    /// Conditions that were read before it was their turn: of which pattern, with how much work, and what they are.
    read_ahead: HashMap<Pattern, (u64, Option<Conditions>)>,
    /// How many patterns are run side by side.
    ahead: Ahead,
}

/// A pattern that is to be run; how it came about where its conditions are to be read whatever its run comes to.
struct Waiting {
    pattern: Pattern,
    heir: Option<Heir>,
}

/// Where the next patterns come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Asked,
    Guessed,
    Chance,
}

/// Whose turn it is: of those that have something, the one that had the least work so far.
#[derive(Default)]
struct Turns {
    /// Instructions that each had.
    had: [u64; 3],
    now: usize,
    /// Instructions of this turn, and those of a whole one.
    took: u64,
    one: u64,
}

impl Turns {
    const ALL: [Turn; 3] = [Turn::Asked, Turn::Guessed, Turn::Chance];

    /// The next one, of those that have something. One whose turn is not over goes on.
    fn next(&mut self, has: [bool; 3]) -> Option<Turn> {
        if self.is_over() || !has[self.now] {
            self.now = (0..3).filter(|&kind| has[kind]).min_by_key(|&kind| self.had[kind])?;
            self.took = 0;
        }
        Some(Self::ALL[self.now])
    }

    fn is_over(&self) -> bool {
        self.took >= self.one
    }

    fn took(&mut self, instructions: u64) {
        self.had[self.now] += instructions;
        self.took += instructions;
    }
}

/// A pattern, and what a run of it came to, if it was not run before; `None` inside where it makes no input.
struct RunAhead {
    pattern: Pattern,
    ran: Option<Option<Result<Ran, LoadError>>>,
}

impl RunAhead {
    /// What it cost, if it was run, came to its end and took so many inputs.
    fn cost(&self, inputs: usize) -> Option<u64> {
        self.ran.as_ref()?.as_ref()?.as_ref().ok()?.cost(inputs)
    }
}

impl Evolution {
    /// Gives it so many instructions. A single run may take a part of them, and no more.
    fn allow(&mut self, share: u64) {
        (self.left, self.following) = (share, share / 4);
        self.heirs.allow(share / 8);
        let longest = (share / ROOM).max(START);
        for at in [&mut self.small.0, &mut self.large.0] {
            *at = at.limited(16 * longest, &self.budget);
        }
    }

    /// Runs what there is to begin with; says whether runs are short enough.
    fn start(&mut self, starts: &[Pattern], longest: u64) -> Result<bool, LoadError> {
        let mut ran = 0;
        while ran < starts.len() && !self.is_over() {
            let all = self.room().min(starts.len() - ran);
            for run in self.run_ahead(starts[ran..ran + all].to_vec()) {
                if self.is_over() {
                    break;
                }
                self.take_in(run)?;
                ran += 1;
                if ran == 16 && self.done.instructions - self.read > 16 * longest {
                    return Ok(false);
                }
            }
            self.ahead.learn(all, all);
        }
        Ok(!self.entries.is_empty())
    }

    /// Patterns in turn: what conditions ask for, guesses at lengths, and chance, as much of one as of another. There is always
    /// more to be asked of a large program than there is time for.
    fn go_on(&mut self, random: &mut Seeded) -> Result<(), LoadError> {
        let mut idle = 0;
        let mut turns = Turns { one: (self.left / ROOM).max(START), ..Turns::default() };
        while !self.is_over() {
            if self.asked.is_empty() {
                self.asked.extend(self.heirs.next());
            }
            let has = [!self.asked.is_empty(), !self.guessed.is_empty(), idle < IDLE];
            let Some(turn) = turns.next(has) else { break };
            let room = self.room();
            // Each with the chance as it is after it.
            let mut ahead = *random;
            let (next, after): (Vec<Pattern>, Vec<Seeded>) = match turn {
                Turn::Asked => {
                    let asked = self.asked.iter().take(room);
                    asked.map(|asked| (asked.pattern.clone(), ahead)).unzip()
                }
                Turn::Guessed => {
                    self.guessed.iter().take(room).map(|guess| (guess.clone(), ahead)).unzip()
                }
                Turn::Chance => (0..room).map(|_| (self.variant(&mut ahead), ahead)).unzip(),
            };
            let all = next.len();
            let mut used = 0;
            for (run, after) in self.run_ahead(next).into_iter().zip(after) {
                if self.is_over() || idle >= IDLE && turn == Turn::Chance || turns.is_over() {
                    break;
                }
                (*random, used) = (after, used + 1);
                let ran = self.done.instructions - self.read;
                let taken = match turn {
                    Turn::Asked => {
                        let asked = self.asked.pop_front();
                        let taken = self.take_in(run)?;
                        // Chance may have run it before, which is no reason not to read on.
                        if let Some(Waiting { pattern, heir: Some(heir) }) = asked {
                            self.read_behind(&pattern, &heir)?;
                        }
                        taken
                    }
                    Turn::Guessed => {
                        self.guessed.pop_front();
                        self.take_in(run)?
                    }
                    Turn::Chance => {
                        let taken = self.take_in(run)?;
                        idle = if taken == Taken::Known { idle + 1 } else { 0 };
                        taken
                    }
                };
                turns.took(self.done.instructions - self.read - ran);
                if taken == Taken::Kept || self.asked.is_empty() && !self.heirs.is_empty() {
                    break;
                }
            }
            self.ahead.learn(used, all);
        }
        Ok(())
    }

    /// A pattern made from one of the entries, with parts of another.
    fn variant(&self, random: &mut Seeded) -> Pattern {
        let (parent, other) = (self.choose(random), self.choose(random));
        let mut child = self.entries[parent].pattern.clone();
        let other = &self.entries[other].pattern;
        let material = Material { words: &self.words, tokens: &self.tokens };
        for _ in 0..1 + below(random, 3) {
            child.mutate(&self.large.1, &material, other, random);
        }
        child
    }

    /// An entry to vary: one that is costly, one that grows, or the champion of some block.
    fn choose(&self, random: &mut Seeded) -> usize {
        let ranked: &[usize] = match below(random, 4) {
            0 => &self.by_cost,
            1 => &self.by_growth,
            _ => &[],
        };
        // Where no run has ended, there are champions alone.
        if ranked.is_empty() {
            let from = below(random, self.champions.len());
            let (before, after) = self.champions.split_at(from);
            let champion = after.iter().chain(before).flatten().next();
            return champion.map_or(0, |(_, entry)| *entry);
        }
        // The best more often than the others.
        let among = 1 + below(random, ranked.len());
        ranked[below(random, among)]
    }

    /// How many patterns to run next.
    fn room(&self) -> usize {
        self.ahead.room(self.left, self.done.instructions, self.done.runs)
    }

    /// Runs patterns side by side at the large size, those that were not run before.
    fn run_ahead(&self, patterns: Vec<Pattern>) -> Vec<RunAhead> {
        let mut new: HashSet<&Pattern> = HashSet::new();
        let is_new = |p| !self.seen.contains(p) && new.insert(p);
        let wanted: Vec<bool> = patterns.iter().map(is_new).collect();
        let (at, shape) = &self.large;
        let run = |pattern: &Pattern| {
            let groups = pattern.groups(shape)?;
            Some(Ran::of(at, joined(shape, &groups), true))
        };
        let ran = self.ahead.each(patterns.len(), |i| wanted[i].then(|| run(&patterns[i])));
        let runs = patterns.into_iter().zip(ran);
        runs.map(|(pattern, ran)| RunAhead { pattern, ran }).collect()
    }

    /// Takes in what a run came to: its pattern is kept if it is the best at something.
    fn take_in(&mut self, run: RunAhead) -> Result<Taken, LoadError> {
        let RunAhead { pattern, ran } = run;
        let Some(ran) = ran else { return Ok(Taken::Known) };
        self.seen.insert(pattern.clone());
        let Some(ran) = ran.transpose()? else { return Ok(Taken::Nothing) };
        self.count(ran.counters.all_instructions);
        let cost = ran.cost(self.large.1.iter().map(|g| g.len).sum());
        let (ended, cost) = (cost.is_some(), cost.unwrap_or(0));
        let counts = &ran.counts;
        let beaten =
            |(old, count): (&Option<(u64, usize)>, &u64)| *count > old.map_or(0, |(most, _)| most);
        let is_champion = self.champions.iter().zip(counts).any(beaten);
        let nothing = if ended { Taken::Nothing } else { Taken::Cut };
        if !is_champion && cost < self.least_cost() {
            return Ok(nothing);
        }
        let small = if ended { self.small_cost(&pattern)? } else { None };
        let level = weight_of(cost) + small.map_or(0.0, weight_of);
        let growth = small.map_or(0.0, |small| self.growth(small, cost));
        let new = Entry { pattern, cost, level, growth };
        if !is_champion && !self.is_ranked(&new) {
            return Ok(nothing);
        }
        let entry = self.entries.len();
        let best = self.by_cost.first().map(|&best| self.entries[best].level);
        let mut is_new = ended && best.is_none_or(|best| level > best);
        for (champion, &count) in self.champions.iter_mut().zip(&ran.counts) {
            if count > champion.map_or(0, |(most, _)| most) {
                is_new |= champion.is_none();
                *champion = Some((count, entry));
            }
        }
        self.entries.push(new);
        if ended {
            let entries = &self.entries;
            rank(&mut self.by_cost, entry, |e| entries[e].by_cost());
            rank(&mut self.by_growth, entry, |e| entries[e].by_growth());
        }
        if is_new {
            self.nest(entry);
            self.read_conditions(entry)?;
        }
        Ok(Taken::Kept)
    }

    /// The least that one of the best costs at the large size; anything where there is room for more.
    fn least_cost(&self) -> u64 {
        let costs = self.by_cost.iter().map(|&entry| self.entries[entry].cost);
        costs.min().filter(|_| self.by_cost.len() == RANKED).unwrap_or(1)
    }

    /// Whether it would be among the best.
    fn is_ranked(&self, new: &Entry) -> bool {
        let last = |ranked: &[usize]| ranked.get(RANKED - 1).map(|&entry| &self.entries[entry]);
        last(&self.by_cost).is_none_or(|last| new.by_cost() > last.by_cost())
            || last(&self.by_growth).is_none_or(|last| new.by_growth() > last.by_growth())
    }

    /// What a pattern costs at the small size, if it ends.
    fn small_cost(&mut self, pattern: &Pattern) -> Result<Option<u64>, LoadError> {
        let Some(groups) = pattern.groups(&self.small.1) else { return Ok(None) };
        let (end, machine) = self.small.0.run(joined(&self.small.1, &groups))?;
        let counters = machine.counters();
        let (instructions, cost) = (counters.all_instructions, counters.cost);
        self.small.0.give_back(machine);
        self.count(instructions);
        Ok(matches!(end, End::Return | End::Exit(_)).then_some(cost))
    }

    /// How fast a cost grows from the small size to the large one.
    fn growth(&self, small: u64, large: u64) -> f64 {
        let ratio = (large as f64 + 1.0) / (small as f64 + 1.0);
        ratio.ln() / (self.large.0.n as f64 / self.small.0.n.max(1) as f64).ln()
    }

    /// Makes patterns that nest a part of an entry.
    fn nest(&mut self, entry: usize) {
        for pattern in self.entries[entry].pattern.nestings(&self.small.1) {
            self.guess(pattern);
        }
    }

    fn guess(&mut self, pattern: Pattern) {
        if self.guessed.len() < WAITING {
            self.guessed.push_back(pattern);
        }
    }

    /// Makes patterns of an entry that go another way at one of its decisions.
    fn read_conditions(&mut self, entry: usize) -> Result<(), LoadError> {
        if self.following == 0 || self.asked.len() >= WAITING {
            return Ok(());
        }
        let pattern = self.entries[entry].pattern.clone();
        let Some(Read { found, origins, took }) = self.read(&pattern, self.following)? else {
            return Ok(());
        };
        self.following = self.following.saturating_sub(took);
        for Flip { input, value } in &found {
            let Some(&(array, origin)) = origins.get(*input) else { continue };
            for all in [true, false] {
                let pattern = pattern.with(array, origin, *value, all);
                if self.asked.len() < WAITING {
                    self.asked.push_back(Waiting { pattern, heir: None });
                }
            }
            // What is asked for at this size may be how long the rest is.
            for pattern in pattern.telling(&self.small.1, *input, (array, origin), *value) {
                self.guess(pattern);
            }
        }
        self.heirs.add(&pattern, &self.small.1, found, None);
        Ok(())
    }

    /// Makes heirs of a pattern that is one itself.
    fn read_behind(&mut self, pattern: &Pattern, heir: &Heir) -> Result<(), LoadError> {
        let left = self.heirs.left();
        if left == 0 {
            return Ok(());
        }
        self.read_side_by_side(pattern, left);
        let Some(Read { found, took, .. }) = self.read(pattern, left)? else { return Ok(()) };
        self.heirs.took(took);
        self.heirs.add(pattern, &self.small.1, found, Some(heir));
        Ok(())
    }

    /// Reads the conditions of a pattern and of the heirs that wait behind it on all threads: whatever their runs come to, they are
    /// read next.
    fn read_side_by_side(&mut self, pattern: &Pattern, most: u64) {
        if self.ahead.workers() == 1 || self.read_ahead.contains_key(pattern) {
            return;
        }
        let heirs = self.asked.iter().filter(|waiting| waiting.heir.is_some());
        let patterns: Vec<Pattern> = std::iter::once(pattern)
            .chain(heirs.map(|heir| &heir.pattern))
            .filter(|pattern| !self.read_ahead.contains_key(*pattern))
            .take(TOGETHER)
            .cloned()
            .collect();
        let (small, budget, work) = (&self.small, &self.budget, work_for_one(most));
        let made =
            self.ahead.each(patterns.len(), |i| conditions(small, &patterns[i], work, budget));
        let made = made.into_iter().map(|made| (work, made));
        self.read_ahead.extend(patterns.into_iter().zip(made));
    }

    /// Reads the conditions on the path of a pattern at the small size, for so many instructions at most, and notes the values as
    /// words.
    fn read(&mut self, pattern: &Pattern, most: u64) -> Result<Option<Read>, LoadError> {
        let Some(origins) = pattern.origins(&self.small.1) else { return Ok(None) };
        let work = work_for_one(most);
        let made = match self.read_ahead.remove(pattern) {
            Some((given, made)) if given == work => made,
            _ => conditions(&self.small, pattern, work, &self.budget),
        };
        let Some((found, work)) = made.transpose()? else { return Ok(None) };
        self.count(FOLLOWING * work);
        self.read += FOLLOWING * work;
        for Flip { value, .. } in &found {
            if !self.words.contains(value) && self.words.len() < WORDS {
                self.words.push(*value);
            }
        }
        Ok(Some(Read { found, origins, took: FOLLOWING * work + START }))
    }

    fn count(&mut self, instructions: u64) {
        let took = instructions + START;
        self.left = self.left.saturating_sub(took);
        self.done.runs += 1;
        self.done.instructions += took;
    }

    /// The costliest patterns and those that grow fastest.
    fn best(&self) -> Vec<Pattern> {
        let ranked = self.by_cost.iter().chain(&self.by_growth);
        ranked.map(|&entry| self.entries[entry].pattern.clone()).collect()
    }

    /// Champions of blocks, those found last in front.
    fn latest_champions(&self) -> impl Iterator<Item = Pattern> {
        let champions: BTreeSet<usize> = self.champions.iter().flatten().map(|c| c.1).collect();
        let latest = champions.into_iter().rev().take(CHAMPIONS);
        latest.map(|entry| self.entries[entry].pattern.clone())
    }

    /// The best, and champions of blocks, and their lengths in other forms.
    fn outstanding(&self) -> Vec<Pattern> {
        let all: Vec<Pattern> = self.best().into_iter().chain(self.latest_champions()).collect();
        // Lengths that are written alike at these sizes may not be at larger ones.
        let forms = all.iter().flat_map(|pattern| pattern.in_other_forms(&self.large.1));
        let forms: Vec<Pattern> = forms.collect();
        all.into_iter().chain(forms).collect()
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.budget.is_over()
    }
}

/// What the conditions on a path ask, and the work that it took to read them.
type Conditions = Result<(Vec<Flip>, u64), LoadError>;

/// Reads the conditions on the path of a pattern, within so much work; `None` where it makes no input.
fn conditions(
    (at, shape): &(AtSize, Vec<Group>),
    pattern: &Pattern,
    work: u64,
    budget: &Budget,
) -> Option<Conditions> {
    let groups = pattern.groups(shape)?;
    let budget = Budget { work: Some(work), ..budget.clone() };
    Some(flips(&at.module, &at.setup, &joined(shape, &groups), &budget))
}

/// The work that reading one path may take, where so many instructions are left for all.
fn work_for_one(most: u64) -> u64 {
    ONE_PATH.min(1 + most / FOLLOWING)
}

/// Puts an entry among the best; of equal ones the first stays in front.
fn rank<S: PartialOrd>(ranked: &mut Vec<usize>, entry: usize, score: impl Fn(usize) -> S) {
    let at = ranked.partition_point(|&other| score(other) >= score(entry));
    if at < RANKED {
        ranked.insert(at, entry);
        ranked.truncate(RANKED);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pessimum_clock::Deadline;
    use pessimum_entry::{CallSpec, Entry, Sizes};
    use pessimum_machine::{Limits, Module, Setup};
    use std::sync::Arc;

    /// Looks at every pair of places, but only in what stands between `{` and `}`, and only up to two neighbours
    /// that are the same.
    const GUARDED: &str = r#"(module
        (memory (export "memory") 1)
        (func (export "f") (param $a i32) (param $n i32) (local $i i32) (local $j i32)
            (if (i32.ne (i32.load8_u (local.get $a)) (i32.const 123)) (then (return)))
            (if (i32.ne
                    (i32.load8_u (i32.sub (i32.add (local.get $a) (local.get $n)) (i32.const 1)))
                    (i32.const 125))
                (then (return)))
            (loop $each
                (if (i32.eq
                        (i32.load8_u (i32.add (local.get $a) (local.get $i)))
                        (i32.load8_u offset=1 (i32.add (local.get $a) (local.get $i))))
                    (then (return)))
                (local.set $j (i32.const 0))
                (loop $pair
                    (local.set $j (i32.add (local.get $j) (i32.const 1)))
                    (br_if $pair (i32.lt_u (local.get $j) (local.get $i))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

    fn guarded(n: u64) -> AtSize {
        program(GUARDED, n)
    }

    /// A program over n bytes.
    pub(crate) fn program(text: &str, n: u64) -> AtSize {
        let bytes = wat::parse_str(text).expect("text");
        let module = Module::load(&bytes, &CostModel::Conditionals).expect("it is a module");
        let sizes = Sizes::at(n, &[]).expect("the size fits");
        let call = CallSpec::parse("f(&u8[n], n)").expect("the call is one");
        let invocation = Entry::Call(call).at(&sizes).expect("the size fits");
        let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
        AtSize::new(n, Arc::new(module), setup, Deadline::NEVER)
    }

    /// Compares what it is given with a word of six letters, one by one in one loop, and begins again where one differs. Behind
    /// the word every bracket looks at all places before it.
    const SPELLED: &str = r#"(module
        (memory (export "memory") 1)
        (data (i32.const 60000) "d:=[;!")
        (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $j i32) (local $met i32) (local $here i32)
            (loop $each
                (local.set $here (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                (if (i32.lt_u (local.get $met) (i32.const 6))
                    (then
                        (if (i32.eq (local.get $here) (i32.load8_u offset=60000 (local.get $met)))
                            (then (local.set $met (i32.add (local.get $met) (i32.const 1))))
                            (else (local.set $met (i32.const 0)))))
                    (else (if (i32.eq (local.get $here) (i32.const 40))
                        (then
                            (local.set $j (i32.const 0))
                            (loop $before
                                (local.set $j (i32.add (local.get $j) (i32.const 1)))
                                (br_if $before (i32.lt_u (local.get $j) (local.get $i))))))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

    /// No letter of the word is a new block, and no pair of letters pays.
    #[test]
    fn a_word_that_one_loop_compares_is_spelled() {
        let mut mutator = Mutator::default();
        let pairs = [[8, 17], [31, 65]].map(|pair| pair.map(|n| program(SPELLED, n)));
        mutator.evolve(&pairs, 8_000_000, 1, &Budget::default()).expect("it can be run");
        let at = program(SPELLED, 300);
        let in_shape = shape(&at).expect("it loads").expect("plain values");
        let best = mutator.patterns().first().and_then(|best| best.groups(&in_shape));
        let best = best.expect("something was found");
        let (_, machine) = at.run(joined(&in_shape, &best)).expect("it can be run");
        assert!(machine.counters().cost > 300 * 300 / 4, "{best:?}");
    }

    /// Conditions are read by all threads, of heirs that wait as well.
    #[test]
    fn any_number_of_workers_spells_the_same() {
        let pairs = [[8, 17], [31, 65]].map(|pair| pair.map(|n| program(SPELLED, n)));
        for instructions in [8_000_000, 800_000] {
            let spelled = |workers| {
                let mut mutator = Mutator::with_workers(workers);
                let done = mutator.evolve(&pairs, instructions, 1, &Budget::default());
                (done.expect("it can be run"), mutator.patterns().to_vec())
            };
            let one = spelled(1);
            for workers in [2, 5] {
                assert_eq!(spelled(workers), one, "{workers} workers, {instructions}");
            }
        }
    }

    fn evolved(instructions: u64) -> (Mutator, Evolved) {
        let mut mutator = Mutator::default();
        let pairs = [[8, 17], [31, 65]].map(|pair| pair.map(guarded));
        let done = mutator.evolve(&pairs, instructions, 1, &Budget::default());
        (mutator, done.expect("it can be run"))
    }

    /// What guards the slow part is read off conditions, and what makes it slow grows.
    #[test]
    fn a_pattern_is_found_that_holds_at_every_size() {
        let (mutator, _) = evolved(100_000_000);
        let best = mutator.patterns().first().expect("something was found");
        for n in [20, 64, 300] {
            let at = guarded(n);
            let in_shape = shape(&at).expect("it loads").expect("plain values");
            let groups = best.groups(&in_shape).expect("it can be laid out");
            let (_, machine) = at.run(joined(&in_shape, &groups)).expect("it can be run");
            let cost = machine.counters().cost;
            assert!(cost > n * n / 4, "n = {n}: {cost} by {best:?}");
        }
    }

    #[test]
    fn the_same_work_finds_the_same_and_no_more_is_done() {
        let runs = [1_000_000, 5_000_000].map(|instructions| {
            let (one, done) = evolved(instructions);
            let (other, again) = evolved(instructions);
            assert_eq!((one.patterns(), done), (other.patterns(), again));
            // The last run of each pair may go beyond.
            assert!(done.instructions < instructions * 3 / 2, "{done:?}");
            done.runs
        });
        assert!(runs[0] < runs[1], "{runs:?}");
    }
}
