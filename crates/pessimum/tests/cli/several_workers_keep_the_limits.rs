//! Ctrl-C, `--time` and `--memory` hold for all workers together, however many there are.
//!
//! What is held against a limit is what the process worked and held, as the system counts it: a machine that is busy
//! changes neither.

#![cfg(target_os = "linux")]

use super::world::{SORT, command, corpus, scratch};
use serde_json::Value;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Fields of `/proc/PID/stat` behind the name: the state first.
fn stat(child: &Child) -> Vec<String> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id()));
    let text = text.expect("it was not waited for");
    let after = text.rsplit_once(')').expect("a name in brackets").1;
    after.split_whitespace().map(str::to_owned).collect()
}

/// What all threads of a process had of a processor.
fn worked(child: &Child) -> Duration {
    let fields = stat(child);
    let ticks = |at: usize| fields[at].parse::<u64>().expect("a number of ticks");
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

/// The most memory that a process held, in bytes, or held now.
fn memory(child: &Child, line: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let held = text.lines().find_map(|text| text.strip_prefix(line));
    let held = held.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    held.unwrap_or(0) * 1024
}

/// What a process says goes to a file of this name: nobody reads while it runs.
fn said(name: &str) -> std::path::PathBuf {
    scratch(&format!("several-workers-{name}.json"))
}

fn start(name: &str, args: &[&str]) -> Child {
    let mut command = command(args);
    let out = File::create(said(name)).expect("the scratch folder can be written");
    command.stdout(Stdio::from(out)).stderr(Stdio::null());
    command.spawn().expect("the command was built")
}

fn has_ended(child: &Child) -> bool {
    stat(child)[0] == "Z"
}

/// The exit code and the document of a process.
fn ended(name: &str, mut child: Child) -> (Option<i32>, Value) {
    let code = child.wait().expect("it was ours").code();
    let text = std::fs::read(said(name)).expect("it was written");
    (code, serde_json::from_slice(&text).unwrap_or(Value::Null))
}

/// Threads that have worked, of a process that goes on.
fn busy_threads(child: &Child) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).expect("it runs");
    let ticks = |task: std::path::PathBuf| -> Option<u64> {
        let text = std::fs::read_to_string(task.join("stat")).ok()?;
        let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
        fields.next()?.parse().ok()
    };
    tasks.flatten().filter(|task| ticks(task.path()).is_some_and(|ticks| ticks > 10)).count()
}

/// Half way through a tree that would take hours, on three threads.
#[test]
fn an_interrupt_ends_all_of_them_with_what_is_known() {
    let module = corpus("quicksort");
    let exploring = ["explore", &module, "--call", SORT, "--size", "13", "--merge", "off"];
    let analyzing = ["analyze", &module, "--call", SORT, "--train", "1..=13", "--policy", "wise"];
    for job in [exploring.as_slice(), &analyzing] {
        let how = ["--workers", "3", "--time", "3600s", "--json", "-"];
        let child = start(job[0], &[job, &how].concat());
        while busy_threads(&child) < 3 {
            assert!(!has_ended(&child), "{job:?} ended by itself");
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = worked(&child);
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill is there");
        assert!(sent.success());
        while !has_ended(&child) {
            let more = worked(&child).saturating_sub(before);
            assert!(more < Duration::from_secs(5), "{job:?} worked {more:?} after the interrupt");
            std::thread::sleep(Duration::from_millis(5));
        }
        let (code, document) = ended(job[0], child);
        assert_eq!(code, Some(0), "{job:?}");
        assert_eq!(document["cut_by"], "interrupt", "{job:?}");
        if job[0] == "explore" {
            assert_eq!((&document["exact"], &document["complete"]), (&false.into(), &false.into()));
            assert!(document["paths"].as_u64() > Some(0), "what was found is told");
        } else {
            let unfinished = document["fit"]["basis"] != "proven";
            assert!(unfinished && document["training"].as_array().is_some_and(|t| t.len() > 3));
        }
    }
}

/// A walk of states keeps them, up to half of the memory. Several workers have no more of it than one, and what did not
/// come to its end is not called exact.
#[test]
fn memory_is_that_of_all_together() {
    let module = corpus("quicksort");
    let most: u64 = 48 << 20;
    for workers in ["1", "4"] {
        let explore = ["explore", &module, "--call", SORT, "--size", "12", "--merge", "on"];
        let analyze = ["analyze", &module, "--call", SORT, "--sizes", "12,16,24"];
        for job in [explore.as_slice(), &analyze] {
            let how = ["--workers", workers, "--memory", "48M", "--time", "3s", "--json", "-"];
            let child = start("memory", &[job, &how].concat());
            let mut held = 0;
            while !has_ended(&child) {
                held = held.max(memory(&child, "VmHWM:"));
                std::thread::sleep(Duration::from_millis(2));
            }
            let (code, document) = ended("memory", child);
            assert!(matches!(code, Some(0 | 3)), "{workers} workers, {job:?}: exit code {code:?}");
            assert!(held <= most + most / 5, "{workers} workers, {job:?} held {} MB", held >> 20);
            if !document["cut_by"].is_null() && job[0] == "explore" {
                assert_eq!(document["exact"], false, "{workers} workers");
            }
        }
    }
}

/// Inputs of n² values, of which hundreds of families are made.
#[test]
fn time_is_kept_where_inputs_are_long() {
    let module = corpus("dijkstra");
    let call = "shortest(&i32[n*n] in 0..=1000, n)";
    let how = ["--workers", "3", "--time", "2s", "--json", "-"];
    let child = start("time", &[["analyze", &module, "--call", call].as_slice(), &how].concat());
    let (code, document) = ended("time", child);
    assert_eq!(code, Some(0), "it ends by itself");
    assert!(document["sizes"].as_array().is_some_and(|sizes| !sizes.is_empty()));
}
