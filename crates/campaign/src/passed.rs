//! What a call is made with, for programs and tests that make it again.

use crate::program::Program;
use pessimum_entry::{
    Arg, Entry, InputReader, Invocation, ModuleSummary, Type, WasmType, argument_name,
};
use pessimum_report::document;
use pessimum_report::export::{
    self, Argument, Content, Kind, Member, MemberType, Node, Passed, Scalar,
};
use pessimum_shape::{FieldType, Layout, Structure};

/// Makes calls of inputs.
#[derive(Debug)]
pub struct Passing<'p> {
    program: &'p Program,
    /// The parameters of the function that is called, where they are known.
    names: Vec<String>,
    /// Their types in C, where they are known.
    c_types: Vec<Option<String>>,
    /// Their types in Rust, where the module says them.
    rust: Option<Vec<String>>,
    /// What it returns, if anything.
    result: Option<Scalar>,
}

impl Passing<'_> {
    /// Of a program's inputs.
    pub fn of(program: &Program) -> Passing<'_> {
        let result = match program.entry() {
            Ok(Entry::Call(spec)) => result(program, &spec.function),
            Ok(Entry::Fuzzer) => Some(Scalar::I32),
            _ => None,
        };
        let names = program.parameter_names();
        let c_types = match program.entry() {
            Ok(Entry::Call(spec)) if !names.is_empty() => {
                pessimum_shape::c_types(program.bytes(), &spec.function)
            }
            _ => Vec::new(),
        };
        let rust = program.declared().ok().flatten().and_then(|declared| declared.rust);
        Passing { program, names, c_types, rust, result }
    }

    /// The call that an input of a size stands for; `None` where no function is called with it, or the input
    /// is damaged.
    pub fn call(&self, n: u64, input: &document::Input) -> Option<export::Call> {
        let Ok(Invocation::Call(call)) = self.program.setup(n).map(|setup| setup.invocation) else {
            return None;
        };
        let raw = input.raw()?;
        let (values, tree) = call.read(&mut InputReader::Raw(&raw)).ok()?;
        // Those of a structure come before all others.
        let before = values.len().checked_sub(call.slots().count())?;
        let mut values = values.iter().skip(before);
        let structure = match tree {
            Some(tree) => {
                let layout = self.program.structures().ok()??.layout();
                Some(structure_passed(layout, &Structure::from_argument(layout, &tree)))
            }
            None => None,
        };
        let mut arguments = Vec::new();
        for (at, arg) in call.args.iter().enumerate() {
            let passed = match arg {
                Arg::Const(value) => Passed::Size(*value),
                Arg::Scalar(slot) => {
                    Passed::Number(scalar(slot.ty)?, number(slot.ty, values.next()?.1))
                }
                Arg::Array { slot, len } => {
                    let taken = values.by_ref().take(usize::try_from(*len).ok()?);
                    Passed::Array(scalar(slot.ty)?, taken.map(|v| number(slot.ty, v.1)).collect())
                }
                Arg::CString { slot, len } => {
                    let taken = values.by_ref().take(usize::try_from(*len).ok()?);
                    let text = taken.map(|v| number(slot.ty, v.1)).chain(["0".to_owned()]);
                    Passed::Array(scalar(slot.ty)?, text.collect())
                }
                Arg::Text { len } => {
                    let taken = values.by_ref().take(usize::try_from(*len).ok()?);
                    Passed::Array(Scalar::U8, taken.map(|v| number(Type::U8, v.1)).collect())
                }
                Arg::Bytes(bytes) => {
                    Passed::Array(Scalar::U8, bytes.iter().map(u8::to_string).collect())
                }
                // As bytes: a program in C would have to declare the type.
                Arg::Records { record, len } => {
                    let image = record.image(*len, |_| values.next().map(|v| v.1).ok_or(()));
                    let bytes = image.ok()?;
                    Passed::Array(Scalar::U8, bytes.iter().map(u8::to_string).collect())
                }
                Arg::Structure { .. } | Arg::Named { .. } => return None,
                Arg::Tree(_) => structure.clone()?,
            };
            let c_type = self.c_types.get(at).cloned().flatten();
            arguments.push(Argument { name: argument_name(&self.names, at), c_type, passed });
        }
        let (result, rust) = (self.result, self.rust.clone());
        Some(export::Call { function: call.function, arguments, result, rust })
    }
}

/// What a function returns.
fn result(program: &Program, function: &str) -> Option<Scalar> {
    let summary = ModuleSummary::read(program.bytes()).ok()?;
    Some(match summary.export(function)?.results.first()? {
        WasmType::I32 => Scalar::I32,
        WasmType::I64 => Scalar::I64,
        WasmType::F32 => Scalar::F32,
        WasmType::F64 => Scalar::F64,
        _ => return None,
    })
}

fn scalar(ty: Type) -> Option<Scalar> {
    Scalar::named(ty.name())
}

/// A number as text.
fn number(ty: Type, bits: u64) -> String {
    match (ty, ty.integer(bits)) {
        (_, Some(value)) => value.to_string(),
        (Type::F32, None) => format!("{:?}", f32::from_bits(bits as u32)),
        (_, None) => format!("{:?}", f64::from_bits(bits)),
    }
}

/// A structure as something that is passed: its types and its nodes, or its elements.
pub fn structure_passed(layout: &Layout, structure: &Structure) -> Passed {
    let ty = |ty: &FieldType| match ty {
        FieldType::Int { bytes, signed } => Scalar::integer(*bytes, *signed),
        FieldType::Bool { bytes } => Scalar::integer(*bytes, false),
        FieldType::Enum { bytes, values } => {
            Scalar::integer(*bytes, values.iter().any(|value| value.1 < 0))
        }
        FieldType::Zero { .. } => None,
    };
    if layout.kinds[layout.root].array {
        let element = layout.kinds[layout.root].fields.first().and_then(|field| ty(&field.ty));
        let values = structure.nodes.iter().rev().map(|node| node.fields.first().copied());
        let values = values.map(|value| value.unwrap_or(0).to_string()).collect();
        return Passed::Array(element.unwrap_or(Scalar::I32), values);
    }
    // Members in the order of memory; each is a link or a field, by its index.
    let order = |kind: &pessimum_shape::Kind| {
        let links = kind.links.iter().enumerate().map(|(i, link)| (link.offset, Ok(i)));
        let fields = kind.fields.iter().enumerate().map(|(i, field)| (field.offset, Err(i)));
        let mut all: Vec<(u32, Result<usize, usize>)> = links.chain(fields).collect();
        all.sort_by_key(|member| member.0);
        all
    };
    let kinds = layout.kinds.iter().map(|kind| {
        let members = order(kind).into_iter().map(|(_, member)| match member {
            Ok(i) => {
                let link = &kind.links[i];
                Member { name: link.name.clone(), ty: MemberType::Link(link.kind) }
            }
            Err(i) => {
                let field = &kind.fields[i];
                let ty = ty(&field.ty).map(MemberType::Number);
                let ty = ty.unwrap_or(MemberType::Zero(field.ty.bytes()));
                Member { name: field.name.clone(), ty }
            }
        });
        Kind { name: kind.name.clone(), members: members.collect() }
    });
    let nodes = structure.nodes.iter().map(|node| {
        let kind = &layout.kinds[node.kind];
        let members = order(kind).into_iter().map(|(_, member)| match member {
            Ok(i) => node.links[i].map_or(Content::Zero, Content::Node),
            Err(i) => match ty(&kind.fields[i].ty) {
                Some(_) => Content::Number(node.fields[i].to_string()),
                None => Content::Zero,
            },
        });
        Node { kind: node.kind, members: members.collect() }
    });
    Passed::Structure(export::Structure {
        kinds: kinds.collect(),
        root: layout.root,
        nodes: nodes.collect(),
    })
}
