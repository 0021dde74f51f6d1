//! The general simplex method of Dutertre and de Moura (CAV 2006) over integer rows.
//!
//! Every row says `den · basic = Σ aₖ · nonbasicₖ` in integers. All bounds are integers, and a variable leaves
//! the basis only to sit on one of its bounds, so nonbasic values are always integers and the value of a basic
//! variable is a plain fraction `num / den`: no rational arithmetic is needed anywhere.

use super::arith::{Overflow, add, ceil_div, floor_div, gcd, mul, narrow, sub};
use super::matrix::Matrix;
use super::work::Work;

/// No lower bound.
pub(super) const NO_LO: i128 = i128::MIN;
/// No upper bound.
pub(super) const NO_HI: i128 = i128::MAX;

/// How many pivots of one solution are chosen by a glance before the next are chosen with care.
const HASTY_PIVOTS: usize = 6;

/// Why the method gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A number left its range; the rows are no longer meaningful.
    Overflow,
    /// The budget is used up; everything is still consistent.
    Work,
    /// More columns than this store should hold.
    Columns,
}

impl From<Overflow> for Stop {
    fn from(_: Overflow) -> Stop {
        Stop::Overflow
    }
}

/// What the rows relate: an integer variable of the client, or the value of a linear form.
pub(super) type Quantity = usize;

#[derive(Clone, Copy, Debug)]
enum Position {
    Row(usize),
    Column(usize),
}

/// Quantities with bounds, and the rows between them.
#[derive(Debug, Default)]
pub(super) struct Simplex<M> {
    matrix: M,
    lo: Vec<i128>,
    hi: Vec<i128>,
    place: Vec<Position>,
    unused: Vec<Quantity>,
    /// The quantity of each column and its value.
    columns: Vec<Quantity>,
    values: Vec<i128>,
    /// The quantity of each row, its denominator (positive) and its numerator.
    rows: Vec<Quantity>,
    den: Vec<i64>,
    num: Vec<i128>,
    scratch: Vec<(usize, i64)>,
    /// After a solution that failed: bounds that contradict each other, each as a quantity and whether its upper
    /// bound is meant.
    conflict: Vec<(Quantity, bool)>,
}

impl<M: Matrix> Simplex<M> {
    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn column_count(&self) -> usize {
        self.matrix.columns()
    }

    fn fresh(&mut self, place: Position) -> Quantity {
        if let Some(quantity) = self.unused.pop() {
            self.lo[quantity] = NO_LO;
            self.hi[quantity] = NO_HI;
            self.place[quantity] = place;
            return quantity;
        }
        self.lo.push(NO_LO);
        self.hi.push(NO_HI);
        self.place.push(place);
        self.place.len() - 1
    }

    /// A quantity that depends on no other, without bounds.
    pub(super) fn new_column(&mut self, value: i128) -> Result<Quantity, Stop> {
        if self.columns.len() >= M::MAX_COLUMNS {
            return Err(Stop::Columns);
        }
        let quantity = self.fresh(Position::Column(self.columns.len()));
        self.matrix.push_column();
        self.columns.push(quantity);
        self.values.push(value);
        Ok(quantity)
    }

    /// A quantity that is the sum of others, without bounds.
    pub(super) fn new_row(
        &mut self,
        terms: impl Iterator<Item = (Quantity, i64)>,
    ) -> Result<Quantity, Stop> {
        let row = self.rows.len();
        let quantity = self.fresh(Position::Row(row));
        self.matrix.push_row();
        self.rows.push(quantity);
        self.den.push(1);
        self.num.push(0);
        for (part, coefficient) in terms {
            match self.place[part] {
                Position::Column(column) => {
                    let scaled = narrow(i128::from(coefficient) * i128::from(self.den[row]))?;
                    self.matrix.add(row, column, scaled)?;
                    self.num[row] = add(self.num[row], mul(self.values[column], scaled)?)?;
                }
                Position::Row(source) => {
                    let by = narrow(i128::from(coefficient) * i128::from(self.den[row]))?;
                    self.matrix.load(source);
                    self.add_loaded(row, by, self.den[source], self.num[source])?;
                }
            }
        }
        Ok(quantity)
    }

    /// `row += by / den · (loaded row with numerator num)`, in lowest terms.
    #[inline]
    fn add_loaded(&mut self, row: usize, by: i64, den: i64, num: i128) -> Result<(), Overflow> {
        let (factor, by) = match den {
            1 => (1, by),
            _ => {
                let common = gcd(by.unsigned_abs(), den.unsigned_abs()) as i64;
                (den / common, by / common)
            }
        };
        let den = i128::from(self.den[row]) * i128::from(factor);
        let common = self.matrix.combine(row, factor, by, den)?;
        let num = add(mul(self.num[row], factor)?, mul(num, by)?)?;
        if common == 1 {
            self.den[row] = narrow(den)?;
            self.num[row] = num;
        } else {
            self.den[row] = narrow(den / common)?;
            self.num[row] = num / common;
        }
        Ok(())
    }

    /// Drops the rows of basic quantities that `keep` does not want; they must not be used again.
    pub(super) fn retain_rows(&mut self, mut keep: impl FnMut(Quantity) -> bool) {
        let mut row = 0;
        while row < self.rows.len() {
            let quantity = self.rows[row];
            if keep(quantity) {
                row += 1;
                continue;
            }
            self.matrix.swap_remove_row(row);
            self.rows.swap_remove(row);
            self.den.swap_remove(row);
            self.num.swap_remove(row);
            if let Some(&moved) = self.rows.get(row) {
                self.place[moved] = Position::Row(row);
            }
            self.unused.push(quantity);
        }
    }

    pub(super) fn set_bounds(&mut self, quantity: Quantity, lo: i128, hi: i128) {
        self.lo[quantity] = lo;
        self.hi[quantity] = hi;
    }

    pub(super) fn tighten(&mut self, quantity: Quantity, lo: i128, hi: i128) {
        self.lo[quantity] = self.lo[quantity].max(lo);
        self.hi[quantity] = self.hi[quantity].min(hi);
    }

    /// After [`Simplex::solve`] found no values: bounds that contradict each other, each as a quantity and whether
    /// its upper bound is meant.
    pub(super) fn conflict(&self) -> &[(Quantity, bool)] {
        &self.conflict
    }

    pub(super) fn is_nonbasic(&self, quantity: Quantity) -> bool {
        matches!(self.place[quantity], Position::Column(_))
    }

    /// The value as numerator and denominator.
    #[inline]
    pub(super) fn value(&self, quantity: Quantity) -> (i128, i64) {
        match self.place[quantity] {
            Position::Column(column) => (self.values[column], 1),
            Position::Row(row) => (self.num[row], self.den[row]),
        }
    }

    /// Finds rational values within all bounds. `Ok(false)`: there are none.
    pub(super) fn solve(&mut self, work: &mut Work) -> Result<bool, Stop> {
        if !self.settle_columns()? {
            return Ok(false);
        }
        // Least index first cannot cycle; until it is needed, a choice that keeps the numbers small is better.
        let mut hasty = HASTY_PIVOTS;
        let mut patience = 64 + 2 * self.rows.len();
        loop {
            if !work.spend(1 + self.rows.len() as u64 / 8) {
                return Err(Stop::Work);
            }
            let Some((row, bound, up)) = self.leaving(patience == 0)? else {
                return Ok(true);
            };
            let basic = self.rows[row];
            if self.lo[basic] > self.hi[basic] {
                self.conflict.clear();
                self.conflict.extend([(basic, false), (basic, true)]);
                return Ok(false);
            }
            let Some(column) = self.entering(row, up, patience == 0) else {
                // Every quantity of the row is as far as it may go, and that is not far enough.
                self.conflict.clear();
                self.conflict.push((basic, !up));
                for (column, entry) in self.matrix.entries(row) {
                    self.conflict.push((self.columns[column], (entry > 0) == up));
                }
                return Ok(false);
            };
            let column = if M::QUICK_COLUMNS && hasty == 0 && patience > 0 {
                if !work.spend((self.rows.len() * self.columns.len()) as u64 / 4) {
                    return Err(Stop::Work);
                }
                self.least_harm(row, bound, up).unwrap_or(column)
            } else {
                column
            };
            hasty = hasty.saturating_sub(1);
            patience = patience.saturating_sub(1);
            self.pivot(row, column, bound, work)?;
        }
    }

    /// Moves nonbasic quantities that lie outside of their bounds onto them.
    fn settle_columns(&mut self) -> Result<bool, Stop> {
        for column in 0..self.columns.len() {
            let quantity = self.columns[column];
            let (lo, hi, value) = (self.lo[quantity], self.hi[quantity], self.values[column]);
            if lo > hi {
                self.conflict.clear();
                self.conflict.extend([(quantity, false), (quantity, true)]);
                return Ok(false);
            }
            let target = value.clamp(lo, hi);
            if target != value {
                let step = sub(target, value)?;
                let mut entries = std::mem::take(&mut self.scratch);
                self.matrix.column(column, &mut entries);
                for &(row, entry) in &entries {
                    self.num[row] = add(self.num[row], mul(step, entry)?)?;
                }
                self.scratch = entries;
                self.values[column] = target;
            }
        }
        Ok(true)
    }

    /// A row outside of its bounds, the bound it must move to, and whether that is upwards.
    fn leaving(&self, least: bool) -> Result<Option<(usize, i128, bool)>, Overflow> {
        let mut best: Option<(usize, i128, bool)> = None;
        let mut most = 0;
        for (row, &quantity) in self.rows.iter().enumerate() {
            let (num, den) = (self.num[row], self.den[row]);
            let (lo, hi) = (self.lo[quantity], self.hi[quantity]);
            let found = if lo != NO_LO && num < mul(lo, den)? {
                (row, lo, true)
            } else if hi != NO_HI && num > mul(hi, den)? {
                (row, hi, false)
            } else {
                continue;
            };
            if least {
                if best.is_none_or(|best| quantity < self.rows[best.0]) {
                    best = Some(found);
                }
            } else {
                let excess = floor_div(num, den.into()).abs_diff(found.1);
                if best.is_none() || excess > most {
                    best = Some(found);
                    most = excess;
                }
            }
        }
        Ok(best)
    }

    /// A column that can move the row in the wanted direction.
    fn entering(&self, row: usize, up: bool, least: bool) -> Option<usize> {
        let mut best: Option<(bool, u64, usize, Quantity, usize)> = None;
        for (column, entry) in self.matrix.entries(row) {
            let quantity = self.columns[column];
            let value = self.values[column];
            let can = if (entry > 0) == up {
                value < self.hi[quantity]
            } else {
                value > self.lo[quantity]
            };
            if can {
                let free = self.lo[quantity] == NO_LO && self.hi[quantity] == NO_HI;
                let key = if least {
                    (false, 0, 0, quantity, column)
                } else {
                    (!free, entry.unsigned_abs(), self.matrix.crowd(column), quantity, column)
                };
                if best.is_none_or(|best| key < best) {
                    best = Some(key);
                }
            }
        }
        best.map(|best| best.4)
    }

    /// The column that moves the row to `bound` and leaves the least sum of violations in all rows. In floating
    /// point: it is a choice between right answers, and the four operations are the same on every machine.
    fn least_harm(&self, row: usize, bound: i128, up: bool) -> Option<usize> {
        let outside = |quantity: Quantity, value: f64| {
            let (lo, hi) = (self.lo[quantity], self.hi[quantity]);
            if lo != NO_LO && value < lo as f64 {
                lo as f64 - value
            } else if hi != NO_HI && value > hi as f64 {
                value - hi as f64
            } else {
                0.0
            }
        };
        let missing = bound as f64 * self.den[row] as f64 - self.num[row] as f64;
        let mut best: Option<(f64, usize)> = None;
        for (column, entry) in self.matrix.entries(row) {
            let quantity = self.columns[column];
            let value = self.values[column];
            let can = if (entry > 0) == up {
                value < self.hi[quantity]
            } else {
                value > self.lo[quantity]
            };
            if !can {
                continue;
            }
            let step = missing / entry as f64;
            let mut harm = outside(quantity, value as f64 + step);
            for (other, &quantity) in self.rows.iter().enumerate() {
                if other != row {
                    let moved =
                        self.num[other] as f64 + self.matrix.get(other, column) as f64 * step;
                    harm += outside(quantity, moved / self.den[other] as f64);
                }
            }
            if best.is_none_or(|best| harm < best.0) {
                best = Some((harm, column));
            }
        }
        best.map(|best| best.1)
    }

    /// Exchanges the basic quantity of the row, which goes to `target`, with that of the column.
    fn pivot(
        &mut self,
        row: usize,
        column: usize,
        target: i128,
        work: &mut Work,
    ) -> Result<(), Stop> {
        let mut entries = std::mem::take(&mut self.scratch);
        self.matrix.column(column, &mut entries);
        let pivot = self.matrix.get(row, column);
        let value = self.values[column];
        let rest = sub(self.num[row], mul(value, pivot)?)?;
        let num = sub(mul(target, self.den[row])?, rest)?;
        self.num[row] = if pivot > 0 { num } else { sub(0, num)? };
        self.matrix.turn(row, column, self.den[row]);
        self.den[row] = narrow(i128::from(pivot).abs())?;
        self.matrix.load(row);
        let (den, num) = (self.den[row], self.num[row]);
        let effort = self.matrix.effort() * entries.len() as u64;
        for &(other, entry) in &entries {
            if other != row {
                self.matrix.clear(other, column);
                self.num[other] = sub(self.num[other], mul(value, entry)?)?;
                self.add_loaded(other, entry, den, num)?;
            }
        }
        self.scratch = entries;
        let (leaving, entering) = (self.rows[row], self.columns[column]);
        self.rows[row] = entering;
        self.columns[column] = leaving;
        self.place[entering] = Position::Row(row);
        self.place[leaving] = Position::Column(column);
        self.values[column] = target;
        if work.spend(effort) { Ok(()) } else { Err(Stop::Work) }
    }

    /// Whether some row alone shows that no integer values exist: with the fixed quantities put in, the rest
    /// has a common divisor that the whole lacks.
    pub(super) fn row_without_integers(&self) -> Result<bool, Overflow> {
        for row in 0..self.rows.len() {
            let den = self.den[row];
            if den == 1 {
                continue;
            }
            let mut common = den.unsigned_abs();
            let mut fixed = 0;
            for (column, entry) in self.matrix.entries(row) {
                let quantity = self.columns[column];
                if self.lo[quantity] == self.hi[quantity] {
                    fixed = add(fixed, mul(self.values[column], entry)?)?;
                } else {
                    common = gcd(entry.unsigned_abs(), common);
                    if common == 1 {
                        break;
                    }
                }
            }
            if common != 1 && fixed % i128::from(common) != 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Appends a Gomory mixed-integer cut for each row whose value is a fraction: `Σ terms ≥ bound` holds for
    /// all integer solutions within the present bounds, and not for the present values.
    pub(super) fn cuts(&self, most: usize, out: &mut Vec<Cut>) {
        for row in 0..self.rows.len() {
            if out.len() >= most {
                break;
            }
            if self.den[row] != 1 {
                out.extend(self.cut(row));
            }
        }
    }

    fn cut(&self, row: usize) -> Option<Cut> {
        // Coefficients of a cut are up to the square of the denominator.
        const MOST: i64 = 1 << 6;
        let den = self.den[row];
        let part = i64::try_from(self.num[row].rem_euclid(i128::from(den))).ok()?;
        if part == 0 || den > MOST {
            return None;
        }
        let mut terms = Vec::new();
        let mut common = 0;
        let mut bound = i128::from(part) * i128::from(den - part);
        for (column, entry) in self.matrix.entries(row) {
            let quantity = self.columns[column];
            let value = self.values[column];
            // In terms of the distance from the bound that the quantity sits on, which is never negative.
            let at_lo = value == self.lo[quantity];
            let step = if at_lo { -entry } else { entry }.rem_euclid(den);
            if step == 0 {
                continue;
            }
            if !at_lo && value != self.hi[quantity] {
                return None;
            }
            let weight = if step <= part { step * (den - part) } else { (den - step) * part };
            common = gcd(weight.unsigned_abs(), common);
            let weight = if at_lo { weight } else { -weight };
            terms.push((quantity, weight));
            bound = add(bound, mul(value, weight).ok()?).ok()?;
        }
        let common = i64::try_from(common).ok().filter(|&common| common > 0)?;
        terms.iter_mut().for_each(|term| term.1 /= common);
        Some(Cut { terms, bound: ceil_div(bound, common.into()) })
    }
}

/// `Σ terms ≥ bound`.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) terms: Vec<(Quantity, i64)>,
    pub(super) bound: i128,
}
