//! Sat exactly when some assignment of the small variables makes it so.

use super::random::queries;
use crate::blast::Blaster;
use crate::{Answer, Work};
use pessimum_term::{Arena, Evaluator, TermId, VarId, Width};
use proptest::prelude::*;

/// Whether some assignment within the domains satisfies the constraints, by trying them all.
fn brute_force(arena: &Arena, constraints: &[TermId]) -> bool {
    let count = arena.var_count();
    let widths: Vec<Width> = (0..count).map(|v| arena.width(arena.var_term(VarId(v)))).collect();
    let total: u32 = widths.iter().map(|w| w.bits()).sum();
    let mut evaluator = Evaluator::new();
    (0..1u64 << total).any(|code| {
        let mut rest = code;
        let values: Vec<u64> = widths
            .iter()
            .map(|w| {
                let v = rest & w.mask();
                rest >>= w.bits();
                v
            })
            .collect();
        let inside =
            |v: u32| arena.domain(VarId(v)).contains(widths[v as usize], values[v as usize]);
        if !(0..count).all(inside) {
            return false;
        }
        evaluator.forget();
        constraints.iter().all(|t| evaluator.value(arena, *t, |v| values[v.0 as usize]) == 1)
    })
}

/// Whether the blaster's model is one.
pub(crate) fn is_model(arena: &Arena, constraints: &[TermId], blaster: &Blaster) -> bool {
    let value = |v: VarId| blaster.value(v).unwrap_or(0);
    let mut evaluator = Evaluator::new();
    let within = (0..arena.var_count()).map(VarId).all(|v| {
        blaster.value(v).is_none_or(|x| {
            let width = arena.width(arena.var_term(v));
            arena.domain(v).contains(width, x)
        })
    });
    within && constraints.iter().all(|t| evaluator.value(arena, *t, value) == 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn answers_equal_brute_force(query in queries(3, 10)) {
        let mut arena = Arena::new();
        // At most 14 bits in all.
        let widths = match query.inputs.len() {
            1 => vec![Width::BOOL, Width::new(7), Width::W8],
            2 => vec![Width::BOOL, Width::new(6), Width::new(7)],
            _ => vec![Width::new(3), Width::new(4)],
        };
        let variables = query.variables(&mut arena, &widths);
        let constraints = query.build(&mut arena, variables);
        let mut blaster = Blaster::new();
        let answer = blaster.solve(&arena, &constraints, &mut Work::unlimited());
        let expected = brute_force(&arena, &constraints);
        prop_assert_eq!(answer, if expected { Answer::Sat } else { Answer::Unsat });
        if expected {
            prop_assert!(is_model(&arena, &constraints, &blaster));
        }
    }

    #[test]
    fn models_of_wide_terms_are_models(query in queries(3, 10)) {
        let mut arena = Arena::new();
        let widths = [Width::W8, Width::W32, Width::W64];
        let variables = query.variables(&mut arena, &widths);
        let constraints = query.build(&mut arena, variables);
        let mut blaster = Blaster::new();
        let mut work = Work::new(20_000_000);
        if blaster.solve(&arena, &constraints, &mut work) == Answer::Sat {
            prop_assert!(is_model(&arena, &constraints, &blaster));
        }
    }
}
