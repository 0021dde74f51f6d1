//! A server of our own, with a worker on this machine, where none runs.

use crate::{HyperQueue, QueueError, absent};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to be there.
const PATIENCE: Duration = Duration::from_secs(30);

/// Workers that are started in the place of those that died.
const WORKERS: u32 = 5;

/// A server and a worker that were started here. They outlive whoever started them: whoever comes next finds them by
/// their folder.
#[derive(Debug)]
pub struct Local {
    queue: HyperQueue,
    folder: PathBuf,
    worker: Option<Child>,
    started: u32,
}

impl Local {
    /// The server of a folder, which is started unless it runs. What it was given survives in its journal.
    pub fn start(folder: &Path) -> Result<Local, QueueError> {
        std::fs::create_dir_all(folder)
            .map_err(|why| QueueError(format!("cannot make {}: {why}", folder.display())))?;
        let queue = HyperQueue::at(Some(folder));
        let mut local =
            Local { queue: queue.clone(), folder: folder.to_owned(), worker: None, started: 0 };
        if queue.runs()? {
            return Ok(local);
        }
        let journal = folder.join("journal");
        let mut server = queue.command("json");
        server.args(["server", "start", "--journal"]).arg(journal);
        let mut server = detached(server, &folder.join("server.log"))?;
        let until = Instant::now() + PATIENCE;
        while !queue.runs()? {
            let ended = server.try_wait().is_ok_and(|ended| ended.is_some());
            if ended || Instant::now() > until {
                let log = folder.join("server.log");
                return Err(QueueError(format!(
                    "`hq server start` did not start a server: {} says why",
                    log.display()
                )));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        local.tend()?;
        Ok(local)
    }

    /// The server.
    pub fn queue(&self) -> &HyperQueue {
        &self.queue
    }

    /// Starts a worker where none is left.
    pub fn tend(&mut self) -> Result<(), QueueError> {
        let ours = self.worker.as_mut().is_some_and(|worker| matches!(worker.try_wait(), Ok(None)));
        if ours || self.queue.workers()? > 0 {
            return Ok(());
        }
        if self.started >= WORKERS {
            let log = self.folder.join("worker.log");
            return Err(QueueError(format!(
                "{WORKERS} workers have ended: {} says why",
                log.display()
            )));
        }
        self.started += 1;
        let mut worker = self.queue.command("json");
        worker.args(["worker", "start"]);
        self.worker = Some(detached(worker, &self.folder.join("worker.log"))?);
        Ok(())
    }
}

/// Starts a command that goes on when this process ends, whatever signal ends it. What it says goes to a file.
fn detached(mut command: std::process::Command, log: &Path) -> Result<Child, QueueError> {
    let wrong = |why| QueueError(format!("cannot write {}: {why}", log.display()));
    let out = File::options().create(true).append(true).open(log).map_err(wrong)?;
    let errors = out.try_clone().map_err(wrong)?;
    command.stdout(Stdio::from(out)).stderr(Stdio::from(errors));
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    command.spawn().map_err(absent)
}
