//! The allocator of the command: the system's, which waits for the guard where the memory is used up.
//!
//! The guard looks every few milliseconds, and a module can have tens of megabytes written in between, more where
//! the machine is busy and the guard gets no processor. So who asks for memory looks, too, whenever it has asked for a
//! small part of the limit: one that would go beyond it waits, and the guard ends the process.
//!
//! A call costs an addition to a number of the thread; a look, a few microseconds, comes once in megabytes.

#![allow(unsafe_code)] // an allocator is given memory, and gives it out

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: Rationed = Rationed;

/// Bytes of resident memory that nobody goes beyond.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
/// Bytes that a thread asks for between two looks.
static STEP: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether somebody waits for the guard.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Whether the guard is ending the process.
static ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Bytes that this thread has asked for since it looked; nothing for one that never waits.
    static ASKED: Cell<Option<usize>> = const { Cell::new(Some(0)) };
}

/// Parts of the limit that all threads together may ask for unseen, one of so many.
const UNSEEN: u64 = 32;

/// How long to wait for one who cannot end because somebody who waits holds what it needs.
const PATIENCE: Duration = Duration::from_secs(1);

/// Lets nobody go beyond so many bytes, until [`lift`].
pub(super) fn limit(most: u64) {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let step = usize::try_from(most / UNSEEN / threads).unwrap_or(usize::MAX);
    WANTED.store(false, Ordering::Relaxed);
    MOST.store(most, Ordering::Relaxed);
    STEP.store(step, Ordering::Relaxed);
}

/// Takes the limit away.
pub(super) fn lift() {
    STEP.store(usize::MAX, Ordering::Relaxed);
    MOST.store(u64::MAX, Ordering::Relaxed);
}

/// Whether somebody asked for more than there is.
pub(super) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Says that the process is about to end.
pub(super) fn end() {
    ENDING.store(true, Ordering::Relaxed);
}

/// This thread never waits: it is the one that others wait for.
pub(super) fn never_wait() {
    ASKED.set(None);
}

/// Bytes of resident memory of this process, where the system tells. Asks for no memory.
pub(super) fn resident() -> Option<u64> {
    let mut text = [0; 128];
    let read = File::open("/proc/self/statm").ok()?.read(&mut text).ok()?;
    let pages = std::str::from_utf8(&text[..read]).ok()?.split_whitespace().nth(1)?;
    Some(pages.parse::<u64>().ok()? * 4096)
}

/// Notes that so many bytes are asked for, of which so many are going to be written at once.
#[inline]
fn ask(bytes: usize, written: usize) {
    let Ok(Some(asked)) = ASKED.try_with(Cell::get) else { return };
    let asked = asked.saturating_add(bytes);
    if asked < STEP.load(Ordering::Relaxed) {
        ASKED.set(Some(asked));
    } else {
        look(written);
    }
}

/// Waits where so many bytes more are more than there is.
#[cold]
fn look(bytes: usize) {
    ASKED.set(Some(0));
    let is_over = || {
        let most = MOST.load(Ordering::Relaxed);
        resident().is_some_and(|held| held.saturating_add(bytes as u64) > most)
    };
    if !is_over() {
        return;
    }
    WANTED.store(true, Ordering::Relaxed);
    while !ENDING.load(Ordering::Relaxed) && MOST.load(Ordering::Relaxed) != u64::MAX {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(PATIENCE);
}

/// See the head of the file.
struct Rationed;

// SAFETY: every call is handed to the system's allocator as it came; what is done before asks for no memory.
unsafe impl GlobalAlloc for Rationed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ask(layout.size(), layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // Much of it may never be touched.
        ask(layout.size(), 0);
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size.saturating_sub(layout.size());
        ask(more, more);
        // SAFETY: the caller's.
        unsafe { System.realloc(ptr, layout, size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(ptr, layout) }
    }
}
