//! Control-flow graphs in the languages of tools that draw them.

use crate::document::{EdgePolicy, Graph, GraphEdge, GraphNode};
use crate::escape::visible;
use std::fmt::Write;

/// The colour of what the worst paths do.
const WORST: &str = "#b8205f";

/// The graphs in Graphviz's language, one cluster per function.
///
/// ```
/// use pessimum_report::document::{EdgePolicy, Graph, GraphEdge, GraphNode};
/// let node = |id, label: &str| GraphNode { id, label: label.into(), ..GraphNode::default() };
/// let edge = GraphEdge { from: 0, to: 1, label: "true".into(), policy: Some(EdgePolicy::Always), ..GraphEdge::default() };
/// let graph = Graph {
///     function: "sort".into(),
///     nodes: vec![node(0, "sort.c:6"), node(1, "sort.c:7")],
///     edges: vec![edge],
///     ..Graph::default()
/// };
/// let text = pessimum_report::graphviz(&[graph]);
/// assert!(text.contains("f0b0 -> f0b1 [label=\"true: taken whenever feasible\""), "{text}");
/// ```
pub fn graphviz(graphs: &[Graph]) -> String {
    let mut text = String::from("digraph policy {\n  node [shape=box, fontname=\"monospace\"];\n");
    for (number, graph) in graphs.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  subgraph cluster_{number} {{");
        let _ = writeln!(text, "    label={};", dot_quoted(&[title(graph)]));
        for node in &graph.nodes {
            let label = dot_quoted(&lines(node));
            let border = if node.role == "loop" { ", peripheries=2" } else { "" };
            let _ = writeln!(text, "    f{number}b{} [label={label}{border}];", node.id);
        }
        for edge in &graph.edges {
            let (from, to) = (edge.from, edge.to);
            let label = dot_quoted(&[said(edge)]);
            let style = match edge.policy {
                None => String::new(),
                Some(EdgePolicy::Always) => format!(", color=\"{WORST}\", penwidth=3"),
                Some(EdgePolicy::Either) => ", penwidth=2".to_owned(),
                Some(EdgePolicy::Depends) => format!(", color=\"{WORST}\", style=dashed"),
                Some(EdgePolicy::IfForced) => ", style=dashed".to_owned(),
                Some(EdgePolicy::Never) => ", style=dotted".to_owned(),
            };
            let _ =
                writeln!(text, "    f{number}b{from} -> f{number}b{to} [label={label}{style}];");
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// The graphs as a Mermaid flowchart, one subgraph per function.
pub fn mermaid(graphs: &[Graph]) -> String {
    let mut text = String::from("flowchart TD\n");
    let mut styles = String::new();
    let mut link = 0;
    for (number, graph) in graphs.iter().enumerate() {
        let _ = writeln!(text, "  subgraph f{number}[{}]", mermaid_quoted(&[title(graph)]));
        for node in &graph.nodes {
            let label = mermaid_quoted(&lines(node));
            let (open, close) = if node.role == "loop" { ("[[", "]]") } else { ("[", "]") };
            let _ = writeln!(text, "    f{number}b{}{open}{label}{close}", node.id);
        }
        for edge in &graph.edges {
            let arrow = match edge.policy {
                Some(EdgePolicy::Always | EdgePolicy::Either) => "==>",
                Some(EdgePolicy::Depends | EdgePolicy::IfForced | EdgePolicy::Never) => "-.->",
                None => "-->",
            };
            let said = said(edge);
            let label = match said.as_str() {
                "" => String::new(),
                some => format!("|{}|", mermaid_quoted(&[some.to_owned()])),
            };
            let (from, to) = (edge.from, edge.to);
            let _ = writeln!(text, "    f{number}b{from} {arrow}{label} f{number}b{to}");
            if matches!(edge.policy, Some(EdgePolicy::Always | EdgePolicy::Depends)) {
                let _ = writeln!(styles, "  linkStyle {link} stroke:{WORST}");
            }
            link += 1;
        }
        text.push_str("  end\n");
    }
    text + &styles
}

fn title(graph: &Graph) -> String {
    match graph.n {
        Some(n) => format!("{}, visits on the worst path at n = {n}", graph.function),
        None => graph.function.clone(),
    }
}

/// What a block's box says.
fn lines(node: &GraphNode) -> Vec<String> {
    let mut lines = vec![match node.role.as_str() {
        "" | "loop" => node.label.clone(),
        role => format!("{role}  {}", node.label),
    }];
    lines.extend(Some(&node.text).filter(|t| !t.is_empty()).cloned());
    lines.extend(node.inner.iter().cloned());
    lines.extend(node.visits.map(|v| format!("{v} {}", if v == 1 { "visit" } else { "visits" })));
    lines
}

/// What an edge says.
fn said(edge: &GraphEdge) -> String {
    let said = match (edge.label.as_str(), edge.policy) {
        (label, None) => label.to_owned(),
        ("", Some(policy)) => policy.meaning().to_owned(),
        (label, Some(policy)) => format!("{label}: {}", policy.meaning()),
    };
    match &edge.condition {
        Some(condition) => format!("{said}, first by {condition}"),
        None => said,
    }
}

/// A string of Graphviz, each line flush left.
fn dot_quoted(lines: &[String]) -> String {
    let escaped = lines.iter().map(|l| visible(l).replace('\\', "\\\\").replace('"', "\\\""));
    let several = if lines.len() > 1 { "\\l" } else { "" };
    format!("\"{}{several}\"", escaped.collect::<Vec<_>>().join("\\l"))
}

/// A string of Mermaid: whatever could be read as markup is written by its number.
fn mermaid_quoted(lines: &[String]) -> String {
    let escaped = lines.iter().map(|line| {
        let mut out = String::new();
        for c in visible(line).chars() {
            match c {
                '"' | '#' | '&' | '<' | '>' | '`' | '\\' | ';' => {
                    let _ = write!(out, "#{};", u32::from(c));
                }
                c => out.push(c),
            }
        }
        out
    });
    format!("\"{}\"", escaped.collect::<Vec<_>>().join("<br>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        let node = |id, label: &str, text: &str| GraphNode {
            id,
            label: label.into(),
            text: text.into(),
            ..GraphNode::default()
        };
        let edge = |from, to, label: &str, policy| GraphEdge {
            from,
            to,
            label: label.into(),
            policy,
            ..GraphEdge::default()
        };
        Graph {
            function: "sort".into(),
            n: Some(9),
            nodes: vec![
                GraphNode { role: "entry".into(), visits: Some(1), ..node(0, "sort.c:3", "") },
                GraphNode { role: "loop".into(), ..node(1, "sort.c:6", "while (a[j] > \"x\") {") },
                GraphNode { inner: vec!["select: take true".into()], ..node(2, "sort.c:8", "}") },
            ],
            edges: vec![
                edge(0, 1, "", None),
                edge(1, 1, "true", Some(EdgePolicy::Always)),
                edge(1, 2, "false", Some(EdgePolicy::IfForced)),
            ],
            omitted: 0,
        }
    }

    #[test]
    fn graphs_for_graphviz() {
        insta::assert_snapshot!(graphviz(&[graph()]));
    }

    #[test]
    fn graphs_for_mermaid() {
        insta::assert_snapshot!(mermaid(&[graph()]));
    }
}
