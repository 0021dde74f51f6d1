//! A clear message with the source line for each way to be wrong.

use crate::common;

use common::module;
use pessimum_shape::{Generator, ShapeError};

fn error(predicate: &str) -> ShapeError {
    let made = Generator::new(&module("wrong"), predicate);
    made.and_then(|g| g.check()).expect_err("a wrong predicate")
}

#[track_caller]
fn is_on_line(error: &ShapeError, line: u32) {
    let text = error.to_string();
    assert!(text.starts_with(&format!("wrong.c:{line}:")), "{text}");
}

#[test]
fn one_that_does_not_call_itself() {
    let error = error("not_recursive");
    assert!(matches!(error, ShapeError::NotRecursive { .. }), "{error}");
    is_on_line(&error, 16);
}

#[test]
fn one_that_never_ends() {
    let error = error("loops");
    assert!(matches!(error, ShapeError::NeverEnds { .. }), "{error}");
    assert!(error.to_string().starts_with("wrong.c:3"), "{error}");
}

#[test]
fn one_that_traps() {
    let error = error("traps");
    assert!(matches!(error, ShapeError::Traps { .. }), "{error}");
    is_on_line(&error, 39);
}

#[test]
fn one_that_reads_outside_of_the_structure() {
    let outside = error("reads_outside");
    assert!(matches!(outside, ShapeError::ReadsOutside { .. }), "{outside}");
    is_on_line(&outside, 47);
    let null = error("null_read");
    assert!(matches!(null, ShapeError::NullRead { .. }), "{null}");
    is_on_line(&null, 54);
}

#[test]
fn one_with_parent_or_shared_pointers() {
    let parent = error("parent_ok");
    assert!(matches!(parent, ShapeError::Shared { .. }), "{parent}");
    is_on_line(&parent, 62);
    let shared = error("doubly_ok");
    assert!(matches!(shared, ShapeError::Shared { .. }), "{shared}");
}

#[test]
fn one_that_accepts_a_cycle() {
    let error = error("cyclic_ok");
    assert!(matches!(&error, ShapeError::Cyclic { field, .. } if field == "next"), "{error}");
}

#[test]
fn one_that_writes_to_its_argument() {
    let error = error("writes");
    assert!(matches!(error, ShapeError::Writes { .. }), "{error}");
    is_on_line(&error, 91);
}

#[test]
fn calls_with_an_effect_are_not_left_out() {
    // It counts nodes in a static variable and stops accepting at four.
    let generator = Generator::new(&module("wrong"), "counts").unwrap();
    let paths: Vec<u64> = (0..6).map(|n| generator.count(n).unwrap().paths).collect();
    assert_eq!(paths, [1, 1, 1, 1, 0, 0]);
}

#[test]
fn a_predicate_that_is_not_there_and_fields_that_are_not() {
    let missing = Generator::new(&module("wrong"), "rep_ok").expect_err("no such export");
    assert!(matches!(missing, ShapeError::Load(_)), "{missing}");
    let generator = Generator::new(&module("binary_tree"), "rep_ok").unwrap();
    let error = generator.domains(["kye=1..=n".parse().unwrap()]).count(2).expect_err("no field");
    assert!(error.to_string().contains("`kye`"), "{error}");
    assert!("key".parse::<pessimum_shape::DomainSpec>().is_err());
}

#[test]
fn a_struct_can_be_described_by_hand() {
    let fields = Some("left:&,right:&,size:i32");
    let by_hand = Generator::with(&module("binary_tree"), "rep_ok", &[], fields).unwrap();
    assert_eq!(by_hand.count(6).unwrap().valid, 132);
}
