//! Templates as constraints of the one-shot solver, read once and then fed millions of leaf vectors.

use crate::solve::OneShot;
use crate::template::{Template, Token, operation};
use pessimum_term::Op;

/// How a template's leaves make a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compiled {
    /// `left relation right`
    Compare { relation: Relation, left: Side, right: Side, unsigned: bool },
    /// The cell of leaf `name` is `base` plus (or minus, for `negative`) the input of leaf `input`.
    Sum { name: usize, base: Side, input: usize, negative: bool },
}

/// How two sides compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Less,
    AtMost,
    Equal,
    Unequal,
}

/// A cell or an input, and constants: which leaves they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Side {
    /// The leaf, and whether it names an input rather than a cell.
    variable: Option<(usize, bool)>,
    constant: Option<usize>,
    /// Width of the constant when there is nothing else.
    bits: u8,
}

struct Reader<'t> {
    tokens: std::slice::Iter<'t, Token>,
    leaf: usize,
}

impl Compiled {
    /// Reads a template with unversioned cells; `None` when it is no order or difference.
    pub(crate) fn read(template: &Template) -> Option<Compiled> {
        let mut reader = Reader { tokens: template.0.iter(), leaf: 0 };
        let compiled = reader.whole()?;
        reader.tokens.next().is_none().then_some(compiled)
    }

    /// Which leaf names the cell that this defines.
    pub(crate) fn defines(&self) -> Option<usize> {
        match self {
            Compiled::Sum { name, .. } => Some(*name),
            Compiled::Compare { .. } => None,
        }
    }
}

impl Reader<'_> {
    fn whole(&mut self) -> Option<Compiled> {
        let mut negated = false;
        loop {
            match *self.tokens.next()? {
                Token::Define { .. } => return self.definition(),
                Token::Apply { op, .. } => {
                    let (relation, unsigned) = match operation(op)? {
                        Op::Not if !negated => {
                            negated = true;
                            continue;
                        }
                        Op::Eq if negated => (Relation::Unequal, false),
                        Op::Eq => (Relation::Equal, false),
                        _ if negated => return None,
                        Op::Slt => (Relation::Less, false),
                        Op::Sle => (Relation::AtMost, false),
                        Op::Ult => (Relation::Less, true),
                        Op::Ule => (Relation::AtMost, true),
                        _ => return None,
                    };
                    let (left, right) = (self.side()?, self.side()?);
                    return Some(Compiled::Compare { relation, left, right, unsigned });
                }
                _ => return None,
            }
        }
    }

    fn definition(&mut self) -> Option<Compiled> {
        let name = self.take_leaf();
        let Token::Apply { op, .. } = *self.tokens.next()? else { return None };
        let negative = match operation(op)? {
            Op::Add => false,
            Op::Sub => true,
            _ => return None,
        };
        let (base, added) = (self.side()?, self.side()?);
        let (base_leaf, input) = (base.variable?, added.variable?);
        // The input that is added names the cell, so it is free to make up the difference.
        let free = input.1 && added.constant.is_none() && !base_leaf.1;
        free.then_some(Compiled::Sum { name, base, input: input.0, negative })
    }

    fn side(&mut self) -> Option<Side> {
        match *self.tokens.next()? {
            Token::Constant { bits } => {
                Some(Side { variable: None, constant: Some(self.take_leaf()), bits })
            }
            Token::Input { bits } => {
                Some(Side { variable: Some((self.take_leaf(), true)), constant: None, bits })
            }
            Token::Cell { bits } => {
                Some(Side { variable: Some((self.take_leaf(), false)), constant: None, bits })
            }
            Token::Apply { op, bits, .. } => match operation(op)? {
                Op::ZeroExt | Op::SignExt => Some(Side { bits, ..self.side()? }),
                Op::Add => {
                    let (a, b) = (self.side()?, self.side()?);
                    let plain = a.constant.is_none() && b.variable.is_none();
                    plain.then_some(Side { variable: a.variable, constant: b.constant, bits })
                }
                _ => None,
            },
            Token::Define { .. } => None,
        }
    }

    fn take_leaf(&mut self) -> usize {
        self.leaf += 1;
        self.leaf - 1
    }
}

/// Which variable of the solver an input or a cell is.
pub(crate) struct Variables<'a> {
    /// Number of inputs; a cell's variable is this plus its name.
    pub(crate) inputs: usize,
    /// Whether there is a sum of this name.
    pub(crate) defined: &'a [bool],
    /// The least value of each input.
    pub(crate) low: &'a [i64],
}

impl Variables<'_> {
    fn input(&self, number: i64) -> Option<u32> {
        let number = usize::try_from(number).ok().filter(|n| *n < self.inputs)?;
        Some(number as u32)
    }

    fn cell(&self, name: i64) -> Option<u32> {
        let number = self.input(name)?;
        let sum = self.defined[number as usize];
        Some(if sum { number + self.inputs as u32 } else { number })
    }

    fn variable(&self, leaf: (usize, bool), leaves: &[i64]) -> Option<u32> {
        let value = leaves[leaf.0];
        if leaf.1 { self.input(value) } else { self.cell(value) }
    }

    fn is_unsigned(&self, x: u32) -> bool {
        self.low.get(x as usize).is_some_and(|low| *low >= 0)
    }
}

impl Compiled {
    /// Adds the constraint with these leaves; `None` when a leaf names no input, or a number is out
    /// of reach.
    #[inline]
    pub(crate) fn put(
        &self,
        shot: &mut OneShot,
        variables: &Variables<'_>,
        bounds: &[(i64, i64)],
        leaves: &[i64],
    ) -> Option<()> {
        match *self {
            Compiled::Compare { relation, left, right, unsigned } => {
                compare(shot, variables, leaves, relation, left, right, unsigned)
            }
            Compiled::Sum { name, base, input, negative } => {
                let sum = variables.cell(leaves[name])?;
                let base_variable = variables.variable(base.variable?, leaves)?;
                let offset = base.constant.map_or(0, |c| leaves[c]);
                let (low, high) = bounds[variables.input(leaves[input])? as usize];
                let (low, high) = if negative { (-high, -low) } else { (low, high) };
                // low ≤ sum − base − offset ≤ high
                let fits =
                    shot.at_most(base_variable, sum, low.saturating_add(offset).saturating_neg())
                        && shot.at_most_loosely(sum, base_variable, high.saturating_add(offset));
                fits.then_some(())
            }
        }
    }

    /// The input that makes a sum what it is, and its value.
    pub(crate) fn made_up(
        &self,
        variables: &Variables<'_>,
        values: &[i64],
        leaves: &[i64],
    ) -> Option<(usize, i64)> {
        let Compiled::Sum { name, base, input, negative } = *self else { return None };
        let sum = values[variables.cell(leaves[name])? as usize];
        let offset = base.constant.map_or(0, |c| leaves[c]);
        let base =
            values[variables.variable(base.variable?, leaves)? as usize].saturating_add(offset);
        let value = if negative { base.saturating_sub(sum) } else { sum.saturating_sub(base) };
        Some((variables.input(leaves[input])? as usize, value))
    }
}

#[inline]
fn compare(
    shot: &mut OneShot,
    variables: &Variables<'_>,
    leaves: &[i64],
    relation: Relation,
    left: Side,
    right: Side,
    unsigned: bool,
) -> Option<()> {
    let (x, y) = (left.variable, right.variable);
    // x + a relation y + b, as x relation y + k
    match (x, y) {
        (Some(x), Some(y)) => {
            let (x, y) = (variables.variable(x, leaves)?, variables.variable(y, leaves)?);
            let offset = |side: Side| side.constant.map_or(0, |c| leaves[c]);
            let k = offset(right).saturating_sub(offset(left));
            let fits = match relation {
                Relation::Less => shot.at_most(x, y, k.saturating_sub(1)),
                Relation::AtMost => shot.at_most(x, y, k),
                Relation::Equal => shot.at_most(x, y, k) && shot.at_most(y, x, k.saturating_neg()),
                Relation::Unequal => {
                    shot.differ(x, y, k);
                    true
                }
            };
            fits.then_some(())
        }
        (Some(x), None) => {
            let x = variables.variable(x, leaves)?;
            let unsigned = unsigned || variables.is_unsigned(x);
            let added = left.constant.map_or(0, |c| leaves[c]);
            let k = number(right, leaves, unsigned)?.saturating_sub(added);
            match relation {
                Relation::Less => shot.lower(x, k.saturating_sub(1)),
                Relation::AtMost => shot.lower(x, k),
                Relation::Equal => {
                    shot.raise(x, k);
                    shot.lower(x, k);
                }
                Relation::Unequal => shot.exclude(x, k),
            }
            Some(())
        }
        (None, Some(y)) => {
            let y = variables.variable(y, leaves)?;
            let unsigned = unsigned || variables.is_unsigned(y);
            let added = right.constant.map_or(0, |c| leaves[c]);
            let k = number(left, leaves, unsigned)?.saturating_sub(added);
            match relation {
                Relation::Less => shot.raise(y, k.saturating_add(1)),
                Relation::AtMost => shot.raise(y, k),
                Relation::Equal => {
                    shot.raise(y, k);
                    shot.lower(y, k);
                }
                Relation::Unequal => shot.exclude(y, k),
            }
            Some(())
        }
        (None, None) => None,
    }
}

/// A side that is a constant, in the reading of the comparison.
#[inline]
fn number(side: Side, leaves: &[i64], unsigned: bool) -> Option<i64> {
    let value = leaves[side.constant?];
    if unsigned && value < 0 && side.bits < 63 {
        return Some(value & ((1i64 << side.bits) - 1));
    }
    Some(value)
}
