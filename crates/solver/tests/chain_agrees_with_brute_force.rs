//! The whole chain against trying every assignment, on small domains and random conditions.

use pessimum_solver::{Answer, Solver};
use pessimum_term::{Arena, Domain, Evaluator, Op, TermId, Width};
use proptest::prelude::*;

/// One step of a session, as numbers that are read against what there is.
#[derive(Clone, Debug)]
enum Line {
    /// A new number from two old ones.
    Build {
        op: u8,
        a: u8,
        b: u8,
    },
    /// A question, and an assertion when the answer is sat.
    Ask {
        op: u8,
        a: u8,
        b: u8,
        negate: bool,
    },
    /// A question about a condition of earlier conditions.
    Combine {
        op: u8,
        a: u8,
        b: u8,
        negate: bool,
    },
    Mark,
    Undo,
}

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        4 => any::<(u8, u8, u8)>().prop_map(|(op, a, b)| Line::Build { op, a, b }),
        8 => any::<(u8, u8, u8, bool)>().prop_map(|(op, a, b, negate)| Line::Ask { op, a, b, negate }),
        2 => any::<(u8, u8, u8, bool)>().prop_map(|(op, a, b, negate)| Line::Combine { op, a, b, negate }),
        1 => Just(Line::Mark),
        1 => Just(Line::Undo),
    ]
}

struct World {
    arena: Arena,
    vars: Vec<(Width, i128, i128)>,
    /// Numbers of 32 bits.
    numbers: Vec<TermId>,
    conditions: Vec<TermId>,
    /// Conditions on the inputs as they are, narrow ones included.
    raw: Vec<TermId>,
}

impl World {
    fn new() -> World {
        let mut arena = Arena::new();
        let vars = vec![
            (Width::new(3), -4, 3),
            (Width::new(3), 1, 6),
            (Width::W8, -2, 3),
            (Width::W32, -3, 3),
            (Width::W32, 0, 4),
        ];
        let mut numbers = Vec::new();
        let mut raw = Vec::new();
        for (i, &(width, lo, hi)) in vars.iter().enumerate() {
            let v = arena.variable(width, Domain { lo, hi });
            raw.push(v);
            numbers.push(match i {
                1 => arena.zero_extend(Width::W32, v),
                _ => arena.sign_extend(Width::W32, v),
            });
            if i == 0 {
                numbers.push(arena.zero_extend(Width::W32, v));
            }
        }
        for k in [0u32, 1, 2, 3, u32::MAX, 1 << 31] {
            numbers.push(arena.constant(Width::W32, u64::from(k)));
        }
        World { arena, vars, numbers, conditions: Vec::new(), raw }
    }

    fn pick(from: &[TermId], i: u8) -> TermId {
        from[i as usize % from.len()]
    }

    fn build(&mut self, op: u8, a: u8, b: u8) {
        let ops =
            [Op::Add, Op::Sub, Op::Add, Op::Mul, Op::And, Op::Shl, Op::Xor, Op::URem, Op::SDiv];
        let (x, y) = (Self::pick(&self.numbers, a), Self::pick(&self.numbers, b));
        let t = match op % 11 {
            10 if !self.conditions.is_empty() => {
                let c = Self::pick(&self.conditions, a ^ b);
                self.arena.ite(c, x, y)
            }
            n => self.arena.binary(ops[n as usize % ops.len()], x, y),
        };
        self.numbers.push(t);
    }

    fn condition(&mut self, op: u8, a: u8, b: u8, negate: bool) -> TermId {
        let ops = [Op::Slt, Op::Sle, Op::Ult, Op::Ule, Op::Eq];
        let kind = ops[op as usize % ops.len()];
        let (x, y) = if op >= 200 {
            let twin = if b & 1 == 0 { 1 } else { 0 };
            let (i, j) = if a & 1 == 0 { (0, 1) } else { (3, 3 + twin) };
            (self.raw[i], self.raw[j])
        } else {
            (Self::pick(&self.numbers, a), Self::pick(&self.numbers, b))
        };
        let c = self.arena.binary(kind, x, y);
        let c = if negate { self.arena.not(c) } else { c };
        self.conditions.push(c);
        c
    }

    fn combine(&mut self, op: u8, a: u8, b: u8, negate: bool) -> Option<TermId> {
        if self.conditions.is_empty() {
            return None;
        }
        let (x, y) = (Self::pick(&self.conditions, a), Self::pick(&self.conditions, b));
        let kind = [Op::And, Op::Or, Op::Xor][op as usize % 3];
        let c = self.arena.binary(kind, x, y);
        let c = if negate { self.arena.not(c) } else { c };
        self.conditions.push(c);
        Some(c)
    }

    fn satisfiable(&self, conditions: &[TermId]) -> bool {
        let mut eval = Evaluator::new();
        let mut values: Vec<i128> = self.vars.iter().map(|v| v.1).collect();
        loop {
            eval.forget();
            let bits = |v: pessimum_term::VarId| {
                values[v.0 as usize] as u64 & self.vars[v.0 as usize].0.mask()
            };
            if conditions.iter().all(|c| eval.value(&self.arena, *c, bits) == 1) {
                return true;
            }
            let Some(i) = (0..values.len()).find(|&i| values[i] < self.vars[i].2) else {
                return false;
            };
            values[i] += 1;
            for (j, value) in values.iter_mut().enumerate().take(i) {
                *value = self.vars[j].1;
            }
        }
    }
}

fn run(lines: &[Line]) -> Result<(), TestCaseError> {
    let mut world = World::new();
    let mut solver = Solver::new();
    let mut asserted: Vec<TermId> = Vec::new();
    let mut marks = Vec::new();
    for line in lines {
        let question = match *line {
            Line::Build { op, a, b } => {
                world.build(op, a, b);
                continue;
            }
            Line::Mark => {
                marks.push((
                    solver.mark(),
                    world.arena.mark(),
                    asserted.len(),
                    world.numbers.len(),
                    world.conditions.len(),
                ));
                continue;
            }
            Line::Undo => {
                if let Some((s, a, asserts, numbers, conditions)) = marks.pop() {
                    world.arena.undo_to(a);
                    solver.undo_to(s);
                    asserted.truncate(asserts);
                    world.numbers.truncate(numbers);
                    world.conditions.truncate(conditions);
                }
                continue;
            }
            Line::Ask { op, a, b, negate } => Some(world.condition(op, a, b, negate)),
            Line::Combine { op, a, b, negate } => world.combine(op, a, b, negate),
        };
        let Some(c) = question else { continue };
        let answer = solver.check(&mut world.arena, c);
        let mut all = asserted.clone();
        all.push(c);
        let truth = if world.satisfiable(&all) { Answer::Sat } else { Answer::Unsat };
        prop_assert_eq!(answer, truth);
        // Both ways to go on: as the explorer does, or without having asked.
        if answer.is_sat() {
            prop_assert_eq!(solver.assert(&mut world.arena, c), Answer::Sat);
            asserted.push(c);
        }
        for &t in &asserted {
            prop_assert!(solver.holds_in_model(&world.arena, t));
        }
        for (i, &(width, lo, hi)) in world.vars.iter().enumerate() {
            let bits = solver.var_value(pessimum_term::VarId(i as u32));
            let inside = (lo..=hi).any(|value| value as u64 & width.mask() == bits);
            prop_assert!(inside, "variable {} is {}", i, bits);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_the_true_one(lines in prop::collection::vec(line(), 1..40)) {
        run(&lines)?;
    }
}
