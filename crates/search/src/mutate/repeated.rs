//! Inputs as words that are repeated: how often each of them is.
//!
//! What is costly is often many of one word and many of another. How many of each was met by chance, and a change of one place is
//! a small step from there, or breaks it. So what the costliest input repeats is made longer and shorter by half, by a
//! quarter and so on, as long as that pays: some forty runs.
//!
//! Where one number alone is the right one (a table that grows at its border, again and again), no step leads there. So the seam between two
//! words is put at every place, where runs are short enough for that.

use super::at_one_size::SizeSearch;
use crate::groups::Groups;
use pessimum_machine::LoadError;

/// Parts of an input that are made longer and shorter.
const PARTS: usize = 8;

/// Values of the longest word.
const LONGEST: usize = 8;

/// Times that a word is repeated at least, for it to count.
const TIMES: usize = 4;

/// What comes again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Repeated {
    from: usize,
    len: usize,
    period: usize,
}

impl SizeSearch<'_> {
    /// Puts the seams between neighbouring words of the costliest inputs at every place between them, for so many instructions.
    pub(super) fn slide_seams(&mut self, instructions: u64) -> Result<(), LoadError> {
        let share = self.left.saturating_sub(instructions);
        let parents: Vec<Groups> = self.pool.iter().map(|seed| seed.groups.clone()).collect();
        for parent in parents {
            let Some(array) = longest(&parent) else { return Ok(()) };
            for seam in repeated(&parent[array]).windows(2).take(PARTS) {
                let (first, second) = (seam[0], seam[1]);
                let inputs = (first.from..second.from + second.len).map(|at| {
                    let mut input = parent.clone();
                    input[array] = with_seam(&parent[array], first, second, at);
                    input
                });
                self.run_each(inputs, share)?;
            }
        }
        Ok(())
    }

    /// Makes what is repeated in an input longer and shorter, one part after the other, by ever smaller steps, for as long as
    /// that makes it costlier.
    pub(super) fn stretch_repeated(&mut self, parent: &Groups) -> Result<(), LoadError> {
        let Some(array) = longest(parent) else { return Ok(()) };
        let mut best = parent.clone();
        let mut cost = self.costs(vec![best.clone()])?[0];
        for i in 0..repeated(&best[array]).len().min(PARTS) {
            let mut step = usize::MAX;
            // What reaches to the end has no length of its own.
            while let Some(part) = repeated(&best[array]).get(i).copied()
                && part.from + part.len < best[array].len()
            {
                // Whole words, and in the end the one that is there in part.
                let Repeated { len, period, .. } = part;
                step = step.min(len / 2) / period * period;
                let lengths = match step {
                    0 if len % period == 0 => break,
                    0 => [len - len % period, len.next_multiple_of(period)],
                    _ => [len - step, len + step],
                };
                let inputs = lengths.map(|len| {
                    let mut input = best.clone();
                    input[array] = resized(&best[array], part, len);
                    input
                });
                let costs = self.costs(inputs.to_vec())?;
                match costs.into_iter().zip(inputs).max_by_key(|(cost, _)| *cost) {
                    Some((more, input)) if more > cost => {
                        (cost, best, step) = (more, input, step.max(period));
                    }
                    _ if step == 0 => break,
                    _ => step /= 2,
                }
                if self.is_over() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// An array cut to a length or drawn out to it: by its last value if that came twice, or else from the front.
fn of_length(mut values: Vec<u64>, len: usize) -> Vec<u64> {
    values.truncate(len);
    let ends_alike = values.len() > 1 && values[values.len() - 1] == values[values.len() - 2];
    let back = if ends_alike { 1 } else { values.len() };
    while values.len() < len && back > 0 {
        values.push(values[values.len() - back]);
    }
    values
}

/// What is repeated in an array, one behind the other.
fn repeated(values: &[u64]) -> Vec<Repeated> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < values.len() {
        let behind = &values[from..];
        let len_of = |period: usize| {
            let pairs = behind.iter().zip(behind.iter().skip(period));
            period + pairs.take_while(|(a, b)| a == b).count()
        };
        let enough = |period: &usize| len_of(*period) >= TIMES * period;
        match (1..=LONGEST)
            .filter(enough)
            .max_by_key(|period| (len_of(*period), usize::MAX - period))
        {
            Some(period) => {
                let len = len_of(period);
                found.push(Repeated { from, len, period });
                from += len;
            }
            None => from += 1,
        }
    }
    found
}

/// An array of the same length in which what is repeated is of another one.
fn resized(values: &[u64], part: Repeated, len: usize) -> Vec<u64> {
    let (word, end) = (&values[part.from..part.from + part.period], part.from + part.len);
    let middle = word.iter().copied().cycle().take(len);
    let made = values[..part.from].iter().copied().chain(middle);
    of_length(made.chain(values[end..].iter().copied()).collect(), values.len())
}

/// An array in which the first of two words goes on up to a place, and the second from there to its end.
fn with_seam(values: &[u64], first: Repeated, second: Repeated, at: usize) -> Vec<u64> {
    let mut made = values.to_vec();
    for (part, from, to) in [(first, first.from, at), (second, at, second.from + second.len)] {
        let word = &values[part.from..part.from + part.period];
        for (value, again) in made[from..to].iter_mut().zip(word.iter().cycle()) {
            *value = *again;
        }
    }
    made
}

fn longest(groups: &Groups) -> Option<usize> {
    (0..groups.len()).max_by_key(|&group| groups[group].len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<u64> {
        text.bytes().map(u64::from).collect()
    }

    #[test]
    fn what_is_repeated_is_made_longer_and_shorter() {
        let text = values("x- - - - yyyyyyz");
        let parts = repeated(&text);
        let expected = [(1, 8, 2), (9, 6, 1)];
        assert_eq!(parts, expected.map(|(from, len, period)| Repeated { from, len, period }));
        assert_eq!(resized(&text, parts[0], 12), values("x- - - - - - yyy"));
        assert_eq!(resized(&text, parts[0], 4), values("x- - yyyyyyzx- -"));
        assert_eq!(resized(&text, parts[1], 3), values("x- - - - yyyzx- "));
    }

    #[test]
    fn a_seam_is_put_anywhere() {
        let text = values("aaaababababac");
        let parts = repeated(&text);
        assert_eq!(parts.len(), 2, "{parts:?}");
        let with = |at| with_seam(&text, parts[0], parts[1], at);
        assert_eq!(with(parts[1].from), text);
        assert_eq!(with(0), values("babababababac"));
        assert_eq!(with(8), values("aaaaaaaababac"));
    }
}
