//! Sorts of the crate sorting_rs, each handed n unknown numbers.

/// # Safety
/// The host makes `n` values at `a` and touches them no more.
unsafe fn values<'a>(a: *mut i32, n: usize) -> &'a mut [i32] {
    std::slice::from_raw_parts_mut(a, n)
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn quick(a: *mut i32, n: usize) {
    sorting_rs::quick_sort(values(a, n));
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn quick_dual(a: *mut i32, n: usize) {
    sorting_rs::quick_dual_sort(values(a, n));
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn heap(a: *mut i32, n: usize) {
    sorting_rs::heap_sort(values(a, n));
}
