//! `--inputs`: the program in C and the test in Rust that it writes are compiled and run, against a
//! function that prints what it is called with.

use super::world::{Ran, SORT, corpus, run, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command in a folder.
fn made(folder: &Path, program: &str, args: &[&str]) -> Ran {
    let output = Command::new(program).args(args).current_dir(folder).output();
    Ran::of(output.unwrap_or_else(|e| panic!("{program}: {e}")), &format!("{program} {args:?}"))
}

/// A folder with the inputs of an analysis.
fn inputs_of(name: &str, args: &[&str]) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    run(&[args, &["--inputs", &folder.display().to_string()]].concat()).exits(0);
    folder
}

/// The only file of a kind whose name has this in it.
fn only(folder: &Path, part: &str) -> PathBuf {
    let files = std::fs::read_dir(folder).expect("the folder was written");
    let files = files.map(|entry| entry.expect("it can be read").path());
    let mut found: Vec<PathBuf> =
        files.filter(|file| file.display().to_string().contains(part)).collect();
    assert_eq!(found.len(), 1, "{part} in {}: {found:?}", folder.display());
    found.remove(0)
}

/// What a reproducer says of the call, without the time; that must be one.
fn told(line: &str) -> &str {
    let (call, time) = line.rsplit_once(", ").unwrap_or_else(|| panic!("{line}"));
    let seconds = time.strip_suffix(" s").and_then(|seconds| seconds.parse::<f64>().ok());
    assert!(seconds.is_some_and(|seconds| seconds >= 0.0), "{line}");
    call
}

/// What the function saw, called by the program in C, where it is `function`; then what is told of the call.
fn seen_by_c(folder: &Path, part: &str, function: &str) -> String {
    let file = only(&folder.join("c"), part);
    std::fs::write(folder.join("function.c"), function).expect("it can be written");
    let file = file.display().to_string();
    let flags = ["-Wall", "-Wextra", "-Werror", "-o", "reproducer"];
    made(folder, "cc", &[&flags[..], &[&file, "function.c"]].concat()).exits(0);
    let shown = made(folder, &folder.join("reproducer").display().to_string(), &[]).exits(0).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    let [seen, line] = lines[..] else { panic!("{shown}") };
    format!("{seen}\n{}", told(line))
}

/// What the function saw, called by the test in Rust; then what is told of the call, whether the test runner shows
/// what the function prints or not.
fn seen_by_rust(folder: &Path, part: &str, function: &str) -> String {
    let file = only(&folder.join("rust"), part);
    let text = format!("{function}\ninclude!({:?});\n", file.display().to_string());
    std::fs::write(folder.join("function.rs"), text).expect("it can be written");
    let flags = ["--edition", "2024", "-D", "warnings", "--test", "-o", "test", "function.rs"];
    made(folder, "rustc", &flags).exits(0);
    let test = folder.join("test").display().to_string();
    let shown = made(folder, &test, &["--nocapture", "--test-threads=1"]).exits(0).stdout;
    let line = shown.lines().find_map(|line| line.split_once("called: "));
    let seen = line.unwrap_or_else(|| panic!("{shown}")).1;
    let line = made(folder, &test, &[]).exits(0).stderr;
    format!("{seen}\n{}", told(line.trim_end()))
}

#[test]
fn an_array_a_size_and_a_number() {
    let module = corpus("linear_search");
    let args = ["analyze", &module, "--call", "find(&i32[n], n, i32)", "--sizes", "5"];
    let folder = inputs_of("native_array", &args);
    let json = std::fs::read(only(&folder.join("json"), "-n5-")).expect("it was written");
    let document: Value = serde_json::from_slice(&json).expect("it is JSON");
    let values = document["input"]["values"].as_array().expect("values");
    let mut expected = String::new();
    for value in &values[..5] {
        let _ = write!(expected, "{value} ");
    }
    let _ = write!(expected, "5 {}\nfind(a, 5, wanted): n = 5", values[5]);
    let in_c = "#include <stdio.h>\n\
        int find(const int *a, int n, int wanted) {\n\
        for (int i = 0; i < n; i++) printf(\"%d \", a[i]);\n\
        printf(\"%d %d\\n\", n, wanted); return 0; }\n";
    assert_eq!(seen_by_c(&folder, "-n5-", in_c), expected);
    let in_rust = "fn find(a: *const i32, n: usize, wanted: i32) -> i32 {\n\
        let a = unsafe { std::slice::from_raw_parts(a, n) };\n\
        let a: String = a.iter().map(|v| format!(\"{v} \")).collect();\n\
        println!(\"called: {a}{n} {wanted}\"); 0 }";
    assert_eq!(seen_by_rust(&folder, "-n5-", in_rust), expected);
}

/// The sizes that the fit needed beside them are not written, unless one of them is what a check shows.
#[test]
fn the_sizes_that_were_asked_for() {
    let sizes = |folder: &Path| -> BTreeSet<u64> {
        let files = std::fs::read_dir(folder.join("raw")).expect("the folder was written");
        let names = files.map(|file| file.expect("it can be read").file_name());
        let size = |name: OsString| {
            let name = name.to_string_lossy().into_owned();
            let (_, rest) = name.split_once("-n").expect("its name has the size");
            rest.split('-').next().and_then(|n| n.parse().ok()).expect("a number")
        };
        names.map(size).collect()
    };
    let module = corpus("insertion_sort");
    let job = ["--call", SORT, "--time", "20s"];
    let analyze = [&["analyze", &module][..], &job].concat();
    let named = [&analyze[..], &["--sizes", "5,20"]].concat();
    let folder = inputs_of("native_sizes", &named);
    assert_eq!(sizes(&folder), BTreeSet::from([5, 20]));
    let folder = inputs_of("native_all_sizes", &analyze);
    assert!(sizes(&folder).is_superset(&(1..=6).collect()), "{:?}", sizes(&folder));
    let folder = scratch("native_witness");
    let _ = std::fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    let check = ["check", &module, "--at-most", "n", "--sizes", "5", "--json", "-"];
    let found = run(&[&check[..], &job, &["--inputs", &out]].concat()).exits(1).json();
    let shown = found["sizes"].as_array().expect("sizes").iter();
    let worse = shown.filter(|size| size["verdict"] == "worse").filter_map(|s| s["n"].as_u64());
    assert_eq!(sizes(&folder), worse.chain([5]).collect());
}

#[test]
fn a_structure_as_nodes_that_point_to_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/structures");
    let module = root.join("search_tree/search_tree.wasm").display().to_string();
    let call = "search(&tree where rep_ok, i32)";
    let args = ["explore", &module, "--call", call, "--size", "3", "--max-tests", "1"];
    let folder = inputs_of("native_structure", &args);
    let stem = "path1.";
    let json = std::fs::read(only(&folder.join("json"), stem)).expect("it was written");
    let document: Value = serde_json::from_slice(&json).expect("it is JSON");
    let key = document["input"]["values"].as_array().and_then(|values| values.last());
    let shown = |node: &Value| in_order(node);
    let (tree, key) = (shown(&document["input"]["structure"]), key.expect("a key is passed"));
    let expected = format!("{tree}{key}\nsearch(tree, key): n = 3");
    let in_c = "#include <stdio.h>\n\
        struct tree { struct tree *left, *right; int key; };\n\
        static void show(struct tree *t) {\n\
        if (!t) return;\n\
        printf(\"(\"); show(t->left); printf(\"%d\", t->key); show(t->right); printf(\")\"); }\n\
        int search(struct tree *t, int key) { show(t); printf(\"%d\\n\", key); return 0; }\n";
    assert_eq!(seen_by_c(&folder, stem, in_c), expected);
    let in_rust = "#[repr(C)] struct Tree { left: *mut Tree, right: *mut Tree, key: i32 }\n\
        unsafe fn show(t: *mut Tree) -> String { unsafe {\n\
        if t.is_null() { return String::new(); }\n\
        format!(\"({}{}{})\", show((*t).left), (*t).key, show((*t).right)) } }\n\
        unsafe fn search(t: *mut Tree, key: i32) -> i32 {\n\
        println!(\"called: {}{key}\", unsafe { show(t) }); 0 }";
    assert_eq!(seen_by_rust(&folder, stem, in_rust), expected);
}

/// `((0)1(2))`
fn in_order(node: &Value) -> String {
    if node.is_null() {
        return String::new();
    }
    format!("({}{}{})", in_order(&node["left"]), node["key"], in_order(&node["right"]))
}

/// What `generate --output` writes can be compiled by itself.
#[test]
fn a_generated_structure_has_its_type_with_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/structures");
    for (name, predicate) in [("red_black_tree", "rep_ok"), ("heap_array", "distinct")] {
        let folder = scratch(&format!("native_generated_{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        let module = root.join(name).join(format!("{name}.wasm")).display().to_string();
        let output = folder.display().to_string();
        let args = ["generate", &module, "--predicate", predicate, "--size", "2"];
        run(&[&args[..], &["--output", &output]].concat()).exits(0);
        made(&folder, "cc", &["-Wall", "-Werror", "-c", "size2-000000.c"]).exits(0);
    }
}
