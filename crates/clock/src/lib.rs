//! The clock that limits are held against.
//!
//! [`Deadline`] is what limits are made of. [`Instant`] is the standard library's. On `wasm32-unknown-unknown` there is
//! no system to ask, and the standard library's would panic: there it is a type of the same name with the functions that
//! are used here, and the time is what the page says, through the function it handed to [`told::set`].
//!
//! ```
//! use pessimum_clock::Instant;
//! use std::time::Duration;
//!
//! let deadline = Instant::now() + Duration::from_secs(60);
//! assert!(Instant::now() < deadline);
//! ```

mod deadline;
pub mod told;

pub use deadline::Deadline;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use told::Instant;
