//! The graph against brute force: small domains, random constraints, random undo.

use super::{Atom, ByteSet, Graph, GraphAnswer, NodeId, View};
use pessimum_term::{Range, VarId, Width};
use proptest::prelude::*;

/// A constraint by numbers, to be read against however many variables there are.
#[derive(Clone, Debug)]
enum Line {
    Ask { kind: u8, x: u8, y: u8, k: i8, set: u8 },
    Mark,
    Undo,
}

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        8 => (0u8..6, 0u8..4, 0u8..4, -4i8..5, any::<u8>())
            .prop_map(|(kind, x, y, k, set)| Line::Ask { kind, x, y, k, set }),
        1 => Just(Line::Mark),
        1 => Just(Line::Undo),
    ]
}

/// Three-bit variables, the last one with a domain of its own.
fn small_graph(tight: bool) -> (Graph, Vec<VarId>) {
    let mut graph = Graph::new(tight);
    let width = Width::new(3);
    for _ in 0..3 {
        graph.push_var(width, Range::full(width));
    }
    graph.push_var(width, Range::unsigned(width, 1, 3));
    (graph, (0..4).map(VarId).collect())
}

fn atom(graph: &Graph, view: View, kind: u8, x: u8, y: u8, k: i8, set: u8) -> Option<Atom> {
    let (vx, vy) = (VarId(u32::from(x)), VarId(u32::from(y)));
    let (x, y): (NodeId, NodeId) = (graph.node(vx, view), graph.node(vy, view));
    let k = i64::from(k);
    Some(match kind {
        0 | 1 if x != y => Atom::Le { x, y, k: k.min(1) },
        2 if x != y => Atom::Eq { x, y, k },
        3 | 4 if x != y => Atom::Ne { x, y, k: k / 3 },
        5 => Atom::In { v: vx, set: ByteSet::filter(Width::new(3), |bits| set >> bits & 1 == 1) },
        _ => return None,
    })
}

/// Whether an assignment satisfies an atom, from the definitions alone.
fn truth(graph: &Graph, atom: &Atom, bits: &[u64]) -> bool {
    let number = |n: NodeId| {
        let raw = bits[n.var().0 as usize];
        let signed = graph.node(n.var(), View::Unsigned) != n;
        // A unified node has the same number either way.
        if signed { graph.width(n.var()).signed(raw) } else { raw as i64 }
    };
    match *atom {
        Atom::Le { x, y, k } => number(x) <= number(y) + k,
        Atom::Eq { x, y, k } => number(x) == number(y) + k,
        Atom::Ne { x, y, k } => number(x) != number(y) + k,
        Atom::Within { x, lo, hi } => (lo..=hi).contains(&number(x)),
        Atom::Not { x, k } => number(x) != k,
        Atom::In { v, set } => set.contains(bits[v.0 as usize]),
    }
}

fn brute_force(graph: &Graph, atoms: &[Atom]) -> bool {
    (0..8u64.pow(4)).any(|code| {
        let bits: Vec<u64> = (0..4).map(|i| code >> (3 * i) & 7).collect();
        (1..=3).contains(&bits[3]) && atoms.iter().all(|a| truth(graph, a, &bits))
    })
}

fn run(tight: bool, two_views: bool, lines: &[Line]) -> Result<(), TestCaseError> {
    let (mut graph, vars) = small_graph(tight);
    let mut atoms: Vec<Atom> = Vec::new();
    let mut marks = Vec::new();
    for line in lines {
        match *line {
            Line::Mark => marks.push((graph.mark(), atoms.len())),
            Line::Undo => {
                if let Some((mark, len)) = marks.pop() {
                    graph.undo_to(mark);
                    atoms.truncate(len);
                }
            }
            Line::Ask { kind, x, y, k, set } => {
                let view = if two_views && set & 1 == 0 { View::Unsigned } else { View::Signed };
                let Some(atom) = atom(&graph, view, kind, x, y, k, set) else { continue };
                let found = if graph.holds(&atom) { GraphAnswer::Sat } else { graph.find(&atom) };
                atoms.push(atom);
                match found {
                    GraphAnswer::Unsat => {
                        prop_assert!(!brute_force(&graph, &atoms), "{atoms:?}");
                        atoms.pop();
                        continue;
                    }
                    // Without a proven sign two readings may be too much for the graph.
                    GraphAnswer::Unknown => {
                        prop_assert!(two_views);
                        atoms.pop();
                        continue;
                    }
                    GraphAnswer::Sat => {}
                }
                if !graph.holds(&atom) {
                    let delta = graph.delta().to_vec();
                    graph.apply(&delta);
                }
                graph.add(&atom, 1);
                let bits: Vec<u64> = vars.iter().map(|v| graph.bits(*v)).collect();
                for a in &atoms {
                    prop_assert!(truth(&graph, a, &bits), "{a:?} under {bits:?} of {atoms:?}");
                }
                prop_assert!((1..=3).contains(&bits[3]));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_view_is_decided_exactly(tight: bool, lines in prop::collection::vec(line(), 1..40)) {
        run(tight, false, &lines)?;
    }

    #[test]
    fn two_views_are_never_wrong(tight: bool, lines in prop::collection::vec(line(), 1..40)) {
        run(tight, true, &lines)?;
    }
}

fn bytes(n: u32) -> Graph {
    let mut graph = Graph::new(false);
    for _ in 0..n {
        graph.push_var(Width::W8, Range::full(Width::W8));
    }
    graph
}

fn assert_sat(graph: &mut Graph, atom: &Atom) {
    if !graph.holds(atom) {
        assert_eq!(graph.find(atom), GraphAnswer::Sat);
        let delta = graph.delta().to_vec();
        graph.apply(&delta);
    }
    assert!(graph.holds(atom));
    graph.add(atom, 1);
}

#[test]
fn strictly_increasing_bytes_end_at_256() {
    let mut graph = bytes(257);
    for i in 1..257 {
        let (x, y) =
            (graph.node(VarId(i - 1), View::Unsigned), graph.node(VarId(i), View::Unsigned));
        let atom = Atom::Le { x, y, k: -1 };
        if i < 256 {
            assert_sat(&mut graph, &atom);
        } else {
            assert_eq!(graph.find(&atom), GraphAnswer::Unsat);
        }
    }
}

#[test]
fn distinct_bytes_end_at_256() {
    let mut graph = bytes(257);
    for i in 0..257 {
        for j in 0..i {
            let (x, y) = (graph.node(VarId(i), View::Signed), graph.node(VarId(j), View::Signed));
            let atom = Atom::Ne { x, y, k: 0 };
            if (i, j) < (256, 255) {
                assert_sat(&mut graph, &atom);
            } else {
                assert!(!graph.holds(&atom));
                assert_eq!(graph.find(&atom), GraphAnswer::Unsat);
            }
        }
    }
}

#[test]
fn three_distinct_values_need_more_than_two() {
    let mut graph = Graph::new(false);
    for _ in 0..3 {
        graph.push_var(Width::W32, Range::signed(Width::W32, 0, 1));
    }
    let node = |graph: &Graph, i| graph.node(VarId(i), View::Signed);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let atom = Atom::Ne { x: node(&graph, i), y: node(&graph, j), k: 0 };
        if (i, j) == (1, 2) {
            assert_eq!(graph.find(&atom), GraphAnswer::Unsat);
        } else {
            assert_sat(&mut graph, &atom);
        }
    }
}

#[test]
fn the_ends_of_64_bits_do_not_overflow() {
    for view in [View::Signed, View::Unsigned] {
        let mut graph = Graph::new(false);
        for _ in 0..3 {
            graph.push_var(Width::W64, Range::full(Width::W64));
        }
        let n: Vec<NodeId> = (0..3).map(|i| graph.node(VarId(i), view)).collect();
        assert_sat(&mut graph, &Atom::Within { x: n[0], lo: i64::MIN, hi: i64::MIN + 1 });
        assert_sat(&mut graph, &Atom::Le { x: n[1], y: n[0], k: -1 });
        assert_ne!(graph.find(&Atom::Le { x: n[2], y: n[1], k: -1 }), GraphAnswer::Sat);
        let mut graph = Graph::new(false);
        for _ in 0..3 {
            graph.push_var(Width::W64, Range::full(Width::W64));
        }
        assert_sat(&mut graph, &Atom::Within { x: n[0], lo: i64::MAX - 1, hi: i64::MAX });
        assert_sat(&mut graph, &Atom::Le { x: n[0], y: n[1], k: -1 });
        assert_ne!(graph.find(&Atom::Le { x: n[1], y: n[2], k: -1 }), GraphAnswer::Sat);
    }
}

#[test]
fn a_proven_sign_links_the_readings() {
    let mut graph = Graph::new(false);
    for _ in 0..3 {
        graph.push_var(Width::W32, Range::full(Width::W32));
    }
    let node = |graph: &Graph, i, view| graph.node(VarId(i), view);
    // x ≥ 0 and y ≥ 0 signed, x <u y: then y ≤s x is impossible.
    for i in 0..2 {
        let x = node(&graph, i, View::Signed);
        assert_sat(&mut graph, &Atom::Within { x, lo: 0, hi: i64::from(i32::MAX) });
    }
    let (xu, yu) = (node(&graph, 0, View::Unsigned), node(&graph, 1, View::Unsigned));
    assert_sat(&mut graph, &Atom::Le { x: xu, y: yu, k: -1 });
    let (xs, ys) = (node(&graph, 0, View::Signed), node(&graph, 1, View::Signed));
    assert_eq!(graph.find(&Atom::Le { x: ys, y: xs, k: 0 }), GraphAnswer::Unsat);
}

/// Half of n² disequalities, asked one by one: each input finds a place of its own once.
#[test]
fn many_distinct_inputs_take_one_pass() {
    let n = 300;
    for tight in [false, true] {
        let mut graph = Graph::new(tight);
        (0..n).for_each(|_| graph.push_var(Width::W32, Range::full(Width::W32)));
        let node = |graph: &Graph, i: u32| graph.node(VarId(i), View::Signed);
        let mut moves = 0;
        for i in 1..n {
            for j in 0..i {
                let atom = Atom::Ne { x: node(&graph, i), y: node(&graph, j), k: 0 };
                moves += u32::from(!graph.holds(&atom));
                assert_sat(&mut graph, &atom);
            }
        }
        if !tight {
            assert!(moves <= 2 * n, "{moves} moves");
            assert!(graph.work() < u64::from(20 * n * n), "{}", graph.work());
        }
    }
}

/// A chain of orders, all equal at first, and then all different and one value forbidden.
#[test]
fn a_chain_is_spread_in_one_pass() {
    let n = 400;
    let mut graph = Graph::new(true);
    (0..n).for_each(|_| graph.push_var(Width::W32, Range::signed(Width::W32, 0, 1000)));
    let node = |graph: &Graph, i: u32| graph.node(VarId(i), View::Signed);
    for i in 1..n {
        let atom = Atom::Le { x: node(&graph, i - 1), y: node(&graph, i), k: 0 };
        assert_sat(&mut graph, &atom);
    }
    // Without a repair after each, so that the values violate all of them.
    for i in 1..n {
        let (x, y) = (node(&graph, i - 1).0, node(&graph, i).0);
        graph.push_ne(x, y, 0, 0);
    }
    graph.push_ne(node(&graph, 7).0, super::NONE, 7, 0);
    let first = node(&graph, 0).0;
    graph.log.clear();
    graph.set_value(first, 0);
    assert_eq!(graph.spread(), GraphAnswer::Sat);
    let values: Vec<i64> = (0..n).map(|i| graph.signed(VarId(i))).collect();
    let expected: Vec<i64> = (0..n).map(|i| i64::from(i + u32::from(i >= 7))).collect();
    assert_eq!(values, expected);
    graph.log.clear();
}
