//! `policy show`: in words, and on the control flow of the module it was learned from.

use super::world::{SORT, corpus, run, scratch};

/// A policy of a sort, learned and saved; `test` is asking, and tests run at once.
fn saved(test: &str, name: &str, policy: &str) -> String {
    let folder = scratch(&format!("policy-{test}")).display().to_string();
    let module = corpus(name);
    let args = ["analyze", &module, "--call", SORT, "--train", "1..=5", "--sizes", "8"];
    run(&[&args[..], &["--policy", policy, "--save", &folder]].concat()).exits(0);
    format!("{folder}/policy.json")
}

#[test]
fn in_words() {
    let file = saved("words", "insertion_sort", "wise");
    let alone = run(&["policy", "show", &file]).exits(0).stdout;
    assert!(alone.contains("stay in the loop"), "{alone}");
    let module = corpus("insertion_sort");
    assert_eq!(run(&["policy", "show", &file, "--module", &module]).exits(0).stdout, alone);
}

#[test]
fn on_the_control_flow() {
    let (file, module) = (saved("flow", "insertion_sort", "memoryless"), corpus("insertion_sort"));
    let show = |how| run(&["policy", "show", &file, "--module", &module, how]).exits(0).stdout;
    let mermaid = show("--mermaid");
    assert!(mermaid.starts_with("flowchart TD\n  subgraph f0[\"sort\"]\n"), "{mermaid}");
    assert!(
        mermaid.contains("stay in the loop (line 10): taken whenever feasible\"|"),
        "{mermaid}"
    );
    assert!(mermaid.contains("insertion_sort.c:9"), "{mermaid}");
    let graphviz = show("--graphviz");
    assert!(graphviz.starts_with("digraph policy {\n"), "{graphviz}");
    assert!(
        graphviz.contains("stay in the loop (line 10): taken whenever feasible\", color="),
        "{graphviz}"
    );
}

#[test]
fn the_tries_of_histories_need_no_module() {
    let file = saved("tries", "merge_sort", "history=1");
    let graphviz = run(&["policy", "show", &file, "--graphviz"]).exits(0).stdout;
    assert!(graphviz.contains("rankdir=LR"), "{graphviz}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let file = saved("refused", "insertion_sort", "wise");
    let other = corpus("quicksort");
    let ran = run(&["policy", "show", &file, "--module", &other, "--mermaid"]).exits(2);
    assert!(ran.stderr.contains("another module"), "{}", ran.stderr);
    let ran = run(&["policy", "show", &file, "--graphviz"]).exits(2);
    assert!(ran.stderr.contains("--module"), "{}", ran.stderr);
    run(&["policy", "show", &file, "--mermaid"]).exits(2);
}
