//! Which addresses a term can be, from its shape and interval alone.

use pessimum_term::{Arena, Op, TermId};

/// The values of an address term up to `last`, if the interval of its index has at most `limit`
/// of them. The address is taken apart as `base + (index << k)` or `base + index · k`, so that a
/// table of words costs as many candidates as it has words.
pub(crate) fn candidates(arena: &Arena, t: TermId, limit: u64, last: u64) -> Option<Vec<u64>> {
    let mut base = 0u32;
    let mut scale = 1u32;
    let mut core = t;
    loop {
        let node = arena.node(core);
        match node.op {
            Op::Add => {
                let Some(k) = arena.as_const(node.arg(1)) else { break };
                base = base.wrapping_add(scale.wrapping_mul(k as u32));
                core = node.arg(0);
            }
            Op::Shl => {
                let Some(k) = arena.as_const(node.arg(1)) else { break };
                scale = scale.wrapping_mul(1u32.wrapping_shl(k as u32));
                core = node.arg(0);
            }
            Op::Mul => {
                let Some(k) = arena.as_const(node.arg(1)) else { break };
                scale = scale.wrapping_mul(k as u32);
                core = node.arg(0);
            }
            _ => break,
        }
    }
    let range = arena.range(core);
    let (low, count) = if range.umax - range.umin < limit {
        (range.umin, range.umax - range.umin)
    } else {
        let span = range.smax.checked_sub(range.smin)?;
        if span < 0 || span as u64 >= limit {
            return None;
        }
        (range.smin as u64, span as u64)
    };
    let value = |i: u64| {
        let index = low.wrapping_add(i) as u32;
        u64::from(base.wrapping_add(scale.wrapping_mul(index)))
    };
    let mut all: Vec<u64> = (0..=count).map(value).filter(|a| *a <= last).collect();
    all.sort_unstable();
    all.dedup();
    (!all.is_empty()).then_some(all)
}
