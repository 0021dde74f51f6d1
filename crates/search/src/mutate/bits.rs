//! Changes to bytes as a stream of bits: compressed data, codes of any length, packed fields.
//!
//! A code of thirteen bits over and over is thirteen bytes that look like nothing; as bits it is one step.

use crate::pattern::below;
use pessimum_entry::host::Seeded;

/// Bits of the longest code that is repeated.
const LONGEST: usize = 64;

/// Which bit of a byte comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// The lowest, as in deflate.
    Lowest,
    /// The highest, as in bzip2.
    Highest,
}

/// One change that begins in the byte at a place.
pub(super) fn change(bytes: &mut [u64], at: usize, random: &mut Seeded) {
    let order = [Order::Lowest, Order::Highest][below(random, 2)];
    let from = 8 * at + below(random, 8);
    let rest = 8 * bytes.len() - from;
    let few = 1 + below(random, LONGEST.min(rest));
    match below(random, 4) {
        0 => set(bytes, order, from, !get(bytes, order, from)),
        // For a while, or up to the end.
        1 | 2 => {
            let count = if below(random, 2) == 0 { rest } else { 1 + below(random, rest) };
            repeat(bytes, order, from, few, count);
        }
        _ if below(random, 2) == 0 => take_out(bytes, order, from, few),
        _ => double(bytes, order, from, few),
    }
}

/// The first `few` bits over and over, `count` bits in all.
fn repeat(bytes: &mut [u64], order: Order, from: usize, few: usize, count: usize) {
    for bit in from + few..from + count {
        set(bytes, order, bit, get(bytes, order, bit - few));
    }
}

/// Takes out a few bits. The last ones stay as they are.
fn take_out(bytes: &mut [u64], order: Order, from: usize, few: usize) {
    for bit in from..8 * bytes.len() - few {
        set(bytes, order, bit, get(bytes, order, bit + few));
    }
}

/// A few bits twice. The last ones are lost.
fn double(bytes: &mut [u64], order: Order, from: usize, few: usize) {
    for bit in (from + few..8 * bytes.len()).rev() {
        set(bytes, order, bit, get(bytes, order, bit - few));
    }
}

fn place(order: Order, bit: usize) -> (usize, u32) {
    let within = bit as u32 % 8;
    (bit / 8, if order == Order::Lowest { within } else { 7 - within })
}

fn get(bytes: &[u64], order: Order, bit: usize) -> bool {
    let (byte, shift) = place(order, bit);
    bytes[byte] >> shift & 1 == 1
}

fn set(bytes: &mut [u64], order: Order, bit: usize, value: bool) {
    let (byte, shift) = place(order, bit);
    bytes[byte] = bytes[byte] & !(1 << shift) | u64::from(value) << shift;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(bytes: &[u64], order: Order) -> String {
        (0..8 * bytes.len()).map(|bit| if get(bytes, order, bit) { '1' } else { '0' }).collect()
    }

    #[test]
    fn the_first_bit_is_the_lowest_or_the_highest() {
        assert_eq!(bits(&[1, 2], Order::Lowest), "1000000001000000");
        assert_eq!(bits(&[1, 2], Order::Highest), "0000000100000010");
        let mut bytes = [0, 0];
        set(&mut bytes, Order::Lowest, 9, true);
        set(&mut bytes, Order::Highest, 7, true);
        assert_eq!(bytes, [1, 2]);
    }

    #[test]
    fn bits_are_repeated_taken_out_and_doubled() {
        let start = [0b0001_0110, 0b1010_0000];
        let changed = |change: fn(&mut [u64], Order)| {
            let mut bytes = start;
            change(&mut bytes, Order::Highest);
            bits(&bytes, Order::Highest)
        };
        assert_eq!(changed(|bytes, order| repeat(bytes, order, 3, 3, 13)), "0001011011011011");
        assert_eq!(changed(|bytes, order| repeat(bytes, order, 3, 3, 7)), "0001011011100000");
        assert_eq!(changed(|bytes, order| take_out(bytes, order, 3, 4)), "0000101000000000");
        assert_eq!(changed(|bytes, order| double(bytes, order, 3, 4)), "0001011101101010");
    }

    /// Codes of every length are met, from every bit on, and single bits.
    #[test]
    fn chance_comes_to_all_of_them() {
        let mut random = Seeded::new(5);
        let parent: Vec<u64> = (0..40).map(|_| below(&mut random, 256) as u64).collect();
        let mut periods = std::collections::BTreeSet::new();
        let mut flipped = 0;
        for _ in 0..20_000 {
            let mut child = parent.clone();
            change(&mut child, below(&mut random, 40), &mut random);
            assert!(child.iter().all(|byte| *byte < 256));
            let differ: u32 = child.iter().zip(&parent).map(|(a, b)| (a ^ b).count_ones()).sum();
            flipped += u32::from(differ == 1);
            let tail = &bits(&child, Order::Lowest)[170..];
            periods.extend((1..=LONGEST).find(|p| tail[*p..] == tail[..tail.len() - p]));
        }
        assert!(flipped > 1000 && periods.len() == LONGEST, "{flipped} {periods:?}");
    }
}
