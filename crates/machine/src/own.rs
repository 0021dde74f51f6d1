//! Where a run spends its cost, by the places of some functions: what is spent in others counts for the call that led
//! out to them.

use crate::stacks::Spent;

/// A place in a function of one's own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OwnPlace {
    /// A block, by its number in the module.
    Block(u32),
    /// A call of a function that is not one's own, by its file offset.
    Call(u32),
}

/// The cost of a run by place of one's own.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnCosts {
    /// By function, whether it is one's own.
    own: Vec<bool>,
    /// Of each open activation, the outermost first, the last call on the way to it that was made by a function of
    /// one's own.
    calls: Vec<Option<u32>>,
    spent: Spent<OwnPlace>,
}

impl OwnCosts {
    /// `own` says by function whether it is one's own.
    pub(crate) fn new(own: Vec<bool>) -> OwnCosts {
        OwnCosts { own, ..OwnCosts::default() }
    }

    /// The run comes to a block, which costs `own`; `cost` is that of the whole run with it, and `function` the
    /// innermost of `depth` activations. `caller` says of each but the outermost which function made the call,
    /// and the file offset of that.
    pub(crate) fn enter(
        &mut self,
        (function, block): (u32, u32),
        (own, cost): (u64, u64),
        depth: usize,
        caller: impl Fn(usize) -> (u32, u32),
    ) {
        // Every activation comes to a block before it calls: those further out are as they were.
        self.calls.truncate(depth.saturating_sub(1));
        while self.calls.len() < depth {
            let call = match self.calls.last() {
                None => None,
                Some(outer) => match caller(self.calls.len()) {
                    (caller, call) if self.is_own(caller) => Some(call),
                    _ => *outer,
                },
            };
            self.calls.push(call);
        }
        let place = match self.is_own(function) {
            true => Some(OwnPlace::Block(block)),
            false => self.calls.last().copied().flatten().map(OwnPlace::Call),
        };
        self.spent.enter(place, own, cost);
    }

    fn is_own(&self, function: u32) -> bool {
        self.own.get(function as usize).copied().unwrap_or(false)
    }

    /// What each place has cost, in their order; `cost` is that of the whole run.
    pub(crate) fn all(&self, cost: u64) -> Vec<(OwnPlace, u64)> {
        self.spent.all(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_counts_for_the_call_that_led_into_it() {
        let mut costs = OwnCosts::new(vec![true, false, false]);
        let mut cost = 0;
        // Functions with the offset of the call of each, the outermost first.
        let mut enter = |block, own, stack: &[(u32, u32)]| {
            cost += own;
            let function = stack[stack.len() - 1].0;
            let caller = |at: usize| (stack[at - 1].0, stack[at].1);
            costs.enter((function, block), (own, cost), stack.len(), caller);
        };
        enter(0, 1, &[(1, 0)]);
        enter(1, 2, &[(1, 0), (0, 10)]);
        enter(2, 4, &[(1, 0), (0, 10), (1, 20)]);
        enter(3, 8, &[(1, 0), (0, 10), (1, 20), (2, 30)]);
        enter(1, 16, &[(1, 0), (0, 10), (1, 20), (2, 30), (0, 40)]);
        enter(3, 32, &[(1, 0), (0, 10), (2, 25)]);
        enter(0, 64, &[(1, 0)]);
        let found = costs.all(cost);
        // What nobody of one's own called is not among them.
        let (own, first, second) = (OwnPlace::Block(1), OwnPlace::Call(20), OwnPlace::Call(25));
        assert_eq!(found, [(own, 18), (first, 12), (second, 32)]);
    }
}
