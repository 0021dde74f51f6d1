//! Weighted least squares with coefficients that are not negative.

/// At most this many columns: the active sets are simply all tried.
pub(super) const MAX_COLUMNS: usize = 5;

/// The coefficients x ≥ 0 that minimise Σ (w·(row·x − target))², the columns being given one by
/// one. With five columns there are 31 possible sets of non-zero coefficients, and the best of those
/// whose free solution is non-negative is the constrained optimum.
pub(super) fn nnls(columns: &[Vec<f64>], target: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
    debug_assert!(columns.len() <= MAX_COLUMNS);
    // Columns are scaled to unit length, so that n! and 1 can share a matrix.
    let norms: Vec<f64> = columns.iter().map(|c| dot(c, c, weights).sqrt()).collect();
    let mut best: Option<(f64, Vec<f64>)> = None;
    for mask in 1u32..1 << columns.len() {
        let active: Vec<usize> = (0..columns.len()).filter(|j| mask >> j & 1 == 1).collect();
        if active.iter().any(|&j| norms[j] <= 0.0 || !norms[j].is_finite()) {
            continue;
        }
        let mut matrix = [[0.0; MAX_COLUMNS + 1]; MAX_COLUMNS];
        for (r, &i) in active.iter().enumerate() {
            for (c, &j) in active.iter().enumerate() {
                matrix[r][c] = dot(&columns[i], &columns[j], weights) / (norms[i] * norms[j]);
            }
            matrix[r][MAX_COLUMNS] = dot(&columns[i], target, weights) / norms[i];
        }
        let Some(x) = solve(matrix, active.len()) else {
            continue;
        };
        if x[..active.len()].iter().any(|&v| v < 0.0) {
            continue;
        }
        let mut coefficients = vec![0.0; columns.len()];
        for (r, &j) in active.iter().enumerate() {
            coefficients[j] = x[r] / norms[j];
        }
        let rss = residual(columns, target, weights, &coefficients);
        if best.as_ref().is_none_or(|(least, _)| rss < *least) {
            best = Some((rss, coefficients));
        }
    }
    best.map(|(_, coefficients)| coefficients)
}

/// The weighted sum of squares that is left.
pub(super) fn residual(columns: &[Vec<f64>], target: &[f64], weights: &[f64], x: &[f64]) -> f64 {
    (0..target.len())
        .map(|i| {
            let value: f64 = columns.iter().zip(x).map(|(c, x)| c[i] * x).sum();
            weights[i] * (value - target[i]).powi(2)
        })
        .sum()
}

fn dot(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    a.iter().zip(b).zip(weights).map(|((a, b), w)| w * a * b).sum()
}

/// Elimination with partial pivoting; `None` when the columns are as good as dependent.
fn solve(mut m: [[f64; MAX_COLUMNS + 1]; MAX_COLUMNS], size: usize) -> Option<[f64; MAX_COLUMNS]> {
    for c in 0..size {
        let pivot = (c..size).max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs()))?;
        if m[pivot][c].abs() < 1e-12 {
            return None;
        }
        m.swap(c, pivot);
        let lead = m[c];
        for row in m.iter_mut().take(size).skip(c + 1) {
            let factor = row[c] / lead[c];
            for (x, l) in row.iter_mut().zip(lead) {
                *x -= factor * l;
            }
        }
    }
    let mut x = [0.0; MAX_COLUMNS];
    for r in (0..size).rev() {
        let known: f64 = (r + 1..size).map(|j| m[r][j] * x[j]).sum();
        x[r] = (m[r][MAX_COLUMNS] - known) / m[r][r];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_negative_coefficient_becomes_zero() {
        let n: Vec<f64> = (1..=6).map(f64::from).collect();
        let ones = vec![1.0; 6];
        let target: Vec<f64> = n.iter().map(|n| 3.0 * n - 2.0).collect();
        let x = nnls(&[n, ones.clone()], &target, &ones).unwrap();
        assert_eq!(x[1], 0.0);
        assert!(x[0] > 2.0 && x[0] < 3.0);
    }

    proptest! {
        /// No non-negative neighbour of the answer is better.
        #[test]
        fn nothing_near_is_better(
            target in prop::collection::vec(0.0f64..100.0, 6),
            step in prop::collection::vec(-0.5f64..0.5, 3),
        ) {
            let columns: Vec<Vec<f64>> = [2, 1, 0].iter().map(|&k| (1..=6).map(|n| f64::from(n).powi(k)).collect()).collect();
            let weights = vec![1.0; 6];
            let x = nnls(&columns, &target, &weights).unwrap();
            let moved: Vec<f64> = x.iter().zip(&step).map(|(x, s)| (x + s).max(0.0)).collect();
            let here = residual(&columns, &target, &weights, &x);
            prop_assert!(here <= residual(&columns, &target, &weights, &moved) + 1e-6);
        }
    }
}
