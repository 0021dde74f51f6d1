//! Reading a call.

use super::{ArgSpec, Bound, CallSpec, DomainSpec, SlotSpec};
use crate::Type;
use crate::error::{Complaint, Span};
use crate::expr::Expr;
use crate::scan::Scanner;

const BOOL: &str = "bool";

/// What numbers are called in C: no struct has such a name, so another was meant.
const C_NUMBERS: [&str; 9] =
    ["int", "char", "short", "long", "float", "double", "unsigned", "signed", "size_t"];

/// Reads a whole call.
pub(super) fn call(text: &str) -> Result<CallSpec, Complaint> {
    let Some(open) = text.find('(') else {
        return Err(Complaint::new(
            text.len()..text.len(),
            "no `(` after the function's name",
            format!("write {}(&i32[n], n), or {0}() without arguments", text.trim()),
        ));
    };
    let function = text[..open].trim().to_owned();
    if function.is_empty() {
        let mend = "write the exported function first, as in sort(&i32[n], n)";
        return Err(Complaint::new(0..open + 1, "no function is named", mend));
    }
    let mut scanner = Scanner::new(text, open + 1);
    let mut args = Vec::new();
    if !scanner.take(")") {
        loop {
            args.push(arg(&mut scanner, text)?);
            if scanner.take(",") {
                continue;
            }
            if scanner.take(")") {
                break;
            }
            return Err(Complaint::new(
                scanner.next_span(),
                format!("expected `,` or `)`, found {}", scanner.next_shown()),
                "separate arguments by commas and close the call",
            ));
        }
    }
    if !scanner.at_end() {
        let start = scanner.here();
        let what = format!("unexpected {} after the call", scanner.next_shown());
        return Err(Complaint::new(start..text.len(), what, "end it at the `)`"));
    }
    Ok(CallSpec { function, args, text: text.to_owned() })
}

fn arg(scanner: &mut Scanner<'_>, text: &str) -> Result<ArgSpec, Complaint> {
    if scanner.take("&") {
        return pointer(scanner, text);
    }
    if scanner.peek_word() == Some(BOOL) {
        let span = scanner.next_span();
        scanner.take_word();
        if scanner.peek("[") {
            let mend = "write &bool[n] for a pointer to n of them";
            return Err(Complaint::new(span, "an array is passed by pointer", mend));
        }
        return Ok(ArgSpec::Scalar(boolean(scanner)?));
    }
    match scanner.peek_word().and_then(|word| word.parse().ok()) {
        Some(ty) => {
            let span = scanner.next_span();
            scanner.take_word();
            if scanner.peek("[") {
                let mend = format!("write &{ty}[n] for a pointer to n of them");
                return Err(Complaint::new(span, "an array is passed by pointer", mend));
            }
            Ok(ArgSpec::Scalar(SlotSpec { ty, domain: domain(scanner, text, ty)? }))
        }
        None => {
            let expr = Expr::scan(scanner, text)?;
            let span = scanner.next_span();
            if scanner.take_keyword("in") {
                let mend = "write a type before it, as in i32 in 0..=9";
                return Err(Complaint::new(span, "only symbolic inputs have a domain", mend));
            }
            Ok(ArgSpec::Const(expr))
        }
    }
}

fn pointer(scanner: &mut Scanner<'_>, text: &str) -> Result<ArgSpec, Complaint> {
    if scanner.take("\"") {
        return Ok(ArgSpec::Bytes(scanner.take_string()?));
    }
    if scanner.take_keyword("mut") {
        return buffer(scanner, text);
    }
    let span = scanner.next_span();
    let Some(word) = scanner.take_word() else {
        return Err(Complaint::new(
            span,
            format!("`&` points at {}", scanner.next_shown()),
            "write &i32[n], &cstr[n], &\"text\" or &tree where rep_ok",
        ));
    };
    if scanner.take_keyword("where") {
        let span = scanner.next_span();
        let Some(predicate) = scanner.take_word() else {
            let mend = format!("write &{word} where rep_ok");
            return Err(Complaint::new(span, "no predicate after `where`", mend));
        };
        return Ok(ArgSpec::Structure { ty: word.to_owned(), predicate: predicate.to_owned() });
    }
    match word {
        BOOL => {
            let len = length(scanner, text, BOOL)?;
            Ok(ArgSpec::Array { slot: boolean(scanner)?, len })
        }
        "cstr" => {
            let len = length(scanner, text, "cstr")?;
            let slot = SlotSpec { ty: Type::U8, domain: domain(scanner, text, Type::U8)? };
            Ok(ArgSpec::CString { slot, len })
        }
        "str" => {
            let len = length(scanner, text, "str")?;
            let span = scanner.next_span();
            if scanner.take_keyword("in") {
                let mend = "leave it out, or write bytes: &u8[n] in 'a'..='z'";
                return Err(Complaint::new(span, "a text has no domain", mend));
            }
            Ok(ArgSpec::Text { len })
        }
        _ if word.parse::<Type>().is_err() && scanner.peek("[") && !C_NUMBERS.contains(&word) => {
            let len = length(scanner, text, word)?;
            let span = scanner.next_span();
            if scanner.take_keyword("in") {
                let mend = format!(
                    "leave it out, or hold a field to it: --domain FIELD=0..=9 beside &{word}[n]"
                );
                return Err(Complaint::new(span, "a struct has no domain", mend));
            }
            Ok(ArgSpec::Named { ty: word.to_owned(), len })
        }
        _ => {
            let ty = element(word, span)?;
            let len = length(scanner, text, word)?;
            let step = match scanner.take_keyword("step") {
                true => Some(Expr::scan(scanner, text)?),
                false => None,
            };
            let slot = SlotSpec { ty, domain: domain(scanner, text, ty)? };
            Ok(match step {
                Some(step) => ArgSpec::Strided { slot, len, step },
                None => ArgSpec::Array { slot, len },
            })
        }
    }
}

/// What `&mut` points at: zeros for the program to write to.
fn buffer(scanner: &mut Scanner<'_>, text: &str) -> Result<ArgSpec, Complaint> {
    let span = scanner.next_span();
    let Some(word) = scanner.take_word() else {
        let what = format!("`&mut` points at {}", scanner.next_shown());
        return Err(Complaint::new(span, what, "write &mut u8[n] for a buffer to write to"));
    };
    let ty = if word == BOOL { Type::U8 } else { element(word, span)? };
    let len = length(scanner, text, &format!("mut {word}"))?;
    let span = scanner.next_span();
    if scanner.take_keyword("in") {
        let mend = format!("write &{word}[n] in … for values that are read");
        return Err(Complaint::new(span, "a buffer begins as zeros", mend));
    }
    Ok(ArgSpec::Buffer { ty, len })
}

/// The type of an element.
fn element(word: &str, span: Span) -> Result<Type, Complaint> {
    word.parse::<Type>().map_err(|_| {
        let mend = format!(
            "use i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool, str or cstr for a text, or &{word} where rep_ok for a structure"
        );
        Complaint::new(span, format!("no type `{word}`"), mend)
    })
}

/// The length in brackets.
fn length(scanner: &mut Scanner<'_>, text: &str, ty: &str) -> Result<Expr, Complaint> {
    if !scanner.take("[") {
        let mend = format!("write &{ty}[n], or &{ty}[1] for a single one");
        return Err(Complaint::new(scanner.next_span(), "the array has no length", mend));
    }
    let len = Expr::scan(scanner, text)?;
    if !scanner.take("]") {
        let what = format!("expected `]`, found {}", scanner.next_shown());
        return Err(Complaint::new(scanner.next_span(), what, "close the length"));
    }
    Ok(len)
}

/// 0 or 1, a byte in memory.
fn boolean(scanner: &mut Scanner<'_>) -> Result<SlotSpec, Complaint> {
    let span = scanner.next_span();
    if scanner.take_keyword("in") {
        let mend = "leave the domain out: it is 0 or 1";
        return Err(Complaint::new(span, "only integers have a domain", mend));
    }
    let [low, high] = [0, 1].map(|value| Bound::Integer(Expr::number(value)));
    let domain = DomainSpec { low, high, includes_high: true };
    Ok(SlotSpec { ty: Type::U8, domain: Some(domain) })
}

fn domain(
    scanner: &mut Scanner<'_>,
    text: &str,
    ty: Type,
) -> Result<Option<DomainSpec>, Complaint> {
    if !scanner.take_keyword("in") {
        return Ok(None);
    }
    let low = bound(scanner, text, ty)?;
    let includes_high = scanner.take("..=");
    if !includes_high && !scanner.take("..") {
        let what = format!("expected `..=`, found {}", scanner.next_shown());
        return Err(Complaint::new(scanner.next_span(), what, "write in 0..=9 or in 0..10"));
    }
    let high = bound(scanner, text, ty)?;
    Ok(Some(DomainSpec { low, high, includes_high }))
}

/// An end of a domain.
fn bound(scanner: &mut Scanner<'_>, text: &str, ty: Type) -> Result<Bound, Complaint> {
    let start = scanner.here();
    match scanner.take_fraction() {
        Some(number) if ty.is_float() => Ok(Bound::Float {
            text: number.to_owned(),
            whole: text.to_owned(),
            span: start..scanner.end_of_token(),
        }),
        Some(_) => {
            let mend = format!("write a whole number: {ty} has no others");
            Err(Complaint::new(start..scanner.end_of_token(), "this is no whole number", mend))
        }
        None => Ok(Bound::Integer(Expr::scan(scanner, text)?)),
    }
}
