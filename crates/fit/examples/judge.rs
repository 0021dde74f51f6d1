//! The confusion table of the judge on synthetic truth:
//! `cargo run --release -p pessimum-fit --example judge`, committed as `bench/results/judge.txt`
//!
//! `judge COUNT` judges so many sequences (10,000), `judge COUNT wrong` shows those that are not right.

#![allow(clippy::print_stdout)]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::collections::BTreeMap;
use synthetic::{KINDS, Worth, judge, sequence};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(10_000);
    let shown = arguments.next();
    let mut kinds: BTreeMap<(usize, Worth), u64> = BTreeMap::new();
    let mut classes: BTreeMap<(String, String), u64> = BTreeMap::new();
    let (mut free, mut free_right) = (0, 0);
    let workers = std::thread::available_parallelism().map_or(1, |w| w.get() as u64);
    let judged = std::thread::scope(|scope| {
        let part = |worker: u64| {
            let mine = (worker..count).step_by(workers as usize);
            mine.map(|seed| (seed, judge(&sequence(seed)))).collect::<Vec<_>>()
        };
        let running: Vec<_> = (0..workers).map(|w| scope.spawn(move || part(w))).collect();
        let mut all: Vec<_> =
            running.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect();
        all.sort_by_key(|(seed, _)| *seed);
        all
    });
    for (seed, (growth, answer, worth)) in judged {
        let sequence = sequence(seed);
        let kind = KINDS.iter().position(|k| *k == sequence.kind).unwrap_or(0);
        *kinds.entry((kind, worth)).or_default() += 1;
        let told = match (answer, sequence.kind.is_searched()) {
            (None, _) => "no class".to_owned(),
            (Some(class), true) => class.omega(),
            (Some(class), false) => class.big_o(),
        };
        *classes.entry((sequence.truth.to_string(), told.clone())).or_default() += 1;
        if sequence.kind.is_noise_free() {
            free += 1;
            free_right += u64::from(worth == Worth::Right);
        }
        let asked = match shown.as_deref() {
            Some("wrong") => worth == Worth::Wrong,
            Some("all") => worth != Worth::Right,
            _ => false,
        };
        if asked {
            let left: Vec<String> = growth.left.iter().map(ToString::to_string).collect();
            let costs: Vec<(u64, u64)> = sequence.points.iter().map(|p| (p.n, p.cost)).collect();
            println!(
                "#{seed} {:?} {:?}: {} told {told}, left {}, {:.1} bits, {:?}\n   {costs:?}",
                sequence.kind,
                worth,
                sequence.truth,
                left.join(" "),
                growth.bits,
                growth.formula
            );
        }
    }
    let of = |kind: usize, worth: Worth| kinds.get(&(kind, worth)).copied().unwrap_or(0);
    println!("{:<20} {:>7} {:>6} {:>6} {:>6}", "kind", "right", "weak", "silent", "wrong");
    let mut total = [0; 4];
    for (i, kind) in KINDS.iter().enumerate() {
        let row = [Worth::Right, Worth::Weak, Worth::Silent, Worth::Wrong].map(|w| of(i, w));
        for (sum, x) in total.iter_mut().zip(row) {
            *sum += x;
        }
        println!(
            "{:<20} {:>7} {:>6} {:>6} {:>6}",
            format!("{kind:?}"),
            row[0],
            row[1],
            row[2],
            row[3]
        );
    }
    println!("{:<20} {:>7} {:>6} {:>6} {:>6}", "all", total[0], total[1], total[2], total[3]);
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    println!("right of the noise-free: {:.1} %", percent(free_right, free));
    println!("right of all: {:.1} %", percent(total[0], count));
    println!();
    println!("truth -> answer: how often");
    for ((truth, told), times) in &classes {
        println!("{truth:<12} -> {told:<16} {times}");
    }
}
