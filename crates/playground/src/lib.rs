//! The tool behind the playground page: a module and a wish in, sizes as they arrive and a report out.
//!
//! [`run`] is one analysis. The page calls it through `exports.rs`, which exists on `wasm32-unknown-unknown` alone and
//! holds what has to agree with `web/src/worker.ts`.
//!
//! ```
//! use pessimum_playground::{Told, Wish, run};
//! use std::{cell::RefCell, rc::Rc};
//!
//! let wish = r#"{"example": "insertion_sort", "sizes": [8, 12], "seconds": 600, "grace": 10, "effort": 1}"#;
//! let wish: Wish = serde_json::from_str(wish)?;
//! let seen = Rc::new(RefCell::new(Vec::new()));
//! let told = Rc::clone(&seen);
//! let answer = run(Vec::new(), &wish, move |told_now| {
//!     if let Told::Answer { n, .. } = told_now {
//!         told.borrow_mut().push(n);
//!     }
//! })?;
//! assert!(seen.borrow().contains(&12));
//! assert!(answer.page.starts_with("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod job;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod exports;

pub use job::{Answer, Known, Refusal, Told, Way, Wish, examples, run};
