//! Large structures drawn at random.

mod common;

use common::{Judge, generator};

#[test]
fn the_same_seed_draws_the_same_valid_structures() {
    for (name, domains) in [
        ("sorted_list", &[][..]),
        ("binary_tree", &[]),
        ("red_black_tree", &["key=1..=n"]),
        ("fibonacci_heap", &[]),
        ("binary_heap", &[]),
        ("hash_table", &["key=0..=4*n"]),
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
