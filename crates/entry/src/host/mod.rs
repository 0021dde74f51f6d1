//! What the world around a program answers, for both engines alike.
//!
//! Nothing here touches an engine: these are plans and pure functions. The symbolic machine and the
//! replaying engine carry them out, each with its own memory and values.
//!
//! The order of things before the measured region:
//!
//! 1. the module is instantiated, which runs its start function;
//! 2. `_initialize` is called if it is exported (a WASI *reactor*);
//! 3. memory for every `&` argument is obtained, in the order of the arguments ([`Layout`]), and
//!    filled;
//! 4. the entry is called, and the measured region begins with it.

mod allocator;
mod imports;
mod layout;
mod seeded;
mod wasi;

pub use allocator::{AllocationSize, allocation_size};
pub use imports::PessimumImport;
pub use layout::{ALIGNMENT, Layout, LayoutError, MALLOC, PAGE, asked_of_malloc};
pub use seeded::Seeded;
pub use wasi::{Errno, PROGRAM_NAME, Reply, Stream, Wasi, WasiCall, Write};

/// The export that prepares a reactor module, called once before anything else.
pub const INITIALIZE: &str = "_initialize";
