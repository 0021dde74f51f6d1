//! Every pair of words, laid out in the few ways that bad inputs are mostly made of.
//!
//! Chance finds a pattern piece by piece, if each piece pays by itself. Often none does: a list is nested for nothing
//! until blank lines come after it. There are few words and few ways to put two of them together, so all are tried.

use super::{Evolution, Taken};
use crate::groups::joined;
use crate::pattern::{Change, Pattern, Piece, below};
use pessimum_entry::host::Seeded;
use pessimum_machine::LoadError;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words that are paired.
const PAIRED: usize = 64;

/// The part that goes to telling words apart.
const TELLING: u64 = 4;

/// A value that means nothing to most programs, where none is known: the letter x.
const PLAIN: u64 = 120;

/// Values of a word that nobody named, at most.
const COMPOUND: usize = 8;

/// Words behind which others are told apart.
const CONTEXTS: usize = 16;

/// Values that belong together, and which blocks they run.
struct Word {
    values: Vec<u64>,
    /// Over and over.
    alone: Vec<bool>,
    /// Whether no word before it runs these.
    by_itself: bool,
    /// Behind each of the first words, as far as somebody asked.
    behind: Vec<Vec<bool>>,
}

/// What a pattern cost at the last size it was run at, and the exponent of its growth from the one before to there.
#[derive(Clone, Copy, Debug)]
struct Told {
    n: u64,
    cost: u64,
    growth: f64,
}

/// What is known of pairs of words from the sizes they were run at.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tellings {
    patterns: HashMap<Pattern, Told>,
    /// What was put between words as something that is none, by array.
    plain: BTreeMap<usize, u64>,
}

impl Tellings {
    fn note(&mut self, pattern: &Pattern, n: u64, cost: u64) {
        let growth = self.of(pattern).filter(|before| before.n < n).map_or(0.0, |before| {
            let ratio = (cost as f64 + 1.0) / (before.cost as f64 + 1.0);
            ratio.ln() / (n as f64 / before.n.max(1) as f64).ln()
        });
        self.patterns.insert(pattern.clone(), Told { n, cost, growth });
    }

    fn of(&self, pattern: &Pattern) -> Option<&Told> {
        self.patterns.get(pattern)
    }
}

impl Evolution {
    /// Runs pairs of words until `share` instructions are gone.
    pub(super) fn pair_words(&mut self, share: u64, random: &mut Seeded) -> Result<(), LoadError> {
        let until = self.left.saturating_sub(share);
        let longest = (0..self.large.1.len()).max_by_key(|&i| self.large.1[i].len);
        let Some(array) = longest.filter(|&i| self.large.1[i].len > 1) else { return Ok(()) };
        let words = self.told_apart(array, share / TELLING)?;
        let plain = self.plain(array);
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for one in 0..words.len() {
            pairs.extend((0..words.len()).map(|other| [one, other]));
        }
        // In any order, another one at each size: where there is no time for all, none is always the last. Words that
        // are some by themselves come before those that are some behind others alone, since these are many.
        for i in (1..pairs.len()).rev() {
            pairs.swap(i, below(random, i + 1));
        }
        pairs.sort_by_key(|pair| !pair.iter().all(|word| words[*word].by_itself));
        let laid_out = pairs.into_iter().flat_map(|pair| {
            let [one, other] = pair.map(|word| words[word].values.as_slice());
            together(one, other, plain, &self.words).into_iter().map(move |pieces| (pair, pieces))
        });
        let mut left: Vec<([usize; 2], Pattern)> =
            laid_out.map(|(pair, pieces)| (pair, self.in_array(array, pieces))).collect();
        left.retain(|(_, pattern)| !self.paired.contains(&self.name_of(pattern)));
        self.likely_first(&mut left);
        let values = self.large.1.iter().map(|g| g.len).sum();
        let mut ran = 0;
        while ran < left.len() && self.left > until && !self.is_over() {
            let all = self.room().min(left.len() - ran);
            let next = left[ran..ran + all].iter().map(|(_, pattern)| pattern.clone()).collect();
            let before = ran;
            for run in self.run_ahead(next) {
                if self.left <= until || self.is_over() {
                    break;
                }
                let best = self.best_two();
                let name = self.name_of(&run.pattern);
                if let Some(cost) = run.cost(values) {
                    self.told.note(&run.pattern, self.large.0.n, cost);
                }
                if self.take_in(run)? != Taken::Cut {
                    self.paired.insert(name);
                }
                ran += 1;
                // What is good with one word may be better with another in its place.
                if self.best_two() != best {
                    let [one, other] = left[ran - 1].0;
                    left[ran..].sort_by_key(|(pair, _)| pair[0] != one && pair[1] != other);
                    break;
                }
            }
            self.ahead.learn(ran - before, all);
        }
        Ok(())
    }

    /// Puts patterns in front that cost much at a smaller size, or whose cost has grown fast up to there; those that were not run there come
    /// behind the better half of those that were.
    fn likely_first(&self, patterns: &mut [([usize; 2], Pattern)]) {
        let ranks = |by: fn(&Told) -> f64| {
            let told =
                patterns.iter().filter_map(|(_, pattern)| Some((pattern, self.told.of(pattern)?)));
            let mut known: Vec<(&Pattern, f64)> =
                told.map(|(pattern, told)| (pattern, by(told))).collect();
            known.sort_by(|a, b| b.1.total_cmp(&a.1));
            let ranks =
                known.into_iter().enumerate().map(|(rank, (pattern, _))| (pattern.clone(), rank));
            ranks.collect::<HashMap<Pattern, usize>>()
        };
        let (by_cost, by_growth) = (ranks(|told| told.cost as f64), ranks(|told| told.growth));
        let rank = |pattern: &Pattern| match (by_cost.get(pattern), by_growth.get(pattern)) {
            (Some(cost), Some(growth)) => *cost.min(growth),
            _ => by_cost.len() / 2,
        };
        patterns.sort_by_cached_key(|(_, pattern)| rank(pattern));
    }

    /// The pattern that costs most, and the one that grows fastest.
    fn best_two(&self) -> [Option<usize>; 2] {
        [&self.by_cost, &self.by_growth].map(|ranked| ranked.first().copied())
    }

    /// A pattern at this size, for knowing it again.
    fn name_of(&self, pattern: &Pattern) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.large.0.n, pattern).hash(&mut hasher);
        hasher.finish()
    }

    /// Sequences and single values, one of those that lead to the same blocks: to the program they are one word. Alone
    /// they may and behind another word not: a letter that goes on with what another began.
    fn told_apart(&mut self, array: usize, share: u64) -> Result<Vec<Word>, LoadError> {
        let until = self.left.saturating_sub(share);
        let slot = self.large.1[array].slot;
        // In turn, as far as each goes: there may be many of any.
        let compounds = self.compounds(array);
        let mut all = Vec::new();
        for i in 0..self.words.len().max(self.tokens.len()).max(compounds.len()) {
            all.extend(self.tokens.get(i).cloned());
            all.extend(self.words.get(i).map(|word| vec![*word]));
            all.extend(compounds.get(i).cloned());
        }
        let mut apart: Vec<Word> = Vec::new();
        for values in all {
            if self.left <= until || self.is_over() || apart.len() == PAIRED {
                break;
            }
            if !values.iter().all(|bits| slot.admits(*bits)) {
                continue;
            }
            let alone = self.ways_of(array, &values)?;
            let by_itself = apart.iter().all(|other| other.alone != alone);
            let mut word = Word { values, alone, by_itself, behind: Vec::new() };
            let mut is_known = false;
            for i in 0..apart.len() {
                if !is_known && apart[i].alone == word.alone {
                    is_known = self.is_alike(array, i, &mut word, &mut apart, until)?;
                }
            }
            if !is_known {
                apart.push(word);
            }
        }
        Ok(apart)
    }

    /// Words of several values that nobody named: what the best patterns and the champions of blocks repeat, those found last in
    /// front. A letter of two bytes is a word, though neither of them is.
    fn compounds(&self, array: usize) -> Vec<Vec<u64>> {
        let mut found: Vec<Vec<u64>> = Vec::new();
        for pattern in self.best().into_iter().chain(self.latest_champions()) {
            for piece in pattern.arrays.get(array).into_iter().flatten() {
                let is_word = piece.again && piece.change == Change::Nothing;
                let is_compound = (2..=COMPOUND).contains(&piece.values.len());
                if is_word && is_compound && !found.contains(&piece.values) {
                    found.push(piece.values.clone());
                }
            }
        }
        found
    }

    /// Whether a word leads where another one leads behind each of the first words. Without work to find out, it does.
    fn is_alike(
        &mut self,
        array: usize,
        other: usize,
        word: &mut Word,
        apart: &mut [Word],
        until: u64,
    ) -> Result<bool, LoadError> {
        for context in 0..apart.len().min(CONTEXTS) {
            if self.left <= until || self.is_over() {
                break;
            }
            let first = apart[context].values.clone();
            for word in [&mut apart[other], &mut *word] {
                if word.behind.len() <= context {
                    let both = [first.as_slice(), &word.values].concat();
                    let ways = self.ways_of(array, &both)?;
                    word.behind.push(ways);
                }
            }
            if apart[other].behind[context] != word.behind[context] {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Which blocks these values over and over run.
    fn ways_of(&mut self, array: usize, values: &[u64]) -> Result<Vec<bool>, LoadError> {
        let pattern = self.in_array(array, vec![Piece::again(values.to_vec())]);
        self.blocks_of(&pattern)
    }

    /// Which blocks a pattern runs at the small size.
    fn blocks_of(&mut self, pattern: &Pattern) -> Result<Vec<bool>, LoadError> {
        let Some(groups) = pattern.groups(&self.small.1) else { return Ok(Vec::new()) };
        let (_, machine) = self.small.0.run_profiled(joined(&self.small.1, &groups))?;
        let ran = machine.block_counts().iter().map(|count| *count > 0).collect();
        let instructions = machine.counters().all_instructions;
        self.small.0.give_back(machine);
        self.count(instructions);
        Ok(ran)
    }

    fn in_array(&self, array: usize, pieces: Vec<Piece>) -> Pattern {
        let mut pattern = Pattern::fill(PLAIN, self.large.1.len());
        pattern.arrays[array] = pieces;
        pattern
    }

    /// A value that is no word. It stays the same when it becomes one: pairs with it are known.
    fn plain(&mut self, array: usize) -> Option<u64> {
        let slot = self.large.1[array].slot;
        let is_plain = |bits: &u64| slot.admits(*bits) && !self.words.contains(bits);
        let known = self.told.plain.get(&array).copied();
        let plain = known.or_else(|| (PLAIN..256).chain(0..PLAIN).find(is_plain))?;
        self.told.plain.insert(array, plain);
        Some(plain)
    }
}

/// One word over and over; behind the other; both in turn; one over and over, then the other, with something plain
/// in between or without; one, then the other behind another name each time. Names have none of `all` words in them.
fn together(one: &[u64], other: &[u64], plain: Option<u64>, all: &[u64]) -> Vec<Vec<Piece>> {
    let again = |word: &[u64]| Piece::again(word.to_vec());
    let once = |word: &[u64]| Piece::once(word.to_vec());
    if one == other {
        return vec![vec![again(one)]];
    }
    let mut ways = vec![
        vec![once(one), again(other)],
        vec![again(&[one, other].concat())],
        vec![again(one), again(other)],
    ];
    if let Some(plain) = plain {
        ways.push(vec![again(one), once(&[plain]), again(other)]);
        ways.push(vec![again(&[one, &[plain]].concat()), again(other)]);
        let change = Change::name(0, all.iter().copied());
        let named = Piece { change, ..again(&[&[plain], other].concat()) };
        ways.push(vec![once(one), named]);
    }
    ways
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::tests::program;
    use crate::groups::{joined, shape};
    use crate::mutate::Mutator;
    use pessimum_explore::Budget;

    /// Counts dashes up to the first letter; each line feed behind it takes as many steps. A line feed before it
    /// ends all.
    pub(crate) const NESTED: &str = r#"(module
        (memory (export "memory") 1)
        (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $c i32) (local $depth i32) (local $text i32) (local $j i32)
            (loop $each
                (local.set $c (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                (if (i32.eq (local.get $c) (i32.const 45))
                    (then (local.set $depth (i32.add (local.get $depth) (i32.const 1))))
                    (else (if (i32.eq (local.get $c) (i32.const 10))
                        (then
                            (if (i32.eqz (local.get $text)) (then (return)))
                            (local.set $j (local.get $depth))
                            (block $done (loop $level
                                (br_if $done (i32.eqz (local.get $j)))
                                (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                                (br $level))))
                        (else (local.set $text (i32.const 1))))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

    /// Neither dashes nor line feeds pay alone; letters are all one to the program.
    #[test]
    fn words_that_pay_together_alone_are_found() {
        let mut mutator = Mutator::default();
        for letter in b'a'..=b'z' {
            mutator.dictionary().add_token(&[letter]);
        }
        mutator.dictionary().add_token(b"-");
        mutator.dictionary().add_token(b"\n");
        let pairs = [[16, 32], [64, 128]].map(|pair| pair.map(|n| program(NESTED, n)));
        mutator.evolve(&pairs, 20_000_000, 1, &Budget::default()).expect("it can be run");
        assert_found(&mutator, NESTED);
    }

    /// The best pattern costs a square at a size that was not searched.
    fn assert_found(mutator: &Mutator, text: &str) {
        let best = mutator.patterns().first().expect("something was found");
        let at = program(text, 300);
        let in_shape = shape(&at).expect("it loads").expect("plain values");
        let groups = best.groups(&in_shape).expect("it can be laid out");
        let (_, machine) = at.run(joined(&in_shape, &groups)).expect("it can be run");
        let cost = machine.counters().cost;
        assert!(cost > 300 * 300 / 8, "{cost} by {best:?}");
    }

    /// `yzyz…`, forty letters of it in a row, makes each letter from there on as dear as all before it. A `z` alone is like
    /// any other letter.
    const IN_TURN: &str = r#"(module
        (memory (export "memory") 1)
        (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $c i32) (local $state i32) (local $deep i32) (local $j i32)
            (loop $each
                (local.set $c (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                (if (i32.eq (local.get $c) (i32.add
                        (i32.const 121) (i32.and (local.get $state) (i32.const 1))))
                    (then (local.set $state (i32.add (local.get $state) (i32.const 1))))
                    (else (local.set $state (i32.const 0))))
                (if (i32.ge_u (local.get $state) (i32.const 40))
                    (then (local.set $deep (i32.const 1))))
                (if (local.get $deep) (then
                    (local.set $j (local.get $i))
                    (loop $before
                        (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                        (br_if $before (local.get $j)))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

    #[test]
    fn a_word_that_matters_behind_another_alone_is_one() {
        for seed in 1..=3 {
            let mut mutator = Mutator::default();
            let pairs = [[16, 32], [64, 128]].map(|pair| pair.map(|n| program(IN_TURN, n)));
            mutator.evolve(&pairs, 10_000_000, seed, &Budget::default()).expect("it can be run");
            assert_found(&mutator, IN_TURN);
        }
    }
}
