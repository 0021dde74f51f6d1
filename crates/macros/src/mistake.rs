//! What is wrong with a target, shown where it stands.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A sentence that names the mend, and the place it is about.
#[derive(Debug)]
pub(crate) struct Mistake {
    span: Span,
    message: String,
}

impl Mistake {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Mistake {
        Mistake { span, message: message.into() }
    }

    /// `::core::compile_error! { "…" }` at the place.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let colon = |spacing| TokenTree::from(Punct::new(':', spacing));
        let message =
            TokenTree::from(Literal::string(&format!("pessimum::target: {}", self.message)));
        let tokens = [
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            Ident::new("core", self.span).into(),
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            Ident::new("compile_error", self.span).into(),
            Punct::new('!', Spacing::Alone).into(),
            Group::new(Delimiter::Brace, message.into()).into(),
        ];
        let place = |mut token: TokenTree| {
            token.set_span(self.span);
            token
        };
        tokens.into_iter().map(place).collect()
    }
}
