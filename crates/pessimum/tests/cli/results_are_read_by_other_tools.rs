//! Profiles for viewers, SARIF for editors, the source with costs, and text for terminals of every kind.

use super::world::{SORT, command, corpus, file, run, scratch};
use serde_json::Value;

/// An array of falling numbers, as raw bytes.
fn falling(name: &str, n: i32) -> String {
    file(name, (0..n).rev().flat_map(i32::to_le_bytes).collect::<Vec<u8>>())
}

#[test]
fn a_run_by_call_stack() {
    let (sort, input) = (corpus("quicksort"), falling("stacks.bin", 30));
    let place = |name: &str| scratch(name).display().to_string();
    let (folded, scope) = (place("run.folded"), place("run.speedscope.json"));
    let args = ["replay", &sort, "--call", SORT, &input, "--json", "-"];
    let files = ["--folded", &folded, "--speedscope", &scope];
    let document = run(&[&args[..], &files].concat()).exits(0).json();
    assert_eq!(document["warnings"], Value::Null, "both engines count the same");
    let text = std::fs::read_to_string(&folded).expect("it was written");
    let mut sum = 0;
    for line in text.lines() {
        let (stack, cost) = line.rsplit_once(' ').expect("a stack and a cost");
        assert!(stack.starts_with("sort"), "{line}");
        sum += cost.parse::<u64>().expect("a number");
    }
    assert_eq!(document["cost"], sum, "{text}");
    // By line it is what the other engine counts.
    let mut by_line = std::collections::BTreeMap::new();
    for line in text.lines() {
        let (stack, cost) = line.rsplit_once(' ').expect("a stack and a cost");
        let at = stack.rsplit(';').next().expect("a line").to_owned();
        *by_line.entry(at).or_insert(0) += cost.parse::<u64>().expect("a number");
    }
    for line in document["lines"].as_array().expect("lines") {
        let at = line["at"].as_str().expect("a place");
        assert_eq!(by_line.get(at).copied(), line["cost"].as_u64(), "{at} in {text}");
    }
    assert!(by_line.keys().any(|at| at.starts_with("quicksort.c:")), "{text}");
    let scope = std::fs::read_to_string(&scope).expect("it was written");
    let scope: Value = serde_json::from_str(&scope).expect("it is JSON");
    assert_eq!(scope["profiles"][0]["endValue"], sum);
    let samples = scope["profiles"][0]["samples"].as_array().map(Vec::len);
    assert_eq!(samples, scope["profiles"][0]["weights"].as_array().map(Vec::len));
}

/// A field of a message in the encoding of protocol buffers.
#[derive(Clone, Debug)]
enum Field {
    Number(u64),
    Bytes(Vec<u8>),
}

/// Seven bits a byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> u64 {
    let end = bytes.iter().position(|byte| byte & 0x80 == 0).expect("a number ends");
    let (own, rest) = bytes.split_at(end + 1);
    *bytes = rest;
    own.iter().rev().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f))
}

/// The fields of a message, by number.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (own, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(own.to_vec())
            }
            other => panic!("a profile has no fields of type {other}"),
        };
        found.push((key >> 3, value));
    }
    found
}

/// The texts, messages or packed lists of a field.
fn parts(message: &[u8], field: u64) -> Vec<Vec<u8>> {
    let own = fields(message).into_iter().filter(|(number, _)| *number == field);
    own.map(|(_, value)| match value {
        Field::Bytes(bytes) => bytes,
        Field::Number(number) => panic!("field {field} is the number {number}"),
    })
    .collect()
}

/// The only number of a field.
fn number(message: &[u8], field: u64) -> u64 {
    let found = fields(message).into_iter().find(|(number, _)| *number == field);
    match found.unwrap_or_else(|| panic!("no field {field}")).1 {
        Field::Number(number) => number,
        Field::Bytes(_) => panic!("field {field} is no number"),
    }
}

fn list(message: &[u8], field: u64) -> Vec<u64> {
    let packed = parts(message, field).concat();
    let (mut rest, mut all) = (packed.as_slice(), Vec::new());
    while !rest.is_empty() {
        all.push(varint(&mut rest));
    }
    all
}

#[test]
fn a_run_as_pprof_reads_it() {
    let (sort, input) = (corpus("quicksort"), falling("pprof.bin", 30));
    let place = |name: &str| scratch(name).display().to_string();
    let (folded, pprof) = (place("pprof.folded"), place("run.pprof"));
    let args = ["replay", &sort, "--call", SORT, &input, "--json", "-"];
    let document = run(&[&args[..], &["--folded", &folded, "--pprof", &pprof]].concat());
    let document = document.exits(0).json();
    let profile = std::fs::read(&pprof).expect("it was written");
    let strings: Vec<String> = parts(&profile, 6)
        .into_iter()
        .map(|text| String::from_utf8(text).expect("strings are UTF-8"))
        .collect();
    assert_eq!(strings[0], "", "the first string is empty");
    let text = |message: &[u8], field| strings[number(message, field) as usize].clone();
    let kind = &parts(&profile, 1)[0];
    assert_eq!((text(kind, 1), text(kind, 2)), ("conditionals".to_owned(), "count".to_owned()));
    let by_id = |field| -> std::collections::BTreeMap<u64, Vec<u8>> {
        parts(&profile, field).into_iter().map(|part| (number(&part, 1), part)).collect()
    };
    let (locations, functions) = (by_id(4), by_id(5));
    // The stacks of the profile are those of the folded lines, one for one.
    let mut lines = String::new();
    for sample in parts(&profile, 2) {
        let mut names = Vec::new();
        for id in list(&sample, 1) {
            let line = parts(&locations[&id], 4).concat();
            let function = &functions[&number(&line, 1)];
            if number(&line, 2) > 0 {
                names.push(format!("{}:{}", text(function, 4), number(&line, 2)));
            }
            names.push(text(function, 2));
        }
        names.reverse();
        lines.push_str(&format!("{} {}\n", names.join(";"), list(&sample, 2)[0]));
    }
    let sum = |text: &str| -> std::collections::BTreeMap<String, u64> {
        let mut all = std::collections::BTreeMap::new();
        for line in text.lines() {
            let (stack, cost) = line.rsplit_once(' ').expect("a stack and a cost");
            *all.entry(stack.to_owned()).or_default() += cost.parse::<u64>().expect("a number");
        }
        all
    };
    let kept = std::fs::read_to_string(&folded).expect("it was written");
    assert_eq!(sum(&lines), sum(&kept));
    assert_eq!(document["cost"], sum(&lines).values().sum::<u64>());
    assert!(lines.contains("quicksort.c:"), "{lines}");
}

#[test]
fn the_source_with_what_each_line_cost() {
    let (sort, input) = (corpus("insertion_sort"), falling("annotate.bin", 20));
    let ran = run(&["replay", &sort, "--call", SORT, &input, "--annotate"]).exits(0);
    let source = ran.stdout.split("insertion_sort.c\n").nth(1).expect("the file is shown");
    let hot = source.lines().find(|line| line.contains("a[j] > x")).expect("the line is shown");
    assert!(
        hot.contains('%') && hot.trim_start().starts_with(|c: char| c.is_ascii_digit()),
        "{hot}"
    );
    // Nothing was asked for, nothing is shown.
    let plain = run(&["replay", &sort, "--call", SORT, &input]).exits(0);
    assert!(!plain.stdout.contains("insertion_sort.c\n"), "{}", plain.stdout);
}

#[test]
fn findings_and_broken_rules_as_sarif() {
    let place = scratch("findings.sarif").display().to_string();
    let module = corpus("trap_division");
    let call = "shares(&i32[n], n)";
    let args = ["analyze", &module, "--call", call, "--sizes", "3", "--train", "1..=2"];
    run(&[&args[..], &["--sarif", &place]].concat()).exits(0);
    let read = || {
        let text = std::fs::read_to_string(&place).expect("it was written");
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    };
    let document = read();
    assert_eq!(document["version"], "2.1.0");
    let results = document["runs"][0]["results"].as_array().expect("results").clone();
    let trap = results.iter().find(|r| r["ruleId"] == "trap").expect("it divides by zero");
    let at = &trap["locations"][0]["physicalLocation"];
    let file = at["artifactLocation"]["uri"].as_str().expect("a file");
    assert!(file.ends_with("trap_division.c"), "{file}");
    assert!(at["region"]["startLine"].as_u64().is_some_and(|line| line > 1), "{at}");

    let sort = corpus("insertion_sort");
    let rule = ["--max-cost", "n=10:99", "--sizes", "5,10", "--sarif", &place];
    run(&[&["check", &sort, "--call", SORT][..], &rule].concat()).exits(1);
    let document = read();
    let result = &document["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"worse".into(), &"error".into()));
    let text = result["message"]["text"].as_str().expect("a sentence");
    assert!(text.starts_with("n=10: at most 99: cost 100 is more than 99"), "{text}");
}

#[test]
fn a_locale_without_unicode_gets_ascii_and_lines_fit() {
    let sort = corpus("insertion_sort");
    let args = ["analyze", &sort, "--call", SORT, "--sizes", "5,10,20", "--train", "1..=4"];
    let ran = command(&args).env("LC_ALL", "C").env("COLUMNS", "10").output().expect("it runs");
    assert!(ran.stdout.is_ascii() && ran.stderr.is_ascii());
    let text = String::from_utf8(ran.stdout).expect("it is ASCII");
    assert!(text.contains("O(n^2)"), "{text}");
    // Not narrower than tables can be, and commands stay whole.
    let table = text.lines().take_while(|line| !line.starts_with("Next"));
    let widest = table.map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|columns| (40..=60).contains(&columns)), "{widest:?}\n{text}");
}
