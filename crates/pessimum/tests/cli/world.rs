//! Running the built command, on modules of the corpus or made here.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The call of every sort in the corpus.
pub(crate) const SORT: &str = "sort(&i32[n], n)";

/// The command, not yet run; nothing of the caller's terminal reaches it.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.args(args).env_remove("NO_COLOR").env_remove("COLUMNS").env("LC_ALL", "C.UTF-8");
    // Who does not ask for a hard stop gets the same work done on a machine that is busy.
    if !args.contains(&"--time") {
        command.env("PESSIMUM_PATIENCE", "20");
    }
    command
}

/// Runs the command to its end.
pub(crate) fn run(args: &[&str]) -> Ran {
    Ran::new(command(args).output().expect("the command was built"), args)
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    line: String,
}

impl Ran {
    fn new(output: Output, args: &[&str]) -> Ran {
        Ran::of(output, &format!("pessimum {}", args.join(" ")))
    }

    /// What this command line left behind.
    pub(crate) fn of(output: Output, line: &str) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Ran {
            code: output.status.code().expect("no signal ended it"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            line: line.to_owned(),
        }
    }

    /// Fails, with everything that was said, unless the exit code is this.
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(
            self.code, code,
            "{}\nstdout: {}\nstderr: {}",
            self.line, self.stdout, self.stderr
        );
        self
    }

    /// Standard output, which must be one JSON document and nothing else.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{}: {e}\n{}", self.line, self.stdout))
    }
}

/// A module of the corpus.
pub(crate) fn corpus(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    root.join(name).join(format!("{name}.wasm")).display().to_string()
}

/// A file of this test run's own; `name` must be its own as well, since tests run at once.
pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Writes such a file and gives its name.
pub(crate) fn file(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = scratch(name);
    std::fs::write(&path, bytes).expect("the scratch folder can be written");
    path.display().to_string()
}

/// A module written as text.
pub(crate) fn module(name: &str, wat: &str) -> String {
    file(name, wat::parse_str(wat).expect("the test's module is well formed"))
}
