//! Where something beside the answer cannot be written, the answer is printed, the message names the
//! file, and the exit code is 2.

use super::world::{SORT, corpus, file, run, scratch};

/// A place below a file, where nobody can make a folder or a file, root included.
fn unwritable(name: &str) -> String {
    format!("{}/below", file(name, "a file, not a folder"))
}

#[test]
fn analyze_prints_its_result() {
    let sort = corpus("insertion_sort");
    let place = unwritable("analyze-beside");
    for flag in ["--json", "--html", "--save", "--inputs"] {
        let ran =
            run(&["analyze", &sort, "--call", SORT, "--sizes", "8,12,16", flag, &place]).exits(2);
        assert!(ran.stdout.contains("O(n^2)"), "{flag}: {}", ran.stdout);
        assert_eq!(ran.stderr.matches("error: cannot").count(), 1, "{flag}: {}", ran.stderr);
        assert!(ran.stderr.contains(&place), "{flag}: {}", ran.stderr);
    }
}

#[test]
fn steps_that_could_not_be_kept_are_a_finding() {
    let sort = corpus("insertion_sort");
    let folder = scratch("steps-beside");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    std::fs::write(folder.join("steps"), "a file, not a folder").expect("it can be written");
    let place = folder.display().to_string();
    let job = ["analyze", &sort, "--call", SORT, "--sizes", "8,12", "--save", &place];
    let document = run(&[job.as_slice(), &["--json", "-"]].concat()).exits(0).json();
    let finding = &document["findings"][0];
    assert_eq!(finding["kind"], "not_kept", "{document:#}");
    let message = finding["message"].as_str().unwrap_or_default();
    assert!(message.contains(&place), "{message}");
    assert!(folder.join("result.json").exists(), "what can be written is");
}

#[test]
fn every_file_that_failed_is_named() {
    let sort = corpus("insertion_sort");
    let (json, html) = (unwritable("both-json"), unwritable("both-html"));
    let job = ["analyze", &sort, "--call", SORT, "--sizes", "8", "--quiet"];
    let ran = run(&[job.as_slice(), &["--json", &json, "--html", &html]].concat()).exits(2);
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(&json) && ran.stderr.contains(&html), "{}", ran.stderr);
}

#[test]
fn explore_prints_its_result() {
    let sort = corpus("insertion_sort");
    let place = unwritable("explore-beside");
    for flag in ["--json", "--inputs"] {
        let ran =
            run(&["explore", &sort, "--call", SORT, "--size", "3..=4", flag, &place]).exits(2);
        assert!(ran.stdout.contains("24"), "{flag}: {}", ran.stdout);
        assert_eq!(ran.stderr.lines().count(), 1, "{flag}: {}", ran.stderr);
        assert!(ran.stderr.contains(&place), "{flag}: {}", ran.stderr);
    }
    // The document on standard output is whole as well.
    let args = ["explore", &sort, "--call", SORT, "--size", "4", "--json", "-", "--inputs", &place];
    assert_eq!(run(&args).exits(2).json()["paths"], 24);
}

#[test]
fn check_prints_its_verdict() {
    let sort = corpus("insertion_sort");
    let place = unwritable("check-beside");
    for flag in ["--json", "--junit", "--save"] {
        let args = ["check", &sort, "--call", SORT, "--max-cost", "n=20:400", flag, &place];
        let ran = run(&args).exits(2);
        assert!(ran.stdout.contains("check: ok"), "{flag}: {}", ran.stdout);
        assert!(ran.stderr.contains(&place), "{flag}: {}", ran.stderr);
    }
}

/// A name in the scratch folder for the device that is always full. Not the device itself: a mistake
/// here must not cost the machine one.
#[cfg(target_os = "linux")]
fn full_disk(name: &str) -> String {
    let link = scratch(name);
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/full", &link).expect("the scratch folder can be written");
    link.display().to_string()
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_is_full_is_said_so() {
    let sort = corpus("insertion_sort");
    for flag in ["--json", "--html"] {
        let place = full_disk(&format!("full{flag}"));
        let args = ["analyze", &sort, "--call", SORT, "--sizes", "8,12,16", flag, &place];
        let ran = run(&args).exits(2);
        assert!(ran.stdout.contains("O(n^2)"), "{flag}: {}", ran.stdout);
        assert!(ran.stderr.contains("No space left"), "{flag}: {}", ran.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_is_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let sort = corpus("insertion_sort");
    let place = full_disk("device");
    run(&["explore", &sort, "--call", SORT, "--size", "3", "--json", &place]).exits(2);
    let about = std::fs::metadata(&place).expect("it is still there");
    assert!(about.file_type().is_char_device());
}

#[test]
fn nothing_half_written_is_left_behind() {
    let folder = scratch("half-written");
    std::fs::create_dir_all(folder.join("result.json")).expect("the scratch folder can be written");
    let sort = corpus("insertion_sort");
    let place = folder.join("result.json").display().to_string();
    let args = ["explore", &sort, "--call", SORT, "--size", "3", "--json", &place];
    run(&args).exits(2);
    let left: Vec<_> = std::fs::read_dir(&folder).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
