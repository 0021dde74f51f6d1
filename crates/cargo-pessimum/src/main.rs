//! `cargo pessimum`: a harness beside a crate, built for WebAssembly and handed to the command `pessimum`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os()).into()
}
