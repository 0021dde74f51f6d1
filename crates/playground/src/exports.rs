//! What the module shows the page, and what it asks of it; `web/src/worker.ts` has the other side.
//!
//! The page writes the module and its wish where [`room`] says, calls [`run`], and reads what [`result`] and
//! [`result_bytes`] name. Each is a buffer of this side's own, so no pointer is ever followed here.
#![allow(unsafe_code)] // exports are known by their names, imports are taken at their word

use crate::job;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[link(wasm_import_module = "page")]
// They read and do nothing in this module's memory but read the text they are handed.
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now_ms() -> f64;
    /// Takes a text of JSON: what has just been found.
    safe fn told(text: *const u8, bytes: usize);
    /// Takes a sentence: why everything ends now.
    safe fn failed(text: *const u8, bytes: usize);
}

struct Rooms {
    module: Vec<u8>,
    wish: Vec<u8>,
    page: String,
    text: String,
}

static ROOMS: Mutex<Rooms> = Mutex::new(Rooms {
    module: Vec::new(),
    wish: Vec::new(),
    page: String::new(),
    text: String::new(),
});

fn rooms() -> MutexGuard<'static, Rooms> {
    ROOMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn page_time() -> Duration {
    Duration::try_from_secs_f64(now_ms() / 1000.0).unwrap_or_default()
}

/// Before anything else: the clock, and who hears of a panic. Leaves the list of examples as the text.
#[unsafe(no_mangle)]
extern "C" fn begin() {
    pessimum_clock::told::set(page_time);
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        failed(text.as_ptr(), text.len());
    }));
    rooms().text = serde_json::to_string(&job::examples()).unwrap_or_default();
}

/// Where the page writes: the module (0) or its wish (1), in so many bytes.
#[unsafe(no_mangle)]
extern "C" fn room(which: u32, bytes: usize) -> *mut u8 {
    let mut rooms = rooms();
    let room = if which == 0 { &mut rooms.module } else { &mut rooms.wish };
    *room = vec![0; bytes];
    room.as_mut_ptr()
}

/// Runs the wish: 1 if there is an answer, with the page (0) and the document (1) as its results, and 0 if there is
/// none, with the reason as the text (1).
#[unsafe(no_mangle)]
extern "C" fn run() -> u32 {
    let (module, wish) = {
        let mut rooms = rooms();
        (std::mem::take(&mut rooms.module), std::mem::take(&mut rooms.wish))
    };
    let tell = |stage: job::Told| {
        let text = serde_json::to_string(&stage).unwrap_or_default();
        told(text.as_ptr(), text.len());
    };
    let answer = serde_json::from_slice::<job::Wish>(&wish)
        .map_err(|error| job::Refusal { message: error.to_string(), ways: Vec::new() })
        .and_then(|wish| job::run(module, &wish, tell));
    let mut rooms = rooms();
    match answer {
        Ok(answer) => {
            (rooms.page, rooms.text) = (answer.page, answer.document);
            1
        }
        Err(refusal) => {
            rooms.text = serde_json::to_string(&refusal).unwrap_or_default();
            0
        }
    }
}

/// Where a result begins: the page (0) or the text (1).
#[unsafe(no_mangle)]
extern "C" fn result(which: u32) -> *const u8 {
    let rooms = rooms();
    if which == 0 { rooms.page.as_ptr() } else { rooms.text.as_ptr() }
}

/// How many bytes it has.
#[unsafe(no_mangle)]
extern "C" fn result_bytes(which: u32) -> usize {
    let rooms = rooms();
    if which == 0 { rooms.page.len() } else { rooms.text.len() }
}
