//! What only the HTML page shows: the source with heat, the control-flow graphs, and the
//! computation tree of a small size.

use crate::arguments::name_arguments;
use crate::graph::{Visits, policy_graphs};
use crate::profile::{Lines, Profiler, hottest_line, instructions, is_short};
use crate::source_text::SourceText;
use pessimum_campaign::{AnalysisResult, Error, Program, Sites, Target, WORK_PER_SECOND};
use pessimum_clock::{Deadline, Instant};
use pessimum_entry::{CostModel, InputValues};
use pessimum_explore::{Budget, Leaf, Observer, Options, conditions, explore, run_concrete};
use pessimum_learn::{Branch, Decision, SiteTable, Unguided};
use pessimum_machine::Module;
use pessimum_report::document::{Heat, HotLine, Method, SourceFile, Tree, TreeNode};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Paths above which a tree is no picture any more.
const TREE_PATHS: u64 = 60;

/// Work of following inputs to find out what they meet.
const FOLLOWED: u64 = 2_000_000;

/// What to add to a result, and until when.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawing {
    /// Whether to add what only the page shows. Without it, the policy gets the lines of its sites and no
    /// other file is opened.
    pub page: bool,
    /// When to have ended; what is not found out by then is not told.
    pub until: Option<Instant>,
}

impl Drawing {
    fn deadline(self) -> Deadline {
        self.until.map_or(Deadline::NEVER, Deadline::at)
    }

    /// For following inputs with terms.
    fn budget(self) -> Budget {
        Budget { work: Some(FOLLOWED), deadline: self.deadline(), ..Budget::default() }
    }
}

/// Adds the source, read by `read` from the names in the debug information, with how often each
/// line ran on the worst inputs; the control-flow graphs with the policy on them; and the tree of
/// the largest size that can be drawn.
///
/// ```
/// use pessimum_campaign::{Analysis, Program};
/// use pessimum_illustrate::{Drawing, illustrate};
///
/// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
/// let mut result = Analysis::of(program.clone()).sizes([8, 12]).run()?;
/// // Nothing is read that this does not hand out.
/// let read = |name: &str| name.ends_with("insertion_sort.c").then(|| "/* its text */".to_owned());
/// illustrate(&mut result, &program, Drawing { page: true, until: None }, read)?;
/// assert!(result.document.tree.is_some());
/// let page = pessimum_report::html(&result.document);
/// assert!(page.contains("its text"));
/// // The largest input tells where the time goes.
/// let hot = result.document.source[0].hottest.expect("it was compiled with -g");
/// assert_eq!(hot.n, 12);
/// # Ok::<(), pessimum_campaign::Error>(())
/// ```
pub fn illustrate(
    result: &mut AnalysisResult,
    program: &Program,
    drawing: Drawing,
    read: impl Fn(&str) -> Option<String>,
) -> Result<(), Error> {
    name_arguments(result, program);
    let module = Arc::clone(&result.module);
    let text = SourceText::new(&module, program.bytes(), read);
    let met = met_conditions(result, program, drawing.budget());
    if !drawing.page {
        if let (Some(policy), Some(learned)) = (&mut result.document.policy, &result.policy) {
            policy.sites = learned.describe_with(&module, &|offset| text.at(offset), &met);
        }
        return Ok(());
    }
    let short = || result.inputs.iter().filter(|(n, _)| is_short(result, **n));
    // One that is known to end soon is run even where time is short: a page without it does not say where the time goes.
    let bounded = short().rev().find(|(n, _)| instructions(result, **n) > 0);
    let largest = bounded.or(short().next()).map(|(n, (input, _))| (*n, input.clone()));
    let is_bounded = bounded.is_some();
    let at = largest.as_ref().map(|(n, input)| (*n, input));
    let (counted, profiler, hottest) = counting(program, &module, at, !is_bounded, drawing)?;
    let mut files: BTreeMap<String, Vec<Heat>> = BTreeMap::new();
    let mut add = |n: u64, lines: Lines| {
        let mut heat: BTreeMap<String, Vec<(u32, u64)>> = BTreeMap::new();
        for ((file, line), executed) in lines {
            heat.entry(file).or_default().push((line, executed));
        }
        for (file, lines) in heat {
            files.entry(file).or_default().push(Heat { n, lines });
        }
    };
    // The larger an input, the more its profile says.
    let most = largest.as_ref().map(|(n, _)| *n);
    for (&n, (input, _)) in short().rev().filter(|(n, _)| most != Some(**n)) {
        if drawing.deadline().is_over() {
            break;
        }
        add(n, profiler.lines(program, &module, n, input)?);
    }
    if let Some(n) = most {
        add(n, hottest);
    }
    files.values_mut().for_each(|heat| heat.sort_by_key(|at| at.n));
    let visits = match &largest {
        Some((n, input)) => Some((*n, block_counts(&module, program, *n, input)?)),
        None => None,
    };
    let document = &mut result.document;
    if let (Some(policy), Some(learned)) = (&mut document.policy, &result.policy) {
        policy.sites = learned.describe_with(&module, &|offset| text.at(offset), &met);
        let visits = visits.as_ref().map(|(n, counts)| Visits { n: *n, counts });
        document.graphs =
            policy_graphs(&module, &learned.policy, visits, &|offset| text.at(offset), &met);
    }
    let hot = match largest.filter(|_| is_bounded) {
        Some((n, input)) => {
            let is_own = |file: &str| !text.file(file).is_empty();
            hottest_line(program, &module, (n, &input), is_own)?.map(|(at, share)| (n, at, share))
        }
        None => None,
    };
    document.source = files
        .into_iter()
        .map(|(name, heat)| SourceFile {
            lines: text.file(&name).to_vec(),
            not_read: None,
            counted: counted.to_string(),
            hottest: hot
                .as_ref()
                .filter(|(_, at, _)| at.file == name)
                .map(|(n, at, share)| HotLine { n: *n, line: at.line, share: *share }),
            name,
            heat,
        })
        .collect();
    document.source.sort_by_key(|file| (file.hottest.is_none(), Reverse(cost_at(file, most))));
    let small = document.training.iter().chain(&document.sizes);
    let few = |paths: u64| (2..=TREE_PATHS).contains(&paths);
    let drawn = small.filter(|s| s.method == Method::Exhaustive && s.paths.is_some_and(few));
    let mut sizes: Vec<u64> = drawn.map(|s| s.n).collect();
    sizes.sort_unstable();
    // With structures there are as many trees as shapes.
    while let Some(n) = sizes.pop().filter(|_| !matches!(program.structure(), Ok(Some(_)))) {
        document.tree = tree(&module, program, n, &text, drawing.budget())?;
        if document.tree.is_some() {
            break;
        }
    }
    Ok(())
}

/// What lines are counted by, what counts them, and the lines of one input: by what is asked for; by instructions, where that
/// is no sum over lines.
fn counting(
    program: &Program,
    module: &Arc<Module>,
    largest: Option<(u64, &InputValues)>,
    may_be_long: bool,
    drawing: Drawing,
) -> Result<(CostModel, Profiler, Lines), Error> {
    let lines = |profiler: &Profiler| match largest {
        Some((n, input)) => profiler.lines(program, module, n, input),
        None => Ok(Lines::new()),
    };
    let mut counted = module.cost_model().clone();
    loop {
        let mut profiler = Profiler::new(program, module, &counted)?;
        if may_be_long {
            profiler = profiler.until(drawing.deadline());
        }
        let found = match counted == CostModel::Instructions {
            true => lines(&profiler)?,
            false => lines(&profiler).unwrap_or_default(),
        };
        if !found.is_empty() || counted == CostModel::Instructions {
            return Ok((counted, profiler.until(drawing.deadline()), found));
        }
        counted = CostModel::Instructions;
    }
}

/// What a file costs at a size.
fn cost_at(file: &SourceFile, n: Option<u64>) -> u64 {
    let heat = file.heat.iter().filter(|heat| Some(heat.n) == n).flat_map(|heat| &heat.lines);
    heat.fold(0, |sum: u64, (_, cost)| sum.saturating_add(*cost))
}

/// What worst inputs meet where they take a side of a branch, the first time: the smaller sizes first, until
/// each site that the policy speaks of was met.
fn met_conditions(
    result: &AnalysisResult,
    program: &Program,
    budget: Budget,
) -> BTreeMap<Branch, String> {
    let mut met = BTreeMap::new();
    let Some(learned) = &result.policy else { return met };
    let mut left = learned.policy.sites();
    let parameters = program.parameter_names();
    let mut followed = 0;
    for (&n, (input, _)) in &result.inputs {
        followed += instructions(result, n);
        if left.is_empty() || followed > FOLLOWED {
            break;
        }
        // What cannot be followed is not told.
        let Ok(setup) = program.setup(n) else { continue };
        let path = conditions(&result.module, &setup, &parameters, input, &budget);
        let Ok(Some(path)) = path else { continue };
        for (decision, condition) in path {
            if let Some(condition) = condition {
                left.retain(|site| *site != decision.site);
                met.entry(decision.branch()).or_insert(condition);
            }
        }
    }
    met
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
    follow: Budget,
) -> Result<Option<Tree>, Error> {
    let budget = Budget { work: Some(WORK_PER_SECOND / 2), ..follow.clone() };
    let target = Target::new(program.clone(), module.cost_model())?;
    let max_tests = TREE_PATHS as usize;
    let plan = target.plan(n, Options { budget, max_tests, ..Options::default() }, 1)?;
    let (outcome, observers) = explore(&plan, &Unguided, Paths::default)?;
    if !outcome.complete {
        return Ok(None);
    }
    let mut paths: Vec<Path> = observers.into_iter().flat_map(|o| o.paths).collect();
    let (setup, parameters) = (program.setup(n)?, program.parameter_names());
    for path in &mut paths {
        let Some(input) = &path.input else { continue };
        let met = conditions(module, &setup, &parameters, input, &follow);
        let Ok(Some(met)) = met else { continue };
        // The same way, decision by decision, or nothing is said.
        let same = |(own, (other, _)): (&Decision, &(Decision, _))| own.branch() == other.branch();
        if path.decisions.len() == met.len() && path.decisions.iter().zip(&met).all(same) {
            path.met = met.into_iter().map(|(_, condition)| condition).collect();
        }
    }
    let paths: Vec<Path> = paths.into_iter().map(Path::open).collect();
    let worst = paths.iter().map(|path| path.cost).max().unwrap_or(0);
    let all: Vec<&Path> = paths.iter().collect();
    let drawn = Drawn { module, sites: Sites::new(module), text, worst };
    Ok(Some(Tree { n, root: drawn.node(&all, 0) }))
}

/// Values of an input that a leaf shows.
const SHOWN: usize = 12;

/// A tree on its way to the document.
struct Drawn<'a> {
    module: &'a Module,
    sites: Sites<'a>,
    text: &'a SourceText<'a>,
    worst: u64,
}

impl Drawn<'_> {
    /// What lies below a node: `paths` are those that come to it, by so many open decisions.
    fn node(&self, paths: &[&Path], depth: usize) -> TreeNode {
        let worst = paths.iter().any(|path| path.cost == self.worst);
        let met = depth.checked_sub(1).and_then(|before| paths.first()?.met.get(before)?.clone());
        let label = "end".to_owned();
        let mut here = TreeNode { label, condition: met, worst, ..TreeNode::default() };
        let Some(decision) = paths.first().and_then(|path| path.decisions.get(depth)) else {
            here.cost = paths.first().map(|path| path.cost);
            let input = paths.first().and_then(|path| path.input.as_ref());
            here.input = input.map(|input| input.elided(SHOWN));
            return here;
        };
        let mut children: BTreeMap<u32, Vec<&Path>> = BTreeMap::new();
        for path in paths {
            if let Some(here) = path.decisions.get(depth) {
                children.entry(here.choice).or_default().push(path);
            }
        }
        let at = self.module.describe(pessimum_machine::SiteIndex(decision.site.0));
        let site = self.module.sites().get(decision.site.index());
        let line = site.map(|site| self.text.at(site.file_offset)).unwrap_or_default();
        here.label = if line.is_empty() { at } else { format!("{at}  {line}") };
        let info = self.sites.info(decision.site);
        let side = |(choice, paths): (u32, Vec<&Path>)| {
            let mut below = self.node(&paths, depth + 1);
            let name = match &info {
                // Two sides that cannot be told apart by where they lead.
                Some(info) if info.sides.is_empty() => below.condition.take(),
                _ => None,
            };
            let said = || info.as_ref().map_or_else(|| choice.to_string(), |i| i.choice(choice));
            (name.unwrap_or_else(said), below)
        };
        let mut sides: Vec<(String, TreeNode)> = children.into_iter().map(side).collect();
        // What leads to the worst stands first.
        sides.sort_by_key(|(_, side)| std::cmp::Reverse(costliest(side)));
        here.children = sides;
        here
    }
}

/// The greatest cost below a node.
fn costliest(node: &TreeNode) -> Option<u64> {
    node.children.iter().map(|(_, child)| costliest(child)).max().unwrap_or(node.cost)
}

/// A path with what its input meets at each decision, where that is known.
struct Path {
    decisions: Vec<Decision>,
    met: Vec<Option<String>>,
    input: Option<InputValues>,
    cost: u64,
}

impl Path {
    /// The open decisions alone.
    fn open(self) -> Path {
        let known = self.met.into_iter().chain(std::iter::repeat(None));
        let open = self.decisions.into_iter().zip(known).filter(|(d, _)| d.openness.is_open());
        let (decisions, met) = open.unzip();
        Path { decisions, met, input: self.input, cost: self.cost }
    }
}

/// Keeps every path: for trees small enough to be drawn.
#[derive(Default)]
struct Paths {
    paths: Vec<Path>,
}

impl Observer for Paths {
    fn push(&mut self, _: &Decision) {}

    fn mark(&self) -> u64 {
        0
    }

    fn undo_to(&mut self, _: u64) {}

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        let (decisions, input) = (leaf.path.to_vec(), leaf.input.cloned());
        self.paths.push(Path { decisions, met: Vec::new(), input, cost: leaf.cost });
    }
}
