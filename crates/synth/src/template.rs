//! Constraints without their numbers: leaf vectors and what they are the leaves of.
//!
//! A constraint's term is cut into a [`Template`] (operations and widths) and the integers at its
//! leaves: numbers of inputs, constants, and numbers of *cells*. A cell is the dynamic single
//! assignment form of the paper (section IV-D): a sum that the program computed gets a name and a
//! definition of its own, so a constraint on a distance that was added up over a whole loop has as
//! many leaves as one on an input.
//!
//! Terms do not tell in which variable of the program a sum was kept. A sum is therefore named after
//! the input that was added last, which is as unique as the assignment: `dist[u] + w[u][v]` is the
//! cell of `w[u][v]`. An input that stands alone where others have a sum is its own cell.

use pessimum_term::{Arena, Node, Op, TermId, Width};
use rustc_hash::FxHashMap;

/// An operation of a template, in prefix order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Token {
    /// An operation on the templates that follow.
    Apply { op: u8, bits: u8, low: u8 },
    /// An input; one leaf, its number.
    Input { bits: u8 },
    /// A constant; one leaf, its value as a signed number.
    Constant { bits: u8 },
    /// A cell; one leaf, its name, or two when cells have versions.
    Cell { bits: u8 },
    /// The cell whose leaves come first is defined as the template that follows.
    Define { bits: u8 },
}

/// A constraint without its numbers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Template(pub(crate) Vec<Token>);

/// A template and the integers that make it a constraint again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cut {
    pub(crate) template: Template,
    pub(crate) leaves: Vec<i64>,
}

/// How sums are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sums {
    /// As they are: every leaf vector is as long as its sum.
    Whole,
    /// As cells named by an input; refused where a name would stand for two things.
    Cells(Naming),
    /// As cells named by an input and a version.
    Versions(Naming),
}

/// Which of two inputs names their sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Naming {
    /// The one that was made later.
    Later,
    /// The one that was made earlier.
    Earlier,
}

/// Terms of more operations than this are no constraint to model.
const LARGEST: usize = 64;

/// Cuts the constraints of one path.
pub(crate) struct Cutter<'a> {
    arena: &'a Arena,
    sums: Sums,
    /// Name and version of each sum met.
    cells: FxHashMap<TermId, (i64, i64)>,
    /// How many sums have a name.
    versions: FxHashMap<i64, i64>,
    /// Inputs that stand where others have a cell.
    plain: FxHashMap<i64, ()>,
    definitions: Vec<Cut>,
}

/// A constraint that cannot be cut this way: too large, or two sums want one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Uncut;

impl<'a> Cutter<'a> {
    pub(crate) fn new(arena: &'a Arena, sums: Sums) -> Self {
        Cutter {
            arena,
            sums,
            cells: FxHashMap::default(),
            versions: FxHashMap::default(),
            plain: FxHashMap::default(),
            definitions: Vec::new(),
        }
    }

    /// The constraint, after the definitions of the cells that it is the first to mention.
    pub(crate) fn cut(&mut self, condition: TermId) -> Result<(Vec<Cut>, Cut), Uncut> {
        let mut cut = Cut::default();
        self.term(condition, &mut cut)?;
        Ok((std::mem::take(&mut self.definitions), cut))
    }

    /// Whether no name stood for two things on the path.
    pub(crate) fn names_are_unique(&self) -> bool {
        let versioned = matches!(self.sums, Sums::Versions(_));
        versioned || self.versions.iter().all(|(name, n)| *n == 1 && !self.plain.contains_key(name))
    }

    fn term(&mut self, t: TermId, out: &mut Cut) -> Result<(), Uncut> {
        if out.template.0.len() >= LARGEST {
            return Err(Uncut);
        }
        let node = *self.arena.node(t);
        let bits = node.width.bits() as u8;
        if let Some(value) = node.as_const() {
            out.template.0.push(Token::Constant { bits });
            out.leaves.push(node.width.signed(value));
            return Ok(());
        }
        if let Some(v) = node.as_var() {
            let number = i64::from(v.0);
            match self.sums {
                Sums::Whole => {
                    out.template.0.push(Token::Input { bits });
                    out.leaves.push(number);
                }
                Sums::Cells(_) => {
                    self.plain.insert(number, ());
                    out.template.0.push(Token::Cell { bits });
                    out.leaves.push(number);
                }
                Sums::Versions(_) => {
                    out.template.0.push(Token::Cell { bits });
                    out.leaves.extend([number, 0]);
                }
            }
            return Ok(());
        }
        if self.is_sum(&node) {
            let (name, version) = self.cell(t, &node)?;
            out.template.0.push(Token::Cell { bits });
            out.leaves.push(name);
            if matches!(self.sums, Sums::Versions(_)) {
                out.leaves.push(version);
            }
            return Ok(());
        }
        let low = if node.op == Op::Extract { node.low_bit() as u8 } else { 0 };
        out.template.0.push(Token::Apply { op: node.op as u8, bits, low });
        for arg in node.args() {
            self.term(arg, out)?;
        }
        Ok(())
    }

    /// Whether the term is a sum of things that are no constants.
    fn is_sum(&self, node: &Node) -> bool {
        self.sums != Sums::Whole
            && matches!(node.op, Op::Add | Op::Sub)
            && node.args().all(|arg| self.arena.as_const(arg).is_none())
    }

    /// The name of a sum; its definition is noted when it is new.
    fn cell(&mut self, t: TermId, node: &Node) -> Result<(i64, i64), Uncut> {
        if let Some(&known) = self.cells.get(&t) {
            return Ok(known);
        }
        let naming = match self.sums {
            Sums::Whole => return Err(Uncut),
            Sums::Cells(naming) | Sums::Versions(naming) => naming,
        };
        let (a, b) = (node.arg(0), node.arg(1));
        let (own_a, own_b) = (self.lone_input(a), self.lone_input(b));
        // The operand that names the sum comes last in its definition.
        let b_names = match (own_a, own_b) {
            (Some(x), Some(y)) => (y >= x) == (naming == Naming::Later),
            (Some(_), None) => false,
            _ => true,
        };
        let (other, naming_term) = if b_names { (a, b) } else { (b, a) };
        let mut other_cut = Cut::default();
        self.term(other, &mut other_cut)?;
        let mut naming_cut = Cut::default();
        let name = match if b_names { own_b } else { own_a } {
            Some(input) => {
                self.extended_input(naming_term, &mut naming_cut);
                input
            }
            None => {
                self.term(naming_term, &mut naming_cut)?;
                *naming_cut.leaves.first().ok_or(Uncut)?
            }
        };
        let version = self.versions.entry(name).or_insert(0);
        *version += 1;
        let version = *version;
        let bits = node.width.bits() as u8;
        let mut definition = Cut::default();
        definition.template.0.push(Token::Define { bits });
        definition.leaves.push(name);
        if matches!(self.sums, Sums::Versions(_)) {
            definition.leaves.push(version);
        }
        definition.template.0.push(Token::Apply { op: node.op as u8, bits, low: 0 });
        let (first, second) = if b_names || node.op == Op::Add {
            (other_cut, naming_cut)
        } else {
            (naming_cut, other_cut)
        };
        for part in [first, second] {
            definition.template.0.extend(part.template.0);
            definition.leaves.extend(part.leaves);
        }
        self.definitions.push(definition);
        self.cells.insert(t, (name, version));
        Ok((name, version))
    }

    /// The number of an input, extended or not.
    fn lone_input(&self, t: TermId) -> Option<i64> {
        let node = self.arena.node(t);
        match node.op {
            Op::Var => node.as_var().map(|v| i64::from(v.0)),
            Op::ZeroExt | Op::SignExt => self.lone_input(node.arg(0)),
            _ => None,
        }
    }

    /// The input itself, not the cell that may have its name.
    fn extended_input(&self, t: TermId, out: &mut Cut) {
        let node = self.arena.node(t);
        let bits = node.width.bits() as u8;
        match node.as_var() {
            Some(v) => {
                out.template.0.push(Token::Input { bits });
                out.leaves.push(i64::from(v.0));
            }
            None => {
                out.template.0.push(Token::Apply { op: node.op as u8, bits, low: 0 });
                self.extended_input(node.arg(0), out);
            }
        }
    }
}

/// The operation with this number.
pub(crate) fn operation(number: u8) -> Option<Op> {
    use Op::*;
    /// In the order of their declaration.
    const ALL: [Op; 31] = [
        Const, Var, Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Rotl,
        Rotr, Eq, Ult, Ule, Slt, Sle, Not, Clz, Ctz, Popcnt, ZeroExt, SignExt, Extract, Concat,
        Ite,
    ];
    ALL.get(usize::from(number)).copied().filter(|op| *op as u8 == number)
}

/// Builds the term of a template. `cell` and `input` make the terms of leaves; the leaves are taken
/// from `leaves` in order. A [`Token::Define`] at the head becomes an equation.
pub(crate) fn build(
    arena: &mut Arena,
    tokens: &mut std::slice::Iter<'_, Token>,
    leaves: &mut std::slice::Iter<'_, i64>,
    versioned: bool,
    leaf: &mut impl FnMut(&mut Arena, Leaf, Width) -> Option<TermId>,
) -> Option<TermId> {
    let mut cell = |arena: &mut Arena, leaves: &mut std::slice::Iter<'_, i64>, bits: u8| {
        let name = *leaves.next()?;
        let version = if versioned { *leaves.next()? } else { 0 };
        leaf(arena, Leaf::Cell { name, version }, Width::new(u32::from(bits)))
    };
    match *tokens.next()? {
        Token::Constant { bits } => {
            Some(arena.constant(Width::new(u32::from(bits)), *leaves.next()? as u64))
        }
        Token::Input { bits } => {
            let number = *leaves.next()?;
            leaf(arena, Leaf::Input(number), Width::new(u32::from(bits)))
        }
        Token::Cell { bits } => cell(arena, leaves, bits),
        Token::Define { bits } => {
            let defined = cell(arena, leaves, bits)?;
            let sum = build(arena, tokens, leaves, versioned, leaf)?;
            Some(arena.binary(Op::Eq, defined, sum))
        }
        Token::Apply { op, bits, low } => {
            let op = operation(op)?;
            let width = Width::new(u32::from(bits));
            let mut args = [None; 3];
            for arg in args.iter_mut().take(op.arity()) {
                *arg = Some(build(arena, tokens, leaves, versioned, leaf)?);
            }
            Some(match (op, args) {
                (Op::Extract, [Some(a), ..]) => arena.extract(a, u32::from(low), width),
                (Op::Concat, [Some(a), Some(b), _]) => arena.concat(a, b),
                (Op::Ite, [Some(a), Some(b), Some(c)]) => arena.ite(a, b, c),
                (_, [Some(a), Some(b), _]) => arena.binary(op, a, b),
                (_, [Some(a), ..]) => arena.unary(op, width, a),
                _ => return None,
            })
        }
    }
}

/// What a leaf of a template stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Leaf {
    /// An input.
    Input(i64),
    /// A cell: a sum with this name, or the input of that name where there is no such sum.
    Cell { name: i64, version: i64 },
}
