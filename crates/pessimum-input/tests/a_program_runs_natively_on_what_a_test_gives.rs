//! The fallback for targets other than Wasm: a program under analysis in an ordinary test.

use pessimum_input::{
    assume, input_bytes, input_f64, input_i16, input_i32, input_i64, input_range_i32,
    input_range_u64, input_u8, measure, size, with_input,
};

#[path = "../examples/sorted_insert.rs"]
#[allow(unreachable_pub)] // it is exported where it is a crate of its own
mod sorted_insert;

fn bytes_of(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn message<R>(program: impl FnOnce() -> R + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(program).err().expect("it panics");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast::<&str>().map_or_else(|_| String::new(), |t| (*t).to_owned()),
    }
}

#[test]
fn the_example_sorts() {
    assert_eq!(with_input(4, &bytes_of(&[5, 9, 2, 7]), || sorted_insert::run()), 2);
    assert_eq!(with_input(1, &bytes_of(&[5]), || sorted_insert::run()), 5);
}

#[test]
fn values_are_little_endian_in_the_width_of_their_type() {
    let mut bytes = vec![0xfe];
    bytes.extend((-2i16).to_le_bytes());
    bytes.extend((-3i32).to_le_bytes());
    bytes.extend(i64::MIN.to_le_bytes());
    bytes.extend(0.5f64.to_le_bytes());
    bytes.extend(*b"abc");
    bytes.extend(7i32.to_le_bytes());
    with_input(12, &bytes, || {
        assert_eq!(size(), 12);
        assert_eq!(input_u8(), 0xfe);
        assert_eq!(input_i16(), -2);
        assert_eq!(input_i32(), -3);
        assert_eq!(input_i64(), i64::MIN);
        assert_eq!(input_f64(), 0.5);
        let mut text = [0; 3];
        input_bytes(&mut text);
        assert_eq!(&text, b"abc");
        assert_eq!(measure(|| input_range_i32(0, 9)), 7);
        assume(true);
    });
}

#[test]
fn what_is_no_input_of_the_program_panics_and_says_why() {
    let short = || with_input(2, &[1, 0, 0, 0, 2], || (input_i32(), input_i32()));
    assert!(message(short).contains("ends before value 2"));
    let outside = || with_input(0, &10u64.to_le_bytes(), || input_range_u64(0, 9));
    assert!(message(outside).contains("value 1 of the input is 10, which is not in 0..=9"));
    let empty = || with_input(0, &bytes_of(&[1]), || input_range_i32(2, 1));
    assert!(message(empty).contains("no input of the program"));
    assert!(message(|| with_input(0, &[], || assume(false))).contains("an assumption"));
    assert!(message(size).contains("with_input"));
}

#[test]
fn runs_nest_and_end_even_by_panic() {
    with_input(1, &[1], || {
        assert_eq!(with_input(2, &[2], input_u8), 2);
        message(|| with_input(3, &[], input_u8));
        assert_eq!((size(), input_u8()), (1, 1));
    });
}
