//! Places in a structure, named by the links that lead there from the root.

use rustc_hash::FxHashMap;

/// A place in a structure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct PathId(pub(crate) u32);

impl PathId {
    /// The structure's own root.
    pub(crate) const ROOT: PathId = PathId(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All paths met so far; equal paths have equal ids.
#[derive(Debug)]
pub(crate) struct Paths {
    /// The path without its last link, and that link.
    steps: Vec<(PathId, u32)>,
    /// All links of each path, from the root.
    links: Vec<Box<[u32]>>,
    ids: FxHashMap<(PathId, u32), PathId>,
}

impl Paths {
    pub(crate) fn new() -> Paths {
        Paths {
            steps: vec![(PathId::ROOT, u32::MAX)],
            links: vec![Box::new([])],
            ids: FxHashMap::default(),
        }
    }

    /// One link further.
    pub(crate) fn step(&mut self, from: PathId, link: u32) -> PathId {
        if let Some(known) = self.ids.get(&(from, link)) {
            return *known;
        }
        let id = PathId(self.steps.len() as u32);
        self.steps.push((from, link));
        let mut links = self.links[from.index()].to_vec();
        links.push(link);
        self.links.push(links.into());
        self.ids.insert((from, link), id);
        id
    }

    /// The links from the root.
    pub(crate) fn links(&self, path: PathId) -> &[u32] {
        &self.links[path.index()]
    }

    /// The path without its last link, and that link; the root's is meaningless.
    pub(crate) fn last_step(&self, path: PathId) -> (PathId, u32) {
        self.steps[path.index()]
    }

    /// `inner`, seen from a root from which its own root is at `outer`.
    pub(crate) fn join(&mut self, outer: PathId, inner: PathId) -> PathId {
        let links = self.links[inner.index()].clone();
        links.iter().fold(outer, |path, link| self.step(path, *link))
    }
}
