//! The regex crate: automata that never go back, so that one search is linear in the text.

use regex::bytes::Regex;

/// # Safety
/// The host makes `n` bytes at `text` and touches them no more.
unsafe fn bytes<'a>(text: *const u8, n: usize) -> &'a [u8] {
    std::slice::from_raw_parts(text, n)
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is right")
}

/// Two repetitions, one inside the other: exponential where a matcher goes back.
///
/// # Safety
/// As for `bytes`.
#[no_mangle]
pub unsafe extern "C" fn nested_plus(text: *const u8, n: usize) -> i32 {
    i32::from(compile("(?-u)^(a+)+b$").is_match(bytes(text, n)))
}

/// All matches, by the example of the crate's own documentation.
///
/// # Safety
/// As for `bytes`.
#[no_mangle]
pub unsafe extern "C" fn all_matches(text: *const u8, n: usize) -> usize {
    compile("(?-u).*[^A-Z]|[A-Z]").find_iter(bytes(text, n)).count()
}
