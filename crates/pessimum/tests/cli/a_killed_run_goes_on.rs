//! `--save`: what a run has done is kept as it goes, and the same call goes on from there.

use super::exploring_is_repeatable::timeless;
use super::world::{SORT, command, corpus, run, scratch};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn job<'a>(module: &'a str, cost: &'a str, sizes: &'a str) -> Vec<&'a str> {
    let named = ["--cost", cost, "--sizes", sizes, "--train", "1..=7", "--json", "-"];
    // The same work on a machine that is busy: the hard stop is far away.
    let work = ["--effort", "4s", "--time", "600s"];
    [["analyze", module, "--call", SORT].as_slice(), &named, &work].concat()
}

fn answer(args: &[&str]) -> String {
    let mut document = run(args).exits(0).json();
    timeless(&mut document);
    document.to_string()
}

/// The steps that were kept, without what names the module.
fn steps(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("steps")).expect("steps were kept");
    let names = entries.map(|e| e.expect("it can be read").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Kills a run as soon as it has kept `steps` steps; says whether it was still running.
fn kill_after(steps: usize, args: &[&str], folder: &Path) -> bool {
    let mut child = command(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command was built");
    let kept = || std::fs::read_dir(folder.join("steps")).map_or(0, |entries| entries.count());
    while kept() < steps {
        if child.try_wait().expect("it was ours").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it was ours");
    true
}

#[test]
fn killed_at_any_moment_it_ends_with_the_same_answer() {
    let module = corpus("merge_sort");
    let job = job(&module, "decisions", "10,20,40,80");
    let whole = answer(&job);
    let mut killed = 0;
    for step in 0..12 {
        let folder = folder(&format!("killed-{step}"));
        let name = folder.display().to_string();
        let saving = [job.as_slice(), &["--save", &name]].concat();
        killed += usize::from(kill_after(step, &saving, &folder));
        assert_eq!(answer(&saving), whole, "killed after {step} steps");
    }
    // Seven sizes of training, the policies, four sizes: a run that ends before the last is kept by
    // the machine's leave, the others are killed in the middle.
    assert!(killed >= 6, "{killed} of 12 runs were killed");
}

/// No single alternation reaches the worst case of a merge sort by its conditionals: a search by running
/// surpasses every policy.
#[test]
fn a_search_goes_on_as_it_would_have() {
    let module = corpus("merge_sort");
    let folder = folder("searching");
    let name = folder.display().to_string();
    let job = job(&module, "conditionals", "20,25,30,40,50");
    // Without merged walks, which prove these sizes and leave nothing to search for.
    let saving = [job.as_slice(), &["--merge", "off", "--save", &name]].concat();
    let whole = answer(&saving);
    assert!(whole.contains("\"search\""), "no size was searched: {whole}");
    // As if it had been stopped after any of its sizes.
    for n in [50, 40, 30, 25, 20] {
        for later in [20, 25, 30, 40, 50].into_iter().filter(|later| *later >= n) {
            std::fs::remove_file(folder.join(format!("steps/size-{later}.json")))
                .expect("the step was kept");
        }
        assert_eq!(answer(&saving), whole, "stopped before n = {n}");
    }
}

#[test]
fn what_was_done_is_not_done_again() {
    let module = corpus("merge_sort");
    let folder = folder("done-once");
    let name = folder.display().to_string();
    let job = [job(&module, "decisions", "10,20").as_slice(), &["--save", &name]].concat();
    let first = answer(&job);
    let steps = steps(&folder);
    for n in 1..=7 {
        assert!(steps.contains(&format!("training-decisions-{n}.json")), "{steps:?}");
    }
    for step in ["policies.json", "size-10.json", "size-20.json"] {
        assert!(steps.iter().any(|s| s == step), "{steps:?}");
    }
    // A step that is done is kept, and its file is then as old as the run: these stay a day old.
    let yesterday = SystemTime::now() - Duration::from_secs(24 * 3600);
    let file = |step: &String| folder.join("steps").join(step);
    for step in &steps {
        let file = File::options().write(true).open(file(step)).expect("the step was kept");
        file.set_modified(yesterday).expect("its time can be set");
    }
    assert_eq!(answer(&job), first);
    for step in &steps {
        let about = std::fs::metadata(file(step)).expect("the step is still there");
        let modified = about.modified().expect("files have a time");
        assert!(modified < yesterday + Duration::from_secs(3600), "{step} was done again");
    }
}

/// The answer without what is said of steps that were done again, and whether that was said.
fn answer_again(args: &[&str]) -> (String, bool) {
    let mut document = run(args).exits(0).json();
    timeless(&mut document);
    let findings = document["findings"].as_array_mut().expect("a list of findings");
    let all = findings.len();
    findings.retain(|finding| finding["kind"] != "done_again");
    let said = findings.len() < all;
    (document.to_string(), said)
}

#[test]
fn an_edited_or_damaged_step_is_done_again_with_a_word() {
    let module = corpus("merge_sort");
    let folder = folder("edited");
    let name = folder.display().to_string();
    let job = [job(&module, "decisions", "10,20").as_slice(), &["--save", &name]].concat();
    let first = answer(&job);
    let file = folder.join("steps/size-20.json");
    let step = std::fs::read_to_string(&file).expect("the step was kept");
    let edited = step.replace("\"paths\":1,", "\"paths\":77,");
    assert_ne!(step, edited);
    for damaged in [&edited, &step[..step.len() / 2], "", "{}\n{}"] {
        std::fs::write(&file, damaged).expect("it can be written");
        assert_eq!(answer_again(&job), (first.clone(), true));
        assert_eq!(answer_again(&job), (first.clone(), false), "it was mended");
    }
}

#[test]
fn two_processes_on_one_folder_are_both_right() {
    let module = corpus("merge_sort");
    let folder = folder("shared");
    let name = folder.display().to_string();
    let decisions = job(&module, "decisions", "10,20,40");
    let instructions = job(&module, "instructions", "10,20,40");
    let jobs = [&decisions, &decisions, &instructions];
    let alone = jobs.map(|job| answer(job));
    let together: Vec<String> = std::thread::scope(|scope| {
        let started = jobs.map(|job| {
            let saving = [job.as_slice(), &["--save", &name]].concat();
            scope.spawn(move || answer(&saving))
        });
        started.into_iter().map(|run| run.join().expect("it ends")).collect()
    });
    assert_eq!(together, alone);
    let steps = std::fs::read_dir(folder.join("steps")).expect("steps were kept");
    let parts = steps.flatten().filter(|e| e.path().extension().is_some_and(|e| e == "part"));
    assert_eq!(parts.count(), 0, "nothing half written is left behind");
}

#[test]
fn another_call_does_not_take_the_steps_for_its_own() {
    let module = corpus("merge_sort");
    let folder = folder("another-call");
    let name = folder.display().to_string();
    let sort = job(&module, "decisions", "10,20");
    answer(&[sort.as_slice(), &["--save", &name]].concat());
    let other = job(&module, "instructions", "10,20");
    assert_eq!(answer(&[other.as_slice(), &["--save", &name]].concat()), answer(&other));
}
