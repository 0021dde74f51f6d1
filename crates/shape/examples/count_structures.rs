//! Counts valid structures: `count_structures MODULE PREDICATE SIZES [ALGORITHM] [DOMAIN…]`.

use pessimum_shape::{Algorithm, Generator, ShapeError};
use std::time::Instant;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, predicate, sizes, rest @ ..] = args.as_slice() else {
        return Err("MODULE PREDICATE LOW..=HIGH [ALGORITHM] [DOMAIN…]".into());
    };
    let algorithm = rest.first().map_or(Ok(Algorithm::Auto), |a| a.parse())?;
    let domains: Result<Vec<_>, ShapeError> = rest.iter().skip(1).map(|d| d.parse()).collect();
    let (low, high) = sizes.split_once("..=").unwrap_or((sizes, sizes));
    let bytes = std::fs::read(module)?;
    let generator = Generator::new(&bytes, predicate)?.algorithm(algorithm).domains(domains?);
    generator.check()?;
    for size in low.parse()?..=high.parse()? {
        let start = Instant::now();
        let found = generator.count(size)?;
        println!(
            "{size}: valid {} paths {} candidates {} runs {} stored {} ({:.1} bytes each) {:.3} s",
            found.valid,
            found.paths,
            found.candidates,
            found.runs,
            found.stored,
            found.bytes_per_structure(),
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
