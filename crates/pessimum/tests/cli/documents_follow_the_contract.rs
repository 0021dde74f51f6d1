//! `--json -` prints one document and nothing else, with the fields that scripts rely on.

use super::world::{SORT, corpus, run, scratch};
use serde_json::{Value, json};

fn has(document: &Value, fields: &[&str]) {
    for field in fields {
        assert!(document.get(field).is_some(), "no `{field}` in {document:#}");
    }
}

#[test]
fn analyze() {
    let sort = corpus("insertion_sort");
    let ran = run(&["analyze", &sort, "--call", SORT, "--sizes", "5,30", "--json", "-"]).exits(0);
    let document = ran.json();
    assert_eq!(document["schema"], 2);
    assert_eq!(document["cost_model"], "conditionals");
    has(&document, &["program", "sizes", "training", "fit", "policy", "findings"]);

    let fit = &document["fit"];
    assert_eq!(fit["class"], "n^2");
    assert_eq!(fit["formula"], "n^2");
    assert_eq!(fit["interpolates"], true);
    assert_eq!((&fit["basis"], &fit["bound"]), (&json!("proven"), &json!("exact")));
    assert_eq!(document["cost_independent_of_input"], false);
    has(fit, &["r2", "candidates"]);

    let policy = &document["policy"];
    assert_eq!(policy["validated"], true);
    has(policy, &["kind", "validated_on", "sites"]);

    let asked: Vec<&Value> = document["sizes"].as_array().into_iter().flatten().collect();
    assert_eq!(asked.iter().map(|s| &s["n"]).collect::<Vec<_>>(), [&json!(5), &json!(30)]);
    assert_eq!(asked[0]["exact"], true);
    assert_eq!((&asked[0]["paths"], &asked[0]["paths_exact"]), (&json!(120), &json!("120")));
    assert_eq!(asked[0]["input"]["values"], json!([4, 3, 2, 1, 0]));
    assert_eq!(asked[1]["worst_cost"], 900);
    // Every state was walked: 30! paths are more than a number of JSON holds.
    assert_eq!((&asked[1]["method"], &asked[1]["exact"]), (&json!("merged"), &json!(true)));
    let factorial = json!("265252859812191058636308480000000");
    assert_eq!((&asked[1]["paths"], &asked[1]["paths_exact"]), (&Value::Null, &factorial));
    for size in asked.iter().copied().chain(document["training"].as_array().into_iter().flatten()) {
        has(size, &["n", "worst_cost", "exact", "paths", "paths_exact", "method"]);
        has(&size["effort"], &["solver_calls", "states", "reuses", "seconds"]);
        has(&size["random_cost"], &["mean", "max", "samples"]);
        has(&size["instructions"], &["worst", "random_mean"]);
        has(&size["input"], &["values", "bytes"]);
        assert_eq!(size["replayed"], "cost");
    }
}

#[test]
fn explore_one_size() {
    let sort = corpus("insertion_sort");
    let document =
        run(&["explore", &sort, "--call", SORT, "--size", "5", "--json", "-"]).exits(0).json();
    let expected = json!({
        "schema": 2, "n": 5, "paths": 120, "trapped": 0, "cut": 0, "complete": true,
        "worst_cost": 25, "address_forks": 0, "solver_calls": 238, "tests_omitted": 0,
    });
    for (field, value) in expected.as_object().into_iter().flatten() {
        assert_eq!(&document[field], value, "{field}");
    }
    let tests = document["tests"].as_array().expect("a list of tests");
    assert_eq!(tests.len(), 120);
    let mut inputs: Vec<String> = tests.iter().map(|t| t["input"]["bytes"].to_string()).collect();
    inputs.sort();
    inputs.dedup();
    assert_eq!(inputs.len(), 120, "one input for each path");
    assert!(tests.iter().all(|t| t["end"] == "normal" && t["replayed"] == "cost"));
}

#[test]
fn explore_a_range() {
    let sort = corpus("insertion_sort");
    let args = ["explore", &sort, "--call", SORT, "--size", "1..=3", "--json", "-"];
    let document = run(&args).exits(0).json();
    assert_eq!(document["schema"], 2);
    let results = document["results"].as_array().expect("one result for each size");
    assert_eq!(results.iter().map(|r| &r["n"]).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(results.iter().map(|r| &r["paths"]).collect::<Vec<_>>(), [1, 2, 6]);
}

#[test]
fn explore_keeps_no_more_tests_than_asked() {
    let sort = corpus("insertion_sort");
    let args = ["explore", &sort, "--call", SORT, "--size", "5", "--max-tests", "7", "--json", "-"];
    let document = run(&args).exits(0).json();
    assert_eq!(document["tests"].as_array().map(Vec::len), Some(7));
    assert_eq!(document["tests_omitted"], 113);
    assert_eq!(document["tests"][0]["cost"], 25, "the dearest come first");
}

#[test]
fn an_empty_array_is_a_size() {
    let sort = corpus("insertion_sort");
    let args = ["explore", &sort, "--call", SORT, "--size", "0", "--json", "-"];
    let document = run(&args).exits(0).json();
    assert_eq!((&document["n"], &document["paths"]), (&json!(0), &json!(1)));
}

#[test]
fn a_written_input_replays_to_the_cost_in_its_name() {
    let sort = corpus("insertion_sort");
    let dir = scratch("inputs_to_replay");
    let inputs = dir.display().to_string();
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "12", "--inputs", &inputs];
    run(&args).exits(0);
    for file in ["raw/insertion_sort-n12-cost144.bin", "json/insertion_sort-n12-cost144.json"] {
        let input = dir.join(file).display().to_string();
        let document =
            run(&["replay", &sort, "--call", SORT, &input, "--json", "-"]).exits(0).json();
        assert_eq!(document["schema"], 2);
        assert_eq!((&document["n"], &document["cost"]), (&json!(12), &json!(144)));
        assert_eq!(document["end"], "normal");
        has(&document, &["functions", "lines"]);
    }
    for file in ["c/insertion_sort-n12-cost144.c", "rust/insertion_sort-n12-cost144.rs"] {
        assert!(dir.join(file).exists(), "{file}");
    }
}
