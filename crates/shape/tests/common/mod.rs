//! The corpus of predicates, an independent engine that judges structures, and brute force.
#![allow(dead_code)] // each test uses its own part

use pessimum_shape::{Generator, Image, KindId, Layout, Node, Structure};
use std::collections::HashSet;

pub(crate) fn module(name: &str) -> Vec<u8> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/structures");
    std::fs::read(format!("{dir}/{name}/{name}.wasm")).expect("a module of the corpus")
}

pub(crate) fn generator(name: &str, predicate: &str, domains: &[&str]) -> Generator {
    let domains = domains.iter().map(|d| d.parse().expect("a domain"));
    Generator::new(&module(name), predicate).expect("a good predicate").domains(domains)
}

/// A predicate in wasmi.
pub(crate) struct Judge {
    store: wasmi::Store<()>,
    memory: wasmi::Memory,
    function: wasmi::Func,
    base: usize,
}

impl Judge {
    pub(crate) fn new(name: &str, predicate: &str) -> Judge {
        let engine = wasmi::Engine::default();
        let module = wasmi::Module::new(&engine, module(name)).expect("a module");
        let mut store = wasmi::Store::new(&engine, ());
        let linker = wasmi::Linker::new(&engine);
        let instance = linker.instantiate_and_start(&mut store, &module).expect("an instance");
        let memory = instance.get_memory(&store, "memory").expect("a memory");
        let base = memory.data_size(&store);
        memory.grow(&mut store, 1).expect("a page");
        let function = instance.get_func(&store, predicate).expect("the predicate");
        Judge { store, memory, function, base }
    }

    pub(crate) fn accepts(&mut self, layout: &Layout, structure: &Structure) -> bool {
        let image = Image::of(layout, structure).at(self.base as u32);
        self.memory.write(&mut self.store, self.base, &image).expect("room for the structure");
        let array = layout.kinds[layout.root].array;
        let root = if structure.nodes.is_empty() && !array { 0 } else { self.base as i32 };
        let mut args = vec![wasmi::Val::I32(root)];
        if array {
            args.push(wasmi::Val::I32(structure.nodes.len() as i32));
        }
        let mut results = [wasmi::Val::I32(0)];
        self.function.call(&mut self.store, &args, &mut results).expect("no trap");
        results[0].i32() != Some(0)
    }
}

/// Every structure of a size over the domains, valid or not.
pub(crate) fn all_structures(generator: &Generator, size: usize) -> Vec<Structure> {
    let values = generator.values(size).expect("domains");
    let layout = generator.layout();
    if size == 0 && layout.kinds[layout.root].weight > 0 {
        return vec![Structure::null()];
    }
    trees(layout, &values, layout.root, size)
}

fn trees(layout: &Layout, values: &[Vec<Vec<i64>>], kind: KindId, size: usize) -> Vec<Structure> {
    let shape = &layout.kinds[kind];
    let Some(below) = size.checked_sub(shape.weight) else { return Vec::new() };
    let mut roots = vec![(Vec::<Option<Structure>>::new(), below)];
    for link in &shape.links {
        let mut next = Vec::new();
        for (links, left) in roots {
            for share in 0..=left {
                if share == 0 {
                    let mut with = links.clone();
                    with.push(None);
                    next.push((with, left));
                }
                if share > 0 || layout.kinds[link.kind].weight == 0 {
                    for tree in trees(layout, values, link.kind, share) {
                        let mut with = links.clone();
                        with.push(Some(tree));
                        next.push((with, left - share));
                    }
                }
            }
        }
        roots = next;
    }
    let mut fields = vec![Vec::new()];
    for list in &values[kind] {
        let with = |f: &Vec<i64>, v: &i64| [f.as_slice(), &[*v]].concat();
        fields = fields.iter().flat_map(|f| list.iter().map(move |v| with(f, v))).collect();
    }
    let mut out = Vec::new();
    for (links, _) in roots.iter().filter(|r| r.1 == 0) {
        for fields in &fields {
            let mut nodes = vec![Node { kind, fields: fields.clone(), links: Vec::new() }];
            for link in links {
                let at = nodes.len();
                nodes[0].links.push(link.as_ref().map(|_| at));
                for node in link.iter().flat_map(|tree| &tree.nodes) {
                    let links = node.links.iter().map(|l| l.map(|i| i + at)).collect();
                    nodes.push(Node { links, ..node.clone() });
                }
            }
            out.push(Structure { nodes });
        }
    }
    out
}

/// The structures as a set; fails if one comes twice.
pub(crate) fn as_set(structures: Vec<Structure>) -> HashSet<Structure> {
    let count = structures.len();
    let set: HashSet<Structure> = structures.into_iter().collect();
    assert_eq!(set.len(), count, "a structure came twice");
    set
}

/// Structures of the corpus: module, predicate, domains, greatest size for brute force.
pub(crate) const STRUCTURES: &[(&str, &str, &[&str], usize)] = &[
    ("sorted_list", "rep_ok", &[], 5),
    ("binary_tree", "rep_ok", &[], 4),
    ("search_tree", "rep_ok", &["key=1..=n"], 5),
    ("search_tree", "bounded_ok", &["key=1..=n"], 5),
    ("red_black_tree", "rep_ok", &["key=1..=n"], 4),
    ("red_black_tree", "black_root", &["key=1..=n"], 4),
    ("fibonacci_heap", "rep_ok", &["key=0..=2", "degree=0..n"], 4),
    ("binary_heap", "rep_ok", &["key=0..=2"], 4),
    ("heap_array", "rep_ok", &[], 6),
    ("heap_array", "distinct", &["element=1..=n"], 6),
    ("hash_table", "rep_ok", &["key=0..=8"], 3),
    ("arithmetic", "rep_ok", &["digit=0..=1"], 4),
    ("html", "rep_ok", &["class_name=0..=1"], 4),
    ("css", "rep_ok", &[], 3),
];
