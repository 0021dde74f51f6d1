//! `jobs`: a tree that is shared out as files gives the bytes of the plain walk, however it is shared out, in whatever
//! order the jobs are done, and whatever happens to them on the way.

use super::exploring_is_repeatable::timeless;
use super::world::{SORT, command, corpus, run, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(&format!("jobs-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A program at a size.
struct Case {
    module: String,
    how: &'static [&'static str],
}

impl Case {
    fn new(name: &str, how: &'static [&'static str]) -> Case {
        Case { module: corpus(name), how }
    }

    /// What the plain walk says.
    fn plain(&self) -> Value {
        let job = [&["explore", &self.module], self.how, &["--merge", "off", "--json", "-"]];
        without_times(run(&job.concat()).exits(0).json())
    }

    /// Shares it out into at most so many jobs.
    fn plan(&self, folder: &Path, jobs: &str, share: &str) {
        let into = ["--out", &text(folder), "--jobs", jobs, "--share", share].map(str::to_owned);
        let into: Vec<&str> = into.iter().map(String::as_str).collect();
        run(&[&["jobs", "plan", &self.module], self.how, &into].concat()).exits(0);
    }
}

fn without_times(mut document: Value) -> Value {
    timeless(&mut document);
    document
}

fn gathered(folder: &Path) -> Value {
    without_times(run(&["jobs", "gather", &text(folder), "--json", "-"]).exits(0).json())
}

fn missing(folder: &Path) -> Vec<String> {
    let ran = run(&["jobs", "missing", &text(folder)]).exits(0);
    ran.stdout.lines().map(str::to_owned).collect()
}

/// Does jobs in the order given.
fn do_jobs(folder: &Path, jobs: &[String]) {
    let folder = text(folder);
    for some in jobs.chunks(50) {
        let jobs: Vec<&str> = some.iter().map(String::as_str).collect();
        run(&[&["jobs", "run", folder.as_str()], jobs.as_slice()].concat()).exits(0);
    }
}

/// Does all jobs, those that are handed back as well, the last first; how many there were.
fn do_all(folder: &Path) -> usize {
    let mut done = 0;
    loop {
        let mut jobs = missing(folder);
        if jobs.is_empty() {
            return done;
        }
        jobs.reverse();
        done += jobs.len();
        do_jobs(folder, &jobs);
    }
}

const QUICKSORT: &[&str] = &["--call", SORT, "--size", "6"];

/// Large enough to be shared out among as many as are asked for.
const LARGER: &[&str] = &["--call", SORT, "--size", "7"];

#[test]
fn any_number_of_jobs_gives_the_bytes_of_the_plain_walk() {
    let cases = [
        ("quicksort", QUICKSORT),
        ("insertion_sort", &["--call", SORT, "--size", "6"]),
        // Paths that trap, in the middle of others.
        ("trap_division", &["--call", "shares(&i32[n], n)", "--size", "8"]),
        ("recursive_descent", &["--size", "4"]),
        // Paths that differ by an address alone are one, whatever job they are in.
        ("hash_table", &["--call", "run()", "--size", "3"]),
        // Switches, several sizes, another cost.
        ("wat_br_table", &["--size", "1..=4", "--cost", "instructions"]),
        ("quicksort", &["--call", SORT, "--size", "3..=5", "--cost", "decisions"]),
    ];
    for (number, (name, how)) in cases.into_iter().enumerate() {
        let case = Case::new(name, how);
        let plain = case.plain();
        for jobs in ["1", "3", "17", "200"] {
            let folder = folder(&format!("{number}-{jobs}"));
            case.plan(&folder, jobs, "500M");
            let count = do_all(&folder);
            assert!(count >= 1, "{name}: {jobs} jobs");
            assert_eq!(gathered(&folder), plain, "{name} {how:?} in {count} of {jobs} jobs");
        }
    }
}

#[test]
fn as_many_jobs_are_planned_as_were_asked_for() {
    let case = Case::new("quicksort", &["--call", SORT, "--size", "7"]);
    for jobs in ["1", "3", "17", "200"] {
        let folder = folder(&format!("count-{jobs}"));
        case.plan(&folder, jobs, "500M");
        assert_eq!(missing(&folder).len().to_string(), jobs);
    }
}

#[test]
fn a_job_beyond_its_share_hands_its_rest_back() {
    for (name, how) in [("quicksort", LARGER), ("hash_table", &["--call", "run()", "--size", "3"])]
    {
        let case = Case::new(name, how);
        let folder = folder(&format!("share-{name}"));
        case.plan(&folder, "3", "20k");
        let planned = missing(&folder);
        do_jobs(&folder, &planned);
        let handed = missing(&folder);
        if name == "quicksort" {
            assert!(handed.iter().any(|job| job.contains('.')), "nothing was handed back");
            let partial = gathered(&folder);
            assert_eq!((&partial["complete"], &partial["exact"]), (&false.into(), &false.into()));
            let findings = partial["findings"].as_array().expect("a list");
            let told = findings.iter().find(|f| f["kind"] == "missing_jobs").expect("it is told");
            assert!(told["message"].to_string().contains(&handed[0]), "{told}");
        }
        do_all(&folder);
        assert_eq!(gathered(&folder), case.plain(), "{name}");
    }
}

#[test]
fn what_is_missing_is_said_and_nothing_is_exact_before_it_is_there() {
    let case = Case::new("quicksort", LARGER);
    let folder = folder("missing");
    case.plan(&folder, "5", "500M");
    let name = text(&folder);
    // Nothing at all: no answer.
    let ran = run(&["jobs", "gather", &name, "--json", "-"]).exits(3);
    assert!(ran.stderr.contains("5 of 5 jobs are missing"), "{}", ran.stderr);
    assert_eq!(ran.json()["exact"], false);
    for done in 1..=4 {
        run(&["jobs", "run", &name, &done.to_string()]).exits(0);
        let ran = run(&["jobs", "gather", &name, "--json", "-"]).exits(0);
        assert!(ran.stderr.contains("of 5 jobs are missing"), "{}", ran.stderr);
        assert_eq!(ran.json()["exact"], false, "{done} jobs of 5");
    }
    run(&["jobs", "run", &name, "5"]).exits(0);
    assert_eq!(gathered(&folder), case.plain());
}

#[test]
fn a_job_that_is_done_is_not_done_again() {
    let case = Case::new("quicksort", QUICKSORT);
    let folder = folder("again");
    case.plan(&folder, "3", "500M");
    let name = text(&folder);
    assert!(run(&["jobs", "run", &name, "2"]).exits(0).stdout.contains("job 2 is done"));
    assert!(run(&["jobs", "run", &name, "2"]).exits(0).stdout.contains("was done before"));
    // The same plan in the same folder is the one that is there; another is refused.
    case.plan(&folder, "3", "500M");
    assert_eq!(missing(&folder), ["1", "3"]);
    let other = ["jobs", "plan", &case.module, "--call", SORT, "--size", "5", "--out", &name];
    let ran = run(&other).exits(2);
    assert!(ran.stderr.contains("is of another plan for the same module"), "{}", ran.stderr);
}

#[test]
fn a_killed_job_leaves_nothing_half_done() {
    let case = Case::new("quicksort", &["--call", SORT, "--size", "7"]);
    let folder = folder("killed");
    case.plan(&folder, "4", "500M");
    let name = text(&folder);
    for job in ["1", "2", "3", "4"] {
        let mut child = command(&["jobs", "run", &name, job]).spawn().expect("it was built");
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }
    do_all(&folder);
    assert_eq!(gathered(&folder), case.plain());
}

/// Refused with one sentence that holds these words, before anything is printed.
fn refuses(args: &[&str], words: &str) {
    let ran = run(args).exits(2);
    assert_eq!(ran.stdout, "", "{args:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{args:?}: {}", ran.stderr);
    assert!(ran.stderr.contains(words), "{args:?} should say `{words}`: {}", ran.stderr);
}

#[test]
fn what_does_not_belong_together_is_refused_in_one_sentence() {
    let (sort, other) = (folder("ours"), folder("theirs"));
    Case::new("quicksort", QUICKSORT).plan(&sort, "3", "500M");
    Case::new("insertion_sort", &["--call", SORT, "--size", "5"]).plan(&other, "3", "500M");
    let (name, others) = (text(&sort), text(&other));
    refuses(&["jobs", "run", &name, "9"], "there is no job 9: 3 were planned");
    refuses(&["jobs", "run", &name, "1.1"], "job 1 is not done");
    refuses(&["jobs", "gather", &text(&folder("none"))], "there is no");
    // A job of another module.
    let job = sort.join("jobs/1.json");
    let sound = std::fs::read(&job).expect("it was planned");
    std::fs::copy(other.join("jobs/1.json"), &job).expect("it is there");
    refuses(&["jobs", "run", &name, "1"], "is of another module");
    // Of another version, which may be in another form.
    let of_another = String::from_utf8(sound.clone()).expect("it is JSON");
    let ours = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(&job, of_another.replace(&ours, "\"version\":\"0.0.9\"")).expect("written");
    refuses(&["jobs", "run", &name, "1"], "was made by pessimum 0.0.9");
    // Under the name of another job.
    std::fs::copy(sort.join("jobs/2.json"), &job).expect("it is there");
    refuses(&["jobs", "run", &name, "1"], "is not job 1 but job 2");
    // Cut, emptied, or no file at all.
    for damaged in [&sound[..sound.len() / 2], b"", b"{}\n{}", b"\xff\n"] {
        std::fs::write(&job, damaged).expect("written");
        refuses(&["jobs", "run", &name, "1"], "is damaged");
    }
    std::fs::remove_file(&job).expect("it was there");
    std::fs::create_dir(&job).expect("it can be made");
    refuses(&["jobs", "run", &name, "1"], "is damaged");
    std::fs::remove_dir(&job).expect("it was made");
    std::fs::write(&job, &sound).expect("written");
    // A result of another module.
    run(&["jobs", "run", &others, "1"]).exits(0);
    std::fs::copy(other.join("done/1.json"), sort.join("done/1.json")).expect("it is there");
    refuses(&["jobs", "gather", &name], "is of another module");
    refuses(&["jobs", "run", &name, "1"], "is of another module");
    std::fs::remove_file(sort.join("done/1.json")).expect("it was there");
    // Another module under the plan.
    std::fs::copy(other.join("module.wasm"), sort.join("module.wasm")).expect("it is there");
    refuses(&["jobs", "run", &name, "1"], "is not the module that the jobs were planned for");
}

#[test]
fn a_damaged_result_counts_as_missing_and_is_done_again() {
    let case = Case::new("quicksort", QUICKSORT);
    let folder = folder("damaged");
    case.plan(&folder, "3", "500M");
    do_all(&folder);
    let (name, file) = (text(&folder), folder.join("done/2.json"));
    let sound = std::fs::read_to_string(&file).expect("it was done");
    let edited = sound.replace("\"paths\":", "\"paths\":1");
    assert_ne!(sound, edited);
    for damaged in [&edited, &sound[..sound.len() / 2], "", "{}\n{}"] {
        std::fs::write(&file, damaged).expect("written");
        let ran = run(&["jobs", "gather", &name, "--json", "-"]).exits(0);
        assert!(ran.stderr.contains("the result of job 2 is damaged"), "{}", ran.stderr);
        assert_eq!(ran.json()["exact"], false);
        assert_eq!(missing(&folder), ["2"]);
        do_all(&folder);
        assert_eq!(gathered(&folder), case.plain());
    }
}

/// Changes where a job begins.
type Edit<'a> = &'a dyn Fn(&mut Value);

/// Edits a job as an enemy would, who knows how checksums are made: its file says what it is, and the plan names it.
#[test]
fn a_prefix_that_does_not_fit_fails_loudly() {
    let case = Case::new("quicksort", QUICKSORT);
    let folder = folder("strayed");
    case.plan(&folder, "3", "500M");
    let plan = std::fs::read_to_string(folder.join("plan.json")).expect("it was planned");
    let job = std::fs::read_to_string(folder.join("jobs/2.json")).expect("it was planned");
    let (header, content) = job.split_once('\n').expect("two lines");
    let content: Value = serde_json::from_str(content).expect("it is JSON");
    let first = |content: &Value| -> usize {
        let pieces = content["pieces"].as_array().expect("a list");
        pieces.iter().position(|piece| piece.get("left").is_some()).expect("something is left")
    };
    let at = first(&content);
    let change = |edit: &dyn Fn(&mut Value)| {
        let mut changed = content.clone();
        edit(&mut changed["pieces"][at]["left"]["subtree"]);
        let (header, sum) = sealed(header, &changed.to_string());
        std::fs::write(folder.join("jobs/2.json"), format!("{header}\n{changed}"))
            .expect("written");
        // The plan names the job by its checksum.
        let (plan_header, plan_content) = plan.split_once('\n').expect("two lines");
        let mut plan_content: Value = serde_json::from_str(plan_content).expect("it is JSON");
        plan_content["jobs"][0][1] = sum.into();
        let (plan_header, _) = sealed(plan_header, &plan_content.to_string());
        let plan = format!("{plan_header}\n{plan_content}");
        std::fs::write(folder.join("plan.json"), plan).expect("written");
    };
    let last =
        content["pieces"][at]["left"]["subtree"]["steps"].as_array().expect("a list").len() - 1;
    let edits: [(&str, Edit<'_>); 8] = [
        ("site", &|tree| tree["steps"][0][1] = 77.into()),
        ("side", &|tree| tree["steps"][last][2] = 5.into()),
        ("place", &|tree| tree["steps"][last][0] = 1_000_000.into()),
        ("digest", &|tree| tree["digest"] = "0".repeat(32).into()),
        ("gap", &|tree| drop(tree["steps"].as_array_mut().map(|steps| steps.remove(0)))),
        ("way", &|tree| {
            let taken = tree["steps"][0][2].as_u64().unwrap_or(0);
            tree["steps"][0][2] = (1 - taken).into();
        }),
        ("nothing", &|tree| tree["steps"] = Value::Array(Vec::new())),
        ("order", &|tree| {
            if let Some(steps) = tree["steps"].as_array_mut() {
                steps.reverse();
            }
        }),
    ];
    for (what, edit) in edits {
        change(edit);
        let ran = run(&["jobs", "run", &text(&folder), "2"]);
        assert_eq!(ran.code, 2, "{what}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("job 2 does not fit the program"), "{what}: {}", ran.stderr);
        assert!(!folder.join("done/2.json").exists(), "{what}: nothing is done");
    }
    change(&|_| {});
    do_all(&folder);
    assert_eq!(gathered(&folder), case.plain());
}

/// The header of a file with the checksum of other content, and that checksum.
fn sealed(header: &str, content: &str) -> (String, String) {
    let mut header: Value = serde_json::from_str(header).expect("it is JSON");
    let field = |name: &str| header[name].as_str().expect("a text").as_bytes().to_vec();
    let schema = header["schema"].as_u64().expect("a number") as u32;
    let mut parts = vec![schema.to_le_bytes().to_vec()];
    parts.extend(["version", "module", "plan", "kind"].map(field));
    parts.push(content.as_bytes().to_vec());
    let mut sum: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for part in &parts {
        for byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            sum = (sum ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    let sum = format!("{sum:032x}");
    header["checksum"] = sum.clone().into();
    (header.to_string(), sum)
}

/// Numbers of a file that was made to mislead add up to the largest there is, and not to a panic.
#[test]
fn results_that_cannot_be_true_make_no_panic() {
    let case = Case::new("quicksort", QUICKSORT);
    let folder = folder("absurd");
    case.plan(&folder, "3", "500M");
    do_all(&folder);
    let mut absurd = Vec::new();
    for job in ["1", "2", "3"] {
        let file = folder.join(format!("done/{job}.json"));
        let text = std::fs::read_to_string(&file).expect("it was done");
        let (header, content) = text.split_once('\n').expect("two lines");
        let mut content: Value = serde_json::from_str(content).expect("it is JSON");
        for field in ["paths", "trapped", "cut", "solver_calls", "work", "instructions"] {
            content["found"][field] = u64::MAX.into();
        }
        let (header, _) = sealed(header, &content.to_string());
        absurd.push((file, format!("{header}\n{content}")));
    }
    for (file, text) in absurd {
        std::fs::write(file, text).expect("written");
    }
    let ran = run(&["jobs", "gather", &text(&folder), "--json", "-"]).exits(0);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    assert_eq!(ran.json()["paths"], Value::Null, "more than a number of JSON holds");
}

#[test]
fn structures_are_not_shared_out() {
    let module = format!(
        "{}/../../corpus/structures/search_tree/search_tree.wasm",
        env!("CARGO_MANIFEST_DIR")
    );
    let call = ["--call", "search(&tree where rep_ok, i32)", "--size", "3"];
    let into = text(&folder("structures"));
    let plan = [&["jobs", "plan", &module], call.as_slice(), &["--out", &into]].concat();
    refuses(&plan, "a call over structures has a tree for each of them");
}
