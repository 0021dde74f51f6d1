//! What stands in the brackets: `at_most = "n"`, `len(pattern = "n/2")`, `within(text = "'a'..='z'")`.

use crate::function::Function;
use crate::mistake::Mistake;
use proc_macro::{Delimiter, Ident, Span, TokenStream, TokenTree};

const KNOWN: &str =
    "at_most = \"n*log(n)\", len(x = \"n/2\"), within(x = \"0..=9\") and crate = pessimum_input";

/// What was said of a target beside its signature.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The class it may grow as.
    pub(crate) at_most: Option<String>,
    /// How many elements a parameter has, by its name, where that is not n.
    pub(crate) lens: Vec<(Ident, String)>,
    /// The domain of the values of a parameter.
    pub(crate) domains: Vec<(Ident, String)>,
    /// The path of pessimum-input.
    pub(crate) krate: Option<TokenStream>,
}

impl Options {
    pub(crate) fn len(&self, param: &str) -> Option<&str> {
        of(&self.lens, param)
    }

    pub(crate) fn domain(&self, param: &str) -> Option<&str> {
        of(&self.domains, param)
    }

    /// Every name in the brackets is that of a parameter.
    pub(crate) fn check_names(&self, function: &Function) -> Result<(), Mistake> {
        for (name, _) in self.lens.iter().chain(&self.domains) {
            if !function.params.iter().any(|param| param.name == name.to_string()) {
                let names: Vec<&str> = function.params.iter().map(|p| p.name.as_str()).collect();
                let message =
                    format!("there is no parameter `{name}`: there are {}", names.join(", "));
                return Err(Mistake::new(name.span(), message));
            }
        }
        Ok(())
    }
}

fn of<'a>(list: &'a [(Ident, String)], param: &str) -> Option<&'a str> {
    list.iter().find(|(name, _)| name.to_string() == param).map(|(_, text)| text.as_str())
}

/// Reads what stands in the brackets.
pub(crate) fn read(tokens: TokenStream) -> Result<Options, Mistake> {
    let mut options = Options::default();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Ident(word) = &token else {
            return Err(Mistake::new(token.span(), format!("write {KNOWN}")));
        };
        match word.to_string().as_str() {
            "at_most" => {
                options.at_most = Some(value(word.span(), &mut tokens, "at_most = \"n*log(n)\"")?);
            }
            "crate" => {
                equals(word.span(), &mut tokens, "crate = pessimum_input")?;
                let is_path = |t: &TokenTree| !is(t, ',');
                let mut path = Vec::new();
                while let Some(token) = tokens.next_if(is_path) {
                    path.push(token);
                }
                options.krate = Some(path.into_iter().collect());
            }
            "len" => options.lens.extend(pairs(word, tokens.next())?),
            "within" => options.domains.extend(pairs(word, tokens.next())?),
            other => {
                let message = format!("`{other}` is not known here: write {KNOWN}");
                return Err(Mistake::new(word.span(), message));
            }
        }
        match tokens.next() {
            None => break,
            Some(token) if is(&token, ',') => {}
            Some(token) => return Err(Mistake::new(token.span(), "put a comma before this")),
        }
    }
    Ok(options)
}

/// `(x = "…", y = "…")`
fn pairs(word: &Ident, group: Option<TokenTree>) -> Result<Vec<(Ident, String)>, Mistake> {
    let example = format!("{word}(name = \"…\")");
    let inner = match group {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            group.stream()
        }
        _ => return Err(Mistake::new(word.span(), format!("write {example}"))),
    };
    let mut tokens = inner.into_iter();
    let mut found = Vec::new();
    while let Some(token) = tokens.next() {
        let TokenTree::Ident(name) = token else {
            return Err(Mistake::new(token.span(), format!("write {example}")));
        };
        let text = value(name.span(), &mut tokens, &example)?;
        found.push((name, text));
        match tokens.next() {
            Some(token) if !is(&token, ',') => {
                return Err(Mistake::new(token.span(), "put a comma before this"));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn is(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

fn equals(
    before: Span,
    tokens: &mut impl Iterator<Item = TokenTree>,
    example: &str,
) -> Result<(), Mistake> {
    match tokens.next() {
        Some(token) if is(&token, '=') => Ok(()),
        other => {
            let span = other.map_or(before, |token| token.span());
            Err(Mistake::new(span, format!("write {example}")))
        }
    }
}

/// `= "text"`; numbers need no quotes.
fn value(
    before: Span,
    tokens: &mut impl Iterator<Item = TokenTree>,
    example: &str,
) -> Result<String, Mistake> {
    equals(before, tokens, example)?;
    let token = tokens.next();
    let span = token.as_ref().map_or(before, TokenTree::span);
    let wrong = || Mistake::new(span, format!("write a text in plain quotes: {example}"));
    let Some(TokenTree::Literal(literal)) = token else { return Err(wrong()) };
    let text = literal.to_string();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(text);
    }
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).ok_or_else(wrong)?;
    // Nothing that is said here needs an escape but a quote, and that in a domain of characters only.
    if inner.contains('\\') || inner.chars().any(char::is_control) {
        return Err(Mistake::new(
            span,
            "escapes are not read here: write the characters themselves",
        ));
    }
    Ok(inner.to_owned())
}
