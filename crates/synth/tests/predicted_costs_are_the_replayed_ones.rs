//! Every program of the paper's table and both case studies: modelled from plain compiled C, the cost
//! predicted at sizes that were never explored is the one an independent engine counts, and the closed
//! form known of the program.

use crate::common;

fn check(name: &str, largest: u64) {
    let (program, points) = common::target(name);
    let model = program.model().unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(points.len() >= 5);
    for (n, cost) in points.into_iter().filter(|p| p.0 <= largest) {
        assert_eq!(model.predict_cost(n), Some(cost), "{name} at {n}");
        let input = model.input(n).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(program.replay(n, &input), cost, "{name} at {n}");
    }
}

#[test]
fn insertion_sort() {
    check("insertion_sort", 500);
}

#[test]
fn sorted_list() {
    check("sorted_list", 500);
}

#[test]
fn merge_arrays() {
    check("merge_arrays", 500);
}

#[test]
fn binary_tree_search() {
    check("bst", 500);
}

#[test]
fn dijkstra() {
    check("dijkstra", 500);
}

#[test]
fn boolean_matrix_product() {
    check("bool_matrix", 100);
}

#[test]
fn block_compare() {
    check("block_compare", 500);
}

#[test]
fn boyer_moore() {
    check("boyer_moore", 500);
}
