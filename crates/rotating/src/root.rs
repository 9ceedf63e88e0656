/// The zero of a function between `a` and `b`, where its values have different signs: Newton's method,
/// and bisection where that leaves the bracket or is slow. `f` gives value and slope.
pub(crate) fn between(mut a: f64, mut b: f64, f: impl Fn(f64) -> [f64; 2]) -> f64 {
    let rising = f(b)[0] > f(a)[0];
    let mut t = 0.5 * (a + b);
    let mut width = b - a;
    for _ in 0..200 {
        let [value, slope] = f(t);
        if value == 0.0 {
            return t;
        }
        if (value > 0.0) == rising {
            b = t;
        } else {
            a = t;
        }
        let newton = t - value / slope;
        let halved = b - a < 0.5 * width;
        width = b - a;
        let next = if newton > a && newton < b && (halved || (newton - t).abs() < 0.5 * width) {
            newton
        } else {
            0.5 * (a + b)
        };
        if (next - t).abs() <= f64::EPSILON * b.abs() || next == a || next == b {
            return next;
        }
        t = next;
    }
    t
}

/// Where a slope changes from negative to positive, by bisection with regula falsi.
pub(crate) fn minimum(mut a: f64, mut b: f64, slope: impl Fn(f64) -> f64) -> f64 {
    let (mut fa, mut fb) = (slope(a), slope(b));
    let mut t = b;
    for _ in 0..100 {
        let next = (a * fb - b * fa) / (fb - fa);
        if (next - t).abs() <= 1e-14 * b || !(next > a && next < b) {
            break;
        }
        t = next;
        let f = slope(t);
        if f > 0.0 {
            (b, fb) = (t, f);
            fa *= 0.5;
        } else {
            (a, fa) = (t, f);
            fb *= 0.5;
        }
    }
    t
}
