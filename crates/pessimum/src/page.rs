//! What only the HTML page shows: the source with heat, and the computation tree of a small size.

use crate::analysis::AnalysisResult;
use crate::error::Error;
use crate::program::Program;
use pessimum_explore::{Leaf, Observer, Options, explore, run_concrete};
use pessimum_learn::{Decision, Unguided};
use pessimum_machine::Module;
use pessimum_report::document::{Heat, SourceFile, Tree, TreeNode};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Paths above which a tree is no picture any more.
const TREE_PATHS: u64 = 130;

/// Instructions above which a size is not run once more for its heat.
const PROFILED: u64 = 20_000_000;

/// Adds the source, read by `read` from the names in the debug information, with how often each
/// line ran on the worst inputs, and the tree of the largest size that can be drawn.
pub fn illustrate(
    result: &mut AnalysisResult,
    program: &Program,
    read: impl Fn(&str) -> Option<String>,
) -> Result<(), Error> {
    let module = Arc::clone(&result.module);
    let mut files: BTreeMap<String, Vec<Heat>> = BTreeMap::new();
    for (&n, (input, _)) in &result.inputs {
        let sizes = result.document.sizes.iter().chain(&result.document.training);
        let executed = sizes.filter(|s| s.n == n).filter_map(|s| s.instructions).map(|i| i.worst);
        if executed.max().unwrap_or(0) > PROFILED {
            continue;
        }
        let setup = program.setup(n)?;
        let (_, machine) = run_concrete(&module, &setup, input.clone(), |m| m.profile_blocks())?;
        for (file, lines) in lines_of(&module, machine.block_counts()) {
            files.entry(file).or_default().push(Heat { n, lines });
        }
    }
    let texts: BTreeMap<String, Vec<String>> = files
        .keys()
        .map(|name| {
            let text = read(name).unwrap_or_default();
            (name.clone(), text.lines().map(str::to_owned).collect())
        })
        .collect();
    if let Some(policy) = &mut result.document.policy {
        for site in &mut policy.sites {
            if let (Some(file), Some(line)) = (&site.file, site.line)
                && let Some(text) = texts.get(file).and_then(|t| t.get(line as usize - 1))
            {
                site.text = text.trim().to_owned();
            }
        }
    }
    result.document.source = files
        .into_iter()
        .map(|(name, heat)| SourceFile { lines: texts[&name].clone(), name, heat })
        .collect();
    let small = result.document.training.iter().chain(&result.document.sizes);
    let drawn = small
        .filter(|s| s.method == "exhaustive" && s.paths > 1 && s.paths <= TREE_PATHS)
        .max_by_key(|s| s.n)
        .map(|s| s.n);
    // With structures there are as many trees as shapes.
    if let Some(n) = drawn.filter(|_| !matches!(program.structure(), Ok(Some(_)))) {
        result.document.tree = Some(tree(&module, program, n)?);
    }
    Ok(())
}

/// Instructions executed by source line.
fn lines_of(module: &Module, counts: &[u64]) -> BTreeMap<String, Vec<(u32, u64)>> {
    let mut lines: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    for (block, &count) in module.blocks().iter().zip(counts) {
        if count == 0 {
            continue;
        }
        if let Some(location) = module.locate(block.first) {
            let executed = count * u64::from(block.instructions);
            *lines
                .entry(location.file.to_string())
                .or_default()
                .entry(location.line)
                .or_default() += executed;
        }
    }
    lines.into_iter().map(|(file, lines)| (file, lines.into_iter().collect())).collect()
}

/// The computation tree of a size: open decisions and leaves.
fn tree(module: &Arc<Module>, program: &Program, n: u64) -> Result<Tree, Error> {
    let plan = program.plan(module, n, Options::default(), 1)?;
    let (_, observers) = explore(&plan, &Unguided, Paths::default)?;
    let paths: Vec<(Vec<Decision>, u64)> = observers.into_iter().flat_map(|o| o.paths).collect();
    let worst = paths.iter().map(|p| p.1).max().unwrap_or(0);
    let all: Vec<(&[Decision], u64)> = paths.iter().map(|p| (p.0.as_slice(), p.1)).collect();
    Ok(Tree { n, root: node(module, &all, 0, worst) })
}

fn node(module: &Module, paths: &[(&[Decision], u64)], depth: usize, worst: u64) -> TreeNode {
    let on_worst = paths.iter().any(|p| p.1 == worst);
    let Some(decision) = paths.first().and_then(|p| p.0.get(depth)) else {
        let cost = paths.first().map(|p| p.1);
        return TreeNode { label: "end".to_owned(), cost, worst: on_worst, children: Vec::new() };
    };
    let mut children: BTreeMap<u32, Vec<(&[Decision], u64)>> = BTreeMap::new();
    for path in paths {
        if let Some(here) = path.0.get(depth) {
            children.entry(here.choice).or_default().push(*path);
        }
    }
    let name = |choice: u32| match (decision.arms, choice) {
        (2, 0) => "false".to_owned(),
        (2, 1) => "true".to_owned(),
        _ => choice.to_string(),
    };
    TreeNode {
        label: module.describe(pessimum_machine::SiteId(decision.site.0)),
        cost: None,
        worst: on_worst,
        children: children
            .into_iter()
            .map(|(choice, paths)| (name(choice), node(module, &paths, depth + 1, worst)))
            .collect(),
    }
}

/// Keeps every path: for trees small enough to be drawn.
#[derive(Default)]
struct Paths {
    paths: Vec<(Vec<Decision>, u64)>,
}

impl Observer for Paths {
    fn push(&mut self, _: &Decision) {}

    fn mark(&self) -> u64 {
        0
    }

    fn undo_to(&mut self, _: u64) {}

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        let open = leaf.path.iter().filter(|d| d.openness.is_open()).copied().collect();
        self.paths.push((open, leaf.cost));
    }
}
