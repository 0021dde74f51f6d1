//! Which operators begin a basic block.

use wasmparser::Operator;

use crate::is_marker;

/// Reads the operators of one function body in order and says of each whether it begins a basic
/// block. This is the definition behind the cost model `blocks`.
///
/// An executed operator (one that is no [marker](is_marker)) is a *leader* when, in the order of
/// the code, at least one of these lies between it and the executed operator before it:
///
/// * the beginning of the body;
/// * a `loop`: what follows is entered anew in every iteration;
/// * an `if`, an `else`, and the `end` of an `if`, where its arms meet;
/// * the `end` of a `block` that some branch inside it aims at;
/// * a `br_if`, which falls through.
///
/// The `end` of a `loop`, and of a `block` that nothing aims at, is no boundary, nor is a call.
/// Several boundaries with no executed operator between them make one leader, and an empty arm
/// makes none: a block is counted when its first operator is.
///
/// ```
/// use pessimum_entry::LeaderScan;
/// use wasmparser::{BlockType, Operator};
///
/// let mut scan = LeaderScan::default();
/// let body = [
///     Operator::Nop,                                      // the body's first
///     Operator::Loop { blockty: BlockType::Empty },
///     Operator::LocalGet { local_index: 0 },              // the loop's first
///     Operator::BrIf { relative_depth: 0 },
///     Operator::End,
///     Operator::Nop,                                      // after the br_if
///     Operator::End,
/// ];
/// let leaders: Vec<bool> = body.iter().map(|op| scan.is_leader(op)).collect();
/// assert_eq!(leaders, [true, false, true, false, false, true, false]);
/// ```
#[derive(Debug, Clone)]
pub struct LeaderScan {
    /// The enclosing structures from the outside in; the body itself is not among them.
    open: Vec<Structure>,
    /// Whether a boundary has been passed since the last executed operator.
    pending: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    Block { is_target: bool },
    Loop,
    If,
}

impl Default for LeaderScan {
    fn default() -> Self {
        Self { open: Vec::new(), pending: true }
    }
}

impl LeaderScan {
    /// Takes the next operator of the body and says whether it begins a basic block.
    pub fn is_leader(&mut self, op: &Operator<'_>) -> bool {
        let is_leader = !is_marker(op) && std::mem::take(&mut self.pending);
        match op {
            Operator::Block { .. } => self.open.push(Structure::Block { is_target: false }),
            Operator::Loop { .. } => {
                self.open.push(Structure::Loop);
                self.pending = true;
            }
            Operator::If { .. } => {
                self.open.push(Structure::If);
                self.pending = true;
            }
            Operator::Else => self.pending = true,
            Operator::End => {
                let closed = self.open.pop();
                self.pending |=
                    matches!(closed, Some(Structure::If | Structure::Block { is_target: true }));
            }
            Operator::Br { relative_depth } => self.aim(*relative_depth),
            Operator::BrIf { relative_depth } => {
                self.aim(*relative_depth);
                self.pending = true;
            }
            Operator::BrTable { targets } => {
                targets.targets().map_while(Result::ok).for_each(|depth| self.aim(depth));
                self.aim(targets.default());
            }
            _ => {}
        }
        is_leader
    }

    fn aim(&mut self, depth: u32) {
        let place = self.open.len().checked_sub(depth as usize + 1);
        if let Some(Structure::Block { is_target }) =
            place.and_then(|place| self.open.get_mut(place))
        {
            *is_target = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use wasmparser::BlockType;

    use super::*;

    const EMPTY: BlockType = BlockType::Empty;

    fn count(body: &[Operator<'_>]) -> usize {
        let mut scan = LeaderScan::default();
        body.iter().filter(|op| scan.is_leader(op)).count()
    }

    #[test]
    fn only_a_block_that_is_aimed_at_ends_in_a_boundary() {
        use Operator::{Block, Br, End, Nop};
        assert_eq!(count(&[Nop, Block { blockty: EMPTY }, Nop, End, Nop, End]), 1);
        assert_eq!(
            count(&[Nop, Block { blockty: EMPTY }, Br { relative_depth: 0 }, End, Nop, End]),
            2
        );
        // A branch out of the body aims at no structure.
        assert_eq!(
            count(&[Nop, Block { blockty: EMPTY }, Br { relative_depth: 1 }, End, Nop, End]),
            1
        );
    }

    #[test]
    fn arms_and_their_meeting_point_are_blocks() {
        use Operator::{Else, End, If, Nop};
        assert_eq!(count(&[Nop, If { blockty: EMPTY }, Nop, Else, Nop, End, Nop, End]), 4);
        assert_eq!(count(&[Nop, If { blockty: EMPTY }, End, End]), 1);
        assert_eq!(count(&[End]), 0);
    }
}
