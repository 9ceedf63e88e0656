/// In which direction a zero of an event function counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// From below to above.
    Rising,
    /// From above to below.
    Falling,
    /// Either.
    Both,
}

/// An event that fired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Which one.
    pub index: usize,
    /// When.
    pub t: f64,
    /// Whether the function rises there.
    pub rising: bool,
}

/// On which side of zero an event function is known to be: −1, 1, or 0 while it has not left it.
pub(crate) fn side(value: f64) -> i8 {
    if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }
}

/// Whether going from side `from` to `to` is a crossing that counts.
pub(crate) fn counts(crossing: Crossing, from: i8, to: i8) -> bool {
    match crossing {
        _ if from == 0 || from == to => false,
        Crossing::Rising => from < 0,
        Crossing::Falling => from > 0,
        Crossing::Both => true,
    }
}

/// The first time in (lo, hi] at which `f` is no longer on the side `from`, to the last digit of
/// time: bisection with regula falsi, never leaving the bracket.
pub(crate) fn locate(lo: f64, hi: f64, from: i8, f: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (lo, hi);
    let (mut fa, mut fb) = (f(a), f(b));
    for i in 0..200 {
        let middle = 0.5 * (a + b);
        let secant = (a * fb - b * fa) / (fb - fa);
        let inside = secant > a && secant < b && i % 3 != 2;
        let t = if inside { secant } else { middle };
        if t <= a || t >= b {
            break;
        }
        let value = f(t);
        if side(value) == from {
            (a, fa) = (t, value);
            fb *= 0.5;
        } else {
            (b, fb) = (t, value);
            fa *= 0.5;
        }
    }
    b
}
