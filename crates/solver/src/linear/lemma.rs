//! Contradictions that were found once, to be recognised again.
//!
//! A walk meets the same contradiction under many paths: the sums that cannot be less are the same, and so are the few
//! constraints that keep them from it. When the simplex method finds a row that no values within the bounds can satisfy,
//! the bounds of that row are the contradiction (Farkas): they are kept as a lemma.
//!
//! *Layout*: a form is the left side of constraints, by names of variables that outlive the variables. Of each form the
//! narrowest range that is asserted at present is kept, with a list of what it was before each constraint of the log. A
//! lemma is a list of forms and variables, each with a range; it hangs on the form of the constraint that was the last one
//! of the log when it was found.
//!
//! *Cost*: a constraint that is asserted takes one look into a hash table; a check, one comparison for each part of
//! the lemmas of one form.
//!
//! *Soundness*: a lemma says of numbers, whatever they are called, that they cannot lie in these ranges all at once. It is
//! used where every one of the ranges is implied by what is asserted now, and different names are different variables.

use super::Range;
use super::lin::Var;
use super::log::{Log, Relation};
use super::simplex::{NO_HI, NO_LO};
use rustc_hash::FxHashMap;

/// Lemmas in all, those of one form, and the parts of one: what is beyond is not kept.
const LEMMAS: usize = 1 << 17;
const PER_FORM: u32 = 48;
const PARTS: usize = 24;

/// End of a list.
const NONE: u32 = u32::MAX;

/// What a part of a contradiction is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Variable(Var),
    /// The left side of a constraint of the log.
    Constraint(usize),
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Variable { name: u32, range: Range },
    Form { form: u32, range: Range },
}

#[derive(Debug)]
struct Lemma {
    parts: Box<[Part]>,
    /// The one before it of the same form.
    next: u32,
}

/// What is known of a form.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// What the log says of it.
    range: Range,
    newest: u32,
    lemmas: u32,
    /// The lemma that was used last.
    used: u32,
}

/// The form of a constraint, and what was known of it before.
#[derive(Clone, Copy, Debug)]
struct Entry {
    form: u32,
    before: Range,
}

/// Lemmas, and the ranges they are held against.
#[derive(Debug, Default)]
pub(super) struct Lemmas {
    /// By variable.
    names: Vec<u32>,
    /// The variable of each name, if `names` agrees.
    by_name: FxHashMap<u32, u32>,
    numbers: FxHashMap<Box<[(u32, i64)]>, u32>,
    forms: Vec<Form>,
    /// By constraint of the log.
    entries: Vec<Entry>,
    lemmas: Vec<Lemma>,
    key: Vec<(u32, i64)>,
}

impl Lemmas {
    /// Gives the next variable its name.
    pub(super) fn name(&mut self, name: u32) {
        self.by_name.insert(name, self.names.len() as u32);
        self.names.push(name);
    }

    /// Follows an undo of the log and of the variables.
    pub(super) fn truncate(&mut self, constraints: usize, variables: usize) {
        while self.entries.len() > constraints {
            if let Some(Entry { form, before }) = self.entries.pop() {
                self.forms[form as usize].range = before;
            }
        }
        while self.names.len() > variables {
            if let Some(name) = self.names.pop() {
                self.by_name.remove(&name);
            }
        }
    }

    /// Takes note of the last constraint of the log.
    pub(super) fn enter(&mut self, log: &Log) {
        debug_assert_eq!(log.len(), self.entries.len() + 1);
        let range = self.read(log);
        let form = match self.numbers.get(self.key.as_slice()) {
            Some(&form) => form,
            None => {
                let form = self.forms.len() as u32;
                self.numbers.insert(self.key.as_slice().into(), form);
                let range = (NO_LO, NO_HI);
                self.forms.push(Form { range, newest: NONE, lemmas: 0, used: NONE });
                form
            }
        };
        let before = self.forms[form as usize].range;
        self.entries.push(Entry { form, before });
        self.forms[form as usize].range = (before.0.max(range.0), before.1.min(range.1));
    }

    /// Makes the form of the last constraint of the log the key; answers the range that the constraint gives it.
    fn read(&mut self, log: &Log) -> Range {
        let index = log.len() - 1;
        let (names, key) = (&self.names, &mut self.key);
        key.clear();
        key.extend(log.terms(index).iter().map(|&(var, a)| (names[var.0 as usize], a)));
        key.sort_unstable();
        let constraint = log.get(index);
        let range = match constraint.relation {
            Relation::Ne => (NO_LO, NO_HI),
            _ => constraint.range((NO_LO, NO_HI)),
        };
        if key.first().is_none_or(|term| term.1 > 0) {
            return range;
        }
        // Coefficients are no less than the least number but one.
        key.iter_mut().for_each(|term| term.1 = -term.1);
        flipped(range)
    }

    /// Whether a lemma would show that there is no model if the last constraint of the log, which was not entered, were.
    pub(super) fn would_refute(&mut self, log: &Log, ranges: &[Range]) -> bool {
        let range = self.read(log);
        let Some(&form) = self.numbers.get(self.key.as_slice()) else { return false };
        let before = self.forms[form as usize].range;
        self.forms[form as usize].range = (before.0.max(range.0), before.1.min(range.1));
        let found = self.refute_by(form, ranges);
        self.forms[form as usize].range = before;
        found
    }

    /// Whether a lemma shows that what is asserted has no model; `ranges` are those of the variables.
    pub(super) fn refute(&mut self, ranges: &[Range]) -> bool {
        self.entries.last().map(|last| last.form).is_some_and(|form| self.refute_by(form, ranges))
    }

    /// Whether a lemma that hangs on this form holds of what is asserted.
    fn refute_by(&mut self, number: u32, ranges: &[Range]) -> bool {
        let form = &self.forms[number as usize];
        let holds = |at: u32| {
            let lemma = &self.lemmas[at as usize];
            lemma.parts.iter().all(|part| self.is_implied(part, ranges))
        };
        if form.used != NONE && holds(form.used) {
            return true;
        }
        let mut at = form.newest;
        while at != NONE && !holds(at) {
            at = self.lemmas[at as usize].next;
        }
        if at != NONE {
            self.forms[number as usize].used = at;
        }
        at != NONE
    }

    fn is_implied(&self, part: &Part, ranges: &[Range]) -> bool {
        match part {
            Part::Form { form, range } => within(self.forms[*form as usize].range, *range),
            Part::Variable { name, range } => {
                self.by_name.get(name).is_some_and(|var| within(ranges[*var as usize], *range))
            }
        }
    }

    /// Keeps a contradiction: no numbers lie within all of these ranges, which are implied by the log and the
    /// variables as they are.
    pub(super) fn learn(&mut self, log: &Log, core: &[(Of, Range)]) {
        let Some(&Entry { form: key, .. }) = self.entries.last() else { return };
        let full = self.lemmas.len() >= LEMMAS || self.forms[key as usize].lemmas >= PER_FORM;
        if full || core.len() > PARTS {
            return;
        }
        let parts: Box<[Part]> = core
            .iter()
            .map(|&(of, range)| match of {
                Of::Variable(var) => Part::Variable { name: self.names[var.0 as usize], range },
                Of::Constraint(index) => {
                    // The form may be named the other way round than the constraint is written.
                    let first = log.terms(index).iter().map(|t| (self.names[t.0.0 as usize], t.1));
                    let negative = first.min().is_some_and(|term| term.1 < 0);
                    let range = if negative { flipped(range) } else { range };
                    Part::Form { form: self.entries[index].form, range }
                }
            })
            .collect();
        let next = self.forms[key as usize].newest;
        self.forms[key as usize].newest = self.lemmas.len() as u32;
        self.forms[key as usize].lemmas += 1;
        self.lemmas.push(Lemma { parts, next });
    }

    /// How many lemmas there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lemmas.len()
    }
}

/// Whether the first range is a part of the second.
#[inline]
pub(super) fn within(inner: Range, outer: Range) -> bool {
    inner.0 >= outer.0 && inner.1 <= outer.1
}

/// The range of a number with the other sign.
fn flipped((lo, hi): Range) -> Range {
    (if hi == NO_HI { NO_LO } else { -hi }, if lo == NO_LO { NO_HI } else { -lo })
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Lin, Linear, Work};
    use super::*;

    /// Terms by name, a constant, and how the sum relates to zero.
    type Entry = (Vec<(u32, i64)>, i128, u64);

    /// A walk to and fro over sums of a few variables that come and go in any order: a solver with lemmas says what one
    /// says that has just been made, and it learns some and meets them again.
    #[test]
    fn what_was_refuted_once_is_recognised_and_nothing_else() {
        let mut state = 5u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let domain = |name: u32| (-i128::from(name % 3), 4 + i128::from(name));
        let (mut learned, mut met, mut unsat) = (0, 0, 0);
        for _ in 0..30 {
            let mut linear = Linear::new();
            // The names of the variables in the order in which they were made, and the constraints over names.
            let mut made: Vec<u32> = Vec::new();
            let mut path: Vec<Entry> = Vec::new();
            let mut marks = Vec::new();
            for _ in 0..400 {
                if random(3) == 0 && !marks.is_empty() {
                    let keep = random(marks.len() as u64) as usize;
                    let (mark, vars, constraints) = marks[keep];
                    linear.undo_to(mark);
                    made.truncate(vars);
                    path.truncate(constraints);
                    marks.truncate(keep);
                }
                marks.push((linear.mark(), made.len(), path.len()));
                let terms: Vec<(u32, i64)> = (0..4u32)
                    .filter_map(|name| {
                        Some((name, [1, -1, 1, 1, 1, 2][random(6) as usize]))
                            .filter(|_| random(2) == 0)
                    })
                    .collect();
                let (offset, relation) = (i128::from(random(9)) - 4, random(5));
                // In any order, so that a name is not always the same variable.
                let mut order: Vec<u32> = terms.iter().map(|term| term.0).collect();
                if random(2) == 0 {
                    order.reverse();
                }
                for name in order {
                    if !made.contains(&name) {
                        let (lo, hi) = domain(name);
                        linear.new_named(lo, hi, name);
                        made.push(name);
                    }
                }
                path.push((terms, offset, relation));
                let read = |entry: &Entry| {
                    let mut lin = Lin::constant(entry.1);
                    for (name, a) in &entry.0 {
                        let var = made.iter().position(|n| n == name).expect("it was made");
                        lin.add_term(Var(var as u32), *a).expect("small");
                    }
                    lin
                };
                let assert = |linear: &mut Linear, entry: &Entry| {
                    let lin = read(entry);
                    match entry.2 {
                        0 => linear.assert_eq(&lin),
                        1 => linear.assert_ne(&lin),
                        _ => linear.assert_le(&lin),
                    }
                };
                let newest = &path[path.len() - 1];
                let foreseen = match newest.2 {
                    0 => linear.refutes_eq(&read(newest)),
                    1 => false,
                    _ => linear.refutes_le(&read(newest)),
                };
                assert(&mut linear, newest);
                let mut fresh = Linear::new();
                for name in &made {
                    let (lo, hi) = domain(*name);
                    fresh.new_var(lo, hi);
                }
                path.iter().for_each(|entry| assert(&mut fresh, entry));
                let expected = fresh.check(&mut Work::new(100_000));
                assert!(!foreseen || expected == Answer::Unsat, "{path:?}");
                met += u32::from(foreseen);
                assert_eq!(linear.check(&mut Work::new(100_000)), expected, "{path:?}");
                if expected == Answer::Unsat {
                    unsat += 1;
                    if let Some((mark, vars, constraints)) = marks.pop() {
                        linear.undo_to(mark);
                        made.truncate(vars);
                        path.truncate(constraints);
                    }
                }
            }
            learned += linear.lemmas.len();
        }
        assert!(unsat > 500 && learned > 100 && met > 20, "{unsat} {learned} {met}");
    }
}
