//! A walk that merges states against one that follows every path.

use crate::compare::plan;
use crate::generator::Program;
use pessimum_entry::CostModel;
use pessimum_explore::{Merge, Nobody, Options, Outcome, Plan, Trainer, explore, explore_lesson};
use pessimum_learn::{BranchPolicy, Tally, Unguided, WiseSummary};

/// Walks a program plainly, merged, and with every reuse walked again, each with paths counted and not, with
/// selects split and kept whole; answers how many states were reused. An error says which number differs.
pub fn compare_merged(program: &Program) -> Result<u64, String> {
    let mut reused = 0;
    for split in [true, false] {
        let plan = plan(program, &CostModel::Instructions, split)?;
        let walk = |merge: Merge, counted_work: u64| -> Result<Outcome, String> {
            let options = Options { merge, counted_work, max_tests: 0, ..plan.options.clone() };
            let plan = Plan { options, ..plan.clone() };
            Ok(explore(&plan, &Unguided, || Nobody).map_err(|e| e.to_string())?.0)
        };
        let plain = walk(Merge::Off, 0)?;
        if plain.cut_by.is_some() {
            continue;
        }
        let (_, trainers) =
            explore(&plan, &Unguided, Trainer::default).map_err(|e| e.to_string())?;
        for merge in [Merge::On, Merge::Verify] {
            let options = Options { merge, max_tests: 0, ..plan.options.clone() };
            let lesson = explore_lesson(&Plan { options, ..plan.clone() });
            let learned = lesson.map_err(|e| e.to_string())?.map(|(_, learned)| learned);
            let mut plainly = WiseSummary::new();
            trainers.iter().for_each(|trainer| plainly.merge(&trainer.wise.summary()));
            if learned.is_some_and(|learned| told(&learned) != told(&plainly)) {
                return Err(format!("split {split}, {merge:?}: another lesson"));
            }
            for counted in [u64::MAX, 0] {
                let found = walk(merge, counted)?;
                if found.cut_by.is_some() {
                    continue;
                }
                let mode = format!("split {split}, {merge:?}, counted {}", counted > 0);
                same(&found, &plain).map_err(|what| format!("{mode}: {what}"))?;
                reused += found.merged.map_or(0, |merged| merged.reuses);
            }
        }
    }
    Ok(reused)
}

/// The least policies of a summary with their counts and costs. What is asked on the way to an answer depends on the terms there are, and
/// with it the effort.
fn told(summary: &WiseSummary) -> Vec<(String, u64, u64)> {
    let of =
        |(policy, tally): (&BranchPolicy, &Tally)| (policy.to_string(), tally.count, tally.cost.0);
    summary.tallies().map(of).collect()
}

fn same(found: &Outcome, plain: &Outcome) -> Result<(), String> {
    let agree = |what: &str, found: String, plain: String| match found == plain {
        true => Ok(()),
        false => Err(format!("{what}: merged {found}, plain {plain}")),
    };
    let show = |cost: Option<u64>| format!("{cost:?}");
    agree("the worst cost", show(found.worst_cost()), show(plain.worst_cost()))?;
    let counted = found.merged.as_ref().is_none_or(|merged| merged.paths.is_some());
    if counted || found.least_cost.is_some() {
        agree("the least cost", show(found.least_cost), show(plain.least_cost))?;
    }
    agree("exact", found.is_exact().to_string(), plain.is_exact().to_string())?;
    let input = |o: &Outcome| format!("{:?}", o.worst.as_ref().map(|w| &w.test.input));
    agree("the worst input", input(found), input(plain))?;
    let Some(merged) = &found.merged else { return Ok(()) };
    agree("wrong reuses", merged.wrong.to_string(), "0".to_owned())?;
    if let Some(paths) = &merged.paths {
        agree("paths", paths.to_string(), plain.paths.to_string())?;
        agree("paths that trap", found.trapped.to_string(), plain.trapped.to_string())?;
    }
    Ok(())
}
