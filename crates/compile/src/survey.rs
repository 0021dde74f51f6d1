//! What the machine has, for `doctor`.

use crate::clang::Clang;
use crate::others::find_zig;
use crate::run::Run;
use crate::rust::Rustc;
use crate::scratch::Scratch;
use crate::{CompileError, Environment};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// All compilers together answer within this time, or are not there.
const TIME: Duration = Duration::from_secs(30);

/// A compiler, found or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// What it compiles.
    pub language: &'static str,
    /// What it says of itself and what it lacks; else why there is none, and the mend.
    pub found: Result<String, String>,
}

/// Every language, with the compiler that would be taken.
pub fn survey(environment: &Environment) -> Vec<Tool> {
    let until = Instant::now() + TIME;
    let scratch = Scratch::new(None);
    let with = |ask: &dyn Fn(&Scratch) -> Result<String, CompileError>| match &scratch {
        Ok(scratch) => ask(scratch).map_err(|why| why.message),
        Err(why) => Err(why.message.clone()),
    };
    let plain = |program: Option<PathBuf>, flag: &str, install: &str| {
        let Some(program) = program else { return Err(format!("not found: {install}")) };
        with(&|scratch| {
            let ran = Run::new(&program).args([flag]).until(until, scratch)?;
            let line = ran.out.lines().next().unwrap_or("").trim();
            Ok(format!("{line} ({})", program.display()))
        })
    };
    let tool = |language, found| Tool { language, found };
    vec![
        tool("C, C++", with(&|s| Clang::find(environment, s, until).map(|c| c.describe()))),
        tool("Rust", with(&|s| Rustc::find(environment, s, until).map(|r| r.describe()))),
        tool("Zig", plain(find_zig(environment), "version", "pip install ziglang")),
        tool(
            "AssemblyScript",
            plain(environment.program("asc"), "--version", "npm install --global assemblyscript"),
        ),
        tool(
            "TinyGo",
            plain(
                environment.program("tinygo"),
                "version",
                "https://tinygo.org/getting-started/install",
            ),
        ),
        tool("WebAssembly text", Ok("needs no compiler".to_owned())),
    ]
}
