//! Integer expressions of `n` and of the names that `--let` gives.

use std::fmt;

use crate::error::{Complaint, Span, SpecError};
use crate::scan::Scanner;
use crate::{Sizes, Type};

/// Parentheses, calls and signs inside each other beyond this are refused rather than recursed into.
const MAX_NESTING: usize = 64;
/// Longer descriptions are refused, which bounds the depth of every expression.
pub(crate) const MAX_TEXT: usize = 4096;

/// An integer expression: `+ - * / % ^`, parentheses, `min(a, b)`, `max(a, b)`, `pow(a, b)`,
/// `log2(a)` and `sqrt(a)` (both rounded down), over whole numbers, characters (`'a'` is 97), `n` and
/// `--let` names.
///
/// Division rounds towards zero, as in C. `^` is the power and binds tightest. Arithmetic is
/// checked: an overflow or a division by zero is an error that names its place, never a wrapped
/// number.
///
/// ```
/// use pessimum_entry::{Expr, Sizes};
///
/// let expr = Expr::parse("n*(n-1)/2 + log2(n)")?;
/// assert_eq!(expr.eval(&Sizes::of(10))?, 48);
/// # Ok::<(), pessimum_entry::SpecError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    text: String,
    root: Node,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    span: Span,
    kind: NodeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum NodeKind {
    Number(i128),
    Name(String),
    Negate(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Floor(Root, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Min,
    Max,
}

/// A function of one argument whose value is rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Log2,
    Sqrt,
}

impl Expr {
    /// A number.
    pub(crate) fn number(value: u32) -> Self {
        let text = value.to_string();
        let root = Node { span: 0..text.len(), kind: NodeKind::Number(i128::from(value)) };
        Self { text, root }
    }

    /// Reads an expression that is the whole of `text`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        check_length(text)?;
        let mut scanner = Scanner::new(text, 0);
        let parsed = Self::scan(&mut scanner, text).and_then(|expr| {
            if scanner.at_end() {
                Ok(expr)
            } else {
                Err(Complaint::new(
                    scanner.next_span(),
                    format!("unexpected {} after the expression", scanner.next_shown()),
                    "write one expression, such as n*n/2",
                ))
            }
        });
        parsed.map_err(|complaint| complaint.about(text))
    }

    /// Reads the expression that begins at the scanner's place in `text`.
    pub(crate) fn scan(scanner: &mut Scanner<'_>, text: &str) -> Result<Self, Complaint> {
        let root = sum(scanner, MAX_NESTING)?;
        Ok(Self { text: text.to_owned(), root })
    }

    /// The value at these sizes.
    pub fn eval(&self, sizes: &Sizes) -> Result<i128, SpecError> {
        self.root.eval(sizes).map_err(|complaint| complaint.about(&self.text))
    }

    /// Whether the value may depend on this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.root.mentions(name)
    }

    /// The bytes of the description that the expression was read from.
    pub fn span(&self) -> Span {
        self.root.span.clone()
    }

    /// An error about this expression as a whole.
    pub fn complain(&self, what: String, mend: &str) -> SpecError {
        Complaint::new(self.span(), what, mend).about(&self.text)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text[self.span()])
    }
}

/// Whether a name already means something in the language, so that `--let` may not define it.
pub(crate) fn is_reserved(name: &str) -> bool {
    name == "n"
        || name == "in"
        || name == "where"
        || function_arity(name).is_some()
        || name.parse::<Type>().is_ok()
}

pub(crate) fn check_length(text: &str) -> Result<(), SpecError> {
    if text.len() <= MAX_TEXT {
        return Ok(());
    }
    let what = format!("the description is longer than {MAX_TEXT} bytes");
    // The text is not repeated: nobody wants it in a message.
    Err(Complaint::new(0..0, what, "name long parts with --let").about(""))
}

fn function_arity(name: &str) -> Option<usize> {
    match name {
        "min" | "max" | "pow" => Some(2),
        "log2" | "sqrt" => Some(1),
        _ => None,
    }
}

fn binary(op: Op, left: Node, right: Node) -> Node {
    let span = left.span.start..right.span.end;
    Node { span, kind: NodeKind::Binary(op, Box::new(left), Box::new(right)) }
}

fn sum(scanner: &mut Scanner<'_>, nesting: usize) -> Result<Node, Complaint> {
    let mut left = product(scanner, nesting)?;
    loop {
        let op = if scanner.take("+") {
            Op::Add
        } else if scanner.take("-") {
            Op::Sub
        } else {
            return Ok(left);
        };
        left = binary(op, left, product(scanner, nesting)?);
    }
}

fn product(scanner: &mut Scanner<'_>, nesting: usize) -> Result<Node, Complaint> {
    let mut left = signed(scanner, nesting)?;
    loop {
        let op = if scanner.take("*") {
            Op::Mul
        } else if scanner.take("/") {
            Op::Div
        } else if scanner.take("%") {
            Op::Rem
        } else {
            return Ok(left);
        };
        left = binary(op, left, signed(scanner, nesting)?);
    }
}

fn signed(scanner: &mut Scanner<'_>, nesting: usize) -> Result<Node, Complaint> {
    let start = scanner.here();
    if scanner.take("-") {
        let nesting = deeper(scanner, nesting)?;
        let inner = signed(scanner, nesting)?;
        return Ok(Node { span: start..inner.span.end, kind: NodeKind::Negate(Box::new(inner)) });
    }
    power(scanner, nesting)
}

fn power(scanner: &mut Scanner<'_>, nesting: usize) -> Result<Node, Complaint> {
    let base = atom(scanner, nesting)?;
    if scanner.take("^") {
        // Right associative: 2^n^2 is 2^(n^2).
        let nesting = deeper(scanner, nesting)?;
        let exponent = signed(scanner, nesting)?;
        return Ok(binary(Op::Pow, base, exponent));
    }
    Ok(base)
}

fn atom(scanner: &mut Scanner<'_>, nesting: usize) -> Result<Node, Complaint> {
    let start = scanner.here();
    if let Some(number) = scanner.take_number() {
        let number = number?;
        return Ok(Node { span: start..scanner.end_of_token(), kind: NodeKind::Number(number) });
    }
    if scanner.take("'") {
        let number = i128::from(scanner.take_character()?);
        return Ok(Node { span: start..scanner.end_of_token(), kind: NodeKind::Number(number) });
    }
    if scanner.take("(") {
        let nesting = deeper(scanner, nesting)?;
        let mut inner = sum(scanner, nesting)?;
        close(scanner)?;
        inner.span = start..scanner.end_of_token();
        return Ok(inner);
    }
    let span = scanner.next_span();
    let Some(word) = scanner.take_word() else {
        return Err(Complaint::new(
            span,
            format!("expected a number, `n` or a name, found {}", scanner.next_shown()),
            "write an integer expression, such as n, 2*n or n/2",
        ));
    };
    let Some(arity) = function_arity(word) else {
        if scanner.peek("(") {
            return Err(Complaint::new(
                span,
                format!("no function `{word}`"),
                "the functions are min, max, pow, log2 and sqrt",
            ));
        }
        return Ok(Node { span, kind: NodeKind::Name(word.to_owned()) });
    };
    if !scanner.take("(") {
        return Err(Complaint::new(
            span,
            format!("`{word}` is a function"),
            format!(
                "write {}",
                if arity == 2 { format!("{word}(a, b)") } else { format!("{word}(a)") }
            ),
        ));
    }
    let nesting = deeper(scanner, nesting)?;
    let first = Box::new(sum(scanner, nesting)?);
    let kind = if arity == 2 {
        if !scanner.take(",") {
            return Err(Complaint::new(
                scanner.next_span(),
                format!("`{word}` wants two arguments"),
                format!("write {word}(a, b)"),
            ));
        }
        let second = Box::new(sum(scanner, nesting)?);
        let op = match word {
            "min" => Op::Min,
            "max" => Op::Max,
            _ => Op::Pow,
        };
        NodeKind::Binary(op, first, second)
    } else {
        NodeKind::Floor(if word == "log2" { Root::Log2 } else { Root::Sqrt }, first)
    };
    close(scanner)?;
    Ok(Node { span: start..scanner.end_of_token(), kind })
}

fn close(scanner: &mut Scanner<'_>) -> Result<(), Complaint> {
    if scanner.take(")") {
        return Ok(());
    }
    let what = format!("expected `)`, found {}", scanner.next_shown());
    Err(Complaint::new(scanner.next_span(), what, "close the parenthesis"))
}

fn deeper(scanner: &mut Scanner<'_>, nesting: usize) -> Result<usize, Complaint> {
    nesting.checked_sub(1).ok_or_else(|| {
        let what = format!("the expression is nested deeper than {MAX_NESTING} levels");
        Complaint::new(scanner.next_span(), what, "name its parts with --let")
    })
}

impl Node {
    fn eval(&self, sizes: &Sizes) -> Result<i128, Complaint> {
        match &self.kind {
            NodeKind::Number(value) => Ok(*value),
            NodeKind::Name(name) => sizes.get(name).ok_or_else(|| {
                Complaint::new(
                    self.span.clone(),
                    format!("nothing is called `{name}`"),
                    format!("use n, or define it: --let {name}=n/2"),
                )
            }),
            NodeKind::Negate(inner) => self.checked(inner.eval(sizes)?.checked_neg()),
            NodeKind::Floor(root, inner) => {
                let value = inner.eval(sizes)?;
                match root {
                    Root::Log2 if value > 0 => Ok(i128::from(value.ilog2())),
                    Root::Log2 => Err(Complaint::new(
                        self.span.clone(),
                        format!("log2 of {value}"),
                        "keep its argument positive, as in log2(max(n, 1))",
                    )),
                    Root::Sqrt => value.checked_isqrt().ok_or_else(|| {
                        Complaint::new(
                            self.span.clone(),
                            format!("sqrt of {value}"),
                            "keep its argument from being negative, as in sqrt(max(n, 0))",
                        )
                    }),
                }
            }
            NodeKind::Binary(op, left, right) => {
                let (a, b) = (left.eval(sizes)?, right.eval(sizes)?);
                match op {
                    Op::Add => self.checked(a.checked_add(b)),
                    Op::Sub => self.checked(a.checked_sub(b)),
                    Op::Mul => self.checked(a.checked_mul(b)),
                    Op::Div | Op::Rem if b == 0 => Err(Complaint::new(
                        right.span.clone(),
                        "division by zero",
                        "keep the divisor from being 0, as in max(n, 1)",
                    )),
                    Op::Div => self.checked(a.checked_div(b)),
                    Op::Rem => self.checked(a.checked_rem(b)),
                    Op::Min => Ok(a.min(b)),
                    Op::Max => Ok(a.max(b)),
                    Op::Pow => {
                        if b < 0 {
                            return Err(Complaint::new(
                                right.span.clone(),
                                format!("the exponent {b} is negative"),
                                "use exponents from 0",
                            ));
                        }
                        self.checked(power_of(a, b))
                    }
                }
            }
        }
    }

    fn checked(&self, value: Option<i128>) -> Result<i128, Complaint> {
        value.ok_or_else(|| {
            Complaint::new(self.span.clone(), "the value is too large", "use smaller numbers")
        })
    }

    fn mentions(&self, name: &str) -> bool {
        match &self.kind {
            NodeKind::Number(_) => false,
            NodeKind::Name(own) => own == name,
            NodeKind::Negate(inner) | NodeKind::Floor(_, inner) => inner.mentions(name),
            NodeKind::Binary(_, left, right) => left.mentions(name) || right.mentions(name),
        }
    }
}

/// `base` to a non-negative `exponent` of any size: 0, 1 and −1 have every power.
fn power_of(base: i128, exponent: i128) -> Option<i128> {
    match base {
        0 => Some(i128::from(exponent == 0)),
        1 => Some(1),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Let;

    fn at(text: &str, n: u64) -> Result<i128, SpecError> {
        Expr::parse(text)?.eval(&Sizes::of(n))
    }

    #[test]
    fn binds_as_arithmetic_does() {
        assert_eq!(at("1 + 2*n - 3", 5), Ok(8));
        assert_eq!(at("n - 1 - 1", 5), Ok(3));
        assert_eq!(at("7 / 2 * 2 % 4", 0), Ok(2));
        assert_eq!(at("-7 / 2", 0), Ok(-3));
        assert_eq!(at("-2^2", 0), Ok(-4));
        assert_eq!(at("2^3^2", 0), Ok(512));
        assert_eq!(at("min(n, 3) + max(n, 3)", 10), Ok(13));
        assert_eq!(at("log2(n) * sqrt(n)", 17), Ok(16));
        assert_eq!(at("pow(2, n)", 10), Ok(1024));
        assert_eq!(at("0xff + 1_000", 0), Ok(1255));
        assert_eq!(at("(-1)^n", 7), Ok(-1));
    }

    #[test]
    fn each_error_names_its_place() {
        for (text, place) in [
            ("n +", ""),
            ("n / (n - n)", "(n - n)"),
            ("n * q", "q"),
            ("f(n)", "f"),
            ("min(n)", ")"),
            ("log2(n - n)", "log2(n - n)"),
            ("9^9^9", "9^9^9"),
            ("n n", "n"),
            ("12ab", "12ab"),
            ("2^(0-1)", "(0-1)"),
            ("(n", ""),
        ] {
            let error = at(text, 4).expect_err(text);
            assert_eq!(&text[error.span.clone()], place, "{error}");
        }
        let deep = "(".repeat(2000) + "n" + &")".repeat(2000);
        assert!(at(&deep, 1).expect_err("deep").what.contains("nested"));
        assert!(at(&"n+".repeat(3000), 1).expect_err("long").what.contains("longer"));
        let chain = "n+".repeat(2000) + "n";
        assert_eq!(at(&chain, 1), Ok(2001));
    }

    #[test]
    fn lets_are_names() {
        let sizes = Sizes::at(10, &[Let::parse("m=n/2").unwrap(), Let::parse("k = m*m").unwrap()]);
        assert_eq!(Expr::parse("m + k").unwrap().eval(&sizes.unwrap()), Ok(30));
        assert!(Expr::parse("m + k").unwrap().mentions("k"));
    }

    /// A tree and the text it is written as, so that the parser has something to be compared with.
    fn tree() -> impl Strategy<Value = (String, i128)> {
        let leaf = (0i128..100).prop_map(|value| (value.to_string(), value));
        leaf.prop_recursive(5, 40, 2, |inner| {
            (inner.clone(), inner, 0..3usize).prop_map(|((a, x), (b, y), op)| match op {
                0 => (format!("({a} + {b})"), x + y),
                1 => (format!("({a} - {b})"), x - y),
                _ => (format!("({a}*{b})"), x.saturating_mul(y)),
            })
        })
    }

    proptest! {
        #[test]
        fn evaluates_what_was_written((text, value) in tree()) {
            if value.abs() < 1 << 100 {
                prop_assert_eq!(at(&text, 0), Ok(value));
            }
        }

        #[test]
        fn never_panics(text in "[n0-9+*/%^(), minlog-]{0,40}", n: u64) {
            let _ = at(&text, n);
        }
    }
}
