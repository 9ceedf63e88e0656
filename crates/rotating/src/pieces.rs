use crate::root::crossing;
use crate::segment::{Bristle, Harmonic, Segment, Series};
use crate::{Body, Friction};
use bristle_kernel::Drive;
use bristle_ode::{Dense, Method, Options, Stack, Start, Statistics, Trial};
use bristle_system::{Coupled, Mode};

/// Motion against a force over position, in pieces that are exact to rounding: a power series against bristles, a
/// harmonic on a tooth, rest in a stick. It has no error to control: it refuses steps that are longer than a piece.
#[derive(Clone)]
pub struct Pieces {
    friction: Friction,
    piece: Piece,
    /// So long the piece is known, s; zero where another one begins.
    span: f64,
    /// Where the force over it ends, m.
    edge: f64,
    /// What rounding left of the place where it begins, m, and where and with what rest the last one ended: a body
    /// that creeps on stiff bristles feels the last digit of its place.
    rest: f64,
    ended: (f64, f64),
    /// Those that push; kept for its memory.
    bristles: Vec<Bristle>,
}

/// A piece of motion.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    start: f64,
    end: f64,
    /// The motion from its start.
    pub segment: Segment,
}

impl Dense for Piece {
    fn start(&self) -> f64 {
        self.start
    }
    fn end(&self) -> f64 {
        self.end
    }
    #[inline]
    fn at(&self, t: f64, y: &mut [f64]) {
        let [x, v, _] = self.segment.at(t - self.start);
        y.copy_from_slice(&[x, v]);
    }
    fn kept(&self) -> Box<dyn Dense> {
        Box::new(*self)
    }
}

impl Pieces {
    /// Pieces of motion against this friction, which is that of the system too.
    pub fn new(friction: Friction) -> Self {
        let segment = Segment::Series(Series::parabola([0.0; 3]));
        let piece = Piece { start: 0.0, end: 0.0, segment };
        let (edge, ended) = (f64::INFINITY, (f64::NAN, 0.0));
        Pieces { friction, piece, span: 0.0, edge, rest: 0.0, ended, bristles: Vec::new() }
    }

    /// The motion from `start`, and how long it is known: not longer than `longest`.
    fn find(
        &mut self,
        body: &Body,
        mode: &Mode,
        start: &Start<'_>,
        longest: f64,
    ) -> (Segment, f64) {
        let element = mode.contacts[0].element;
        let at = Drive { x: start.y[0], mode: element, ..Drive::new(start.y[1], 1.0) };
        let way = element.way;
        self.edge = self.friction.edge(&at).map_or(f64::INFINITY, |(_, edge)| edge);
        self.rest = if at.x == self.ended.0 { self.ended.1 } else { 0.0 };
        let (friction, rest, bristles) = (self.friction, self.rest, &mut self.bristles);
        bristles.clear();
        friction.touching(&at, way, |s| bristles.push(Bristle::new(s + rest)));
        let line = friction.line(&at, way);
        let each = friction.row().map_or(0.0, |row| row.kappa / (row.h * row.h));
        let stiffness = body.stiffness + line[1] + bristles.len() as f64 * each;
        // One radian of the fastest oscillation: terms of its series fall from the first on, and nothing cancels.
        let natural = 1.0 / (stiffness / body.mass).sqrt();
        if let (0.0, Some([low, high])) = (way, friction.model().limits(&at)) {
            let span = body.push.lasts(start.t, high - low + stiffness * friction.delta());
            return (Segment::Series(Series::parabola([at.x, 0.0, 0.0])), span.min(longest));
        }
        let Some(row) = friction.row() else {
            return (Segment::Harmonic(Harmonic::new(body, start, line)), natural.min(longest));
        };
        // Not much further than to the edge, if that is ahead.
        let there = Some(1.3 * (self.edge - at.x) / at.v).filter(|there| *there > 0.0);
        let there = there.map_or(f64::INFINITY, |there| there.max(1e-6 * natural));
        let wanted = longest.min(natural).min(there);
        let (series, span) = Series::new(body, &row, bristles, start, rest, wanted);
        (Segment::Series(series), span)
    }

    /// The span, or less: where the body is slowest and has turned already, or where it is on the edge, the piece
    /// ends, so that no stop is overlooked and no edge has to be searched for.
    fn up_to_an_event(&self, way: f64, mut span: f64) -> f64 {
        let motion = |t: f64| self.piece.segment.at(t).map(|value| way * value);
        let ([_, v, a], [.., gain]) = (motion(0.0), motion(span));
        if v > 0.0 && a < 0.0 && gain > 0.0 {
            let slowest = crossing(0.0, span, |t| motion(t)[2]);
            span = if motion(slowest)[1] <= 0.0 { slowest } else { span };
        }
        let beyond = |t: f64| motion(t)[0] - way * self.edge;
        if beyond(0.0) < 0.0 && beyond(span) > 0.0 { crossing(0.0, span, beyond) } else { span }
    }

    /// Writes the state at the end of the piece. An edge that is nearer than time and place can tell is landed on.
    fn arrive(&mut self, from: f64, y: &mut [f64]) {
        let (end, after) = (self.piece.end, self.piece.end - self.piece.start);
        let [_, v, a] = self.piece.segment.at(after);
        let way = self.piece.segment.way(after) + self.rest;
        let x = from + way;
        let (beyond, tick) = (x - self.edge, 2.0 * f64::EPSILON * end);
        let lands = beyond.abs() <= 2.0 * f64::EPSILON * x.abs() + tick * v.abs();
        let late = (beyond / v).clamp(-tick, tick);
        self.ended = if lands { (self.edge, 0.0) } else { (x, way - (x - from)) };
        y.copy_from_slice(&if lands { [self.edge, v - a * late] } else { [x, v] });
    }
}

impl Method<Coupled<Body>> for Pieces {
    type Storage = Stack<2, 6>;
    type Dense = Piece;

    const ESTIMATE_ORDER: u32 = 1;

    fn restart(&mut self) {
        self.span = 0.0;
    }

    fn again(&mut self) {}

    fn step(
        &mut self,
        system: &Coupled<Body>,
        mode: &Mode,
        start: Start<'_>,
        h: f64,
        _options: &Options<Self::Storage>,
        _statistics: &mut Statistics,
        y: &mut [f64],
    ) -> Trial {
        if self.span == 0.0 || self.piece.start != start.t {
            let (segment, span) = self.find(&system.mechanism, mode, &start, h);
            self.piece = Piece { start: start.t, end: start.t, segment };
            // Time resolves no shorter step.
            let least = 32.0 * f64::EPSILON * start.t;
            self.span = self.up_to_an_event(mode.contacts[0].element.way, span).max(least);
        }
        // A solver may make a step longer by a part in 10⁸, to end where it should.
        let accepted = h <= (1.0 + 2e-8) * self.span;
        if accepted {
            self.piece.end = start.t + h;
            self.arrive(start.y[0], y);
        }
        Trial { accepted, next: if accepted { f64::INFINITY } else { self.span }, state: 0 }
    }

    fn dense(&self) -> &Piece {
        &self.piece
    }

    fn line(&mut self, start: Start<'_>, t: f64, _y: &[f64]) {
        let segment = Segment::Series(Series::parabola([start.y[0], start.y[1], start.f[1]]));
        (self.piece, self.span) = (Piece { start: start.t, end: t, segment }, 0.0);
    }
}
