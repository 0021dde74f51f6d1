//! How fast paths pass through learning: the walk of insertion sort's computation tree with
//! everything else left out, advice from histories, and worst paths that tie.
//!
//! `cargo run --release -p pessimum-learn --example throughput`

#![allow(clippy::print_stdout)]

use std::time::Instant;

use pessimum_learn::{
    Cost, Decision, Guide, HistoryLimit, HistoryOptions, HistoryPolicy, Openness, SiteId,
    WiseCollector, WiseTracker, WorstPaths,
};

const N: u32 = 10;

fn main() {
    let mut walk = Walk::default();
    let start = Instant::now();
    walk.insert(1, 0);
    let seconds = start.elapsed().as_secs_f64();
    let summary = walk.collector.summary();
    println!(
        "{} leaves, {} decisions, {} least policies, worst cost {}: {:.1} ns per decision, leaves included",
        summary.leaves(),
        walk.decisions,
        summary.tallies().len(),
        summary.max_cost().unwrap_or_default(),
        1e9 * seconds / walk.decisions as f64,
    );

    let mut collector = WiseCollector::new();
    let start = Instant::now();
    let leaves = 20_000_000;
    for i in 0..leaves {
        collector.leaf(std::hint::black_box(&walk.tracker), Cost(i & 1023));
    }
    let leaf = 1e9 * start.elapsed().as_secs_f64() / leaves as f64;
    println!("{leaf:.1} ns per leaf alone (same policy)");

    let step = decision(3, 1, Openness::Open);
    let start = Instant::now();
    let pushes = 100_000_000;
    for _ in 0..pushes {
        let mark = walk.tracker.mark();
        walk.tracker.push(std::hint::black_box(&step));
        walk.tracker.undo_to(mark);
    }
    let push = 1e9 * start.elapsed().as_secs_f64() / f64::from(pushes);
    println!("{push:.1} ns per push and undo that raise a level");

    guiding();
    ranking();
}

/// Advice at the end of a path that compares keys of length 15 again and again.
fn guiding() {
    let path: Vec<Decision> = (0..1500)
        .map(|i| Decision {
            prev: if i % 15 == 0 { 0 } else { i },
            ..decision(0, u32::from(i % 15 == 14), Openness::Open)
        })
        .collect();
    for (limit, name) in [
        (HistoryLimit::Fixed(0), "without history"),
        (HistoryLimit::Fixed(1), "looking 1 back"),
        (HistoryLimit::Adaptive, "looking 14 back"),
    ] {
        let policy = HistoryPolicy::learn([&path[..]], HistoryOptions::new(limit));
        let start = Instant::now();
        let times = 2_000_000;
        for _ in 0..times {
            std::hint::black_box(policy.advise(SiteId(0), 2, std::hint::black_box(&path), 1499));
        }
        let advice = 1e9 * start.elapsed().as_secs_f64() / f64::from(times);
        println!("{advice:.1} ns per advice {name}");
    }
}

/// Leaves that all tie, the most that collecting worst paths can cost.
fn ranking() {
    let mut worst = WorstPaths::default();
    let leaves = 100_000u32;
    let mut path: Vec<Decision> =
        (0..60).map(|i| Decision { prev: i, ..decision(i % 5, 0, Openness::Open) }).collect();
    let start = Instant::now();
    for leaf in 0..leaves {
        for (i, decision) in (0..32).zip(&mut path) {
            decision.choice = leaf >> i & 1;
        }
        worst.leaf(Cost(1), &path);
    }
    let tied = 1e9 * start.elapsed().as_secs_f64() / f64::from(leaves);
    println!("{tied:.0} ns per worst path of {} decisions that ties", path.len());
}

#[derive(Default)]
struct Walk {
    tracker: WiseTracker,
    collector: WiseCollector,
    decisions: u64,
}

impl Walk {
    /// Inserts element `i` and all after it; `cost` conditionals were executed before.
    fn insert(&mut self, i: u32, cost: u64) {
        if i == N {
            self.collector.leaf(&self.tracker, Cost(cost));
            return;
        }
        let mark = self.tracker.mark();
        self.push(0, 1, Openness::Forced);
        // The element sinks past `sunk` others: `sunk` times true, then false unless at the end.
        for sunk in 0..=i {
            let here = self.tracker.mark();
            if sunk < i {
                self.push(2, 0, Openness::Open);
            } else {
                self.push(1, 0, Openness::Forced);
            }
            self.insert(i + 1, cost + 2 * u64::from(sunk) + 1);
            self.tracker.undo_to(here);
            self.push(1, 1, Openness::Forced);
            self.push(2, 1, Openness::Open);
        }
        self.tracker.undo_to(mark);
    }

    fn push(&mut self, site: u32, choice: u32, openness: Openness) {
        self.decisions += 1;
        self.tracker.push(&decision(site, choice, openness));
    }
}

fn decision(site: u32, choice: u32, openness: Openness) -> Decision {
    Decision { site: SiteId(site), choice, arms: 2, openness, prev: 0 }
}
