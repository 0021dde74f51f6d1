//! `analyze --on hq`: training sizes are walked as tasks, and the answer is that of the plain run. The queue is a script here, which
//! does every task at once; `crates/queue/test` has servers and workers of HyperQueue.

#![cfg(unix)]

use super::exploring_is_repeatable::timeless;
use super::world::{Ran, SORT, command, corpus, run, scratch};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Does the tasks of an array when it is submitted, but for those whose names stand in `skipped`.
const QUEUE: &str = r#"#!/bin/sh
here=$(dirname "$0")
while [ "${1#--}" != "$1" ]; do shift 2; done
case "$1 $2" in
"server info") echo '{}' ;;
"job info") echo '[{"info":{"task_stats":{"running":0,"waiting":0}}}]' ;;
"submit "*)
    while [ "$1" != -- ]; do
        if [ "$1" = --each-line ]; then lines=$2; fi
        shift
    done
    shift
    while read -r word; do
        if grep -qx "$word" "$here/skipped" 2>/dev/null; then continue; fi
        echo "$word" >> "$here/given"
        HQ_ENTRY=$word "$@" < /dev/null > /dev/null 2>> "$here/errors"
    done < "$lines"
    rm -f "$here/skipped"
    echo '{"id":1}' ;;
*) exit 1 ;;
esac
"#;

/// A folder with the script.
fn queue(name: &str) -> PathBuf {
    let folder = scratch(&format!("queue-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    let script = folder.join("hq");
    std::fs::write(&script, QUEUE).expect("it can be written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    folder
}

/// Runs an analysis on the queue of a folder.
fn on_queue(job: &[&str], queue: &Path) -> Ran {
    let save = queue.join("saved").display().to_string();
    let args = [job, &["--on", "hq", "--save", &save]].concat();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = [queue.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(first).expect("no colon in it");
    let output = command(&args).env("PATH", path).output().expect("the command was built");
    Ran::of(output, &args.join(" "))
}

fn given(queue: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(queue.join("given")).expect("tasks were given");
    text.lines().map(str::to_owned).collect()
}

/// What an analysis says, without times and its own command line.
fn said(ran: &Ran) -> String {
    let mut document = ran.json();
    timeless(&mut document);
    document.as_object_mut().expect("an object").remove("parameters");
    document.to_string()
}

fn job(module: &str) -> Vec<&str> {
    let how = ["--train", "1..=7", "--sizes", "8,12", "--effort", "500ms", "--time", "600s"];
    [["analyze", module, "--call", SORT].as_slice(), &how, &["--json", "-"]].concat()
}

#[test]
fn the_answer_is_that_of_the_plain_run() {
    let module = corpus("quicksort");
    for extra in [[].as_slice(), &["--learn-cost", "instructions"]] {
        let (job, queue) = ([job(&module).as_slice(), extra].concat(), queue("same"));
        let plain = said(&run(&job).exits(0));
        // Some are forgotten by the queue, and given to it again.
        std::fs::write(queue.join("skipped"), "2\n5\n").expect("it can be written");
        let ran = on_queue(&job, &queue).exits(0);
        assert!(said(&ran) == plain, "{}", ran.stderr);
        let given = given(&queue);
        assert!(given.len() > 20, "{} tasks", given.len());
        assert!(given.iter().any(|word| word == "5"), "a task that was forgotten is given again");
    }
}

/// What is done stays done.
#[test]
fn the_same_call_goes_on_from_what_is_there() {
    let (module, queue) = (corpus("quicksort"), queue("again"));
    let job = job(&module);
    let first = said(&on_queue(&job, &queue).exits(0));
    let tasks = given(&queue).len();
    std::fs::remove_dir_all(queue.join("saved/steps")).expect("steps were kept");
    let parts = std::fs::read_dir(queue.join("saved/parts")).expect("parts were planned");
    let folder = parts.flatten().next().expect("one at least").path();
    std::fs::remove_file(folder.join("done/3.json")).expect("it is done");
    assert!(said(&on_queue(&job, &queue).exits(0)) == first);
    assert_eq!(given(&queue).len(), tasks + 1, "one was missing");
}

/// A task that fails for good is named, and so is what shows why.
#[test]
fn a_task_that_does_not_work_is_told() {
    let (module, queue) = (corpus("quicksort"), queue("fails"));
    let script = QUEUE.replace("HQ_ENTRY=$word \"$@\"", "false");
    std::fs::write(queue.join("hq"), script).expect("it can be written");
    let ran = on_queue(&job(&module), &queue).exits(2);
    assert!(ran.stderr.contains("was tried 3 times on the queue"), "{}", ran.stderr);
    assert!(ran.stderr.contains("jobs run"), "{}", ran.stderr);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let module = corpus("quicksort");
    let ran = run(&["analyze", &module, "--call", SORT, "--on", "hq"]).exits(2);
    assert!(ran.stderr.contains("--save"), "{}", ran.stderr);
}
