//! A structure as JSON, as a drawing.

use crate::layout::{Field, FieldType, Layout};
use crate::structure::{Node, Structure};
use serde_json::{Map, Value, json};
use std::fmt::Write;

impl Structure {
    /// Nested objects with a key for every link and field; null is `null`, an array a list.
    pub fn to_json(&self, layout: &Layout) -> Value {
        match self.nodes.first() {
            None if layout.kinds.get(layout.root).is_some_and(|k| k.array) => json!([]),
            None => Value::Null,
            Some(root) if layout.kinds[root.kind].array => {
                let element = |n: &Node| n.fields.first().copied().unwrap_or(0);
                json!(self.nodes.iter().rev().map(element).collect::<Vec<_>>())
            }
            Some(_) => self.node_to_json(layout, 0),
        }
    }

    fn node_to_json(&self, layout: &Layout, at: usize) -> Value {
        let node = &self.nodes[at];
        let kind = &layout.kinds[node.kind];
        let mut object = Map::new();
        for (link, target) in kind.links.iter().zip(&node.links) {
            let value = target.map_or(Value::Null, |t| self.node_to_json(layout, t));
            object.insert(link.name.clone(), value);
        }
        for (field, value) in kind.fields.iter().zip(&node.fields) {
            let value = match &field.ty {
                FieldType::Bool { .. } => json!(*value != 0),
                FieldType::Zero { .. } => continue,
                _ => match enumerator(field, *value) {
                    Some(name) => json!(name),
                    None => json!(value),
                },
            };
            object.insert(field.name.clone(), value);
        }
        Value::Object(object)
    }

    /// A graph for Graphviz: a box per node, an arrow per link.
    pub fn to_dot(&self, layout: &Layout, name: &str) -> String {
        let mut out = format!("digraph \"{}\" {{\n  node [shape=box];\n", quote(name));
        for (at, node) in self.nodes.iter().enumerate() {
            let kind = &layout.kinds[node.kind];
            let shown = kind.fields.iter().zip(&node.fields).filter_map(|(field, value)| {
                let zero = matches!(field.ty, FieldType::Zero { .. });
                let text = enumerator(field, *value).map_or(value.to_string(), str::to_owned);
                (!zero).then(|| format!("{} = {text}", field.name))
            });
            let label = quote(&shown.collect::<Vec<_>>().join("\n")).replace('\n', "\\n");
            let _ = writeln!(out, "  n{at} [label=\"{label}\"];");
            for (link, target) in kind.links.iter().zip(&node.links) {
                if let Some(target) = target {
                    let label = quote(&link.name);
                    let _ = writeln!(out, "  n{at} -> n{target} [label=\"{label}\"];");
                }
            }
        }
        out.push_str("}\n");
        out
    }
}

fn enumerator(field: &Field, value: i64) -> Option<&str> {
    match &field.ty {
        FieldType::Enum { values, .. } => {
            values.iter().find(|v| v.1 == value).map(|v| v.0.as_str())
        }
        _ => None,
    }
}

fn quote(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
