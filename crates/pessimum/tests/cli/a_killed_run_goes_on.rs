//! `--save`: what a run has done is kept as it goes, and the same call goes on from there.

use super::exploring_is_repeatable::timeless;
use super::world::{SORT, command, corpus, run, scratch};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn job<'a>(module: &'a str, cost: &'a str, sizes: &'a str) -> Vec<&'a str> {
    let named = ["--cost", cost, "--sizes", sizes, "--train", "1..=7", "--json", "-"];
    [["analyze", module, "--call", SORT].as_slice(), &named].concat()
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

#[test]
fn killed_at_any_moment_it_ends_with_the_same_answer() {
    let module = corpus("merge_sort");
    let job = job(&module, "decisions", "10,20,40,80,120,160");
    let begun = Instant::now();
    let whole = answer(&job);
    let took = begun.elapsed();
    for moment in 0..20u32 {
        let folder = folder(&format!("killed-{moment}"));
        let name = folder.display().to_string();
        let saving = [job.as_slice(), &["--save", &name]].concat();
        let mut child = command(&saving)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command was built");
        // Spread over the whole run, and not evenly: 7 and 20 have no common divisor.
        std::thread::sleep(
            took.mul_f64(f64::from(moment * 7 % 20) / 20.0) + Duration::from_millis(1),
        );
        child.kill().expect("it can be killed");
        child.wait().expect("it was ours");
        assert_eq!(answer(&saving), whole, "killed at moment {moment}");
    }
}

/// A sort that changes its algorithm at n = 16, beyond what is explored in full: its policy is in
/// doubt, and a search by running surpasses it.
#[test]
fn a_search_goes_on_as_it_would_have() {
    let module = corpus("hybrid_sort");
    let folder = folder("searching");
    let name = folder.display().to_string();
    let job = job(&module, "conditionals", "20,25,30,40,50");
    let saving = [job.as_slice(), &["--save", &name]].concat();
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
    // A step that claims something else is believed: so it was read, not done again.
    let file = folder.join("steps/size-20.json");
    let step = std::fs::read_to_string(&file).expect("the step was kept");
    let changed = step.replace("\"paths\":1,", "\"paths\":77,");
    assert_ne!(step, changed);
    std::fs::write(&file, changed).expect("it can be written");
    assert_ne!(answer(&job), first);
    // Half a step is none.
    std::fs::write(&file, &step[..step.len() / 2]).expect("it can be written");
    assert_eq!(answer(&job), first);
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
