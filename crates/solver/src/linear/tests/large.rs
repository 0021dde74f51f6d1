//! Many variables, many constraints, large numbers.

use super::super::{Answer, Lin, Linear, Var, Work};
use super::against_brute_force::{Dice, Fact};

fn less(a: Var, b: Var, by: i128) -> Lin {
    let mut lin = Lin::var(a).plus(&Lin::var(b), -1).unwrap();
    lin.add_constant(by).unwrap();
    lin
}

#[test]
fn a_chain_of_5000_differences() {
    let mut linear = Linear::new();
    let vars: Vec<Var> = (0..5001).map(|_| linear.new_var(0, 5000)).collect();
    for pair in vars.windows(2) {
        linear.assert_le(&less(pair[0], pair[1], 1));
    }
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Sat);
    assert_eq!(linear.value(vars[5000]), 5000);
    let mark = linear.mark();
    linear.assert_le(&less(vars[5000], vars[0], 0));
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Unsat);
    linear.undo_to(mark);
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Sat);
}

#[test]
fn a_chain_checked_link_by_link() {
    let mut linear = Linear::new();
    let vars: Vec<Var> = (0..401).map(|_| linear.new_var(-1000, 1000)).collect();
    for pair in vars.windows(2) {
        linear.assert_le(&less(pair[0], pair[1], 1));
        assert_eq!(linear.check(&mut Work::unlimited()), Answer::Sat);
    }
    for pair in vars.windows(2) {
        assert!(linear.value(pair[0]) < linear.value(pair[1]));
    }
}

#[test]
fn satisfied_constraints_cost_their_own_length() {
    let mut linear = Linear::new();
    let vars: Vec<Var> = (0..72).map(|_| linear.new_var(0, 1000)).collect();
    let mut dice = Dice(3);
    let mut work = Work::unlimited();
    for _ in 0..150_000 {
        let mut lin = Lin::constant(-20_000);
        for _ in 0..18 {
            let var = vars[dice.below(72) as usize];
            lin.add_term(var, if dice.below(2) == 0 { 1 } else { -1 }).unwrap();
        }
        linear.assert_le(&lin);
        assert_eq!(linear.check(&mut work), Answer::Sat);
    }
    assert_eq!(work.spent(), 0, "no search was needed");
}

#[test]
fn random_models_are_models() {
    let mut answers = [0; 3];
    for seed in 0..150 {
        let mut dice = Dice(seed);
        let mut linear = Linear::new();
        let vars: Vec<Var> = (0..12).map(|_| linear.new_var(-1000, 1000)).collect();
        let mut facts: Vec<Fact> = Vec::new();
        for _ in 0..30 {
            let mut lin = Lin::constant(dice.between(-200, 300).into());
            for _ in 0..4 {
                lin.add_term(vars[dice.below(12) as usize], dice.between(-3, 3)).unwrap();
            }
            let fact = Fact { lin, relation: [0, 0, 0, 0, 2, 1][dice.below(6) as usize] };
            let mark = linear.mark();
            fact.assert(&mut linear);
            match linear.check(&mut Work::new(2_000_000)) {
                Answer::Sat => {
                    answers[0] += 1;
                    facts.push(fact);
                    assert!(facts.iter().all(|fact| fact.holds(|var| linear.value(var))));
                    continue;
                }
                Answer::Unsat => answers[1] += 1,
                Answer::Unknown(_) => answers[2] += 1,
            }
            linear.undo_to(mark);
        }
    }
    assert!(answers[0] > 2000 && answers[1] > 100 && answers[2] < answers[1] / 4, "{answers:?}");
}

/// A fresh solver and one that has been up and down agree.
#[test]
fn unsat_is_the_same_for_a_fresh_solver() {
    let mut unsat = 0;
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut linear = Linear::new();
        let vars: Vec<Var> = (0..8).map(|_| linear.new_var(0, 100)).collect();
        let mut lins: Vec<Lin> = Vec::new();
        for _ in 0..40 {
            let mut lin = Lin::constant(dice.between(-20, 60).into());
            for _ in 0..4 {
                lin.add_term(vars[dice.below(8) as usize], dice.between(-1, 1)).unwrap();
            }
            let mark = linear.mark();
            linear.assert_le(&lin);
            let answer = linear.check(&mut Work::new(1_000_000));
            let mut fresh = Linear::new();
            for _ in 0..8 {
                fresh.new_var(0, 100);
            }
            lins.iter().chain([&lin]).for_each(|lin| fresh.assert_le(lin));
            assert_eq!(fresh.check(&mut Work::new(1_000_000)), answer);
            if answer == Answer::Sat {
                lins.push(lin);
            } else {
                unsat += 1;
                linear.undo_to(mark);
            }
        }
    }
    assert!(unsat > 200);
}

#[test]
fn numbers_that_do_not_fit_are_unknown() {
    let mut linear = Linear::new();
    let wide = 1_i128 << 65;
    let (x, y) = (linear.new_var(-wide, wide), linear.new_var(-wide, wide));
    let mark = linear.mark();
    let mut lin = Lin::constant(0);
    lin.add_term(x, i64::MAX).unwrap();
    lin.add_term(y, i64::MAX - 2).unwrap();
    linear.assert_le(&lin);
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Unknown("coefficient overflow"));
    linear.undo_to(mark);
    linear.assert_le(&less(x, y, wide));
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Sat);
    assert!(linear.value(x) + wide <= linear.value(y));
    linear.new_var(0, wide + 1);
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Unknown("coefficient overflow"));
    linear.assert_le(&Lin::constant(1));
    assert_eq!(linear.check(&mut Work::unlimited()), Answer::Unsat);
}

#[test]
fn a_budget_ends_the_search_and_a_larger_one_completes_it() {
    let mut linear = Linear::new();
    let vars: Vec<Var> = (0..10).map(|_| linear.new_var(0, 1000)).collect();
    for pair in vars.windows(2) {
        linear.assert_le(&less(pair[0], pair[1], 7));
    }
    assert_eq!(linear.check(&mut Work::new(3)), Answer::Unknown("work budget"));
    assert_eq!(linear.check(&mut Work::new(100_000)), Answer::Sat);
}

#[test]
fn all_different() {
    for (count, hi) in [(12, 11), (30, 1000)] {
        let mut linear = Linear::new();
        let vars: Vec<Var> = (0..count).map(|_| linear.new_var(0, hi)).collect();
        for (at, &a) in vars.iter().enumerate() {
            for &b in &vars[..at] {
                linear.assert_ne(&less(a, b, 0));
            }
        }
        assert_eq!(linear.check(&mut Work::new(10_000_000)), Answer::Sat);
        let mut values: Vec<i128> = vars.iter().map(|&var| linear.value(var)).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), vars.len());
    }
}
