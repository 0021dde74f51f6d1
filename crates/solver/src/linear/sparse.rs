//! Rows as sorted lists of nonzero entries: the store for many columns.

use super::arith::{Overflow, gcd_wide, narrow};
use super::matrix::Matrix;

/// Rows, and for each column the rows that may have an entry there.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    rows: Vec<Vec<(u32, i64)>>,
    /// A superset of the rows with a nonzero in the column, in any order, with repeats; cleaned when read.
    occurs: Vec<Vec<u32>>,
    source: Vec<(u32, i64)>,
    wide: Vec<(u32, i128)>,
}

impl Sparse {
    fn find(&self, row: usize, column: usize) -> Result<usize, usize> {
        self.rows[row].binary_search_by_key(&(column as u32), |entry| entry.0)
    }
}

impl Matrix for Sparse {
    const MAX_COLUMNS: usize = usize::MAX;
    const QUICK_COLUMNS: bool = false;

    fn columns(&self) -> usize {
        self.occurs.len()
    }

    fn push_column(&mut self) {
        self.occurs.push(Vec::new());
    }

    fn push_row(&mut self) {
        self.rows.push(Vec::new());
    }

    fn swap_remove_row(&mut self, row: usize) {
        self.rows.swap_remove(row);
        if let Some(moved) = self.rows.get(row) {
            for &(column, _) in moved {
                self.occurs[column as usize].push(row as u32);
            }
        }
    }

    fn get(&self, row: usize, column: usize) -> i64 {
        self.find(row, column).map_or(0, |at| self.rows[row][at].1)
    }

    fn add(&mut self, row: usize, column: usize, value: i64) -> Result<(), Overflow> {
        match self.find(row, column) {
            Ok(at) => {
                let sum = narrow(i128::from(self.rows[row][at].1) + i128::from(value))?;
                if sum == 0 {
                    self.rows[row].remove(at);
                } else {
                    self.rows[row][at].1 = sum;
                }
            }
            Err(at) if value != 0 => {
                self.rows[row].insert(at, (column as u32, narrow(value.into())?));
                self.occurs[column].push(row as u32);
            }
            Err(_) => {}
        }
        Ok(())
    }

    fn entries(&self, row: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.rows[row].iter().map(|&(column, value)| (column as usize, value))
    }

    fn column(&mut self, column: usize, out: &mut Vec<(usize, i64)>) {
        out.clear();
        let mut occurs = std::mem::take(&mut self.occurs[column]);
        occurs.sort_unstable();
        occurs.dedup();
        occurs.retain(|&row| {
            let value =
                if (row as usize) < self.rows.len() { self.get(row as usize, column) } else { 0 };
            if value != 0 {
                out.push((row as usize, value));
            }
            value != 0
        });
        self.occurs[column] = occurs;
    }

    fn crowd(&self, column: usize) -> usize {
        self.occurs[column].len()
    }

    fn turn(&mut self, row: usize, column: usize, den: i64) {
        let Ok(at) = self.find(row, column) else {
            return;
        };
        let entries = &mut self.rows[row];
        if entries[at].1 > 0 {
            entries.iter_mut().for_each(|entry| entry.1 = -entry.1);
            entries[at].1 = den;
        } else {
            entries[at].1 = -den;
        }
    }

    fn load(&mut self, row: usize) {
        self.source.clone_from(&self.rows[row]);
    }

    fn combine(&mut self, row: usize, factor: i64, by: i64, den: i128) -> Result<i128, Overflow> {
        let (factor, by) = (i128::from(factor), i128::from(by));
        let mut wide = std::mem::take(&mut self.wide);
        wide.clear();
        let (mut old, mut new) = (self.rows[row].iter().peekable(), self.source.iter().peekable());
        loop {
            let (column, sum) = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(&&(column, a)), other) if other.is_none_or(|other| column < other.0) => {
                    old.next();
                    (column, factor * i128::from(a))
                }
                (Some(&&(column, a)), Some(&&(other, b))) if column == other => {
                    old.next();
                    new.next();
                    (column, factor * i128::from(a) + by * i128::from(b))
                }
                (_, Some(&&(column, b))) => {
                    new.next();
                    if by != 0 {
                        self.occurs[column as usize].push(row as u32);
                    }
                    (column, by * i128::from(b))
                }
                (Some(_), None) => unreachable!("the first arm takes an old entry without a rival"),
            };
            if sum != 0 {
                wide.push((column, sum));
            }
        }
        let mut common = den.unsigned_abs();
        for &(_, sum) in &wide {
            if common == 1 {
                break;
            }
            common = gcd_wide(common, sum.unsigned_abs());
        }
        let common = i128::try_from(common).map_err(|_| Overflow)?;
        let target = &mut self.rows[row];
        target.clear();
        for &(column, sum) in &wide {
            target.push((column, narrow(if common == 1 { sum } else { sum / common })?));
        }
        self.wide = wide;
        Ok(common)
    }

    fn clear(&mut self, row: usize, column: usize) {
        if let Ok(at) = self.find(row, column) {
            self.rows[row].remove(at);
        }
    }

    fn effort(&self) -> u64 {
        2 * self.source.len() as u64 + 1
    }
}
