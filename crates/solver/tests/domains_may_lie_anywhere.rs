//! Orders, equations and differences of inputs whose domains lie around 0, 2^(w−1) and both ends of their
//! type, read as signed and as unsigned, against every pair of values.

use pessimum_solver::{Answer, Solver};
use pessimum_term::{Arena, Domain, Op, TermId, VarId, Width, fold_binary};

/// Each with the numbers of one domain, as bits.
fn domains(width: Width) -> Vec<(Domain, Vec<u64>)> {
    let half = i128::from(width.sign_bit());
    let full = 2 * half;
    let intervals = [
        // Signed and unsigned agree on these ...
        (0, 4),
        (half - 4, half - 1),
        // ... these are signed, around zero and at the lower end ...
        (-2, 2),
        (-half, -half + 3),
        (-3, -1),
        // ... and these unsigned, around the middle and at the upper end.
        (half - 2, half + 2),
        (half, half + 3),
        (full - 4, full - 1),
    ];
    let numbers = |(lo, hi)| {
        let bits = (lo..=hi).map(|number: i128| number as u64 & width.mask()).collect();
        (Domain { lo, hi }, bits)
    };
    intervals.map(numbers).to_vec()
}

/// As wide as the domain can be made without another number near zero: what the issue with 64 bits needs.
fn spans(width: Width) -> Vec<Domain> {
    let half = i128::from(width.sign_bit());
    vec![
        Domain { lo: 0, hi: half + 492 },
        Domain { lo: 0, hi: 2 * half - 1 },
        Domain { lo: 0, hi: half - 1 },
        Domain { lo: -half, hi: half - 1 },
        Domain { lo: -half, hi: 10 },
    ]
}

const WIDTHS: [Width; 4] = [Width::W8, Width::W16, Width::W32, Width::W64];
const ORDERS: [Op; 5] = [Op::Ult, Op::Ule, Op::Slt, Op::Sle, Op::Eq];

/// Asks `c`, then its negation, and compares with what `meaning` says of all pairs of values.
fn ask(
    arena: &mut Arena,
    solver: &mut Solver,
    c: TermId,
    pairs: &[(u64, u64)],
    meaning: impl Fn(u64, u64) -> u64,
    what: &str,
) {
    let opposite = arena.not(c);
    for (question, wanted) in [(c, 1), (opposite, 0)] {
        let mark = solver.mark();
        let exists = pairs.iter().any(|&(x, y)| meaning(x, y) == wanted);
        let truth = if exists { Answer::Sat } else { Answer::Unsat };
        assert_eq!(solver.check(arena, question), truth, "{what}");
        assert_eq!(solver.assert(arena, question), truth, "{what}");
        if truth == Answer::Sat {
            let (x, y) = (solver.var_value(VarId(0)), solver.var_value(VarId(1)));
            assert!(pairs.contains(&(x, y)) && meaning(x, y) == wanted, "{what}: {x}, {y}");
        }
        solver.undo_to(mark);
    }
}

#[test]
fn two_narrow_domains_are_compared_as_their_numbers_are() {
    for width in WIDTHS {
        for (dx, xs) in domains(width) {
            for (dy, ys) in domains(width) {
                let mut arena = Arena::new();
                let (x, y) = (arena.variable(width, dx), arena.variable(width, dy));
                let mut solver = Solver::new();
                let pairs: Vec<(u64, u64)> =
                    xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))).collect();
                for op in ORDERS {
                    let compare = |a, b| fold_binary(op, width, a, b);
                    let what = format!("{width:?} {op:?} {dx:?} {dy:?}");
                    let c = arena.binary(op, x, y);
                    ask(&mut arena, &mut solver, c, &pairs, compare, &what);
                    for k in [1u64, 3, width.sign_bit(), width.mask(), width.mask() - 2] {
                        let what = format!("{what} + {k}");
                        let constant = arena.constant(width, k);
                        let sum = arena.binary(Op::Add, y, constant);
                        let c = arena.binary(op, x, sum);
                        let meaning = |x, y| compare(x, fold_binary(Op::Add, width, y, k));
                        ask(&mut arena, &mut solver, c, &pairs, meaning, &what);
                        let difference = arena.binary(Op::Sub, x, y);
                        let c = arena.binary(op, difference, constant);
                        let meaning = |x, y| compare(fold_binary(Op::Sub, width, x, y), k);
                        ask(&mut arena, &mut solver, c, &pairs, meaning, &what);
                    }
                }
            }
        }
    }
}

/// x in 0..=10 stands for one node of the graph, y in 0..=2^63 + 492 for two: their numbers are kept with
/// different offsets, and an order of both must not compare the bare ones.
#[test]
fn a_small_domain_is_compared_with_one_that_spans_the_middle() {
    for width in WIDTHS {
        let small = Domain { lo: 0, hi: 10 };
        for wide in spans(width) {
            for (op, swap) in ORDERS.into_iter().flat_map(|op| [(op, false), (op, true)]) {
                let mut arena = Arena::new();
                let (x, y) = (arena.variable(width, small), arena.variable(width, wide));
                let mut solver = Solver::new();
                let order = if swap { arena.binary(op, y, x) } else { arena.binary(op, x, y) };
                let limit = arena.constant(width, 100);
                let near = arena.binary(Op::Ult, y, limit);
                let what = format!("{width:?} {op:?} {wide:?} {swap}");
                let hi = u64::try_from(wide.hi.min(99)).expect("at least ten");
                let exists = (0..=10u64).any(|x| {
                    (0..=hi).any(|y| {
                        let (a, b) = if swap { (y, x) } else { (x, y) };
                        fold_binary(op, width, a, b) == 1
                    })
                });
                let truth = if exists { Answer::Sat } else { Answer::Unsat };
                assert_eq!(solver.assert(&mut arena, order), Answer::Sat, "{what}");
                assert_eq!(solver.assert(&mut arena, near), truth, "{what}");
                for c in [order, near] {
                    assert!(solver.holds_in_model(&arena, c), "{what}");
                }
            }
        }
    }
}
