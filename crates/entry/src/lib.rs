//! What a program is fed: the call description language, sizes and typed inputs.
//!
//! Two engines run the same program on the same input: the symbolic machine, and the independent
//! engine that confirms its costs. Everything that they must agree on without ever talking to each
//! other is written down here, as plain data and pure functions:
//!
//! * [`Type`], [`Slot`], [`InputValues`]: the symbolic inputs and what they are worth;
//! * [`TreeLayout`], [`Tree`]: structures as inputs, and where their nodes lie;
//! * [`Signatures`]: what the source says of parameters, which a call is read from where nobody describes it;
//! * [`CallSpec`], [`Expr`], [`Sizes`]: the `--call` language and the sizes it speaks of;
//! * [`Entry`], [`Invocation`]: how a program is entered, and how that is found by itself;
//! * [`CostModel`], [`LeaderScan`], [`TraceDigest`]: what is counted;
//! * [`host`]: where arguments lie in memory, what WASI answers, what the random source yields.
//!
//! *Architecture invariant*: nothing in this crate executes Wasm.
//!
//! ```
//! use pessimum_entry::{Arg, CallSpec, Sizes};
//!
//! let spec = CallSpec::parse("sort(&i32[n], n)")?;
//! let call = spec.at(&Sizes::of(3))?;
//! assert_eq!(call.function, "sort");
//! assert_eq!(call.args[1], Arg::Const(3));
//! assert_eq!(call.slots().count(), 3);
//! # Ok::<(), pessimum_entry::SpecError>(())
//! ```

mod bodies;
mod call;
mod cost;
mod declared;
mod disassembly;
mod discover;
mod error;
mod expr;
pub mod host;
mod invocation;
mod leaders;
mod opcode;
mod record;
mod scan;
mod signature;
mod sizes;
mod slot;
mod summary;
pub mod text;
mod trace;
mod tree;
mod types;
mod values;

pub use call::{Arg, ArgSpec, Call, CallMismatch, CallSpec, DomainSpec, SlotSpec, argument_name};
pub use cost::{Bulk, CostError, CostModel, FuelTable};
pub use declared::DeclaredCall;
pub use disassembly::Disassembly;
pub use discover::{Candidate, Discovery};
pub use error::{Span, SpecError};
pub use expr::Expr;
pub use invocation::{Entry, Invocation, Unknown};
pub use leaders::LeaderScan;
pub use opcode::{is_marker, opcode_name};
pub use record::{Record, RecordField};
pub use signature::{Parameter, Pointee, Signatures, SourceType};
pub use sizes::{Let, Sizes};
pub use slot::Slot;
pub use summary::{ExportedFunction, Function, ModuleSummary, SummaryError, WasmType};
pub use trace::TraceDigest;
pub use tree::{Content, NodeLayout, Tree, TreeInput, TreeLayout, TreeNode, TreeSource};
pub use types::Type;
pub use values::{InputError, InputReader, InputValues};
