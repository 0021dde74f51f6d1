//! `doctor`, completions and the man page.

use super::Failure;
use super::args::Cli;
use super::files::Out;
use clap::CommandFactory;
use pessimum_compile::{Environment, survey};
use pessimum_report::escape;

/// Characters of what a compiler says of itself.
const LONGEST: usize = 300;

/// What the machine has, and how to make modules.
pub(crate) fn doctor(out: &Out) -> Result<u8, Failure> {
    let mut text = format!("pessimum {}\n\n", env!("CARGO_PKG_VERSION"));
    let z3 =
        if cfg!(feature = "z3") { "built in" } else { "not built in (cargo build --features z3)" };
    text.push_str(&format!("Z3 as a last resort: {z3}\n\nCompilers found:\n"));
    for tool in survey(&Environment::of_process()) {
        let (Ok(said) | Err(said)) = &tool.found;
        text.push_str(&format!("  {:<17} {}\n", tool.language, escape::bounded(said, LONGEST)));
    }
    text.push_str(HOW_TO_COMPILE);
    out.print(&text);
    Ok(0)
}

const HOW_TO_COMPILE: &str = "
Source is compiled when it is named in place of a module:
  C, C++          pessimum analyze sort.c                    every function that is not static
                  pessimum analyze src --call 'sort(&i32[n], n)' -- -Iinclude    a folder of C files
  Rust            pessimum analyze sort.rs                   #[unsafe(no_mangle)] pub extern \"C\" fn
  Zig             pessimum analyze sort.zig                  export fn
  AssemblyScript  pessimum analyze sort.ts                   export function
  TinyGo          pessimum analyze sort.go                   //go:wasmexport
A crate that is built by cargo:
  Rust            cargo pessimum init, then cargo pessimum run example
                  (in a checkout of pessimum: cargo install --path crates/cargo-pessimum)
Everything else to a module first.
docs/compile.md has the lines for each compiler.
";

/// Completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell, out: &Out) -> Result<u8, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pessimum", &mut bytes);
    out.print(&String::from_utf8_lossy(&bytes));
    Ok(0)
}

/// The man page, of one command or of all together.
pub(crate) fn man(name: Option<&str>, out: &Out) -> Result<u8, Failure> {
    let mut whole = Cli::command();
    whole.build();
    let command = match name {
        None => whole,
        Some(name) => whole.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::usage(format!("there is no command {name}: `pessimum help` lists them"))
        })?,
    };
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut bytes)
        .map_err(|e| Failure::usage(format!("the man page cannot be made: {e}")))?;
    out.print(&String::from_utf8_lossy(&bytes));
    Ok(0)
}
