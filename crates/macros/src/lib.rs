//! The attribute `#[pessimum::target]`: from a function's signature to an export that pessimum can call, and to the
//! words of that call.
//!
//! `pessimum-input` re-exports it and documents it. No crate is needed to read a signature: a harness is compiled
//! before every first answer.

mod attribute;
mod emit;
mod function;
mod mistake;
mod parameter;

use mistake::Mistake;
use proc_macro::TokenStream;

/// Makes a function a target of `cargo pessimum`. `pessimum-input` says how it is used.
#[proc_macro_attribute]
pub fn target(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match expand(attribute, item.clone()) {
        Ok(made) => made,
        // The function stays as it is, so that the mistake is the only thing that is said.
        Err(mistake) => mistake.into_tokens().into_iter().chain(item).collect(),
    }
}

fn expand(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Mistake> {
    let options = attribute::read(attribute)?;
    let function = function::read(item.clone())?;
    let params = function
        .params
        .iter()
        .map(|param| parameter::classify(param, &options))
        .collect::<Result<Vec<_>, _>>()?;
    options.check_names(&function)?;
    parameter::check_lens(&function.params, &params, &options)?;
    Ok(emit::emit(&options, &function, &params, item))
}
