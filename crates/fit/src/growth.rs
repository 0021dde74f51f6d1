//! The class of a sequence of costs, by description length.
//!
//! # The model
//!
//! Every explanation of the costs is a text from which they can be read back, and its length in bits is
//! minus the logarithm of a probability: of two explanations one that is k bits shorter is 2^k times
//! as likely. A text has up to three parts.
//!
//! 1. *Before*: the costs of sizes below a change of algorithm, by whatever describes them best: a
//!    law, a curve, each by its difference from the one before ([`bits::raw`]); or one of these, an
//!    earlier change, and a line.
//! 2. *The change*: one of the sizes, log2(number of sizes) bits. Left out where there is none. Where costs go on
//!    without a jump and in the same class, only steeper or flatter, it is a *bend* within one curve.
//! 3. *The growth*: a law that the remaining costs obey without a miss (`pessimum-law`; which law, and
//!    its coefficients as fractions), or a curve of a class with its coefficients, its noise and every
//!    miss (`curve`). It has a class.
//!
//! A class gives its name to costs of whose growth its function carries a part that shows (`curve::SHARE`). A curve
//! of which it carries less is no text of the class; but where it is shorter than all texts, neither is a lower
//! class the whole truth, and both are left.
//!
//! The bits of a class are those of its shortest text. A text may also end without a class: a law or a
//! curve that holds up to some size, the change, and the costs after it one by one; or what holds from a change
//! to the end, and each cost before the change that misses it. These misses count where their text is decisively shorter
//! than that of a class: a size below a change may meet the later law by chance. A change counts
//! only where it shows: where the text is shorter than all without one; a bend, where it makes the class lower, too;
//! before an end without a class, where going on as before would take more bits.
//!
//! No prior favours a class: each is one of a list, and so is each form of it. A number that is itself
//! fitted (n^1.37) costs the bits of its digits. Coefficients, costs and changes are stated in
//! universal codes, which favour no scale. Noise is a free power of two of the cost, independent or
//! drifting, even, settling or a factor (`curve`); a reached cost may be stated as a shortfall, an excess over the curve may not. Reached costs are
//! read both ways, with shortfalls excused and as they are, and what either reading leaves is left.
//!
//! # The bound
//!
//! A class is left while its text is at most [`DECISIVE`] bits longer than the shortest. The class of
//! the costs is claimed when one is left, and no text without a class is left either. Where a function that no class
//! has makes a text that is shorter than all (`outside`), the classes below and above it are left as well; of costs that were reached, and
//! beside a power without a name, it need not be shorter, only near. Else all that
//! are left are named; whatever they are, the costs grow at least as the least of them.

use std::collections::BTreeMap;

use pessimum_law::{Class, Description, Law, Sample, bits};

use crate::curve::{self, Curve, Data, FIRST_NOISE};
use crate::form::{self, FORMS, Form};
use crate::outside::OUTSIDE;
use crate::points::Point;

/// The bound in bits for every claim: the odds against what is discarded are 2^14 to 1, so that of
/// ten thousand answers none is expected to be wrong.
pub const DECISIVE: f64 = 14.0;

/// More sizes than this are thinned, evenly over the octaves, for curves; none of the others is far above the one that is claimed. Laws
/// meet them all.
const MOST_POINTS: usize = 48;

/// What describes the costs in a class.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Law(Box<Description>),
    Curve(Curve),
}

impl Shape {
    pub(crate) fn at(&self, n: u64) -> Option<f64> {
        match self {
            Shape::Law(d) => d.law.at(n).map(|c| c as f64),
            Shape::Curve(c) => Some(c.at(n as f64)).filter(|c| c.is_finite()),
        }
    }

    pub(crate) fn formula(&self) -> String {
        match self {
            Shape::Law(d) => d.law.to_string(),
            Shape::Curve(c) => c.formula(),
        }
    }
}

/// The shortest text of one class.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub class: Class,
    /// Its length.
    pub bits: f64,
    /// The first size after the change of algorithm, if there is one.
    pub from: Option<u64>,
    /// Whether the change is a bend, so that the class describes the costs before it as well.
    pub bent: bool,
    pub shape: Shape,
}

/// How a sequence of costs grows, and how surely.
#[derive(Debug, Clone)]
pub struct Growth {
    /// The class, where one is left.
    pub class: Option<Class>,
    /// All classes that are left, in order of growth; empty where the costs are described as well
    /// without any.
    pub left: Vec<Class>,
    /// The formula of the first candidate, if a class is claimed.
    pub formula: Option<String>,
    /// Is the formula a law that predicted powers of two, their neighbours, odd sizes and every
    /// residue it speaks of, and that no size from [`Growth::holds_from`] on contradicts?
    pub exact: bool,
    /// The first size of the formula, if smaller ones do not follow it.
    pub holds_from: Option<u64>,
    /// Does the formula meet every cost, those it was not made from included?
    pub interpolates: bool,
    /// The sizes a law was not made from and yet meets.
    pub checked_at: Vec<u64>,
    /// By how many bits the next class, or no class at all, is worse.
    pub bits: f64,
    /// How many different sizes there are.
    pub sizes: usize,
    /// The shortest text of each class, the best first.
    pub(crate) texts: Vec<Text>,
}

impl Growth {
    /// The costs may be of no class, but between two. What was left before stays, and where nothing was, nothing is.
    fn between(mut self, classes: Option<[Class; 2]>) -> Growth {
        if let Some(classes) = classes.filter(|_| !self.left.is_empty()) {
            self.left.extend(classes);
            self.left.sort();
            self.left.dedup();
            self.unclaimed();
        }
        self
    }

    fn unclaimed(&mut self) {
        self.class = None;
        self.formula = None;
        self.holds_from = None;
        self.checked_at.clear();
        (self.exact, self.interpolates) = (false, false);
    }

    /// The class that the costs grow at least as: the least that is left.
    pub fn at_least(&self) -> Option<Class> {
        self.left.first().copied()
    }

    /// The cost that the best description predicts at a size.
    pub fn predict(&self, n: u64) -> Option<f64> {
        self.class?;
        self.texts.first()?.shape.at(n)
    }
}

/// The growth of costs of which the exact ones are the truth and the reached ones at most the truth.
///
/// ```
/// use pessimum_fit::{growth, Class, Point};
/// let points: Vec<Point> = (1..=12).map(|n| Point::exact(n, 3 * n * n + 2)).collect();
/// let growth = growth(&points);
/// assert_eq!(growth.class, Some(Class::Quadratic));
/// assert_eq!(growth.formula.as_deref(), Some("3*n^2 + 2"));
/// // One size says nothing.
/// assert_eq!(pessimum_fit::growth(&points[..1]).class, None);
/// ```
pub fn growth(points: &[Point]) -> Growth {
    let exact = points.iter().all(|p| p.exact);
    match exact {
        true => judged(points).between_classes(0.0),
        false => agreed(at_least(points), judged(points).growth),
    }
}

/// Whether a cost misses what a law says by a little: to say by how much takes decisively fewer bits than to say the cost without the law.
///
/// ```
/// use pessimum_fit::is_near;
/// assert!(is_near(2_902_818, 2_902_840));
/// assert!(!is_near(3_825, 4_195));
/// ```
pub fn is_near(foretold: u64, cost: u64) -> bool {
    let miss = i128::from(cost) - i128::from(foretold);
    bits::integer(i128::from(cost)) - bits::integer(miss) >= DECISIVE
}

/// Whether some law describes the costs to the end, and predicted sizes of every kind it could fail at. Where none does,
/// no fit of them is exact, and to know that takes a small part of what a fit does.
///
/// ```
/// use pessimum_fit::{has_law, Point};
/// let of = |cost: fn(u64) -> u64| (1..=12).map(|n| Point::exact(n, cost(n))).collect::<Vec<_>>();
/// assert!(has_law(&of(|n| 3 * n * n + 2)));
/// assert!(!has_law(&of(|n| n * 7919 % 101)));
/// ```
pub fn has_law(points: &[Point]) -> bool {
    has_law_that(points, |_| true)
}

/// Whether some such law says that a size costs this much. Where none does, no exact fit does.
///
/// ```
/// use pessimum_fit::{has_law_with, Point};
/// let points: Vec<Point> = (1..=12).map(|n| Point::exact(n, 3 * n * n + 2)).collect();
/// assert!(has_law_with(&points, (20, 1202)));
/// assert!(!has_law_with(&points, (20, 1203)));
/// ```
pub fn has_law_with(points: &[Point], (n, cost): (u64, u64)) -> bool {
    has_law_that(points, |law| law.law.at(n) == Some(i128::from(cost)))
}

fn has_law_that(points: &[Point], says: impl Fn(&Description) -> bool) -> bool {
    let samples = samples(&merged(points));
    let to_the_end = |law: &&Description| law.until == samples.len() && is_covered(law);
    let laws = pessimum_law::search(&samples);
    laws.iter().filter(to_the_end).any(|law| says(law) && is_a_cost(law, &samples))
}

/// What is left in both readings of reached costs: as they are, and with shortfalls excused. Whether a
/// cost is a shortfall is not known, so a claim has to stand either way.
fn agreed(mut growth: Growth, other: Growth) -> Growth {
    growth.bits = growth.bits.min(other.bits);
    match growth.left.is_empty() || other.left.is_empty() {
        true => growth.left.clear(),
        false => growth.left.extend(other.left),
    }
    growth.left.sort();
    growth.left.dedup();
    if growth.left.len() != 1 {
        growth.unclaimed();
    }
    growth
}

/// The growth of *one family* of inputs: the costs of one recipe at every size, each of them the exact
/// cost of that family, however short of the worst case. What it grows as, the worst case grows at
/// least as.
///
/// ```
/// use pessimum_fit::{at_least, Class, Point};
/// let family: Vec<Point> = (1..=20).map(|n| Point::reached(n, n * n / 2 + 7 * n)).collect();
/// assert_eq!(at_least(&family).at_least(), Some(Class::Quadratic));
/// ```
pub fn at_least(family: &[Point]) -> Growth {
    let judged = judged(&as_exact(family));
    // Inputs that were found are not the worst, and a power without a name is as rare as a product.
    let rare = judged.growth.at_least().is_some_and(|least| matches!(least, Class::Power(_)));
    judged.between_classes(if rare { DECISIVE } else { 0.0 })
}

/// The costs as they are, none of them excused.
fn as_exact(points: &[Point]) -> Vec<Point> {
    points.iter().map(|p| Point::exact(p.n, p.cost)).collect()
}

/// What costs tell by themselves.
struct Judged {
    growth: Growth,
    costs: Costs,
    /// Bits of the shortest text of a class, whether it gives its name or not.
    shortest: f64,
}

impl Judged {
    /// The growth, with what else is left where a function that no class has takes no more bits than these beyond the shortest text.
    fn between_classes(self, more: f64) -> Growth {
        let between = self.costs.outside(self.shortest + more);
        self.growth.between(between)
    }
}

fn judged(points: &[Point]) -> Judged {
    let samples = merged(points);
    let costs = Costs::new(&samples);
    let mut shortest = Shortest::new(samples.last().map_or(0, |p| p.n));
    costs.laws().for_each(|text| shortest.offer(text));
    costs.fitted_numbers().into_iter().for_each(|text| shortest.offer(text));
    costs.curves(&FORMS, &mut shortest);
    costs.bent_curves(&mut shortest);
    let unnamed = std::mem::take(&mut shortest.unnamed);
    let mut texts = shortest.texts();
    texts.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    let least = texts.first().map_or(0.0, |t| t.bits);
    let shortest = unnamed.values().copied().fold(least, f64::min);
    let hinted = unnamed.into_iter().filter(|(_, bits)| *bits < least).map(|(class, _)| class);
    let growth = concluded(&samples, &costs, texts, hinted.collect());
    Judged { growth, costs, shortest }
}

/// The shortest text of each class so far: of those without a change, and of those with one.
struct Shortest {
    whole: BTreeMap<Class, Text>,
    changed: BTreeMap<Class, Text>,
    /// Of those with a bend that counts.
    bent: BTreeMap<Class, Text>,
    /// Of curves, without a change, of whose growth the class carries too little.
    unnamed: BTreeMap<Class, f64>,
    /// The length of the shortest of all, and of the shortest without a change.
    least: f64,
    least_whole: f64,
    /// The class of the shortest without a change.
    plainly: Option<Class>,
    /// The greatest size.
    last: u64,
}

impl Shortest {
    fn new(last: u64) -> Shortest {
        Shortest {
            whole: BTreeMap::new(),
            changed: BTreeMap::new(),
            bent: BTreeMap::new(),
            unnamed: BTreeMap::new(),
            least: f64::INFINITY,
            least_whole: f64::INFINITY,
            plainly: None,
            last,
        }
    }

    fn offer(&mut self, text: Text) {
        if matches!(&text.shape, Shape::Curve(curve) if !curve.named) {
            if text.from.is_none() {
                let bits = self.unnamed.entry(text.class).or_insert(text.bits);
                *bits = bits.min(text.bits);
            }
            return;
        }
        self.least = self.least.min(text.bits);
        let texts = match text.from {
            Some(_) if text.bent => &mut self.bent,
            Some(_) => &mut self.changed,
            None => {
                if text.bits < self.least_whole {
                    (self.least_whole, self.plainly) = (text.bits, Some(text.class));
                }
                &mut self.whole
            }
        };
        match texts.get(&text.class) {
            Some(known) if known.bits <= text.bits => {}
            _ => {
                texts.insert(text.class, text);
            }
        }
    }

    /// Would a text with a change, of this class and of at least so many bits, alter anything?
    fn wants(&self, class: Class, bits: f64) -> bool {
        bits < (self.least + DECISIVE).min(self.least_whole)
            && self.changed.get(&class).is_none_or(|t| bits < t.bits)
    }

    /// Would a text with a bend at this size do so? It does where it makes the class lower, too, and an octave shows
    /// it: a bend must not be taken for curvature.
    fn wants_bent(&self, class: Class, bits: f64, from: u64) -> bool {
        let lower = self.plainly.is_some_and(|plainly| class < plainly);
        let octave = self.last >= from.saturating_mul(2);
        bits < self.least + DECISIVE && (bits < self.least_whole || lower && octave)
    }

    /// The shortest text of each class. A change counts where it shows: where it makes the text shorter than every text
    /// without one. Else a few costs at the end could be the start of anything.
    fn texts(self) -> Vec<Text> {
        let mut texts = self.whole;
        let changed = self.changed.into_values().filter(|text| text.bits < self.least_whole);
        for text in changed.chain(self.bent.into_values()) {
            if texts.get(&text.class).is_none_or(|known| text.bits < known.bits) {
                texts.insert(text.class, text);
            }
        }
        texts.into_values().collect()
    }
}

/// `hinted` are classes that shorter curves have a small part of.
fn concluded(samples: &[Point], costs: &Costs, mut texts: Vec<Text>, hinted: Vec<Class>) -> Growth {
    // ⌊lg n⌋ does not change within an octave: what holds for less than one does not show whether it
    // has such a factor, so it is a text without a class.
    let last = samples.last().map_or(0, |p| p.n);
    let short = |t: &Text| t.from.is_some_and(|from| last < from.saturating_mul(2));
    let shortest = texts.iter().filter(|t| short(t)).map(|t| t.bits).fold(f64::INFINITY, f64::min);
    texts.retain(|t| !short(t));
    let unclassed = costs.unclassed().min(shortest);
    let mut growth = Growth {
        class: None,
        left: Vec::new(),
        formula: None,
        exact: false,
        holds_from: None,
        interpolates: false,
        checked_at: Vec::new(),
        bits: 0.0,
        sizes: samples.len(),
        texts,
    };
    // Of two spellings that are both left the one with a name is said.
    let Some(first) = growth.texts.first() else { return growth };
    let named = growth
        .texts
        .iter()
        .position(|t| !t.class.is_free() && t.bits < first.bits + DECISIVE && spells(first, t));
    if let Some(named) = named {
        growth.texts[..=named].rotate_right(1);
    }
    let best = growth.texts[0].clone();
    let near = |text: &&Text| text.bits < best.bits + DECISIVE && !spells(&best, text);
    let next = growth.texts[1..].iter().find(|t| !spells(&best, t));
    growth.bits = next.map_or(f64::INFINITY, |t| t.bits).min(unclassed) - best.bits;
    if unclassed < best.bits + DECISIVE {
        return growth;
    }
    growth.left = growth.texts.iter().filter(near).map(|t| t.class).collect();
    growth.left.push(best.class);
    growth.left.extend(hinted);
    growth.left.sort();
    growth.left.dedup();
    if growth.left.len() > 1 {
        return growth;
    }
    if costs.exceeds(&best) || costs.has_exceptions(&best) {
        growth.left.clear();
        return growth;
    }
    growth.class = Some(best.class);
    growth.formula = Some(best.shape.formula());
    growth.holds_from = best.from;
    if let Shape::Law(law) = &best.shape {
        growth.checked_at = law.checked_at.clone();
        growth.exact = is_covered(law);
        growth.interpolates = best.from.is_none();
    }
    growth
}

/// Whether two classes differ by less than a fitted exponent or base is known by, half a tenth.
fn spells(a: &Text, b: &Text) -> bool {
    let power = |c: Class| match c {
        Class::Sqrt => Some(0.5),
        Class::Linear => Some(1.0),
        Class::Quadratic => Some(2.0),
        Class::Cubic => Some(3.0),
        Class::Power(k) => Some(k),
        _ => None,
    };
    let base = |c: Class| match c {
        Class::Exp2 => Some(2.0),
        Class::Exp(base) => Some(base),
        _ => None,
    };
    let near = |a: Option<f64>, b: Option<f64>| matches!((a, b), (Some(a), Some(b)) if (a - b).abs() < 0.05);
    let (a, b) = (a.class, b.class);
    a == b || near(power(a), power(b)) || near(base(a), base(b))
}

/// Whether the sizes that a law predicted are of every kind it could fail at: a power of two and
/// its neighbour, where tables double; an odd size; every residue the law speaks of.
fn is_covered(law: &Description) -> bool {
    let checked = &law.checked_at;
    let has = |n: u64| checked.contains(&n);
    let doubling = checked.iter().any(|&n| n.is_power_of_two() && n >= 4 && has(n + 1));
    let residues = law.law.moduli().into_iter().all(|m| {
        let m = u64::from(m);
        (0..m).all(|r| checked.iter().any(|n| n % m == r))
    });
    doubling && residues && checked.iter().any(|n| n % 2 == 1)
}

/// Of several points at one size the worst, since that is what is asked; an exact one is the truth.
fn merged(points: &[Point]) -> Vec<Point> {
    let mut out = points.to_vec();
    out.sort_by_key(|p| (p.n, std::cmp::Reverse(p.cost), !p.exact));
    out.dedup_by_key(|p| p.n);
    out
}

/// The costs as laws are made from.
fn samples(points: &[Point]) -> Vec<Sample> {
    points.iter().map(|p| Sample { n: p.n, value: p.cost.into() }).collect()
}

/// Sizes and costs, with what is needed again and again.
struct Costs {
    samples: Vec<Sample>,
    laws: Vec<Description>,
    /// The costs that curves are fitted to, and the index of each among the samples.
    data: Data,
    index: Vec<usize>,
    /// Bits of the first i costs of `data`, one by one and by the best that describes them.
    thin_raw: Vec<f64>,
    before: Vec<f64>,
    /// The shortest text without a class, in the costs of `data`.
    broken: f64,
}

impl Costs {
    fn new(points: &[Point]) -> Costs {
        let samples = samples(points);
        let running = |costs: &[Sample]| {
            let mut sums = vec![0.0];
            for bits in bits::raw(costs.iter().map(|s| s.value)) {
                sums.push(sums[sums.len() - 1] + bits);
            }
            sums
        };
        let laws: Vec<Description> =
            pessimum_law::search(&samples).into_iter().filter(|d| is_a_cost(d, &samples)).collect();
        let index = thinned(&samples);
        let thin: Vec<Sample> = index.iter().map(|&i| samples[i]).collect();
        let data =
            Data::new(index.iter().map(|&i| (points[i].n, points[i].cost, !points[i].exact)));
        let thin_raw = running(&thin);
        let mut costs = Costs {
            before: thin_raw.clone(),
            broken: thin_raw.last().copied().unwrap_or(0.0),
            thin_raw,
            samples,
            laws,
            data,
            index,
        };
        costs.describe_beginnings();
        costs
    }

    /// Bits to say where an algorithm changes.
    fn change(&self) -> f64 {
        bits::choice(self.samples.len())
    }

    /// The best description of the first i costs, for every i, and of all costs without a class.
    fn describe_beginnings(&mut self) {
        let count = self.data.len();
        let all = self.thin_raw[count];
        // Laws that end: whatever comes after them is told one by one.
        for law in self.laws.iter().filter(|d| d.from <= 1) {
            let from = self.index.partition_point(|&i| i < law.from);
            let until = self.index.partition_point(|&i| i < law.until);
            let bits = self.thin_raw[from] + law.bits;
            for i in from + 1..=until {
                self.before[i] = self.before[i].min(bits);
            }
            if until < count {
                // One by one, or by a law that begins there and holds for less than an octave.
                let after = self.laws.iter().filter(|d| d.from == law.until && self.is_short(d));
                let after = after.map(|d| d.bits).fold(f64::INFINITY, f64::min);
                let rest = (all - self.thin_raw[until]).min(after);
                self.broken = self.broken.min(bits + self.change() + rest);
            }
        }
        // Curves that end, if going on with them is worse.
        let first = self.first();
        for form in FORMS.iter().filter(|f| f.is_plain() && f.class <= Class::Cubic) {
            let Some(columns) = self.data.columns(form) else { continue };
            let mut noise = FIRST_NOISE;
            for until in first + form.parts.len() + 1..count {
                let curve = self.data.fit(form, &columns, first..until, &mut noise);
                let Some(curve) = curve else { continue };
                let bits = self.thin_raw[first] + curve.bits;
                self.before[until] = self.before[until].min(bits);
                let rest = self.change() + all - self.thin_raw[until];
                if bits + rest < self.broken && self.data.continued(&curve, until) > rest {
                    self.broken = bits + rest;
                }
            }
        }
        self.describe_middles();
    }

    /// Beginnings with a change of their own: a line goes on from it, whatever came before.
    fn describe_middles(&mut self) {
        let line =
            FORMS.iter().find(|f| f.is_plain() && f.class == Class::Linear && f.parts.len() == 2);
        let Some((line, columns)) = line.and_then(|f| Some((f, self.data.columns(f)?))) else {
            return;
        };
        let beginnings = self.before.clone();
        let count = self.data.len();
        for (from, before) in beginnings.iter().enumerate().take(count).skip(self.first() + 1) {
            let least = before + self.change() + curve::least_bits(line);
            let mut noise = FIRST_NOISE;
            for until in from + line.parts.len() + 1..count {
                if least >= self.before[until] {
                    continue;
                }
                if let Some(curve) = self.data.fit(line, &columns, from..until, &mut noise) {
                    let bits = before + self.change() + curve.bits;
                    self.before[until] = self.before[until].min(bits);
                }
            }
        }
    }

    /// Does a law hold to the end, but for less than an octave?
    fn is_short(&self, law: &Description) -> bool {
        let last = self.samples.last().map_or(0, |s| s.n);
        law.until == self.samples.len() && last < self.samples[law.from].n.saturating_mul(2)
    }

    /// The first size that curves speak of: logarithms begin at 1.
    fn first(&self) -> usize {
        usize::from(self.data.n.first() == Some(&0.0))
    }

    fn unclassed(&self) -> f64 {
        self.broken
    }

    /// Whether a text that begins with a change is decisively longer than one in which its law or curve goes on below the change, and the
    /// costs there that miss it are told one by one. Which sizes those are nobody knows, so that text has no class.
    fn has_exceptions(&self, text: &Text) -> bool {
        let Some(from) = text.from.filter(|_| !text.bent) else { return false };
        let from = self.data.n.partition_point(|n| *n < from as f64);
        let cost = |i: usize| {
            let sample = &self.samples[self.index[i]];
            (sample.n, sample.value)
        };
        let mut bits = text.bits - self.before[from] - self.change();
        let (mut met, mut missed) = (cost(from), 0);
        for i in (0..from).rev() {
            let (n, value) = cost(i);
            let told = self.change() + bits::integer(value - missed);
            let obeys = match &text.shape {
                Shape::Law(law) if law.law.at(n) == Some(value) => 0.0,
                Shape::Law(_) => f64::INFINITY,
                Shape::Curve(curve) => curve.bits_beside(met, (n, value)),
            };
            match obeys < told {
                true => met = (n, value),
                false => missed = value,
            }
            bits += obeys.min(told);
            let before = if i == 0 { 0.0 } else { self.before[i] + self.change() };
            if before + bits + DECISIVE < text.bits {
                return true;
            }
        }
        false
    }

    /// Whether a cost that was left out where there were too many for curves is above the curve of a text, by more than noise explains.
    fn exceeds(&self, text: &Text) -> bool {
        let Shape::Curve(curve) = &text.shape else { return false };
        let holds_from = text.from.filter(|_| !text.bent).unwrap_or(0);
        let cost = |i: usize| (self.samples[i].n, self.samples[i].value);
        self.index.windows(2).any(|kept| {
            let mut left_out = (kept[0] + 1..kept[1]).map(cost);
            cost(kept[0]).0 >= holds_from
                && left_out.any(|at| curve.surprise_beside(cost(kept[0]), at) > DECISIVE)
        })
    }

    /// The texts that end with a law.
    fn laws(&self) -> impl Iterator<Item = Text> {
        let last = self.samples.len();
        self.laws.iter().filter(move |d| d.until == last).map(|d| {
            let from = self.index.partition_point(|&i| i < d.from);
            let before = if d.from == 0 { 0.0 } else { self.before[from] + self.change() };
            Text {
                class: d.law.class(),
                bits: before + d.bits,
                from: (d.from > 0).then(|| self.samples[d.from].n),
                bent: false,
                shape: Shape::Law(Box::new(d.clone())),
            }
        })
    }

    /// The classes that the costs lie between, if a function that has no class describes them in fewer bits than these.
    fn outside(&self, bits: f64) -> Option<[Class; 2]> {
        let mut shortest = (bits, None);
        // Logarithms of logarithms begin late.
        let beginnings = [1, 4, 16].map(|n| self.data.n.partition_point(|m| *m < f64::from(n)));
        for outside in OUTSIDE.iter() {
            let Some(columns) = self.data.columns(&outside.form) else { continue };
            for from in beginnings.into_iter().filter(|from| *from < self.data.len()) {
                if self.before[from] + curve::least_bits(&outside.form) >= shortest.0 {
                    continue;
                }
                let text = self.curve(&outside.form, &columns, from, &mut FIRST_NOISE.clone());
                let named = |text: &Text| matches!(&text.shape, Shape::Curve(c) if c.named);
                if let Some(text) = text.filter(|text| text.bits < shortest.0 && named(text)) {
                    shortest = (text.bits, Some(outside.between));
                }
            }
        }
        shortest.1
    }

    /// The texts that end with a curve, of each form and from each size on.
    fn curves(&self, forms: &[Form], shortest: &mut Shortest) {
        let columns: Vec<_> = forms.iter().map(|f| self.data.columns(f)).collect();
        let mut forms: Vec<(&Form, Vec<Vec<f64>>, f64)> =
            forms.iter().zip(columns).filter_map(|(f, c)| Some((f, c?, FIRST_NOISE))).collect();
        for from in self.first()..self.data.len() {
            for (form, columns, noise) in &mut forms {
                let least = self.before[from] + curve::least_bits(form);
                if from == self.first() || shortest.wants(form.class, least + self.change()) {
                    self.curve(form, columns, from, noise)
                        .into_iter()
                        .for_each(|t| shortest.offer(t));
                }
            }
        }
    }

    /// The texts of a curve in one piece whose slope changes at a size: less to say than two curves.
    fn bent_curves(&self, shortest: &mut Shortest) {
        let (first, count) = (self.first(), self.data.len());
        let plain = FORMS.iter().filter(|f| f.is_plain() && f.parts.len() == 2);
        for form in plain.filter(|f| f.class <= Class::Cubic) {
            let mut noise = FIRST_NOISE;
            for at in first + 1..count.saturating_sub(1) {
                let bent = form.bent(self.data.n[at]);
                let (least, from) = (curve::least_bits(&bent), self.data.n[at] as u64);
                if !shortest.wants_bent(form.class, least + self.change(), from)
                    || count <= first + bent.parts.len()
                {
                    continue;
                }
                let Some(columns) = self.data.columns(&bent) else { break };
                let Some(text) = self.curve(&bent, &columns, first, &mut noise) else { continue };
                let bits = text.bits + self.change();
                if shortest.wants_bent(form.class, bits, from) {
                    shortest.offer(Text { bits, from: Some(from), bent: true, ..text });
                }
            }
        }
    }

    fn curve(
        &self,
        form: &Form,
        columns: &[Vec<f64>],
        from: usize,
        noise: &mut f64,
    ) -> Option<Text> {
        if self.data.len() <= from + form.parts.len() {
            return None;
        }
        let curve = self.data.fit(form, columns, from..self.data.len(), noise)?;
        let change = if from > self.first() { self.change() } else { 0.0 };
        Some(Text {
            class: curve.class,
            bits: self.before[from] + change + curve.bits,
            from: (from > self.first()).then(|| self.data.n[from] as u64),
            bent: false,
            shape: Shape::Curve(curve),
        })
    }

    /// The texts with an exponent or a base that is itself fitted.
    fn fitted_numbers(&self) -> Vec<Text> {
        let class_of_power = |h: u32| Class::power(f64::from(h) / 100.0);
        let class_of_base = |h: u32| Class::exponential(1.0 + f64::from(h) / 100.0);
        let powers = self.fitted_number(5..=695, class_of_power);
        let bases = self.fitted_number(1..=900, class_of_base);
        powers.into_iter().chain(bases).collect()
    }

    fn fitted_number(
        &self,
        hundredths: std::ops::RangeInclusive<u32>,
        class: impl Fn(u32) -> Class,
    ) -> Option<Text> {
        let (low, high) = (*hundredths.start(), *hundredths.end());
        let name = bits::choice(FORMS.len()) + bits::choice((high - low + 1) as usize);
        let at = |h: u32| -> Option<Text> {
            let form = form::forms(class(h), name).swap_remove(1);
            let columns = self.data.columns(&form)?;
            let mut noise = FIRST_NOISE;
            self.curve(&form, &columns, self.first(), &mut noise)
        };
        let shortest = |hs: &mut dyn Iterator<Item = u32>| {
            let texts = hs.filter_map(|h| Some((h, at(h)?)));
            texts.min_by(|a, b| a.1.bits.total_cmp(&b.1.bits))
        };
        let (mut near, mut text) = shortest(&mut (low..=high).step_by(16))?;
        for step in [4, 1] {
            let range = near.saturating_sub(4 * step).max(low)..=(near + 4 * step).min(high);
            (near, text) = shortest(&mut range.step_by(step as usize))?;
        }
        text.class.is_free().then_some(text)
    }
}

/// Whether a law could be a cost: never negative, not where it goes on either, and growing if its class
/// says so. W(n) = 2*W(n/2) - 7 is the constant 7 where it begins with it.
fn is_a_cost(law: &Description, samples: &[Sample]) -> bool {
    let (first, last) = (samples[law.from].n, samples[law.until - 1].n);
    let value = |n: u64| law.law.at(n);
    let inside = first..=last.min(first.saturating_add(64));
    let beyond = [2, 3, 4, 16].map(|k| last.saturating_mul(k).saturating_add(k % 2));
    let falls = match (value(last), value(last.saturating_mul(16)), law.law.class()) {
        (_, _, Class::Constant) => false,
        (Some(here), Some(there), _) => there <= here,
        _ => false,
    };
    !falls
        && inside.into_iter().chain(beyond).all(|n| value(n).is_none_or(|v| v >= 0))
        && !matches!(law.law, Law::Halving(_) if law.checked_at.is_empty())
}

/// Indices of at most [`MOST_POINTS`] samples, evenly over the octaves.
fn thinned(samples: &[Sample]) -> Vec<usize> {
    if samples.len() <= MOST_POINTS {
        return (0..samples.len()).collect();
    }
    let (first, last) = (samples[0].n.max(1) as f64, samples[samples.len() - 1].n as f64);
    let mut out: Vec<usize> = (0..MOST_POINTS)
        .map(|i| {
            let t = i as f64 / (MOST_POINTS - 1) as f64;
            let wanted = first * (last / first).powf(t);
            samples.partition_point(|s| (s.n as f64) < wanted - 0.5).min(samples.len() - 1)
        })
        .collect();
    out.dedup();
    out
}
