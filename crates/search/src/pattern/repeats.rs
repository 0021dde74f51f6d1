//! What an input repeats, as pieces of a pattern.

use super::length::{Form, Length};
use super::piece::{Change, Piece};
use super::{PIECES, VALUES};

/// What differs between rounds that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Varies {
    Nothing,
    /// The value at this place, which is greater by one in each round.
    Counts(usize),
    /// The value at this place, which is another one in each round.
    Names(usize),
    /// The value at this place, which tells how many values are behind it.
    Tells(usize),
}

/// The pieces of an array: what is there twice or more, one after the other, is repeated.
pub(super) fn pieces_of(values: &[u64]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = values;
    let mut alone: Vec<u64> = Vec::new();
    while !rest.is_empty() {
        let repeated = (1..=(rest.len() / 2).min(VALUES))
            .flat_map(|period| ways_to_vary(rest, period).map(move |varies| (period, varies)))
            .map(|(period, varies)| (period, varies, rounds_of(rest, period, varies)))
            .filter(|(period, varies, rounds)| {
                let is_named = matches!(varies, Varies::Names(_));
                *rounds > 2 || *rounds == 2 && *period > 1 && !is_named
            })
            .max_by_key(|(period, varies, rounds)| {
                (period * rounds, std::cmp::Reverse((*period, *varies != Varies::Nothing)))
            });
        if let Some((period, varies, rounds)) = repeated.filter(|_| pieces.len() + 2 < PIECES) {
            if !alone.is_empty() {
                pieces.push(Piece::once(std::mem::take(&mut alone)));
            }
            let round = &rest[..period];
            let change = match varies {
                Varies::Nothing => Change::Nothing,
                // As many values as were seen; other digits are for chance to find.
                Varies::Counts(at) => {
                    Change::Count { end: at + 1, width: 1, base: (rounds as u64).max(10) }
                }
                // What is around a name is no part of one.
                Varies::Names(at) => {
                    let around = round.iter().enumerate().filter(|(i, _)| *i != at);
                    Change::name(at, around.map(|(_, value)| *value))
                }
                Varies::Tells(at) => {
                    match Length::that_tells(round[at], behind(rest, at), Form::One) {
                        Some(length) => Change::Length { at, length },
                        None => Change::Nothing,
                    }
                }
            };
            pieces.push(Piece { values: round.to_vec(), again: true, change });
            rest = &rest[period * rounds..];
        } else {
            alone.push(rest[0]);
            rest = &rest[1..];
        }
    }
    if !alone.is_empty() {
        pieces.push(Piece::once(alone));
    }
    // One that stands once says nothing of other sizes.
    if let [only] = pieces.as_mut_slice() {
        only.again = true;
    }
    pieces
}

/// How the first two rounds may differ: not at all, or at one place, where the second may be the next number.
fn ways_to_vary(values: &[u64], period: usize) -> impl Iterator<Item = Varies> {
    let differ: Vec<usize> = match (values.get(..period), values.get(period..2 * period)) {
        (Some(first), Some(second)) => {
            (0..period).filter(|&i| first[i] != second[i]).take(2).collect()
        }
        _ => Vec::new(),
    };
    let one = match differ.as_slice() {
        [at] => Some(*at),
        _ => None,
    };
    let named = one.filter(|_| period > 1).map(Varies::Names);
    let next = one.filter(|&at| values[period + at] == values[at].wrapping_add(1));
    let tells = one.filter(|&at| {
        values[period + at] == values[at].wrapping_sub(period as u64)
            && Length::that_tells(values[at], behind(values, at), Form::One).is_some()
    });
    let ways = [Some(Varies::Nothing), named, next.map(Varies::Counts), tells.map(Varies::Tells)];
    ways.into_iter().flatten()
}

/// How many values are behind a place.
fn behind(values: &[u64], at: usize) -> u64 {
    (values.len() - at - 1) as u64
}

/// How often the first `period` values stand one after the other, but for what varies.
fn rounds_of(values: &[u64], period: usize, varies: Varies) -> usize {
    let mut names: Vec<u64> = Vec::new();
    let fits = |(round, chunk): &(usize, &[u64])| {
        chunk.iter().zip(values).enumerate().all(|(i, (value, first))| match varies {
            Varies::Counts(at) if at == i => *value == first.wrapping_add(*round as u64),
            Varies::Tells(at) if at == i => *value == first.wrapping_sub((*round * period) as u64),
            Varies::Names(at) if at == i => {
                let is_new = !names.contains(value);
                names.push(*value);
                is_new
            }
            _ => value == first,
        })
    };
    values.chunks_exact(period).enumerate().take_while(fits).count()
}

/// The first piece that is repeated.
pub(super) fn first_again(pieces: &[Piece]) -> usize {
    pieces.iter().position(|piece| piece.again).unwrap_or(0)
}
