//! The same functions for a program that runs natively: values come from what a test gives.

use core::cell::RefCell;
use core::fmt::Display;
use std::thread_local;
use std::vec::Vec;

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// The input of the run in progress, read from the front.
struct Run {
    size: usize,
    bytes: Vec<u8>,
    at: usize,
    /// How many values were taken, for messages.
    taken: usize,
}

/// Runs a program natively, as a test does: [`size`](crate::size) gives `size`, and each unknown
/// value is taken from the front of `bytes`, little-endian in the width of its type. That is the
/// form of the files `raw/*.bin` that `pessimum analyze --inputs DIR` writes. On targets other than
/// Wasm only.
///
/// ```
/// use pessimum_input::{input_u8, size, with_input};
///
/// fn sum() -> u32 {
///     (0..size()).map(|_| u32::from(input_u8())).sum()
/// }
///
/// assert_eq!(with_input(3, &[1, 2, 4], sum), 7);
/// ```
///
/// # Panics
///
/// When the program asks for more than `bytes` holds, for a value in a range that the next one is
/// not in, or assumes what is not so: then this is no input of the program.
pub fn with_input<R>(size: usize, bytes: &[u8], program: impl FnOnce() -> R) -> R {
    /// Puts back what was there before, also when the program panics.
    struct Before(Option<Run>);
    impl Drop for Before {
        fn drop(&mut self) {
            let before = self.0.take();
            RUN.with(|run| *run.borrow_mut() = before);
        }
    }
    let own = Run { size, bytes: bytes.to_vec(), at: 0, taken: 0 };
    let _before = Before(RUN.with(|run| run.borrow_mut().replace(own)));
    program()
}

fn with_run<R>(use_it: impl FnOnce(&mut Run) -> R) -> R {
    RUN.with(|run| match run.borrow_mut().as_mut() {
        Some(run) => use_it(run),
        None => panic!(
            "the program has no input: run it inside pessimum_input::with_input(size, &bytes, …)"
        ),
    })
}

impl Run {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        self.taken += 1;
        let mut value = [0; N];
        match self.bytes.get(self.at..self.at + N) {
            Some(bytes) => value.copy_from_slice(bytes),
            None => panic!(
                "the input ends before value {}: it was made for another size or program",
                self.taken
            ),
        }
        self.at += N;
        value
    }
}

pub(crate) fn size() -> i32 {
    with_run(|run| i32::try_from(run.size).expect("a size is less than two billion"))
}

macro_rules! inputs {
    ($($name:ident -> $ty:ident;)*) => {$(
        pub(crate) fn $name() -> $ty {
            with_run(|run| $ty::from_le_bytes(run.take()))
        }
    )*};
}

inputs! {
    input_u8 -> u8;
    input_i8 -> i8;
    input_u16 -> u16;
    input_i16 -> i16;
    input_u32 -> u32;
    input_i32 -> i32;
    input_u64 -> u64;
    input_i64 -> i64;
    input_f32 -> f32;
    input_f64 -> f64;
}

fn within<T: PartialOrd + Display + Copy>(value: T, low: T, high: T) -> T {
    assume(low <= high);
    let position = with_run(|run| run.taken);
    assert!(
        low <= value && value <= high,
        "value {position} of the input is {value}, which is not in {low}..={high}"
    );
    value
}

macro_rules! ranges {
    ($($name:ident by $any:ident -> $ty:ident;)*) => {$(
        pub(crate) fn $name(low: $ty, high: $ty) -> $ty {
            within($any(), low, high)
        }
    )*};
}

ranges! {
    input_range_i32 by input_i32 -> i32;
    input_range_u32 by input_u32 -> u32;
    input_range_i64 by input_i64 -> i64;
    input_range_u64 by input_u64 -> u64;
}

pub(crate) fn input_bytes(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = input_u8();
    }
}

pub(crate) fn assume(condition: bool) {
    assert!(condition, "an assumption does not hold: this is no input of the program");
}

/// Nothing is counted natively.
pub(crate) fn measure_begin() {}

/// Nothing is counted natively.
pub(crate) fn measure_end() {}
