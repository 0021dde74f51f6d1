//! miniz_oxide: n unknown bytes inflated, and deflated.

use miniz_oxide::{deflate, inflate};

/// # Safety
/// The host makes `n` bytes at `data` and touches them no more.
unsafe fn bytes<'a>(data: *const u8, n: usize) -> &'a [u8] {
    std::slice::from_raw_parts(data, n)
}

/// A raw stream of n bytes, whatever it means.
///
/// # Safety
/// As for `bytes`.
#[no_mangle]
pub unsafe extern "C" fn expand(data: *const u8, n: usize) -> i32 {
    inflate::decompress_to_vec(bytes(data, n)).map_or(-1, |out| out.len() as i32)
}

/// The level that is usual.
///
/// # Safety
/// As for `bytes`.
#[no_mangle]
pub unsafe extern "C" fn shrink(data: *const u8, n: usize) -> usize {
    deflate::compress_to_vec(bytes(data, n), 6).len()
}
