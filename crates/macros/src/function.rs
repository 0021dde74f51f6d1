//! The signature of a function, as far as it decides how it is called.

use crate::mistake::Mistake;
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};
use std::iter::Peekable;

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
}

/// A parameter.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Its type.
    pub(crate) ty: Vec<TokenTree>,
}

/// Whether a token is this character.
pub(crate) fn is(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// Whether a token is this word.
pub(crate) fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

/// Reads the signature.
pub(crate) fn read(item: TokenStream) -> Result<Function, Mistake> {
    const NO_FUNCTION: &str =
        "this stands before a function: #[pessimum::target] fn parse(text: &str) { … }";
    let mut tokens = item.into_iter().peekable();
    let mut last = Span::call_site();
    loop {
        let Some(token) = tokens.next() else { return Err(Mistake::new(last, NO_FUNCTION)) };
        last = token.span();
        match &token {
            TokenTree::Punct(_) | TokenTree::Group(_) | TokenTree::Literal(_) => {}
            TokenTree::Ident(word) => match word.to_string().as_str() {
                "fn" => break,
                "pub" | "const" | "extern" => {}
                "async" => return Err(Mistake::new(last, "an async function is not called by itself: block on it in a plain one")),
                "unsafe" => return Err(Mistake::new(last, "unknown inputs keep no promise to an unsafe function: call it in a safe one that checks them")),
                _ => return Err(Mistake::new(last, NO_FUNCTION)),
            },
        }
    }
    let Some(TokenTree::Ident(name)) = tokens.next() else {
        return Err(Mistake::new(last, NO_FUNCTION));
    };
    let text = name.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text).to_owned();
    if tokens.peek().is_some_and(|token| is(token, '<')) {
        lifetimes(&mut tokens)?;
    }
    match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            Ok(Function { name: text, params: params(group.stream())? })
        }
        _ => Err(Mistake::new(name.span(), NO_FUNCTION)),
    }
}

/// Skips `<'a, 'b>`; types cannot be left open.
fn lifetimes(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> Result<(), Mistake> {
    let mut lifetime = false;
    for token in tokens.by_ref() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '>' => break,
            TokenTree::Punct(punct) => lifetime = punct.as_char() == '\'',
            TokenTree::Ident(_) if lifetime => lifetime = false,
            other => {
                return Err(Mistake::new(
                    other.span(),
                    "a target has no type parameters: write the types it is called with",
                ));
            }
        }
    }
    Ok(())
}

fn params(tokens: TokenStream) -> Result<Vec<Param>, Mistake> {
    split(tokens).into_iter().map(param).collect()
}

fn param(tokens: Vec<TokenTree>) -> Result<Param, Mistake> {
    const FORM: &str = "write a parameter as `name: Type`";
    let span = tokens.first().map_or_else(Span::call_site, TokenTree::span);
    let mut tokens = tokens.into_iter().peekable();
    while tokens.next_if(|token| is(token, '#')).is_some() {
        tokens.next();
    }
    tokens.next_if(|token| is_word(token, "mut"));
    let Some(TokenTree::Ident(name)) = tokens.next() else {
        return Err(Mistake::new(span, FORM));
    };
    if name.to_string() == "self" {
        let message = "a method is not called by itself: make the value in a plain function";
        return Err(Mistake::new(name.span(), message));
    }
    if tokens.next_if(|token| is(token, ':')).is_none() {
        return Err(Mistake::new(name.span(), FORM));
    }
    Ok(Param { name: name.to_string(), span: name.span(), ty: tokens.collect() })
}

/// What stands between commas, those inside `<…>` left out.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 0usize);
    let mut arrow = false;
    for token in tokens {
        if is(&token, ',') && depth == 0 {
            parts.push(std::mem::take(&mut part));
            continue;
        }
        match &token {
            token if is(token, '<') => depth += 1,
            // Not the end of `->`.
            token if is(token, '>') && !arrow => depth = depth.saturating_sub(1),
            _ => {}
        }
        arrow = is(&token, '-');
        part.push(token);
    }
    parts.extend(Some(part).filter(|part| !part.is_empty()));
    parts
}
