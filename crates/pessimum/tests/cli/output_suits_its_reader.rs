//! Colour for people who want it, plain text for pipes, and no fuss when a reader has seen enough.

use super::world::{SORT, command, corpus, run};
use std::io::Read;
use std::process::Stdio;

#[test]
fn a_pipe_gets_no_colour_and_no_progress_line() {
    let sort = corpus("insertion_sort");
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "10,20,30"];
    let plain = run(&args).exits(0);
    assert!(!plain.stdout.contains('\u{1b}'), "{}", plain.stdout);
    assert!(!plain.stderr.contains(['\u{1b}', '\r']), "{}", plain.stderr);
    assert!(plain.stdout.contains("O(n^2)"), "{}", plain.stdout);

    let asked = command(&args).env("NO_COLOR", "1").output().expect("the command was built");
    assert!(!asked.stdout.contains(&0x1b));
}

#[test]
fn a_log_gets_a_line_when_a_stage_ends() {
    let sort = corpus("insertion_sort");
    let job = ["analyze", &sort, "--call", SORT, "--train", "1..=6", "--sizes", "10,20,30"];
    let told = run(&job).exits(0).stderr;
    // Each line begins with the seconds since the start.
    let lines: Vec<&str> = told.lines().filter_map(|l| Some(l.split_once(" s  ")?.1)).collect();
    assert_eq!(
        lines,
        [
            "n = 5: worst 25 (exact), 120 paths; so far ≈ n^2",
            "n = 6: worst 36 (exact), 720 paths; so far ≈ n^2; small sizes explored",
            "n = 23: worst 529 (exact); so far ≈ n^2; larger sizes explored by their states",
            "n = 23: worst 529 (exact); so far ≈ n^2; going on by a wise policy, validated",
            "n = 23: worst 529 (exact); so far ≈ n^2; sizes generated",
        ]
    );
    assert_eq!(run(&[job.as_slice(), &["--quiet"]].concat()).exits(0).stderr, "");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let sort = corpus("insertion_sort");
    // More than a pipe holds, so that the writer does notice.
    let args = ["explore", &sort, "--call", SORT, "--size", "6", "--json", "-"];
    let mut child = command(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    let mut start = [0; 10];
    let mut stdout = child.stdout.take().expect("it is piped");
    stdout.read_exact(&mut start).expect("the document begins");
    drop(stdout);
    let mut said = String::new();
    let mut stderr = child.stderr.take().expect("it is piped");
    stderr.read_to_string(&mut said).expect("messages are UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{said}");
    assert_eq!(said, "");
}

#[test]
fn the_answer_explains_itself() {
    let ran = run(&["analyze", "example:insertion_sort", "--sizes", "10,20,50,100"]).exits(0);
    for words in [
        "worst cost",
        "random cost",
        "exact",
        "Growth    n^2   O(n^2)",
        "Validated",
        "insertion_sort.c:9",
        "n = 100: [99, 98, 97",
        "instructions",
        "pessimum check",
    ] {
        assert!(ran.stdout.contains(words), "no `{words}` in\n{}", ran.stdout);
    }
}

#[test]
fn every_example_listed_can_be_explored() {
    let list = run(&["examples"]).exits(0).stdout;
    let names: Vec<&str> = list
        .lines()
        .filter_map(|l| l.strip_prefix("  "))
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert!(names.len() >= 5, "{list}");
    for name in names {
        let example = format!("example:{name}");
        let document = run(&["explore", &example, "--size", "2", "--json", "-"]).exits(0).json();
        assert_eq!(document["complete"], true, "{name}");
    }
}

#[test]
fn help_man_page_and_completions() {
    for (args, words) in [
        (&["--help"][..], "analyze"),
        (&["analyze", "--help"], "--call"),
        (&["doctor"], "AssemblyScript"),
        (&["man"], ".TH pessimum"),
        (&["completions", "bash"], "_pessimum"),
    ] {
        let ran = run(args).exits(0);
        assert!(ran.stdout.contains(words), "{args:?}: {}", ran.stdout);
    }
}
