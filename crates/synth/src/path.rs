//! A path as the generators see it: constraint generator points, each with its bracketed sequences.

use crate::infer::Nest;
use crate::template::{Cut, Cutter, Sums, Template, Uncut};
use crate::trace::{Cause, Trace};
use pessimum_machine::NestKind;
use rustc_hash::FxHashMap;

/// A constraint generator point (definition 3 of the paper), told apart by all that does not change
/// with the iteration: the loops and calls around it, the branch and its side, and the constraint's
/// template.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub(crate) chain: Vec<NestKind>,
    pub(crate) cause: Cause,
    /// Which of the definitions that come with a constraint; `None` for the constraint itself.
    pub(crate) definition: Option<u16>,
    pub(crate) template: Template,
}

/// The sequences of one point, one for each leaf.
#[derive(Clone, Debug)]
pub(crate) struct Sequences {
    pub(crate) point: Point,
    pub(crate) leaves: Vec<Nest>,
    /// How many constraints there are.
    pub(crate) len: usize,
}

/// A path, cut.
#[derive(Clone, Debug)]
pub(crate) struct CutPath {
    /// Sorted by point.
    pub(crate) sequences: Vec<Sequences>,
}

/// One constraint of a point: where in the loops, and with what leaves.
type Occurrence = (Vec<u32>, Vec<i64>);

impl CutPath {
    /// Cuts the constraints of a trace.
    pub(crate) fn new(trace: &Trace, sums: Sums) -> Result<CutPath, Uncut> {
        let mut cutter = Cutter::new(&trace.arena, sums);
        let mut points: FxHashMap<Point, Vec<Occurrence>> = FxHashMap::default();
        for event in &trace.events {
            let (definitions, constraint) = cutter.cut(event.condition)?;
            let (chain, indices) = fold_recursion(&event.places);
            let numbered =
                definitions.into_iter().enumerate().map(|(i, cut)| (Some(i as u16), cut));
            for (definition, Cut { template, leaves }) in numbered.chain([(None, constraint)]) {
                let point =
                    Point { chain: chain.clone(), cause: event.cause, definition, template };
                points.entry(point).or_default().push((indices.clone(), leaves));
            }
        }
        if !cutter.names_are_unique() {
            return Err(Uncut);
        }
        let mut sequences: Vec<Sequences> = points
            .into_iter()
            .map(|(point, occurrences)| {
                let count = occurrences.first().map_or(0, |o| o.1.len());
                let leaves = (0..count).map(|leaf| nest(&occurrences, 0, leaf)).collect();
                Sequences { point, leaves, len: occurrences.len() }
            })
            .collect();
        sequences.sort_by(|a, b| a.point.cmp(&b.point));
        Ok(CutPath { sequences })
    }

    /// Whether the two paths have the same points.
    pub(crate) fn is_like(&self, other: &CutPath) -> bool {
        self.sequences.len() == other.sequences.len()
            && self.sequences.iter().zip(&other.sequences).all(|(a, b)| a.point == b.point)
    }
}

/// A call that comes up a second time inside itself is one more round of the same recursion: the
/// activation takes the place of a loop's iteration, and the nest stays as deep as the program text.
fn fold_recursion(places: &[(NestKind, u32)]) -> (Vec<NestKind>, Vec<u32>) {
    let (mut chain, mut indices) = (Vec::new(), Vec::new());
    for &(kind, index) in places {
        if matches!(kind, NestKind::Call { .. })
            && let Some(at) = chain.iter().position(|k| *k == kind)
        {
            chain.truncate(at);
            indices.truncate(at);
        }
        chain.push(kind);
        indices.push(index);
    }
    (chain, indices)
}

/// Brackets around constraints that share an iteration, from the outermost loop in. The innermost
/// brackets hold the constraints of one iteration, nearly always one.
fn nest(occurrences: &[Occurrence], level: usize, leaf: usize) -> Nest {
    let at = |o: &Occurrence| o.0.get(level).copied();
    if occurrences.first().and_then(at).is_none() {
        return Nest::List(occurrences.iter().map(|o| Nest::Number(o.1[leaf])).collect());
    }
    let groups = occurrences.chunk_by(|a, b| at(a) == at(b));
    Nest::List(groups.map(|group| nest(group, level + 1, leaf)).collect())
}
