//! The parts of one training size as tasks for many machines: files in a folder.
//!
//! ```text
//! DIR/module.wasm      the module
//! DIR/parts.json       the call, the size, what decides the tree; its parts, by the decisions that lead to them
//! DIR/done/17.json     what was found in the 17th, and what was learned from it
//! ```
//!
//! They are the parts that threads share out, so an analysis that has them walked elsewhere comes to the same. A part is done
//! when its file is there; done twice, it gives the same.

use super::files::{self, Belonging, Sealed, Unread};
use super::{JobId, result_kind, stopped};
use crate::checkpoint::write_whole;
use crate::error::Error;
use crate::target::Target;
use crate::train::lesson;
use pessimum_explore::{Budget, Learned, Outcome, TreeParts, walk_part};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A training size that is to be walked by its parts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PartsWanted {
    /// Whoever plans says here what is called and how, to be told when the folder is opened.
    pub call: serde_json::Value,
    /// The size.
    pub n: u64,
    /// Whether histories contain forced decisions too.
    pub history_all: bool,
    /// Work that the size may take.
    pub work: Option<u64>,
    /// The parts.
    pub tree: TreeParts,
}

/// What was found in a part, and learned from it; nothing of one that does not count.
pub type PartFound = Option<(Outcome, Learned)>;

/// A folder of parts.
#[derive(Clone, Debug)]
pub struct Parts {
    folder: PathBuf,
    belonging: Belonging,
    module: Arc<[u8]>,
    wanted: PartsWanted,
}

const FILE: &str = "parts.json";
const KIND: &str = "parts of a tree";
const AGAIN: &str = "remove the folder, and run the analysis again";

impl Parts {
    /// Makes a folder of parts in this one, with a name that no others have. Where the same were planned already, nothing is
    /// done.
    pub fn plan(within: &Path, module: &[u8], wanted: PartsWanted) -> Result<Parts, Error> {
        let words = serde_json::to_vec(&wanted).map_err(|e| Error::Usage(e.to_string()))?;
        let belonging = Belonging::of(module, &words);
        let folder = &within.join(format!("{}-{}", wanted.n, belonging.plan));
        let file = folder.join(FILE);
        match files::read::<PartsWanted>(&file, KIND, Some(&belonging)) {
            Ok(_) => return Parts::open(folder),
            Err(Unread::Absent) => {}
            Err(unread) => return Err(unread.needed(&file, AGAIN)),
        }
        let done = folder.join("done");
        std::fs::create_dir_all(&done).map_err(|why| {
            Error::Usage(format!("cannot make the folder {}: {why}", done.display()))
        })?;
        let copy = folder.join("module.wasm");
        write_whole(&copy, module)
            .map_err(|why| Error::Usage(format!("cannot write {}: {why}", copy.display())))?;
        // The last of all: a folder without it is no folder of parts.
        files::write(&file, KIND, &belonging, &wanted)?;
        Parts::open(folder)
    }

    /// Whether a folder is one of parts.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// The parts of a folder.
    pub fn open(folder: &Path) -> Result<Parts, Error> {
        let file = folder.join(FILE);
        let Sealed { content: wanted, belonging, .. } =
            files::read::<PartsWanted>(&file, KIND, None)
                .map_err(|unread| unread.needed(&file, AGAIN))?;
        let copy = folder.join("module.wasm");
        let module = files::bytes(&copy).map_err(|unread| unread.needed(&copy, AGAIN))?;
        let words = serde_json::to_vec(&wanted).map_err(|e| Error::Usage(e.to_string()))?;
        if Belonging::of(&module, &words) != belonging {
            let why = "is not the module that the parts were planned for";
            return Err(Unread::Foreign(why.to_owned()).needed(&copy, AGAIN));
        }
        Ok(Parts { folder: folder.to_owned(), belonging, module: module.into(), wanted })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The module.
    pub fn module(&self) -> &Arc<[u8]> {
        &self.module
    }

    /// What was asked for.
    pub fn wanted(&self) -> &PartsWanted {
        &self.wanted
    }

    /// Walks a part, unless it was done; whether it was. One that comes after the limit is left out, as far as what comes
    /// before it is done.
    pub fn run(&self, target: &Target, limits: &Budget, id: &JobId) -> Result<bool, Error> {
        let (origin, place) = id.origin();
        let tree = &self.wanted.tree;
        let part = tree.parts.get(place).filter(|_| origin.is_none()).ok_or_else(|| {
            Error::Usage(format!("there is no part {id}: {} were planned", tree.parts.len()))
        })?;
        if self.found(place)?.is_some() {
            return Ok(true);
        }
        let mut before = Vec::new();
        // Without a limit every part counts.
        for earlier in 0..self.wanted.work.map_or(0, |_| place) {
            before.extend(self.found(earlier)?.flatten().map(|(found, _)| found.work));
        }
        let found: PartFound = match tree.is_beyond_limit(before) {
            true => None,
            false => {
                let budget = Budget { work: self.wanted.work, ..limits.clone() };
                let options = lesson(self.wanted.history_all, budget);
                let plan = target.plan(self.wanted.n, options, 1)?;
                Some(walk_part(&plan, part).map_err(|why| stopped(Some(id), why))?)
            }
        };
        files::write(&self.done_file(id), &result_kind(id), &self.belonging, &found)?;
        Ok(false)
    }

    /// The parts that are not done.
    pub fn missing(&self) -> Result<Vec<JobId>, Error> {
        self.missing_but(&mut BTreeSet::new())
    }

    /// The parts that are not done, where these are known to be. Those that are done now become known.
    pub fn missing_but(&self, done: &mut BTreeSet<JobId>) -> Result<Vec<JobId>, Error> {
        let mut missing = Vec::new();
        for place in 0..self.wanted.tree.parts.len() {
            let id = JobId::planned(place);
            if done.contains(&id) {
                continue;
            }
            match self.found(place)? {
                Some(_) => {
                    done.insert(id);
                }
                None => missing.push(id),
            }
        }
        Ok(missing)
    }

    /// What was found in each part; `None` where one is not done.
    pub fn gather(&self) -> Result<Option<Vec<PartFound>>, Error> {
        (0..self.wanted.tree.parts.len()).map(|place| self.found(place)).collect()
    }

    /// What was found in a part, if it is done. A damaged file counts as missing.
    fn found(&self, place: usize) -> Result<Option<PartFound>, Error> {
        let id = JobId::planned(place);
        let file = self.done_file(&id);
        match files::read::<PartFound>(&file, &result_kind(&id), Some(&self.belonging)) {
            Ok(sealed) => Ok(Some(sealed.content)),
            Err(Unread::Absent | Unread::Damaged) => Ok(None),
            Err(foreign) => Err(foreign.needed(&file, AGAIN)),
        }
    }

    fn done_file(&self, id: &JobId) -> PathBuf {
        self.folder.join("done").join(format!("{id}.json"))
    }
}
