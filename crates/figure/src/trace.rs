//! Data as lines and points inside a frame: only what can be seen there.
//!
//! A long trace over increasing (or decreasing) x keeps, for each half pixel, the first, lowest,
//! highest and last point, so no peak is lost. A long curve of any other kind drops points that lie
//! on the one before, and stretches that run where the curve has been before. A trace of less than
//! four points per half pixel is kept as it is.

use crate::axis::Range;
use crate::geometry::{Point, Rect};
use std::collections::HashSet;

/// Columns per pixel.
const COLUMNS: f64 = 2.0;
/// Points per column above which a trace is thinned.
const DENSE: f64 = 4.0;
/// Points of a loop closer than this, in px, are one.
const SAME: f64 = 0.2;

/// Places farther off the frame than this, in px, are taken to be there: cut off at the frame, a
/// line to them would have lost its digits.
const FARTHEST: f64 = 1e8;

/// From values to places in a frame whose top left corner is the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub x: Range,
    pub y: Range,
    pub width: f64,
    pub height: f64,
}

impl Frame {
    pub fn rect(&self) -> Rect {
        Rect::new(0.0, 0.0, self.width, self.height)
    }

    /// The place of a value; NaN if it has none.
    pub fn place(&self, x: f64, y: f64) -> Point {
        let place = [self.width * self.x.place(x), self.height * (1.0 - self.y.place(y))];
        place.map(|c| c.clamp(-FARTHEST, FARTHEST))
    }

    /// The lines through the points (x, y) inside the frame, broken where a point has no place.
    /// A lone point is a line of one point.
    pub fn lines(&self, x: &[f64], y: &[f64]) -> Vec<Vec<Point>> {
        let places: Vec<Point> = x.iter().zip(y).map(|(&x, &y)| self.place(x, y)).collect();
        let mut runs = Vec::new();
        for run in places.split(|p| !finite(p)).filter(|run| !run.is_empty()) {
            if (run.len() as f64) <= DENSE * COLUMNS * self.width {
                self.clip(run, &mut runs);
            } else if monotone(run) {
                self.clip(&envelope(run), &mut runs);
            } else {
                for part in without_repeats(&without_crowds(run)) {
                    self.clip(&part, &mut runs);
                }
            }
        }
        runs
    }

    /// The places inside the frame, one for those that cannot be told apart.
    pub fn points(&self, x: &[f64], y: &[f64]) -> Vec<Point> {
        let mut seen = HashSet::new();
        let places = x.iter().zip(y).map(|(&x, &y)| self.place(x, y));
        places.filter(|&p| finite(&p) && self.rect().contains(p) && seen.insert(cell(p))).collect()
    }

    /// Adds the parts of a line that lie inside.
    fn clip(&self, run: &[Point], runs: &mut Vec<Vec<Point>>) {
        let rect = self.rect();
        if let [p] = run {
            if rect.contains(*p) {
                runs.push(vec![*p]);
            }
            return;
        }
        let mut part: Vec<Point> = Vec::new();
        for pair in run.windows(2) {
            let Some((a, b)) = rect.clip(pair[0], pair[1]) else {
                runs.extend(finished(&mut part));
                continue;
            };
            if part.last() != Some(&a) {
                runs.extend(finished(&mut part));
                part.push(a);
            }
            part.push(b);
        }
        runs.extend(finished(&mut part));
    }
}

fn finished(part: &mut Vec<Point>) -> Option<Vec<Point>> {
    (!part.is_empty()).then(|| std::mem::take(part))
}

fn finite(p: &Point) -> bool {
    p[0].is_finite() && p[1].is_finite()
}

fn monotone(run: &[Point]) -> bool {
    run.windows(2).all(|w| w[0][0] <= w[1][0]) || run.windows(2).all(|w| w[0][0] >= w[1][0])
}

/// Whether x never turns back, over all points that have a place.
pub(crate) fn never_turns(x: &[f64]) -> bool {
    let places: Vec<Point> = x.iter().filter(|v| v.is_finite()).map(|&v| [v, 0.0]).collect();
    monotone(&places)
}

fn column(p: &Point) -> i64 {
    (p[0] * COLUMNS).floor() as i64
}

/// First, lowest, highest and last point of each column, in their order.
fn envelope(run: &[Point]) -> Vec<Point> {
    let mut kept = Vec::new();
    for chunk in run.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |i: &usize, j: &usize| chunk[*i][1].total_cmp(&chunk[*j][1]);
        let highest = (0..chunk.len()).min_by(by_height).unwrap_or(0);
        let lowest = (0..chunk.len()).max_by(by_height).unwrap_or(0);
        let mut picked = [0, highest.min(lowest), highest.max(lowest), chunk.len() - 1].to_vec();
        picked.dedup();
        kept.extend(picked.into_iter().map(|i| chunk[i]));
    }
    kept
}

/// The line without points that lie on the last one kept.
fn without_crowds(run: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for (i, p) in run.iter().enumerate() {
        let near = |last: &Point| (p[0] - last[0]).hypot(p[1] - last[1]) < SAME;
        if i + 1 == run.len() || !kept.last().is_some_and(near) {
            kept.push(*p);
        }
    }
    kept
}

/// A quarter of a pixel each way.
fn cell(p: Point) -> [i64; 2] {
    p.map(|c| (4.0 * c).round() as i64)
}

/// The line broken where it repeats a stretch it has drawn already, as a steady cycle does.
fn without_repeats(run: &[Point]) -> Vec<Vec<Point>> {
    let mut seen = HashSet::new();
    let mut parts = Vec::new();
    let mut part: Vec<Point> = Vec::new();
    for pair in run.windows(2) {
        let (a, b) = (cell(pair[0]), cell(pair[1]));
        if !seen.insert((a.min(b), a.max(b))) {
            parts.extend(finished(&mut part));
            continue;
        }
        if part.is_empty() {
            part.push(pair[0]);
        }
        part.push(pair[1]);
    }
    parts.extend(finished(&mut part));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    fn frame(x: (f64, f64), y: (f64, f64)) -> Frame {
        let range = |(low, high)| Range { scale: Scale::Linear, low, high };
        Frame { x: range(x), y: range(y), width: 600.0, height: 200.0 }
    }

    #[test]
    fn nothing_is_left_out_of_a_short_trace_and_a_gap_stays_a_gap() {
        let y = [0.0, 1.0, f64::NAN, 0.5, 0.25, f64::INFINITY, 0.75];
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let runs = frame((0.0, 6.0), (0.0, 1.0)).lines(&x, &y);
        let expected: Vec<Vec<Point>> = vec![
            vec![[0.0, 200.0], [100.0, 0.0]],
            vec![[300.0, 100.0], [400.0, 150.0]],
            vec![[600.0, 50.0]],
        ];
        assert_eq!(runs, expected);
    }

    #[test]
    fn a_million_points_keep_every_peak() {
        let n = 1_000_000;
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|x| 0.1 * (x * 1e-4).sin()).collect();
        let peaks = [(1usize, 0.9), (123_456, -0.8), (123_457, 0.9), (777_777, -0.7)];
        for (at, height) in peaks {
            y[at] = height;
        }
        let frame = frame((0.0, f64::from(n - 1)), (-1.0, 1.0));
        let runs = frame.lines(&x, &y);
        let kept: Vec<Point> = runs.concat();
        assert!(kept.len() <= 4 * 1201, "{}", kept.len());
        for (at, height) in peaks {
            assert!(kept.contains(&frame.place(x[at], height)));
        }
        assert_eq!(kept.first(), Some(&frame.place(x[0], y[0])));
        assert_eq!(kept.last(), Some(&frame.place(x[x.len() - 1], y[y.len() - 1])));
    }

    #[test]
    fn a_cycle_run_through_a_thousand_times_is_drawn_once() {
        let angle = |i: usize| i as f64 / 1000.0 * std::f64::consts::TAU;
        let x: Vec<f64> = (0..1_000_000).map(|i| angle(i).sin()).collect();
        let y: Vec<f64> = (0..1_000_000).map(|i| angle(i).cos()).collect();
        let frame = frame((-1.0, 1.0), (-1.0, 1.0));
        let kept: Vec<Point> = frame.lines(&x, &y).concat();
        assert!(kept.len() < 4000, "{}", kept.len());
        // And no part of it is missing: every point has a drawn one near it.
        for i in 0..1000 {
            let p = frame.place(x[i], y[i]);
            assert!(
                kept.iter().any(|q| (p[0] - q[0]).hypot(p[1] - q[1]) < 2.0 * SAME + 0.25),
                "{i}"
            );
        }
    }

    #[test]
    fn a_line_to_a_point_far_off_is_cut_at_the_frame() {
        let frame = frame((0.0, 1.0), (0.0, 1.0));
        let [run] = &frame.lines(&[0.25, 0.5], &[0.5, 1e261])[..] else { panic!() };
        assert!((run[1][0] - 150.0).abs() < 1e-3 && run[1][1].abs() < 1e-6, "{run:?}");
    }

    #[test]
    fn lines_end_at_the_frame() {
        let runs =
            frame((0.0, 1.0), (0.0, 1.0)).lines(&[-1.0, 2.0, 2.0, 0.5], &[0.5, 0.5, 2.0, 0.5]);
        for p in runs.concat() {
            assert!(frame((0.0, 1.0), (0.0, 1.0)).rect().grown(1e-9).contains(p), "{p:?}");
        }
        assert_eq!(runs[0], [[0.0, 100.0], [600.0, 100.0]]);
    }
}
