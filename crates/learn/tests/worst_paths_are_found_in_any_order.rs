//! The paths kept do not depend on the order or the division of the exploration.

use crate::common;

use common::{paths, trees};
use pessimum_learn::{
    Cost, Decision, HistoryLimit, HistoryOptions, HistoryPolicy, Rank, WorstPaths,
};
use proptest::prelude::*;

const LENGTHS: [u32; 2] = [0, 1];

fn ranks(path: &[Decision]) -> Vec<Rank> {
    let rank =
        |&h| HistoryPolicy::learn([path], HistoryOptions::new(HistoryLimit::Fixed(h))).rank();
    LENGTHS.iter().map(rank).collect()
}

fn plainly(paths: &[(Vec<Decision>, Cost)], keep: usize) -> Vec<Vec<Decision>> {
    let max = paths.iter().map(|(_, cost)| *cost).max();
    let mut worst: Vec<_> =
        paths.iter().filter(|(_, cost)| Some(*cost) == max).map(|(path, _)| path.clone()).collect();
    let string = |path: &[Decision]| path.iter().map(|d| d.choice).collect::<Vec<_>>();
    worst.sort_by_key(|path| (std::cmp::Reverse(ranks(path)), string(path)));
    worst.truncate(keep);
    worst
}

proptest! {
    #[test]
    fn the_best_of_the_worst_are_kept(
        tree in trees(),
        keep in 1usize..5,
        parts in prop::collection::vec(0usize..3, 64),
        order in Just(vec![0usize, 1, 2]).prop_shuffle(),
    ) {
        let all = paths(&tree);
        let mut whole = WorstPaths::new(keep, &LENGTHS);
        let mut part = vec![whole.clone(); 3];
        for ((path, cost), k) in all.iter().zip(parts.iter().cycle()) {
            whole.leaf(*cost, path);
            part[*k].leaf(*cost, path);
        }
        let mut backwards = WorstPaths::new(keep, &LENGTHS);
        for (path, cost) in all.iter().rev() {
            backwards.leaf(*cost, path);
        }
        let mut merged = WorstPaths::new(keep, &LENGTHS);
        for k in order {
            merged.merge(part[k].clone());
        }
        prop_assert_eq!(&whole, &backwards);
        prop_assert_eq!(&whole, &merged);
        let kept: Vec<_> = whole.paths().iter().map(|p| p.decisions().to_vec()).collect();
        prop_assert_eq!(kept, plainly(&all, keep));
        let tied = all.iter().filter(|(_, cost)| Some(*cost) == whole.cost()).count();
        prop_assert_eq!(whole.tied() as usize, tied);
    }
}
