//! What sites are called.

use std::collections::BTreeMap;
use std::fmt;

use crate::decision::SiteId;

/// What identifies a site in every run over the same build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SiteKey {
    /// A hash of the function's body. Functions with equal bodies must be told apart by the one
    /// who computes it, by adding how many equal ones came before, say.
    pub function_hash: u64,
    /// Where the instruction stands in the body.
    pub offset: u32,
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}+{:#x}", self.function_hash, self.offset)
    }
}

/// A site as a reader knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteInfo {
    /// What identifies it.
    pub key: SiteKey,
    /// The number of sides of the branch.
    pub arms: u32,
    /// The name of its function.
    pub function: Option<String>,
    /// Its place in the source, such as `sort.c:6`.
    pub line: Option<String>,
    /// What each side does, such as `stay in the loop (line 10)`; empty where nobody can tell.
    pub sides: Vec<String>,
}

impl SiteInfo {
    /// One side of the branch in words: what it does, or which value of the condition it is. A compiler turns conditions
    /// round as it likes, so that beside a line of the source nobody can say which.
    pub fn choice(&self, choice: u32) -> String {
        if let Some(side) = self.sides.get(choice as usize) {
            return side.clone();
        }
        let name = match (self.arms, choice, &self.line) {
            (0..=2, 0, Some(_)) => "the one side",
            (0..=2, 1, Some(_)) => "the other side",
            (0..=2, 0, None) => "false",
            (0..=2, 1, None) => "true",
            _ => return format!("arm {choice}"),
        };
        name.to_owned()
    }

    /// What to do to take a side: `stay in the loop (line 10)`, or `take the one side`.
    pub fn act(&self, choice: u32) -> String {
        match self.sides.get(choice as usize) {
            Some(side) => side.clone(),
            None => format!("take {}", self.choice(choice)),
        }
    }
}

/// The source line if it is known, else the function and the offset.
impl fmt::Display for SiteInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.line, &self.function) {
            (Some(line), _) => f.write_str(line),
            (None, Some(function)) => write!(f, "{function}+{:#x}", self.key.offset),
            (None, None) => self.key.fmt(f),
        }
    }
}

/// The sites of a module.
pub trait SiteTable {
    /// Identifies the build: the hashes of the module's function bodies.
    fn module(&self) -> &[u64];

    /// What is known about a site.
    fn info(&self, site: SiteId) -> Option<SiteInfo>;

    /// The site with a key.
    fn find(&self, key: SiteKey) -> Option<SiteId>;
}

/// A table that is just a list: site `i` is the `i`-th.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteList {
    module: Vec<u64>,
    sites: Vec<SiteInfo>,
    by_key: BTreeMap<SiteKey, SiteId>,
}

impl SiteList {
    /// A table of these sites in this order; of sites with equal keys the first is found.
    pub fn new(module: Vec<u64>, sites: Vec<SiteInfo>) -> Self {
        let mut by_key = BTreeMap::new();
        for (site, info) in (0..).zip(&sites) {
            by_key.entry(info.key).or_insert(SiteId(site));
        }
        Self { module, sites, by_key }
    }
}

impl SiteTable for SiteList {
    fn module(&self) -> &[u64] {
        &self.module
    }

    fn info(&self, site: SiteId) -> Option<SiteInfo> {
        self.sites.get(site.index()).cloned()
    }

    fn find(&self, key: SiteKey) -> Option<SiteId> {
        self.by_key.get(&key).copied()
    }
}
