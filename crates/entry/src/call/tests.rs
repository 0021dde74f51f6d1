use proptest::prelude::*;

use super::*;
use crate::Let;

fn call(text: &str, n: u64) -> Call {
    CallSpec::parse(text).and_then(|spec| spec.at(&Sizes::of(n))).expect(text)
}

#[test]
fn every_kind_of_argument() {
    let spec = r#"f.g$h<i32>( n*2, i32 , u8 in 1..=9, &i64[n*n] in 0..n, &"a\0\x41\"é", &tree where rep_ok )"#;
    let call = call(spec, 3);
    assert_eq!(call.function, "f.g$h<i32>");
    assert_eq!(
        call.args,
        [
            Arg::Const(6),
            Arg::Scalar(Slot::any(Type::I32)),
            Arg::Scalar(Slot::within(Type::U8, 1, 9)),
            Arg::Array { slot: Slot::within(Type::I64, 0, 2), len: 9 },
            Arg::Bytes(b"a\0A\"\xc3\xa9".to_vec()),
            Arg::Structure { ty: "tree".into(), predicate: "rep_ok".into() },
        ]
    );
    assert_eq!(call.slots().count(), 11);
    let allocations: Vec<_> = call.allocations().collect();
    assert_eq!(allocations, [None, None, None, Some(72), Some(6), None]);
    assert!(CallSpec::parse("f()").unwrap().args.is_empty());
}

#[test]
fn texts_flags_and_buffers() {
    let call = call(
        "f(&cstr[n], &cstr[n] in 'a'..='z', bool, &bool[2], &mut u16[2*n], u8 in '\\n'..=' ')",
        3,
    );
    assert_eq!(
        call.args,
        [
            Arg::CString { slot: Slot::within(Type::U8, 1, 255), len: 3 },
            Arg::CString { slot: Slot::within(Type::U8, 97, 122), len: 3 },
            Arg::Scalar(Slot::within(Type::U8, 0, 1)),
            Arg::Array { slot: Slot::within(Type::U8, 0, 1), len: 2 },
            Arg::Bytes(vec![0; 12]),
            Arg::Scalar(Slot::within(Type::U8, 10, 32)),
        ]
    );
    assert_eq!(call.slots().count(), 10);
    // The NUL takes a byte and is no input.
    let allocations: Vec<_> = call.allocations().collect();
    assert_eq!(allocations, [Some(4), Some(4), None, Some(2), Some(12), None]);
    let spec = CallSpec::parse("f(&mut u8[m], &cstr[k])").unwrap();
    assert!(spec.takes_memory() && spec.mentions("m") && spec.mentions("k") && !spec.mentions("n"));
}

#[test]
fn floats_have_domains() {
    let domain = |text: &str| match &call(&format!("f({text})"), 5).args[..] {
        [Arg::Scalar(slot)] => slot.to_string(),
        other => panic!("{other:?}"),
    };
    for (text, shown) in [
        ("f64 in -1.0..=1.0", "f64 in -1.0..=1.0"),
        ("f32 in 0..=100", "f32 in 0.0..=100.0"),
        ("f64 in -n..=2*n", "f64 in -5.0..=10.0"),
        ("f64 in 1e-3..=2.5E2", "f64 in 0.001..=250.0"),
        ("f32 in 0.1..=0.2", "f32 in 0.1..=0.2"),
        ("f64 in -0.0..=inf", "f64 in -0.0..=inf"),
        ("f64 in -inf..=-1", "f64 in -inf..=-1.0"),
        ("f32 in 1..2", "f32 in 1.0..=1.9999999"),
        ("f64 in -1..0", "f64 in -1.0..=-5e-324"),
        ("f64 in 0.5..=0.5", "f64 in 0.5..=0.5"),
    ] {
        assert_eq!(domain(text), shown);
    }
    let call = call("f(&f32[n] in -1.5..=n)", 3);
    let raw: Vec<u8> = [-1.5f32, -0.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert!(call.read(&mut InputReader::Raw(&raw)).is_ok());
    let raw: Vec<u8> = [-1.5f32, f32::NAN, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let error = InputError::OutOfDomain {
        position: 2,
        found: "NaN".to_owned(),
        slot: call.slots().next().unwrap(),
    };
    assert_eq!(call.read(&mut InputReader::Raw(&raw)).err(), Some(error));
}

#[test]
fn a_text_is_utf_8() {
    let call = call("f(i32, &str[n])", 4);
    assert_eq!(call.args[1], Arg::Text { len: 4 });
    assert!(call.has_text());
    assert_eq!(call.allocations().collect::<Vec<_>>(), [None, Some(4)]);
    let read = |bytes: &[u8]| {
        let raw = [&[0; 4], bytes].concat();
        call.read(&mut InputReader::Raw(&raw)).map(|(values, _)| values.len())
    };
    assert_eq!(read(&"aé€".as_bytes()[..4]), Err(InputError::NotUtf8 { position: 5 }));
    assert_eq!(read("aé!".as_bytes()), Ok(5));
    assert_eq!(read(b"a\xff!!"), Err(InputError::NotUtf8 { position: 3 }));
}

#[test]
fn lets_reach_lengths() {
    let spec = CallSpec::parse("strstr_n(&u8[n], n, &u8[m], m)").unwrap();
    let sizes = Sizes::at(10, &[Let::parse("m=n/2").unwrap()]).unwrap();
    let call = spec.at(&sizes).unwrap();
    assert_eq!(call.slots().count(), 15);
    assert!(spec.mentions("m") && spec.mentions("n") && !spec.mentions("k"));
    assert!(spec.at(&Sizes::of(1)).expect_err("m").mend.contains("--let m="));
}

#[test]
fn an_empty_array_is_legitimate_even_with_an_empty_domain() {
    assert_eq!(
        call("f(&i32[n] in 0..n)", 0).args,
        [Arg::Array { slot: Slot::any(Type::I32), len: 0 }]
    );
}

#[test]
fn each_error_names_its_place() {
    for (text, place, what) in [
        ("sort", "", "no `(`"),
        ("(n)", "(", "no function"),
        ("f(", "", "expected a number"),
        ("f(n", "", "expected `,`"),
        ("f(n) x", "x", "unexpected"),
        ("f(n,)", ")", "expected a number"),
        ("f(i32[n])", "i32", "by pointer"),
        ("f(&int[n])", "int", "no type"),
        ("f(&i32)", ")", "no length"),
        ("f(&i32[n)", ")", "expected `]`"),
        ("f(&n)", "n", "no type"),
        ("f(&point[n] in 0..=9)", "in", "no domain"),
        ("f(&)", ")", "points at"),
        ("f(&tree where 3)", "3", "no predicate"),
        ("f(n in 0..=3)", "in", "only symbolic"),
        ("f(f32 in 0.5..=0.25)", "0.25", "from 0.5 to 0.25"),
        ("f(f32 in 0..=16777217)", "16777217", "no f32"),
        ("f(f64 in 0.0..=nan)", "nan", "nan"),
        ("f(f64 in 0.0)", ")", "expected `..=`"),
        ("f(i32 in 0..=1.5)", "1.5", "no whole number"),
        ("f(i32 in -inf..=3)", "-inf", "no whole number"),
        ("f(i32 in 3)", ")", "expected `..=`"),
        (r#"f(&"abc)"#, r#""abc)"#, "does not end"),
        (r#"f(&"a\q")"#, r"\q", "no such escape"),
        (r#"f(&"a\xg0")"#, r"\x", "hexadecimal"),
        ("f(&i32[n-9])", "n-9", "length is -4"),
        ("f(&i64[2^40])", "2^40", "do not fit"),
        ("f(&i64[2^100])", "2^100", "do not fit"),
        ("f(i32 in 9..=1)", "1", "empty"),
        ("f(u8 in 0..=256)", "256", "outside u8"),
        ("f(u8 in -1..=2)", "-1", "outside u8"),
        ("f(n/(n-5))", "(n-5)", "division by zero"),
        ("f(&cstr)", ")", "no length"),
        ("f(&str[n] in 1..=2)", "in", "no domain"),
        ("f(&cstr[n] in 0..=9)", "n", "where a C string ends"),
        ("f(bool in 0..=1)", "in", "only integers"),
        ("f(bool[n])", "bool", "by pointer"),
        ("f(&mut)", ")", "points at"),
        ("f(&mut u8[n] in 1..=2)", "in", "begins as zeros"),
        ("f(&mut u8[2^27])", "2^27", "more than"),
        ("f(u8 in ''..='z')", "''", "no character"),
        ("f(u8 in 'ab'..='z')", "'ab", "no character"),
        ("f(u8 in 'é'..='z')", "'é", "more than a byte"),
    ] {
        let error = CallSpec::parse(text).and_then(|spec| spec.at(&Sizes::of(5))).expect_err(text);
        assert!(error.what.contains(what), "{text}: {error}");
        assert_eq!(&text[error.span.clone()], place, "{error}");
    }
}

#[test]
fn a_call_is_checked_against_the_function() {
    use WasmType::{F64, I32, I64};
    assert_eq!(call("f(&i32[n], n, i64)", 2).check(&[I32, I32, I64]), Ok(()));
    assert!(matches!(call("f(n)", 2).check(&[]), Err(CallMismatch::Count { given: 1, .. })));
    for (spec, params) in
        [("f(&i32[n])", [I64]), ("f(i32)", [I64]), ("f(2^32)", [I32]), ("f(2^53 + 1)", [F64])]
    {
        assert!(matches!(
            call(spec, 2).check(&params),
            Err(CallMismatch::Type { position: 1, .. })
        ));
    }
    assert_eq!(I32.bits_of_integer(-1), Some(0xffff_ffff));
    assert_eq!(I32.bits_of_integer(0xffff_ffff), Some(0xffff_ffff));
    assert_eq!(F64.bits_of_integer(3), Some(3f64.to_bits()));
}

proptest! {
    #[test]
    fn never_panics(text in "[a-z0-9&'\\[\\](),. =\"\\\\x+*é-]{0,40}", n in 0..100u64) {
        let _ = CallSpec::parse(&text).and_then(|spec| spec.at(&Sizes::of(n)));
        let _ = CallSpec::parse(&format!("f({text})")).and_then(|spec| spec.at(&Sizes::of(n)));
    }
}

/// How large a struct is comes from a module, which may say anything.
#[test]
fn structs_are_no_more_than_can_be_kept() {
    let field = |offset| RecordField { name: String::new(), offset, slot: Slot::any(Type::U8) };
    let record = |bytes, fields: u32| {
        Arc::new(Record { name: "s".to_owned(), bytes, fields: (0..fields).map(field).collect() })
    };
    assert!(Arg::records(record(8, 2), 1000).is_ok());
    assert!(Arg::records(record(u32::MAX, 1), 1).is_err_and(|e| e.contains("bytes")));
    assert!(Arg::records(record(8, 2), u64::MAX).is_err());
    let values = MAX_VALUES / 2 + 1;
    assert!(Arg::records(record(2, 2), values).is_err_and(|e| e.contains("values")));
}
