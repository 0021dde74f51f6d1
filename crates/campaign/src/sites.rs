//! The module's sites as the learner's files and reports name them.

use pessimum_learn::{SiteId, SiteInfo, SiteKey, SiteTable};
use pessimum_machine::{Module, SiteKind};
use std::collections::HashMap;

/// Sites of one module, by number and by key.
#[derive(Debug)]
pub struct Sites<'m> {
    module: &'m Module,
    hashes: Vec<u64>,
    by_key: HashMap<SiteKey, SiteId>,
}

impl<'m> Sites<'m> {
    /// The sites of a module.
    pub fn new(module: &'m Module) -> Sites<'m> {
        let mut hashes: Vec<u64> =
            (0..module.function_count()).map(|f| module.body_hash(f)).collect();
        // Functions with equal bodies are told apart by how many came before.
        let mut seen: HashMap<u64, u64> = HashMap::new();
        for hash in &mut hashes {
            let before = seen.entry(*hash).or_insert(0);
            let own = hash.wrapping_add(before.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            *before += 1;
            *hash = own;
        }
        let mut sites = Sites { module, hashes, by_key: HashMap::new() };
        for (i, _) in module.sites().iter().enumerate() {
            let id = SiteId(i as u32);
            if let Some(key) = sites.key(id) {
                sites.by_key.entry(key).or_insert(id);
            }
        }
        sites
    }

    /// The module they belong to.
    pub(crate) fn of(&self) -> &'m Module {
        self.module
    }

    fn key(&self, site: SiteId) -> Option<SiteKey> {
        let site = self.module.sites().get(site.index())?;
        let function_hash = *self.hashes.get(site.function as usize)?;
        Some(SiteKey { function_hash, offset: site.offset })
    }

    /// Where a site is: `sort.c:6:12`.
    pub fn describe(&self, site: SiteId) -> String {
        self.module.describe(pessimum_machine::SiteIndex(site.0))
    }
}

impl SiteTable for Sites<'_> {
    fn module(&self) -> &[u64] {
        &self.hashes
    }

    fn info(&self, site: SiteId) -> Option<SiteInfo> {
        let key = self.key(site)?;
        let own = self.module.sites().get(site.index())?;
        let location = self.module.locate(own.file_offset);
        let arms = match own.kind {
            SiteKind::BrTable { arms } => arms,
            _ => 2,
        };
        Some(SiteInfo {
            key,
            arms,
            function: Some(self.module.function_name(own.function)),
            line: location.map(|l| l.to_string()),
        })
    }

    fn find(&self, key: SiteKey) -> Option<SiteId> {
        self.by_key.get(&key).copied()
    }
}
