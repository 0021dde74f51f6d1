//! A call with everything that is passed to it: what a reproducer is written from.

/// A function and what it is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// What it returns, if anything.
    pub result: Option<Scalar>,
    /// The types of its parameters where it is a function of Rust that takes no pointers: `&str`, `&mut [i32]`. One may be
    /// made of two arguments, a pointer and a length.
    pub rust: Option<Vec<String>>,
}

impl Call {
    /// The names around the function and its own, as a language of names with `::` takes them; `None` where it has one
    /// name alone.
    pub(super) fn path(&self) -> Option<Vec<String>> {
        let path: Vec<String> = self.function.split("::").map(identifier).collect();
        (path.len() > 1).then_some(path)
    }
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The parameter's name, or one made up.
    pub name: String,
    /// Its type as the source in C has it, where debug information tells: `int`, `const char *`.
    pub c_type: Option<String>,
    /// What is passed.
    pub passed: Passed,
}

/// What is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// An integer that follows from the size.
    Size(i128),
    /// A number that was found.
    Number(Scalar, String),
    /// A pointer to numbers.
    Array(Scalar, Vec<String>),
    /// A pointer to a structure.
    Structure(Structure),
}

/// A structure without sharing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// The types of its nodes.
    pub kinds: Vec<Kind>,
    /// The type of its root.
    pub root: usize,
    /// The nodes, the root first, every node before those that its links lead to; none for null.
    pub nodes: Vec<Node>,
}

/// The type of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Its members, in the order in which they lie in memory.
    pub members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: MemberType,
}

/// The type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberType {
    /// A pointer to a node of a kind.
    Link(usize),
    /// A number.
    Number(Scalar),
    /// Bytes that are all zero: whatever it is, it plays no part.
    Zero(u32),
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its type.
    pub kind: usize,
    /// What is in each of its members.
    pub members: Vec<Content>,
}

/// What is in a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing but zeros.
    Zero,
    /// A pointer to a node.
    Node(usize),
    /// A number.
    Number(String),
}

/// The type of a number. Numbers themselves are texts: decimal, `NaN`, `inf` or `-inf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    const ALL: [(Scalar, &'static str, &'static str); 10] = [
        (Scalar::I8, "i8", "int8_t"),
        (Scalar::U8, "u8", "uint8_t"),
        (Scalar::I16, "i16", "int16_t"),
        (Scalar::U16, "u16", "uint16_t"),
        (Scalar::I32, "i32", "int32_t"),
        (Scalar::U32, "u32", "uint32_t"),
        (Scalar::I64, "i64", "int64_t"),
        (Scalar::U64, "u64", "uint64_t"),
        (Scalar::F32, "f32", "float"),
        (Scalar::F64, "f64", "double"),
    ];

    /// The type that Rust calls so.
    pub fn named(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|ty| ty.1 == name).map(|ty| ty.0)
    }

    /// An integer type by its bytes.
    pub fn integer(bytes: u32, signed: bool) -> Option<Scalar> {
        Scalar::named(&format!("{}{}", if signed { 'i' } else { 'u' }, u64::from(bytes) * 8))
    }

    pub(super) fn rust(self) -> &'static str {
        Scalar::ALL.into_iter().find(|ty| ty.0 == self).map_or("", |ty| ty.1)
    }

    pub(super) fn c(self) -> &'static str {
        Scalar::ALL.into_iter().find(|ty| ty.0 == self).map_or("", |ty| ty.2)
    }

    fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// A number as C reads it without a warning: beyond 2^63 it needs a suffix, and the least `int64_t`
    /// has no literal of its own.
    pub(super) fn c_literal(self, value: &str) -> String {
        match value {
            "NaN" => "NAN".to_owned(),
            "inf" => "INFINITY".to_owned(),
            "-inf" => "-INFINITY".to_owned(),
            _ if self == Scalar::F32 => format!("{value}f"),
            _ if self.is_float() => value.to_owned(),
            _ => match value.parse::<i128>() {
                Ok(v) if v > i128::from(i64::MAX) => format!("{value}ull"),
                Ok(v) if v == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
                _ => value.to_owned(),
            },
        }
    }

    /// A number as Rust reads it.
    pub(super) fn rust_literal(self, value: &str) -> String {
        match value {
            "NaN" => format!("{}::NAN", self.rust()),
            "inf" => format!("{}::INFINITY", self.rust()),
            "-inf" => format!("{}::NEG_INFINITY", self.rust()),
            _ => value.to_owned(),
        }
    }
}

/// A name that both languages take: letters, digits and `_`, and no word of theirs.
pub(super) fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = name.chars().map(plain).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Words of C, of Rust, and those that reproducers use themselves.
const KEYWORDS: [&str; 71] = [
    "_", "abstract", "as", "async", "auto", "await", "become", "bool", "box", "break", "case",
    "char", "const", "continue", "crate", "default", "do", "double", "dyn", "else", "enum",
    "extern", "false", "final", "float", "fn", "for", "gen", "goto", "if", "impl", "in", "inline",
    "int", "let", "long", "loop", "macro", "main", "match", "mod", "move", "mut", "override",
    "priv", "pub", "ref", "register", "restrict", "return", "self", "Self", "short", "signed",
    "sizeof", "static", "struct", "super", "switch", "trait", "true", "try", "type", "typedef",
    "union", "unsafe", "unsigned", "use", "void", "volatile", "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_reads_the_greatest_and_the_least_numbers() {
        assert_eq!(Scalar::U64.c_literal("18446744073709551615"), "18446744073709551615ull");
        assert_eq!(Scalar::I64.c_literal("-9223372036854775808"), "INT64_MIN");
        assert_eq!(Scalar::I32.c_literal("-1"), "-1");
        assert_eq!(Scalar::F32.c_literal("0.5"), "0.5f");
        assert_eq!(Scalar::F64.rust_literal("-inf"), "f64::NEG_INFINITY");
    }

    #[test]
    fn a_name_is_one_in_both_languages() {
        let names = ["key", "type", "a.b", "4th", "", "Node<i32>"].map(identifier);
        assert_eq!(names, ["key", "type_", "a_b", "_4th", "__", "Node_i32_"].map(str::to_owned));
    }
}
