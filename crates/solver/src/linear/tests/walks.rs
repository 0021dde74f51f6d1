//! Depth-first walks of textbook programs over symbolic weights, without any interpreter: every symbolic
//! comparison asks for both sides. The numbers of feasible paths are known.

use super::super::{Answer, Lin, Linear, Mark, Var, Work};

/// A solver that counts its questions.
struct Oracle {
    linear: Linear,
    checks: u64,
    work: u64,
    /// Follow this outcome alone wherever it is feasible.
    prefer: Option<bool>,
    /// Ask for the other outcome too.
    both: bool,
    start: std::time::Instant,
}

impl Oracle {
    fn new(vars: usize, lo: i128, hi: i128) -> (Oracle, Vec<Lin>) {
        let mut linear = Linear::new();
        let weights = (0..vars).map(|_| Lin::var(linear.new_var(lo, hi))).collect();
        (
            Oracle {
                linear,
                checks: 0,
                work: 0,
                prefer: None,
                both: false,
                start: std::time::Instant::now(),
            },
            weights,
        )
    }

    /// `a < b`, or its negation.
    fn assume_less(&mut self, a: &Lin, b: &Lin, holds: bool) {
        let mut lin = if holds { a.plus(b, -1) } else { b.plus(a, -1) }.unwrap();
        lin.add_constant(holds.into()).unwrap();
        self.linear.assert_le(&lin);
    }

    fn feasible(&mut self) -> bool {
        self.checks += 1;
        let mut work = Work::new(10_000_000);
        let answer = self.linear.check(&mut work);
        self.work += work.spent();
        match answer {
            Answer::Sat => true,
            Answer::Unsat => false,
            Answer::Unknown(reason) => panic!("unknown: {reason}"),
        }
    }

    /// Calls `side` on each feasible outcome of `a < b`.
    fn decide(&mut self, a: &Lin, b: &Lin, mut side: impl FnMut(&mut Oracle, bool)) {
        if a.terms() == b.terms() {
            return side(self, a.offset() < b.offset());
        }
        if let Some(preferred) = self.prefer {
            let mark: Mark = self.linear.mark();
            self.assume_less(a, b, preferred);
            let chosen = self.feasible();
            if chosen && !self.both {
                return side(self, preferred);
            }
            self.linear.undo_to(mark);
            if chosen {
                self.assume_less(a, b, !preferred);
                self.feasible();
                self.linear.undo_to(mark);
                self.assume_less(a, b, preferred);
                return side(self, preferred);
            }
            self.assume_less(a, b, !preferred);
            return side(self, !preferred);
        }
        for outcome in [true, false] {
            let mark: Mark = self.linear.mark();
            self.assume_less(a, b, outcome);
            if self.feasible() {
                side(self, outcome);
            }
            self.linear.undo_to(mark);
        }
    }

    fn report(&self, name: &str, n: usize, paths: u64) {
        if std::env::var_os("LINEAR_WALK_STATISTICS").is_some() {
            let text = format!(
                "{name} {n}: {paths} paths, {} checks, {} work, {:?}\n",
                self.checks,
                self.work,
                self.start.elapsed()
            );
            std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap();
        }
    }
}

/// The weight of each edge of the complete digraph, `None` on the diagonal.
fn edges(n: usize, weights: &[Lin]) -> Vec<Vec<Option<Lin>>> {
    let mut next = weights.iter().cloned();
    (0..n).map(|i| (0..n).map(|j| if i == j { None } else { next.next() }).collect()).collect()
}

struct BellmanFord {
    n: usize,
    edges: Vec<Vec<Option<Lin>>>,
    paths: u64,
}

impl BellmanFord {
    /// Continues at edge `at` of a round. `None`: the vertex is infinitely far.
    fn relax(
        &mut self,
        oracle: &mut Oracle,
        dist: &[Option<Lin>],
        round: usize,
        at: usize,
        changed: bool,
    ) {
        if round == self.n {
            self.paths += 1;
            return;
        }
        if at == self.n * self.n {
            if changed {
                self.relax(oracle, dist, round + 1, 0, false);
            } else {
                self.paths += 1;
            }
            return;
        }
        let (i, j) = (at / self.n, at % self.n);
        let (Some(weight), Some(from)) = (&self.edges[i][j], &dist[i]) else {
            return self.relax(oracle, dist, round, at + 1, changed);
        };
        let through = from.plus(weight, 1).unwrap();
        let present = dist[j].clone().unwrap_or(Lin::constant(1_000_000));
        oracle.decide(&through, &present, |oracle, shorter| {
            if shorter {
                let mut dist = dist.to_vec();
                dist[j] = Some(through.clone());
                self.relax(oracle, &dist, round, at + 1, true);
            } else {
                self.relax(oracle, dist, round, at + 1, changed);
            }
        });
    }
}

fn bellman_ford(n: usize) -> u64 {
    bellman_ford_guided(n, None, false)
}

fn bellman_ford_guided(n: usize, prefer: Option<bool>, both: bool) -> u64 {
    let (mut oracle, weights) = Oracle::new(n * (n - 1), -1000, 1000);
    (oracle.prefer, oracle.both) = (prefer, both);
    let mut walk = BellmanFord { n, edges: edges(n, &weights), paths: 0 };
    let mut dist = vec![None; n];
    dist[0] = Some(Lin::constant(0));
    walk.relax(&mut oracle, &dist, 0, 0, false);
    oracle.report("Bellman-Ford", n, walk.paths);
    walk.paths
}

struct Dijkstra {
    n: usize,
    edges: Vec<Vec<Option<Lin>>>,
    paths: u64,
}

impl Dijkstra {
    fn far() -> Lin {
        Lin::constant(i32::MAX.into())
    }

    /// Looks for the nearest vertex that is not fixed, from vertex `at` on.
    fn scan(
        &mut self,
        oracle: &mut Oracle,
        dist: &[Lin],
        fixed: &[bool],
        at: usize,
        best: Option<usize>,
    ) {
        if at == self.n {
            match best {
                None => self.paths += 1,
                Some(best) => {
                    let mut fixed = fixed.to_vec();
                    fixed[best] = true;
                    self.relax(oracle, dist, &fixed, best, 0);
                }
            }
            return;
        }
        if fixed[at] {
            return self.scan(oracle, dist, fixed, at + 1, best);
        }
        let least = best.map_or(Self::far(), |best| dist[best].clone());
        oracle.decide(&dist[at], &least, |oracle, nearer| {
            self.scan(oracle, dist, fixed, at + 1, if nearer { Some(at) } else { best });
        });
    }

    fn relax(&mut self, oracle: &mut Oracle, dist: &[Lin], fixed: &[bool], from: usize, to: usize) {
        if to == self.n {
            return self.scan(oracle, dist, fixed, 0, None);
        }
        let Some(weight) = self.edges[from][to].as_ref().filter(|_| !fixed[to]) else {
            return self.relax(oracle, dist, fixed, from, to + 1);
        };
        let through = dist[from].plus(weight, 1).unwrap();
        oracle.decide(&through, &dist[to], |oracle, shorter| {
            let mut dist = dist.to_vec();
            if shorter {
                dist[to] = through.clone();
            }
            self.relax(oracle, &dist, fixed, from, to + 1);
        });
    }
}

fn dijkstra(n: usize) -> u64 {
    dijkstra_guided(n, None, false)
}

fn dijkstra_guided(n: usize, prefer: Option<bool>, both: bool) -> u64 {
    let (mut oracle, weights) = Oracle::new(n * (n - 1), 0, 1000);
    (oracle.prefer, oracle.both) = (prefer, both);
    let mut walk = Dijkstra { n, edges: edges(n, &weights), paths: 0 };
    let mut dist = vec![Dijkstra::far(); n];
    dist[0] = Lin::constant(0);
    walk.scan(&mut oracle, &dist, &vec![false; n], 0, None);
    oracle.report("Dijkstra", n, walk.paths);
    walk.paths
}

/// What is left to do of a tour: the stack of the recursive search.
#[derive(Clone)]
struct Visit {
    city: usize,
    visited: u32,
    length: Lin,
    next: usize,
}

struct Salesman {
    n: usize,
    weights: Vec<Lin>,
    paths: u64,
    /// In a guided walk: whether a tour is rather shorter than the best before it.
    improve: bool,
}

impl Salesman {
    fn enter(&mut self, oracle: &mut Oracle, mut stack: Vec<Visit>, best: &Lin) {
        let Some(top) = stack.last_mut() else {
            self.paths += 1;
            return;
        };
        let n = self.n;
        if top.visited.count_ones() as usize == n {
            let tour = top.length.plus(&self.weights[top.city * n], 1).unwrap();
            stack.pop();
            let prefer = oracle.prefer;
            // What makes the search long is that nothing is pruned, not that tours get shorter.
            oracle.prefer = prefer.map(|_| self.improve);
            oracle.decide(&tour, best, |oracle, shorter| {
                oracle.prefer = prefer;
                self.enter(oracle, stack.clone(), if shorter { &tour } else { best });
                oracle.prefer = prefer.map(|_| self.improve);
            });
            oracle.prefer = prefer;
            return;
        }
        if top.next == 0 && top.city != 0 {
            let length = top.length.clone();
            oracle.decide(&length, best, |oracle, goes_on| {
                let mut stack = stack.clone();
                if !goes_on {
                    stack.pop();
                }
                self.step(oracle, stack, best);
            });
            return;
        }
        self.step(oracle, stack, best);
    }

    /// Tries the next city from the top of the stack.
    fn step(&mut self, oracle: &mut Oracle, mut stack: Vec<Visit>, best: &Lin) {
        while let Some(top) = stack.last_mut() {
            if top.next == self.n {
                stack.pop();
                continue;
            }
            let city = top.next;
            top.next += 1;
            if top.visited & (1 << city) == 0 {
                let length = top.length.plus(&self.weights[top.city * self.n + city], 1).unwrap();
                let visit = Visit { city, visited: top.visited | (1 << city), length, next: 0 };
                stack.push(visit);
                return self.enter(oracle, stack, best);
            }
        }
        self.paths += 1;
    }
}

fn salesman(n: usize) -> u64 {
    salesman_guided(n, None, false, false)
}

fn salesman_guided(n: usize, prefer: Option<bool>, both: bool, improve: bool) -> u64 {
    let (mut oracle, weights) = Oracle::new(n * n, 0, 1000);
    (oracle.prefer, oracle.both) = (prefer, both);
    let mut walk = Salesman { n, weights, paths: 0, improve };
    let start = Visit { city: 0, visited: 1, length: Lin::constant(0), next: 0 };
    walk.enter(&mut oracle, vec![start], &Lin::constant(i32::MAX.into()));
    oracle.report("salesman", n, walk.paths);
    walk.paths
}

#[test]
fn bellman_ford_has_the_known_numbers_of_paths() {
    assert_eq!((1..=3).map(bellman_ford).collect::<Vec<_>>(), [1, 2, 63]);
}

#[test]
fn bellman_ford_on_four_vertices_has_184875_paths() {
    assert_eq!(bellman_ford(4), 184_875);
}

#[test]
fn dijkstra_has_the_known_numbers_of_paths() {
    assert_eq!((1..=5).map(dijkstra).collect::<Vec<_>>(), [1, 1, 4, 56, 2592]);
}

#[test]
fn the_salesman_has_the_known_numbers_of_paths() {
    assert_eq!((1..=4).map(salesman).collect::<Vec<_>>(), [1, 1, 3, 297]);
}

/// A path has as many frames as decisions.
fn on_a_deep_stack(walk: impl FnOnce() -> u64 + Send + 'static) -> u64 {
    std::thread::Builder::new().stack_size(4 << 30).spawn(walk).unwrap().join().unwrap()
}

#[test]
fn guided_walks_follow_one_path() {
    for both in [false, true] {
        assert_eq!(on_a_deep_stack(move || bellman_ford_guided(6, Some(true), both)), 1);
        assert_eq!(on_a_deep_stack(move || dijkstra_guided(12, Some(true), both)), 1);
        assert_eq!(on_a_deep_stack(move || salesman_guided(5, Some(true), both, false)), 1);
    }
    assert_eq!(on_a_deep_stack(|| salesman_guided(6, Some(true), false, true)), 1);
}

#[test]
fn guided_walks_at_size() {
    assert_eq!(on_a_deep_stack(|| dijkstra_guided(40, Some(true), true)), 1);
    assert_eq!(on_a_deep_stack(|| bellman_ford_guided(16, Some(true), true)), 1);
    assert_eq!(on_a_deep_stack(|| salesman_guided(9, Some(true), false, false)), 1);
    assert_eq!(on_a_deep_stack(|| salesman_guided(7, Some(true), false, true)), 1);
}

/// Two conditions bound one sum: what contradicts names the one that is narrow enough, in either order, and suffices alone.
#[test]
fn a_conflict_names_the_bound_that_it_needs() {
    let sum = |vars: [Var; 2], times: i64, offset: i128| {
        let mut lin = Lin::constant(offset);
        for var in vars {
            lin.add_term(var, times).unwrap();
        }
        lin
    };
    for (most, needed) in [([100, 3], 1), ([3, 100], 0), ([60, 40], 1)] {
        let mut linear = Linear::new();
        let vars = [linear.new_var(0, 1000), linear.new_var(0, 1000)];
        for most in most {
            linear.assert_le(&sum(vars, 1, -most));
        }
        linear.assert_le(&sum(vars, -1, 50));
        let mut conflict = linear.into_conflict(&mut Work::unlimited()).unwrap();
        conflict.sort_unstable();
        assert_eq!(conflict, [needed, 2], "{most:?}");
    }
}
