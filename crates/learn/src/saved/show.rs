//! Policies in words, one line per site.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::SavedPolicy;
use super::table::{SiteInfo, SiteKey, SiteTable};
use crate::choice_set::ChoiceSet;
use crate::decision::{Branch, SiteId};
use crate::frequency::Relation;
use crate::history::SiteHistory;
use crate::wise::{BranchPolicy, Level};

/// The policy for a reader: `sort.c:6  take true whenever feasible`.
pub fn show(policy: &SavedPolicy, table: &dyn SiteTable) -> String {
    let sites = describe(policy, table);
    let width = width(sites.values());
    let plural = if sites.len() == 1 { "site" } else { "sites" };
    let mut text = format!("{} policy, {} {plural}\n", policy.kind(), sites.len());
    for site in sites.values() {
        site.write(&mut text, "", width);
    }
    for line in counts_in_words(policy, table) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// What differs between two policies of the same module: lines of the first with `-`, of the
/// second with `+`. Empty when they say the same.
pub fn diff(old: &SavedPolicy, new: &SavedPolicy, table: &dyn SiteTable) -> String {
    let (before, after) = (describe(old, table), describe(new, table));
    let width = width(before.values().chain(after.values()));
    let mut text = String::new();
    if old.kind() != new.kind() {
        text = format!("- {} policy\n+ {} policy\n", old.kind(), new.kind());
    }
    let mut sites: Vec<SiteId> = before.keys().chain(after.keys()).copied().collect();
    sites.sort_unstable();
    sites.dedup();
    for site in sites {
        let (was, is) = (before.get(&site), after.get(&site));
        if was != is {
            for (sign, site) in [("- ", was), ("+ ", is)] {
                if let Some(site) = site {
                    site.write(&mut text, sign, width);
                }
            }
        }
    }
    let (was, is) = (counts_in_words(old, table), counts_in_words(new, table));
    for (sign, lines, others) in [("- ", &was, &is), ("+ ", &is, &was)] {
        for line in lines.iter().filter(|line| !others.contains(line)) {
            let _ = writeln!(text, "{sign}{line}");
        }
    }
    text
}

/// `take true at sort.c:9: n - 1 times`.
fn counts_in_words(policy: &SavedPolicy, table: &dyn SiteTable) -> Vec<String> {
    let SavedPolicy::History(policy) = policy else { return Vec::new() };
    let name = |branch: &Branch| {
        let info = info_of(branch.site, table);
        format!("{} at {info}", info.act(branch.choice))
    };
    let line = |relation: &Relation| match relation {
        Relation::Sum { branches, formula, .. } => {
            let names: Vec<String> = branches.iter().map(name).collect();
            let together = if names.len() > 1 { " together" } else { "" };
            format!("{}{together}: {formula} times", names.join(" and "))
        }
        Relation::Difference { more, less, by: 0 } => {
            format!("{} as often as {}", name(more), name(less))
        }
        Relation::Difference { more, less, by } => {
            format!("{} {by} times more often than {}", name(more), name(less))
        }
    };
    policy.counts().relations().iter().map(line).collect()
}

/// What is said about one site.
#[derive(PartialEq, Eq)]
struct Described {
    place: String,
    rule: String,
    details: Vec<String>,
}

impl Described {
    fn write(&self, text: &mut String, sign: &str, width: usize) {
        let Self { place, rule, details } = self;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{sign}{place:<width$}  {rule}");
        for line in details {
            let _ = writeln!(text, "{sign}    {line}");
        }
    }
}

fn width<'a>(sites: impl Iterator<Item = &'a Described>) -> usize {
    sites.map(|site| site.place.chars().count()).max().unwrap_or(0)
}

fn describe(policy: &SavedPolicy, table: &dyn SiteTable) -> BTreeMap<SiteId, Described> {
    match policy {
        SavedPolicy::Wise { policy: levels, .. } => policy
            .sites()
            .into_iter()
            .map(|site| (site, levels_in_words(levels, site, table)))
            .collect(),
        SavedPolicy::History(policy) => policy
            .sites()
            .map(|(site, known)| (site, histories_in_words(site, known, table)))
            .collect(),
    }
}

/// A site that the table does not know is shown by its number.
pub(super) fn info_of(site: SiteId, table: &dyn SiteTable) -> SiteInfo {
    table.info(site).unwrap_or_else(|| SiteInfo {
        key: SiteKey { function_hash: 0, offset: 0 },
        arms: 2,
        function: None,
        line: Some(site.to_string()),
        sides: Vec::new(),
    })
}

fn levels_in_words(policy: &BranchPolicy, site: SiteId, table: &dyn SiteTable) -> Described {
    let info = info_of(site, table);
    let at = |wanted: Level| -> ChoiceSet {
        let levels = policy.levels_at(site);
        let chosen = levels.filter(|&(_, level)| level == wanted);
        chosen.map(|(choice, _)| choice).collect()
    };
    let (always, forced) = (at(Level::Always), at(Level::IfForced));
    let rule = match (always.is_empty(), forced.is_empty()) {
        (true, true) => "avoid: no worst path comes here".to_owned(),
        (true, false) => format!("{} only when forced", words(&forced, &info, "and")),
        (false, true) => take(&always, &info),
        (false, false) => {
            let forced = words(&forced, &info, "and");
            format!("{}, {forced} only when forced", take(&always, &info))
        }
    };
    Described { place: info.to_string(), rule, details: Vec::new() }
}

/// What is done at a site after each history that it looks at: `after leave the loop: stay in the loop whenever
/// feasible`.
pub fn cases(site: SiteId, known: &SiteHistory, table: &dyn SiteTable) -> Vec<String> {
    histories_in_words(site, known, table).details
}

fn histories_in_words(site: SiteId, known: &SiteHistory, table: &dyn SiteTable) -> Described {
    let info = info_of(site, table);
    let histories = known.trie().histories();
    let place = info.to_string();
    if let [(history, choices)] = &histories[..]
        && history.is_empty()
    {
        return Described { place, rule: take(choices, &info), details: Vec::new() };
    }
    let undecided = match known.trie().undecided() {
        0 => "resolved".to_owned(),
        some => format!("{some} of {} histories undecided", histories.len()),
    };
    Described {
        place,
        rule: format!("looks {} back, {undecided}", known.height()),
        details: histories
            .iter()
            .map(|(history, choices)| {
                let after = history_in_words(history, site, table);
                format!("{after}: {}", take(choices, &info))
            })
            .collect(),
    }
}

fn take(choices: &ChoiceSet, info: &SiteInfo) -> String {
    if choices.len() > 1 && choices.len() >= info.arms {
        let every = if info.arms == 2 { "both sides" } else { "every side" };
        return format!("follow {every}");
    }
    let acts: Vec<String> = choices.iter().map(|choice| info.act(choice)).collect();
    let acts = match acts.as_slice() {
        [] => "take nothing".to_owned(),
        // `take arm 0 or arm 2`.
        _ if info.sides.is_empty() => format!("take {}", words(choices, info, "or")),
        acts => acts.join(" or "),
    };
    format!("{acts} whenever feasible")
}

fn words(choices: &ChoiceSet, info: &SiteInfo, last: &str) -> String {
    let names: Vec<String> = choices.iter().map(|choice| info.choice(choice)).collect();
    match &names[..] {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [some @ .., end] => format!("{} {last} {end}", some.join(", ")),
    }
}

/// `after false ×13, true at sort.c:9 (latest first)`.
fn history_in_words(history: &[Branch], site: SiteId, table: &dyn SiteTable) -> String {
    if history.is_empty() {
        return "first in its activation".to_owned();
    }
    let runs = history.chunk_by(|a, b| a == b).map(|run| {
        let info = info_of(run[0].site, table);
        let mut text = info.choice(run[0].choice);
        if run[0].site != site {
            text = format!("{text} at {info}");
        }
        match run.len() {
            1 => text,
            times => format!("{text} ×{times}"),
        }
    });
    let runs: Vec<String> = runs.collect();
    let order = if runs.len() > 1 { " (latest first)" } else { "" };
    format!("after {}{order}", runs.join(", "))
}
