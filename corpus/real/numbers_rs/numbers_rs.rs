//! Crates that compute with, sort and keep numbers, each handed unknown ones.

use itertools::Itertools;
use num_bigint::BigUint;
use std::hint::black_box;

/// # Safety
/// The host makes `n` values at `a` and touches them no more.
unsafe fn values<'a, T>(a: *mut T, n: usize) -> &'a mut [T] {
    std::slice::from_raw_parts_mut(a, n)
}

/// A number from its decimal digits.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn decimal(a: *mut u8, n: usize) -> u64 {
    BigUint::parse_bytes(values(a, n), 10).map_or(0, |number| number.bits())
}

/// The decimal digits of a number of n words.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn digits(a: *mut u32, n: usize) -> usize {
    BigUint::from_slice(values(a, n)).to_radix_le(10).len()
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn base58(a: *mut u8, n: usize) -> usize {
    bs58::encode(values(a, n)).into_vec().len()
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn unbase58(a: *mut u8, n: usize) -> usize {
    bs58::decode(values(a, n)).into_vec().map_or(0, |bytes| bytes.len())
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn radix_sort(a: *mut u32, n: usize) {
    radsort::sort(values(a, n));
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn drop_merge_sort(a: *mut i32, n: usize) {
    dmsort::sort(values(a, n));
}

/// Every value is put before all others.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn insert_front(a: *mut i32, n: usize) -> usize {
    let mut all = smallvec::SmallVec::<[i32; 8]>::new();
    values(a, n).iter().for_each(|value| all.insert(0, *value));
    black_box(all).len()
}

/// A map that is a list.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn linear_map(a: *mut i32, n: usize) -> usize {
    let mut map = heapless::LinearMap::<i32, i32, 16384>::new();
    for value in values(a, n) {
        let _ = map.insert(*value, 1);
    }
    map.len()
}

/// A heap that is filled and emptied.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn heap(a: *mut i32, n: usize) -> i32 {
    let mut heap = heapless::BinaryHeap::<i32, heapless::binary_heap::Max, 16384>::new();
    for value in values(a, n) {
        let _ = heap.push(*value);
    }
    let mut sum = 0i32;
    while let Some(value) = heap.pop() {
        sum = sum.rotate_left(1) ^ value;
    }
    sum
}

/// Which order costs least, by trying all of them.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn all_orders(a: *mut u8, n: usize) -> u32 {
    let weight = |order: Vec<u8>| (1..).zip(order).map(|(k, v): (u32, u8)| k * u32::from(v)).sum();
    values(a, n).iter().copied().permutations(n).map(weight).min().unwrap_or(0)
}

/// An order of n vertices in which each comes before the one it points to.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn topological(a: *mut u32, n: usize) -> usize {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
    let nodes: Vec<_> = (0..n).map(|_| graph.add_node(())).collect();
    for (from, to) in nodes.iter().zip(values(a, n)) {
        graph.add_edge(*from, nodes[*to as usize], ());
    }
    petgraph::algo::toposort(&graph, None).map_or(0, |order| order.len())
}
