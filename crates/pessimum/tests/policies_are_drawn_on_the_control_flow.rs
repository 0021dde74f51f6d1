//! The graphs of a result: counted as the run counts, with the policy where it decides.

use pessimum::document::{EdgePolicy, Graph};
use pessimum::{Analysis, Drawing, PolicyChoice, Program};
use std::path::Path;

fn graphs(name: &str, call: &str, policy: PolicyChoice, n: u64) -> Vec<Graph> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name);
    let bytes = std::fs::read(folder.join(format!("{name}.wasm"))).expect("it is there");
    let program = Program::new(name, bytes).and_then(|p| p.call(call)).expect("it can be called");
    let analysis = Analysis::of(program.clone()).train(1..=5).sizes([n]).policy(policy);
    let mut result = analysis.run().expect("the analysis ends");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    pessimum::illustrate(&mut result, &program, Drawing { page: true, until: None }, read)
        .expect("it can be drawn");
    result.document.graphs
}

/// Of what enters a function each time leaves it, and of what enters a block each time goes on.
fn conserves(graph: &Graph, calls: u64) {
    let visits = |id: u32| {
        let node = graph.nodes.iter().find(|node| node.id == id).expect("edges join blocks");
        node.visits.expect("visits were counted")
    };
    let total = |ids: &mut dyn Iterator<Item = u32>| ids.map(visits).sum::<u64>();
    let leaves = |id: &u32| graph.edges.iter().all(|edge| edge.from != *id);
    let returned = total(&mut graph.nodes.iter().map(|n| n.id).filter(leaves));
    assert_eq!(returned, calls, "{}: as many leave as enter", graph.function);
    for node in &graph.nodes {
        let mut into: Vec<u32> =
            graph.edges.iter().filter(|e| e.to == node.id).map(|e| e.from).collect();
        into.dedup();
        let most = total(&mut into.into_iter()) + if node.id == 0 { calls } else { 0 };
        assert!(
            visits(node.id) <= most,
            "{}: block {} comes from nowhere",
            graph.function,
            node.id
        );
    }
}

#[test]
fn insertion_sort_shifts_whenever_it_can() {
    let graphs = graphs("insertion_sort", "sort(&i32[n], n)", PolicyChoice::Wise, 20);
    let [graph] = graphs.as_slice() else { panic!("one function: {graphs:#?}") };
    assert_eq!((graph.function.as_str(), graph.n), ("sort", Some(20)));
    conserves(graph, 1);
    let always: Vec<_> =
        graph.edges.iter().filter(|e| e.policy == Some(EdgePolicy::Always)).collect();
    let [always] = always.as_slice() else { panic!("{:#?}", graph.edges) };
    let node = |id: u32| graph.nodes.iter().find(|n| n.id == id).expect("edges join blocks");
    assert!(node(always.from).text.contains("while"), "{:?}", node(always.from));
    // Falling values: each of the n(n-1)/2 pairs is compared, and each comparison shifts.
    assert_eq!(node(always.from).visits, Some(190));
    assert_eq!(node(always.to).visits, Some(190));
}

#[test]
fn merge_sort_takes_sides_in_turn() {
    let history = PolicyChoice::History(pessimum::HistoryLimit::Fixed(1));
    let graphs = graphs("merge_sort", "sort(&i32[n], n)", history, 16);
    let edges: Vec<_> = graphs.iter().flat_map(|g| &g.edges).filter_map(|e| e.policy).collect();
    assert!(edges.contains(&EdgePolicy::Depends), "{edges:?}");
}

#[test]
fn functions_that_are_called_often_leave_as_often() {
    let graphs = graphs("bst", "run()", PolicyChoice::Auto, 12);
    assert!(!graphs.is_empty());
    for graph in &graphs {
        let entered = graph.nodes[0].visits.expect("visits were counted");
        let back = graph.edges.iter().any(|e| e.to == 0);
        if !back {
            conserves(graph, entered);
        }
    }
}

#[test]
fn without_debug_information_blocks_show_their_instructions() {
    let graphs = graphs("wat_br_table", "interpret(&u8[n], n)", PolicyChoice::Auto, 8);
    let nodes: Vec<_> = graphs.iter().flat_map(|g| &g.nodes).collect();
    assert!(nodes.iter().all(|n| n.label.contains("+0x")), "{nodes:#?}");
    assert!(nodes.iter().any(|n| n.text.contains("br_table")), "{nodes:#?}");
}
