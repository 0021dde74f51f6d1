//! Lists of names in bytes, as a table of words reads them: names, and behind each of them what ends it.
//!
//! Keys of one list of a table cost most where they are many, so the names are as short as they can be: where no more short ones
//! go to the place, the list goes on with longer ones. And where a table looks for one that it has, the list ends with the
//! name that stands furthest behind, over and over.

use super::at_one_size::SizeSearch;
use super::queue::Material;
use crate::collide::Lead;
use crate::groups::{Group, Groups};
use crate::pattern::below;
use pessimum_entry::host::Seeded;
use pessimum_machine::LoadError;
use std::collections::BTreeMap;

/// Most words that end a name, and the lengths of names.
const ENDS: usize = 40;
const NAMES: std::ops::RangeInclusive<usize> = 2..=6;

/// Letters that words are held against, at most.
const CONTROLS: usize = 16;

/// Places in a list behind which one name is repeated, in each of two rounds.
const CUTS: usize = 64;

/// A list of names.
#[derive(Clone)]
struct List {
    values: Vec<u64>,
    /// What ends a name.
    end: u64,
    /// Letters of the last names.
    letters: usize,
    /// Whether a name of one letter stands in front.
    headed: bool,
}

/// A list whose keys have met.
struct Met {
    /// What it costs; with a short name in front, what it costs to look that up again.
    cost: u64,
    list: List,
    are_equal: bool,
    /// Whether more names have to be longer.
    is_hopeless: bool,
}

/// The costliest lists that have met.
struct Best {
    /// With a name of one letter in front, and without.
    lists: BTreeMap<bool, (u64, List)>,
    /// What the costliest of all was made of.
    kind: Option<List>,
    /// When to end, and what one list may take.
    until: u64,
    meeting: u64,
}

impl Best {
    fn new(until: u64, meeting: u64) -> Best {
        Best { lists: BTreeMap::new(), kind: None, until, meeting }
    }

    fn costliest(&self) -> Option<u64> {
        self.lists.values().map(|(cost, _)| *cost).max()
    }

    /// Takes in a list that was made of another one.
    fn note(&mut self, cost: u64, list: &List, kind: &List) {
        if self.costliest().is_none_or(|most| cost > most) {
            self.kind = Some(kind.clone());
        }
        if self.lists.get(&list.headed).is_none_or(|(most, _)| cost > *most) {
            self.lists.insert(list.headed, (cost, list.clone()));
        }
    }
}

/// What lists are made of, and where they go.
struct Names<'a> {
    start: Groups,
    /// The group that is the list.
    array: usize,
    group: Group,
    words: &'a [u64],
    /// Values that are in a name.
    letters: Vec<u64>,
}

impl Group {
    /// The values of a byte but for these.
    fn letters_without(&self, words: &[u64]) -> Vec<u64> {
        let is_letter = |bits: &u64| self.slot.admits(*bits) && !words.contains(bits);
        (0..=u64::from(u8::MAX)).filter(is_letter).collect()
    }
}

impl SizeSearch<'_> {
    /// The values that may be in a name of a list: of the words, those that change nothing in the middle of a name but what other letters
    /// change there.
    fn letters_within(&mut self, names: &Names<'_>, list: &List) -> Result<Vec<u64>, LoadError> {
        // The last letter of a name in the middle of the list.
        let cuts = list.cuts();
        let Some(at) = cuts.get(cuts.len() / 2).and_then(|cut| cut.checked_sub(2)) else {
            return Ok(names.letters.clone());
        };
        let with = |value: u64| {
            let mut list = list.clone();
            list.values[at] = value;
            names.with(&list)
        };
        let step = names.letters.len().div_ceil(CONTROLS).max(1);
        let mut values: Vec<u64> = names.letters.iter().step_by(step).copied().collect();
        let controls = values.len();
        values.extend(names.words.iter().filter(|word| names.group.slot.admits(**word)));
        let counts = self.counts(values.iter().map(|value| with(*value)).collect())?;
        let more = values.iter().zip(alike(&counts, controls)).filter(|(_, is_alike)| *is_alike);
        let mut letters = names.letters.clone();
        letters.extend(more.map(|(value, _)| *value).filter(|value| *value != list.end));
        letters.sort_unstable();
        letters.dedup();
        Ok(letters)
    }

    /// Sends the keys of lists of names to one place: names of one length at random, and one word behind each. Of each
    /// length those lists come first that cost most, since in them the word ends a name and each name is looked up.
    pub(super) fn meet_in_lists(
        &mut self,
        material: Material<'_>,
        meeting: u64,
        random: &mut Seeded,
    ) -> Result<(), LoadError> {
        let longest = (0..self.shape.len()).max_by_key(|&i| self.shape[i].len);
        let Some(array) = longest.filter(|&i| self.shape[i].slot.ty.bits() == 8) else {
            return Ok(());
        };
        let Some(start) = self.pool.first().map(|seed| seed.groups.clone()) else { return Ok(()) };
        let single = |token: &Vec<u64>| (token.len() == 1).then(|| token[0]);
        let singles = material.tokens.iter().filter_map(single);
        let words: Vec<u64> = singles.chain(material.words.iter().copied()).collect();
        let group = self.shape[array];
        let letters = group.letters_without(&words);
        let mut names = Names { start, array, group, words: &words, letters };
        let mut ranked: Vec<(usize, List)> = Vec::new();
        for letters in NAMES {
            let plain = names.lists(letters, random);
            let headed = plain.iter().filter_map(|list| names.headed(list, random)).collect();
            for lists in [plain, headed] {
                let costs = self.costs(lists.iter().map(|list| names.with(list)).collect())?;
                let mut tried: Vec<(Option<u64>, List)> = costs.into_iter().zip(lists).collect();
                tried.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
                ranked.extend(tried.into_iter().enumerate().map(|(rank, (_, list))| (rank, list)));
            }
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        for (_, list) in &ranked[..ranked.len().min(1)] {
            names.letters = self.letters_within(&names, list)?;
        }
        let mut best = Best::new(self.done.instructions + 2 * meeting, meeting);
        let likely = ranked.partition_point(|(rank, _)| *rank == 0);
        let others = ranked.split_off(likely);
        for (_, list) in ranked {
            self.meet_all(&names, names.others(&list, random), &mut best, random)?;
        }
        // Which place it is, is chance, and to some go more names than to others: as long as nothing costs more than they do, and
        // the last half of all the work has found a better one.
        let begin = self.done.instructions;
        let mut until = begin + 4 * meeting;
        while let Some(kind) = best.kind.clone() {
            let before = best.costliest();
            let costliest = self.pool.first().map(|seed| seed.cost);
            if self.is_over() || self.done.instructions >= until || before < costliest {
                break;
            }
            best.until = until;
            self.meet_all(&names, names.others(&kind, random), &mut best, random)?;
            if best.costliest() > before {
                let now = self.done.instructions;
                until = now + (now - begin).max(4 * meeting);
            }
        }
        for (_, list) in others {
            self.meet_all(&names, list, &mut best, random)?;
        }
        best.lists.into_values().try_for_each(|(_, list)| self.look_up_again(&names, &list))
    }

    /// Sends the keys of a list to one place, as many as there is room for.
    fn meet_all(
        &mut self,
        names: &Names<'_>,
        list: List,
        best: &mut Best,
        random: &mut Seeded,
    ) -> Result<(), LoadError> {
        let kind = list.clone();
        let (mut next, mut before, mut equal) = (Some(list), 0, false);
        while let Some(list) = next.take() {
            if self.is_over() || self.done.instructions >= best.until {
                break;
            }
            let met = self.meet(names, &list, best.meeting, random)?;
            let Some(Met { cost, list, are_equal, is_hopeless }) = met else { break };
            // As long as nothing costs more than they do, it is worth going on.
            if self.pool.first().is_some_and(|costliest| costliest.cost <= cost) {
                best.until = self.done.instructions + 2 * best.meeting;
            }
            best.note(cost, &list, &kind);
            // Keys that have met are compared, and may meet once more in what is compared of them.
            equal |= are_equal;
            let longer = is_hopeless.then(|| names.lengthened(&list, random)).flatten();
            next = longer.or_else(|| (equal && cost > before).then_some(list));
            before = cost;
        }
        Ok(())
    }

    /// A list whose keys were sent to one place, the costliest; with a short name in front, the one in which it costs most to look that up
    /// again.
    fn meet(
        &mut self,
        names: &Names<'_>,
        list: &List,
        meeting: u64,
        random: &mut Seeded,
    ) -> Result<Option<Met>, LoadError> {
        let met = self.collide(&names.with(list), meeting, random)?;
        let before: usize = self.shape[..names.array].iter().map(|g| g.len).sum();
        let mut lists = Vec::new();
        for (cost, mut met) in met {
            let values = std::mem::take(&mut met.groups[names.array]);
            let failed = met.failed.iter().filter_map(|value| value.checked_sub(before));
            let mut list = List { values, ..*list };
            list.take_out(&failed.collect::<Vec<_>>(), met.is_hopeless);
            let (are_equal, is_hopeless) = (met.lead == Lead::Hash, met.is_hopeless);
            lists.extend(cost.map(|cost| Met { cost, list, are_equal, is_hopeless }));
        }
        if list.headed {
            for met in &mut lists {
                let again = met.list.again(names.group.len);
                let costs = self.costs(again.iter().map(|list| names.with(list)).collect())?;
                met.cost = costs.into_iter().flatten().max().unwrap_or(0);
            }
        }
        Ok(lists.into_iter().max_by_key(|met| met.cost))
    }

    /// Runs a list that is cut off and goes on with one name over and over: its first, its last, or one of a single letter that
    /// stands before all others.
    fn look_up_again(&mut self, names: &Names<'_>, list: &List) -> Result<(), LoadError> {
        let Some(half) = list.cut(1, 2) else { return Ok(()) };
        let letters = names.letters.iter().map(|&letter| vec![letter, list.end]);
        let headed = letters.map(|head| {
            let values = [&head, &list.values[..]].concat();
            (head, List { values, ..*list })
        });
        let heads: Vec<(Vec<u64>, List)> =
            list.first().map(|name| (name, list.clone())).into_iter().chain(headed).collect();
        let len = names.group.len;
        let at =
            |(name, list): &(Vec<u64>, List), cut: usize| names.with(&list.then(cut, name, len));
        let costs = self.costs(heads.iter().map(|head| at(head, half)).collect())?;
        let best = costs.iter().zip(&heads).filter_map(|(cost, head)| Some(((*cost)?, head)));
        let Some((_, head)) = best.max_by_key(|(cost, _)| *cost) else { return Ok(()) };
        let cuts = head.1.cuts();
        let step = cuts.len().div_ceil(CUTS).max(1);
        let some: Vec<usize> = (0..cuts.len()).step_by(step).collect();
        let costs = self.costs(some.iter().map(|i| at(head, cuts[*i])).collect())?;
        let best = costs.iter().zip(&some).max_by_key(|(cost, _)| **cost);
        let Some((_, &near)) = best else { return Ok(()) };
        let around = near.saturating_sub(step)..(near + step).min(cuts.len());
        let around = around.step_by((2 * step).div_ceil(CUTS).max(1));
        self.costs(around.map(|i| at(head, cuts[i])).collect()).map(drop)
    }
}

/// Of runs, each with how often its blocks ran, those that differ from the first in no more than what the first few differ in. Of a run
/// without counts nothing is known.
fn alike(counts: &[Vec<u64>], few: usize) -> Vec<bool> {
    let Some(first) = counts.first() else { return Vec::new() };
    let mut varies = vec![false; first.len()];
    for other in &counts[..counts.len().min(few)] {
        let blocks = varies.iter_mut().zip(first).zip(other);
        blocks.for_each(|((varies, usual), count)| *varies |= count != usual);
    }
    let is_alike = |counts: &Vec<u64>| {
        let mut blocks = counts.iter().zip(first).zip(&varies);
        !counts.is_empty() && blocks.all(|((count, usual), varies)| *varies || count == usual)
    };
    counts.iter().map(is_alike).collect()
}

impl Names<'_> {
    /// The input that has this list.
    fn with(&self, list: &List) -> Groups {
        let mut groups = self.start.clone();
        groups[self.array].clone_from(&list.values);
        groups[self.array].resize(self.group.len, list.end);
        groups
    }

    /// Lists of names at random that have so many letters and none of the words in them, for each word that may be behind
    /// a name; none where two names do not fit.
    fn lists(&self, letters: usize, random: &mut Seeded) -> Vec<List> {
        if self.letters.len() < 2 || self.group.len < 2 * (letters + 1) {
            return Vec::new();
        }
        let mut ends: Vec<u64> = Vec::new();
        for word in self.words.iter().filter(|word| self.group.slot.admits(**word)) {
            if ends.len() < ENDS && !ends.contains(word) {
                ends.push(*word);
            }
        }
        let list = |end: u64| {
            let values = self.names(letters, end, self.group.len, random);
            List { values, end, letters, headed: false }
        };
        ends.into_iter().map(list).collect()
    }

    /// The list with a name of one letter in front: most of all a name that is looked up again and again is to be short.
    fn headed(&self, list: &List, random: &mut Seeded) -> Option<List> {
        let head = *self.letters.get(below(random, self.letters.len()))?;
        let mut values = [&[head, list.end], &list.values[..]].concat();
        values.truncate(self.group.len);
        Some(List { values, headed: true, ..*list })
    }

    /// A list like this one, with other names.
    fn others(&self, list: &List, random: &mut Seeded) -> List {
        let values = self.names(list.letters, list.end, self.group.len, random);
        let other = List { values, headed: false, ..*list };
        let headed = if list.headed { self.headed(&other, random) } else { None };
        headed.unwrap_or(other)
    }

    /// The list, and then names that have one letter more. `None` where they would be too long, or no two fit.
    fn lengthened(&self, list: &List, random: &mut Seeded) -> Option<List> {
        let letters = list.letters + 1;
        let left = self.group.len.checked_sub(list.values.len())?;
        if !NAMES.contains(&letters) || left < 2 * (letters + 1) {
            return None;
        }
        let mut values = list.values.clone();
        values.extend(self.names(letters, list.end, left, random));
        Some(List { values, letters, ..*list })
    }

    /// So many values of names at random.
    fn names(&self, letters: usize, end: u64, len: usize, random: &mut Seeded) -> Vec<u64> {
        let alphabet = &self.letters;
        let value = |i: usize| match i % (letters + 1) == letters {
            true => end,
            false => alphabet[below(random, alphabet.len())],
        };
        (0..len).map(value).collect()
    }
}

impl List {
    /// The places behind the names.
    fn cuts(&self) -> Vec<usize> {
        let ends = self.values.iter().enumerate().filter(|(_, value)| **value == self.end);
        ends.map(|(at, _)| at + 1).collect()
    }

    /// Takes out the names that have one of these places in them, and all behind them if there is no hope for the last.
    fn take_out(&mut self, failed: &[usize], is_hopeless: bool) {
        if let Some(last) = failed.last().filter(|_| is_hopeless) {
            self.values.truncate(*last);
        }
        let (mut kept, mut from) = (Vec::new(), 0);
        for to in self.cuts().into_iter().chain([self.values.len()]) {
            if !failed.iter().any(|at| (from..to).contains(at)) {
                kept.extend_from_slice(&self.values[from..to]);
            }
            from = to;
        }
        self.values = kept;
    }

    /// The first name and what ends it.
    fn first(&self) -> Option<Vec<u64>> {
        Some(self.values[..*self.cuts().first()?].to_vec())
    }

    /// The first place behind a name in the part that comes after this one.
    fn cut(&self, part: usize, parts: usize) -> Option<usize> {
        self.cuts().into_iter().find(|cut| cut * parts >= self.values.len() * part)
    }

    /// The first half of the list, or more of it, and then its first name over and over.
    fn again(&self, len: usize) -> Vec<List> {
        let first = self.first().unwrap_or_default();
        (4..8).filter_map(|part| Some(self.then(self.cut(part, 8)?, &first, len))).collect()
    }

    /// The list up to a place, and a name over and over, so long in all.
    fn then(&self, cut: usize, name: &[u64], len: usize) -> List {
        let mut values = self.values[..cut.min(len)].to_vec();
        values.extend(name.iter().cycle().take(len.saturating_sub(cut)));
        List { values, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::{Slot, Type};

    fn names(words: &[u64]) -> Names<'_> {
        let group = Group { slot: Slot::any(Type::U8), len: 10, text: false };
        let letters = group.letters_without(words);
        Names { start: vec![vec![0; 10]], array: 0, group, words, letters }
    }

    /// Lists differ in how far a key is looked for; a word that ends a name makes one more.
    #[test]
    fn a_word_is_a_letter_if_it_changes_what_letters_change() {
        let letters = [vec![10, 4, 7], vec![10, 4, 9]];
        let words = [vec![10, 4, 20], vec![10, 5, 7], vec![]];
        let counts = [&letters[..], &words].concat();
        assert_eq!(alike(&counts, 2), [true, true, true, false, false]);
        assert!(alike(&[], 2).is_empty());
    }

    #[test]
    fn names_of_a_list_have_one_length_and_no_word_in_them() {
        let (names, random) = (names(&[32, 300, 10, 32]), &mut Seeded::new(1));
        let lists = names.lists(3, random);
        assert_eq!(lists.len(), 2, "one for each word that fits, once");
        for (List { values, .. }, end) in lists.iter().zip([32, 10]) {
            assert_eq!((values.len(), values[3], values[7]), (10, end, end));
            let letters = values.iter().enumerate().filter(|(i, _)| i % 4 != 3);
            assert!(letters.into_iter().all(|(_, value)| ![10, 32].contains(value)), "{values:?}");
        }
        assert!(names.lists(5, random).is_empty());
    }

    #[test]
    fn a_list_goes_on_with_longer_names_or_with_one_again() {
        let names = names(&[0]);
        let list =
            List { values: vec![1, 2, 0, 3, 4, 0, 5, 6, 0, 7], end: 0, letters: 2, headed: false };
        assert_eq!(list.cuts(), [3, 6, 9]);
        assert_eq!(list.then(6, &[9, 0], 10).values, [1, 2, 0, 3, 4, 0, 9, 0, 9, 0]);
        let mut short = list.clone();
        short.take_out(&[3, 6], true);
        assert_eq!(short.values, [1, 2, 0]);
        assert!(names.lengthened(&short, &mut Seeded::new(1)).is_none(), "no two of them fit");
        let mut one =
            List { values: vec![1, 0, 3, 0, 5, 0, 7, 0, 9, 0], end: 0, letters: 1, headed: false };
        one.take_out(&[2], false);
        assert_eq!(one.values, [1, 0, 5, 0, 7, 0, 9, 0]);
        one.take_out(&[2, 4], true);
        assert_eq!(one.values, [1, 0]);
        let longer = names.lengthened(&one, &mut Seeded::new(1)).expect("two of them fit");
        assert_eq!((longer.values[..2].to_vec(), longer.letters), (vec![1, 0], 2));
        assert_eq!(longer.cuts(), [2, 5, 8]);
    }
}
