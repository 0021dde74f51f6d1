//! The export, and the line of the section `pessimum.targets` that says how to call it.

use crate::attribute::Options;
use crate::function::Function;
use crate::parameter::{Borrow, Kind, Passed};
use proc_macro::{Group, TokenStream, TokenTree};
use std::fmt::Write;

/// Stands for the tokens of a type until the code around it is parsed: so a mistake is shown at the type.
const TYPE: &str = "__pessimum_type_";

/// Everything that the attribute adds, and the function.
pub(crate) fn emit(
    options: &Options,
    function: &Function,
    params: &[Passed],
    item: TokenStream,
) -> TokenStream {
    let krate = options.krate.as_ref().map_or("::pessimum".to_owned(), TokenStream::to_string);
    let line = line(options, function, params);
    let (mut takes, mut makes, mut gives) = (String::new(), String::new(), String::new());
    let mut types: Vec<&[TokenTree]> = Vec::new();
    for (i, (param, declared)) in params.iter().zip(&function.params).enumerate() {
        // What debug information calls it, and so every answer.
        let name = match declared.name.as_str() {
            name if name == "_" || name == function.name => format!("__pessimum_{i}"),
            name => name.to_owned(),
        };
        let mut made = |tokens| {
            types.push(tokens);
            format!("{TYPE}{}", types.len() - 1)
        };
        // Writing to a string cannot fail.
        let _ = match &param.kind {
            Kind::Scalar(ty) => write!(takes, "{name}: {ty},"),
            Kind::Slice(ty) | Kind::OwnedSlice(ty) => {
                write!(takes, "{name}: *mut {ty}, __pessimum_n{i}: usize,")
            }
            Kind::Text | Kind::OwnedText | Kind::Ascii | Kind::OwnedAscii => {
                write!(takes, "{name}: *mut u8, __pessimum_n{i}: usize,")
            }
            Kind::Made(_) | Kind::MadeSlice(_) => Ok(()),
        };
        let value = match &param.kind {
            Kind::Scalar(_) => name,
            Kind::Slice(_) if param.borrow == Borrow::Shared => {
                format!("unsafe {{ given::slice({name}, __pessimum_n{i}) }}")
            }
            Kind::Slice(_) => format!("unsafe {{ given::slice_mut({name}, __pessimum_n{i}) }}"),
            Kind::Text => format!("unsafe {{ given::text({name}, __pessimum_n{i}) }}"),
            Kind::OwnedSlice(_) => format!("unsafe {{ given::vec({name}, __pessimum_n{i}) }}"),
            Kind::OwnedText => format!("unsafe {{ given::string({name}, __pessimum_n{i}) }}"),
            Kind::Ascii => format!("unsafe {{ given::ascii({name}, __pessimum_n{i}) }}"),
            Kind::OwnedAscii => {
                format!("unsafe {{ given::ascii_string({name}, __pessimum_n{i}) }}")
            }
            Kind::Made(ty) => format!("given::made::<{}>()", made(ty)),
            Kind::MadeSlice(ty) => format!("given::made_vec::<{}>()", made(ty)),
        };
        let is_reference = matches!(param.kind, Kind::Slice(_) | Kind::Text | Kind::Ascii);
        let (keyword, sign) = match param.borrow {
            Borrow::Shared if !is_reference => ("", "&"),
            Borrow::Mutable if !is_reference => ("mut", "&mut "),
            _ => ("", ""),
        };
        let _ = write!(makes, "let {keyword} __pessimum_v{i} = given::unknown({value});");
        let _ = write!(gives, "{sign}__pessimum_v{i},");
    }
    let name = &function.name;
    let code = format!(
        "#[cfg(target_family = \"wasm\")]
        #[allow(unsafe_code)]
        const _: () = {{
            use {krate}::given;
            #[used]
            #[unsafe(link_section = \"pessimum.targets\")]
            static LINE: [u8; {length}] = *b{line:?};
            #[unsafe(export_name = {name:?})]
            extern \"C\" fn call({takes}) {{
                {makes}
                given::measured(|| r#{name}({gives}));
            }}
        }};
        #[allow(dead_code)]",
        length = line.len(),
    );
    let code: TokenStream = code.parse().unwrap_or_default();
    with_types(code, &types).into_iter().chain(item).collect()
}

/// The call and the bound, as a line of JSON in ASCII.
fn line(options: &Options, function: &Function, params: &[Passed]) -> String {
    let words: Vec<&str> =
        params.iter().flat_map(|param| &param.words).map(String::as_str).collect();
    let call = format!("{}({})", function.name, words.join(", "));
    let mut line = format!("{{\"name\":{},\"call\":{}", json(&function.name), json(&call));
    if let Some(class) = &options.at_most {
        let _ = write!(line, ",\"at_most\":{}", json(class));
    }
    if let Some(types) = params.iter().map(Passed::rust).collect::<Option<Vec<String>>>() {
        let types: Vec<String> = types.iter().map(|ty| json(ty)).collect();
        let _ = write!(line, ",\"rust\":[{}]", types.join(","));
    }
    line.push_str("}\n");
    line
}

fn json(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(quoted, "\\{c}"),
            ' '..='~' => write!(quoted, "{c}"),
            _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|u| write!(quoted, "\\u{u:04x}")),
        };
    }
    quoted + "\""
}

/// Puts the types where their names stand.
fn with_types(code: TokenStream, types: &[&[TokenTree]]) -> TokenStream {
    let mut out = Vec::new();
    for token in code {
        match token {
            TokenTree::Ident(ident) => {
                let text = ident.to_string();
                let number =
                    text.strip_prefix(TYPE).and_then(|number| number.parse::<usize>().ok());
                match number.and_then(|number| types.get(number)) {
                    Some(ty) => out.extend(ty.iter().cloned()),
                    None => out.push(ident.into()),
                }
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_types(group.stream(), types));
                inner.set_span(group.span());
                out.push(inner.into());
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}
