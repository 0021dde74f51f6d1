//! The whole chain against bit-blasting alone, on full-width inputs read in every way: signed, unsigned,
//! extended, offset, and at the ends of their types.

use pessimum_solver::blast::Blaster;
use pessimum_solver::{Answer, Solver, Work, canonical_model};
use pessimum_term::{Arena, Domain, Evaluator, Op, TermId, Width};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Question {
    op: u8,
    a: u8,
    b: u8,
    offset: i8,
    negate: bool,
    undo: bool,
}

fn question() -> impl Strategy<Value = Question> {
    any::<(u8, u8, u8, i8, bool, u8)>().prop_map(|(op, a, b, offset, negate, undo)| Question {
        op,
        a,
        b,
        offset,
        negate,
        undo: undo % 8 == 0,
    })
}

/// Terms of 64 bits, and of 32.
fn inputs(arena: &mut Arena) -> [Vec<TermId>; 2] {
    let mut wide = Vec::new();
    let mut narrow = Vec::new();
    for _ in 0..2 {
        let x = arena.variable(Width::W32, Domain::full(Width::W32));
        narrow.push(x);
        wide.push(arena.sign_extend(Width::W64, x));
        wide.push(arena.zero_extend(Width::W64, x));
    }
    let weight = arena.variable(Width::W32, Domain { lo: -1000, hi: 1000 });
    narrow.push(weight);
    let byte = arena.variable(Width::W8, Domain::full(Width::W8));
    narrow.push(arena.zero_extend(Width::W32, byte));
    narrow.push(arena.sign_extend(Width::W32, byte));
    for _ in 0..2 {
        wide.push(arena.variable(Width::W64, Domain::full(Width::W64)));
    }
    for k in [0, 1, i64::MAX, i64::MIN, -1, 300] {
        wide.push(arena.constant(Width::W64, k as u64));
        narrow.push(arena.constant(Width::W32, (k >> 32 | k & 0x1ff) as u64));
    }
    [wide, narrow]
}

fn condition(arena: &mut Arena, pools: &[Vec<TermId>; 2], q: &Question) -> TermId {
    let pool = &pools[usize::from(q.op >= 128)];
    let (mut x, y) = (pool[q.a as usize % pool.len()], pool[q.b as usize % pool.len()]);
    if q.offset % 3 == 0 {
        let k = arena.constant(arena.width(x), i64::from(q.offset) as u64);
        x = arena.binary(Op::Add, x, k);
    }
    let op = [Op::Slt, Op::Sle, Op::Ult, Op::Ule, Op::Eq][q.op as usize % 5];
    let c = arena.binary(op, x, y);
    if q.negate { arena.not(c) } else { c }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_chain_says_what_the_bits_say(questions in prop::collection::vec(question(), 1..16)) {
        let mut arena = Arena::new();
        let pools = inputs(&mut arena);
        let mut solver = Solver::new();
        let mut asserted: Vec<TermId> = Vec::new();
        let mut marks = Vec::new();
        for q in &questions {
            if q.undo && let Some((mark, len)) = marks.pop() {
                solver.undo_to(mark);
                asserted.truncate(len);
            }
            let c = condition(&mut arena, &pools, q);
            let answer = solver.check(&mut arena, c);
            let mut all = asserted.clone();
            all.push(c);
            let truth = Blaster::new().solve(&arena, &all, &mut Work::unlimited());
            prop_assert_eq!(answer, truth, "{:?}", all);
            if truth == Answer::Sat {
                marks.push((solver.mark(), asserted.len()));
                prop_assert_eq!(solver.assert(&mut arena, c), Answer::Sat);
                asserted.push(c);
            }
            for &t in &asserted {
                prop_assert!(solver.holds_in_model(&arena, t));
            }
        }
        let (answer, values) = canonical_model(&mut arena, &asserted);
        prop_assert_eq!(answer, Answer::Sat);
        let mut eval = Evaluator::new();
        for &t in &asserted {
            prop_assert_eq!(eval.value(&arena, t, |v| values[v.0 as usize]), 1);
        }
        prop_assert_eq!(canonical_model(&mut arena, &asserted), (answer, values));
    }
}
