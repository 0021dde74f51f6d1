//! For Rust programs under analysis by [pessimum]: which values are unknown, what may be assumed of
//! them, and which part of the run is measured.
//!
//! A function that takes a pointer and a length needs none of this: `--call 'sort(&i32[n], n)'`
//! feeds it from outside. A program that builds a structure first, or takes its input piece by
//! piece, asks for it:
//!
//! ```
//! use pessimum_input::{input_i32, measure, size};
//!
//! fn insert(sorted: &mut Vec<i32>, new: i32) {
//!     let mut at = sorted.len();
//!     while at > 0 && sorted[at - 1] > new {
//!         at -= 1;
//!     }
//!     sorted.insert(at, new);
//! }
//!
//! #[no_mangle]
//! pub extern "C" fn run() {
//!     let mut sorted = Vec::new();
//!     for _ in 1..size() {
//!         insert(&mut sorted, input_i32());
//!     }
//!     let last = input_i32();
//!     measure(|| insert(&mut sorted, last)); // only this insert is counted
//! }
//!
//! // The same program in a test, without pessimum:
//! # #[cfg(not(target_family = "wasm"))]
//! pessimum_input::with_input(2, &[7, 0, 0, 0, 3, 0, 0, 0], || run());
//! ```
//!
//! ```console
//! $ cargo build --release --target wasm32-unknown-unknown
//! $ pessimum analyze target/wasm32-unknown-unknown/release/my_program.wasm --call 'run()'
//! ```
//!
//! On a Wasm target the functions are the imports of the module `pessimum`, and nothing else is
//! linked in: the crate uses neither `std` nor `alloc` there. On any other target they read from
//! what `with_input` was given, in the form in which `pessimum analyze --inputs DIR` writes
//! `DIR/raw/*.bin`, so that a worst input that was found can be kept as an ordinary test.
//!
//! [pessimum]: https://crates.io/crates/pessimum
#![no_std]

#[cfg(not(target_family = "wasm"))]
extern crate std;

#[cfg_attr(target_family = "wasm", path = "wasm.rs")]
#[cfg_attr(not(target_family = "wasm"), path = "native.rs")]
mod host;

#[cfg(not(target_family = "wasm"))]
pub use host::with_input;

/// The size n of this run. It is known, never an unknown value.
#[inline]
pub fn size() -> usize {
    host::size() as usize
}

macro_rules! inputs {
    ($($name:ident -> $ty:ident;)*) => {$(
        #[doc = concat!("A new unknown `", stringify!($ty), "`, any value of its type.")]
        #[inline]
        pub fn $name() -> $ty {
            host::$name()
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

macro_rules! ranges {
    ($($name:ident -> $ty:ident;)*) => {$(
        #[doc = concat!("A new unknown `", stringify!($ty), "` from `low` to `high`, both included.")]
        ///
        /// An empty range admits no input at all: the run does not count, as after
        /// [`assume(false)`](assume).
        #[inline]
        pub fn $name(low: $ty, high: $ty) -> $ty {
            host::$name(low, high)
        }
    )*};
}

ranges! {
    input_range_i32 -> i32;
    input_range_u32 -> u32;
    input_range_i64 -> i64;
    input_range_u64 -> u64;
}

/// Makes every byte of a slice a new unknown value, each on its own.
///
/// ```
/// # pessimum_input::with_input(4, b"abba", || {
/// let mut text = vec![0; pessimum_input::size()];
/// pessimum_input::input_bytes(&mut text);
/// # assert_eq!(text, b"abba");
/// # });
/// ```
#[inline]
pub fn input_bytes(bytes: &mut [u8]) {
    host::input_bytes(bytes);
}

/// Only inputs for which the condition holds count. It is never a branch of the program.
///
/// ```
/// # pessimum_input::with_input(0, &[3, 5], || {
/// let (low, high) = (pessimum_input::input_u8(), pessimum_input::input_u8());
/// pessimum_input::assume(low <= high);
/// # });
/// ```
#[inline]
pub fn assume(condition: bool) {
    host::assume(condition);
}

/// Counts the cost of this part only. The costs of several parts add up; what is nested in a part
/// counts once.
#[inline]
pub fn measure<R>(part: impl FnOnce() -> R) -> R {
    host::measure_begin();
    let result = part();
    host::measure_end();
    result
}

#[cfg(feature = "target")]
extern crate alloc;

#[cfg(all(feature = "target", not(target_family = "wasm")))]
mod assert;
#[cfg(feature = "arbitrary")]
mod from_bytes;
#[cfg(feature = "target")]
#[doc(hidden)]
pub mod given;
#[cfg(feature = "target")]
mod input;

#[cfg(all(feature = "target", not(target_family = "wasm")))]
#[doc(hidden)]
pub use assert::assert_at_most;
#[cfg(feature = "arbitrary")]
pub use from_bytes::FromBytes;
#[cfg(feature = "target")]
pub use input::Input;

/// Makes a function a target of `cargo pessimum`: it is exported from the module, which says how it is called.
///
/// In a harness that `cargo pessimum init` made, this crate has the name `pessimum`:
///
/// ```
/// # extern crate pessimum_input as pessimum;
/// #[pessimum::target(at_most = "n")]
/// fn parse(text: &str) -> Option<u32> {
///     text.parse().ok()
/// }
/// # assert_eq!(parse("12"), Some(12));
/// ```
///
/// ```console
/// $ cargo pessimum run parse
/// $ cargo pessimum check
/// ```
///
/// What is counted is the call of the function. Its arguments are made before, and what it returns is dropped
/// afterwards. Return what was computed: a compiler leaves out what nobody uses.
///
/// | parameter | what it gets |
/// |---|---|
/// | `&str`, `String`, `&String` | n unknown bytes that are UTF-8 |
/// | `&[T]`, `&mut [T]`, `Vec<T>`, `&Vec<T>` of numbers or `bool` | n unknown values |
/// | numbers, `bool` | one unknown value |
/// | tuples, arrays, `Option`, `char`, slices and vectors of these, your own types | what [`Input`] makes |
///
/// In the brackets may stand:
///
/// | write | for |
/// |---|---|
/// | `at_most = "n*log(n)"` | the class that `cargo pessimum check` holds it to |
/// | `len(pattern = "n/2")` | another length than n; of several lengths all but one have to be said |
/// | `within(text = "'a'..='c'")` | the values, of a text the bytes, are in this range |
/// | `crate = pessimum_input` | the name of this crate, where it is not `pessimum` |
#[cfg(feature = "target")]
pub use pessimum_macros::target;

/// Asserts, in a test, that a target grows at most as a class. Runs `cargo pessimum check`, which has to be
/// [installed](https://crates.io/crates/cargo-pessimum), in the crate of the test; nothing of it is linked.
///
/// ```no_run
/// # extern crate pessimum_input as pessimum;
/// #[test]
/// fn parsing_is_linear() {
///     pessimum::assert_at_most!("parse", "n");
/// }
/// ```
///
/// It holds on a proven or validated answer. A lower bound fails, since worse inputs are not ruled out, unless
/// that is asked for; the flags are those of `pessimum check`:
///
/// ```no_run
/// # extern crate pessimum_input as pessimum;
/// # fn test() {
/// pessimum::assert_at_most!("parse", "n", "--inconclusive=pass", "--time=10s");
/// # }
/// ```
///
/// # Panics
///
/// When the target grows faster, or it is not known that it does not; the message is that of the command.
#[cfg(all(feature = "target", not(target_family = "wasm")))]
#[macro_export]
macro_rules! assert_at_most {
    ($target:expr, $class:expr $(, $flag:expr)* $(,)?) => {
        $crate::assert_at_most(::core::env!("CARGO_MANIFEST_DIR"), $target, $class, &[$($flag),*])
    };
}
