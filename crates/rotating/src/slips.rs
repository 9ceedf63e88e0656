use crate::root::crossing;
use crate::{Event, Phase, Run, Step};

/// A slip: motion between two rests in which at least one bristle was released.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slip {
    /// When the body left the rest after the slip before, s.
    pub left: f64,
    /// Time, position and velocity at the first release.
    pub release: [f64; 3],
    /// When it came to rest, s.
    pub end: f64,
    /// Where, m.
    pub x: f64,
    /// The greatest speed, m/s.
    pub peak: f64,
    /// When it had it, s.
    pub peak_at: f64,
    /// Bristles released or teeth passed.
    pub teeth: usize,
    /// 1 to the right, −1 to the left.
    pub way: f64,
}

/// Finds the slips of a run, and how often it came to rest.
#[derive(Clone, Debug, Default)]
pub struct Slips {
    /// Those that have ended.
    pub all: Vec<Slip>,
    /// Times at which the body came to rest and stuck, however little it had moved.
    pub sticks: usize,
    left: Option<f64>,
    release: Option<[f64; 3]>,
    teeth: usize,
    peak: [f64; 2],
}

impl Slips {
    /// Takes a step in.
    pub fn enter(&mut self, run: &Run, step: &Step) {
        let Phase::Moving(way) = step.phase else {
            if step.event == Event::Leave {
                self.left.get_or_insert(step.end);
            }
            return;
        };
        self.look(step, way);
        match step.event {
            Event::Edge { passed } if passed > 0 => {
                self.release.get_or_insert([run.t(), run.x(), run.v()]);
                self.teeth += passed;
            }
            Event::Stop => {
                if let Some(release) = self.release {
                    self.all.push(Slip {
                        left: self.left.unwrap_or(0.0),
                        release,
                        end: run.t(),
                        x: run.x(),
                        peak: self.peak[0],
                        peak_at: self.peak[1],
                        teeth: self.teeth,
                        way,
                    });
                    (self.left, self.release, self.teeth) = (None, None, 0);
                }
                self.peak = [0.0; 2];
                self.sticks += usize::from(run.phase() == Phase::Stuck);
            }
            _ => {}
        }
    }

    fn look(&mut self, step: &Step, way: f64) {
        let slope = |t: f64| -way * step.motion(t)[2];
        let (start, end) = (step.start, step.end);
        let at =
            if slope(start) < 0.0 && slope(end) > 0.0 { crossing(start, end, slope) } else { end };
        for t in [start, at] {
            let speed = way * step.motion(t)[1];
            if speed > self.peak[0] {
                self.peak = [speed, t];
            }
        }
    }
}
