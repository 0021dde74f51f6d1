//! The forms in which a structure leaves the program.

use crate::common;

use common::generator;
use pessimum_shape::Image;
use serde_json::json;

#[test]
fn a_tree_as_json_graph_and_image() {
    let generator = generator("red_black_tree", "rep_ok", &["key=1..=n"]);
    let layout = generator.layout();
    let found = generator.generate(2).unwrap().structures;
    let left = found.iter().find(|s| s.nodes[0].links[0].is_some()).expect("a left child");
    assert_eq!(
        left.to_json(layout),
        json!({
            "left": {"left": null, "right": null, "key": 1, "red": true},
            "right": null, "key": 2, "red": false
        })
    );
    let dot = left.to_dot(layout, "t");
    assert!(
        dot.starts_with("digraph \"t\" {") && dot.contains("n0 -> n1 [label=\"left\"]"),
        "{dot}"
    );
    let image = Image::of(layout, left);
    assert_eq!((image.bytes.len(), &image.relocations[..]), (32, &[0][..]));
    assert_eq!(image.at(0x100)[..4], [0x10, 1, 0, 0]);
    assert_eq!(&image.to_bytes()[..8], b"pessimg1");
}

#[test]
fn an_array_is_a_list() {
    let generator = generator("heap_array", "distinct", &["element=1..=n"]);
    let mut found: Vec<String> = Vec::new();
    for structure in generator.generate(3).unwrap().structures {
        found.push(structure.to_json(generator.layout()).to_string());
    }
    found.sort();
    assert_eq!(found, ["[3,1,2]", "[3,2,1]"]);
}
