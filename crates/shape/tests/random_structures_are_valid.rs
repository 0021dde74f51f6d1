//! Large structures drawn at random.

use crate::common;

use common::{Judge, as_set, generator};

#[test]
fn the_same_seed_draws_the_same_valid_structures() {
    for (name, domains) in [
        ("sorted_list", &[][..]),
        ("binary_tree", &[]),
        ("red_black_tree", &["key=1..=n"]),
        ("fibonacci_heap", &[]),
        ("binary_heap", &[]),
        ("hash_table", &["key=0..=4*n"]),
        ("hash_table", &[]),
    ] {
        let generator = generator(name, "rep_ok", domains);
        let drawn = generator.random(20..=24, 5, 7).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(drawn.len(), 5, "{name}");
        assert_eq!(drawn, generator.random(20..=24, 5, 7).unwrap(), "{name}");
        let mut judge = Judge::new(name, "rep_ok");
        for structure in &drawn {
            let size = structure.size(generator.layout());
            assert!((20..=24).contains(&size), "{name}: size {size}");
            assert!(judge.accepts(generator.layout(), structure), "{name}: {structure:?}");
        }
        if name != "sorted_list" {
            assert_ne!(drawn, generator.random(20..=24, 5, 8).unwrap(), "{name}");
        }
    }
}

#[test]
fn shapes_that_are_few_are_drawn_with_other_values() {
    // A heap in an array has one shape for each size.
    let generator = generator("heap_array", "rep_ok", &[]);
    let drawn = generator.random(20..=20, 6, 7).expect("structures");
    assert_eq!(as_set(drawn).len(), 6);
    // There is one tree of one node without keys.
    let trees = common::generator("binary_tree", "rep_ok", &[]);
    assert_eq!(as_set(trees.random(1..=1, 6, 7).expect("structures")).len(), 1);
}
