//! `doctor`, completions and the man page.

use super::Failure;
use super::args::Cli;
use super::files::Out;
use clap::CommandFactory;
use std::path::Path;
use std::process::Command;

/// What the machine has, and how to make modules.
pub(crate) fn doctor(out: &Out) -> Result<u8, Failure> {
    let mut text = format!("pessimum {}\n\n", env!("CARGO_PKG_VERSION"));
    let z3 =
        if cfg!(feature = "z3") { "built in" } else { "not built in (cargo build --features z3)" };
    text.push_str(&format!("Z3 for symbolic floats: {z3}\n\nCompilers found:\n"));
    for (program, args) in [
        ("clang-19", "--version"),
        ("clang", "--version"),
        ("wasm-ld-19", "--version"),
        ("wasm-ld", "--version"),
        ("rustc", "--version"),
        ("zig", "version"),
        ("tinygo", "version"),
        ("asc", "--version"),
    ] {
        let version = version(program, args);
        let shown = version.as_deref().unwrap_or("not found");
        text.push_str(&format!("  {program:<12} {shown}\n"));
        if program == "rustc" && version.is_some() && !has_wasm_library() {
            text.push_str(
                "               without wasm32: rustup target add wasm32-unknown-unknown\n",
            );
        }
    }
    // Debian's compilers carry their version in the name; lines are to be copied as they are.
    let numbered =
        version("clang", "--version").is_none() && version("clang-19", "--version").is_some();
    text.push_str(&match numbered {
        true => HOW_TO_COMPILE.replace("clang++ ", "clang++-19 ").replace("clang ", "clang-19 "),
        false => HOW_TO_COMPILE.to_owned(),
    });
    out.print(&text);
    Ok(0)
}

/// Whether the compiler of Rust has the library of its target.
fn has_wasm_library() -> bool {
    let args = ["--print", "target-libdir", "--target", "wasm32-unknown-unknown"];
    let ran = Command::new("rustc").args(args).output();
    let printed = ran.ok().filter(|o| o.status.success()).map(|o| o.stdout);
    printed.is_some_and(|text| Path::new(String::from_utf8_lossy(&text).trim()).is_dir())
}

/// The first line of what a program says of itself; `None` if it is not there.
fn version(program: &str, flag: &str) -> Option<String> {
    let ran = Command::new(program).arg(flag).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&ran.stdout).lines().next().unwrap_or("").to_owned())
}

const HOW_TO_COMPILE: &str = "
How to compile a program to a module:
  C        clang --target=wasm32 -O1 -g -nostdlib -Wl,--no-entry -Wl,--export=sort sort.c -o sort.wasm
  C (libc) clang --target=wasm32-wasi -O1 -g prog.c -o prog.wasm
  C++      clang++ --target=wasm32-wasi -O1 -g -fno-exceptions prog.cc -o prog.wasm
  Rust     cargo build --release --target wasm32-unknown-unknown   (crate-type = [\"cdylib\"], #[unsafe(no_mangle)] pub extern \"C\" fn)
  Zig      zig build-exe sort.zig -target wasm32-freestanding -fno-entry --export=sort
  TinyGo   tinygo build -target=wasm-unknown -o sort.wasm .
  AssemblyScript  asc sort.ts --runtime stub -O1 --debug -o sort.wasm

Debug information (-g) gives results by source line.
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
