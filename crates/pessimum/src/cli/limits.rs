//! Limits that hold on anything: `--time`, `--memory`, and who sees to them.
//!
//! Every loop that a module can make long looks at its budget and ends with what it has. A guard
//! watches beside them: where something forgets to look, it ends the process a little later, says so
//! and says what was known. Exit code 3. Nobody gets memory beyond the limit before the guard has looked:
//! the [`allocator`] waits for it.

mod allocator;

use super::files::Out;
use pessimum::Drawing;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the guard looks.
const EVERY: Duration = Duration::from_millis(10);

/// Time beyond `--time` that a run has to end by itself: two fifths, of a short time more. It
/// must have been given as much of a processor, too: on a busy machine it gets less. The guard counts it by its
/// own looks: while a machine stands still, nobody looks, and the clock goes on. It is never less than half a second:
/// one processor of a virtual machine may be away for some tenths while the guard, on another, looks, and a process
/// that was on it is counted as working.
fn grace(time: Duration) -> Duration {
    let short = (time * 4 / 5).clamp(Duration::from_millis(500), Duration::from_millis(900));
    (time * 2 / 5).max(short)
}

/// Times the grace after which a run is ended whether or not it had a processor.
const PATIENCE: u32 = 5;

/// What is known so far, said when the guard ends a run.
static SO_FAR: Mutex<String> = Mutex::new(String::new());

/// Notes what is known so far.
pub(super) fn so_far(line: &str) {
    line.clone_into(&mut SO_FAR.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Keeps the guard at its post.
#[derive(Debug)]
pub(super) struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        allocator::lift();
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// When everything is to have ended.
    pub(super) deadline: Instant,
    /// Bytes of resident memory, where the system tells them.
    pub(super) memory: Option<u64>,
    time: Duration,
}

impl Limits {
    /// From now on: so much time and, unless told, half of the machine's memory.
    pub(super) fn start(time: Duration, memory: Option<u64>) -> Limits {
        let memory = memory.or_else(|| machine_bytes().map(|all| all / 2));
        Limits { deadline: Instant::now() + time, memory, time }
    }

    /// What there is time for of what the answer does not need: pictures, lines of source. Drawing
    /// takes up to a second, and the guard leaves no more than the grace.
    pub(super) fn drawing(&self, page: bool) -> Drawing {
        let until = self.deadline + (grace(self.time) / 2).min(Duration::from_secs(1));
        let page =
            page && Instant::now() + Duration::from_secs(1) < self.deadline + grace(self.time);
        Drawing { page, until: Some(until) }
    }

    /// Starts the guard of these limits; it watches until it is dropped.
    pub(super) fn guard(self, out: &Out) -> Guard {
        so_far("");
        let out = out.clone();
        let done = Arc::new(AtomicBool::new(false));
        let guard = Guard(Arc::clone(&done));
        // A tenth more than the limit: first everybody has a chance to end well.
        let most = self.memory.map(|limit| limit + limit / 10);
        let on_guard = Arc::new(Barrier::new(2));
        let told = Arc::clone(&on_guard);
        let spawned = std::thread::Builder::new().name("guard".to_owned()).spawn(move || {
            let mut overrun = Overrun::default();
            allocator::never_wait();
            told.wait();
            while !done.load(Ordering::Relaxed) {
                std::thread::sleep(EVERY);
                if overrun.look(&self) {
                    end(&out, &format!("--time {:.1}s is over", self.time.as_secs_f64()));
                }
                let is_used_up = |most| allocator::resident().is_some_and(|used| used > most);
                if let (Some(limit), Some(most)) = (self.memory, most)
                    && (allocator::is_wanted() || is_used_up(most))
                {
                    end(&out, &format!("--memory {}M is used up", limit >> 20));
                }
            }
        });
        // Without a thread there is no guard, and the loops still look. Whoever goes beyond the limit waits for the guard, so
        // there is no limit before there is one.
        if spawned.is_ok() {
            on_guard.wait();
            most.into_iter().for_each(allocator::limit);
        }
        guard
    }
}

/// What the guard has seen since the time was up.
#[derive(Default)]
struct Overrun {
    looks: u32,
    /// How long the process had worked at the first look.
    worked: Option<Duration>,
}

impl Overrun {
    /// Looks once; whether the grace is over as well.
    fn look(&mut self, limits: &Limits) -> bool {
        if Instant::now() < limits.deadline {
            return false;
        }
        let now = processor_time();
        if self.looks == 0 {
            self.worked = now;
        }
        self.looks += 1;
        let since = now.zip(self.worked).map(|(now, then)| now.saturating_sub(then));
        self.is_over(grace(limits.time), since)
    }

    /// Whether a run had this grace; `worked` is what it had of a processor since its time was up.
    fn is_over(&self, grace: Duration, worked: Option<Duration>) -> bool {
        let seen = EVERY * self.looks;
        seen >= grace * PATIENCE || seen >= grace && worked.is_none_or(|worked| worked >= grace)
    }
}

/// Ends the process with what is known.
fn end(out: &Out, why: &str) -> ! {
    allocator::end();
    let so_far = SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let known = match so_far.is_empty() {
        true => "nothing was known yet".to_owned(),
        false => format!("known so far: {so_far}"),
    };
    out.error(&super::Failure {
        code: 3,
        lines: vec![format!("{why}, and the run did not end by itself: {known}")],
    });
    std::process::exit(3);
}

/// Time that all threads of this process had a processor, where the system tells.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the command may hold spaces; it ends at the last bracket.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    // A hundred to the second, whatever the kernel's own clock.
    Some(Duration::from_millis(ticks * 10))
}

/// Bytes of memory of the machine, or of the container that the process is held in.
fn machine_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let machine = kilobytes * 1024;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Some(container.map_or(machine, |limit: u64| limit.min(machine)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_its_grace_on_a_machine_that_is_busy_or_stands_still() {
        let grace = EVERY * 20;
        let after = |looks| Overrun { looks, worked: None };
        assert!(!after(19).is_over(grace, Some(grace)));
        assert!(after(20).is_over(grace, Some(grace)));
        assert!(!after(20).is_over(grace, Some(grace / 2)), "it was not given a processor");
        assert!(
            after(20 * PATIENCE).is_over(grace, Some(Duration::ZERO)),
            "it waits for something"
        );
        assert!(!after(1).is_over(grace, Some(grace * 10)), "the machine stood still");
    }
}
