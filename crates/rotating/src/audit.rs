use crate::{Phase, Run, Step};

/// Where the energy of a run goes.
///
/// What is supplied is in the body, its spring, or went into friction; what went into friction is in
/// the springs of the bristles or was lost with those released. The supply is integrated by
/// quadrature over time, friction by the potential of its springs over position: the balance checks
/// the motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Audit {
    /// Work of the force u, or of the moving end of the spring, J.
    pub supplied: f64,
    /// Work against friction, J.
    pub friction: f64,
    /// Energy of released bristles, J; 0 for models that do not say what their springs hold.
    pub released: f64,
    /// Energy that appeared in bristles without work, J.
    pub created: f64,
    /// Position at both extremes, m: least and greatest.
    pub range: [f64; 2],
    body: [f64; 2],
    stored: [f64; 2],
}

/// Nodes in (0, 1) and weights of Gauss's rule with eight points, the first half.
const GAUSS: [(f64, f64); 4] = [
    (0.019_855_071_751_231_856, 0.050_614_268_145_188_13),
    (0.101_666_761_293_186_64, 0.111_190_517_226_687_24),
    (0.237_233_795_041_835_5, 0.156_853_322_938_943_64),
    (0.408_282_678_752_175_1, 0.181_341_891_689_180_99),
];

impl Audit {
    /// Opened where the run stands.
    pub fn new(run: &Run) -> Self {
        let body = run.body().energy(run.t(), run.x(), run.v());
        let stored = run.friction.stored(&run.drive());
        Audit { range: [run.x(); 2], body: [body; 2], stored: [stored; 2], ..Audit::default() }
    }

    /// Takes a step in.
    pub fn enter(&mut self, run: &Run, step: &Step) {
        let h = step.end - step.start;
        let power = |t: f64| {
            let [x, v, _] = step.motion(t);
            run.body().supply(t, x, v)
        };
        for (node, weight) in GAUSS {
            let mirrored = step.end - node * h;
            self.supplied += weight * h * (power(step.start + node * h) + power(mirrored));
        }
        if let Phase::Moving(way) = step.phase {
            let start = step.drive(step.start);
            let end = bristle_kernel::Drive { x: run.x(), ..step.drive(step.end) };
            let potential = |at| run.friction.potential(at, way);
            self.friction += potential(&end) - potential(&start);
            let before = run.friction.stored(&end);
            let jump = run.friction.stored(&run.drive()) - before;
            self.released += (-jump).max(0.0);
            self.created += jump.max(0.0);
            self.range = [self.range[0].min(run.x()), self.range[1].max(run.x())];
        }
        self.body[1] = run.body().energy(run.t(), run.x(), run.v());
        self.stored[1] = run.friction.stored(&run.drive());
    }

    /// What does not balance, J: of the motion, and of the bristles where they say what they hold.
    pub fn residuals(&self) -> [f64; 2] {
        let grown = |[from, to]: [f64; 2]| to - from;
        let bristles = match self.stored {
            [0.0, 0.0] => 0.0,
            stored => self.friction - grown(stored) - self.released + self.created,
        };
        [self.supplied - grown(self.body) - self.friction, bristles]
    }

    /// What bristles were spared, J: the body went on from `from` over a bristle every Δ, and each should have
    /// cost the `released` energy. Positive where a rule lets it pass bristles
    /// without loss.
    pub fn spared(&self, run: &Run, from: f64, released: f64) -> f64 {
        (run.x() - from) / run.friction.delta() * released - self.friction
    }

    /// The energy of (45), (46): a bristle's for each spacing between the extremes, there and back;
    /// with the integer part taken, as printed, and without.
    pub fn stored_by_count(&self, released: f64, delta: f64) -> [f64; 2] {
        let spacings = (self.range[1] - self.range[0]) / delta;
        [2.0 * spacings.floor() * released, 2.0 * spacings * released]
    }
}
