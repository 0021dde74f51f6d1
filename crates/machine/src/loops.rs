//! Where in its loops and calls a run stands.
//!
//! Wasm's loops are structured: an entry to a loop that is nested in another can only follow a new
//! iteration of the outer one, so a passage of a loop's header is a new iteration exactly when that
//! loop is the innermost that is still running. Exits are not looked at: what has ended is told by how
//! deep the present instruction is nested. Off by default, when it costs the one test per block that
//! profiles cost as well.

use crate::module::BlockKind;

/// What a [`NestLevel`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NestKind {
    /// An activation of this function, called from the instruction with this number.
    Call {
        /// The function.
        function: u32,
        /// The place of the call, unique in the module.
        from: u32,
    },
    /// A loop, by the block at its head (see [`Module::blocks`](crate::Module::blocks)).
    Loop {
        /// The block.
        block: u32,
    },
}

/// One level of the nest of loops and activations that a run stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NestLevel {
    /// The loop or the call.
    pub kind: NestKind,
    /// The iteration of a loop, from 0; for a call a number that no other activation has.
    pub index: u32,
    frame: u32,
    depth: u16,
}

/// The stack of loops and activations.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopTrail {
    places: Vec<NestLevel>,
    activations: u32,
}

impl LoopTrail {
    /// What is still running for an instruction of activation `frame` that is in `depth` loops.
    pub(crate) fn places(&self, frame: u32, depth: u16) -> &[NestLevel] {
        let running = |p: &NestLevel| p.frame < frame || (p.frame == frame && p.depth <= depth);
        &self.places[..self.places.partition_point(running)]
    }

    /// A block begins in activation number `frame`. Its function was called as `call` says, by an
    /// instruction in `caller_depth` loops of its own function.
    pub(crate) fn pass(
        &mut self,
        kind: BlockKind,
        block: u32,
        frame: u32,
        call: (u32, u32),
        caller_depth: u16,
    ) {
        match kind {
            BlockKind::Plain => {}
            BlockKind::Entry => {
                self.leave(|p| {
                    p.frame >= frame || (p.frame + 1 == frame && p.depth > caller_depth)
                });
                let (function, from) = call;
                let kind = NestKind::Call { function, from };
                self.places.push(NestLevel { kind, index: self.activations, frame, depth: 0 });
                self.activations += 1;
            }
            BlockKind::LoopHead { depth } => {
                let kind = NestKind::Loop { block };
                self.leave(|p| p.frame > frame || (p.frame == frame && p.depth > depth));
                match self.places.last_mut() {
                    Some(top) if top.kind == kind && top.frame == frame => top.index += 1,
                    // A sibling that ended: same depth, other loop.
                    Some(top) if top.frame == frame && top.depth == depth => {
                        *top = NestLevel { kind, index: 0, frame, depth };
                    }
                    _ => self.places.push(NestLevel { kind, index: 0, frame, depth }),
                }
            }
        }
    }

    fn leave(&mut self, over: impl Fn(&NestLevel) -> bool) {
        while self.places.last().is_some_and(&over) {
            self.places.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: (u32, u32) = (0, 0);

    /// What runs, as `function` or `block:iteration`.
    fn shown(trail: &LoopTrail, frame: u32, depth: u16) -> String {
        let show = |p: &NestLevel| match p.kind {
            NestKind::Call { function, .. } => format!("f{function}"),
            NestKind::Loop { block } => format!("{block}:{}", p.index),
        };
        trail.places(frame, depth).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn inner_loops_begin_again_with_each_outer_iteration() {
        let mut trail = LoopTrail::default();
        trail.pass(BlockKind::Entry, 0, 1, MAIN, 0);
        for outer in 0..3 {
            trail.pass(BlockKind::LoopHead { depth: 1 }, 1, 1, MAIN, 0);
            for inner in 0..2 {
                trail.pass(BlockKind::LoopHead { depth: 2 }, 2, 1, MAIN, 0);
                assert_eq!(shown(&trail, 1, 2), format!("f0 1:{outer} 2:{inner}"));
            }
            // Behind the inner loop, still in the outer one.
            assert_eq!(shown(&trail, 1, 1), format!("f0 1:{outer}"));
            // A second inner loop takes the place of the first.
            trail.pass(BlockKind::LoopHead { depth: 2 }, 3, 1, MAIN, 0);
            assert_eq!(shown(&trail, 1, 2), format!("f0 1:{outer} 3:0"));
        }
        assert_eq!(shown(&trail, 1, 0), "f0");
    }

    #[test]
    fn a_callee_is_inside_the_loops_that_its_call_is_in() {
        let mut trail = LoopTrail::default();
        trail.pass(BlockKind::Entry, 0, 1, MAIN, 0);
        trail.pass(BlockKind::LoopHead { depth: 1 }, 1, 1, MAIN, 0);
        trail.pass(BlockKind::LoopHead { depth: 2 }, 2, 1, MAIN, 0);
        // Called from the outer loop, behind the inner one.
        trail.pass(BlockKind::Entry, 7, 2, (5, 40), 1);
        trail.pass(BlockKind::LoopHead { depth: 1 }, 8, 2, (5, 40), 1);
        assert_eq!(shown(&trail, 2, 1), "f0 1:0 f5 8:0");
        let first = trail.places(2, 0)[2].index;
        // Returned; called once more.
        assert_eq!(shown(&trail, 1, 1), "f0 1:0");
        trail.pass(BlockKind::Entry, 7, 2, (5, 40), 1);
        assert_eq!(shown(&trail, 2, 1), "f0 1:0 f5");
        assert_ne!(trail.places(2, 0)[2].index, first);
    }
}
