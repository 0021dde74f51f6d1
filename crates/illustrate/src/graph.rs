//! Control-flow graphs of the functions that a policy speaks about, with the policy on them.

use pessimum_campaign::Sites;
use pessimum_learn::{Branch, ChoiceSet, Level, SavedPolicy, SiteId, SiteTable};
use pessimum_machine::{Flow, FlowBlock, FlowEnd, Module, SiteKind};
use pessimum_report::document::{EdgePolicy, Graph, GraphEdge, GraphNode};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that are drawn, the busiest first.
const FUNCTIONS: usize = 12;

/// Blocks above which a drawing is cut down to what matters.
const BLOCKS: usize = 120;

/// How often each block of the module ran on the worst path of a size.
#[derive(Clone, Copy, Debug)]
pub struct Visits<'a> {
    /// The size.
    pub n: u64,
    /// By block, as the machine's profile counts.
    pub counts: &'a [u64],
}

/// Draws each function that has a branch the policy decides. `text` gives the source line, or the
/// instructions, at an offset of the module; `met` what inputs meet where they take a side, as far as it is
/// known.
pub fn policy_graphs(
    module: &Module,
    policy: &SavedPolicy,
    visits: Option<Visits<'_>>,
    text: &dyn Fn(u32) -> String,
    met: &BTreeMap<Branch, String>,
) -> Vec<Graph> {
    let mut by_function: BTreeMap<u32, BTreeMap<SiteId, Vec<EdgePolicy>>> = BTreeMap::new();
    for site in policy.sites() {
        let Some(own) = module.sites().get(site.index()) else { continue };
        if let Some(sides) = sides(policy, site, arms(own.kind)) {
            by_function.entry(own.function).or_default().insert(site, sides);
        }
    }
    let decides = |sides: &Vec<EdgePolicy>| sides.iter().any(|side| *side != EdgePolicy::Never);
    by_function.retain(|_, sites| sites.values().any(decides));
    let mut functions: Vec<(u32, u64)> =
        by_function.keys().map(|f| (*f, executed(module, *f, visits))).collect();
    functions.sort_by_key(|(function, executed)| (std::cmp::Reverse(*executed), *function));
    let sites = Sites::new(module);
    let drawn = functions.into_iter().take(FUNCTIONS).map(|(function, _)| Drawing {
        module,
        table: &sites,
        function,
        flow: module.flow(function),
        sides: &by_function[&function],
        visits,
        met,
    });
    drawn.map(|drawing| drawing.graph(text)).collect()
}

fn arms(kind: SiteKind) -> u32 {
    match kind {
        SiteKind::BrTable { arms } => arms,
        _ => 2,
    }
}

/// Instructions executed in a function.
fn executed(module: &Module, function: u32, visits: Option<Visits<'_>>) -> u64 {
    let counts = visits.map_or(&[][..], |v| v.counts);
    let own = module.blocks().iter().zip(counts).filter(|(block, _)| block.function == function);
    own.map(|(block, count)| count * u64::from(block.instructions)).sum()
}

/// What a policy says of each side of a branch; `None` where it is silent.
fn sides(policy: &SavedPolicy, site: SiteId, arms: u32) -> Option<Vec<EdgePolicy>> {
    match policy {
        SavedPolicy::Wise { policy, seen } => {
            let levels: BTreeMap<u32, Level> = policy.levels_at(site).collect();
            if levels.is_empty() && !seen.contains(&site) {
                return None;
            }
            let several = levels.values().filter(|l| **l == Level::Always).count() > 1;
            let side = |choice: u32| match levels.get(&choice).copied().unwrap_or_default() {
                Level::Always if several => EdgePolicy::Either,
                Level::Always => EdgePolicy::Always,
                Level::IfForced => EdgePolicy::IfForced,
                Level::Never => EdgePolicy::Never,
            };
            Some((0..arms).map(side).collect())
        }
        SavedPolicy::History(policy) => {
            let histories = policy.site(site)?.trie().histories();
            let sets: Vec<&ChoiceSet> = histories.iter().map(|(_, set)| *set).collect();
            let same = sets.windows(2).all(|pair| pair[0] == pair[1]);
            let side = |choice: u32| {
                let taken = sets.iter().filter(|set| set.contains(choice)).count();
                let alone = sets.iter().all(|set| set.len() == 1);
                match taken {
                    0 => EdgePolicy::IfForced,
                    all if all == sets.len() && alone => EdgePolicy::Always,
                    _ if same => EdgePolicy::Either,
                    _ => EdgePolicy::Depends,
                }
            };
            Some((0..arms).map(side).collect())
        }
    }
}

/// One function on its way to the document.
struct Drawing<'a> {
    module: &'a Module,
    table: &'a Sites<'a>,
    function: u32,
    flow: Flow,
    sides: &'a BTreeMap<SiteId, Vec<EdgePolicy>>,
    visits: Option<Visits<'a>>,
    met: &'a BTreeMap<Branch, String>,
}

impl Drawing<'_> {
    fn graph(&self, text: &dyn Fn(u32) -> String) -> Graph {
        let kept = self.kept();
        let node = |id: u32| self.node(id, &self.flow.blocks[id as usize], text);
        let edges =
            self.flow.edges.iter().filter(|e| kept.contains(&e.from) && kept.contains(&e.to));
        Graph {
            function: self.module.function_name(self.function),
            n: self.visits.map(|v| v.n),
            nodes: kept.iter().map(|id| node(*id)).collect(),
            edges: edges
                .map(|edge| {
                    let (label, condition) = self.side_name(edge.from, edge.choice);
                    let policy = self.side(edge.from, edge.choice);
                    GraphEdge { from: edge.from, to: edge.to, label, condition, policy }
                })
                .collect(),
            omitted: (self.flow.blocks.len() - kept.len()) as u64,
        }
    }

    /// The blocks to draw: all, or where there are too many those the worst path comes to, or at
    /// last those around the branches that the policy decides.
    fn kept(&self) -> BTreeSet<u32> {
        let all: BTreeSet<u32> = (0..self.flow.blocks.len() as u32).collect();
        if all.len() <= BLOCKS {
            return all;
        }
        let mut near: BTreeSet<u32> = BTreeSet::from([0]);
        for edge in &self.flow.edges {
            if self.side(edge.from, edge.choice).is_some_and(|side| side != EdgePolicy::Never) {
                near.extend([edge.from, edge.to]);
            }
        }
        let visited = |id: &u32| self.count(&self.flow.blocks[*id as usize]).unwrap_or(0) > 0;
        let busy: BTreeSet<u32> = all.into_iter().filter(visited).chain(near.clone()).collect();
        if busy.len() <= 2 * BLOCKS { busy } else { near }
    }

    fn count(&self, block: &FlowBlock) -> Option<u64> {
        let first = *block.parts.first()? as usize;
        self.visits?.counts.get(first).copied()
    }

    /// What the policy says of a choice at the end of a block.
    fn side(&self, from: u32, choice: Option<u32>) -> Option<EdgePolicy> {
        match self.flow.blocks[from as usize].end {
            FlowEnd::Branch(site) => {
                self.sides.get(&SiteId(site.0))?.get(choice? as usize).copied()
            }
            _ => None,
        }
    }

    /// What a side does, and what inputs meet where they take it. Where two sides cannot be told apart by what
    /// they do, that is their name.
    fn side_name(&self, from: u32, choice: Option<u32>) -> (String, Option<String>) {
        let (FlowEnd::Branch(site), Some(choice)) = (self.flow.blocks[from as usize].end, choice)
        else {
            return (String::new(), None);
        };
        let site = SiteId(site.0);
        let met = self.met.get(&Branch { site, choice }).cloned();
        match (self.table.info(site), met) {
            (Some(info), Some(met)) if info.sides.is_empty() => (met, None),
            (Some(info), met) => (info.choice(choice), met),
            (None, met) => (choice.to_string(), met),
        }
    }

    fn node(&self, id: u32, block: &FlowBlock, text: &dyn Fn(u32) -> String) -> GraphNode {
        let role = match block.end {
            _ if id == 0 => "entry",
            _ if block.loop_head => "loop",
            FlowEnd::Return => "return",
            FlowEnd::Trap => "trap",
            FlowEnd::Next | FlowEnd::Branch(_) => "",
        };
        let shown = match block.end {
            FlowEnd::Branch(_) => block.last,
            _ => block.first,
        };
        GraphNode {
            id,
            label: self.label(block),
            text: Some(text(shown))
                .filter(|t| t.contains(char::is_alphanumeric))
                .unwrap_or_default(),
            role: role.to_owned(),
            visits: self.count(block),
            inner: block.inner.iter().filter_map(|site| self.inner(SiteId(site.0))).collect(),
        }
    }

    /// `sort.c:9`, `sort.c:9-11`, or `sort+0x1f` without debug information. Where code of several
    /// files is mixed, the file that the block ends in.
    fn label(&self, block: &FlowBlock) -> String {
        let Some(mut last) = self.module.locate(block.last) else {
            return self.module.describe_at(self.function, block.first);
        };
        last.column = 0;
        let all = self.module.locate_all(block.first.min(block.last), block.last);
        let lines = || all.iter().filter(|l| l.file == last.file).map(|l| l.line);
        let lowest = lines().min().unwrap_or(last.line).min(last.line);
        let highest = lines().max().unwrap_or(last.line).max(last.line);
        last.line = lowest;
        if lowest == highest { last.to_string() } else { format!("{last}-{highest}") }
    }

    /// What is decided in the middle of a block: `select at sort.c:9: take true`.
    fn inner(&self, site: SiteId) -> Option<String> {
        let sides = self.sides.get(&site)?;
        let own = self.module.sites().get(site.index())?;
        let info = self.table.info(site)?;
        let names = |wanted: EdgePolicy| {
            let found = (0..).zip(sides).filter(|(_, side)| **side == wanted);
            let name = |choice| match self.met.get(&Branch { site, choice }) {
                Some(met) if info.sides.is_empty() => met.clone(),
                _ => info.choice(choice),
            };
            found.map(|(choice, _)| name(choice)).collect::<Vec<_>>().join(" or ")
        };
        let advice = if sides.contains(&EdgePolicy::Always) {
            format!("take {}", names(EdgePolicy::Always))
        } else if sides.contains(&EdgePolicy::Either) {
            "either side".to_owned()
        } else if sides.contains(&EdgePolicy::Depends) {
            "depends on the decisions before".to_owned()
        } else if sides.contains(&EdgePolicy::IfForced) {
            format!("{} only where it must be", names(EdgePolicy::IfForced))
        } else {
            return None;
        };
        let what = if own.kind == SiteKind::Select { "select" } else { "comparison" };
        Some(format!("{what} at {info}: {advice}"))
    }
}
