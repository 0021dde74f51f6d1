use super::*;

/// Numbers that look random: a generator of its own, so that a failure comes again.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % n
    }
}

fn any_constraint(numbers: &mut Numbers, vars: u64) -> Constraint {
    let (x, y) = (numbers.below(vars) as Var, numbers.below(vars) as Var);
    let k = numbers.below(5) as i64 - 2;
    match numbers.below(5) {
        0 => Constraint::Difference { x, y, k },
        1 => Constraint::Distinct { x, y, k },
        2 => Constraint::Bounds { x, low: k, high: k + 2 },
        3 => {
            let holds = (0..16).map(|_| numbers.below(3) > 0).collect();
            let table = Arc::new(Table::new([0, 0], 4, holds));
            Constraint::Table { x, y: Some(y), table }
        }
        _ => {
            let vars: Arc<[Var]> = (0..vars as Var).collect();
            let sum = move |v: &[i64]| v.iter().sum::<i64>().rem_euclid(3) != k.rem_euclid(3);
            Constraint::Test { vars, test: Arc::new(sum) }
        }
    }
}

fn holds(constraint: &Constraint, values: &[i64]) -> bool {
    let at = |v: &Var| values[*v as usize];
    match constraint {
        Constraint::Difference { x, y, k } => at(x) - at(y) <= *k,
        Constraint::Bounds { x, low, high } => *low <= at(x) && at(x) <= *high,
        Constraint::Distinct { x, y, k } => at(x) - at(y) != *k,
        Constraint::Table { x, y, table } => {
            table.admits(at(x), y.as_ref().map_or(table.low[1], at))
        }
        Constraint::Test { vars, test } => test(&vars.iter().map(at).collect::<Vec<i64>>()),
    }
}

#[test]
fn a_chain_of_equal_remainders_is_as_long_as_the_domain_allows() {
    // Ascending numbers up to 100 with the same remainder by 4, both ways round.
    let same = |x: usize| (0..=100).map(move |y| (x + y) % 4 == 2 * y % 4);
    let table = Arc::new(Table::new([0, 0], 101, (0..=100).flat_map(same).collect()));
    for (length, possible) in [(26, true), (27, false)] {
        for table_first in [true, false] {
            let mut problem = Problem::default();
            for _ in 0..length {
                problem.variable(0, 100);
            }
            let mut fits = true;
            for x in 1..length {
                let less = Constraint::Difference { x: x - 1, y: x, k: -1 };
                let like = Constraint::Table { x, y: Some(x - 1), table: Arc::clone(&table) };
                let both = if table_first { [like, less] } else { [less, like] };
                fits = fits && both.into_iter().all(|c| problem.add(c));
            }
            assert_eq!(fits && problem.satisfiable(1000) == Ok(true), possible, "{length}");
        }
    }
}

#[test]
fn counting_and_searching_agree_with_trying_everything() {
    let mut numbers = Numbers(7);
    for round in 0..3_000 {
        let vars = 1 + numbers.below(4);
        let constraints: Vec<Constraint> =
            (0..numbers.below(6)).map(|_| any_constraint(&mut numbers, vars)).collect();
        let mut expected = Vec::new();
        for code in 0..4u64.pow(vars as u32) {
            let digit = |v: u32| (code / 4u64.pow(vars as u32 - 1 - v) % 4) as i64;
            let values: Vec<i64> = (0..vars as u32).map(digit).collect();
            if constraints.iter().all(|c| holds(c, &values)) {
                expected.push(values);
            }
        }
        let mut problem = Problem::default();
        for _ in 0..vars {
            problem.variable(0, 3);
        }
        let before = problem.mark();
        // Twice: the second time after everything was taken back.
        for _ in 0..2 {
            let possible = constraints.iter().all(|c| problem.add(c.clone()));
            let mut found = Vec::new();
            if possible {
                let count = problem.count(u64::MAX);
                assert_eq!(count, Ok(expected.len() as u128), "round {round}");
                assert_eq!(problem.satisfiable(u64::MAX), Ok(!expected.is_empty()));
                let all = problem.each_solution(u64::MAX, &mut |v| {
                    found.push(v.to_vec());
                    true
                });
                assert_eq!(all, Ok(()));
                let picked = problem.pick_solution(u64::MAX, &mut |low, high| (low + high) / 2);
                assert_eq!(picked.map(|p| p.is_some()), Ok(!expected.is_empty()));
            }
            assert_eq!(found, expected, "round {round}");
            problem.undo_to(before);
            assert_eq!(problem.bounds(0), (0, 3));
        }
    }
}
