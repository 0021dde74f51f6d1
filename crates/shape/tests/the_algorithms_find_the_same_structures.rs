//! Three algorithms and brute force agree, no structure comes twice, and an independent engine
//! accepts each.

use crate::common;

use common::{Judge, STRUCTURES, all_structures, as_set, generator};
use pessimum_shape::Algorithm;

#[test]
fn every_algorithm_finds_what_brute_force_finds() {
    for (name, predicate, domains, greatest) in STRUCTURES {
        let generator = generator(name, predicate, domains);
        generator.check().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut judge = Judge::new(name, predicate);
        for size in 0..=*greatest {
            let all = all_structures(&generator, size);
            let valid = all.into_iter().filter(|s| judge.accepts(generator.layout(), s));
            let valid = as_set(valid.collect());
            for algorithm in [Algorithm::Dp, Algorithm::LazyDp, Algorithm::Auto] {
                let what = format!("{name}.{predicate} size {size} by {algorithm}");
                let found = generator.clone().algorithm(algorithm).generate(size);
                let found = found.unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_eq!(found.valid, valid.len() as u128, "{what}");
                let set = as_set(found.structures);
                assert!(set == valid, "{what}: another set of the same size");
            }
        }
    }
}

#[test]
fn dp_and_lazydp_agree_up_to_size_six() {
    for (name, domains) in [("binary_tree", &[][..]), ("search_tree", &["key=1..=n"])] {
        let generator = generator(name, "rep_ok", domains);
        for size in 5..=6 {
            let of = |a| as_set(generator.clone().algorithm(a).generate(size).unwrap().structures);
            assert!(of(Algorithm::Dp) == of(Algorithm::LazyDp), "{name} size {size}");
        }
    }
}

#[test]
fn a_symbolic_structure_stands_for_its_solutions() {
    for (name, predicate, domains, greatest) in STRUCTURES {
        let generator = generator(name, predicate, domains).algorithm(Algorithm::SymboLazyDp);
        for size in 0..=*greatest {
            let found = generator.generate(size).unwrap_or_else(|e| panic!("{name}: {e}"));
            // One for each accepting path, each of another path.
            assert_eq!(found.structures.len() as u64, found.paths, "{name} size {size}");
            as_set(found.structures);
            let mut expanded = Vec::new();
            for symbolic in generator.valid_structures(size).expect("structures").iter() {
                expanded.extend(symbolic.solutions(1_000_000).expect("few solutions"));
            }
            let lazy = generator.clone().algorithm(Algorithm::LazyDp).generate(size).unwrap();
            assert_eq!(found.valid, lazy.valid, "{name}.{predicate} size {size}");
            assert!(as_set(expanded) == as_set(lazy.structures), "{name} size {size}");
        }
    }
}

#[test]
fn larger_structures_pass_in_an_independent_engine() {
    for (name, domains, size) in [
        ("binary_tree", &[][..], 8),
        ("search_tree", &["key=1..=n"], 7),
        ("red_black_tree", &["key=1..=n"], 9),
        ("fibonacci_heap", &["key=0..=3"], 5),
        ("binary_heap", &["key=0..=4"], 6),
        ("heap_array", &["element=0..=4"], 7),
        ("hash_table", &["key=0..=11"], 4),
    ] {
        let generator = generator(name, "rep_ok", domains);
        let mut judge = Judge::new(name, "rep_ok");
        let found = generator.generate(size).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(found.structures.len() as u128, found.valid, "{name}");
        for structure in as_set(found.structures) {
            assert!(judge.accepts(generator.layout(), &structure), "{name}: {structure:?}");
        }
    }
}
