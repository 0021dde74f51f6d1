//! `assert_at_most!`: the installed command, started.

use std::ffi::OsString;
use std::format;
use std::process::Command;
use std::string::String;

/// What the macro calls.
///
/// # Panics
///
/// Unless the check passes.
pub fn assert_at_most(folder: &str, target: &str, class: &str, flags: &[&str]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let line = format!("cargo pessimum check {target} --at-most {class}");
    let ran = Command::new(cargo)
        .args(["pessimum", "check", target, "--at-most", class])
        .args(flags)
        .current_dir(folder)
        .output();
    let output = match ran {
        Ok(output) => output,
        Err(why) => panic!("cargo cannot be started ({why}): run this test with `cargo test`"),
    };
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(&output.stdout)
    );
    let why = match output.status.code() {
        Some(0) => return,
        Some(1) => format!("`{target}` grows faster than {class}"),
        Some(4) => format!(
            "it is not known that `{target}` grows at most as {class}: give it longer (\"--time=5m\"), or accept a lower bound (\"--inconclusive=pass\")"
        ),
        Some(101) if said.contains("no such command") => {
            String::from("cargo pessimum is not installed: in a checkout of pessimum, cargo install --path crates/pessimum and --path crates/cargo-pessimum")
        }
        _ => String::from("the check could not be made"),
    };
    panic!("{why}\n{line}\n{said}");
}
