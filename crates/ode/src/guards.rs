//! Guards over a step: which one falls to zero first, and when.

/// At so many places within a step guards are looked at, besides its ends: with these they give a cubic, which
/// is what a step is to the leading order.
pub(crate) const LOOKS: usize = 2;

/// A dip to less than this part of what a guard is on both sides is looked at closely,
const NEAR: f64 = 0.1;
/// by so many parabolas.
const PARABOLAS: usize = 6;

/// Where a guard crosses `level` within a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bracket {
    /// It is above the level here,
    pub(crate) above: f64,
    /// and not any more here.
    pub(crate) below: f64,
    pub(crate) level: f64,
    /// Its values at both.
    pub(crate) values: [f64; 2],
}

/// What is known of a guard where a step begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watched {
    /// It has been clear of zero in this mode. A guard that begins at zero, as the speed of a body that is
    /// about to leave a stick does, does not fire before it was, unless it falls clearly below.
    pub(crate) armed: bool,
    /// What is closer to zero than this cannot be told from it,
    pub(crate) slack: f64,
    /// of which tolerances and the resolution of time make up this part; the rest is what the last landing missed.
    pub(crate) own: f64,
}

impl Watched {
    /// What a landing on this guard missed where it left the guard at a value: zero or, if it was not armed, −slack. Of
    /// that only its own part counts: else events side by side, each of which adds to the slack of the next, would
    /// double it every time.
    pub(crate) fn missed(&self, value: f64) -> f64 {
        value.abs().min((value + self.slack).abs() + self.own)
    }
}

/// The first bracket of a guard with these values at equal distances in time; `at` gives it elsewhere.
pub(crate) fn first_bracket(
    watched: Watched,
    values: [f64; LOOKS + 2],
    time: impl Fn(usize) -> f64,
    at: &mut impl FnMut(f64) -> f64,
) -> Option<Bracket> {
    let Watched { mut armed, slack, .. } = watched;
    let (start, end) = (time(0), time(LOOKS + 1));
    let dip = dip(&values).map(|(place, least)| (start + place * (end - start), least));
    for k in 1..values.len() {
        let (above, below) = (time(k - 1), time(k));
        let around = [values[k - 1], values[k]];
        // A dip between two looks: what counts as low before it was clear of zero, and after.
        let (level, low) = match armed {
            true => (0.0, NEAR * around[0].min(around[1])),
            false => (-slack, -slack),
        };
        if let Some((lowest, least)) = dip
            && (above..below).contains(&lowest)
            && least < low
            && let (lowest, value) = bottom([above, lowest, below], around, level, at)
            && value <= level
        {
            return Some(Bracket { above, below: lowest, level, values: [around[0], value] });
        }
        if values[k] < level || (armed && values[k] == level) {
            return Some(Bracket { above, below, level, values: around });
        }
        armed |= values[k] > slack;
    }
    None
}

/// Where a guard that is above a level at both ends of a bracket is lowest, from a guess in between, and its value there:
/// the parabola through three points leads to the next, as long as the guard is above the level.
fn bottom(
    [mut a, mut m, mut b]: [f64; 3],
    [mut at_a, mut at_b]: [f64; 2],
    level: f64,
    at: &mut impl FnMut(f64) -> f64,
) -> (f64, f64) {
    let mut at_m = at(m);
    for _ in 0..PARABOLAS {
        let (left, right) = ((m - a) * (at_m - at_b), (m - b) * (at_m - at_a));
        let next = m - 0.5 * ((m - a) * left - (m - b) * right) / (left - right);
        if at_m <= level || !(next > a && next < b) || next == m {
            break;
        }
        let value = at(next);
        // The lower of both is the new guess, the other one an end.
        let ([low, at_low], [high, at_high]) = match value < at_m {
            true => ([next, value], [m, at_m]),
            false => ([m, at_m], [next, value]),
        };
        *(if high < low { &mut a } else { &mut b }) = high;
        *(if high < low { &mut at_a } else { &mut at_b }) = at_high;
        (m, at_m) = (low, at_low);
    }
    (m, at_m)
}

/// Where within the step, from 0 to 1, the cubic through four values at equal distances has its minimum, and how low
/// it is there; nothing if it has none inside.
pub(crate) fn dip(values: &[f64; LOOKS + 2]) -> Option<(f64, f64)> {
    let [a, b, c, d] = *values;
    // In s = 0, 1, 2, 3: a + s(e + (s − 1)(f + (s − 2)g)).
    let (e, f, g) = (b - a, 0.5 * (a - 2.0 * b + c), (d - a + 3.0 * (b - c)) / 6.0);
    // Its slope is 3g s² + 2(f − 3g)s + (e − f + 2g), which rises through zero at a minimum.
    let (half, rest) = (f - 3.0 * g, e - f + 2.0 * g);
    let root = half * half - 3.0 * g * rest;
    if root <= 0.0 {
        return None;
    }
    // The root at which the slope rises, in the form that loses no digits.
    let root = crate::sqrt(root);
    let s = if half > 0.0 { -rest / (half + root) } else { (root - half) / (3.0 * g) };
    let inside = s > 0.0 && s < (LOOKS + 1) as f64;
    let least = a + s * (e + (s - 1.0) * (f + (s - 2.0) * g));
    inside.then_some((s / (LOOKS + 1) as f64, least))
}

impl Bracket {
    /// The first time at which `guard` is no longer above the level, to the last digit of time: bisection
    /// with regula falsi, never leaving the bracket.
    pub(crate) fn locate(&self, guard: &mut impl FnMut(f64) -> f64) -> f64 {
        let mut f = |t: f64| guard(t) - self.level;
        let (mut a, mut b) = (self.above, self.below);
        let [mut fa, mut fb] = self.values.map(|value| value - self.level);
        // Which end the last time replaced: an end that stays twice counts for half (Illinois).
        let mut side = 0;
        for i in 0..200 {
            let middle = 0.5 * (a + b);
            let secant = (a * fb - b * fa) / (fb - fa);
            // The end that is nearer is soon a zero to the last digit: step over it.
            let tick = f64::EPSILON * a.abs().max(b.abs());
            let secant =
                if b - secant < secant - a { secant.min(b - tick) } else { secant.max(a + tick) };
            let t = if secant > a && secant < b && i % 8 != 7 { secant } else { middle };
            if t <= a || t >= b {
                break;
            }
            let value = f(t);
            if value > 0.0 {
                (a, fa) = (t, value);
                fb *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (b, fb) = (t, value);
                fa *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guard as the solver sees it over a step of length 1.
    fn bracket(armed: bool, guard: impl Fn(f64) -> f64) -> Option<f64> {
        let time = |k: usize| k as f64 / (LOOKS + 1) as f64;
        let values = core::array::from_fn(|k| guard(time(k)));
        let watched = Watched { armed, slack: 1e-12, own: 1e-12 };
        let mut at = |t: f64| guard(t);
        first_bracket(watched, values, time, &mut at).map(|b| b.locate(&mut at))
    }

    #[test]
    fn a_crossing_is_located_to_the_last_digit() {
        let t = bracket(true, |t| 0.25 - t * t).unwrap();
        assert!((t - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_dip_between_two_looks_is_found() {
        // Below zero for a hundredth of the step only.
        let t = bracket(true, |t| (t - 0.47).powi(2) - 0.005f64.powi(2)).unwrap();
        assert!((t - 0.465).abs() < 1e-12, "{t}");
        assert!(bracket(true, |t| (t - 0.47).powi(2) + 1e-9).is_none());
        // Not where the cubic through the looks has its minimum, and below zero for less than that is off by.
        let skew = |t: f64| (t - 0.47).powi(2) * (1.0 + t * t) - 1e-8;
        assert!((bracket(true, skew).unwrap() - 0.47).abs() < 1e-4);
    }

    #[test]
    fn a_guard_that_begins_at_zero_may_leave_it_on_its_own_side_only() {
        assert!(bracket(false, |t| t * t).is_none());
        assert!(bracket(false, |t| -1e-13 * t).is_none());
        assert!(bracket(false, |t| -t * t).is_some());
        // It falls at first and is back before the first look.
        let t = bracket(false, |t| t * (t - 0.2)).unwrap();
        assert!((t - 5e-12).abs() < 1e-13, "{t}");
    }
}
