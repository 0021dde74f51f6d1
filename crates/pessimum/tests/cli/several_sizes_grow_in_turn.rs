//! `--vary`: a fit for each of several sizes, the others standing still.

use super::world::{module, run, scratch};

/// Looks for each of m values among n, to the end.
const LOOKUPS: &str = r#"(module (memory (export "memory") 1)
  (func (export "find_all") (param $a i32) (param $n i32) (param $b i32) (param $m i32) (result i32)
    (local $i i32) (local $j i32) (local $hits i32)
    (block $done (loop $outer
      (br_if $done (i32.ge_s (local.get $j) (local.get $m)))
      (local.set $i (i32.const 0))
      (block $found (loop $inner
        (br_if $found (i32.ge_s (local.get $i) (local.get $n)))
        (if (i32.eq (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2))))
                    (i32.load (i32.add (local.get $b) (i32.shl (local.get $j) (i32.const 2)))))
          (then (local.set $hits (i32.add (local.get $hits) (i32.const 1))) (br $found)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $inner)))
      (local.set $j (i32.add (local.get $j) (i32.const 1)))
      (br $outer)))
    (local.get $hits)))"#;

#[test]
fn each_has_its_own_formula() {
    let module = module("vary.wasm", LOOKUPS);
    let call = "find_all(&i32[n], n, &i32[m], m)";
    let job = ["analyze", &module, "--call", call, "--vary", "n=2,m=3", "--sizes", "6,9,12"];
    let document =
        run(&[job.as_slice(), &["--train", "0..=3", "--json", "-"]].concat()).exits(0).json();
    let axes = document["axes"].as_array().expect("axes");
    // By m, each value costs 2·(n + 1) conditionals less one for the last test, and one of its own.
    let found: Vec<_> = axes
        .iter()
        .map(|a| (a["axis"].as_str(), a["fixed"].clone(), a["result"]["fit"]["formula"].as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (Some("n"), serde_json::json!({ "m": 3 }), Some("6*n + 7")),
            (Some("m"), serde_json::json!({ "n": 2 }), Some("6*m + 1")),
        ]
    );
}

#[test]
fn each_has_its_own_page_and_folders() {
    let module = module("vary-beside.wasm", LOOKUPS);
    let folder = scratch("vary-beside");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
    let at = |name: &str| folder.join(name).display().to_string();
    let (page, inputs, saved) = (at("report.html"), at("inputs"), at("saved"));
    let call = "find_all(&i32[n], n, &i32[m], m)";
    let job = ["analyze", &module, "--call", call, "--vary", "n=2,m=3", "--sizes", "6,9"];
    let beside = ["--train", "0..=3", "--html", &page, "--inputs", &inputs, "--save", &saved];
    let ran = run(&[job.as_slice(), &beside].concat()).exits(0);
    for (axis, grows) in [("n", "n grows, m = 3"), ("m", "m grows, n = 2")] {
        let page = at(&format!("report-{axis}.html"));
        let shown = std::fs::read_to_string(&page).expect("a page for each");
        assert!(shown.contains(grows), "{page} says which size grows");
        let (inputs, saved) = (at(&format!("inputs/{axis}")), at(&format!("saved/{axis}")));
        let raw = std::fs::read_dir(format!("{inputs}/raw")).expect("inputs for each");
        let names: Vec<_> = raw.map(|e| e.expect("it can be read").file_name()).collect();
        let worst_of_9 = |n: &std::ffi::OsString| n.to_string_lossy().contains("-n9-");
        assert!(names.iter().any(worst_of_9), "{names:?}");
        let result = std::fs::read(format!("{saved}/result.json")).expect("a result for each");
        let result: serde_json::Value = serde_json::from_slice(&result).expect("JSON");
        assert!(result["fit"]["formula"].as_str().is_some_and(|f| f.contains(axis)), "{result:#}");
        for place in [&page, &inputs, &saved] {
            assert!(ran.stdout.contains(place), "no {place} in\n{}", ran.stdout);
        }
    }
    assert!(!folder.join("report.html").exists(), "no page is for all");
    assert!(!ran.stdout.contains("pessimum check"), "a check has no --vary:\n{}", ran.stdout);
}

#[test]
fn a_name_that_is_none_is_refused() {
    let module = module("vary-wrong.wasm", LOOKUPS);
    for (axes, what) in [("n,2m", "no name of a size"), ("n,n", "twice"), ("n=x", "not a size")] {
        let ran = run(&["analyze", &module, "--vary", axes]).exits(2);
        assert!(ran.stderr.contains(what), "{}", ran.stderr);
    }
}
