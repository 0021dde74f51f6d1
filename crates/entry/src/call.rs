//! The `--call` language: which function, with which arguments.

use std::fmt;
use std::sync::Arc;

use crate::error::{Complaint, Span, SpecError};
use crate::expr::{Expr, check_length};
use crate::tree::Taken;
use crate::{
    InputError, InputReader, InputValues, Record, RecordField, Sizes, Slot, Tree, TreeLayout, Type,
    WasmType, text,
};

/// Linear memory has 32-bit addresses, so no argument can be larger.
const MAX_BYTES: u64 = u32::MAX as u64;

/// A symbolic value takes some hundred bytes of ours, whatever its type, and a run begins by making
/// them all: about a second for so many.
pub(crate) const MAX_VALUES: u64 = 1 << 21;

/// Bytes of a buffer that the program writes to: they are set to zero at the start of every run.
const MAX_BUFFER: u64 = 1 << 26;

/// A call as it is described, for every size at once.
///
/// | argument | meaning |
/// |---|---|
/// | `n`, `2*n+1`, `17` | an integer of the size, see [`Expr`] |
/// | `i32`, `u8 in 1..=9` | a symbolic scalar |
/// | `f64 in -1.0..=1.0`, `f32 in 0..=100` | a float that is a number, in that order: −0.0 is just below 0.0 |
/// | `&i32[n]`, `&u8[n*n] in 0..n` | a pointer to that many symbolic values |
/// | `&i32[n] step 12` | the same, one every 12 bytes, zeros between them |
/// | `&point[n]` | a pointer to n structs of the program, every number in them symbolic |
/// | `bool`, `&bool[n]` | 0 or 1 |
/// | `u8 in 'a'..='z'` | characters are numbers |
/// | `&"abc\0"` | a pointer to constant bytes; no NUL is added |
/// | `&cstr[n]` | a pointer to n symbolic bytes that are not NUL, and a NUL |
/// | `&str[n]` | a pointer to n symbolic bytes that are valid UTF-8; no NUL is added |
/// | `&mut u8[2*n]` | a pointer to that many zeros, for the program to write to |
/// | `&tree where rep_ok` | a pointer to a structure that the exported predicate accepts |
///
/// The function's name is everything before the first `(`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSpec {
    /// The export to be called.
    pub function: String,
    /// Its arguments in order.
    pub args: Vec<ArgSpec>,
    text: String,
}

/// One argument as it is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgSpec {
    /// An integer of the size.
    Const(Expr),
    /// A symbolic scalar.
    Scalar(SlotSpec),
    /// A pointer to symbolic values.
    Array {
        /// Each element.
        slot: SlotSpec,
        /// How many.
        len: Expr,
    },
    /// A pointer to symbolic values with a gap between them.
    Strided {
        /// Each value.
        slot: SlotSpec,
        /// How many.
        len: Expr,
        /// Bytes from one to the next.
        step: Expr,
    },
    /// A pointer to structs of the program.
    Named {
        /// The type's name in the program.
        ty: String,
        /// How many.
        len: Expr,
    },
    /// A pointer to symbolic bytes that are not NUL, and a NUL behind them.
    CString {
        /// Each byte.
        slot: SlotSpec,
        /// How many, without the NUL.
        len: Expr,
    },
    /// A pointer to symbolic bytes that are valid UTF-8.
    Text {
        /// How many.
        len: Expr,
    },
    /// A pointer to zeros, for the program to write to.
    Buffer {
        /// The type of an element.
        ty: Type,
        /// How many.
        len: Expr,
    },
    /// A pointer to constant bytes.
    Bytes(Vec<u8>),
    /// A pointer to a structure that a predicate accepts.
    Structure {
        /// The structure's name in the program.
        ty: String,
        /// The exported predicate.
        predicate: String,
    },
}

/// A symbolic input whose domain may depend on the size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotSpec {
    /// Its type.
    pub ty: Type,
    /// Its domain, if it is not the whole type.
    pub domain: Option<DomainSpec>,
}

/// `low..=high` or `low..high`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainSpec {
    low: Bound,
    high: Bound,
    includes_high: bool,
}

/// An end of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Bound {
    /// An integer of the size.
    Integer(Expr),
    /// A float as it is written: `-1.5`, `1e-3`, `inf`.
    Float { text: String, whole: String, span: Span },
}

impl Bound {
    fn mentions(&self, name: &str) -> bool {
        matches!(self, Bound::Integer(expr) if expr.mentions(name))
    }

    fn complain(&self, what: String, mend: &str) -> SpecError {
        match self {
            Bound::Integer(expr) => expr.complain(what, mend),
            Bound::Float { whole, span, .. } => {
                Complaint::new(span.clone(), what, mend).about(whole)
            }
        }
    }

    /// The rank of the value in a type.
    fn rank(&self, ty: Type, sizes: &Sizes) -> Result<i128, SpecError> {
        match self {
            Bound::Integer(expr) if !ty.is_float() => expr.eval(sizes),
            Bound::Integer(expr) => {
                let value = expr.eval(sizes)?;
                let bits = match ty {
                    Type::F32 => u64::from((value as f32).to_bits()),
                    _ => (value as f64).to_bits(),
                };
                let is_exact = match ty {
                    Type::F32 => value as f32 as i128 == value,
                    _ => value as f64 as i128 == value,
                };
                if !is_exact {
                    let mend = "write it with a fraction, as in 1e10, and the nearest is taken";
                    return Err(self.complain(format!("{value} is no {ty}"), mend));
                }
                Ok(ty.rank(bits))
            }
            Bound::Float { text, .. } => match ty.parse_value(text) {
                Some(bits) => Ok(ty.rank(bits)),
                None => Err(self.complain(format!("`{text}` is no {ty}"), "write a whole number")),
            },
        }
    }
}

/// A call at one size: every expression is a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The export to be called.
    pub function: String,
    /// Its arguments in order.
    pub args: Vec<Arg>,
}

/// One argument at one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// An integer.
    Const(i128),
    /// A symbolic scalar.
    Scalar(Slot),
    /// A pointer to symbolic values.
    Array {
        /// Each element.
        slot: Slot,
        /// How many.
        len: u64,
    },
    /// A pointer to structs, as it was written.
    Named {
        /// The type's name in the program.
        ty: String,
        /// How many.
        len: u64,
    },
    /// The same, once it is known what they look like; or values with a gap between them.
    Records {
        /// Each element.
        record: Arc<Record>,
        /// How many.
        len: u64,
    },
    /// A pointer to symbolic bytes and a NUL behind them, which is no input.
    CString {
        /// Each byte; none of its values is NUL.
        slot: Slot,
        /// How many, without the NUL.
        len: u64,
    },
    /// A pointer to symbolic bytes, any but those that are no [UTF-8](crate::text).
    Text {
        /// How many.
        len: u64,
    },
    /// A pointer to constant bytes.
    Bytes(Vec<u8>),
    /// A pointer to a structure that a predicate accepts, as it was written.
    Structure {
        /// The structure's name in the program.
        ty: String,
        /// The exported predicate.
        predicate: String,
    },
    /// The same, once it is known what its nodes look like. Its inputs come before those of all
    /// other arguments.
    Tree(Arc<TreeLayout>),
}

/// A call that does not fit the function it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallMismatch {
    /// The number of arguments differs.
    #[error(
        "`{function}` takes {wanted} argument(s) ({}), the call gives {given}: give one for each",
        show_types(.params)
    )]
    Count {
        /// The export.
        function: String,
        /// How many it takes.
        wanted: usize,
        /// How many the call gives.
        given: usize,
        /// What it takes.
        params: Vec<WasmType>,
    },
    /// An argument has the wrong type.
    #[error(
        "argument {position} of `{function}` is {wanted} in the module, the call gives {given}: {mend}"
    )]
    Type {
        /// The export.
        function: String,
        /// Which argument, counted from 1.
        position: usize,
        /// What the module wants.
        wanted: WasmType,
        /// What the call gives.
        given: String,
        /// What to write instead.
        mend: String,
    },
}

impl CallSpec {
    /// Reads a description such as `sort(&i32[n], n)`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        check_length(text)?;
        parse::call(text).map_err(|complaint| complaint.about(text))
    }

    /// Whether an argument is a pointer to memory that the host provides.
    pub fn takes_memory(&self) -> bool {
        self.args.iter().any(|arg| !matches!(arg, ArgSpec::Const(_) | ArgSpec::Scalar(_)))
    }

    /// The call at these sizes.
    pub fn at(&self, sizes: &Sizes) -> Result<Call, SpecError> {
        let args = self.args.iter().map(|arg| arg.at(sizes)).collect::<Result<_, _>>()?;
        Ok(Call { function: self.function.clone(), args })
    }

    /// Whether anything in the call depends on `n` or on a `--let` name.
    pub fn mentions(&self, name: &str) -> bool {
        self.args.iter().any(|arg| match arg {
            ArgSpec::Const(expr) => expr.mentions(name),
            ArgSpec::Scalar(slot) => slot.mentions(name),
            ArgSpec::Array { slot, len } | ArgSpec::CString { slot, len } => {
                len.mentions(name) || slot.mentions(name)
            }
            ArgSpec::Strided { slot, len, step } => {
                len.mentions(name) || step.mentions(name) || slot.mentions(name)
            }
            ArgSpec::Text { len } | ArgSpec::Buffer { len, .. } | ArgSpec::Named { len, .. } => {
                len.mentions(name)
            }
            ArgSpec::Bytes(_) | ArgSpec::Structure { .. } => false,
        })
    }
}

impl fmt::Display for CallSpec {
    /// As it was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Call {
    /// The symbolic inputs of the call, in the order in which they are made: argument by argument,
    /// the elements of an array from its first. How many a structure has depends on its shape: they
    /// are not among them, and come before.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.args.iter().flat_map(Arg::slots)
    }

    /// What a person calls an input of the call, by its number: `a[3]`, `wanted`. `None` where it is none of
    /// [`Call::slots`], or a structure comes before these.
    pub(crate) fn input_name(&self, parameters: &[String], input: usize) -> Option<String> {
        if self.tree().is_some() {
            return None;
        }
        let mut left = input;
        for (at, arg) in self.args.iter().enumerate() {
            let inputs = arg.inputs();
            if left < inputs {
                return Some(arg.input_name(&argument_name(parameters, at), left));
            }
            left -= inputs;
        }
        None
    }

    /// Whether a text is passed: bytes that are UTF-8 all together.
    pub fn has_text(&self) -> bool {
        self.args.iter().any(|arg| matches!(arg, Arg::Text { .. }))
    }

    /// How many bytes of memory each argument points to, in order; none for plain values, nor for
    /// a structure, whose [blocks](crate::Tree::blocks) are known once its inputs are.
    pub fn allocations(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        self.args.iter().map(Arg::allocation)
    }

    /// What the nodes of the structure look like, if one is passed.
    pub fn tree(&self) -> Option<&Arc<TreeLayout>> {
        self.args.iter().find_map(|arg| match arg {
            Arg::Tree(layout) => Some(layout),
            _ => None,
        })
    }

    /// Takes the values of all inputs of the call, and the structure among them.
    pub fn read(
        &self,
        reader: &mut InputReader<'_>,
    ) -> Result<(InputValues, Option<Tree<u64>>), InputError> {
        let mut values = InputValues::new();
        let mut next = |slot: Slot| {
            let bits = reader.next(slot, values.len() + 1)?;
            values.push(slot, bits);
            Ok(bits)
        };
        let tree = match self.tree() {
            Some(layout) => Some(layout.read(&mut Taken(&mut next))?),
            None => None,
        };
        for slot in self.slots() {
            next(slot)?;
        }
        self.check_texts(&values, values.len() - self.slots().count())?;
        Ok((values, tree))
    }

    /// Whether the texts among the values, those of the arguments beginning at `first`, are UTF-8.
    fn check_texts(&self, values: &InputValues, first: usize) -> Result<(), InputError> {
        let mut at = first;
        for arg in &self.args {
            let count = arg.inputs();
            if matches!(arg, Arg::Text { .. }) {
                let bytes = values.iter().skip(at).take(count).map(|value| value.1 as u8);
                text::check(&bytes.collect::<Vec<u8>>())
                    .map_err(|wrong| InputError::NotUtf8 { position: at + wrong + 1 })?;
            }
            at += count;
        }
        Ok(())
    }

    /// Whether the call fits a function with these parameters.
    pub fn check(&self, params: &[WasmType]) -> Result<(), CallMismatch> {
        if params.len() != self.args.len() {
            return Err(CallMismatch::Count {
                function: self.function.clone(),
                wanted: params.len(),
                given: self.args.len(),
                params: params.to_vec(),
            });
        }
        for (index, (arg, &wanted)) in self.args.iter().zip(params).enumerate() {
            let complaint = match arg {
                Arg::Const(value) if wanted.bits_of_integer(*value).is_some() => continue,
                Arg::Const(value) => {
                    (format!("the integer {value}"), format!("use a value that {wanted} can hold"))
                }
                Arg::Scalar(slot) if slot.ty.wasm() == wanted => continue,
                Arg::Scalar(slot) => (format!("the scalar {slot}"), format!("write {wanted}")),
                _ if wanted == WasmType::I32 => continue,
                _ => ("a pointer".to_owned(), format!("write {wanted}, or a number")),
            };
            return Err(CallMismatch::Type {
                function: self.function.clone(),
                position: index + 1,
                wanted,
                given: complaint.0,
                mend: complaint.1,
            });
        }
        Ok(())
    }
}

impl Arg {
    /// So many elements, unless they are more than can be kept.
    pub fn records(record: Arc<Record>, len: u64) -> Result<Arg, String> {
        let bytes = len.checked_mul(u64::from(record.bytes));
        if bytes.is_none_or(|all| all > MAX_BUFFER) {
            return Err(format!(
                "{len} times {} bytes are more than the {MAX_BUFFER} of a buffer",
                record.bytes
            ));
        }
        let values = len.saturating_mul(record.fields.len() as u64);
        if values > MAX_VALUES {
            return Err(format!(
                "{values} symbolic values are more than the {MAX_VALUES} that are kept"
            ));
        }
        Ok(Arg::Records { record, len })
    }

    /// Its symbolic inputs, in order; none of a structure.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let (slot, count) = match self {
            Arg::Scalar(slot) => (*slot, 1),
            Arg::Array { slot, len } | Arg::CString { slot, len } => (*slot, *len),
            Arg::Text { len } => (Slot::any(Type::U8), *len),
            _ => (Slot::any(Type::U8), 0),
        };
        let records = match self {
            Arg::Records { record, len } => Some(record.inputs(*len).map(|(_, slot)| slot)),
            _ => None,
        };
        (0..count).map(move |_| slot).chain(records.into_iter().flatten())
    }

    /// How many symbolic inputs it has; none of a structure.
    pub fn inputs(&self) -> usize {
        match self {
            Arg::Scalar(_) => 1,
            Arg::Array { len, .. } | Arg::CString { len, .. } | Arg::Text { len } => *len as usize,
            Arg::Records { record, len } => record.fields.len().saturating_mul(*len as usize),
            _ => 0,
        }
    }

    /// What a person calls one of its inputs, where the argument has this name: `a[3]`, `wanted`, `points[2].x`.
    fn input_name(&self, argument: &str, input: usize) -> String {
        match self {
            Arg::Scalar(_) => argument.to_owned(),
            Arg::Records { record, .. } => {
                let (element, field) = (input / record.fields.len(), input % record.fields.len());
                match record.fields[field].name.as_str() {
                    "" => format!("{argument}[{element}]"),
                    name => format!("{argument}[{element}].{name}"),
                }
            }
            _ => format!("{argument}[{input}]"),
        }
    }

    /// How many bytes of memory the argument points to; none if it is a plain value.
    pub fn allocation(&self) -> Option<u64> {
        match self {
            // `CallSpec::at` has seen to it that the product fits.
            Arg::Array { slot, len } => Some(len.saturating_mul(u64::from(slot.ty.bytes()))),
            Arg::Records { record, len } => Some(len.saturating_mul(u64::from(record.bytes))),
            Arg::CString { len, .. } => Some(len.saturating_add(1)),
            Arg::Text { len } => Some(*len),
            Arg::Bytes(bytes) => Some(bytes.len() as u64),
            _ => None,
        }
    }
}

impl SlotSpec {
    fn mentions(&self, name: &str) -> bool {
        self.domain.as_ref().is_some_and(|d| d.low.mentions(name) || d.high.mentions(name))
    }

    fn at(&self, sizes: &Sizes, needed: bool) -> Result<Slot, SpecError> {
        let Some(DomainSpec { low, high, includes_high }) = &self.domain else {
            return Ok(Slot::any(self.ty));
        };
        let (low_value, mut high_value) = (low.rank(self.ty, sizes)?, high.rank(self.ty, sizes)?);
        if !includes_high {
            // What is less than zero is less than −0.0.
            let zero = self.ty.is_float() && high_value == 0;
            high_value = high_value.saturating_sub(if zero { 2 } else { 1 });
        }
        if low_value > high_value {
            if !needed {
                return Ok(Slot::any(self.ty));
            }
            let shown = |rank: i128| match self.ty.bits_of_rank(rank) {
                Some(bits) if self.ty.is_float() => self.ty.show(bits),
                _ => rank.to_string(),
            };
            let (from, to) = (shown(low_value), shown(high_value));
            return Err(high.complain(
                format!("the domain is empty: there is nothing from {from} to {to}"),
                "write low..=high with low ≤ high at every size asked for",
            ));
        }
        let Some((least, greatest)) = self.ty.range() else {
            return Ok(Slot::within(self.ty, low_value, high_value));
        };
        for (expr, value) in [(low, low_value), (high, high_value)] {
            if value < least || value > greatest {
                return Err(expr.complain(
                    format!("{value} is outside {}, which ends at {least} and {greatest}", self.ty),
                    "narrow the domain, or choose a wider type",
                ));
            }
        }
        Ok(Slot::within(self.ty, low_value, high_value))
    }
}

impl ArgSpec {
    fn at(&self, sizes: &Sizes) -> Result<Arg, SpecError> {
        Ok(match self {
            ArgSpec::Const(expr) => Arg::Const(expr.eval(sizes)?),
            ArgSpec::Scalar(slot) => Arg::Scalar(slot.at(sizes, true)?),
            ArgSpec::Array { slot, len } => {
                let count = length(len, slot.ty, sizes)?;
                let count = symbolic(len, count)?;
                Arg::Array { slot: slot.at(sizes, count > 0)?, len: count }
            }
            ArgSpec::Strided { slot, len, step } => strided(slot, len, step, sizes)?,
            ArgSpec::Named { ty, len } => {
                let count = length(len, Type::U8, sizes)?;
                Arg::Named { ty: ty.clone(), len: symbolic(len, count)? }
            }
            ArgSpec::CString { slot, len } => {
                let count = length(len, slot.ty, sizes)?;
                let count = symbolic(len, count)?;
                let slot = slot.at(sizes, count > 0)?;
                let slot = match slot.domain {
                    None => Slot::within(slot.ty, 1, 255),
                    Some(_) if !slot.admits(0) => slot,
                    Some(_) => {
                        return Err(len.complain(
                            "the domain has 0, where a C string ends".to_owned(),
                            "write a domain from 1 on, such as in 1..=127, or an array: &u8[n]",
                        ));
                    }
                };
                Arg::CString { slot, len: count }
            }
            ArgSpec::Text { len } => {
                let count = length(len, Type::U8, sizes)?;
                Arg::Text { len: symbolic(len, count)? }
            }
            ArgSpec::Buffer { ty, len } => {
                let bytes = length(len, *ty, sizes)? * u64::from(ty.bytes());
                if bytes > MAX_BUFFER {
                    return Err(len.complain(
                        format!("{bytes} bytes are more than the {MAX_BUFFER} of a buffer"),
                        "ask for a smaller size",
                    ));
                }
                Arg::Bytes(vec![0; bytes as usize])
            }
            ArgSpec::Bytes(bytes) => Arg::Bytes(bytes.clone()),
            ArgSpec::Structure { ty, predicate } => {
                Arg::Structure { ty: ty.clone(), predicate: predicate.clone() }
            }
        })
    }
}

/// What an argument is called: as the parameter, or by its place where that has no name.
///
/// ```
/// use pessimum_entry::argument_name;
/// let parameters = ["a".to_owned()];
/// assert_eq!([0, 1].map(|at| argument_name(&parameters, at)), ["a", "argument_2"]);
/// ```
pub fn argument_name(parameters: &[String], at: usize) -> String {
    parameters.get(at).cloned().unwrap_or_else(|| format!("argument_{}", at + 1))
}

/// Values with a gap between them.
fn strided(slot: &SlotSpec, len: &Expr, step: &Expr, sizes: &Sizes) -> Result<Arg, SpecError> {
    let count = symbolic(len, length(len, slot.ty, sizes)?)?;
    let (own, wanted) = (slot.ty.bytes(), step.eval(sizes)?);
    let bytes = u32::try_from(wanted).ok().filter(|bytes| *bytes >= own).ok_or_else(|| {
        step.complain(
            format!("{wanted} bytes have no room for a {}", slot.ty),
            "write how many bytes lie from one value to the next, at least its own",
        )
    })?;
    let slot = slot.at(sizes, count > 0)?;
    let fields = vec![RecordField { name: String::new(), offset: 0, slot }];
    let record = Arc::new(Record { name: slot.ty.to_string(), bytes, fields });
    Arg::records(record, count).map_err(|what| step.complain(what, "ask for a smaller size"))
}

/// How many elements a pointer leads to: not negative, and in a 32-bit memory.
fn length(len: &Expr, ty: Type, sizes: &Sizes) -> Result<u64, SpecError> {
    let value = len.eval(sizes)?;
    if value < 0 {
        return Err(len.complain(
            format!("the length is {value} at n = {}", sizes.n()),
            "keep it from being negative, as in max(n-1, 0)",
        ));
    }
    // One byte more is left for the NUL of a string.
    let fits = u64::try_from(value).ok().filter(|&len| {
        len.checked_mul(u64::from(ty.bytes())).is_some_and(|bytes| bytes < MAX_BYTES)
    });
    fits.ok_or_else(|| {
        len.complain(
            format!("{value} values of type {ty} do not fit a 32-bit memory"),
            "ask for a smaller size",
        )
    })
}

/// As many symbolic values as are kept.
fn symbolic(len: &Expr, count: u64) -> Result<u64, SpecError> {
    if count <= MAX_VALUES {
        return Ok(count);
    }
    Err(len.complain(
        format!("{count} symbolic values are more than the {MAX_VALUES} that are kept"),
        "ask for a smaller size",
    ))
}

fn show_types(types: &[WasmType]) -> String {
    types.iter().map(|ty| ty.name()).collect::<Vec<_>>().join(", ")
}

mod parse;
#[cfg(test)]
mod tests;
