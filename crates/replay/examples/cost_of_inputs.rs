//! What every file of some folders costs: `cost_of_inputs MODULE CALL MOST_BYTES FOLDER…` runs each file of at most
//! so many bytes at the size of its length, in the engine that replays reported inputs, and prints the cost and the
//! name of each that ends normally, and `-` for one that does not. Kept inputs of other tools are compared so.
#![allow(clippy::print_stdout)]

use pessimum_entry::{CallSpec, CostModel, Invocation, Sizes};
use pessimum_replay::{Input, Instrumented, Limits, Replayer};
use std::path::{Path, PathBuf};

/// Operators that one run may execute.
const FUEL: u64 = 20_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, module, call, most, folders @ ..] = args.as_slice() else {
        return Err("usage: cost_of_inputs MODULE CALL MOST_BYTES FOLDER...".into());
    };
    let most: usize = most.parse()?;
    let copy = Instrumented::new(&std::fs::read(module)?, &CostModel::Conditionals, &[])?;
    let replayer = Replayer::new(&copy, Limits { fuel: Some(FUEL), ..Limits::default() })?;
    let call = CallSpec::parse(call)?;
    for folder in folders {
        for file in files(Path::new(folder))? {
            let bytes = std::fs::read(&file)?;
            if bytes.len() > most {
                continue;
            }
            let sizes = Sizes::of(bytes.len() as u64);
            let invocation = Invocation::Call(call.at(&sizes)?);
            let ran = replayer.run(&invocation, &sizes, Input::Raw(&bytes))?;
            match ran.cost.filter(|_| ran.end.is_normal()) {
                Some(cost) => println!("{cost} {}", file.display()),
                None => println!("- {}", file.display()),
            }
        }
    }
    Ok(())
}

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
