//! How the values of an input belong together: arrays and scalars.

use crate::at_size::AtSize;
use pessimum_entry::{Arg, Call, InputValues, Invocation, Slot, Type, text};
use pessimum_machine::{End, LoadError};

/// Values that belong together: an array, or a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) slot: Slot,
    pub(crate) len: usize,
    /// Whether the values are bytes of a text: UTF-8 all together.
    pub(crate) text: bool,
}

/// The values of an input, group by group.
pub(crate) type Groups = Vec<Vec<u64>>;

/// An input, group by group; `None` where the groups are others.
pub(crate) fn divided(shape: &[Group], input: &InputValues) -> Option<Groups> {
    let mut values = input.iter().map(|v| v.1);
    let groups: Groups = shape.iter().map(|g| values.by_ref().take(g.len).collect()).collect();
    let whole = shape.iter().zip(&groups).all(|(g, values)| g.len == values.len());
    (whole && values.next().is_none()).then_some(groups)
}

/// The groups as one input.
pub(crate) fn joined(shape: &[Group], groups: &[Vec<u64>]) -> InputValues {
    let mut input = InputValues::new();
    for (group, values) in shape.iter().zip(groups) {
        if group.text {
            let mut bytes: Vec<u8> = values.iter().map(|bits| *bits as u8).collect();
            text::mend(&mut bytes);
            bytes.iter().for_each(|byte| input.push(group.slot, u64::from(*byte)));
            continue;
        }
        values.iter().for_each(|bits| input.push(group.slot, *bits));
    }
    input
}

/// An input whose texts are UTF-8.
pub(crate) fn mended(at: &AtSize, input: InputValues) -> Result<InputValues, LoadError> {
    let call = match &at.setup.invocation {
        Invocation::Call(call) if call.has_text() => call,
        _ => return Ok(input),
    };
    let Some(mut shape) = shape_of(call) else { return Ok(input) };
    // What the program asks for behind that is no text.
    let rest = input.iter().skip(shape.iter().map(|group| group.len).sum());
    shape.extend(grouped(rest.map(|(slot, _)| *slot)));
    Ok(divided(&shape, &input).map_or(input, |groups| joined(&shape, &groups)))
}

/// Bytes that inputs of this shape take.
pub(crate) fn bytes(shape: &[Group]) -> usize {
    shape.iter().map(|g| g.len * g.slot.ty.bytes() as usize).sum()
}

/// Raw bytes as values of this shape: what is missing is zero, what is too much is left out, and a
/// value outside its domain is the nearest inside.
pub(crate) fn read(shape: &[Group], raw: &[u8]) -> Groups {
    let mut rest = raw;
    let mut next = |slot: Slot| {
        let (head, tail) = rest.split_at(rest.len().min(slot.ty.bytes() as usize));
        rest = tail;
        let bits = head.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        slot.nearest(bits)
    };
    shape.iter().map(|g| (0..g.len).map(|_| next(g.slot)).collect()).collect()
}

/// How the values of a size belong together; `None` for inputs that are not plain values.
pub(crate) fn shape(at: &AtSize) -> Result<Option<Vec<Group>>, LoadError> {
    let setup = &at.setup;
    Ok(match &setup.invocation {
        Invocation::Call(call) if !call.args.is_empty() => {
            let Some(mut groups) = shape_of(call) else { return Ok(None) };
            // A program may ask for more than it was called with: that is found out by running it.
            if at.module.asks_for_input() {
                let (end, machine) = at.run(InputValues::new())?;
                if asks_on(end) {
                    return Ok(None);
                }
                let asked = machine.inputs().iter().skip(call.slots().count());
                groups.extend(grouped(asked.map(|input| input.slot)));
            }
            Some(groups)
        }
        Invocation::Stdin { .. } | Invocation::Argv { .. } => {
            Some(grouped(setup.invocation.slots().into_iter()))
        }
        // What it asks for is found out by running it.
        Invocation::Call(_) | Invocation::Program { .. } => {
            let (end, machine) = at.run(InputValues::new())?;
            let asked = machine.inputs().iter().map(|input| input.slot);
            (!asks_on(end)).then(|| grouped(asked))
        }
    })
}

/// Whether a run did not end by itself: nobody knows what else it would have asked for.
fn asks_on(end: End) -> bool {
    matches!(end, End::OutOfInstructions | End::OutOfTime)
}

/// How the arguments of a call belong together.
fn shape_of(call: &Call) -> Option<Vec<Group>> {
    let mut groups = Vec::new();
    for arg in &call.args {
        match arg {
            Arg::Scalar(slot) => groups.push(Group { slot: *slot, len: 1, text: false }),
            Arg::Array { slot, len } | Arg::CString { slot, len } => {
                groups.push(Group { slot: *slot, len: *len as usize, text: false })
            }
            Arg::Text { len } => {
                let slot = Slot::any(Type::U8);
                groups.push(Group { slot, len: *len as usize, text: true });
            }
            Arg::Records { .. } => groups.extend(grouped(arg.slots())),
            Arg::Const(_) | Arg::Bytes(_) => {}
            Arg::Structure { .. } | Arg::Named { .. } | Arg::Tree(_) => return None,
        }
    }
    Some(groups)
}

/// Neighbours of the same kind are one group.
fn grouped(slots: impl Iterator<Item = Slot>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for slot in slots {
        match groups.last_mut() {
            Some(group) if group.slot == slot => group.len += 1,
            _ => groups.push(Group { slot, len: 1, text: false }),
        }
    }
    groups
}
