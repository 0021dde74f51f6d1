//! Constraints over integers with finite domains: can they hold, in how many ways, in which?
//!
//! Bounds are narrowed to a fixed point after every change; where that does not settle the
//! question, values are tried one by one. A question may give up after a number of steps, and
//! then says so.

use std::sync::Arc;

/// A variable.
pub(crate) type Var = u32;

/// A constraint over variables of a problem.
#[derive(Clone)]
pub(crate) enum Constraint {
    /// x − y ≤ k
    Difference { x: Var, y: Var, k: i64 },
    /// low ≤ x ≤ high
    Bounds { x: Var, low: i64, high: i64 },
    /// x − y ≠ k
    Distinct { x: Var, y: Var, k: i64 },
    /// One or two variables, and which of their values go together.
    Table { x: Var, y: Option<Var>, table: Arc<Table> },
    /// Any number of variables and a test of their values.
    Test { vars: Arc<[Var]>, test: Arc<ValueTest> },
}

/// A test of the values of some variables.
type ValueTest = dyn Fn(&[i64]) -> bool + Send + Sync;

/// Pairs of values, as bits from the least values on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) low: [i64; 2],
    pub(crate) columns: usize,
    pub(crate) holds: Vec<bool>,
    /// Every x − y of a pair that is admitted, ascending.
    gaps: Vec<i64>,
}

impl Table {
    pub(crate) fn new(low: [i64; 2], columns: usize, holds: Vec<bool>) -> Table {
        let (rows, columns) = (holds.chunks(columns.max(1)), columns);
        let mut gaps = Vec::new();
        for (x, row) in (low[0]..).zip(rows) {
            gaps.extend((low[1]..).zip(row).filter(|(_, holds)| **holds).map(|(y, _)| x - y));
            // Most pairs have the gap of some pair before.
            gaps.sort_unstable();
            gaps.dedup();
        }
        Table { low, columns, holds, gaps }
    }

    /// The greatest x − y that is at most `k`.
    fn gap_up_to(&self, k: i64) -> Option<i64> {
        self.gaps[..self.gaps.partition_point(|gap| *gap <= k)].last().copied()
    }

    /// What follows for the pair `(x, y)` of the table from a − b ≤ k, if `a` and `b` are the pair.
    fn implied(&self, (x, y): (Var, Var), (a, b, k): (Var, Var, i64)) -> Option<Constraint> {
        // No gap at all is found out when the table is asked for values.
        if (a, b) == (x, y) {
            let gap = self.gap_up_to(k)?;
            (gap < k).then_some(Constraint::Difference { x, y, k: gap })
        } else if (b, a) == (x, y) {
            let gap = self.gap_from(-k)?;
            (gap > -k).then_some(Constraint::Difference { x: y, y: x, k: -gap })
        } else {
            None
        }
    }

    /// The least x − y that is at least `k`.
    fn gap_from(&self, k: i64) -> Option<i64> {
        self.gaps[self.gaps.partition_point(|gap| *gap < k)..].first().copied()
    }

    fn admits(&self, x: i64, y: i64) -> bool {
        let (row, column) = (x.wrapping_sub(self.low[0]), y.wrapping_sub(self.low[1]));
        if row < 0 || column < 0 || column as usize >= self.columns {
            return false;
        }
        self.holds.get(row as usize * self.columns + column as usize).copied().unwrap_or(false)
    }
}

/// The steps of a question ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GaveUp;

/// Variables, their bounds, and constraints between them; a stack, so that what was added last
/// can be taken back.
#[derive(Default)]
pub(crate) struct Problem {
    low: Vec<i64>,
    high: Vec<i64>,
    constraints: Vec<Constraint>,
    /// Constraints of each variable.
    of: Vec<Vec<u32>>,
    trail: Vec<(Var, i64, i64)>,
    queue: Vec<Var>,
    values: Vec<i64>,
    /// How many constraints are no bounds or differences.
    hard: usize,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    trail: usize,
    constraints: usize,
}

impl Problem {
    pub(crate) fn clear(&mut self) {
        self.low.clear();
        self.high.clear();
        self.constraints.clear();
        self.trail.clear();
        self.queue.clear();
        for list in &mut self.of {
            list.clear();
        }
        self.hard = 0;
    }

    pub(crate) fn variable(&mut self, low: i64, high: i64) -> Var {
        let var = self.low.len();
        self.low.push(low);
        self.high.push(high);
        if self.of.len() <= var {
            self.of.push(Vec::new());
        }
        var as Var
    }

    pub(crate) fn len(&self) -> usize {
        self.low.len()
    }

    pub(crate) fn bounds(&self, x: Var) -> (i64, i64) {
        (self.low[x as usize], self.high[x as usize])
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), constraints: self.constraints.len() }
    }

    pub(crate) fn undo_to(&mut self, mark: Mark) {
        self.undo_bounds(mark.trail);
        while self.constraints.len() > mark.constraints {
            let Some(constraint) = self.constraints.pop() else { break };
            if constraint.is_hard() {
                self.hard -= 1;
            }
            let of = &mut self.of;
            constraint.each_var(|v| {
                of[v as usize].pop();
            });
        }
    }

    fn undo_bounds(&mut self, to: usize) {
        while self.trail.len() > to {
            if let Some((var, low, high)) = self.trail.pop() {
                self.low[var as usize] = low;
                self.high[var as usize] = high;
            }
        }
        self.queue.clear();
    }

    /// Adds a constraint; false when bounds alone show that nothing satisfies all.
    pub(crate) fn add(&mut self, constraint: Constraint) -> bool {
        if let Constraint::Bounds { x, low, high } = constraint {
            return self.narrow(x, low, high) && self.propagate();
        }
        // A pair of variables that has a table as well as a difference: what the table says of its
        // differences is passed on along chains of them, the table itself is not.
        let mut implied = Vec::new();
        match &constraint {
            Constraint::Difference { x, y, k } if self.hard > 0 => {
                for id in &self.of[*x as usize] {
                    if let Constraint::Table { x: a, y: Some(b), table } =
                        &self.constraints[*id as usize]
                    {
                        implied.extend(table.implied((*a, *b), (*x, *y, *k)));
                    }
                }
            }
            Constraint::Table { x, y: Some(y), table } => {
                for id in &self.of[*x as usize] {
                    if let Constraint::Difference { x: a, y: b, k } =
                        &self.constraints[*id as usize]
                    {
                        implied.extend(table.implied((*x, *y), (*a, *b, *k)));
                    }
                }
            }
            _ => {}
        }
        self.put(constraint) && implied.into_iter().all(|c| self.put(c))
    }

    fn put(&mut self, constraint: Constraint) -> bool {
        let id = self.constraints.len() as u32;
        if constraint.is_hard() {
            self.hard += 1;
        }
        let of = &mut self.of;
        constraint.each_var(|v| of[v as usize].push(id));
        self.constraints.push(constraint);
        self.revise(id) && self.propagate()
    }

    /// Whether something satisfies all.
    pub(crate) fn satisfiable(&mut self, steps: u64) -> Result<bool, GaveUp> {
        if self.hard == 0 {
            // The least values satisfy every difference.
            return Ok(true);
        }
        let mut found = false;
        let complete = self.each_solution(steps, &mut |_| {
            found = true;
            false
        });
        if found { Ok(true) } else { complete.map(|()| false) }
    }

    /// In how many ways all can be satisfied: a product over variables that share no constraint.
    pub(crate) fn count(&mut self, steps: u64) -> Result<u128, GaveUp> {
        let components = self.components();
        let mut product = 1u128;
        let mut left = steps;
        for vars in components {
            let ways = self.count_among(&vars, 0, &mut left)?;
            product = product.saturating_mul(ways);
            if product == 0 {
                break;
            }
        }
        Ok(product)
    }

    fn count_among(&mut self, vars: &[Var], from: usize, steps: &mut u64) -> Result<u128, GaveUp> {
        let fixed = |p: &Self, v: Var| p.low[v as usize] == p.high[v as usize];
        let mut at = from;
        while at < vars.len() && fixed(self, vars[at]) {
            at += 1;
        }
        let Some(&var) = vars.get(at) else { return Ok(1) };
        let (low, high) = self.bounds(var);
        if self.hard == 0 && vars[at + 1..].iter().all(|v| fixed(self, *v)) {
            // Bounds are exact for differences to fixed values.
            return Ok(u128::from(high.abs_diff(low)) + 1);
        }
        let mut total = 0u128;
        for value in low..=high {
            *steps = steps.checked_sub(1).ok_or(GaveUp)?;
            let mark = self.trail.len();
            if self.narrow(var, value, value) && self.propagate() {
                total = total.saturating_add(self.count_among(vars, at + 1, steps)?);
            }
            self.undo_bounds(mark);
        }
        Ok(total)
    }

    /// Variables that are not fixed, grouped by the constraints they share.
    fn components(&self) -> Vec<Vec<Var>> {
        let n = self.len();
        let mut group: Vec<usize> = (0..n).collect();
        fn find(group: &mut [usize], mut x: usize) -> usize {
            while group[x] != x {
                group[x] = group[group[x]];
                x = group[x];
            }
            x
        }
        let open = |v: Var| self.low[v as usize] != self.high[v as usize];
        for constraint in &self.constraints {
            let mut first = None;
            constraint.each_var(|v| {
                if open(v) {
                    let root = find(&mut group, v as usize);
                    match first {
                        None => first = Some(root),
                        Some(f) => group[root] = f,
                    }
                }
            });
        }
        let mut lists: Vec<Vec<Var>> = vec![Vec::new(); n];
        for v in 0..n {
            if open(v as Var) {
                lists[find(&mut group, v)].push(v as Var);
            }
        }
        lists.retain(|l| !l.is_empty());
        lists
    }

    /// Calls `found` with the values of each solution, in lexical order, until it says false.
    pub(crate) fn each_solution(
        &mut self,
        steps: u64,
        found: &mut dyn FnMut(&[i64]) -> bool,
    ) -> Result<(), GaveUp> {
        let mut left = steps;
        self.search(0, &mut left, found).map(|_| ())
    }

    /// False when `found` had enough.
    fn search(
        &mut self,
        from: usize,
        steps: &mut u64,
        found: &mut dyn FnMut(&[i64]) -> bool,
    ) -> Result<bool, GaveUp> {
        let mut at = from;
        while at < self.len() && self.low[at] == self.high[at] {
            at += 1;
        }
        if at == self.len() {
            return Ok(found(&self.low));
        }
        let (low, high) = (self.low[at], self.high[at]);
        for value in low..=high {
            *steps = steps.checked_sub(1).ok_or(GaveUp)?;
            let mark = self.trail.len();
            let fits = self.narrow(at as Var, value, value) && self.propagate();
            if fits && !self.search(at + 1, steps, found)? {
                self.undo_bounds(mark);
                return Ok(false);
            }
            self.undo_bounds(mark);
        }
        Ok(true)
    }

    /// Some solution, by values drawn with `pick` from the interval that is left.
    pub(crate) fn pick_solution(
        &mut self,
        steps: u64,
        pick: &mut dyn FnMut(i64, i64) -> i64,
    ) -> Result<Option<Vec<i64>>, GaveUp> {
        let mut left = steps;
        self.pick_from(0, &mut left, pick)
    }

    fn pick_from(
        &mut self,
        from: usize,
        steps: &mut u64,
        pick: &mut dyn FnMut(i64, i64) -> i64,
    ) -> Result<Option<Vec<i64>>, GaveUp> {
        let mut at = from;
        while at < self.len() && self.low[at] == self.high[at] {
            at += 1;
        }
        if at == self.len() {
            return Ok(Some(self.low.clone()));
        }
        let (low, high) = (self.low[at], self.high[at]);
        let first = pick(low, high);
        // From the drawn value on, and around.
        for value in (first..=high).chain(low..first) {
            *steps = steps.checked_sub(1).ok_or(GaveUp)?;
            let mark = self.trail.len();
            if self.narrow(at as Var, value, value)
                && self.propagate()
                && let Some(found) = self.pick_from(at + 1, steps, pick)?
            {
                self.undo_bounds(mark);
                return Ok(Some(found));
            }
            self.undo_bounds(mark);
        }
        Ok(None)
    }

    fn narrow(&mut self, x: Var, low: i64, high: i64) -> bool {
        let i = x as usize;
        let (l, h) = (self.low[i].max(low), self.high[i].min(high));
        if l > h {
            return false;
        }
        if (l, h) != (self.low[i], self.high[i]) {
            self.trail.push((x, self.low[i], self.high[i]));
            self.low[i] = l;
            self.high[i] = h;
            self.queue.push(x);
        }
        true
    }

    fn propagate(&mut self) -> bool {
        while let Some(x) = self.queue.pop() {
            for i in 0..self.of[x as usize].len() {
                let id = self.of[x as usize][i];
                if !self.revise(id) {
                    self.queue.clear();
                    return false;
                }
            }
        }
        true
    }

    fn fixed(&self, x: Var) -> Option<i64> {
        let (low, high) = self.bounds(x);
        (low == high).then_some(low)
    }

    /// Narrows the bounds of a constraint's variables; false when it cannot hold.
    fn revise(&mut self, id: u32) -> bool {
        match &self.constraints[id as usize] {
            Constraint::Bounds { .. } => true,
            Constraint::Difference { x, y, k } => {
                let (x, y, k) = (*x, *y, *k);
                let high = self.high[y as usize].saturating_add(k);
                let low = self.low[x as usize].saturating_sub(k);
                self.narrow(x, i64::MIN, high) && self.narrow(y, low, i64::MAX)
            }
            Constraint::Distinct { x, y, k } => {
                let (x, y, k) = (*x, *y, *k);
                match (self.fixed(x), self.fixed(y)) {
                    (Some(a), Some(b)) => a.wrapping_sub(b) != k,
                    (Some(a), None) => self.exclude(y, a.wrapping_sub(k)),
                    (None, Some(b)) => self.exclude(x, b.wrapping_add(k)),
                    (None, None) => true,
                }
            }
            Constraint::Table { x, y, table } => {
                let (x, y, table) = (*x, *y, Arc::clone(table));
                match y {
                    None => {
                        let base = table.low[1];
                        self.trim(x, |v| table.admits(v, base))
                    }
                    Some(y) => match (self.fixed(x), self.fixed(y)) {
                        (Some(a), Some(b)) => table.admits(a, b),
                        (Some(a), None) => self.trim(y, |b| table.admits(a, b)),
                        (None, Some(b)) => self.trim(x, |a| table.admits(a, b)),
                        (None, None) => true,
                    },
                }
            }
            Constraint::Test { vars, test } => {
                if vars.iter().any(|v| self.low[*v as usize] != self.high[*v as usize]) {
                    return true;
                }
                let (vars, test) = (Arc::clone(vars), Arc::clone(test));
                self.values.clear();
                for v in vars.iter() {
                    self.values.push(self.low[*v as usize]);
                }
                test(&self.values)
            }
        }
    }

    /// Takes a value out if it is a bound.
    fn exclude(&mut self, x: Var, value: i64) -> bool {
        let (low, high) = self.bounds(x);
        if value == low && value == high {
            false
        } else if value == low {
            self.narrow(x, low + 1, high)
        } else if value == high {
            self.narrow(x, low, high - 1)
        } else {
            true
        }
    }

    /// Moves both bounds inwards to values that are admitted.
    fn trim(&mut self, x: Var, admits: impl Fn(i64) -> bool) -> bool {
        let (mut low, mut high) = self.bounds(x);
        while low <= high && !admits(low) {
            low += 1;
        }
        while low <= high && !admits(high) {
            high -= 1;
        }
        low <= high && self.narrow(x, low, high)
    }
}

impl Constraint {
    /// x is one of the values, which are sorted.
    pub(crate) fn among(x: Var, values: &[i64]) -> Constraint {
        let (low, high) =
            (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0));
        let holds = (low..=high).map(|v| values.binary_search(&v).is_ok()).collect();
        Constraint::Table { x, y: None, table: Arc::new(Table::new([low, 0], 1, holds)) }
    }

    /// Whether bounds can be at a fixed point though nothing satisfies it.
    fn is_hard(&self) -> bool {
        !matches!(self, Constraint::Difference { .. } | Constraint::Bounds { .. })
    }

    fn each_var(&self, mut f: impl FnMut(Var)) {
        match self {
            Constraint::Difference { x, y, .. } | Constraint::Distinct { x, y, .. } => {
                f(*x);
                f(*y);
            }
            Constraint::Bounds { x, .. } => f(*x),
            Constraint::Table { x, y, .. } => {
                f(*x);
                if let Some(y) = y {
                    f(*y);
                }
            }
            Constraint::Test { vars, .. } => vars.iter().for_each(|v| f(*v)),
        }
    }
}

#[cfg(test)]
mod tests;
