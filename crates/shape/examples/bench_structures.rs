//! The scale of generation: `cargo run --release -p pessimum-shape --example bench_structures`.
//! Prints what `bench/results/structures.txt` holds.

use pessimum_shape::{Algorithm, Generator, ShapeError};

/// Module, predicate, domains, sizes, algorithm, seconds the issue allows (`-`: it names none).
type Row = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [usize],
    &'static str,
    &'static str,
);

const ROWS: &[Row] = &[
    ("binary_tree", "rep_ok", &[], &[12], "auto", "1"),
    ("binary_tree", "rep_ok", &[], &[14], "auto", "8"),
    ("search_tree", "rep_ok", &["key=1..=n"], &[10], "auto", "1"),
    ("red_black_tree", "rep_ok", &["key=1..=n"], &[11], "auto", "3"),
    ("red_black_tree", "rep_ok", &["key=1..=n"], &[14], "symbolazydp", "60"),
    ("fibonacci_heap", "rep_ok", &[], &[6], "auto", "2"),
    ("heap_array", "rep_ok", &["element=0..=9"], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "auto", "3"),
    ("binary_heap", "rep_ok", &[], &[9], "auto", "-"),
    ("hash_table", "rep_ok", &["key=0..=4*n"], &[6], "auto", "-"),
    ("sorted_list", "rep_ok", &[], &[12], "auto", "-"),
];

const RANDOM: &[(&str, &[&str])] = &[
    ("sorted_list", &[]),
    ("binary_tree", &[]),
    ("search_tree", &["key=1..=n"]),
    ("red_black_tree", &["key=1..=n"]),
    ("fibonacci_heap", &[]),
    ("binary_heap", &[]),
    ("heap_array", &[]),
    ("hash_table", &["key=0..=4*n"]),
    ("hash_table", &[]),
];

/// Processor time of this thread so far, which other work on the machine does not change.
fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: f64 = text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    nanos / 1e9
}

fn generator(name: &str, predicate: &str, domains: &[&str]) -> Result<Generator, ShapeError> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/structures");
    let bytes = std::fs::read(format!("{dir}/{name}/{name}.wasm")).unwrap_or_default();
    let domains: Result<Vec<_>, _> = domains.iter().map(|d| d.parse()).collect();
    let generator = Generator::new(&bytes, predicate)?.domains(domains?);
    generator.check()?;
    Ok(generator)
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "structure        domains        size  algorithm   valid       paths    candidates  runs   bytes each  counting writing  allowed written"
    );
    for (name, predicate, domains, sizes, algorithm, allowed) in ROWS {
        let algorithm: Algorithm = algorithm.parse()?;
        let generator = generator(name, predicate, domains)?.algorithm(algorithm);
        let start = seconds();
        let (mut valid, mut paths, mut candidates, mut runs, mut bytes) = (0, 0, 0, 0, 0f64);
        for size in *sizes {
            let found = generator.count(*size)?;
            valid += found.valid;
            paths += found.paths;
            candidates += found.candidates;
            runs += found.runs;
            bytes = bytes.max(found.bytes_per_structure());
        }
        let took = seconds() - start;
        let start = seconds();
        let mut shown = 0;
        for size in *sizes {
            generator.each(*size, &mut |structure| {
                shown += usize::from(!structure.nodes.is_empty() || *size == 0);
                true
            })?;
        }
        let writing = seconds() - start;
        let size = match sizes {
            [one] => one.to_string(),
            many => format!("{}..={}", many[0], many[many.len() - 1]),
        };
        let domains = domains.join(" ");
        println!(
            "{name:16} {domains:14} {size:5} {algorithm:11} {valid:<11} {paths:<8} {candidates:<11} {runs:<6} {bytes:<11.1} {took:<8.3} {writing:<8.3} {allowed:<7} {shown}"
        );
    }
    println!("\nten random structures of size 90..=100, seed 7 (allowed: 10 seconds)");
    for (name, domains) in RANDOM {
        let generator = generator(name, "rep_ok", domains)?;
        let start = seconds();
        let found = generator.random(90..=100, 10, 7)?;
        let (count, took, domains) = (found.len(), seconds() - start, domains.join(" "));
        println!("{name:16} {domains:14} {count:3} structures  {took:.3} seconds");
    }
    Ok(())
}
