//! `--call 'search(&tree where rep_ok, i32)'`: every valid structure, none that is not.

use super::world::{Ran, file, run, scratch};
use pessimum::{CostModel, InputValues, Program};
use pessimum_entry::{InputReader, Slot, Type};
use pessimum_replay::{End, Input, Instrumented, Limits, Replayer, RunOutcome};
use serde_json::Value;
use std::path::Path;

const SEARCH: &str = "search(&tree where rep_ok, i32)";

fn structures(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/structures");
    root.join(name).join(format!("{name}.wasm")).display().to_string()
}

/// Runs a call in the independent engine.
struct Judge {
    program: Program,
    replayer: Replayer,
}

impl Judge {
    fn new(name: &str, call: &str) -> Judge {
        let bytes = std::fs::read(structures(name)).expect("the corpus is there");
        let program = Program::new(name, bytes).and_then(|p| p.call(call)).expect("it fits");
        let copy = Instrumented::new(program.bytes(), &CostModel::Conditionals, &[]);
        let replayer = Replayer::new(&copy.expect("it can be counted"), Limits::default());
        Judge { program, replayer: replayer.expect("it can be run") }
    }

    fn run(&self, n: u64, input: &InputValues) -> RunOutcome {
        let setup = self.program.setup(n).expect("a size");
        let ran = self.replayer.run(&setup.invocation, &setup.sizes, Input::Values(input));
        let outcome = ran.expect("the input fits");
        assert_eq!(outcome.end, End::Normal);
        outcome
    }

    /// Whether the call returns anything but zero on the structure that the values begin with.
    fn accepts(&self, n: u64, values: &Value) -> bool {
        let setup = self.program.setup(n).expect("a size");
        let pessimum_entry::Invocation::Call(call) = &setup.invocation else { panic!("a call") };
        let list = values.as_array().expect("a list of values");
        let (input, _) = call.read(&mut InputReader::Json(list.iter())).expect("a structure");
        self.run(n, &input).results[0].1 != 0
    }
}

/// A binary tree of the test's own making.
#[derive(Clone)]
struct Node {
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
    red: bool,
}

type Link = Option<Box<Node>>;

/// Every shape with every colouring.
fn trees(size: usize, colours: &[bool]) -> Vec<Link> {
    if size == 0 {
        return vec![None];
    }
    let mut all = Vec::new();
    for left in 0..size {
        for l in trees(left, colours) {
            for r in trees(size - 1 - left, colours) {
                for &red in colours {
                    let (left, right) = (l.clone(), r.clone());
                    all.push(Some(Box::new(Node { left, right, red })));
                }
            }
        }
    }
    all
}

/// The black height of a red-black tree; `None` if it is none.
fn black_height(tree: &Link) -> Option<u32> {
    let Some(node) = tree else { return Some(0) };
    let heights = (black_height(&node.left)?, black_height(&node.right)?);
    let red = |link: &Link| link.as_ref().is_some_and(|n| n.red);
    let clash = node.red && (red(&node.left) || red(&node.right));
    (heights.0 == heights.1 && !clash).then(|| heights.0 + u32::from(!node.red))
}

/// The inputs of a tree whose keys ascend from 1, as the guide says they come; a byte for the
/// colour if there is one.
fn inputs(tree: &Link, coloured: bool) -> InputValues {
    fn put(out: &mut InputValues, node: &Node, next: &mut u64, coloured: bool) {
        // Keys are numbered in order, values written root first.
        fn count(link: &Link) -> u64 {
            link.as_ref().map_or(0, |n| 1 + count(&n.left) + count(&n.right))
        }
        let first = *next;
        let key = first + count(&node.left);
        for link in [&node.left, &node.right] {
            out.push(Slot::any(Type::U8), u64::from(link.is_some()));
        }
        out.push(Slot::any(Type::I32), key);
        if coloured {
            out.push(Slot::any(Type::U8), u64::from(node.red));
        }
        if let Some(left) = &node.left {
            put(out, left, next, coloured);
        }
        *next = key + 1;
        if let Some(right) = &node.right {
            put(out, right, next, coloured);
        }
    }
    let mut out = InputValues::new();
    out.push(Slot::any(Type::U8), u64::from(tree.is_some()));
    if let Some(node) = tree {
        put(&mut out, node, &mut 1, coloured);
    }
    out
}

/// The greatest cost of a look-up of any key in any of the trees.
fn brute_force(judge: &Judge, trees: &[Link], coloured: bool) -> u64 {
    let mut worst = 0;
    for tree in trees {
        let structure = inputs(tree, coloured);
        let size = trees_size(tree);
        for key in 0..=size + 1 {
            let mut input = structure.clone();
            input.push(Slot::any(Type::I32), key);
            worst = worst.max(judge.run(size, &input).cost.expect("conditionals are counted"));
        }
    }
    worst
}

fn trees_size(tree: &Link) -> u64 {
    tree.as_ref().map_or(0, |n| 1 + trees_size(&n.left) + trees_size(&n.right))
}

fn sizes(ran: &Ran) -> Vec<Value> {
    let document = ran.json();
    let list = |key: &str| document[key].as_array().expect("a list").clone();
    let mut all = [list("training"), list("sizes")].concat();
    all.sort_by_key(|size| size["n"].as_u64());
    all
}

fn analyze(name: &str, more: &[&str]) -> Ran {
    let module = structures(name);
    let common = ["analyze", &module, "--call", SEARCH, "--domain", "key=1..=n", "--json", "-"];
    run(&[&common[..], more].concat()).exits(0)
}

#[test]
fn an_unbalanced_tree_is_searched_in_linear_time() {
    let ran = analyze("search_tree", &["--train", "1..=6", "--sizes", "4,5,6", "--seed", "3"]);
    let fit = &ran.json()["fit"];
    // Six sizes tell a line from its neighbours.
    assert_eq!((&fit["class"], &fit["basis"]), (&"n".into(), &"proven".into()), "{fit}");
    assert_eq!(fit["candidates"][0]["formula"], "2*n + 1", "{fit}");
    let judge = Judge::new("search_tree", SEARCH);
    let predicate = Judge::new("search_tree", "rep_ok(&tree where rep_ok)");
    for size in sizes(&ran) {
        let n = size["n"].as_u64().expect("a size");
        let trees = trees(n as usize, &[false]);
        assert_eq!(size["worst_cost"], brute_force(&judge, &trees, false), "n = {n}");
        assert_eq!((&size["exact"], &size["replayed"]), (&true.into(), &"cost".into()));
        // Each node can be found, and a look-up can end before the first and behind the last.
        assert_eq!(size["paths"], trees.len() as u64 * (n + 2), "n = {n}");
        assert!(predicate.accepts(n, &size["input"]["values"]), "n = {n}");
        assert!(size["input"]["structure"]["key"].is_u64(), "{}", size["input"]);
        assert!(size["random_cost"]["max"].as_u64() <= size["worst_cost"].as_u64(), "{size}");
    }
}

#[test]
fn a_red_black_tree_is_searched_in_logarithmic_time() {
    let ran = analyze("red_black_tree", &["--train", "1..=7", "--sizes", "7"]);
    let judge = Judge::new("red_black_tree", SEARCH);
    let predicate = Judge::new("red_black_tree", "rep_ok(&tree where rep_ok)");
    let mut costs = Vec::new();
    for size in sizes(&ran) {
        let n = size["n"].as_u64().expect("a size");
        let mut trees = trees(n as usize, &[false, true]);
        trees.retain(|t| black_height(t).is_some());
        assert_eq!(size["worst_cost"], brute_force(&judge, &trees, true), "n = {n}");
        assert_eq!(size["exact"], true);
        assert!(predicate.accepts(n, &size["input"]["values"]), "n = {n}");
        costs.push(size["worst_cost"].as_u64().expect("a cost"));
    }
    // The height of a red-black tree is at most 2 log2(n + 1): 2 at 2 nodes, 4 at 7.
    assert_eq!(costs.len(), 7);
    let per_level = costs[1] - costs[0];
    assert_eq!(costs[6] - costs[0], 3 * per_level, "{costs:?}");
}

#[test]
fn every_test_of_an_exploration_is_a_valid_structure() {
    let module = structures("search_tree");
    let call = "search(&tree where bounded_ok, i32)";
    let explore = |workers: &str| {
        let args = ["explore", &module, "--call", call, "--size", "4", "--json", "-"];
        let mut document = run(&[&args[..], &["--workers", workers]].concat()).exits(0).json();
        document["seconds"] = Value::Null;
        document
    };
    let document = explore("1");
    assert_eq!(document, explore("3"), "workers change nothing");
    assert_eq!((&document["complete"], &document["exact"]), (&true.into(), &true.into()));
    let tests = document["tests"].as_array().expect("tests");
    assert_eq!(document["paths"], tests.len());
    let predicate = Judge::new("search_tree", "bounded_ok(&tree where bounded_ok)");
    for test in tests {
        assert!(predicate.accepts(4, &test["input"]["values"]), "{test}");
        assert_eq!(test["replayed"], "cost");
    }
}

#[test]
fn what_was_found_is_run_again_without_generating_anything() {
    let dir = scratch("structures_found");
    let folder = dir.display().to_string();
    let more = ["--train", "1..=5", "--sizes", "5", "--inputs", &folder];
    let worst = sizes(&analyze("search_tree", &more)).pop().expect("a size")["worst_cost"].clone();
    let module = structures("search_tree");
    for form in ["json", "raw"] {
        let files = std::fs::read_dir(dir.join(form)).expect("inputs were written");
        let names = files.map(|f| f.expect("a file").path().display().to_string());
        let names: Vec<String> = names.filter(|name| name.contains("-n5-")).collect();
        let [name] = names.as_slice() else { panic!("one input of size 5: {names:?}") };
        // The size is read off the structure.
        let args = ["replay", &module, "--call", SEARCH, name, "--json", "-"];
        let replayed = run(&args).exits(0).json();
        assert_eq!((&replayed["n"], &replayed["cost"]), (&5.into(), &worst), "{form}");
        assert_eq!(replayed.get("warnings"), None, "{form}");
    }
    // A root 1 with 2 to its left: not a search tree.
    let wrong = file("wrong_tree.json", "[1, 1, 0, 1, 0, 0, 2, 7]");
    let replayed =
        run(&["replay", &module, "--call", SEARCH, &wrong, "--json", "-"]).exits(0).json();
    assert_eq!(replayed["n"], 2);
    assert!(replayed["warnings"][0].as_str().is_some_and(|w| w.contains("`rep_ok`")), "{replayed}");
    // A list that ends in the middle of a node.
    let short = file("half_a_tree.json", "[1, 1, 0]");
    let ran = run(&["replay", &module, "--call", SEARCH, &short]).exits(2);
    assert!(ran.stderr.contains("ends before value 4"), "{}", ran.stderr);
}

#[test]
fn a_heap_in_an_array_takes_its_length_from_the_call() {
    let module = structures("heap_array");
    let call = "pop(&heap where rep_ok, n)";
    let args = ["analyze", &module, "--call", call, "--train", "1..=9", "--sizes", "9"];
    let ran = run(&[&args[..], &["--json", "-"]].concat()).exits(0);
    let predicate = Judge::new("heap_array", "rep_ok(&heap where rep_ok, n)");
    let pop = Judge::new("heap_array", call);
    for size in sizes(&ran) {
        let n = size["n"].as_u64().expect("a size");
        assert_eq!(size["exact"], true);
        assert!(predicate.accepts(n, &size["input"]["values"]), "n = {n}");
        let heap = size["input"]["structure"].as_array().expect("a list");
        assert_eq!(heap.len() as u64, n);
        // The last element sinks to the bottom of what is left.
        let list = size["input"]["values"].as_array().expect("a list of values");
        let setup = pop.program.setup(n).expect("a size");
        let input = setup.invocation.read(InputReader::Json(list.iter())).expect("it fits");
        let levels = (n - 1).max(1).ilog2();
        assert_eq!(pop.run(n, &input).results[0].1, u64::from(levels), "n = {n}");
    }
}

#[test]
fn where_there_are_few_structures_sizes_go_far() {
    let module = structures("heap_array");
    let args = ["analyze", &module, "--call", "pop(&heap where rep_ok, n)", "--json", "-"];
    let document = run(&args).exits(0).json();
    let fit = &document["fit"];
    assert_eq!((&fit["class"], &fit["basis"]), (&"log(n)".into(), &"proven".into()), "{fit}");
    let sizes = document["sizes"].as_array().expect("sizes");
    assert!(sizes.iter().any(|s| s["n"] == 100 && s["exact"] == true), "{document}");
}

/// What is wrong is said in one sentence.
fn refused(name: &str, how: &[&str], words: &str) {
    let module = structures(name);
    for job in [&["analyze"][..], &["explore", "--size", "2"]] {
        let args = [job, &[module.as_str()], how].concat();
        let ran = run(&args).exits(2);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(words), "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

#[test]
fn wrong_calls_and_predicates_are_refused() {
    let missing = "search(&tree where no_such_thing, i32)";
    refused("search_tree", &["--call", missing], "no function is exported as no_such_thing");
    let search = "search(&tree where search, i32)";
    refused("search_tree", &["--call", search], "does not call itself");
    refused("search_tree", &["--call", "search(&tree where rep_ok)"], "takes 2 argument(s)");
    let two = "search(&tree where rep_ok, &tree where rep_ok)";
    refused("search_tree", &["--call", two], "passes 2 structures");
    refused("search_tree", &["--call", SEARCH, "--domain", "kye=0..=3"], "`kye`");
    refused("search_tree", &["--call", SEARCH, "--domain", "key"], "cannot read `key`");
    refused(
        "search_tree",
        &["--call", "search(n, i32)", "--domain", "key=0..=3"],
        "none is passed",
    );
    refused("wrong", &["--call", "cyclic_ok(&list where cyclic_ok)"], "cyclic");
    refused("wrong", &["--call", "traps(&list where traps)"], "wrong.c:39");
    let synth = ["--call", SEARCH, "--policy", "synth"];
    let ran = run(&[&["analyze", &structures("search_tree")], &synth[..]].concat()).exits(2);
    assert!(ran.stderr.contains("--policy synth"), "{}", ran.stderr);
}

#[test]
fn a_size_with_too_many_structures_ends_the_run_with_what_there_is() {
    let module = structures("search_tree");
    let explore = ["explore", &module, "--call", SEARCH, "--size", "60", "--time", "2s"];
    assert!(run(&explore).exits(3).stderr.contains("structures"));
    let analyze = ["analyze", &module, "--call", SEARCH, "--train", "1..=3", "--sizes", "3,60"];
    let ran = run(&[&analyze[..], &["--time", "4s", "--json", "-"]].concat()).exits(0);
    let document = ran.json();
    assert_eq!(document["sizes"].as_array().map(Vec::len), Some(1), "{document}");
    assert!(matches!(document["cut_by"].as_str(), Some("time" | "structures")), "{document}");
}
