//! A learned policy with what it rests on.

use crate::sites::Sites;
use pessimum_learn::{Guide, HistoryLimit, Level, SavedPolicy, SiteId, SiteTable};
use pessimum_machine::Module;
use pessimum_report::document::SitePolicy;
use std::collections::BTreeSet;

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
    pub fn method(&self) -> &'static str {
        if self.staged { "staged" } else { self.policy.kind() }
    }

    /// What it says, site by site, where it says anything.
    pub fn describe(&self, module: &Module) -> Vec<SitePolicy> {
        let sites = Sites::new(module);
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
                    out.push(site_policy(module, &sites, site, advice(&sites, site, &always)));
                }
            }
            SavedPolicy::History(policy) => {
                for (site, history) in policy.sites() {
                    let mut parts = Vec::new();
                    let all: BTreeSet<u32> = history
                        .trie()
                        .histories()
                        .iter()
                        .flat_map(|(_, set)| set.iter().collect::<Vec<u32>>())
                        .collect();
                    let all: Vec<u32> = all.into_iter().collect();
                    parts.push(advice(&sites, site, &all));
                    if history.height() > 0 {
                        parts.push(format!(
                            "by the last {} decision(s), {} case(s)",
                            history.height(),
                            history.trie().len()
                        ));
                    }
                    out.push(site_policy(module, &sites, site, parts.join(", ")));
                }
            }
        }
        out.sort_by(|a, b| (&a.file, a.line, &a.at).cmp(&(&b.file, b.line, &b.at)));
        out
    }

    /// The kind, with the length of its histories.
    pub fn kind(&self) -> String {
        match &self.policy {
            SavedPolicy::History(h) => match h.limit() {
                HistoryLimit::Fixed(0) => "memoryless".to_owned(),
                HistoryLimit::Fixed(h) => format!("history={h}"),
                _ => "history".to_owned(),
            },
            SavedPolicy::Wise { .. } => "wise".to_owned(),
        }
    }
}

fn advice(sites: &Sites<'_>, site: SiteId, choices: &[u32]) -> String {
    let name = |c: &u32| match sites.info(site) {
        Some(info) => info.choice(*c),
        None => c.to_string(),
    };
    let arms = sites.info(site).map_or(2, |i| i.arms) as usize;
    if choices.len() == arms {
        return "either side".to_owned();
    }
    let names: Vec<String> = choices.iter().map(name).collect();
    format!("take {} whenever feasible", names.join(" or "))
}

fn site_policy(module: &Module, sites: &Sites<'_>, site: SiteId, advice: String) -> SitePolicy {
    let own = &module.sites()[site.index()];
    let location = module.locate(own.file_offset);
    SitePolicy {
        at: sites.describe(site),
        file: location.as_ref().map(|l| l.file.to_string()),
        line: location.as_ref().map(|l| l.line),
        function: module.function_name(own.function),
        text: String::new(),
        advice,
    }
}
