//! Threads with room for deep recursion, and what stands in for them where there are none: in a browser a walk
//! runs on the stack of whoever called, which the linker was told the size of.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use absent::{on_big_stack, side_by_side};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use there::{on_big_stack, side_by_side};

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod there {
    use rayon::ThreadPoolBuilder;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// Deep terms are handled by recursion; threads get room for it.
    const STACK: usize = 512 << 20;

    thread_local! {
        /// How many threads work together, of which this is one; 0 for a thread of somebody else.
        static TOGETHER: Cell<usize> = const { Cell::new(0) };
    }

    /// Does work on a stack with room for deep recursion, where [`side_by_side`] has so many threads. They stay until it is done:
    /// to map a stack and to fault it in takes as long as many short runs. Whoever calls at the same time has threads of their
    /// own, so that nobody waits for the work of somebody else.
    pub fn on_big_stack<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        if TOGETHER.get() > 0 {
            return work();
        }
        let pool = (threads > 1).then(|| {
            let builder = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
            builder.start_handler(move |_| TOGETHER.set(threads)).build()
        });
        match pool {
            Some(Ok(pool)) => pool.install(work),
            _ => alone(work),
        }
    }

    /// Does work on a thread with a big stack.
    fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, || {
                TOGETHER.set(1);
                work()
            });
            match spawned.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => unreachable!("a thread can be made at the start of a job"),
            }
        })
    }

    /// Does `count` jobs on so many threads; what each gave, in order, whoever was done first. With one thread, or one job,
    /// the caller does them. Jobs are begun in order, and may have jobs of their own, which the same threads do.
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
        // A thread that works alone has nobody to share with.
        if threads <= 1 || TOGETHER.get() == 1 {
            return (0..count).map(job).collect();
        }
        let next = AtomicUsize::new(0);
        let all = Mutex::new(Vec::with_capacity(count));
        let take = || {
            let mut done = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    break;
                }
                done.push((i, job(i)));
            }
            all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut done);
        };
        on_big_stack(workers, || {
            // Where no others could be had, one does it all.
            if TOGETHER.get() <= 1 {
                return take();
            }
            rayon::scope(|scope| {
                (1..threads).for_each(|_| scope.spawn(|_| take()));
                take();
            });
        });
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_unstable_by_key(|(i, _)| *i);
        all.into_iter().map(|(_, result)| result).collect()
    }
}

/// The same jobs, one after the other.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod absent {
    /// Does work.
    #[cfg_attr(
        test,
        allow(unreachable_pub, reason = "where there are threads, only the test calls it")
    )]
    pub fn on_big_stack<T: Send>(_threads: usize, work: impl FnOnce() -> T + Send) -> T {
        work()
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
        for workers in [0, 1, 2, 7] {
            let side = there::side_by_side(workers, 50, |i| i * i);
            assert_eq!(side, absent::side_by_side(workers, 50, |i| i * i));
        }
        assert_eq!(there::on_big_stack(2, || 7), absent::on_big_stack(2, || 7));
    }

    /// Threads stay: none is made for a round.
    #[test]
    fn jobs_of_jobs_are_done_by_the_same_threads() {
        let by = |_| std::thread::current().id();
        let ids = there::on_big_stack(3, || {
            let mut ids = there::side_by_side(3, 9, |_| there::side_by_side(3, 9, by)).concat();
            ids.extend(there::side_by_side(3, 9, by));
            ids
        });
        assert_eq!(ids.len(), 90);
        let different: std::collections::HashSet<_> = ids.into_iter().collect();
        assert!(different.len() <= 3, "{} threads", different.len());
    }

    /// Two that work at the same time do not wait for each other.
    #[test]
    fn nobody_waits_for_the_work_of_somebody_else() {
        let met = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for workers in [1, 1, 2] {
                let met = &met;
                scope.spawn(move || there::on_big_stack(workers, || met.wait()));
            }
            met.wait();
        });
    }

    #[test]
    fn one_worker_has_one_thread() {
        let by = |_| std::thread::current().id();
        let ids = there::on_big_stack(1, || there::side_by_side(4, 9, by));
        assert!(ids.iter().all(|id| *id == ids[0]));
    }

    /// What ends one job ends the call.
    #[test]
    fn a_panic_comes_back_to_the_caller() {
        let fails = || there::side_by_side(2, 4, |i| assert_ne!(i, 2, "it fails"));
        assert!(std::panic::catch_unwind(fails).is_err());
        assert_eq!(there::side_by_side(2, 3, |i| i), [0, 1, 2]);
    }

    /// Deep terms are handled by recursion.
    #[test]
    fn every_thread_has_room() {
        fn down(depth: u64) -> u64 {
            let room = std::hint::black_box([depth; 128]);
            if depth == 0 { 0 } else { down(depth - 1) + room[0].min(1) }
        }
        let deep = there::side_by_side(2, 4, |_| down(100_000));
        assert_eq!(deep, [100_000; 4]);
    }
}
