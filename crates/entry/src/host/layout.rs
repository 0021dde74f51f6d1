//! Where `&` arguments lie in memory.

/// The size of a page of linear memory.
pub const PAGE: u64 = 65536;
/// Every argument in fresh pages begins at a multiple of this.
pub const ALIGNMENT: u64 = 16;
/// The export that arguments are allocated by, if its type is `(i32) -> i32`; other allocators are
/// known by their names ([`Allocator`](super::Allocator)).
pub const MALLOC: &str = "malloc";

/// How much is asked of `malloc` for an argument of that many bytes: at least one byte, so that an
/// empty array has a pointer like any other.
pub fn asked_of_malloc(bytes: u64) -> u64 {
    bytes.max(1)
}

/// Where arguments lie when the module has no allocator that can be asked: in fresh pages at the end
/// of memory, one after the other, each aligned to [`ALIGNMENT`], an empty one taking as much room as a
/// single byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// By how many pages memory grows, in one step; 0 if there is nothing to place.
    pub grow_by: u32,
    /// The address of each argument, in order.
    pub addresses: Vec<u32>,
}

/// The arguments have no room.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the arguments take {bytes} bytes, and memory cannot grow that far: ask for a smaller size"
)]
pub struct LayoutError {
    /// What they take together.
    pub bytes: u64,
}

impl Layout {
    /// Places arguments of these sizes in bytes behind a memory of `pages` pages.
    pub fn fresh(pages: u64, sizes: &[u64]) -> Result<Self, LayoutError> {
        let total = || sizes.iter().copied().fold(0, u64::saturating_add);
        let error = || LayoutError { bytes: total() };
        let start = pages.checked_mul(PAGE).ok_or_else(error)?;
        let mut next = start;
        let mut addresses = Vec::with_capacity(sizes.len());
        for &size in sizes {
            addresses.push(u32::try_from(next).map_err(|_| error())?);
            next = next
                .checked_add(size.max(1))
                .and_then(|end| end.checked_next_multiple_of(ALIGNMENT))
                .filter(|&end| end <= 1 << 32)
                .ok_or_else(error)?;
        }
        let grow_by = u32::try_from((next - start).div_ceil(PAGE)).map_err(|_| error())?;
        Ok(Self { grow_by, addresses })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_lie_one_after_the_other() {
        let layout = Layout::fresh(2, &[5, 0, 16, 65536]).unwrap();
        let start = 2 * 65536;
        assert_eq!(layout.addresses, [start, start + 16, start + 32, start + 48]);
        assert_eq!(layout.grow_by, 2);
        assert_eq!(Layout::fresh(2, &[]), Ok(Layout { grow_by: 0, addresses: vec![] }));
        assert!(Layout::fresh(2, &[u64::MAX, u64::MAX]).is_err());
        assert!(Layout::fresh(65535, &[65537]).is_err());
        assert!(Layout::fresh(65536, &[0]).is_err());
    }

    proptest! {
        #[test]
        fn arguments_never_overlap_and_lie_inside(pages in 0..100u64, sizes in proptest::collection::vec(0..200_000u64, 0..10)) {
            let layout = Layout::fresh(pages, &sizes).unwrap();
            let end = (pages + u64::from(layout.grow_by)) * PAGE;
            let mut free_from = pages * PAGE;
            for (&address, &size) in layout.addresses.iter().zip(&sizes) {
                prop_assert!(u64::from(address) >= free_from);
                prop_assert_eq!(u64::from(address) % ALIGNMENT, 0);
                free_from = u64::from(address) + size.max(1);
                prop_assert!(free_from <= end);
            }
            prop_assert!(end - free_from < 2 * PAGE);
        }
    }
}
