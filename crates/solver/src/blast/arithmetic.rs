//! Circuits for numbers: vectors of literals, the least bit first.

use super::gates::Gates;
use super::sat::Lit;

impl Gates {
    /// The low `width` bits of a constant.
    pub(super) fn number(&self, width: usize, value: u64) -> Vec<Lit> {
        let set = |i: usize| value.checked_shr(i as u32).unwrap_or(0) & 1 == 1;
        (0..width).map(|i| self.bit(set(i))).collect()
    }

    /// The value of a number whose bits are all constant, if a word holds it.
    pub(super) fn as_number(&self, bits: &[Lit]) -> Option<u64> {
        bits.iter().enumerate().try_fold(0, |sum, (i, bit)| match self.constant(*bit)? {
            true if i < 64 => Some(sum | 1 << i),
            true => None,
            false => Some(sum),
        })
    }

    /// `a + b + carry`, as wide as `a`.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
        debug_assert_eq!(a.len(), b.len());
        let mut carry = carry;
        let last = a.len().saturating_sub(1);
        let mut sum = Vec::with_capacity(a.len());
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            sum.push(self.xor3(x, y, carry));
            if i < last {
                carry = self.majority(x, y, carry);
            }
        }
        sum
    }

    /// `a - b`
    pub(super) fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let opposite: Vec<Lit> = b.iter().map(|x| !*x).collect();
        self.add(a, &opposite, self.truth())
    }

    /// `c ? -a : a`
    pub(super) fn negate_if(&mut self, c: Lit, a: &[Lit]) -> Vec<Lit> {
        let flipped: Vec<Lit> = a.iter().map(|x| self.xor(*x, c)).collect();
        let zero = self.number(a.len(), 0);
        self.add(&flipped, &zero, c)
    }

    /// `a * b`, as wide as `a`.
    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (a, b) = match (self.as_number(a), self.as_number(b)) {
            (Some(k), _) => return self.multiply_by(b, k),
            (_, Some(k)) => return self.multiply_by(a, k),
            _ => (a, b),
        };
        // One row per bit of the multiplier that can be set: the fewer the better.
        let rows = |x: &[Lit]| x.iter().filter(|l| self.constant(**l) != Some(false)).count();
        let (a, b) = if rows(a) < rows(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = self.number(width, 0);
        for i in 0..width {
            if self.constant(b[i]) == Some(false) {
                continue;
            }
            let row: Vec<Lit> = a[..width - i].iter().map(|x| self.and(*x, b[i])).collect();
            let upper = self.add(&sum[i..], &row, self.bit(false));
            sum.truncate(i);
            sum.extend(upper);
        }
        sum
    }

    /// `a * k`: one addition per set bit of `k`, or, where that is fewer, one addition or
    /// subtraction per digit of `k` in the form with digits −1, 0 and 1 and no two neighbours
    /// both non-zero.
    fn multiply_by(&mut self, a: &[Lit], k: u64) -> Vec<Lit> {
        let width = a.len();
        let mut sum = self.number(width, 0);
        let mut rest = u128::from(k);
        // Positions where k and 3k differ are the non-zero digits of the sparse form; starting it
        // with a subtraction may cost one adder more.
        let sparse = (rest ^ (3 * rest)).count_ones() + 1 < k.count_ones();
        for i in 0..width {
            let digit = rest >> i & 3;
            if digit & 1 == 0 {
                continue;
            }
            let shifted = &a[..width - i];
            let upper = if sparse && digit == 3 {
                rest += 1 << i;
                self.subtract(&sum[i..], shifted)
            } else {
                rest -= 1 << i;
                self.add(&sum[i..], shifted, self.bit(false))
            };
            sum.truncate(i);
            sum.extend(upper);
        }
        sum
    }

    /// Quotient and remainder of `a` by `b`, without signs, both zero when `b` is.
    ///
    /// The schoolbook way: the remainder takes the next bit of the dividend and gives up the
    /// divisor when it can. It never has more bits than were taken, so the steps start narrow.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        // beyond[i]: a bit of the divisor at i or above is set.
        let mut beyond = vec![self.bit(false); width + 1];
        for i in (0..width).rev() {
            beyond[i] = self.or(b[i], beyond[i + 1]);
        }
        let mut quotient = vec![self.bit(false); width];
        let mut rest: Vec<Lit> = Vec::new();
        for i in (0..width).rev() {
            rest.insert(0, a[i]);
            let n = rest.len();
            let below = self.less(&rest, &b[..n], self.bit(false));
            let fits = self.and(!below, !beyond[n]);
            quotient[i] = fits;
            let less = self.subtract(&rest, &b[..n]);
            for (bit, new) in rest.iter_mut().zip(less) {
                *bit = self.mux(fits, new, *bit);
            }
        }
        let nonzero = beyond[0];
        for bit in quotient.iter_mut().chain(&mut rest) {
            *bit = self.and(*bit, nonzero);
        }
        (quotient, rest)
    }

    /// Quotient and remainder towards zero of signed numbers, both zero when `b` is.
    pub(super) fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let (Some(&sa), Some(&sb)) = (a.last(), b.last()) else {
            return (Vec::new(), Vec::new());
        };
        let (x, y) = (self.negate_if(sa, a), self.negate_if(sb, b));
        let (quotient, rest) = self.divide(&x, &y);
        let signs = self.xor(sa, sb);
        (self.negate_if(signs, &quotient), self.negate_if(sa, &rest))
    }

    /// `a < b`, or `a ≤ b` when `equal` holds, without signs.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit], equal: Lit) -> Lit {
        a.iter().zip(b).fold(equal, |below, (&x, &y)| self.majority(!x, y, below))
    }

    /// `a < b`, or `a ≤ b` when `equal` holds, in two's complement.
    pub(super) fn less_signed(&mut self, a: &[Lit], b: &[Lit], equal: Lit) -> Lit {
        match (a.split_last(), b.split_last()) {
            (Some((&sa, a)), Some((&sb, b))) => {
                let below = self.less(a, b, equal);
                self.majority(sa, !sb, below)
            }
            _ => equal,
        }
    }

    /// `a = b`
    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(x, y)| !self.xor(*x, *y)).collect();
        self.all(same)
    }

    /// `c ? a : b`
    pub(super) fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(x, y)| self.mux(c, *x, *y)).collect()
    }

    /// How many of `bits` are set, in as many bits as that needs.
    pub(super) fn count(&mut self, bits: &[Lit]) -> Vec<Lit> {
        match bits {
            [] => Vec::new(),
            [a] => vec![*a],
            [a, b, c] => vec![self.xor3(*a, *b, *c), self.majority(*a, *b, *c)],
            _ => {
                let (low, high) = bits.split_at(bits.len() / 2);
                let (mut x, mut y) = (self.count(low), self.count(high));
                let width = x.len().max(y.len()) + 1;
                x.resize(width, self.bit(false));
                y.resize(width, self.bit(false));
                self.add(&x, &y, self.bit(false))
            }
        }
    }

    /// How many zeros precede the first set bit of `bits`, in `width` bits.
    pub(super) fn zeros_before_one(&mut self, bits: &[Lit], width: usize) -> Vec<Lit> {
        let mut result = self.number(width, bits.len() as u64);
        for (i, bit) in bits.iter().enumerate().rev() {
            let here = self.number(width, i as u64);
            result = self.choose(*bit, &here, &result);
        }
        result
    }
}
