//! A learned policy with what it rests on.

use crate::sites::Sites;
use pessimum_learn::{
    Branch, Formula, Guide, HistoryLimit, HistoryPolicy, Level, Relation, SavedPolicy, SiteId,
    SiteInfo, SiteKey, SiteTable, saved,
};
use pessimum_machine::Module;
use pessimum_report::document::{Method, SitePolicy};
use std::collections::{BTreeMap, BTreeSet};

/// A policy in use.
#[derive(Clone, Debug)]
pub struct LearnedPolicy {
    /// The policy.
    pub policy: SavedPolicy,
    /// Sizes it was learned on.
    pub trained_on: Vec<u64>,
    /// Sizes at which a policy learned on smaller ones reached the exhaustive worst.
    pub validated_on: Vec<u64>,
    /// Whether that suffices to trust it.
    pub validated: bool,
    /// Whether sites were learned in guided runs.
    pub staged: bool,
    /// Why this one was chosen.
    pub why: String,
}

impl LearnedPolicy {
    /// The guide.
    pub fn guide(&self) -> Box<dyn Guide + Send + Sync> {
        self.policy.guide()
    }

    /// What results call the method.
    pub fn method(&self) -> Method {
        match &self.policy {
            _ if self.staged => Method::Staged,
            SavedPolicy::Wise { .. } => Method::Wise,
            SavedPolicy::History(policy) if policy.limit() == HistoryLimit::Fixed(0) => {
                Method::Memoryless
            }
            SavedPolicy::History(_) => Method::History,
        }
    }

    /// What it says, site by site, where it says anything.
    pub fn describe(&self, module: &Module) -> Vec<SitePolicy> {
        self.describe_with(module, &|_| String::new(), &BTreeMap::new())
    }

    /// [`LearnedPolicy::describe`] with the text that stands at an offset of the module, and with what
    /// inputs meet where they take a side.
    pub fn describe_with(
        &self,
        module: &Module,
        text: &dyn Fn(u32) -> String,
        met: &BTreeMap<Branch, String>,
    ) -> Vec<SitePolicy> {
        let sites = Named { sites: Sites::new(module), met };
        let site_policy = |site, said, sides: &[u32], cases| {
            let one = |choice: &u32| met.get(&Branch { site, choice: *choice }).cloned();
            let condition = if let [only] = sides { one(only) } else { None };
            SitePolicy { condition, cases, ..site_policy(&sites.sites, site, said, text) }
        };
        let mut out = Vec::new();
        match &self.policy {
            SavedPolicy::Wise { policy, .. } => {
                for site in policy.sites() {
                    let levels: Vec<(u32, Level)> = policy.levels_at(site).collect();
                    let always: Vec<u32> =
                        levels.iter().filter(|l| l.1 == Level::Always).map(|l| l.0).collect();
                    if always.is_empty() {
                        continue;
                    }
                    let said = advice(&sites, site, &always);
                    out.push(site_policy(site, said, &always, Vec::new()));
                }
            }
            SavedPolicy::History(policy) => {
                for (site, history) in policy.sites() {
                    let all: BTreeSet<u32> = history
                        .trie()
                        .histories()
                        .iter()
                        .flat_map(|(_, set)| set.iter().collect::<Vec<u32>>())
                        .collect();
                    let all: Vec<u32> = all.into_iter().collect();
                    let mut said = advice(&sites, site, &all);
                    let mut cases = Vec::new();
                    if all.len() > 1 && history.height() > 0 {
                        let last = match history.height() {
                            1 => "the last decision".to_owned(),
                            h => format!("the last {h} decisions"),
                        };
                        said = format!(
                            "{}, depending on {last} ({} cases)",
                            choices(&sites, site, &all),
                            history.trie().len()
                        );
                        cases = saved::cases(site, history, &sites);
                    }
                    for (choice, formula) in counted(policy, site) {
                        said.push_str(&format!(
                            ", {} as often as {formula}",
                            choices(&sites, site, &[choice])
                        ));
                    }
                    out.push(site_policy(site, said, &all, cases));
                }
            }
        }
        out.sort_by(|a, b| (&a.file, a.line, &a.at).cmp(&(&b.file, b.line, &b.at)));
        said_once(out)
    }

    /// The kind, with the length of its histories.
    pub fn kind(&self) -> String {
        match &self.policy {
            SavedPolicy::History(policy) => {
                let name = match policy.limit() {
                    HistoryLimit::Fixed(0) => "memoryless".to_owned(),
                    HistoryLimit::Fixed(h) => format!("history={h}"),
                    HistoryLimit::Adaptive => "history".to_owned(),
                    HistoryLimit::Unlimited => "history=unlimited".to_owned(),
                };
                let counted = if policy.counts().is_empty() { "" } else { " with counts" };
                format!("{name}{counted}")
            }
            SavedPolicy::Wise { .. } => "wise".to_owned(),
        }
    }
}

/// Sites whose sides are told by what inputs meet there, where they come to the same line or are those of a
/// select: `go the way of a[0] > a[1]`.
struct Named<'a> {
    sites: Sites<'a>,
    met: &'a BTreeMap<Branch, String>,
}

impl SiteTable for Named<'_> {
    fn module(&self) -> &[u64] {
        self.sites.module()
    }

    fn info(&self, site: SiteId) -> Option<SiteInfo> {
        let mut info = self.sites.info(site)?;
        let met = |choice| self.met.get(&Branch { site, choice });
        if info.sides.is_empty() && info.arms == 2 {
            let way = |condition: &String| format!("go the way of {condition}");
            let other = |condition: &String| match turned_round(condition) {
                Some(turned) => way(&turned),
                None => format!("go the other way than {condition}"),
            };
            info.sides = match (met(0), met(1)) {
                (Some(no), Some(yes)) => vec![way(no), way(yes)],
                (Some(no), None) => vec![way(no), other(no)],
                (None, Some(yes)) => vec![other(yes), way(yes)],
                (None, None) => Vec::new(),
            };
        }
        Some(info)
    }

    fn find(&self, key: SiteKey) -> Option<SiteId> {
        self.sites.find(key)
    }
}

/// The contrary of what is equal or is not. That of an order is another matter where there is no number.
fn turned_round(condition: &str) -> Option<String> {
    for (one, other) in [(" == ", " != "), (" != ", " == ")] {
        if let Some((left, right)) = condition.split_once(one)
            && !right.contains([' ', '&', '|'])
        {
            return Some(format!("{left}{other}{right}"));
        }
    }
    None
}

/// Copies that a compiler made of one branch, by unrolling or inlining, with the same advice are one
/// entry.
fn said_once(sites: Vec<SitePolicy>) -> Vec<SitePolicy> {
    let mut out: Vec<(SitePolicy, u32)> = Vec::new();
    for site in sites {
        let same = out.iter_mut().find(|(known, _)| {
            known.at == site.at
                && known.file == site.file
                && known.function == site.function
                && known.advice == site.advice
        });
        match same {
            Some((_, count)) => *count += 1,
            None => out.push((site, 1)),
        }
    }
    let told = out.into_iter().map(|(mut site, count)| {
        if count > 1 {
            site.advice.push_str(&format!(", in each of {count} copies"));
        }
        site
    });
    told.collect()
}

/// Choices at a site of which it is known how often a path makes them.
fn counted(policy: &HistoryPolicy, site: SiteId) -> impl Iterator<Item = (u32, Formula)> + '_ {
    policy.counts().relations().iter().filter_map(move |relation| match relation {
        Relation::Sum { branches, formula, .. } => match branches.as_slice() {
            [branch] if branch.site == site => Some((branch.choice, *formula)),
            _ => None,
        },
        Relation::Difference { .. } => None,
    })
}

fn advice(sites: &Named<'_>, site: SiteId, sides: &[u32]) -> String {
    let arms = sites.info(site).map_or(2, |i| i.arms) as usize;
    if sides.len() == arms {
        return "either side".to_owned();
    }
    format!("{} whenever feasible", choices(sites, site, sides))
}

/// `stay in the loop (line 10)`, `take arm 0 or take arm 2`.
fn choices(sites: &Named<'_>, site: SiteId, sides: &[u32]) -> String {
    let name = |c: &u32| match sites.info(site) {
        Some(info) => info.act(*c),
        None => c.to_string(),
    };
    sides.iter().map(name).collect::<Vec<_>>().join(" or ")
}

fn site_policy(
    sites: &Sites<'_>,
    site: SiteId,
    advice: String,
    text: &dyn Fn(u32) -> String,
) -> SitePolicy {
    let module = sites.of();
    let own = &module.sites()[site.index()];
    let location = module.locate(own.file_offset);
    SitePolicy {
        at: sites.describe(site),
        file: location.as_ref().map(|l| l.file.to_string()),
        line: location.as_ref().map(|l| l.line),
        function: module.function_at(own.function, own.file_offset),
        text: text(own.file_offset),
        advice,
        condition: None,
        cases: Vec::new(),
    }
}
