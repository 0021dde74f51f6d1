//! How a parameter gets its value: as arguments of the call, or made by the trait `Input`.

use crate::attribute::Options;
use crate::function::{is, is_word, Param};
use crate::mistake::Mistake;
use proc_macro::{Delimiter, TokenTree};

/// Scalars, with their names in the call language on a 32-bit machine.
const SCALARS: [(&str, &str); 13] = [
    ("i8", "i8"),
    ("u8", "u8"),
    ("i16", "i16"),
    ("u16", "u16"),
    ("i32", "i32"),
    ("u32", "u32"),
    ("i64", "i64"),
    ("u64", "u64"),
    ("isize", "i32"),
    ("usize", "u32"),
    ("f32", "f32"),
    ("f64", "f64"),
    ("bool", "bool"),
];

/// A parameter, as the export takes it and as the function gets it.
#[derive(Debug)]
pub(crate) struct Passed {
    pub(crate) kind: Kind,
    /// What goes before the value in the call of the function.
    pub(crate) borrow: Borrow,
    /// The arguments in the call language.
    pub(crate) words: Vec<String>,
}

impl Passed {
    /// The type as it was written; `None` for what the call has no argument of.
    pub(crate) fn rust(&self) -> Option<String> {
        let sign = match self.borrow {
            Borrow::Owned => "",
            Borrow::Shared => "&",
            Borrow::Mutable => "&mut ",
        };
        let owned = match &self.kind {
            Kind::Scalar(ty) => (*ty).to_owned(),
            Kind::Slice(ty) => format!("[{ty}]"),
            Kind::OwnedSlice(ty) => format!("Vec<{ty}>"),
            Kind::Text | Kind::Ascii => "str".to_owned(),
            Kind::OwnedText | Kind::OwnedAscii => "String".to_owned(),
            Kind::Made(_) | Kind::MadeSlice(_) => return None,
        };
        Some(format!("{sign}{owned}"))
    }
}

/// How the value is made.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The export takes it as it is.
    Scalar(&'static str),
    /// The export takes a pointer and a length.
    Slice(&'static str),
    /// The export takes a pointer to UTF-8 and a length.
    Text,
    /// The same, with a domain: bytes, which have to be ASCII.
    Ascii,
    /// The same, but the function owns what it gets.
    OwnedSlice(&'static str),
    OwnedText,
    OwnedAscii,
    /// By the trait `Input` of this type.
    Made(Vec<TokenTree>),
    /// By the trait `Input`, as a vector of these.
    MadeSlice(Vec<TokenTree>),
}

impl Kind {
    /// Whether `len` says how long it is.
    fn has_len(&self) -> bool {
        !matches!(self, Kind::Scalar(_) | Kind::Made(_) | Kind::MadeSlice(_))
    }
}

/// Whether the function takes the value or borrows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Borrow {
    Owned,
    Shared,
    Mutable,
}

/// What a parameter of this type is.
pub(crate) fn classify(param: &Param, options: &Options) -> Result<Passed, Mistake> {
    let (borrow, ty) = reference(&param.ty);
    if ty.is_empty() || ty.iter().any(|token| is_word(token, "impl") || is_word(token, "dyn")) {
        let message = format!("which type is `{}` called with? Write that type", param.name);
        return Err(Mistake::new(param.span, message));
    }
    let len = options.len(&param.name).unwrap_or("n");
    let domain = options.domain(&param.name).map_or(String::new(), |d| format!(" in {d}"));
    let kind = match kind(borrow, ty) {
        Kind::Text if !domain.is_empty() => Kind::Ascii,
        Kind::OwnedText if !domain.is_empty() => Kind::OwnedAscii,
        kind => kind,
    };
    let words = match &kind {
        Kind::Scalar(name) => vec![format!("{}{domain}", call_name(name))],
        Kind::Slice(name) | Kind::OwnedSlice(name) => {
            vec![format!("&{}[{len}]{domain}", call_name(name)), len.to_owned()]
        }
        Kind::Text | Kind::OwnedText => vec![format!("&str[{len}]"), len.to_owned()],
        Kind::Ascii | Kind::OwnedAscii => vec![format!("&u8[{len}]{domain}"), len.to_owned()],
        Kind::Made(_) | Kind::MadeSlice(_) => Vec::new(),
    };
    let has_len = kind.has_len();
    for (name, list, fits) in
        [("len", &options.lens, has_len), ("within", &options.domains, !words.is_empty())]
    {
        if let Some((at, _)) = list.iter().find(|(at, _)| !fits && at.to_string() == param.name) {
            let message = format!(
                "`{name}` is for texts and for slices and vectors of numbers: make the other values in the function"
            );
            return Err(Mistake::new(at.span(), message));
        }
    }
    Ok(Passed { kind, borrow, words })
}

/// Of several lengths all but one have to be said: a search for a pattern as long as its text has one place to look at,
/// and a class read there would be a false one.
pub(crate) fn check_lens(
    params: &[Param],
    passed: &[Passed],
    options: &Options,
) -> Result<(), Mistake> {
    let unsaid = |param: &Param| options.len(&param.name).is_none();
    let mut open = params.iter().zip(passed).filter(|(p, made)| made.kind.has_len() && unsaid(p));
    let (Some((first, _)), Some((second, _))) = (open.next(), open.next()) else { return Ok(()) };
    let (one, other) = (&first.name, &second.name);
    let message = format!(
        "`{one}` has n elements; how many has `{other}`? Write len({other} = \"n/2\"), or len({other} = \"n\") if the two are always equally long"
    );
    Err(Mistake::new(second.span, message))
}

/// The name of a scalar in the call language.
fn call_name(scalar: &str) -> &'static str {
    SCALARS.iter().find(|(rust, _)| *rust == scalar).map_or("u8", |(_, name)| name)
}

fn scalar(tokens: &[TokenTree]) -> Option<&'static str> {
    let [only] = tokens else { return None };
    SCALARS.iter().map(|(rust, _)| *rust).find(|name| is_word(only, name))
}

/// Takes `&`, a lifetime and `mut` off.
fn reference(ty: &[TokenTree]) -> (Borrow, &[TokenTree]) {
    let [and, rest @ ..] = ty else { return (Borrow::Owned, ty) };
    if !is(and, '&') {
        return (Borrow::Owned, ty);
    }
    let rest = match rest {
        [quote, _, rest @ ..] if is(quote, '\'') => rest,
        rest => rest,
    };
    match rest {
        [word, rest @ ..] if is_word(word, "mut") => (Borrow::Mutable, rest),
        rest => (Borrow::Shared, rest),
    }
}

fn kind(borrow: Borrow, ty: &[TokenTree]) -> Kind {
    if borrow != Borrow::Owned {
        match ty {
            [only] if is_word(only, "str") && borrow == Borrow::Shared => return Kind::Text,
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                if let Some(name) = scalar(&inner) {
                    return Kind::Slice(name);
                }
                if !inner.iter().any(|token| is(token, ';')) {
                    return Kind::MadeSlice(inner);
                }
            }
            _ => {}
        }
    }
    match ty {
        [only] if is_word(only, "String") => Kind::OwnedText,
        [vec, open, element, close] if is_word(vec, "Vec") && is(open, '<') && is(close, '>') => {
            match scalar(std::slice::from_ref(element)) {
                Some(name) => Kind::OwnedSlice(name),
                None => Kind::Made(ty.to_vec()),
            }
        }
        ty => match scalar(ty) {
            Some(name) => Kind::Scalar(name),
            None => Kind::Made(ty.to_vec()),
        },
    }
}
