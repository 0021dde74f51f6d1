//! What the simplex method asks of the store of its rows.

use super::arith::Overflow;

/// Integer rows over numbered columns. Rows are numbered densely: removing one renames the last.
pub(super) trait Matrix: Default {
    /// How many columns a store of this kind should hold before a better one is sought.
    const MAX_COLUMNS: usize;
    /// Whether reading a column entry by entry is cheap.
    const QUICK_COLUMNS: bool;

    /// Number of columns.
    fn columns(&self) -> usize;
    /// Appends a column of zeros.
    fn push_column(&mut self);
    /// Appends a row of zeros.
    fn push_row(&mut self);
    /// Removes a row; the last row takes its number.
    fn swap_remove_row(&mut self, row: usize);
    /// One entry.
    fn get(&self, row: usize, column: usize) -> i64;
    /// Adds to one entry.
    fn add(&mut self, row: usize, column: usize, value: i64) -> Result<(), Overflow>;
    /// The nonzero entries of a row, by ascending column.
    fn entries(&self, row: usize) -> impl Iterator<Item = (usize, i64)> + '_;
    /// The nonzero entries of a column, by ascending row, into an emptied vector.
    fn column(&mut self, column: usize, out: &mut Vec<(usize, i64)>);
    /// At most how many nonzero entries a column has, if that is known without looking and matters for speed.
    fn crowd(&self, column: usize) -> usize;
    /// Solves the row `den · y = Σ aₖ·xₖ` for the variable of `column` (whose entry is not zero), whose column
    /// `y` then takes.
    fn turn(&mut self, row: usize, column: usize, den: i64);
    /// Remembers a row as the source of following calls of [`Matrix::combine`].
    fn load(&mut self, row: usize);
    /// `row := (factor · row + by · loaded) / g`, where `g` is the greatest common divisor of the entries and
    /// of `den`, the row's new denominator before the division. Returns `g`.
    fn combine(&mut self, row: usize, factor: i64, by: i64, den: i128) -> Result<i128, Overflow>;
    /// Sets one entry to zero.
    fn clear(&mut self, row: usize, column: usize);
    /// About how many entries a call of [`Matrix::combine`] with the loaded row touches.
    fn effort(&self) -> u64;
}

#[cfg(test)]
mod tests {
    use super::super::{dense::Dense, sparse::Sparse};
    use super::*;

    fn random(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) % below
    }

    fn same(dense: &mut Dense, sparse: &mut Sparse, rows: usize) {
        for row in 0..rows {
            let left: Vec<_> = dense.entries(row).collect();
            let right: Vec<_> = sparse.entries(row).collect();
            assert_eq!(left, right);
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for column in 0..dense.columns() {
            dense.column(column, &mut left);
            sparse.column(column, &mut right);
            assert_eq!(left, right);
        }
    }

    /// The two stores are the same abstract matrix under any sequence of operations.
    #[test]
    fn dense_and_sparse_rows_agree() {
        for seed in 0..200 {
            let mut state = seed;
            let (mut dense, mut sparse, mut rows) = (Dense::default(), Sparse::default(), 0_usize);
            for _ in 0..60 {
                let row = random(&mut state, rows.max(1) as u64) as usize;
                let column = random(&mut state, dense.columns().max(1) as u64) as usize;
                let value = random(&mut state, 9) as i64 - 4;
                match random(&mut state, 8) {
                    0 => {
                        dense.push_column();
                        sparse.push_column();
                    }
                    1 => {
                        dense.push_row();
                        sparse.push_row();
                        rows += 1;
                    }
                    _ if rows == 0 || dense.columns() == 0 => {}
                    2 => {
                        dense.swap_remove_row(row);
                        sparse.swap_remove_row(row);
                        rows -= 1;
                    }
                    3 => {
                        dense.clear(row, column);
                        sparse.clear(row, column);
                    }
                    4 => {
                        let source = random(&mut state, rows as u64) as usize;
                        dense.load(source);
                        sparse.load(source);
                        let factor = 1 + random(&mut state, 3) as i64;
                        let den = i128::from(factor) * (1 + i128::from(random(&mut state, 6)));
                        assert_eq!(
                            dense.combine(row, factor, value, den),
                            sparse.combine(row, factor, value, den)
                        );
                    }
                    5 if dense.get(row, column) != 0 => {
                        dense.turn(row, column, 3);
                        sparse.turn(row, column, 3);
                    }
                    _ => {
                        assert_eq!(dense.add(row, column, value), sparse.add(row, column, value));
                    }
                }
                same(&mut dense, &mut sparse, rows);
            }
        }
    }

    #[test]
    fn large_entries_overflow_alike() {
        let (mut dense, mut sparse) = (Dense::default(), Sparse::default());
        for _ in 0..2 {
            dense.push_column();
            sparse.push_column();
            dense.push_row();
            sparse.push_row();
        }
        for (row, column, value) in
            [(0, 0, i64::MAX / 3), (0, 1, 7), (1, 0, i64::MAX / 5), (1, 1, 1)]
        {
            dense.add(row, column, value).unwrap();
            sparse.add(row, column, value).unwrap();
        }
        dense.load(0);
        sparse.load(0);
        assert_eq!(dense.combine(1, 2, 1, 2), Ok(1));
        assert_eq!(sparse.combine(1, 2, 1, 2), Ok(1));
        same(&mut dense, &mut sparse, 2);
        assert_eq!(dense.combine(1, 2, 1, 4), Err(Overflow));
        assert_eq!(sparse.combine(1, 2, 1, 4), Err(Overflow));
    }
}
