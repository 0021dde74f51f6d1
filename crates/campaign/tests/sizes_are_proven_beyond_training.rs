//! Beyond the sizes that can be enumerated, the ladder is climbed by proof: each state is walked once, and
//! the worst of all paths is known all the same.

use crate::programs::over_bytes;
use pessimum_campaign::{Analysis, AnalysisResult, Method, Program};
use pessimum_explore::{Count, Merge};
use pessimum_report::document::{self, Basis, Size};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn corpus(name: &str) -> Program {
    called(name, "sort(&i32[n], n)")
}

fn called(name: &str, call: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let bytes = std::fs::read(root.join(name).join(format!("{name}.wasm"))).expect("it is there");
    let program = Program::new(name, bytes).expect("it is a module");
    program.call(call).expect("it can be called")
}

/// Five rounds for a one; as many rounds as there were twos for a two: ones are dearer below ten bytes.
const OVERTAKEN: &str = r#"
    (if (i32.eq (local.get $x) (i32.const 1)) (then (call $work (i32.const 5))))
    (if (i32.eq (local.get $x) (i32.const 2))
      (then
        (local.set $r (i32.add (local.get $r) (i32.const 1)))
        (call $work (local.get $r))))"#;

/// The same work on any machine; the hard stop is far away.
fn analysis(program: Program) -> Analysis {
    Analysis::of(program).effort(Duration::from_secs(8)).time(Duration::from_secs(900))
}

fn rows(result: &AnalysisResult) -> Vec<&Size> {
    let document = &result.document;
    let mut rows: Vec<&Size> = document.sizes.iter().chain(&document.training).collect();
    rows.sort_by_key(|size| size.n);
    rows
}

/// The exact sizes that a merged walk has proven.
fn merged(result: &AnalysisResult) -> Vec<u64> {
    let proven = rows(result).into_iter().filter(|s| s.exact && s.method == Method::Merged);
    proven.map(|s| s.n).collect()
}

fn factorial(n: u64) -> String {
    let mut product = Count::from(1);
    for factor in 2..=n {
        let one = product.clone();
        (1..factor).for_each(|_| product.add(&one));
    }
    product.to_string()
}

#[test]
fn insertion_sort_is_exact_where_there_are_more_paths_than_atoms() {
    let result = analysis(corpus("insertion_sort")).run().expect("it ends");
    let proven = merged(&result);
    assert!(proven.last() >= Some(&30), "{proven:?}");
    for n in [12, 16, 20, 24] {
        assert!(proven.contains(&n), "n = {n} is a step of the ascent: {proven:?}");
    }
    for size in rows(&result).iter().filter(|s| s.exact) {
        assert_eq!(size.worst_cost, Some(size.n * size.n), "n = {}", size.n);
        // Where half of the work is done, the rest is for the worst case alone.
        let paths = size.paths_exact.as_deref();
        assert!(paths == Some(factorial(size.n).as_str()) || (paths.is_none() && size.n > 24));
        assert!(size.replayed.is_some() && size.input.is_some(), "n = {}", size.n);
        let told_apart = size.effort.states > 0 && size.effort.reuses > 0;
        assert_eq!(told_apart, size.method == Method::Merged, "n = {}", size.n);
    }
    // A policy is held against every one of them.
    let policy = result.policy.as_ref().expect("small sizes teach a policy");
    assert!(policy.validated);
    let not_held = proven.iter().find(|n| !policy.validated_on.contains(n));
    assert_eq!(not_held, None, "{:?}", policy.validated_on);
    assert!(proven.iter().all(|n| !policy.trained_on.contains(n)));
    assert_eq!(result.document.fit.basis, Basis::Validated);
    assert_eq!(result.document.fit.formula.as_deref(), Some("n^2"));
}

#[test]
fn merge_sort_is_exact_where_no_policy_reaches_its_worst_case() {
    let result = analysis(corpus("merge_sort")).run().expect("it ends");
    let proven = merged(&result);
    assert!(proven.last() >= Some(&30), "{proven:?}");
    assert_eq!(result.class().map(|c| c.to_string()).as_deref(), Some("n*log(n)"));
    // What the policy of small sizes misses by little, a proof sees.
    let policy = result.policy.as_ref().expect("small sizes teach a policy");
    let missed = proven.iter().any(|n| !policy.validated_on.contains(n));
    assert_eq!(policy.validated, !missed, "{:?}", policy.validated_on);
    let short = result.document.findings.iter().any(|f| f.kind == "policy_shortfall");
    assert_eq!(short, missed);
}

/// The end of a record is met in training, but on no worst path: a run that comes there meets nothing new.
#[test]
fn a_branch_off_the_worst_path_is_not_new() {
    let result = analysis(called("csv_split", "split(&u8[n], n)")).run().expect("it ends");
    let policy = result.policy.as_ref().expect("small sizes teach a policy");
    assert!(policy.validated, "{} {:?}", policy.why, policy.validated_on);
    let kinds: Vec<&str> = result.document.findings.iter().map(|f| f.kind.as_str()).collect();
    assert!(!kinds.contains(&"unseen_site"), "{kinds:?}");
    assert_eq!(result.document.fit.basis, Basis::Validated);
    assert_eq!(result.class().map(|c| c.to_string()).as_deref(), Some("n"));
}

/// The switch is at 20: what is learned below it is wrong above.
#[test]
fn a_switch_of_algorithm_is_crossed_by_proof() {
    let result = analysis(corpus("hybrid_sort")).run().expect("it ends");
    let proven = merged(&result);
    let cost = |n: u64| {
        let size = rows(&result).into_iter().find(|s| s.n == n && s.exact);
        size.and_then(|s| s.worst_cost)
    };
    assert!(proven.contains(&24) && proven.contains(&25), "{proven:?}");
    assert_eq!([16, 20, 24].map(cost), [272, 322, 434].map(Some));
    let policy = result.policy.as_ref().map(|p| (p.validated, p.validated_on.last().copied()));
    if let Some((true, last)) = policy {
        assert_eq!(last, proven.last().copied(), "one that is validated holds at all of them");
    }
}

#[test]
fn a_policy_that_falls_short_of_a_proof_is_refuted() {
    let run = |merge| {
        let analysis = analysis(over_bytes(OVERTAKEN)).train(1..=6).sizes([8, 16, 24]);
        analysis.merge(merge).run().expect("it ends")
    };
    let result = run(Merge::On);
    assert!(merged(&result).contains(&24), "{:?}", merged(&result));
    for size in rows(&result).iter().filter(|s| s.exact) {
        // With k twos the last one takes k rounds; a round more is asked whether there is one.
        let ones = 6 * size.n;
        let twos = (1..=size.n).map(|k| k + 1).sum::<u64>();
        let mixed = |k: u64| 6 * (size.n - k) + (1..=k).map(|r| r + 1).sum::<u64>();
        let most = (0..=size.n).map(mixed).max();
        assert!(most >= Some(ones.max(twos)));
        let branches = 3 * size.n + 1;
        assert_eq!(size.worst_cost, most.map(|m| m + branches), "n = {}", size.n);
    }
    // What small sizes teach does not reach these.
    let policy = result.policy.as_ref().expect("six sizes teach a policy");
    let holds = policy.validated_on.contains(&24);
    assert_eq!(policy.validated, holds, "{} {:?}", policy.why, policy.validated_on);
    if !holds {
        assert!(result.document.findings.iter().any(|f| f.kind == "policy_shortfall"));
    }
}

/// Where the policies of small sizes are refuted and proofs alone tell the class, a search could only add
/// lower bounds: nothing is run beyond but the attack.
#[test]
fn a_class_that_proofs_tell_is_proven() {
    let result = analysis(over_bytes(OVERTAKEN)).run().expect("it ends");
    let fit = &result.document.fit;
    assert_eq!((fit.basis, fit.class.as_deref()), (Basis::Proven, Some("n^2")), "{}", fit.summary);
    assert!(rows(&result).iter().all(|size| size.exact));
    assert!(merged(&result).last() >= Some(&32), "{:?}", merged(&result));
    let refuting = result.document.refuting.as_ref().expect("the claim was attacked");
    assert!(refuting.runs > 0);
}

/// Nothing is known better without proofs.
#[test]
fn without_merging_no_claim_is_stronger_and_no_cost_is_greater() {
    let programs = [corpus("insertion_sort"), corpus("merge_sort"), over_bytes(OVERTAKEN)];
    for program in programs {
        let run = |merge| {
            let analysis = analysis(program.clone()).train(1..=6).sizes([10, 16, 20, 24]);
            analysis.merge(merge).run().expect("it ends")
        };
        let (on, off) = (run(Merge::On), run(Merge::Off));
        assert_eq!(merged(&off), [0; 0], "{}", program.name());
        assert!(on.document.fit.basis <= off.document.fit.basis, "{}", on.document.fit.summary);
        for size in rows(&on) {
            let Some(other) = rows(&off).into_iter().find(|s| s.n == size.n) else { continue };
            assert!(size.worst_cost >= other.worst_cost, "{} at n = {}", program.name(), size.n);
            assert!(size.exact || !other.exact, "{} at n = {}", program.name(), size.n);
        }
    }
}

/// A depth is no sum: two states may not be added up.
#[test]
fn costs_that_do_not_add_up_are_not_merged() {
    for cost in ["stack", "decisions", "heap"] {
        let cost = pessimum_entry::CostModel::parse(cost, |_| Err(String::new())).expect("a model");
        let run = analysis(corpus("insertion_sort")).cost(cost).train(1..=5).sizes([12]).run();
        let result = run.expect("it ends");
        assert_eq!(merged(&result), [0; 0]);
        let told = result.document.findings.iter().any(|f| f.message.contains("merg"));
        assert!(!told, "nothing is said of it");
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pessimum-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// The document without what the machine and the way of the walk decide.
fn timeless(result: &AnalysisResult) -> String {
    let mut document = result.document.clone();
    for size in document.sizes.iter_mut().chain(&mut document.training) {
        size.effort = document::Effort::default();
    }
    serde_json::to_string(&document).expect("a document is JSON")
}

#[test]
fn a_result_is_read_back_and_a_run_goes_on_from_its_proofs() {
    let kept = folder("proofs");
    let run = |workers| {
        let analysis = analysis(corpus("insertion_sort")).train(1..=6).sizes([12, 20, 24]);
        analysis.workers(workers).save(&kept).run().expect("it ends")
    };
    let first = run(1);
    assert_eq!(
        first.document.sizes.iter().map(|s| s.method).collect::<Vec<_>>(),
        [Method::Merged, Method::Merged, Method::Merged]
    );
    let text = serde_json::to_string(&first.document).expect("a document is JSON");
    assert!(text.contains(r#""method":"merged""#) && text.contains(&factorial(24)));
    let read: document::Analysis = document::parse(text.as_bytes()).expect("it is read back");
    let last = read.sizes.last().expect("three sizes");
    assert_eq!((last.paths, last.paths_exact.as_deref()), (None, Some(factorial(24).as_str())));
    // Nothing but the proofs is left of it: they are taken up, for any number of workers.
    let steps = std::fs::read_dir(kept.join("steps")).expect("steps were kept");
    let mut proofs = 0;
    for step in steps.map(|step| step.expect("a file").path()) {
        match step.file_name().is_some_and(|name| name.to_string_lossy().starts_with("proof-")) {
            true => proofs += 1,
            false => std::fs::remove_file(step).expect("it can be removed"),
        }
    }
    assert!(proofs >= 3, "{proofs} proofs were kept");
    assert_eq!(timeless(&run(3)), timeless(&first));
    let _ = std::fs::remove_dir_all(kept);
}

/// Every reuse is walked again where somebody asks for it, and none is wrong.
#[test]
fn proofs_can_be_verified() {
    let analysis = analysis(corpus("insertion_sort")).train(1..=5).sizes([6, 7]);
    let result = analysis.merge(Merge::Verify).run().expect("it ends");
    assert_eq!(merged(&result), [6, 7]);
    assert!(result.document.findings.iter().all(|f| f.kind != "wrongly_merged"));
}
