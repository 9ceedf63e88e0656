/// Where a function that is negative at `a` becomes positive before `b`: regula falsi, in which an end that stays
/// counts for half (Illinois).
pub(crate) fn crossing(mut a: f64, mut b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut fa, mut fb) = (f(a), f(b));
    let (mut t, mut side) = (b, 0.0);
    for _ in 0..100 {
        let next = (a * fb - b * fa) / (fb - fa);
        let settled = (next - t).abs() <= f64::EPSILON * a.abs().max(b.abs());
        if settled || !(next > a && next < b) {
            break;
        }
        t = next;
        let value = f(t);
        if value > 0.0 {
            (b, fb) = (t, value);
            fa *= if side > 0.0 { 0.5 } else { 1.0 };
        } else {
            (a, fa) = (t, value);
            fb *= if side < 0.0 { 0.5 } else { 1.0 };
        }
        side = value;
    }
    t
}
