//! What the README says of real programs is in `docs/real-programs.md`, and what it says of fuzzers in `docs/fuzzers.md`;
//! scripts make both.

use std::path::Path;

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The cells of each row of a table whose heading has these cells first.
fn rows(text: &str, heading: &[&str]) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_matches('|');
        inner.split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = text.lines().skip_while(|line| {
        !line.starts_with('|') || !cells(line).iter().zip(heading).all(|(a, b)| a == b)
    });
    lines.nth(1);
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

#[test]
fn the_readme_tells_what_was_measured() {
    let finds = rows(&read("README.md"), &["program", "what", "found"]);
    let measured = rows(&read("docs/real-programs.md"), &["program", "target", "known", "found"]);
    assert!(finds.len() >= 3 && measured.len() > 50, "{} and {}", finds.len(), measured.len());
    for find in &finds {
        // program, target, found, n, cost, random
        let told = |row: &&Vec<String>| [0, 1, 3, 4, 7, 9].map(|i| row[i].clone());
        let same = measured.iter().any(|row| told(&row).as_slice() == find.as_slice());
        assert!(same, "{find:?} is not in docs/real-programs.md");
    }
}

#[test]
fn the_readme_tells_what_fuzzers_find() {
    let told = rows(&read("README.md"), &["program, 1,000 bytes", "pessimum"]);
    let heading = ["program", "begin", "random", "known", "pessimum"];
    let measured = rows(&read("docs/fuzzers.md"), &heading);
    assert_eq!((told.len(), measured.len()), (8, 8));
    for (told, measured) in told.iter().zip(&measured) {
        // program, pessimum, AFL++, libFuzzer, PerfFuzz-like
        assert_eq!(told.as_slice(), [0, 4, 5, 6, 7].map(|i| measured[i].clone()));
    }
}
