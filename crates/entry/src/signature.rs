//! What the source says of a function's parameters, and the call that can be read from it.

use crate::{Type, WasmType};
use std::collections::BTreeMap;

/// The parameters of functions, by the name of the export, as far as they are known.
pub type Signatures = BTreeMap<String, Vec<Parameter>>;

/// A parameter as the source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Option<String>,
    /// Its type, behind other names for it.
    pub ty: SourceType,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceType {
    /// A number.
    Number(Type),
    /// Yes or no.
    Bool,
    /// A pointer.
    Pointer {
        /// To what.
        to: Pointee,
        /// Whether it is only read from.
        constant: bool,
    },
    /// Anything else.
    Other,
}

/// What a pointer leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointee {
    /// Numbers.
    Number(Type),
    /// The type `char` of C: bytes of a text.
    Char,
    /// Yes or no, a byte each.
    Bool,
    /// It does not say.
    Void,
    /// Anything else: structures, functions, pointers.
    Other,
}

/// A call that was read from a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The arguments as the call language writes them; every length is n.
    pub(crate) args: Vec<String>,
    /// The same with a half of n for every length but the first, where there are several: two texts of one length are
    /// hardly ever what makes a program slow.
    pub(crate) apart: Option<Vec<String>>,
    /// Whether it leaves no doubt: every pointer has a length or an end, something depends on n, and there is one
    /// length.
    pub(crate) certain: bool,
}

/// What one parameter is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The number of elements of the pointers that go with it.
    Length,
    /// A value of its own.
    Value,
    Pointer,
    Unknown,
}

/// Reads the call of a function from its types; `None` where they do not fit the module's.
///
/// A pointer has as many elements as the length beside it says: the next integer that is called like one (`n`,
/// `len`, `count`), or the only integer there is. A pointer to `char` without one is a C string. Where some of the
/// pointers are constant, the others are written to.
pub(crate) fn read(params: &[Parameter], wasm: &[WasmType]) -> Option<Reading> {
    let fits = |(param, wasm): (&Parameter, &WasmType)| match param.ty {
        SourceType::Number(ty) => ty.wasm() == *wasm,
        SourceType::Bool | SourceType::Pointer { .. } => *wasm == WasmType::I32,
        SourceType::Other => true,
    };
    if params.len() != wasm.len() || !params.iter().zip(wasm).all(fits) {
        return None;
    }
    let is_integer = |p: &Parameter| matches!(p.ty, SourceType::Number(ty) if !ty.is_float());
    let is_pointer = |p: &Parameter| matches!(p.ty, SourceType::Pointer { .. });
    let integers = params.iter().filter(|p| is_integer(p)).count();
    let pointers = params.iter().filter(|p| is_pointer(p)).count();
    let is_length = |p: &Parameter| {
        is_integer(p)
            && (p.name.as_deref().is_some_and(called_like_a_length)
                || (pointers > 0 && integers == 1))
    };
    let roles: Vec<Role> = params
        .iter()
        .map(|param| match param.ty {
            SourceType::Pointer { .. } => Role::Pointer,
            SourceType::Other => Role::Unknown,
            // Without a pointer only a single parameter is taken for the size itself.
            _ if is_length(param) && (pointers > 0 || params.len() == 1) => Role::Length,
            _ => Role::Value,
        })
        .collect();
    let has_length = roles.contains(&Role::Length);
    let some_constant =
        params.iter().any(|p| matches!(p.ty, SourceType::Pointer { constant: true, .. }));
    let is_written = |p: &Parameter| {
        some_constant && matches!(p.ty, SourceType::Pointer { constant: false, .. })
    };
    // Which of the lengths of the input each parameter has or is. The room of a buffer is none of them.
    let is_string = |at: usize| {
        let text = matches!(params[at].ty, SourceType::Pointer { to: Pointee::Char, .. });
        text && !is_counted(&roles, at) && !is_written(&params[at])
    };
    let mut lengths = 0;
    let mut is_behind_length = false;
    let mut length_of = Vec::with_capacity(params.len());
    for (at, (param, role)) in params.iter().zip(&roles).enumerate() {
        let begins = match role {
            Role::Pointer if is_written(param) => false,
            Role::Pointer => is_string(at) || is_behind_length || lengths == 0,
            _ => false,
        };
        lengths += usize::from(begins);
        is_behind_length = match role {
            Role::Length => lengths > 0,
            Role::Pointer if !is_written(param) => is_string(at),
            _ => is_behind_length,
        };
        length_of.push(lengths.max(1));
    }
    let mut certain = (has_length || pointers > 0) && lengths < 2;
    let mut written = |others: &str| -> Vec<String> {
        let each = params.iter().zip(&roles).zip(&length_of).enumerate();
        let arg = |(at, ((param, role), length)): (usize, ((&Parameter, &Role), &usize))| {
            let n = if *length > 1 { others } else { "n" };
            match (role, param.ty) {
                (Role::Length, _) => n.to_owned(),
                (_, SourceType::Pointer { to, .. }) => {
                    let element = match to {
                        Pointee::Number(ty) => ty.name(),
                        Pointee::Char | Pointee::Void => Type::U8.name(),
                        Pointee::Bool => "bool",
                        Pointee::Other => {
                            certain = false;
                            return "0".to_owned();
                        }
                    };
                    if is_string(at) {
                        return format!("&cstr[{n}]");
                    }
                    // Several integers and none is called like a length, or none at all.
                    certain &= has_length || lengths > 0 && is_written(param);
                    match is_written(param) {
                        // Nobody says how much room there is. What is written may be longer than what is read, and ends with a NUL.
                        true if to == Pointee::Char && !is_counted(&roles, at) => {
                            format!("&mut {element}[2*{n}+1]")
                        }
                        true => format!("&mut {element}[{n}]"),
                        false => format!("&{element}[{n}]"),
                    }
                }
                (_, SourceType::Number(ty)) => ty.name().to_owned(),
                (_, SourceType::Bool) => "bool".to_owned(),
                (_, SourceType::Other) => {
                    certain = false;
                    "0".to_owned()
                }
            }
        };
        each.map(arg).collect()
    };
    let args = written("n");
    let apart = (lengths > 1).then(|| written("n/2"));
    Some(Reading { args, apart, certain })
}

/// Whether a length goes with the pointer at this place: behind it and the pointers that follow it, or before them
/// where no pointer stands before that.
fn is_counted(roles: &[Role], at: usize) -> bool {
    let role = |at: Option<usize>| at.and_then(|at| roles.get(at)).copied();
    let behind = (at..roles.len()).find(|i| roles[*i] != Role::Pointer);
    let before = (0..at).rev().find(|i| roles[*i] != Role::Pointer);
    let first = before.and_then(|i| i.checked_sub(1));
    role(behind) == Some(Role::Length)
        || (role(before) == Some(Role::Length) && role(first) != Some(Role::Pointer))
}

/// Whether an integer of this name says how many there are of something.
fn called_like_a_length(name: &str) -> bool {
    let name = name.trim_start_matches('_').to_ascii_lowercase();
    let words = ["n", "m", "len", "length", "size", "sz", "count", "cnt", "num", "nmemb", "nelem"];
    words.contains(&&*name)
        || ["len", "length", "size", "count", "_n", "_sz"].iter().any(|end| name.ends_with(end))
        || ["n_", "num_", "len_", "size_", "count_"].iter().any(|head| name.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(to: Pointee, constant: bool) -> SourceType {
        SourceType::Pointer { to, constant }
    }

    fn reading(params: &[(&str, SourceType)]) -> (String, bool) {
        let read = read_named(params);
        (read.args.join(", "), read.certain)
    }

    fn read_named(params: &[(&str, SourceType)]) -> Reading {
        let params: Vec<Parameter> = params
            .iter()
            .map(|(name, ty)| Parameter { name: Some((*name).to_owned()), ty: *ty })
            .collect();
        let wasm: Vec<WasmType> = params
            .iter()
            .map(|p| match p.ty {
                SourceType::Number(ty) => ty.wasm(),
                _ => WasmType::I32,
            })
            .collect();
        read(&params, &wasm).expect("the types fit")
    }

    const INT: SourceType = SourceType::Number(Type::I32);
    const SIZE: SourceType = SourceType::Number(Type::U32);

    #[test]
    fn calls_are_read_from_types() {
        let ints = pointer(Pointee::Number(Type::I32), false);
        let text = pointer(Pointee::Char, true);
        let out = pointer(Pointee::Char, false);
        let sure = |params: &[(&str, SourceType)], call: &str| {
            assert_eq!(reading(params), (call.to_owned(), true));
        };
        sure(&[("a", ints), ("n", INT)], "&i32[n], n");
        sure(&[("a", ints), ("what", INT)], "&i32[n], n");
        sure(&[("n", INT), ("a", ints)], "n, &i32[n]");
        sure(&[("s", text), ("len", SIZE)], "&u8[n], n");
        sure(&[("s", text)], "&cstr[n]");
        sure(&[("a", ints), ("n", INT), ("key", INT)], "&i32[n], n, i32");
        sure(&[("a", ints), ("key", INT), ("count", INT)], "&i32[n], i32, n");
        sure(&[("to", out), ("from", text), ("n", SIZE)], "&mut u8[n], &u8[n], n");
        sure(&[("s", text), ("strict", SourceType::Bool)], "&cstr[n], bool");
        let data = pointer(Pointee::Void, true);
        sure(&[("data", data), ("size", SIZE)], "&u8[n], n");
        sure(&[("n", INT)], "n");
        sure(&[("s", text), ("n", SIZE), ("to", out), ("size", SIZE)], "&u8[n], n, &mut u8[n], n");
        sure(&[("to", out), ("size", SIZE), ("s", text), ("n", SIZE)], "&mut u8[n], n, &u8[n], n");
        sure(&[("a", ints), ("b", ints), ("n", INT)], "&i32[n], &i32[n], n");
        sure(&[("len", SIZE), ("s", text)], "n, &u8[n]");
        sure(&[("s", text), ("n", INT), ("out", out)], "&u8[n], n, &mut u8[2*n+1]");
        sure(&[("to", out), ("from", text)], "&mut u8[2*n+1], &cstr[n]");
    }

    /// A search among n for n is over at once: who calls must say how the lengths go together.
    #[test]
    fn several_lengths_are_told_apart() {
        let ints = pointer(Pointee::Number(Type::I32), false);
        let text = pointer(Pointee::Char, true);
        let both = |params: &[(&str, SourceType)], alike: &str, apart: &str| {
            let read = read_named(params);
            assert_eq!((read.args.join(", "), read.certain), (alike.to_owned(), false));
            assert_eq!(read.apart.map(|args| args.join(", ")).as_deref(), Some(apart));
        };
        both(&[("hay", text), ("needle", text)], "&cstr[n], &cstr[n]", "&cstr[n], &cstr[n/2]");
        both(
            &[("a", ints), ("n", INT), ("b", ints), ("m", INT)],
            "&i32[n], n, &i32[n], n",
            "&i32[n], n, &i32[n/2], n/2",
        );
        both(
            &[("hay", text), ("len", SIZE), ("needle", text)],
            "&u8[n], n, &cstr[n]",
            "&u8[n], n, &cstr[n/2]",
        );
    }

    #[test]
    fn doubt_is_said() {
        let ints = pointer(Pointee::Number(Type::I32), false);
        let doubtful = |params: &[(&str, SourceType)], call: &str| {
            assert_eq!(reading(params), (call.to_owned(), false));
        };
        doubtful(&[("a", ints), ("lo", INT), ("hi", INT)], "&i32[n], i32, i32");
        doubtful(&[("a", ints), ("b", ints)], "&i32[n], &i32[n]");
        doubtful(&[("x", INT)], "i32");
        doubtful(&[("n", INT), ("x", INT)], "i32, i32");
        doubtful(&[("tree", pointer(Pointee::Other, false)), ("n", INT)], "0, n");
        doubtful(&[("s", SourceType::Other)], "0");
        let long = [Parameter { name: None, ty: SourceType::Number(Type::I64) }];
        assert_eq!(read(&long, &[WasmType::I32]), None, "the module says otherwise");
    }
}
