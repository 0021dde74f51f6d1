//! Cost sequences of known growth, as programs and searches make them.
//!
//! A sequence is a function of the size, seen on a ladder of sizes, perhaps through noise or through a
//! search. The truth is the class of the function, known by how it was made.
//!
//! Two in three sequences are noise-free, as is the cost of one recipe at all sizes, which is what the judge
//! mostly sees; the others are irregular, or the best of a search that does not keep up.
//!
//! Noise-free kinds may hide their class behind any constant, lower term or change of algorithm. In
//! sequences with noise the leading term carries at least half of the growth at the greatest size: what
//! is smaller than the noise is not in the sequence.

use pessimum_fit::{Class, Growth, Point, growth};

/// A small deterministic generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// A number of `low..=high`.
    fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// 0 to 1.
    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 53) as f64
    }

    /// Small numbers as often as great ones.
    fn scaled(&mut self, low: f64, high: f64) -> f64 {
        (low.ln() + self.unit() * (high / low).ln()).exp()
    }

    fn coefficient(&mut self) -> f64 {
        self.scaled(1.0, 60.0).floor()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }
}

/// How a sequence was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Pure,
    Mixture,
    DominatingConstant,
    SwitchOfAlgorithm,
    StepsAtPowersOfTwo,
    Blocks,
    Halving,
    Recurrence,
    Rippled,
    Noisy,
    Bends,
    KeepsUp,
    DrawsOut,
    FallsBehind,
    Stops,
    CatchesUp,
    MissesSome,
}

pub(crate) const KINDS: [Kind; 17] = [
    Kind::Pure,
    Kind::Mixture,
    Kind::DominatingConstant,
    Kind::SwitchOfAlgorithm,
    Kind::StepsAtPowersOfTwo,
    Kind::Blocks,
    Kind::Halving,
    Kind::Recurrence,
    Kind::Rippled,
    Kind::Noisy,
    Kind::Bends,
    Kind::KeepsUp,
    Kind::DrawsOut,
    Kind::FallsBehind,
    Kind::Stops,
    Kind::CatchesUp,
    Kind::MissesSome,
];

impl Kind {
    pub(crate) fn is_searched(self) -> bool {
        self >= Kind::KeepsUp
    }

    pub(crate) fn is_noise_free(self) -> bool {
        self < Kind::Rippled || self == Kind::KeepsUp
    }
}

pub(crate) struct Sequence {
    pub(crate) kind: Kind,
    pub(crate) truth: Class,
    pub(crate) points: Vec<Point>,
}

const CLASSES: [Class; 12] = [
    Class::Constant,
    Class::Log,
    Class::Sqrt,
    Class::Linear,
    Class::NLogN,
    Class::Power(1.5),
    Class::Quadratic,
    Class::N2LogN,
    Class::Cubic,
    Class::Power(4.0),
    Class::Exp2,
    Class::Factorial,
];

/// Sizes as the tool asks for them, as far as costs of a class can be had.
fn sizes(random: &mut Random, class: Class) -> Vec<u64> {
    let most = match class {
        Class::Factorial => random.within(10, 14),
        Class::Exp(_) | Class::Exp2 => random.within(12, 24),
        c if c >= Class::Cubic => random.within(16, 60),
        c if c >= Class::Power(1.5) && random.within(0, 2) > 0 => random.within(24, 200),
        _ if random.within(0, 2) > 0 => random.within(32, 400),
        // As far as the ladder of the tool goes where runs are short.
        _ => random.within(400, 10_000),
    };
    let ladder =
        [10, 12, 15, 16, 17, 20, 25, 30, 31, 32, 33, 40, 50, 63, 64, 65, 70, 100, 127, 128]
            .into_iter()
            .chain([129, 150, 200, 255, 256, 257, 300, 400, 500, 512, 700, 1000, 1024, 1200, 1500])
            .chain([2000, 2048, 2500, 3000, 4000, 4096, 5000, 7000, 8192, 10_000]);
    match random.within(0, 2) {
        0 => (1..=most.min(48)).collect(),
        _ => (1..=9).chain(ladder).filter(|&n| n <= most).collect(),
    }
}

fn lg(n: u64) -> f64 {
    f64::from(n.max(1).ilog2())
}

/// The function of a class at a size: whole where programs count whole steps, else not.
fn of_class(class: Class, whole: bool, n: u64) -> f64 {
    let x = n as f64;
    match class {
        Class::Log if whole => lg(n),
        Class::NLogN if whole => x * lg(n),
        Class::N2LogN if whole => x * x * lg(n),
        Class::Sqrt if whole => x.sqrt().floor(),
        other => other.ln_growth(x).exp(),
    }
}

const LOWER: [Class; 4] = [Class::Constant, Class::Log, Class::Linear, Class::Quadratic];

/// One sequence.
pub(crate) fn sequence(seed: u64) -> Sequence {
    let mut random = Random::new(seed);
    let r = &mut random;
    let free = KINDS.iter().filter(|k| k.is_noise_free());
    let mix: Vec<Kind> = KINDS.iter().chain(free).copied().collect();
    let kind = mix[seed as usize % mix.len()];
    let class = CLASSES[(seed as usize / mix.len()) % CLASSES.len()];
    let whole = r.within(0, 3) > 0;
    let (a, b) = (r.coefficient(), r.within(0, 40) as f64);
    let plain = move |n: u64| a * of_class(class, whole, n) + b;
    let polynomial = r.pick(&[Class::Linear, Class::NLogN, Class::Quadratic, Class::Cubic]);
    let smooth = r.pick(&[
        Class::Log,
        Class::Linear,
        Class::NLogN,
        Class::Quadratic,
        Class::Cubic,
        Class::Exp2,
        Class::Factorial,
    ]);
    match kind {
        Kind::Pure => exact(r, kind, class, plain),
        Kind::Mixture => {
            let lower = r.pick(&LOWER);
            let lower = if lower < class { lower } else { Class::Constant };
            let c = r.coefficient();
            exact(r, kind, class, move |n| plain(n) + c * of_class(lower, whole, n))
        }
        Kind::DominatingConstant => {
            let c = r.scaled(100.0, 20_000.0).floor();
            exact(r, kind, class, move |n| plain(n) + c)
        }
        Kind::SwitchOfAlgorithm => {
            let sizes = sizes(r, class);
            // Mostly in the smaller half of the sizes, else anywhere.
            let count = sizes.len() as u64;
            let latest = if r.within(0, 3) > 0 { count / 2 } else { count - 1 };
            let at = sizes[r.within(2, latest) as usize];
            let before = r.pick(&[Class::Constant, Class::Linear, Class::Quadratic]);
            let mut c = r.coefficient();
            // A switch that nobody can see is none.
            let seen = plain(at).round();
            while (c * of_class(before, whole, at) + b).round() == seen {
                c += 1.0;
            }
            let cost = move |n: u64| match n < at {
                true => c * of_class(before, whole, n) + b,
                false => plain(n),
            };
            on(sizes, kind, class, cost)
        }
        Kind::StepsAtPowersOfTwo => {
            let truth = class.max(Class::Linear);
            let c = r.coefficient();
            exact(r, kind, truth, move |n| plain(n) + c * n.next_power_of_two() as f64)
        }
        Kind::Blocks => {
            let m = r.pick(&[2u64, 3, 4, 8, 16, 32]);
            let c = r.coefficient();
            exact(r, kind, Class::Linear, move |n| a * (n / m) as f64 + c * (n % m) as f64 + b)
        }
        Kind::Halving => {
            let from = r.within(2, 8);
            let (truth, shape) = r.pick(&[
                (Class::NLogN, (1, 1, 1)),
                (Class::Log, (1, 0, 0)),
                (Class::Power(1.584_962_500_721_156), (3, 0, 1)),
                (Class::Linear, (1, 1, 0)),
            ]);
            exact(r, kind, truth, move |n| halving(n, from, shape, a, b))
        }
        Kind::Recurrence => {
            let (p, q) = (r.within(1, 2) as f64, r.within(1, 2) as f64);
            let root = (p + (p * p + 4.0 * q).sqrt()) / 2.0;
            let truth = Class::exponential((root * 1e9).round() / 1e9);
            let cost = move |n: u64| (1..n).fold((a, a + b), |(x, y), _| (y, p * y + q * x)).0;
            let most = r.within(12, 24);
            on((1..=most).collect(), kind, truth, cost)
        }
        Kind::Rippled => {
            // What depends on more than the size, by a few steps: no law, and next to no noise.
            let (m, k) = (r.within(3, 17), r.within(1, 999));
            exact(r, kind, smooth, move |n| {
                (a + 10.0) * of_class(smooth, false, n) + b + ((n * n * k + n * 7) % m) as f64
            })
        }
        Kind::Noisy => {
            let noise = r.scaled(0.003, 0.03);
            let sizes = sizes(r, smooth);
            let seed = r.next();
            let last = sizes[sizes.len() - 1];
            let share = r.scaled(1.0, 2.0) - 1.0;
            let lower = if smooth > Class::Linear { Class::Linear } else { Class::Constant };
            let most = (a + 10.0) * of_class(smooth, false, last);
            let c = share * most / of_class(lower, false, last);
            let cost = move |n: u64| {
                let mut own = Random::new(seed ^ n);
                own.next();
                let f = (a + 10.0) * of_class(smooth, false, n) + c * of_class(lower, false, n) + b;
                f * (1.0 + noise * (2.0 * own.unit() - 1.0))
            };
            on(sizes, kind, smooth, cost)
        }
        Kind::Bends => {
            // Of the same class before and after, but steeper: a window or a table is full.
            let truth = r.pick(&[Class::Linear, Class::NLogN]);
            let sizes = sizes(r, truth);
            let at = sizes[r.within(3, sizes.len() as u64 - 3) as usize];
            let (steeper, noise) = (r.scaled(0.2, 8.0), r.scaled(0.0003, 0.03));
            let seed = r.next();
            let f = move |n: u64| (a + 10.0) * of_class(truth, false, n) + b;
            let cost = move |n: u64| {
                let mut own = Random::new(seed ^ n);
                own.next();
                let bent = f(n) + steeper * (f(n) - f(at)).max(0.0);
                bent * (1.0 + noise * (2.0 * own.unit() - 1.0))
            };
            on(sizes, kind, truth, cost)
        }
        Kind::KeepsUp => searched(r, kind, class, plain, |_, f| f),
        Kind::DrawsOut => {
            let sizes = sizes(r, polynomial);
            let at = sizes[r.within(5, sizes.len() as u64 - 2) as usize];
            let f = move |n: u64| a * of_class(polynomial, whole, n) + b;
            let slope = f(at) - f(at - 1);
            let cost = move |n: u64| if n <= at { f(n) } else { f(at) + slope * (n - at) as f64 };
            reached(sizes, kind, polynomial, move |n| cost(n).min(f(n)))
        }
        Kind::FallsBehind => {
            let at = r.within(4, 40) as f64;
            let p = r.scaled(0.2, 1.5);
            searched(
                r,
                kind,
                smooth,
                move |n| a * of_class(smooth, whole, n) + b,
                move |n, f| f / (n as f64 / at).max(1.0).powf(p),
            )
        }
        Kind::Stops => {
            let sizes = sizes(r, smooth);
            let at = sizes[r.within(4, sizes.len() as u64 - 2) as usize];
            let f = move |n: u64| a * of_class(smooth, whole, n) + b;
            reached(sizes, kind, smooth, move |n| f(n.min(at)))
        }
        Kind::CatchesUp => {
            let sizes = sizes(r, polynomial);
            let at = sizes[r.within(4, sizes.len() as u64 - 1) as usize];
            let quality = r.scaled(0.05, 0.8);
            let p = r.pick(&[0.0, 0.0, 0.3, 0.7]);
            let f = move |n: u64| a * of_class(polynomial, whole, n) + b;
            // Before, it falls behind more and more; then it finds the worst inputs.
            let cost = move |n: u64| match n < at {
                true => f(n) * quality / (n as f64).powf(p),
                false => f(n),
            };
            reached(sizes, kind, polynomial, cost)
        }
        Kind::MissesSome => {
            let seed = r.next();
            let often = r.within(3, 9);
            searched(r, kind, class, plain, move |n, f| {
                let mut own = Random::new(seed ^ n);
                own.next();
                if own.within(0, often) == 0 { f * (0.4 + 0.6 * own.unit()) } else { f }
            })
        }
    }
}

/// W(n) = left·W(⌊n/2⌋) + right·W(⌈n/2⌉) + a·n^toll, and some more at every call.
fn halving(n: u64, from: u64, shape: (u64, u64, u32), a: f64, b: f64) -> f64 {
    let (left, right, toll) = shape;
    if n < from {
        return a * n as f64 + 3.0;
    }
    let mut sum = a * (n as f64).powi(toll as i32) + b;
    sum += left as f64 * halving(n / 2, from, shape, a, b);
    if right > 0 {
        sum += right as f64 * halving(n.div_ceil(2), from, shape, a, b);
    }
    sum
}

fn exact(random: &mut Random, kind: Kind, truth: Class, cost: impl Fn(u64) -> f64) -> Sequence {
    on(sizes(random, truth), kind, truth, cost)
}

fn on(sizes: Vec<u64>, kind: Kind, truth: Class, cost: impl Fn(u64) -> f64) -> Sequence {
    let points = sizes.into_iter().map(|n| Point::exact(n, cost(n).round() as u64)).collect();
    Sequence { kind, truth, points }
}

fn reached(sizes: Vec<u64>, kind: Kind, truth: Class, cost: impl Fn(u64) -> f64) -> Sequence {
    let points = sizes.into_iter().map(|n| Point::reached(n, cost(n).round() as u64)).collect();
    Sequence { kind, truth, points }
}

fn searched(
    random: &mut Random,
    kind: Kind,
    truth: Class,
    cost: impl Fn(u64) -> f64,
    found: impl Fn(u64, f64) -> f64,
) -> Sequence {
    reached(sizes(random, truth), kind, truth, move |n| found(n, cost(n)))
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Worth {
    /// The class of the truth.
    Right,
    /// At least a lower class: true.
    Weak,
    /// No class.
    Silent,
    /// Above the truth, or exact and not the truth.
    Wrong,
}

/// Judges a sequence, and the judgement.
pub(crate) fn judge(sequence: &Sequence) -> (Growth, Option<Class>, Worth) {
    let growth = growth(&sequence.points);
    let answer = if sequence.kind.is_searched() { growth.at_least() } else { growth.class };
    let worth = match answer {
        None => Worth::Silent,
        Some(class) if same(class, sequence.truth) => Worth::Right,
        Some(class) if sequence.kind.is_searched() && class < sequence.truth => Worth::Weak,
        Some(_) => Worth::Wrong,
    };
    (growth, answer, worth)
}

/// A number that is fitted is right to the digits that a fit can know.
fn same(a: Class, b: Class) -> bool {
    match (a, b) {
        (Class::Power(a), Class::Power(b)) | (Class::Exp(a), Class::Exp(b)) => (a - b).abs() < 0.05,
        _ => a == b,
    }
}
