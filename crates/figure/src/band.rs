//! What a line cannot show: oscillation that is faster than pixels, and dashes that fall on dashes.

use crate::geometry::Point;
use std::collections::HashMap;

/// The width of a column in which turns are counted, px.
const COLUMN: f64 = 5.0;
/// A swing up or down of less than this, px, is no oscillation.
const SWING: f64 = 6.0;
/// A column and its neighbour turn so often in a band; fewer turns can be told apart.
const TURNS: usize = 3;
/// A band is so many columns wide at least, or a burst of so many turns.
const LEAST: usize = 3;
const BURST: usize = 6;

/// Lines, and the outlines of bands that stand for those that turn in every few pixels.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Drawn {
    pub lines: Vec<Vec<Point>>,
    pub bands: Vec<Vec<Point>>,
}

impl Drawn {
    /// Of lines as they would be drawn.
    pub fn of(runs: Vec<Vec<Point>>) -> Self {
        let mut drawn = Drawn::default();
        for run in runs {
            let (mut part, mut line) = (Drawn::default(), Vec::new());
            for stretch in one_way(&run) {
                part.enter(stretch, &mut line);
            }
            if part.bands.is_empty() {
                drawn.lines.push(run);
                continue;
            }
            part.lines.extend((line.len() > 1).then_some(line));
            drawn.lines.append(&mut part.lines);
            drawn.bands.append(&mut part.bands);
        }
        drawn
    }

    /// Adds a stretch that never turns back in x to the line before it, which ends where a band begins.
    fn enter(&mut self, stretch: &[Point], line: &mut Vec<Point>) {
        let columns: Vec<&[Point]> = stretch.chunk_by(|a, b| column(a) == column(b)).collect();
        let turns: Vec<usize> = columns.iter().map(|c| turns(c)).collect();
        let dense = |k: &usize| {
            let most = [k.checked_sub(1), Some(k + 1)]
                .iter()
                .flatten()
                .filter_map(|i| turns.get(*i))
                .max();
            let beside = most.copied().unwrap_or(0);
            turns[*k] >= BURST || (turns[*k] > 0 && turns[*k] + beside >= TURNS)
        };
        let all: Vec<usize> = (0..columns.len()).collect();
        for group in all.chunk_by(|a, b| dense(a) == dense(b)) {
            let often = group.iter().map(|k| turns[*k]).sum::<usize>() >= BURST;
            if !dense(&group[0]) || (group.len() < LEAST && !often) {
                line.extend(group.iter().flat_map(|k| columns[*k]));
                continue;
            }
            let first = columns[group[0]][0];
            if line.last().is_some_and(|last| *last != first) {
                line.push(first);
                self.lines.push(std::mem::take(line));
            }
            line.clear();
            let edge = |pick: fn(f64, f64) -> f64| -> Vec<Point> {
                let ends = |k: &usize| {
                    let c = columns[*k];
                    let y = c.iter().map(|p| p[1]).reduce(pick).unwrap_or(c[0][1]);
                    [[c[0][0], y], [c[c.len() - 1][0], y]]
                };
                group.iter().flat_map(ends).collect()
            };
            let (top, bottom) = (edge(f64::min), edge(f64::max));
            self.bands.push(top.iter().chain(bottom.iter().rev()).copied().collect());
            self.lines.extend([top, bottom]);
            let last = columns[group[group.len() - 1]];
            line.push(last[last.len() - 1]);
        }
    }
}

fn column(p: &Point) -> i64 {
    (p[0] / COLUMN).floor() as i64
}

/// The parts of a line in each of which x does not turn back; each begins where the one before ends.
fn one_way(run: &[Point]) -> Vec<&[Point]> {
    let (mut parts, mut from, mut way) = (Vec::new(), 0, 0.0);
    for k in 1..run.len() {
        let step = run[k][0] - run[k - 1][0];
        if step * way < 0.0 {
            parts.push(&run[from..k]);
            from = k - 1;
        }
        if step != 0.0 {
            way = step;
        }
    }
    parts.push(&run[from..]);
    parts
}

/// How often a line turns between up and down by more than a little.
fn turns(line: &[Point]) -> usize {
    let (mut count, mut way) = (0, 0.0f64);
    let mut extreme = line[0][1];
    for p in line {
        let swing = p[1] - extreme;
        if swing * way > 0.0 || (way == 0.0 && swing.abs() > SWING) {
            (way, extreme) = (swing.signum(), p[1]);
        } else if swing.abs() > SWING {
            (way, extreme, count) = (swing.signum(), p[1], count + 1);
        }
    }
    count
}

/// Dashes are laid along lines in pieces of this length, px.
const PIECE: f64 = 1.0;
/// Places closer than this, px, are one.
const SAME: f64 = 1.5;
/// A line that comes back after less than this, px, only bends.
const BEND: f64 = 30.0;
/// A line crosses itself in less than this, px; longer it runs where it has been before.
const CROSSING: f64 = 15.0;

/// Lines without what runs where they have been before: dashes that fall between dashes would look solid.
pub(crate) fn once(runs: &[Vec<Point>]) -> Vec<Vec<Point>> {
    let mut seen: HashMap<[i64; 2], f64> = HashMap::new();
    let (mut parts, mut length) = (Vec::new(), 0.0);
    for run in runs {
        let mut part: Vec<Point> = Vec::new();
        // Pieces on places seen before, until they are too many for a crossing.
        let mut again: Vec<Point> = Vec::new();
        for (k, p) in pieces(run).into_iter().enumerate() {
            length += if k == 0 { 10.0 * BEND } else { PIECE };
            let [i, j] = p.map(|c| (c / SAME).round() as i64);
            let near = (-1..=1).flat_map(|a| (-1..=1).map(move |b| [i + a, j + b]));
            let before = near.filter_map(|cell| seen.get(&cell)).fold(length, |a, b| a.min(*b));
            seen.entry([i, j]).or_insert(length);
            if length - before > BEND {
                again.push(p);
                continue;
            }
            if again.len() as f64 * PIECE <= CROSSING {
                part.append(&mut again);
            } else {
                again.clear();
                if part.len() > 1 {
                    parts.push(std::mem::take(&mut part));
                }
                part.clear();
            }
            part.push(p);
        }
        if again.len() as f64 * PIECE <= CROSSING {
            part.append(&mut again);
        }
        parts.extend((part.len() > 1).then_some(part));
    }
    parts
}

/// Points along a line, no farther apart than [`PIECE`].
fn pieces(run: &[Point]) -> Vec<Point> {
    let mut out = vec![run[0]];
    for pair in run.windows(2) {
        let ([x, y], [u, v]) = (pair[0], pair[1]);
        let count = ((u - x).hypot(v - y) / PIECE).ceil().clamp(1.0, 1e4);
        out.extend((1..=count as usize).map(|k| {
            let part = k as f64 / count;
            [x + part * (u - x), y + part * (v - y)]
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teeth(period: f64) -> Vec<Point> {
        let teeth = (300.0 / period) as usize;
        (0..teeth)
            .flat_map(|k| [[k as f64 * period, 100.0], [(k as f64 + 0.99) * period, 20.0]])
            .collect()
    }

    #[test]
    fn teeth_narrower_than_a_few_pixels_become_a_band() {
        let drawn = Drawn::of(vec![teeth(2.0)]);
        assert_eq!(drawn.bands.len(), 1);
        let band = &drawn.bands[0];
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let reach =
            |i: usize| band.iter().fold((low, high), |(l, h), p| (l.min(p[i]), h.max(p[i])));
        assert_eq!(reach(1), (20.0, 100.0));
        assert!(reach(0).0 < 8.0 && reach(0).1 > 290.0, "{:?}", reach(0));
    }

    #[test]
    fn teeth_that_can_be_seen_stay_lines() {
        let run = teeth(12.0);
        assert_eq!(Drawn::of(vec![run.clone()]), Drawn { lines: vec![run], bands: vec![] });
    }

    /// A circle run through three times is one circle; a figure of eight keeps its crossing.
    #[test]
    fn a_line_is_drawn_once_and_may_cross_itself() {
        let circle = |k: i32| {
            let angle = f64::from(k) * 0.07;
            [100.0 + 80.0 * angle.cos(), 100.0 + 80.0 * angle.sin()]
        };
        let length = |runs: &[Vec<Point>]| -> f64 {
            let steps = runs.iter().flat_map(|r| r.windows(2));
            steps.map(|w| (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1])).sum()
        };
        let three = once(&[(0..270).map(circle).collect()]);
        assert!(
            (length(&three) / (160.0 * std::f64::consts::PI) - 1.0).abs() < 0.1,
            "{}",
            length(&three)
        );
        let eight = |k: i32| {
            let angle = f64::from(k) * 0.0628;
            [100.0 + 80.0 * angle.sin(), 100.0 + 60.0 * (2.0 * angle).sin()]
        };
        let run: Vec<Point> = (0..=100).map(eight).collect();
        let drawn = once(std::slice::from_ref(&run));
        assert_eq!(drawn.len(), 1);
        assert!((length(&drawn) / length(&[run]) - 1.0).abs() < 0.05);
    }
}
