//! `generate`: every valid structure of a size, from a recursive predicate.

use super::Failure;
use super::args::GenerateArgs;
use super::files::{Beside, Out, check_places, make_dir, write};
use super::limits::Limits;
use super::module::{Build, open};
use pessimum::document::SCHEMA;
use pessimum::structure_passed;
use pessimum_clock::Deadline;
use pessimum_report::export::{Passed, c_structure, c_values};
use pessimum_shape::{
    Algorithm, DomainSpec, Drawn, Generated, Generator, Image, ShapeError, Structure,
};
use serde_json::{Value, json};
use std::path::Path;

/// Most structures that a document lists.
const LISTED: u64 = 10_000;

/// Structures that are printed.
const SHOWN: usize = 20;

/// `generate`
pub(crate) fn generate(args: &GenerateArgs, out: &Out) -> Result<u8, Failure> {
    check_places(&[("--json", args.json.as_deref())], &[("the module", &args.module)])?;
    let (flags, time) = (args.build.flags.as_slice(), args.limits.time);
    let build = Build { flags, call: Some(&args.predicate), time, quiet: false };
    let module = open(&args.module, &build, out)?.bytes;
    let limits = Limits::start(args.limits.time, args.limits.memory);
    let _guard = limits.guard(out);
    let wrong = |e: ShapeError| match e {
        ShapeError::Stopped => {
            Failure { code: 3, lines: vec![format!("{e}: give it longer with --time")] }
        }
        e => Failure::usage(e.to_string()),
    };
    let algorithm: Algorithm = args.algorithm.parse().map_err(wrong)?;
    let domains = args
        .domain
        .iter()
        .map(|d| d.parse::<DomainSpec>())
        .collect::<Result<Vec<_>, _>>()
        .map_err(wrong)?;
    let generator = Generator::with(&module, &args.predicate, &[], args.fields.as_deref())
        .map_err(wrong)?
        .domains(domains)
        .algorithm(algorithm)
        .limit(if args.output.is_some() { u64::MAX } else { LISTED })
        .until(Deadline::at(limits.deadline));
    let generator = match args.max_instructions {
        Some(instructions) => generator.max_instructions(instructions),
        None => generator,
    };
    generator.check().map_err(wrong)?;
    let sizes: Vec<usize> = args.size.0.iter().map(|n| *n as usize).collect();
    if let Some(count) = args.random {
        let (low, high) = (sizes.iter().min(), sizes.iter().max());
        let (Some(&low), Some(&high)) = (low, high) else { return Ok(0) };
        let Drawn { structures: drawn, candidates } =
            generator.draw(low..=high, count, args.seed).map_err(wrong)?;
        let mut document = json!({
            "schema": SCHEMA,
            "size": high,
            "random": drawn.len(),
            "candidates": candidates,
            "seed": args.seed,
            "structures": listed(&generator, &drawn),
        });
        if drawn.len() < count {
            let why = too_few_drawn(drawn.len(), count, candidates, high);
            out.note(&why);
            document["why_fewer"] = why.into();
        }
        let mut beside = Beside::default();
        beside.attempt(write_all(&generator, &drawn, args.output.as_deref()));
        return show(args, out, beside, &document, || {
            drawn
                .iter()
                .map(|s| s.to_json(generator.layout()).to_string() + "\n")
                .collect::<String>()
        });
    }
    let mut beside = Beside::default();
    let mut documents = Vec::new();
    let mut lines = String::from("size        valid        paths   candidates  bytes each\n");
    let (mut shown, mut more) = (Vec::new(), 0);
    for size in sizes {
        let found = if args.count { generator.count(size) } else { generator.generate(size) };
        let found = found.map_err(wrong)?;
        lines.push_str(&format!(
            "{size:>4} {:>12} {:>12} {:>12} {:>11.1}\n",
            found.valid,
            found.paths,
            found.candidates,
            found.bytes_per_structure()
        ));
        for structure in found.structures.iter().filter(|_| !args.count) {
            if shown.len() == SHOWN {
                more += 1;
            } else {
                shown.push(structure.to_json(generator.layout()).to_string());
            }
        }
        beside.attempt(write_all(&generator, &found.structures, args.output.as_deref()));
        documents.push(document(&generator, &found, args.count));
    }
    let document = match documents.len() {
        1 => documents.remove(0),
        _ => json!({ "schema": SCHEMA, "results": documents }),
    };
    if !shown.is_empty() {
        lines.push_str(&format!("\n{}\n", shown.join("\n")));
    }
    if more > 0 {
        lines.push_str(&format!("and {more} more (--json lists them, --output DIR writes them)\n"));
    }
    show(args, out, beside, &document, || lines)
}

/// Why a draw ended with fewer structures than were asked for.
fn too_few_drawn(drawn: usize, count: usize, candidates: u64, size: usize) -> String {
    let drawn = if drawn == 0 { "none".to_owned() } else { format!("only {drawn}") };
    format!(
        "{drawn} of {count} structures were drawn: a draw builds on some of the smaller structures, \
         and among the {candidates} candidates it tried no more were valid; leave --random out to go \
         through all of size {size}, or try another --seed"
    )
}

fn document(generator: &Generator, found: &Generated, count_only: bool) -> Value {
    let mut document = json!({
        "schema": SCHEMA,
        "size": found.size,
        "valid": number(found.valid),
        "paths": found.paths,
        "candidates": found.candidates,
        "bytes_per_structure": found.bytes_per_structure(),
    });
    if !count_only && let Some(object) = document.as_object_mut() {
        object.insert("structures".to_owned(), listed(generator, &found.structures));
    }
    document
}

/// A count that may be larger than JSON's own integers.
fn number(count: u128) -> Value {
    u64::try_from(count).map_or_else(|_| json!(count.to_string()), |c| json!(c))
}

fn listed(generator: &Generator, structures: &[Structure]) -> Value {
    structures.iter().map(|s| s.to_json(generator.layout())).collect()
}

/// Each structure as a memory image with relocations, a C initialiser and a graph.
fn write_all(
    generator: &Generator,
    structures: &[Structure],
    dir: Option<&Path>,
) -> Result<(), Failure> {
    let Some(dir) = dir else { return Ok(()) };
    make_dir(dir)?;
    let layout = generator.layout();
    for (i, structure) in structures.iter().enumerate() {
        let stem = format!("size{}-{i:06}", structure.size(layout));
        let name = format!("structure_{i}");
        write(&dir.join(format!("{stem}.bin")), &Image::of(layout, structure).to_bytes())?;
        let c = match structure_passed(layout, structure) {
            Passed::Structure(structure) => c_structure(&name, &structure),
            Passed::Array(ty, values) => c_values(&name, ty, &values),
            Passed::Size(_) | Passed::Number(..) => String::new(),
        };
        write(&dir.join(format!("{stem}.c")), c.as_bytes())?;
        write(&dir.join(format!("{stem}.dot")), structure.to_dot(layout, &name).as_bytes())?;
        let json = structure.to_json(layout).to_string();
        write(&dir.join(format!("{stem}.json")), json.as_bytes())?;
    }
    Ok(())
}

fn show(
    args: &GenerateArgs,
    out: &Out,
    mut beside: Beside,
    document: &Value,
    text: impl FnOnce() -> String,
) -> Result<u8, Failure> {
    if !beside.json(out, args.json.as_deref(), document) {
        out.print(&text());
    }
    beside.end()?;
    Ok(0)
}
