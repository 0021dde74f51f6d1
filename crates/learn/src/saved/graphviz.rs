//! Tries as drawings.

use std::fmt::Write;

use super::show::info_of;
use super::table::SiteTable;
use crate::decision::Branch;
use crate::history::HistoryPolicy;

/// The tries of a policy in Graphviz's language, one cluster per site.
///
/// From the root of a trie an edge leads one decision further back; a box says what is taken
/// after the history that leads to it, with a double border where that is more than one side.
pub fn graphviz(policy: &HistoryPolicy, table: &dyn SiteTable) -> String {
    let mut text = String::from("digraph policy {\n  rankdir=LR;\n  node [shape=point];\n");
    for (site, known) in policy.sites() {
        let info = info_of(site, table);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  subgraph cluster_{} {{", site.0);
        let _ = writeln!(text, "    label={};", quoted(&info.to_string()));
        let histories = known.trie().histories();
        let mut drawn: Vec<Vec<Branch>> = vec![Vec::new()];
        for (history, choices) in &histories {
            for len in 1..=history.len() {
                let node = &history[..len];
                if drawn.iter().any(|d| d == node) {
                    continue;
                }
                let earlier = info_of(node[len - 1].site, table);
                let mut label = earlier.choice(node[len - 1].choice);
                if node[len - 1].site != site {
                    label = format!("{label} at {earlier}");
                }
                let (from, to) = (name(site.0, &node[..len - 1]), name(site.0, node));
                let _ = writeln!(text, "    {from} -> {to} [label={}];", quoted(&label));
                drawn.push(node.to_vec());
            }
            let taken: Vec<String> = choices.iter().map(|c| info.choice(c)).collect();
            let border = if taken.len() > 1 { ", peripheries=2" } else { "" };
            let label = quoted(&taken.join(" or "));
            let node = name(site.0, history);
            let _ = writeln!(text, "    {node} [shape=box, label={label}{border}];");
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// A name for the node of a history, unique within the drawing.
fn name(site: u32, history: &[Branch]) -> String {
    history.iter().fold(format!("s{site}"), |name, branch| {
        format!("{name}_{}_{}", branch.site.0, branch.choice)
    })
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
