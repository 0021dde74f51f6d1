//! What only the HTML page shows: the source with heat, the control-flow graphs, and the
//! computation tree of a small size.

use crate::graph::{Visits, policy_graphs};
use crate::profile::{Profiler, is_short};
use crate::source_text::SourceText;
use pessimum_campaign::{AnalysisResult, Error, Program, Target, WORK_PER_SECOND};
use pessimum_entry::{CostModel, InputValues};
use pessimum_explore::{Budget, Leaf, Observer, Options, explore, run_concrete};
use pessimum_learn::{Decision, Unguided};
use pessimum_machine::Module;
use pessimum_report::document::{Heat, Method, SourceFile, Tree, TreeNode};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Paths above which a tree is no picture any more.
const TREE_PATHS: u64 = 60;

/// Adds the source, read by `read` from the names in the debug information, with how often each
/// line ran on the worst inputs; the control-flow graphs with the policy on them; and the tree of
/// the largest size that can be drawn. Without a `page`, the policy gets the lines of its sites and
/// no other file is opened.
///
/// ```
/// use pessimum::{Analysis, Program, illustrate};
///
/// let module = include_bytes!("../examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
/// let mut result = Analysis::of(program.clone()).sizes([8, 12]).run()?;
/// // Nothing is read that this does not hand out.
/// let read = |name: &str| name.ends_with("insertion_sort.c").then(|| "/* its text */".to_owned());
/// illustrate(&mut result, &program, true, read)?;
/// assert!(result.document.tree.is_some());
/// let page = pessimum_report::html(&result.document);
/// assert!(page.contains("its text"));
/// # Ok::<(), pessimum::Error>(())
/// ```
pub fn illustrate(
    result: &mut AnalysisResult,
    program: &Program,
    page: bool,
    read: impl Fn(&str) -> Option<String>,
) -> Result<(), Error> {
    let module = Arc::clone(&result.module);
    let text = SourceText::new(&module, program.bytes(), read);
    if !page {
        if let (Some(policy), Some(learned)) = (&mut result.document.policy, &result.policy) {
            policy.sites = learned.describe_with(&module, &|offset| text.at(offset));
        }
        return Ok(());
    }
    // By what is counted; by instructions, where that is no sum over lines.
    let (mut counted, mut profiler) = (module.cost_model().clone(), None);
    if let Some((&n, (input, _))) = result.inputs.iter().find(|(n, _)| is_short(result, **n)) {
        let asked = Profiler::new(program, &module, &counted)?;
        profiler = Some(asked).filter(|asked| {
            asked.lines(program, &module, n, input).is_ok_and(|lines| !lines.is_empty())
        });
    }
    let profiler = match profiler {
        Some(profiler) => profiler,
        None => {
            counted = CostModel::Instructions;
            Profiler::new(program, &module, &counted)?
        }
    };
    let mut files: BTreeMap<String, Vec<Heat>> = BTreeMap::new();
    let mut largest = None;
    for (&n, (input, _)) in &result.inputs {
        if !is_short(result, n) {
            continue;
        }
        let mut heat: BTreeMap<String, Vec<(u32, u64)>> = BTreeMap::new();
        for ((file, line), executed) in profiler.lines(program, &module, n, input)? {
            heat.entry(file).or_default().push((line, executed));
        }
        for (file, lines) in heat {
            files.entry(file).or_default().push(Heat { n, lines });
        }
        largest = Some((n, input));
    }
    let visits = match largest {
        Some((n, input)) => Some((n, block_counts(&module, program, n, input)?)),
        None => None,
    };
    let document = &mut result.document;
    if let (Some(policy), Some(learned)) = (&mut document.policy, &result.policy) {
        policy.sites = learned.describe_with(&module, &|offset| text.at(offset));
        let visits = visits.as_ref().map(|(n, counts)| Visits { n: *n, counts });
        document.graphs =
            policy_graphs(&module, &learned.policy, visits, &|offset| text.at(offset));
    }
    document.source = files
        .into_iter()
        .map(|(name, heat)| SourceFile {
            lines: text.file(&name).to_vec(),
            not_read: None,
            counted: counted.to_string(),
            name,
            heat,
        })
        .collect();
    let small = document.training.iter().chain(&document.sizes);
    let few = |paths: u64| (2..=TREE_PATHS).contains(&paths);
    let drawn = small.filter(|s| s.method == Method::Exhaustive && s.paths.is_some_and(few));
    let mut sizes: Vec<u64> = drawn.map(|s| s.n).collect();
    sizes.sort_unstable();
    // With structures there are as many trees as shapes.
    while let Some(n) = sizes.pop().filter(|_| !matches!(program.structure(), Ok(Some(_)))) {
        document.tree = tree(&module, program, n, &text)?;
        if document.tree.is_some() {
            break;
        }
    }
    Ok(())
}

/// How often each block of the module runs on an input.
fn block_counts(
    module: &Arc<Module>,
    program: &Program,
    n: u64,
    input: &InputValues,
) -> Result<Vec<u64>, Error> {
    let setup = program.setup(n)?;
    let (_, machine) = run_concrete(module, &setup, input.clone(), |m| m.profile_blocks())?;
    Ok(machine.block_counts().to_vec())
}

/// The computation tree of a size: open decisions and leaves. `None` when a picture is not worth
/// what it takes to explore the size once more.
fn tree(
    module: &Arc<Module>,
    program: &Program,
    n: u64,
    text: &SourceText<'_>,
) -> Result<Option<Tree>, Error> {
    let budget = Budget { work: Some(WORK_PER_SECOND / 2), ..Budget::default() };
    let target = Target::new(program.clone(), module.cost_model())?;
    let plan = target.plan(n, Options { budget, ..Options::default() }, 1)?;
    let (outcome, observers) = explore(&plan, &Unguided, Paths::default)?;
    if !outcome.complete {
        return Ok(None);
    }
    let paths: Vec<(Vec<Decision>, u64)> = observers.into_iter().flat_map(|o| o.paths).collect();
    let worst = paths.iter().map(|p| p.1).max().unwrap_or(0);
    let all: Vec<(&[Decision], u64)> = paths.iter().map(|p| (p.0.as_slice(), p.1)).collect();
    Ok(Some(Tree { n, root: node(module, text, &all, 0, worst) }))
}

fn node(
    module: &Module,
    text: &SourceText<'_>,
    paths: &[(&[Decision], u64)],
    depth: usize,
    worst: u64,
) -> TreeNode {
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
    let at = module.describe(pessimum_machine::SiteIndex(decision.site.0));
    let site = module.sites().get(decision.site.index());
    let line = site.map(|site| text.at(site.file_offset)).unwrap_or_default();
    TreeNode {
        label: if line.is_empty() { at } else { format!("{at}  {line}") },
        cost: None,
        worst: on_worst,
        children: children
            .into_iter()
            .map(|(choice, paths)| (name(choice), node(module, text, &paths, depth + 1, worst)))
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
