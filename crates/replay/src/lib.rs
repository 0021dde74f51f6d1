//! Every reported input run again in an independent engine with counters injected.
//!
//! A cost that only our own machine has seen is a claim. Here it is checked by code that is not
//! ours: [`Instrumented`] is a copy of the module that counts its own cost, and [`Replayer`] runs
//! it in `wasmi` on a given input, in the same world ([`pessimum_entry::host`]) that the symbolic
//! machine shows a program.
//!
//! *Architecture invariant*: this crate does not depend on the symbolic machine, nor on terms or
//! solvers.
//!
//! ```
//! use pessimum_entry::{CallSpec, CostModel, InputValues, Invocation, Sizes};
//! use pessimum_replay::{Input, Instrumented, Limits, Replayer};
//!
//! let module = wat::parse_str(
//!     r#"(module (func (export "countdown") (param i32)
//!         (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))"#,
//! )?;
//! let counted = Instrumented::new(&module, &CostModel::Conditionals, &[])?;
//! let replayer = Replayer::new(&counted, Limits::default())?;
//! let sizes = Sizes::of(10);
//! let call = Invocation::Call(CallSpec::parse("countdown(n)")?.at(&sizes)?);
//! let outcome = replayer.run(&call, &sizes, Input::Values(&InputValues::new()))?;
//! assert_eq!(outcome.cost, Some(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod feed;
mod host;
mod instrument;
mod outcome;
mod replayer;

pub use error::{InstrumentError, ReplayError};
pub use feed::Input;
pub use instrument::Instrumented;
pub use outcome::{End, OperatorCost, RunOutcome};
pub use replayer::{Limits, Replayer};
