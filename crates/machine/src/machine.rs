use crate::{Builder, End, Place};
use bristle_kernel::{Drive, Real};
use bristle_system::{AnySignal, Contact, Mechanism, Quantity, Signal, Units};

/// The body that a force acts on, and its ratio.
pub(crate) type Target = Option<(usize, f64)>;

/// A machine, made by a [`Builder`].
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Position and velocity of each body.
    pub(crate) quantities: Vec<Quantity>,
    pub(crate) masses: Vec<Mass>,
    pub(crate) drives: Vec<Quantity>,
    /// Each drive, and the body and ratio that it acts on; none for a motion.
    pub(crate) signals: Vec<(AnySignal<f64>, Target)>,
    /// The force of each connection.
    pub(crate) outputs: Vec<Quantity>,
    pub(crate) connections: Vec<Connection>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) touches: Vec<Touch>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass {
    pub(crate) mass: f64,
    pub(crate) start: [f64; 2],
    pub(crate) units: Units,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    pub(crate) ends: [End; 2],
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) ends: [End; 2],
    pub(crate) load: f64,
}

impl Machine {
    /// No parts yet.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Kinetic energy of the bodies and elastic energy of the springs, J.
    pub fn energy(&self, t: f64, phase: &[usize], y: &[f64]) -> f64 {
        let kinetic =
            self.masses.iter().enumerate().map(|(k, m)| 0.5 * m.mass * y[2 * k + 1].powi(2));
        let elastic = self
            .connections
            .iter()
            .map(|c| 0.5 * c.stiffness * self.between(c.ends, t, phase, y)[0].powi(2));
        kinetic.chain(elastic).sum()
    }

    /// Position and velocity of an end.
    #[inline]
    fn motion<S: Real>(&self, end: End, t: S, phase: &[usize], y: &[S]) -> [S; 2] {
        let [x, v] = match end.place {
            Place::Ground => [S::from(0.0); 2],
            Place::Body(k) => [y[2 * k], y[2 * k + 1]],
            Place::Motion(k) => {
                let signal = &self.signals[k].0;
                [signal.integral(t, phase[k]), signal.value(t, phase[k])]
            }
        };
        [x * end.ratio, v * end.ratio]
    }

    /// By how much the first end is ahead of the second, and how fast it gets further.
    #[inline]
    fn between<S: Real>(&self, [a, b]: [End; 2], t: S, phase: &[usize], y: &[S]) -> [S; 2] {
        let ([xa, va], [xb, vb]) = (self.motion(a, t, phase, y), self.motion(b, t, phase, y));
        [xa - xb, va - vb]
    }

    #[inline]
    fn force<S: Real>(&self, c: &Connection, t: S, phase: &[usize], y: &[S]) -> S {
        let [x, v] = self.between(c.ends, t, phase, y);
        x * c.stiffness + v * c.damping
    }
}

/// Adds a force that pulls the first end back and the second along.
#[inline]
fn pull<S: Real>([a, b]: [End; 2], force: S, dy: &mut [S]) {
    for (end, sign) in [(a, -1.0), (b, 1.0)] {
        if let Place::Body(k) = end.place {
            dy[2 * k + 1] += force * (sign * end.ratio);
        }
    }
}

/// The bodies among two ends.
fn bodies(ends: [End; 2]) -> impl Iterator<Item = usize> {
    ends.into_iter().filter_map(|end| match end.place {
        Place::Body(k) => Some(k),
        _ => None,
    })
}

impl Mechanism for Machine {
    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    fn drives(&self) -> &[Quantity] {
        &self.drives
    }
    fn initial(&self, y: &mut [f64]) {
        y.chunks_exact_mut(2)
            .zip(&self.masses)
            .for_each(|(y, mass)| y.copy_from_slice(&mass.start));
    }
    fn smooth_for(&self) -> f64 {
        self.signals.iter().map(|(s, _)| s.smooth_for()).fold(f64::INFINITY, f64::min)
    }
    fn is_constant(&self) -> bool {
        self.signals.iter().all(|(s, _)| s.is_constant())
    }
    fn input(&self, i: usize, t: f64, phase: &[usize]) -> f64 {
        self.signals[i].0.value(t, phase[i])
    }
    fn switch(&self, i: usize, k: usize) -> f64 {
        self.signals[i].0.switch(k)
    }

    #[inline]
    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        let touch = &self.touches[i];
        let [x, v] = self.between(touch.ends, t, phase, y);
        Drive { x, ..Drive::new(v, S::from(touch.load)) }
    }

    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        dy.fill(S::from(0.0));
        for c in &self.connections {
            pull(c.ends, self.force(c, t, phase, y), dy);
        }
        for (touch, force) in self.touches.iter().zip(force) {
            pull(touch.ends, *force, dy);
        }
        for (i, (signal, on)) in self.signals.iter().enumerate() {
            if let Some((k, ratio)) = on {
                dy[2 * k + 1] += signal.value(t, phase[i]) * *ratio;
            }
        }
        for (k, mass) in self.masses.iter().enumerate() {
            dy[2 * k] = y[2 * k + 1];
            dy[2 * k + 1] = dy[2 * k + 1] / mass.mass;
        }
    }

    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        if k.is_multiple_of(2) {
            return on(k + 1);
        }
        let own = |c: &&Connection| bodies(c.ends).any(|b| b == k / 2);
        for body in self.connections.iter().filter(own).flat_map(|c| bodies(c.ends)) {
            on(2 * body);
            on(2 * body + 1);
        }
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        bodies(self.touches[i].ends).for_each(|k| on(2 * k + 1));
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        for k in bodies(self.touches[i].ends) {
            on(2 * k);
            on(2 * k + 1);
        }
    }

    fn outputs(&self) -> &[Quantity] {
        &self.outputs
    }
    fn output(&self, t: f64, phase: &[usize], y: &[f64], _force: &[f64], out: &mut [f64]) {
        out.iter_mut()
            .zip(&self.connections)
            .for_each(|(out, c)| *out = self.force(c, t, phase, y));
    }
}
