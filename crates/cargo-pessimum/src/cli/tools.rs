//! The programs that are needed: cargo, rustc for WebAssembly, `pessimum`.

use super::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a harness is compiled for.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// The cargo that started this, else that of the `PATH`.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Whether the compiler has the library of the target; else the sentence that mends it.
pub(super) fn check_target(folder: &Path) -> Result<(), Failure> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let asked = Command::new(&rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(folder)
        .output();
    let output = asked.map_err(|why| {
        Failure::new(format!(
            "rustc cannot be started ({why}): install Rust from https://rustup.rs"
        ))
    })?;
    let place = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    match output.status.success() && place.is_dir() {
        true => Ok(()),
        false => Err(Failure::new(format!(
            "the compiler has no library for {TARGET}: rustup target add {TARGET}"
        ))),
    }
}

/// The command `pessimum`: beside this program, else on the `PATH`, but not in folders that are relative.
pub(super) fn pessimum() -> Result<PathBuf, Failure> {
    let file = format!("pessimum{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(&file)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let listed = std::env::split_paths(&path).filter(|p| p.is_absolute()).map(|p| p.join(&file));
    beside.into_iter().chain(listed).find(|place| place.is_file()).ok_or_else(|| {
        Failure::new(
            "the command pessimum is not installed: in a checkout of pessimum, `cargo install --path crates/pessimum`",
        )
    })
}
