//! Addresses of a program's memory as indices of ours. A program has 2^32 of them, and with an offset it can name twice
//! as many; in a browser there are not as many indices.

/// Bytes in a page of the Wasm memory.
pub(crate) const WASM_PAGE: u64 = 65536;

/// Whether this build has indices for every byte of a program's memory, and more.
pub(crate) const WIDE: bool = usize::BITS > 32;

/// Bytes of so many pages; `None` where there are not as many indices.
pub(crate) fn bytes_of(pages: u32) -> Option<usize> {
    isize::try_from(u64::from(pages) * WASM_PAGE).ok().map(isize::unsigned_abs)
}

/// An address as an index; `None` if no memory is that large.
#[inline(always)]
pub(crate) fn index(address: u64) -> Option<usize> {
    (WIDE || address <= isize::MAX as u64).then_some(address as usize)
}
