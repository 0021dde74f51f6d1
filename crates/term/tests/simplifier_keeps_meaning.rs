//! Whatever the smart constructors do to a term, it still means what was asked for.

mod common;

use common::{Kitchen, Recipe, SAMPLES, recipes};
use pessimum_term::{Arena, Evaluator, Only, TermId, VarId, Width};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// The value of `t` under sample `i`.
fn value(kitchen: &Kitchen, t: TermId, i: usize) -> u64 {
    Evaluator::new().value(&kitchen.arena, t, |v: VarId| kitchen.pool[v.0 as usize].values[i])
}

fn variables(arena: &Arena, t: TermId) -> BTreeSet<VarId> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![t];
    let mut found = BTreeSet::new();
    while let Some(t) = stack.pop() {
        if seen.insert(t) {
            found.extend(arena.node(t).as_var());
            stack.extend(arena.node(t).args());
        }
    }
    found
}

fn cooked(recipe: &Recipe) -> Kitchen {
    let mut kitchen = Kitchen::new(recipe);
    kitchen.run(&recipe.steps);
    kitchen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn built_terms_have_the_values_of_what_was_asked_for(recipe in recipes(16)) {
        let kitchen = cooked(&recipe);
        for made in &kitchen.pool {
            prop_assert_eq!(kitchen.arena.width(made.term), made.width);
            for i in 0..SAMPLES {
                prop_assert_eq!(value(&kitchen, made.term, i), made.values[i], "{:?}", made.term);
            }
        }
    }

    #[test]
    fn ranges_hold_every_value(recipe in recipes(16)) {
        let kitchen = cooked(&recipe);
        for made in &kitchen.pool {
            let range = kitchen.arena.range(made.term);
            for v in made.values {
                let s = made.width.signed(v);
                prop_assert!(range.umin <= v && v <= range.umax, "{} outside {:?}", v, range);
                prop_assert!(range.smin <= s && s <= range.smax, "{} outside {:?}", s, range);
            }
        }
    }

    #[test]
    fn only_names_the_variables_that_occur(recipe in recipes(16)) {
        let kitchen = cooked(&recipe);
        for made in &kitchen.pool {
            let found = variables(&kitchen.arena, made.term);
            let expected = match (found.len(), found.first()) {
                (1, Some(v)) => Only::Var(*v),
                (0, _) => Only::Nothing,
                _ => Only::Several,
            };
            prop_assert_eq!(kitchen.arena.info(made.term).only, expected);
        }
    }

    /// A branch splits once per condition inside it, so a comparison of numbers without
    /// conditions must stay one condition.
    #[test]
    fn one_comparison_stays_one_condition(recipe in recipes(16), a: u8, b: u8, which in 0usize..5) {
        use pessimum_term::Op;
        let mut kitchen = cooked(&recipe);
        let a = kitchen.pick(a).clone();
        let same: Vec<_> = kitchen.pool.iter().filter(|m| m.width == a.width).cloned().collect();
        let b = same[usize::from(b) % same.len()].clone();
        let plain = |k: &Kitchen, t| !k.arena.info(t).has_ite;
        if a.width == Width::BOOL || !plain(&kitchen, a.term) || !plain(&kitchen, b.term) {
            return Ok(());
        }
        let op = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle][which];
        let test = kitchen.arena.binary(op, a.term, b.term);
        prop_assert!(plain(&kitchen, test), "{:?} of {:?} and {:?}", op, a.term, b.term);
        let negated = kitchen.arena.not(test);
        prop_assert!(plain(&kitchen, negated));
    }

    #[test]
    fn assuming_a_condition_keeps_the_meaning_where_it_holds(
        recipe in recipes(16), t: u8, c: u8, truth: bool
    ) {
        let mut kitchen = cooked(&recipe);
        let conditions: Vec<_> =
            kitchen.pool.iter().filter(|m| m.width == Width::BOOL).cloned().collect();
        if conditions.is_empty() {
            return Ok(());
        }
        let condition = conditions[usize::from(c) % conditions.len()].clone();
        let made = kitchen.pick(t).clone();
        let under = kitchen.arena.assume(made.term, condition.term, truth);
        for i in 0..SAMPLES {
            if (condition.values[i] != 0) == truth {
                prop_assert_eq!(value(&kitchen, under, i), made.values[i]);
            }
        }
    }

    #[test]
    fn substituting_an_equal_keeps_the_meaning(recipe in recipes(16), t: u8, from: u8, i in 0..SAMPLES) {
        let mut kitchen = cooked(&recipe);
        let from = kitchen.pick(from).clone();
        let made = kitchen.pick(t).clone();
        let constant = kitchen.arena.constant(from.width, from.values[i]);
        let mut known = HashMap::from([(from.term, constant)]);
        let replaced = kitchen.arena.substitute(made.term, &mut known);
        prop_assert_eq!(value(&kitchen, replaced, i), made.values[i]);
        if from.term == made.term {
            prop_assert_eq!(replaced, constant);
        }
    }

    #[test]
    fn undoing_is_as_if_nothing_had_been_built(
        recipe in recipes(24), other in recipes(24), cut in 0usize..24
    ) {
        let cut = cut.min(recipe.steps.len());
        let fresh = cooked(&recipe);
        let mut kitchen = Kitchen::new(&recipe);
        kitchen.run(&recipe.steps[..cut]);
        let (mark, made) = (kitchen.arena.mark(), kitchen.pool.len());
        kitchen.run(&other.steps);
        kitchen.arena.variable(Width::W8, pessimum_term::Domain::full(Width::W8));
        kitchen.pool.truncate(made);
        kitchen.arena.undo_to(mark);
        prop_assert_eq!(kitchen.arena.mark(), mark);
        kitchen.run(&recipe.steps[cut..]);
        let ids = |k: &Kitchen| k.pool.iter().map(|m| m.term).collect::<Vec<_>>();
        prop_assert_eq!(ids(&kitchen), ids(&fresh));
        prop_assert_eq!(kitchen.arena.len(), fresh.arena.len());
    }
}

/// A loop of a million iterations makes a term that deep; walking it must not use the call stack.
#[test]
fn deep_terms_are_walked_without_recursion() {
    use pessimum_term::{Domain, Op};
    let mut arena = Arena::new();
    let x = arena.variable(Width::W32, Domain::full(Width::W32));
    let y = arena.variable(Width::W32, Domain::full(Width::W32));
    let mut t = x;
    for _ in 0..500_000 {
        t = arena.binary(Op::Mul, t, y);
        t = arena.binary(Op::Xor, t, x);
    }
    let one = arena.constant(Width::W32, 1);
    let replaced = arena.substitute(t, &mut HashMap::from([(x, one), (y, one)]));
    assert_eq!(arena.as_const(replaced), Some(1));
}

/// Growing the table and undoing across the growth keeps every older term findable.
#[test]
fn the_table_grows_and_shrinks_without_losing_terms() {
    let mut arena = Arena::new();
    let old: Vec<TermId> = (0..400).map(|k| arena.constant(Width::W32, k)).collect();
    let mark = arena.mark();
    for round in 0..3 {
        for k in 0..20_000 {
            arena.constant(Width::W64, k * 977 + round);
        }
        arena.undo_to(mark);
        for (k, t) in old.iter().enumerate() {
            assert_eq!(arena.constant(Width::W32, k as u64), *t);
        }
    }
}
