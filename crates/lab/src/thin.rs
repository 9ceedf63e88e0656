//! Curves with no more points than a screen can show, which look as they did.
use std::ops::Range;

/// Which points of a curve over time to keep on a screen of so many pixels: the first, the least, the greatest and the last in every
/// pixel. A line through them covers the pixels that a line through all of them covers (U. Jugel et al., Proc. VLDB 7, 2014).
pub fn history(x: &[f64], y: &[f64], [from, to]: [f64; 2], pixels: usize) -> Vec<usize> {
    let n = x.len().min(y.len());
    // One more on each side: the line goes on beyond the border.
    let first = x[..n].partition_point(|x| *x < from).saturating_sub(1);
    let last = (x[..n].partition_point(|x| *x <= to) + 1).min(n);
    if last.saturating_sub(first) <= 4 * pixels {
        return (first..last.max(first)).collect();
    }
    let width = (to - from) / pixels as f64;
    let pixel = |k: usize| ((x[k] - from) / width).floor();
    let mut kept = Vec::new();
    let mut start = first;
    while start < last {
        let end = (start..last).find(|k| pixel(*k) != pixel(start)).unwrap_or(last);
        of_pixel(y, start..end, &mut kept);
        start = end;
    }
    kept
}

fn of_pixel(y: &[f64], span: Range<usize>, kept: &mut Vec<usize>) {
    let (mut least, mut most, mut gap) = (span.start, span.start, None);
    for k in span.clone() {
        if y[k].is_nan() {
            gap = gap.or(Some(k));
        }
        // What is compared with NaN is replaced.
        if y[k] < y[least] || y[least].is_nan() {
            least = k;
        }
        if y[k] > y[most] || y[most].is_nan() {
            most = k;
        }
    }
    let mut own = vec![span.start, least, most, span.end - 1];
    own.extend(gap);
    own.sort_unstable();
    own.dedup();
    kept.extend(own);
}

/// Which points of a curve that goes anywhere to keep, so that no other one is farther than half a pixel from the line through
/// them. `unit` is the size of a pixel along each axis.
pub fn path(x: &[f64], y: &[f64], unit: [f64; 2]) -> Vec<usize> {
    /// Pixels that a point may be off.
    const OFF: f64 = 0.5;
    let n = x.len().min(y.len());
    let place = |k: usize| [x[k] / unit[0], y[k] / unit[1]];
    let known = |k: usize| x[k].is_finite() && y[k].is_finite();
    let mut kept: Vec<usize> = Vec::new();
    let mut anchor: Option<usize> = None;
    // The directions from the anchor in which every point since lies, as an angle and what it may differ by on both sides.
    let (mut towards, mut cone, mut far) = (0.0f64, [-f64::INFINITY, f64::INFINITY], 0.0f64);
    let mut k = 0;
    while k < n {
        let Some(from) = anchor.filter(|_| known(k)) else {
            // A gap, or the first point behind one.
            if anchor.is_some() && kept.last() != Some(&(k - 1)) {
                kept.push(k - 1);
            }
            kept.push(k);
            anchor = known(k).then_some(k);
            (cone, far) = ([-f64::INFINITY, f64::INFINITY], 0.0);
            k += 1;
            continue;
        };
        let ([x0, y0], [x1, y1]) = (place(from), place(k));
        let (dx, dy) = (x1 - x0, y1 - y0);
        let distance = dx.hypot(dy);
        let mut fits = distance >= far - OFF;
        if fits && distance > OFF {
            let angle = dy.atan2(dx);
            let half = (OFF / distance).asin();
            if far <= OFF {
                (towards, cone) = (angle, [-half, half]);
            } else {
                let off = (angle - towards + 3.0 * std::f64::consts::PI)
                    .rem_euclid(2.0 * std::f64::consts::PI)
                    - std::f64::consts::PI;
                fits = off >= cone[0] && off <= cone[1];
                cone = [cone[0].max(off - half), cone[1].min(off + half)];
            }
            far = far.max(distance);
        }
        if fits || k == from + 1 {
            k += 1;
        } else {
            // The point before ends the line, and this one is looked at again from there.
            kept.push(k - 1);
            anchor = Some(k - 1);
            (cone, far) = ([-f64::INFINITY, f64::INFINITY], 0.0);
        }
    }
    if n > 0 && kept.last() != Some(&(n - 1)) {
        kept.push(n - 1);
    }
    kept
}

/// Which points of a cloud to keep: one in each pixel.
pub fn cloud(x: &[f64], y: &[f64], unit: [f64; 2]) -> Vec<usize> {
    let mut taken = std::collections::HashSet::new();
    let pixel = |k: usize| [(x[k] / unit[0]).round() as i64, (y[k] / unit[1]).round() as i64];
    (0..x.len().min(y.len())).filter(|k| taken.insert(pixel(*k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of its own kind, with a seed.
    fn noise(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
    }

    /// In every pixel the extremes, the entry and the exit are those of all points.
    #[test]
    fn a_history_covers_the_same_pixels() {
        let mut random = noise(7);
        let x: Vec<f64> = (0..20_000).map(|k| 1e-3 * f64::from(k)).collect();
        let y: Vec<f64> = x.iter().map(|_| random()).collect();
        let kept = history(&x, &y, [0.0, 20.0], 300);
        assert!(kept.len() <= 4 * 301 && kept.windows(2).all(|k| k[0] < k[1]), "{}", kept.len());
        let width = 20.0 / 300.0;
        for pixel in 0..300 {
            let inside = |k: &usize| (x[*k] / width).floor() as i32 == pixel;
            let extremes = |of: &[usize]| {
                let mine = || of.iter().filter(|k| inside(k)).map(|k| y[*k]);
                [mine().fold(1.0, f64::min), mine().fold(-1.0, f64::max)]
            };
            let all: Vec<usize> = (0..x.len()).collect();
            assert_eq!(extremes(&kept), extremes(&all), "pixel {pixel}");
        }
    }

    #[test]
    fn a_short_history_is_kept_and_a_window_has_its_neighbours() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(history(&x, &x, [0.0, 99.0], 100).len(), 100);
        assert_eq!(history(&x, &x, [10.5, 20.5], 100), (10..=21).collect::<Vec<_>>());
        assert!(history(&[], &[], [0.0, 1.0], 10).is_empty());
        let gap = [0.0, f64::NAN, 2.0];
        assert_eq!(history(&x[..3], &gap, [0.0, 2.0], 100), [0, 1, 2]);
    }

    /// The distance of a point from a line through others.
    fn off(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
        let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
        let length = d[0] * d[0] + d[1] * d[1];
        let part =
            if length > 0.0 { ((e[0] * d[0] + e[1] * d[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
        (e[0] - part * d[0]).hypot(e[1] - part * d[1])
    }

    #[test]
    fn no_point_of_a_path_is_far_from_what_is_kept() {
        for (case, step) in [(0, 1e-3), (1, 0.05), (2, 0.9)] {
            let mut random = noise(11 + case);
            let n = 20_000;
            let (mut x, mut y) = (Vec::new(), Vec::new());
            for k in 0..n {
                let t = step * f64::from(k);
                let jitter = if case == 0 { 0.0 } else { 0.2 };
                x.push(100.0 * t.cos() + jitter * random());
                y.push(80.0 * (2.0 * t).sin() + jitter * random());
            }
            let kept = path(&x, &y, [1.0, 1.0]);
            assert!(kept[0] == 0 && kept[kept.len() - 1] == x.len() - 1);
            for pair in kept.windows(2) {
                assert!(pair[0] < pair[1]);
                let ends = [[x[pair[0]], y[pair[0]]], [x[pair[1]], y[pair[1]]]];
                for k in pair[0]..=pair[1] {
                    assert!(
                        off([x[k], y[k]], ends) < 1.1,
                        "{case} {k}: {}",
                        off([x[k], y[k]], ends)
                    );
                }
            }
            // Only where points are close is there something to leave out.
            assert!(case > 0 || kept.len() < x.len() / 20, "{}", kept.len());
        }
    }

    #[test]
    fn a_gap_in_a_path_stays() {
        let x = [0.0, 1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0];
        assert_eq!(path(&x, &x, [1e-3, 1e-3]), [0, 2, 3, 4, 6]);
        assert!(path(&[], &[], [1.0, 1.0]).is_empty());
    }
}
