//! Whatever is wrong with a file or a flag: exit code 2, one sentence that says what and where,
//! nothing on standard output, no panic.

use super::world::{SORT, corpus, file, module, run, scratch};

/// Runs both jobs that read a module; what is said must contain `words`.
fn refused(module: &str, how: &[&str], words: &str) {
    for job in [&["analyze"][..], &["explore", "--size", "3"]] {
        refuses(&[job, &[module], how].concat(), words);
    }
}

fn refuses(args: &[&str], words: &str) {
    let ran = run(args).exits(2);
    assert_eq!(ran.stdout, "", "{args:?} prints no result");
    let said = &ran.stderr;
    assert!(said.starts_with("error: "), "{args:?}: {said}");
    assert_eq!(said.matches("error:").count(), 1, "{args:?} says it once: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    assert!(said.contains(words), "{args:?} should say `{words}`: {said}");
}

#[test]
fn files_that_are_no_module() {
    let sound = std::fs::read(corpus("insertion_sort")).expect("the corpus is there");
    refused(&file("empty.wasm", ""), &["--call", SORT], "the file is empty");
    refused(&file("text.wasm", "int main(void)\n"), &["--call", SORT], "not a WebAssembly module");
    let half = file("half.wasm", &sound[..sound.len() / 2]);
    refused(&half, &["--call", SORT], "truncated");
    let missing = scratch("no-such-file.wasm").display().to_string();
    refused(&missing, &["--call", SORT], "cannot read");
    let folder = scratch("a-folder-without-source");
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    refused(&folder.display().to_string(), &["--call", SORT], "cannot read");
    refused("example:no_such_example", &[], "no example is called no_such_example");
}

#[test]
fn a_module_cut_anywhere() {
    // The debug sections at the end may go missing without harm; what comes before may not.
    let sound = std::fs::read(corpus("sum_array")).expect("the corpus is there");
    for length in (1..sound.len()).step_by(sound.len() / 40 + 1) {
        let cut = file("cut_anywhere.wasm", &sound[..length]);
        let ran = run(&["explore", &cut, "--size", "1"]);
        assert!(matches!(ran.code, 0 | 2), "{length} bytes: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{length} bytes: {}", ran.stderr);
    }
}

#[test]
fn calls_that_do_not_fit_the_module() {
    let sort = corpus("insertion_sort");
    refused(&sort, &["--call", "order(&i32[n], n)"], "no function is exported as order");
    refused(&sort, &["--call", "sort(&i32[n])"], "takes 2 argument(s)");
    refused(&sort, &["--call", "sort(&i32[n], n, n)"], "the call gives 3");
    refused(&sort, &["--call", "sort(&i32[n], n"], "expected `,` or `)`");
    refused(&sort, &["--call", "sort(&i33[n], n)"], "i33");
    refused(&sort, &["--call", "sort(&i32[m], n)"], "m");
    refused(&sort, &["--call", SORT, "--let", "m"], "--let m=n/2");
    refused(&sort, &["--stdin"], "no function is exported as _start");
    refused(&sort, &["--call", SORT, "--cost", "seconds"], "no cost model `seconds`");
    refused(&sort, &["--call", SORT, "--cost", "visits:order"], "no function named order");
}

#[test]
fn sizes_that_are_none() {
    let sort = corpus("insertion_sort");
    for (size, words) in [
        ("-1", "cannot be negative"),
        ("many", "is not a size"),
        ("", "is not a size"),
        ("1.5", "is not a size"),
        ("3..=1", "is empty"),
        ("99999999999999999999999999", "is not a size"),
    ] {
        refuses(&["explore", &sort, "--call", SORT, "--size", size], words);
        refuses(&["analyze", &sort, "--call", SORT, "--sizes", size], words);
    }
}

#[test]
fn sizes_beyond_memory() {
    let sort = corpus("insertion_sort");
    for size in ["1073741824", "4294967296", "99999999999", "18446744073709551615"] {
        refuses(&["explore", &sort, "--call", SORT, "--size", size], "do not fit");
        refuses(&["analyze", &sort, "--call", SORT, "--sizes", size], "do not fit");
    }
}

#[test]
fn modules_that_cannot_be_entered() {
    let start = module(
        "start_traps.wasm",
        r#"(module (func $init unreachable) (start $init) (func (export "f") (param i32)))"#,
    );
    refused(&start, &["--call", "f(i32)"], "the start function trapped");
    let host = module(
        "entry_is_imported.wasm",
        r#"(module (import "pessimum" "size" (func $size (result i32))) (export "f" (func $size))
             (func (export "g") (result i32) (i32.const 1)))"#,
    );
    refused(&host, &["--call", "f()"], "f is a function that the module imports");
    let import = module(
        "import_missing.wasm",
        r#"(module (import "env" "log" (func $log (param i32)))
             (func (export "f") (param i32) (call $log (local.get 0))))"#,
    );
    refused(&import, &["--call", "f(i32)"], "nobody provides the import env.log");
    let vectors = module(
        "vectors.wasm",
        r#"(module (func (export "f") (param i32) (drop (v128.const i32x4 0 0 0 0))))"#,
    );
    refused(&vectors, &["--call", "f(i32)"], "not supported");
    let two_ways = module(
        "two_ways.wasm",
        r#"(module (func (export "f") (param i32)) (func (export "g") (param i32)))"#,
    );
    refused(&two_ways, &[], "--call");
}

#[test]
fn policy_files_that_do_not_fit() {
    let sort = corpus("insertion_sort");
    let with = |policy: &str, words: &str| {
        refuses(&["analyze", &sort, "--call", SORT, "--policy-file", policy], words);
    };
    with(&file("garbage.json", "{ not json"), "not a policy file");
    with(&file("other.json", r#"{"schema": 1, "results": []}"#), "does not fit");
    with(&scratch("no-such-policy.json").display().to_string(), "cannot read");

    let dir = scratch("saved_policy");
    let saved = dir.join("policy.json");
    let save = dir.display().to_string();
    run(&["analyze", &sort, "--call", SORT, "--sizes", "10", "--save", &save]).exits(0);
    let own = saved.display().to_string();
    run(&["analyze", &sort, "--call", SORT, "--sizes", "10", "--policy-file", &own]).exits(0);

    let list = corpus("quicksort");
    refuses(&["analyze", &list, "--call", SORT, "--policy-file", &own], "does not fit");
    let text = std::fs::read_to_string(&saved).expect("it was saved");
    let mut later: serde_json::Value = serde_json::from_str(&text).expect("policies are JSON");
    later["schema"] = 999.into();
    with(&file("later.json", later.to_string()), "999");
}

#[test]
fn other_files_that_do_not_fit() {
    let sort = corpus("insertion_sort");
    let text = file("not_json.txt", "hello");
    refuses(&["report", &text], "is not a result");
    refuses(&["policy", "show", &text], "not a policy file");
    refuses(&["check", &sort, "--call", SORT, "--baseline", &text], "is not a result");
    refuses(&["check", &sort, "--call", SORT, "--at-most", "fast"], "not a complexity class");
    refuses(&["check", &sort, "--call", SORT], "nothing to check");
    let odd = file("five_bytes.bin", "12345");
    refuses(&["replay", &sort, "--call", SORT, &odd], "length");
}

#[test]
fn a_folder_that_cannot_be_written_does_not_hide_the_result() {
    let sort = corpus("insertion_sort");
    let in_the_way = file("in_the_way", "a file where a folder should be");
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "10", "--inputs", &in_the_way];
    let ran = run(&args).exits(2);
    assert!(ran.stdout.contains("O(n^2)"), "{}", ran.stdout);
    assert!(ran.stderr.contains("cannot make the folder"), "{}", ran.stderr);
}
