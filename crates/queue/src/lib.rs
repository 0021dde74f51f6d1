//! Tasks for many machines: one command, once for each of a list of words, on a queue that somebody else runs.
//!
//! The queue is HyperQueue, by its command `hq`. What is asked of it is little: whether a server runs, an array of
//! tasks with a word each (`hq submit --each-line`), how many of them have not ended (`hq job info`). Whether a task
//! has done its work is for whoever gave it to find out: tasks are killed, and servers forget.

mod local;

pub use local::Local;

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable in which a task finds its word.
pub const WORD: &str = "HQ_ENTRY";

/// A server of HyperQueue.
#[derive(Clone, Debug)]
pub struct HyperQueue {
    /// The folder by which a server is found, if it is not the usual one.
    server: Option<PathBuf>,
}

/// Why a queue cannot be used.
#[derive(Debug)]
pub struct QueueError(pub String);

impl std::fmt::Display for QueueError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QueueError {}

impl HyperQueue {
    /// The server that `hq` finds by itself (`HQ_SERVER_DIR`, or the folder of the user), or one in a folder.
    pub fn at(server: Option<&Path>) -> HyperQueue {
        HyperQueue { server: server.map(Path::to_owned) }
    }

    /// Whether the server runs. An error where there is no `hq`.
    pub fn runs(&self) -> Result<bool, QueueError> {
        let output = self.command("json").args(["server", "info"]).output().map_err(absent)?;
        Ok(output.status.success())
    }

    /// Submits a task for each line of a file: the number of the array.
    pub fn submit<A: AsRef<OsStr>>(
        &self,
        name: &str,
        lines: &Path,
        command: impl IntoIterator<Item = A>,
    ) -> Result<u64, QueueError> {
        let mut submit = self.command("json");
        submit.args(["submit", "--name", name, "--stdout", "none", "--stderr", "none"]);
        submit.arg("--each-line").arg(lines).arg("--").args(command);
        let answer = said(&mut submit)?;
        let number = answer.get("id").and_then(Value::as_u64);
        number.ok_or_else(|| QueueError(format!("`hq submit` did not say a number but {answer}")))
    }

    /// How many tasks of an array have not ended: none where the server does not know it, unknown where it is gone.
    pub fn unfinished(&self, array: u64) -> Result<Option<u64>, QueueError> {
        match said(self.command("json").args(["job", "info", &array.to_string()])) {
            Ok(answer) => Ok(Some(left(&answer))),
            Err(_) => Ok(self.runs()?.then_some(0)),
        }
    }

    /// How many workers the server has.
    pub fn workers(&self) -> Result<usize, QueueError> {
        let answer = said(self.command("json").args(["worker", "list"]))?;
        Ok(answer.as_array().map_or(0, Vec::len))
    }

    /// Stops the server and its workers.
    pub fn stop(&self) -> Result<(), QueueError> {
        let output = self.command("json").args(["server", "stop"]).output().map_err(absent)?;
        match output.status.success() {
            true => Ok(()),
            // It has ended by itself.
            false if !self.runs()? => Ok(()),
            false => Err(QueueError("`hq server stop` failed".to_owned())),
        }
    }

    /// The command, which answers in this form and has no input.
    fn command(&self, form: &str) -> Command {
        let mut command = Command::new("hq");
        command.stdin(Stdio::null());
        if let Some(server) = &self.server {
            command.arg("--server-dir").arg(server);
        }
        command.args(["--output-mode", form]);
        command
    }
}

fn absent(why: std::io::Error) -> QueueError {
    QueueError(format!(
        "`hq` cannot be run ({why}): install HyperQueue (https://it4innovations.github.io/hyperqueue) and put it on the PATH"
    ))
}

/// What a command said, as JSON.
fn said(command: &mut Command) -> Result<Value, QueueError> {
    let output = command.output().map_err(absent)?;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    if output.status.success() {
        return Ok(answer);
    }
    let why = match answer.get("error").and_then(Value::as_str) {
        Some(why) => why.to_owned(),
        None => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    };
    Err(QueueError(format!("`hq` failed: {why}")))
}

/// The tasks that have not ended, of what `hq job info` says: an object, or a list of one.
fn left(answer: &Value) -> u64 {
    let answer = answer.get(0).unwrap_or(answer);
    let info = answer.get("info").unwrap_or(answer);
    let stats = info.get("task_stats").unwrap_or(&Value::Null);
    let count = |state: &str| stats.get(state).and_then(Value::as_u64).unwrap_or(0);
    count("running").saturating_add(count("waiting"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tasks_that_have_not_ended_are_counted() {
        let stats = json!({"canceled": 1, "failed": 2, "finished": 3, "running": 4, "waiting": 5});
        let info = json!({"info": {"id": 1, "task_count": 15, "task_stats": stats}, "tasks": []});
        assert_eq!(left(&info), 9);
        assert_eq!(left(&json!([info])), 9);
        assert_eq!(left(&json!({"id": 1, "task_stats": stats})), 9);
        assert_eq!(left(&json!({})), 0);
        assert_eq!(left(&Value::Null), 0);
    }
}
