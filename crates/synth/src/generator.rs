//! Sequence generators (XSTRESSOR, section IV-B): how the numbers in a constraint run through a loop
//! nest, as a function of the size.

use crate::param::Param;
use std::fmt;

/// An expression of the grammar `P → incre(X, X, d) | const(X, X)`, `X → P | x`, whose numbers are
/// functions of the size. It stands for a sequence of integers at every size.
///
/// ```
/// use pessimum_synth::{Param, SequenceGenerator as G};
///
/// // How j runs in insertion sort at its worst.
/// let i = G::incre(G::number(0), G::Number(Param::linear(1, -2)), Param::constant(1));
/// let zero = G::repeat(G::number(0), G::Number(Param::linear(1, -1)));
/// let j = G::incre(i, zero, Param::constant(-1));
/// assert_eq!(j.to_string(), "incre(incre(0, n-2, 1), const(0, n-1), -1)");
/// let at_5: Vec<i64> = j.stream(5).unwrap().collect();
/// assert_eq!(at_5, [0, 1, 0, 2, 1, 0, 3, 2, 1, 0]);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SequenceGenerator {
    /// One number.
    Number(Param),
    /// Start, start + d, … up to (or, for a negative stride, down to) end; for each start and end
    /// in turn.
    Incre {
        /// Where each run starts.
        start: Box<SequenceGenerator>,
        /// Where each run ends, at the latest.
        end: Box<SequenceGenerator>,
        /// d.
        stride: Param,
    },
    /// The same value so many times; for each value and count in turn.
    Const {
        /// What is repeated.
        value: Box<SequenceGenerator>,
        /// How often.
        count: Box<SequenceGenerator>,
    },
}

use SequenceGenerator as G;

impl SequenceGenerator {
    /// A number that is the same for every size.
    pub fn number(value: i64) -> Self {
        G::Number(Param::constant(value))
    }

    /// `incre(start, end, stride)`
    pub fn incre(start: Self, end: Self, stride: Param) -> Self {
        G::Incre { start: Box::new(start), end: Box::new(end), stride }
    }

    /// `const(value, count)`
    pub fn repeat(value: Self, count: Self) -> Self {
        G::Const { value: Box::new(value), count: Box::new(count) }
    }

    /// The sequence at a size, computed as it is asked for; `None` when a number of the expression
    /// is no integer there, or a stride is zero.
    pub fn stream(&self, n: u64) -> Option<Stream> {
        Some(match self {
            G::Number(param) => Stream::Once(Some(param.at(n)?)),
            G::Incre { start, end, stride } => {
                let stride = stride.at(n).filter(|&d| d != 0)?;
                Stream::Run(Box::new(Run::new(start.stream(n)?, end.stream(n)?, Some(stride))))
            }
            G::Const { value, count } => {
                Stream::Run(Box::new(Run::new(value.stream(n)?, count.stream(n)?, None)))
            }
        })
    }
}

/// The numbers of a sequence, one by one.
#[derive(Clone, Debug)]
pub enum Stream {
    /// At most one number.
    Once(Option<i64>),
    /// Runs of numbers.
    Run(Box<Run>),
}

/// A run of a [`Stream`] and where the next ones come from.
#[derive(Clone, Debug)]
pub struct Run {
    first: Stream,
    second: Stream,
    /// `None` repeats.
    stride: Option<i64>,
    next: i64,
    left: u64,
    step: i64,
}

impl Run {
    fn new(first: Stream, second: Stream, stride: Option<i64>) -> Run {
        Run { first, second, stride, next: 0, left: 0, step: stride.unwrap_or(0) }
    }

    #[cold]
    fn refill(&mut self) -> Option<()> {
        while self.left == 0 {
            self.next = self.first.next()?;
            let second = self.second.next()?;
            self.left = match self.stride {
                None => u64::try_from(second).unwrap_or(0),
                Some(d) => {
                    let way = (i128::from(second) - i128::from(self.next)) / i128::from(d);
                    let away = (second < self.next) != (d < 0) && second != self.next;
                    if away { 0 } else { u64::try_from(way).unwrap_or(u64::MAX - 1) + 1 }
                }
            };
        }
        Some(())
    }
}

impl Iterator for Stream {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        match self {
            Stream::Once(value) => value.take(),
            Stream::Run(run) => {
                if run.left == 0 {
                    run.refill()?;
                }
                let value = run.next;
                run.left -= 1;
                run.next = run.next.wrapping_add(run.step);
                Some(value)
            }
        }
    }
}

impl fmt::Display for SequenceGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            G::Number(param) => param.fmt(f),
            G::Incre { start, end, stride } => write!(f, "incre({start}, {end}, {stride})"),
            G::Const { value, count } => write!(f, "const({value}, {count})"),
        }
    }
}
