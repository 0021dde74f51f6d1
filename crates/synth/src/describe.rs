//! A model in the user's terms.

use crate::generator::SequenceGenerator;
use crate::model::{Model, PointModel};
use crate::template::{Sums, Token, operation};
use crate::trace::Cause;
use pessimum_term::Op;

impl Model {
    /// One line for each kind of constraint, `place: constraint, where its numbers run`. `place`
    /// says in the user's terms where a constraint comes from.
    pub fn describe(&self, place: impl Fn(Cause) -> String) -> Vec<String> {
        let versioned = matches!(self.sums, Sums::Versions(_));
        let line = |point: &PointModel| {
            let mut writer = Writer {
                tokens: point.template.0.iter(),
                leaves: point.leaves.iter(),
                running: Vec::new(),
                versioned,
            };
            let constraint = writer.term(0);
            let mut line = format!("{}: {constraint}", place(point.cause));
            for (name, generator) in writer.running {
                line.push_str(&format!(", {name} = {generator}"));
            }
            line
        };
        self.points.iter().map(line).collect()
    }
}

struct Writer<'m> {
    tokens: std::slice::Iter<'m, crate::template::Token>,
    leaves: std::slice::Iter<'m, SequenceGenerator>,
    /// Leaves that have a name, with their generators.
    running: Vec<(String, &'m SequenceGenerator)>,
    versioned: bool,
}

impl<'m> Writer<'m> {
    fn leaf(&mut self) -> String {
        let Some(generator) = self.leaves.next() else { return "?".to_owned() };
        if let Some(value) = lone(generator) {
            return value;
        }
        if let Some((name, _)) = self.running.iter().find(|r| r.1 == generator) {
            return name.clone();
        }
        const LETTERS: [&str; 6] = ["i", "j", "k", "l", "p", "q"];
        let count = self.running.len();
        let name = match LETTERS.get(count) {
            Some(letter) => (*letter).to_owned(),
            None => format!("i{count}"),
        };
        self.running.push((name.clone(), generator));
        name
    }

    fn cell(&mut self) -> String {
        let name = self.leaf();
        if !self.versioned {
            return format!("s[{name}]");
        }
        let version = self.leaf();
        format!("s[{name}][{version}]")
    }

    /// The next term; `above` is how tightly what is around it binds.
    fn term(&mut self, above: u8) -> String {
        let Some(token) = self.tokens.next() else { return "?".to_owned() };
        match *token {
            Token::Constant { .. } => self.leaf(),
            Token::Input { .. } => format!("x[{}]", self.leaf()),
            Token::Cell { .. } => self.cell(),
            Token::Define { .. } => {
                let cell = self.cell();
                format!("{cell} := {}", self.term(0))
            }
            Token::Apply { op, bits, low } => {
                let Some(op) = operation(op) else { return "?".to_owned() };
                self.apply(op, bits, low, above)
            }
        }
    }

    fn apply(&mut self, op: Op, bits: u8, low: u8, above: u8) -> String {
        if op == Op::Not {
            let rest = self.tokens.as_slice().first();
            if let Some(Token::Apply { op, .. }) = rest
                && operation(*op) == Some(Op::Eq)
            {
                self.tokens.next();
                return self.infix("!=", 1, above);
            }
            return format!("not ({})", self.term(0));
        }
        let infix = match op {
            Op::Eq => Some(("==", 1)),
            Op::Slt => Some(("<", 1)),
            Op::Sle => Some(("<=", 1)),
            Op::Ult => Some(("<u", 1)),
            Op::Ule => Some(("<=u", 1)),
            Op::Or if bits == 1 => Some(("or", 0)),
            Op::And if bits == 1 => Some(("and", 0)),
            Op::Add => Some(("+", 2)),
            Op::Sub => Some(("-", 2)),
            Op::Mul => Some(("*", 3)),
            _ => None,
        };
        if let Some((symbol, binds)) = infix {
            return self.infix(symbol, binds, above);
        }
        match op {
            // Widening changes nothing that a person wants to see.
            Op::ZeroExt | Op::SignExt => self.term(above),
            Op::Extract => {
                let inner = self.term(4);
                format!("{inner}[{low}..{}]", low + bits)
            }
            _ => {
                let args: Vec<String> = (0..op.arity()).map(|_| self.term(0)).collect();
                format!("{}({})", format!("{op:?}").to_lowercase(), args.join(", "))
            }
        }
    }

    fn infix(&mut self, symbol: &str, binds: u8, above: u8) -> String {
        let (left, right) = (self.term(binds), self.term(binds));
        if above > binds {
            format!("({left} {symbol} {right})")
        } else {
            format!("{left} {symbol} {right}")
        }
    }
}

/// The number of a generator that is a single one, or the same all the time.
fn lone(generator: &SequenceGenerator) -> Option<String> {
    match generator {
        SequenceGenerator::Number(param) => Some(param.to_string()),
        SequenceGenerator::Const { value, .. } => lone(value),
        SequenceGenerator::Incre { .. } => None,
    }
}
