//! Small boxes, where every point can be tried.

use super::super::{Answer, Lin, Linear, Mark, Var, Work};

/// A small generator of numbers, so that a failure is reproduced by its seed alone.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    pub(super) fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }
}

#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) lin: Lin,
    pub(super) relation: u64,
}

impl Fact {
    pub(super) fn holds(&self, value: impl Fn(Var) -> i128) -> bool {
        let sum: i128 = self.lin.offset()
            + self.lin.terms().iter().map(|&(var, a)| i128::from(a) * value(var)).sum::<i128>();
        match self.relation {
            0 => sum <= 0,
            1 => sum == 0,
            _ => sum != 0,
        }
    }

    pub(super) fn assert(&self, linear: &mut Linear) {
        match self.relation {
            0 => linear.assert_le(&self.lin),
            1 => linear.assert_eq(&self.lin),
            _ => linear.assert_ne(&self.lin),
        }
    }
}

fn random_fact(dice: &mut Dice, vars: usize, reach: i64) -> Fact {
    let mut lin = Lin::constant(dice.between(-2 * reach, 2 * reach).into());
    for var in 0..vars {
        if dice.below(3) != 0 {
            lin.add_term(Var(var as u32), dice.between(-reach, reach)).unwrap();
        }
    }
    let relation = [0, 0, 0, 1, 2, 2][dice.below(6) as usize];
    Fact { lin, relation }
}

fn satisfiable(ranges: &[(i128, i128)], facts: &[Fact]) -> bool {
    let mut point: Vec<i128> = ranges.iter().map(|range| range.0).collect();
    loop {
        if facts.iter().all(|fact| fact.holds(|var| point[var.0 as usize])) {
            return true;
        }
        let Some(at) = (0..point.len()).find(|&at| point[at] < ranges[at].1) else {
            return false;
        };
        point[at] += 1;
        for (value, range) in point[..at].iter_mut().zip(ranges) {
            *value = range.0;
        }
    }
}

fn agrees(linear: &mut Linear, ranges: &[(i128, i128)], facts: &[Fact]) {
    match linear.check(&mut Work::new(1_000_000)) {
        Answer::Sat => {
            for (var, range) in ranges.iter().enumerate() {
                let value = linear.value(Var(var as u32));
                assert!(range.0 <= value && value <= range.1);
            }
            for fact in facts {
                assert!(fact.holds(|var| linear.value(var)), "{fact:?} in {facts:?}");
            }
        }
        Answer::Unsat => assert!(!satisfiable(ranges, facts), "{facts:?}"),
        Answer::Unknown(reason) => panic!("{reason}: {facts:?}"),
    }
}

/// Random walks up and down a stack of constraints and variables.
fn walk(seed: u64, reach: i64, steps: usize) {
    let mut dice = Dice(seed);
    let mut linear = Linear::new();
    let (mut ranges, mut facts): (Vec<(i128, i128)>, Vec<Fact>) = (Vec::new(), Vec::new());
    let mut marks: Vec<(Mark, usize, usize)> = Vec::new();
    for _ in 0..2 {
        linear.new_var(-3, 3);
        ranges.push((-3, 3));
    }
    for _ in 0..steps {
        match dice.below(10) {
            0 | 1 => marks.push((linear.mark(), ranges.len(), facts.len())),
            2 | 3 => {
                if let Some((mark, vars, len)) = marks.pop() {
                    linear.undo_to(mark);
                    ranges.truncate(vars);
                    facts.truncate(len);
                }
            }
            4 if ranges.len() < 4 => {
                let lo = dice.between(-3, 3);
                let hi = dice.between(lo, 3);
                ranges.push((lo.into(), hi.into()));
                linear.new_var(lo.into(), hi.into());
            }
            5 | 6 => agrees(&mut linear, &ranges, &facts),
            _ => {
                let fact = random_fact(&mut dice, ranges.len(), reach);
                fact.assert(&mut linear);
                facts.push(fact);
            }
        }
    }
    agrees(&mut linear, &ranges, &facts);
}

#[test]
fn random_stacks_of_small_constraints() {
    for seed in 0..3000 {
        walk(seed, 3, 60);
    }
}

#[test]
fn random_stacks_with_coefficients_that_leave_fractions() {
    for seed in 0..1500 {
        walk(seed, 11, 60);
    }
}

#[test]
fn the_same_calls_give_the_same_models() {
    let run = || {
        let mut dice = Dice(7);
        let mut linear = Linear::new();
        let vars: Vec<Var> = (0..6).map(|_| linear.new_var(-50, 50)).collect();
        let mut seen = Vec::new();
        for _ in 0..40 {
            let mark = linear.mark();
            random_fact(&mut dice, vars.len(), 4).assert(&mut linear);
            let mut work = Work::new(100_000);
            let answer = linear.check(&mut work);
            seen.push((
                answer,
                work.spent(),
                vars.iter().map(|&var| linear.value(var)).collect::<Vec<_>>(),
            ));
            if answer != Answer::Sat {
                linear.undo_to(mark);
            }
        }
        seen
    };
    assert_eq!(run(), run());
}
