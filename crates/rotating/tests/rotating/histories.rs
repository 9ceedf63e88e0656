//! The integer rule against a state machine for every bristle, over random nested histories.
use bristle_kernel::Start;
use bristle_kernel::bristle::Rotating;
use bristle_rotating::{Friction, Path};
use proptest::test_runner::{RngAlgorithm, TestRng};
use rand::RngExt;

/// What one bristle does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Under the body from the start, upright; the side it will lean to.
    Idle(f64),
    Free,
    /// Against the right (1) or the left (−1) corner.
    Corner(f64),
    /// Under the body, its tip passed by that corner.
    Under(f64),
}

/// Bristles one by one, each with a state of its own.
struct Machine {
    bases: Vec<f64>,
    states: Vec<State>,
    body: f64,
    d0: f64,
    x: f64,
    moved: bool,
    releases: usize,
}

impl Machine {
    fn new(m: &Rotating<f64>, x: f64, reach: f64) -> Self {
        let last = (reach / m.delta).ceil() as i64;
        let bases: Vec<f64> = (-last..=last).map(|i| m.offset + i as f64 * m.delta).collect();
        let half = 0.5 * m.d;
        let under = |b: &f64| (b - x).abs() <= half;
        let start = |b: &f64| if under(b) { State::Idle(0.0) } else { State::Free };
        let states = bases.iter().map(start).collect();
        Machine { bases, states, body: m.d, d0: m.row().d0(), x, moved: false, releases: 0 }
    }

    /// In parts so short that no bristle goes through two contacts in one.
    fn to(&mut self, x: f64) {
        let (from, parts) = (self.x, ((x - self.x).abs() / self.d0).ceil());
        for part in 1..=parts as usize {
            self.near(from + (x - from) * part as f64 / parts);
        }
    }

    fn near(&mut self, x: f64) {
        let way = (x - self.x).signum();
        let half = 0.5 * self.body;
        for (b, state) in self.bases.iter().zip(&mut self.states) {
            if let (false, State::Idle(_)) = (self.moved, *state) {
                *state = State::Idle(way);
            }
            loop {
                let next = Self::next(*b, *state, way, self.x, x, half, self.d0);
                self.releases +=
                    usize::from(matches!((*state, next), (State::Under(_), State::Free)));
                if next == *state {
                    break;
                }
                *state = next;
            }
        }
        self.moved = true;
        self.x = x;
    }

    /// One transition on the way from `old` to `x`. Along the side a bristle leans to, everything is
    /// measured as if that were the right.
    fn next(b: f64, state: State, way: f64, old: f64, x: f64, half: f64, d0: f64) -> State {
        // How far the corner of a side is beyond the base, and how far the other one is.
        let lead = |side: f64, x: f64| side * (x - b) + half;
        let trail = |side: f64, x: f64| side * (x - b) - half;
        match state {
            State::Free if lead(way, old) < 0.0 && lead(way, x) >= 0.0 => State::Corner(way),
            State::Corner(side) if lead(side, x) >= d0 => State::Under(side),
            State::Corner(side) if lead(side, x) < 0.0 => State::Free,
            State::Under(side) if trail(side, x) > d0 => State::Free,
            State::Under(side) if lead(side, x) < d0 => State::Corner(side),
            State::Idle(side) if lead(side, x) >= d0 => State::Under(side),
            State::Idle(side) if lead(side, x) < 0.0 => State::Free,
            same => same,
        }
    }

    fn force(&self, m: &Rotating<f64>) -> (f64, usize) {
        let half = 0.5 * self.body;
        let pairs = self.bases.iter().zip(&self.states);
        pairs.fold((0.0, 0), |(sum, count), (b, state)| match state {
            State::Corner(side) => (sum + m.row().pull(self.x + side * half - b), count + 1),
            _ => (sum, count),
        })
    }
}

#[test]
fn every_bristle_by_itself_does_what_the_integer_says() {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (mut compared, mut releases) = (0, 0);
    for history in 0..50_000 {
        let h = rng.random_range(0.05..0.12);
        let d0 = rng.random_range(0.005..0.06);
        let m = Rotating {
            kappa: 0.3,
            h,
            l_b: f64::hypot(h, d0),
            delta: rng.random_range(0.004..0.03),
            d: rng.random_range(0.07..0.3),
            offset: rng.random_range(-0.02..0.02),
            ..Rotating::start(())
        };
        let x = rng.random_range(-0.05..0.05);
        let mut path = Path::new(Friction::Rotating(m), x);
        let mut machine = Machine::new(&m, x, 0.8);
        // Excursions that shrink, so that reversals nest, then a large one.
        let mut size = 10f64.powf(rng.random_range(-2.0..-0.5));
        for turn in 0..8 {
            let to = rng.random_range(-1.0..1.0) * size;
            for part in [0.3, 0.7, 1.0] {
                let x = x + part * (to - x) * 0.9;
                path.to(x);
                machine.to(x);
                let ((force, count), ours) = (machine.force(&m), path.force());
                assert!(
                    (force - ours).abs() < 1e-11 && count == path.contacts(),
                    "history {history}, turn {turn}, x = {x}: {force} from {count} bristles, not \
                     {ours} from {}; {m:?}",
                    path.contacts(),
                );
                compared += 1;
            }
            size *= if turn == 5 { 10.0 } else { rng.random_range(0.3..1.1) };
            size = size.min(0.5);
        }
        releases += machine.releases;
        // What was put in and is not stored was lost with released bristles; idle ones that were
        // left behind at their own corner count too.
        let stored = |path: &Path| Friction::Rotating(m).stored(&path.drive());
        let start = stored(&Path::new(Friction::Rotating(m), x));
        let balance = path.work - (stored(&path) - start) - path.released;
        assert!(balance.abs() < 1e-12, "history {history}: {balance:e} J");
        assert!(path.released >= machine.releases as f64 * m.row().released() - 1e-9);
    }
    assert!(compared == 1_200_000 && releases > 100_000, "{compared} {releases}");
}
