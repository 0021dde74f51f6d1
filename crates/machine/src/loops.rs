//! Where in its loops and calls a run stands.
//!
//! Wasm's loops are structured: an entry to a loop that is nested in another can only follow a new
//! iteration of the outer one, so a passage of a loop's header is a new iteration exactly when that
//! loop is the innermost that is still running. Exits are not looked at: what has ended is told by how
//! deep the present instruction is nested. Off by default, when it costs the one test per block that
//! profiles cost as well.

use crate::module::BlockKind;

/// What a [`Place`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PlaceKind {
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
pub struct Place {
    /// The loop or the call.
    pub kind: PlaceKind,
    /// The iteration of a loop, from 0; for a call a number that no other activation has.
    pub index: u32,
    frame: u32,
    depth: u16,
}

/// The stack of loops and activations.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopTrail {
    places: Vec<Place>,
    activations: u32,
}

impl LoopTrail {
    /// What is still running for an instruction of activation `frame` that is in `depth` loops.
    pub(crate) fn places(&self, frame: u32, depth: u16) -> &[Place] {
        let running = |p: &Place| p.frame < frame || (p.frame == frame && p.depth <= depth);
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
                let kind = PlaceKind::Call { function, from };
                self.places.push(Place { kind, index: self.activations, frame, depth: 0 });
                self.activations += 1;
            }
            BlockKind::LoopHead { depth } => {
                let kind = PlaceKind::Loop { block };
                self.leave(|p| p.frame > frame || (p.frame == frame && p.depth > depth));
                match self.places.last_mut() {
                    Some(top) if top.kind == kind && top.frame == frame => top.index += 1,
                    // A sibling that ended: same depth, other loop.
                    Some(top) if top.frame == frame && top.depth == depth => {
                        *top = Place { kind, index: 0, frame, depth };
                    }
                    _ => self.places.push(Place { kind, index: 0, frame, depth }),
                }
            }
        }
    }

    fn leave(&mut self, over: impl Fn(&Place) -> bool) {
        while self.places.last().is_some_and(&over) {
            self.places.pop();
        }
    }
}
