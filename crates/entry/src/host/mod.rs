//! What the world around a program answers, for both engines alike.
//!
//! Nothing here touches an engine: these are plans and pure functions. The symbolic machine and the
//! replaying engine carry them out, each with its own memory and values.
//!
//! The order of things before the measured region:
//!
//! 1. the module is instantiated, which runs its start function;
//! 2. `_initialize` is called if it is exported (a WASI *reactor*);
//! 3. memory for every `&` argument is obtained, in the order of the arguments, from the program's
//!    own allocator ([`Allocator`]) or else in fresh pages ([`Layout`]), and filled;
//! 4. the entry is called, and the measured region begins with it.

mod allocator;
mod imports;
mod layout;
mod seeded;
mod wasi;

pub use allocator::{AllocationSize, Allocator, allocation_size};
pub use imports::PessimumImport;
pub use layout::{ALIGNMENT, Layout, LayoutError, MALLOC, PAGE, asked_of_malloc};
pub use seeded::Seeded;
pub(crate) use wasi::variables;
pub use wasi::{Errno, Reply, Stream, Wasi, WasiCall, Word, Write};

/// No table grows beyond this many elements: more is no table of a compiler, only a way to exhaust
/// memory.
pub const MAX_TABLE_ELEMENTS: u32 = 10_000_000;

/// The export that prepares a reactor module, called once before anything else.
pub const INITIALIZE: &str = "_initialize";
