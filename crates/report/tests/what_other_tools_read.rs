//! Snapshots of the files that are written for other tools.

use pessimum_report::ci::{Inconclusive, github_annotations, junit, sarif_of_check};
use pessimum_report::document::{
    Analysis, Basis, Bound, Check, Exploration, Independence, Input, Method, Program,
};
use pessimum_report::export::{
    Argument, Call, Content, ExportedFile, Kind, Member, MemberType, Node, Passed, Scalar,
    Structure, analysis_inputs, exploration_inputs,
};
use serde::de::DeserializeOwned;

fn read<T: DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn names(files: &[ExportedFile]) -> String {
    files.iter().map(|f| format!("{} ({} bytes)\n", f.name, f.bytes.len())).collect()
}

fn file(files: &[ExportedFile], name: &str) -> String {
    let file = files.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no {name}"));
    String::from_utf8(file.bytes.clone()).expect("is text")
}

#[test]
fn names_carry_the_size_and_the_cost() {
    insta::assert_snapshot!(names(&analysis_inputs(
        &read::<Analysis>("insertion_sort"),
        |_| true,
        &|_, _| None
    )));
}

#[test]
fn findings_have_inputs_too() {
    let files = analysis_inputs(&read::<Analysis>("trap_division"), |_| true, &|_, _| None);
    let trap = |name: &str| name.starts_with("raw/trap_division-n1-trap");
    assert!(files.iter().any(|f| trap(&f.name)), "{}", names(&files));
}

#[test]
fn tests_of_an_exploration() {
    let program = Program {
        module: "trap_division.wasm".into(),
        entry: "shares(&i32[n], n)".into(),
        ..Program::default()
    };
    let found = read::<Exploration>("explore_trap");
    insta::assert_snapshot!(names(&exploration_inputs(
        &program,
        "conditionals",
        &found,
        &|_, _| None
    )));
}

#[test]
fn names_are_unique() {
    let program = Program { module: "sort.wasm".into(), ..Program::default() };
    let mut files =
        exploration_inputs(&program, "", &read::<Exploration>("explore_4"), &|_, _| None);
    files.extend(analysis_inputs(&read::<Analysis>("trap_division"), |_| true, &|_, _| None));
    let mut names: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_c_array() {
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &|_, _| None);
    insta::assert_snapshot!(file(&files, "c/insertion_sort-n30-cost900.h"));
}

#[test]
fn a_rust_test() {
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &|_, _| None);
    insta::assert_snapshot!(file(&files, "rust/insertion_sort-n30-cost900.rs"));
}

#[test]
fn an_input_as_json() {
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &|_, _| None);
    insta::assert_snapshot!(file(&files, "json/insertion_sort-n3-cost9.json"));
}

#[test]
fn raw_bytes_are_the_values_in_little_endian() {
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &|_, _| None);
    let raw = files.iter().find(|f| f.name == "raw/insertion_sort-n3-cost9.bin");
    let bytes: Vec<u8> = [2i32, 1, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(raw.map(|f| f.bytes.as_slice()), Some(bytes.as_slice()));
}

#[test]
fn junit_of_a_check_that_fails() {
    insta::assert_snapshot!(junit(&read::<Check>("check_worse"), Inconclusive::Fail));
}

#[test]
fn junit_of_a_check_that_cannot_tell() {
    let check = read::<Check>("check_inconclusive");
    insta::assert_snapshot!(junit(&check, Inconclusive::Fail));
    assert!(junit(&check, Inconclusive::Pass).contains("<skipped message="));
}

#[test]
fn annotations_of_a_check_that_fails() {
    insta::assert_snapshot!(github_annotations(&read::<Check>("check_worse"), Inconclusive::Fail));
}

#[test]
fn annotations_of_a_check_that_cannot_tell() {
    let check = read::<Check>("check_inconclusive");
    insta::assert_snapshot!(github_annotations(&check, Inconclusive::Pass));
    let failing = github_annotations(&check, Inconclusive::Fail);
    assert!(failing.starts_with("::warning ") && !failing.contains("::error"), "{failing}");
    assert!(failing.contains("fails the build without --inconclusive pass"), "{failing}");
}

#[test]
fn annotations_of_a_check_that_passes_are_one_notice() {
    let text = github_annotations(&read::<Check>("check_ok"), Inconclusive::Fail);
    assert!(text.starts_with("::notice ") && text.lines().count() == 1, "{text}");
}

/// Results of the first schema are kept as baselines and pages: they are read as if written today.
#[test]
fn documents_of_the_first_schema_are_read() {
    let fixture = |name: &str| {
        let path = format!("{}/fixtures/schema_1/{name}.json", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let analysis: Analysis = serde_json::from_str(&fixture("insertion_sort")).expect("is read");
    let first = &analysis.training[1];
    assert_eq!((first.paths, first.paths_exact.as_deref()), (Some(2), Some("2")));
    assert_eq!((first.effort.solver_calls, first.method), (2, Method::Exhaustive));
    assert_eq!((analysis.fit.basis, analysis.fit.bound), (Basis::Validated, Bound::Exact));
    assert_eq!(analysis.cost_independent_of_input, Independence::No);
    let reached: Analysis = serde_json::from_str(&fixture("merge_sort")).expect("is read");
    assert_eq!(reached.fit.bound, Bound::AtLeast);
    assert!(reached.fit.summary.contains("Ω("), "{}", reached.fit.summary);
    let newer = fixture("insertion_sort").replacen("\"schema\": 1", "\"schema\": 3", 1);
    let refused = serde_json::from_str::<Analysis>(&newer).expect_err("from the future");
    assert!(refused.to_string().contains("schema 3 is not one this version reads"), "{refused}");
}

#[test]
fn sarif_of_a_check_that_fails() {
    insta::assert_snapshot!(sarif_of_check(&read::<Check>("check_worse"), "0.0.0"));
}

/// A call with a structure, numbers that need care, and a name that is a word of both languages.
fn call(_: u64, _: &Input) -> Option<Call> {
    let argument = |name: &str, passed| Argument { name: name.to_owned(), c_type: None, passed };
    let member = |name: &str, ty| Member { name: name.to_owned(), ty };
    let members = vec![
        member("next", MemberType::Link(0)),
        member("key", MemberType::Number(Scalar::U64)),
        member("pad", MemberType::Zero(4)),
    ];
    let number = |value: &str| Content::Number(value.to_owned());
    let nodes = vec![
        Node {
            kind: 0,
            members: vec![Content::Node(1), number("18446744073709551615"), Content::Zero],
        },
        Node { kind: 0, members: vec![Content::Zero, number("0"), Content::Zero] },
    ];
    let kinds = vec![Kind { name: "list".to_owned(), members }];
    let arguments = vec![
        argument("head", Passed::Structure(Structure { kinds, root: 0, nodes })),
        argument("type", Passed::Array(Scalar::F32, vec!["0.5".to_owned(), "NaN".to_owned()])),
        argument("n", Passed::Size(2)),
        argument("key", Passed::Number(Scalar::I64, i64::MIN.to_string())),
    ];
    Some(Call { function: "find".to_owned(), arguments, result: Some(Scalar::I32), rust: None })
}

#[test]
fn a_call_as_a_program_in_c() {
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &call);
    insta::assert_snapshot!(file(&files, "c/insertion_sort-n3-cost9.c"));
}

#[test]
fn a_call_as_a_test_in_rust() {
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &call);
    insta::assert_snapshot!(file(&files, "rust/insertion_sort-n3-cost9.rs"));
}

/// What a linker calls a function of C++ has the types of its parameters in it.
#[test]
fn a_call_of_a_function_of_cpp_is_a_program_in_cpp() {
    let of_cpp = |_: u64, _: &Input| {
        let argument = |name: &str, c_type: &str, passed| Argument {
            name: name.to_owned(),
            c_type: Some(c_type.to_owned()),
            passed,
        };
        let values = vec!["2".to_owned(), "1".to_owned()];
        let arguments = vec![
            argument("text", "const char *", Passed::Array(Scalar::I8, values)),
            argument("n", "int", Passed::Size(2)),
        ];
        Some(Call { function: "rank::order".to_owned(), arguments, result: None, rust: None })
    };
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &of_cpp);
    let program = file(&files, "c/insertion_sort-n3-cost9.cpp");
    assert!(
        program.contains("namespace rank { void order(const char *text, int n); }\n"),
        "{program}"
    );
    assert!(program.contains("    rank::order((const char *)text, (int)2);\n"), "{program}");
    let test = file(&files, "rust/insertion_sort-n3-cost9.rs");
    assert!(test.contains("under_test("), "{test}");
}

#[test]
fn a_call_of_a_function_of_rust_is_made_with_its_types() {
    let of_rust = |_: u64, _: &Input| {
        let argument =
            |name: &str, passed| Argument { name: name.to_owned(), c_type: None, passed };
        let bytes = || Passed::Array(Scalar::U8, vec!["97".to_owned(), "98".to_owned()]);
        let arguments = vec![
            argument("text", bytes()),
            argument("text_len", Passed::Size(2)),
            argument("out", bytes()),
            argument("out_len", Passed::Size(2)),
            argument("deep", Passed::Number(Scalar::U8, "1".to_owned())),
        ];
        let rust = ["&str", "&mut Vec<u8>", "bool"].map(str::to_owned).to_vec();
        Some(Call { function: "trim".to_owned(), arguments, result: None, rust: Some(rust) })
    };
    let files = analysis_inputs(&read::<Analysis>("insertion_sort"), |_| true, &of_rust);
    let test = file(&files, "rust/insertion_sort-n3-cost9.rs");
    let call = "trim(std::str::from_utf8(&text).unwrap(), &mut out.to_vec(), true);";
    assert!(test.contains(call), "{test}");
}
