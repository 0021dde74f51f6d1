//! The JSON form of a policy, version 1.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SavedPolicy;
use super::table::{SiteInfo, SiteKey, SiteList, SiteTable};
use crate::choice_set::ChoiceSet;
use crate::decision::{Branch, SiteId};
use crate::frequency::{Formula, FrequencyInvariants, Relation};
use crate::history::{HistoryLimit, HistoryPolicy, Trie};
use crate::wise::{BranchPolicy, Level};

const SCHEMA: u64 = 1;

/// More arms than any `br_table` that engines accept. A file must not make us reserve memory for
/// choices that cannot exist.
const MOST_ARMS: u32 = 1 << 17;

/// Why a policy cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SaveError {
    /// The policy speaks about a site that the table does not have.
    #[error("site {0} of the policy is not in the module's table of sites")]
    UnknownSite(SiteId),
    /// Two sites have the same key, so a file could not tell them apart.
    #[error("sites {0} and {1} have the same key {2}")]
    SameKey(SiteId, SiteId, SiteKey),
}

/// Why a policy file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is not JSON at all, or lacks what a policy must have.
    #[error("this is not a policy file: {0}")]
    NotAPolicy(#[from] serde_json::Error),
    /// It was written by another version.
    #[error("the policy file has schema {found}; this version reads schema {SCHEMA}")]
    Version {
        /// What the file says.
        found: String,
    },
    /// It was learned from another build.
    #[error(
        "the policy was learned from another module: {differing} of its {of} functions are not in \
         this one; learn it again from this build"
    )]
    OtherModule {
        /// How many functions of the policy's module this one lacks (0 when they are only in
        /// another order or this one has more).
        differing: usize,
        /// How many functions the policy's module has.
        of: usize,
    },
    /// It names a site that the module does not have.
    #[error("the policy names a branch that the module does not have: {site} ({key})")]
    UnknownSite {
        /// The site as the file describes it.
        site: String,
        /// Its key.
        key: SiteKey,
    },
    /// It names a site twice.
    #[error("the policy names a branch twice: {site}")]
    RepeatedSite {
        /// The site as the file describes it.
        site: String,
    },
    /// It names a side that the branch does not have.
    #[error("the policy names side {choice} of {site}, which has {arms} sides")]
    UnknownChoice {
        /// The site as the file describes it.
        site: String,
        /// The side.
        choice: u32,
        /// How many sides there are.
        arms: u32,
    },
    /// A history refers to a site that the file does not list.
    #[error("a history refers to site number {index}, but the file lists {of} sites")]
    UnlistedSite {
        /// The number in the history.
        index: usize,
        /// How many sites there are.
        of: usize,
    },
    /// A part that its kind of policy needs is missing or does not fit.
    #[error("a {kind} policy needs {what}")]
    Incomplete {
        /// The kind the file claims.
        kind: &'static str,
        /// What is missing.
        what: &'static str,
    },
}

/// Writes a policy as JSON that can be read, compared and kept under version control: the same
/// policy gives the same bytes.
pub fn save(policy: &SavedPolicy, table: &dyn SiteTable) -> Result<String, SaveError> {
    Ok(Document::of(policy, table)?.to_json())
}

/// Reads a policy that was learned from the module of the table.
pub fn load(text: &str, table: &dyn SiteTable) -> Result<SavedPolicy, LoadError> {
    Document::parse(text)?.policy(table)
}

/// A policy file that was read but not yet held against a module.
///
/// To show or compare files no module is needed: they bring their own names along, see
/// [`site_list`](Self::site_list).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Document {
    schema: u64,
    kind: SavedKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    history: Option<Limit>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    history_all: bool,
    module: Vec<Hex>,
    sites: Vec<Site>,
    /// How often paths make their decisions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    counts: Vec<Count>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedKind {
    Wise,
    Memoryless,
    History,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Limit {
    Length(u32),
    Word(LimitWord),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LimitWord {
    Adaptive,
    Unlimited,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Site {
    function: Hex,
    offset: u32,
    arms: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// What each side does, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sides: Vec<String>,
    /// By choice; for `wise`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    levels: BTreeMap<u32, Level>,
    /// For `memoryless` and `history`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    histories: Vec<After>,
}

/// What to take after a history.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct After {
    /// Number in the list of sites and choice, most recent first.
    after: Vec<(usize, u32)>,
    take: Vec<u32>,
}

/// What is known of how often branches are taken; each is the number of a site and a choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Count {
    Sum { branches: Vec<(usize, u32)>, equals: Formula, from: u64 },
    Difference { more: (usize, u32), less: (usize, u32), by: i64 },
}

/// A hash as JavaScript and people can read it: 64-bit numbers lose digits in JSON readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hex(u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map(Self)
            .map_err(|_| serde::de::Error::custom(format!("{text:?} is not a hexadecimal hash")))
    }
}

impl Document {
    /// The document of a policy.
    pub fn of(policy: &SavedPolicy, table: &dyn SiteTable) -> Result<Self, SaveError> {
        let ids: Vec<SiteId> = policy.sites().into_iter().collect();
        let mut sites = Vec::with_capacity(ids.len());
        for &id in &ids {
            let info = table.info(id).ok_or(SaveError::UnknownSite(id))?;
            if let Some(other) = table.find(info.key).filter(|&other| other != id) {
                return Err(SaveError::SameKey(id, other, info.key));
            }
            sites.push(Site {
                function: Hex(info.key.function_hash),
                offset: info.key.offset,
                arms: info.arms,
                name: info.function,
                line: info.line,
                sides: info.sides,
                levels: BTreeMap::new(),
                histories: Vec::new(),
            });
        }
        let mut document = Self {
            schema: SCHEMA,
            kind: SavedKind::Wise,
            history: None,
            history_all: false,
            module: table.module().iter().copied().map(Hex).collect(),
            sites,
            counts: Vec::new(),
        };
        match policy {
            SavedPolicy::Wise { policy, .. } => {
                for (site, id) in document.sites.iter_mut().zip(&ids) {
                    site.levels = policy.levels_at(*id).collect();
                }
            }
            SavedPolicy::History(policy) => document.put_histories(policy, &ids),
        }
        Ok(document)
    }

    fn put_histories(&mut self, policy: &HistoryPolicy, ids: &[SiteId]) {
        let number: BTreeMap<SiteId, usize> = ids.iter().copied().zip(0..).collect();
        let numbered = |branch: &Branch| (number[&branch.site], branch.choice);
        for (site, trie) in policy.evidence() {
            let histories = trie.histories().into_iter();
            self.sites[number[&site]].histories = histories
                .map(|(history, choices)| After {
                    after: history.iter().map(numbered).collect(),
                    take: choices.iter().collect(),
                })
                .collect();
        }
        let counts = policy.counts().relations().iter();
        self.counts = counts
            .map(|relation| match relation {
                Relation::Sum { branches, formula, from } => Count::Sum {
                    branches: branches.iter().map(numbered).collect(),
                    equals: *formula,
                    from: *from,
                },
                Relation::Difference { more, less, by } => {
                    Count::Difference { more: numbered(more), less: numbered(less), by: *by }
                }
            })
            .collect();
        self.kind = SavedKind::History;
        self.history_all = policy.history_all();
        self.history = match policy.limit() {
            HistoryLimit::Fixed(0) => {
                self.kind = SavedKind::Memoryless;
                None
            }
            HistoryLimit::Fixed(h) => Some(Limit::Length(h)),
            HistoryLimit::Adaptive => Some(Limit::Word(LimitWord::Adaptive)),
            HistoryLimit::Unlimited => Some(Limit::Word(LimitWord::Unlimited)),
        };
    }

    /// Reads a document. The version is looked at first: what another version means by the other
    /// fields is not ours to guess.
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        #[derive(Deserialize)]
        struct Version {
            schema: serde_json::Value,
        }
        let version: Version = serde_json::from_str(text)?;
        if version.schema != SCHEMA {
            let found = version.schema.to_string();
            return Err(LoadError::Version { found });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// The text of the document, ending in a newline.
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with number keys: there is nothing JSON could not hold.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The sites of some documents under one numbering, to show and compare them without their
    /// module. It takes the first document's word for which module it is.
    pub fn site_list<'a>(documents: impl IntoIterator<Item = &'a Self>) -> SiteList {
        let mut module = None;
        let mut sites = BTreeMap::new();
        for document in documents {
            module.get_or_insert_with(|| document.module.iter().map(|hash| hash.0).collect());
            for site in &document.sites {
                sites.entry(site.key()).or_insert_with(|| site.info());
            }
        }
        SiteList::new(module.unwrap_or_default(), sites.into_values().collect())
    }

    /// The policy in terms of a module's sites.
    pub fn policy(&self, table: &dyn SiteTable) -> Result<SavedPolicy, LoadError> {
        self.check_module(table.module())?;
        let ids = self.find_sites(table)?;
        match (self.kind, self.history) {
            (SavedKind::Wise, _) => self.wise(&ids),
            (SavedKind::Memoryless, _) => self.histories(&ids, HistoryLimit::Fixed(0)),
            (SavedKind::History, Some(limit)) => self.histories(&ids, limit.into()),
            (SavedKind::History, None) => Err(LoadError::Incomplete {
                kind: "history",
                what: "the field `history`: a length, \"adaptive\" or \"unlimited\"",
            }),
        }
    }

    fn check_module(&self, module: &[u64]) -> Result<(), LoadError> {
        if self.module.iter().map(|hash| hash.0).eq(module.iter().copied()) {
            return Ok(());
        }
        let present: BTreeSet<u64> = module.iter().copied().collect();
        let missing = |hash: &&Hex| !present.contains(&hash.0);
        Err(LoadError::OtherModule {
            differing: self.module.iter().filter(missing).count(),
            of: self.module.len(),
        })
    }

    fn find_sites(&self, table: &dyn SiteTable) -> Result<Vec<SiteId>, LoadError> {
        let mut known = BTreeSet::new();
        let find = |site: &Site| {
            let (key, name) = (site.key(), site.info().to_string());
            let id = table
                .find(key)
                .ok_or_else(|| LoadError::UnknownSite { site: name.clone(), key })?;
            if !known.insert(id) {
                return Err(LoadError::RepeatedSite { site: name });
            }
            Ok(id)
        };
        self.sites.iter().map(find).collect()
    }

    fn wise(&self, ids: &[SiteId]) -> Result<SavedPolicy, LoadError> {
        let mut levels = Vec::new();
        for (entry, &site) in self.sites.iter().zip(ids) {
            for (&choice, &level) in &entry.levels {
                entry.check(choice)?;
                levels.push((Branch { site, choice }, level));
            }
        }
        Ok(SavedPolicy::Wise {
            policy: levels.into_iter().collect::<BranchPolicy>(),
            seen: ids.iter().copied().collect(),
        })
    }

    fn histories(&self, ids: &[SiteId], limit: HistoryLimit) -> Result<SavedPolicy, LoadError> {
        let branch = |&(index, choice): &(usize, u32)| {
            let (Some(entry), Some(&site)) = (self.sites.get(index), ids.get(index)) else {
                let of = self.sites.len();
                return Err(LoadError::UnlistedSite { index, of });
            };
            entry.check(choice)?;
            Ok(Branch { site, choice })
        };
        let mut evidence = BTreeMap::<SiteId, Trie>::new();
        for (entry, &site) in self.sites.iter().zip(ids) {
            for After { after, take } in &entry.histories {
                take.iter().try_for_each(|&choice| entry.check(choice))?;
                let history: Vec<Branch> = after.iter().map(branch).collect::<Result<_, _>>()?;
                let choices: ChoiceSet = take.iter().copied().collect();
                // An empty set would leave a history in the trie that nothing was seen after.
                if !choices.is_empty() {
                    evidence.entry(site).or_default().insert_all(history, &choices);
                }
            }
        }
        let relation = |count: &Count| match count {
            Count::Sum { branches, equals, from } => {
                let branches = branches.iter().map(branch).collect::<Result<_, _>>()?;
                Ok(Relation::Sum { branches, formula: *equals, from: *from })
            }
            Count::Difference { more, less, by } => {
                Ok(Relation::Difference { more: branch(more)?, less: branch(less)?, by: *by })
            }
        };
        let relations = self.counts.iter().map(relation).collect::<Result<Vec<_>, LoadError>>()?;
        let policy = HistoryPolicy::from_evidence(evidence, limit, self.history_all)
            .with_counts(FrequencyInvariants::from_relations(relations))
            .with_seen(ids.iter().copied());
        Ok(SavedPolicy::History(policy))
    }
}

impl Site {
    fn key(&self) -> SiteKey {
        SiteKey { function_hash: self.function.0, offset: self.offset }
    }

    fn info(&self) -> SiteInfo {
        SiteInfo {
            key: self.key(),
            arms: self.arms,
            function: self.name.clone(),
            line: self.line.clone(),
            sides: self.sides.clone(),
        }
    }

    fn check(&self, choice: u32) -> Result<(), LoadError> {
        if choice < self.arms.min(MOST_ARMS) {
            return Ok(());
        }
        Err(LoadError::UnknownChoice { site: self.info().to_string(), choice, arms: self.arms })
    }
}

impl From<Limit> for HistoryLimit {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Length(h) => Self::Fixed(h),
            Limit::Word(LimitWord::Adaptive) => Self::Adaptive,
            Limit::Word(LimitWord::Unlimited) => Self::Unlimited,
        }
    }
}
