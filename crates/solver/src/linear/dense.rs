//! Rows as plain arrays: the faster store while there are few columns.

use super::arith::{Overflow, gcd_wide, narrow};
use super::matrix::Matrix;

/// Entries this small may be multiplied and added without any test.
const SAFE: i128 = 1 << 62;

/// Row-major entries with room for more columns than are in use.
#[derive(Debug, Default)]
pub(super) struct Dense {
    entries: Vec<i64>,
    /// An upper bound of the magnitudes in each row.
    magnitude: Vec<i64>,
    columns: usize,
    stride: usize,
    source: Vec<i64>,
    source_magnitude: i64,
    wide: Vec<i128>,
}

impl Dense {
    fn row(&self, row: usize) -> &[i64] {
        let start = row * self.stride;
        &self.entries[start..start + self.columns]
    }

    fn row_mut(&mut self, row: usize) -> &mut [i64] {
        let start = row * self.stride;
        &mut self.entries[start..start + self.columns]
    }

    /// The same as the quick path of `combine`, for entries that may outgrow 64 bits on the way.
    fn combine_wide(
        &mut self,
        row: usize,
        factor: i64,
        by: i64,
        den: i128,
    ) -> Result<i128, Overflow> {
        let mut wide = std::mem::take(&mut self.wide);
        wide.clear();
        let mut common = den.unsigned_abs();
        for (&old, &source) in self.row(row).iter().zip(&self.source) {
            let sum = i128::from(factor) * i128::from(old) + i128::from(by) * i128::from(source);
            wide.push(sum);
            if common != 1 {
                common = gcd_wide(common, sum.unsigned_abs());
            }
        }
        let common = i128::try_from(common).map_err(|_| Overflow)?;
        let mut magnitude = 0;
        for (entry, &sum) in self.row_mut(row).iter_mut().zip(&wide) {
            *entry = narrow(sum / common)?;
            magnitude = magnitude.max(entry.abs());
        }
        self.magnitude[row] = magnitude;
        self.wide = wide;
        Ok(common)
    }
}

impl Matrix for Dense {
    const MAX_COLUMNS: usize = 96;
    const QUICK_COLUMNS: bool = true;

    fn columns(&self) -> usize {
        self.columns
    }

    fn push_column(&mut self) {
        if self.columns == self.stride {
            let stride = (self.stride * 2).max(8);
            let mut entries = vec![0; stride * self.magnitude.len()];
            for row in 0..self.magnitude.len() {
                entries[row * stride..row * stride + self.columns].copy_from_slice(self.row(row));
            }
            self.entries = entries;
            self.stride = stride;
        }
        self.columns += 1;
    }

    fn push_row(&mut self) {
        self.entries.resize(self.entries.len() + self.stride, 0);
        self.magnitude.push(0);
    }

    fn swap_remove_row(&mut self, row: usize) {
        let last = (self.magnitude.len() - 1) * self.stride;
        self.entries.copy_within(last..last + self.stride, row * self.stride);
        self.entries.truncate(last);
        self.magnitude.swap_remove(row);
    }

    #[inline]
    fn get(&self, row: usize, column: usize) -> i64 {
        self.entries[row * self.stride + column]
    }

    fn add(&mut self, row: usize, column: usize, value: i64) -> Result<(), Overflow> {
        let entry = &mut self.entries[row * self.stride + column];
        *entry = narrow(i128::from(*entry) + i128::from(value))?;
        self.magnitude[row] = self.magnitude[row].max(entry.abs());
        Ok(())
    }

    #[inline]
    fn entries(&self, row: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.row(row).iter().copied().enumerate().filter(|entry| entry.1 != 0)
    }

    fn column(&mut self, column: usize, out: &mut Vec<(usize, i64)>) {
        out.clear();
        let entries = self.entries.iter().skip(column).step_by(self.stride);
        out.extend(entries.copied().enumerate().filter(|entry| entry.1 != 0));
    }

    fn crowd(&self, _: usize) -> usize {
        0
    }

    fn turn(&mut self, row: usize, column: usize, den: i64) {
        let entries = self.row_mut(row);
        if entries[column] > 0 {
            entries.iter_mut().for_each(|entry| *entry = -*entry);
            entries[column] = den;
        } else {
            entries[column] = -den;
        }
        self.magnitude[row] = self.magnitude[row].max(den);
    }

    fn load(&mut self, row: usize) {
        let start = row * self.stride;
        self.source.clear();
        self.source.extend_from_slice(&self.entries[start..start + self.columns]);
        self.source_magnitude = self.magnitude[row];
    }

    #[inline]
    fn combine(&mut self, row: usize, factor: i64, by: i64, den: i128) -> Result<i128, Overflow> {
        let most = i128::from(factor.unsigned_abs()) * i128::from(self.magnitude[row])
            + i128::from(by.unsigned_abs()) * i128::from(self.source_magnitude);
        if most >= SAFE || den != 1 {
            return self.combine_wide(row, factor, by, den);
        }
        let start = row * self.stride;
        let mut magnitude = 0;
        for (entry, source) in
            self.entries[start..start + self.columns].iter_mut().zip(&self.source)
        {
            *entry = factor * *entry + by * source;
            magnitude |= entry.abs();
        }
        self.magnitude[row] = magnitude;
        Ok(1)
    }

    fn clear(&mut self, row: usize, column: usize) {
        self.entries[row * self.stride + column] = 0;
    }

    fn effort(&self) -> u64 {
        self.columns as u64
    }
}
