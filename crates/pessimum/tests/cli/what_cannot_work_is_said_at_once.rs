//! Calls that cannot end well are refused before the work, and what could not be written is said.

use super::world::{SORT, command, corpus, file, module, run, scratch};
use std::process::Stdio;

/// Exit code 2, nothing on standard output, and these words.
fn refuses(args: &[&str], words: &str) {
    let ran = run(args).exits(2);
    assert_eq!(ran.stdout, "", "{args:?}");
    assert!(ran.stderr.contains(words), "{args:?} should say `{words}`: {}", ran.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_as_standard_output() {
    let sort = corpus("insertion_sort");
    for how in [&["--json", "-"][..], &[]] {
        let args = [&["explore", &sort, "--call", SORT, "--size", "3"], how].concat();
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let ran = command(&args).stdout(full).output().expect("the command was built");
        assert_eq!(ran.status.code(), Some(2), "{how:?}");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(said.contains("cannot write to standard output"), "{how:?}: {said}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let sort = corpus("insertion_sort");
    let args = ["explore", &sort, "--call", SORT, "--size", "5", "--json", "-"];
    let mut child = command(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    drop(child.stdout.take());
    let ran = child.wait_with_output().expect("it ends");
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn a_folder_that_is_not_there() {
    let sort = corpus("insertion_sort");
    let place = scratch("no/such/folder/page.html").display().to_string();
    refuses(&["analyze", &sort, "--call", SORT, "--html", &place], "there is no folder");
    refuses(&["check", &sort, "--call", SORT, "--at-most", "n", "--junit", &place], "--junit");
}

#[test]
fn what_is_no_module_is_told_how_to_become_one() {
    let archive = file("libsort.rlib", "!<arch>\nsort.o/");
    refuses(&["analyze", &archive], "crate-type = [\"cdylib\"]");
}

#[test]
fn every_command_has_a_man_page() {
    for name in ["analyze", "check", "diff", "explore", "generate", "replay", "report"] {
        let page = run(&["man", name]).exits(0).stdout;
        let head = format!("pessimum\\-{name}");
        assert!(page.contains(&head) && page.contains(".SH OPTIONS"), "{name}: {page}");
    }
    refuses(&["man", "nothing"], "there is no command nothing");
}

#[test]
fn results_in_one_place() {
    let sort = file("one-place.wasm", std::fs::read(corpus("insertion_sort")).expect("is there"));
    let there = scratch("one-place.out").display().to_string();
    let job = ["analyze", &sort, "--call", SORT, "--sizes", "4"];
    let with = |more: &[&str], words: &str| refuses(&[job.as_slice(), more].concat(), words);
    with(&["--json", &there, "--html", &there], "both name");
    let around = format!("{}/./one-place.out", env!("CARGO_TARGET_TMPDIR"));
    with(&["--json", &there, "--html", &around], "both name");
    with(&["--html", "-"], "--html -");
    with(&["--json", &sort], "would replace the module");
    with(&["--html", &sort], "would replace the module");
    let check = ["check", &sort, "--call", SORT, "--at-most", "n^2"];
    refuses(&[check.as_slice(), &["--json", &there, "--junit", &there]].concat(), "both name");
    let result = file("one-place.json", "{}");
    refuses(&["report", &result, "-o", &result], "would replace the result");
    refuses(&["report", &result, "-o", "-"], "--output -");
    assert!(!scratch("one-place.out").exists(), "nothing was done");
}

#[test]
fn a_size_that_the_call_does_not_have() {
    let sort = corpus("insertion_sort");
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "4", "--vary", "n,m"];
    refuses(&args, "names the size m");
}

#[test]
fn an_input_that_calls_itself_json_and_is_none() {
    let sort = corpus("insertion_sort");
    for (name, text) in [("half.json", "[1, 2"), ("no_list.json", "{\"values\": 3}")] {
        let input = file(name, text);
        refuses(&["replay", &sort, "--call", SORT, &input], "is not an input in JSON");
    }
    // The same bytes under another name are bytes.
    let bytes = file("half.bin", "[1, 2, ]");
    run(&["replay", &sort, "--call", SORT, &bytes]).exits(0);
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_no_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"sort-\xff.wasm");
    let path = scratch("").join(name);
    std::fs::copy(corpus("insertion_sort"), &path).expect("the file system takes such names");
    for job in [&["explore", "--size", "3"][..], &["analyze", "--sizes", "4"]] {
        let ran =
            command(job).args(["--call", SORT]).arg(&path).output().expect("the command was built");
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
#[cfg(unix)]
fn devices_and_pipes_are_no_modules_and_no_documents() {
    let pipe = scratch("a-pipe");
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let sort = corpus("insertion_sort");
    for place in [pipe.display().to_string().as_str(), "/dev/zero", "/dev/null"] {
        let why = "a device or a pipe";
        refuses(&["explore", place, "--size", "3"], why);
        refuses(&["generate", place, "--predicate", "p", "--size", "3"], why);
        refuses(&["report", place], why);
        refuses(&["policy", "show", place], why);
        refuses(&["check", &sort, "--call", SORT, "--baseline", place], why);
        refuses(&["replay", &sort, "--call", SORT, place], why);
        refuses(&["analyze", &sort, "--call", SORT, "--policy-file", place], why);
        let table = format!("fuel:{place}");
        refuses(&["explore", &sort, "--call", SORT, "--size", "3", "--cost", &table], why);
    }
}

/// The tree of a search among 45 values nests deeper than JSON readers go by themselves.
#[test]
fn our_own_results_can_be_read() {
    let find = module(
        "deep_tree.wasm",
        r#"(module (memory (export "memory") 1)
          (func (export "f") (param $p i32) (param $n i32) (local $i i32)
            (block $out (loop $next
              (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
              (br_if $out (i32.eqz (i32.load
                (i32.add (local.get $p) (i32.shl (local.get $i) (i32.const 2))))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br $next)))))"#,
    );
    let call = ["--call", "f(&i32[n], n)"];
    let result = scratch("deep_tree.json").display().to_string();
    let job = ["analyze", &find, "--train", "44..=46", "--sizes", "46", "--json", &result];
    run(&[job.as_slice(), &call].concat()).exits(0);
    let text = std::fs::read_to_string(&result).expect("it was written");
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_err(), "no deep tree is in it");
    let page = scratch("deep_tree.html").display().to_string();
    run(&["report", &result, "-o", &page]).exits(0);
    let check = ["check", &find, "--baseline", &result];
    let ran = run(&[check.as_slice(), &call].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.stderr);
    let deep = file("too_deep.json", "[".repeat(100_000));
    refuses(&["report", &deep], "nests deeper");
}
