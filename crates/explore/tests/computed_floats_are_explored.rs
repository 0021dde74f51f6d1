//! The float programs of the corpus: as many paths as brute force over their domains has, and the same worst cost.

use crate::brute_force::{call, explored};
use pessimum_entry::CostModel;

/// A call, then for n = 1, 2, … the paths and the worst number of conditionals, as `facts.toml` has them.
fn agrees(name: &str, spec: &str, known: &[(u64, u64)]) {
    let file = format!("{}/../../corpus/{name}/{name}.wasm", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&file).expect(&file);
    for (n, &(paths, worst)) in (1..).zip(known) {
        let found = explored(&bytes, &CostModel::Conditionals, &call(spec), n);
        assert!(found.is_exact(), "{name} {n}: {:?}", found.findings);
        assert_eq!((found.paths, found.worst_cost()), (paths, Some(worst)), "{name} {n}");
    }
}

#[test]
fn the_hull_of_points() {
    let known = [(1, 5), (2, 16), (12, 35), (98, 59)];
    agrees("hull_turns", "hull(&i8[2*n] in 0..=2, n)", &known);
}

#[test]
fn the_nearest_centre() {
    let known = [(3, 12), (9, 23), (27, 34), (81, 45)];
    agrees("kmeans_assign", "assign(&i8[n] in -5..=5, n)", &known);
}

#[test]
fn newtons_root() {
    agrees("newton_root", "roots(&u16[n] in 0..=600, n)", &[(7, 11), (49, 21)]);
}

#[test]
fn a_number_read() {
    let known = [(4, 8), (10, 13), (17, 18), (26, 23), (37, 28)];
    agrees("parse_number", "parse(&u8[n] in 46..=57, n)", &known);
}

#[test]
fn a_sort_by_computed_keys() {
    let known = [(1, 3), (2, 7), (6, 13), (24, 21)];
    agrees("key_sort", "sort(&i8[3*n] in -1..=1, n)", &known);
}

/// Bits of floats of one sign are in the order of the numbers; of either sign, and with what is no number among them, they
/// are not.
#[test]
fn a_sort_of_floats() {
    let known = [(1, 1), (2, 5), (6, 11), (24, 19), (120, 29)];
    agrees("float_sort", "sort(&f64[n] in 0..=10000, n)", &known);
    agrees("float_sort", "sort(&f64[n] in -7.5..=-0.25, n)", &known);
    agrees("float_sort", "sort(&f64[n] in -1.0..=1.0, n)", &known[..4]);
}
