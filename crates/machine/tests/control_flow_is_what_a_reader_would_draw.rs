//! Control-flow graphs of small functions, and of random ones held against their runs.

use pessimum_entry::CostModel;
use pessimum_machine::{BlockKind, Flow, FlowEnd, Module, SiteKind};

fn flow(text: &str) -> (Module, Flow) {
    let bytes = wat::parse_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let module = Module::load(&bytes, &CostModel::Conditionals).expect("it loads");
    let last = module.function_count() - 1;
    let flow = module.flow(last);
    (module, flow)
}

/// `0 -1-> 2` for each edge, with the choice where there is one.
fn shape(flow: &Flow) -> String {
    let edge = |e: &pessimum_machine::FlowEdge| match e.choice {
        Some(choice) => format!("{} -{choice}-> {}", e.from, e.to),
        None => format!("{} -> {}", e.from, e.to),
    };
    flow.edges.iter().map(edge).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_straight_function_is_one_block_even_with_calls() {
    let (module, flow) =
        flow("(module (func $g) (func (export \"f\") (result i32) call $g call $g i32.const 1))");
    assert_eq!((flow.blocks.len(), shape(&flow).as_str()), (1, ""));
    assert_eq!(flow.blocks[0].end, FlowEnd::Return);
    assert_eq!(flow.blocks[0].parts.len(), 3, "a call ends a part, not a block");
    assert_eq!(module.flow(99), Flow::default());
}

#[test]
fn both_sides_of_an_if_meet_again() {
    let (module, flow) = flow(
        "(module (func (export \"f\") (param i32) (result i32)
           (if (result i32) (local.get 0)
             (then (i32.add (local.get 0) (i32.const 1)))
             (else (i32.sub (local.get 0) (i32.const 1))))
           i32.eqz))",
    );
    assert_eq!(shape(&flow), "0 -0-> 2, 0 -1-> 1, 1 -> 3, 2 -> 3");
    let FlowEnd::Branch(site) = flow.blocks[0].end else { panic!("{:?}", flow.blocks[0]) };
    assert_eq!(module.sites()[site.0 as usize].kind, SiteKind::If);
    assert_eq!(flow.blocks[3].end, FlowEnd::Return);
}

#[test]
fn an_if_without_else_falls_through() {
    let (_, flow) = flow(
        "(module (func (export \"f\") (param i32)
           (if (local.get 0) (then (local.set 0 (i32.const 1))))
           (local.set 0 (i32.const 2))))",
    );
    assert_eq!(shape(&flow), "0 -0-> 2, 0 -1-> 1, 1 -> 2");
}

#[test]
fn a_loop_goes_back_to_its_head() {
    let (_, flow) = flow(
        "(module (func (export \"f\") (param i32)
           (local.set 0 (i32.add (local.get 0) (i32.const 1)))
           (block $out
             (loop $next
               (br_if $out (i32.eqz (local.get 0)))
               (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
               (br $next)))))",
    );
    // Into the loop, out of it or on, and back.
    assert_eq!(shape(&flow), "0 -> 1, 1 -0-> 2, 1 -1-> 3, 2 -> 1");
    let heads: Vec<bool> = flow.blocks.iter().map(|b| b.loop_head).collect();
    assert_eq!(heads, [false, true, false, false]);
    assert_eq!(flow.blocks[3].end, FlowEnd::Return);
}

#[test]
fn a_branch_that_carries_a_value_has_no_block_of_its_own() {
    let (_, flow) = flow(
        "(module (func (export \"f\") (param i32) (result i32)
           (block $out (result i32)
             (i32.const 3)
             (i32.const 7)
             (br_if $out (local.get 0))
             (i32.add))
           i32.clz))",
    );
    assert_eq!(shape(&flow), "0 -0-> 1, 0 -1-> 2, 1 -> 2");
}

#[test]
fn each_arm_of_a_table_is_an_edge() {
    let (module, flow) = flow(
        "(module (func (export \"f\") (param i32) (result i32)
           (block $a (block $b (block $c
             (br_table $a $b $a $c (local.get 0)))
             (return (i32.const 1)))
             (return (i32.const 2)))
           unreachable))",
    );
    assert_eq!(shape(&flow), "0 -0-> 3, 0 -1-> 2, 0 -2-> 1");
    let FlowEnd::Branch(site) = flow.blocks[0].end else { panic!("{:?}", flow.blocks[0]) };
    assert_eq!(module.sites()[site.0 as usize].kind, SiteKind::BrTable { arms: 3 });
    let ends: Vec<FlowEnd> = flow.blocks[1..].iter().map(|b| b.end).collect();
    assert_eq!(ends, [FlowEnd::Return, FlowEnd::Return, FlowEnd::Trap]);
}

#[test]
fn selects_are_decisions_inside_a_block() {
    let (module, flow) = flow(
        "(module (func (export \"f\") (param i32 i32) (result i32)
           (select (local.get 0) (local.get 1) (i32.lt_s (local.get 0) (local.get 1)))))",
    );
    assert_eq!(flow.blocks.len(), 1);
    let kinds: Vec<SiteKind> =
        flow.blocks[0].inner.iter().map(|s| module.sites()[s.0 as usize].kind).collect();
    assert_eq!(kinds, [SiteKind::Comparison, SiteKind::Select]);
}

/// Every part of the code that does something is in exactly one block, in every module of the corpus.
#[test]
fn no_instruction_is_lost_or_drawn_twice() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut functions = 0;
    for entry in std::fs::read_dir(corpus).expect("corpus/ is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(entry.path().join(format!("{name}.wasm"))) else { continue };
        let module = Module::load(&bytes, &CostModel::Conditionals).expect("the corpus loads");
        for function in 0..module.function_count() {
            let flow = module.flow(function);
            let mut drawn: Vec<u32> = flow.blocks.iter().flat_map(|b| b.parts.clone()).collect();
            drawn.sort_unstable();
            let unique = drawn.len();
            drawn.dedup();
            assert_eq!(drawn.len(), unique, "{name}, function {function}: drawn twice");
            for (i, block) in module.blocks().iter().enumerate() {
                let there = drawn.binary_search(&(i as u32)).is_ok();
                if block.function == function && block.instructions > 0 {
                    assert!(there, "{name}, function {function}: block {i} is lost");
                }
                let entry = block.function == function && block.kind == BlockKind::Entry;
                if entry && block.instructions > 0 {
                    assert!(flow.blocks[0].parts.contains(&(i as u32)), "the entry comes first");
                    functions += 1;
                }
            }
            for edge in &flow.edges {
                let end = flow.blocks[edge.from as usize].end;
                assert_eq!(edge.choice.is_some(), matches!(end, FlowEnd::Branch(_)));
                assert!(!matches!(end, FlowEnd::Return | FlowEnd::Trap));
            }
        }
    }
    assert!(functions > 50, "{functions}");
}

/// A compiler moves small functions into others; a branch is still named by the function that its line is in.
#[test]
fn a_branch_is_in_the_function_it_was_written_in() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/heap_sort");
    for (build, inlined) in
        [("heap_sort.O0", false), ("heap_sort.O1", true), ("heap_sort.O2", true)]
    {
        let bytes = std::fs::read(format!("{corpus}/{build}.wasm")).expect("it is there");
        let module = Module::load(&bytes, &CostModel::Conditionals).expect("it loads");
        let mut moved = false;
        for site in module.sites() {
            let Some(location) = module.locate(site.file_offset) else { continue };
            let function = module.function_at(site.function, site.file_offset);
            let written_in = if location.line < 19 { "sift_down" } else { "sort" };
            assert_eq!(function, written_in, "{build}: {location}");
            moved |= function != module.function_name(site.function);
        }
        assert_eq!(moved, inlined, "{build}");
    }
}
