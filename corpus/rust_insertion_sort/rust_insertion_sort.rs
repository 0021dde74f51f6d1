// Insertion sort over a slice, with checked access.
#![no_std]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

/// # Safety
/// `a` points to `n` values that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn sort(a: *mut i32, n: usize) {
    let values = core::slice::from_raw_parts_mut(a, n);
    for i in 1..n {
        let mut j = i;
        // `get` and not an index: the machinery of the panic message would be a megabyte.
        while let (Some(&y), Some(&x)) = (values.get(j.wrapping_sub(1)), values.get(j)) {
            if y <= x {
                break;
            }
            values.swap(j - 1, j);
            j -= 1;
        }
    }
}
