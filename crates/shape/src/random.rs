//! Some structures of a size, drawn at random.
//!
//! As in the paper, all small structures are kept, and of the larger ones those a coin is tossed
//! for. A size is done when enough are kept or when enough candidates were tried; what a larger
//! size is built from is what the smaller ones kept.

use crate::engine::{Engine, STEPS};
use crate::error::{Result, ShapeError};
use crate::finite::GaveUp;
use crate::layout::KindId;
use crate::predicate_run::Root;
use crate::store::Id;
use crate::structure::Structure;
use crate::walk::Walk;
use pessimum_entry::host::Seeded;

/// Structures below this size are all kept.
const SMALL: usize = 4;
/// Structures of one size and kind that are kept.
const KEPT: usize = 24;
/// Where fewer are found than this, all are kept: there may be only one of each size.
const RARE: usize = 4;
/// Candidates of one size and kind that are tried before a size is left with fewer.
const TRIED: u64 = 6_000;

/// How often values are drawn again for each structure that is still wanted.
const AGAIN: usize = 4;

/// Steps for drawing the values of one structure.
const DRAWN: u64 = 20_000;

/// A source of random numbers: the same seed, the same structures.
#[derive(Clone, Debug)]
pub(crate) struct Random(Seeded);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(Seeded::new(seed ^ 0x5851_f42d_4c95_7f2d))
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.next() % n }
    }

    fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

/// What random generation keeps: stores, and the sizes of what is in them.
struct Kept {
    /// For each kind and size, the structures.
    of: Vec<Vec<Vec<Id>>>,
}

impl Engine {
    /// Up to `count` structures whose size is in the range.
    pub(crate) fn draw(
        &mut self,
        sizes: std::ops::RangeInclusive<usize>,
        count: usize,
        random: &mut Random,
    ) -> Result<Vec<Structure>> {
        let (low, high) = (*sizes.start(), *sizes.end());
        let kinds = self.plan.layout.kinds.len();
        let mut kept = Kept { of: vec![vec![vec![0]]; kinds] };
        let weight = self.plan.layout.kinds[self.plan.whole.kind].weight;
        for size in 1..=high - weight.min(high) {
            for kind in 0..kinds {
                let found = self.draw_parts(kind, size, &kept, random)?;
                kept.of[kind].push(found);
            }
        }
        let whole = self.plan.whole.clone();
        let mut found: Vec<(Vec<Id>, u32)> = Vec::new();
        let enough = count.max(KEPT);
        for size in low..=high {
            let mut walk = Walk::new(self, whole.clone(), Root::Here, size as u32);
            let mut here = 0;
            self.try_candidates(&mut walk, whole.kind, size, &kept, random, &mut |_, walk| {
                for leaf in &walk.accepted {
                    found.push((walk.links.clone(), *leaf));
                    here += 1;
                }
                here < enough
            })?;
        }
        let paths = found.clone();
        let mut out: Vec<Structure> = Vec::new();
        while out.len() < count && !found.is_empty() {
            let (links, leaf) = found.swap_remove(random.below(found.len() as u64) as usize);
            let drawn = self.filled_with(random, whole.kind, &links, leaf);
            let filled = match drawn {
                Ok(filled) => Ok(filled),
                // The draw left no room for the rest: the least values do if any do.
                Err(GaveUp) => {
                    let mut least = |low: i64, _: i64| low;
                    self.filled_at_random(whole.kind, &links, leaf, STEPS, &mut least)
                }
            };
            let undecided = |_| ShapeError::Undecided { at: self.here() };
            out.extend(filled.map_err(undecided)?);
        }
        if !self.any_open || paths.is_empty() {
            return Ok(out);
        }
        // Fewer paths than structures asked for: the same shapes again, with other values.
        let mut seen: rustc_hash::FxHashSet<Structure> = out.iter().cloned().collect();
        for _ in 0..AGAIN * count {
            if out.len() >= count {
                break;
            }
            let (links, leaf) = &paths[random.below(paths.len() as u64) as usize];
            if let Ok(Some(drawn)) = self.filled_with(random, whole.kind, links, *leaf)
                && seen.insert(drawn.clone())
            {
                out.push(drawn);
            }
        }
        Ok(out)
    }

    /// One way to fill the open fields of a structure, each value as likely as the others where
    /// nothing else is known of it.
    fn filled_with(
        &mut self,
        random: &mut Random,
        kind: KindId,
        links: &[Id],
        leaf: u32,
    ) -> std::result::Result<Option<Structure>, GaveUp> {
        let mut pick =
            |low: i64, high: i64| low + random.below(high.abs_diff(low).saturating_add(1)) as i64;
        self.filled_at_random(kind, links, leaf, DRAWN, &mut pick)
    }

    fn draw_parts(
        &mut self,
        kind: KindId,
        size: usize,
        kept: &Kept,
        random: &mut Random,
    ) -> Result<Vec<Id>> {
        let Some(predicate) = self.plan.parts[kind].clone() else { return Ok(Vec::new()) };
        let mut walk = Walk::new(self, predicate, Root::Here, size as u32);
        let mut found = Vec::new();
        let mut spare = Vec::new();
        let mut coins = random.clone();
        self.try_candidates(&mut walk, kind, size, kept, random, &mut |engine, walk| {
            for leaf in &walk.accepted {
                if size < SMALL || coins.coin() {
                    engine.stores[kind].push(&walk.links, *leaf);
                    found.push(engine.stores[kind].len());
                } else if spare.len() < RARE {
                    spare.push((walk.links.clone(), *leaf));
                }
            }
            size < SMALL || found.len() < KEPT
        })?;
        while found.len() < RARE
            && let Some((links, leaf)) = spare.pop()
        {
            self.stores[kind].push(&links, leaf);
            found.push(self.stores[kind].len());
        }
        Ok(found)
    }

    /// Judges random candidates of a size until `judged` has enough; small sizes completely.
    fn try_candidates(
        &mut self,
        walk: &mut Walk,
        kind: KindId,
        size: usize,
        kept: &Kept,
        random: &mut Random,
        judged: &mut dyn FnMut(&mut Engine, &Walk) -> bool,
    ) -> Result<()> {
        let shape = &self.plan.layout.kinds[kind];
        let Some(below) = size.checked_sub(shape.weight) else { return Ok(()) };
        let kinds: Vec<KindId> = shape.links.iter().map(|l| l.kind).collect();
        walk.links = vec![0; kinds.len()];
        if size < SMALL {
            return self.try_all(walk, &kinds, 0, below, kept, judged);
        }
        let mut seen: rustc_hash::FxHashSet<Vec<Id>> = Default::default();
        for attempt in 0..TRIED {
            // Every way to divide the nodes between two links comes up, since for some structures
            // only one is valid; with more links the division is drawn.
            let mut left = below;
            let mut complete = true;
            for (at, &target) in kinds.iter().enumerate() {
                let share = if at + 1 == kinds.len() {
                    left
                } else if kinds.len() == 2 && attempt % 2 == 0 {
                    (attempt as usize / 2) % (below + 1)
                } else {
                    random.below(left as u64 + 1) as usize
                };
                left -= share;
                let choices = kept.of[target].get(share).map_or(&[][..], Vec::as_slice);
                if choices.is_empty() {
                    complete = false;
                    break;
                }
                walk.links[at] = choices[random.below(choices.len() as u64) as usize];
            }
            if !complete || left > 0 || !seen.insert(walk.links.clone()) {
                continue;
            }
            self.keep_going()?;
            self.judge(walk)?;
            if !judged(self, walk) {
                break;
            }
        }
        Ok(())
    }

    fn try_all(
        &mut self,
        walk: &mut Walk,
        kinds: &[KindId],
        at: usize,
        left: usize,
        kept: &Kept,
        judged: &mut dyn FnMut(&mut Engine, &Walk) -> bool,
    ) -> Result<()> {
        let Some(&kind) = kinds.get(at) else {
            if left == 0 {
                self.judge(walk)?;
                judged(self, walk);
            }
            return Ok(());
        };
        for share in 0..=left {
            let choices = kept.of[kind].get(share).cloned().unwrap_or_default();
            for id in choices {
                walk.links[at] = id;
                self.try_all(walk, kinds, at + 1, left - share, kept, judged)?;
            }
        }
        Ok(())
    }
}
