//! The sequences of the literature, by count alone.

use crate::common;

use common::generator;

fn counts(name: &str, predicate: &str, domains: &[&str], sizes: usize) -> Vec<u128> {
    let generator = generator(name, predicate, domains);
    generator.check().expect("a good predicate");
    (0..sizes).map(|n| generator.count(n).expect("a count").valid).collect()
}

#[test]
fn binary_trees_are_counted_by_catalan_numbers() {
    let catalan = [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796, 58786];
    assert_eq!(counts("binary_tree", "rep_ok", &[], 12), catalan);
}

#[test]
fn search_trees_with_keys_are_as_many() {
    let catalan = [1, 1, 2, 5, 14, 42, 132, 429, 1430];
    assert_eq!(counts("search_tree", "rep_ok", &["key=1..=n"], 9), catalan);
    assert_eq!(counts("search_tree", "bounded_ok", &["key=1..=n"], 8), catalan[..8]);
}

#[test]
fn red_black_trees_with_a_root_of_either_colour_and_with_a_black_one() {
    let either = [1, 2, 2, 3, 8, 14, 20, 35, 64, 122, 260, 586];
    assert_eq!(counts("red_black_tree", "rep_ok", &["key=1..=n"], 12), either);
    let black = [1, 1, 2, 2, 4, 8, 16, 33, 56, 90, 164, 330];
    assert_eq!(counts("red_black_tree", "black_root", &["key=1..=n"], 12), black);
}

#[test]
fn a_sorted_list_has_one_path_for_each_size() {
    let generator = generator("sorted_list", "rep_ok", &["value=0..=1000000"]);
    for n in 0..12 {
        assert_eq!(generator.valid_structures(n).expect("structures").len(), 1, "size {n}");
    }
    // Non-decreasing sequences of n values out of n + 1.
    assert_eq!(counts("sorted_list", "rep_ok", &[], 7), [1, 2, 6, 20, 70, 252, 924]);
}

#[test]
fn heaps_in_arrays() {
    let distinct = [1, 1, 1, 2, 3, 8, 20, 80, 210, 896, 3360];
    assert_eq!(counts("heap_array", "distinct", &["element=1..=n"], 11), distinct);
    // With repeats, by a recurrence over the two subtrees and the greatest value allowed.
    fn heaps(n: usize, most: u64) -> u128 {
        if n == 0 {
            return 1;
        }
        let (mut row, mut left, mut rest) = (1, 0, n - 1);
        while rest > 0 {
            let more = rest.min(row);
            left += more;
            rest -= more;
            rest -= rest.min(row);
            row *= 2;
        }
        (0..=most).map(|v| heaps(left, v) * heaps(n - 1 - left, v)).sum()
    }
    let expected: Vec<u128> = (0..8).map(|n| heaps(n, 7)).collect();
    assert_eq!(counts("heap_array", "rep_ok", &["element=0..=7"], 8), expected);
    // A linked heap is the same heap.
    assert_eq!(counts("binary_heap", "rep_ok", &["key=0..=7"], 8), expected);
}
