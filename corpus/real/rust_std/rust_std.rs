//! Collections and sorts of Rust's standard library, each handed n unknown numbers.
#![crate_type = "cdylib"]

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// # Safety
/// The host makes `n` values at `a` and touches them no more.
unsafe fn values<'a>(a: *mut i32, n: usize) -> &'a mut [i32] {
    std::slice::from_raw_parts_mut(a, n)
}

#[no_mangle]
pub unsafe extern "C" fn sort_stable(a: *mut i32, n: usize) {
    values(a, n).sort();
}

#[no_mangle]
pub unsafe extern "C" fn sort_unstable(a: *mut i32, n: usize) {
    values(a, n).sort_unstable();
}

#[no_mangle]
pub unsafe extern "C" fn select_middle(a: *mut i32, n: usize) {
    if n > 0 {
        values(a, n).select_nth_unstable(n / 2);
    }
}

#[no_mangle]
pub unsafe extern "C" fn search(a: *mut i32, n: usize, key: i32) -> i32 {
    i32::from(values(a, n).binary_search(&key).is_ok())
}

#[no_mangle]
pub unsafe extern "C" fn fill_btree(a: *mut i32, n: usize) -> usize {
    let mut map = BTreeMap::new();
    for &key in values(a, n).iter() {
        map.insert(key, key);
    }
    map.len()
}

#[no_mangle]
pub unsafe extern "C" fn fill_heap(a: *mut i32, n: usize) -> usize {
    let mut heap = BinaryHeap::new();
    for &key in values(a, n).iter() {
        heap.push(key);
    }
    heap.len()
}

/// A hasher that someone wrote for speed: the number itself.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = self.0 << 8 | u64::from(b);
        }
    }
    fn write_i32(&mut self, n: i32) {
        self.0 = n as u32 as u64;
    }
}

#[no_mangle]
pub unsafe extern "C" fn fill_hash_map(a: *mut i32, n: usize) -> usize {
    let hasher = BuildHasherDefault::<Identity>::default();
    let mut map: HashMap<i32, i32, _> = HashMap::with_capacity_and_hasher(2 * n, hasher);
    for &key in values(a, n).iter() {
        map.insert(key, key);
    }
    map.len()
}

#[no_mangle]
pub unsafe extern "C" fn remove_duplicates(a: *mut i32, n: usize) -> usize {
    let mut kept: Vec<i32> = Vec::new();
    for &x in values(a, n).iter() {
        if !kept.contains(&x) {
            kept.push(x);
        }
    }
    kept.len()
}

/// # Safety
/// The host makes `n` bytes at `a` and `m` at `b`.
#[no_mangle]
pub unsafe extern "C" fn find_str(a: *const u8, n: usize, b: *const u8, m: usize) -> i32 {
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(a, n));
    let word = std::str::from_utf8_unchecked(std::slice::from_raw_parts(b, m));
    i32::from(text.contains(word))
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn parse_number(a: *const u8, n: usize) -> i32 {
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(a, n));
    i32::from(text.parse::<i64>().is_ok())
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn check_utf8(a: *const u8, n: usize) -> i32 {
    i32::from(std::str::from_utf8(std::slice::from_raw_parts(a, n)).is_ok())
}
