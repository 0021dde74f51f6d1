//! The steps of the ready actions, run as a CI system runs them.

use super::world::{Ran, SORT, command, corpus, scratch};
use std::path::Path;
use std::process::Command;

/// Runs the step of the action with this environment, in a folder of its own.
fn step(name: &str, environment: &[(&str, &str)]) -> (Ran, String) {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder of its own");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/actions/check");
    let mut step = Command::new("bash");
    step.arg(root.join("run.sh")).current_dir(&folder).env_clear();
    step.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    step.env("PESSIMUM", command(&[]).get_program()).env("PESSIMUM_PATIENCE", "20");
    step.env("GITHUB_STEP_SUMMARY", folder.join("summary.md"));
    step.envs(environment.iter().copied());
    let ran = Ran::of(step.output().expect("there is a shell"), name);
    let summary = std::fs::read_to_string(folder.join("summary.md")).unwrap_or_default();
    (ran, summary)
}

#[test]
fn a_red_and_a_green_job() {
    let sort = corpus("insertion_sort");
    let job = [("MODULE", sort.as_str()), ("CALL", SORT), ("TIME", "4s")];
    let (ran, summary) = step("green-job", &[&job[..], &[("AT_MOST", "n^2")]].concat());
    ran.exits(0);
    assert!(summary.starts_with("### pessimum: ok\n"), "{summary}");
    let red = [("AT_MOST", "n*log(n)"), ("GITHUB_ACTIONS", "true")];
    let (ran, summary) = step("red-job", &[&job[..], &red].concat());
    let ran = ran.exits(1);
    assert!(ran.stdout.contains("::error"), "{}", ran.stdout);
    assert!(summary.contains("**worse than allowed**"), "{summary}");
    assert!(summary.contains("| at most n*log(n) | worse | "), "{summary}");
    let result = std::fs::read(scratch("red-job/pessimum-result.json")).expect("it was written");
    let result: serde_json::Value = serde_json::from_slice(&result).expect("it is JSON");
    assert_eq!(result["verdict"], "worse");
}

#[test]
fn a_job_that_compares_two_builds() {
    let (old, new) = (corpus("merge_sort"), corpus("insertion_sort"));
    let job = [("MODULE", new.as_str()), ("OLD", &old), ("CALL", SORT), ("TIME", "6s")];
    // Those of the template for GitLab, and those of the example for GitHub.
    let flags = "--sizes 5,10,20 --quiet --junit pessimum.xml --inputs worst-inputs";
    let more = [("ARGUMENTS", flags), ("TOLERANCE", "10%"), ("GITHUB_ACTIONS", "true")];
    let (ran, summary) = step("two-builds", &[&job[..], &more].concat());
    let ran = ran.exits(1);
    assert!(summary.starts_with("### pessimum: **worse**\n"), "{summary}");
    assert!(ran.stdout.contains("::error"), "{}", ran.stdout);
    let cases = std::fs::read_to_string(scratch("two-builds/pessimum.xml")).expect("it is there");
    assert!(cases.contains("<failure"), "{cases}");
    let inputs = std::fs::read_dir(scratch("two-builds/worst-inputs/raw")).expect("it is there");
    assert!(inputs.count() >= 3);
}

/// Every input of the action reaches the step.
#[test]
fn the_action_passes_all_of_its_inputs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/actions/check");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("it is there");
    let (action, script) = (read("action.yml"), read("run.sh"));
    for name in ["module", "call", "at-most", "baseline", "old", "tolerance", "time", "arguments"] {
        let variable = name.to_uppercase().replace('-', "_");
        let passed = format!("{variable}: ${{{{ inputs.{name} }}}}");
        assert!(action.contains(&format!("  {name}:\n")) && action.contains(&passed), "{passed}");
        assert!(script.contains(&format!("${{{variable}")), "{variable} is not used");
    }
}
