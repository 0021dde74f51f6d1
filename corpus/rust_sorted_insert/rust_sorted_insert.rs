// n inserts into a sorted array, of which the last is measured, in Rust with pessimum-input.
#![no_std]

use pessimum_input::{input_i32, measure, size};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

const MOST: usize = 1024;

struct Sorted {
    values: [i32; MOST],
    len: usize,
}

impl Sorted {
    // Inlined twice, each copy would have branches of its own. By `get`, since an index out of bounds
    // would link the machinery of panic messages.
    #[inline(never)]
    fn insert(&mut self, new: i32) {
        let mut at = self.len;
        while let Some(&before) = self.values.get(at.wrapping_sub(1)) {
            if before <= new {
                break;
            }
            self.put(at, before);
            at -= 1;
        }
        self.put(at, new);
        self.len += 1;
    }

    fn put(&mut self, at: usize, value: i32) {
        if let Some(place) = self.values.get_mut(at) {
            *place = value;
        }
    }
}

#[no_mangle]
pub extern "C" fn run() {
    let mut sorted = Sorted { values: [0; MOST], len: 0 };
    for _ in 1..size() {
        sorted.insert(input_i32());
    }
    let last = input_i32();
    measure(|| sorted.insert(last));
}
