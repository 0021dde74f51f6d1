//! A call as a program in C and as a test in Rust: one object for each argument, the call itself, and a line that
//! says what was called and how long it took.

use super::Label;
use super::call::{
    Argument, Call, Content, Kind, MemberType, Node, Passed, Scalar, Structure, identifier,
};
use super::source::{RUST_STARTED, about, lines, rust_told, test_name};
use std::fmt::Write;

/// A program in C that makes the call; in C++ where the function has a name of C++.
pub(super) fn c_program(label: &Label<'_>, call: &Call) -> String {
    let path = call.path();
    let names = names(call);
    let mut types = String::new();
    let mut objects = String::new();
    let mut parameters = Vec::new();
    let mut passed = Vec::new();
    for (name, argument) in names.iter().zip(&call.arguments) {
        let declared = argument.c_type.as_deref();
        let (ty, value) = match &argument.passed {
            // As wide as a pointer: what the module takes as 32 bits may be a size_t here.
            Passed::Size(value) => (declared.unwrap_or("long").to_owned(), value.to_string()),
            Passed::Number(ty, value) => {
                let (ty, value) = (ty.c(), ty.c_literal(value));
                let _ = writeln!(objects, "static const {ty} {name} = {value};");
                (ty.to_owned(), name.clone())
            }
            Passed::Array(ty, values) => {
                objects.push_str(&c_array(name, *ty, values));
                (format!("{} *", ty.c()), name.clone())
            }
            Passed::Structure(structure) => {
                types.push_str(&c_types(structure));
                objects.push_str(&c_nodes(name, structure));
                let kind = kind_name(structure.kinds.get(structure.root));
                let root = format!("&{}", node_name(name, 0));
                let root = if structure.nodes.is_empty() { "0".to_owned() } else { root };
                (format!("struct {kind} *"), root)
            }
        };
        // The types of its parameters are part of what a linker calls a function of C++.
        let own = declared.filter(|_| path.is_some());
        passed.push(own.map_or(value.clone(), |own| format!("({own}){value}")));
        let ty = own.unwrap_or(&ty);
        let gap = if ty.ends_with('*') { "" } else { " " };
        parameters.push(format!("{ty}{gap}{name}"));
    }
    let result = call.result.map_or("void", Scalar::c);
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let (language, extension, printf, void) = match path {
        None => ("cc", "c", "int printf", "void"),
        Some(_) => ("c++", "cpp", "extern \"C\" int printf", ""),
    };
    let (function, declared) = match &path {
        None => {
            let function = identifier(&call.function);
            (function.clone(), format!("{result} {function}({parameters});\n"))
        }
        Some(path) => {
            let (own, around) = path.split_last().map_or(("", &[][..]), |(own, rest)| (own, rest));
            let open: String = around.iter().map(|name| format!("namespace {name} {{ ")).collect();
            let close = " }".repeat(around.len());
            (path.join("::"), format!("{open}{result} {own}({parameters});{close}\n"))
        }
    };
    let math = if objects.contains("NAN") || objects.contains("INFINITY") {
        "#include <math.h>\n"
    } else {
        ""
    };
    // printf is declared by itself: <stdio.h> has names that functions of others have, too (remove, getline).
    format!(
        "/* {1}\n *\n\
         \x20* Compile it with your program: {language} {0}.{extension} program.{extension}\n\
         \x20* With a header of yours instead of the declarations here:\n\
         \x20*     {language} -DHEADER='\"program.h\"' {0}.{extension} program.{extension} */\n\
         #include <stdint.h>\n#include <time.h>\n{math}\n\
         #ifdef HEADER\n#include HEADER\n#else\n{types}{declared}#endif\n\n\
         {printf}(const char *, ...);\n\n\
         {objects}\n\
         int main({void}) {{\n    clock_t started = clock();\n    {function}({2});\n\
         \x20   double took = (double)(clock() - started) / CLOCKS_PER_SEC;\n\
         \x20   printf(\"{3}: n = {4}, %.6f s\\n\", took);\n    return 0;\n}}\n",
        label.stem(),
        about(label).replace("*/", "* /"),
        passed.join(", "),
        called(call, &names),
        label.n,
    )
}

/// A test in Rust that makes the call.
pub(super) fn rust_test(label: &Label<'_>, call: &Call) -> String {
    let function = identifier(&call.function);
    let names = names(call);
    let mut objects = String::new();
    let mut parameters = Vec::new();
    let mut passed = Vec::new();
    for (name, argument) in names.iter().zip(&call.arguments) {
        match &argument.passed {
            Passed::Size(value) => {
                parameters.push(format!("{name}: isize"));
                passed.push(value.to_string());
            }
            Passed::Number(ty, value) => {
                let (constant, value) = (name.to_uppercase(), ty.rust_literal(value));
                let _ = writeln!(objects, "    const {constant}: {} = {value};", ty.rust());
                parameters.push(format!("{name}: {}", ty.rust()));
                passed.push(constant);
            }
            Passed::Array(ty, values) => {
                objects.push_str(&rust_array(name, *ty, values));
                parameters.push(format!("{name}: *mut {}", ty.rust()));
                passed.push(format!("{name}.as_mut_ptr()"));
            }
            Passed::Structure(structure) => {
                objects.push_str(&rust_nodes(name, structure));
                parameters.push(format!(
                    "{name}: *mut {}",
                    kind_name(structure.kinds.get(structure.root))
                ));
                passed.push(match structure.nodes.is_empty() {
                    true => "std::ptr::null_mut()".to_owned(),
                    false => format!("(&raw mut {}).cast()", node_name(name, 0)),
                });
            }
        }
    }
    let result = call.result.map_or(String::new(), |ty| format!(" -> {}", ty.rust()));
    let drop = if call.result.is_some() { "let _ = " } else { "" };
    format!(
        "// {}\n//\n\
         // include! this file in a test module that has `{function}` in scope. If it is not of your crate:\n\
         //     unsafe extern \"C\" {{ fn {function}({}){result}; }}\n\n\
         #[test]\n#[rustfmt::skip]\n#[allow(dead_code, unused_unsafe, non_camel_case_types)]\n\
         fn {}() {{\n{objects}{RUST_STARTED}    {drop}unsafe {{ {function}({}) }};\n{}}}\n",
        about(label),
        parameters.join(", "),
        test_name(label),
        passed.join(", "),
        rust_told(&called(call, &names), label.n),
    )
}

/// A test in Rust of a function that takes slices, texts and numbers; `None` where the arguments are not what its parameters
/// are made of.
pub(super) fn rust_test_of(label: &Label<'_>, call: &Call, types: &[String]) -> Option<String> {
    let function = identifier(&call.function);
    let names = names(call);
    let mut arguments = names.iter().zip(&call.arguments);
    let mut objects = String::new();
    let mut passed = Vec::new();
    for ty in types {
        let (name, argument) = arguments.next()?;
        let (sign, owned) = match ty.strip_prefix("&mut ") {
            Some(owned) => ("&mut ", owned),
            None => ty.strip_prefix('&').map_or(("", ty.as_str()), |owned| ("&", owned)),
        };
        passed.push(match &argument.passed {
            Passed::Number(scalar, value) => {
                let value = scalar.rust_literal(value);
                let value = if owned == "bool" { (value != "0").to_string() } else { value };
                format!("{sign}{value}")
            }
            Passed::Array(scalar, values) => {
                // Its length.
                arguments.next()?;
                objects.push_str(&rust_array(name, *scalar, values));
                match owned {
                    "str" => format!("std::str::from_utf8(&{name}).unwrap()"),
                    "String" => format!("{sign}String::from_utf8({name}.to_vec()).unwrap()"),
                    _ if owned.starts_with("Vec<") => format!("{sign}{name}.to_vec()"),
                    _ => format!("{sign}{name}"),
                }
            }
            Passed::Size(_) | Passed::Structure(_) => return None,
        });
    }
    arguments.next().is_none().then(|| {
        format!(
            "// {}\n//\n// include! this file in a test module that has `{function}` in scope.\n\n\
             #[test]\n#[rustfmt::skip]\n#[allow(unused_mut, clippy::all)]\n\
             fn {}() {{\n{objects}{RUST_STARTED}    let _ = {function}({});\n{}}}\n",
            about(label),
            test_name(label),
            passed.join(", "),
            rust_told(&called(call, &names), label.n),
        )
    })
}

/// The types of a structure and its nodes in C, for a file of their own.
pub fn c_structure(name: &str, structure: &Structure) -> String {
    let name = identifier(name);
    let kind = kind_name(structure.kinds.get(structure.root));
    let root = match structure.nodes.is_empty() {
        true => "0".to_owned(),
        false => format!("&{}", node_name(&name, 0)),
    };
    format!(
        "#include <stdint.h>\n\n#ifndef HEADER\n{}#else\n#include HEADER\n#endif\n\n{}struct {kind} *{name} = {root};\n",
        c_types(structure),
        c_nodes(&name, structure)
    )
}

/// An array in C, for a file of its own.
pub fn c_values(name: &str, ty: Scalar, values: &[String]) -> String {
    let (name, array) = (identifier(name), "static ");
    let text = c_array(&name, ty, values);
    format!("#include <stdint.h>\n\n{}", text.strip_prefix(array).unwrap_or(&text))
}

/// Names that a reproducer uses for itself, or that the headers of C which it includes have.
const USED: [&str; 7] = ["clock", "clock_t", "daylight", "printf", "started", "time", "timezone"];

/// The call in a line, of plain characters alone: `find(a, 300, wanted)`.
fn called(call: &Call, names: &[String]) -> String {
    let argument = |(name, argument): (&String, &Argument)| match &argument.passed {
        Passed::Size(value) => value.to_string(),
        _ => name.clone(),
    };
    let arguments: Vec<String> = names.iter().zip(&call.arguments).map(argument).collect();
    format!("{}({})", identifier(&call.function), arguments.join(", "))
}

/// The arguments' names, each of its own.
fn names(call: &Call) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, Argument { name, .. }) in call.arguments.iter().enumerate() {
        let name = identifier(name);
        let taken = names.contains(&name) || name == identifier(&call.function);
        let taken = taken || USED.contains(&name.as_str());
        names.push(if taken { format!("{name}_{}", at + 1) } else { name });
    }
    names
}

fn kind_name(kind: Option<&Kind>) -> String {
    kind.map_or("node".to_owned(), |kind| identifier(&kind.name))
}

fn node_name(name: &str, node: usize) -> String {
    format!("{name}_{node}")
}

fn c_array(name: &str, ty: Scalar, values: &[String]) -> String {
    let literals: Vec<String> = values.iter().map(|v| ty.c_literal(v)).collect();
    // C has no empty initialiser and no empty array.
    let body = if literals.is_empty() { "    0".to_owned() } else { lines(&literals) };
    format!("static {} {name}[{}] = {{\n{body}\n}};\n", ty.c(), values.len().max(1))
}

fn c_types(structure: &Structure) -> String {
    let mut out = String::new();
    for kind in &structure.kinds {
        let _ = writeln!(out, "struct {} {{", identifier(&kind.name));
        for member in &kind.members {
            let name = identifier(&member.name);
            let _ = match member.ty {
                MemberType::Link(to) => {
                    writeln!(out, "    struct {} *{name};", kind_name(structure.kinds.get(to)))
                }
                MemberType::Number(ty) => writeln!(out, "    {} {name};", ty.c()),
                MemberType::Zero(bytes) => writeln!(out, "    unsigned char {name}[{bytes}];"),
            };
        }
        out.push_str("};\n");
    }
    out
}

/// The members of a node that are not zero, each as a language writes it.
fn filled<'a>(
    structure: &'a Structure,
    node: &'a Node,
) -> impl Iterator<Item = (String, MemberType, &'a Content)> {
    let members = structure.kinds.get(node.kind).map_or(&[][..], |kind| &kind.members);
    let all = members.iter().zip(&node.members);
    all.map(|(member, content)| (identifier(&member.name), member.ty, content))
}

/// What a node points to is defined before it.
fn c_nodes(name: &str, structure: &Structure) -> String {
    let mut out = String::new();
    for (at, node) in structure.nodes.iter().enumerate().rev() {
        let kind = kind_name(structure.kinds.get(node.kind));
        let inits =
            filled(structure, node).filter_map(|(member, ty, content)| match (content, ty) {
                (Content::Node(to), _) => Some(format!(".{member} = &{}", node_name(name, *to))),
                (Content::Number(value), MemberType::Number(ty)) => {
                    Some(format!(".{member} = {}", ty.c_literal(value)))
                }
                _ => None,
            });
        let inits = inits.collect::<Vec<_>>().join(", ");
        let inits = if inits.is_empty() { "0".to_owned() } else { inits };
        let _ = writeln!(out, "static struct {kind} {} = {{ {inits} }};", node_name(name, at));
    }
    out
}

fn rust_array(name: &str, ty: Scalar, values: &[String]) -> String {
    let literals: Vec<String> = values.iter().map(|v| ty.rust_literal(v)).collect();
    let (constant, ty) = (name.to_uppercase(), ty.rust());
    let body = if literals.is_empty() {
        String::new()
    } else {
        format!("\n{}\n    ", lines(&literals).replace("    ", "        "))
    };
    format!(
        "    const {constant}: [{ty}; {}] = [{body}];\n    let mut {name} = {constant};\n",
        values.len()
    )
}

fn rust_nodes(name: &str, structure: &Structure) -> String {
    let mut out = String::new();
    for kind in &structure.kinds {
        let members = kind.members.iter().map(|member| {
            let name = identifier(&member.name);
            match member.ty {
                MemberType::Link(to) => {
                    format!("{name}: *mut {}", kind_name(structure.kinds.get(to)))
                }
                MemberType::Number(ty) => format!("{name}: {}", ty.rust()),
                MemberType::Zero(bytes) => format!("{name}: [u8; {bytes}]"),
            }
        });
        let members = members.collect::<Vec<_>>().join(", ");
        let _ =
            writeln!(out, "    #[repr(C)]\n    struct {} {{ {members} }}", identifier(&kind.name));
    }
    for (at, node) in structure.nodes.iter().enumerate().rev() {
        let members = filled(structure, node).map(|(member, ty, content)| match (content, ty) {
            (Content::Node(to), _) => format!("{member}: &raw mut {}", node_name(name, *to)),
            (Content::Number(value), MemberType::Number(ty)) => {
                format!("{member}: {}", ty.rust_literal(value))
            }
            (_, MemberType::Link(_)) => format!("{member}: std::ptr::null_mut()"),
            (_, MemberType::Number(Scalar::F32 | Scalar::F64)) => format!("{member}: 0.0"),
            (_, MemberType::Number(_)) => format!("{member}: 0"),
            (_, MemberType::Zero(bytes)) => format!("{member}: [0; {bytes}]"),
        });
        let members = members.collect::<Vec<_>>().join(", ");
        let kind = kind_name(structure.kinds.get(node.kind));
        let _ = writeln!(out, "    let mut {} = {kind} {{ {members} }};", node_name(name, at));
    }
    out
}
