//! The tool behind the playground page: a module and a wish in, sizes as they arrive and a report out.
//!
//! [`run`] is one analysis. The page calls it through `exports.rs`, which exists on `wasm32-unknown-unknown` alone and
//! holds what has to agree with `web/src/worker.ts`.
//!
//! ```
//! use pessimum_playground::{Told, Wish, run};
//! use std::sync::mpsc;
//!
//! let wish = r#"{"example": "insertion_sort", "sizes": [8, 12], "seconds": 600, "grace": 10, "effort": 1}"#;
//! let wish: Wish = serde_json::from_str(wish)?;
//! let (told, seen) = mpsc::channel();
//! let answer = run(Vec::new(), &wish, move |told_now| {
//!     if let Told::Answer { n, .. } = told_now {
//!         let _ = told.send(n);
//!     }
//! })?;
//! assert!(seen.iter().any(|n| n == 12));
//! assert!(answer.page.starts_with("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod job;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod exports;

pub use job::{Answer, Known, Refusal, Told, Way, Wish, examples, run};
