//! The same call gives the same bytes for any number of workers, times excepted.

use super::world::{corpus, run};
use serde_json::Value;

/// Takes out what a clock put in, and the command line itself.
pub(crate) fn timeless(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            fields.remove("seconds");
            fields.remove("effort");
            fields.remove("parameters");
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

fn documents(job: &[&str]) -> [String; 3] {
    ["1", "2", "3"].map(|workers| {
        let mut document =
            run(&[job, &["--workers", workers, "--json", "-"]].concat()).exits(0).json();
        timeless(&mut document);
        document.to_string()
    })
}

#[test]
fn exploring() {
    for (name, call, size) in [
        ("quicksort", "sort(&i32[n], n)", "1..=7"),
        ("dijkstra", "shortest(&i32[n*n] in 0..=1000, n)", "4"),
        ("heap_insert", "run()", "6"),
        ("hash_table", "run()", "3"),
    ] {
        let module = corpus(name);
        let [one, two, three] = documents(&["explore", &module, "--call", call, "--size", size]);
        assert_eq!(one, two, "{name}");
        assert_eq!(one, three, "{name}");
    }
}

#[test]
fn analyzing() {
    let module = corpus("merge_sort");
    let [one, two, three] = documents(&[
        "analyze",
        &module,
        "--call",
        "sort(&i32[n], n)",
        "--train",
        "1..=7",
        "--sizes",
        "10,20",
        "--effort",
        "4s",
        "--time",
        "600s",
    ]);
    assert_eq!(one, two);
    assert_eq!(one, three);
}
