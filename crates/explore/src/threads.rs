//! Threads with room for deep recursion, and what stands in for them where there are none: in a browser a walk
//! runs on the stack of whoever called, which the linker was told the size of.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use absent::side_by_side;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use absent::{in_parallel, on_big_stack};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use there::side_by_side;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use there::{in_parallel, on_big_stack};

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod there {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// Deep terms are handled by recursion; threads get room for it.
    const STACK: usize = 512 << 20;

    pub(crate) fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK);
            match builder.spawn_scoped(scope, work) {
                Ok(handle) => match handle.join() {
                    Ok(result) => result,
                    Err(panic) => std::panic::resume_unwind(panic),
                },
                Err(_) => unreachable!("a thread can be made at the start of a job"),
            }
        })
    }

    /// Does `count` jobs on as many threads; what each gave, in order, whoever was done first.
    pub(crate) fn in_parallel<T: Send>(
        workers: usize,
        count: usize,
        job: impl Fn(usize) -> T + Sync,
    ) -> Vec<Option<T>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
        std::thread::scope(|scope| {
            for _ in 0..workers.min(count) {
                let builder = std::thread::Builder::new().stack_size(STACK);
                let spawned = builder.spawn_scoped(scope, || {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= count {
                            break;
                        }
                        let result = job(i);
                        done.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(result);
                    }
                });
                // Without a thread the others do its share.
                let _ = spawned;
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `count` jobs on so many threads, of which the caller's is one; what each gave, in order, whoever was done
    /// first. With one thread, or one job, nothing is started.
    ///
    /// ```
    /// let squares = pessimum_explore::side_by_side(3, 5, |i| i * i);
    /// assert_eq!(squares, [0, 1, 4, 9, 16]);
    /// ```
    pub fn side_by_side<T: Send>(
        workers: usize,
        count: usize,
        job: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        let threads = workers.min(count);
        if threads <= 1 {
            return (0..count).map(job).collect();
        }
        let next = AtomicUsize::new(0);
        let take = || {
            let mut done = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    return done;
                }
                done.push((i, job(i)));
            }
        };
        let mut all = std::thread::scope(|scope| {
            let builder = || std::thread::Builder::new().stack_size(STACK);
            // Without a thread the others do its share.
            let others: Vec<_> =
                (1..threads).filter_map(|_| builder().spawn_scoped(scope, take).ok()).collect();
            let mut all = take();
            for other in others {
                match other.join() {
                    Ok(done) => all.extend(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        });
        all.sort_unstable_by_key(|(i, _)| *i);
        all.into_iter().map(|(_, result)| result).collect()
    }
}

/// The same jobs, one after the other.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod absent {
    pub(crate) fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        work()
    }

    pub(crate) fn in_parallel<T: Send>(
        _workers: usize,
        count: usize,
        job: impl Fn(usize) -> T + Sync,
    ) -> Vec<Option<T>> {
        (0..count).map(|i| Some(job(i))).collect()
    }

    /// Does `count` jobs; what each gave, in order.
    #[cfg_attr(
        test,
        allow(unreachable_pub, reason = "where there are threads, only the test calls it")
    )]
    pub fn side_by_side<T: Send>(
        _workers: usize,
        count: usize,
        job: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        (0..count).map(job).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{absent, there};

    #[test]
    fn jobs_give_the_same_with_threads_and_without() {
        let with = there::in_parallel(3, 100, |i| i * i);
        assert_eq!(with, absent::in_parallel(3, 100, |i| i * i));
        assert_eq!(with[9], Some(81));
        for workers in [0, 1, 2, 7] {
            let side = there::side_by_side(workers, 50, |i| i * i);
            assert_eq!(side, absent::side_by_side(workers, 50, |i| i * i));
        }
        assert_eq!(there::on_big_stack(|| 7), absent::on_big_stack(|| 7));
    }
}
