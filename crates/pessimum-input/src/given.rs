//! What the code of `#[target]` calls: arguments as the host gives them, made into what the function takes.
#![allow(unsafe_code)]
// The feature `target` asks for a newer compiler than the rest of the crate.
#![allow(clippy::incompatible_msrv)]

use crate::{assume, measure, Input};
use alloc::string::String;
use alloc::vec::Vec;
use core::hint::black_box;

/// A value that the compiler knows nothing of.
#[inline]
pub fn unknown<T>(value: T) -> T {
    black_box(value)
}

/// Runs and counts the target. Its result is not left out, and what drops it is not counted.
#[inline]
pub fn measured<R>(target: impl FnOnce() -> R) {
    drop(measure(|| black_box(target())));
}

/// A value by its trait.
#[inline]
pub fn made<T: Input>() -> T {
    T::input()
}

/// n of them.
#[inline]
pub fn made_vec<T: Input>() -> Vec<T> {
    Vec::input()
}

/// The values that the host wrote.
///
/// # Safety
///
/// They lie there, `len` valid ones, for the rest of the run, and nothing else refers to them.
#[inline]
pub unsafe fn slice<'a, T>(at: *mut T, len: usize) -> &'a [T] {
    // SAFETY: as the caller promises.
    unsafe { slice_mut(at, len) }
}

/// The same, to be changed.
///
/// # Safety
///
/// As of [`slice`].
#[inline]
pub unsafe fn slice_mut<'a, T>(at: *mut T, len: usize) -> &'a mut [T] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: as the caller promises; where there are none, the host need not give a place.
    unsafe { core::slice::from_raw_parts_mut(at, len) }
}

/// The same, as a vector.
///
/// # Safety
///
/// As of [`slice`].
#[inline]
pub unsafe fn vec<T: Copy>(at: *mut T, len: usize) -> Vec<T> {
    // SAFETY: as the caller promises.
    unsafe { slice(at, len) }.to_vec()
}

/// The text that the host wrote.
///
/// # Safety
///
/// As of [`slice`]; the bytes are UTF-8.
#[inline]
pub unsafe fn text<'a>(at: *mut u8, len: usize) -> &'a str {
    // SAFETY: as the caller promises. The host gives what `&str[n]` describes.
    unsafe { core::str::from_utf8_unchecked(slice(at, len)) }
}

/// The same, as a string.
///
/// # Safety
///
/// As of [`text`].
#[inline]
pub unsafe fn string(at: *mut u8, len: usize) -> String {
    // SAFETY: as the caller promises.
    unsafe { text(at, len) }.into()
}

/// Bytes of a domain, as a text. Those that are no ASCII do not count.
///
/// # Safety
///
/// As of [`slice`].
#[inline]
pub unsafe fn ascii<'a>(at: *mut u8, len: usize) -> &'a str {
    // SAFETY: as the caller promises.
    let bytes: &[u8] = unsafe { slice(at, len) };
    for byte in bytes {
        assume(*byte < 0x80);
    }
    // SAFETY: a run on which an assumption does not hold ends there.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// The same, as a string.
///
/// # Safety
///
/// As of [`slice`].
#[inline]
pub unsafe fn ascii_string(at: *mut u8, len: usize) -> String {
    // SAFETY: as the caller promises.
    unsafe { ascii(at, len) }.into()
}
